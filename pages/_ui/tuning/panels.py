"""The page from top to bottom: title and scope, thresholds, figures, histograms, then the other parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from memguard import charts, sweep
from memguard.charts.histogram import Measure
from memguard.compressor import Compression
from memguard.grounding.verdicts import Verdict
from memguard.settings import EliminationSettings, Settings
from pages._ui import checking, render, resources, shell, state
from pages._ui.pipeline import judgement
from pages._ui.tuning import choices, compare, curves, markup, measured, measuring
from pages._ui.tuning.subject import Subject, of_samples, of_session

_HISTOGRAM = 264
_SCOPES: dict[choices.Scope, str] = {"conversation": "This conversation", "samples": "All samples"}


_PARTS: dict[choices.Part, str] = {"thresholds": "Thresholds", "budget": "Budget"}
_WORDS: dict[choices.Part, str] = {
    "thresholds": "Move a threshold and see what it keeps, what it costs and what changes. Claims are "
    "measured once; a move only judges them again, here and on every page.",
    "budget": "Move the budget of the context and see which key facts it still states, beside what people do "
    "without MemGuard. No model runs; the context follows here and on every page.",
}


def head(current: state.Session) -> None:
    """Draw the title, the switch between thresholds and budget, and that to all samples."""
    chosen = choices.current()
    is_budget = chosen.part == "budget"
    over = "all samples" if chosen.scope == "samples" and not is_budget else None
    title = over or (render.text(current.source.title) if current.source is not None else "")
    with st.container(horizontal=True, vertical_alignment="center", key="tuning_head"):
        st.html(
            f'<div class="mg-title">Threshold tuning{f" of {title}" if title else ""}</div>'
            f'<p class="mg-description">{_WORDS[chosen.part]}</p>'
        )
        scope = chosen.scope
        if not is_budget:
            scope = st.segmented_control(
                "Over",
                list(_SCOPES),
                default=chosen.scope,
                required=True,
                format_func=_SCOPES.__getitem__,
                key="tuning_scope",
                label_visibility="collapsed",
            )
        part = st.segmented_control(
            "What is tuned",
            list(_PARTS),
            default=chosen.part,
            required=True,
            format_func=_PARTS.__getitem__,
            key="tuning_part",
            label_visibility="collapsed",
        )
    if scope != chosen.scope or part != chosen.part:
        chosen.scope, chosen.part = scope, part
        choices.note(chosen)
        st.rerun()  # the title above is of the other one


@st.fragment
def body() -> None:
    """Draw all that follows a slider; only this is drawn again."""
    current, chosen = state.session(), choices.current()
    samples = list(resources.samples().values())
    is_all = chosen.scope == "samples"
    subject = of_samples(samples, current.settings) if is_all else of_session(current, samples)
    judgement.bar()
    if is_all:
        left = measured.missing(samples, current.settings)
        if left:
            measuring.samples(current.settings, len(samples), len(left))
    told = [
        markup.Told(change, run.title if is_all else "")
        for run in subject.runs
        for change in sweep.changes(run.trace, chosen.pinned, current.settings.elimination)
    ]
    work = None
    if subject.runs:
        _figures(subject, told)
        if not is_all:
            checking.tally("tuning")
        _histograms(subject.verdicts, current.settings.elimination)
    if subject.runs or subject.labelled:
        work = _curves(subject, current.settings, chosen)
    choices.note(chosen)
    if subject.runs:
        changes, take = st.columns([58, 42], gap="large")
        with changes:
            compare.changes(told, current.settings.elimination, chosen)
        with take:
            compare.take(current)
    if work is not None:
        work()


def _curves(subject: Subject, settings: Settings, chosen: choices.Choices) -> Callable[[], None] | None:
    """Draw the curves side by side; return the work that the labelled claims still wait for."""
    axis = curves.axis_choice(chosen, settings.elimination)
    left, right = st.columns(2, gap="large")
    with left:
        if subject.runs:
            curves.kept(subject, axis, settings, chosen)
    with right:
        return curves.labelled(subject, axis, settings.elimination, chosen)


def _figures(subject: Subject, told: list[markup.Told]) -> None:
    compressions = [run.trace[Compression] for run in subject.runs]
    st.html(
        markup.figures(
            subject.verdicts,
            subject.tokens(curves.reconstruct),
            sum(result.tokens_in for result in compressions),
            told,
            n_runs=len(subject.runs),
        )
    )


def _histograms(verdicts: Sequence[Verdict], settings: EliminationSettings) -> None:
    by_similarity, by_support = st.columns(2, gap="large")
    minimum = None if settings.preset == "contract" else settings.min_support
    with by_similarity:
        curves.pane(
            "Similarity", "how near the best evidence is, in direction", "Cosine similarity, from -1 to 1"
        )
        _histogram("similarity", verdicts, settings.min_similarity)
    with by_support:
        curves.pane(
            "Support", "how well the claim is grounded", "Calibrated, from 0 to 1: similarity, words, guards"
        )
        _histogram("support", verdicts, minimum)


def _histogram(measure: Measure, verdicts: Sequence[Verdict], minimum: float | None) -> None:
    st.plotly_chart(
        charts.score_histogram(verdicts, measure, minimum, dark=shell.is_dark(), height=_HISTOGRAM),
        key=f"tuning_{measure}",
        theme=None,
        config=curves.PLAIN,
        alt=charts.describe_histogram(verdicts, measure, minimum),
    )
