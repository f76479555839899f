"""Quantities in text: a number with its unit or what it counts, its bounds, its rate, its key."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from memguard.grounding.reading.clock import moments
from memguard.grounding.reading.measure_forms import (
    ABOVE,
    ADJECTIVE_UNIT,
    ADVERBS,
    AGE,
    AGE_BEFORE,
    APPROX,
    APPROX_AFTER,
    AT_LEAST_AFTER,
    AT_MOST_AFTER,
    BELOW,
    DURATION,
    FREQUENCY,
    IDENTIFIER,
    KEY,
    LABELS,
    MONEY_BEFORE,
    PER,
    PLURALS,
    RANGE,
    STREET,
    TIMES,
    UNIT,
    WHOLE,
)
from memguard.grounding.reading.numbers import Number, numbers
from memguard.grounding.reading.units import Unit, units_named
from memguard.grounding.reading.words import Word, key_of, words

_STEPS = {
    ("hour", "minute"): 60.0, ("minute", "second"): 60.0, ("foot", "inch"): 12.0,
    ("kilogram", "gram"): 1000.0,
    ("pound", "ounce"): 16.0, ("stone", "pound"): 14.0, ("year", "month"): 12.0,
}  # fmt: skip
_AGE_UNIT = Unit("year", "age")


@dataclass(frozen=True, slots=True)
class Quantity:
    """One quantity of a text.

    Attributes:
        start: Offset of its first character.
        end: Offset after its last, the unit included.
        low: Its value, or the lower end of a range.
        high: Its value, or the upper end of a range.
        units: What its unit may be; empty for a count or a bare number.
        nouns: Keys of the words right after it that say what is counted.
        head: The key that most likely is the counted thing.
        label: What an identifier belongs to ("platform", "room"), or the key of a key=value field.
        literal: An identifier as written, lower case; compared letter by letter.
        bound: ``<`` for "at most", ``>`` for "at least", else empty.
        approximate: Whether it says "about".
        per: What it is counted per ("week", "person"); "total" for a sum over all.
        days: "working" or "calendar" where that is said.
        decimals: How exactly it is given.
        in_words: Whether its number is a word.
    """

    start: int
    end: int
    low: float
    high: float
    units: tuple[Unit, ...] = ()
    nouns: frozenset[str] = frozenset()
    head: str = ""
    label: str = ""
    literal: str = ""
    bound: str = ""
    approximate: bool = False
    per: str = ""
    days: str = ""
    decimals: int = 0
    in_words: bool = False

    @property
    def is_bare(self) -> bool:
        """Whether it names neither unit nor counted thing nor label."""
        return not (self.units or self.nouns or self.label or self.literal)


@lru_cache(maxsize=16_384)
def quantities(text: str) -> tuple[Quantity, ...]:
    """Return the quantities of a text in order; the numbers of dates and times are left to ``clock``."""
    dated = [(m.start, m.end) for m in moments(text) if m.kind not in {"offset", "quarter"}]
    named = [
        m for m in IDENTIFIER.finditer(text) if _is_identifier(m.group()) and not _within(m.span(), dated)
    ]
    found = [
        Quantity(
            m.start(), m.end(), 0.0, 0.0, literal=m.group().lower(), label=_label_before(text, m.start())
        )
        for m in named
    ]
    taken = [*dated, *(m.span() for m in named)]
    plain = [n for n in numbers(text) if not _within((n.start, n.end), taken) and not _joined(text, n)]
    found += _measured(text, plain)
    found += _times(text)
    found += [q for q in _durations(text, found) if not _within((q.start, q.end), taken)]
    return tuple(sorted(found, key=lambda q: q.start))


def _within(span: tuple[int, int], spans: list[tuple[int, int]]) -> bool:
    return any(span[0] < b and a < span[1] for a, b in spans)


def _joined(text: str, number: Number) -> bool:
    """Tell a number that is part of a word, as the 2 of "x2" or of "B2B"."""
    before = text[number.start - 1 : number.start]
    return before.isalpha() or before == "_"


def _is_identifier(token: str) -> bool:
    """Tell an identifier from a number with its unit: "REF-40913" and "22A" from "212ms"."""
    if re.fullmatch(r"[\d.,]+", token):
        return token.count(".") >= 2
    if re.match(r"\d+(?:st|nd|rd|th)\b|\d+s$", token, re.IGNORECASE):
        return False
    attached = re.fullmatch(r"\d[\d.,]*-?([A-Za-z%]+)(?:/[a-z]+)?", token)
    if attached and (units_named(attached[1]) or attached[1].lower() in {"k", "x", "bn", "yo", "am", "pm"}):
        return False
    if re.match(r"\d+-[a-z]{2,}", token) or re.fullmatch(r"[a-z]+(?:-[a-z]+)*-\d{1,2}", token):
        return False
    if re.fullmatch(r"\d{1,3}-\d{1,3}", token):
        a, b = (int(part) for part in token.split("-"))
        return max(a, b) > 20 and (a >= b or b > a * 3)
    return not re.fullmatch(r"\d+/\d+|\d{1,2}s|[\d.]+-[\d.]+[a-z%]*", token)


def _label_before(text: str, start: int) -> str:
    before = words(text[max(0, start - 30) : start])
    return before[-1].key if before and before[-1].lower in LABELS else ""


def _measured(text: str, plain: list[Number]) -> list[Quantity]:
    found: list[Quantity] = []
    i = 0
    while i < len(plain):
        number, low, high = plain[i], plain[i].value, plain[i].value
        end, used = number.end, 1
        if i + 1 < len(plain) and _is_range(text, number, plain[i + 1]):
            high, end, used = plain[i + 1].value, plain[i + 1].end, 2
            if low < 1e3 <= high and not plain[i + 1].text[-1].isdigit():  # "6 to 7 billion"
                low *= 10.0 ** (3 * int((len(f"{high:.0f}") - 1) / 3))
        quantity = _quantity(text, number, low, high, end)
        first = plain[i]
        if used == 2 and not (quantity.units or quantity.nouns):
            quantity, used = _quantity(text, first, low, low, first.end), 1
        i += used
        if found and (joined := _compound(text, found[-1], quantity)):
            found[-1] = joined
            continue
        found.append(quantity)
    return found


def _is_range(text: str, first: Number, second: Number) -> bool:
    between = text[first.end : second.start]
    if not RANGE.fullmatch(between) or second.value <= first.value:
        return False
    before = text[max(0, first.start - 12) : first.start].lower()
    word = between.strip(" €$£").lower()
    if word == "and":
        return "between" in before
    return not (
        word == "to"
        and re.search(r"\bfrom\s+$", before)
        and re.search(r"\b(?:rose|fell|went|changed|grew|raised|up|down)\b", text.lower())
    )


def _quantity(text: str, number: Number, low: float, high: float, end: int) -> Quantity:
    start = number.start
    money = MONEY_BEFORE.search(text, max(0, start - 4), start)
    units: tuple[Unit, ...] = ()
    days = counter = ""
    after = end
    of = re.match(r"\s+of\s+(?:the\s+)?(?=[a-z])", text[end:])
    if age := AGE.match(text, end):
        units, after = (_AGE_UNIT,), age.end()
    elif AGE_BEFORE.search(text, max(0, start - 10), start):
        units = (_AGE_UNIT,)
    elif not number.in_words and (
        counted := re.search(r"\b([Dd]ay|[Ww]eek)\s$", text[max(0, start - 6) : start])
    ):
        units, counter = units_named(counted[1].lower()), counted[1].lower()
    elif money:
        units, start = units_named(money["sign"] or money["iso"]), money.start()
        named = UNIT.match(text, end)
        if named and named["unit"] and [u for u in units_named(named["unit"]) if u.dimension == "money"]:
            after = named.end()
    else:
        at = end + of.end() - 1 if of else end
        if number.text.lower().endswith(("half", "of")) and (
            article := re.match(r"\s+an?(?=\s)", text[end:])
        ):
            at = end = end + article.end()
        named = UNIT.match(text, at) or UNIT.match(text, end)
        if named and not named["percentage"] and not units_named(named["unit"]):
            named = ADJECTIVE_UNIT.match(text, at) or named
        if named:
            surface = named["percentage"] or named["unit"]
            surface = (
                "percentage point"
                if named["percentage"] and "cent " not in surface.lower() and "point" in surface.lower()
                else surface
            )
            if surface.lower() in {"pp"}:
                surface = "percentage point"
            found = units_named(
                "percent"
                if named["percentage"] and "point" not in surface
                else surface.replace(" ", "")
                if "°" in surface
                else surface
            )
            if found and not (surface == "s" and text[end : end + 1] not in {"s", " "}):
                units, after = found, named.end()
                days = {"working": "working", "business": "working", "calendar": "calendar"}.get(
                    (named["kind"] or "").lower(), ""
                )
            elif re.match(r"[\s-](?:degrees?)?\s*(?:C|celsius)\b", text[end:]):
                units = units_named("°C")
    if (
        units
        and units[0].name == "degree"
        and (scale := re.match(r"\s*(celsius|fahrenheit|C\b|F\b)", text[after:], re.IGNORECASE))
    ):
        units, after = units_named("°C" if scale[1][0].lower() == "c" else "°F"), after + scale.end()
    label, literal, nouns, head = counter, "", frozenset[str](), ""
    if not units:
        label = _label(text, start)
        if code := re.search(r"\b([A-Z]{2,})\s$", text[max(0, start - 10) : start]):
            label = code[1].lower()
            literal = "" if number.in_words else text[number.start : number.end].lower()
        if STREET.match(text, end):
            label, literal = "address", text[number.start : number.end].lower()
        elif label and re.fullmatch(r"\d+(?:\.\d+)*", number.text) and label in _label_keys():
            literal = text[number.start : number.end].lower()
        if not literal:
            nouns, head = _counted(text, end + (of.end() - 1 if of else 0))
    field = KEY.search(text, max(0, start - 44), start)
    if field and not label:
        label = _last_key(field["key"])
    before = text[max(0, start - 24) : start]
    bound = (
        "<"
        if BELOW.search(before) or AT_MOST_AFTER.match(text, after)
        else ">"
        if ABOVE.search(before) or AT_LEAST_AFTER.match(text, after)
        else ""
    )
    approximate = bool(APPROX.search(before) or APPROX_AFTER.match(text, after))
    rate = PER.match(text, after)
    per = ""
    if rate:
        raw = (rate["per"] or rate["adverb"]).lower()
        per = ADVERBS.get(raw, raw)
    elif WHOLE.match(text, after):
        per = "total"
    return Quantity(
        start,
        after,
        low,
        high,
        units,
        nouns,
        head,
        label,
        literal,
        bound,
        approximate,
        per,
        days,
        number.decimals,
        number.in_words,
    )


@lru_cache(maxsize=1)
def _label_keys() -> frozenset[str]:
    return frozenset(key_of(label) for label in LABELS)


def _label(text: str, start: int) -> str:
    """Return the key of the label right before a number ("platform 7", "no. 12"), if it has one."""
    before = re.search(
        r"([A-Za-z]+)\.?\s+(?:number\s+|no\.?\s+)?#?$|([A-Za-z]+)\s*#$", text[max(0, start - 30) : start]
    )
    if not before:
        return ""
    word = (before[1] or before[2]).lower()
    if word in LABELS:
        return key_of(word)
    return ""


def _last_key(raw: str) -> str:
    parts = re.split(r"[\W_]+", raw.strip())
    return key_of(parts[-1]) if parts and parts[-1] else ""


def _counted(text: str, at: int) -> tuple[frozenset[str], str]:
    """Return the keys of the words right after a number, up to three, and the likeliest head."""
    run: list[Word] = []
    end = at
    for word in words(text):
        if word.start < at:
            continue
        gap = text[end : word.start]
        if (
            gap.strip(" -\u00a0")
            or word.is_stop
            or word.is_number
            or len(run) == 3
            or not word.text[0].isalpha()
        ):
            break
        run.append(word)
        end = word.end
    if not run:
        return frozenset(), ""
    heads = [w for w in run if (w.lower.endswith("s") and not w.lower.endswith("ss")) or w.lower in PLURALS]
    return frozenset(w.key for w in run), (heads[0] if heads else run[-1]).key


def _compound(text: str, first: Quantity, second: Quantity) -> Quantity | None:
    """Join "486 pounds and 45 pence", "1 hour 30 minutes", "5 ft 3 in" into one quantity."""
    if not first.units or not second.units or first.low != first.high or second.low != second.high:
        return None
    if not re.fullmatch(r",?\s+(?:and\s+)?", text[first.end : second.start]):
        return None
    a, b = first.units[-1], second.units[0]
    if b.dimension == "cent" and a.dimension == "money":
        value = first.low + second.low / 100.0
        return replace(first, end=second.end, low=value, high=value, units=(a,), decimals=2)
    ratio = _STEPS.get((first.units[0].name, b.name))
    if ratio is None or second.low >= ratio:
        return None
    value = first.low + second.low / ratio
    return replace(first, end=second.end, low=value, high=value, units=(first.units[0],))


def _times(text: str) -> list[Quantity]:
    found = []
    for match in TIMES.finditer(text):
        value = FREQUENCY[match["adverb"].lower()]
        rate = PER.match(text, match.end())
        raw = (rate["per"] or rate["adverb"]).lower() if rate else ""
        times = frozenset({key_of("times")})
        found.append(Quantity(match.start(), match.end(), value, value, nouns=times, head=key_of("times"),
                              per=ADVERBS.get(raw, raw), in_words=True))  # fmt: skip
    return found


def _durations(text: str, known: list[Quantity]) -> list[Quantity]:
    found = []
    for match in DURATION.finditer(text):
        group = "article" if match["article"] else "article2"
        start, end = match.start(group), match.end()
        if any(q.start < end and start < q.end for q in known):
            continue
        unit = match["unit"] or match["unit2"]
        value = 1.0
        if half := re.match(r"\s+and\s+a\s+half\b", text[end:]):
            value, end = 1.5, end + half.end()
        approximate = bool(APPROX.search(text[max(0, start - 24) : start]) or APPROX_AFTER.match(text, end))
        found.append(
            Quantity(start, end, value, value, units_named(unit), approximate=approximate, in_words=True)
        )
    return found
