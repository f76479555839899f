"""What the speaker guard keeps to, whoever speaks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memguard.grounding.guards.speakers import check
from memguard.grounding.verdicts import Severity
from tests.inquiries import inquiry

_SPEAKERS = ["Mara", "Jonas Beck", "Dr Ilse Vogt"]
_SAID = [
    "I repaired the garden gate on Sunday.",
    "I ordered two boxes of printer paper.",
    "The heating in the hall is broken again.",
    "I would like the window seat.",
    "Nobody may use the back door before noon.",
    "We paint the fence next week.",
]
_VERBS = ["said that", "mentioned that", "told the others that", "pointed out that"]
_turns = st.lists(st.tuples(st.sampled_from(_SPEAKERS), st.sampled_from(_SAID)), min_size=2, max_size=6)


@given(_turns, st.data())
def test_a_statement_with_its_own_speaker_is_never_contradicted(
    turns: list[tuple[str, str]], data: st.DataObject
) -> None:
    """Verbatim, or reported with the name of who said it."""
    lines = [f"{speaker}: {said}" for speaker, said in turns]
    speaker, said = data.draw(st.sampled_from(turns))
    verb = data.draw(st.sampled_from(_VERBS))
    for claim in (said, f"{speaker}: {said}", f"{speaker} {verb} {said[0].lower()}{said[1:]}"):
        findings = check(inquiry(claim, *lines))
        assert not any(f.severity in {Severity.CONTRADICTION, Severity.MISSING} for f in findings)


@given(st.permutations(_SPEAKERS), st.permutations(_SAID), st.sampled_from(_VERBS))
def test_a_statement_of_another_is_contradicted(speakers: list[str], said: list[str], verb: str) -> None:
    """A thing that one person said and another is told to have said."""
    lines = [f"{speakers[0]}: {said[0]}", f"{speakers[1]}: {said[1]}"]
    words = said[0].removeprefix("I ").removeprefix("We ")
    findings = check(inquiry(f"{speakers[1]} {verb} they {words}", *lines))
    assert [f.severity for f in findings] == [Severity.CONTRADICTION]
