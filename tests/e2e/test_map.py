"""The Embedding map page in a real browser, on fake models and with real UMAP."""

from __future__ import annotations

import json
import time

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.serving import Scheme, Server, note, open_page, paste, run_all, shoot

pytestmark = pytest.mark.browser

_POINTS = """
() => [...document.querySelectorAll('.js-plotly-plot')].map(plot => plot._fullData
    .filter(t => t.customdata).flatMap(t => [...t.customdata].map((n, i) => [n, t.x[i], t.y[i]])))[0]
    .sort((a, b) => a[0] - b[0])
"""
_PLACE = """
number => {
  const plot = document.querySelector('.js-plotly-plot');
  for (const t of plot._fullData.filter(t => t.customdata)) {
    const i = [...t.customdata].indexOf(number);
    if (i < 0) continue;
    const box = plot.getBoundingClientRect(), {xaxis, yaxis, _size} = plot._fullLayout;
    return [box.x + _size.l + xaxis.l2p(t.x[i]) + xaxis._offset - _size.l,
            box.y + yaxis._offset + yaxis.l2p(t.y[i])];
  }
}
"""


def open_map(page: Page) -> None:
    page.get_by_role("link", name="Embedding map").click()
    page.locator(".st-key-map_bar").wait_for()
    settle(page)


def settle(page: Page) -> None:
    """Wait until the page has been at rest for half a second: one map, nothing stale, nothing running."""
    page.wait_for_function(
        """() => {
          const rest = document.querySelectorAll('.js-plotly-plot').length === 1
            && !document.querySelector('[data-stale=true], [data-testid=stStatusWidget]');
          window.restingSince = rest ? window.restingSince ?? performance.now() : undefined;
          return rest && performance.now() - window.restingSince > 500;
        }""",
        timeout=120_000,
        polling=50,
    )


def click_point(page: Page, number: int) -> None:
    x, y = page.evaluate(_PLACE, number)
    page.mouse.move(x - 3, y - 3)
    page.mouse.move(x, y, steps=3)
    page.wait_for_timeout(200)
    page.mouse.click(x, y)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 1024])
def test_the_pictures_in_both_themes_and_widths(
    browser: Browser, server: Server, scheme: Scheme, width: int
) -> None:
    """Screenshots for the eye; nothing may stick out of the page sideways."""
    page = open_page(browser, server.url, width=width, height=1400, scheme=scheme)
    name = f"{scheme}-{width}"
    run_all(page)
    open_map(page)
    page.locator(".mg-sentence").nth(4).click()
    page.locator(".mg-near").wait_for()
    page.get_by_text("Trail", exact=True).click()
    settle(page)
    shoot(page, f"map-verdict-{name}")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    for colour in ("Speaker", "Similarity", "Stage"):
        page.get_by_role("radio", name=colour).click()
        settle(page)
        if width == 1440:
            shoot(page, f"map-{colour.lower()}-{name}")
    for picture in ("Before and after", "Replay"):
        page.get_by_role("radio", name=picture).click()
        settle(page)
        if picture == "Before and after":
            page.get_by_text("Measured separation").wait_for()
            page.get_by_role("slider", name="Neighbourhood smoothing").press("PageUp")
            settle(page)
        shoot(page, f"map-{picture.split()[0].lower()}-{name}")
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.context.close()


def test_a_point_a_row_and_a_sentence_are_linked(browser: Browser, server: Server) -> None:
    """A click on a point marks its row and lights its sentence; a row and a sentence mark their point."""
    page = open_page(browser, server.url, height=1400)
    run_all(page)
    open_map(page)
    places = page.evaluate(_POINTS)
    began = time.monotonic()
    click_point(page, 7)
    page.locator(".mg-point").wait_for()
    note("map: a clicked point is listed (s)", round(time.monotonic() - began, 2))
    words = page.locator(".mg-point q").inner_text()
    lit = page.locator(".mg-sentence.mg-on")
    expect(lit).to_have_text(words)
    expect(lit).to_be_in_viewport()
    expect(page.locator(".mg-near li")).to_have_count(5)
    assert "point=source" in page.url

    page.locator(".mg-sentence").nth(20).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator(".mg-point q")).to_have_text(page.locator(".mg-sentence").nth(21).inner_text())
    expect(page.locator(".mg-sentence").nth(21)).to_have_attribute("aria-pressed", "true")

    settle(page)
    table = page.get_by_test_id("stDataFrame")
    box = table.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 20, box["y"] + 35 + 35 * 2.5)  # the third row, below the pinned one
    page.locator(".mg-point-head", has_text="Claim").wait_for()
    expect(page.locator(".mg-map-transcript .mg-lit")).to_have_count(1)
    settle(page)
    assert page.evaluate(_POINTS) == places  # nothing that was chosen moved the map
    shoot(page, "map-claim-selected")
    page.get_by_role("link", name="Pipeline").click()
    page.locator(".mg-claim.mg-on").wait_for(state="attached", timeout=30_000)
    page.context.close()


def test_the_replay_plays_without_the_server(browser: Browser, server: Server) -> None:
    """Play, Pause and the slider move the map; no message goes to the server meanwhile."""
    page = open_page(browser, server.url, height=1000)
    sent: list[object] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    page.reload()
    page.wait_for_selector(".mg-title")
    run_all(page)
    open_map(page)
    page.get_by_role("radio", name="Replay").click()
    page.get_by_text("Press Play").wait_for()
    settle(page)
    shown = "document.querySelector('.js-plotly-plot')._fullData.filter(t => t.visible === true).length"
    n_all = page.evaluate(shown)
    sent.clear()
    page.locator(".updatemenu-button", has_text="Play").click()
    page.wait_for_function(f"{shown} < {n_all}")
    first = page.evaluate(shown)
    page.wait_for_function(f"{shown} > {first}")
    page.locator(".updatemenu-button", has_text="Pause").click()
    page.wait_for_timeout(700)
    paused = page.evaluate(shown)
    page.wait_for_timeout(1_200)
    assert page.evaluate(shown) == paused < n_all
    assert not sent
    shoot(page, "map-replay-paused")
    page.context.close()


def test_a_hostile_transcript_is_shown_and_runs_nothing(browser: Browser, server: Server) -> None:
    said = '<script>window.hacked = 1</script> <img src=x onerror="window.hacked = 2"> :red[no] $5 and $6.'
    page = open_page(browser, server.url, height=1400)
    talk = [{"role": "user", "speaker": "Mallory <b>", "content": f"{said} Number {i}."} for i in range(6)]
    paste(page, json.dumps(talk))
    run_all(page)
    open_map(page)
    page.locator(".mg-sentence").first.click()
    page.locator(".mg-point").wait_for()
    page.get_by_role("radio", name="Speaker").click()
    page.get_by_text("Mallory <b> ", exact=False).first.wait_for()
    settle(page)
    shown = page.evaluate(
        "[...document.querySelectorAll('.mg-map-transcript .mg-text')].map(e => e.textContent)"
    )
    assert shown == [message["content"] for message in talk]
    click_point(page, 3)
    assert page.evaluate("window.hacked === undefined")
    page.context.close()
