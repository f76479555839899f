"""Claims of a summary."""

from __future__ import annotations

import pytest
from hypothesis import given

from memguard.grounding.claims import Claim, extract_claims
from tests.support import TEXTS


def test_a_summary_is_cut_into_numbered_verbatim_claims():
    """A17, A20."""
    summary = "Rosa paid 40 euros. She asked for a receipt.\nIt was sent on 3 June."

    claims = extract_claims(summary)

    assert claims[0] == Claim("c1", "Rosa paid 40 euros.", (0, 19), "Rosa paid 40 euros.")
    assert [(c.id, c.text) for c in claims[1:]] == [
        ("c2", "She asked for a receipt."),
        ("c3", "It was sent on 3 June."),
    ]


@pytest.mark.parametrize("blank", ["", "  \n", "\u200b", "\ufeff\u2060"])
def test_a_blank_summary_has_no_claims(blank):
    assert extract_claims(blank) == ()


@given(TEXTS)
def test_every_claim_is_its_span_of_the_summary(summary):
    """A20, A23: nothing visible is lost, nothing is rewritten, and the ids follow the order."""
    claims = extract_claims(summary)

    assert [c.id for c in claims] == [f"c{i}" for i in range(1, len(claims) + 1)]
    assert [c.span for c in claims] == sorted(c.span for c in claims)
    for claim in claims:
        start, end = claim.span
        assert claim.text == summary[start:end] == claim.judged_as
