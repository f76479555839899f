"""What every test may ask for: the handed cases, the installed models, a browser.

Where one is absent its tests are skipped with one plain reason. With CI=true that is a failure: a
run that has skipped them has not tested what it says.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import settings

from memguard.models.runtime import prepare_torch

# A busy machine is no fault: no example fails for being slow.
settings.register_profile("memguard", deadline=None)
settings.load_profile("memguard")

prepare_torch()  # before any test imports torch

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("MEMGUARD_SHARED", ROOT.parent / "shared"))


def missing(reason: str) -> None:
    """Skip, or fail where CI is true."""
    if os.environ.get("CI", "").lower() in {"1", "true"}:
        pytest.fail(f"CI must run this: {reason}", pytrace=False)
    pytest.skip(reason)


def browser_path() -> str | None:
    """Return the system's Chromium, if there is one."""
    return next(filter(None, map(shutil.which, ("chromium", "google-chrome", "chromium-browser"))), None)


def weights_installed() -> bool:
    """Return whether the embedder and a summarizer are installed."""
    from memguard.models.loading import installed

    return {"embedder", "summarizer"} <= {entry.role for entry in installed()}


@pytest.fixture(autouse=True)
def _needs(request: pytest.FixtureRequest) -> None:
    if request.node.get_closest_marker("cases") and not (SHARED / "cases").is_dir():
        missing(f"the handed cases are not at {SHARED / 'cases'} (set MEMGUARD_SHARED)")
    if request.node.get_closest_marker("browser") and browser_path() is None:
        missing("no Chromium is installed (scripts/test installs it)")
    if request.node.get_closest_marker("weights") and not weights_installed():
        missing("the models are not installed (memguard setup)")
