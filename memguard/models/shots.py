"""The examples that SmolLM2 continues, and what of them must never reach a summary."""

from __future__ import annotations

import re
from collections.abc import Sequence

Shot = tuple[tuple[str, ...], str]

# Written for MemGuard. Rare names, so that one that leaks is seen; no two alike in shape.
SHOTS: tuple[Shot, ...] = (
    (
        (
            "Wanda: My printer shows error E-502 and the paper is stuck.",
            "Helper: Which model is it?",
            "Wanda: A Brio 310, bought in May.",
            "Helper: Open the back door and pull the paper out slowly.",
        ),
        "Wanda has a Brio 310 printer, bought in May, that shows error E-502 with stuck paper. "
        "Helper told Wanda to open the back door and pull the paper out slowly.",
    ),
    (
        (
            "Quill: Hi, I ordered a desk lamp on 3 March and it still has not come.",
            "Agent: I am sorry. Your order shipped on 9 March and should arrive on Friday.",
            "Quill: Fine, but I want the 12 euro delivery fee back.",
            "Agent: I have refunded the 12 euros to your card.",
        ),
        "Quill ordered a desk lamp on 3 March and it has not come. It shipped on 9 March and "
        "should arrive on Friday, and the agent refunded the 12 euro delivery fee.",
    ),
    (
        (
            "Therapist: How is the knee?",
            "Odalys: It hurts when I climb stairs, but I can walk for 20 minutes now.",
            "Therapist: Do you still take ibuprofen?",
            "Odalys: No, I stopped it last week because of my stomach.",
            "Therapist: Good. Keep doing the exercises twice a day and come back in two weeks.",
        ),
        "Odalys's knee hurts on stairs, but she can walk for 20 minutes, and she stopped ibuprofen "
        "last week because of her stomach. The therapist told her to do the exercises twice a day "
        "and come back in two weeks.",
    ),
    (
        (
            "Bertrand: Can we move the review to Tuesday?",
            "Ximena: Tuesday is full. Thursday at 10 works for me.",
            "Bertrand: Okay, Thursday at 10. Who writes the report?",
            "Ximena: I will, but I need the figures from you.",
            "Bertrand: You will have them tomorrow.",
        ),
        "Bertrand and Ximena moved the review to Thursday at 10. Ximena will write the report and "
        "Bertrand will send her the figures tomorrow.",
    ),
)

_LAMP = SHOTS[1]

QUESTION_SHOTS: tuple[Shot, ...] = (
    (
        (
            "Lead: The demo is on 14 June.",
            "Ximena: I can't finish the export by then.",
            "Lead: Then leave it out. Bertrand, can you fix the login?",
            "Bertrand: Yes, by Wednesday.",
        ),
        "The demo is on 14 June, and the export is left out because Ximena cannot finish it. "
        "Bertrand will fix the login by Wednesday.",
    ),
    _LAMP,
    (
        (
            "Nurse: Where does it hurt?",
            "Odalys: In my lower back, on the left.",
            "Nurse: Is it there all the time?",
            "Odalys: No, it comes and goes. It started five days ago.",
            "Nurse: Any fever or numbness?",
            "Odalys: No, neither.",
        ),
        "Odalys has pain in the lower back, on the left, that comes and goes and started five days "
        "ago. Odalys has no fever or numbness.",
    ),
)
"""Better where one side asks and the other answers in a few words."""

PROMPTS: tuple[tuple[Shot, ...], ...] = (SHOTS, QUESTION_SHOTS)

SHOT_NAMES = frozenset(
    {
        *("Wanda", "Helper", "Brio", "Quill", "Agent", "Therapist", "Odalys", "Bertrand", "Ximena"),
        *("Lead", "Nurse", "June", "Wednesday"),
        *("May", "March", "Tuesday", "Thursday", "Friday"),
    }
)
"""Proper names of the examples. A sentence with one that the conversation lacks is a leak."""

FUNCTION_WORDS = frozenset(
    {
        *("the", "a", "an", "and", "or", "of", "to", "in", "on", "at", "for", "with", "as", "by", "from"),
        *("is", "was", "are", "were", "be", "been", "has", "have", "had", "will", "would", "not", "no"),
        *("he", "she", "it", "they", "them", "his", "her", "their", "that", "this", "who", "which"),
        *("but", "so", "because", "then", "also", "before", "after", "until", "if", "said", "asked"),
        *("told", "wants", "needs"),
    }
)

_ENOUGH_WORDS = 8
_WORD = re.compile(r"\w+")
# Spoken filler; "like" only between commas, as it is also a verb.
_FILLER = re.compile(
    r"\[(?:unintelligible|inaudible|crosstalk)\]"
    r"|\b(?:um+|uh+|erm+|er|hmm+|mm+|y'know)\b[,.]?\s*|(?<=,) like,",
    re.IGNORECASE,
)
_BACKCHANNEL = re.compile(
    r"\W*(?:(?:ok(?:ay)?|yeah|yep|yes|no|sure|right|fine|alright|all right|hello|hi|thanks|"
    r"thank you|great|good|oh|ah|bye|i see|got it|lol)\b\W*)*",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"(?:(?:okay|ok|yeah|so|and|oh|well|hey|right|alright|fine|hello|hi)\b[\s,.!?]*)+",
    re.IGNORECASE,
)
_DOUBLED = re.compile(r"\b(\w+)(?: \1\b)+", re.IGNORECASE)


def render(shots: Sequence[Shot] = SHOTS) -> str:
    """Return the text that stands before every window."""
    return "".join(f"{render_window(lines)} {summary}\n\n" for lines, summary in shots)


def render_window(lines: tuple[str, ...] | list[str]) -> str:
    """Return a window as the examples show one, up to the place where its summary begins."""
    return "Conversation:\n" + "\n".join(lines) + "\nSummary:"


def leaks(sentence: str, source: str) -> bool:
    """Return whether ``sentence`` holds a proper name of the examples that ``source`` lacks."""
    known = {word.lower() for word in _WORD.findall(source)}
    return any(word in SHOT_NAMES and word.lower() not in known for word in _WORD.findall(sentence))


def support(text: str, source: str) -> float:
    """Return how well ``source`` supports ``text`` word by word, in [0, 1]; 0.0 for no words.

    The squared share of the text's content words (their first five letters) that the source has,
    less where only a few are covered.
    """
    said, there = _content(text), _content(source)
    covered = len(said & there)
    return (covered / len(said)) ** 2 * min(1.0, covered / _ENOUGH_WORDS) if said else 0.0


def _content(text: str) -> set[str]:
    words = (word.lower() for word in _WORD.findall(text))
    return {word[:5] for word in words if word not in FUNCTION_WORDS}


def plain_speech(lines: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Drop spoken filler and bare "okay" turns from (speaker, text) lines, for the model alone.

    A short answer to a question stays. If nothing would be left, the lines stay as they were.
    """
    kept: list[tuple[str, str]] = []
    for speaker, text in lines:
        spoken = " ".join(_FILLER.sub("", text).split()).strip(" ,")
        if not _WORD.search(spoken):
            continue
        if _BACKCHANNEL.fullmatch(spoken):
            if not (kept and kept[-1][1].endswith("?")):
                continue
        else:
            spoken = _DOUBLED.sub(r"\1", _LEAD.sub("", spoken, count=1) if _LEAD.match(spoken) else spoken)
        if _WORD.search(spoken):
            kept.append((speaker, spoken[0].upper() + spoken[1:]))
    return kept or lines
