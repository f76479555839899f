"""The guard that looks for plans, guesses and past states told as facts."""

import pytest

from memguard.grounding.guards import modality
from memguard.grounding.verdicts import Severity
from tests.inquiries import inquiry

CAUGHT = [
    ("The crew has repaired the bridge.", ["Ann: The crew will repair the bridge in May."]),
    ("Ola was told that she has a torn ligament.", ["Nurse: It might be a torn ligament."]),
    ("Ben was told to leave today.", ["Nurse: If the fever rises, leave today, Ben."]),
    ("Ina merged the parser patch.", ["Ina: I want to merge the parser patch on Friday."]),
    ("He still drives a taxi.", ["Lund: I drove a taxi for ten years but quit in 2018."]),
    ("She lives in Turin.", ["Eva: I lived in Turin then; now I'm in Bern."]),
    (
        "Kim still has to renew the licence.",
        ["Kim: I'll renew the licence tonight.", "Kim: The licence was renewed."],
    ),
    ("Dora was happy about the delay.", ["Dora: Oh great, another delay. Just what I needed."]),
    ("Measurements show that the new app is slower.", ["Wei: The new app feels slower to me."]),
    ("Ria accepted the extended warranty.", ["Sam: I can offer an extended warranty.", "Ria: No, thanks."]),
    ("Ria rejected the extended warranty.", ["Sam: How about an extended warranty?", "Ria: Good idea, yes."]),
]
KEPT = [
    ("The crew plans to repair the bridge in May.", ["Ann: The crew will repair the bridge in May."]),
    ("A torn ligament is suspected.", ["Nurse: It might be a torn ligament."]),
    ("Kim renewed the licence.", ["Kim: I'll renew the licence tonight.", "Kim: Licence renewed."]),
    ("He lives in Bern.", ["Eva: I lived in Turin then; now I'm in Bern."]),
    ("He used to drive a taxi.", ["Lund: I drove a taxi for ten years but quit in 2018."]),
    ("Ann asked Bo to call the bank.", ["Ann: Please call the bank, Bo."]),
    ("The order was cancelled.", ["Ann: Please cancel the order.", "Bot: Done, the order is cancelled."]),
    ("Ria accepted the extended warranty.", ["Sam: How about an extended warranty?", "Ria: Sure, why not."]),
    ("Wei feels that the new app is slower.", ["Wei: The new app feels slower to me."]),
    ("Dora complained about another delay.", ["Dora: Oh great, another delay."]),
    ("He has had chills.", ["He: I have had chills since May."]),
    ("Bo will collect the parcel.", ["Ann: Can you collect the parcel?", "Bo: Sure."]),
]


@pytest.mark.parametrize(("claim", "lines"), CAUGHT)
def test_more_than_was_said_is_a_contradiction(claim: str, lines: list[str]) -> None:
    (finding,) = modality.check(inquiry(claim, *lines))
    assert finding.severity is Severity.CONTRADICTION
    assert finding.evidence_span is not None


@pytest.mark.parametrize(("claim", "lines"), KEPT)
def test_a_claim_that_keeps_the_frame_is_kept(claim: str, lines: list[str]) -> None:
    assert modality.check(inquiry(claim, *lines)) == ()


def test_no_sources_say_nothing() -> None:
    assert modality.check(inquiry("The bridge was repaired.")) == ()
