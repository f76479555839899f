"""The handed cases of the app: escaping, pages, sliders, uploads, and what its process imports."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from memguard.errors import TranscriptError
from memguard.settings import LimitSettings
from pages._ui import render, resources
from tests.app.conftest import ROOT, TALK, Fakes, html, paste, results
from tests.app.conftest import app as app
from tests.app.conftest import fakes as fakes
from tests.app.test_render import read


def shown_text(at: AppTest) -> str:
    """The text of the two components as a browser shows it."""
    return read(json.loads(json.dumps(results(at))).encode().decode("unicode_escape"))


@pytest.mark.parametrize("case", ["UI-007"], indirect=True)
def test_colons_in_a_claim_are_shown(case: dict[str, Any], app: AppTest, fakes: Fakes) -> None:
    """UI-007: ``:word`` inside text is not eaten, in HTML and where a widget reads Markdown."""
    claim = case["input"]["claim"]
    fakes.summarizer.answer = claim
    paste(app, json.dumps([*TALK, {"role": "user", "content": claim}]))
    app.button(key="finish").click().run()

    assert not app.exception
    assert shown_text(app).count(claim) >= 2
    assert read(render.text(claim)) == claim
    assert "\\:status" in render.markdown(claim)


@pytest.mark.parametrize("case", ["UI-008"], indirect=True)
def test_markup_in_a_message_is_text(case: dict[str, Any], app: AppTest) -> None:
    """UI-008: HTML and Markdown are shown, never interpreted (the browser test runs it as well)."""
    message = case["input"]["message"]
    paste(app, json.dumps([{"role": "user", "content": message}]))
    app.button(key="finish").click().run()

    assert not app.exception
    assert message in shown_text(app)
    assert "<b>tag" not in results(app)


@pytest.mark.parametrize("case", ["UI-010"], indirect=True)
def test_a_page_switch_keeps_upload_and_result(case: dict[str, Any], app: AppTest, fakes: Fakes) -> None:
    """UI-010: the audit has the same rows after a round trip, and no model runs again."""
    assert case["expected"] == {"audit_rows_unchanged": True, "models_rerun": False}
    app.file_uploader(key="upload").set_value(
        ("chat.json", json.dumps(TALK).encode(), "application/json")
    ).run()
    app.button(key="finish").click().run()
    app.switch_page("pages/audit.py").run()
    before, calls = html(app), len(fakes.embedder.calls) + len(fakes.summarizer.calls)
    app.switch_page("pages/pipeline.py").run()
    assert "chat.json" in html(app)
    app.switch_page("pages/audit.py").run()

    assert html(app) == before
    assert len(fakes.embedder.calls) + len(fakes.summarizer.calls) == calls


@pytest.mark.parametrize("case", ["UI-011"], indirect=True)
def test_every_move_of_a_slider_counts(case: dict[str, Any], app: AppTest) -> None:
    """UI-011: lambda 0.5, then 0.7, then 0.6, each used by the run that follows."""
    paste(app, json.dumps(TALK))
    used = []
    for value in case["expected"]["used_values"]:
        slider = next(s for s in app.slider if s.key.startswith("compression.lambda_mmr"))
        if slider.value != value:
            slider.set_value(value).run()
        app.button(key="step").click().run()
        used.append(app.session_state["memguard"].trace.settings.compression.lambda_mmr)

    assert used == case["expected"]["used_values"]


@pytest.mark.parametrize("case", ["UI-013"], indirect=True)
def test_a_very_large_upload_is_refused_with_its_limit(case: dict[str, Any]) -> None:
    """UI-013: the server's limit is the setting's; a file above it names the limit and what to do."""
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))
    limit = LimitSettings().file_mb

    assert config["server"]["maxUploadSize"] == limit < case["input"]["upload_mib"]
    with pytest.raises(TranscriptError, match=rf"at most {limit} MiB are read .*split") as caught:
        resources.read_upload(b" " * (limit * 1024 * 1024 + 1), "export.json", LimitSettings())
    assert "export.json" in str(caught.value)


@pytest.mark.parametrize("case", ["OPS-001"], indirect=True)
def test_the_file_watcher_is_off(case: dict[str, Any]) -> None:
    """OPS-001: no watcher walks into torch (the browser test on real models reads the log)."""
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))

    assert "fileWatcherType" in case["expected"]["how"]
    assert config["server"]["fileWatcherType"] == "none"
    assert config["server"]["address"] == "localhost"
    assert config["server"]["enableXsrfProtection"] is True
    assert config["browser"]["gatherUsageStats"] is False


@pytest.mark.parametrize("case", ["OPS-003"], indirect=True)
def test_the_first_page_imports_no_umap_and_no_torch(case: dict[str, Any], tmp_path: Path) -> None:
    """OPS-003: the first paint comes before any model, in a fresh process."""
    script = tmp_path / "first_paint.py"
    script.write_text(
        f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from streamlit.testing.v1 import AppTest
from pages._ui import resources
resources.warm = lambda: None
at = AppTest.from_file({str(ROOT / "app.py")!r}, default_timeout=60).run()
assert not at.exception, at.exception
assert any("mg-figures" in h.proto.body for h in at.get("html"))
heavy = {{"umap", "numba", "torch", "transformers", "sentence_transformers", "sklearn"}}
print(sorted(sys.modules.keys() & heavy))
""",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, str(script)], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )

    assert case["expected"]["umap_imported_at_start"] is False
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().splitlines()[-1] == "[]"
