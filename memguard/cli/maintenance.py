"""``memguard memory maintain``: the preview, the run, and taking it back."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from memguard.cli.codes import BAD_INPUT, DONE
from memguard.cli.memory_inputs import store_of
from memguard.cli.memory_output import counted, plain, shortened
from memguard.cli.output import print_json
from memguard.errors import InvalidParameterError

if TYPE_CHECKING:
    from memguard.memory.maintenance import MaintenancePlan
    from memguard.memory.manager import MaintenanceReport
    from memguard.memory.rows import StoredEntry
    from memguard.memory.store import MemoryStore

STEPS = ("injected", "expiry", "contradictions", "noise", "merge", "summary", "staleness")
"""Those of ``memguard.memory.maintenance``, whose import takes too long for a help text."""
_LAST = "last"
_SHOWN = 70


def maintain(arguments: argparse.Namespace) -> int:
    """Put noise and expired entries away, merge, summarise, mark what is stale; nothing is erased."""
    if arguments.undo is not None:
        if arguments.dry_run:
            arguments.parser.error("--undo cannot be tried with --dry-run; --undo itself can be undone")
        return _undo(arguments)
    from memguard.memory import views
    from memguard.memory.compressor import MemoryCompressor
    from memguard.memory.maintenance import MaintenanceOptions
    from memguard.memory.manager import AIMemoryManager

    options = MaintenanceOptions(
        above=arguments.above,
        summarise_above=arguments.summarise_above,
        steps=tuple(arguments.step) if arguments.step else STEPS,
    )
    with store_of(arguments) as store:
        compressor = MemoryCompressor(
            merge_similarity_threshold=arguments.merge_similarity,
            tenant_id=store.tenant_id,
            merge_guard=True,
            merge_strategy=arguments.merge_strategy,
            text_mode=arguments.text_mode,
            noise_rule=arguments.noise_rule,
        )
        report = AIMemoryManager(store, compressor, options=options).run_maintenance(
            dry_run=arguments.dry_run
        )
    if arguments.json:
        print_json({**views.maintain_result(report), "preview": _preview(report.plan)}, indent=2)
    else:
        _print(report)
    return BAD_INPUT if any(step.problem for step in report.steps) else DONE


def add_maintain(parser: argparse.ArgumentParser, count: Callable[[str], int]) -> None:
    """Add the flags of ``maintain``; ``count`` reads a number of 0 or more."""
    parser.add_argument("--dry-run", action="store_true", help="write nothing; print what would be done")
    parser.add_argument(
        "--undo",
        nargs="?",
        const=_LAST,
        type=_undoable,
        metavar="RECORD",
        help="take back the last run that was not, or the step of that record",
    )
    parser.add_argument("--step", action="append", choices=STEPS, help="only this step; may be repeated")
    parser.add_argument(
        "--above", type=count, default=100, metavar="N", help="run only above N active entries; default: 100"
    )
    parser.add_argument(
        "--summarise-above",
        type=count,
        default=50,
        metavar="N",
        help="make a summary only where more than N are left; default: 50",
    )
    parser.add_argument(
        "--merge-similarity",
        type=float,
        default=0.92,
        metavar="COSINE",
        help="merge above this cosine, if the merge guard sees no difference; default: 0.92",
    )
    parser.add_argument(
        "--merge-strategy",
        choices=("greedy", "clusters"),
        default="greedy",
        help="greedy: pairs, the first that fits; clusters: the best first, many into one; default: greedy",
    )
    parser.add_argument(
        "--text-mode",
        choices=("repr", "conversation"),
        default="repr",
        help="what noise is judged on: the content as it is stored, or what was said in it; default: repr",
    )
    parser.add_argument(
        "--noise-rule",
        choices=("documented", "script"),
        default="documented",
        help="documented: short texts; script: fillers and machine text in any script; default: documented",
    )


def _undoable(text: str) -> int | str:
    if text == _LAST:
        return text
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"must be the number of a record; got {text[:40]!r}")
    return int(text)


def _undo(arguments: argparse.Namespace) -> int:
    from memguard.memory.manager import AIMemoryManager

    with store_of(arguments) as store:
        before = store.stats().n_records
        if arguments.undo == _LAST:
            taken = AIMemoryManager(store).undo(_last_run(store))
        else:
            store.undo(arguments.undo)
            taken = (arguments.undo,)
        written = next(record.seq for record in store.records(after=before - 1) if record.action == "undo")
    if arguments.json:
        done = {"action": "maintain", "status": "undone", "records": list(taken), "record": written}
        print_json(done, indent=2)
    else:
        print(f"taken back: {', '.join(f'record {seq}' for seq in taken)} (by record {written})")
    return DONE


def _last_run(store: MemoryStore) -> MaintenanceReport:
    """Return the last run of maintenance that has not been taken back, as far as undoing needs it.

    Raises:
        InvalidParameterError: There is none.
    """
    from memguard.memory.maintenance import MaintenancePlan
    from memguard.memory.manager import MaintenanceReport, StepDone

    runs: dict[str, list[StepDone]] = {}
    undone: set[int] = set()
    for record in store.records():
        given = record.detail.get("undoes", ())
        undone.update([given] if isinstance(given, int) else given)
        run = record.detail.get("maintenance")
        if run is not None:
            runs.setdefault(run, []).append(StepDone(record.detail["step"], seq=record.seq))
    for steps in reversed(runs.values()):
        left = tuple(step for step in steps if step.seq not in undone)
        if left:
            return MaintenanceReport(MaintenancePlan(0, runs=True), False, 0, 0, left)
    raise InvalidParameterError(
        f"tenant {store.tenant_id!r} has no run of maintenance that could be taken back"
    )


def _preview(plan: MaintenancePlan) -> dict[str, Any]:
    """Return every planned change as plain values."""
    return {
        "injected": [item.id for item in plan.injected],
        "expiry": [item.id for item in plan.expired],
        "contradictions": [
            {
                "old": c.old.id,
                "new": c.new.id,
                "subject": c.subject,
                "attribute": c.attribute,
                "old_value": c.old_value,
                "new_value": c.new_value,
            }
            for c in plan.contradictions
        ],
        "noise": [item.id for item in plan.noise],
        "merge": [
            {
                "ids": list(merge.ids),
                "similarity": round(merge.similarity, 6),
                "only_first": merge.only_first,
                "only_second": merge.only_second,
            }
            for merge in plan.merges
        ],
        "held_apart": [
            {
                "ids": [pair.first.id, pair.second.id],
                "similarity": round(pair.similarity, 6),
                "differences": [str(difference) for difference in pair.differences],
            }
            for pair in plan.held_apart
        ],
        "summary": [item.id for item in plan.summarised],
        "summary_includes_merges": plan.summary_includes_merges,
        "staleness": [{"id": item.id, "becomes": risk} for item, risk in plan.staleness],
    }


def _print(report: MaintenanceReport) -> None:
    plan = report.plan
    if not plan.runs:
        print(f"{counted(plan.n_active, 'entry', 'entries')}: too few for maintenance; nothing was done")
        return
    if report.dry_run:
        for line in _lines(plan):
            print(f"{'  ' if line.startswith('  ') else ''}{plain(line)}")
        print(
            f"{counted(report.n_before, 'entry', 'entries')} now, {report.n_after:,} afterwards; "
            "nothing was changed",
            file=sys.stderr,
        )
        return
    for step in report.steps:
        if step.problem:
            print(f"memguard: {step.step}: {step.problem}", file=sys.stderr)
        elif step.seq is not None:
            print(f"{step.step:<14}  {counted(step.n_changed, 'entry', 'entries'):<14}  record {step.seq}")
    back = "take it back with --undo" if report.ran else "nothing had to be done"
    print(
        f"{counted(report.n_before, 'entry', 'entries')} before, {report.n_after:,} after; {back}",
        file=sys.stderr,
    )


def _lines(plan: MaintenancePlan) -> Iterator[str]:
    """Yield every planned change on a line of its own, in the order of the steps."""
    yield from (f"put away, came out of memory: {_named(item)}" for item in plan.injected)
    yield from (f"put away, expired: {_named(item)}" for item in plan.expired)
    for found in plan.contradictions:
        yield f"superseded: {_named(found.old)}"
        said = f"{found.subject}, {found.attribute}: {found.old_value}, now {found.new_value}"
        yield f"  {said} ({found.new.id})"
    yield from (f"put away, noise: {_named(item)}" for item in plan.noise)
    for merge in plan.merges:
        yield f"merged, cosine {merge.similarity:.3f}: {' and '.join(map(_named, merge.sources))}"
        if merge.only_first or merge.only_second:
            yield f"  only the first: {merge.only_first or '-'}; only the second: {merge.only_second or '-'}"
    for pair in plan.held_apart:
        yield f"held apart, cosine {pair.similarity:.3f}: {_named(pair.first)} and {_named(pair.second)}"
        yield f"  {'; '.join(map(str, pair.differences))}"
    if plan.summarised or plan.summary_includes_merges:
        n_sources = len(plan.summarised) + len(plan.merges) * plan.summary_includes_merges
        yield f"summarised into one: {counted(n_sources, 'entry', 'entries')}"
    yield from (f"marked {risk}: {_named(item)}" for item, risk in plan.staleness)


def _named(item: StoredEntry) -> str:
    from memguard.memory.codec import readable_text

    return f'{item.id} "{shortened(plain(readable_text(item.entry.content)), _SHOWN)}"'
