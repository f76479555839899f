"""The app in a real browser, on fake models."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from memguard.settings import Settings
from tests.app import handmade
from tests.e2e.serving import (
    FAKE_APP,
    Scheme,
    Server,
    choose_preset,
    note,
    open_page,
    paste,
    raise_threshold,
    run_all,
    serving,
    shoot,
    wait_for_map,
    wait_for_stages,
)

pytestmark = pytest.mark.browser

HOSTILE = [
    {
        "role": "user",
        "speaker": "Mallory <b>",
        "content": '<script>window.hacked = 1</script> "quoted" & done.',
    },
    {"role": "user", "content": '<img src=x onerror="window.hacked = 2"> an image that is not there.'},
    {
        "role": "assistant",
        "content": "[x](javascript:alert(1)) **bold** _it_ # heading $5 and $10 :red[no] :tada:",
    },
    {"role": "user", "content": "\u202eright to left\u202c and " + "w" * 300 + "\nsecond line\n\tthird line"},
    {
        "role": "assistant",
        "content": "</div></li></ol><style>*{display:none}</style> :material/home: {{x}} ${x}",
    },
]


def claims(page: Page) -> None:
    page.get_by_role("tab", name="Claims").click()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 1024])
def test_the_pages_in_both_themes_and_widths(
    browser: Browser, server: Server, scheme: Scheme, width: int
) -> None:
    """Screenshots for the eye; nothing may stick out of the page sideways."""
    page = open_page(browser, server.url, width=width, height=900 if width == 1440 else 768, scheme=scheme)
    name = f"{scheme}-{width}"
    page.get_by_text("Compression has not run").wait_for()
    shoot(page, f"fake-start-{name}")
    page.get_by_role("button", name="Skip").click()
    paste(page, json.dumps(handmade.TALK))
    run_all(page)
    page.get_by_text("Without / with MemGuard").click()
    page.get_by_role("heading", name="Without MemGuard").wait_for()
    shoot(page, f"fake-compare-{name}")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.get_by_text("Stage by stage").click()
    page.get_by_role("tab", name="Claims").wait_for()
    claims(page)
    page.locator(".mg-claim-main").nth(2).click()
    wait_for_map(page)
    shoot(page, f"fake-claims-{name}")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.get_by_role("link", name="Audit").click()
    page.get_by_text("The chain is intact").wait_for()
    page.locator(".mg-record > summary").nth(1).click()
    shoot(page, f"fake-audit-{name}")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.context.close()


def test_a_hostile_transcript_is_shown_verbatim_and_runs_nothing(browser: Browser, server: Server) -> None:
    page = open_page(browser, server.url)
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    paste(page, json.dumps(HOSTILE))
    page.wait_for_function("document.querySelectorAll('.mg-message').length === 5")

    shown = page.evaluate("[...document.querySelectorAll('.mg-text')].map(e => e.textContent)")
    assert shown == [message["content"] for message in HOSTILE]
    run_all(page)
    claims(page)
    said = page.evaluate("[...document.querySelectorAll('.mg-claim-text')].map(e => e.textContent).join(' ')")
    assert "onerror=" in said
    assert ":red[no] :tada:" in said
    shoot(page, "fake-hostile")
    page.get_by_role("link", name="Audit").click()
    page.get_by_text("The chain is intact").wait_for()
    page.locator(".mg-record > summary").nth(0).click()
    assert page.evaluate("window.hacked === undefined")
    assert not dialogs
    page.context.close()


def test_a_claim_lights_up_its_evidence_in_view(browser: Browser, server: Server) -> None:
    page = open_page(browser, server.url)
    run_all(page)
    claims(page)
    last = page.locator(".mg-claim").last
    main = last.locator(".mg-claim-main")
    main.focus()
    page.keyboard.press("Enter")
    lit = page.locator("mark.mg-best").first
    expect(lit).to_be_in_viewport()
    expect(main).to_have_attribute("aria-pressed", "true")
    assert last.locator("q").first.text_content() == "".join(page.locator("mark.mg-best").all_text_contents())
    page.wait_for_timeout(1_500)
    expect(main).to_have_attribute("aria-pressed", "true")  # the server's answer keeps the selection
    expect(lit).to_have_class("mg-best")
    page.context.close()


def test_a_click_on_a_message_lists_what_became_of_it(browser: Browser, server: Server) -> None:
    page = open_page(browser, f"{server.url}/?retention.rescue=off")  # so that each kept claim enters
    message = page.locator(".mg-message").nth(2)
    message.locator(".mg-head").click()
    expect(message.locator(".mg-fate")).to_have_text("No stage has run yet: press Step.")
    run_all(page)
    choose_preset(page, "Contract")
    raise_threshold(page)
    fate = page.locator(".mg-fate")
    expect(fate).to_have_count(1)  # still open, with what is known now
    expect(fate).to_contain_text("Picked")
    dropped = fate.locator(".mg-fate-claim.mg-notfound").first
    expect(dropped).to_contain_text("○")
    expect(dropped).to_contain_text("Not found")
    kept = page.locator(".mg-message").nth(1)
    kept.locator(".mg-head").click()
    expect(fate).to_have_count(1)
    expect(kept.locator(".mg-fate-claim.mg-kept").first).to_contain_text("in the context")
    shoot(page, "fake-message")
    page.locator(".mg-message").nth(1).press("Enter")
    expect(fate).to_have_count(0)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    dropped.click()
    expect(page.locator(".mg-claim-main[aria-pressed=true] .mg-claim-text")).to_have_text(
        dropped.locator("bdi, span").nth(1).evaluate("e => e.firstChild.textContent")
    )
    slider = page.get_by_role("slider", name="Minimum similarity (higher = stricter)")
    slider.press("Home")
    expect(fate.locator(".mg-notfound")).to_have_count(0)  # it follows the verdicts
    page.context.close()


def test_a_context_without_claims_says_so_calmly(browser: Browser, server: Server) -> None:
    page = open_page(browser, f"{server.url}/?retention.rescue=off")
    text = "Ada: I saw a penguin. It stood on the ice and looked at me for a while, and then it went away. "
    paste(page, text * 4)
    run_all(page)
    expect(page.locator(".mg-notice")).to_contain_text("No claim was kept")
    expect(page.locator(".mg-notice")).to_contain_text("All 2 claims were dropped.")
    expect(page.locator(".mg-payload > .mg-verbatim > .mg-sign")).to_have_text("❝")
    expect(page.locator(".mg-leftout [data-claim]")).to_have_count(2)
    page.locator(".mg-payload .mg-piece").click()
    expect(page.locator("mark.mg-best").first).to_be_in_viewport()
    shoot(page, "fake-nothing-kept")
    page.context.close()


_CONTRAST = """(selectors) => selectors.flatMap((selector) => [...document.querySelectorAll(selector)]
  .filter((e) => e.offsetParent && !e.disabled && e.innerText.trim())
  .slice(0, 40).map((e) => {
    const rgb = (css) => { const c = document.createElement('canvas').getContext('2d');
      c.fillStyle = css; c.fillRect(0, 0, 1, 1); const d = c.getImageData(0, 0, 1, 1).data; return [...d]; };
    let ground = e, back = rgb(getComputedStyle(e).backgroundColor);
    while (back[3] < 255 && ground.parentElement) {
      ground = ground.parentElement; const next = rgb(getComputedStyle(ground).backgroundColor);
      if (next[3] === 255 || back[3] === 0) back = next;
    }
    const light = (c) => { const [r, g, b] = c.slice(0, 3).map((v) => v / 255)
      .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
      return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    const [a, b] = [light(rgb(getComputedStyle(e).color)), light(back)].sort((x, y) => y - x);
    return [selector, e.innerText.slice(0, 30), Math.round((a + 0.05) / (b + 0.05) * 100) / 100];
  }))"""
_READ = [
    *('[data-testid="stBaseButton-primary"]', ".mg-description", ".mg-headline dt", ".mg-headline small"),
    *(".mg-headline dd span", ".mg-state", ".mg-flow", ".mg-speaker", ".mg-id", ".mg-relevance"),
    *(".mg-tokens", ".mg-decision", ".mg-why b", ".mg-why span", ".mg-score span", ".mg-quote-head"),
    *(
        ".mg-line",
        ".mg-part",
        ".mg-finding",
        ".mg-claim-text u",
        ".mg-models span",
        ".mg-tab",
        ".mg-panehead small",
        ".mg-lead",
        ".mg-fate p",
        ".mg-fate em",
    ),
]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_on_the_page_reaches_wcag_aa(browser: Browser, server: Server, scheme: Scheme) -> None:
    """Measured on the page as the browser draws it, the primary button first."""
    page = open_page(browser, server.url, scheme=scheme)
    page.locator(".mg-message").nth(2).locator(".mg-head").click()
    button = page.evaluate(_CONTRAST, _READ[:1])
    page.get_by_role("button", name="Step", exact=True).click()
    wait_for_stages(page, 1)
    page.get_by_role("button", name="Step", exact=True).click()
    wait_for_stages(page, 2)
    page.locator(".mg-claim-main").nth(2).click()
    page.wait_for_timeout(500)
    found = [*button, *page.evaluate(_CONTRAST, _READ)]

    lowest = {name: min(ratio for other, _, ratio in found if other == name) for name, _, _ in found}
    note(f"contrast, {scheme}", lowest)
    assert '[data-testid="stBaseButton-primary"]' in lowest
    assert [row for row in found if row[2] < 4.5] == []
    page.context.close()


def test_the_threshold_changes_verdicts_at_once(browser: Browser, server: Server) -> None:
    """UI-011: every move of the slider counts; the time of each redraw is printed."""
    page = open_page(browser, server.url)
    run_all(page)
    choose_preset(page, "Contract")  # similarity alone decides
    raise_threshold(page)
    claims(page)
    slider = page.get_by_role("slider", name="Minimum similarity (higher = stricter)")
    kept = "document.querySelectorAll('.mg-claim.mg-kept').length"
    before = page.evaluate(kept)
    page.evaluate(
        """() => { window.redraws = []; window.moved = 0;
        window.addEventListener('keydown', () => { window.moved = performance.now(); }, true);
        window.addEventListener(
          'memguard:results', () => window.redraws.push(performance.now() - window.moved)); }"""
    )
    for step in range(1, 6):
        slider.press("ArrowRight")
        page.wait_for_function(f"window.redraws.length >= {step}")
        expect(slider).to_have_value(f"{0.6 + step / 100:.2f}")
    times = page.evaluate("window.redraws")
    note("slider redraw, ms from key to new claims", [round(t) for t in times])
    slider.press("End")
    page.wait_for_function(f"{kept} < {before}")
    slider.press("Home")
    page.wait_for_function(
        f"{kept} === document.querySelectorAll('.mg-claim:not(.mg-noclaim, .mg-verbatim)').length"
    )
    assert sorted(times)[len(times) // 2] < 1_000
    page.context.close()


def test_switching_pages_keeps_conversation_results_and_settings(browser: Browser, server: Server) -> None:
    """UI-010: nothing is lost and no stage runs again."""
    page = open_page(browser, server.url)
    paste(page, json.dumps(HOSTILE))
    run_all(page)
    slider = page.get_by_role("slider", name="Minimum similarity (higher = stricter)")
    slider.press("ArrowRight")
    page.get_by_role("link", name="Audit").click()
    page.get_by_text("The chain is intact").wait_for()
    head = page.locator(".mg-hash code").text_content()
    page.get_by_role("link", name="Pipeline").click()
    wait_for_stages(page, 3)
    expect(slider).to_have_value(f"{Settings().elimination.min_similarity + 0.01:.2f}")
    assert page.locator(".mg-title").text_content() == "Pasted text"
    page.get_by_role("link", name="Audit").click()
    page.get_by_text("The chain is intact").wait_for()
    assert page.locator(".mg-hash code").text_content() == head
    page.context.close()


def test_a_copied_link_restores_the_run_on_a_fresh_server(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Sample, settings, stages and claim; page switches keep them; a second session sees nothing else."""
    asked = "sample=support_refund&stages=3&claim=c3&elimination.min_similarity=0.36"
    with serving(FAKE_APP, tmp_path_factory.mktemp("link")) as fresh:
        page = open_page(browser, f"{fresh.url}/audit?{asked}")
        page.get_by_text("The chain is intact").wait_for()
        page.get_by_role("link", name="Pipeline", exact=True).click()
        wait_for_stages(page, 3)
        slider = page.get_by_role("slider", name="Minimum similarity (higher = stricter)")
        expect(slider).to_have_value("0.36", timeout=30_000)
        expect(page).to_have_url(re.compile("claim=c3"), timeout=30_000)
        page.get_by_role("button", name="Skip").click()
        claims(page)
        expect(page.locator('.mg-claim.mg-on[data-claim="c3"]')).to_have_count(1, timeout=30_000)
        expect(page.locator("mark.mg-best").first).to_be_in_viewport()
        slider.press("ArrowRight")
        expect(page).to_have_url(re.compile(r"min_similarity=0\.37"), timeout=30_000)
        copied = page.url
        page.context.close()

        again = open_page(browser, copied)
        wait_for_stages(again, 3)
        expect(slider_of(again)).to_have_value("0.37", timeout=30_000)
        expect(again).to_have_url(copied, timeout=30_000)
        again.context.close()

        other = open_page(browser, fresh.url)
        other.get_by_text("Compression has not run").wait_for()
        expect(other).to_have_url(re.compile("sample=clinical_intake$"), timeout=30_000)
        other.context.close()


def slider_of(page: Page) -> Locator:
    return page.get_by_role("slider", name="Minimum similarity (higher = stricter)")


def test_play_shows_the_work_step_by_step_and_can_be_paused(browser: Browser, server: Server) -> None:
    page = open_page(browser, f"{server.url}?tour=off")
    paste(page, json.dumps(handmade.TALK))
    page.get_by_role("button", name="Play", exact=True).click()
    picks = page.locator(".mg-picks li")
    expect(picks).to_have_count(2, timeout=20_000)
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible(timeout=20_000)
    page.wait_for_timeout(500)
    seen = picks.count()
    shoot(page, "fake-play-picks")
    page.wait_for_timeout(2_000)
    assert picks.count() == seen
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator(".mg-stage-played")).to_contain_text("claims", timeout=60_000)
    page.wait_for_function("document.querySelectorAll('.mg-claim').length >= 2", timeout=30_000)
    expect(page.locator("mark.mg-best").first).to_be_in_viewport(timeout=10_000)
    shoot(page, "fake-play-claims")
    wait_for_stages(page, 3, timeout_s=90)
    expect(slider_of(page)).to_be_visible(timeout=30_000)
    page.context.close()


def test_a_claim_shows_what_speaks_against_it_in_both_texts(browser: Browser, server: Server) -> None:
    """500 in the claim, 400 in the message that is its evidence."""
    page = open_page(browser, f"{server.url}?tour=off")
    paste(page, json.dumps(handmade.TALK))
    run_all(page)
    claims(page)
    claim = page.locator(".mg-claim", has_text="The deposit is 500 euros.").first
    claim.locator(".mg-claim-main").click()

    expect(page.locator(".mg-message mark.mg-against")).to_have_text("400 euros")
    expect(claim.locator(".mg-claim-text u.mg-contradiction").first).to_contain_text("500")
    page.locator(".mg-claim.mg-kept").first.locator(".mg-claim-main").click()
    expect(page.locator(".mg-message mark.mg-against")).to_have_count(0)
    page.context.close()


def test_a_deep_link_works_as_the_first_request(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with serving(FAKE_APP, tmp_path_factory.mktemp("deep")) as fresh:
        page = open_page(browser, f"{fresh.url}/audit")
        page.get_by_text("No stage has run yet").wait_for()
        expect(page.get_by_role("link", name="Pipeline").first).to_be_visible()
        page.get_by_role("link", name="Open Pipeline").click()
        page.get_by_text("Compression has not run").wait_for()
        page.context.close()


def test_what_is_typed_first_after_the_start_is_kept(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The first run of a process knows widgets by other identities than the next."""
    with serving(FAKE_APP, tmp_path_factory.mktemp("first")) as fresh:
        page = open_page(browser, fresh.url)
        paste(page, "Mira: The deposit is 400 euros.")
        expect(page.locator(".mg-text")).to_have_text(["The deposit is 400 euros."])
        page.context.close()


def test_an_upload_that_is_too_large_names_the_limit(
    browser: Browser, server: Server, tmp_path: object
) -> None:
    """UI-013: the file is refused with its limit, and the app goes on."""
    from pathlib import Path

    large = Path(str(tmp_path)) / "export.json"
    with large.open("wb") as file:
        file.truncate(51 * 1024 * 1024)
    page = open_page(browser, server.url)
    page.get_by_role("button", name="Upload or paste").click()
    page.locator("input[type=file]").set_input_files(str(large))
    page.get_by_text("50.0MB or smaller").or_(page.get_by_text("50MB or smaller")).first.wait_for()
    page.keyboard.press("Escape")
    run_all(page)
    page.context.close()


def test_settings_show_their_values_after_a_run(browser: Browser, server: Server) -> None:
    page = open_page(browser, server.url)
    run_all(page)
    page.get_by_role("button", name="Settings").click()
    expect(page.get_by_role("spinbutton", name="Token budget of the selection (tokens)")).to_have_value("800")
    shoot(page, "fake-settings")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Samples").click()
    shoot(page, "fake-samples")
    page.context.close()
