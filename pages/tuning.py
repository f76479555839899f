"""Page Threshold tuning: what a threshold keeps, what a budget keeps, and what another one would change."""

from __future__ import annotations

from memguard.eliminator import Elimination
from memguard.reconstructor import Reconstruction
from pages._ui import alerts, checking, needs, shell, state
from pages._ui.tuning import budget, choices, panels


def page() -> None:
    """Draw the page: of this conversation, once its claims are checked, or of all samples."""
    current = state.ready()
    panels.head(current)
    if choices.current().part == "budget":
        trace = needs.results(Reconstruction, "No context yet")
        if trace is not None:
            checking.handed_in(trace, "budget")
            budget.body()
    elif choices.current().scope == "samples":
        alerts.show(current)
        panels.body()
    elif needs.results(Elimination, "No claims yet") is not None:
        panels.body()


shell.enter()
page()
