"""What holds of the cover for any items and any budget, and of rescued lines for any conversation."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from memguard.eliminator import Elimination
from memguard.models.tokens import BartTokenCounter
from memguard.reconstructor import Reconstruction
from memguard.rescue import Budget, Item, cover
from tests.support import MESSAGES, guard, with_values

KEYS = "abcdef"
WEIGHTS = st.fixed_dictionaries({key: st.floats(0.05, 1.0) for key in KEYS})
ITEMS = st.lists(
    st.builds(
        Item,
        facts=st.frozensets(st.sampled_from(KEYS), max_size=3),
        words=st.frozensets(st.sampled_from(["m1 fee", "m1 due", "m2 fee", "m2 rain"]), max_size=3),
        tokens=st.tuples(st.integers(4, 20), st.integers(1, 4)),
        source=st.sampled_from(["m1", "m2", "m3"]),
        is_quote=st.booleans(),
        support=st.floats(0.0, 1.0),
    ),
    max_size=9,
)


def stated(items, chosen):
    return frozenset().union(*(items[i].facts for i in chosen))


@given(ITEMS, WEIGHTS, st.integers(0, 80), st.none() | st.integers(0, 40))
def test_a_cover_says_what_became_of_every_item(items, weights, tokens, quotes):
    chosen = cover(items, weights, Budget(tokens, quotes))

    assert sorted([*chosen.items, *chosen.left, *chosen.repeated]) == list(range(len(items)))
    if quotes == 0:
        assert not any(items[i].is_quote for i in chosen.items)
    said = stated(items, chosen.items)
    assert all(items[i].facts <= said for i in chosen.repeated)


@given(ITEMS, WEIGHTS, st.integers(0, 80), st.none() | st.integers(0, 40))
def test_lines_of_different_sources_never_cost_more_than_the_budget(items, weights, tokens, quotes):
    """A27."""
    apart = [replace(item, source=f"m{n}") for n, item in enumerate(items)]

    chosen = cover(apart, weights, Budget(tokens, quotes)).items

    assert sum(apart[i].tokens[0] for i in chosen) <= tokens
    if quotes is not None:
        assert sum(apart[i].tokens[0] for i in chosen if apart[i].is_quote) <= quotes


@given(ITEMS, WEIGHTS)
def test_with_room_for_all_every_fact_is_stated_and_no_quote_is_needless(items, weights):
    chosen = cover(items, weights, Budget(10_000))

    assert chosen.left == ()
    assert stated(items, chosen.items) == stated(items, range(len(items)))
    for number in chosen.items:
        if items[number].is_quote:
            rest = [i for i in chosen.items if i != number]
            assert not items[number].facts <= stated(items, rest)


@given(ITEMS, WEIGHTS, st.integers(0, 60), st.integers(0, 60))
def test_more_room_states_at_least_half_the_weight_that_less_room_did(items, weights, one, other):
    """The greedy rule is no optimum: a longer line may push out shorter ones, but never most of them."""
    small, large = sorted((one, other))

    def weight(tokens):
        return sum(weights[key] for key in stated(items, cover(items, weights, Budget(tokens)).items))

    assert weight(large) >= 0.5 * weight(small) - 1e-9


@given(MESSAGES, st.integers(1, 200), st.sampled_from(["full", "id", "auto"]))
def test_rescued_lines_are_verbatim_and_inside_the_budget(messages, budget, citations):
    """A27, F22."""
    settings = with_values(reconstruction__payload_tokens=budget, reconstruction__citations=citations)

    trace = guard(settings, counter=BartTokenCounter()).run(messages)

    payload = trace[Reconstruction]
    assert payload.tokens <= budget
    entered = {piece.claim_id: piece for piece in payload.pieces}
    for verdict in payload.verbatim:
        span = verdict.evidence[0].span
        assert verdict.claim.text == trace.conversation.text(span)
        assert entered[verdict.claim.id].message_ids[0] == span.message_id
    known = {fact.id for fact in trace[Elimination].facts}
    report = payload.omissions
    assert {*report.kept, *report.missing, *report.superseded} == known


@given(MESSAGES, st.integers(20, 120), st.integers(0, 120))
def test_a_larger_budget_never_loses_much(messages, budget, more):
    """Recall of key facts does not fall as the payload may grow, but for what the knapsack's edge costs."""
    made = guard(with_values(reconstruction__payload_tokens=budget), counter=BartTokenCounter())
    trace = made.run(messages)
    larger = made.update(trace, trace.settings.with_value("reconstruction.payload_tokens", budget + more))

    before, after = (len(t[Reconstruction].omissions.kept) for t in (trace, larger))
    assert after >= before - 2
