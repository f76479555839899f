"""The first ten minutes: from the first paint to dropped claims, on every page, in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.serving import Scheme, Server, open_page, shoot, wait_for_map, wait_for_stages

pytestmark = pytest.mark.browser
CHECK = "Check a drifted summary"
SAID = "9 of its 18 sentences are wrong on purpose"


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))


def go(page: Page, name: str) -> None:
    page.get_by_role("link", name=name, exact=True).click()
    expect(page.locator(".mg-title").first).to_contain_text(name)


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (1024, "dark")])
def test_the_tour_leads_to_dropped_claims_on_every_page(
    browser: Browser, server: Server, width: int, scheme: Scheme
) -> None:
    page = open_page(browser, server.url, width=width, scheme=scheme)
    page.get_by_role("button", name="Next", exact=True).click()
    page.get_by_role("button", name=CHECK).click()
    wait_for_stages(page, 3)
    expect(page.locator(".st-key-planted-pipeline")).to_contain_text(SAID)
    expect(page.locator(".st-key-tour")).to_contain_text("Ask why")
    expect(page.locator(".mg-stage").first).to_contain_text("handed in")
    assert fits(page)
    shoot(page, f"planted-pipeline-{scheme}-{width}")

    go(page, "Dropped claims")
    expect(page.locator(".st-key-planted-dropped")).to_contain_text(SAID)
    expect(page.locator(".mg-drop").first).to_be_visible()
    assert page.evaluate("window.scrollY") == 0  # the list shows its choice without moving the page
    assert fits(page)
    shoot(page, f"planted-dropped-{scheme}-{width}")
    for name in ("Threshold tuning", "Embedding map", "Audit"):
        go(page, name)
        if name == "Embedding map":
            wait_for_map(page)
        expect(page.get_by_text("contradicted").or_(page.get_by_text("not found")).first).to_be_attached()
        assert fits(page), name
    page.context.close()


def test_a_copied_link_opens_the_drifted_summary_and_back_leads_to_the_page_before(
    browser: Browser, server: Server
) -> None:
    """The link is the first request of another session; Back goes to the page before, with its run."""
    page = open_page(browser, f"{server.url}/dropped")
    page.get_by_role("button", name=CHECK).click()
    expect(page.locator(".mg-drop").first).to_be_visible()
    page.wait_for_url("**summary=drifted**")
    other = open_page(browser, page.url)
    expect(other.locator(".st-key-planted-dropped")).to_contain_text(SAID)
    expect(other.locator(".mg-drop")).to_have_text(page.locator(".mg-drop").all_text_contents())
    other.context.close()

    go(page, "Audit")
    page.wait_for_url("**/audit?**summary=drifted**")
    while "/audit" in page.url:
        page.go_back()
    expect(page.locator(".mg-title").first).to_contain_text("Dropped claims")
    expect(page.locator(".st-key-planted-dropped")).to_contain_text(SAID)
    page.context.close()


def test_a_summary_of_ones_own_is_checked(browser: Browser, server: Server) -> None:
    page = open_page(browser, f"{server.url}?tour=off")
    page.get_by_role("button", name="Summary", exact=True).click()
    area = page.get_by_label("Or paste a summary of this conversation")
    area.fill("Lighthouses sleep at noon <img src=x onerror=alert(1)>.")
    page.get_by_role("button", name="Check it").click()
    wait_for_stages(page, 3)
    page.get_by_role("tab", name="Paragraph").click()
    expect(page.locator(".mg-paragraph")).to_have_text(
        "Lighthouses sleep at noon <img src=x onerror=alert(1)>."
    )
    expect(page.locator(".mg-results")).to_contain_text("This summary was handed in")
    assert "stages" not in page.url
    shoot(page, "planted-own")
    page.context.close()
