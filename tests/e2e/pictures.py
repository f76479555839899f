"""The pictures of the README, on the installed models: ``.venv/bin/python -m tests.e2e.pictures [SAMPLE …]``.

Checks the drifted summary of a sample, selects the first contradicted claim, and writes
``docs/images/pipeline.png`` and ``pipeline-dark.png``; then opens other pages by their links, and writes a
picture of each in both themes. With samples named, one picture of the Pipeline page each goes to
``artifacts/screenshots`` instead, to choose from.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.e2e.serving import ROOT, SHOTS, Scheme, launch, open_page, serving, wait_for_map, wait_for_stages

SAMPLE = "support_refund"
PAGES = {
    "dropped": f"dropped?sample={SAMPLE}&stages=3&summary=drifted",
    "tuning": f"tuning?sample={SAMPLE}&stages=3&part=budget",
    "memory": "memory?panel=maintenance&step=merge",
}
"""The link of each further page."""
IMAGES = ROOT / "docs" / "images"
_LARGEST_BYTES = 400 * 1024
_RUN_S = 600.0


def picture(browser: Browser, url: str, sample: str, scheme: Scheme, path: Path) -> None:
    """Write one picture of the Pipeline page, 1440 by 900, after the drifted summary was checked."""
    page = open_page(browser, f"{url}?tour=off", scheme=scheme)
    _choose(page, sample)
    page.get_by_role("button", name="Summary", exact=True).click()
    page.get_by_role("button", name="Check a drifted summary").click()
    wait_for_stages(page, 3, timeout_s=_RUN_S)
    wait_for_map(page, _RUN_S)
    page.get_by_role("tab", name="Claims").click()
    dropped = page.locator(".mg-claim:is(.mg-contradicted, .mg-notfound)")
    found = page.locator(".mg-claim.mg-contradicted [data-finding]")
    sys.stderr.write(f"{sample}: {page.locator('.mg-claim').count()} claims, {dropped.count()} dropped\n")
    if found.count():
        found.first.click()  # the place that the guard saw lights up as well
    elif dropped.count():
        dropped.first.locator(".mg-claim-main").click()
    page.wait_for_timeout(2_500)  # the map draws its lines anew and the transcript scrolls
    page.evaluate("document.activeElement?.blur()")
    page.mouse.move(5, 890)
    page.wait_for_timeout(500)
    path.parent.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=str(path))
    page.context.close()
    if path.stat().st_size > _LARGEST_BYTES:
        raise SystemExit(f"{path} has {path.stat().st_size:,} bytes; at most {_LARGEST_BYTES:,} are allowed")
    sys.stderr.write(f"{path.relative_to(ROOT)}: {path.stat().st_size:,} bytes\n")


def page_picture(browser: Browser, url: str, name: str, scheme: Scheme) -> None:
    """Write one picture of a page as its link opens it, once it has stood still for some seconds."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    page.goto(f"{url}/{PAGES[name]}")
    page.wait_for_selector(".mg-title", timeout=_RUN_S * 1000)  # the link's stages run first
    fill = page.get_by_role("button", name="Fill")
    page.wait_for_timeout(4_000)
    if fill.count():
        fill.first.click()  # the demonstration store is filled on demand
    for _ in range(2):  # a stage may follow a stage
        page.wait_for_function(
            "!document.querySelector('[data-testid=stProgress]') && "
            "document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'notRunning'",
            timeout=_RUN_S * 1000,
        )
        page.wait_for_timeout(8_000)  # the map is placed in a process of its own
    page.mouse.move(5, 890)
    ending = "" if scheme == "light" else "-dark"
    page.screenshot(path=str(IMAGES / f"{name}{ending}.png"))
    context.close()


def _choose(page: Page, sample: str) -> None:
    title = json.loads((ROOT / "sample_conversations" / f"{sample}.json").read_text("utf-8"))["title"]
    if page.locator(".mg-title").inner_text() == title:
        return
    page.get_by_role("button", name="Samples").click()
    page.get_by_text(title, exact=False).first.click()
    page.wait_for_function("title => document.querySelector('.mg-title').innerText === title", arg=title)
    page.keyboard.press("Escape")


def main() -> None:
    """Take the pictures."""
    parser = argparse.ArgumentParser(description="Take the pictures of the README.")
    parser.add_argument("sample", nargs="*", help="take one picture of each to choose from")
    parser.add_argument(
        "--page", action="append", choices=list(PAGES), help="take the pictures of this page alone"
    )
    given = parser.parse_args()
    samples = given.sample
    with (
        tempfile.TemporaryDirectory() as folder,
        sync_playwright() as playwright,
        serving(ROOT / "app.py", Path(folder)) as server,
    ):
        browser = launch(playwright)
        for sample in samples:
            picture(browser, server.url, sample, "light", SHOTS / f"choice-{sample}.png")
        if not samples and not given.page:
            picture(browser, server.url, SAMPLE, "light", IMAGES / "pipeline.png")
            picture(browser, server.url, SAMPLE, "dark", IMAGES / "pipeline-dark.png")
        for name in given.page or ([] if samples else PAGES):
            page_picture(browser, server.url, name, "light")
            page_picture(browser, server.url, name, "dark")
        browser.close()


if __name__ == "__main__":
    main()
