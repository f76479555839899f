"""``memory(action="capture")`` and ``"compress"``: D01 to D18, and that nothing is ever lost on the way."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from memguard.errors import (
    EntryNotFoundError,
    InvalidParameterError,
    ModelUnavailableError,
    StageFailedError,
    StaleEntryError,
)
from memguard.memory import memory
from memguard.memory.actions import Memory
from memguard.memory.entries import MemoryEntry
from memguard.memory.gate import PrivacyGate
from memguard.memory.providers import as_provider
from memguard.memory.rewriting import Rewriter
from memguard.memory.rows import EVERYTHING
from memguard.memory.store import MemoryStore
from memguard.models import loading
from memguard.settings import MemorySettings, Settings
from tests.fakes import FakeEmbedder, FakeLLM
from tests.support import guard
from tests.unit.memory.loopback import clean_environment, says, sends, serving

TURN = (
    "Hi there! Thanks again for all of your help. So, um, basically we have now moved the launch to 17 March "
    "and, as I said before, the budget will be 18,500 euros."
)
NOTE = "Launch moved to 17 March; budget 18,500 euros."
PLAIN = MemorySettings(audit="off", backoff_s=0.0, timeout_s=5.0)
KEY = "sk-secret-0123456789abcdef"


class Counted(FakeLLM):
    """A provider of the caller's with a name of its own."""

    name = "counted"
    model = "counted-1"


@pytest.fixture(autouse=True)
def environment(monkeypatch, tmp_path):
    clean_environment(monkeypatch)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LOG_LEVEL", raising=False)


@pytest.fixture
def store(tmp_path):
    with MemoryStore(tmp_path / "memory.db") as opened:
        yield opened


def bound(store, llm=None, *, embedder=None, settings=PLAIN):
    return Memory(store, provider=llm, embedder=embedder or FakeEmbedder(), settings=settings)


def contents(store):
    return [item.entry.content for item in store.list(EVERYTHING)]


# What fires, and what is stored


def test_a_turn_is_compressed_and_its_original_kept(store):
    """D01, D02, D13, D17: the result, and what the store holds."""
    llm = Counted(NOTE)
    result = bound(store, llm)("capture", text=TURN, tags=["launch"], importance=0.7)

    assert result["status"] == "stored"
    assert (result["text"], result["text_raw"], result["compressed"]) == (NOTE, TURN, True)
    assert (result["provider"], result["model"], result["reason"]) == ("counted", "counted-1", None)
    assert (result["tokens_in"], result["tokens_out"]) == (43, 14)
    kept = store.get(result["memory_id"])
    assert kept.entry.content == NOTE
    assert (kept.entry.tags, kept.entry.importance) == (["launch"], 0.7)
    details = kept.details
    assert (details.text_raw, details.compressed, details.compression_provider) == (TURN, True, "counted")
    assert (details.tokens_in, details.tokens_out, details.origin) == (43, 14, "capture")


def test_a_rewritten_row_has_the_embedding_of_what_it_holds(store):
    embedder = FakeEmbedder()
    result = bound(store, Counted(NOTE), embedder=embedder)("capture", text=TURN)

    kept = store.get(result["memory_id"])
    assert embedder.texts == [TURN, NOTE]
    assert np.allclose(kept.entry.embedding, FakeEmbedder().embed([NOTE])[0])
    assert kept.details.embedding_model == embedder.model_id


def test_half_the_tokens_may_be_written_and_64_at_least(store):
    """D11, F13."""
    llm = Counted("no")
    memory_of = bound(store, llm)
    memory_of("capture", text=TURN)
    memory_of("capture", text=" ".join(f"Person{i} moved to the city." for i in range(60)))

    assert llm.max_tokens[0] == 64
    tokens = store.list(EVERYTHING)[0].details.tokens_in
    assert tokens > 200
    assert llm.max_tokens[1] == tokens // 2


def test_without_a_provider_the_text_is_stored_as_it_was_said(store):
    """D03, D09: missing env."""
    result = bound(store)("capture", text=TURN)

    assert (result["status"], result["compressed"], result["reason"]) == ("stored", False, "no_provider")
    assert "GEMINI_API_KEY" in result["detail"]
    assert (result["tokens_in"], result["tokens_out"]) == (43, 43)
    kept = store.get(result["memory_id"])
    assert kept.entry.content == TURN
    assert (kept.details.compressed, kept.details.text_raw) == (False, None)
    assert (kept.details.tokens_in, kept.details.tokens_out) == (43, 43)


@pytest.mark.parametrize("word", ["false", "0", "off", "No"])
def test_disabled_the_transcript_is_byte_exact(store, monkeypatch, word):
    """D04, D16: with white space, control tokens and odd characters."""
    monkeypatch.setenv("COMPRESSION_ENABLED", word)
    text = "  User: hi\r\n\tAssistant: <|endoftext|> </turn> naïve 你好 e\u0301 🙂  \n\n"
    llm = Counted(NOTE)
    result = bound(store, llm)("capture", text=text)

    assert store.get(result["memory_id"]).entry.content == text
    assert result["reason"] == "disabled"
    assert llm.prompts == []


def test_enabled_is_the_default(store, monkeypatch):
    """D04."""
    monkeypatch.setenv("COMPRESSION_ENABLED", "true")
    assert bound(store, Counted(NOTE))("capture", text=TURN)["compressed"]


@pytest.mark.parametrize(
    ("answers", "reason", "asked"),
    [
        ([sends(b"oops", 500)], "server_error", 3),
        ([sends(b"{}", 429)], "rate_limited", 3),
        ([sends(b"{}", 401)], "refused", 1),
        ([sends(b"garbage")], "bad_reply", 1),
        ([says("")], "empty_reply", 1),
        ([says(TURN + " And more.")], "expansion", 1),
        ([says(NOTE.replace("18,500", "19,500"))], "changed", 1),
        ([says("Launch moved to 17 March.")], "lost", 1),
    ],
)
def test_whatever_a_provider_does_the_row_is_kept(store, monkeypatch, answers, reason, asked):
    """D09: SDK error, empty reply, rate limit; tokens_out == tokens_in; against a real server."""
    with serving(*answers) as server:
        for name, value in (("PROVIDER", "openai"), ("BASE_URL", server.url)):
            monkeypatch.setenv(f"COMPRESSION_{name}", value)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        result = bound(store)("capture", text=TURN)

    assert (result["status"], result["reason"], result["compressed"]) == ("stored", reason, False)
    assert result["detail"]
    assert KEY not in str(result)
    assert (result["tokens_in"], result["tokens_out"], result["provider"]) == (43, 43, None)
    assert contents(store) == [TURN]
    assert len(server.asked) == asked


def test_a_provider_that_is_named_by_the_environment_compresses(store, monkeypatch):
    """D02, D06: the whole way over HTTP."""
    with serving(says(NOTE)) as server:
        monkeypatch.setenv("COMPRESSION_PROVIDER", "compatible")
        monkeypatch.setenv("COMPRESSION_BASE_URL", server.url)
        monkeypatch.setenv("COMPRESSION_MODEL", "qwen3:4b")
        result = bound(store)("capture", text=TURN)

    assert (result["text"], result["provider"], result["model"]) == (NOTE, "compatible", "qwen3:4b")
    assert server.asked[0].body["temperature"] == 0.0


def test_a_provider_that_raises_anything_costs_nothing(store, caplog):
    """D09: SDK error; and its message, which may quote the key, is repeated nowhere."""
    caplog.set_level(logging.DEBUG)
    llm = Counted(RuntimeError(f"the key {KEY} is wrong"))
    result = bound(store, llm)("capture", text=TURN)

    assert (result["status"], result["reason"]) == ("stored", "failed")
    assert contents(store) == [TURN]
    assert KEY not in str(result)
    assert KEY not in caplog.text


def test_a_text_over_the_limit_is_stored_and_not_paid_for(store):
    llm = Counted(NOTE)
    settings = MemorySettings(audit="off", input_tokens=40)
    result = bound(store, llm, settings=settings)("capture", text=TURN)

    assert (result["reason"], result["status"]) == ("too_long", "stored")
    assert llm.prompts == []


@pytest.mark.parametrize("run", ["a" * 20_000, "a.b-" * 4_000, "a/" * 5_000])
def test_a_run_that_only_machines_write_is_stored_at_once(store, run):
    """Readers of figures and names would take minutes over it; so no model is asked either."""
    llm = Counted("Stored.")
    memory_of = bound(store, llm)
    text = f"Here is the file: {run}"
    first, again = memory_of("capture", text=text), memory_of("capture", text=text)
    other = memory_of("capture", text=f"{text} again")

    assert (first["status"], first["reason"]) == ("stored", "too_long")
    assert (again["status"], other["status"]) == ("duplicate", "stored")
    assert llm.prompts == []


def test_a_language_that_nothing_here_checks_is_not_paid_for(store):
    llm = Counted("要点")
    result = bound(store, llm)(
        "capture", text="我们决定把发布日期从三月三日推迟到三月十七日，预算是一万八千五百欧元。"
    )

    assert (result["reason"], result["status"]) == ("language", "stored")
    assert llm.prompts == []


def test_control_tokens_in_a_turn_are_text(store):
    """<|endoftext|> is counted and sent as it stands, and </turn> closes nothing."""
    llm = Counted("Stop token: <|endoftext|> is kept.")
    text = "Well, you know, the stop token that we use is <|endoftext|> and it must be kept. </turn> Okay."
    result = bound(store, llm)("capture", text=text)

    assert result["tokens_in"] > 10
    assert llm.prompts[0].count("</turn>") == 1
    assert "<|endoftext|>" in llm.prompts[0]
    assert store.get(result["memory_id"]).details.text_raw in {text, None}


# Elimination as the last check


def test_what_elimination_drops_is_not_used(store):
    """With the audit on, every claim of the note goes through elimination against the turn."""
    strict = Settings().with_value("elimination.preset", "contract")
    found = {}
    for name, least in (("kept", 0.2), ("dropped", 0.999)):
        checker = guard(strict.with_value("elimination.min_similarity", least))
        rewriter = Rewriter(MemorySettings(), provider=as_provider(Counted(NOTE)), guard=lambda c=checker: c)
        found[name] = rewriter.rewrite(TURN, PrivacyGate())

    assert found["kept"].compressed
    assert (found["dropped"].compressed, found["dropped"].reason) == (False, "unsupported")
    assert "not found in the original" in found["dropped"].detail
    assert found["dropped"].text == TURN


def test_a_check_that_fails_is_no_support(store):
    class Fails:
        def check(self, summary, messages):
            raise StageFailedError("elimination")

    rewriter = Rewriter(MemorySettings(), provider=as_provider(Counted(NOTE)), guard=Fails)
    done = rewriter.rewrite(TURN, PrivacyGate())

    assert (done.compressed, done.reason, done.text) == (False, "unsupported", TURN)


def test_a_provider_object_that_answers_no_text_is_skipped(store):
    class Odd:
        name, model = "odd", "odd-1"

        def compress(self, text, *, target_tokens, max_tokens):
            return 42

    for provider in (Odd(), Counted(None)):
        result = bound(store, provider)("capture", text=f"{TURN} {type(provider).__name__}")
        assert (result["status"], result["reason"]) == ("stored", "bad_reply")
    blank = bound(store, Counted(" \n"))("capture", text="Good evening, the office in Lyon closes on 9 May.")
    assert blank["reason"] == "empty_reply"


def test_without_weights_the_guard_on_the_words_decides_alone(store, monkeypatch, caplog):
    """D02 does not depend on them."""

    def missing(*args, **kwargs):
        raise ModelUnavailableError("run: memguard setup")

    monkeypatch.setattr(loading, "load_embedder", missing)
    result = Memory(store, provider=Counted(NOTE), settings=MemorySettings())("capture", text=TURN)

    assert result["compressed"]
    assert "went through no elimination" in caplog.text
    assert any("could not be embedded" in warning for warning in result["warnings"])
    assert store.get(result["memory_id"]).entry.embedding is None


# Duplicates


def test_a_duplicate_costs_no_call_and_stores_nothing(store):
    """D18, F12: the existing id comes back, also where the row was rewritten."""
    llm = Counted(NOTE)
    memory_of = bound(store, llm)
    first = memory_of("capture", text=TURN)
    again = memory_of("capture", text=f" {TURN}\n")

    assert again["status"] == "duplicate"
    assert again["memory_id"] == first["memory_id"]
    assert len(llm.prompts) == 1
    assert store.count(EVERYTHING) == 1
    assert len(store.records()) == 1


def test_a_duplicate_in_other_words_is_found_by_its_embedding(store):
    """F19: cosine, and the merge guard finds no difference."""
    embedder = FakeEmbedder(table={"Ana likes tea.": [1, 0], "Ana likes tea a lot.": [0.99, 0.141]})
    memory_of = bound(store, Counted("x"), embedder=embedder)
    first = memory_of("capture", text="Ana likes tea.")
    again = memory_of("capture", text="Ana likes tea a lot.")

    assert (again["status"], again["memory_id"]) == ("duplicate", first["memory_id"])
    assert again["similarity"] == pytest.approx(0.99, abs=1e-3)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The rent is 900 euros.", "The rent is 950 euros."),
        ("The review is on 3 March.", "The review is on 4 March."),
        ("Ana pays the rent.", "Ben pays the rent."),
        ("Deploy on Friday.", "Do not deploy on Friday."),
    ],
)
def test_texts_that_differ_in_what_they_say_are_no_duplicates(store, one, other):
    """F19: though their vectors are the same."""
    embedder = FakeEmbedder(table={one: [1.0], other: [1.0]})
    memory_of = bound(store, embedder=embedder)

    assert [memory_of("capture", text=text)["status"] for text in (one, other)] == ["stored", "stored"]


def test_tomorrow_on_another_day_is_another_day(store):
    memory_of = bound(store)
    said = [memory_of("capture", text="The review is tomorrow.", timestamp=day * 86_400.0) for day in (1, 2)]

    assert [item["status"] for item in said] == ["stored", "stored"]
    assert said[0]["memory_id"] != said[1]["memory_id"]


def test_what_was_deleted_may_be_said_again(store):
    memory_of = bound(store)
    first = memory_of("capture", text="Ana likes tea.")
    memory_of("delete", memory_id=first["memory_id"])
    second = memory_of("capture", text="Ana likes tea.")

    assert second["status"] == "stored"
    assert store.get(first["memory_id"]).status == "deleted"
    assert memory_of("capture", text="Ana likes tea.")["memory_id"] == second["memory_id"]


def test_tenants_share_no_duplicates(store):
    one = bound(store)("capture", text="Ana likes tea.")
    two = bound(store.for_tenant("other"))("capture", text="Ana likes tea.")

    assert two["status"] == "stored"
    assert one["memory_id"] != two["memory_id"]


def test_two_threads_with_one_text_store_one_and_pay_once(store):
    """D18 under threads: the second waits for the first and finds it."""
    started = threading.Barrier(8)

    class Slow(Counted):
        def generate(self, prompt, max_tokens=256):
            threading.Event().wait(0.05)
            return super().generate(prompt, max_tokens)

    llm = Slow(NOTE)
    memory_of = bound(store, llm)

    def capture(_):
        started.wait()
        return memory_of("capture", text=TURN)["status"]

    with ThreadPoolExecutor(8) as pool:
        states = list(pool.map(capture, range(8)))

    assert sorted(states) == ["duplicate"] * 7 + ["stored"]
    assert store.count(EVERYTHING) == 1
    assert len(llm.prompts) == 1


def test_two_processes_with_one_text_store_one(tmp_path):
    """The store's transaction decides: both may pay, one entry stands, and both learn its id."""
    path = tmp_path / "shared.db"
    with MemoryStore(path):
        pass
    program = (
        "import sys, json, pathlib, time\n"
        "from memguard.memory.actions import Memory\n"
        "from memguard.settings import MemorySettings\n"
        "from tests.fakes import FakeEmbedder\n"
        "here = Memory(sys.argv[1], embedder=FakeEmbedder(), settings=MemorySettings(audit='off'))\n"
        "pathlib.Path(sys.argv[2]).touch()\n"
        "while not pathlib.Path(sys.argv[3]).exists(): time.sleep(0.005)\n"
        "print(json.dumps([here('capture', text=f'Fact number {i}.') for i in range(10)]))\n"
    )
    ready = [tmp_path / f"ready{i}" for i in range(2)]
    go = tmp_path / "go"
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(__file__))))
    running = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(path), str(mark), str(go)],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": root},
        )
        for mark in ready
    ]
    while not all(mark.exists() for mark in ready):
        assert all(process.poll() is None for process in running)
        threading.Event().wait(0.02)
    go.touch()
    results = [json.loads(process.communicate(timeout=60)[0]) for process in running]

    with MemoryStore(path) as opened:
        assert opened.count(EVERYTHING) == 10
        assert opened.verify().intact
    one, other = ([r["memory_id"] for r in side] for side in results)
    assert one == other
    assert sorted(r["status"] for side in results for r in side) == ["duplicate"] * 10 + ["stored"] * 10


# Privacy, injection, turns


def test_the_privacy_gate_stands_before_everything(store, tmp_path):
    """F24: before embedding, model and store; tags and metadata too."""
    embedder, llm = FakeEmbedder(), Counted("x")
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    result = bound(store, llm, embedder=embedder)(
        "capture",
        text=f"Please write to ana@acme.example, the token is {secret}, and thank you very much for that.",
        tags=["ana@acme.example"],
        metadata={"from": {"mail": ["ana@acme.example"]}},
    )

    assert result["redacted"] == ["email", "provider_key"]
    assert result["text_raw"].startswith("Please write to [EMAIL_1]")
    for seen in (*embedder.texts, *llm.prompts, str(result), str(store.export_lines())):
        assert secret not in seen
        assert "ana@acme.example" not in seen
    kept = store.get(result["memory_id"])
    assert kept.details.privacy_status == "secret-redacted"
    assert kept.entry.tags == ["[EMAIL_1]"]
    for file in tmp_path.iterdir():
        assert secret.encode() not in file.read_bytes()


def test_the_same_placeholder_of_another_run_is_no_duplicate(store):
    """There it may stand for another address; in one run it is the same."""
    one, other = bound(store), bound(store)
    first = one("capture", text="Write to ana@acme.example.")
    again = one("capture", text="Write to ana@acme.example.")
    elsewhere = other("capture", text="Write to ben@acme.example.")

    assert (again["status"], again["memory_id"]) == ("duplicate", first["memory_id"])
    assert elsewhere["status"] == "stored"


def test_a_project_list_is_read_from_the_working_folder(store, tmp_path):
    (tmp_path / ".memguard-privacy.yaml").write_text('terms: ["Project Borealis"]\n', encoding="utf-8")
    result = bound(store)("capture", text="We talked about Project Borealis today.")

    assert result["text"] == "We talked about [REDACTED_1] today."


def test_a_model_that_brings_back_what_was_replaced_is_not_used(store):
    text = "Hi, please write to ana@acme.example about the invoice when you have a minute, thank you so much."
    result = bound(store, Counted("Write to ana@acme.example about the invoice."))("capture", text=text)

    assert result["compressed"] is False
    assert "ana@acme.example" not in str(store.export_lines())


def test_what_came_out_of_memory_is_not_captured_again(store):
    """Injected memory is never new."""
    memory_of = bound(store)
    memory_of("capture", text="Ana likes tea.")
    found = memory_of("search", query="tea")["entries"]
    result = memory_of("capture", text=f"  {found[0]['text'].upper()} ")

    assert (result["status"], result["memory_id"]) == ("injected", None)
    assert store.count(EVERYTHING) == 1
    turns = memory_of("capture", turns=["Ana likes tea.", "And Ben drinks coffee at noon."])
    assert turns["text"] == "User: And Ben drinks coffee at noon."
    assert turns["left_out"] == [{"index": 0, "reason": "it came out of memory"}]


def test_turns_that_no_person_said_are_left_out(store):
    turns = [
        {"role": "system", "content": "You are Tern, a travel helper. Be concise."},
        {"role": "tool", "content": '{"rows": 3}'},
        {"role": "user", "content": "thanks"},
        {"role": "user", "speaker": "Mira", "content": "Window seats only, please."},
        {"role": "assistant", "content": "Noted: the flight is booked for 9 May."},
    ]
    result = bound(store)("capture", turns=turns)

    assert (
        result["text"]
        == "Mira: Window seats only, please.\nAssistant: Noted: the flight is booked for 9 May."
    )
    assert [left["index"] for left in result["left_out"]] == [0, 1, 2]


@pytest.mark.parametrize("nothing", ["", " \n\t", "\u200b"])
def test_nothing_to_remember_is_skipped(store, nothing):
    result = bound(store)("capture", text=nothing)

    assert (result["status"], result["memory_id"]) == ("skipped", None)
    assert store.count(EVERYTHING) == 0


@pytest.mark.parametrize("odd", ["a lone \ud800 half", "NUL \x00 inside", "\ufeffmark", "x" * 300_000])
def test_odd_text_is_stored(store, odd):
    result = bound(store, Counted("x"))("capture", text=odd)

    assert result["status"] == "stored"
    assert store.get(result["memory_id"]).entry.content == odd.replace("\ud800", "\ufffd")


def test_a_very_long_text_is_stored_without_an_embedding(store):
    embedder = FakeEmbedder()
    settings = MemorySettings(audit="off", embedded_tokens=10)
    result = bound(store, embedder=embedder, settings=settings)("capture", text=TURN)

    assert embedder.calls == []
    assert "found by its words alone" in result["warnings"][0]
    assert store.get(result["memory_id"]).entry.embedding is None


def test_an_embedder_that_fails_loses_nothing(store):
    class Broken(FakeEmbedder):
        def embed(self, texts, **_):
            raise KeyError("no")

    memory_of = bound(store, embedder=Broken())
    first = memory_of("capture", text=TURN)

    assert first["status"] == "stored"
    assert "could not be embedded" in first["warnings"][0]
    assert memory_of("capture", text=TURN)["status"] == "duplicate"
    assert memory_of("search", query="launch")["entries"][0]["id"] == first["memory_id"]


@pytest.mark.parametrize(
    "wrong", [{"importance": 3}, {"memory_type": "eternal"}, {"timestamp": "now"}, {"expires_at": "never"}]
)
def test_a_wrong_extra_is_refused_before_anything_is_paid_for(store, wrong):
    llm = Counted(NOTE)
    with pytest.raises(InvalidParameterError, match=next(iter(wrong))):
        bound(store, llm)("capture", text=TURN, **wrong)

    assert llm.prompts == []
    assert store.count(EVERYTHING) == 0


# Compressing what is stored


def test_a_stored_entry_is_compressed_in_place(store):
    """D14: content, text_raw, compressed, compression_provider, updated_at; and the embedding."""
    plain = bound(store)("capture", text=TURN)
    before = store.get(plain["memory_id"])
    result = bound(store, Counted(NOTE))("compress", memory_id=plain["memory_id"])

    after = store.get(plain["memory_id"])
    assert (result["status"], result["text"], result["text_raw"]) == ("compressed", NOTE, TURN)
    assert (result["provider"], result["tokens_in"], result["tokens_out"]) == ("counted", 43, 14)
    assert (after.entry.content, after.details.text_raw) == (NOTE, TURN)
    assert (after.details.compressed, after.details.compression_provider) == (True, "counted")
    assert after.updated_at > before.updated_at
    assert np.allclose(after.entry.embedding, FakeEmbedder().embed([NOTE])[0])
    assert store.history(after.id)[0].entry.content == TURN


def test_an_entry_that_is_compressed_already_costs_no_call(store):
    """D15."""
    llm = Counted(NOTE)
    memory_of = bound(store, llm)
    done = memory_of("capture", text=TURN)
    result = memory_of("compress", memory_id=done["memory_id"])

    assert result["status"] == "already_compressed"
    assert (result["text"], result["text_raw"], result["provider"]) == (NOTE, TURN, "counted")
    assert len(llm.prompts) == 1
    assert store.get(done["memory_id"]).version == 1


def test_a_compression_that_fails_changes_nothing(store):
    plain = bound(store)("capture", text=TURN)
    result = bound(store, Counted("Budget 9 euros."))("compress", memory_id=plain["memory_id"])

    assert (result["status"], result["compressed"]) == ("skipped", False)
    assert result["reason"] in {"lost", "changed"}
    assert store.get(plain["memory_id"]).version == 1


def test_an_entry_that_bypassed_the_gate_is_redacted_before_a_model_sees_it(store):
    text = (
        "Hi! Thanks a lot. So, as I said, please do write to ana@acme.example about the invoice of 40 euros."
    )
    store.add(MemoryEntry(text, id="e1"))
    llm = Counted("Write to [EMAIL_1] about the invoice of 40 euros.")
    result = bound(store, llm)("compress", memory_id="e1")

    assert result["status"] == "compressed"
    assert "ana@acme.example" not in llm.prompts[0]
    assert "ana@acme.example" not in result["text_raw"]
    assert store.get("e1").details.privacy_status == "sensitive"


def test_an_entry_that_changes_while_the_model_writes_is_not_overwritten(store):
    plain = bound(store)("capture", text=TURN)

    class Meanwhile(Counted):
        def generate(self, prompt, max_tokens=256):
            store.update(plain["memory_id"], version=1, importance=0.9)
            return NOTE

    with pytest.raises(StaleEntryError):
        bound(store, Meanwhile())("compress", memory_id=plain["memory_id"])

    assert store.get(plain["memory_id"]).entry.content == TURN


def test_only_an_active_text_can_be_compressed(store):
    memory_of = bound(store, Counted(NOTE))
    store.add(MemoryEntry({"input": "hi"}, id="dict"))

    with pytest.raises(InvalidParameterError, match="holds a dict"):
        memory_of("compress", memory_id="dict")
    with pytest.raises(EntryNotFoundError):
        memory_of("compress", memory_id="nobody")


# The log


def test_the_log_says_when_and_why(store, caplog):
    """D10: a reason for every step."""
    caplog.set_level(logging.DEBUG, logger="memguard.memory")
    bound(store, Counted("Launch moved to 17 March."))("capture", text=TURN)
    other = "Good morning! Well, as I already said, the office in Lyon closes for good on 9 May, thank you."
    bound(store, Counted("Office in Lyon closes for good on 9 May."))("capture", text=other)

    assert "asking counted (counted-1) about 43 tokens" in caplog.text
    assert "not compressed, lost" in caplog.text
    assert "compressed by counted: 25 tokens to 11" in caplog.text


def test_log_level_debug_shows_it_on_stderr(tmp_path):
    """D10: in a fresh process, with the time in front."""
    program = (
        "from memguard.memory import memory\n"
        "from memguard.settings import MemorySettings\n"
        "from tests.fakes import FakeEmbedder\n"
        "memory(action='capture', text='Ana likes tea.', url='m.db', embedder=FakeEmbedder())\n"
    )
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(__file__))))
    for level, shown in (("debug", True), ("", False)):
        done = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": root, "LOG_LEVEL": level},
        )
        assert done.returncode == 0, done.stderr
        assert ("capture: " in done.stderr) is shown
        assert done.stdout == ""
        if shown:
            assert "not compressed, no_provider" in done.stderr
            assert done.stderr.startswith("20")


def test_the_door_binds_a_store(tmp_path, store):
    """By object, by URL, by the environment; a gate lives as long as its store."""
    by_store = memory("capture", text="Mail ana@acme.example.", store=store, embedder=FakeEmbedder())
    again = memory("capture", text="Mail ana@acme.example.", store=store, embedder=FakeEmbedder())

    assert (by_store["status"], again["status"]) == ("stored", "duplicate")
    by_url = memory("capture", text="Ana likes tea.", url=tmp_path / "b.db", embedder=FakeEmbedder())
    assert by_url["status"] == "stored"
    other = memory("list", url=tmp_path / "b.db", tenant_id="other")
    assert (other["total"], memory("list", url=tmp_path / "b.db")["total"]) == (0, 1)
