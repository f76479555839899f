"""The guard of numbers, in both directions: it catches the change and keeps the paraphrase."""

from __future__ import annotations

import pytest

from memguard.grounding.guards.quantities import check
from memguard.grounding.verdicts import Severity
from tests.inquiries import inquiry

BAD = {Severity.CONTRADICTION, Severity.MISSING}

ORDER = ("Mina: The flour order is 2.5 kg and the crate is 40 cm long.", "Assistant: Noted.")
PLANS = (
    "Noor: What does the Studio licence include?",
    "Assistant: The Studio licence includes 8 seats and 300 GB.",
    "Noor: And Basic?",
    "Assistant: Basic includes 3 seats and 40 GB.",
)
TABLES = ("Ravi: We need four tables for three evenings, a dozen chairs each.", "Assistant: Noted.")
REPAIR = ("Kai: The quote lists $1,480.00.", "Assistant: The invoice charges 1,380.00 USD for the gearbox.")
BENCH = (
    "Noor: Target is 300.",
    {
        "role": "tool",
        "content": "first latency=212ms second latency=198ms third latency=271ms",
        "speaker": "bench",
    },
)
PILLS = ("Joana: I take 30 mcg of thyroxin each morning, and 15 mg of lansoprazole.",)
TRIP = ("Jun: The ferry is 240 euros each, 6 nights at the cabin come to 792 euros.", "Assistant: Booked.")


@pytest.mark.parametrize(
    ("claim", "lines"),
    [
        ("Mina's flour order weighs 2,500 g.", ORDER),
        ("The crate is 0.4 m long.", ORDER),
        ("The Studio licence includes eight seats.", PLANS),
        ("Basic includes 40 GB and three seats.", PLANS),
        ("Ravi needs 4 tables over 3 evenings and 12 chairs.", TABLES),
        ("The gearbox was charged at $1,380.", REPAIR),
        ("Joana takes 30 micrograms of thyroxin.", PILLS),
        ("The cabin costs 792.00 euros.", TRIP),
        ("A night in the cabin for 6 nights costs €792.", TRIP),
        ("All runs stayed under 280 ms of latency.", BENCH),
        ("The third latency was 0.271 seconds.", BENCH),
        ("About 70 people came.", ("Ola: 71.6 people came on average.",)),
        ("The talk takes 30 minutes.", ("Ola: The talk takes half an hour.",)),
        ("Kim is 54 years old.", ("Nurse: Kim, a 54-year-old baker, came in.",)),
        ("The parcel takes three to four weeks.", ("Ola: The parcel takes 21 to 28 days.",)),
        ("The parcel arrives within 7 days.", ("Ola: The parcel arrives in 5–7 days.",)),
        (
            "The tap was fixed with a 423.",
            ("tool: 423 locked", "Ola: The tap was fixed, with that lock."),
        ),
        ("The flat is NW3 6PQ.", ("Ola: The flat is NW three six PQ.",)),
        ("Ola wants 40 annual passes.", ("Agent: How many passes?", "Ola: Forty.", "Agent: Fine.")),
        (
            "The bike costs 250 euros more than planned.",
            ("Ola: The bike was planned at 900 euros and is 1,150.",),
        ),
    ],
)
def test_the_same_figure_in_another_form_is_kept(claim: str, lines: tuple[object, ...]) -> None:
    assert [f.detail for f in check(inquiry(claim, *lines)) if f.severity in BAD] == []  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("claim", "lines", "severity"),
    [
        ("Mina's flour order weighs 2.5 lb.", ORDER, Severity.CONTRADICTION),
        ("Mina's flour order weighs 3.5 kg.", ORDER, Severity.CONTRADICTION),
        ("The Studio licence includes 8 seats and 500 GB.", PLANS, Severity.CONTRADICTION),
        ("The Basic licence includes 8 seats.", PLANS, Severity.CONTRADICTION),
        ("Ravi needs 3 tables for 4 evenings.", TABLES, Severity.CONTRADICTION),
        ("The invoice charges $1,480 for the gearbox.", REPAIR, Severity.CONTRADICTION),
        ("Joana takes 30 mg of thyroxin.", PILLS, Severity.CONTRADICTION),
        ("Joana takes 15 mg of thyroxin.", PILLS, Severity.CONTRADICTION),
        ("All runs stayed under 220 ms of latency.", BENCH, Severity.CONTRADICTION),
        ("The cabin is 792 dollars.", TRIP, Severity.CONTRADICTION),
        ("The ferry is 240 euros in total.", TRIP, Severity.CONTRADICTION),
        ("Kim is 45 years old.", ("Nurse: Kim, a 54-year-old baker, came in.",), Severity.CONTRADICTION),
        (
            "The plan covers at least 5 users.",
            ("Ola: The plan covers up to 5 users.",),
            Severity.CONTRADICTION,
        ),
        (
            "The tariff rose by 12 percentage points.",
            ("Ola: The tariff is 12 percent now.",),
            Severity.CONTRADICTION,
        ),
        (
            "Refund comes within five calendar days.",
            ("Ola: Refund comes within five working days.",),
            Severity.CONTRADICTION,
        ),
        ("Ola drinks four pints a day.", ("Ola: I drink four pints a week.",), Severity.CONTRADICTION),
        (
            "The train leaves from platform 9.",
            ('tool: {"platform":"7","train":"IC 23"}',),
            Severity.CONTRADICTION,
        ),
        ("Gate B22 is open.", ("Ola: Gate B24 is open.",), Severity.CONTRADICTION),
        ("The heater draws 900 watts.", ("Ola: The heater stands in the hall.",), Severity.MISSING),
        ("The case is REF-40913.", ("Ola: The case is closed.",), Severity.MISSING),
    ],
)
def test_a_changed_figure_is_caught(claim: str, lines: tuple[object, ...], severity: Severity) -> None:
    found = check(inquiry(claim, *lines))  # type: ignore[arg-type]
    assert severity in {f.severity for f in found}, found


@pytest.mark.parametrize(
    "claim",
    [
        "One of them agreed, and the other one did not.",
        "First she called, and one day she wrote.",
        "The meeting is on 3 May 2026 at 16:00.",
        "It was fun in the 60s.",
        "Nothing has a figure here.",
    ],
)
def test_words_that_are_no_figures_say_nothing(claim: str) -> None:
    assert check(inquiry(claim, "Ola: We talked about the garden.")) == ()


def test_arithmetic_that_is_not_done_is_noted() -> None:
    (finding,) = check(
        inquiry("On average a tour takes 47 minutes.", "Ola: The tour took 40, then 51 minutes, said Kim.")
    )
    assert finding.severity is Severity.NOTE
    assert finding.detail.startswith("arithmetic:")


def test_sums_and_differences_of_stated_figures_match() -> None:
    lines = ("Ola: The desk is 320 euros, the lamp 45 euros, delivery 9.50 euros.",)
    (total,) = check(inquiry("Desk, lamp and delivery came to 374.50 euros in total.", *lines))
    (less,) = check(inquiry("The lamp was 275 euros cheaper than the desk.", *lines))
    assert {total.severity, less.severity} == {Severity.MATCH}


def test_a_span_between_two_stated_times_matches() -> None:
    lines = (
        {"role": "tool", "speaker": "rail", "content": '{"planned":"07:10","eta":"07:35"}'},
        "Ola: It is late.",
    )
    (finding,) = check(inquiry("It is 25 minutes late.", *lines))
    assert finding.severity is Severity.MATCH


def test_findings_point_into_both_texts() -> None:
    asked = inquiry("The Basic licence includes 8 seats.", *PLANS)
    (finding,) = check(asked)
    assert asked.text[slice(*finding.claim_span)] == "8"
    assert finding.evidence_span is not None
    assert finding.evidence_span.message_id == "3"


def test_nothing_is_said_without_sources() -> None:
    """A claim with a figure and no transcript is missing, not an error."""
    assert [f.severity for f in check(inquiry("It weighs 4 kg."))] == [Severity.MISSING]


def test_a_number_in_a_speakers_name_is_no_figure() -> None:
    assert check(inquiry("#Person1# likes the garden.", "#Person1#: I like the garden.")) == ()
