"""The curves: what every threshold keeps, and what it does to labelled claims under a stated cost."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from memguard import charts, sweep
from memguard.reconstructor import Reconstruction
from memguard.settings import EliminationSettings, Settings
from memguard.sweep import Axis, Rates
from memguard.trace import Trace
from pages._ui import render, resources, shell, state
from pages._ui.tuning import choices, markup, measuring
from pages._ui.tuning.subject import Subject

PLAIN = {"displayModeBar": False}
_KEPT, _RATES = 560, 320
"""In pixels; beside the one stand slider, curves and table of the other."""
_AXES: dict[Axis, str] = {"min_similarity": "Minimum similarity", "min_support": "Minimum support"}


def axis_choice(chosen: choices.Choices, settings: EliminationSettings) -> Axis:
    """Draw the heading of the curves with the choice of the threshold that they sweep."""
    with st.container(horizontal=True, vertical_alignment="center", key="tuning_axis_head"):
        st.html('<div class="mg-title">At every threshold</div>')
        axis = st.segmented_control(
            "Threshold to sweep",
            list(_AXES),
            default=choices.swept(chosen, settings),
            required=True,
            format_func=_AXES.__getitem__,
            # What is swept unless a person chooses follows the preset: then the widget begins anew.
            key=f"tuning_axis:{settings.preset == 'contract'}",
            label_visibility="collapsed",
        )
    found: Axis = axis
    if found != choices.swept(chosen, settings):
        chosen.axis = found
    return found


def kept(subject: Subject, axis: Axis, settings: Settings, chosen: choices.Choices) -> None:
    """Draw claims kept and payload tokens; swept anew only where something else than the swept one moved."""
    elimination = settings.elimination
    start = sweep.grid(axis, elimination)[0]
    rest = [getattr(elimination, name) for name in choices.JUDGED if name != axis]
    key = (axis, start, *rest, settings.reconstruction, *(run.trace.overrides for run in subject.runs))
    found = chosen.memo.get(
        "sweep",
        subject.scored,
        key,
        lambda: sweep.sweep([r.trace for r in subject.runs], axis, elimination, reconstruct),
    )
    value = getattr(elimination, axis)
    pane("Claims and context", _still(axis, elimination), "The other threshold and the preset stand still")
    st.plotly_chart(
        charts.sweep_chart(found, value, dark=shell.is_dark(), height=_KEPT),
        key="tuning_sweep",
        theme=None,
        config=PLAIN,
        alt=charts.describe_sweep(found, value),
    )


def labelled(
    subject: Subject, axis: Axis, settings: EliminationSettings, chosen: choices.Choices
) -> Callable[[], None] | None:
    """Draw the rates on labelled claims; return the work that they still wait for, to be done last."""
    n_wrong = sum(not claim.supported for claim in subject.labelled)
    n_true = len(subject.labelled) - n_wrong
    note = f"{n_true:,} true and {n_wrong:,} wrong ones" if subject.labelled else ""
    pane("Labelled claims", note, markup.HONEST)
    if not subject.labelled:
        return _unlabelled(subject)
    chosen.cost = st.slider(
        "A wrong claim kept costs as much as this many true claims dropped",
        1,
        choices.LARGEST_COST,
        chosen.cost,
        key="tuning_cost",
        help="What an error costs is yours to state. The threshold of least cost moves with it.",
    )
    found = _rates(subject, axis, settings, chosen)
    choice = sweep.least_cost(found, chosen.cost)
    value: float = getattr(settings, axis)
    st.plotly_chart(
        charts.rates_chart(found, axis, value, choice, dark=shell.is_dark(), height=_RATES),
        key="tuning_rates",
        theme=None,
        config=PLAIN,
        alt=charts.describe_rates(found, axis, value, choice),
    )
    now = sweep.rates_at(subject.labelled, axis, settings)
    st.html(markup.rates_table(now, choice, chosen.cost))
    least = choice.rates.threshold
    st.button(
        f"Use {least:.2f}",
        key="tuning_use",
        on_click=choices.on_adopt,
        args=({axis: least},),
        disabled=least <= value <= choice.up_to,
        icon=":material/south_west:",
        help=f"Sets the {_AXES[axis].lower()} to where the stated cost is least on these claims.",
    )
    st.html(f'<p class="mg-line">{markup.HONEST}</p>')
    return None


def pane(title: str, note: str, hover: str) -> None:
    """Draw the heading of a chart, with what it means one hover away."""
    st.html(
        f'<div class="mg-panehead" title="{render.attribute(hover)}">{title} '
        f"<small>{render.escaped(note)}</small></div>"
    )


def reconstruct(trace: Trace) -> Reconstruction:
    """Put a judged run's payload together, as stage 3 does; runs no model."""
    stages = resources.guard().pipeline.stages
    stage = next(s for s in stages if s.produces is Reconstruction)
    made = stage.run(trace)
    if not isinstance(made, Reconstruction):
        raise TypeError(f"stage {stage.name} made {type(made).__name__}, not a Reconstruction")
    return made


def _rates(
    subject: Subject, axis: Axis, settings: EliminationSettings, chosen: choices.Choices
) -> tuple[Rates, ...]:
    start = sweep.grid(axis, settings)[0]
    rest = [getattr(settings, name) for name in choices.JUDGED if name != axis]
    return chosen.memo.get(
        "rates",
        [claim.scored for claim in subject.labelled],
        (axis, start, *rest),
        lambda: sweep.rates(subject.labelled, axis, settings),
    )


def _unlabelled(subject: Subject) -> Callable[[], None] | None:
    """Say why there are no labelled claims, or return the measuring of those of this sample."""
    if not subject.unlabelled:
        st.html(
            '<div class="mg-hint"><b>This conversation has no labelled claims</b><p>Precision and recall '
            "need claims of which somebody has said whether they are true. Those of the samples are under "
            "All samples.</p></div>"
        )
        return None
    place = st.container()
    settings, sample = state.session().settings, subject.unlabelled[0]

    def measure() -> None:
        with place:
            measuring.labelled(sample, settings)

    # Of all samples a button measures them, for it takes minutes.
    return measure if choices.current().scope == "conversation" else None


def _still(axis: Axis, settings: EliminationSettings) -> str:
    if axis == "min_support":
        if settings.preset == "contract":
            return "the contract preset ignores support"
        return f"{settings.preset}, minimum similarity {settings.min_similarity:.2f}"
    if settings.preset == "contract":
        return "contract"
    return f"{settings.preset}, minimum support {settings.min_support:.2f}"
