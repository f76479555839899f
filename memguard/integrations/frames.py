"""A run as pandas frames: its claims, their evidence, and its audit.

>>> claims, evidence, audit = to_frame(trace)  # doctest: +SKIP
>>> claims[~claims.kept].merge(evidence, left_on="id", right_on="claim_id")  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import pandas as pd

from memguard import audit, wire
from memguard.outgoing import view
from memguard.trace import Trace

_CLAIMS = {
    "id": "str",
    "text": "str",
    "judged_as": "str",
    "label": "str",
    "kept": "bool",
    "reason": "str",
    "similarity": "float64",
    "support": "float64",
    "detail": "str",
    "start": "Int64",
    "end": "Int64",
    "n_evidence": "int64",
    "override_kept": "boolean",
    "override_note": "str",
}
_EVIDENCE = {
    "claim_id": "str",
    "rank": "int64",
    "message_id": "str",
    "role": "str",
    "speaker": "str",
    "start": "int64",
    "end": "int64",
    "text": "str",
    "similarity": "float64",
}
_AUDIT = {
    "seq": "int64",
    "stage": "str",
    "started_at": "datetime64[us, UTC]",
    "duration_s": "float64",
    "models": "str",
    "settings_digest": "str",
    "input_digest": "str",
    "output_digest": "str",
    "prev_hash": "str",
    "hash": "str",
}


class Frames(NamedTuple):
    """What ``to_frame`` returns.

    Attributes:
        claims: One row a claim, in the order of the summary; ``start`` and ``end`` are missing for a sentence
            of the transcript that was added, ``override_kept`` where nobody decided.
        evidence: One row a place that a claim was compared with and may rest on, the best first (``rank``
            from 1); offsets are code points of that message's content.
        audit: One row a record of the chain; ``settings_digest`` to ``hash`` as ``memguard verify`` reads
            them.
    """

    claims: pd.DataFrame
    evidence: pd.DataFrame
    audit: pd.DataFrame


def to_frame(trace: Trace) -> Frames:
    """Return the claims, the evidence and the audit of a run as frames; numbers carry six decimals.

    Args:
        trace: Through elimination at least.

    Raises:
        StageOrderError: Elimination has not run.
    """
    trace = view(trace)
    claims = wire.claim_rows(trace)
    return Frames(
        _frame(map(_claim, claims), _CLAIMS),
        _frame((row for claim in claims for row in _evidence(claim, trace)), _EVIDENCE),
        _frame(map(_record, audit.records(trace)), _AUDIT),
    )


def _frame(rows: Iterable[Mapping[str, Any]], kinds: Mapping[str, str]) -> pd.DataFrame:
    """Return rows as a frame whose columns have one type each, with rows or without."""
    return pd.DataFrame(list(rows), columns=list(kinds)).astype(dict(kinds))


def _claim(row: wire.ClaimRow) -> dict[str, Any]:
    override = row["override"]
    return {
        **row,
        "n_evidence": len(row["evidence"]),
        "override_kept": None if override is None else override["kept"],
        "override_note": "" if override is None else override["note"],
    }


def _evidence(claim: wire.ClaimRow, trace: Trace) -> Iterable[dict[str, Any]]:
    for rank, place in enumerate(claim["evidence"], start=1):
        message = trace.conversation.message(place["message_id"])
        who = {"role": message.role, "speaker": message.speaker_name}
        yield {"claim_id": claim["id"], "rank": rank, **who, **place}


def _record(record: audit.AuditRecord) -> dict[str, Any]:
    models = ", ".join(f"{role}: {model}" for role, model in record.model_ids.items())
    return {
        "seq": record.seq,
        "stage": record.stage,
        "started_at": pd.Timestamp(record.started_at) if record.started_at else pd.NaT,
        "duration_s": record.duration_s,
        "models": models,
        "settings_digest": record.settings_digest,
        "input_digest": record.input_digest,
        "output_digest": record.output_digest,
        "prev_hash": record.prev_hash,
        "hash": record.hash,
    }
