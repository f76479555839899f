"""``memguard memory lifecycle``: observations in, compressed entries and a report out."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from memguard.cli.codes import DONE
from memguard.cli.inputs import read_plain
from memguard.cli.memory_inputs import add_exclusions, exclusions
from memguard.cli.memory_output import counted, plain
from memguard.cli.output import print_json, write_out
from memguard.errors import InvalidParameterError, MemGuardError

if TYPE_CHECKING:
    from memguard.memory.outcome import LifecycleResult
    from memguard.memory.yaml_form import CompressedEntry

CONFIDENCE = ("low", "medium", "high")
ON_UNFILTERED = ("reject", "redact", "flag")
_GATES = {"before": "before compression", "during": "during compression", "output": "before output"}
_LINKS = {"merged": "is part of", "replaced": "is replaced by", "restated": "is said again by"}
STRATEGIES = ("noise-reduction", "semantic-summarization", "citation-preservation")


def lifecycle(arguments: argparse.Namespace) -> int:
    """Compress observations (JSON or YAML) into facts that may be stored, and report how."""
    from memguard.cli.observation_input import read_observations
    from memguard.memory import yaml_form
    from memguard.memory.lifecycle import Lifecycle

    name = "standard input" if arguments.file == "-" else arguments.file
    observations = read_observations(read_plain(arguments.file), source=name)
    existing: tuple[CompressedEntry, ...] = ()
    if arguments.existing:
        try:
            existing = yaml_form.loads(read_plain(arguments.existing))
        except InvalidParameterError as error:
            raise MemGuardError(f"{arguments.existing}: {error}") from error
    rules = Lifecycle(
        exclusions=exclusions(arguments.exclusions),
        on_unfiltered=arguments.on_unfiltered,
        strategies=arguments.strategy,
        min_confidence=arguments.min_confidence,
    )
    result = rules.run(observations, existing=existing)
    if arguments.out:
        write_out(arguments.out, result.to_yaml())
    if arguments.json:
        print_json(_as_object(result), indent=2)
    else:
        if not arguments.out:
            print(result.to_yaml(), end="")
        _print_report(result)
    return DONE


def add_lifecycle(parser: argparse.ArgumentParser) -> None:
    """Add the flags of ``lifecycle``."""
    parser.add_argument("file", metavar="FILE", help="observations as JSON or YAML; - for standard input")
    parser.add_argument("--out", metavar="FILE", help="write the compressed_entries here, as YAML")
    parser.add_argument("--existing", metavar="FILE", help="compressed_entries of earlier runs (YAML)")
    parser.add_argument(
        "--on-unfiltered",
        choices=ON_UNFILTERED,
        default="reject",
        help="what becomes of an observation without a privacy status; default: reject",
    )
    parser.add_argument(
        "--strategy", action="append", choices=STRATEGIES, help="in place of what the analysis finds fit"
    )
    parser.add_argument(
        "--min-confidence", choices=CONFIDENCE, default="low", help="default: low, all of them"
    )
    add_exclusions(parser)


def _as_object(result: LifecycleResult) -> dict[str, Any]:
    from memguard.memory import yaml_form

    report = asdict(result.report)
    return {
        **yaml_form.to_dict(result.entries),
        "replaced": yaml_form.to_dict(result.replaced)[yaml_form.TOP],
        "supersession": [asdict(link) for link in result.supersession],
        "report": report,
        "phases": [
            {
                "phase": record.phase,
                "n_in": record.n_in,
                "n_out": record.n_out,
                "detail": record.detail,
                "input_digest": record.input_digest,
                "output_digest": record.output_digest,
                "started_at": record.timing.started_at.isoformat(),
                "duration_s": record.timing.duration_s,
            }
            for record in result.phases
        ],
    }


def _print_report(result: LifecycleResult) -> None:
    """Say on stderr what a run did (E15)."""
    report = result.report
    lines = [
        f"{counted(report.n_input, 'observation')} in, {counted(report.n_output, 'entry', 'entries')} out; "
        f"strategy: {', '.join(report.strategies) or 'none was needed'}"
    ]
    lines += [f"left out {left.id}: {left.reason}" for left in report.left_out]
    lines += [
        f"privacy gate {_GATES[action.gate.value]}: {action.subject} {action.action}, {action.reason}"
        for action in report.privacy_actions
    ]
    lines += [f"{link.old} {_LINKS[link.reason.value]} {link.new}" for link in result.supersession]
    lines += [f"warning: {warning}" for warning in report.warnings]
    for line in lines:
        print(plain(line), file=sys.stderr)
