"""What a run tells a person on stderr: verdicts and their reasons, what was left out, what went wrong."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from memguard import cli
from memguard.cli import commands, telling
from memguard.cli.codes import BAD_INPUT, DONE, DROPPED, INTERRUPTED
from memguard.cli.output import Bars
from memguard.errors import how_to_install
from memguard.grounding.overrides import Override
from memguard.models import loading
from memguard.wire import claim_rows
from tests.fakes import FakeCounter, FakeEmbedder, FakeSummarizer
from tests.support import guard

ROOT = Path(__file__).resolve().parents[2]
MESSAGES = [
    {"id": "m1", "speaker": "Ada", "content": "The deposit is 400 euros."},
    {"id": "m2", "role": "assistant", "content": "The offsite moved to March 19."},
    {"id": "m3", "speaker": "Ada", "content": "We picked Lisbon because it is warm."},
    {"id": "m4", "speaker": "Ada", "content": "I am severely allergic to penicillin."},
    {"id": "m5", "speaker": "Ada", "content": "Send the file to docs/plan.md by Friday."},
    {"id": "m6", "speaker": "Ada", "content": "There are 14 people, 3 rooms, 8 bikes and 21 meals."},
]
SUMMARY = "The deposit is 500 euros. The offsite moved to March 19. A yacht waits in Rio."


@pytest.fixture(autouse=True)
def fakes(monkeypatch):
    monkeypatch.setattr(loading, "load_embedder", lambda *_a, **_k: FakeEmbedder())
    monkeypatch.setattr(loading, "load_summarizer", lambda *_a, **_k: FakeSummarizer())
    monkeypatch.setattr(loading, "load_counter", FakeCounter)


@pytest.fixture
def files(tmp_path, monkeypatch):
    (tmp_path / "chat.json").write_text(json.dumps(MESSAGES), encoding="utf-8")
    (tmp_path / "summary.txt").write_text(SUMMARY, encoding="utf-8")
    (tmp_path / "blank.txt").write_text(" \n\u200b", encoding="utf-8")
    (tmp_path / "none.json").write_text("[]", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


CHECK = ("check", "--transcript", "chat.json", "--summary", "summary.txt")


def run(capsys, *arguments):
    code = cli.main(list(arguments))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def batch(path, *rows):
    path.write_text("\n".join(r if isinstance(r, str) else json.dumps(r) for r in rows), encoding="utf-8")


def test_a_dropped_claim_is_told_with_its_reason_and_its_evidence(capsys, files):
    """Sign, claim, reason in words, and what the transcript says in its place."""
    _, _, err = run(capsys, *CHECK)

    lines = err.splitlines()
    first = lines.index("✕ c1 dropped, contradicted by m1: The deposit is 500 euros.")
    assert lines[first + 1].startswith("    500 euros, where m1 says 400 euros")
    assert lines[first + 2] == "    nearest: m1: The deposit is 400 euros."
    assert any(
        re.fullmatch(r"\S c3 dropped, not found in the transcript: A yacht .*", line) for line in lines
    )
    assert " c2 " not in err


def test_a_person_and_a_doubt_are_told_too_and_no_kept_claim():
    trace = guard().check(SUMMARY, MESSAGES)
    trace = guard().override(trace, [Override("c1", kept=True, note="by phone")])
    by_hand = claim_rows(trace)
    doubtful = {**by_hand[1], "label": "needs_review", "detail": "a sum"}

    lines = list(telling.verdict_lines([*by_hand, doubtful], signs=False))
    assert [line for line in lines if not line.startswith(" ")] == [
        "x c3 dropped, not found in the transcript: A yacht waits in Rio.",
        "? c2 needs review, kept: The offsite moved to March 19.",
    ]


def test_long_evidence_is_cut_and_nothing_moves_the_cursor(capsys, files):
    long = {"id": "m\x1b[2J", "content": "The deposit is 400 euros, \x1b[31m" + "and so on, " * 60}
    (files / "chat.json").write_text(json.dumps([long]), encoding="utf-8")

    _, _, err = run(capsys, *CHECK)
    assert "\x1b" not in err
    assert max(len(line) for line in err.splitlines() if "nearest" in line) < 200


def test_key_facts_that_are_left_out_are_told_by_class_and_at_most_ten(capsys, files):
    """Issue 5: which key facts are not in the payload, by class."""
    _, out, err = run(capsys, *CHECK, "--json")
    missing = [fact for fact in json.loads(out)["facts"] if fact["kept"] is False]
    assert len(missing) > telling.FACTS_SHOWN
    assert "key facts are not" not in err  # what --json holds is not told twice

    _, _, err = run(capsys, *CHECK)
    lines = err.splitlines()
    first = next(i for i, line in enumerate(lines) if "key facts are not in the payload:" in line)
    told = lines[first + 1 : -1]
    assert lines[first].startswith(f"{len(missing)} of ")
    assert "    condition: I am severely allergic to penicillin (m4)" in told
    assert "    path: docs/plan.md (m5)" in told
    assert told[-1] == f"    and {len(missing) - telling.FACTS_SHOWN} more; --json lists all"
    assert len(re.findall(r"\(m\d\)", "\n".join(told))) == telling.FACTS_SHOWN


def test_facts_that_fit_have_no_rest(capsys, files):
    trace = guard().check(SUMMARY, MESSAGES[:2])

    head, *rest = telling.fact_lines(trace)
    assert "    price: 400 euros (m1)" in rest
    assert head.startswith(f"{sum(line.count('(m') for line in rest)} of ")
    assert not [line for line in rest if " more" in line]
    assert list(telling.fact_lines(guard().check("Hello.", [{"content": "Hello."}]))) == []


def test_quiet_leaves_the_payload_alone(capsys, files):
    code, out, err = run(capsys, *CHECK, "--quiet", "--fail-on-drop")

    assert (code, err) == (DROPPED, "")
    assert "The offsite moved to March 19." in out


def test_a_log_gets_one_line_a_step_and_no_bar(capsys, files):
    _, _, err = run(capsys, *CHECK)

    assert "\r" not in err
    assert err.splitlines().count("elimination: claims embedded") == 1


def test_a_batch_says_how_many_rows_failed_and_which_first(capsys, files):
    good = {"messages": MESSAGES, "summary": SUMMARY}
    batch(files / "rows.jsonl", good, *[f"{{bad {n}" for n in range(6)], {**good, "summary": "March 19."})

    code, out, err = run(capsys, "check", "--batch", "rows.jsonl")

    assert code == BAD_INPUT
    assert len(out.splitlines()) == 8
    lines = err.splitlines()
    assert "8 rows: 1 without a dropped claim, 1 with one or more, 6 not checked" in lines
    first = next(i for i, line in enumerate(lines) if line.startswith("memguard: 6 of 8 rows could not be"))
    assert [line.partition(":")[0] for line in lines[first + 1 : first + 6]] == [
        f"  rows.jsonl, line {number}" for number in range(2, 7)
    ]
    assert lines[first + 6] == "  and 1 more; each stands in its place of the output"
    _, _, quiet = run(capsys, "check", "--batch", "rows.jsonl", "-q")
    assert quiet.startswith("memguard: 6 of 8 rows")


def test_a_batch_without_fault_names_none(capsys, files):
    batch(files / "rows.jsonl", {"messages": MESSAGES, "summary": SUMMARY})

    code, _, err = run(capsys, "check", "--batch", "rows.jsonl", "--fail-on-drop")
    assert code == DROPPED
    assert "1 row: 0 without a dropped claim, 1 with one or more, 0 not checked" in err
    assert "could not be checked" not in err


@pytest.mark.parametrize(
    ("transcript", "summary", "told"),
    [
        ("chat.json", "blank.txt", "blank.txt: the summary is empty"),
        ("none.json", "summary.txt", "the transcript holds no message"),
    ],
)
def test_what_was_not_checked_does_not_pass_a_build(capsys, files, transcript, summary, told):
    given = ("check", "--transcript", transcript, "--summary", summary)

    assert run(capsys, *given)[0] == DONE
    code, out, err = run(capsys, *given, "--fail-on-drop", "--format", "github")
    assert (code, out) == (BAD_INPUT, "")
    assert told in err


def test_an_empty_row_does_not_pass_a_build(capsys, files):
    batch(files / "rows.jsonl", {"messages": MESSAGES, "summary": ""}, {"messages": [], "summary": "x"})

    code, out, _ = run(capsys, "check", "--batch", "rows.jsonl")
    assert (code, [json.loads(line)["status"] for line in out.splitlines()]) == (DONE, ["empty", "empty"])
    code, out, err = run(capsys, "check", "--batch", "rows.jsonl", "--fail-on-drop")
    assert (code, [json.loads(line)["status"] for line in out.splitlines()]) == (BAD_INPUT, ["error"] * 2)
    assert "rows.jsonl, line 1: the summary is empty" in err


def test_a_payload_that_cannot_be_written_is_printed(capsys, files, monkeypatch):
    """The work of minutes is not lost for a full disk; audit and report are written all the same."""
    from memguard.files import replace_text

    def full(path, text):
        if path.name == "payload.md":
            raise OSError(28, "No space left on device")
        replace_text(path, text)

    monkeypatch.setattr("memguard.files.replace_text", full)
    code, out, err = run(capsys, *CHECK, "--out", "payload.md", "--report", "report.md", "-q")

    assert code == BAD_INPUT
    assert "The offsite moved to March 19." in out
    assert "memguard: payload.md: cannot be written (No space left on device)" in err
    assert "what stood there is untouched" in err
    assert (files / "report.md").exists()


@pytest.mark.parametrize("flag", ["--out", "--audit", "--junit"])
def test_a_folder_where_a_file_is_meant_is_told_before_any_work(capsys, files, monkeypatch, flag):
    monkeypatch.setattr(loading, "load_embedder", lambda *_a, **_k: pytest.fail("it worked"))

    code, _, err = run(capsys, *CHECK, flag, ".")
    assert code == BAD_INPUT
    assert "cannot be written (it is a folder; expected a file); nothing was done yet" in err


def test_a_place_without_the_right_to_write_is_told_before_any_work(capsys, files, monkeypatch):
    monkeypatch.setattr(os, "access", lambda _path, mode: mode != os.W_OK)

    code, _, err = run(capsys, *CHECK, "--out", "payload.md")
    assert code == BAD_INPUT
    assert "there is no right to write there" in err


def test_a_summary_that_is_no_text_is_not_told_of_transcripts(capsys, files):
    (files / "summary.txt").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")

    code, _, err = run(capsys, *CHECK)
    assert code == BAD_INPUT
    assert err == "memguard: summary.txt: not a text file: it looks like a PNG picture; expected text\n"


def test_ctrl_c_ends_with_130_and_says_what_is_safe(capsys, files, monkeypatch):
    def stopped(_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "run", stopped)
    code, _, err = run(capsys, "run", "chat.json")
    assert code == INTERRUPTED
    assert "no file is half written" in err


def process(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "memguard", *arguments],
        capture_output=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, **environment},
    )


@pytest.mark.parametrize(("encoding", "shown"), [("ascii", "Caf\\xe9"), ("", "Café")])
def test_what_a_terminal_cannot_show_is_escaped_and_json_stays_json(tmp_path, encoding, shown):
    path = tmp_path / "chat.json"
    path.write_text(json.dumps([{"speaker": "Café 😀", "content": "Hi."}]), encoding="utf-8")

    read = process("inspect", str(path), PYTHONIOENCODING=encoding)
    assert read.returncode == DONE
    assert shown in read.stdout.decode("utf-8")
    assert read.stdout.isascii() == (encoding == "ascii")
    wire = process("inspect", str(path), "--json", PYTHONIOENCODING=encoding)
    assert json.loads(wire.stdout)["speakers"] == {"Café 😀": 1}
    helped = process("inspect", "--help", PYTHONIOENCODING=encoding)
    assert helped.returncode == DONE
    assert b"--columns" in helped.stdout


def test_a_reader_that_goes_away_is_no_error(tmp_path):
    path = tmp_path / "chat.json"
    path.write_text(json.dumps([{"content": "word " * 50_000}] * 3), encoding="utf-8")
    command = [sys.executable, "-m", "memguard", "convert", str(path), "--to", "jsonl"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT) as writer:
        assert writer.stdout is not None
        assert writer.stderr is not None
        writer.stdout.read(10)
        writer.stdout.close()
        err = writer.stderr.read()

    assert (writer.returncode, err) == (DONE, b"")


@pytest.mark.parametrize("extra", ["http", "mcp", "llm"])
def test_a_missing_extra_is_told_with_what_works_in_a_checkout(extra):
    told = how_to_install(extra)

    assert f"pip install -e '.[{extra}]'" in told
    assert f"pip install 'memguard-context[{extra}]'" in told


@pytest.mark.parametrize(("command", "module"), [("serve", "http"), ("mcp", "mcp")])
def test_servers_name_their_extra(capsys, monkeypatch, command, module):
    monkeypatch.setitem(sys.modules, f"memguard.server.{module}", None)

    code, out, err = run(capsys, command)
    assert (code, out) == (BAD_INPUT, "")
    assert how_to_install(module) in err


class Terminal(io.StringIO):
    """A terminal that keeps what was written to it."""

    encoding = "ascii"

    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_bars_that_go_when_they_are_done(files, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)

    with Bars() as progress:
        for done in range(4):
            progress("elimination", done, 3, "claims embedded")
        progress("reconstruction", 1, 1, "claims assembled")
    shown = terminal.getvalue()
    assert "elimination: claims embedded:   0%" in shown
    assert shown.endswith("\r")
    assert shown.isascii()
    assert "\n" not in shown  # no bar stays behind
    with Bars(quiet=True) as progress:
        progress("elimination", 1, 1, "claims embedded")
    assert terminal.getvalue() == shown


def test_what_states_nothing_is_not_counted_as_a_claim(capsys, files):
    """15 of 15 and not 15 of 17: a sentence without a statement is neither kept nor dropped."""
    (files / "summary.txt").write_text("The offsite moved to March 19. What now?", encoding="utf-8")

    _, _, err = run(capsys, *CHECK)

    assert "1 of 1 claims kept; 1 sentence states nothing to check;" in err


@pytest.mark.parametrize(
    "command", [("run", "chat.csv"), ("check", "--transcript", "chat.csv", "--summary", "summary.txt")]
)
def test_a_table_that_is_read_as_one_message_is_told(command, capsys, files):
    """F1: run and check say how to name the columns of a header that nobody knows."""
    (files / "chat.csv").write_text("wann,Autor,Nachricht\na,b,It is nine\nc,d,We meet\n", encoding="utf-8")

    _, _, err = run(capsys, *command)

    assert "warning: chat.csv: this looks like a table" in err
