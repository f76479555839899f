"""Export and import give back exactly what was stored, or nothing."""

from __future__ import annotations

import json

import numpy as np
import pytest

from memguard.errors import EntryExistsError, InvalidParameterError, StoreUnavailableError
from memguard.memory import EntryFilter
from memguard.memory.rows import EVERYTHING, Details


@pytest.fixture
def filled(store, entry):
    store.add_many(
        [
            (
                entry({"text": "日本語 \ud800 \x00"}, id="a", tags=["x"], embedding=np.float32([0.1, 1e-30])),
                Details(text_raw="raw\u2028text", compressed=True, expires_at=5.5),
            ),
            entry("b\r\nb", id="b", timestamp=-5.25),
            entry("c", id="c", importance=1 / 3, metadata={"k": [1, 2.5, None]}),
        ]
    )
    store.update("c", version=1, content="C")
    store.supersede(["a", "b"], "c")
    store.delete("b")
    return store


@pytest.fixture
def empty(store):
    return store.for_tenant(f"{store.tenant_id}-import")


def test_an_import_gives_back_exactly_what_was_exported(filled, empty, tmp_path):
    path = tmp_path / "memory.jsonl"
    assert filled.export(path) == 3
    assert empty.import_file(path) == (3, 0)
    assert empty.export_lines()[1:] == filled.export_lines()[1:]
    for name in "abc":
        ours, theirs = empty.get(name), filled.get(name)
        assert ours.entry == theirs.entry.replace(tenant_id=empty.tenant_id)
        assert (ours.details, ours.status, ours.version) == (theirs.details, theirs.status, theirs.version)
        assert (ours.supersedes, ours.superseded_by) == (theirs.supersedes, theirs.superseded_by)
    assert empty.verify().intact
    assert [record.action for record in empty.records()] == ["import"]


def test_importing_again_changes_nothing(filled, tmp_path):
    before = filled.export_lines(), filled.head()
    assert filled.import_lines(before[0]) == (0, 3)
    assert (filled.export_lines(), filled.head()) == before


def test_an_id_that_holds_something_else_stops_the_import_unless_it_is_skipped(filled, empty, entry):
    empty.add(entry("mine", id="c").replace(tenant_id=empty.tenant_id))
    with pytest.raises(EntryExistsError, match="'c' is in the store"):
        empty.import_lines(filled.export_lines())
    assert empty.count(EVERYTHING) == 1
    assert empty.import_lines(filled.export_lines(), skip_existing=True) == (2, 1)
    assert empty.get("c").entry.content == "mine"
    assert empty.verify().intact


def test_a_filtered_export_is_a_part(filled):
    assert len(filled.export_lines(EntryFilter(tags=["x"], status=(), expired=None))) == 2


def broken(lines, field, value):
    row = json.loads(lines[1])
    row[field] = value
    return [lines[0], json.dumps(row), *lines[2:]]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("version", 0),
        ("version", True),
        ("status", "gone"),
        ("stored_at", "now"),
        ("supersedes", "b"),
        ("embedding", "!"),
        ("embedding", 3),
        ("embedding", "AAA="),
        ("embedding", "AADAfw=="),
        ("importance", 3),
        ("content", None),
        ("compressed", "yes"),
        ("unknown", 1),
        ("id", ""),
        ("id", "a\x00"),
        ("tags", "x"),
    ],
)
def test_a_line_that_is_wrong_imports_nothing_and_is_named(filled, empty, field, value):
    with pytest.raises(InvalidParameterError):
        empty.import_lines(broken(filled.export_lines(), field, value))
    assert empty.count(EVERYTHING) == 0
    assert empty.records() == ()


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([], "line 1"),
        (["{}"], "line 1: an export starts with"),
        (["nonsense"], "line 1: not a JSON object"),
        (['{"schema":"memguard.memory/1"}', "", "[]"], "line 3: it is no exported entry"),
        (['{"schema":"memguard.memory/1"}', "[" * 100_000], "line 2: not a JSON object"),
    ],
)
def test_what_is_no_export_is_refused_with_its_line(empty, lines, told):
    with pytest.raises(InvalidParameterError, match=told):
        empty.import_lines(lines)


def test_files_that_cannot_be_used_are_clear_errors(filled, tmp_path):
    with pytest.raises(StoreUnavailableError, match="cannot be read"):
        filled.import_file(tmp_path / "none.jsonl")
    with pytest.raises(StoreUnavailableError, match="cannot be written"):
        filled.export(tmp_path / "no folder" / "x.jsonl")
    latin = tmp_path / "latin.jsonl"
    latin.write_bytes(b"\xe9")
    with pytest.raises(InvalidParameterError, match="not UTF-8"):
        filled.import_file(latin)
