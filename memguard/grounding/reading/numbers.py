"""Numbers in text, with exact offsets: digits in any grouping, number words, fractions.

Words are valued by ``text2num``; what it cannot read ("a dozen", "two and a half", "half", years
said in two halves) is read here. Whether "1,249" has a grouping or a decimal comma is decided for
the whole text: one "3,4" shows a writer of decimal commas.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_UNITS = "zero one two three four five six seven eight nine"
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fourty fifty sixty seventy eighty ninety"
_SMALL = {word: value for value, word in enumerate(f"{_UNITS} {_TEENS}".split())}
_TENS_VALUES = dict(zip(_TENS.split(), (20, 30, 40, 40, 50, 60, 70, 80, 90), strict=True))
_WORD = "(?:" + "|".join([*_SMALL, *_TENS_VALUES, "hundred", "thousand", "million", "billion"]) + ")"
_GROUPED = (
    r"\d{1,3}(?: , \d{3})+(?!\d)|\d{1,3}(?:[\u00a0\u202f]\d{3})+(?:[.,]\d+)?"
    r"|\d{1,3}(?: \d{3})+(?:,\d{1,2})?(?![\d ]*\d)"
)
_DIGITS = re.compile(
    rf"(?<![\w.,])(?P<sign>[-−+](?=\d)|\bminus\s+(?=\d))?(?P<body>{_GROUPED}|\d+(?:[.,']\d+)*|\.\d+)"
)
_WORDS = re.compile(
    rf"\b(?:an?\s+(?=hundred|thousand|million|billion))?{_WORD}(?:(?:[\s-]+|\s+and\s+|\s+u[hm]+\s+){_WORD})*\b",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"\b(?P<dozen>(?:half\s+)?a\s+dozen|(?P<many>\w+)\s+dozen)\b|\b(?P<couple>(?:a|the|last|next|past|first)\s+couple)\b"
    r"|\b(?P<half>half)(?=\s+an?\s+\w)|(?P<glyph>[½¼¾])"
    r"|\b(?P<quarters>(?:a|three)\s+quarters?)\s+of(?=\s+an?\s+\w)",
    re.IGNORECASE,
)
_AND_HALF = re.compile(r"(?:\s+and\s+a\s+half|\s*½)\b", re.IGNORECASE)
_SCALE = re.compile(r"\s?(?P<scale>k|thousand|million|mln|bn|billion|m)\b", re.IGNORECASE)
_SCALES = {"k": 1e3, "thousand": 1e3, "million": 1e6, "mln": 1e6, "m": 1e6, "bn": 1e9, "billion": 1e9}
_GLYPHS = {"½": 0.5, "¼": 0.25, "¾": 0.75}
_DECIMAL_COMMA = re.compile(r"(?<![\d.,])\d+(?:\.\d{3})*,(?:\d{1,2}|\d{4,})(?![\d,.]|\s*,?\s*\d)")
_SINCE_PLAIN = 3


@dataclass(frozen=True, slots=True)
class Number:
    """One number of a text.

    Attributes:
        start: Offset of its first character, the sign included.
        end: Offset after its last.
        text: As written.
        value: What it is worth.
        in_words: Whether it is written in words.
        decimals: Digits after the decimal mark: how exactly it was given.
    """

    start: int
    end: int
    text: str
    value: float
    in_words: bool = False
    decimals: int = 0


@lru_cache(maxsize=16_384)
def numbers(text: str) -> tuple[Number, ...]:
    """Return the numbers of a text in order, none inside another; the pronoun "one" among them."""
    found = [*_in_digits(text), *_in_words(text), *_in_other_forms(text)]
    found.sort(key=lambda n: (n.start, -n.end))
    kept: list[Number] = []
    for number in found:
        if not kept or number.start >= kept[-1].end:
            kept.append(number)
    return tuple(kept)


def _in_digits(text: str) -> list[Number]:
    comma = bool(_DECIMAL_COMMA.search(text))
    found = []
    for match in _DIGITS.finditer(text):
        start, end = match.span()
        value, decimals = _value(match["body"], decimal_comma=comma)
        if value is None:
            continue
        if (match["sign"] or "") not in {"", "+"}:
            if start and not text[start - 1].isspace() and text[start - 1] not in "(=:":
                start += 1
            else:
                value = -value
        half = _AND_HALF.match(text, end)
        scale = None if half else _SCALE.match(text, end)
        if half:
            value, end = value + 0.5, half.end()
        elif scale and _is_scale(text, start, scale):
            value, end = value * _SCALES[scale["scale"].lower()], scale.end()
        found.append(Number(start, end, text[start:end], value, decimals=decimals))
    return found


def _is_scale(text: str, start: int, match: re.Match[str]) -> bool:
    """Tell "5k" and "$2m" from "5 K" and "2 m": a letter must touch, and "m" needs money before it."""
    scale = match["scale"]
    if len(scale) > 1 and scale.lower() != "bn":
        return True
    touches = not match.group()[0].isspace()
    if scale.lower() == "m":
        return touches and start > 0 and text[start - 1] in "$€£¥"
    return (touches and scale != "K") or scale.lower() == "bn"


def _value(body: str, *, decimal_comma: bool) -> tuple[float | None, int]:
    plain = re.sub("[\\s\u00a0\u202f']", "", body)
    marks = [c for c in plain if c in ".,"]
    if not marks:
        return float(plain), 0
    last = marks[-1]
    tail = len(plain) - plain.rfind(last) - 1
    if len(set(marks)) == 2:
        other = "." if last == "," else ","
        return (
            (float(plain.replace(other, "").replace(last, ".")), tail)
            if marks.count(last) == 1
            else (None, 0)
        )
    if len(marks) > 1:
        grouped = all(len(part) == _SINCE_PLAIN for part in plain.split(last)[1:])
        return (float(plain.replace(last, "")), 0) if grouped else (None, 0)
    if last == ",":
        return (
            (float(plain.replace(",", ".")), tail)
            if decimal_comma or tail != _SINCE_PLAIN
            else (float(plain.replace(",", "")), 0)
        )
    if decimal_comma and tail == _SINCE_PLAIN:
        return float(plain.replace(".", "")), 0
    return float(plain), tail


def _in_words(text: str) -> list[Number]:
    found = []
    for match in _WORDS.finditer(text):
        for start, end, value in _values_of_words(match.group(), match.start()):
            half = _AND_HALF.match(text, end)
            more = 0.5 if half else 0.0
            stop = half.end() if half else end
            found.append(Number(start, stop, text[start:stop], value + more, in_words=True))
    return found


@lru_cache(maxsize=4_096)
def _spoken(words: str) -> float | None:
    from text_to_num import text2num

    try:
        return float(text2num(re.sub(r"^an?\s", "one ", words), "en"))
    except ValueError:
        return None


_HUNDREDS = re.compile(r"([a-z-]+)\s+hundred(?:\s+(?:and\s+)?([a-z -]+))?")
_LONGEST_NUMBER = 16  # words; of a longer run of number words each part is read for itself


def _values_of_words(phrase: str, at: int) -> list[tuple[int, int, float]]:
    """Read a run of number words: one number, a year in two halves, or several numbers."""
    lower = phrase.lower().replace("fourty", "forty")
    pieces = list(re.finditer(r"[A-Za-z]+(?:-[A-Za-z]+)*", phrase))
    whole = _spoken(lower) if len(pieces) <= _LONGEST_NUMBER else None
    if whole is not None:
        return [(at, at + len(phrase), whole)]
    if len(pieces) <= _LONGEST_NUMBER and (
        hundreds := re.fullmatch(r"([a-z-]+)\s+hundred(?:\s+(?:and\s+)?([a-z -]+))?", lower)
    ):
        head, tail = _spoken(hundreds[1]), _spoken(hundreds[2]) if hundreds[2] else 0.0
        if head is not None and tail is not None and head < 100 and tail < 100:
            return [(at, at + len(phrase), head * 100 + tail)]
    found: list[tuple[int, int, float]] = []
    i = 0
    while i < len(pieces):
        for j in range(min(len(pieces), i + _LONGEST_NUMBER), i, -1):
            span = phrase[pieces[i].start() : pieces[j - 1].end()]
            value = _spoken(span.lower())
            if value is None:
                value = _year(span.lower()) or _spoken_hundreds(span.lower())
            if value is not None:
                found.append((at + pieces[i].start(), at + pieces[j - 1].end(), value))
                i = j
                break
        else:
            i += 1
    return found


def _year(words: str) -> float | None:
    """Read "nineteen eighty-six" and "twenty twenty-six"."""
    century, _, rest = re.sub(r"\bu[hm]+\s+", "", words).partition(" ")
    if century not in {"eighteen", "nineteen", "twenty"}:
        return None
    years = _spoken(rest)
    if years is None or not 10 <= years < 100:
        return None
    return (_SMALL.get(century) or _TENS_VALUES[century]) * 100 + years


def _spoken_hundreds(words: str) -> float | None:
    """Read "one twenty five" (125)."""
    hundreds, _, rest = words.partition(" ")
    if hundreds not in _SMALL or not 1 <= _SMALL[hundreds] <= 9:
        return None
    tail = _spoken(rest)
    return _SMALL[hundreds] * 100 + tail if tail is not None and 10 <= tail < 100 else None


def _in_other_forms(text: str) -> list[Number]:
    found = []
    for match in _OTHER.finditer(text):
        if match["glyph"]:
            value = _GLYPHS[match["glyph"]]
        elif match["quarters"]:
            value = 0.75 if match["quarters"].lower().startswith("three") else 0.25
        elif match["half"]:
            value = 0.5
        elif match["couple"]:
            value = 2.0
        elif match["many"] and match["many"].lower() not in {"a", "half"}:
            times = _spoken(match["many"].lower()) or (
                float(match["many"]) if match["many"].isdigit() else None
            )
            if times is None:
                continue
            value = 12.0 * times
        else:
            value = 6.0 if match.group().lower().startswith("half") else 12.0
        found.append(Number(match.start(), match.end(), match.group(), value, in_words=True))
    return found
