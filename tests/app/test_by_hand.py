"""What a person decided is shown on every page in a sign of its own, and breaks none."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from memguard import charts, palette
from memguard.charts.points import verdict_meaning
from memguard.eliminator import Elimination
from memguard.grounding.overrides import Override
from memguard.trace import Trace
from pages._ui.pipeline import overview
from pages._ui.tuning import markup
from tests.app.conftest import Fakes
from tests.app.handmade import handmade
from tests.app.test_links import PAGES, opened


@pytest.fixture
def trace(fakes: Fakes) -> Trace:
    """A supported claim is dropped by hand, and a contradicted one kept."""
    decided = [Override("c2", kept=False, note="Not for outside"), Override("c1", kept=True)]
    return fakes.guard.override(handmade(), decided)


@pytest.mark.parametrize("page", PAGES)
def test_every_page_shows_a_run_with_decisions(fakes: Fakes, trace: Trace, page: str) -> None:
    at = opened(page)
    session = at.session_state["memguard"]
    session.trace, session.settings = trace, trace.settings

    assert not at.run().exception


def test_the_charts_and_the_figures_count_what_a_person_dropped(trace: Trace) -> None:
    verdicts = trace[Elimination].verdicts
    assert palette.BY_HAND in [verdict_meaning(verdict) for verdict in verdicts]
    said = f"{palette.BY_HAND.glyph} 1 {palette.BY_HAND.label}"

    histogram = charts.score_histogram(verdicts, "support", 0.5)

    assert f"{palette.BY_HAND.glyph} {palette.BY_HAND.label} 1" in [bar.name for bar in histogram.data]
    patterns = [bar.marker.pattern.shape or "" for bar in histogram.data]
    assert len(set(patterns)) == len(patterns) == 4
    assert said in markup.figures(verdicts, 60, 100, [])
    assert said in overview.figures(overview.counted_so_far(trace, None))


def test_a_decision_on_tuning_stands_through_other_thresholds(fakes: Fakes, trace: Trace) -> None:
    """Overrides, then new settings: the decision wins over every one of them."""
    at: AppTest = opened("tuning.py")
    session = at.session_state["memguard"]
    session.trace, session.settings = trace, trace.settings
    at.run()
    for value in (0.0, 1.0):
        slider = next(s for s in at.slider if s.key.startswith("elimination.min_similarity"))
        slider.set_value(value).run()
        assert not at.exception
        kept = {v.claim.id: v.kept for v in session.trace[Elimination].verdicts}
        assert kept["c1"]
        assert not kept["c2"]
