"""What a person decides holds at every threshold; what nobody decided of is as it was."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from memguard.eliminator import judged
from memguard.grounding.overrides import Override
from memguard.grounding.verdicts import Label, ScoredClaim, changes_to_keep, judge, not_overridable
from memguard.settings import EliminationSettings
from tests.property.test_threshold import CLAIMS, PRESETS, SUPPORTS, THRESHOLDS

SETTINGS = st.builds(EliminationSettings, preset=PRESETS, min_similarity=THRESHOLDS, min_support=SUPPORTS)


def numbered(claims: list[ScoredClaim]) -> list[ScoredClaim]:
    return [replace(s, claim=replace(s.claim, id=f"c{n}")) for n, s in enumerate(claims, 1)]


@given(CLAIMS, SETTINGS, st.booleans())
def test_an_override_wins_at_every_threshold_and_changes_no_measure(scored, settings, kept):
    """Issue 4."""
    measured = judge(scored, settings)
    verdict = judge(scored, settings, Override("c1", kept=kept))

    if not_overridable(scored, kept):
        assert verdict == measured
        assert not verdict.kept
    else:
        assert verdict.kept is kept
        same = ("claim", "label", "similarity", "support", "evidence", "findings", "unsupported")
        assert all(getattr(verdict, name) == getattr(measured, name) for name in same)
        assert measured.detail in verdict.detail


@given(
    st.lists(CLAIMS, max_size=4).map(numbered),
    SETTINGS,
    SETTINGS,
    st.dictionaries(st.sampled_from(["c1", "c2", "c3"]), st.booleans()),
)
def test_survivors_without_an_override_never_grow(claims, one, other, decided):
    """A21, F1: with overrides in play, monotony holds for every claim that has none."""
    looser = replace(one, min_similarity=min(one.min_similarity, other.min_similarity))
    stricter = replace(one, min_similarity=max(one.min_similarity, other.min_similarity))
    overrides = [Override(claim_id, kept=kept) for claim_id, kept in decided.items()]
    before, after = (judged(claims, settings, overrides) for settings in (looser, stricter))

    for a, b in zip(before, after, strict=True):
        if a.claim.id in decided:
            assert a.kept == b.kept or b.override is None
        else:
            assert a.kept or not b.kept
            assert a == judge(next(c for c in claims if c.claim is a.claim), looser)


@given(CLAIMS, SETTINGS)
def test_what_is_said_to_bring_a_claim_back_does(scored, settings):
    """Issue 4: the setting that would bring it back is found, and it is true."""
    changes = changes_to_keep(scored, settings)

    if changes is None:
        everything = EliminationSettings(preset="contract", min_similarity=-1.0, min_support=0.0)
        lowest = judge(scored, replace(everything, preset="balanced"))
        assert not lowest.kept
        assert lowest.label is Label.NOT_A_CLAIM or not scored.evidence
        return
    assert judge(scored, replace(settings, **changes)).kept
    assert (changes == {}) == judge(scored, settings).kept
    for name in changes:
        fewer = {key: value for key, value in changes.items() if key != name}
        assert not judge(scored, replace(settings, **fewer)).kept
    for name, bound in (("min_similarity", 1.0), ("min_support", 1.0)):
        if name in changes and changes[name] + 0.01 <= bound:
            stricter = {**changes, name: changes[name] + 0.010001}
            assert not judge(scored, replace(settings, **stricter)).kept
