"""The handed cases about memory that capture and the guard on a model's output decide.

A provider that writes what the case asks for stands for the model, and one that writes what the symptom
says: the first has to be stored, and of the second nothing.
"""

from __future__ import annotations

import pytest

from memguard.memory.actions import Memory
from memguard.memory.protected import faults
from memguard.memory.providers import Skip
from memguard.memory.store import MemoryStore
from memguard.settings import MemorySettings
from tests.fakes import FakeEmbedder, FakeLLM


@pytest.fixture
def captured(tmp_path, monkeypatch):
    """Capture turns with a provider that answers so, and return the result and all that is stored."""
    for name in ("COMPRESSION_ENABLED", "COMPRESSION_PROVIDER"):
        monkeypatch.delenv(name, raising=False)

    def capture(turns, answer):
        with MemoryStore(":memory:") as store:
            llm = FakeLLM(answer)
            bound = Memory(store, provider=llm, embedder=FakeEmbedder(), settings=MemorySettings(audit="off"))
            result = bound("capture", turns=turns)
            return result, [item.entry.content for item in store.list()], llm.prompts

    return capture


@pytest.mark.parametrize("case", ["MEM-008"], indirect=True)
def test_instructions_heartbeats_and_an_invented_profile_are_not_stored(case, captured):
    turns, expected = case["input"]["turns"], case["expected"]

    result, stored, prompts = captured(turns, expected["stored"][0])
    assert stored == expected["stored"]
    assert result["text_raw"] == "User: Window seats only, please."
    assert not any(word in prompts[0].split("<turn>")[1] for word in expected["must_not_store"])
    _, stored, _ = captured(turns, "The user, an engineer, wants window seats only.")
    assert not any(word in text for text in stored for word in expected["must_not_store"])


@pytest.mark.parametrize("case", ["MEM-013"], indirect=True)
def test_advice_is_not_stored_as_a_fact_about_the_user(case, captured):
    turns, expected = case["input"]["turns"], case["expected"]

    for wrong in expected["must_not_store"]:
        written = f"The {wrong} for an hour daily."
        result, stored, _ = captured(turns, written)
        assert (result["compressed"], written in stored) == (False, False)
        assert stored[0].startswith("User: How do I get better at chess?\nAssistant: Play daily")


@pytest.mark.parametrize("case", ["MEM-014"], indirect=True)
def test_what_was_only_weighed_is_not_stored_as_done(case, captured):
    turns, expected = case["input"]["turns"], case["expected"]

    for wrong in ("The project uses DokuWiki.", "The project uses DokuWiki at /srv/wiki/data."):
        result, stored, _ = captured(turns, wrong)
        assert not result["compressed"]
        assert not any(word in text for text in stored for word in expected["must_not_store"])
    result, stored, _ = captured(turns, "The user asked whether a wiki such as DokuWiki would be useful.")
    assert result["compressed"]


@pytest.mark.parametrize("case", ["MEM-017"], indirect=True)
def test_a_pronoun_is_no_subject_of_a_stored_fact(case, captured):
    turns, expected = case["input"]["turns"], case["expected"]

    result, stored, prompts = captured(turns, expected["stored"][0])
    assert (stored, result["compressed"]) == (expected["stored"], True)
    assert "never by a pronoun alone" in prompts[0]
    for subject in expected["bad_subjects"]:
        result, stored, _ = captured(turns, f"{subject} Anouk starts a new job on Monday.")
        assert not result["compressed"]
        assert not any(text.startswith(subject) for text in stored)


@pytest.mark.parametrize("case", ["MEM-019"], indirect=True)
def test_a_compression_that_drops_conditions_is_refused(case, captured):
    given, expected = case["input"], case["expected"]

    found = faults(given["turn"], given["compressed"])
    lost = " ".join(fault.what for fault in found)
    assert (not found) is expected["accept_compression"]
    assert all(word.split()[-1].replace("do not", "not") in lost for word in expected["lost"])
    assert {fault.reason for fault in found} <= {Skip.LOST, Skip.CHANGED}
    result, stored, _ = captured([given["turn"]], given["compressed"])
    assert stored == [f"User: {given['turn']}"]
    assert result["detail"]
