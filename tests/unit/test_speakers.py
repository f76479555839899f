"""The speaker guard: who said, asked, offered, held or did a thing."""

from __future__ import annotations

from typing import Any

import pytest

from memguard.grounding.guards.speakers import check
from memguard.grounding.verdicts import Finding, Severity
from tests.inquiries import inquiry

_OFFICE = (
    "Marta: I booked the small meeting room for the supplier talk.",
    "Paul: I would rather have the big one, the projector in the small room is broken.",
    "Marta: Fine, go ahead and change it.",
    "Paul: By the way, never restart the print server before noon, payroll needs it.",
)
_LOAN = (
    "Kaito: Could you lend me forty euros until Friday?",
    "Rosa: Sure, I'll send you the money tonight.",
    "Kaito: Thanks. I'll pick you up at the airport then.",
)
_HELP: tuple[Any, ...] = (
    {"role": "user", "content": "How do I merge two spreadsheets without losing formulas?"},
    {"role": "assistant", "content": "Use a lookup; here is a macro that does it. I suggest a backup first."},
    {"role": "user", "content": "My landlord wrote 'I am allergic to cats', so no pets here."},
)
_TASTE = (
    "Tom: Vinegar crisps for me, always.",
    "Nina: Sweet popcorn, please. I can't stand vinegar.",
)
_OPTIONS = (
    "Planner: Option 1: the night train. Option 2: a morning flight. I'd take option 1.",
    "Mei: Yes, go with that.",
    "Planner: On it.",
)
_ERRANDS = (
    "Kim: Could you text Jo the gate code?",
    "Lee: Done, I texted her. By the way, I lost my umbrella at the market.",
    "Kim: I have it! Gus brings it over.",
)
_TEA = (
    "Host: Do you take sugar in your tea?",
    "Guest: Yes, two spoons.",
)
_CAKE = (
    "Ben: Anna will bring the walnut cake on Sunday.",
    "Lea: Great, and I bring the coffee machine.",
    "Ben: Same here, I have a second coffee machine.",
)


def _contradictions(findings: tuple[Finding, ...]) -> list[Finding]:
    return [finding for finding in findings if finding.severity is Severity.CONTRADICTION]


@pytest.mark.parametrize(
    ("lines", "claim"),
    [
        (_OFFICE, "Paul booked the small meeting room for the supplier talk."),
        (_OFFICE, "Marta warned that the print server must not be restarted before noon."),
        (_OFFICE, "Marta pointed out that the projector in the small room is broken."),
        (_OFFICE, "It was Marta who warned against restarting the print server before noon."),
        (_OFFICE, "The warning about payroll and the print server before noon was raised by Marta."),
        (_OFFICE, "The facility team warned that the print server must not be restarted before noon."),
        (_LOAN, "Kaito will lend Rosa forty euros."),
        (_LOAN, "Rosa will pick Kaito up at the airport."),
        (_LOAN, "Kaito will send Rosa the money."),
        (_LOAN, "Rosa borrowed forty euros from Kaito."),
        (_HELP, "The user wrote a macro for the lookup."),
        (_HELP, "The user suggested a backup first."),
        (_HELP, "The assistant asked how to merge two spreadsheets without losing formulas."),
        (_TASTE, "Nina prefers vinegar crisps."),
        (_TASTE, "Both want vinegar crisps."),
        (_OPTIONS, "Mei agreed to the morning flight."),
        (_OPTIONS, "Mei chose the morning flight."),
        (_ERRANDS, "Kim texted Jo the gate code."),
        (_ERRANDS, "Lee asked Kim to text Jo the gate code."),
        (_ERRANDS, "Kim lost her umbrella at the market."),
        (_CAKE, "Ben's sister said that Lea brings the coffee machine."),
    ],
)
def test_the_wrong_person_is_caught(lines: tuple[Any, ...], claim: str) -> None:
    """A deed or a saying of another is a contradiction."""
    assert _contradictions(check(inquiry(claim, *lines)))


@pytest.mark.parametrize(
    ("lines", "claim"),
    [
        (_OFFICE, "Marta booked the small meeting room for the supplier talk."),
        (_OFFICE, "Paul warned that the print server must not be restarted before noon."),
        (_OFFICE, "Marta agreed that Paul changes to the big room because the projector is broken."),
        (_OFFICE, "It was Paul, not Marta, who warned against restarting the print server before noon."),
        (_OFFICE, "Paul pointed out that the projector in the small room is broken."),
        (_OFFICE, "Payroll needs the print server before noon."),
        (_LOAN, "Rosa will lend Kaito forty euros."),
        (_LOAN, "Kaito borrows forty euros from Rosa until Friday."),
        (_LOAN, "Kaito asked Rosa to lend him forty euros."),
        (_LOAN, "Kaito will pick Rosa up at the airport."),
        (_LOAN, "Rosa sends Kaito the money tonight."),
        (_HELP, "The assistant wrote a macro for the lookup."),
        (_HELP, "The user asked how to merge two spreadsheets."),
        (_HELP, "The assistant suggested a backup first."),
        (_HELP, "The user's landlord wrote that he is allergic to cats."),
        (_TASTE, "Tom prefers vinegar crisps."),
        (_TASTE, "Nina wants sweet popcorn."),
        (_OPTIONS, "Mei agreed to the night train."),
        (_OPTIONS, "The planner preferred the night train to a morning flight."),
        (_ERRANDS, "Lee texted Jo the gate code."),
        (_ERRANDS, "Kim asked Lee to text Jo the gate code."),
        (_ERRANDS, "Lee lost an umbrella at the market."),
        (_ERRANDS, "Gus brings the umbrella over."),
        (_TEA, "The guest takes two spoons of sugar in the tea."),
        (_TEA, "Guest said that they take sugar in their tea."),
        (_CAKE, "Anna brings the walnut cake on Sunday."),
        (_CAKE, "Ben and Lea bring a coffee machine each."),
        (_CAKE, "Lea agreed that Anna will bring the walnut cake."),
    ],
)
def test_the_right_person_is_kept(lines: tuple[Any, ...], claim: str) -> None:
    """Agreement, answers, reports and quotations are given to whom they belong."""
    assert not _contradictions(check(inquiry(claim, *lines)))


def test_names_given_in_the_talk_stand_for_their_speakers() -> None:
    """A speaker without a name is met by the name that the other calls them by."""
    lines = ("Speaker A: Hi, Gloria!", "Speaker B: Hello. I painted the garden shed yesterday.")
    assert not _contradictions(check(inquiry("Gloria painted the garden shed yesterday.", *lines)))


def test_the_finding_points_at_the_person_and_the_source() -> None:
    """Both texts are shown."""
    asked = inquiry("Marta warned that the print server must not be restarted before noon.", *_OFFICE)
    (finding,) = check(asked)
    assert asked.text[slice(*finding.claim_span)] == "Marta"
    assert finding.evidence_span is not None
    assert finding.evidence_span.message_id == "3"
    assert "Paul" in finding.detail


def test_one_speaker_says_nothing() -> None:
    """With one speaker nobody can be taken for another."""
    assert check(inquiry("Paul said it rains.", "Ann: It rains.")) == ()
