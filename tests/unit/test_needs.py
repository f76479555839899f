"""What a test run says where the cases, the models or the browser are missing."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import missing

ROOT = Path(__file__).resolve().parents[2]
NEEDY = {
    "tests/cases/test_splitting.py::test_splitting_needs_no_network_and_no_download": (
        "the handed cases are not at /nonexistent/cases (set MEMGUARD_SHARED)"
    ),
    "tests/unit/test_tokens.py": "the models are not installed (memguard setup)",
    "tests/e2e/test_browser.py": "no Chromium is installed (scripts/test installs it)",
}


def run_needy(tmp_path, ci):
    """Run in a fresh process, with nothing there, the tests that need something."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--color=no", "-rsE"),
            *("-m", "cases or weights or browser", *NEEDY),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={
            **os.environ,
            "MEMGUARD_SHARED": "/nonexistent",
            "MEMGUARD_HOME": "/nonexistent",
            "PATH": str(tmp_path),
            "COLUMNS": "200",
            "CI": ci,
        },
    )
    return done.returncode, done.stdout + done.stderr


def outcomes(text):
    """Return how many tests had each outcome."""
    return {word: int(n) for n, word in re.findall(r"(\d+) (\w+)", text.strip().splitlines()[-1])}


def test_what_is_missing_fails_the_run_in_ci(tmp_path):
    """A run that has skipped these tests has not tested what it says."""
    code, text = run_needy(tmp_path, "true")

    assert code == pytest.ExitCode.TESTS_FAILED, text
    assert not {"passed", "skipped"} & set(outcomes(text)), text
    for reason in NEEDY.values():
        assert f"CI must run this: {reason}" in text


def test_what_is_missing_is_skipped_with_one_plain_reason_elsewhere(tmp_path):
    code, text = run_needy(tmp_path, "")

    assert code == pytest.ExitCode.OK, text
    assert set(outcomes(text)) <= {"skipped", "deselected"}, text
    skipped = [line.split(": ", 1)[1] for line in text.splitlines() if line.startswith("SKIPPED")]
    assert sorted(set(skipped)) == sorted(NEEDY.values())


@pytest.mark.parametrize(
    ("ci", "outcome"),
    [
        *((value, pytest.fail.Exception) for value in ("true", "True", "1")),
        *((value, pytest.skip.Exception) for value in ("", "false", "0", None)),
    ],
)
def test_ci_is_true_or_one(ci, outcome, monkeypatch):
    monkeypatch.delenv("CI", raising=False)
    if ci is not None:
        monkeypatch.setenv("CI", ci)

    with pytest.raises(outcome, match="no such thing"):
        missing("no such thing")
