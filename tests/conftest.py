"""What every test may ask for: the handed cases, the installed models, a browser.

Where one is absent its tests are skipped with one plain reason. With CI=true that is a failure: a
run that has skipped them has not tested what it says.
"""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

from memguard.models.runtime import prepare_torch

# A busy machine is no fault: no example fails for being slow.
settings.register_profile("memguard", deadline=None)
settings.load_profile("memguard")

prepare_torch()  # before any test imports torch

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("MEMGUARD_SHARED") or ROOT.parent / "shared")
CASES = SHARED / "cases"


def missing(reason: str) -> None:
    """Skip, or fail where CI is true."""
    if os.environ.get("CI", "").lower() in {"1", "true"}:
        pytest.fail(f"CI must run this: {reason}", pytrace=False)
    pytest.skip(reason)


@cache
def browser_path() -> str | None:
    """Return the system's Chromium, if there is one."""
    found = filter(None, map(shutil.which, ("chromium", "google-chrome", "chromium-browser")))
    # A stub that only tells of a package to install is no browser.
    return next((path for path in found if _answers(path)), None)


def _answers(program: str) -> bool:
    done = subprocess.run([program, "--version"], capture_output=True, check=False, timeout=60)
    return done.returncode == 0


def weights_installed() -> bool:
    """Return whether the embedder and a summarizer are installed."""
    from memguard.models.loading import installed

    return {"embedder", "summarizer"} <= {entry.role for entry in installed()}


@pytest.fixture(scope="session")
def cases_folder() -> Path:
    """Where the handed cases lie, if they are there."""
    return CASES


def pytest_collection_finish() -> None:
    """Take what the imports made out of every later sweep of the garbage collector.

    With the model libraries that is millions of objects, which stay for good; a sweep over them takes a
    second, and falls where it will.
    """
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Look for what a test needs before any fixture, of whatever scope, starts a server or a browser."""
    if item.get_closest_marker("cases") and not any(CASES.glob("*.jsonl")):
        missing(f"the handed cases are not at {CASES} (set MEMGUARD_SHARED)")
    if item.get_closest_marker("browser") and browser_path() is None:
        missing("no Chromium is installed (scripts/test installs it)")
    if item.get_closest_marker("weights") and not weights_installed():
        missing("the models are not installed (memguard setup)")
