"""What the models measured for this page, once a process: the samples' runs and their labelled claims.

Both are found again by content: by the conversation, the labels and the settings that are measured
with. So no slider and no second visitor runs a model for them; a measuring that was broken off goes on
with the next sample.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Sequence

import streamlit as st

from memguard.bench.grounding.measure import examined
from memguard.bench.grounding.rows import rows_of
from memguard.eliminator import Elimination, measured, separation_for
from memguard.grounding.verifiers import load_entailment
from memguard.settings import Settings
from memguard.sweep import LabelledClaim
from memguard.trace import Progress, Trace
from memguard.transcripts import Sample
from pages._ui import resources

EXAMINING = "labelled claims"
_KEPT = 64


def labelled(sample: Sample, settings: Settings) -> tuple[LabelledClaim, ...] | None:
    """Return a sample's labelled claims as they were measured; None where that has not been done."""
    found = _find(_labelled_key(sample, settings))
    return found if isinstance(found, tuple) else None


def run_of(sample: Sample, settings: Settings) -> Trace | None:
    """Return a sample's run through elimination; None where it has not been made.

    Its verdicts are those of whoever made it first: judge again before they are shown.
    """
    found = _find(_run_key(sample, settings))
    return found if isinstance(found, Trace) else None


def measure_labelled(sample: Sample, settings: Settings, progress: Progress) -> tuple[LabelledClaim, ...]:
    """Measure a sample's labelled claims against its conversation.

    Raises:
        ModelUnavailableError: A model is not installed; names the command.
    """
    progress(resources.LOADING, 0, 1, "sentence encoder")
    embedder = resources.embedder()
    rows = rows_of(sample)
    scored = examined(
        rows,
        embedder,
        settings.elimination,
        entailment=load_entailment(settings.elimination.entailment),
        separation=separation_for(embedder.model_id, settings.elimination),
        progress=lambda done, total: progress(EXAMINING, done, total, f"of {sample.title}"),
    )
    made = tuple(
        LabelledClaim(row.text, row.supported, claims, row.kind, sample.title)
        for row, claims in zip(rows, scored, strict=True)
    )
    _keep(_labelled_key(sample, settings), made)
    return made


def measure_run(sample: Sample, settings: Settings, progress: Progress) -> Trace:
    """Run a sample through compression and elimination.

    Raises:
        ModelUnavailableError: A model is not installed; names the command.
    """
    pipeline = resources.load(settings, progress).pipeline
    trace = Trace(sample.conversation, settings)
    while trace.get(Elimination) is None:
        trace = pipeline.step(trace, progress=progress)
    _keep(_run_key(sample, settings), trace)
    return trace


def missing(samples: Sequence[Sample], settings: Settings) -> tuple[Sample, ...]:
    """Return the samples of which something has still to be measured."""
    return tuple(s for s in samples if labelled(s, settings) is None or run_of(s, settings) is None)


def _labelled_key(sample: Sample, settings: Settings) -> Hashable:
    return "labelled", sample.conversation.digest(), sample.digest, measured(settings.elimination)


def _run_key(sample: Sample, settings: Settings) -> Hashable:
    return "run", sample.conversation.digest(), settings.compression, measured(settings.elimination)


@st.cache_resource(show_spinner=False)
def _store() -> tuple[OrderedDict[Hashable, object], threading.Lock]:
    return OrderedDict(), threading.Lock()


def _find(key: Hashable) -> object | None:
    found, lock = _store()
    with lock:
        if key in found:
            found.move_to_end(key)
        return found.get(key)


def _keep(key: Hashable, value: object) -> None:
    found, lock = _store()
    with lock:
        found[key] = value
        while len(found) > _KEPT:
            found.popitem(last=False)
