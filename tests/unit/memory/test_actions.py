"""``memory(action=…)``: every action's result, and clear errors for what does not exist."""

from __future__ import annotations

import json

import pytest

from memguard.errors import EntryNotFoundError, InvalidParameterError, StoreUnavailableError
from memguard.memory import memory
from memguard.memory.actions import ACTIONS, Memory
from memguard.memory.entries import MemoryEntry
from memguard.memory.rows import EVERYTHING, Details
from memguard.memory.store import MemoryStore
from memguard.models import loading
from memguard.settings import MemorySettings
from tests.fakes import FakeEmbedder
from tests.unit.memory.loopback import clean_environment

FACTS = ("Ana likes green tea.", "Ben drinks black coffee.", "The deposit is 400 euros.")


@pytest.fixture(autouse=True)
def environment(monkeypatch, tmp_path):
    clean_environment(monkeypatch)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def store(tmp_path):
    with MemoryStore(tmp_path / "memory.db") as opened:
        yield opened


@pytest.fixture
def here(store):
    """A binding with three facts in it, a second apart."""
    bound = Memory(store, embedder=FakeEmbedder(), settings=MemorySettings(audit="off"))
    for second, fact in enumerate(FACTS):
        metadata = {"importance": second / 10}
        bound("capture", text=fact, timestamp=1_000.0 + second, tags=[f"t{second}"], metadata=metadata)
    return bound


def texts(result):
    return [entry["text"] for entry in result["entries"]]


def test_every_result_is_plain_json_and_names_its_action(here, tmp_path):
    some = here("list")["entries"][0]["id"]
    arguments = {
        "capture": {"text": "The keys are with the neighbour."},
        "search": {"query": "tea"},
        "export": {"path": tmp_path / "e.jsonl"},
        "import": {"path": tmp_path / "e.jsonl", "skip_existing": True},
        **{name: {"memory_id": some} for name in ("compress", "get", "delete", "restore")},
    }
    order = sorted(ACTIONS, key=lambda name: (name == "import", name == "restore"))
    for action in order:
        result = here(action, **arguments.get(action, {}))
        assert result["action"] == action
        assert result["status"]
        assert json.loads(json.dumps(result)) == result


def test_an_action_that_does_not_exist_names_those_that_do(here):
    for wrong in ("remember", "", None, 3):
        with pytest.raises(InvalidParameterError, match="capture, compress, summarize, search, list, get"):
            here(wrong)


@pytest.mark.parametrize(
    ("action", "arguments", "said"),
    [
        ("get", {}, "missing a required argument: 'memory_id'"),
        ("get", {"id": "x"}, "it takes memory_id"),
        ("capture", {}, "either text or turns"),
        ("capture", {"text": "a", "turns": ["b"]}, "either text or turns"),
        ("capture", {"text": "Ana likes tea.", "colour": "red"}, "memory_type, importance, tags"),
        ("capture", {"text": 3}, "text must be a text; got int"),
        ("capture", {"turns": "one text"}, "turns must be a list"),
        ("capture", {"turns": [3]}, r"turns\[0\] must be a text or a dict; got int"),
        ("capture", {"turns": [{"role": "user", "content": None}]}, r"turns\[0\] must have texts"),
        ("list", {"colour": "red"}, "filtered by types, tags, status"),
        ("list", {"order": "size"}, "newest, oldest, importance, updated"),
        ("list", {"limit": -1}, "0 or more"),
        ("search", {"query": 3}, "query must be a text"),
        ("search", {"query": "tea", "k": 0}, "k must be a whole number of 1 or more"),
        ("summarize", {"strategy": "mood"}, "relevance, recency, importance"),
        ("summarize", {"max_tokens": -1}, "max_tokens"),
        ("summarize", {"counter": "sheep"}, "words, summarizer, cl100k"),
        ("maintain", {"colour": "red"}, "above, summarise_above, steps"),
        ("import", {}, "either path or lines"),
        ("import", {"lines": [], "on_unfiltered": "ignore"}, "reject or flag"),
    ],
)
def test_an_argument_that_does_not_exist_or_fit_is_named_and_nothing_is_done(here, action, arguments, said):
    before = here.store.head()
    with pytest.raises(InvalidParameterError, match=said):
        here(action, **arguments)

    assert here.store.head() == before


@pytest.mark.parametrize("action", ["get", "delete", "restore", "compress"])
def test_an_id_that_is_not_there_is_an_error(here, action):
    with pytest.raises(EntryNotFoundError, match="has no entry 'nobody'"):
        here(action, memory_id="nobody")


def test_search_ranks_by_similarity_and_fills_with_words(here):
    found = here("search", query="black coffee", k=2)

    assert texts(found)[0] == "Ben drinks black coffee."
    assert found["entries"][0]["similarity"] == pytest.approx(2 / (2 * 4) ** 0.5)
    here.store.add(MemoryEntry("An entry without a vector about coffee.", id="bare"))
    by_words = here("search", query="coffee", k=9)
    assert by_words["entries"][-1]["id"] == "bare"
    assert by_words["entries"][-1]["similarity"] is None
    assert texts(here("search", query="tea", k=9, tags=["t1"])) == ["Ben drinks black coffee."]


def test_search_without_an_embedder_compares_words_and_says_so(store, monkeypatch):
    def missing():
        raise loading.ModelUnavailableError("run: memguard setup")

    store.add(MemoryEntry("Ana likes green tea.", id="a"))
    monkeypatch.setattr(loading, "load_embedder", missing)
    found = Memory(store)("search", query="GREEN tea")

    assert [entry["id"] for entry in found["entries"]] == ["a"]
    assert found["warnings"] == ["the query could not be embedded; only its words were compared"]


def test_a_query_goes_through_the_privacy_gate(here):
    embedder = FakeEmbedder()
    Memory(here.store, embedder=embedder)("search", query="What did ana@acme.example say?")

    assert embedder.texts == ["What did [EMAIL_1] say?"]


def test_what_was_given_out_is_remembered_unless_it_was_only_looked_at(here):
    here("search", query="coffee", k=1, give=False)
    assert not here.store.was_given("Ben drinks black coffee.")
    here("search", query="coffee", k=1)

    assert here.store.was_given("Ben drinks black coffee.")
    given = here("summarize", strategy="recency", max_tokens=9)
    assert here("capture", text=given["content"])["status"] == "injected"


def test_summarize_fits_a_budget_by_strategy(here):
    """C02, through the action: 2048 tokens by default."""
    recent = here("summarize", max_tokens=9, strategy="recency")
    important = here("summarize", strategy="importance", max_tokens=6)
    everything = here("summarize")

    assert recent["content"].startswith("[t2] The deposit is 400 euros.")
    assert (recent["status"], recent["source_count"], recent["token_count"]) == ("ok", 1, 6)
    assert important["source_keys"] == recent["source_keys"]
    assert everything["source_count"] == 3
    assert here("summarize", max_tokens=0)["status"] == "empty"
    assert here("summarize", query="green tea", max_tokens=5)["content"] == "[t0] Ana likes green tea."
    assert here("summarize", tags=["t1"], counter="cl100k")["source_count"] == 1


def test_list_filters_orders_and_pages(here):
    assert texts(here("list")) == list(reversed(FACTS))
    page = here("list", order="oldest", limit=1, offset=1)
    assert (texts(page), page["total"]) == ([FACTS[1]], 3)
    assert texts(here("list", tags=["t2"])) == [FACTS[2]]
    assert here("list", text="COFFEE")["total"] == 1


def test_an_entry_is_deleted_restored_and_purged(here):
    some = here("list", text="coffee")["entries"][0]["id"]

    assert here("delete", memory_id=some)["status"] == "deleted"
    assert here("list")["total"] == 2
    assert here("get", memory_id=some)["entry"]["status"] == "deleted"
    assert here("restore", memory_id=some)["entry"]["status"] == "active"
    purged = here("delete", memory_id=some, purge=True)
    assert (purged["status"], purged["entry"]) == ("purged", None)
    with pytest.raises(EntryNotFoundError):
        here("restore", memory_id=some)


def test_maintain_previews_and_runs(here):
    """B25: only above 100 entries, unless told otherwise."""
    here.store.add(MemoryEntry("ok", id="noise"))

    assert here("maintain")["status"] == "too_few_entries"
    preview = here("maintain", dry_run=True, above=0, steps=("noise",))
    assert (preview["status"], preview["planned"]["noise"], preview["n_after"]) == ("dry_run", 1, 3)
    assert here("list")["total"] == 4
    done = here("maintain", above=0, steps=("noise",))
    assert (done["status"], done["n_before"], done["n_after"]) == ("done", 4, 3)
    assert done["steps"][0]["n_changed"] == 1
    assert here("list")["total"] == 3


def test_export_and_import_give_back_what_was_there(here, tmp_path):
    path = tmp_path / "export.jsonl"
    here("delete", memory_id=here("list", text="coffee")["entries"][0]["id"])
    written = here("export", path=path)
    lines = here("export")["lines"]
    other = Memory(tmp_path / "other.db", embedder=FakeEmbedder())

    assert (written["count"], written["path"]) == (3, str(path))
    assert len(lines) == 4
    assert here("export", status=["active"])["count"] == 2
    assert (other("import", path=path)["count"], other("import", lines=lines)["already_there"]) == (3, 3)
    assert other("export")["lines"] == lines
    other.store.close()


def test_an_import_that_bypassed_the_privacy_gate_is_refused_unless_flagged(here, tmp_path):
    """F16: text and what it was before; the error names the line and the kind, never the value."""
    raw = "Please write to ana@acme.example today."
    with MemoryStore(tmp_path / "raw.db") as other:
        other.add(MemoryEntry("Write to somebody."), Details(text_raw=raw, compressed=True))
        lines = other.export_lines()
    before = here.store.count(EVERYTHING)

    with pytest.raises(InvalidParameterError, match="line 2 holds email") as caught:
        here("import", lines=lines)
    assert "acme" not in str(caught.value)
    assert here.store.count(EVERYTHING) == before
    taken = here("import", lines=lines, on_unfiltered="flag")
    assert (taken["count"], len(taken["warnings"])) == (1, 1)


@pytest.mark.parametrize("broken", ["", "not json", '{"schema": "other"}', "[" * 100_000])
def test_a_broken_import_is_refused(here, broken):
    with pytest.raises(InvalidParameterError, match="line 1"):
        here("import", lines=[broken])


def test_a_file_that_cannot_be_read_is_said(here, tmp_path):
    with pytest.raises(StoreUnavailableError, match="cannot be read"):
        here("import", path=tmp_path / "nowhere.jsonl")
    (tmp_path / "latin.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidParameterError, match="not UTF-8"):
        here("import", path=tmp_path / "latin.jsonl")
    with pytest.raises(StoreUnavailableError, match="cannot be written"):
        here("export", path=tmp_path / "no" / "folder.jsonl")


def test_the_default_store_is_that_of_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("MEMGUARD_MEMORY_URL", str(tmp_path / "mine.db"))
    memory("capture", text=FACTS[0], embedder=FakeEmbedder())

    assert texts(memory("list")) == [FACTS[0]]
    assert (tmp_path / "mine.db").exists()


def test_without_any_setting_it_lies_in_memguards_own_folder(monkeypatch, tmp_path):
    monkeypatch.delenv("MEMGUARD_MEMORY_URL", raising=False)
    monkeypatch.setenv("MEMGUARD_HOME", str(tmp_path / "home"))
    memory("capture", text=FACTS[0], embedder=FakeEmbedder())

    assert (tmp_path / "home" / "memory.db").exists()


def test_a_store_is_bound_in_one_way(here, tmp_path):
    with pytest.raises(InvalidParameterError, match="either store or url"):
        memory("list", store=here.store, url=tmp_path / "x.db")
    with pytest.raises(InvalidParameterError, match="a path goes to url"):
        memory("list", store=str(tmp_path / "x.db"))

    assert memory("list", store=here.store)["total"] == 3
    assert memory("list", store=here.store, tenant_id="other")["total"] == 0
