"""What each step of maintenance would do, as HTML. Pure functions; all text goes through ``render``."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from memguard.charts import counted
from memguard.memory import noise
from memguard.memory.differences import Difference
from memguard.memory.maintenance import HeldApart, MaintenancePlan, Merge, Superseding
from memguard.memory.rows import StoredEntry
from memguard.memory.wording import entry_to_text, said_text
from pages._ui.memory.markup import STEP_NAMES, named
from pages._ui.render import Note, annotated, text

SHOWN = 40
"""Items of a step that are drawn; of more, their number is said."""
_WORD = re.compile(r"\w+(?:[.,:]\w+)*|[^\w\s]")
_WHAT: dict[str, str] = {
    "injected": "Text that MemGuard itself gave to a model and that came back. It is archived, so that "
    "memory does not grow on its own echo.",
    "expiry": "Entries with an end of their own that has passed. They are archived.",
    "contradictions": "Two entries give one attribute of one subject different values. The later one stays "
    "active; the earlier one is superseded and kept as history.",
    "noise": "Entries that say nothing to be remembered. They are archived.",
    "merge": "Entries whose vectors point the same way become one that holds all their words. Pairs that "
    "differ in a figure, a date, a name, a party or a denial are held apart, however near they are.",
    "summary": "Everything that is left, in one entry; the entries themselves are kept as history.",
    "staleness": "How likely an entry no longer holds, by its age and the kind of fact. Only the rating "
    "changes.",
}


def n_of(plan: MaintenancePlan, step: str) -> int:
    """Return how many entries (or merges, or contradictions) a step is about."""
    found: dict[str, int] = {
        "injected": len(plan.injected),
        "expiry": len(plan.expired),
        "contradictions": len(plan.contradictions),
        "noise": len(plan.noise),
        "merge": len(plan.merges),
        "summary": len(plan.summarised) + plan.summary_includes_merges * len(plan.merges),
        "staleness": len(plan.staleness),
    }
    return found[step]


def step_rows(plan: MaintenancePlan, steps: Sequence[str], *, has_summary: bool) -> str:
    """Return the steps with how much each would do, one option each."""

    def number(step: str) -> str:
        return "off" if step == "summary" and not has_summary else f"{n_of(plan, step):,}"

    return "".join(
        f'<li class="mg-drop mg-step-row" role="option" id="mg-step-{step}" data-claim="{step}" '
        f'aria-selected="false"><span>{STEP_NAMES[step]}</span>'
        f'<b class="mg-figure">{number(step)}</b></li>'
        for step in steps
    )


def step_head(step: str, plan: MaintenancePlan) -> str:
    """Return what a step is, and what it would do now."""
    return (
        f'<div class="mg-step-head"><h2>{STEP_NAMES[step]}</h2><p>{_WHAT[step]}</p>'
        f"<b>{_would(step, plan)}</b></div>"
    )


def preview(step: str, plan: MaintenancePlan, rule: str) -> str:
    """Return the items of a step, side by side where two texts are compared."""
    drawn: dict[str, Callable[[], str]] = {
        "injected": lambda: _plain(plan.injected, lambda _item: "given to a model before"),
        "expiry": lambda: _plain(plan.expired, _ended),
        "contradictions": lambda: _cards([_contradiction(item) for item in plan.contradictions]),
        "noise": lambda: _plain(plan.noise, lambda item: why_noise(item, rule)),
        "merge": lambda: _merges(plan),
        "summary": lambda: _plain(plan.summarised, lambda item: named(item.entry.memory_type.value)),
        "staleness": lambda: _stale(plan),
    }
    return drawn[step]()


def why_noise(item: StoredEntry, rule: str) -> str:
    """Return which part of a noise rule fires on an entry, in words."""
    content = item.entry.content
    return noise.why_noise(str(content) if rule == "documented" else said_text(content), rule)


def differing(a: str, b: str) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return the spans of words that two texts do not share, in the order of each (difflib)."""
    ours, theirs = ([(m.start(), m.end()) for m in _WORD.finditer(said)] for said in (a, b))
    matcher = difflib.SequenceMatcher(
        None, [a[s:e].casefold() for s, e in ours], [b[s:e].casefold() for s, e in theirs], autojunk=False
    )
    left: list[tuple[int, int]] = []
    right: list[tuple[int, int]] = []
    for kind, i, i_end, j, j_end in matcher.get_opcodes():
        if kind != "equal":
            left += ours[i:i_end]
            right += theirs[j:j_end]
    return left, right


def _would(step: str, plan: MaintenancePlan) -> str:
    n = n_of(plan, step)
    if step == "merge":
        gone = sum(len(merge.sources) for merge in plan.merges)
        apart = counted(len(plan.held_apart), "near pair")
        if not n:
            return f"Nothing would merge; {apart} held apart."
        return f"{counted(gone, 'entry', 'entries')} would become {n:,}; {apart} held apart."
    if not n:
        return "Nothing to do."
    entries = counted(n, "entry", "entries")
    return {
        "contradictions": f"{entries} would be superseded.",
        "summary": f"{entries} would become one.",
        "staleness": f"{entries} would be rated anew.",
    }.get(step, f"{entries} would be archived.")


def _merges(plan: MaintenancePlan) -> str:
    would = _cards([_merge(merge) for merge in plan.merges])
    apart = _cards([_apart(pair) for pair in plan.held_apart])
    return (f'<h3 class="mg-subhead">Would merge</h3>{would}' if would else "") + (
        f'<h3 class="mg-subhead">Held apart by the guard</h3>{apart}' if apart else ""
    ) or '<p class="mg-quiet">No two entries are this near. Lower the cosine to see more.</p>'


def _merge(merge: Merge) -> str:
    first, others = merge.sources[0], merge.sources[1:]
    said = entry_to_text(first.entry.content)
    pairs = [(other, *differing(said, entry_to_text(other.entry.content))) for other in others]
    ours = [span for _other, left, _right in pairs for span in left]
    sides = _side(first, ours, "mg-diff") + "".join(
        _side(other, right, "mg-diff") for other, _left, right in pairs
    )
    same = "" if any(left or right for _other, left, right in pairs) else " The same words."
    return _card(merge.similarity, sides, f"Least cosine of the group.{same}" if len(others) > 1 else same)


def _apart(pair: HeldApart) -> str:
    left, right = differing(*(entry_to_text(item.entry.content) for item in (pair.first, pair.second)))
    sides = _side(pair.first, left, "mg-diff mg-diff-apart") + _side(
        pair.second, right, "mg-diff mg-diff-apart"
    )
    why = "; ".join(
        f"{found.kind}: {_quoted(found.left, found, pair.first)} against "
        f"{_quoted(found.right, found, pair.second)}"
        for found in pair.differences
    )
    return _card(pair.similarity, sides, f"<b>Held apart.</b> {_capital(why)}.")


def _contradiction(item: Superseding) -> str:
    old, new = (entry_to_text(side.entry.content) for side in (item.old, item.new))
    left, right = differing(old, new)
    sides = _side(item.old, left, "mg-diff mg-diff-apart", "Becomes history") + _side(
        item.new, right, "mg-diff", "Stays active"
    )
    return _card(
        None,
        sides,
        f"{text(_capital(item.attribute))}: “{text(item.old_value)}”, later “{text(item.new_value)}”.",
    )


def _card(similarity: float | None, sides: str, why: str) -> str:
    cosine = (
        f'<span class="mg-figure" title="Cosine of the two vectors, from -1 to 1">'
        f"cosine {similarity:.3f}</span>"
        if similarity is not None
        else ""
    )
    foot = f"<p>{cosine} {why.strip()}</p>" if cosine or why.strip() else ""
    return f'<li class="mg-pair"><div class="mg-pair-sides">{sides}</div>{foot}</li>'


def _side(item: StoredEntry, spans: Sequence[tuple[int, int]], css: str, title: str = "") -> str:
    said = entry_to_text(item.entry.content)
    notes = [Note(start, end, css, "Only on this side") for start, end in spans]
    made = f"{datetime.fromtimestamp(item.entry.timestamp, UTC):%d %b %Y}"
    return (
        f'<div class="mg-side"><small>{f"<b>{title}</b> " if title else ""}<code>{text(item.id)}</code> '
        f"<time>{made}</time></small><p>{annotated(said, notes)}</p></div>"
    )


def _plain(items: Sequence[StoredEntry], why: Callable[[StoredEntry], str]) -> str:
    return _cards(
        [
            f'<li class="mg-single"><span>{text(entry_to_text(item.entry.content))}</span>'
            f"<small>{text(why(item))}</small></li>"
            for item in items
        ]
    )


def _stale(plan: MaintenancePlan) -> str:
    return _cards(
        [
            f'<li class="mg-single"><span>{text(entry_to_text(item.entry.content))}</span><small>'
            f"{text(item.details.staleness_risk or 'not rated')} → <b>{text(risk)}</b></small></li>"
            for item, risk in plan.staleness
        ]
    )


def _cards(items: Sequence[str]) -> str:
    if not items:
        return ""
    more = len(items) - SHOWN
    rest = f'<p class="mg-quiet">And {more:,} more.</p>' if more > 0 else ""
    return f'<ul class="mg-pairs">{"".join(items[:SHOWN])}</ul>{rest}'


def _ended(item: StoredEntry) -> str:
    limit = item.details.expires_at
    moment = limit.timestamp() if isinstance(limit, datetime) else float(limit or 0.0)
    return f"ended {datetime.fromtimestamp(moment, UTC):%d %b %Y}"


def _quoted(said: str, found: Difference, item: StoredEntry) -> str:
    """Return what one side says; of equal words, such as "tomorrow", the day they were said on as well."""
    day = ""
    if found.left == found.right:
        day = f", said on {datetime.fromtimestamp(item.entry.timestamp, UTC):%d %b}"
    return f"“{text(said)}”{day}" if said else "nothing"


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
