"""What is kept and left out, in a real browser, on fake models."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.serving import Scheme, Server, note, open_page, shoot, wait_for_stages

pytestmark = pytest.mark.browser


def opened(browser: Browser, server: Server, *, query: str = "", **more: object) -> Page:
    """Open the budget by its own link, as the first request of its session, and wait for its last part."""
    page = open_page(browser, f"{server.url}/tuning?tour=off&stages=3&part=budget{query}", **more)  # type: ignore[arg-type]
    page.locator(".mg-lost-pane").wait_for(timeout=60_000)
    expect(page.locator(".js-plotly-plot")).to_have_count(2, timeout=60_000)
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 1024])
def test_the_budget_in_both_themes_and_widths(
    browser: Browser, server: Server, scheme: Scheme, width: int
) -> None:
    """Screenshots for the eye; nothing may stick out of the page sideways."""
    page = opened(browser, server, width=width, height=1000, scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.set_viewport_size({"width": width, "height": 1500})
    page.wait_for_timeout(800)
    shoot(page, f"fake-budget-{scheme}-{width}")
    page.context.close()


def test_the_budget_by_keyboard(browser: Browser, server: Server) -> None:
    """Issue 5: the slider moves the mark and the context; the link opens both again."""
    page = opened(browser, server)
    slider = page.get_by_role("slider", name=re.compile("Token budget of the payload"))
    label = page.locator(".js-plotly-plot .annotation-text").first
    before, value = label.text_content() or "", slider.input_value()
    slider.focus()
    slider.press("PageDown")
    slider.press("PageDown")
    started = time.monotonic()
    expect(label).not_to_have_text(before, timeout=30_000)
    note("budget_slider_s", round(time.monotonic() - started, 3))
    tokens = int(slider.input_value())
    assert tokens < int(value)
    expect(page.locator(".st-key-tuning_budget_bar")).to_contain_text(f"At most {tokens:,} of")
    page.get_by_role("radio", name="Markdown").or_(page.get_by_text("Markdown", exact=True)).first.click()
    expect(page.get_by_role("button", name="Download context.md")).to_be_visible()
    with page.expect_download() as found:
        page.get_by_role("button", name="Download context.md").press("Enter")
    written = found.value.path().read_text("utf-8")
    assert written.startswith(("Context from", "Earlier messages by"))
    link = page.url
    assert "form=markdown" in link
    page.context.close()
    again = opened(
        browser, server, query=link.partition("part=budget")[2] + f"&reconstruction.payload_tokens={tokens}"
    )
    expect(again.get_by_role("slider", name=re.compile("Token budget of the payload"))).to_have_value(
        str(tokens)
    )
    again.context.close()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 1024)])
def test_a_fact_that_was_left_out_leads_to_its_place(
    browser: Browser, server: Server, scheme: Scheme, width: int
) -> None:
    """Issue 5: the omission list lights the message; quotes carry their sign; decisions their reason."""
    page = open_page(
        browser,
        f"{server.url}/?tour=off&stages=3&reconstruction.payload_tokens=120",
        width=width,
        scheme=scheme,
        height=1000,
    )
    wait_for_stages(page, 3)
    expect(page.locator(".mg-headline", has_text="Facts kept")).to_contain_text(re.compile(r"\d+ of \d+"))
    expect(page.locator(".mg-payload > .mg-verbatim").first).to_be_visible()
    shoot(page, f"fake-context-{scheme}-{width}")
    group = page.locator("details.mg-lost").first
    if group.get_attribute("open") is None:
        group.locator("summary").focus()
        page.keyboard.press("Enter")
    lost = group.locator("[data-fact]").first
    lost.focus()
    page.keyboard.press("Enter")
    spot = page.locator(".mg-transcript mark.mg-spot").first
    expect(spot).to_be_in_viewport()
    expect(page.locator(".mg-transcript .mg-lit")).to_have_count(1)
    expect(lost).to_have_class(re.compile("mg-on"))
    shoot(page, f"fake-left-out-{scheme}-{width}")
    page.get_by_role("button", name="Take along").click()
    expect(page.get_by_role("button", name="Download context.txt")).to_be_visible()
    shoot(page, f"fake-taking-{scheme}-{width}")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("tab", name="Key facts").click()
    expect(page.get_by_text("Rescue", exact=True)).to_be_visible()
    shoot(page, f"fake-settings-facts-{scheme}-{width}")
    page.get_by_role("tab", name="Compression").click()
    expect(page.get_by_text("Before the best is picked")).to_be_visible()
    shoot(page, f"fake-settings-compression-{scheme}-{width}")
    page.context.close()
