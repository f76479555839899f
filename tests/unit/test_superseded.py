"""The guard of superseded values: for the present the last value counts."""

from __future__ import annotations

import pytest

from memguard.grounding.guards.superseded import check
from memguard.grounding.verdicts import Finding, Severity
from tests.inquiries import inquiry

_BUDGET = (
    "Iris: The budget for the garden is 900 euros.",
    "Assistant: Noted, 900 euros for the garden.",
    "Iris: Actually, make the garden budget 1,200 euros.",
    "Assistant: Updated, the garden budget is 1,200 euros now.",
)
_CLASS = (
    "Max: The pottery class is on Tuesday at 18:00 in room 4.",
    "Lou: Good.",
    "Max: Sorry, they changed it, the pottery class is on Thursday at 18:30 in room 7.",
)
_TABLET = (
    "Patient: I take metoprolol, 25 mg in the morning.",
    "Nurse: Anything else?",
    "Patient: Wait, I said metoprolol 25. It's 50 now, they raised it in May.",
)
_HOST = (
    "Ravi: We'll hold the retreat in Bergen.",
    "Sol: Too far for the Oslo people.",
    "Ravi: Then Hamar instead of Bergen.",
)
_OFF = (
    "Kim: The rooftop dinner is on Friday.",
    "Lee: I'll bring wine.",
    "Kim: The rooftop dinner is cancelled, sorry.",
)
_MUSING = (
    "Ana: The rent is 700 euros.",
    "Bea: Could the rent go to 750 euros next year?",
    "Ana: No idea.",
)
_TWO = (
    "Vera: The Basic plan has 5 seats.",
    "Vera: The Team plan has 20 seats.",
)
_CATERER = (
    "Ron: The caterer is Blue Fig.",
    "Sue: They cancelled on us.",
    "Ron: Then we go with Casa Verde.",
)
_PHOTOS = ("Iris: The photos we keep for 30 days, they want 14. I said yes.", "Max: Good.")
_LAUNCH = (
    "Ann: The launch is on February 20.",
    "Bob: Noted.",
    "Ann: The launch moves to February 27, legal needs a week.",
)
_MEETING = ("Ann: The meeting is on Thursday at 14:30.", "Bob: Fine.", "Ann: We moved it to Friday at 15:00.")
_PARTY = ("Ann: The launch is on February 20.", "Bob: Noted.", "Ann: The party moves to February 27.")
_VAN = ("Ann: The meeting is on Thursday.", "Bob: The van is on Monday.", "Ann: We moved it to Friday.")
_IF = ("Ann: The launch is on February 20.", "Bob: If legal is slow the launch moves to February 27.")
_MOVED = ("Mr. Roe: I lived in Genoa then; now I'm in Turin.",)


def _contradictions(findings: tuple[Finding, ...]) -> list[Finding]:
    return [finding for finding in findings if finding.severity is Severity.CONTRADICTION]


@pytest.mark.parametrize(
    ("lines", "claim"),
    [
        (_BUDGET, "The garden budget is 900 euros."),
        (_BUDGET, "Iris has a budget of €900 for the garden."),
        (_CLASS, "The pottery class is on Tuesday."),
        (_CLASS, "The pottery class takes place in room 4."),
        (_CLASS, "The pottery class is at 18:00."),
        (_TABLET, "The patient takes 25 mg of metoprolol in the morning."),
        (_HOST, "The retreat will be held in Bergen."),
        (_OFF, "The rooftop dinner is on Friday."),
        (_CATERER, "The caterer is Blue Fig."),
        (_PHOTOS, "The photos are kept for thirty days."),
        (_MOVED, "He lives in Genoa."),
        (_LAUNCH, "The launch is on February 20."),
        (_MEETING, "The meeting is on Thursday."),
    ],
)
def test_an_old_value_as_present_is_caught(lines: tuple[str, ...], claim: str) -> None:
    """Corrections, changes, replacements and cancellations undo what was said before."""
    assert _contradictions(check(inquiry(claim, *lines)))


@pytest.mark.parametrize(
    ("lines", "claim"),
    [
        (_BUDGET, "The garden budget is 1,200 euros."),
        (_BUDGET, "The garden budget was first 900 euros and then 1,200 euros."),
        (_BUDGET, "The garden budget was raised from 900 to 1,200 euros."),
        (_BUDGET, "Initially the garden budget was 900 euros."),
        (_CLASS, "The pottery class is on Thursday at 18:30 in room 7."),
        (_CLASS, "The pottery class was originally on Tuesday."),
        (_TABLET, "The patient takes 50 mg of metoprolol."),
        (_TABLET, "Metoprolol was at 25 mg before it was raised to 50 mg."),
        (_HOST, "The retreat will be held in Hamar."),
        (_HOST, "Ravi chose Hamar instead of Bergen."),
        (_OFF, "The rooftop dinner was cancelled."),
        (_OFF, "Lee offered to bring wine to the rooftop dinner."),
        (_MUSING, "The rent is 700 euros."),
        (_TWO, "The Basic plan has 5 seats."),
        (_TWO, "The Team plan has 20 seats."),
        (_CATERER, "The caterer is Casa Verde."),
        (_PHOTOS, "The photos are kept for 14 days."),
        (_MOVED, "He lives in Turin."),
        (_MOVED, "He used to live in Genoa."),
        (_LAUNCH, "The launch is on February 27."),
        (_MEETING, "The meeting is on Friday at 15:00."),
        (_PARTY, "The launch is on February 20."),
        (_VAN, "The meeting is on Thursday."),
        (_IF, "The launch is on February 20."),
    ],
)
def test_the_last_value_and_history_are_kept(lines: tuple[str, ...], claim: str) -> None:
    """The last value is right, earlier ones are right as history, and what is only mused is no value."""
    assert not _contradictions(check(inquiry(claim, *lines)))


def test_the_finding_names_the_new_value_and_its_place() -> None:
    """It points at the value in the claim and at its successor."""
    asked = inquiry("The garden budget is 900 euros.", *_BUDGET)
    (finding,) = check(asked)
    assert asked.text[slice(*finding.claim_span)] == "900 euros"
    assert "1,200" in finding.detail
    assert finding.evidence_span is not None
    assert finding.evidence_span.message_id in {"2", "3"}


def test_an_empty_transcript_says_nothing() -> None:
    """Nothing can have changed where nothing was said."""
    assert check(inquiry("The rent is 700 euros.")) == ()


def test_a_later_total_is_no_successor_of_a_part():
    """The last value counts of one thing: a total takes the part in, and both hold."""
    lines = (
        "Ana: With the 300 off, Fjeldby comes to 13,780 euros.",
        "Ben: Good news. With 1,090 instead of 1,150 the total comes to 16,479 euros.",
    )
    assert not check(inquiry("Fjeldby comes to 13,780 euros.", *lines))


def test_a_total_is_replaced_by_a_later_total():
    lines = ("Ana: That brings the total to 16,539 euros.", "Ben: Now the total comes to 16,479 euros.")
    assert _contradictions(check(inquiry("The total is 16,539 euros.", *lines)))


@pytest.mark.parametrize(
    ("claim", "other"),
    [
        ("Order 12 costs 90 euros.", "Order 13 costs 110 euros."),
        ("Room 204 is booked for 3 May at 90 euros.", "Room 310 is booked for 4 May at 120 euros."),
        ("Flight 123 leaves at 9:40.", "Flight 456 leaves at 17:15."),
        ("The meeting on Monday is at 9:00 in room 2.", "The meeting on Thursday is at 14:00 in room 5."),
        ("Item 1: the crate 101 weighs 10 kg.", "Item 2: the crate 102 weighs 12 kg."),
    ],
)
def test_like_things_of_different_ones_are_no_change(claim, other):
    assert check(inquiry(claim, f"Ben: {claim}", f"Ben: {other}")) == ()
