"""Rescue: quotes for key facts, and which lines cover the most of them."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path

import pytest

from memguard import wire
from memguard.compressor import Compression, joined
from memguard.eliminator import Elimination
from memguard.facts import FactClass, KeyFact
from memguard.grounding.verdicts import Label, Reason, verbatim
from memguard.messages import Conversation, SourceSpan
from memguard.models.tokens import BartTokenCounter
from memguard.reconstructor import OmissionReason, Reconstruction, Reconstructor, Status, read_payload
from memguard.rescue import Budget, Item, cover, quotes_of
from memguard.rescue.quotes import MOST_QUOTED
from memguard.trace import Trace
from tests.support import FakeCounter, FakeSummarizer, guard, summarised, with_values

DATA = Path(__file__).parents[1] / "data"
SAMPLES = Path(__file__).parents[2] / "sample_conversations"


def span_of(conversation, message_id, text):
    start = conversation.message(message_id).content.index(text)
    return SourceSpan(message_id, start, start + len(text))


def talk(*contents):
    return Conversation.from_messages(
        [{"id": f"m{n}", "content": c} for n, c in enumerate(contents, start=1)]
    )


def fact(conversation, number, carrier, *, weight=0.5, context=None, superseded_by=None):
    """Return a fact of message ``number`` whose value is its carrier."""
    span = span_of(conversation, f"m{number}", carrier)
    before = None if context is None else span_of(conversation, *context)
    id = f"f{number}-{span.start}"
    return KeyFact(id, FactClass.NUMBER, span, carrier, weight, span, before, superseded_by)


# Quotes


def test_a_quote_is_the_carrier_word_for_word_in_the_order_of_the_conversation():
    """F22: an id of its own, no place in the summary, its source as evidence."""
    said = talk("Hm, the fee is 40 euros, I think.", "It is due on Friday.")
    facts = [fact(said, 2, "due on Friday"), fact(said, 1, "the fee is 40 euros")]

    first, second = quotes_of(said, facts)

    assert [(q.claim.id, q.claim.text) for q in (first, second)] == [
        ("v1", "the fee is 40 euros"),
        ("v2", "due on Friday"),
    ]
    assert all(said.text(q.span) == q.claim.text == q.claim.judged_as for q in (first, second))
    assert (first.claim.span, first.facts, second.facts) == (None, ("f1-4",), ("f2-6",))


def test_what_must_stand_before_a_quote_is_judged_with_it():
    """F23: the question that a short answer answers."""
    said = talk("Any nausea?", "No, none.")
    (quote,) = quotes_of(said, [fact(said, 2, "No, none.", context=("m1", "Any nausea?"))])

    assert (quote.claim.text, quote.claim.judged_as) == ("No, none.", "Any nausea? No, none.")
    assert said.text(quote.context) == "Any nausea?"


def test_carriers_that_cross_are_one_quote_and_one_within_another_stays():
    said = talk("Ben pays 40 euros on Friday at noon.")
    crossing = [fact(said, 1, "Ben pays 40 euros on Friday"), fact(said, 1, "40 euros on Friday at noon")]
    nested = [fact(said, 1, "Ben pays 40 euros on Friday"), fact(said, 1, "40 euros")]

    assert [q.claim.text for q in quotes_of(said, crossing)] == ["Ben pays 40 euros on Friday at noon"]
    outer, inner = quotes_of(said, nested)
    assert (outer.claim.text, len(outer.facts)) == ("Ben pays 40 euros on Friday", 2)
    assert (inner.claim.text, len(inner.facts)) == ("40 euros", 1)


def test_a_quote_ends_and_begins_with_what_it_says():
    """F22: a filler or an "and" that leads nowhere is outside the span; the words are untouched."""
    said = talk("um, it costs 40 euros, but", "a week or so ago", "Um, and", "erm uh the 5th because")
    carriers = ["um, it costs 40 euros, but", "a week or so ago", "Um, and", "erm uh the 5th because"]
    facts = [fact(said, n, carrier) for n, carrier in enumerate(carriers, start=1)]

    quotes = quotes_of(said, facts)

    assert [q.claim.text for q in quotes] == ["it costs 40 euros", "a week or so ago", "Um, and", "the 5th"]
    assert all(said.text(q.span) == q.claim.text for q in quotes)


def quoting(messages, *carriers, citations="id"):
    """Return the lines of a payload that quotes these carriers: (message number, text, context)."""
    said = Conversation.from_messages(messages)
    facts = tuple(fact(said, number, text, context=context) for number, text, context in carriers)
    quotes = quotes_of(said, facts)
    verdicts = tuple(replace(verbatim(q.claim.id, q.claim.text, q.span), claim=q.claim) for q in quotes)
    elimination = Elimination((), (), "fake", facts=facts, quotes=quotes, rescuable=verdicts)
    settings = with_values(reconstruction__citations=citations, reconstruction__payload_tokens=500)
    trace = Trace(said, settings, results=(elimination,))
    return [text for text, _ in read_payload(Reconstructor(FakeCounter()).run(trace).text)]


def test_what_stands_before_a_quote_is_said_once():
    """F23: not again in the same line, and not where a line of the message that it is from says it."""
    messages = [
        {"id": "m1", "content": "Well. Any nausea?"},
        {"id": "m2", "content": "No, none. Not since 3 May. The nausea? Any nausea went on 2 May."},
    ]
    asked = ("m1", "Any nausea?")

    assert quoting(messages, (2, "No, none.", asked), (2, "since 3 May", asked)) == [
        "[Any nausea?] No, none. … since 3 May"
    ]
    assert quoting(messages, (2, "No, none.", asked), (2, "Any nausea went on 2 May.", None)) == [
        "No, none. Any nausea went on 2 May."
    ]


def test_items_of_a_list_are_quoted_without_their_marks_and_with_exact_spans():
    """A20, A23: the dash between two quotes of one list is no part of the line."""
    messages = [
        {"id": "m1", "content": "Porto, 15 to 21 May.\n- Bergen to Porto\n- Out on 15 May\n| a | 7 kg |"}
    ]
    carriers = ["Porto, 15 to 21 May.", "Bergen to Porto", "Out on 15 May", "a | 7 kg |"]

    assert quoting(messages, *((1, carrier, None) for carrier in carriers)) == [
        "Porto, 15 to 21 May. Bergen to Porto; Out on 15 May; a, 7 kg"
    ]


def test_two_whole_sentences_need_no_dots_between_them():
    messages = [{"id": "m1", "content": "It costs 5 euros. Hm. It comes on Friday. and then it is 7 euros"}]

    assert quoting(messages, (1, "It costs 5 euros.", None), (1, "It comes on Friday.", None)) == [
        "It costs 5 euros. It comes on Friday."
    ]
    assert quoting(messages, (1, "It costs 5 euros.", None), (1, "it is 7 euros", None)) == [
        "It costs 5 euros. … it is 7 euros"
    ]


def test_what_a_later_fact_replaced_is_not_quoted():
    said = talk("The fee is 40 euros.", "No, 45 euros.")
    facts = [
        fact(said, 1, "The fee is 40 euros.", superseded_by="f2-4"),
        fact(said, 2, "45 euros"),
    ]

    assert [q.claim.text for q in quotes_of(said, facts)] == ["45 euros"]


def test_of_very_many_facts_the_weightiest_are_quoted():
    said = talk(*(f"Number {n}." for n in range(MOST_QUOTED + 5)))
    facts = [fact(said, n + 1, f"Number {n}.", weight=0.9 if n < 3 else 0.5) for n in range(MOST_QUOTED + 5)]

    quoted = [q.claim.text for q in quotes_of(said, facts)]

    assert len(quoted) == MOST_QUOTED
    assert quoted[:4] == ["Number 0.", "Number 1.", "Number 2.", "Number 8."]


# The cover

NUMBERS = itertools.count()


def item(facts, tokens, *, words="", source=None, quote=True, **more):
    return Item(
        frozenset(facts),
        frozenset(words.split()),
        tokens if isinstance(tokens, tuple) else (tokens, tokens),
        source if source is not None else f"s{next(NUMBERS)}",
        is_quote=quote,
        **more,
    )


EQUAL = dict.fromkeys("abcdefgh", 0.5)


def test_the_shortest_that_is_enough_enters():
    chosen = cover([item("a", 9), item("a", 4), item("a", 7)], EQUAL, Budget(20))

    assert chosen.items == (1,)
    assert chosen.repeated == {0, 2}


def test_the_weight_newly_covered_per_token_decides():
    weights = {"a": 0.9, "b": 0.2, "c": 0.2}

    assert cover([item("b", 4), item("a", 5), item("c", 4)], weights, Budget(9)).items == (1, 0)
    assert cover([item("b", 4), item("a", 5), item("c", 4)], weights, Budget(9)).left == (2,)


def test_a_scrap_does_not_win_by_its_shortness():
    """Every line has to be read: two tokens for a trifle are no better spent than nine for a statement."""
    weights = {"trifle": 0.08, "statement": 0.33}

    assert cover([item({"trifle"}, 2), item({"statement"}, 9)], weights, Budget(9)).items == (1,)


def test_what_does_not_fit_leaves_room_for_what_does():
    chosen = cover([item("abc", 10), item("d", 6)], EQUAL, Budget(8))

    assert (chosen.items, chosen.left) == ((1,), (0,))


def test_a_line_that_later_ones_make_needless_is_taken_out():
    """The greedy rule takes the cheap "a" first; "ab" says it as well, and what is freed is used."""
    weights = {"a": 0.9, "b": 0.9, "c": 0.1}
    items = [item("a", 4), item("ab", 9), item("c", 3)]

    chosen = cover(items, weights, Budget(13))

    assert set(chosen.items) == {1, 2}
    assert chosen.repeated == {0}


def test_lines_of_one_source_share_its_citation():
    items = [item("a", (10, 4), source="m1"), item("b", (10, 4), source="m1"), item("c", 8)]

    assert cover(items, EQUAL, Budget(14)).items == (0, 1) or cover(items, EQUAL, Budget(14)).items == (2,)
    assert cover(items, EQUAL, Budget(22)).items == (2, 0, 1)


def test_what_stands_before_a_quote_costs_nothing_where_another_says_it():
    items = [item("a", 8), item("b", 12, context_tokens=6, context_in=frozenset({0}))]

    assert cover(items, EQUAL, Budget(14)).items == (0, 1)
    assert cover(items[1:], EQUAL, Budget(11)).items == ()


def test_quotes_have_a_budget_of_their_own():
    items = [item("a", 5), item("b", 5), item("c", 5, quote=False)]

    assert cover(items, EQUAL, Budget(100, quotes=5)).items == (2, 0)
    assert cover(items, EQUAL, Budget(100, quotes=0)).items == (2,)
    assert len(cover(items, EQUAL, Budget(100)).items) == 3


def test_a_claim_goes_before_a_quote_that_says_as_much():
    """The summarizer took it for important."""
    items = [item("a", 5), item("a", 5, quote=False)]

    assert cover(items, EQUAL, Budget(5)).items == (1,)


def test_of_two_lines_that_state_as_much_the_one_that_says_more_enters():
    items = [replace(item("a", 5), terms=frozenset({"hall"})), item("b", 5)]

    assert cover(items, EQUAL, Budget(5)).items == (0,)


def test_a_claim_enters_for_new_words_after_all_facts_and_not_for_old_ones():
    claims = [
        item("", 5, words="rain wind", quote=False),
        item("a", 5, words="fee euro", quote=False),
        item("", 5, words="fee euro rain wind snow", quote=False),
    ]

    chosen = cover([*claims, item("b", 30, words="due")], EQUAL, Budget(100))

    assert chosen.items == (1, 3, 0)
    assert chosen.repeated == {2}


def test_what_a_person_keeps_goes_first():
    items = [item("abc", 5, quote=False), item("", 5, words="hall", quote=False, is_wanted=True)]

    assert cover(items, EQUAL, Budget(5)).items == (1,)


def test_nothing_to_choose_from_is_no_choice():
    assert cover([], {}, Budget(10)).items == ()


# In a run


def kept_and_said(messages, summary, **settings):
    trace = summarised(summary, messages, with_values(**settings), counter=BartTokenCounter())
    return trace, trace[Reconstruction]


TABLET = [
    {"id": "m1", "speaker": "Ada", "content": "I take ramipril 5 mg in the morning."},
    {"id": "m2", "speaker": "Ben", "content": "Noted. Anything else?"},
    {"id": "m3", "speaker": "Ada", "content": "And I am allergic to penicillin."},
]


def test_what_the_summary_leaves_out_enters_word_for_word():
    """Issue 5, item 3; F22: supported, reason verbatim, a citation, marked as such in every form."""
    trace, payload = kept_and_said(TABLET, "Ada takes ramipril 5 mg in the morning.")

    assert payload.status is Status.OK
    quote = next(v for v in payload.verbatim if "penicillin" in v.claim.text)
    assert (quote.label, quote.kept, quote.reason) == (Label.SUPPORTED, True, Reason.VERBATIM)
    assert quote.claim.text in TABLET[2]["content"]
    assert any("penicillin" in text and "m3" in cited for text, cited in read_payload(payload.text))
    row = next(c for c in wire.claim_rows(trace) if c["id"] == quote.claim.id)
    assert (row["start"], row["reason"]) == (None, "verbatim")


def test_what_the_summary_says_is_not_said_twice():
    _, payload = kept_and_said(
        TABLET, "I take ramipril 5 mg in the morning. And I am allergic to penicillin."
    )

    assert payload.text.count("penicillin") == payload.text.count("ramipril") == 1


def test_with_rescue_off_the_payload_is_what_survived_of_the_summary():
    trace, payload = kept_and_said(TABLET, "Ada takes ramipril 5 mg in the morning.", retention__rescue="off")

    assert (trace[Elimination].rescuable, payload.verbatim, payload.unquoted) == ((), (), ())
    assert [p.claim_id for p in payload.pieces] == ["c1"]
    assert payload.omissions.missing  # what is missing is still reported


def test_the_rescue_has_a_budget_of_its_own():
    _, none = kept_and_said(TABLET, "Ada takes ramipril 5 mg.", retention__rescue_tokens=0)
    _, all_free = kept_and_said(TABLET, "Ada takes ramipril 5 mg.")

    assert none.verbatim == ()
    assert {o.reason for o in none.unquoted} <= {OmissionReason.BUDGET, OmissionReason.REPEATED}
    assert any(o.reason is OmissionReason.BUDGET for o in none.unquoted)
    assert all_free.verbatim


def test_a_value_that_was_taken_back_is_not_rescued_and_the_new_one_is():
    """Elimination: a superseded value may not enter, and the new one is not held to be superseded."""
    said = [
        {"id": "m1", "speaker": "Ada", "content": "The deposit is 400 euros."},
        {"id": "m2", "speaker": "Ben", "content": "Thanks. The hall is booked."},
        {"id": "m3", "speaker": "Ada", "content": "Sorry, the deposit is now 450 euros, not 400."},
    ]

    _, payload = kept_and_said(said, "The hall is booked.", reconstruction__payload_tokens=200)

    assert "450" in payload.text
    assert "deposit is 400" not in payload.text


def test_without_a_survivor_the_key_facts_enter_and_the_status_says_so():
    _, payload = kept_and_said(TABLET, "Nobody lives in Rio.")

    assert payload.status is Status.NO_SUPPORTED_CLAIMS
    assert payload.text.startswith("No statement of the summary was supported")
    assert "penicillin" in payload.text
    assert [p.claim_id for p in payload.pieces] == [v.claim.id for v in payload.verbatim]


def test_moving_the_switch_runs_no_model():
    """A moved setting judges and assembles again."""
    summarizer = FakeSummarizer("Ada takes ramipril 5 mg in the morning.")
    settings = with_values(compression__passthrough_words=0)
    made = guard(settings, counter=BartTokenCounter(), summarizer=summarizer)
    trace = made.run(TABLET)
    embedder = made.pipeline.stages[1]._embedder
    before = len(embedder.calls) if hasattr(embedder, "calls") else None

    off = made.update(trace, trace.settings.with_value("retention.rescue", "off"))
    on = made.update(off, trace.settings)

    assert off[Reconstruction].verbatim == ()
    assert on == trace
    if before is not None:
        assert len(embedder.calls) == before


@pytest.mark.parametrize("rescue", ["on", "off"])
def test_the_allergy_survives_at_a_third_of_the_tokens(rescue):
    """Issue 5, done when: an isolated line about an allergy, in a dialogue of small talk and routine.

    The fake summarizer says what the selection picked, and the selection does not pick the line (F2).
    """
    sample = json.loads((DATA / "allergy_dialogue.json").read_text("utf-8"))
    counter = BartTokenCounter()
    made = guard(
        with_values(retention__rescue=rescue, compression__passthrough_words=0, compression__max_tokens=100),
        summarizer=FakeSummarizer(lambda lines: "\n\n".join(line.split(": ", 1)[1] for line in lines)),
        counter=counter,
    )

    trace = made.run(sample["messages"])

    payload = trace[Reconstruction]
    assert payload.tokens <= counter.count(joined(trace.conversation)) / 3
    assert sample["critical"]["text"] not in trace[Compression].paragraph
    assert (sample["critical"]["text"] in payload.text) is (rescue == "on")


@pytest.mark.parametrize("share", [3, 4, 5])
def test_the_allergy_survives_at_a_fifth_of_the_tokens_and_no_small_talk_enters(share):
    sample = json.loads((DATA / "allergy_dialogue.json").read_text("utf-8"))
    made = guard(with_values(reconstruction__payload_share=1.0 / share, reconstruction__payload_floor=1))

    payload = made.run(sample["messages"])[Reconstruction]

    assert payload.budget <= 234 // share
    assert sample["critical"]["text"] in payload.text
    assert not {id for piece in payload.pieces for id in piece.message_ids} & set(sample["noise"])


@pytest.mark.parametrize("budget", [40, 60, 120])
def test_a_reaction_enters_with_what_it_is_a_reaction_to(budget):
    """The shortest clause that states a fact understandably: hives of penicillin, not hives."""
    sample = json.loads((SAMPLES / "clinical_intake.json").read_text("utf-8"))
    made = guard(with_values(reconstruction__payload_tokens=budget))

    text = made.run(sample["messages"])[Reconstruction].text

    assert "no penicillin. I was nineteen, came up in hives" in text or (
        "no penicillin" in text and "hives" not in text
    )


def test_a_summary_that_was_handed_in_is_checked_and_not_filled_up():
    """What comes back of somebody's summary is what survives of it; what it leaves out is told."""
    trace = guard(counter=BartTokenCounter()).check("Ada takes ramipril 5 mg in the morning.", TABLET)

    payload = trace[Reconstruction]
    assert [piece.claim_id for piece in payload.pieces] == ["c1"]
    assert trace[Elimination].rescuable == ()
    assert any(
        "penicillin" in fact.text for fact in trace[Elimination].facts if fact.id in payload.omissions.missing
    )


def test_what_stands_in_the_recent_messages_is_not_quoted_as_well():
    """Issue 5, item 6: ``keep_last`` messages stand behind the payload as they are."""
    trace, payload = kept_and_said(
        TABLET, "Ada takes ramipril 5 mg in the morning.", compression__keep_last=1
    )

    assert "penicillin" not in payload.text
    kept = {fact.text for fact in trace[Elimination].facts if fact.id in payload.omissions.kept}
    assert any("penicillin" in text for text in kept)
