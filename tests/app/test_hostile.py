"""Security of issue 4: on every page a hostile transcript is shown verbatim, and is text alone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import pytest
from google.protobuf.message import Message
from streamlit.testing.v1 import AppTest

from memguard.compressor import Compression
from memguard.eliminator import Elimination
from tests.app.conftest import ROOT, Fakes, paste
from tests.app.hostile import HOSTILE, MESSAGES, SPEAKERS, shown

GAME = "drift_lab.py, the game revealed"
PAGES = (*sorted(path.name for path in (ROOT / "pages").glob("[a-z]*.py")), "drift_lab.py, the game", GAME)
PLAIN = {"text_area", "text_input", "code", "json", "arrow_data_frame", "arrow_table", "download_button"}
"""Elements that show what they are given as it stands."""
TAGS = frozenset(
    "a abbr aside b bdi blockquote br button caption circle cite code col colgroup dd del details dfn div dl "
    "dt em figcaption figure footer h1 h2 h3 h4 header hr i input ins kbd label li line main mark meter nav "
    "ol optgroup option p path pre progress q rect s section select small span strong sub summary sup svg "
    "table tbody td template textarea tfoot th thead time tr u ul".split()
)
"""What a page may write itself: nothing that runs, loads or restyles."""
_ACTIVE = re.compile(r"^(?:on|formaction|srcdoc)", re.IGNORECASE)
_MARKDOWN = (
    "[the form](", "![receipt](", ":red[", ":blue-background[", ":small[", "**bold**", "~~gone~~", "`code`",
    "$$x", "$E = mc", ":material/home:", ":tada:", "<img", "<script", "<svg", "<iframe", "</div>",
)  # fmt: skip
"""What Markdown would act on, where it stands as it was written."""
_LINKED = re.compile(r"\w@\w|www\.\w|https?://\w")
"""What Markdown makes a link of even where each sign is escaped."""


class Reader(HTMLParser):
    """Reads HTML as a browser does: the text that is shown, and everything that is not text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text: list[str] = []
        self.faults: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "style" and not attrs:
            return
        if tag not in TAGS:
            self.faults.append(f"<{tag}>")
        for name, value in attrs:
            if _ACTIVE.match(name) or (
                name in {"href", "src", "action"} and not (value or "").startswith("#")
            ):
                self.faults.append(f"{tag} {name}={value!r}")

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    return reader


def strings(message: Message) -> Iterator[str]:
    """Every string of a message of the page."""
    for field, value in message.ListFields():
        for item in value if field.is_repeated else [value]:
            if isinstance(item, Message):
                yield from strings(item)
            elif isinstance(item, str):
                yield item


def inner_strings(value: Any) -> Iterator[str]:
    """Every string of a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from inner_strings(item)


@pytest.fixture(scope="module")
def visited() -> Iterator[dict[str, AppTest]]:
    """Every page after the run of the hostile transcript, whose summary is hostile as well."""
    monkeypatch = pytest.MonkeyPatch()
    from tests.app.conftest import fakes as make

    running = make.__wrapped__ if hasattr(make, "__wrapped__") else make._get_wrapped_function()
    generator = running(monkeypatch)
    made: Fakes = next(generator)
    made.summarizer.answer = " ".join(HOSTILE.values())
    found = {}
    for page in PAGES:
        name, _, view = page.partition(", ")
        at = paste(AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).run(), json.dumps(MESSAGES))
        at.button(key="finish").click().run()
        at = at if name == "pipeline.py" else at.switch_page(f"pages/{name}").run()
        if view:
            at.session_state["memguard:drift_lab"].mode = "game"
            at.run()
        if page == GAME:
            at.button(key="lab_reveal").click().run()
        found[page] = at
    yield found
    next(generator, None)
    monkeypatch.undo()


def elements(at: AppTest) -> Iterator[tuple[str, Message]]:
    for node in at._tree:
        if isinstance(getattr(node, "proto", None), Message):
            yield node.type, node.proto


def pieces(at: AppTest) -> Iterator[str]:
    """All HTML of a page: what it wrote itself and what its components were given."""
    for kind, proto in elements(at):
        if kind == "html":
            yield proto.body  # type: ignore[attr-defined]
        elif kind == "bidi_component" and proto.json:  # type: ignore[attr-defined]
            for value in inner_strings(json.loads(proto.json)):  # type: ignore[attr-defined]
                if "<" in value and "</" in value:
                    yield value


@pytest.mark.parametrize("page", PAGES)
def test_no_page_breaks(visited: dict[str, AppTest], page: str) -> None:
    assert not visited[page].exception


@pytest.mark.parametrize("page", PAGES)
def test_html_of_a_page_holds_nothing_that_runs_or_loads(visited: dict[str, AppTest], page: str) -> None:
    # What is typed in the editor of the drift lab is a value, not HTML.
    typed = visited[page].session_state["memguard"].trace[Compression].paragraph
    for html in pieces(visited[page]):
        if html == typed:
            continue
        assert not read(html).faults, html[:2_000]


@pytest.mark.parametrize("page", PAGES)
def test_words_of_a_widget_are_no_markdown(visited: dict[str, AppTest], page: str) -> None:
    for kind, proto in elements(visited[page]):
        if kind in PLAIN or kind in {"html", "bidi_component", "plotly_chart"}:
            continue
        # The options of a select box are text; its other words are Markdown, as those of every widget.
        options = set(proto.options) if kind in {"selectbox", "multiselect"} else set()  # type: ignore[attr-defined]
        for value in strings(proto):
            if value in options:
                continue
            active = re.sub(r"\\.", "", value)  # what is left where each escaped sign is taken out
            assert not [words for words in _MARKDOWN if words in active], (kind, value[:500])
            if "evil" in value:
                assert not _LINKED.search(value.replace("\\", "")), (kind, value[:500])


@pytest.mark.parametrize("page", PAGES)
def test_pictures_hold_no_tags_of_the_transcript(visited: dict[str, AppTest], page: str) -> None:
    """Plotly draws its texts as HTML: what is not escaped there would be a tag or mathematics."""
    for kind, proto in elements(visited[page]):
        if kind != "plotly_chart":
            continue
        for value in inner_strings(json.loads(proto.spec)):  # type: ignore[attr-defined]
            assert not re.search(r"<(?!/?(?:b|br|i|sub|sup|span|em|extra)\b)", value), value[:500]
            assert "$" not in value or "evil" not in value
            assert not re.search(r"\$[^$]*(?:mc\^2|x\^2)", value), value[:500]


def said(at: AppTest) -> str:
    return "\n".join("".join(read(html).text) for html in pieces(at))


@pytest.mark.parametrize("what", HOSTILE)
def test_the_transcript_is_shown_verbatim(visited: dict[str, AppTest], what: str) -> None:
    text = said(visited["pipeline.py"])
    assert shown(HOSTILE[what]) in text
    assert all(speaker in text for speaker in SPEAKERS)


@pytest.mark.parametrize(
    "page", [name for name in ("pipeline.py", "drift_lab.py", "audit.py") if name in PAGES]
)
def test_claims_are_shown_verbatim(visited: dict[str, AppTest], page: str) -> None:
    at = visited[page]
    verdicts = at.session_state["memguard"].trace[Elimination].verdicts
    text = said(at)
    assert len(verdicts) > 10
    for verdict in verdicts:
        assert shown(verdict.claim.text) in text, verdict.claim.text[:200]


def test_the_reader_finds_what_it_looks_for() -> None:
    """The tests above must be able to fail."""
    for bad in (
        '<img src=x onerror="1">',
        "<script>1</script>",
        "<svg onload=1>",
        '<a href="javascript:1">x</a>',
    ):
        assert read(f"<div>{bad}</div>").faults
    assert not read('<div class="a"><bdi>&lt;script&gt;</bdi></div>').faults
    assert "".join(read("<b>&lt;i&gt;</b>").text) == "<i>"
