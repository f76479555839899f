"""``bench`` and ``train``: measuring on this machine, and making what ships from handed data."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from memguard.cli.codes import BAD_INPUT, DONE
from memguard.cli.inputs import settings_of
from memguard.cli.output import Bars

if TYPE_CHECKING:
    from memguard.bench.grounding.run import Bench
    from memguard.models.cache import CachedEmbedder

_CACHE_BYTES = 3 * 1024**3  # every token vector of the labelled sets


def bench(arguments: argparse.Namespace) -> int:
    """Measure on this machine: speed, or how well drift is told from supported claims."""
    if arguments.what == "grounding":
        return _grounding(arguments)
    from memguard.bench import speed

    report = speed.measure(progress=_say, quick=arguments.quick)
    print(json.dumps(report.to_dict(), indent=2) if arguments.json else report.to_markdown())
    return DONE if report.reached or not arguments.strict else BAD_INPUT


def train(arguments: argparse.Namespace) -> int:
    """Make what ships from handed data: the separation map, the weights of support, an entailment model."""
    actions = {"space": _train_space, "support": _train_support, "entailment": _train_entailment}
    return actions[arguments.what](arguments)


def _grounding(arguments: argparse.Namespace) -> int:
    from memguard.bench.grounding.run import measure

    report = measure(
        _bench(arguments),
        folder=arguments.data,
        limit=300 if arguments.quick and arguments.limit is None else arguments.limit,
        ablations=not arguments.quick,
        progress=_say,
    )
    if arguments.out:
        arguments.out.write_text(json.dumps(report.to_dict(), indent=2) + "\n", "utf-8")
    print(json.dumps(report.to_dict(), indent=2) if arguments.json else report.to_markdown())
    return DONE


def _bench(arguments: argparse.Namespace) -> Bench:
    from memguard.bench.grounding.run import Bench
    from memguard.geometry.separation import load_separation
    from memguard.grounding.verifiers import load_entailment

    settings = settings_of(arguments).elimination
    embedder = _embedder()
    separation = load_separation()
    fits = separation.fits(embedder.model_id)
    return Bench(embedder, settings, load_entailment(settings.entailment), separation if fits else None)


def _embedder() -> CachedEmbedder:
    from memguard.models import loading
    from memguard.models.cache import CachedEmbedder

    return CachedEmbedder(loading.load_embedder().inner, max_bytes=_CACHE_BYTES)


def _say(label: str) -> None:
    print(label, file=sys.stderr)
