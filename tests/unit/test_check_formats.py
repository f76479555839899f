"""``memguard check --format`` and ``--junit``: what a build reads, whatever the texts hold."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from memguard import cli, wire
from memguard.cli.check_formats import Checked, github, junit
from memguard.cli.codes import BAD_INPUT, DONE, DROPPED, WRONG_USAGE
from memguard.cli.forms import PAYLOAD_FORMS
from memguard.models import loading
from memguard.payload import Form
from tests.fakes import FakeCounter, FakeEmbedder, FakeSummarizer
from tests.support import guard

SCHEMA = etree.XMLSchema(etree.parse(Path(__file__).parent / "data" / "junit_report.xsd"))
MESSAGES = [
    {"id": "m1", "role": "user", "speaker": "Ada", "content": "The deposit is 400 euros."},
    {"id": "m2", "role": "assistant", "content": "The offsite moved to March 19."},
]
SUMMARY = "The offsite moved to March 19.\n\n  The deposit is 500 euros. Hello there!\n"
COMMAND = re.compile(r"::(error|warning|notice) ([^:]*)::([^\r\n]*)")


@pytest.fixture(autouse=True)
def fakes(monkeypatch):
    monkeypatch.setattr(loading, "load_embedder", lambda *_a, **_k: FakeEmbedder())
    monkeypatch.setattr(loading, "load_summarizer", lambda *_a, **_k: FakeSummarizer())
    monkeypatch.setattr(loading, "load_counter", FakeCounter)


@pytest.fixture
def files(tmp_path, monkeypatch):
    (tmp_path / "chat.json").write_text(json.dumps(MESSAGES), encoding="utf-8")
    (tmp_path / "summary.txt").write_text(SUMMARY, encoding="utf-8")
    rows = [
        {"id": "r1", "messages": MESSAGES, "summary": SUMMARY},
        {"id": "r2", "messages": 7, "summary": ""},
    ]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


ONE = ("--transcript", "chat.json", "--summary", "summary.txt")


def run(capsys: Any, *arguments: str) -> tuple[int, str, str]:
    code = cli.main(["check", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def commands(text: str) -> list[tuple[str, dict[str, str], str]]:
    """Return the workflow commands of a text, read as the runner reads them; every line is one."""
    found = []
    for line in text.removesuffix("\n").split("\n"):
        match = COMMAND.fullmatch(line)
        assert match is not None, line
        properties = dict(pair.split("=", 1) for pair in match[2].split(","))
        plain = {name: unescaped(value) for name, value in properties.items()}
        found.append((match[1], plain, unescaped(match[3])))
    return found


def unescaped(text: str) -> str:
    for code, char in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        text = text.replace(code, char)
    return text


def suites(text: str) -> list[Any]:
    root = etree.fromstring(text.encode())
    SCHEMA.assertValid(root)
    return list(root)


def test_github_annotates_the_words_of_a_dropped_claim(capsys, files):
    code, out, _ = run(capsys, *ONE, "--format", "github")

    (level, place, message), (count, _, told) = commands(out)
    assert code == DONE
    assert (level, count) == ("warning", "notice")
    assert message.startswith("dropped, contradicted by m1: The deposit is 500 euros. (")
    assert place["title"] == "MemGuard: dropped, contradicted by m1"
    line = SUMMARY.split("\n")[int(place["line"]) - 1]
    assert line[int(place["col"]) - 1 : int(place["endColumn"]) - 1] == "The deposit is 500 euros."
    assert told.startswith("1 of 2 claims kept; audit head ")


def test_under_fail_on_drop_the_annotation_is_an_error_and_the_code_is_three(capsys, files):
    code, out, _ = run(capsys, *ONE, "--format", "github", "--fail-on-drop")

    assert code == DROPPED
    assert [level for level, _, _ in commands(out)] == ["error", "notice"]


def test_junit_has_a_test_a_claim_and_a_failure_a_dropped_one(capsys, files):
    code, out, _ = run(capsys, *ONE, "--format", "junit")

    [suite] = suites(out)
    cases = suite.findall("testcase")
    assert code == DONE
    assert [suite.get(name) for name in ("name", "tests", "failures", "errors", "skipped")] == [
        "summary.txt",
        "3",
        "1",
        "0",
        "1",
    ]
    assert [[child.tag for child in case] for case in cases] == [[], ["failure"], ["skipped"]]
    failure = cases[1].find("failure")
    assert failure.get("type") == "contradicted"
    assert "m1: The deposit is 400 euros." in failure.text
    assert "c1 kept [m2]: The offsite moved to March 19." in suite.findtext("system-out")


def test_junit_is_written_beside_the_usual_output(capsys, files):
    code, out, _ = run(capsys, *ONE, "--junit", "junit.xml", "--json", "--fail-on-drop")

    assert code == DROPPED
    assert json.loads(out)["schema"] == wire.SCHEMA
    [suite] = suites((files / "junit.xml").read_text(encoding="utf-8"))
    assert suite.get("failures") == "1"
    head = suite.xpath("properties/property[@name='audit_head']/@value")
    assert head == [json.loads(out)["audit_head"]]


def test_a_batch_is_a_suite_a_row_and_a_bad_row_an_error(capsys, files):
    code, out, _ = run(capsys, "--batch", "rows.jsonl", "--format", "junit")

    good, bad = suites(out)
    assert code == BAD_INPUT
    assert good.get("name") == "rows.jsonl, line 1"
    assert (good.get("failures"), bad.get("errors"), bad.get("tests")) == ("1", "1", "1")
    assert "messages must be a list" in bad.find("testcase/error").get("message")


def test_a_batch_annotates_the_lines_of_its_rows(capsys, files):
    code, out, _ = run(capsys, "--batch", "rows.jsonl", "--format", "github", "--junit", "junit.xml")

    assert code == BAD_INPUT
    assert [(level, place["line"]) for level, place, _ in commands(out)] == [
        ("warning", "1"),
        ("notice", "1"),
        ("error", "2"),
    ]
    assert len(suites((files / "junit.xml").read_text(encoding="utf-8"))) == 2


def test_a_batch_in_text_prints_the_wire_form_as_before(capsys, files):
    _, out, _ = run(capsys, "--batch", "rows.jsonl", "--junit", "junit.xml")

    assert [json.loads(line)["status"] for line in out.splitlines()] == ["ok", "error"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--format", "github", "--json"), "--json and --format"),
        (("--junit", "summary.txt"), "would overwrite summary.txt"),
        (("--junit", "out.txt", "--out", "out.txt"), "would overwrite out.txt"),
        (("--format", "xml"), "--format must be one of text, markdown, json, messages, github, junit"),
        (("--format", "json", "--payload-format", "markdown"), "--format json and --payload-format markdown"),
    ],
)
def test_flags_that_do_not_fit_are_refused_before_any_work(capsys, files, arguments, told):
    with pytest.raises(SystemExit) as caught:
        cli.main(["check", *ONE, *arguments])

    assert caught.value.code == WRONG_USAGE
    assert told in capsys.readouterr().err


def test_the_form_of_the_payload_has_one_name_in_run_and_check(capsys, files):
    """Issue 5: text, Markdown, JSON and ``messages[]``; ``--payload-format`` still says the same."""
    given = ("--transcript", "chat.json", "--summary", "summary.txt")
    outs = [run(capsys, *given, flag, "messages")[1] for flag in ("--format", "--payload-format")]
    assert outs[0] == outs[1]
    assert json.loads(outs[0])[0]["role"]
    run(capsys, *given, "--format", "junit", "--payload-format", "messages", "--out", "payload.json")
    assert (files / "payload.json").read_text(encoding="utf-8") == outs[0]
    for flag in ("--format", "--payload-format"):
        assert cli.main(["run", "chat.json", flag, "messages"]) == DONE
        assert isinstance(json.loads(capsys.readouterr().out), list)
    assert tuple(form.value for form in Form) == PAYLOAD_FORMS


def test_a_batch_takes_no_form_of_a_payload(capsys, files):
    with pytest.raises(SystemExit) as caught:
        cli.main(["check", "--batch", "rows.jsonl", "--format", "messages"])

    assert caught.value.code == WRONG_USAGE
    assert "--format takes github or junit" in capsys.readouterr().err


def test_a_folder_that_is_not_there_is_told_before_any_work(capsys, files):
    code, _, err = run(capsys, *ONE, "--junit", "nowhere/junit.xml")

    assert code == BAD_INPUT
    assert "nothing was done yet" in err


def test_standard_input_has_no_place():
    row = wire.result(guard().check(SUMMARY, MESSAGES), audit_head="0" * 64)

    first, *_ = commands(github([Checked(row, "-", summary=SUMMARY)], fails=False))
    assert set(first[1]) == {"title"}


def test_a_claim_that_runs_over_lines_has_no_columns():
    text = "The deposit\nis 500 euros."
    row = wire.result(guard().check(text, MESSAGES), audit_head="0" * 64)

    first, *_ = commands(github([Checked(row, "s.txt", summary=text)], fails=False))
    assert first[1]["line"] == "1"
    assert first[1]["endLine"] == "2"
    assert "col" not in first[1]


def test_what_would_control_a_terminal_or_a_runner_is_shown_as_text():
    """An id with a line of its own, colours, an order turned around, and the runner's older commands."""
    messages = [{"id": "m1\n::error::id", "content": "The deposit is 400 euros."}]
    text = "\x1b[31mThe deposit \u202eis 500 euros ##[add-mask]e."
    row = wire.result(guard().check(text, messages), audit_head="0" * 64)
    checked = [Checked(row, "s.txt", summary=text)]

    [level, *_], _ = commands(github(checked, fails=True))
    assert level == "error"
    assert not re.search("[\x1b\u202e]", github(checked, fails=True))
    xml = junit(checked)
    assert "##[" not in xml
    assert not [line for line in xml.split("\n") if line.lstrip().startswith("::")]
    [suite] = suites(xml)
    assert "##[add-mask]e" in suite.findtext("testcase/failure")


NASTY = st.text(st.one_of(st.sampled_from('%:,\r\n<>&"\x00\x1b]'), st.characters(codec="utf-8")), max_size=30)


@given(words=NASTY, file=NASTY.filter(bool))
def test_whatever_a_text_holds_it_is_data_in_both(words, file):
    """An order to the runner, markup or a control character in a claim comes out as text."""
    claim: Any = {
        "id": "c1",
        "text": f"{words}\n::error::owned ##[error]",
        "start": 0,
        "end": 1,
        "label": "not_found",
        "kept": False,
        "reason": "no_evidence",
        "detail": words,
        "override": None,
        "findings": [],
        "evidence": [{"message_id": words, "text": words}],
    }
    row: Any = {**wire.failure("", id=words), "status": "ok", "claims": [claim], "warnings": [words]}
    checked = [Checked(row, file, summary=words)]

    read = commands(github(checked, fails=True))
    assert [level for level, _, _ in read] == ["error", "notice"]
    assert read[0][1].get("file", "-") == file
    [suite] = suites(junit(checked))
    assert suite.get("failures") == "1"
