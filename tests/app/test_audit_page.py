"""Page Audit on fakes."""

from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest

from memguard import audit
from tests.app.conftest import ROOT, TALK, Fakes, html, paste


def opened(at: AppTest) -> AppTest:
    return at.switch_page("pages/audit.py").run()


def test_before_the_first_stage_it_says_what_to_do(app: AppTest) -> None:
    opened(app)

    assert not app.exception
    assert "No stage has run yet" in html(app)
    assert not app.get("download_button")


def test_the_chain_is_shown_and_verified(app: AppTest) -> None:
    paste(app, json.dumps(TALK)).button(key="finish").click().run()
    records = audit.records(app.session_state["memguard"].trace)
    opened(app)
    shown = html(app)

    assert not app.exception
    assert "The chain is intact" in shown
    assert shown.count("intact") == 1
    assert shown.count('<details class="mg-record"') == len(records) == 4
    assert audit.head(records) in shown
    for record in records:
        assert record.hash[:12] in shown
    assert app.get("download_button")


def test_the_page_stands_alone(fakes: Fakes) -> None:
    """A deep link runs the page's file without app.py until navigation has run once."""
    at = AppTest.from_file(str(ROOT / "pages" / "audit.py"), default_timeout=30).run()

    assert not at.exception
    assert "No stage has run yet" in html(at)


@pytest.mark.parametrize("page", ["pipeline.py", "audit.py"])
def test_each_page_has_the_style_sheet(fakes: Fakes, page: str) -> None:
    at = AppTest.from_file(str(ROOT / "pages" / page), default_timeout=30).run()

    assert not at.exception
    assert "--mg-kept" in html(at)
