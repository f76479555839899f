"""A person's override: one input of the verdict, followed by payload, wire form and audit."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from memguard import audit, wire
from memguard.eliminator import Elimination
from memguard.errors import InvalidParameterError, StageOrderError
from memguard.grounding.claims import Claim, ClaimKind
from memguard.grounding.overrides import NOTE_CHARS, Override, latest
from memguard.grounding.verdicts import Evidence, Label, Reason, ScoredClaim, judge
from memguard.guard import MemGuard
from memguard.messages import SourceSpan
from memguard.reconstructor import OmissionReason, Reconstruction
from memguard.settings import EliminationSettings
from memguard.trace import Trace
from tests.fakes import FakeCounter, FakeEmbedder, FakeSummarizer
from tests.support import guard, user, with_values

SUMMARY = "The deposit is 400 euros. Penguins swim under ice. Is it late?"
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
LATER = datetime(2026, 11, 30, 13, tzinfo=UTC)
CLAIM = Claim("c1", "The rent is 400 euros.", (0, 22), "The rent is 400 euros.")
MEASURED = ScoredClaim(CLAIM, (Evidence(SourceSpan("m1", 0, 9), 0.4),))
STRICT = EliminationSettings(preset="contract", min_similarity=0.6)


@pytest.fixture
def embedder() -> FakeEmbedder:
    return FakeEmbedder()


@pytest.fixture
def made(embedder: FakeEmbedder) -> MemGuard:
    return guard(
        with_values(
            compression__passthrough_words=0,
            elimination__preset="contract",
            elimination__min_similarity=0.6,
            retention__rescue="off",
            reconstruction__citations="full",
        ),
        embedder=embedder,
        summarizer=FakeSummarizer(SUMMARY),
        counter=FakeCounter(),
    )


@pytest.fixture
def trace(made: MemGuard) -> Trace:
    return made.run(user("The deposit is 400 euros. It is due on Friday.", "Fine by me, book the hall."))


def verdict(trace: Trace, claim_id: str):
    return next(v for v in trace[Elimination].verdicts if v.claim.id == claim_id)


# The verdict


def test_a_kept_claim_keeps_its_label_and_measures() -> None:
    """Issue 4: the decision is the person's, what was measured stays."""
    measured = judge(MEASURED, STRICT)
    kept = judge(MEASURED, STRICT, Override("c1", kept=True, note="agreed on the phone"))

    assert (measured.kept, kept.kept) == (False, True)
    assert kept.reason is Reason.PERSON_KEEPS
    assert kept.detail == (
        "a person keeps it (“agreed on the phone”); without that: not found, dropped: "
        "would be kept at a minimum similarity of 0.40 or below"
    )
    as_measured = replace(
        kept, kept=measured.kept, reason=measured.reason, detail=measured.detail, override=None
    )
    assert as_measured == measured


def test_a_dropped_claim_says_that_it_would_be_kept() -> None:
    dropped = judge(MEASURED, replace(STRICT, min_similarity=0.4), Override("c1", kept=False))

    assert (dropped.kept, dropped.label, dropped.reason) == (False, Label.SUPPORTED, Reason.PERSON_DROPS)
    assert dropped.detail == "a person drops it; without that: kept: similarity 0.40 reaches the minimum"


@pytest.mark.parametrize("kept", [True, False])
def test_what_states_nothing_stays_no_claim(kept: bool) -> None:
    asks = replace(MEASURED, claim=replace(CLAIM, kind=ClaimKind.QUESTION))

    found = judge(asks, STRICT, Override("c1", kept=kept))

    assert found == judge(asks, STRICT)
    assert found.label is Label.NOT_A_CLAIM


def test_a_claim_without_evidence_is_never_kept() -> None:
    """Each line of the payload cites its message, so there is nothing it could be kept as."""
    bare = ScoredClaim(CLAIM)

    assert not judge(bare, STRICT, Override("c1", kept=True)).kept
    assert judge(bare, STRICT, Override("c1", kept=False)).reason is Reason.PERSON_DROPS


# The run


def test_payload_wire_form_and_audit_follow(made: MemGuard, trace: Trace) -> None:
    """Issue 4: overrides are part of the audit and of the payload."""
    assert "Penguins" not in trace[Reconstruction].text

    changed = made.override(
        trace,
        [Override("c1", kept=False), Override("c2", kept=True, note="I saw them", made_at=NOON)],
    )

    assert "Penguins swim under ice." in changed[Reconstruction].text
    assert "400 euros" not in changed[Reconstruction].text
    first, second, third = wire.claim_rows(changed)
    assert (first["kept"], first["label"], first["override"]) == (
        False,
        "supported",
        {"kept": False, "note": ""},
    )
    assert (second["kept"], second["reason"]) == (True, "person_keeps")
    assert second["override"] == {"kept": True, "note": "I saw them"}
    assert third["override"] is None
    assert changed.run_id != trace.run_id


def test_the_audit_has_a_record_of_what_a_person_decided(made: MemGuard, trace: Trace) -> None:
    changed = made.override(
        trace,
        [
            Override("c1", kept=False, made_at=LATER),
            Override("c2", kept=True, note="I saw them", made_at=NOON),
        ],
    )
    chain = audit.records(changed)

    assert [r.stage for r in chain] == [
        "compression",
        "elimination",
        "overrides",
        "reconstruction",
        "closing",
    ]
    assert audit.verify_text(audit.dumps(chain)).intact
    record = chain[2]
    assert record.started_at == LATER.isoformat()
    assert record.detail["overrides"][1] == {
        "claim_id": "c2",
        "claim_text": "Penguins swim under ice.",
        "kept": True,
        "note": "I saw them",
        "made_at": NOON.isoformat(),
        "measured": {
            "label": "not_found",
            "kept": False,
            "reason": "similarity_below_minimum",
            "detail": verdict(trace, "c2").detail,
        },
    }
    assert chain[1].detail["n_kept"] == 1
    assert chain[3].input_digest == record.output_digest


def test_a_hidden_override_breaks_the_chain(made: MemGuard, trace: Trace) -> None:
    changed = made.override(trace, [Override("c2", kept=True, note="I saw them")])
    lines = audit.dumps(audit.records(changed)).splitlines(keepends=True)

    assert audit.verify_text("".join(lines[:2] + lines[3:])).broken_at == 3
    edited = [line.replace("I saw them", "Everybody did") for line in lines]
    assert audit.verify_text("".join(edited)).broken_at == 2


def test_an_override_runs_no_model(made: MemGuard, trace: Trace, embedder: FakeEmbedder) -> None:
    before = len(embedder.calls)

    made.override(trace, [Override("c2", kept=True)])

    assert len(embedder.calls) == before


def test_it_survives_a_moved_threshold_and_a_rerun(made: MemGuard, trace: Trace) -> None:
    """Issue 4: an override wins at every threshold."""
    changed = made.override(trace, [Override("c2", kept=True), Override("c1", kept=False)])

    for name, value in (
        ("elimination.min_similarity", 1.0),
        ("elimination.min_similarity", -1.0),
        ("elimination.preset", "strict"),
        ("elimination.evidence_sentences", 1),  # measured again
    ):
        moved = made.update(changed, changed.settings.with_value(name, value))
        assert verdict(moved, "c2").kept, name
        assert not verdict(moved, "c1").kept, name
        assert moved.overrides == changed.overrides


def test_taking_every_override_back_gives_the_run_as_it_was(made: MemGuard, trace: Trace) -> None:
    changed = made.override(trace, [Override("c2", kept=True)])

    assert made.override(changed, []) == trace
    assert changed != trace


def test_the_same_overrides_give_the_trace_itself(made: MemGuard, trace: Trace) -> None:
    changed = made.override(trace, [Override("c2", kept=True, made_at=NOON)])

    assert made.override(changed, [Override("c2", kept=True, made_at=LATER)]) is changed
    assert made.override(trace, []) is trace


def test_the_last_override_of_a_claim_counts(made: MemGuard, trace: Trace) -> None:
    once = made.override(trace, [Override("c2", kept=True)])

    twice = made.override(once, [*once.overrides, Override("c2", kept=False, note="no")])

    assert [o.note for o in twice.overrides] == ["no"]
    assert latest([Override("a", kept=True), Override("b", kept=True), Override("a", kept=False)]) == (
        Override("b", kept=True),
        Override("a", kept=False),
    )


@pytest.mark.parametrize(
    ("override", "message"),
    [
        (Override("c9", kept=True), r"there is no claim 'c9' to override; this run has c1 to c3"),
        (Override("v99", kept=False), r"there is no claim 'v99'"),
        (Override("c3", kept=True), r"c3 cannot be kept by hand: it is not a claim"),
        (Override("c3", kept=False), r"c3 cannot be dropped by hand: it is not a claim"),
        (Override("c2", kept=True, claim_text="Other words."), r"c2 was made of 'Other words\.'; that claim"),
    ],
)
def test_what_cannot_be_overridden_is_named(
    made: MemGuard, trace: Trace, override: Override, message: str
) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        made.override(trace, [override])


def test_before_elimination_there_is_nothing_to_override(made: MemGuard, trace: Trace) -> None:
    with pytest.raises(StageOrderError, match="no Elimination yet"):
        made.override(trace.rewind(2), [Override("c1", kept=True)])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"claim_id": 3}, "claim_id must be a string"),
        ({"kept": "yes"}, "kept must be True or False"),
        ({"note": "x" * (NOTE_CHARS + 1)}, "may have 2,000 characters; got 2,001"),
        ({"made_at": datetime(2026, 11, 30)}, "must have a time zone"),  # noqa: DTZ001  that is the fault
    ],
)
def test_a_wrong_value_is_named(values: dict, message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        Override(**{"claim_id": "c1", "kept": True, **values})


def test_a_new_summary_does_not_inherit_a_decision_on_other_words(made: MemGuard, trace: Trace) -> None:
    """The decision stays in the trace, and a warning says that it changes nothing here."""
    changed = made.override(trace, [Override("c2", kept=True), Override("c1", kept=False)])
    other = guard(changed.settings, summarizer=FakeSummarizer("The deposit is 400 euros. Cats fly."))

    again = other.pipeline.finish(changed.rewind(3))

    assert again.overrides == changed.overrides
    assert not verdict(again, "c1").kept
    assert not verdict(again, "c2").kept
    assert verdict(again, "c2").override is None
    assert [w for w in wire.warnings(again) if "a person" in w] == [
        "a person keeps c2, 'Penguins swim under ice.': this summary does not hold that claim, so the "
        "decision changes nothing here"
    ]
    assert audit.records(again)[2].detail["overrides"][0]["measured"] is None
    more = other.override(again, [*again.overrides, Override("c1", kept=True)])
    assert [(o.claim_id, o.kept) for o in more.overrides] == [("c2", True), ("c1", True)]


def test_an_extended_run_keeps_its_overrides(made: MemGuard, trace: Trace) -> None:
    changed = made.override(trace, [Override("c2", kept=True)])

    extended = made.extend(changed, [{"role": "user", "content": "Thank you."}])

    assert extended.overrides == changed.overrides
    assert verdict(extended, "c2").kept


def test_what_a_person_keeps_enters_a_tight_payload_first(made: MemGuard, trace: Trace) -> None:
    heading_and_a_line = 22  # with what is said of a claim that a person keeps
    tight = made.update(trace, trace.settings.with_value("reconstruction.payload_tokens", heading_and_a_line))
    assert [p.claim_id for p in tight[Reconstruction].pieces] == ["c1"]

    changed = made.override(tight, [Override("c2", kept=True)])

    assert [p.claim_id for p in changed[Reconstruction].pieces] == ["c2"]
    assert [(o.claim_id, o.reason) for o in changed[Reconstruction].omitted] == [
        ("c1", OmissionReason.BUDGET)
    ]


def test_what_a_person_drops_does_not_come_back_as_a_quote(made: MemGuard, trace: Trace) -> None:
    """F22: a decision against a claim holds against the transcript's own words for it."""
    rescued = made.update(trace, trace.settings.with_value("retention.rescue", "on"))
    assert "400 euros" in rescued[Reconstruction].text

    changed = made.override(rescued, [Override("c1", kept=False)])

    assert "400 euros" not in changed[Reconstruction].text
    assert OmissionReason.PERSON_DROPS in {o.reason for o in changed[Reconstruction].unquoted}
    assert made.override(changed, []) == rescued


def test_a_person_can_drop_a_quote(made: MemGuard, trace: Trace) -> None:
    rescued = made.update(trace, trace.settings.with_value("retention.rescue", "on"))
    quote = next(v for v in rescued[Reconstruction].verbatim if "Friday" in v.claim.text)

    changed = made.override(rescued, [Override(quote.claim.id, kept=False, note="private")])

    assert "Friday" not in changed[Reconstruction].text
    assert quote.claim.id not in [v.claim.id for v in changed[Reconstruction].verbatim]
    (row,) = audit.records(changed)[2].detail["overrides"]
    assert (row["claim_id"], row["measured"]["reason"]) == (quote.claim.id, "verbatim")


def test_the_wire_form_is_still_json(made: MemGuard, trace: Trace) -> None:
    hostile = 'say "no" \u202e </script> \n=1+1'
    changed = made.override(trace, [Override("c2", kept=True, note=hostile)])

    row = json.loads(json.dumps(wire.result(changed, audit_head=None)))

    assert row["schema"] == "memguard.result/1"
    assert row["claims"][1]["override"]["note"] == hostile
