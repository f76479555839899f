"""The chain shows any edit, and where."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memguard import audit
from tests.support import FakeSummarizer, guard, user, with_values

SUMMARIZER = FakeSummarizer("My order 5521 is late. It was insured for 500 EUR. 日本 🔥.")
CHAIN = audit.records(
    guard(with_values(compression__passthrough_words=0), summarizer=SUMMARIZER).run(
        user("My order 5521 is late.", "It left Lyon. 日本 🔥.")
    )
)
LINES = [line + "\n" for line in audit.dumps(CHAIN).splitlines()]
DATA = "".join(LINES).encode()


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("audit") / "audit.jsonl"


def record_of(offset):
    """Return the one-based record in which a byte lies."""
    return DATA[:offset].count(b"\n") + 1


def verify(path, data):
    path.write_bytes(data)
    try:
        return audit.verify(path)
    except audit.AuditError as error:
        # Bytes that are no text: the place is in the message.
        at = int(str(error).rpartition(" ")[2])
        return audit.Verification(False, 0, None, record_of(at), str(error))


def test_the_untouched_file_is_intact(path):
    assert verify(path, DATA).intact


@given(st.integers(0, len(DATA) - 1), st.integers(1, 255))
def test_any_changed_byte_is_found_in_its_record(path, offset, change):
    changed = bytearray(DATA)
    changed[offset] ^= change

    found = verify(path, bytes(changed))

    assert not found.intact
    assert found.broken_at == record_of(offset)


@given(st.integers(0, len(DATA) - 1))
def test_any_missing_byte_is_found_in_its_record(path, offset):
    found = verify(path, DATA[:offset] + DATA[offset + 1 :])

    assert not found.intact
    assert found.broken_at == record_of(offset)


@given(st.integers(0, len(DATA)), st.binary(min_size=1, max_size=3))
def test_any_added_bytes_are_found(path, offset, added):
    found = verify(path, DATA[:offset] + added + DATA[offset:])

    assert not found.intact
    assert found.broken_at - record_of(offset) in {0, 1}  # added at the end of a line, they are the next one


@given(st.integers(0, len(DATA) - 1))
@example(len(LINES[0].encode()) - 1)
@example(len(LINES[0].encode()))
@example(len(DATA) - 1)
def test_any_truncation_is_found(path, length):
    found = verify(path, DATA[:length])

    assert not found.intact
    assert found.broken_at == record_of(length)


@given(st.lists(st.integers(0, len(LINES) - 1), max_size=6).filter(lambda o: o != list(range(len(LINES)))))
def test_any_other_order_of_records_is_found_at_the_first_that_is_wrong(path, order):
    """Deleted, duplicated, reordered, in any mixture."""
    first_wrong = next((i for i, number in enumerate(order) if number != i), len(order))

    found = verify(path, "".join(LINES[number] for number in order).encode())

    assert not found.intact
    assert found.broken_at == first_wrong + 1
