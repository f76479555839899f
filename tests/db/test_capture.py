"""Capture on every database: one entry for one text, whoever is faster, and nothing lost."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from memguard.memory.actions import Memory
from memguard.memory.rows import EVERYTHING
from memguard.memory.store import MemoryStore
from memguard.settings import MemorySettings
from tests.fakes import FakeEmbedder
from tests.unit.memory.loopback import clean_environment

QUIET = MemorySettings(audit="off")


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    clean_environment(monkeypatch)


def bound(store: MemoryStore) -> Memory:
    return Memory(store, embedder=FakeEmbedder(), settings=QUIET)


def test_a_text_is_captured_once_and_found_again(store):
    """D18: the existing id comes back."""
    here = bound(store)
    first = here("capture", text="Ana likes green tea.", tags=["tea"])
    again = bound(store)("capture", text="Ana likes green tea.")

    assert (first["status"], again["status"]) == ("stored", "duplicate")
    assert again["memory_id"] == first["memory_id"]
    assert here("search", query="green tea")["entries"][0]["id"] == first["memory_id"]
    assert store.verify().intact


@pytest.mark.parametrize(
    "odd", ["NUL \x00 inside", "half \ud800 a pair", "  spaces\t\r\n ", "你好 🙂 e\u0301"]
)
def test_odd_text_is_stored_as_it_was_said(store, odd):
    """D16."""
    result = bound(store)("capture", text=odd)

    assert store.get(result["memory_id"]).entry.content == odd.replace("\ud800", "\ufffd")


def test_stores_of_their_own_agree_on_one_entry(store, shared_url):
    """As two processes would: each has its own connections, locks and cache."""
    others = [MemoryStore(shared_url, tenant_id=store.tenant_id) for _ in range(4)]
    texts = [f"Fact number {n} about order {70 + n}." for n in range(6)]

    def capture(opened):
        here = bound(opened)
        return [here("capture", text=text) for text in texts]

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(capture, others))
    for opened in others:
        opened.close()

    assert store.count(EVERYTHING) == len(texts)
    assert len({tuple(r["memory_id"] for r in side) for side in results}) == 1
    assert sorted(r["status"] for side in results for r in side).count("stored") == len(texts)
    assert store.verify().intact
