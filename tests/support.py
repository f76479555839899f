"""What the tests of the core share: short ways to a guard, sample data and hypothesis strategies."""

from __future__ import annotations

import gc
import string
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from hypothesis import strategies as st

from memguard.bounds import bounds_of
from memguard.guard import MemGuard
from memguard.settings import Settings, setting_kinds
from memguard.trace import Trace
from tests.fakes import FakeCounter, FakeEmbedder, FakeSummarizer


def guard(settings: Settings | None = None, **models: Any) -> MemGuard:
    """Return a guard on fakes, each of which may be replaced."""
    # As long as those of the embedder whose name it bears: the shipped separation map fits.
    embedder = FakeEmbedder(dimension=768)
    fakes = {"embedder": embedder, "summarizer": FakeSummarizer(), "counter": FakeCounter()}
    return MemGuard(settings, **{**fakes, **models})


def with_values(**values: Any) -> Settings:
    """Return settings with some changed, such as ``compression__max_tokens=5``."""
    settings = Settings()
    for name, value in values.items():
        settings = settings.with_value(name.replace("__", "."), value)
    return settings


def summarised(
    summary: str, messages: Iterable[Mapping[str, Any]], settings: Settings | None = None, **models: Any
) -> Trace:
    """Return a run whose summarizer says ``summary``, whatever it is given."""
    base = (settings or Settings()).with_value("compression.passthrough_words", 0)
    return guard(base, summarizer=FakeSummarizer(summary), **models).run(messages)


def cpu_seconds(call: Callable[[], object], runs: int = 3) -> float:
    """Return the processor's seconds of the quickest of some calls; one call, where the first fills a cache.

    What else runs on the machine is no part of it, and a sweep of the garbage collector over all that a long
    session holds, which takes a second by itself, falls into none of them.
    """
    seconds = []
    gc.collect()
    gc.disable()
    try:
        for _ in range(runs):
            began = time.process_time()
            call()
            seconds.append(time.process_time() - began)
    finally:
        gc.enable()
    return min(seconds)


def user(*contents: str) -> list[dict[str, str]]:
    """Return messages of the user."""
    return [{"role": "user", "content": content} for content in contents]


def own_words(text: str, added: Iterable[str]) -> str:
    """Return what of a piece of the payload is the claim's own: without what was added to it."""
    for words in added:
        if words == ".":
            text = text[:-1]
        else:
            before, _, after = text.partition(words)
            text = f"{before.rstrip()} {after.lstrip()}"
    return text


@st.composite
def some_settings(draw: st.DrawFn) -> Settings:
    """Any settings inside their bounds."""
    settings = Settings(seed=draw(st.integers(0, 2**32 - 1)))
    for name, (kind, _) in setting_kinds().items():
        # Any other word names a checkpoint, which is not here, or is no kind of what is private.
        if name in ("elimination.entailment", "privacy.let_through"):
            continue
        section, _, key = name.partition(".")
        bounds = bounds_of(getattr(settings, section), key)
        low, high = bounds.low, bounds.high
        if kind is str:
            text = st.text(st.characters(codec="utf-8", categories=("L", "M", "N", "P", "S")), max_size=8)
            text = st.sampled_from(["", "late", "[0-9]+|日"]) if key == "pin_pattern" else text
            values = st.sampled_from(bounds.choices) if bounds.choices else text
        elif kind is int:
            values = st.integers(int(low), int(high))
        else:
            values = st.floats(low, high)
        value = draw(st.none() | values if bounds.optional else values)
        settings = settings.with_value(name, value)
    return settings


WORDS = st.sampled_from(
    [
        *("the", "order", "5521", "is", "late", "it", "left", "Lyon", "on", "2", "June"),
        *("Ben", "paid", "40", "euros", "日本", "naïve", "🔥", "ok"),
    ]
)
SENTENCES = st.lists(WORDS, min_size=1, max_size=7).map(lambda words: " ".join(words).capitalize() + ".")
TEXTS = st.one_of(
    st.lists(SENTENCES, max_size=4).map(" ".join),
    st.text(st.characters(codec="utf-8"), max_size=40),
    st.just(string.whitespace),
)
MESSAGES = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant", "tool"]), "content": TEXTS},
        optional={"speaker": st.sampled_from(["Ada", "Ben [x]", "李"]), "id": st.sampled_from(["a", "b;]"])},
    ),
    max_size=7,
)
