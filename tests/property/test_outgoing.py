"""F24: whatever secrets a conversation holds, none of them is in anything that leaves."""

from __future__ import annotations

import string

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memguard import wire
from memguard.models.tokens import BartTokenCounter
from memguard.privacy.exclusions import Exclusions
from memguard.privacy.leaving import Leaving
from memguard.privacy.shown import ShownText
from tests.fakes import FakeSummarizer
from tests.support import WORDS, guard, with_values
from tests.unit.test_outgoing import everything_of, said

_LETTERS = st.text(string.ascii_letters, min_size=4, max_size=9)
_DIGITS = st.text("23456789", min_size=4, max_size=4)
PASSWORDS = st.builds("{}.{}{}".format, _LETTERS, _LETTERS, _DIGITS)
MAILS = st.builds("{}.{}@example.com".format, _LETTERS, _LETTERS)
TOKENS = st.text(string.ascii_letters + string.digits, min_size=24, max_size=36).map("ghp_{}".format)
PHONES = st.builds("+49 170 {}{}".format, st.text("23456789", min_size=3, max_size=3), _DIGITS)


@st.composite
def talks(draw: st.DrawFn) -> tuple[list[dict[str, object]], list[str]]:
    """Return messages and the values in them: labelled once, and bare in other places."""
    password, mail = draw(PASSWORDS), draw(MAILS)
    token, phone = draw(TOKENS), draw(PHONES)
    frames = [
        f"The password is: {password} for the guests.",
        f"Write to {mail} about the order.",
        f"Call me on {phone} after noon.",
        f"The API token is {token} and it is new.",
        f"I gave {password} to Ben. Ben paid 40 euros.",
        f"We decided to send {token} to {mail}.",
        "The train to Lyon leaves on 2 June at 10:30.",
    ]
    order = draw(st.permutations(frames))
    messages: list[dict[str, object]] = [
        {
            "role": ("user", "assistant")[i % 2],
            "content": f"{content} {' '.join(draw(st.lists(WORDS, max_size=3)))}",
        }
        for i, content in enumerate(order)
    ]
    messages[0]["speaker"] = mail
    messages[1]["tool_calls"] = [
        {"id": "t1", "function": {"name": "send", "arguments": f'{{"{mail}": "{password}"}}'}}
    ]
    return messages, [password, mail, token, phone]


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(talks(), st.integers(0, 3), st.integers(0, 6))
def test_no_generated_secret_is_in_anything_that_leaves(talk, keep_last, n_new):
    messages, secrets = talk
    seen: list[str] = []

    def write(lines: list[str]) -> str:
        seen.extend(lines)
        return said(lines)

    chosen = with_values(
        privacy__redact="on",
        compression__passthrough_words=0,
        compression__keep_last=keep_last,
        reconstruction__payload_share=1.0,
    )
    made = guard(chosen, summarizer=FakeSummarizer(write), counter=BartTokenCounter())
    trace = made.run(messages[: len(messages) - n_new])
    if n_new:
        seen.clear()  # a label that comes later cannot tell of what an earlier prompt held without it
        trace = made.extend(trace, messages[len(messages) - n_new :])

    left = "\n".join([*seen, everything_of(trace)])

    present = "\n".join(str(message) for message in messages)
    assert all(secret in present for secret in secrets)
    for secret in secrets:
        assert secret not in left
    assert wire.result(trace, audit_head=None) == wire.result(trace, audit_head=None)


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(1, 5), st.sampled_from("AB")), max_size=4), st.data()
)
def test_a_shown_span_is_that_of_the_shown_text(drawn, data):
    """Outside of placeholders, a span of the shown text holds the characters of the untouched one."""
    text = "".join(chr(ord("a") + i % 26) for i in range(36))
    found = []
    at = 0
    for start, length, name in sorted(drawn):
        if start >= at and start + length <= len(text):
            found.append((start, start + length, f"[{name}_1]"))
            at = start + length
    shown = ShownText(text).replaced(found)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))

    expected, place = [], start
    while place < end:
        inside = next((f for f in found if f[0] <= place < f[1]), None)
        expected.append(inside[2] if inside else text[place])
        place = inside[1] if inside else place + 1
    assert shown.cut((start, end)) == "".join(expected)


@given(
    st.lists(st.one_of(PASSWORDS.map("password: {}".format), MAILS, PHONES, WORDS), max_size=8).map(" ".join)
)
def test_what_was_shown_once_is_shown_again_as_it_is(text):
    """A text that left is not changed by leaving again."""
    leaving = Leaving(Exclusions())
    leaving.learn(text)
    shown = leaving.text(text)

    assert leaving.text(shown) == shown
    assert leaving.copy().text(text) == shown
