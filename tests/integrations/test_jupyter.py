"""A trace in a notebook: registered by ``%load_ext``, escaped whatever it holds."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from memguard.integrations.jupyter import trace_html
from memguard.messages import Conversation
from memguard.settings import Settings
from memguard.trace import Trace
from tests.support import guard

MESSAGES = [{"id": "m1", "role": "user", "content": "The deposit is 400 euros."}]
HOSTILE = (
    "The deposit </td><script>alert(1)</script> is <img src=x onerror=alert(2)> 500 euros &amp; "
    "\"quoted' {{ 7*7 }}."
)
TAGS = {
    "div",
    "style",
    "p",
    "strong",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "details",
    "summary",
    "pre",
}


class Reading(HTMLParser):
    """Collects tags, attributes and text as a browser reads them."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.open: list[str] = []
        self.attributes: set[str] = set()
        self.text = ""
        self.titles = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)
        self.open.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self.titles += " ".join(value or "" for name, value in attrs if name == "title")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture
def shell(tmp_path, monkeypatch) -> Iterator[InteractiveShell]:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    config = Config()
    config.HistoryManager.enabled = False
    InteractiveShell.clear_instance()
    made = InteractiveShell.instance(config=config)
    yield made
    made.run_line_magic("unload_ext", "memguard.integrations.jupyter")
    InteractiveShell.clear_instance()


def html_of(shell: InteractiveShell, value: object) -> str | None:
    data, _ = shell.display_formatter.format(value)
    found: str | None = data.get("text/html")
    return found


def test_load_ext_shows_a_trace_as_html_and_unload_ext_takes_it_back(shell):
    trace = guard().check("The deposit is 500 euros. The deposit is 400 euros.", MESSAGES)
    assert html_of(shell, trace) is None

    shell.run_line_magic("load_ext", "memguard.integrations.jupyter")
    shell.user_ns["trace"] = trace
    read = Reading(html_of(shell, shell.ev("trace")) or "")
    assert "1 of 2 claims kept" in read.text
    assert "dropped, contradicted by m1" in read.text
    assert "The deposit is 400 euros." in read.titles
    assert "payload, " in read.text

    shell.run_line_magic("unload_ext", "memguard.integrations.jupyter")
    assert html_of(shell, trace) is None


def test_markup_in_a_conversation_is_shown_as_text():
    messages = [{"id": "<b>m1</b>", "speaker": '"><i>', "content": HOSTILE.replace("500", "400")}]
    html = trace_html(guard().check(HOSTILE, messages))

    read = Reading(html)
    assert set(read.tags) <= TAGS
    assert read.attributes <= {"class", "title", "open"}
    assert not read.open
    assert "<script>alert(1)</script>" in read.text
    assert "{{ 7*7 }}" in read.text
    assert "<script" not in html


@pytest.mark.parametrize("steps", [0, 1, 2, 3])
def test_a_trace_is_shown_as_far_as_it_has_come(steps):
    made = guard()
    trace = Trace(Conversation.from_messages(MESSAGES), Settings())
    told = ["no stage has run", "elimination has not", "reconstruction has not", "claim kept; audit head"]
    for _ in range(steps):
        trace = made.pipeline.step(trace)

    assert told[steps] in Reading(trace_html(trace)).text


def test_of_very_many_claims_the_rest_is_counted():
    summary = " ".join(f"Order {number} costs {number} euros." for number in range(300))
    read = Reading(trace_html(guard().check(summary, MESSAGES)))

    assert read.tags.count("tr") == 201
    assert "more claims: see to_frame(trace).claims" in read.text
