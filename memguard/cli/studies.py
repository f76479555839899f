"""``bench`` and ``train``: measuring on this machine, and making what ships from handed data."""

from __future__ import annotations

import argparse
import json
import logging
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from memguard.cli.codes import BAD_INPUT, DONE
from memguard.cli.inputs import settings_of
from memguard.cli.output import Bars, write_out
from memguard.errors import BenchmarkDataError

if TYPE_CHECKING:
    from memguard.bench.grounding.run import Bench
    from memguard.models.cache import CachedEmbedder
    from memguard.settings import Settings

_CACHE_BYTES = 3 * 1024**3  # every token vector of the labelled sets


def bench(arguments: argparse.Namespace) -> int:
    """Measure on this machine: speed, the app, memory, what drift is caught, what of a chat is kept."""
    if arguments.what == "grounding":
        return _grounding(arguments)
    if arguments.what == "retention":
        return _retention(arguments)
    if arguments.what == "app":
        from memguard.bench import app

        report = app.measure(
            progress=_say, quick=arguments.quick, real=arguments.real, sessions=arguments.sessions
        )
    elif arguments.what == "memory":
        from memguard.bench import memory

        report = memory.measure(progress=_say, quick=arguments.quick)
    else:
        from memguard.bench import speed

        report = speed.measure(progress=_say, quick=arguments.quick)
    print(json.dumps(report.to_dict(), indent=2) if arguments.json else report.to_markdown())
    return DONE if report.reached or not arguments.strict else BAD_INPUT


def add_retention(parser: argparse.ArgumentParser) -> None:
    """Add what ``bench retention`` alone takes."""
    parser.add_argument(
        "--ratio", type=float, metavar="TIMES", help="retention: so many times fewer tokens; default: 3"
    )
    parser.add_argument("--sets", metavar="NAMES", help="retention: of samples,primock57,qmsum_val")
    parser.add_argument("--systems", metavar="NAMES", help="retention: the systems, separated by commas")
    parser.add_argument(
        "--statements", type=Path, metavar="FILE", help="retention: write 100 statements a system, to label"
    )
    parser.add_argument(
        "--summarizers",
        action="store_true",
        help="retention: compare the summarizers alone; --statements then writes their texts",
    )
    parser.add_argument(
        "--variations",
        action="store_true",
        help="retention --summarizers: SmolLM2 under other windows, examples and handicaps of repetition",
    )
    parser.add_argument(
        "--adapter", type=Path, metavar="FILE", help="retention --summarizers: an adapter too"
    )


def train(arguments: argparse.Namespace) -> int:
    """Make what ships from handed data: the separation map, the weights of support, an entailment model."""
    actions = {
        "space": _train_space,
        "support": _train_support,
        "entailment": _train_entailment,
        "summarizer": _train_summarizer,
    }
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
        write_out(str(arguments.out), json.dumps(report.to_dict(), indent=2) + "\n")
    print(json.dumps(report.to_dict(), indent=2) if arguments.json else report.to_markdown())
    return DONE


def _retention(arguments: argparse.Namespace) -> int:
    from memguard.bench.retention import run
    from memguard.bench.retention.references import SETS
    from memguard.guard import MemGuard

    settings = settings_of(arguments)
    if arguments.summarizers:
        return _summarizers(arguments, settings)
    options = run.Options(
        settings,
        ratio=run.RATIO if arguments.ratio is None else arguments.ratio,
        datasets=_named(arguments, "sets", SETS),
        systems=_named(arguments, "systems", run.SYSTEMS),
        limit=2 if arguments.quick and arguments.limit is None else arguments.limit,
        folder=arguments.data,
        statements=arguments.statements,
    )
    report = run.measure(MemGuard(settings), options, progress=_say)
    if arguments.out:
        write_out(str(arguments.out), json.dumps(report.to_dict(), indent=2) + "\n")
    print(json.dumps(report.to_dict(), indent=2) if arguments.json else report.to_markdown())
    return DONE if report.reached or not arguments.strict else BAD_INPUT


def _summarizers(arguments: argparse.Namespace, settings: Settings) -> int:
    from memguard.bench.retention import summarizers
    from memguard.guard import MemGuard

    limit = 2 if arguments.quick and arguments.limit is None else arguments.limit
    varied = arguments.variations
    found = summarizers.variations() if varied else summarizers.variants(arguments.adapter)
    command = "memguard bench retention --summarizers" + " --variations" * varied
    report = summarizers.measure(
        MemGuard(settings),
        settings,
        {name: found[name] for name in _named(arguments, "systems", tuple(found))},
        summarizers.references(folder=arguments.data, limit=limit),
        command=command + (f" --limit {limit}" if limit else ""),
        progress=_say,
    )
    if arguments.statements:
        summarizers.write_texts(arguments.statements, report)
    if arguments.out:
        write_out(str(arguments.out), json.dumps(report.to_dict(), indent=2) + "\n")
    print(json.dumps(report.to_dict(), indent=2) if arguments.json else report.to_markdown())
    return DONE


def _named(arguments: argparse.Namespace, flag: str, known: tuple[str, ...]) -> tuple[str, ...]:
    given = getattr(arguments, flag)
    if given is None:
        return known
    names = tuple(name.strip() for name in given.split(",") if name.strip())
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        arguments.parser.error(f"--{flag} takes names of {', '.join(known)}; got {given!r}")
    return names


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


def _train_space(arguments: argparse.Namespace) -> int:
    from memguard.geometry.separation import SHIPPED
    from memguard.training.space import train_space
    from memguard.training.space_triples import TripleOptions, build_triples

    data = _data(arguments)
    options = TripleOptions(data / "bench" / "nli", data / "bench" / "train", seed=arguments.seed)
    with Bars() as progress:
        report = train_space(
            build_triples(options),
            _embedder(),
            arguments.out or SHIPPED,
            progress=lambda done, total: progress("train", done, total, "texts embedded"),
        )
    print(json.dumps(asdict(report), indent=2))
    return DONE


def _train_support(arguments: argparse.Namespace) -> int:
    from memguard.grounding.support import SHIPPED
    from memguard.grounding.verifiers import load_entailment
    from memguard.training.support import SupportOptions, fit_support, training_rows, write_support

    embedder = _embedder()
    rows = training_rows(SupportOptions(_data(arguments), seed=arguments.seed))
    with Bars() as progress:
        fitted = fit_support(
            rows,
            embedder,
            entailment=load_entailment(arguments.entailment),
            progress=lambda done, total: progress("train", done, total, "rows measured"),
        )
    write_support(fitted, arguments.out or SHIPPED)
    print(json.dumps(fitted["models"], indent=2))
    return DONE


def _train_entailment(arguments: argparse.Namespace) -> int:
    from memguard.models import loading
    from memguard.models.catalog import MPNET
    from memguard.training.command import EntailmentRun, run_entailment

    data = _data(arguments)
    if arguments.out is None:
        arguments.parser.error("train entailment needs --out, a folder for checkpoints and the result")
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    dev = data / "bench" / "dev"
    run = EntailmentRun(
        data / "bench" / "nli",
        arguments.out,
        loading.folder_of(MPNET),
        rows=data / "bench" / "train",
        dev=dev if dev.is_dir() else None,
        minutes=arguments.minutes,
        resume=arguments.resume,
        seed=arguments.seed,
    )
    result = run_entailment(run, _embedder())
    print(f"{result.n_pairs} pairs in {result.steps} steps; the adapter is {result.adapter}")
    return DONE


def _train_summarizer(arguments: argparse.Namespace) -> int:
    from memguard.models import loading
    from memguard.models.catalog import SMOLLM2
    from memguard.training.summarizer import SummarizerRun, run_summarizer

    data = _data(arguments)
    if arguments.out is None:
        arguments.parser.error("train summarizer needs --out, a folder for checkpoints and the result")
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    run = SummarizerRun(
        loading.folder_of(SMOLLM2),
        data / "bench" / "nli",
        arguments.out,
        minutes=arguments.minutes,
        resume=arguments.resume,
        seed=arguments.seed,
        meetings=arguments.meetings,
    )
    print(f"the adapter is {run_summarizer(run)}")
    return DONE


def _data(arguments: argparse.Namespace) -> Path:
    """Return the folder of handed data.

    Raises:
        BenchmarkDataError: It is not there.
    """
    from memguard.bench.grounding.rows import shared_folder

    folder: Path = arguments.data or shared_folder()
    if not (folder / "bench").is_dir():
        raise BenchmarkDataError(f"{folder} holds no bench/; name the folder of handed data with --data")
    return folder
