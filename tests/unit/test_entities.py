"""The entity guard: names, ids, paths and addresses of a claim against the transcript."""

from __future__ import annotations

import pytest

from memguard.eliminator import Elimination
from memguard.grounding.guards.entities import check
from memguard.grounding.verdicts import Finding, Severity
from tests.inquiries import inquiry
from tests.support import guard

_CARGO = (
    "Nils: The pallets go out with Brandt & Söhne on Monday.",
    "Dana: And the returns?",
    "Nils: Returns come back through Kestrel Freight.",
)
_DEPLOY = (
    "Wren: The build fails because NEXT_PUBLIC_API_URL is not set.",
    "Assistant: I added it to config/env.example and restarted api-gateway.",
    "Wren: The log is at /var/log/gateway/error.log, mail me at wren@harbour.example.",
)
_HOSTING = (
    "Ada: We moved the mailing lists to Amazon Web Services in spring; the wiki stays on Hetzner.",
    "Bo: Who pays for it?",
    "Ada: Accounting, through Elizabeth.",
)
_FLIGHTS = (
    "Ola: Two flights, KL1145 out and KL1148 back.",
    "Agent: Seat 14C is confirmed on KL1145, 27F on KL1148.",
)
_CHAT = (
    "ravi: can you grab thai food tonight? the place on elm street",
    "lena: sure. i'm at the x-ray until 6, and my postgres db crashed at commit 4f9ac21",
)
_CLINIC = (
    "Doctor: Doctor Ines Kowalczyk will see you in Zürich, at the Saint Anna hospital.",
    "Patient: Call me Liz. I take Ramipril and my German is fine.",
)


def _worst(findings: tuple[Finding, ...]) -> set[Severity]:
    return {finding.severity for finding in findings} & {Severity.CONTRADICTION, Severity.MISSING}


@pytest.mark.parametrize(
    ("lines", "claim"),
    [
        (_CARGO, "The pallets go out with Brandt Logistik on Monday."),
        (_CARGO, "The pallets are sent with Morgenstern on Monday."),
        (_CARGO, "Returns come back through Kestrel Airways."),
        (_CARGO, "Gunnar said the pallets go out on Monday."),
        (_DEPLOY, "The build fails because NEXT_PUBLIC_URL is not set."),
        (_DEPLOY, "The assistant added it to config/env.production."),
        (_DEPLOY, "The log is at /var/log/gateway/access.log."),
        (_DEPLOY, "Wren can be reached at wren@haven.example."),
        (_HOSTING, "The mailing lists were moved to Azure in spring."),
        (_HOSTING, "The mailing lists were moved to Google Cloud in spring."),
        (_HOSTING, "The wiki was moved to AWS."),
        (_HOSTING, "Ada, who works at Siemens in Lyon, moved the mailing lists."),
        (_FLIGHTS, "Ola sits in seat 27F on KL1145."),
        (_FLIGHTS, "Ola flies out with KL1154."),
        (_CHAT, "Lena's MySQL database crashed at commit 4f9ac21."),
        (_CHAT, "Lena's database crashed at commit 4f9ac12."),
        (_CLINIC, "Doctor Ines Kowalski will see the patient."),
        (_CLINIC, "The patient takes Bisoprolol."),
        (_CLINIC, "The appointment is in Geneva."),
    ],
)
def test_a_changed_or_invented_name_is_caught(lines: tuple[str, ...], claim: str) -> None:
    """A name that the transcript lacks, or has with another partner, is a contradiction or missing."""
    assert _worst(check(inquiry(claim, *lines)))


@pytest.mark.parametrize(
    ("lines", "claim"),
    [
        (_CARGO, "The pallets go out with Brandt & Soehne on Monday."),
        (_CARGO, "Brandt and Sohne take the pallets on Monday."),
        (_CARGO, "Returns come back through Kestrel."),
        (_CARGO, "KESTREL FREIGHT brings the returns back."),
        (_CARGO, "Nils's pallets go out on Monday, Brandt's lorry takes them."),
        (_DEPLOY, "The build fails because next_public_api_url is not set."),
        (_DEPLOY, "The log is in /var/log/gateway/error.log."),
        (_DEPLOY, "The API gateway was restarted by the assistant."),
        (_DEPLOY, "The User asked for the error.log file."),
        (_HOSTING, "The mailing lists were moved to AWS in spring."),
        (_HOSTING, "The wiki stays on Hetzner."),
        (_HOSTING, "Accounting pays, through Liz."),
        (_HOSTING, "In March, on a Monday, Ada spoke of the English wiki. OK."),
        (_FLIGHTS, "Ola sits in seat 14C on KL1145 and 27F on KL1148."),
        (_FLIGHTS, "Outbound is KL1145."),
        (_CHAT, "Ravi wants Thai food from the place on Elm Street."),
        (_CHAT, "Lena is at the X-ray. Her Postgres database crashed at commit 4f9ac21."),
        (_CLINIC, "Dr. Kowalczyk sees Liz in Zurich."),
        (_CLINIC, "The Patient goes to St. Anna."),
        (_CLINIC, "Ramipril is what the patient takes."),
        (_CLINIC, "The patient is fluent in German. Germany was mentioned."),
    ],
)
def test_another_form_of_a_name_is_kept(lines: tuple[str, ...], claim: str) -> None:
    """Accents, ampersands, acronyms, short forms, parts of names and titles change nothing."""
    assert not _worst(check(inquiry(claim, *lines)))


def test_a_near_name_is_named_with_its_place() -> None:
    """The finding points at the claim's name and at the transcript's."""
    asked = inquiry("The build fails because NEXT_PUBLIC_URL is not set.", *_DEPLOY)
    (finding,) = check(asked)
    assert finding.severity is Severity.CONTRADICTION
    assert asked.text[slice(*finding.claim_span)] == "NEXT_PUBLIC_URL"
    assert finding.evidence_span is not None
    (source,) = (s for s in asked.sources if "NEXT_PUBLIC_API_URL" in s.text)
    start = finding.evidence_span.start - source.span.start
    assert source.text[start:].startswith("NEXT_PUBLIC_API_URL")


def test_an_acronym_is_a_match() -> None:
    """A name found in another form only is reported as found, so that its words count as supported."""
    findings = check(inquiry("The mailing lists were moved to AWS.", *_HOSTING))
    assert [finding.severity for finding in findings] == [Severity.MATCH]


def test_an_empty_transcript_says_nothing() -> None:
    """Without any source there is nothing to compare."""
    assert check(inquiry("Anna moved to Azure.")) == ()


def test_a_name_put_in_for_a_pronoun_is_judged_where_it_was_written() -> None:
    said = [
        {
            "speaker": "Assistant",
            "content": "Vinha Serrana does a van tour, leaving at 09:00 and back around 18:00.",
        },
        {"speaker": "Ilse", "content": "Fine, we take the van."},
        {"speaker": "Mateus", "content": "I packed already."},
        {"speaker": "Mateus", "content": "And the weather?"},
        {"speaker": "Ilse", "content": "Jonas thinks his passport has run out."},
    ]
    trace = guard().check(
        "Ilse and Jonas are going there. They're not planning on leaving around 18:00.", said
    )

    second = trace[Elimination].scored[1]
    assert second.claim.judged_as.startswith("Ilse and Jonas are not")
    assert not [f for f in second.findings if f.guard == "entities"]
