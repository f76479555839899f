"""Page Drift lab in a real browser: injecting, typing, measuring, playing."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.serving import Scheme, Server, note, open_page, shoot

pytestmark = pytest.mark.browser


def opened(browser: Browser, server: Server, query: str = "", **more: object) -> Page:
    page = open_page(browser, f"{server.url}/drift_lab{query}", **more)  # type: ignore[arg-type]
    page.get_by_role("radiogroup", name="View").or_(page.get_by_text("Catch rate")).first.wait_for()
    return page


def view(page: Page, name: str) -> None:
    page.get_by_text(name, exact=True).click()


@pytest.mark.parametrize(
    ("scheme", "width"), [("light", 1440), ("dark", 1440), ("light", 1024), ("dark", 1024)]
)
def test_the_three_views_in_both_themes_and_widths(
    browser: Browser, server: Server, scheme: Scheme, width: int
) -> None:
    """Screenshots for the eye; nothing may stick out of the page sideways."""
    name = f"{scheme}-{width}"
    height = 900 if width == 1440 else 768
    page = opened(
        browser, server, "?sample=support_refund&round=4", scheme=scheme, width=width, height=height
    )
    for _ in range(3):
        before = page.locator(".mg-injections li").count()
        page.get_by_role("button", name="Inject", exact=True).click()
        expect(page.locator(".mg-injections li")).to_have_count(before + 1, timeout=20_000)
    expect(page.locator(".mg-lab-head")).to_contain_text("of 3", timeout=20_000)
    expect(page.locator(".mg-editor-back .mg-injected")).not_to_have_count(0, timeout=20_000)
    shoot(page, f"fake-drift-inject-{name}")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    view(page, "Catch rate")
    page.locator(".mg-rates").wait_for()
    shoot(page, f"fake-drift-rates-{name}")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    view(page, "Spot the drift")
    boxes = page.get_by_role("checkbox")
    expect(boxes).to_have_count(8)
    boxes.nth(1).focus()
    page.keyboard.press("Space")
    expect(boxes.nth(1)).to_be_checked()
    shoot(page, f"fake-drift-game-{name}")
    page.get_by_role("button", name="Reveal").click()
    expect(page.locator("li.mg-told")).to_have_count(8, timeout=20_000)
    shoot(page, f"fake-drift-revealed-{name}")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.context.close()


def test_verdicts_follow_what_is_typed(browser: Browser, server: Server) -> None:
    """Each verdict as you type: without leaving the text area, and nothing typed is lost."""
    page = opened(browser, server, "?sample=support_refund")
    area = page.get_by_role("textbox", name="Summary")
    area.wait_for()
    page.locator(".mg-lab-claim").first.wait_for()
    area.fill("Devon emailed the returns label.")
    expect(page.locator(".mg-lab-claim")).to_have_count(1, timeout=20_000)
    area.press("End")
    page.keyboard.type(" Purple elephants dance in Oslo.", delay=15)
    page.evaluate(
        "() => { window.typedAt = performance.now(); window.seen = new Promise(done => { const look = () =>"
        " document.querySelectorAll('.mg-lab-claim').length === 2 ? done(performance.now() - window.typedAt)"
        " : requestAnimationFrame(look); look(); }); }"
    )
    took_ms = page.evaluate("() => window.seen")
    note("drift_lab_verdict_after_typing_ms", round(took_ms))
    expect(area).to_have_value("Devon emailed the returns label. Purple elephants dance in Oslo.")
    expect(area).to_be_focused()
    expect(page.locator(".mg-editor-back u").nth(1)).to_have_class(re.compile("mg-(notfound|contradicted)"))
    # What is drawn lies exactly under what is typed.
    heights = page.evaluate(
        "() => [...document.querySelector('.mg-editor').children].map(e => e.getBoundingClientRect().height)"
    )
    assert heights[0] == heights[1]
    page.context.close()


def test_a_link_reproduces_a_round(browser: Browser, server: Server) -> None:
    query = "?sample=trip_planning&mode=game&kind=speaker&round=12"
    rounds = []
    for _ in range(2):
        page = opened(browser, server, query)
        expect(page.get_by_role("checkbox")).to_have_count(8)
        rounds.append(page.locator(".st-key-lab_round label").all_inner_texts())
        page.context.close()
    assert rounds[0] == rounds[1]
