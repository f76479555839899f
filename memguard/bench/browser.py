"""Starts the app as a person does, and a browser that writes down what happens when."""

from __future__ import annotations

import importlib
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memguard.errors import BenchmarkDataError, MemGuardError

if TYPE_CHECKING:
    import psutil
    from playwright.async_api import Browser, Page

CHECKOUT = Path(__file__).resolve().parents[2]
REAL_APP = CHECKOUT / "app.py"
FAKE_APP = CHECKOUT / "tests" / "e2e" / "fake_app.py"
_START_S, _ASK_S, _END_S = 120.0, 0.1, 15.0
_PATIENCE_S = 120.0
"""For one thing to happen on a page: a busy machine is no fault."""
_NAMES = ("chromium", "chromium-browser", "google-chrome")
_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_WATCH = """
(() => {
  const log = (window.memguardBench = { sent: [], got: [], painted: null, key: null, drawn: null });
  window.WebSocket = class extends window.WebSocket {
    constructor(...rest) {
      super(...rest);
      this.addEventListener("message", () => log.got.push(performance.now()));
    }
    send(data) {
      log.sent.push(performance.now());
      return super.send(data);
    }
  };
  const look = () => {
    if (document.querySelector(".mg-title")) log.painted = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  window.addEventListener("memguard:results", () => { log.drawn = performance.now(); });
  window.addEventListener("keydown", () => { log.key ??= performance.now(); }, true);
})();
"""
"""Times are milliseconds since the page was asked for."""


def program() -> str:
    """Return the system's Chromium; playwright's own is never downloaded.

    Raises:
        MemGuardError: None is installed; says what to do.
    """
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        raise MemGuardError(
            f"measuring the app needs a Chromium ({', '.join(_NAMES)}) and none is on the path; install one, "
            "for example with: apt-get install chromium"
        )
    return found


def require() -> None:
    """Check that what drives the app is there, before anything is started.

    Raises:
        MemGuardError: Playwright or a Chromium is missing; says what to do.
        BenchmarkDataError: There is no checkout: the app does not come with the wheel.
    """
    try:
        for needed in ("playwright.async_api", "psutil"):
            importlib.import_module(needed)
    except ImportError as error:
        raise MemGuardError(
            f"measuring the app needs {error.name}, which is not installed; install the extra of the tests: "
            'pip install -e ".[dev]"'
        ) from error
    program()
    if not REAL_APP.is_file() or not FAKE_APP.is_file():
        raise BenchmarkDataError(f"{CHECKOUT} is no checkout of the project; the app is measured in one")


@dataclass(frozen=True, slots=True)
class Served:
    """A running app: its address, and the process that serves it."""

    url: str
    pid: int

    def cpu_s(self) -> float:
        """Return the seconds of CPU that its process has used; the map's worker is a process of its own."""
        import psutil

        return _cpu_s([psutil.Process(self.pid)])

    def browser_cpu_s(self) -> float:
        """Return the seconds of CPU that everything else has used that this process started: the browser."""
        import psutil

        served = {self.pid, *(p.pid for p in psutil.Process(self.pid).children(recursive=True))}
        return _cpu_s([p for p in psutil.Process().children(recursive=True) if p.pid not in served])


def _cpu_s(processes: Sequence[psutil.Process]) -> float:
    import psutil

    total = 0.0
    for process in processes:
        try:
            used = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += used.user + used.system
    return total


@contextmanager
def serving(app: Path, log: Path) -> Iterator[Served]:
    """Start the app on a free port of this machine and end it afterwards.

    Raises:
        MemGuardError: It did not start; the last line of its log is in the message.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", str(app), "--server.port", str(port)]
    command += ["--server.headless", "true"]
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, cwd=CHECKOUT, env=environment, stdout=out, stderr=subprocess.STDOUT
        )
    try:
        _wait(f"http://localhost:{port}/_stcore/health", process, log)
        yield Served(f"http://localhost:{port}", process.pid)
    finally:
        process.terminate()
        try:
            process.wait(_END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(_END_S)


def _wait(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + _START_S
    while process.poll() is None and time.monotonic() < end:
        try:
            with urllib.request.urlopen(url, timeout=2) as answer:  # noqa: S310  the address is ours
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(_ASK_S)
    words = log.read_text("utf-8", "replace").strip().splitlines()
    raise MemGuardError(f"the app did not start: {words[-1] if words else 'it said nothing'}")


@asynccontextmanager
async def browsing() -> AsyncIterator[Browser]:
    """Start Chromium without a window; closed afterwards."""
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program(), args=list(_FLAGS))
        try:
            yield browser
        finally:
            await browser.close()


async def opened(browser: Browser, url: str) -> Page:
    """Open the app in a session of its own and wait for its first paint; the page writes down times."""
    context = await browser.new_context(viewport={"width": 1440, "height": 900})
    await context.add_init_script(_WATCH)
    context.set_default_timeout(_PATIENCE_S * 1000)
    page = await context.new_page()
    await page.goto(url)
    await page.wait_for_function("window.memguardBench.painted !== null")
    return page


async def times(page: Page) -> dict[str, Any]:
    """Return what the page wrote down."""
    found: dict[str, Any] = await page.evaluate("window.memguardBench")
    return found


async def upload(page: Page, name: str, content: bytes, first_words: str) -> None:
    """Upload a transcript and wait until its first message, which begins with these words, is shown."""
    await page.get_by_role("button", name="Upload or paste").click()
    await page.locator("input[type=file]").set_input_files(
        {"name": name, "mimeType": "application/json", "buffer": content}
    )
    await page.wait_for_function(
        "words => document.querySelector('.mg-text')?.textContent.startsWith(words)",
        arg=first_words,
    )
    await page.keyboard.press("Escape")


async def wait_for_stages(page: Page, n: int, timeout_s: float) -> None:
    """Wait until ``n`` stages are done and none is running."""
    await page.wait_for_function(
        "n => document.querySelectorAll('.mg-stage-done').length === n && "
        "!document.querySelector('.mg-stage-running') && !document.querySelector('[data-testid=stProgress]')",
        arg=n,
        timeout=timeout_s * 1000,
    )
