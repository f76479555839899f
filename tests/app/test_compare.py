"""Without and with MemGuard, side by side."""

from __future__ import annotations

from html.parser import HTMLParser

from memguard.eliminator import Elimination
from memguard.reconstructor import Reconstruction
from memguard.trace import Trace
from pages._ui.pipeline import compare
from tests.app import handmade
from tests.app.conftest import Fakes


class Reader(HTMLParser):
    """Collects the text of each class, and of the struck parts."""

    def __init__(self, shown: str) -> None:
        super().__init__()
        self.struck: list[str] = []
        self.tags: list[str] = []
        self.text = ""
        self._open: list[tuple[str, str]] = []
        self.feed(shown)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open.append((tag, dict(attrs).get("class") or ""))
        if tag == "del":
            self.struck.append("")

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        self.text += data
        if any(tag == "del" for tag, _ in self._open):
            self.struck[-1] += data
        if any("mg-tag" in css for _, css in self._open):
            self.tags.append(data)


def left(trace: Trace) -> str:
    return compare.panes(trace).partition('<section class="mg-side mg-side-with">')[0]


def right(trace: Trace) -> str:
    return compare.panes(trace).partition('<section class="mg-side mg-side-with">')[2]


def test_the_raw_summary_is_whole_and_exactly_its_drift_is_struck() -> None:
    trace = handmade.handmade()
    dropped = [verdict.claim.text for verdict in trace[Elimination].dropped]
    read = Reader(left(trace))

    assert dropped
    assert read.struck == dropped
    assert len(read.tags) == len(dropped)
    assert any("✕ contradicted" in tag for tag in read.tags)
    assert any("○ not found" in tag for tag in read.tags)
    for said in handmade.SAID:
        assert said in read.text


def test_each_dropped_claim_has_its_reason_in_words() -> None:
    trace = handmade.handmade()
    shown = Reader(right(trace)).text
    gone = shown.partition("Left out, and why")[2]

    for verdict in trace[Elimination].dropped:
        assert verdict.claim.text in gone
    assert "500 ≠ 400 (m1)" in gone


def test_each_line_of_the_context_has_its_source() -> None:
    trace = handmade.handmade()
    result = trace[Reconstruction]
    shown = right(trace)

    assert shown.count("<cite") == len(result.pieces) > 1
    for piece in result.pieces:
        assert piece.text.rstrip(".") in Reader(shown).text
    assert f"{result.tokens:,} tokens" in shown


def test_a_run_without_drift_says_so(fakes: Fakes) -> None:
    trace = fakes.guard.run([{"role": "user", "content": "The deposit is 400 euros."}])

    assert "is borne out by the transcript" in left(trace)
    assert "Left out" not in right(trace)
    assert not Reader(left(trace)).struck


def test_a_run_without_claims_is_calm(fakes: Fakes) -> None:
    trace = fakes.guard.run([{"role": "user", "content": ""}])

    assert "nothing reaches the model" in right(trace)


def test_a_hostile_text_is_shown_verbatim() -> None:
    hostile = "<script>alert(1)</script> <img src=x onerror=alert(2)> [x](javascript:1) $5 :red[no] \u202eabc"
    trace = handmade.handmade(detail=hostile)

    shown = compare.panes(trace)

    assert "<script" not in shown
    assert "<img" not in shown
    assert hostile in Reader(shown).text
