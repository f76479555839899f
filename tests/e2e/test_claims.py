"""What was found of each claim, in a real browser: places that light up, thresholds, presets."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.app.handmade import SAID, TALK
from tests.e2e.serving import (
    Scheme,
    Server,
    choose_preset,
    open_page,
    paste,
    raise_threshold,
    run_all,
    shoot,
    wait_for_map,
)

pytestmark = pytest.mark.browser
SUPPORT = "Minimum support (higher = stricter)"


def judged(browser: Browser, server: Server, **how: object) -> Page:
    """Open the app with the conversation whose summary drifts in every way, after all stages, at 0.6."""
    page = open_page(browser, server.url, **how)  # type: ignore[arg-type]
    paste(page, json.dumps(TALK))
    run_all(page)
    raise_threshold(page)
    page.get_by_role("tab", name="Claims").click()
    return page


def test_a_finding_lights_its_exact_place_in_the_transcript(browser: Browser, server: Server) -> None:
    page = judged(browser, server)
    deposit = page.locator(".mg-claim", has_text="500 euros")
    expect(deposit).to_have_class("mg-claim mg-contradicted")
    finding = deposit.locator("[data-finding].mg-contradiction").first
    expect(finding).to_contain_text("400")
    finding.click()

    spot = page.locator("mark.mg-spot")
    expect(spot.first).to_be_in_viewport()
    assert "400" in "".join(spot.all_text_contents())
    assert "receipt" not in "".join(spot.all_text_contents())
    expect(page.locator(".mg-message.mg-lit")).to_contain_text("The deposit is 400 euros.")
    expect(deposit.locator(".mg-claim-main")).to_have_attribute("aria-pressed", "true")
    finding.click()  # once more: it stays, a finding is no switch
    expect(deposit.locator(".mg-claim-main")).to_have_attribute("aria-pressed", "true")
    expect(spot.first).to_be_visible()

    # Another claim takes the light away.
    other = page.locator(".mg-claim-main", has_text="until Friday at noon")
    other.click()
    expect(spot).to_have_count(0)
    expect(page.locator("mark.mg-best").first).to_be_in_viewport()

    # By keyboard.
    finding.focus()
    page.keyboard.press("Enter")
    expect(spot.first).to_be_visible()
    page.wait_for_timeout(1_000)  # the server's answer keeps it
    expect(spot.first).to_be_visible()
    page.context.close()


def test_of_quick_choices_the_last_one_stays(browser: Browser, server: Server) -> None:
    """The server answers each; an answer that has not heard of the last choice must not undo it."""
    page = judged(browser, server)
    page.evaluate(
        """() => { const rows = document.querySelectorAll('.mg-claim-main');
        window.lost = 0;
        [0, 1, 2, 1, 0].forEach((i) => rows[i].click());
        const count = (event) => { if (event.detail.from === 'server') window.lost += 1; };
        window.addEventListener('memguard:select', count); }"""
    )
    page.wait_for_timeout(3_000)
    expect(page.locator(".mg-claim-main").first).to_have_attribute("aria-pressed", "true")
    assert page.evaluate("window.lost") == 0
    page.context.close()


def test_what_the_evidence_does_not_hold_is_underlined_and_says_so(browser: Browser, server: Server) -> None:
    page = judged(browser, server)
    burned = page.locator(".mg-claim", has_text="burned").locator("u.mg-unsupported", has_text="burned")

    expect(burned).to_have_attribute("title", "Not found in the evidence")
    line = burned.evaluate(
        "e => getComputedStyle(e).textDecorationLine + ' ' + getComputedStyle(e).textDecorationStyle"
    )
    assert line in ("underline wavy", "underline dotted")
    colour = "e => getComputedStyle(e).textDecorationColor"
    label = (
        page.locator(".mg-claim", has_text="burned")
        .locator(".mg-why b")
        .evaluate("e => getComputedStyle(e).color")
    )
    assert burned.evaluate(colour) == label
    page.context.close()


def test_the_support_slider_drops_and_keeps_claims_at_once(browser: Browser, server: Server) -> None:
    page = judged(browser, server)
    slider, kept = page.get_by_role("slider", name=SUPPORT), page.locator(".mg-claim.mg-kept")
    before = kept.count()
    assert before > 0
    slider.press("Home")
    expect(slider).to_have_value("0")
    page.wait_for_function(f"document.querySelectorAll('.mg-claim.mg-kept').length > {before}")
    slider.press("End")
    page.wait_for_function(f"document.querySelectorAll('.mg-claim.mg-kept').length < {before}")
    # A claim that needs review has words and a colour of its own, and is kept all the same.
    n_kept = kept.count() + page.get_by_text("Needs review, kept", exact=True).count()
    expect(page.locator(".mg-headline", has_text="Claims kept").locator("dd")).to_have_text(str(n_kept))
    page.context.close()


def test_a_preset_judges_anew_and_says_what_it_does(browser: Browser, server: Server) -> None:
    page = judged(browser, server)
    slider = page.get_by_role("slider", name=SUPPORT)
    deposit = page.locator(".mg-claim", has_text="500 euros")
    expect(deposit).to_have_class("mg-claim mg-contradicted")
    choose_preset(page, "Contract")
    expect(deposit).to_have_class("mg-claim mg-kept")
    expect(deposit).to_contain_text("the contract preset ignores it")
    expect(slider).to_be_disabled()
    expect(page.locator(".st-key-judgement")).to_contain_text("The contract preset ignores support")
    shoot(page, "fake-contract")
    choose_preset(page, "Strict")
    expect(deposit).to_have_class("mg-claim mg-contradicted")
    expect(slider).to_be_enabled()
    shoot(page, "fake-strict")
    page.get_by_role("link", name="Audit").click()
    page.get_by_text("The chain is intact").wait_for()
    page.get_by_role("link", name="Pipeline").click()
    expect(deposit).to_have_class("mg-claim mg-contradicted")
    expect(page.get_by_text("Also drops whatever a guard contradicts")).to_be_visible()
    page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 1024])
def test_every_label_in_both_themes_and_widths(
    browser: Browser, server: Server, scheme: Scheme, width: int
) -> None:
    """Screenshots for the eye; each label has its shape and its words."""
    page = judged(browser, server, width=width, height=900, scheme=scheme)
    for kind, glyph, words in (
        ("kept", "●", "Kept"),
        ("contradicted", "✕", "Contradicted"),
        ("notfound", "○", "Not found"),
        ("review", "?", "Needs review, kept"),
        ("noclaim", "–", "Not a claim"),
    ):
        row = page.locator(f".mg-claim.mg-{kind}").first
        expect(row.locator(".mg-sign")).to_have_text(glyph)
        expect(row.locator(".mg-why b")).to_have_text(words)
    page.locator(".mg-claim", has_text="500 euros").locator("[data-finding]").first.click()
    wait_for_map(page)
    shoot(page, f"fake-findings-{scheme}-{width}")
    page.locator(".st-key-maphead").get_by_text("Scores", exact=True).last.click()
    wait_for_map(page)
    expect(page.locator(".js-plotly-plot")).to_contain_text("minimum 0.50")
    shoot(page, f"fake-scores-{scheme}-{width}")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.get_by_role("link", name="Audit").click()
    page.get_by_text("The chain is intact").wait_for()
    page.locator(".mg-claim-row > summary").first.click()
    page.locator(".mg-claim-row").first.scroll_into_view_if_needed()
    shoot(page, f"fake-audit-claims-{scheme}-{width}")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.context.close()


def test_the_audit_page_filters_its_claims(browser: Browser, server: Server) -> None:
    page = judged(browser, server)
    page.get_by_role("link", name="Audit").click()
    rows = page.locator(".mg-claim-row")
    of_summary = page.locator(".mg-claim-row", has=page.locator("code", has_text=re.compile(r"^c\d")))
    expect(of_summary).to_have_count(len(SAID))
    page.get_by_test_id("stButtonGroup").get_by_text("Quantities").click()
    page.wait_for_function(f"document.querySelectorAll('.mg-claim-row').length < {len(SAID)}")
    expect(rows.first).to_contain_text("500")
    page.context.close()


def test_a_choice_of_a_sample_closes_its_list(browser: Browser, server: Server) -> None:
    page = open_page(browser, server.url)
    page.get_by_role("button", name="Samples").click()
    body = page.get_by_test_id("stPopoverBody")
    expect(body).to_be_visible()
    body.get_by_text("refund", exact=False).first.click()
    page.wait_for_function("document.querySelector('.mg-title').innerText.includes('refund')")
    expect(body).to_have_count(0)
    page.context.close()


def test_the_map_keeps_its_scale_when_the_window_changes(browser: Browser, server: Server) -> None:
    """Its axes used to widen with each change, for good, until all points were one."""
    page = judged(browser, server)
    wait_for_map(page)
    span = "document.querySelector('.js-plotly-plot')._fullLayout.xaxis.range.map((v) => Math.round(v * 100))"
    before = page.evaluate(span)
    for width in (1100, 1440, 1024, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(800)
    assert page.evaluate(span) == before
    page.context.close()
