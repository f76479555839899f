"""Windows of dialogue with short summaries that are true of them, made from permissive dialogues.

A target joins statements that are right about who did what by the way they are made (slot values,
answers, turns told in the third person) with sentences of clinicians' notes that the window holds.
No number and no capitalised word of a target lacks in its window: what is taught is to select, to
name the right speaker, and to stop.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from memguard.drift.stems import content_stems
from memguard.errors import InvalidParameterError
from memguard.models.constraint import foreign_words
from memguard.models.shots import plain_speech
from memguard.training.claims import TrueClaim, agreed, answered, restated, written
from memguard.training.dialogues import Dialogue, name_speakers, read_dialogues

_SURNAMES = (
    "Abara Brandt Castellano Dimov Eriksen Farrow Galvin Hartley Ivanov Jansen Kowalski Lindqvist Moreau "
    "Novak Okafor Petrov Quigley Rinaldi Sandoval Tanaka Ueda Varga Whitlock Yilmaz Zimmer"
).split()
_ROLE_PAIRS = (("User", "Assistant"), ("Customer", "Agent"), ("User", "System"))
_DANGLING = re.compile(
    r"\b(?:says|states|explains|mentions|points out)(?: that)? (?:it|its|this|that|they)\b"
)
_UNCLEAR = re.compile(
    r"\b(?:it|that|this|them|there|one)\.$|\bthank\b|\bma'am\b|\bmust say\b|\bhope\b|\bplease\b|\bexcuse\b|"
    r"\b(?:okay|alright|anything|something|kinda|gon na|wan na|you know|knows,? |i mean|is they) |"
    r"\b(?:I|my|we|our|us|you|your)\b|agrees to (?:confirm|help|check|let)|\b(?:first|next),? |"
    r"patient_guest|[\"/\\()\[\]#*_]|\.\.|--|- |\b(\w+) \1\b",
    re.IGNORECASE,
)
_ASKED = re.compile(r" (?:have|can|could|do|did|are|were|will|would) [A-Z][a-z]+ ")
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|will|would|can|could|does|do|did|[a-z]{3,}ed|[a-z]{3,}[a-rt-z]s|"
    r"takes|went|came|got|took|goes|felt)\b"
)
_FIRST = re.compile(r"^[A-Z][\w']* ")
_KINDS = {
    "agreed": 3.0,
    "written": 2.0,
    "answered": 1.5,
    "restated_statement": 1.5,
    "restated_request": 0.5,
    "restated_said": 0.5,
    "restated_question": -4.0,
}
_LEAST_SCORE = 3.5
_TARGET_SHARE = 0.55
"""Words of a target at most, as a share of its window's."""
_MOST_WORDS = 50
_DRAWS = 4
"""How often slots are drawn: a window holds some of their turns."""
_EMPTY = 0.1
"""Share of the small talk that is shown with an empty summary."""


@dataclass(frozen=True, slots=True)
class SummarySource:
    """How examples are made from one file of dialogues.

    Attributes:
        file: Without its endings.
        examples: At most.
        windows: Of one dialogue at most.
        named: Share of dialogues whose roles get first names.
        least_shared: See :func:`memguard.training.claims.written`.
        tells: Kinds of statement that are taken; a transcript without punctuation cannot be restated.
    """

    file: str
    examples: int
    windows: int
    named: float
    least_shared: float
    tells: tuple[str, ...] = tuple(_KINDS)


SOURCES: tuple[SummarySource, ...] = (
    SummarySource("dialog_sgd", 7_000, 1, 0.85, 0.9),
    SummarySource("dialog_mts", 2_400, 2, 0.6, 0.75),
    SummarySource("dialog_aci", 1_600, 12, 0.6, 0.8, ("written", "restated_statement")),
    SummarySource("dialog_taskmaster4", 500, 1, 0.85, 0.9),
    SummarySource("dialog_crd3", 500, 1, 0.0, 0.75, ("written", "restated_statement")),
)
MEETINGS = SummarySource("dialog_qmsum_train", 2_000, 20, 0.0, 0.75, ("written", "restated_statement"))
"""QMSum: what was trained on it cannot be measured on QMSum."""


@dataclass(frozen=True, slots=True)
class SummaryExample:
    """One example.

    Attributes:
        lines: ``Speaker: content``, as the summarizer shows a window to its model.
        target: One to three sentences; empty where nothing of the window is worth a line.
        group: The dialogue; no group is trained on and validated with.
        source: The file.
    """

    lines: tuple[str, ...]
    target: str
    group: str
    source: str


@dataclass(frozen=True, slots=True)
class SummaryOptions:
    """What is made.

    Attributes:
        dialogues: The folder with the files (``bench/nli``).
        seed: Of every choice.
        scale: Share of the examples, above 0.
        meetings: Take QMSum's training meetings as well.
    """

    dialogues: Path
    seed: int = 0
    scale: float = 1.0
    meetings: bool = False


def build_summaries(options: SummaryOptions) -> list[SummaryExample]:
    """Make all examples, in one shuffled order that follows from the seed.

    Raises:
        InvalidParameterError: If the folder holds none of the files.
        TranscriptError: If a row cannot be read; names file and line.
    """
    examples: list[SummaryExample] = []
    for source in (*SOURCES, MEETINGS) if options.meetings else SOURCES:
        path = options.dialogues / f"{source.file}.jsonl.gz"
        if not path.is_file():
            continue
        rng = random.Random(f"{options.seed}:{source.file}")  # noqa: S311  # a seed, not a secret
        most = max(1, round(source.examples * options.scale))
        made: list[SummaryExample] = []
        dialogues = read_dialogues(path)
        for dialogue in rng.sample(dialogues, len(dialogues)):
            if len(made) >= most:
                break
            made += examples_of(dialogue, source, rng)
        examples += made[:most]
    if not examples:
        raise InvalidParameterError(
            f"dialogues must be a folder with files such as dialog_sgd.jsonl.gz; got {options.dialogues}"
        )
    random.Random(options.seed).shuffle(examples)  # noqa: S311  # a seed, not a secret
    return examples


def examples_of(dialogue: Dialogue, source: SummarySource, rng: random.Random) -> Iterator[SummaryExample]:
    """Cut a dialogue into windows of three to eight turns and say what is true of each."""
    named = name_speakers(dialogue, rng) if rng.random() < source.named else _role_speakers(dialogue, rng)
    claims = [claim for claim in _claims(named, source, rng) if claim.kind in source.tells]
    start, n_made = 0, 0
    while start < len(named.turns) and n_made < source.windows:
        size = rng.randint(3, 8)
        window = range(start, min(start + size, len(named.turns)))
        start += size if source.windows > 1 else len(named.turns)
        if source.windows == 1 and len(named.turns) > size:
            first = rng.randrange(len(named.turns) - size + 1)
            window = range(first, first + size)
        example = _example(named, window, claims, source, rng)
        if example is not None:
            n_made += 1
            yield example


def _claims(dialogue: Dialogue, source: SummarySource, rng: random.Random) -> list[TrueClaim]:
    return [
        *(claim for _ in range(_DRAWS) for claim, _ in agreed(dialogue, rng, {})),
        *(claim for claim, _ in answered(dialogue)),
        *restated(dialogue, rng, only_own=False),
        *written(dialogue, rng, source.least_shared),
    ]


def _example(
    dialogue: Dialogue,
    window: range,
    claims: Sequence[TrueClaim],
    source: SummarySource,
    rng: random.Random,
) -> SummaryExample | None:
    spoken = [(dialogue.turns[i].speaker, dialogue.turns[i].content) for i in window]
    lines = tuple(f"{speaker}: {text}" for speaker, text in plain_speech(spoken))
    text = "\n".join(lines)
    n_words = len(text.split())
    if not 12 <= n_words <= 260:
        return None
    fitting = [
        claim
        for claim in claims
        if claim.turns and all(turn in window for turn in claim.turns) and _is_clear(claim, text)
    ]
    target = " ".join(_fused(_chosen(fitting, dialogue, n_words), rng))
    if not target and (rng.random() > _EMPTY or n_words > 45 or re.search(r"\d", text)):
        return None
    if rng.random() < 0.3:
        lines, target = _with_surnames(lines, target, dialogue, rng)
    return SummaryExample(lines, target, dialogue.id, source.file)


def _is_clear(claim: TrueClaim, window: str) -> bool:
    """Return whether a claim can stand in a summary: nothing dangling, nothing that the window lacks."""
    text = claim.text
    if _UNCLEAR.search(text) or _ASKED.search(text) or not _FIRST.match(text) or "  " in text:
        return False
    if not 4 <= len(text.split()) <= 30 or not text.endswith(".") or not _VERB.search(text):
        return False
    name = text.split()[0].removesuffix("'s")
    if claim.kind != "written" and f"{name}:" not in window:
        return False
    if claim.kind == "written":
        stems, known = set(content_stems(text)), set(content_stems(window))
        if len(stems & known) < 0.7 * len(stems):
            return False
    return not foreign_words(text, window)


def _score(claim: TrueClaim, speakers: Sequence[str]) -> float:
    n_numbers = len(re.findall(r"\d[\d.,:/]*", claim.text))
    names = {word for word in re.findall(r"(?<!^)\b[A-Z][\w']+", claim.text) if word not in speakers}
    n_stems = len(set(content_stems(claim.text)))
    return _KINDS[claim.kind] + 2.5 * min(n_numbers, 3) + 1.5 * min(len(names), 3) + 0.4 * min(n_stems, 9)


def _chosen(claims: Sequence[TrueClaim], dialogue: Dialogue, n_words: int) -> list[str]:
    """Take the most telling claims that say different things, and put them in the order of the turns."""
    room = max(16, min(_MOST_WORDS, round(n_words * _TARGET_SHARE)))
    ranked = sorted(claims, key=lambda claim: -_score(claim, dialogue.speakers))
    chosen: list[TrueClaim] = []
    for claim in ranked:
        if _score(claim, dialogue.speakers) < _LEAST_SCORE or len(chosen) == 3:
            break
        stems = set(content_stems(claim.text))
        told = {stem for other in chosen for stem in content_stems(other.text)}
        if len(stems & told) > 0.5 * len(stems) or len(claim.text.split()) > room:
            continue
        chosen.append(claim)
        room -= len(claim.text.split())
    chosen.sort(key=lambda claim: claim.turns[-1])
    kept: list[TrueClaim] = []
    for claim in chosen:
        if _DANGLING.search(claim.text) and not (kept and kept[-1].turns[-1] == claim.turns[-1]):
            continue  # "it" needs the sentence before
        kept.append(claim)
    return [claim.text for claim in kept]


def _fused(texts: Sequence[str], rng: random.Random) -> list[str]:
    """Join two short sentences with one subject: "Mia wants a taxi and is leaving from Oslo."."""
    result: list[str] = []
    for text in texts:
        name, _, rest = text.partition(" ")
        last = result[-1] if result else ""
        same = last.startswith(f"{name} ") and " and " not in last and not rest.startswith(("is ", "are "))
        if same and len(last.split()) + len(rest.split()) < 24 and rng.random() < 0.6:
            result[-1] = f"{last.rstrip('.')} and {rest}"
        else:
            result.append(text)
    return result


def _role_speakers(dialogue: Dialogue, rng: random.Random) -> Dialogue:
    """Write roles as a transcript does: capitalised, and often as others name them."""
    from memguard.training.evidence import Turn

    pair = rng.choice(_ROLE_PAIRS)
    names = {"User": pair[0], "System": pair[1], "Assistant": pair[1]}
    turns = tuple(
        Turn(names.get(t.speaker, t.speaker[:1].upper() + t.speaker[1:]), t.content) for t in dialogue.turns
    )
    return Dialogue(dialogue.id, turns, dialogue.summaries, dialogue.slots, dialogue.answers, "Patient")


def _with_surnames(
    lines: tuple[str, ...], target: str, dialogue: Dialogue, rng: random.Random
) -> tuple[tuple[str, ...], str]:
    """Give speakers with a first name a surname, in the labels and in the target."""
    for name in dialogue.speakers:
        if not re.fullmatch(r"[A-Z][a-z]+", name) or name in {n for pair in _ROLE_PAIRS for n in pair}:
            continue
        full = f"{name} {rng.choice(_SURNAMES)}"
        lines = tuple(re.sub(rf"^{name}:", f"{full}:", line) for line in lines)
        if rng.random() < 0.6:
            target = re.sub(rf"\b{name}\b(?! [A-Z])", full, target, count=1)
    return lines, target
