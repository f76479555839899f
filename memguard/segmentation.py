"""Sentences with exact offsets: ``text[start:end]`` is the sentence, and nothing visible is lost.

BlingFire finds the boundaries (docs/decisions.md says why this library) and a few rules correct the
kinds of boundary that it gets wrong. Both only place *cuts*; the text itself is never rewritten, so
offsets hold whatever the rules decide.

Line breaks. A blank line ends a sentence, and so does a line break before a list item, a heading, a
quotation, a table row or a ``Name:`` label, after a colon, and everywhere in a fenced code block,
where each line is a sentence of its own. Any other line break is white space where the text looks
hard-wrapped (the line is long and full, or stops at a comma or a word that cannot end a sentence,
or the next line goes on in lower case) and ends a sentence where it does not: people end a chat
line without a full stop.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import pairwise

from blingfire import text_to_sentences_and_offsets

from memguard.text import is_blank


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TITLES = _words("Mr Mrs Ms Mx Dr Prof Rev Hon Gen Sen Rep Gov Capt Lt Col Sgt Maj Cmdr Messrs Mme Hr Fr ")
"""A name follows: never an end."""
_NEVER_LAST = _words("e.g i.e eg ie vs cf viz ca approx incl excl esp resp z.B d.h bzw c.f aka a.k.a ")
_REFERS = _words(
    "no nos nr fig figs tab tabs eq eqs sec sect ch chap vol vols p pp par para ver rev ref refs art "
    "ext tel inv max min avg est op apt rm qty temp wt ht "
)
"""A number or an identifier follows."""
_AMBIGUOUS = _words("no art rev min max avg est op")
"""Also words or units of their own, so that a number may as well begin the next sentence."""
_CALENDAR = _words(
    "Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun "
)
_MAY_BE_LAST = _words(
    "al etc Inc Ltd Co Corp Bros Jr Sr Dept dept St Ave Blvd Rd Mt Ft Ph.D M.D B.A M.A M.Sc B.Sc a.m "
    "p.m A.M P.M "
)
_ABBREVIATIONS = frozenset(
    word.lower() for word in _TITLES | _NEVER_LAST | (_REFERS - _AMBIGUOUS) | _CALENDAR | _MAY_BE_LAST
)
_COUNTRIES = _words("U.S.A U.S.S.R U.A.E D.C ")
_AFTER_TIME = _words(
    "EST EDT CST CDT MST MDT PST PDT ET CT PT GMT UTC BST CET CEST EET IST JST SGT AEST AEDT Monday "
    "Tuesday Wednesday Thursday Friday Saturday Sunday "
)
_NO_PLACE = _words(
    "Next Last First Same Any Free Spare Play Bed Dinner Lunch Meal Tea Travel Driving Flight Arrival "
    "Departure Opening Closing Start Delivery Waiting Response Screen Prime Real Run "
)
"""Words that, before "time", name no place by whose clocks a time is told."""
_STARTERS = _words(
    "A All Also An And Any Are As Ask At Because Before But By Can Could Did Do Does Each Even Every "
    "Everyone For From He Her Here His How However I I'd I'll I'm I've If In Is It It's Its Just Let "
    "Let's Many May Maybe Most My No Nobody None Not Nothing Now Of On Once One Only Or Our Please She "
    "Should Since So Some Someone Thanks That That's The Their Then There There's These They They're "
    "This Those To Today Tomorrow Two Until Was We We'll We're Were What When Where Which While Who Why "
    "Will With Would Yes Yesterday Yet You You're Your After "
)
"""Words that begin sentences and no names: where one follows an abbreviation, that one ended a sentence."""
_CHAT_STARTERS = _words(
    "i i'm i'll it it's he she we they you that that's this so then but ok yes no thanks please what how"
)
"""The same where a writer does not bother with capitals."""
_NOT_LAST = _words(
    "a an the and or but nor of to in on at by for from with into onto over under about as than that "
    "which who whose is are was were be been has have had will would can could should may might must my "
    "our your his her their its if when while because so not no between per via "
)
"""A line that ends with one of these goes on in the next line."""

_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_EDGE = "\u200b\u2060\ufeff"
_EMOJI = "(?:[\u2190-\u2bff\ufe0f\u200d\U0001f000-\U0001faff]|[:;]-?[)(DP])"
_CLOSERS = "[\"'”’»)\\]}*_]*+"
_OPENERS = '([{"“‘«„'
_STOP = re.compile(rf"(?<![.!?…])([.!?…]++)({_CLOSERS})(\s++(?:{_EMOJI}++\s++)?)(?=\S)")
_FULL_STOP = re.compile("[。！？｡．।॥؟۔።]++(?=\\s*+[^\\s。！？｡．।॥؟۔።\"'”’»）」』)\\]])")
_PLACE_TIME = re.compile(r"(?:[^\W\d_a-z][\w.'’-]*\s+){1,3}[Tt]ime\b")
"""The clocks of a place: "New York time", "Eastern Standard Time"."""
_ZONE = re.compile(
    r"(?:Eastern|Central|Mountain|Pacific|Atlantic|Zulu)"
    r"(?=[^\w\s]|\s*\Z|\s+(?:on|and|or|to|until|for|today|tomorrow|if|so|but)\b)"
)
_ACRONYM = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]\Z")
_IDENTIFIER = re.compile(r"#?[A-Za-z]{0,6}[-/#]?\d")
_LINE_END = re.compile("\r\n?|[\n\x85\u2028\u2029]")
_FENCE = re.compile(r"\s*(?:`{3,}[^`]*|~{3,}.*)")
_BLOCK = re.compile(
    r"\s*(?:[-*+•·–—▪◦]\s|\d{1,3}[.)]\s|\(?[a-zA-Z]\)\s|#{1,6}\s|>|\|"
    r"|[^\W\d_][\w .'’-]{0,30}:\s|\w+\((?:[{\"'\[]|\)$)|\[\d{1,2}:\d\d)"
)
_MARKER = re.compile(r"(?:[-*+•·–—▪◦]|#{1,6})\Z")
_PLAIN_WORD = re.compile(r"(?!i\b)[^\W\d_A-Z][^\W\d_]*[-'’]?[^\W\d_]*[,;:.!?)]?")
_WRAP_FROM = 45
"""A shorter line that reads as complete was ended by its writer, not by a hard wrap."""


def sentence_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Find the sentences of ``text``.

    Args:
        text: Any string; lone surrogates and control characters included.

    Returns:
        Half-open code-point offsets in order: not empty, not overlapping, without white space at
        their edges, and together covering every visible character. A piece without a letter or
        digit (an emoji, a bracket, a rule) is joined to its neighbour, the sentence before it where
        there is one. Blank text gives ``()``.
    """
    if is_blank(text):
        return ()
    forced, code = _line_starts(text)
    starts = sorted(_starts(text, forced, code))
    spans: list[tuple[int, int]] = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        piece = text[start:end]
        left = len(piece) - len(_lstrip(piece))
        right = len(_rstrip(piece))
        if left < right and not is_blank(piece):
            spans.append((start + left, start + right))
    return tuple(_joined(text, spans, {first for first, _ in code}))


def sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of ``text``, each verbatim."""
    return tuple(text[start:end] for start, end in sentence_spans(text))


def _lstrip(piece: str) -> str:
    while (shorter := piece.lstrip().lstrip(_EDGE)) != piece:
        piece = shorter
    return piece


def _rstrip(piece: str) -> str:
    while (shorter := piece.rstrip().rstrip(_EDGE)) != piece:
        piece = shorter
    return piece


def _starts(text: str, forced: set[int], code: list[tuple[int, int]]) -> set[int]:
    """Return where sentences start: the library's places and the lines', corrected by the rules."""
    starts = {0} | forced | _library_starts(text)
    ordered = sorted(forced)
    latest, next_forced = 0, 0
    for match in _STOP.finditer(text):
        end = match.end()
        while next_forced < len(ordered) and ordered[next_forced] <= match.start():
            latest = max(latest, ordered[next_forced])
            next_forced += 1
        inside = range(match.end(2), end + 1)
        if next_forced < len(ordered) and ordered[next_forced] <= end:
            continue
        decided = _ends_sentence(text, match, latest)
        if decided is None:
            decided = not starts.isdisjoint(inside)
        starts.difference_update(inside)
        if decided:
            starts.add(end)
            latest = end
    starts.update(match.end() for match in _FULL_STOP.finditer(text))
    if code:
        firsts = [first for first, _ in code]
        lasts = [last for _, last in code]
        starts = {
            place
            for place in starts
            if place in forced or (at := bisect_left(firsts, place)) == 0 or place >= lasts[at - 1]
        }
    return starts


def _library_starts(text: str) -> set[int]:
    # One character for one, so that offsets hold; the library loses its way at control characters.
    safe = _SURROGATE.sub("\ufffd", _UNSAFE.sub(" ", text))
    if not safe.strip():
        return set()
    _, offsets = text_to_sentences_and_offsets(safe)
    return {start for start, _ in offsets}


def _ends_sentence(text: str, stop: re.Match[str], start: int) -> bool | None:
    """Decide whether a sentence ends at ``stop``; None leaves it to the library.

    Args:
        text: The whole text.
        stop: A match of ``_STOP``.
        start: Where the sentence began.
    """
    marks, closers, gap = stop.groups()
    head = text[max(start, stop.start() - 40) : stop.start()]
    word = head.split()[-1].lstrip(_OPENERS + "'*_") if head.strip() and not head[-1].isspace() else ""
    following = text[stop.end() : stop.end() + 40]
    first = following[0]
    if (
        marks == "."
        and closers in ("", ")")
        and word.isdecimal()
        and _counts(text, word, start, stop.start())
    ):
        return False
    if marks == "." and not closers:
        known, decision = _after_abbreviation(head, word, following)
        if known:
            return decision
        if word.isalnum() and len(word) > 1 and _first_word(following) in _STARTERS:
            return True
        if word.isalpha() and word.islower() and len(word) > 1 and first.isupper():
            return True
        if word.isupper() and len(word) > 1 and first.isupper() and not _first_word(following).isupper():
            return True
        if word.isalpha() and len(word) > 1 and (first.isdecimal() or first in "$€£"):
            return True
    if first in _OPENERS or (gap.strip() and not first.islower()):
        return True
    if first.islower():
        return _before_lower_case(text, word, _first_word(following), marks + closers, start)
    if marks[-1] not in "!?" or not (first.isupper() or first.isdecimal()):
        return None
    # A capitalised word before a lone "!" may be a name (Yahoo! Mail).
    return True if marks != "!" or word.islower() or _first_word(following) in _STARTERS else None


def _counts(text: str, number: str, start: int, end: int) -> bool:
    """Return whether ``number`` alone is the sentence so far and counts an item of a list.

    It does at the start of a line, and after the item before it.
    """
    if end - start > 12 or text[start:end].strip() != number:
        return False
    line = re.split(r"[\r\n]", text[max(0, start - 240) : start])[-1]
    if not line.strip():
        return len(number) <= 3
    return re.search(rf"(?:^|\s){int(number) - 1}\.\)?\s", line) is not None


def _before_lower_case(text: str, word: str, token: str, stop: str, start: int) -> bool | None:
    if stop[-1] not in ".!?" or "…" in stop or ".." in stop:  # a quotation or a pause goes on
        return False
    if "?" in stop:
        return True
    if "!" in stop:
        return True if word.islower() else None
    if len(word) < 2 or not word.replace(".", "").isalnum():
        return None
    # Who began this message or sentence in lower case begins the next sentence so too.
    in_lower_case = any(_lstrip(text[place : place + 40])[:1].islower() for place in (0, start))
    return True if in_lower_case or token in _CHAT_STARTERS else None


def _after_abbreviation(head: str, word: str, following: str) -> tuple[bool, bool | None]:
    """Return whether ``word.`` is an abbreviation or an initial and, if so, whether a sentence ends."""
    first, token = following[0], _first_word(following)
    if word in _TITLES or ((first.islower() or word.isupper()) and word.capitalize() in _TITLES):
        return True, False
    if word in _NEVER_LAST or word.lower() in _NEVER_LAST:
        return True, False
    if word.lower() in _REFERS:
        if token in _STARTERS:
            return True, True
        if _IDENTIFIER.match(following):
            return True, None if word in _AMBIGUOUS else False
        return word.lower() not in _AMBIGUOUS, None
    if word in _CALENDAR and first.isdecimal():
        day = re.match(r"\d+", following)
        return True, False if day and (int(day[0]) <= 31 or len(day[0]) == 4) else None
    if word in _MAY_BE_LAST or word.capitalize() in _MAY_BE_LAST or _ACRONYM.match(word):
        return True, _after_possible_end(word, first, token, following)
    if len(word) == 1 and word.isalpha():
        before = head.split()[-2:-1]
        numbered = bool(before) and before[0][-1].isdecimal() and first.isupper()
        return True, True if token in _STARTERS or numbered else None
    return False, None


def _after_possible_end(word: str, first: str, token: str, following: str) -> bool | None:
    if token in _STARTERS:
        return True
    if first.islower():
        return False
    if word.lower() in {"a.m", "p.m"} and first.isupper():
        return not (
            token in _AFTER_TIME
            or _ZONE.match(following)
            or (token not in _NO_PLACE and _PLACE_TIME.match(following))
        )
    if word == "al" and first in _OPENERS:
        return False
    if word in _COUNTRIES and first.isupper():
        return bool(re.match(r"\S+ [^\W\d_A-Z]", following))
    return None


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _LINE_END.finditer(text):
        yield start, match.start()
        start = match.end()
    yield start, len(text)


def _line_starts(text: str) -> tuple[set[int], list[tuple[int, int]]]:
    """Return the line starts that start a sentence, and the ranges of fenced code."""
    forced: set[int] = set()
    code: list[tuple[int, int]] = []
    if not _LINE_END.search(text):
        return forced, code
    paragraph: list[tuple[int, int]] = []
    fence: int | None = None
    for start, end in _lines(text):
        line = text[start:end]
        fences = _FENCE.fullmatch(line) is not None
        if fence is None and not fences and line and not line.isspace():
            paragraph.append((start, end))
            continue
        _break_paragraph(text, paragraph, forced)
        paragraph = []
        forced.add(start)
        if fences and fence is None:
            fence = start + len(line) - len(_lstrip(line))
        elif fences and fence is not None:
            code.append((fence, end))
            fence = None
    if fence is not None:
        code.append((fence, len(text)))
    _break_paragraph(text, paragraph, forced)
    return forced, code


def _break_paragraph(text: str, lines: list[tuple[int, int]], forced: set[int]) -> None:
    if not lines:
        return
    forced.add(lines[0][0])
    width = max(end - start for start, end in lines)
    for (start, end), (next_start, next_end) in pairwise(lines):
        if not _wraps(text[start:end].strip(), text[next_start:next_end], end - start, width):
            forced.add(next_start)


def _wraps(line: str, following: str, length: int, width: int) -> bool:
    """Return whether ``following`` continues the sentence or the paragraph of ``line``."""
    if _BLOCK.match(following) or line.endswith((":", "：", "|")) or line.startswith(("#", "|")):
        return False
    following = following.strip()
    last = line.rsplit(None, 1)[-1]
    if last.endswith((",", "，")) or last.lower() in _NOT_LAST:
        return True
    if last[-1] in ".!?…":  # white space after an abbreviation or a pause, about which _STOP decides
        return last[:-1].lower() in _ABBREVIATIONS or last.endswith(("...", "…"))
    word = following.split(None, 1)[0]
    if last[-1].isalpha() and _PLAIN_WORD.fullmatch(word):
        return True
    return length >= _WRAP_FROM and length + 1 + len(word) > width


def _joined(text: str, spans: list[tuple[int, int]], fences: set[int]) -> list[tuple[int, int]]:
    """Join each span without a letter or digit, and the line that opens a fence, to its neighbour."""
    done: list[tuple[int, int]] = []
    waiting: int | None = None
    for span_start, end in spans:
        piece = text[span_start:end]
        start = span_start if waiting is None else waiting
        waiting = None
        wordless = not _has_word(piece)
        if span_start in fences or (wordless and (_MARKER.match(piece) or not done)):
            waiting = start
        elif wordless:
            done[-1] = (done[-1][0], end)
        else:
            done.append((start, end))
    if waiting is not None:
        first = done.pop()[0] if done else waiting
        done.append((first, spans[-1][1]))
    return done


def _has_word(piece: str) -> bool:
    return any(map(str.isalnum, piece))


def _first_word(following: str) -> str:
    return re.split(r"[\s,;:.!?)\]]", following, maxsplit=1)[0]
