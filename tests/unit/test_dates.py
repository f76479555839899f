"""The guard of dates and times, in both directions: it catches the change and keeps the paraphrase."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from memguard.grounding.guards.dates import check
from memguard.grounding.verdicts import Severity
from tests.inquiries import inquiry

BAD = {Severity.CONTRADICTION, Severity.MISSING}


def said(content: str, when: str = "2026-06-09T09:00:00Z", speaker: str = "Ola") -> dict[str, Any]:
    """9 June 2026 is a Tuesday."""
    return {"role": "user", "speaker": speaker, "content": content, "timestamp": when}


@pytest.mark.parametrize(
    ("claim", "line"),
    [
        ("The vet visit is on 10 June 2026 at 16:00.", said("The vet visit is tomorrow at 4pm.")),
        ("The vet visit was on 8 June 2026.", said("The vet visit was yesterday.")),
        ("The roof gets fixed on 12 June.", said("The roof gets fixed on Friday.")),
        ("The roof was fixed on 4 June 2026.", said("The roof was fixed last Thursday.")),
        ("The roof gets fixed on Friday.", said("The roof gets fixed on 12 June.")),
        ("The roof gets fixed on 18 June 2026.", said("The roof gets fixed by the 18th.")),
        ("The fair is on the third Sunday of June.", said("The fair is on 21 June.")),
        ("The fair was in May 2026.", said("The fair was last month.")),
        ("The deal was agreed on 9 June 2026.", said("We agreed the deal this morning.")),
        ("Ola wrote on 9 June that the deal is off.", said("The deal is off since 1 June.")),
        ("The refund is expected by 16 June 2026.", said("The refund comes within five working days.")),
        ("The van came on 5 May.", said("The van came on May 5th, 2026.")),
        ("The bill is dated 5 July 2025.", said("Sent 22/07/2025, bill dated 05/07/2025.")),
        ("The call is at 9 a.m. Boston time.", said("The call is at 15:00 CET, 09:00 in Boston.")),
        ("The call ends at half past two.", said("The call ends at 2:30 pm.")),
        ("The shop closes at 7 p.m.", said("The shop is open seven to nineteen.")),
        ("The call is at four o'clock.", said("The call is at 16:00.")),
        ("The crossing was in 1998.", said("The crossing was on 2 March 1998.")),
    ],
)
def test_the_same_date_in_another_form_is_kept(claim: str, line: Mapping[str, Any]) -> None:
    found = check(inquiry(claim, line))
    assert [f.detail for f in found if f.severity in BAD] == []
    assert found


@pytest.mark.parametrize(
    ("claim", "line", "severity"),
    [
        (
            "The vet visit is on 9 June 2026.",
            said("The vet visit is tomorrow at 4pm."),
            Severity.CONTRADICTION,
        ),
        ("The vet visit is at 5pm.", said("The vet visit is tomorrow at 4pm."), Severity.CONTRADICTION),
        ("The roof gets fixed on Monday.", said("The roof gets fixed on Friday."), Severity.CONTRADICTION),
        (
            "The roof gets fixed on 19 June 2026.",
            said("The roof gets fixed on Friday."),
            Severity.CONTRADICTION,
        ),
        ("The fair was in April.", said("The fair was in May."), Severity.CONTRADICTION),
        (
            "The bill is dated 7 May 2025.",
            said("Sent 22/07/2025, bill dated 05/07/2025."),
            Severity.CONTRADICTION,
        ),
        (
            "The call is at 3 p.m. Boston time.",
            said("The call is at 15:00 CET, 09:00 in Boston."),
            Severity.CONTRADICTION,
        ),
        ("The crossing was in 1989.", said("The crossing was in 1998."), Severity.CONTRADICTION),
        ("The deal was agreed on 3 August 2021.", said("We agreed the deal over lunch."), Severity.MISSING),
        ("The fair was on 12 May 2026.", said("The fair was in May."), Severity.MISSING),
        ("The bus departs at 07:35.", said('{"eta":"07:35","bus":"12"}'), Severity.CONTRADICTION),
        (
            "The lift was serviced on 5 May.",
            said("The boiler was serviced on 5 May, and the lift was inspected and serviced on 2 May."),
            Severity.CONTRADICTION,
        ),
    ],
)
def test_a_changed_date_is_caught(claim: str, line: Mapping[str, Any], severity: Severity) -> None:
    found = check(inquiry(claim, line))
    assert severity in {f.severity for f in found}, found


@pytest.mark.parametrize(
    ("claim", "line"),
    [
        ("The visit is tomorrow.", "Ola: The visit is tomorrow."),
        ("The visit is on Friday.", "Ola: The visit is next Friday."),
        ("The visit is in the summer.", "Ola: We talk about the visit."),
        ("The visit was the next day.", "Ola: We talk about the visit."),
    ],
)
def test_without_a_timestamp_dates_are_compared_as_written(claim: str, line: str) -> None:
    assert not BAD & {f.severity for f in check(inquiry(claim, line))}


@pytest.mark.parametrize(
    "claim", ["You may march on in the sun.", "Wait a second.", "It costs 9.95.", "Nothing is said here."]
)
def test_ordinary_words_say_nothing(claim: str) -> None:
    assert check(inquiry(claim, said("The roof gets fixed on Friday."))) == ()


def test_findings_point_into_both_texts() -> None:
    asked = inquiry("The roof gets fixed on Monday.", said("The roof gets fixed on Friday."))
    (finding,) = check(asked)
    assert asked.text[slice(*finding.claim_span)] == "Monday"
    assert finding.evidence_span is not None
    assert (finding.evidence_span.start, finding.evidence_span.end) == (23, 29)
