"""The guard that looks for bounds, shares and conditions."""

import pytest

from memguard.grounding.guards import quantifiers
from memguard.grounding.verdicts import Severity
from tests.inquiries import inquiry

CAUGHT = [
    ("The plan covers at least 5 seats.", ["Bot: The plan covers up to 5 seats."]),
    ("The plan covers more than ten seats.", ["Bot: The plan covers at most 10 seats."]),
    (
        "Returns are taken for any item, whether opened or not.",
        ["Bot: Returns are taken only if the item is unopened."],
    ),
    ("All nightly jobs passed.", ["CI: Some nightly jobs passed."]),
    ("All nightly jobs passed.", ["CI: All nightly jobs passed except the Windows one."]),
    ("Everyone in the team tested the build.", ["Ann: Only two in the team tested the build."]),
    ("Both want light mode.", ["Tom: Light mode for me.", "Ina: Dark mode, please."]),
]
KEPT = [
    ("The plan is limited to 5 seats.", ["Bot: The plan covers up to 5 seats."]),
    ("A return requires an unopened item.", ["Bot: Return only if the item is unopened."]),
    ("Some nightly jobs passed.", ["CI: All nightly jobs passed."]),
    ("All nightly jobs passed.", ["CI: All nightly jobs passed."]),
    ("The trip takes at least two hours.", ["Ann: The trip takes no less than 2 hours."]),
    ("Both want light mode.", ["Tom: Light mode for me.", "Ina: Me too, light mode."]),
    ("All jobs except the Windows one passed.", ["CI: All jobs passed except the Windows one."]),
    ("The plan covers 5 seats.", ["Bot: The plan covers up to 5 seats."]),
]


@pytest.mark.parametrize(("claim", "lines"), CAUGHT)
def test_stronger_or_reversed_is_a_contradiction(claim: str, lines: list[str]) -> None:
    findings = quantifiers.check(inquiry(claim, *lines))
    assert any(f.severity is Severity.CONTRADICTION for f in findings), findings


@pytest.mark.parametrize(("claim", "lines"), KEPT)
def test_weaker_or_equal_is_kept(claim: str, lines: list[str]) -> None:
    findings = quantifiers.check(inquiry(claim, *lines))
    assert all(f.severity is Severity.MATCH for f in findings), findings


@pytest.mark.parametrize(
    ("claim", "line"),
    [
        ("The plan is limited to 5 seats.", "Bot: The plan covers up to 5 seats."),
        ("A return requires an unopened item.", "Bot: Return only if the item is unopened."),
    ],
)
def test_the_same_bound_in_other_words_is_a_match(claim: str, line: str) -> None:
    (finding,) = quantifiers.check(inquiry(claim, line))
    assert finding.severity is Severity.MATCH


def test_no_sources_say_nothing() -> None:
    assert quantifiers.check(inquiry("All jobs passed.")) == ()
