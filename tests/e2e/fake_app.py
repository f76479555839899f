"""The app on fake models, as ``streamlit run`` starts it: for browser tests that need no weights."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence

from memguard.guard import MemGuard
from memguard.settings import Settings
from memguard.trace import Progress, silent
from pages._ui import resources, shell, state
from tests.app import handmade
from tests.fakes import FakeCounter, FakeEmbedder, FakeSummarizer


def drifting(lines: Sequence[str]) -> str:
    """First sentences of the lines, every third with words that the line does not have.

    Of a transcript that names penguins, only what is not in it; of the hand-made one, what drifts from
    it in every way that has a label of its own.
    """
    if any("penguin" in line for line in lines):
        return "Bananas grow on Mars. Lighthouses sleep at noon."
    if any("The deposit is 400 euros." in line for line in lines):
        return handmade.SUMMARY
    said = [re.split(r"(?<=[.!?])\s", line.split(": ", 1)[-1])[0].strip() for line in lines]
    told = [
        f"Nobody ever claimed that {s[:1].lower()}{s[1:]}" if i % 3 == 2 else s for i, s in enumerate(said)
    ]
    return " ".join(text if text.endswith((".", "!", "?")) else f"{text}." for text in told if text)


_lock = threading.Lock()
_made: list[MemGuard] = []
_embedder = FakeEmbedder()


def guard() -> MemGuard:
    with _lock:
        if not _made:
            _made.append(
                MemGuard(embedder=_embedder, summarizer=FakeSummarizer(drifting), counter=FakeCounter())
            )
        return _made[0]


def load(settings: Settings, progress: Progress = silent, *, summarizer: bool = True) -> MemGuard:
    return guard()


state.conversations.OPENING = "clinical_intake"  # its messages are the ones that the tests name
resources.guard = guard
resources.load = load
resources.embedder = lambda: _embedder
resources.warm = resources.map_worker
shell.run()
