"""The payload in the forms that other programs take."""

from __future__ import annotations

import json

import pytest

from memguard.compressor import Compression
from memguard.errors import StageOrderError
from memguard.grounding.overrides import Override
from memguard.messages import Conversation
from memguard.payload import (
    LAST_MESSAGES,
    Form,
    escaped,
    payload_in,
    payload_json,
    payload_markdown,
    payload_messages,
    payload_object,
    payload_text,
)
from memguard.reconstructor import (
    HEADING,
    KEPT_BY_PERSON,
    SHORT_HEADING,
    Heading,
    Reconstruction,
    read_payload,
)
from memguard.trace import Trace
from tests.support import FakeSummarizer, guard, summarised, with_values

TALK = [
    {"id": "m1", "speaker": "Ada", "content": "The deposit is 400 euros and the hall is booked."},
    {"id": "m2", "speaker": "Ben", "content": "I will send the contract by Friday."},
    {"id": "m3", "speaker": "Ada", "content": "I am severely allergic to penicillin."},
    {"id": "m4", "speaker": "Ben", "content": "I always want an aisle seat."},
    {
        "id": "m5",
        "speaker": "Ada",
        "content": "The path is /srv/hall/plan.pdf and the order number is LM-48213.",
    },
    {"id": "m6", "speaker": "Ben", "content": "Maria Lopez from Lyon is the caterer."},
    {"id": "m7", "speaker": "Ada", "content": "We picked the red room because it is larger."},
]
CHAT = [
    {
        "id": "a1",
        "speaker": "Ben",
        "content": "Oh how lovely that all sounds, what a treat for everybody there.",
    },
    {
        "id": "a2",
        "speaker": "Ada",
        "content": "It does, it does, and so much nicer than one might ever think.",
    },
] * 4
"""Says nothing, so that the payload has room beside what it stands for."""
CALLS = [
    {"id": "m1", "role": "user", "content": "Is order 5521 late?"},
    {
        "id": "m2",
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "t1", "type": "function", "function": {"name": "find", "arguments": '{"order": 5521}'}}
        ],
    },
    {"id": "m3", "role": "tool", "tool_call_id": "t1", "content": "Order 5521 left Lyon on 2 June."},
    {"id": "m4", "role": "assistant", "content": "It left Lyon on 2 June."},
]


def run(messages=TALK, summary="The hall is booked.", **settings):
    said = [{**message, "id": f"a{n}"} for n, message in enumerate(CHAT)] + messages if messages else []
    return summarised(summary, said, with_values(reconstruction__payload_tokens=500, **settings))


def test_a_longer_payload_has_headings_in_their_order_and_none_without_content():
    """Issue 5, item 6: under each heading the order of the conversation."""
    trace = run()
    result = trace[Reconstruction]

    shown = [line.rstrip(":") for line in result.text.split("\n") if line.rstrip(":") in set(Heading)]
    assert shown == [h.value for h in Heading if h.value in shown]
    assert len(shown) > 1
    for heading in Heading:
        pieces = [p for p in result.pieces if p.heading is heading]
        assert bool(pieces) == (heading.value in shown)
        numbers = [int(p.message_ids[0][1:]) for p in pieces]
        assert numbers == sorted(numbers)
    under = {p.message_ids[0]: p.heading for p in result.pieces}
    assert under["m2"] is Heading.OPEN
    assert under["m4"] is Heading.PREFERENCES
    assert under["m3"] is Heading.STATE


def test_a_flat_payload_is_one_list_in_the_order_of_the_conversation():
    """A25."""
    result = run(reconstruction__layout="flat")[Reconstruction]

    assert not [line for line in result.text.split("\n") if line.rstrip(":") in set(Heading)]
    numbers = [int(p.message_ids[0][1:]) for p in result.pieces]
    assert numbers == sorted(numbers)
    assert len(numbers) > 5


def test_the_text_is_the_payload():
    trace = run()

    assert payload_text(trace) == trace[Reconstruction].text
    assert payload_in(trace, Form.TEXT) == payload_text(trace)


def test_the_recent_messages_stand_behind_the_text_word_for_word():
    """Issue 5, item 6: ``keep_last``."""
    trace = run(compression__keep_last=2)

    head, tail = payload_text(trace).split(f"\n\n{LAST_MESSAGES}\n")

    assert head == trace[Reconstruction].text
    assert tail == f"Ben: {TALK[5]['content']}\nAda: {TALK[6]['content']}"


def test_markdown_has_the_same_lines_and_interprets_nothing():
    said = [*TALK, {"id": "m8", "speaker": "Eve", "content": "The total is $400 *net* and <b>900</b> euros."}]
    trace = run(said)

    text = payload_markdown(trace)

    assert escaped(HEADING) in text or text.startswith(SHORT_HEADING.rstrip(":"))
    assert "<b>" not in text.replace("\\<b\\>", "")
    assert all(f"### {h}" in text for h in {p.heading for p in trace[Reconstruction].pieces})
    lines = [line for line in text.split("\n") if line.startswith("- ")]
    assert len(lines) == len(read_payload(trace[Reconstruction].text))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a *b* _c_ `d`", r"a \*b\* \_c\_ \`d\`"),
        ("$5 and $6", r"\$5 and \$6"),
        ("# no heading", r"\# no heading"),
        ("- no list", r"\- no list"),
        ("1. no list", r"1\. no list"),
        ("plain, 3.5 kg", "plain, 3.5 kg"),
        ("<script>", r"\<script\>"),
    ],
)
def test_escaped_text_stays_text(text, shown):
    assert escaped(text) == shown


def test_the_json_form_names_claims_and_sources_of_every_line():
    """A26."""
    trace = run()
    row = json.loads(payload_json(trace))

    assert row == payload_object(trace)
    lines = [line for section in row["sections"] for line in section["lines"]]
    assert [id for line in lines for id in line["claims"]] == [
        p.claim_id for p in trace[Reconstruction].pieces
    ]
    known = {m["id"] for m in TALK}
    assert all({s["message_id"] for s in line["sources"]} <= known for line in lines)
    assert row["tokens"] == trace[Reconstruction].tokens
    assert row["messages"] == []


def test_messages_are_ready_for_the_next_call():
    trace = run(compression__keep_last=1)

    first, last = payload_messages(trace)

    assert first == {"role": "user", "content": trace[Reconstruction].text}
    assert last == {"role": "user", "content": TALK[6]["content"], "name": "Ada"}


def test_a_tool_call_is_one_again_and_never_parted_from_its_result():
    """Interfaces refuse a result without its call."""
    trace = run(CALLS, "Order 5521 left Lyon on 2 June.", compression__keep_last=2)

    _, call, answer, said = payload_messages(trace)

    assert call["tool_calls"] == CALLS[1]["tool_calls"]
    assert (call["role"], call["content"]) == ("assistant", "")
    assert answer == {"role": "tool", "content": CALLS[2]["content"], "tool_call_id": "t1"}
    assert said == {"role": "assistant", "content": CALLS[3]["content"]}
    assert Conversation.from_messages([call, answer, said]).messages[0].tool_calls[0].name == "find"


def test_without_a_payload_there_is_no_system_message():
    trace = run([], "")

    assert payload_messages(trace) == []
    assert payload_text(trace) == payload_markdown(trace) == ""
    assert payload_object(trace)["sections"] == []


@pytest.mark.parametrize("form", Form)
def test_an_unfinished_trace_has_no_payload(form):
    trace = Trace(Conversation.from_messages(TALK), with_values(), results=(Compression("x", given=True),))

    with pytest.raises(StageOrderError, match="no Reconstruction yet"):
        payload_in(trace, form)


def marked(form, **settings):
    """Return a form of a payload in which a person keeps what the transcript does not say."""
    made = guard(
        with_values(compression__passthrough_words=0, reconstruction__payload_tokens=500, **settings),
        summarizer=FakeSummarizer("The hall is booked. Nobody lives in Rio."),
    )
    trace = made.override(made.run(TALK), [Override("c2", kept=True)])
    return payload_in(trace, form)


def test_a_claim_that_a_person_keeps_says_so_in_every_form():
    """F22, A22: whoever reads the payload sees what is not found supported."""
    mark = KEPT_BY_PERSON.strip("[]")

    assert f"Nobody lives in Rio. {KEPT_BY_PERSON}" in marked(Form.TEXT)
    assert escaped(f"Nobody lives in Rio. {KEPT_BY_PERSON}") in marked(Form.MARKDOWN)
    (said,) = json.loads(marked(Form.MESSAGES))
    assert said["content"].count(KEPT_BY_PERSON) == 1
    lines = [line for section in json.loads(marked(Form.JSON))["sections"] for line in section["lines"]]
    assert [line["marks"] for line in lines if line["marks"]] == [{"c2": mark}]


def test_what_the_transcript_says_has_no_mark():
    trace = run()

    lines = [line for section in payload_object(trace)["sections"] for line in section["lines"]]
    assert not any(line["marks"] for line in lines)
    assert not any(piece.mark for piece in trace[Reconstruction].pieces)


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("- It is late. [1, [PERSON_1]]", ("It is late.", "1, [PERSON_1]")),
        ("- Ask [PERSON_2]. [1, [PERSON_1], 3 May]", ("Ask [PERSON_2].", "1, [PERSON_1], 3 May")),
        ("1 [PERSON_1]: It is late.", ("It is late.", "1 [PERSON_1]")),
    ],
)
def test_a_redacted_speaker_is_read_back_from_the_citation(line: str, read: tuple[str, str]) -> None:
    """A26, F24: a placeholder has brackets, and is the only one in a citation that does."""
    assert read_payload(line) == (read,)
