"""Stage 3: the payload."""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest

import memguard.eliminator
import memguard.models
import tests.fakes
from memguard.compressor import Compression, joined
from memguard.eliminator import Elimination, eliminate
from memguard.errors import InvalidParameterError, StageFailedError, StageOrderError
from memguard.grounding.claims import Claim, extract_claims
from memguard.grounding.overrides import Override
from memguard.grounding.verdicts import Evidence, Label, Reason, Verdict
from memguard.messages import Conversation, SourceSpan
from memguard.models.tokens import BartTokenCounter
from memguard.reconstructor import (
    FALLBACK_HEADING,
    GLUE,
    HEADING,
    KEPT_BY_PERSON,
    NOT_VERIFIED,
    OmissionReason,
    Reconstruction,
    Reconstructor,
    Status,
    cite,
    read_payload,
    reconstruct,
)
from memguard.settings import ReconstructionSettings, Settings
from memguard.trace import Trace
from tests.support import FakeCounter, FakeEmbedder, FakeSummarizer, guard, user, with_values

TALK = [
    {"id": "m1", "role": "user", "content": "My order 5521 is late.", "ts": "2026-03-02T09:00:00Z"},
    {
        "id": "m2",
        "speaker": "Lena",
        "content": "It left Lyon. It comes today.",
        "ts": "2026-03-02T10:40:00+01:00",
    },
    {"id": "m3", "role": "user", "content": "Fine.", "ts": "2026-03-02T09:41:00Z"},
]


def verdict(number, text, message_id, *, start=0, support=0.9, kept=True):
    return Verdict(
        claim=Claim(f"c{number}", text, (0, len(text)), text),
        label=Label.SUPPORTED if kept else Label.NOT_FOUND,
        kept=kept,
        reason=Reason.SIMILARITY_REACHED,
        similarity=2 * support - 1,
        support=support,
        evidence=(Evidence(SourceSpan(message_id, start, start + 1), 2 * support - 1),),
    )


def assemble(*verdicts, messages=TALK, budget=1000, counter=None, central=(), citations="full"):
    elimination = Elimination(verdicts, (), "fake", central=central)
    settings = ReconstructionSettings(payload_tokens=budget, citations=citations)
    return reconstruct(elimination, messages, settings=settings, counter=counter or FakeCounter())


def tokens(text):
    return FakeCounter().count(text)


# Assembly


def test_one_line_a_claim_with_its_citation_under_a_heading():
    """A24, A25, REC-001: speaker and time stand in every line."""
    result = assemble(verdict(1, "Order 5521 is late.", "m1"), verdict(2, "It left Lyon.", "m2"))

    assert result.text == (
        f"{HEADING}\n"
        "- Order 5521 is late. [m1, User, 2026-03-02 09:00]\n"
        "- It left Lyon. [m2, Lena, 2026-03-02 09:40]"
    )
    assert result.tokens == tokens(result.text)
    assert result.status is Status.OK
    assert [(p.claim_id, p.message_ids) for p in result.pieces] == [("c1", ("m1",)), ("c2", ("m2",))]


def test_lines_follow_the_conversation_whatever_the_order_of_the_claims():
    """A25, REC-001: by message, by place in it, and then as the summary has them."""
    claims = [
        verdict(n, f"Claim {n}.", "m1" if n > 3 else "m2", start=0 if n == 3 else 5) for n in range(1, 13)
    ]

    assert [p.claim_id for p in assemble(*claims).pieces] == [
        *(f"c{n}" for n in range(4, 13)),
        "c3",
        "c1",
        "c2",
    ]


def test_only_survivors_enter():
    """A24."""
    result = assemble(verdict(1, "Kept.", "m1"), verdict(2, "Dropped.", "m2", kept=False))

    assert [p.claim_id for p in result.pieces] == ["c1"]
    assert "Dropped" not in result.text


def test_glue_adds_no_word_beyond_the_whitelist():
    """A25: whatever is not claim or citation stands in GLUE."""
    for result in (
        assemble(verdict(1, "Order 5521 is late.", "m1"), verdict(2, "It left Lyon.", "m2")),
        assemble(central=(SourceSpan("m1", 0, 22),)),
    ):
        rest = result.text
        for piece in result.pieces:
            message = Conversation.from_messages(TALK).message(piece.message_ids[0])
            rest = rest.replace(piece.text, "", 1).replace(cite(message), "", 1)
        assert set(re.findall(r"\w+", rest)) <= set(re.findall(r"\w+", " ".join(GLUE)))
    assert len(GLUE) == len(set(GLUE)) == 19


MODEL_CALLS = ("summarize", "generate", "embed")


def model_classes():
    """Return every class of memguard.models, and the fakes, that writes or embeds text."""
    modules = [
        importlib.import_module(f"memguard.models.{m.name}")
        for m in pkgutil.iter_modules(memguard.models.__path__)
    ]
    found = {
        value
        for module in (*modules, tests.fakes)
        for value in vars(module).values()
        if isinstance(value, type) and not getattr(value, "_is_protocol", False)
        if any(name in vars(value) for name in MODEL_CALLS)
    }
    return sorted(found, key=lambda kind: kind.__name__)


@pytest.mark.parametrize("status", [Status.OK, Status.NO_SUPPORTED_CLAIMS])
def test_no_generative_call_is_made(status, monkeypatch):
    """A24: stage 3 runs where no model library can be imported and every call of a model raises."""
    summary = "Order 5521 is late. It left Lyon." if status is Status.OK else "Nobody lives in Rio."
    made = guard(with_values(compression__passthrough_words=0), summarizer=FakeSummarizer(summary))
    trace = made.pipeline.step(made.pipeline.step(Trace(Conversation.from_messages(TALK), made.settings)))
    calls = []

    def refuse(*args, **kwargs):
        calls.append(args)
        raise AssertionError("stage 3 called a model")

    for library in ("torch", "transformers", "sentence_transformers"):
        monkeypatch.setitem(sys.modules, library, None)
    classes = model_classes()
    for kind in classes:
        for name in set(MODEL_CALLS) & set(vars(kind)):
            monkeypatch.setattr(kind, name, refuse)

    payload = made.pipeline.step(trace)[Reconstruction]

    assert {"BartSummarizer", "ExtractiveSummarizer", "FakeSummarizer"} <= {k.__name__ for k in classes}
    assert (payload.status, calls) == (status, [])
    assert payload.pieces
    with pytest.raises(StageFailedError, match="stage 3 called a model"):
        made.run(TALK)  # the spies do bite


@pytest.mark.parametrize(
    "text",
    [
        "Plain.",
        "A list [1] and [2, x].",
        "Two\nlines\r\nand\ttabs.",
        "A dash - [m1, User]",
        HEADING,
        "Ends with ] [",
        "\u2028Odd\x85 ends\x1c.",
        "日本 🔥 e\u0301",
    ],
)
def test_a_payload_reads_back_as_its_pieces(text):
    """A26: brackets and line breaks in a claim do not hide where it ends."""
    result = assemble(verdict(1, text, "m1"), verdict(2, "Other.", "m2"))

    assert read_payload(result.text) == (
        (" ".join(text.split()), "m1, User, 2026-03-02 09:00"),
        ("Other.", "m2, Lena, 2026-03-02 09:40"),
    )
    assert [p.text for p in result.pieces] == [row[0] for row in read_payload(result.text)]


def test_a_source_with_odd_names_reads_back():
    """A26: an id or a speaker cannot close the citation."""
    messages = [{"id": "a]b [c;\n", "speaker": "Eve [admin]; x", "content": "Fine."}]

    result = assemble(verdict(1, "Fine.", "a]b [c;\n"), messages=messages)

    assert read_payload(result.text) == (("Fine.", "a b c, Eve admin x"),)
    assert result.pieces[0].message_ids == ("a]b [c;\n",)


def test_reading_back_something_else_fails():
    assert read_payload("") == ()
    with pytest.raises(InvalidParameterError, match=r"not a line of a payload: 'Hello\.'"):
        read_payload(f"{HEADING}\nHello.")


def test_a_repeated_claim_enters_once():
    """Case and white space make no other claim; a number does."""
    result = assemble(
        verdict(1, "Ben paid  40\neuros.", "m1"),
        verdict(2, "ben paid 40 Euros.", "m2"),
        verdict(3, "Ben paid 50 euros.", "m2"),
    )

    assert [p.claim_id for p in result.pieces] == ["c1", "c3"]
    assert [(o.claim_id, o.reason) for o in result.omitted] == [("c2", OmissionReason.REPEATED)]


# Clauses and pronouns


def said(summary, kept, *, speakers=(), messages=TALK, budget=1000, at="m1", **places):
    """Assemble the claims of a summary that are named, each grounded in ``at`` or its own message."""
    verdicts = [
        Verdict(
            claim=claim,
            label=Label.SUPPORTED if claim.id in kept else Label.NOT_FOUND,
            kept=claim.id in kept,
            reason=Reason.SIMILARITY_REACHED,
            similarity=0.8,
            support=0.9,
            evidence=(Evidence(SourceSpan(places.get(claim.id, at), 0, 5), 0.8),),
        )
        for claim in extract_claims(summary, speakers)
    ]
    return assemble(*verdicts, messages=messages, budget=budget)


def lines_of(*args, **kwargs):
    return [text for text, _ in read_payload(said(*args, **kwargs).text)]


PLAN = "The Solo plan costs 5 euros and covers 2 devices, but the Duo plan has no limit."


@pytest.mark.parametrize(
    ("kept", "lines"),
    [
        ("c1 c2 c3", [PLAN]),
        ("c1 c2", ["The Solo plan costs 5 euros and covers 2 devices."]),
        ("c2 c3", ["[The Solo plan] covers 2 devices, but the Duo plan has no limit."]),
        ("c1 c3", ["The Solo plan costs 5 euros.", "the Duo plan has no limit."]),
        ("c1", ["The Solo plan costs 5 euros."]),
        ("c2", ["[The Solo plan] covers 2 devices."]),
    ],
)
def test_what_is_left_of_a_sentence_still_reads(kept, lines):
    """A20, A25, F23: neighbours share a line, and a clause alone has its subject and a full stop."""
    assert lines_of(PLAN, kept.split()) == lines


@pytest.mark.parametrize(
    ("kept", "lines"),
    [
        ("c1 c2", ["The review, which was moved to Friday, covers billing."]),
        ("c1", ["The review, which was moved to Friday."]),
        ("c2", ["[The review] covers billing."]),
    ],
)
def test_a_relative_clause_and_its_sentence_read_alone(kept, lines):
    assert lines_of("The review, which was moved to Friday, covers billing.", kept.split()) == lines


def test_a_shared_line_cites_every_message_once_and_each_claim_its_own():
    """A26."""
    result = said(PLAN, ["c1", "c2", "c3"], c3="m2")

    assert result.text.endswith("no limit. [m1, User, 2026-03-02 09:00; m2, Lena, 2026-03-02 09:40]")
    assert [(p.claim_id, p.text, p.message_ids) for p in result.pieces] == [
        ("c1", "The Solo plan costs 5 euros", ("m1",)),
        ("c2", "covers 2 devices", ("m1",)),
        ("c3", "the Duo plan has no limit.", ("m2",)),
    ]
    assert len({p.line for p in result.pieces}) == 1


def test_clauses_whose_sources_are_apart_stand_in_the_order_of_the_conversation():
    """A25."""
    assert lines_of(PLAN, ["c1", "c2"], c1="m2") == [
        "[The Solo plan] covers 2 devices.",
        "The Solo plan costs 5 euros.",
    ]


@pytest.mark.parametrize(
    ("kept", "lines"),
    [
        ("c1 c2 c3", ["Rosa paid 40 euros.", "She asked for a receipt.", "Her card was charged twice."]),
        ("c2 c3", ["She [Rosa] asked for a receipt.", "Her card was charged twice."]),
        ("c1 c3", ["Rosa paid 40 euros.", "Her card was charged twice."]),
        ("c3", ["Her [Rosa's] card was charged twice."]),
    ],
)
def test_a_pronoun_whose_antecedent_was_dropped_gets_it_in_brackets(kept, lines):
    """F23."""
    summary = "Rosa paid 40 euros. She asked for a receipt. Her card was charged twice."

    assert lines_of(summary, kept.split()) == lines


def test_a_pronoun_whose_antecedent_comes_later_or_far_before_gets_it_too():
    """The lines are in the order of the conversation, not of the summary."""
    summary = "Rosa paid 40 euros. She's happy. Ben came."

    assert lines_of(summary, ["c1", "c2"], c1="m2") == ["She's [Rosa] happy.", "Rosa paid 40 euros."]
    assert lines_of(summary, ["c1", "c2", "c3"], c2="m3", c3="m2") == [
        "Rosa paid 40 euros.",
        "Ben came.",
        "She's [Rosa] happy.",
    ]


def test_a_pronoun_that_only_the_evidence_explains_gets_who_said_it():
    """REC-011: in the first person, with the same verb."""
    summary = "Dr. Ueda ordered a scan. She also asked for blood tests."
    claims = extract_claims(summary, ["Nurse Pohl"])

    def lines(content, *kept):
        message = {"id": "m1", "speaker": "Nurse Pohl", "content": content}
        evidence = (Evidence(SourceSpan("m1", 0, len(content)), 0.8),)
        verdicts = [
            Verdict(c, Label.SUPPORTED, True, Reason.SIMILARITY_REACHED, 0.8, 0.9, evidence)
            for c in claims
            if c.id in kept
        ]
        return [text for text, _ in read_payload(assemble(*verdicts, messages=[message]).text)]

    spoken, heard = "I have asked for blood tests.", "I heard of the tests that they asked for."
    assert lines(spoken, "c2") == ["She [Nurse Pohl] also asked for blood tests."]
    assert lines(heard, "c2") == ["She also asked for blood tests."]
    assert lines(spoken, "c1", "c2") == ["Dr. Ueda ordered a scan.", "She also asked for blood tests."]


def test_what_was_added_is_known_of_each_piece():
    """A20, A25: without it the text is the claim's own."""
    summary = "Rosa paid 40 euros and asked for a receipt. It rained. She bought a [red] car and sold a van."

    result = said(summary, ["c2", "c4"])

    assert [(p.text, p.added) for p in result.pieces] == [
        ("[Rosa] asked for a receipt.", ("[Rosa]",)),
        ("She bought a [red] car.", (".",)),
    ]
    (alone,) = said(summary, ["c4"]).pieces
    assert (alone.text, alone.added) == ("She [Rosa] bought a [red] car.", ("[Rosa]", "."))


def test_the_same_words_of_two_subjects_are_two_claims():
    summary = (
        "The Solo plan costs 5 euros and covers 2 devices. The Duo plan costs 9 euros and covers 2 devices."
    )

    assert lines_of(summary, ["c2", "c4"]) == [
        "[The Solo plan] covers 2 devices.",
        "[The Duo plan] covers 2 devices.",
    ]


def test_a_summary_without_a_statement_has_nothing_to_check():
    """SPL-023."""
    elimination = eliminate("Thanks! 🙂", TALK, embedder=FakeEmbedder())
    trace = Trace(
        Conversation.from_messages(TALK), Settings(), results=(Compression("x", given=True), elimination)
    )

    result = Reconstructor(FakeCounter()).run(trace)

    assert (result.text, result.status, len(result.warnings)) == ("", Status.EMPTY, 1)


# The budget


def whole(*verdicts, counter=None):
    return assemble(*verdicts, budget=10_000, counter=counter).tokens


@pytest.mark.parametrize("counter", [FakeCounter(), BartTokenCounter()], ids=["words", "bart"])
def test_a_payload_of_exactly_its_budget_fits_and_one_token_less_leaves_the_weakest_out(counter):
    """A27: the count is reported, and it is the budget's tokenizer's."""
    claims = [verdict(1, "Order 5521 is late.", "m1", support=0.7), verdict(2, "It left Lyon.", "m2")]
    needed = whole(*claims, counter=counter)

    full, less = (assemble(*claims, budget=n, counter=counter) for n in (needed, needed - 1))

    assert (full.tokens, full.budget, full.omitted) == (needed, needed, ())
    assert counter.count(full.text) == needed
    assert [p.claim_id for p in less.pieces] == ["c2"]
    assert [(o.claim_id, o.reason) for o in less.omitted] == [("c1", OmissionReason.BUDGET)]
    assert less.tokens == counter.count(less.text) < needed


def test_clauses_that_share_a_line_are_counted_as_they_stand():
    """A27: together they need fewer words than each alone."""
    needed = said(PLAN, ["c1", "c2", "c3"]).tokens

    full, less = (said(PLAN, ["c1", "c2", "c3"], budget=n) for n in (needed, needed - 1))

    assert [p.claim_id for p in full.pieces] == ["c1", "c2", "c3"]
    assert (full.tokens, full.omitted) == (needed, ())
    assert len(less.pieces) == 2
    assert less.tokens < needed


def test_what_is_smaller_may_enter_where_the_better_is_too_long():
    claims = [verdict(1, "word " * 50 + ".", "m1", support=0.99), verdict(2, "Short.", "m2", support=0.6)]

    assert [p.claim_id for p in assemble(*claims, budget=40).pieces] == ["c2"]


def test_the_budget_holds_where_lines_do_not_add_up():
    """A27: a tokenizer for which the whole is longer than its lines."""

    class Growing(FakeCounter):
        def count(self, text):
            return len(text.split()) + 3 * text.count("\n") ** 2

    claims = [verdict(n, f"Claim {n}.", "m1", support=1 - n / 100) for n in range(1, 8)]

    result = assemble(*claims, budget=60, counter=Growing())

    assert 0 < result.tokens == Growing().count(result.text) <= 60
    assert [p.claim_id for p in result.pieces] == ["c1", "c2", "c3"]
    assert [o.claim_id for o in result.omitted] == ["c4", "c5", "c6", "c7"]


def test_a_budget_that_holds_no_kept_claim_says_so():
    """A27: nothing is cut or called missing from the transcript; a warning says what to do."""
    result = assemble(verdict(1, "Order 5521 is late.", "m1"), budget=3)

    assert (result.text, result.tokens, result.pieces) == ("", 0, ())
    assert result.status is Status.OK
    assert [o.reason for o in result.omitted] == [OmissionReason.BUDGET]
    assert "budget of 3 tokens" in result.warnings[0]
    assert "raise payload_tokens" in result.warnings[0]


@pytest.mark.parametrize(
    ("n_words", "settings", "budget"),
    [
        (300, {}, 100),
        (30, {}, 60),
        (300, {"payload_share": 0.5}, 150),
        (30, {"payload_floor": 7}, 10),
        (300, {"payload_tokens": 7}, 7),
    ],
)
def test_the_budget_is_a_share_with_a_floor_unless_given(n_words, settings, budget):
    """A27."""
    messages = user(*["word"] * (n_words // 2))  # two tokens each, with the prefix
    elimination = eliminate("", messages, embedder=FakeEmbedder())

    result = reconstruct(
        elimination, messages, settings=ReconstructionSettings(**settings), counter=FakeCounter()
    )

    assert result.budget == budget


def test_the_tokens_that_compression_counted_are_not_counted_again():
    counter = FakeCounter()
    trace = Trace(
        Conversation.from_messages(user("one")),
        Settings(),
        results=(Compression("x", tokens_in=3000), Elimination((), (), "fake")),
    )

    assert Reconstructor(counter).run(trace).budget == 1000


# Nothing survived


def test_where_nothing_survives_the_most_central_sentence_stands_verbatim():
    """F22, REC-010: marked, cited, with an id of its own."""
    result = assemble(
        verdict(1, "Rio.", "m1", kept=False), central=(SourceSpan("m2", 14, 29), SourceSpan("m1", 0, 22))
    )

    assert result.text == f"{FALLBACK_HEADING}\n- It comes today. [m2, Lena, 2026-03-02 09:40]"
    assert result.status is Status.NO_SUPPORTED_CLAIMS
    (added,) = result.verbatim
    assert (added.claim.id, added.claim.text, added.claim.span) == ("v1", "It comes today.", None)
    assert (added.label, added.reason) == (Label.SUPPORTED, Reason.VERBATIM)
    assert [p.claim_id for p in result.pieces] == ["v1"]
    assert result.tokens == tokens(result.text)


def test_the_most_central_sentence_that_fits_is_taken():
    """A27."""
    spans = (SourceSpan("m1", 0, 22), SourceSpan("m3", 0, 5))
    needed = assemble(central=spans[1:]).tokens

    assert [p.text for p in assemble(central=spans, budget=needed).pieces] == ["Fine."]
    assert assemble(central=spans, budget=needed).tokens == needed
    for budget in (needed - 1, 1):
        nothing = assemble(central=spans, budget=budget)
        assert (nothing.text, nothing.verbatim) == ("", ())
        assert nothing.status is Status.NO_SUPPORTED_CLAIMS


def test_without_any_sentence_the_payload_is_empty():
    """A34."""
    assert assemble(messages=[]) == Reconstruction("", 0, 1000, status=Status.EMPTY)
    assert assemble(messages=user("", "\u200b")).status is Status.EMPTY


# The plain function


def test_reconstruct_wants_the_messages_that_were_checked():
    with pytest.raises(InvalidParameterError, match="'m9' is not among them"):
        assemble(verdict(1, "x", "m9"))
    with pytest.raises(InvalidParameterError, match="'m9' is not among them"):
        assemble(central=(SourceSpan("m9", 0, 1),))


def test_the_three_plain_functions_go_together():
    elimination = eliminate("My order 5521 is late. Nobody lives in Rio.", TALK, embedder=FakeEmbedder())

    result = reconstruct(elimination, TALK, counter=FakeCounter())

    assert [p.text for p in result.pieces if p.claim_id.startswith("c")] == ["My order 5521 is late."]
    assert result == reconstruct(elimination, TALK, counter=FakeCounter())


def test_the_plain_functions_take_the_installed_models_unless_told_otherwise(monkeypatch):
    """A02."""
    loading = SimpleNamespace(load_embedder=FakeEmbedder, load_counter=FakeCounter)
    for module in (memguard.models, memguard.eliminator):
        monkeypatch.setattr(module, "loading", loading, raising=False)

    elimination = eliminate("My order 5521 is late.", TALK)

    assert elimination.embedder == FakeEmbedder().model_id
    assert reconstruct(elimination, TALK).tokens == tokens(reconstruct(elimination, TALK).text)


def test_the_stage_needs_an_elimination():
    with pytest.raises(StageOrderError, match="no Elimination yet"):
        Reconstructor(FakeCounter()).run(Trace(Conversation.from_messages(TALK), Settings()))


@pytest.mark.parametrize(
    ("message", "citation"),
    [
        ({"content": "x"}, "0, User"),
        ({"content": "x", "role": "tool"}, "0, Tool"),
        ({"content": "x", "ts": "2026-03-02T23:30:00-02:00"}, "0, User, 2026-03-03 01:30"),
    ],
)
def test_a_citation_names_the_message_its_speaker_and_the_time_in_utc(message, citation):
    """REC-001."""
    assert cite(Conversation.from_messages([message]).messages[0]) == citation


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"])
def test_a_time_at_the_edge_of_the_calendar_does_not_break_a_payload(moment):
    messages = [{"content": "Fine.", "timestamp": moment}]

    assert read_payload(assemble(verdict(1, "Fine.", "0"), messages=messages).text)[0][0] == "Fine."


# Its size beside the conversation's


LONG = [
    {"id": f"m{n}", "speaker": speaker, "content": f"Item {n} costs {n}0 euros and comes on {n} May at noon."}
    for n, speaker in enumerate(["Ada", "Ben"] * 6, start=1)
]


def whole_tokens(messages):
    return FakeCounter().count(joined(Conversation.from_messages(messages)))


def under_any_budget(messages=LONG, **settings):
    made = guard(with_values(compression__passthrough_words=0, **settings), summarizer=FakeSummarizer(""))
    return made.run(messages)[Reconstruction]


@pytest.mark.parametrize("budget", [200, 1_000_000])
def test_a_payload_is_no_longer_than_the_conversation_however_large_its_budget(budget):
    """A27: short citations and no headings, then fewer lines, and that is said."""
    result = under_any_budget(reconstruction__payload_tokens=budget)

    assert 60 < result.tokens <= whole_tokens(LONG)
    assert result.budget == budget
    assert all(re.fullmatch(r"m\d+( Ada| Ben)?", cited) for _, cited in read_payload(result.text))
    left = [o for o in (*result.omitted, *result.unquoted) if o.reason is OmissionReason.BUDGET]
    if left:
        assert f"{len(left)} claims and quotes stay out" in result.warnings[0]
        assert "use the conversation as it is" in result.warnings[0]
    else:
        assert result.warnings == ()


def test_lines_stay_out_where_even_short_ones_are_longer_than_the_conversation():
    """A27: what stays out is told with its reason, and the warning says what to do."""
    claims = [
        verdict(n, f"Item {n} costs {n}0 euros and it comes on {n} May at noon, as was said.", f"m{n}")
        for n in range(1, 13)
    ]

    result = assemble(*claims, messages=LONG, budget=10_000, citations="auto")

    left = [o for o in result.omitted if o.reason is OmissionReason.BUDGET]
    assert 0 < len(left) < 12
    assert result.tokens <= whole_tokens(LONG) < 10_000
    assert f"{len(left)} claims and quotes stay out" in result.warnings[0]


def test_full_citations_that_are_asked_for_stay_and_the_length_is_told():
    claims = [verdict(n, f"Item {n} costs {n}0 euros.", f"m{n}") for n in range(1, 13)]

    result = assemble(*claims, messages=LONG, budget=10_000, citations="full")

    assert len(result.pieces) == 12
    assert result.tokens > whole_tokens(LONG) - 60
    assert (len(result.warnings) == 1) == (result.tokens > whole_tokens(LONG))


def test_a_conversation_of_a_few_messages_keeps_its_full_lines_with_a_warning():
    """REC-001, A27: within the floor of a budget nothing is left out for the length."""
    result = assemble(verdict(1, "Order 5521 is late.", "m1"), verdict(2, "It left Lyon.", "m2"))

    assert len(result.pieces) == 2
    assert result.warnings == (
        f"the conversation itself is shorter ({whole_tokens(TALK)} tokens) than its payload "
        f"({result.tokens}): use the conversation as it is",
    )


def test_recent_messages_behind_the_payload_are_not_what_it_stands_for():
    """Only what is not sent anyway counts as the conversation."""
    settings = {"reconstruction__payload_tokens": 1_000, "compression__keep_last": 4}

    result = under_any_budget(**settings)

    assert 0 < result.tokens <= max(60, whole_tokens(LONG[:-4]))


# First line


@pytest.mark.parametrize(
    ("ids", "times", "top"),
    [
        (("m1", "m2"), None, "Earlier messages by id:"),
        (("m1", "m2"), "2026-03-02T09:00:00Z", "Earlier messages by id, 2 March 2026:"),
        (("a-very-long-id-1", "a-very-long-id-2"), None, "Earlier messages by number:"),
        (("a-very-long-id-1", "b"), "2026-03-02T09:00:00Z", "Earlier messages by number, 2 March 2026:"),
    ],
)
def test_the_first_line_tells_what_a_short_citation_is(ids, times, top):
    """A25: whoever reads the payload has not seen the messages; its tokens are counted (A27)."""
    messages = [
        {"id": id, "content": "It left Lyon.", **({"timestamp": times} if times else {})} for id in ids
    ]

    result = assemble(verdict(1, "It left Lyon.", ids[0]), messages=messages, citations="id")

    assert result.text.split("\n")[0] == top
    assert top in GLUE or times is not None
    assert result.tokens == tokens(result.text)
    assert [text for text, _ in read_payload(result.text)] == ["It left Lyon."]


def test_full_citations_need_no_such_word():
    assert assemble(verdict(1, "It left Lyon.", "m2")).text.startswith(f"{HEADING}\n")


# What is not found supported


@pytest.mark.parametrize("citations", ["full", "id"])
@pytest.mark.parametrize(
    ("changes", "mark"),
    [
        ({}, ""),
        ({"support": 0.3}, NOT_VERIFIED),
        ({"label": Label.NEEDS_REVIEW, "reason": Reason.NOT_JUDGED}, NOT_VERIFIED),
        ({"label": Label.NOT_FOUND, "override": Override("c1", kept=True)}, KEPT_BY_PERSON),
        ({"label": Label.SUPPORTED, "override": Override("c1", kept=True)}, ""),
        ({"support": 0.2, "reason": Reason.VERBATIM}, ""),
    ],
)
def test_a_claim_that_is_kept_without_being_found_supported_says_so(citations, changes, mark):
    """A22, A25: a person keeps it, similarity alone does (the contract preset), or nothing could judge it."""
    result = assemble(replace(verdict(1, "It left Lyon.", "m2"), **changes), citations=citations)

    (piece,) = result.pieces
    assert (piece.mark, piece.stated) == (mark, "It left Lyon.")
    assert piece.text == f"It left Lyon. {mark}".rstrip()
    assert piece.added == ((mark,) if mark else ())
    assert [text for text, _ in read_payload(result.text)] == [piece.text]
    assert not mark or mark in GLUE


def test_the_mark_is_no_part_of_what_a_claim_states():
    """The "not" of "not verified" denies no key fact."""

    def kept(override):
        made = guard(
            with_values(compression__passthrough_words=0), summarizer=FakeSummarizer("The fee is 40 euros.")
        )
        trace = made.run([{"id": "m1", "content": "We talked for long. The fee is 40 euros, Ben."}])
        return (made.override(trace, override) if override else trace)[Reconstruction].omissions.kept

    assert kept([Override("c1", kept=True)]) == kept([])


def test_every_clause_of_a_line_has_its_own_mark():
    weak = [
        Verdict(
            c,
            Label.SUPPORTED,
            True,
            Reason.SIMILARITY_REACHED,
            0.8,
            0.9 if c.id != "c2" else 0.1,
            (Evidence(SourceSpan("m1", 0, 5), 0.8),),
        )
        for c in extract_claims(PLAN, ())
    ]

    assert [text for text, _ in read_payload(assemble(*weak).text)] == [
        f"The Solo plan costs 5 euros and covers 2 devices {NOT_VERIFIED}, but the Duo plan has no limit."
    ]


# Marks of Markdown


def test_items_of_a_list_stand_in_one_line_without_their_marks():
    """A20: verbatim but for the marks; A26: it reads back."""
    result = assemble(
        verdict(1, "- Bergen to Porto, **265 euros**", "m1"),
        verdict(2, "* by train", "m1", start=9),
        citations="id",
    )

    assert [text for text, _ in read_payload(result.text)] == ["Bergen to Porto, 265 euros; by train"]
    assert [p.text for p in result.pieces] == ["Bergen to Porto, 265 euros", "by train"]
