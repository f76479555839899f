"""What the guard of superseded values keeps to, whatever the values are."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from memguard.grounding.guards.superseded import check
from memguard.grounding.verdicts import Severity
from tests.inquiries import inquiry

_TOPICS = ["garden budget", "hall rent", "dinner deposit", "choir fee"]
_amounts = st.integers(min_value=100, max_value=900)
_CHANGES = [
    "Actually, the {} is {} euros.",
    "Correction: the {} is {} euros.",
    "Sorry, the {} was changed to {} euros.",
    "The {} is {} euros now.",
]


@given(
    st.lists(st.tuples(st.sampled_from(_TOPICS), _amounts), min_size=1, max_size=4, unique_by=lambda t: t[0]),
    st.data(),
)
def test_a_value_that_nobody_changes_is_kept(stated: list[tuple[str, int]], data: st.DataObject) -> None:
    """A verbatim statement that is not taken back later is never contradicted."""
    lines = [f"Mara: The {topic} is {amount} euros." for topic, amount in stated]
    topic, amount = data.draw(st.sampled_from(stated))
    findings = check(inquiry(f"The {topic} is {amount} euros.", *lines))
    assert not any(f.severity in {Severity.CONTRADICTION, Severity.MISSING} for f in findings)


@given(st.sampled_from(_TOPICS), _amounts, _amounts, st.sampled_from(_CHANGES))
def test_only_the_last_value_is_kept(topic: str, old: int, new: int, change: str) -> None:
    """The old value is contradicted as the present one; the new one and the history are not."""
    assume(old != new)
    lines = (f"Mara: The {topic} is {old} euros.", "Beck: Fine.", f"Mara: {change.format(topic, new)}")
    assert check(inquiry(f"The {topic} is {old} euros.", *lines))
    assert not check(inquiry(f"The {topic} is {new} euros.", *lines))
    assert not check(inquiry(f"The {topic} was first {old} euros and later {new} euros.", *lines))
