"""Dropped claims and Audit in a real browser, on the hand-made run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from memguard import audit
from tests.app.handmade import TALK
from tests.e2e.serving import Scheme, Server, open_page, paste, run_all, shoot

pytestmark = pytest.mark.browser
NOTE = "Agreed on the phone <b>today</b>"


@pytest.fixture
def page(browser: Browser, server: Server) -> Iterator[Page]:
    opened = judged(browser, server)
    yield opened
    opened.context.close()


def judged(browser: Browser, server: Server, width: int = 1440, scheme: Scheme = "light") -> Page:
    """A session whose run has claims of every label, on the Dropped claims page."""
    page = open_page(browser, server.url, width=width, height=900 if width == 1440 else 768, scheme=scheme)
    paste(page, json.dumps(TALK))
    run_all(page)
    page.get_by_role("link", name="Dropped claims").click()
    page.wait_for_selector(".mg-drop")
    expect(page.get_by_label("Search")).to_be_visible()
    return page


def row(page: Page, claim: str) -> Locator:
    return page.locator(f'.mg-drop[data-claim="{claim}"]')


def note_of(page: Page, claim: str) -> Locator:
    """The note of one claim: a choice takes a moment to reach it."""
    return page.locator(f"[class*=st-key-dropped-note-{claim}] textarea")


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (1440, "dark"), (1024, "light")])
def test_the_pages_in_both_themes_and_widths(
    browser: Browser, server: Server, width: int, scheme: Scheme
) -> None:
    """Screenshots for the eye; nothing may stick out of the page sideways."""
    page = judged(browser, server, width, scheme)
    row(page, "c1").click()
    expect(page.locator(".mg-why-head")).to_contain_text("the transcript says otherwise")
    shoot(page, f"dropped-{scheme}-{width}")
    assert fits(page)
    note_of(page, "c1").fill(NOTE)
    page.get_by_role("button", name="Keep", exact=True).click()
    expect(page.locator(".mg-why-head")).to_contain_text(f"Kept by a person: {NOTE}")
    shoot(page, f"dropped-kept-{scheme}-{width}")
    page.get_by_role("link", name="Audit").click()
    page.get_by_text("The chain is intact").wait_for()
    shoot(page, f"audit-{scheme}-{width}")
    page.locator("details.mg-record > summary.mg-node-head").nth(2).click()
    expect(page.locator(".mg-record-table").get_by_text(NOTE)).to_be_visible()
    shoot(page, f"audit-open-{scheme}-{width}")
    assert fits(page)
    page.context.close()


def test_a_claim_is_chosen_by_keyboard_and_decided_by_shortcut(page: Page) -> None:
    """Issue 4: usable by keyboard; undo and redo reachable."""
    chosen = page.locator('.mg-drop[aria-selected="true"]')
    first = chosen.get_attribute("data-claim")
    page.locator(".mg-drops").focus()
    page.keyboard.press("ArrowDown")
    expect(chosen).not_to_have_attribute("data-claim", first or "")
    second = chosen.get_attribute("data-claim") or ""
    expect(page.locator(".mg-why-head code")).to_have_text(second)
    page.get_by_role("button", name="Keep", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.locator(".mg-why-head")).to_contain_text("Kept by a person")
    page.locator(".mg-drops").focus()
    page.keyboard.press("Alt+z")
    expect(page.locator(".mg-why-head")).not_to_contain_text("Kept by a person")
    page.keyboard.press("Alt+Shift+z")
    expect(page.locator(".mg-why-head")).to_contain_text("Kept by a person")
    expect(page.locator(".mg-drops")).to_be_focused()


def test_the_setting_brings_the_claim_back(page: Page) -> None:
    """Issue 4: a person finds the setting that would bring a claim back, in the app alone."""
    row(page, "c1").click()
    button = page.get_by_role("button", name=re.compile("Set minimum support to"))
    button.click()
    expect(row(page, "c1").locator("small")).not_to_contain_text("Dropped")
    page.get_by_role("button", name="Undo").click()
    expect(row(page, "c1").locator("small")).to_contain_text("Dropped: contradicted")


def test_the_chain_goes_out_and_comes_back(page: Page, tmp_path: Path) -> None:
    """Issue 4: export in four forms; import of an earlier audit, read-only, whole or tampered."""
    row(page, "c1").click()
    note_of(page, "c1").fill(NOTE)
    page.get_by_role("button", name="Keep", exact=True).click()
    expect(page.locator(".mg-why-head")).to_contain_text("Kept by a person")
    page.get_by_role("link", name="Audit").click()
    page.get_by_text("The chain is intact").wait_for()
    page.get_by_role("button", name="Export").click()
    files = {}
    for label in ("JSONL", "HTML report", "Markdown", "CSV"):
        with page.expect_download() as waiting:
            page.get_by_role("button", name=label).click()
        path = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(path)
        files[label] = path
    page.keyboard.press("Escape")
    chain = files["JSONL"].read_text("utf-8")
    assert audit.verify_text(chain).intact
    assert NOTE in files["CSV"].read_text("utf-8-sig")
    assert "&lt;b&gt;today" in files["HTML report"].read_text("utf-8")

    tampered = tmp_path / "tampered.jsonl"
    tampered.write_text(chain.replace("Agreed on the phone", "Agreed by everybody"), "utf-8")
    page.get_by_role("button", name="Open an audit").click()
    page.locator("input[type=file]").set_input_files(tampered)
    expect(page.locator(".mg-verdict")).to_contain_text("The chain is broken")
    page.keyboard.press("Escape")
    expect(page.locator(".mg-opened")).to_contain_text("tampered.jsonl is shown read-only")
    shoot(page, "audit-tampered")
    page.get_by_role("button", name="Close it").click()
    expect(page.locator(".mg-verdict")).to_contain_text("The chain is intact")

    report = page.context.new_page()
    requests: list[str] = []
    report.on("request", lambda request: requests.append(request.url))
    report.goto(files["HTML report"].as_uri())
    expect(report.locator("h1")).to_have_text("Pasted text")
    assert requests == [files["HTML report"].as_uri()]
    report.emulate_media(media="print")
    shoot(report, "audit-report-print")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_focus_is_visible_in_the_navigation(browser: Browser, server: Server, scheme: Scheme) -> None:
    """Issue 4: focus visible; Streamlit itself only tints the link, at 1.1 : 1."""
    page = open_page(browser, f"{server.url}/dropped?tour=off", scheme=scheme)
    link = page.get_by_role("link", name="Threshold tuning")
    for _ in range(12):
        page.keyboard.press("Tab")
        if link.evaluate("one => one === document.activeElement"):
            break
    style = "one => [getComputedStyle(one).outlineStyle, getComputedStyle(one).outlineWidth]"
    assert link.evaluate(style) == ["solid", "2px"]
    page.context.close()
