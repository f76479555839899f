"""Page Audit on fakes."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from streamlit.testing.v1 import AppTest

from memguard import audit, reports
from memguard.grounding.overrides import Override
from memguard.settings import setting_names
from memguard.trace import Trace
from pages._ui.audit import chain
from tests.app.conftest import ROOT, TALK, Fakes, html, paste
from tests.app.handmade import SAID, handmade
from tests.app.test_render import HOSTILE, read

PAGE = str(ROOT / "pages" / "audit.py")


def opened(at: AppTest) -> AppTest:
    return at.switch_page("pages/audit.py").run()


@pytest.fixture
def trace(fakes: Fakes) -> Trace:
    return fakes.guard.override(handmade(), [Override("c1", kept=True, note="Agreed on the phone")])


@pytest.fixture
def at(fakes: Fakes, trace: Trace) -> AppTest:
    """The page on the hand-made run with one override."""
    app = AppTest.from_file(PAGE, default_timeout=30).run()
    session = app.session_state["memguard"]
    session.trace, session.settings = trace, trace.settings
    app.run()
    assert not app.exception
    return app


def upload(at: AppTest, data: bytes, name: str = "earlier.jsonl") -> AppTest:
    at.file_uploader[0].set_value((name, data, "application/jsonl")).run()
    assert not at.exception
    return at


def test_before_the_first_stage_it_says_what_to_do(app: AppTest) -> None:
    opened(app)

    assert not app.exception
    assert "No stage has run yet" in html(app)
    assert not app.get("download_button")
    assert app.file_uploader[0].label == "Audit file (JSONL)"


def test_the_chain_is_shown_and_verified(app: AppTest) -> None:
    paste(app, json.dumps(TALK)).button(key="finish").click().run()
    records = audit.records(app.session_state["memguard"].trace)
    opened(app)
    shown = html(app)

    assert not app.exception
    assert "The chain is intact" in shown
    assert shown.count("intact") == 1
    assert shown.count('<details class="mg-record"') == len(records) == 4
    assert audit.head(records) in shown
    for record in records:
        assert record.hash[:12] in shown
    assert app.get("download_button")


def test_the_page_stands_alone(fakes: Fakes) -> None:
    """A deep link runs the page's file without app.py until navigation has run once."""
    at = AppTest.from_file(str(ROOT / "pages" / "audit.py"), default_timeout=30).run()

    assert not at.exception
    assert "No stage has run yet" in html(at)


@pytest.mark.parametrize("page", ["pipeline.py", "dropped.py", "audit.py"])
def test_each_page_has_the_style_sheet(fakes: Fakes, page: str) -> None:
    at = AppTest.from_file(str(ROOT / "pages" / page), default_timeout=30).run()

    assert not at.exception
    assert "--mg-kept" in html(at)


# The timeline


def test_every_record_is_readable(at: AppTest, trace: Trace) -> None:
    """Issue 4: stage records, changed settings, overrides and closing, in sections; raw JSON a click away."""
    shown = read(html(at))

    for said in (
        f"2 of {len(setting_names()) + 1} settings differ from the defaults: min similarity 0.6",
        "5 of 5 messages picked; 63 tokens in, summary of 67",
        "6 claims kept, 2 dropped; each compared with 9 places",
        "1 decision by a person: c1",
        "Agreed on the phone",
        "dropped: contradicted: 500 ≠ 400 (m1)",
        "Counts 5 records; its hash is the head",
    ):
        assert said in shown
    for record in audit.records(trace):
        assert record.output_digest in shown
        assert audit.dumps([record]) in shown


def test_a_broken_record_is_pointed_at() -> None:
    lines = audit.dumps(audit.records(handmade())).splitlines(keepends=True)
    lines[1] = lines[1].replace("euros", "pounds", 1)
    report = reports.read_report("".join(lines).encode())
    shown = chain.timeline(report)

    assert shown.count("This record does not hold.") == 1
    assert shown.index("This record does not hold.") > shown.index("<bdi>Elimination</bdi>")
    assert "The chain is broken" in chain.verdict(report.verification, report.faults)


@pytest.mark.parametrize("value", HOSTILE)
def test_hostile_text_is_shown_verbatim(value: str) -> None:
    """UI-008: finding, guard and payload, in the timeline."""
    trace = handmade(detail=value, guard=value)
    shown = chain.timeline(reports.report_of(audit.records(trace), title=value))

    assert "<script>" not in shown
    assert "<img" not in shown
    for attribute in re.findall(r'="([^"]*)"', shown):
        assert "<" not in attribute


def test_a_long_record_is_cut_on_the_page_alone() -> None:
    talk = [{"id": f"m{n}", "content": f"Message {n} says {'word ' * 60}"} for n in range(900)]
    from memguard.messages import Conversation
    from memguard.settings import Settings
    from tests.support import guard

    made = guard()
    trace = made.pipeline.step(Trace(Conversation.from_messages(talk), Settings()))
    shown = chain.timeline(reports.report_of(audit.records(trace)))

    assert "The first 400 of 900 are shown." in shown
    assert len(shown) < 600_000


# What goes out


def test_the_four_exports(at: AppTest, trace: Trace) -> None:
    """Issue 4: JSONL, CSV, Markdown and HTML."""
    labels = [button.proto.label for button in at.get("download_button")]

    assert labels == [
        "JSONL, the chain itself",
        "HTML report, for reading and print",
        "Markdown",
        "CSV, one row a claim",
    ]
    report = reports.report_of(audit.records(trace))
    rows = list(csv.DictReader(io.StringIO(reports.csv_report(report), newline="")))
    assert [row["text"] for row in rows] == list(SAID)


# What comes in


def test_an_earlier_audit_is_shown_read_only_and_closed_again(at: AppTest) -> None:
    """Issue 4: import of an earlier audit, shown read-only with its verification."""
    earlier = audit.records(handmade())
    own = audit.head(audit.records(at.session_state["memguard"].trace))
    upload(at, audit.dumps(earlier).encode())
    shown = html(at)

    assert "earlier.jsonl" in shown
    assert "is shown read-only" in shown
    assert "The chain is intact" in shown
    assert audit.head(earlier) in shown
    assert own not in shown
    assert "1 decision by a person" not in read(shown)
    assert at.get("download_button")[0].proto.label.startswith("HTML")
    at.button(key="audit-close").click().run()
    assert own in html(at)


def test_an_earlier_audit_survives_a_switch_of_pages(app: AppTest) -> None:
    """UI-010."""
    upload(opened(app), audit.dumps(audit.records(handmade())).encode())
    app.switch_page("pages/pipeline.py").run()
    opened(app)

    assert not app.exception
    assert "is shown read-only" in html(app)


def test_a_tampered_audit_is_named_broken(at: AppTest) -> None:
    text = audit.dumps(audit.records(handmade())).replace("The deposit is 500", "The deposit is 900", 1)
    upload(at, text.encode())

    assert "The chain is broken" in html(at)
    assert "The deposit is 900" in read(html(at))


def test_a_head_shows_a_chain_that_was_written_anew(at: AppTest) -> None:
    earlier = audit.records(handmade())
    upload(at, audit.dumps(earlier).encode())
    field = next(f for f in at.text_input if f.label == "Head to compare with")
    field.set_value("0" * 64).run()
    assert "not the expected" in html(at)
    field.set_value(audit.head(earlier)).run()
    assert "The chain is intact" in html(at)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is empty"),
        (b'{"messages": []}\n', "must have exactly the fields"),
        (b"<script>alert(1)</script>", "not a JSON object"),
        (b"\xff\xfe", "not UTF"),
        (b"x" * (17 * 1024 * 1024), "at most 16 MiB are read"),
    ],
)
def test_a_bad_file_says_what_to_do_and_loses_nothing(at: AppTest, data: bytes, said: str) -> None:
    upload(at, data, "wrong.jsonl")

    assert len(at.error) == 1
    message = at.error[0].value.replace("\\", "")
    assert said in message
    assert "What was shown before is still here" in message
    assert "<script>" not in at.error[0].value
    assert "The chain is intact" in html(at)


def test_what_one_session_opens_no_other_sees(at: AppTest, fakes: Fakes) -> None:
    upload(at, audit.dumps(audit.records(handmade())).encode())
    other = AppTest.from_file(PAGE, default_timeout=30).run()

    assert "is shown read-only" not in html(other)


def test_a_head_is_compared_after_a_switch_of_pages_too(app: AppTest) -> None:
    """The uploader forgets its file when the page is left; the session does not."""
    upload(opened(app), audit.dumps(audit.records(handmade())).encode())
    app.switch_page("pages/pipeline.py").run()
    opened(app)

    next(field for field in app.text_input if field.label == "Head to compare with").set_value("0" * 64).run()

    assert not app.exception
    assert "not the expected" in html(app)


def test_the_filters_of_claims_survive_a_switch_of_pages(app: AppTest) -> None:
    paste(app, json.dumps(TALK)).button(key="finish").click().run()
    opened(app)
    pills = app.get("button_group")[0]
    pills.set_value([pills.options[0]]).run()
    before = html(app).count("mg-claim-row")

    app.switch_page("pages/pipeline.py").run()
    opened(app)

    assert app.get("button_group")[0].value == ["support_reached"]
    assert html(app).count("mg-claim-row") == before
