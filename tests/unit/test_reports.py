"""Reports of an audit: what they say, what they never do with a hostile text, and damaged files."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser

import pytest

from memguard import audit, palette, reports
from memguard.errors import AuditError
from memguard.grounding.overrides import Override
from memguard.guard import MemGuard
from memguard.reports import Report
from memguard.reports.marks import Mark, cut
from memguard.reports.notes import block, inline
from memguard.reports.rows import HEADER
from memguard.settings import LimitSettings
from memguard.trace import Trace
from tests.app.handmade import SAID, handmade
from tests.fakes import FakeCounter, FakeEmbedder, FakeSummarizer
from tests.support import guard, with_values

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOSTILE = [
    "<script>alert(1)</script>",
    '<img src=x onerror="alert(1)">',
    "[x](javascript:alert(1)) **bold** `code` ``` fence",
    "```\n# heading\n~~~~",
    "$5 and $10 :red[no] :tada: | a | b |",
    "\u202eright to left\u202c " + "w" * 300,
    "{{ 7*7 }} {% raw %} {# x #}",
    "</bdi></td></table><style>*{display:none}</style>",
    "line one\nline two\r\nline three\ttab",
    "nul \x00 here",
    "&lt;b&gt; &amp; &#39;",
]


@pytest.fixture(scope="module")
def trace() -> Trace:
    """Every label and severity, one claim kept by hand and one dropped by hand."""
    models = MemGuard(embedder=FakeEmbedder(), summarizer=FakeSummarizer(""), counter=FakeCounter())
    return models.override(
        handmade(),
        [
            Override("c1", kept=True, note="Agreed on the phone", made_at=NOON),
            Override("c3", kept=False),
        ],
    )


@pytest.fixture(scope="module")
def report(trace: Trace) -> Report:
    return reports.report_of(audit.records(trace), title="Flat handover")


@pytest.fixture(scope="module")
def lines(trace: Trace) -> list[str]:
    return audit.dumps(audit.records(trace)).splitlines(keepends=True)


class Texts(HTMLParser):
    """What a reader of an HTML page sees, and which tags and attributes it has."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.seen = ""
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs
        self._hidden += tag in ("style", "title")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("style", "title")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.seen += data


def read(page: str) -> Texts:
    found = Texts()
    found.feed(page)
    return found


# What a report says


def test_the_html_report_answers_every_question_of_a_handover(report: Report) -> None:
    """Issue 4: in and out, figures, drops with evidence, overrides, settings, models, chain with its head."""
    page = reports.html_report(report)
    seen = read(page).seen

    for heading in (
        "What went in",
        "What came out",
        "Dropped claims",
        "Overrides",
        "Kept claims",
        "Models",
        "Settings",
        "The chain",
    ):
        assert f"<h2>{heading}</h2>" in page
    assert "The chain is intact" in seen
    assert report.verification.head is not None
    assert report.verification.head in seen
    assert all(record.hash in seen for record in report.records)
    assert all(said in seen for said in SAID)
    assert "Agreed on the phone" in seen
    assert "2026-11-30 12:00:00 UTC" in seen
    assert "kept by a person" in seen
    assert "fake/all-mpnet-base-v2@1" in seen
    assert "elimination.min_similarity" in seen
    assert "would be kept at minimum support 0.20" in seen
    for name, words in (("contradiction", "500"), ("missing", "landlord"), ("unsupported", "burned")):
        assert re.search(rf'<u class="[^"]*{name}[^"]*"[^>]*>{words}</u>', page), name


def test_the_html_report_needs_no_network_and_no_script(report: Report) -> None:
    page = reports.html_report(report)
    found = read(page)

    assert not found.tags & {"script", "link", "img", "iframe", "object", "embed", "form", "a"}
    assert not [name for name, _ in found.attributes if name.startswith("on") or name in ("src", "href")]
    assert not re.search(r"url\(|@import|https?:", page)
    assert "default-src 'none'" in page
    assert "@page" in page
    assert "@media print" in page


def test_its_colours_are_those_of_the_palette(report: Report) -> None:
    page = reports.html_report(report)
    known = {
        colour.lower() for meaning in palette.MEANINGS for colour in (meaning.light.fg, meaning.light.bg)
    }
    known |= {getattr(palette.LIGHT, name).lower() for name in ("paper", "wash", "ink", "grey", "line")}

    assert {colour.lower() for colour in re.findall(r"#[0-9a-fA-F]{6}\b", page)} <= known
    for meaning in palette.CLAIM_MEANINGS:
        assert palette.contrast(meaning.light.fg, meaning.light.bg) >= 4.5


def test_the_markdown_report_says_the_same(report: Report) -> None:
    said = reports.markdown_report(report)

    assert said.startswith("# MemGuard audit report: Flat handover\n")
    assert "The chain is intact: 5 records." in said
    for text in (c.text for c in report.dropped):
        assert f"```text\n{text}\n```" in said
    assert str(report.verification.head) in said
    assert "Agreed on the phone" in said


def test_the_csv_has_a_row_a_claim(report: Report) -> None:
    rows = list(csv.DictReader(io.StringIO(reports.csv_report(report), newline="")))

    assert list(rows[0]) == list(HEADER)
    assert [row["text"] for row in rows] == list(SAID)
    assert (rows[0]["fate"], rows[0]["override"], rows[0]["note"]) == (
        "kept by a person",
        "keep",
        "Agreed on the phone",
    )
    assert (rows[0]["best_evidence"], rows[0]["best_source"]) == ("The deposit is 400 euros.", "m1, Mira")
    assert float(rows[0]["similarity"]) == 0.976
    assert rows[2]["fate"] == "dropped by a person"


def test_a_report_of_records_is_that_of_their_file(report: Report, lines: list[str]) -> None:
    assert reports.read_report("".join(lines).encode(), title="Flat handover") == report
    assert report.changed_settings == {
        "elimination.min_similarity": (0.3, 0.6),
        "reconstruction.citations": ("auto", "full"),
    }
    assert [c.id for c in report.dropped] == ["c3", "c6", "c9"]


def test_a_handed_in_summary_and_an_unfinished_run_are_reported() -> None:
    made = guard(with_values(elimination__preset="contract"), counter=FakeCounter())
    checked = made.check("Nobody lives in Rio.", [{"role": "user", "content": "My order is late."}])
    whole, begun = (reports.report_of(audit.records(t)) for t in (checked, checked.rewind(2)))

    assert "The summary was handed in" in read(reports.html_report(whole)).seen
    assert "quoted verbatim" in read(reports.html_report(whole)).seen
    assert "Reconstruction was not recorded." in read(reports.html_report(begun)).seen
    assert "Reconstruction was not recorded." in reports.markdown_report(begun)
    assert begun.claims == ()


# Hostile text


def hostile_report(trace: Trace, text: str) -> Report:
    """A report in which every text of the chain is the hostile one."""

    def spoilt(value: object, key: str = "") -> object:
        if isinstance(value, dict):
            return {name: spoilt(item, name) for name, item in value.items()}
        if isinstance(value, list):
            return [spoilt(item, key) for item in value]
        return (
            text if isinstance(value, str) and key not in ("label", "reason", "decision", "stage") else value
        )

    records = [
        replace(
            record,
            detail=spoilt(record.detail),
            settings=spoilt(record.settings),
            model_ids={text: text},
            run_id=text,
            started_at=text,
        )
        for record in audit.records(trace)
    ]
    found = reports.read_report(audit.dumps(records).encode(), title=text)
    assert not found.faults
    return found


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_shown_as_it_is_in_html(trace: Trace, text: str) -> None:
    """Issue 4: everything is escaped, and comes out verbatim."""
    page = reports.html_report(hostile_report(trace, text))
    found = read(page)

    shown = text.replace("\x00", "\ufffd").replace("\r\n", "\n")
    assert found.seen.replace("\r\n", "\n").count(shown) > 30
    assert not found.tags & {"script", "img", "a", "iframe"}
    assert page.count("<style>") == 1
    assert not [name for name, _ in found.attributes if name.startswith("on") or name in ("src", "href")]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_verbatim_in_the_fences_of_markdown(trace: Trace, text: str) -> None:
    said = reports.markdown_report(hostile_report(trace, text))
    shown = text.replace("\x00", "\ufffd")

    assert f"text\n{shown}\n```" in said
    fence = re.match("`+", block(text))
    assert fence is not None
    assert fence[0] not in text
    outside = re.sub(r"(?s)(`{3,})text\n.*?\n\1(?!`)", "", said)
    for risky in ("<script", "<img", "](javascript", "**bold**", ":red[", "$5"):
        assert not re.search(r"(?<!\\)" + re.escape(risky), outside)


def test_inline_markdown_escapes_whatever_it_would_read() -> None:
    assert inline("a|b *c* <d> $e$ :f: @g\nnext") == ("a\\|b \\*c\\* \\<d\\> \\$e\\$ \\:f\\: \\@g<br>next")


@pytest.mark.parametrize(
    "text", [*HOSTILE, '=HYPERLINK("http://x","y")', "+1", "-1+2", "@SUM(A1)", "\t=1", "'a"]
)
def test_hostile_text_is_verbatim_in_csv_and_never_a_formula(trace: Trace, text: str) -> None:
    """A cell that begins with = + - @, a tab or a line end gets an apostrophe; taking it away restores it."""
    rows = list(csv.DictReader(io.StringIO(reports.csv_report(hostile_report(trace, text)), newline="")))

    cell = rows[0]["text"]
    restored = cell[1:] if cell.startswith("'") else cell
    assert restored == text.replace("\x00", "\ufffd")
    for row in rows:
        for name, value in row.items():
            is_number = name.endswith(("similarity", "support"))
            assert is_number or value[:1] not in {*"=+-@\t\r\n＝＋－＠"}


def test_numbers_below_zero_stay_numbers(trace: Trace) -> None:
    records = list(audit.records(trace))
    detail = json.loads(json.dumps(records[1].detail))
    detail["claims"][0]["similarity"] = -0.25
    found = reports.report_of([records[0], replace(records[1], detail=detail), *records[2:]])

    rows = csv.DictReader(io.StringIO(reports.csv_report(found), newline=""))
    assert next(rows)["similarity"] == "-0.25"


@pytest.mark.parametrize("span", [(-5, 3), (2, 1), (3, 900), (0, 0), (10**30, 10**31)])
def test_marks_outside_the_text_do_no_harm(span: tuple[int, int]) -> None:
    pieces = cut("abcdef", [Mark(*span, "missing", "seen")])

    assert "".join(p.text for p in pieces) == "abcdef"


# Files from elsewhere


def test_a_tampered_audit_is_read_and_named_broken(lines: list[str]) -> None:
    tampered = [*lines]
    tampered[1] = tampered[1].replace("500 euros", "900 euros")
    found = reports.read_report("".join(tampered).encode())

    assert not found.verification.intact
    assert found.verification.broken_at == 2
    assert "900 euros" in found.claims[0].text
    page = read(reports.html_report(found)).seen
    assert "The chain is broken" in page
    assert "The chain is broken" in reports.markdown_report(found)


def test_a_recomputed_chain_is_shown_by_its_head(lines: list[str]) -> None:
    found = reports.read_report("".join(lines).encode(), expected_head="0" * 64)

    assert not found.verification.intact
    assert "not the expected" in found.verification.message


def test_what_can_be_read_is_shown_beside_the_faults(lines: list[str]) -> None:
    damaged = "".join([lines[0], "{not json}\n", *lines[2:4], lines[4][:40]])
    found = reports.read_report(damaged.encode())

    assert [fault.line for fault in found.faults] == [2, 5]
    assert found.summary is not None
    assert found.judgement is None
    assert found.assembled is not None
    assert "Line 2 could not be read" in read(reports.html_report(found)).seen
    assert "Line 5 could not be read" in reports.markdown_report(found)


def edited(lines: list[str], **detail: object) -> bytes:
    row = json.loads(lines[1])
    row["detail"] |= detail
    return (lines[0] + json.dumps(row) + "\n").encode()


@pytest.mark.parametrize(
    ("detail", "said"),
    [
        ({"claims": "none"}, r"Expected `array`, got `str` - at `\$\.claims`"),
        ({"claims": [{"id": 3}]}, r"at `\$\.claims\[0\]"),
        ({"n_kept": None}, r"Expected `int`, got `null` - at `\$\.n_kept`"),
        ({"min_similarity": "low"}, r"at `\$\.min_similarity`"),
    ],
)
def test_a_record_of_another_form_is_a_fault_that_names_the_place(
    lines: list[str], detail: dict, said: str
) -> None:
    found = reports.read_report(edited(lines, **detail))

    assert [fault.line for fault in found.faults] == [2]
    assert re.search(said, found.faults[0].message)
    assert found.judgement is None


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is empty"),
        (b"\n", "not a JSON object"),
        (b"hello\n", "not a JSON object"),
        (b"[1]\n", "must have exactly the fields"),
        (b'{"schema": "memguard.result/1"}\n', "must have exactly the fields"),
        (b"\xff\xfe\x00", "is not UTF-8 text"),
        (b"\xef\xbb\xbf{}\n", "not a JSON object"),
        (b"[" * 100_000, "not a JSON object"),
        (b"1" * 10_000, "not a JSON object"),
    ],
)
def test_what_is_no_audit_says_what_to_do(data: bytes, said: str) -> None:
    with pytest.raises(AuditError, match=said) as caught:
        reports.read_report(data, source="chat.txt")
    assert "chat.txt" in str(caught.value)
    assert "--audit FILE" in str(caught.value)


def test_a_file_over_the_limit_is_refused_before_it_is_read() -> None:
    with pytest.raises(AuditError, match=r"big\.jsonl has 1\.5 MiB; at most 1 MiB are read"):
        reports.read_report(b"x" * 1_572_864, source="big.jsonl", limits=LimitSettings(file_mb=1))


def test_half_characters_and_endless_numbers_do_no_harm(lines: list[str]) -> None:
    found = reports.read_report(edited(lines, preset="\ud800"))
    assert found.judgement is not None
    assert found.judgement.preset == "\ufffd"
    reports.html_report(found).encode()

    huge = reports.read_report(edited(lines, min_similarity=10**400, n_kept=10**30))
    assert html.escape(reports.html_report(huge))


def test_an_unknown_stage_is_listed(trace: Trace) -> None:
    records = audit.records(trace)
    found = reports.report_of([*records[:2], replace(records[2], stage="redaction"), *records[3:]])

    assert "Redaction" in read(reports.html_report(found)).seen
