"""A run as pandas frames."""

from __future__ import annotations

import pandas as pd
import pytest

from memguard import audit, wire
from memguard.errors import StageOrderError
from memguard.grounding.overrides import Override
from memguard.integrations.frames import to_frame
from memguard.messages import Conversation
from memguard.settings import Settings
from memguard.trace import Trace
from tests.support import guard

MESSAGES = [
    {"id": "m1", "role": "user", "speaker": "Ada", "content": "The deposit is 400 euros."},
    {"id": "m2", "role": "assistant", "content": "The offsite moved to March 19."},
]
SUMMARY = "The deposit is 500 euros. The offsite moved to March 19."


def test_claims_and_evidence_are_those_of_the_wire_form():
    trace = guard().check(SUMMARY, MESSAGES)
    rows = wire.claim_rows(trace)

    claims, evidence, _ = to_frame(trace)

    assert claims.id.tolist() == [row["id"] for row in rows]
    assert claims.kept.tolist() == [row["kept"] for row in rows]
    assert claims.support.tolist() == [row["support"] for row in rows]
    first = claims.iloc[0]
    assert SUMMARY[first.start : first.end] == first.text == "The deposit is 500 euros."
    joined = claims[~claims.kept].merge(
        evidence, left_on="id", right_on="claim_id", suffixes=("", "_evidence")
    )
    best = joined[joined["rank"] == 1].iloc[0]
    assert (best.message_id, best.speaker, best.role) == ("m1", "Ada", "user")
    assert MESSAGES[0]["content"][best.start_evidence : best.end_evidence] == best.text_evidence


def test_the_audit_frame_is_the_chain():
    trace = guard().check(SUMMARY, MESSAGES)

    frame = to_frame(trace).audit

    assert frame.hash.iloc[-1] == audit.head(audit.records(trace))
    assert frame.prev_hash.iloc[1:].tolist() == frame.hash.iloc[:-1].tolist()
    assert frame.stage.iloc[-1] == audit.CLOSING
    assert frame.started_at.dt.tz is not None
    assert "all-mpnet-base-v2" in " ".join(frame.models)


def test_an_override_is_told_and_its_absence_is_missing():
    made = guard()
    trace = made.override(made.check(SUMMARY, MESSAGES), [Override("c1", kept=True, note="on the phone")])

    claims = to_frame(trace).claims

    assert bool(claims.override_kept[0]) is True
    assert claims.override_note[0] == "on the phone"
    assert pd.isna(claims.override_kept[1])


def test_columns_have_the_same_types_with_rows_and_without():
    full = to_frame(guard().check(SUMMARY, MESSAGES))
    empty = to_frame(guard().run([]))

    assert len(empty.claims) == len(empty.evidence) == 0
    for with_rows, without in zip(full, empty, strict=True):
        assert with_rows.dtypes.equals(without.dtypes)


def test_before_elimination_there_are_no_frames():
    """A failure never becomes an empty answer."""
    with pytest.raises(StageOrderError, match="Elimination"):
        to_frame(Trace(Conversation.from_messages(MESSAGES), Settings()))
