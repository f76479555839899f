"""Page Threshold tuning in a real browser, on fake models."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.serving import Scheme, Server, note, open_page, shoot

pytestmark = pytest.mark.browser

SETTINGS = "&pin=balanced:0.3:0.5&elimination.min_support=0.65&elimination.min_similarity=0.45"
"""Thresholds that drop some claims, and A where none is."""


def opened(browser: Browser, server: Server, *, query: str = "", **more: object) -> Page:
    """Open the page by its own link, as the first request of its session, and wait for its last part."""
    page = open_page(browser, f"{server.url}/tuning?stages=3{query}", **more)  # type: ignore[arg-type]
    page.locator(".mg-rates").wait_for(timeout=60_000)
    expect(page.locator(".js-plotly-plot")).to_have_count(4, timeout=60_000)
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 1024])
def test_the_page_in_both_themes_and_widths(
    browser: Browser, server: Server, scheme: Scheme, width: int
) -> None:
    """Screenshots for the eye; nothing may stick out of the page sideways."""
    page = opened(browser, server, width=width, height=1000, scheme=scheme, query=SETTINGS)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    # The whole page scrolls inside Streamlit's frame: a tall window shows all of it.
    page.set_viewport_size({"width": width, "height": 2100})
    page.wait_for_timeout(800)
    shoot(page, f"fake-tuning-{scheme}-{width}")
    page.context.close()


def test_the_main_flow_by_keyboard(browser: Browser, server: Server) -> None:
    """Issue 4: move a threshold, see its line and what changed, go back, copy the settings."""
    page = opened(browser, server, query="&pin=balanced:0.3:0.5")
    kept = page.locator(".mg-headline dd").first
    expect(page.locator(".mg-same")).to_contain_text("A and B are the same setting")
    all_kept = int(kept.inner_text())
    slider = page.get_by_role("slider", name="Minimum support (higher = stricter)")
    slider.focus()
    for _ in range(3):
        slider.press("PageUp")
    expect(slider).to_have_value("0.8")
    started = time.monotonic()
    expect(page.locator(".mg-ab")).to_contain_text("support 0.80", timeout=30_000)
    note("tuning_slider_s", round(time.monotonic() - started, 3))
    gone = page.locator(".mg-changes .mg-change")
    expect(gone).to_have_count(all_kept - int(kept.inner_text()))
    expect(gone.first).to_contain_text("would be kept at")
    labels = page.locator(".js-plotly-plot .annotation-text").all_text_contents()
    assert "minimum 0.80" in labels
    assert any(label.startswith("now 0.80") for label in labels)
    expect(page.get_by_test_id("stCode").first).to_contain_text("min_support = 0.8")
    link = page.get_by_test_id("stCode").last.inner_text().replace("\n", "")
    shoot(page, "fake-tuning-moved")
    page.get_by_role("button", name="Back to A").press("Enter")
    expect(page.locator(".mg-same")).to_be_visible(timeout=30_000)
    expect(kept).to_have_text(str(all_kept))
    assert link.startswith(f"{server.url}/tuning?")
    page.context.close()
    copied = open_page(browser, link)
    copied.locator(".mg-ab").wait_for(timeout=60_000)
    expect(copied.locator(".mg-ab")).to_contain_text("support 0.80")
    copied.context.close()


def test_all_samples_are_measured_with_progress_and_leaving_stops_it(
    browser: Browser, server: Server
) -> None:
    """Issue 4: over all samples; what is done when a person leaves stays, and the next press goes on."""
    page = open_page(browser, f"{server.url}/tuning?over=samples", height=1000)
    page.get_by_role("button", name="Measure all samples").click(timeout=60_000)
    page.get_by_test_id("stProgress").wait_for(timeout=60_000)
    page.get_by_text("samples are measured").wait_for()
    page.get_by_role("link", name="Audit").click()
    page.get_by_text("No stage has run yet").wait_for(timeout=60_000)
    page.get_by_role("link", name="Threshold tuning").click()
    again = page.get_by_role("button", name=re.compile("Measure all samples|Continue"))
    again.click(timeout=60_000)
    expect(again).to_have_count(0, timeout=400_000)
    expect(page.locator(".js-plotly-plot")).to_have_count(4, timeout=60_000)
    assert "over=samples" in page.url
    shoot(page, "fake-tuning-samples")
    page.context.close()
