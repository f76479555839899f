"""F24 in the app: one switch, what was found by kind, and what is taken along without it."""

from __future__ import annotations

import json

from streamlit.testing.v1 import AppTest

from memguard.payload import Form, payload_in
from memguard.reconstructor import Reconstruction
from memguard.trace import Trace
from tests.app.conftest import Fakes, html, paste

MAIL = "noor.haddad@example.com"
TALK = [
    {"role": "user", "content": f"Write to {MAIL} about the order. Ben paid 40 euros."},
    {"role": "assistant", "content": "The password is: Tr0ub4dor7x for the guests."},
]


def key(at: AppTest, name: str) -> str:
    return next(w.key for w in (*at.toggle, *at.text_input) if w.key and w.key.rpartition(":")[0] == name)


def trace_of(at: AppTest) -> Trace:
    trace = at.session_state["memguard"].trace
    assert isinstance(trace, Trace)
    return trace


def captions(at: AppTest) -> str:
    return " ".join(caption.value for caption in at.caption)


def test_the_switch_redacts_what_is_taken_along_and_says_what_was_found(app: AppTest, fakes: Fakes) -> None:
    at = paste(app, json.dumps(TALK))
    assert "placeholders stand for" not in captions(at)

    at.toggle(key=key(at, "privacy.redact")).set_value(True).run()
    assert not at.exception
    assert "Redacted: placeholders stand for 1 email, 1 password" in captions(at)
    at.button(key="finish").click().run()

    assert not at.exception
    trace = trace_of(at)
    assert "[EMAIL_1]" in trace[Reconstruction].text
    shown = "\n".join([trace[Reconstruction].text, *(payload_in(trace, form) for form in Form)])
    assert MAIL not in shown
    assert "Tr0ub4dor7x" not in shown
    assert "redacted: placeholders stand for" in html(at)


def test_a_kind_that_does_not_exist_is_an_error_and_changes_nothing(app: AppTest, fakes: Fakes) -> None:
    at = paste(app, json.dumps(TALK))
    at.toggle(key=key(at, "privacy.redact")).set_value(True).run()
    at.button(key="finish").click().run()
    before = trace_of(at)

    at.text_input(key=key(at, "privacy.let_through")).set_value("cards").run()

    assert not at.exception
    assert "must name kinds or categories" in html(at) + " ".join(error.value for error in at.error)
    assert trace_of(at) == before
