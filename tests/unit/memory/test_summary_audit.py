"""audit=True: a model's summary goes through elimination against its sources before it is an entry."""

from __future__ import annotations

import pytest

from memguard.memory.compressor import MemoryCompressor
from memguard.memory.entries import MemoryEntry
from tests.fakes import FakeLLM
from tests.support import guard

SOURCES = [
    MemoryEntry("Imani moved to Lyon in May 2024.", id="a"),
    MemoryEntry({"input": "What does the rent cost?", "output": "The rent is 900 euros a month."}, id="b"),
]


def summarise(answer, **options):
    compressor = MemoryCompressor(llm=FakeLLM(answer), audit=True, guard=guard(), **options)
    return compressor.summarise(SOURCES)


def test_what_the_sources_support_is_kept_verbatim_and_the_rest_dropped():
    summary = summarise("Imani moved to Lyon in May 2024. The rent is 700 euros a month.")

    assert summary.content == {"summary": "Imani moved to Lyon in May 2024.", "source_count": 2}
    record = summary.metadata["audit"]
    assert (record["status"], record["kept"]) == ("checked", 1)
    [dropped] = record["dropped"]
    assert dropped["text"] == "The rent is 700 euros a month."
    assert dropped["label"] in {"contradicted", "not_found"}
    assert dropped["reason"]
    assert summary.metadata["source_ids"] == ["a", "b"]


def test_without_the_audit_the_summary_is_taken_as_it_is():
    answer = "The rent is 700 euros a month."
    summary = MemoryCompressor(llm=FakeLLM(answer)).summarise(SOURCES)

    assert summary.content["summary"] == answer
    assert "audit" not in summary.metadata


def test_where_nothing_is_supported_the_sources_speak_for_themselves():
    summary = summarise("Pelicans admire quantum zebras.")

    assert summary.content["summary"] == " | ".join(str(e.content)[:60] for e in SOURCES)
    assert summary.metadata["audit"]["kept"] == 0


def test_a_summary_that_could_not_be_checked_is_not_used(caplog):
    """B23: and no exception escapes."""

    class Fails:
        def check(self, summary, messages):
            raise RuntimeError("no models")

    compressor = MemoryCompressor(llm=FakeLLM("The rent is 700 euros."), audit=True, guard=Fails())

    summary = compressor.summarise(SOURCES)

    assert summary.content["summary"].startswith("Imani moved to Lyon in May 2024. | ")
    assert summary.metadata["audit"] == {"status": "not_checked"}
    assert "could not be checked" in caplog.text


@pytest.mark.parametrize("llm", [None, FakeLLM(RuntimeError("down"))])
def test_what_no_model_wrote_needs_no_check(llm):
    summary = MemoryCompressor(llm=llm, audit=True, guard=guard()).summarise(SOURCES)

    assert "audit" not in summary.metadata
    assert summary.content["summary"].startswith("Imani moved to Lyon")
