"""A damaged audit is an AuditError or a report that names its faults; never anything else."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from memguard import audit, reports
from memguard.errors import AuditError
from memguard.reports.notes import block
from tests.app.handmade import handmade

TEXT = audit.dumps(audit.records(handmade()))
LINES = TEXT.splitlines(keepends=True)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every path into a JSON value."""
    found = [path]
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in pairs:
        found += places(item, (*path, key))
    return found


PLACES = [(n, path) for n, line in enumerate(LINES) for path in places(json.loads(line)) if path]


@given(st.binary(max_size=200), st.integers(0, len(TEXT.encode())), st.integers(0, 80))
def test_a_file_with_bytes_exchanged_is_read_or_refused(junk, start, length):
    data = TEXT.encode()
    damaged = data[:start] + junk + data[start + length :]

    try:
        report = reports.read_report(damaged)
    except AuditError:
        return
    assert report.verification.intact == (damaged == data)
    for form in reports.FORMS.values():
        form(report).encode()


@given(st.sampled_from(PLACES), JSON)
def test_a_record_with_any_value_at_any_place_is_read_or_named(place, value):
    number, path = place
    row = json.loads(LINES[number])
    holder = row
    for key in path[:-1]:
        holder = holder[key]
    is_same = holder[path[-1]] == value and type(holder[path[-1]]) is type(value)
    holder[path[-1]] = value
    lines = [*LINES]
    lines[number] = json.dumps(row, ensure_ascii=False, sort_keys=True, separators=(",", ":")) + "\n"

    report = reports.read_report("".join(lines).encode("utf-8", "replace"))

    assert is_same or not report.verification.intact
    for form in reports.FORMS.values():
        form(report).encode()


@given(st.text())
def test_no_text_closes_its_own_fence(text):
    fence = block(text).split("text\n", 1)[0]

    assert block(text) == f"{fence}text\n{text}\n{fence}"
    assert fence not in text


@given(st.text())
def test_a_neutralised_cell_reads_back_and_never_begins_a_formula(text):
    out = io.StringIO(newline="")
    csv.writer(out).writerow([reports.neutralised(text)])
    cell = next(csv.reader(io.StringIO(out.getvalue(), newline="")), [""])[0]

    assert cell[:1] not in {*"=+-@\t\r\n"}
    assert (cell[1:] if cell.startswith("'") else cell) == text.replace("\x00", "\ufffd")
