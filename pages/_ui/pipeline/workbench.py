"""Transcript and results side by side, linked in the browser without a round trip.

Two components, so that a moved threshold sends the results and never the transcript again. They
speak to each other through window events: ``memguard:select`` carries the selected claim,
``memguard:ask`` lets the transcript ask what became of claims, and ``memguard:results`` says that the
answer may have changed. The one with the results also reports the selected claim, for the map. Their
HTML comes escaped from ``render`` and ``results``.
"""

from __future__ import annotations

import streamlit as st

from memguard.compressor import Compression
from memguard.eliminator import Elimination
from memguard.trace import Trace
from pages._ui import claims, render, state, theme
from pages._ui.memo import Memo
from pages._ui.pipeline import results
from pages._ui.pipeline.play import Scene

_transcript = st.components.v2.component(
    "memguard_transcript",
    html='<div class="mg-pane"></div>',
    js=theme.asset("transcript.js"),
    isolate_styles=False,
)
_results = st.components.v2.component(
    "memguard_results",
    html='<div class="mg-results"></div>',
    js=theme.asset("results.js"),
    isolate_styles=False,
)


def transcript(trace: Trace, selected: str | None, scene: Scene | None = None) -> None:
    """Draw the transcript with the selection and the evidence in it."""
    at = scene.message if scene is not None else None
    html = state.kept("transcript", Memo).of(_seen_in_transcript(trace), lambda: render.transcript(trace))
    of = trace.conversation.digest()
    _transcript(key="transcript", data={"html": html, "selected": selected, "at": at, "conversation": of})


def stage_results(
    trace: Trace, selected: str | None, running: int | None = None, scene: Scene | None = None
) -> None:
    """Draw paragraph, claims and context; the newest is shown, until a person picks another.

    Of a summary that was handed in the verdicts are what was asked for, so its claims stay in front.

    Args:
        trace: How far the run is, or is shown to be.
        selected: The claim that is lit up.
        running: The number of the stage at work, from 0.
        scene: The moment that is shown, while the run is played.
    """
    elimination = trace.get(Elimination)
    n_claims = len(elimination.kept) + len(elimination.dropped) if elimination is not None else None
    part = scene.stage if scene is not None and not scene.is_whole else None
    paragraph = results.picks(scene) if scene is not None and part == 0 else results.paragraph(trace, running)
    context = results.lines(trace) if part == 2 else results.payload(trace, running)
    panes = [
        {"name": "paragraph", "label": "Paragraph", "html": paragraph},
        {"name": "claims", "label": "Claims", "count": n_claims, **_claims(trace, running)},
        {"name": "context", "label": "Context", "html": context},
    ]
    _results(
        key=state.RESULTS,
        data={
            "panes": panes,
            "stage": len(trace.results),
            "opens": _in_front(trace, scene),
            "conversation": trace.conversation.digest(),
            "selected": selected,
            "turn": state.session().turn,
            "played": scene is not None,
        },
        on_chosen_change=state.on_claim,
    )


def _in_front(trace: Trace, scene: Scene | None) -> str:
    """Return the pane that a finished stage opens in place of its own; empty for its own."""
    is_judged = scene is None and trace.get(Elimination) is not None
    return "claims" if is_judged and trace[Compression].given else ""


def _seen_in_transcript(trace: Trace) -> tuple[object, ...]:
    """Return all that the transcript's HTML is made of; neither a threshold nor a budget is among it."""
    elimination = trace.get(Elimination)
    return (
        trace.conversation,
        trace.get(Compression),
        *((elimination.scored, elimination.quotes, elimination.facts) if elimination is not None else ()),
        *(verdict.claim.text for verdict in render.stand_ins(trace)),
        trace.settings.compression.window,
    )


def _claims(trace: Trace, running: int | None) -> dict[str, object]:
    """Return the claims pane: rows, so that the browser draws only those anew which a threshold changed."""
    rows = claims.rows(trace) if trace.get(Elimination) is not None else []
    if not rows:
        return {"html": results.no_claims(trace, running)}
    return {
        "rows": rows,
        "label_of_list": "Claims",
        "style": claims.minimums(trace.settings.elimination),
    }
