"""One browser and one server a session."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.e2e.serving import FAKE_APP, ROOT, Server, launch, serving


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = launch(playwright)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The app on fake models."""
    with serving(FAKE_APP, tmp_path_factory.mktemp("fake_app")) as running:
        yield running


@pytest.fixture(scope="module")
def real_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The app on the installed models."""
    with serving(Path(ROOT / "app.py"), tmp_path_factory.mktemp("app")) as running:
        yield running
