"""Security of issue 4 in a real browser: no script of a transcript runs, no request leaves."""

from __future__ import annotations

import json
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Request

from tests.app.hostile import HOSTILE, MESSAGES, shown
from tests.e2e.serving import ROOT, Server, open_page, paste, run_all, shoot

pytestmark = pytest.mark.browser

PAGES = ("dropped", "tuning", "map", "drift_lab", "audit")


def test_no_script_runs_and_no_request_leaves_on_any_page(browser: Browser, server: Server) -> None:
    page = open_page(browser, server.url)
    page.set_default_timeout(120_000)  # a busy machine is no fault
    left: list[str] = []
    dialogs: list[str] = []

    def note(request: Request) -> None:
        if urlsplit(request.url).hostname not in {"localhost", "127.0.0.1", None, ""}:
            left.append(request.url)

    page.context.on("request", note)
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    paste(page, json.dumps(MESSAGES))
    page.wait_for_function(f"document.querySelectorAll('.mg-message').length === {len(MESSAGES)}")
    texts = page.evaluate("[...document.querySelectorAll('.mg-text')].map(e => e.textContent)")
    assert texts == [shown(content) for content in HOSTILE.values()]
    run_all(page)
    page.get_by_role("tab", name="Claims").click()
    shoot(page, "fake-hostile-pipeline")
    titles = page.locator("[data-testid=stTopNavLink]")
    for name in [name for name in PAGES if (ROOT / "pages" / f"{name}.py").is_file()]:
        titles.locator(f"xpath=self::*[contains(@href, '{name}')]").first.click()
        page.wait_for_url(f"**/{name}*")
        page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
        page.wait_for_timeout(1_000)  # what the last message brought is drawn
        for opened in page.locator("main details > summary").all()[:8]:
            if opened.is_visible():
                opened.click()
        shoot(page, f"fake-hostile-{name}")
        assert page.evaluate("window.hacked === undefined"), name
        assert page.locator("main iframe, main script, main img[src=x]").count() == 0, name
        links = page.evaluate("[...document.querySelectorAll('main a')].map(a => a.href)")
        assert not [link for link in links if "evil" in link or link.startswith("javascript:")], name
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), name
    assert not left
    assert not dialogs
    page.context.close()
