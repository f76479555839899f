"""Starts the app as a person does, and drives it in the system's Chromium."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page, Playwright, expect

from tests.conftest import browser_path

ROOT = Path(__file__).resolve().parents[2]
SHOTS = ROOT / "artifacts" / "screenshots"
FAKE_APP = Path(__file__).with_name("fake_app.py")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_START_S = 60.0
Scheme = Literal["light", "dark"]


@dataclass(frozen=True)
class Server:
    """A running app."""

    url: str
    pid: int
    log: Path

    def log_text(self) -> str:
        return self.log.read_text("utf-8", "replace")


@contextmanager
def serving(app: Path, folder: Path) -> Iterator[Server]:
    """Start ``streamlit run`` on a free port, wait for its health endpoint, and end it afterwards."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = folder / "server.log"
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        str(app),
        "--server.port",
        str(port),
        "--server.headless",
        "true",
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=subprocess.STDOUT)
    try:
        _wait(f"http://localhost:{port}/_stcore/health", process, log)
        yield Server(f"http://localhost:{port}", process.pid, log)
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(15)


def launch(playwright: Playwright) -> Browser:
    """Start Debian's Chromium; playwright's own is never downloaded."""
    return playwright.chromium.launch(executable_path=browser_path(), args=list(ARGUMENTS))


def open_page(
    browser: Browser, url: str, *, width: int = 1440, height: int = 900, scheme: Scheme = "light"
) -> Page:
    """Open the app in a session of its own and wait for its first paint."""
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    page = context.new_page()
    page.goto(url)
    page.wait_for_selector(".mg-title")
    return page


def run_all(page: Page, *, timeout_s: float = 60.0) -> None:
    """Press Run all and wait for the third stage."""
    page.get_by_role("button", name="Run all", exact=True).click()
    wait_for_stages(page, 3, timeout_s=timeout_s)


def wait_for_stages(page: Page, n: int, *, timeout_s: float = 60.0) -> None:
    """Wait until ``n`` stages are done and none is running."""
    script = (
        f"document.querySelectorAll('.mg-stage-done').length === {n} && "
        "!document.querySelector('.mg-stage-running') && !document.querySelector('[data-testid=stProgress]')"
    )
    page.wait_for_function(script, timeout=timeout_s * 1000)


def paste(page: Page, text: str) -> None:
    """Paste a transcript as a person does."""
    page.get_by_role("button", name="Upload or paste").click()
    page.get_by_label("Or paste one").fill(text)
    page.get_by_role("button", name="Use this text").click()
    page.wait_for_function("document.querySelector('.mg-title')?.innerText === 'Pasted text'")
    page.keyboard.press("Escape")


def choose_preset(page: Page, name: str) -> None:
    """Choose a preset and wait until the page has followed."""
    choice = page.get_by_test_id("stButtonGroup").get_by_text(name, exact=True)
    choice.click()
    page.wait_for_function(
        "name => document.querySelector('.st-key-judgement [data-testid*=ButtonGroup] [aria-checked=true],"
        ".st-key-judgement [data-testid*=ButtonGroup] [data-testid*=Active]')?.innerText === name",
        arg=name,
    )


def raise_threshold(page: Page, value: float = 0.6) -> None:
    """Move the minimum similarity up by keyboard and wait until the page has followed."""
    slider = page.get_by_role("slider", name="Minimum similarity (higher = stricter)")
    tens, ones = divmod(round((value - float(slider.input_value())) * 100), 10)
    for key in ["PageUp"] * tens + ["ArrowRight"] * ones:
        slider.press(key)
    expect(slider).to_have_value(f"{value:g}")
    expect(page.locator(".st-key-judgement")).to_contain_text(f"at most {1 - value:.2f}", timeout=30_000)


def shoot(page: Page, name: str) -> None:
    """Keep a screenshot."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.mouse.move(5, 890)
    page.wait_for_timeout(400)
    page.screenshot(path=str(SHOTS / f"{name}.png"))


def note(name: str, value: object) -> None:
    """Keep a measurement beside the screenshots."""
    SHOTS.parent.mkdir(parents=True, exist_ok=True)
    with (SHOTS.parent / "app_timings.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({"name": name, "value": value}) + "\n")


def _wait(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + _START_S
    while time.monotonic() < end:
        if process.poll() is not None:
            raise RuntimeError(
                f"the app ended with {process.returncode}:\n{log.read_text('utf-8', 'replace')}"
            )
        try:
            with urllib.request.urlopen(url, timeout=2) as answer:  # noqa: S310  the address is ours
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"the app did not start in {_START_S:.0f} s:\n{log.read_text('utf-8', 'replace')}")


def wait_for_map(page: Page, timeout_s: float = 120.0) -> None:
    """Wait until exactly one map has been there for a second.

    A redraw may put the new map beside the old one, or none in its place, for some tens of
    milliseconds; what counts is that one stays.
    """
    chart = page.locator(".js-plotly-plot")
    until = time.monotonic() + timeout_s
    steady_since: float | None = None
    while time.monotonic() < until:
        if chart.count() != 1:
            steady_since = None
        elif steady_since is None:
            steady_since = time.monotonic()
        elif time.monotonic() - steady_since > 1.0:
            expect(chart).to_be_visible()
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"no single map stayed within {timeout_s:.0f} s; now there are {chart.count()}")
