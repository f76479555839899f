"""Page Memory on fakes: every widget has an effect, each step is previewed, applied and undone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update
from streamlit.testing.v1 import AppTest

from memguard.errors import ModelUnavailableError
from memguard.memory.entries import MemoryEntry
from memguard.memory.providers.local import LocalProvider
from memguard.memory.rows import EVERYTHING, EntryFilter, Status
from memguard.memory.store import MemoryStore
from memguard.memory.yaml_form import loads
from pages._ui import resources
from pages._ui.memory import capturing, demo
from pages._ui.memory.choices import Filter, Page
from tests.app.conftest import ROOT, TALK, Fakes, html, paste
from tests.app.hostile import HOSTILE, shown
from tests.app.test_hostile import read
from tests.fakes import FakeSummarizer

PAGE = str(ROOT / "pages" / "memory.py")
N = len(demo.rows())


@pytest.fixture(autouse=True)
def embedder(fakes: Fakes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "embedder", lambda: fakes.embedder)
    monkeypatch.delenv("MEMGUARD_MEMORY_URL", raising=False)


def opened(**link: str) -> AppTest:
    at = AppTest.from_file(PAGE, default_timeout=60)
    for name, value in link.items():
        at.query_params[name] = value
    return at.run()


def filled(**link: str) -> AppTest:
    at = opened(**link)
    return view(at, "entries").button(key="memory-fill").click().run()


def page(at: AppTest) -> Page:
    found = at.session_state["memory" if "memory" in at.session_state else "memguard:memory"]
    assert isinstance(found, Page)
    return found


def store(at: AppTest) -> MemoryStore:
    found = at.session_state["memguard:memory-demo"].store
    assert isinstance(found, MemoryStore)
    return found


def widget(at: AppTest, kind: str, name: str) -> Any:
    return next(w for w in at.get(kind) if w.key and w.key.partition(":")[0] == name)


def view(at: AppTest, name: str) -> AppTest:
    return widget(at, "button_group", "memory-view").set_value(name).run()


def components(at: AppTest) -> list[dict[str, Any]]:
    return [json.loads(element.proto.json) for element in at.get("bidi_component")]


def table(at: AppTest) -> str:
    return str(next(data["html"] for data in components(at) if "mg-mem-row" in data["html"]))


def asked(at: AppTest, name: str) -> Any:
    value = at.query_params.get(name)
    return value[0] if isinstance(value, list) else value


def statuses(at: AppTest) -> dict[str, Status]:
    return {item.id: item.status for item in store(at).list(EVERYTHING)}


def choose_step(at: AppTest, step: str) -> AppTest:
    page(at).step = step
    return at.run()


def test_an_empty_demonstration_says_what_to_do() -> None:
    at = opened()

    assert not at.exception
    assert "Nothing is remembered yet" in html(at)
    assert store(at).count(EVERYTHING) == 0


def test_the_demonstration_is_filled_through_the_privacy_gate(fakes: Fakes) -> None:
    at = filled()

    assert not at.exception
    assert store(at).count(EVERYTHING) == N
    assert table(at).count('role="option"') == 60
    said = "\n".join(str(item.entry.content) for item in store(at).list(EVERYTHING))
    assert "[SECRET_1]" in said
    for private in ("correct-horse", "lena.okafor@example.org", "912 345 678"):
        assert private not in said
        assert not any(private in text for text in fakes.embedder.texts)
    assert store(at).verify().intact


def test_a_second_session_sees_nothing_of_the_first() -> None:
    first, second = filled(), opened()

    assert store(first).location != store(second).location
    assert store(second).count(EVERYTHING) == 0


def test_the_file_goes_with_the_session() -> None:
    at = filled()
    folder = Path(store(at).location).parent
    assert folder.exists()
    at.session_state["memguard:memory-demo"].discard()
    assert not folder.exists()


def test_each_filter_narrows_the_table() -> None:
    at = filled()
    everything = len(store(at).list(EntryFilter(expired=None)))
    for name, value, holds in (
        ("memory-type", "procedural", lambda item: item.entry.memory_type.value == "procedural"),
        ("memory-confidence", "high", lambda item: item.details.confidence == "high"),
        ("memory-privacy", "sensitive", lambda item: item.details.privacy_status == "sensitive"),
        ("memory-age", "half-year", lambda item: True),
    ):
        widget(at, "selectbox", name).set_value(value).run()
        n = table(at).count('role="option"')
        assert 0 < n < everything
        ids = [item.id for item in store(at).list(EVERYTHING) if f'data-claim="{item.id}"' in table(at)]
        assert len(ids) == n
        assert all(holds(store(at).get(key)) for key in ids)
        widget(at, "selectbox", name).set_value("").run()
    at.multiselect[0].set_value(["music"]).run()
    assert table(at).count('role="option"') == 3
    at.multiselect[0].set_value([]).run()
    at.text_input[0].set_value("VIOLA").run()
    assert table(at).count('role="option"') == 1
    at.text_input[0].set_value("no such words").run()
    assert "No entry matches" in html(at)


def test_more_entries_are_shown_when_asked_for() -> None:
    at = filled()
    assert "First 60 of 120 entries" in html(at)
    at.button(key="memory-more").click().run()
    assert table(at).count('role="option"') == N


def test_an_entry_is_archived_undone_redone_and_restored() -> None:
    at = filled()
    page(at).selected = "d120"
    at.run()
    at.button(key="memory-archive").click().run()
    assert statuses(at)["d120"] is Status.ARCHIVED
    at.button(key="memory-undo").click().run()
    assert statuses(at)["d120"] is Status.ACTIVE
    at.button(key="memory-redo").click().run()
    assert statuses(at)["d120"] is Status.ARCHIVED
    widget(at, "selectbox", "memory-status").set_value("archived").run()
    at.button(key="memory-restore").click().run()
    assert statuses(at)["d120"] is Status.ACTIVE
    page(at).selected = "d120"
    widget(at, "selectbox", "memory-status").set_value("active").run()
    at.button(key="memory-delete").click().run()
    assert statuses(at)["d120"] is Status.DELETED
    assert store(at).verify().intact


@pytest.mark.parametrize(
    ("step", "word"),
    [
        ("injected", "given to a model before"),
        ("expiry", "ended "),
        ("contradictions", "Becomes history"),
        ("noise", "a pleasantry"),
        ("merge", "Would merge"),
        ("staleness", "→"),
    ],
)
def test_each_step_is_previewed_applied_and_undone(step: str, word: str) -> None:
    """Nothing is written before Apply is pressed; Undo brings back every entry."""
    at = choose_step(filled(panel="maintenance"), step)
    view(at, "maintenance")
    before = {item.id: (item.status, item.entry.content, item.details) for item in store(at).list(EVERYTHING)}
    n_records = store(at).stats().n_records
    assert word in html(at)
    assert store(at).stats().n_records == n_records
    assert not at.exception

    at.button(key="memory-apply").click().run()

    assert not at.exception
    assert not at.error
    after = {item.id: (item.status, item.entry.content, item.details) for item in store(at).list(EVERYTHING)}
    assert after != before
    assert len(page(at).writes.done) == 2
    at.button(key="memory-write-1").click().run()
    now = {
        item.id: (item.status, item.entry.content, item.details)
        for item in store(at).list(EVERYTHING)
        if item.id in before
    }
    assert now == before
    assert page(at).writes.done[1].undone
    assert store(at).verify().intact


def test_all_steps_are_applied_and_each_is_undone_by_itself() -> None:
    at = view(filled(), "maintenance")
    plan = page(at).plan
    assert plan is not None
    at.button(key="memory-apply-all").click().run()

    assert not at.error
    assert store(at).count(EntryFilter(expired=None)) == plan.n_left
    words = [write.words for write in page(at).writes.done[1:]]
    assert [said.split()[0] for said in words] == [
        "Archived", "Archived", "Superseded", "Archived", "Merged", "Rated",
    ]  # fmt: skip
    for _ in words:
        at.button(key="memory-undo").click().run()
    assert not at.error
    active = {item.id for item in store(at).list(EntryFilter(expired=None))}
    assert active == {f"d{number:03d}" for number in range(1, N + 1)}
    for _ in words:
        at.button(key="memory-redo").click().run()
    assert not at.error
    assert store(at).count(EntryFilter(expired=None)) == plan.n_left
    assert at.button(key="memory-redo").disabled
    assert store(at).verify().intact


def test_a_moved_cosine_changes_the_preview_and_runs_no_model(fakes: Fakes) -> None:
    at = view(filled(), "maintenance")
    calls = len(fakes.embedder.calls)
    first = page(at).plan
    widget(at, "slider", "memory-cosine").set_value(0.75).run()
    second = page(at).plan
    assert first is not None
    assert second is not None
    assert len(second.merges) + len(second.held_apart) > len(first.merges) + len(first.held_apart)
    assert len(fakes.embedder.calls) == calls
    assert asked(at, "cosine") == "0.75"


def test_the_other_rules_have_an_effect() -> None:
    at = view(filled(cosine="0.75"), "maintenance")
    apart = page(at).plan.held_apart  # type: ignore[union-attr]
    assert apart
    widget(at, "toggle", "memory-guard").set_value(False).run()
    assert not page(at).plan.held_apart  # type: ignore[union-attr]
    noise = len(page(at).plan.noise)  # type: ignore[union-attr]
    widget(at, "selectbox", "memory-noise").set_value("documented").run()
    assert len(page(at).plan.noise) != noise  # type: ignore[union-attr]
    choose_step(at, "noise")
    assert "fewer than 10" in html(at)
    sizes = [len(merge.sources) for merge in page(at).plan.merges]  # type: ignore[union-attr]
    widget(at, "selectbox", "memory-groups").set_value("greedy").run()
    greedy = [len(merge.sources) for merge in page(at).plan.merges]  # type: ignore[union-attr]
    assert max(greedy) == 2 < max(sizes)
    choose_step(at, "summary")
    assert "The summary is off" in html(at)
    widget(at, "toggle", "memory-summary").set_value(True).run()
    assert page(at).plan.summarised  # type: ignore[union-attr]
    widget(at, "slider", "memory-above").set_value(200).run()
    assert not page(at).plan.summarised  # type: ignore[union-attr]


def test_a_summary_is_applied_and_undone() -> None:
    at = view(filled(), "maintenance")
    widget(at, "toggle", "memory-summary").set_value(True).run()
    at.button(key="memory-apply-all").click().run()
    assert not at.error
    assert store(at).count(EntryFilter(expired=None)) == page(at).plan.n_active  # type: ignore[union-attr]
    summary = store(at).list()[0]
    assert summary.details.origin == "summary"
    assert len(summary.supersedes) > 50
    view(at, "entries")
    assert at.get("plotly_chart")
    assert "more entries of this lineage are not drawn" in html(at)


def test_the_lineage_of_a_merged_entry_is_a_graph_with_words() -> None:
    at = view(filled(), "maintenance")
    at.button(key="memory-apply").click().run()
    merged = next(item for item in store(at).list() if item.details.origin == "merge")
    page(at).selected = merged.id
    view(at, "entries")
    chart = at.get("plotly_chart")[0].proto
    assert merged.id in chart.spec
    assert all(source in chart.spec for source in merged.supersedes)
    page(at).selected = "d001"
    at.run()
    page(at).filter = Filter(status="any")
    at.run()


def test_an_entry_changed_meanwhile_stops_its_step_and_says_so() -> None:
    """What is applied is what was shown: somebody's change between the two is no part of it."""
    at = choose_step(view(filled(), "maintenance"), "noise")
    plan = page(at).plan
    assert plan is not None
    changed = plan.noise[0].id
    store(at).update(changed, version=None, importance=0.9)
    at.button(key="memory-apply").click().run()
    assert "version" in at.error[0].value
    assert "nothing is lost" in at.error[0].value
    assert {statuses(at)[item.id] for item in plan.noise} == {Status.ACTIVE}


def test_a_write_that_rests_on_a_later_one_cannot_be_undone_alone() -> None:
    at = choose_step(view(filled(), "maintenance"), "merge")
    at.button(key="memory-apply").click().run()
    merged = next(item.id for item in store(at).list() if item.details.origin == "merge")
    store(at).update(merged, version=None, importance=1.0)
    at.button(key="memory-write-1").click().run()
    assert at.error
    assert not page(at).writes.done[1].undone


def type_text(at: AppTest, text: str) -> AppTest:
    page(at).text = text
    page(at).epoch += 1
    return at.run()


def test_the_gate_is_shown_while_one_types(fakes: Fakes) -> None:
    at = opened(panel="capture")
    assert "Type on the left" in html(at)
    type_text(at, "Write to ada@example.org, the password is tr0ub4dor-and-3.")
    said = html(at)
    assert "[EMAIL_1]" in said
    assert "[SECRET_1]" in said
    assert "Tokens in" in said
    assert "tr0ub4dor" not in said
    assert not fakes.embedder.calls
    typed = next(data for data in components(at) if "epoch" in data)
    assert "mg-private" in typed["html"]
    at.button(key="memory-example").click().run()
    assert "[PHONE_1]" in html(at)
    at.button(key="memory-clear").click().run()
    assert not page(at).text


def test_a_capture_is_stored_redacted_once_and_undone(fakes: Fakes) -> None:
    at = type_text(opened(panel="capture"), "Imani plays the viola; write to ada@example.org about it.")
    at.button(key="memory-capture").click().run()
    assert not at.exception
    assert not at.error
    assert "Stored" in html(at)
    kept = store(at).list()[0]
    assert "ada@example.org" not in str(kept.entry.content)
    assert kept.entry.embedding is not None
    assert page(at).text == ""
    assert not any("ada@example.org" in text for text in fakes.embedder.texts)

    type_text(at, "Imani plays the viola; write to ada@example.org about it.")
    at.button(key="memory-capture").click().run()
    assert "Not stored" in html(at)
    assert store(at).count() == 1
    at.button(key="memory-show-captured").click().run()
    assert page(at).view == "entries"
    assert page(at).selected == kept.id
    at.button(key="memory-undo").click().run()
    assert store(at).count() == 0


def test_a_capture_is_shortened_only_if_nothing_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    said = (
        "Hello! Imani has a window seat on the train to Porto on 3 May. Thank you so much! "
        "Imani really has a window seat on the train to Porto on 3 May."
    )
    for answer, shortened in (
        ("Imani has a window seat on the train to Porto on 3 May.", True),
        ("Imani has a window seat on the train to Porto on 5 May.", False),
    ):
        model = LocalProvider(summarizer=FakeSummarizer(answer))
        monkeypatch.setattr(capturing, "local", lambda model=model: model)
        at = type_text(opened(panel="capture"), said)
        widget(at, "selectbox", "memory-shorten").set_value("local").run()
        at.button(key="memory-capture").click().run()
        assert not at.error
        kept = store(at).list()[0]
        assert kept.details.compressed is shortened
        assert kept.entry.content == (answer if shortened else said)
        done = page(at).outcome
        assert done is not None
        assert (done.tokens_in > done.tokens_out) is shortened  # type: ignore[operator]
        assert ("Shortened by local" if shortened else "Kept as it was said") in html(at)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    assert "openai" in str(list(widget(opened(panel="capture"), "selectbox", "memory-shorten").options))


def test_a_missing_model_says_what_to_do_and_keeps_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> None:
        raise ModelUnavailableError("the embedder is not installed")

    monkeypatch.setattr(resources, "embedder", fails)
    at = opened()
    at.button(key="memory-fill").click().run()
    assert "memguard setup" in at.error[0].value
    assert store(at).count(EVERYTHING) == 0
    type_text(view(at, "capture"), "Imani plays the viola on Thursdays.")
    at.button(key="memory-capture").click().run()
    assert "memguard setup" in at.error[0].value
    assert page(at).text == "Imani plays the viola on Thursdays."
    assert store(at).count(EVERYTHING) == 0


def test_the_lifecycle_runs_over_the_entries_that_the_filter_means() -> None:
    at = view(filled(), "lifecycle")
    assert "Not run yet" in html(at)
    at.button(key="memory-run").click().run()
    assert not at.exception
    result = page(at).result
    assert result is not None
    assert [record.phase for record in result.phases] == ["analyze", "compress", "score", "output"]
    assert result.report.n_input == N
    assert all(name in html(at) for name in ("Analyze", "Compress", "Score", "Output"))
    assert loads(result.to_yaml()) == result.entries
    widget(at, "selectbox", "memory-confidence-least").set_value("high").run()
    at.button(key="memory-run").click().run()
    assert page(at).result.report.n_output < result.report.n_output  # type: ignore[union-attr]


def test_the_lifecycle_runs_over_the_open_conversation(app: AppTest) -> None:
    paste(
        app, json.dumps([*TALK, {"role": "user", "content": "The PIN of my card is 4711, keep it secret."}])
    )
    app.switch_page("pages/memory.py").run()
    view(app, "lifecycle")
    widget(app, "selectbox", "memory-source").set_value("conversation").run()
    app.button(key="memory-run").click().run()
    result = page(app).result
    assert result is not None
    assert result.report.n_input == 5
    assert result.entries
    assert "4711" not in result.to_yaml()
    widget(app, "selectbox", "memory-unfiltered").set_value("reject").run()
    app.button(key="memory-run").click().run()
    assert not page(app).result.entries  # type: ignore[union-attr]
    assert "No entry may be stored" in html(app)


def test_the_chain_is_checked_on_the_spot() -> None:
    at = view(filled(), "store")
    assert "The chain is intact" in html(at)
    assert store(at).head() in html(at)
    with store(at)._database.write() as connection:
        connection.execute(update(store(at)._database.tables.entries).values(importance=1.0))
    at.button(key="memory-verify").click().run()
    assert "The chain does not hold" in html(at)


def test_a_link_restores_view_filters_and_threshold() -> None:
    at = filled(panel="maintenance", type="procedural", status="any", cosine="0.80", step="noise")
    assert page(at).rules.cosine == 0.80
    assert page(at).filter == Filter(type="procedural", status="any")
    assert page(at).step == "noise"
    assert {name: asked(at, name) for name in ("type", "status", "cosine", "step")} == {
        "type": "procedural", "status": "any", "cosine": "0.80", "step": "noise",
    }  # fmt: skip
    at.text_input[0].set_value("secret words").run()
    assert "secret" not in str(at.query_params)
    view(at, "store")
    assert asked(at, "panel") == "store"


@pytest.mark.parametrize(
    "link", [{"panel": "x"}, {"cosine": "nan"}, {"cosine": "9"}, {"type": "/etc"}, {"step": "purge"}]
)
def test_a_link_that_asks_for_nothing_known_opens_the_first_view(link: dict[str, str]) -> None:
    at = opened(**link)
    assert not at.exception
    assert (page(at).view, page(at).filter, page(at).step) == ("entries", Filter(), "merge")
    assert page(at).rules.cosine == 0.92


def test_the_persons_own_store_is_the_one_that_the_server_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with MemoryStore(tmp_path / "own.db") as own:
        own.add(MemoryEntry("Imani's own memory of the lighthouse.", id="mine"))
    monkeypatch.setenv("MEMGUARD_MEMORY_URL", str(tmp_path / "own.db"))
    at = opened()
    assert "lighthouse" in table(at)
    widget(at, "selectbox", "memory-which").set_value("demo").run()
    assert "Nothing is remembered yet" in html(at)
    widget(at, "selectbox", "memory-which").set_value("own").run()
    assert "lighthouse" in table(at)


def test_a_store_that_cannot_be_opened_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMGUARD_MEMORY_URL", "mysql://somewhere/else")
    at = opened()
    assert not at.exception
    assert "cannot be opened" in at.error[0].value


def test_switching_pages_loses_nothing(app: AppTest) -> None:
    app.switch_page("pages/memory.py").run()
    app.button(key="memory-fill").click().run()
    view(app, "maintenance")
    app.switch_page("pages/pipeline.py").run()
    app.switch_page("pages/memory.py").run()
    assert page(app).view == "maintenance"
    assert store(app).count(EVERYTHING) == N


@pytest.mark.parametrize("name", ["entries", "maintenance", "capture", "lifecycle"])
def test_hostile_memories_are_shown_verbatim_and_run_nothing(name: str) -> None:
    at = opened()
    texts = {key: text.replace("\x00", "") for key, text in HOSTILE.items()}
    store(at).add_many(
        [
            MemoryEntry(
                text, id=f'x{n}"><i>', tags=["<b>", ":red[x]"], embedding=[1.0, n / 1_000], timestamp=n + 1.0
            )
            for n, text in enumerate([*texts.values(), *texts.values()])
        ]
    )
    view(at, name)
    if name == "maintenance":
        choose_step(at, "merge")
    if name == "capture":
        type_text(at, " ".join(HOSTILE.values()))
    if name == "lifecycle":
        page(at).unfiltered = "flag"
        at.button(key="memory-run").click().run()
    assert not at.exception
    pieces = [element.proto.body for element in at.get("html")]
    pieces += [data["html"] for data in components(at)]
    for piece in pieces:
        assert not read(piece).faults, piece[:1_000]
    said = "\n".join("".join(read(piece).text) for piece in pieces)
    if name in {"entries", "maintenance"}:
        for text in texts.values():
            assert shown(text) in said, text[:200]
