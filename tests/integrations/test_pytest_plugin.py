"""The pytest plugin, in runs of pytest of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import tests.support  # noqa: F401  loaded here, so that a run inside this process does not load it anew

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parents[2]
MODULE = "memguard.integrations.pytest_plugin"
INSTALLED = any(point.value == MODULE for point in entry_points(group="pytest11"))
LOADED = () if INSTALLED else ("-p", MODULE)
FAKES = """
import pytest
from tests.support import guard

@pytest.fixture(scope="session")
def memguard_guard():
    return guard()
"""
MESSAGES = [
    {"id": "m1", "role": "user", "content": "The deposit is 400 euros."},
    {"id": "m2", "role": "assistant", "content": "The offsite moved to March 19."},
]


def run(pytester: pytest.Pytester, test: str, *arguments: str) -> pytest.RunResult:
    """Run a test that may ask for ``memguard_check`` on fakes."""
    pytester.makeconftest(FAKES)
    pytester.makepyfile(f"MESSAGES = {MESSAGES!r}\n{test}")
    return pytester.runpytest_inprocess(*LOADED, "-p", "no:cacheprovider", *arguments)


def test_a_supported_summary_passes_and_gives_its_run(pytester):
    result = run(
        pytester,
        """
def test_it(memguard_check):
    trace = memguard_check("The deposit is 400 euros.", MESSAGES)
    assert len(trace.conversation) == 2
""",
    )

    result.assert_outcomes(passed=1)


def test_a_dropped_claim_fails_the_test_and_is_reported_with_its_evidence(pytester):
    result = run(
        pytester,
        """
def test_it(memguard_check):
    memguard_check("The deposit is 500 euros. The offsite moved to March 19.", MESSAGES)
""",
    )

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*memguard_check(*",
            "E*AssertionError: 1 claim of the summary dropped (1 of 2 claims kept; audit head *)",
            "E*c1 dropped, contradicted by m1: The deposit is 500 euros. (*)",
            "E*nearest: m1: The deposit is 400 euros.",
        ],
        consecutive=False,
    )
    result.stdout.no_fnmatch_line("*pytest_plugin.py*")


def test_as_many_as_told_may_be_dropped(pytester):
    result = run(
        pytester,
        """
def test_it(memguard_check):
    memguard_check("The deposit is 500 euros.", MESSAGES, most_dropped=1)

def test_too_many(memguard_check):
    memguard_check("The deposit is 500 euros. A yacht waits in Rio.", MESSAGES, most_dropped=1)
""",
    )

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*2 claims of the summary dropped; 1 would have been allowed*"])


def test_a_transcript_may_be_given_by_its_path(pytester):
    path = pytester.path / "chat.json"
    path.write_text(json.dumps(MESSAGES), encoding="utf-8")

    result = run(
        pytester,
        """
from pathlib import Path

def test_it(memguard_check):
    memguard_check("The deposit is 400 euros.", Path("chat.json"))
    memguard_check("The deposit is 400 euros.", "chat.json")
""",
    )

    result.assert_outcomes(passed=1)


@pytest.mark.parametrize("way", ["flag", "ini"])
def test_settings_come_from_a_file(pytester, way):
    (pytester.path / "guard.toml").write_text('[elimination]\npreset = "strict"\n', encoding="utf-8")
    pytester.makepyfile(
        """
def test_it(memguard_guard):
    assert memguard_guard.settings.elimination.preset == "strict"
"""
    )
    if way == "ini":
        pytester.makeini("[pytest]\nmemguard_settings = guard.toml")
    arguments = ("--memguard-settings", "guard.toml") if way == "flag" else ()

    pytester.runpytest_inprocess(*LOADED, "-p", "no:cacheprovider", *arguments).assert_outcomes(passed=1)


def test_loading_the_plugin_imports_nothing_but_itself():
    """It is loaded by every run of pytest, whether a test asks for it or not."""
    code = (
        "import sys, pytest\n"
        "before = set(sys.modules)\n"
        f"import {MODULE}\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)

    assert done.stdout.split() == ["memguard", "memguard.integrations", MODULE]
