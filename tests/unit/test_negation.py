"""The guard that looks for negation and opposites."""

import pytest

from memguard.grounding.guards import negation
from memguard.grounding.verdicts import Severity
from tests.inquiries import inquiry

CAUGHT = [
    ("The upload was finished.", ["Bot: The upload was not finished."]),
    ("The export failed.", ["Bot: The export went through."]),
    (
        "The alarm is enabled in the garage.",
        ["Bot: The alarm is disabled in the garage and enabled upstairs."],
    ),
    ("The change is reversible.", ["Dev: Careful, the change is irreversible."]),
    ("The changelog is exhaustive.", ["Dev: The changelog is non-exhaustive."]),
    ("The parcel is opened.", ["Ann: The parcel is unopened."]),
    ("Nothing failed.", ["CI: Nothing failed except the Windows job."]),
    ("Tom has a fever.", ["Doctor: Do you have a fever?", "Tom: No."]),
    ("Tom has no fever.", ["Doctor: Do you have a fever?", "Tom: Yes."]),
    ("Ana accepted the voucher.", ["Sam: Here is a voucher.", "Ana: I declined the voucher."]),
    ("The letter comes from Acme Bank.", ["Ute: The letter comes from Orbit, not from Acme Bank."]),
    ("Jo pushed the branch.", ["Ed: Shall I push the branch?", "Jo: No, push it later."]),
    ("The shop allows dogs.", ["Eva: Dogs are not allowed in the shop."]),
    ("Guests should not take ibuprofen.", ["Host: Ibuprofen is fine for guests."]),
    ("The ticket was cancelled.", ["Bot: The ticket was not cancelled."]),
]
KEPT = [
    ("The payment failed.", ["Rosa: The payment didn't go through."]),
    (
        "Caching is switched off in the lab.",
        ["Bot: The caching is disabled in the lab and enabled in the shop."],
    ),
    ("The log is not complete.", ["Dev: The log is non-exhaustive."]),
    ("Only the Windows job failed.", ["CI: Nothing failed except the Windows job."]),
    ("Tom denies fever.", ["Doctor: Do you have a fever?", "Tom: No."]),
    ("Pia wants to return the shoes, not exchange them.", ["Pia: No exchange, I want to return the shoes."]),
    ("The attempt to upload the report failed.", ["Bot: The report was not uploaded."]),
    ("Ana declined the voucher.", ["Sam: A voucher?", "Ana: I'd rather not have a voucher, thanks."]),
    ("Tom bought the car from Al.", ["Al: I sold the car to Tom."]),
    ("The young man called.", ["Ann: The old mill is closed. A man called."]),
    ("The train leaves at nine.", ["Ann: The bus does not leave at ten."]),
    ("Eva said no problem, it works.", ["Eva: No problem, it works."]),
    ("He does not get pain while seated.", ["He: I get pain when I walk."]),
]


@pytest.mark.parametrize(("claim", "lines"), CAUGHT)
def test_opposite_polarity_is_a_contradiction(claim: str, lines: list[str]) -> None:
    findings = negation.check(inquiry(claim, *lines))
    assert any(f.severity is Severity.CONTRADICTION for f in findings), findings


@pytest.mark.parametrize(("claim", "lines"), KEPT)
def test_the_same_in_other_words_is_kept(claim: str, lines: list[str]) -> None:
    findings = negation.check(inquiry(claim, *lines))
    assert all(f.severity is Severity.MATCH for f in findings), findings


def test_opposite_of_a_denied_word_is_a_match() -> None:
    asked = inquiry("The payment failed.", "Rosa: The payment didn't go through.")
    (finding,) = negation.check(asked)
    assert finding.severity is Severity.MATCH
    assert asked.text[slice(*finding.claim_span)] == "failed"
    span = finding.evidence_span
    assert span is not None
    assert asked.sources[0].text[span.start : span.end] == "go through"


def test_an_unanswered_question_denies_and_affirms_nothing() -> None:
    assert negation.check(inquiry("The export failed.", "Ann: Did the export not fail?")) == ()


def test_both_polarities_are_weighed_by_what_they_share() -> None:
    lines = ["Bot: The import of the March file failed.", "Bot: The import of the April file did not fail."]
    assert negation.check(inquiry("The import of the March file failed.", *lines)) == ()
    (finding,) = negation.check(inquiry("The import of the April file failed.", *lines))
    assert finding.severity is Severity.CONTRADICTION


def test_no_sources_say_nothing() -> None:
    assert negation.check(inquiry("The export failed.")) == ()
