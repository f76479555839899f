"""Page Memory in a real browser: fill, preview, apply, undo, lineage, capture, lifecycle, chain."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.serving import Scheme, Server, note, open_page, shoot

pytestmark = pytest.mark.browser

_WAIT_MS = 30_000


def show(page: Page, name: str) -> None:
    """Open a view and wait until it is there."""
    page.locator(".st-key-memory-top").get_by_text(name, exact=True).click()
    expect(page.get_by_test_id("stSpinner")).to_have_count(0, timeout=_WAIT_MS)


def filled(page: Page) -> None:
    page.get_by_role("button", name="Fill the demonstration").click()
    expect(page.locator(".mg-drop.mg-mem-row").first).to_be_visible(timeout=_WAIT_MS)


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))


@pytest.mark.parametrize(
    ("width", "scheme"), [(1440, "light"), (1024, "light"), (1440, "dark"), (1024, "dark")]
)
def test_the_views_in_both_themes_and_widths(
    browser: Browser, server: Server, scheme: Scheme, width: int
) -> None:
    """Screenshots for the eye; nothing may stick out of the page sideways."""
    name = f"{scheme}-{width}"
    page = open_page(
        browser, f"{server.url}/memory", width=width, height=900 if width == 1440 else 768, scheme=scheme
    )
    expect(page.get_by_text("Nothing is remembered yet")).to_be_visible(timeout=_WAIT_MS)
    shoot(page, f"memory-empty-{name}")
    filled(page)
    shoot(page, f"memory-entries-{name}")
    assert fits(page)

    show(page, "Maintenance")
    expect(page.get_by_text("Would merge", exact=True).first).to_be_visible(timeout=_WAIT_MS)
    shoot(page, f"memory-merge-{name}")
    assert fits(page)
    page.get_by_role("option", name=re.compile("Contradictions")).click()
    expect(page.get_by_role("heading", name="Contradictions")).to_be_visible(timeout=_WAIT_MS)
    shoot(page, f"memory-contradictions-{name}")
    page.get_by_role("button", name="Apply all").click()
    expect(page.get_by_role("button", name="Done (7)")).to_be_visible(timeout=_WAIT_MS)
    page.get_by_role("button", name="Done (7)").click()
    expect(page.get_by_text("Done in this session")).to_be_visible(timeout=_WAIT_MS)
    shoot(page, f"memory-applied-{name}")
    page.keyboard.press("Escape")
    assert fits(page)

    show(page, "Entries")
    merged = page.locator(".mg-drop.mg-mem-row", has_text="coffee black").first
    merged.click()
    expect(page.locator(".js-plotly-plot")).to_be_visible(timeout=_WAIT_MS)
    page.wait_for_timeout(500)
    shoot(page, f"memory-lineage-{name}")
    assert fits(page)

    show(page, "Capture")
    page.get_by_role("button", name="Take the example").click()
    expect(page.locator(".mg-placeholder").first).to_be_visible(timeout=_WAIT_MS)
    shoot(page, f"memory-capture-{name}")
    assert fits(page)

    show(page, "Lifecycle")
    page.get_by_role("button", name="Run the lifecycle").click()
    expect(page.locator(".mg-phases")).to_be_visible(timeout=_WAIT_MS)
    shoot(page, f"memory-lifecycle-{name}")
    assert fits(page)

    show(page, "Store")
    expect(page.get_by_text("The chain is intact")).to_be_visible(timeout=_WAIT_MS)
    shoot(page, f"memory-store-{name}")
    assert fits(page)
    page.context.close()


_TIMED = """() => {
  window.redraws = [];
  let moved = null, was = null;
  const said = () => document.querySelector('.mg-step-head b')?.innerText;
  const look = () => {
    if (moved === null) return;
    if (said() !== was) { window.redraws.push(performance.now() - moved); moved = null; }
    else requestAnimationFrame(look);
  };
  window.addEventListener('keydown', () => { moved = performance.now(); was = said(); look(); }, true);
}"""


def test_a_moved_cosine_previews_at_once(browser: Browser, server: Server) -> None:
    """A slider move runs no model; the time from the key to the new preview is printed."""
    page = open_page(browser, f"{server.url}/memory?panel=maintenance")
    page.get_by_role("button", name="Fill the demonstration").click()
    slider = page.get_by_role("slider", name="Merge above this cosine")
    expect(slider).to_have_value("0.92", timeout=_WAIT_MS)
    page.evaluate(_TIMED)
    for n, key in enumerate(("PageDown", "PageUp", "PageDown", "PageUp"), 1):
        slider.press(key)
        page.wait_for_function(f"window.redraws.length === {n}", timeout=_WAIT_MS)
    times = page.evaluate("window.redraws")
    note("memory: cosine slider, ms from key to new preview", [round(t) for t in times])
    assert sorted(times)[len(times) // 2] < 1_000
    page.context.close()


def test_the_main_flow_by_keyboard(browser: Browser, server: Server) -> None:
    """Choose an entry with the arrows, merge, follow its lineage, undo; then capture as one types."""
    page = open_page(browser, f"{server.url}/memory")
    filled(page)
    table = page.get_by_role("listbox", name="Entries")
    table.focus()
    page.keyboard.press("ArrowDown")
    chosen = page.locator(".mg-mem-row[aria-selected=true] .mg-drop-text").inner_text()
    expect(page.locator(".mg-mem-said")).to_have_text(chosen, timeout=_WAIT_MS)

    show(page, "Maintenance")
    page.get_by_role("button", name="Apply this step").press("Enter")
    expect(page.get_by_role("button", name="Done (2)")).to_be_visible(timeout=_WAIT_MS)
    show(page, "Entries")
    page.get_by_label("Search").fill("coffee black, without sugar and")
    page.get_by_label("Search").press("Enter")
    expect(page.locator(".mg-drop.mg-mem-row")).to_have_count(1, timeout=_WAIT_MS)
    chart = page.locator(".js-plotly-plot")
    expect(chart).to_be_visible(timeout=_WAIT_MS)
    page.wait_for_timeout(500)
    chart.locator(".scatterlayer .points path").nth(1).click(force=True)
    expect(page.locator(".mg-mem-state")).to_contain_text("Superseded", timeout=_WAIT_MS)
    shoot(page, "memory-lineage-followed")
    page.keyboard.press("Alt+z")
    expect(page.locator(".mg-drop.mg-mem-row")).to_have_count(2, timeout=_WAIT_MS)

    show(page, "Capture")
    box = page.get_by_label("Text to capture")
    box.fill("Lena's number is +351 912 000 111, and she plays the cello.")
    expect(page.locator(".mg-leaving")).to_contain_text("[PHONE_1]", timeout=_WAIT_MS)
    page.get_by_role("button", name="Capture", exact=True).click()
    expect(page.locator(".mg-outcome")).to_contain_text("Stored", timeout=_WAIT_MS)
    expect(box).to_have_value("")
    shoot(page, "memory-captured")
    page.get_by_role("button", name="Show the entry").click()
    expect(page.locator(".mg-mem-said")).to_contain_text("[PHONE_1]", timeout=_WAIT_MS)

    other = open_page(browser, f"{server.url}/memory")
    expect(other.get_by_text("Nothing is remembered yet")).to_be_visible(timeout=_WAIT_MS)
    other.context.close()
    page.context.close()
