"""The app on fakes: everything that pages take from ``resources`` is replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from memguard.charts import map_sources, map_targets
from memguard.geometry.projection import Layout
from memguard.guard import MemGuard
from memguard.settings import Settings
from memguard.trace import Progress, Trace, silent
from pages._ui import resources
from tests.fakes import FakeCounter, FakeEmbedder, FakeSummarizer

ROOT = Path(__file__).resolve().parents[2]
CONTRACT = (
    Settings()
    .with_value("elimination.preset", "contract")
    .with_value("elimination.min_similarity", 0.6)
    .with_value("retention.rescue", "off")
)
"""Similarity alone decides and nothing is quoted beside the summary: with the fake embedder a verdict and a
context can be computed in one's head."""
SUMMARY = (
    "The deposit is 400 euros. Jonas paid the deposit on Monday. "
    "The landlord burned the contract in protest yesterday evening."
)
TALK = [
    {
        "role": "user",
        "speaker": "Mira",
        "content": "The deposit is 400 euros. Please keep the receipt for me.",
    },
    {
        "role": "assistant",
        "speaker": "Jonas",
        "content": "Jonas here. I paid the deposit on Monday by bank transfer.",
    },
    {
        "role": "user",
        "speaker": "Mira",
        "content": "Thank you. The keys are with the neighbour until Friday at noon.",
    },
    {
        "role": "assistant",
        "speaker": "Jonas",
        "content": "I will collect the keys on Thursday after work, around six.",
    },
]


@dataclass
class Fakes:
    """What the app runs on in a test, with what it asked of it."""

    embedder: FakeEmbedder = field(default_factory=FakeEmbedder)
    summarizer: FakeSummarizer = field(default_factory=lambda: FakeSummarizer(SUMMARY))
    fails: Exception | None = None
    loads: list[Settings] = field(default_factory=list)
    summarizer_loads: int = 0
    places: Callable[[Trace], Future[Layout]] | None = None

    def __post_init__(self) -> None:
        self.guard = MemGuard(embedder=self.embedder, summarizer=self.summarizer, counter=FakeCounter())

    def load(self, settings: Settings, progress: Progress = silent, *, summarizer: bool = True) -> MemGuard:
        if self.fails is not None:
            raise self.fails
        self.loads.append(settings)
        self.summarizer_loads += summarizer
        progress(resources.LOADING, 1, 2, "summarizer")
        return self.guard

    def layout(self, trace: Trace) -> Future[Layout]:
        if self.places is not None:
            return self.places(trace)
        done: Future[Layout] = Future()
        n = len(map_sources(trace)[1]) + len(map_targets(trace))
        done.set_result(Layout(tuple((float(i), float(i % 5)) for i in range(n)), "umap"))
        return done


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> Iterator[Fakes]:
    made = Fakes()
    monkeypatch.setattr(resources, "guard", lambda: made.guard)
    monkeypatch.setattr(resources, "load", made.load)
    monkeypatch.setattr(resources, "embedder", lambda: made.embedder)
    monkeypatch.setattr(resources, "layout", made.layout)
    monkeypatch.setattr(resources, "warm", lambda: None)
    yield made
    st.cache_resource.clear()


@pytest.fixture
def app(fakes: Fakes) -> AppTest:
    """The app after its first paint."""
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=30).run()


def paste(at: AppTest, text: str) -> AppTest:
    """Paste a transcript."""
    at.text_area(key="paste").set_value(text).run()
    return at.button(key="paste_go").click().run()


def html(at: AppTest) -> str:
    """All HTML that the page drew itself, components apart."""
    return "\n".join(element.proto.body for element in at.get("html"))


def results(at: AppTest) -> str:
    """What the two components were given: transcript, paragraph, claims and context."""
    return "\n".join(element.proto.json for element in at.get("bidi_component"))
