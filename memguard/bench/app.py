"""``memguard bench app``: the app in a browser, as a person meets it.

First paint, a move of the slider at 200 claims and 1,000 sentences, and sessions side by side that step
through the pipeline, each with a conversation of its own that no other may see.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memguard.bench import browser as app
from memguard.bench.report import Figure, Report, Say, machine
from memguard.errors import MemGuardError

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

SESSIONS = 10
SLIDER_MS, PAINT_S = 300.0, 2.0
_PAINTS, _MOVES, _WARM = 5, 20, 2
_MESSAGES, _SENTENCES = 200, 5
_ALL = "compression.max_tokens=100000&compression.summary_tokens=4096&compression.summarizer=extractive"
"""Every message is picked, so that there are as many claims as messages; nothing but quotes is summarised."""
_STEP_TIMEOUT_S = 600.0
_REST_MS = 300
"""After a move, for what follows its results, such as the picture beside them."""
_ALONE = "waiting for a core left out"
_MOVED = """
line => new Promise((done, fail) => {
  const log = window.memguardBench, until = performance.now() + 30000;
  const look = () => {
    const bar = document.querySelector(".st-key-judgement")?.textContent ?? "";
    if (log.drawn !== null && bar.includes(line)) requestAnimationFrame(() => {
      const now = performance.now(), got = log.got.filter(at => at < log.drawn);
      done({ total: now - log.key, browser: now - got.at(-1), debounce: log.sent[0] - log.key,
             server: got.at(-1) - log.sent[0] });
    });
    else if (performance.now() > until) fail(new Error("the results were not drawn within 30 s"));
    else requestAnimationFrame(look);
  };
  look();
})
"""


@dataclass(frozen=True, slots=True)
class Load:
    """What sessions side by side gave.

    Attributes:
        steps_s: The seconds of every step, from the press to the drawn result.
        failed: What went wrong, one line a session.
        seen: Sessions that were shown another's words.
    """

    steps_s: tuple[float, ...]
    failed: tuple[str, ...]
    seen: tuple[str, ...]

    @property
    def median_s(self) -> float:
        """The median of a step."""
        return statistics.median(self.steps_s) if self.steps_s else float("nan")

    @property
    def p95_s(self) -> float:
        """The 95th percentile of a step."""
        return quantile(self.steps_s, 0.95)


def measure(*, progress: Say, quick: bool = False, real: bool = False, sessions: int | None = None) -> Report:
    """Measure the app, on models that count words, or on the installed ones.

    Args:
        progress: Told what is being measured.
        quick: Few moves and four sessions, to see that it runs.
        real: Take the installed models.
        sessions: How many sessions there are at once.

    Raises:
        MemGuardError: Playwright or a browser is missing, or the app did not start.
    """
    app.require()
    n_sessions = sessions or (4 if quick else SESSIONS)
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "server.log"
        with app.serving(app.REAL_APP if real else app.FAKE_APP, log) as served:
            figures = asyncio.run(_measure(served, n_sessions, progress, quick=quick))
    command = "memguard bench app" + " --quick" * quick + " --real" * real
    if sessions is not None:
        command += f" --sessions {sessions}"
    where = f"{machine()}, load average {before:.1f} before and {os.getloadavg()[0]:.1f} after"
    return Report("The app in a browser", command, where, tuple(figures))


async def _measure(served: app.Served, n_sessions: int, progress: Say, *, quick: bool) -> list[Figure]:
    async with app.browsing() as browser:
        progress("measuring: first paint")
        figures = await _paints(browser, served, 2 if quick else _PAINTS)
        progress("measuring: the slider")
        figures += await _slider(browser, served, 4 if quick else _MOVES)
        progress(f"measuring: {n_sessions} sessions at once")
        load = await load_test(browser, served.url, n_sessions)
    return figures + _load_figures(load, n_sessions)


async def _paints(browser: Browser, served: app.Served, n: int) -> list[Figure]:
    found, used_s = [], [served.cpu_s()]
    for _ in range(n + 1):
        page = await app.opened(browser, served.url)
        found.append((await app.times(page))["painted"] / 1000)
        used_s.append(served.cpu_s())
        await page.context.close()
    return [
        Figure("first paint, first request to a fresh server", found[0], "s", PAINT_S),
        Figure("… CPU time of the server until then", used_s[1] - used_s[0], "s", note=_ALONE),
        Figure("first paint, a later session (median)", statistics.median(found[1:]), "s", PAINT_S),
        Figure("… CPU time of the server for it", (used_s[-1] - used_s[1]) / n, "s", note=_ALONE),
    ]


async def _slider(browser: Browser, served: app.Served, n: int) -> list[Figure]:
    page = await app.opened(browser, f"{served.url}/?{_ALL}")
    messages = large_conversation()
    await app.upload(page, "large.json", json.dumps(messages).encode(), messages[0]["content"][:20])
    await page.get_by_role("button", name="Run all", exact=True).click()
    await app.wait_for_stages(page, 3, _STEP_TIMEOUT_S)
    await page.get_by_role("tab", name="Claims").click()
    n_claims = await page.locator(".mg-claim").count()
    slider = page.get_by_role("slider", name="Minimum similarity (higher = stricter)")
    value = round(float(await slider.input_value()) * 100)
    moves = []
    server_s = browser_s = 0.0
    for number in range(n + _WARM):
        if number == _WARM:
            server_s, browser_s = served.cpu_s(), served.browser_cpu_s()
        step = 1 if number < (n + _WARM) / 2 else -1
        value += step
        moves.append(await _move(page, "ArrowRight" if step > 0 else "ArrowLeft", 1 - value / 100))
    await page.wait_for_timeout(_REST_MS)
    server_s, browser_s = served.cpu_s() - server_s, served.browser_cpu_s() - browser_s
    await page.context.close()
    moves = moves[_WARM:]
    size = f"{n_claims:,} claims, {_MESSAGES * _SENTENCES:,} sentences"

    def part(name: str) -> float:
        return statistics.median(move[name] for move in moves)

    return [
        Figure("slider key to redrawn results (median)", part("total"), "ms", SLIDER_MS, note=size),
        Figure("… 95th percentile", quantile([move["total"] for move in moves], 0.95), "ms"),
        Figure("… of that, until the browser sends the value", part("debounce"), "ms"),
        Figure("… until the server's last message before it", part("server"), "ms"),
        Figure("… until the results are drawn", part("browser"), "ms"),
        Figure("… CPU time of the server, all of a move", 1000 * server_s / n, "ms", note=_ALONE),
        Figure("… CPU time of the browser, all of a move", 1000 * browser_s / n, "ms", note=_ALONE),
    ]


async def _move(page: Page, key: str, distance: float) -> dict[str, float]:
    """Press a key on the slider; return the milliseconds until all of it was drawn, and its parts."""
    await page.wait_for_timeout(_REST_MS)
    await page.get_by_role("slider", name="Minimum similarity (higher = stricter)").focus()
    await page.evaluate(
        "() => Object.assign(window.memguardBench, { key: null, drawn: null, sent: [], got: [] })"
    )
    # The handlers of an open connection write into the lists that the page holds now.
    await page.keyboard.press(key)
    found: dict[str, float] = await page.evaluate(_MOVED, f"at most {distance:.2f}")
    return found


async def load_test(browser: Browser, url: str, n_sessions: int) -> Load:
    """Let sessions step through the pipeline at once, each with a conversation of its own.

    Args:
        browser: A browser; each session gets a context of its own.
        url: The app.
        n_sessions: How many.

    Returns:
        The seconds of every step, and what went wrong.
    """
    names = [f"quokka{number:02d}" for number in range(n_sessions)]
    done = await asyncio.gather(*(_session(browser, url, name, names) for name in names))
    return Load(
        tuple(step for steps, _, _ in done for step in steps),
        tuple(f"{name}: {fault}" for name, (_, fault, _) in zip(names, done, strict=True) if fault),
        tuple(
            f"{name} saw {', '.join(seen)}" for name, (_, _, seen) in zip(names, done, strict=True) if seen
        ),
    )


async def _session(
    browser: Browser, url: str, name: str, names: Sequence[str]
) -> tuple[list[float], str, list[str]]:
    """Step one session through the pipeline; return its times, its fault and whose words it saw."""
    from playwright.async_api import Error

    steps: list[float] = []
    try:
        page = await app.opened(browser, url)
        messages = own_conversation(name)
        await app.upload(page, f"{name}.json", json.dumps(messages).encode(), messages[0]["content"][:20])
        for stage in range(3):
            clock = time.perf_counter()
            await page.get_by_role("button", name="Step", exact=True).click()
            await app.wait_for_stages(page, stage + 1, _STEP_TIMEOUT_S)
            steps.append(time.perf_counter() - clock)
        shown = str(await page.evaluate("document.body.textContent"))
        faults = await page.locator("[data-testid=stException], [data-testid=stAlertContentError]").count()
        await page.context.close()
    except Error as error:
        return steps, error.message.splitlines()[0], []
    fault = (
        "" if not faults and name in shown else "an error is shown" if faults else "its own words are gone"
    )
    return steps, fault, [other for other in names if other != name and other in shown]


def _load_figures(load: Load, n_sessions: int) -> list[Figure]:
    if not load.steps_s:
        raise MemGuardError(f"no session finished a step: {load.failed[0] if load.failed else 'none began'}")
    note = f"{n_sessions} sessions, {len(load.steps_s)} steps"
    return [
        Figure("a step of the pipeline (median)", load.median_s, "s", note=note),
        Figure("… 95th percentile", load.p95_s, "s"),
        Figure("… sessions that failed", len(load.failed), "of them", 0, note="; ".join(load.failed)),
        Figure(
            "… sessions that saw another's words", len(load.seen), "of them", 0, note="; ".join(load.seen)
        ),
    ]


def large_conversation() -> list[dict[str, Any]]:
    """Return 200 messages of five sentences each, all different: 1,000 sentences."""
    goods = "crates barrels pallets parcels lamps chairs tiles engines bottles carpets".split()
    towns = "Lyon Ghent Turin Porto Bergen Leeds Graz Malmo Tallinn Cork".split()

    def sentence(n: int) -> str:
        return f"Order {1000 + n} holds {n % 89 + 2} {goods[n % 10]} for {towns[n // 10 % 10]}."

    return [
        {
            "id": f"m{number + 1}",
            "role": "user" if number % 2 else "assistant",
            "speaker": "Ada" if number % 2 else "Ben",
            "content": " ".join(sentence(number * _SENTENCES + n) for n in range(_SENTENCES)),
        }
        for number in range(_MESSAGES)
    ]


def own_conversation(name: str) -> list[dict[str, Any]]:
    """Return a short conversation, each message of which names whose it is."""
    lines = (
        f"The {name} invoice is 400 euros. Please keep the {name} receipt.",
        f"I paid the {name} invoice on Monday by bank transfer.",
        f"Thank you. The {name} keys are with the neighbour until Friday at noon.",
        f"I will collect the {name} keys on Thursday after work.",
    )
    return [
        {"role": "user" if n % 2 else "assistant", "speaker": "Ada" if n % 2 else "Ben", "content": line}
        for n, line in enumerate(lines)
    ]


def quantile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least this share of all values does not exceed; NaN without any."""
    ordered = sorted(values)
    if not ordered:
        return float("nan")
    return ordered[min(len(ordered) - 1, max(0, -int(-share * len(ordered) // 1) - 1))]
