"""What key facts keep to, whatever is said."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memguard.facts import Statement, find_facts, omissions, states
from memguard.messages import Conversation

_PIECES = st.sampled_from(
    [
        "The hall costs 400 euros.",
        "No, not at all.",
        "Any fever or cough?",
        "It's 12 now, sorry.",
        "lol ok",
        "Then Porto instead of Lisbon.",
        "I'll call by Thursday.",
        "see /srv/a/b.txt",
        "不要花生, 12 kg",
        "",
        "Never open valve B2 before noon.",
        "```py\nx = 12\n```",
        "NW three six PQ",
        '{"a": 1}',
        "Dr Okoye said so.",
    ]
)
_texts = st.one_of(st.lists(_PIECES, max_size=4).map(" ".join), st.text(max_size=80))
_conversations = st.lists(
    st.tuples(st.sampled_from(["user", "assistant", "tool"]), st.sampled_from(["Ana", "Ben"]), _texts),
    max_size=8,
).map(
    lambda rows: Conversation.from_messages(
        [{"role": role, "speaker": speaker, "content": text} for role, speaker, text in rows]
    )
)


@given(_conversations)
def test_facts_are_well_formed(conversation: Conversation) -> None:
    """Spans hold, ids count up, weights lie in (0, 1], and what superseded a fact is a fact."""
    facts = find_facts(conversation)
    ids = [fact.id for fact in facts]
    assert ids == [f"f{n}" for n in range(1, len(ids) + 1)]
    for fact in facts:
        assert conversation.text(fact.span) == fact.text
        assert fact.text.strip()
        assert conversation.text(fact.carrier).strip()
        assert fact.carrier.message_id == fact.span.message_id
        assert 0.0 < fact.weight <= 1.0
        assert fact.value
        assert fact.superseded_by is None or (fact.superseded_by in ids and fact.superseded_by != fact.id)


@given(_conversations)
def test_finding_is_deterministic(conversation: Conversation) -> None:
    assert find_facts(conversation) == find_facts(conversation)


@given(_conversations)
def test_all_carriers_hold_all_facts(conversation: Conversation) -> None:
    """A payload of every carrier, with its context, leaves nothing out; an empty one leaves out all."""
    facts = find_facts(conversation)
    shown = [
        Statement(
            (conversation.text(fact.context) + " " if fact.context else "") + conversation.text(fact.carrier),
            (fact.carrier.message_id,),
        )
        for fact in facts
    ]
    current = [fact for fact in facts if fact.superseded_by is None]
    assert omissions(facts, shown).missing == ()
    assert len(omissions(facts, ()).missing) == len(current)


@given(_conversations, st.lists(_texts, max_size=4))
def test_more_statements_never_lose_a_fact(conversation: Conversation, texts: list[str]) -> None:
    facts = find_facts(conversation)
    few = [Statement(text) for text in texts[:2]]
    more = [*few, *(Statement(text) for text in texts[2:])]
    assert set(omissions(facts, few).kept) <= set(omissions(facts, more).kept)


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=3))
def test_the_judge_takes_any_text(fact: str, texts: list[str]) -> None:
    assert states(fact, [Statement(text) for text in texts]) in (True, False)


_GOVERNORS = st.sampled_from(
    [
        ("You didn't say that", "didn't say"),
        ("I thought", "thought"),
        ("I don't believe", "don't believe"),
        ("They say", "say"),
        ("If it rains", "If"),
        ("Unless Ben calls us back", "Unless"),
        ("It would be nice if", "would"),
        ("Maybe one day", "Maybe"),
        ("Ben says", "says"),
        ("When the pump stops", "When"),
    ]
)
_HEDGES = st.sampled_from(
    ["I think", "but I'm not sure", "unless that changed", "he said", "maybe", "I guess", "if that is right"]
)
_CLAUSES = st.sampled_from(
    [
        "you had problems with the light for 3 weeks",
        "she takes Cardelin 5 mg every morning",
        "the hall costs 400 euros and the band 300",
        "we decided to move to Ghent on 4 May",
        "he is allergic to penicillin",
        "they paid 1,090 euros for the hob in the kitchen",
        "it never worked before the 3.2 release",
    ]
)
_JOINTS = st.sampled_from([", ", ", um, ", ", and ", ", so ", " "])


@given(_GOVERNORS, _JOINTS, _CLAUSES, _CLAUSES)
def test_no_fact_is_quoted_without_what_governs_it(
    governor: tuple[str, str], joint: str, clause: str, other: str
) -> None:
    """A clause behind a denial of saying, a condition, a doubt or an attribution takes it along."""
    frame, word = governor
    conversation = Conversation.from_messages(
        [{"speaker": "Ana", "content": f"{other.capitalize()}. {frame}{joint}{clause}."}]
    )
    start = len(other) + 2
    for fact in find_facts(conversation):
        if fact.carrier.end > start + len(frame):
            assert word in conversation.text(fact.carrier)


@given(_CLAUSES, st.sampled_from([", ", ". "]), _HEDGES)
def test_no_fact_is_quoted_without_the_doubt_behind_it(clause: str, joint: str, hedge: str) -> None:
    hedged = hedge if joint == ", " else hedge.capitalize()
    conversation = Conversation.from_messages(
        [{"speaker": "Ana", "content": f"{clause.capitalize()}{joint}{hedged}."}]
    )
    for fact in find_facts(conversation):
        assert hedged in conversation.text(fact.carrier)
