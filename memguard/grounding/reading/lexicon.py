"""Opposites and near words of everyday English, by dictionary form.

The bulk comes from WordNet 3.0 (Princeton University; see NOTICE), boiled down by
``scripts/build_lexicon.py`` to common words in their first senses; it is read on first use. WordNet
knows "arrive/leave" but not "go through/fail", so the opposites of daily life follow by hand. Phrasal
verbs are written with an underscore: ``go_through``.

Precise rather than broad: a false opposite drops a true claim.
"""

from __future__ import annotations

import lzma
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources

_OPPOSITES = """
enabled enable on switch_on turn_on activate active activated | disabled disable off switch_off
enabled enable on switch_on turn_on activate active activated | turn_off deactivate
enabled enable on switch_on turn_on activate active activated | inactive deactivated shut_off
in_stock available | out_of_stock unavailable sell_out sold
accept approve agree say_yes green-light welcome | decline reject refuse turn_down dismiss veto say_no
approve grant authorise authorize confirm | deny reject withhold
succeed pass work go_through get_through come_through | fail fall_through bounce break crash
success | failure
pass | fail flunk
keep retain stay remain leave_in | drop remove delete scrap abandon discard get_rid throw_away
keep maintain continue carry_on | stop quit end cease cancel discontinue give_up drop
start begin commence launch resume | stop end finish halt quit pause
confirm uphold book | cancel call_off revoke withdraw
open reopen | close closed shut
opened | unopened sealed closed
allow permit let allowed permitted welcome | forbid prohibit ban disallow
allow permit let allowed permitted welcome | block bar forbidden banned prohibited
include add included contain | exclude omit leave_out excluded remove
increase rise grow raise go_up climb gain | decrease fall drop shrink lower reduce decline go_down
improve improved recover improvement | worsen deteriorate decline worsening
better | worse
before earlier | after later
above over | below under
early | late
arrive come | depart leave
enter | exit
reversible undo undoable reversed reverse | irreversible
complete exhaustive full finished done | incomplete partial unfinished
safe harmless | unsafe dangerous harmful hazardous risky
available | unavailable
present | absent
valid good current | invalid expired expire void
known | unknown
paid pay settle settled | unpaid owe outstanding overdue
encrypted | unencrypted plaintext
public | private
manual manually | automatic automatically
optional voluntary | mandatory compulsory required obligatory
free | paid chargeable
temporary temporarily | permanent permanently
stable | unstable flaky
healthy well | ill sick unwell
alive survive survived get_over pull_through | dead die kill killed perish
tolerate | allergic allergy intolerant
normal normally | abnormal abnormally
stay remain linger persist | go_away disappear vanish fade clear_up
find found discover | lose lost
remember | forget
win | lose
love like enjoy prefer pleased happy glad | hate dislike loathe displeased unhappy annoyed angry upset
pleased happy glad delighted satisfied | complain complaint annoyed angry
pleased happy glad delighted satisfied | displeased unhappy upset disappointed frustrated
full-time | part-time
full | empty
single unmarried divorced | married
married | divorced
vegetarian vegan | carnivore
clear | unclear ambiguous
possible | impossible
able | unable
easy easily | hard difficult
fast quick quickly faster | slow slowly slower
cheap cheaper | expensive dearer pricey
hot warm | cold cool
wet damp | dry
wide | narrow
heavy | light
more | less fewer
most | least
maximum max | minimum min
ahead | behind
merge merged | unmerged
push pushed | unpushed
install installed | uninstall uninstalled
lock locked | unlock unlocked
connect connected online | disconnect disconnected offline
attach attached | detach detached
subscribe | unsubscribe
mute | unmute
deploy ship release launch | revert undo rollback roll_back
appear | disappear
agree | disagree object
trust | distrust
benign | malignant cancerous
acute | chronic
positive | negative
chilled refrigerated | frozen
raw | cooked
employed working | unemployed jobless
employed hire | fire lay_off
solved fixed fix solve resolve resolved | unsolved unresolved unfixed
correct true accurate | wrong incorrect false inaccurate
sober | drunk
visible | invisible hidden
guilty | innocent
"""

_CONVERSES = """
buy purchase | sell
lend loan | borrow
give | receive get take
send | receive get
come arrive | go leave depart
teach | learn
ask | answer
"""
"""Two sides of one event: opposite for one person, the same between two."""

_NEAR = """
fail break bounce miscarry fall_through crash
go_through succeed work pass get_through
enabled on switch_on turn_on activate active enable
disabled off switch_off turn_off deactivate inactive disable shut_off shut_down
decline refuse reject turn_down say_no dismiss
accept approve agree say_yes take_up go_with
allergic allergy
valid good
permit allow let
assure promise guarantee
complete exhaustive full
quit stop give_up former
waive drop remove take_off scrap
sick ill unwell
die pass_away
pay settle paid
deploy ship release
upload uploaded
cancel call_off cancelled
cancel drop scrap
postpone delay put_off push_back
finish complete done
begin start commence kick_off
buy purchase get
choose pick select opt go_with
mend fix repair
doctor physician
arrive come
contact reach
happy pleased glad delighted
angry annoyed upset
annoyed frustrated displeased unhappy upset
seat sit seated sitting
cigarette smoke smoker smoking
drink drinker alcohol
hand_over handover
test tested
"""

NEGATIVE_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non")


@dataclass(frozen=True, slots=True)
class Relations:
    """What the lexicon says of one lemma.

    Attributes:
        parts: How often it was seen as noun (n), verb (v), adjective (a) and adverb (r).
        antonyms: Its opposites.
        near: Synonyms and derived forms.
        broader: Verbs that say it more generally ("refund" → "pay").
    """

    parts: tuple[tuple[str, int], ...] = ()
    antonyms: frozenset[str] = frozenset()
    near: frozenset[str] = frozenset()
    broader: frozenset[str] = frozenset()


_NOTHING = Relations()


def antonyms(lemma: str) -> frozenset[str]:
    """Return the opposites of a word; none for an unknown one."""
    return relations(lemma).antonyms


def related(lemma: str) -> frozenset[str]:
    """Return synonyms, derived forms and, for verbs, the next broader words."""
    found = relations(lemma)
    return found.near | found.broader


def near(lemma: str) -> frozenset[str]:
    """Return synonyms and derived forms."""
    return relations(lemma).near


def is_same_by_hand(first: str, second: str) -> bool:
    """Tell whether our own list names two words as one, across parts of speech ("allergic", "allergy")."""
    return second in _by_hand()[1].get(first, frozenset())


def is_converse(first: str, second: str) -> bool:
    """Tell whether two opposites are two sides of one event, as "buy" and "sell" are."""
    return second in _converses().get(first, frozenset())


def is_known(lemma: str) -> bool:
    """Tell whether the lexicon has the word or the phrasal verb."""
    return lemma in _raw() or lemma in _by_hand()[0] or lemma in _by_hand()[1]


@lru_cache(maxsize=32_768)
def part_of(lemma: str) -> str:
    """Return the part of speech in which a word is mostly seen: n, v, a, r; "" if unknown."""
    parts = relations(lemma).parts
    return max(parts, key=lambda part: part[1])[0] if parts else ""


@lru_cache(maxsize=32_768)
def can_be(lemma: str, part: str) -> bool:
    """Tell whether a word is seen as this part of speech in at least a tenth of its uses."""
    parts = dict(relations(lemma).parts)
    return part in parts and parts[part] * 10 >= sum(parts.values())


@lru_cache(maxsize=32_768)
def without_prefix(lower: str) -> str | None:
    """Return the word that a negative prefix turns round, if it is one ("unopened" → "opened").

    Args:
        lower: The word as written, case-folded.
    """
    if relations(lower).antonyms:
        return next((rest for rest in _rests(lower) if rest in relations(lower).antonyms), None)
    if lower.startswith("non-"):
        return lower[4:] or None
    if lower.startswith("un") and lower.endswith("ed") and not is_known(lower) and len(lower) > 5:
        return lower[2:]
    return None


@lru_cache(maxsize=32_768)
def relations(lemma: str) -> Relations:
    """Return all that is known of a word."""
    opposites, alike = _by_hand()
    raw = _raw().get(lemma)
    own = _parse(raw) if raw is not None else _NOTHING
    by_hand = opposites.get(lemma, frozenset())
    nearby = (own.near | alike.get(lemma, frozenset())) - by_hand
    return Relations(own.parts, (own.antonyms | by_hand) - alike.get(lemma, frozenset()), nearby, own.broader)


def _rests(lower: str) -> list[str]:
    return [lower[len(prefix) :].lstrip("-") for prefix in NEGATIVE_PREFIXES if lower.startswith(prefix)]


def _parse(raw: str) -> Relations:
    parts, opposites, alike, broader = raw.split("\t")
    counts = tuple((part[0], int(part[1:])) for part in parts.split(",") if part)
    return Relations(counts, _set(opposites), _set(alike), _set(broader))


def _set(field: str) -> frozenset[str]:
    return frozenset(field.split(",")) if field else frozenset()


@cache
def _raw() -> dict[str, str]:
    """Read the data file once: each lemma with the rest of its line, parsed when asked for."""
    packed = resources.files("memguard.grounding").joinpath("data", "lexicon.tsv.xz").read_bytes()
    lines = lzma.decompress(packed).decode("ascii").split("\n")
    return {lemma: rest for lemma, _, rest in (line.partition("\t") for line in lines)}


@cache
def _by_hand() -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    opposites: dict[str, set[str]] = {}
    for table in (_OPPOSITES, _CONVERSES):
        for left, right in _sides(table):
            for word in left:
                opposites.setdefault(word, set()).update(right)
            for word in right:
                opposites.setdefault(word, set()).update(left)
    alike: dict[str, set[str]] = {}
    for line in _NEAR.strip().splitlines():
        group = line.split()
        for word in group:
            alike.setdefault(word, set()).update(set(group) - {word})
    return ({w: frozenset(s) for w, s in opposites.items()}, {w: frozenset(s) for w, s in alike.items()})


@cache
def _converses() -> dict[str, frozenset[str]]:
    pairs: dict[str, set[str]] = {}
    for left, right in _sides(_CONVERSES):
        for first in left:
            for second in right:
                pairs.setdefault(first, set()).add(second)
                pairs.setdefault(second, set()).add(first)
    return {word: frozenset(others) for word, others in pairs.items()}


def _sides(table: str) -> list[tuple[list[str], list[str]]]:
    lines = [line.partition("|") for line in table.strip().splitlines()]
    return [(left.split(), right.split()) for left, _, right in lines]
