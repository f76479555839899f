"""The app on the installed models, through all three stages, in a real browser."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.serving import Server, choose_preset, note, open_page, shoot, wait_for_map, wait_for_stages

pytestmark = [pytest.mark.browser, pytest.mark.weights, pytest.mark.slow]
_STAGE_S = 300.0
"""A stage takes seconds; a machine that does other work at the same time takes longer."""


def test_a_sample_goes_through_all_three_stages(browser: Browser, real_server: Server) -> None:
    """OPS-001, OPS-003: stage by stage on real models, and a clean log."""
    started = time.monotonic()
    page = open_page(browser, real_server.url)
    page.locator(".mg-message").first.wait_for()
    note("first paint, s from request to transcript", round(time.monotonic() - started, 2))
    shoot(page, "1-start")
    for stage, pane in enumerate(("Paragraph", "Claims", "Context"), start=1):
        page.get_by_role("button", name="Step", exact=True).click()
        wait_for_stages(page, stage, timeout_s=_STAGE_S)
        expect(page.get_by_role("tab", name=pane)).to_have_attribute("aria-selected", "true")
        if stage == 1:
            wait_for_map(page, _STAGE_S)
            assert "umap" not in _libraries(real_server.pid)
        page.wait_for_timeout(1_500)
        shoot(page, f"{stage + 1}-{pane.lower()}")

    page.get_by_role("tab", name="Claims").click()
    shoot(page, "4-claims-balanced")
    choose_preset(page, "Contract")  # similarity alone decides
    slider = page.get_by_role("slider", name="Minimum similarity (higher = stricter)")
    kept = page.locator(".mg-claim.mg-kept")
    for key, share in (("Home", 1.0), ("End", 0.0)):
        slider.press(key)
        if share:
            page.wait_for_function("!document.querySelector('.mg-claim.mg-notfound')")
            n_claims = kept.count()
            assert n_claims > 0
        else:
            page.wait_for_timeout(1_500)
            assert 0 < kept.count() < n_claims  # only the transcript's own words reach 1
            assert all("1.000" in text for text in kept.all_text_contents())
            page.get_by_role("tab", name="Context").click()
            expect(page.locator(".mg-payload .mg-verbatim .mg-sign").first).to_have_text("❝")
            shoot(page, "5-quoted")
            page.get_by_role("tab", name="Claims").click()
    slider.press("Home")
    for _ in range(45):
        slider.press("ArrowRight")
    page.wait_for_timeout(1_500)
    page.locator(".mg-claim-main").first.click()
    expect(page.locator("mark.mg-best").first).to_be_in_viewport()
    page.wait_for_timeout(1_500)
    shoot(page, "5-threshold")
    assert "all-mpnet-base-v2" in (page.locator(".mg-models").last.text_content() or "")
    page.get_by_role("link", name="Audit").click()
    page.get_by_text("The chain is intact").wait_for()
    page.locator(".mg-record > summary").first.click()
    shoot(page, "6-audit")
    page.context.close()

    log = real_server.log_text()
    for never in ("torch.classes", "no running event loop", "Traceback"):
        assert never not in log, log[-3_000:]


def test_the_map_lives_in_a_process_of_its_own(real_server: Server) -> None:
    """OPS-003: the app's process has loaded neither numba nor its compiler."""
    loaded = _libraries(real_server.pid)

    assert not re.search("llvmlite|numba", loaded)


def _libraries(pid: int) -> str:
    return Path(f"/proc/{pid}/maps").read_text("utf-8")
