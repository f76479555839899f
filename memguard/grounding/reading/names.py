"""Names in a text: people, companies, products, places, and technical names (ids, paths, URLs, variables).

A name is found by its shape: capitals where no sentence starts, capitals or digits inside, or a form
that only technical names have. Everything here concerns one text and is cached by it.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from memguard.grounding.reading.words import STOP_WORDS, Word, key_of, words

_TECHNICAL = re.compile(
    r"""
    (?:https?://|www\.)[^\s<>()"'`]+[^\s<>()"'`.,;:!?]       # URL
    | [\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+                       # e-mail address
    | (?:~|\.{1,2})?/?[\w.-]{1,128}(?:/[\w.-]+)+/?            # path
    | --[a-z][\w-]+                                           # option of a command
    | [A-Za-z]\w{0,128}(?:\.[A-Za-z_]\w*)+(?:\(\))?           # file name, attribute, domain
    | [A-Za-z]\w{0,128}_\w+ | _\w+                            # snake case, environment variable
    | [A-Z]{1,5}-?\d[\w-]*\b                                  # BA117, INV-20871
    | \b(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{7,40}\b              # commit
    | [A-Z]{2,32}\d{0,32}(?:-[A-Z\d]+)+                       # ABC-DEF
    """,  # repeats are bounded: a run of 20,000 hexadecimal digits is no name, and must not take seconds
    re.VERBOSE,
)
_LEADING_VERBS = frozenset({"and", "or", "he", "she", "it", "his", "her"})
_JOINERS = frozenset({"of", "de", "da", "do", "del", "della", "van", "von", "der", "den", "la", "le", "di"})
_NOT_NAMES = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun
    january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec
    user users assistant agent doctor patient customer client nurse clinician physician speaker caller bot
    tool system support mr mrs ms miss mx dr prof professor sir madam ma'am
    i ok okay am pm tv id pdf usb gb mb kb tb usd eur gbp chf url faq ceo cto asap fyi btw dj gp er a.m p.m
    mom mum dad mama papa mommy daddy grandma grandpa granny sis bro god
    yes no hi hello hey thanks sorry please well really so then but and or if when what why how who where
    english french german spanish italian dutch polish portuguese russian chinese japanese korean turkish
    arabic swedish norwegian danish finnish greek latin hebrew hindi american british european african asian
    christian christmas easter internet wifi wi-fi web
    am/pm and/or he/she his/her him/her s/he yes/no w/o n/a e.g i.e etc
    """.split()
)
_UNITLESS_BEFORE = frozenset(
    """seat room gate flat apartment unit platform bed ward desk row house block building locker route bus
    terminal suite lot case number""".split()
)
_SHORT_ID = re.compile(r"\b\d{1,4}[A-Z]\b")
_TITLES = frozenset({"mr", "mrs", "ms", "miss", "mx", "dr", "doctor", "prof", "professor", "sir", "st"})
_ABBREVIATIONS = {
    "doctor": "dr", "professor": "prof", "saint": "st", "street": "st", "road": "rd", "avenue": "ave",
    "limited": "ltd", "incorporated": "inc", "corporation": "corp", "company": "co", "mister": "mr",
    "mount": "mt", "fort": "ft", "junior": "jr", "senior": "sr", "und": "and", "et": "and",
}  # fmt: skip
_PIECE = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Name:
    """A name as it stands in a text.

    Attributes:
        start: Offset of its first character.
        end: Offset after its last, a possessive ending left out.
        text: As written.
        pieces: Its folded words, without titles and joining words; a technical name is one piece.
        is_technical: Whether it must be met letter by letter (path, id, variable, URL).
        is_titled: Whether a title (Mr, Dr) stands before it.
    """

    start: int
    end: int
    text: str
    pieces: tuple[str, ...]
    is_technical: bool
    is_titled: bool = False

    @property
    def span(self) -> tuple[int, int]:
        """Half-open offsets."""
        return self.start, self.end

    @property
    def is_acronym(self) -> bool:
        """Whether it is one word of two to six capitals."""
        bare = self.text.removesuffix("s")
        return bare.isalpha() and bare.isupper() and 2 <= len(bare) <= 6

    @property
    def acronym(self) -> str:
        """The folded letters of an acronym, its plural ending left out."""
        return self.text.removesuffix("s").casefold()

    @property
    def shape(self) -> str:
        """What kind of name it looks like: only names of one shape stand for one another."""
        if not self.is_technical:
            return "name"
        if "@" in self.text or "://" in self.text or self.text.startswith("www."):
            return "address"
        if "/" in self.text or re.search(r"\.[a-z]{1,4}$", self.text):
            return "path"
        return re.sub(r"[a-z]+", "a", re.sub(r"[A-Z]+", "A", re.sub(r"\d+", "0", self.text)))


@lru_cache(maxsize=65_536)
def fold(text: str) -> str:
    """Return a text without case, accents and the two spellings of umlauts: "Söhne" = "Soehne"."""
    bare = unicodedata.normalize("NFKD", text.casefold().replace("ø", "o").replace("ł", "l"))
    bare = "".join(c for c in bare if not unicodedata.combining(c)).replace("&", " and ")
    for pair, letter in (("oe", "o"), ("ae", "a"), ("ue", "u")):
        bare = bare.replace(pair, letter)
    return _ABBREVIATIONS.get(bare, bare)


@lru_cache(maxsize=16_384)
def names(text: str) -> tuple[Name, ...]:
    """Return the names of a text in order, technical ones first where both would match."""
    technical = [
        _technical(m.start(), m.group().rstrip("."))
        for m in _TECHNICAL.finditer(text)
        if _is_technical(m.group().rstrip("."))
    ]
    technical += [
        _technical(m.start(), m.group())
        for m in _SHORT_ID.finditer(text)
        if set(text[: m.start()].casefold().split()[-1:]) & _UNITLESS_BEFORE or is_bare_id(m.group(), text)
    ]
    taken = [name.span for name in technical]
    plain = [
        name for name in _capitalised(text) if not any(s < name.end and name.start < e for s, e in taken)
    ]
    return tuple(sorted(technical + plain, key=lambda name: name.start))


@lru_cache(maxsize=16_384)
def vocabulary(text: str) -> frozenset[str]:
    """Return every folded word of a text, technical names whole and in pieces."""
    found = {fold(piece) for piece in _PIECE.findall(text)}
    found |= {name.text.casefold() for name in names(text)}
    found |= {fold(part) for part in text.casefold().split()}
    return frozenset(found | {word.lemma for word in words(text)})


@lru_cache(maxsize=16_384)
def initials(text: str) -> frozenset[str]:
    """Return the initials of every run of two to six words of a text ("blood pressure" → "bp")."""
    letters = [
        (word.lower[0], word.lower in {"of", "and", "the", "for", "in"}) for word in words(text) if word.lower
    ]
    runs: set[str] = set()
    for skip in (False, True):
        kept = [letter for letter, small in letters if not (skip and small)]
        runs |= {"".join(kept[i : i + n]) for n in range(2, 7) for i in range(len(kept) - n + 1)}
    return frozenset(runs)


def initials_of(name: Name) -> str:
    """Return the initials of a name's words; empty for a name of one word."""
    return "".join(piece[0] for piece in name.pieces if piece != "and") if len(name.pieces) > 1 else ""


def is_bare_id(written: str, text: str) -> bool:
    """Tell whether "31C" is an id where no word says so: beside another id ("22A on BA117")."""
    return written[-1] in "ABDEHJN" or bool(re.search(r"\b[A-Z]{2,3}\d{2,}\b", text))


def _technical(start: int, text: str) -> Name:
    return Name(start, start + len(text), text, (text.casefold(),), True)


def _is_technical(text: str) -> bool:
    low = text.casefold()
    if low in _NOT_NAMES or low.rstrip(".") in _NOT_NAMES:
        return False
    if re.fullmatch(r"[\d./-]+", text) or re.fullmatch(r"[A-Z]\.?(?:[A-Z]\.?)*", text):
        return False
    if "/" in text and not re.search(r"[._~]|^/|/$", text):
        return False  # "red/green" is a choice, not a path
    if not any(c.isalnum() for c in text) or re.fullmatch(r"[A-Za-z](?:\.[A-Za-z])+", text):
        return False
    return not (re.fullmatch(r"[a-z]+\.[A-Z][a-z]+", text))  # a full stop without a space after it


def _capitalised(text: str) -> list[Name]:
    runs: list[list[Word]] = []
    for word in words(text):
        if not _is_capital(word):
            continue
        if runs and _joins(runs[-1][-1], text[runs[-1][-1].end : word.start]):
            runs[-1].append(word)
        else:
            runs.append([word])
    found = []
    for run in runs:
        name = _name_of(text, run)
        if name is not None:
            found.append(name)
    return found


def _is_capital(word: Word) -> bool:
    return word.text[0].isupper() and word.text[0].isalpha() and word.lower not in {"i", "i'm"}


def _joins(before: Word, between: str) -> bool:
    bare = between.strip()
    if before.text != _bare(before.text) or "\n" in between:
        return False
    if bare == ".":
        return len(before.text) == 1 or before.lower in _TITLES
    return not bare or bare in {"&", "-"} or bare in _JOINERS


def _name_of(text: str, run: list[Word]) -> Name | None:
    titled = False
    while run and (run[0].lower in _NOT_NAMES or run[0].lower in STOP_WORDS or _starts_plainly(text, run)):
        titled = run[0].lower in _TITLES
        run = run[1:]
    while run and (run[-1].lower in _NOT_NAMES or len(run[-1].text) == 1):
        run = run[:-1]
    if not run:
        return None
    if len(run[0].text) > 3 and all(word.text.isupper() and _is_known(word.lower) for word in run):
        return None  # a heading or shouting
    start, end = run[0].start, run[-1].start + len(_bare(run[-1].text))
    pieces = tuple(
        fold(piece)
        for word in run
        for piece in _PIECE.findall(_bare(word.text))
        if word.lower not in _JOINERS
    )
    return (
        Name(start, end, text[start:end], pieces, False, titled) if any(len(p) > 1 for p in pieces) else None
    )


def _bare(text: str) -> str:
    return re.sub(r"['’]s?$", "", text)


def _starts_plainly(text: str, run: list[Word]) -> bool:
    """Tell whether the first word opens a sentence and is an ordinary word ("Outbound is BA117")."""
    first = run[0]
    if first.is_name or any(c.isupper() for c in first.text[1:]):
        return False
    if len(run) > 1 and "&" in text[first.end : run[1].start]:
        return False
    return _is_known(first.lower) and not first.text.endswith(("'s", "’s"))


@lru_cache(maxsize=16_384)
def _is_known(lower: str) -> bool:
    import simplemma

    if lower in STOP_WORDS or lower in _LEADING_VERBS:
        return True
    # The dictionary gives back a name with its capital, also when asked in small letters.
    return bool(simplemma.is_known(lower, lang="en")) and simplemma.lemmatize(lower, lang="en").islower()


def is_ordinary(lower: str) -> bool:
    """Tell whether a word, written small, is in the English dictionary."""
    return _is_known(lower)


def content_key(word: str) -> str:
    """Return the key of a word as ``words`` gives it."""
    return key_of(word)
