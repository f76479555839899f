"""The lineage of a memory as a picture and in words, and the HTML of the Memory page, without streamlit."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path

import pytest

from memguard.charts import LineageEntry, Replacement, describe_lineage, lineage_chart, lineage_height
from memguard.charts.lineage import lineage_columns
from memguard.memory.chain import StoreRecord
from memguard.memory.compressor import MemoryCompressor
from memguard.memory.entries import MemoryEntry
from memguard.memory.maintenance import STEPS, MaintenanceOptions, MaintenancePlan, plan_maintenance
from memguard.memory.manager import AIMemoryManager, rated_staleness
from memguard.memory.rows import Details, Status, StoredEntry
from memguard.memory.store import MemoryStore
from memguard.palette import DARK, LIGHT
from memguard.privacy import Redactor
from pages._ui.memory import demo, gate, markup, previews
from pages._ui.memory.planning import Planner, Rules
from tests.app.hostile import HOSTILE, shown
from tests.fakes import FakeEmbedder

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
RULES = {
    "text_mode": "conversation",
    "noise_rule": "script",
    "merge_strategy": "clusters",
    "merge_guard": True,
}


def node(name: str, standing: str = "superseded", text: str | None = None) -> LineageEntry:
    return LineageEntry(name, text or f"Entry {name} says this.", standing, "merge", "1 May 2026")  # type: ignore[arg-type]


def stored(
    text: str, name: str = "d1", *, days: int = 3, vector: tuple[float, ...] = (), **details: object
) -> StoredEntry:
    entry = MemoryEntry(
        text, id=name, timestamp=NOW - timedelta(days=days), tags=["a<b>"], embedding=vector or None
    )
    return StoredEntry(entry, Details(**details), Status.ACTIVE, 1, 0.0, 0.0)  # type: ignore[arg-type]


class Text(HTMLParser):
    """The text that HTML shows."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.said: list[str] = []

    def handle_data(self, data: str) -> None:
        self.said.append(data)


def said(html: str) -> str:
    reader = Text()
    reader.feed(html)
    return "".join(reader.said)


def planned(items: list[StoredEntry], threshold: float = 0.92, **options: object) -> MaintenancePlan:
    compressor = MemoryCompressor(None, threshold, **RULES)  # type: ignore[arg-type]
    wanted = MaintenanceOptions(above=0, **{"summarise_above": 1_000, **options})  # type: ignore[arg-type]
    return plan_maintenance(items, compressor, wanted, staleness=rated_staleness, now=NOW)


# The lineage


def test_sources_stand_left_of_what_stands_for_them() -> None:
    links = [Replacement("a", "m", "merge"), Replacement("b", "m", "merge"), Replacement("m", "s", "summary")]

    assert lineage_columns(["s", "m", "b", "a", "x"], links) == {"s": 2, "m": 1, "b": 0, "a": 0, "x": 0}


def test_an_entry_stands_right_of_its_last_source_and_an_unknown_one_is_passed_over() -> None:
    links = [
        Replacement("a", "m", "merge"),
        Replacement("m", "s", "summary"),
        Replacement("a", "s", "summary"),
        Replacement("gone", "a", "merge"),
    ]
    assert lineage_columns(["a", "m", "s"], links) == {"a": 0, "m": 1, "s": 2}


def test_a_circle_is_cut_and_a_long_chain_does_not_recurse() -> None:
    links = [Replacement("a", "b", "replaced"), Replacement("b", "a", "replaced")]
    assert sorted(lineage_columns(["a", "b"], links).values()) == [0, 1]
    n = 3_000
    chain = [Replacement(str(i), str(i + 1), "replaced") for i in range(n)]
    assert lineage_columns([str(i) for i in range(n, -1, -1)], chain)[str(n)] == n


@pytest.mark.parametrize("dark", [False, True])
def test_the_chart_has_a_point_an_entry_a_line_a_link_and_a_ring(dark: bool) -> None:
    entries = [node("a"), node("z", "archived"), node("b"), node("m", "active")]
    links = [Replacement("a", "m", "merge"), Replacement("b", "m", "merge")]

    made = lineage_chart(entries, links, selected="m", dark=dark)

    traces = {trace.name: trace for trace in made.data}
    assert list(traces["superseded"].customdata) == ["a", "b"]
    assert list(traces["active"].customdata) == ["m"]
    assert (
        traces["superseded"].marker.symbol
        != traces["active"].marker.symbol
        != traces["archived"].marker.symbol
    )
    assert traces["active"].x[0] > traces["superseded"].x[0]
    assert (traces["this entry"].x[0], traces["this entry"].y[0]) == (
        traces["active"].x[0],
        traces["active"].y[0],
    )
    assert sum(value is None for value in traces["links"].x) == 2
    assert traces["active"].marker.color == (DARK if dark else LIGHT).ink
    # No line leaves a point through its own words.
    assert set(traces["superseded"].textposition) == {"top right", "bottom right"}
    assert made.layout.height == lineage_height(entries, links)


def test_the_chart_grows_with_its_fullest_column_and_nothing_is_a_friendly_word() -> None:
    few = lineage_height([node("a")], [])
    assert lineage_height([node(str(n)) for n in range(10)], []) > few
    assert lineage_height([], []) == few
    assert lineage_chart([], []).layout.annotations[0].text == "No entry."


@pytest.mark.parametrize("what", HOSTILE)
def test_no_text_of_the_chart_is_a_tag_or_mathematics(what: str) -> None:
    made = lineage_chart([node('"><i>$x$', "active", HOSTILE[what])], [])
    words = [*made.data[1].text, *made.data[1].hovertext]
    for said_there in words:
        plain = said_there.replace("<br>", "").replace("<b>", "").replace("</b>", "")
        assert "<" not in plain
        assert "$" not in plain


def test_the_words_say_what_the_picture_shows() -> None:
    entries = [node("a"), node("b"), node("m", "active")]
    links = [Replacement("a", "m", "merge"), Replacement("b", "m", "merge")]
    words = describe_lineage(entries, links)
    assert words.startswith("3 entries: 1 active and 2 superseded.")
    assert "“Entry m says this.” stands for “Entry a says this.” and “Entry b says this.” (merge)." in words
    assert describe_lineage([node("a", "active")], []).endswith("nothing replaces it.")
    assert describe_lineage([], []) == "No entry."


# Entries


@pytest.mark.parametrize(
    ("days", "words"),
    [(0, "today"), (1, "1 day"), (59, "59 days"), (60, "2 months"), (729, "24 months"), (800, "2 years")],
)
def test_an_age_has_one_unit(days: int, words: str) -> None:
    assert markup.age(stored("x", days=days), NOW) == words


@pytest.mark.parametrize("what", HOSTILE)
def test_an_entry_and_its_row_are_verbatim(what: str) -> None:
    item = stored(HOSTILE[what].replace("\x00", ""), '"><i>', text_raw=HOSTILE[what])
    for html in (markup.entry(item, NOW), markup.rows([item], NOW)):
        assert shown(HOSTILE[what].replace("\x00", "")) in said(html)
        assert "<script" not in html
        assert "<img" not in html
        assert '"><i>' not in html
    assert shown(HOSTILE[what]) in said(markup.entry(item, NOW))


def test_an_entry_says_when_its_time_is_over_and_what_capture_saved() -> None:
    over = stored("A parcel waits.", expires_at=NOW - timedelta(days=400), tokens_in=40, tokens_out=12)
    html = said(markup.entry(over, NOW))
    assert "(over)" in html
    assert "40 → 12" in html


def test_records_are_named_and_hold_no_text() -> None:
    changes = [
        {"change": "update", "id": "d1"},
        {"change": "update", "id": "d2"},
        {"change": "link", "old": "d1"},
    ]
    found = [
        StoreRecord("t", 0, "add", "2026-11-30T12:00:00.1", {"changes": changes[:1]}, "0" * 64, "a" * 64),
        StoreRecord(
            "t", 1, "maintain.noise", "2026-11-30T12:00:01.1", {"changes": changes}, "a" * 64, "b" * 64
        ),
    ]
    html = said(markup.records(found))
    assert html.index("Maintenance: Noise") < html.index("Add")
    assert "2 entries" in html
    assert "1 entry" in html


# Previews


def test_a_merge_shows_both_texts_their_cosine_and_what_differs() -> None:
    plan = planned(
        [
            stored("Imani prefers her coffee black and hot.", "a", days=9, vector=(1.0, 0.0)),
            stored("Imani prefers coffee black and hot.", "b", days=2, vector=(1.0, 0.1)),
        ]
    )
    html = previews.preview("merge", plan, "script")
    assert "Would merge" in html
    assert "cosine 0.995" in said(html)
    assert '<u class="mg-diff"' in html
    assert ">her</u>" in html
    assert previews.n_of(plan, "merge") == 1
    assert "2 entries would become 1; 0 near pairs held apart." in said(previews.step_head("merge", plan))


@pytest.mark.parametrize(
    ("a", "b", "why"),
    [
        (
            "The dentist is on 12 January.",
            "The dentist is on 21 January.",
            "Date: “12 January” against “21 January”",
        ),
        ("Tomas owes Lena 80 euros.", "Lena owes Tomas 80 euros.", "Party: "),
        (
            "Heron runs on PostgreSQL 15.4 there.",
            "Heron runs on PostgreSQL 16.4 there.",
            "“15.4” against “16.4”",
        ),
    ],
)
def test_a_pair_held_apart_says_why(a: str, b: str, why: str) -> None:
    plan = planned(
        [stored(a, "a", days=9, vector=(1.0, 0.0)), stored(b, "b", days=8, vector=(1.0, 0.1))],
        steps=("merge",),
    )
    html = said(previews.preview("merge", plan, "script"))
    assert "Held apart." in html
    assert why in html


def test_equal_words_of_another_day_are_told_apart_by_their_days() -> None:
    text = "The parcel comes tomorrow at noon."
    plan = planned(
        [stored(text, "a", days=9, vector=(1.0, 0.0)), stored(text, "b", days=2, vector=(1.0, 0.0))],
        steps=("merge",),
    )
    html = said(previews.preview("merge", plan, "script"))
    assert "said on 21 Nov" in html
    assert "said on 28 Nov" in html


def test_a_contradiction_shows_old_and_new() -> None:
    plan = planned(
        [stored("Imani lives in Lyon.", "a", days=200), stored("Imani moved to Porto.", "b", days=2)]
    )
    html = said(previews.preview("contradictions", plan, "script"))
    assert html.index("Becomes history") < html.index("Imani lives in Lyon.") < html.index("Stays active")
    assert "Home: “Lyon”, later “Porto”." in html


@pytest.mark.parametrize(
    ("text", "rule", "why"),
    [
        ("Thanks a lot!", "script", "a pleasantry"),
        ('{"ok": true}', "script", "machine text"),
        ("yes", "script", "a bare answer, a single word or signs"),
        ("No sugar.", "documented", "9 characters, fewer than 10"),
        ("Congratulations everybody", "documented", "2 words, fewer than 3"),
        ("a ---- ---- ---- b", "documented", "11% letters and digits, less than 30%"),
    ],
)
def test_noise_names_the_rule_that_fires(text: str, rule: str, why: str) -> None:
    assert previews.why_noise(stored(text), rule) == why
    compressor = MemoryCompressor(None, text_mode="conversation", noise_rule=rule)  # type: ignore[arg-type]
    assert compressor.is_noise(stored(text).entry)


def test_every_step_has_a_row_and_words_for_nothing_to_do() -> None:
    plan = planned([stored("Imani plays the viola on some days.", "a", staleness_risk="fresh")])
    rows = previews.step_rows(plan, STEPS, has_summary=False)
    assert rows.count('role="option"') == len(STEPS)
    assert "off" in said(rows)
    for step in STEPS:
        assert ("Nothing" in said(previews.step_head(step, plan))) is not previews.n_of(plan, step)


def test_very_many_items_are_counted_and_not_drawn() -> None:
    plan = planned([stored("ok", f"n{n}") for n in range(100)])
    html = previews.preview("noise", plan, "script")
    assert html.count("<li") == previews.SHOWN
    assert "And 60 more." in html


@pytest.mark.parametrize("what", HOSTILE)
def test_previews_are_verbatim(what: str) -> None:
    text = HOSTILE[what].replace("\x00", "")
    plan = planned(
        [
            stored(text, "a", days=9, vector=(1.0, 0.0)),
            stored(f"{text} ", '"><b>', days=8, vector=(1.0, 0.0)),
        ],
        steps=("merge",),
    )
    html = previews.preview("merge", plan, "script")
    assert shown(text) in said(html)
    assert "<script" not in html
    assert "<img" not in html


def test_the_planner_says_what_the_manager_previews(tmp_path: Path) -> None:
    """A slider works out the merge alone; the whole is the same as one preview over everything."""
    with MemoryStore(tmp_path / "m.db") as store:
        demo.fill(store, FakeEmbedder())
        planner = Planner()
        for rules in (
            Rules(),
            Rules(cosine=0.75),
            Rules(cosine=0.75, groups="greedy", guard=False),
            Rules(noise="documented", summary=True),
            Rules(cosine=0.8, summary=True, summarise_above=200),
        ):
            compressor = MemoryCompressor(merge_similarity_threshold=rules.cosine, **rules.options)
            options = MaintenanceOptions(above=0, summarise_above=rules.summarise_above, steps=rules.steps)
            assert planner.plan(store, rules) == AIMemoryManager(store, compressor, options=options).preview()
        first = planner.plan(store, Rules())
        store.archive("d001")
        assert planner.plan(store, Rules()).n_active == first.n_active - 1


# The privacy gate


def test_the_gate_shows_what_it_replaced_and_never_a_value() -> None:
    typed = "Write to ada@example.org, the password is tr0ub4dor-and-3, then to ada@example.org."
    found = Redactor().redact(typed)

    leaving = gate.leaving(found)
    assert said(leaving) == found.text
    assert leaving.count("mg-placeholder") == 3
    assert said(gate.backdrop(typed, found)) == typed
    assert gate.backdrop(typed, found).count("mg-private") == 3
    table = gate.replaced(found)
    assert "[EMAIL_1]" in said(table)
    assert "a secret: it opens something" in said(table)
    for value in ("ada@example.org", "tr0ub4dor"):
        assert value not in table + leaving
    assert "replaces nothing" in gate.replaced(Redactor().redact("Imani plays the viola."))


@pytest.mark.parametrize("what", HOSTILE)
def test_the_capture_box_is_verbatim(what: str) -> None:
    found = Redactor().redact(HOSTILE[what])
    assert said(gate.backdrop(HOSTILE[what], found)) == shown(HOSTILE[what])
    assert said(gate.leaving(found)) == shown(found.text)


def test_an_outcome_says_how_many_tokens_were_saved() -> None:
    html = said(
        gate.outcome(gate.Outcome("Stored", "Shortened.", True, "c-1", 41, 16, "Short & <b>bold</b>"))
    )
    assert "41 → 16 tokens" in html
    assert "25 tokens fewer" in html
    assert "Short & <b>bold</b>" in html
    assert "not compressed" in said(gate.outcome(gate.Outcome("Stored", "", True, "c-1", 9, 9)))
