"""What the entity guard keeps to, whatever the names are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memguard.grounding.guards.entities import check
from memguard.grounding.verdicts import Severity
from tests.inquiries import inquiry

_NAMES = [
    "Brandt & Söhne",
    "Hollis Paper",
    "Tarn Valley",
    "BX-4471",
    "KL1145",
    "api/routes.py",
    "MAX_RETRIES",
    "Ovid",
]
_FRAMES = [
    "The parcel goes to {}.",
    "We ordered it from {} in May.",
    "Nothing arrived, {} is closed.",
    "{} is fine.",
]
_SPEAKERS = ["Mara", "Jonas Beck", "User", "Dr Ilse Vogt"]
_turns = st.lists(
    st.tuples(st.sampled_from(_SPEAKERS), st.sampled_from(_FRAMES), st.sampled_from(_NAMES)),
    min_size=1,
    max_size=6,
)


@given(_turns, st.data())
def test_a_verbatim_statement_has_no_unknown_name(
    turns: list[tuple[str, str, str]], data: st.DataObject
) -> None:
    """A sentence of the transcript never has a missing or misplaced name, also with its speaker before it."""
    lines = [f"{speaker}: {frame.format(name)}" for speaker, frame, name in turns]
    speaker, frame, name = data.draw(st.sampled_from(turns))
    said = frame.format(name)
    for claim in (said, f"{speaker} said: {said}"):
        asked = inquiry(claim, *lines)
        assert {f.severity for f in check(asked)} <= {Severity.MATCH, Severity.NOTE}


@given(st.sampled_from(_FRAMES), st.sampled_from(_NAMES), st.text(alphabet="qxzjkv", min_size=5, max_size=9))
def test_a_name_that_occurs_nowhere_is_seen(frame: str, name: str, letters: str) -> None:
    """An invented name inside a sentence is missing or a contradiction, and its span is exact."""
    invented = letters.capitalize()
    asked = inquiry(
        f"It was sent with {invented} on that day.", f"Mara: {frame.format(name)}", "Jonas: Good."
    )
    findings = check(asked)
    assert {asked.text[slice(*f.claim_span)] for f in findings} == {invented}
    assert {f.severity for f in findings} <= {Severity.MISSING, Severity.CONTRADICTION}
