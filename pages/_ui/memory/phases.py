"""What a run of the lifecycle did, as HTML: four phases, entries, what was left out. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memguard.charts import counted
from memguard.memory.gates import PrivacyAction
from memguard.memory.lineage import Supersession, Why
from memguard.memory.outcome import PHASES, Left, LifecycleResult, PhaseRecord
from memguard.memory.yaml_form import CompressedEntry
from pages._ui.memory.markup import named
from pages._ui.render import attribute, icon, seconds, text

_NAMES: Mapping[str, str] = dict(zip(PHASES, ("Analyze", "Compress", "Score", "Output"), strict=True))
_UNITS: Mapping[str, tuple[str, str]] = {
    "analyze": ("given", "passed the gate"),
    "compress": ("passed", "facts"),
    "score": ("facts", "candidates"),
    "output": ("candidates", "entries"),
}
_WHY: Mapping[Why, str] = {
    Why.MERGED: "merged into",
    Why.REPLACED: "replaced by",
    Why.RESTATED: "restated by",
}
_SHOWN = 60


def cards(phases: Sequence[PhaseRecord]) -> str:
    """Return one card a phase: what went in, what came out, how long it took."""
    shown = "".join(
        f'<li class="mg-stage mg-stage-done"><div class="mg-stage-head"><span class="mg-number">{n}</span>'
        f"<b>{_NAMES[phase.phase]}</b>"
        f'<span class="mg-state">{seconds(phase.timing.duration_s)}</span></div>'
        f'<div class="mg-flow">{phase.n_in:,} {_UNITS[phase.phase][0]}{icon("arrow_forward", "to")}'
        f"{phase.n_out:,} {_UNITS[phase.phase][1]}</div></li>"
        for n, phase in enumerate(phases, 1)
    )
    return f'<ol class="mg-stages mg-phases">{shown}</ol>'


def analysis(result: LifecycleResult) -> str:
    """Return in one line what the observations are like."""
    found = result.analysis
    strategies = ", ".join(strategy.value for strategy in result.report.strategies) or "none"
    durability = ", ".join(f"{n:,} {kind.value}" for kind, n in found.durability.items() if n)
    parts = (
        f"{found.signal_density:.0%} say something new",
        f"{found.duplication:.0%} repeat another",
        durability,
        f"privacy risk: {found.privacy_risk}",
        f"strategies: {strategies}",
    )
    return f'<p class="mg-lead">{text("; ".join(part for part in parts if part))}.</p>'


def warnings(found: Sequence[str]) -> str:
    """Return what does not fit, as notes; empty for nothing."""
    items = "".join(f"<li>{text(warning)}</li>" for warning in found)
    return f'<ul class="mg-notes" aria-label="Notes">{items}</ul>' if items else ""


def entries(found: Sequence[CompressedEntry]) -> str:
    """Return the entries that may be stored, with their ratings and sources."""
    if not found:
        return '<p class="mg-quiet">No entry may be stored. What was left out, and why, is beside it.</p>'
    lines = "".join(
        f'<li class="mg-fact"><p>{text(entry.summary)}</p><small>'
        f"<span>{named(entry.confidence.value)} confidence</span>"
        f"<span>{named(entry.staleness_risk.value)}</span>"
        f"<span>{named(entry.privacy_status.value)}</span><span>{named(entry.compression.value)}</span>"
        f'<span title="{attribute(", ".join(entry.source_ids))}">'
        f"{counted(len(entry.source_ids), 'source')}: {text(_ids(entry.source_ids))}</span></small></li>"
        for entry in found[:_SHOWN]
    )
    return f'<ol class="mg-facts">{lines}</ol>{_more(len(found))}'


def left_out(found: Sequence[Left]) -> str:
    """Return what is not in the output, with the reason; empty for nothing."""
    lines = "".join(
        f"<li><code>{text(item.id)}</code><span>{text(item.reason)}</span></li>" for item in found[:_SHOWN]
    )
    return _section("Left out", len(found), lines)


def privacy(found: Sequence[PrivacyAction]) -> str:
    """Return what the privacy gates did; kinds, never values."""
    lines = "".join(
        f"<li><code>{text(item.subject)}</code><span>{item.action.value} {item.gate.value}"
        f" {'compression' if item.gate.value != 'output' else ''}: {text(item.reason)}</span></li>"
        for item in found[:_SHOWN]
    )
    return _section("Privacy gates", len(found), lines)


def supersession(found: Sequence[Supersession]) -> str:
    """Return which id stands for which now."""
    lines = "".join(
        f"<li><code>{text(link.old)}</code>"
        f"<span>{_WHY[link.reason]} <code>{text(link.new)}</code></span></li>"
        for link in found[:_SHOWN]
    )
    return _section("What stands for what", len(found), lines)


def _section(title: str, n: int, lines: str) -> str:
    if not n:
        return ""
    return f'<h3 class="mg-subhead">{title} ({n:,})</h3><ul class="mg-told-ids">{lines}</ul>{_more(n)}'


def _more(n: int) -> str:
    return f'<p class="mg-quiet">And {n - _SHOWN:,} more; the download holds all.</p>' if n > _SHOWN else ""


def _ids(ids: Sequence[str]) -> str:
    return ", ".join(ids[:3]) + ("…" if len(ids) > 3 else "")
