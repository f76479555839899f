"""Sessions side by side: none sees another's data, none fails (issue 4), and the bench that measures it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from memguard.bench import app
from memguard.bench import browser as bench_browser
from memguard.errors import MemGuardError
from tests.e2e.serving import note

N_SESSIONS = 4


@pytest.mark.browser
@pytest.mark.slow
def test_sessions_at_once_see_only_their_own_words_and_none_fails(tmp_path: Path) -> None:
    """The short form of ``memguard bench app``."""

    async def run(url: str) -> app.Load:
        async with bench_browser.browsing() as browser:
            return await app.load_test(browser, url, N_SESSIONS)

    with bench_browser.serving(bench_browser.FAKE_APP, tmp_path / "server.log") as served:
        load = asyncio.run(run(served.url))
        assert served.cpu_s() > 0

    assert load.failed == ()
    assert load.seen == ()
    assert len(load.steps_s) == 3 * N_SESSIONS
    assert 0 < load.median_s <= load.p95_s
    note("load_step_median_s", round(load.median_s, 2))
    note("load_step_p95_s", round(load.p95_s, 2))
    assert "Traceback" not in (tmp_path / "server.log").read_text("utf-8", "replace")


def test_an_app_that_does_not_start_says_why(tmp_path: Path) -> None:
    broken = tmp_path / "nothing.py"
    with (
        pytest.raises(MemGuardError, match=r"the app did not start: .*nothing\.py"),
        bench_browser.serving(broken, tmp_path / "server.log"),
    ):
        raise AssertionError("it must not come this far")


def test_a_missing_browser_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(MemGuardError, match="needs a Chromium"):
        app.measure(progress=lambda words: None)


def test_the_large_conversation_has_a_thousand_different_sentences() -> None:
    messages = app.large_conversation()
    sentences = [s for m in messages for s in m["content"].split(". ")]
    assert len(messages) == 200
    assert len(sentences) == len({s.rstrip(".") for s in sentences}) == 1_000


def test_quantile_takes_a_value_that_was_measured() -> None:
    assert app.quantile([3.0, 1.0, 2.0], 0.5) == 2.0
    assert app.quantile(list(range(1, 101)), 0.95) == 95
    assert app.quantile([7.0], 0.95) == 7.0
    assert app.quantile([], 0.95) != app.quantile([], 0.95)
