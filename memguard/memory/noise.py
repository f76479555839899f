"""What is noise: the documented rule (B04), and one that knows scripts, fillers and machine text.

The documented rule counts characters and words between spaces, so it removes "No sugar." and any
sentence in Chinese, and keeps ``{'input': 'hi', 'output': 'there'}``, whose ``repr`` has four words (B05).
``is_filler`` looks at what a text says instead.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence

from memguard.selection.lexicon import ANSWERS as _ANSWERS
from memguard.selection.lexicon import PIECES as _PIECES
from memguard.selection.lexicon import PLEASANTRIES as _PLEASANTRIES

_LEAST_CHARS = 10
_LEAST_WORDS = 3
_LEAST_ALNUM = 0.3

_LEAST_WORDS_SAID = 2
_CHARS_A_WORD = 2
"""Characters of a script without spaces that count as one word: the most common length in Chinese."""
_UNSPACED = re.compile(
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"  # Chinese, Japanese
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]"  # Thai, Lao, Burmese, Khmer
)
_QUESTION_END = re.compile(r"[?？؟]\W*$")
_MACHINE_LINE = re.compile(r"\[?system\]?\s*[:>\]]|<system\b", re.IGNORECASE)
_INFORMATION = (
    r"no (?:new |relevant |memorable |durable |personal )*(?:information|facts?|memor(?:y|ies)|details?)"
)
_NOTHING_FOUND = re.compile(
    rf"(?:there (?:is|are|was|were) )?(?:{_INFORMATION}|(?:nothing|none|{_INFORMATION})\b[^.!?]{{0,60}}"
    r"(?:\bworth (?:keeping|storing|remembering|saving|extracting|recording)"
    r"|\bto (?:keep|store|remember|save|extract|record|memori[sz]e)|\bfound|\bextracted))[.!]?",
    re.IGNORECASE,
)


def is_noise(text: str) -> bool:
    """Tell noise by the documented rule (B04).

    Noise is shorter than 10 characters, or of fewer than 3 words between white space, or has fewer than
    30 letters and digits in a hundred characters; at each boundary the text is kept.
    """
    text = text.strip()
    if len(text) < _LEAST_CHARS or len(text.split()) < _LEAST_WORDS:
        return True
    return sum(c.isalnum() for c in text) / max(len(text), 1) < _LEAST_ALNUM


def is_filler(text: str) -> bool:
    """Tell noise in any script: pleasantries, bare answers, single words, signs, and machine text.

    Two words that say something are kept ("No sugar."), and so is one that holds a digit. In scripts
    without spaces two characters count as a word. Machine text is what no person wrote to be remembered:
    JSON without prose, system lines, dumps of quoted lines, an extractor's report that it found nothing.
    """
    return _is_pleasantry(text) or _says_too_little(text) or _is_machine_text(text)


def why_noise(text: str, rule: str) -> str:
    """Return in words which part of a rule, one of ``NOISE_RULES``, makes a text noise; empty if none."""
    if not NOISE_RULES[rule](text):
        return ""
    if rule == "documented":
        return _why_documented(text.strip())
    if not text.strip():
        return "nothing in it"
    if _is_pleasantry(text):
        return "a pleasantry"
    return "machine text" if _is_machine_text(text) else "a bare answer, a single word or signs"


NOISE_RULES: Mapping[str, Callable[[str], bool]] = {"documented": is_noise, "script": is_filler}


def kept_turns(texts: Sequence[str]) -> tuple[int, ...]:
    """Return the indexes of the turns that are worth keeping, by ``is_filler``.

    A short answer that follows a question is kept with it: "Yes" after "Shall I cancel booking 77?" is
    the decision.
    """
    kept = []
    for index, text in enumerate(texts):
        answers = index > 0 and _QUESTION_END.search(texts[index - 1]) is not None
        if not is_filler(text) or (answers and _is_answer(text)):
            kept.append(index)
    return tuple(kept)


def _why_documented(text: str) -> str:
    n_chars, n_words = len(text), len(text.split())
    if n_chars < _LEAST_CHARS:
        return f"{n_chars} character{'' if n_chars == 1 else 's'}, fewer than {_LEAST_CHARS}"
    if n_words < _LEAST_WORDS:
        return f"{n_words} word{'' if n_words == 1 else 's'}, fewer than {_LEAST_WORDS}"
    share = sum(c.isalnum() for c in text) / n_chars
    return f"{share:.0%} letters and digits, less than {_LEAST_ALNUM:.0%}"


def _is_answer(text: str) -> bool:
    return bool(_PIECES.search(text)) and not _is_pleasantry(text) and not _is_machine_text(text)


def _is_pleasantry(text: str) -> bool:
    pieces = _pieces(text)
    return bool(pieces) and _PLEASANTRIES.issuperset(pieces)


def _says_too_little(text: str) -> bool:
    pieces = _pieces(text)
    if (_PLEASANTRIES | _ANSWERS).issuperset(pieces):
        return True
    # A combining mark is a part of its letter: without marks, Hindi would look like signs.
    written = [c for c in text if not c.isspace()]
    letters = sum(c.isalnum() or unicodedata.category(c)[0] == "M" for c in written)
    if letters / len(written) < _LEAST_ALNUM:
        return True
    return _n_words(text) < _LEAST_WORDS_SAID and not any(c.isdigit() for c in text)


def _pieces(text: str) -> list[str]:
    return [piece.casefold() for piece in _PIECES.findall(text)]


def _n_words(text: str) -> int:
    """Count words; characters of scripts without spaces by twos."""
    n_words = 0
    for token in text.split():
        unspaced = len(_UNSPACED.findall(token))
        n_words += -(-unspaced // _CHARS_A_WORD)
        n_words += _PIECES.search(_UNSPACED.sub("", token)) is not None
    return n_words


def _is_machine_text(text: str) -> bool:
    text = text.strip()
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    return (
        _MACHINE_LINE.match(text) is not None
        or _NOTHING_FOUND.fullmatch(text) is not None
        or all(line.startswith(">") for line in lines)
        or _is_data(text)
    )


def _is_data(text: str) -> bool:
    """Tell JSON whose values hold no prose: one with a sentence in it may carry a fact."""
    if text[:1] not in {"{", "["}:
        return False
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return not any(_n_words(said) >= _LEAST_WORDS for said in _texts_in(value))


def _texts_in(value: object) -> list[str]:
    """Return the texts among the values of JSON, however deep."""
    found, open_values = [], [value]
    while open_values:
        item = open_values.pop()
        if isinstance(item, str):
            found.append(item)
        elif isinstance(item, Mapping):
            open_values.extend(item.values())
        elif isinstance(item, list):
            open_values.extend(item)
    return found
