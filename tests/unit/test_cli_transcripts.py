"""``memguard inspect`` and ``memguard convert``, and ``--conversation`` wherever a transcript is read."""

import io
import json
import os
import sys
import threading
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace

import pytest

from memguard.cli import main
from memguard.models import loading
from memguard.transcripts import read_file
from tests.fakes import FakeCounter, FakeEmbedder, FakeSummarizer

EXPECTED = sorted((Path(__file__).parents[1] / "data" / "transcripts").glob("*.expected.json"))
TALK = [
    {"role": "user", "speaker": "Ana", "timestamp": "2026-03-01T10:00:00Z", "content": "Bread?"},
    {"role": "assistant", "timestamp": "2026-03-01T10:05:00Z", "content": "Yes."},
]


def tree(name, text):
    message = {"author": {"role": "user"}, "create_time": 1_772_000_000, "content": {"parts": [text]}}
    return {
        "title": name,
        "conversation_id": name,
        "current_node": "a",
        "mapping": {"a": {"message": message}},
    }


@pytest.fixture
def talk(tmp_path):
    path = tmp_path / "talk.json"
    path.write_text(json.dumps({"title": "Bakery", "messages": TALK}), encoding="utf-8")
    return path


@pytest.fixture
def several(tmp_path):
    path = tmp_path / "several.json"
    path.write_text(json.dumps([tree("one", "First?"), tree("two", "Second?")]), encoding="utf-8")
    return path


def test_inspect_prints_what_a_transcript_holds(talk, capsys):
    assert main(["inspect", str(talk)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        "format         messages_json",
        "encoding       utf-8",
        "conversations  1",
        "title          Bakery",
        "messages       2",
        "speakers       Ana (1), Assistant (1)",
        "time           2026-03-01T10:00:00+00:00 to 2026-03-01T10:05:00+00:00",
        "rule           by timestamp",
        "warnings       0",
    ]


def test_inspect_prints_json(talk, capsys):
    assert main(["inspect", str(talk), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["format"], found["n_messages"], found["speakers"]) == (
        "messages_json",
        2,
        {"Ana": 1, "Assistant": 1},
    )
    assert (found["first"], found["rule"], found["warnings"]) == (
        "2026-03-01T10:00:00+00:00",
        "by timestamp",
        [],
    )


def test_inspect_lists_the_conversations_of_an_export_and_shows_one(several, capsys):
    assert main(["inspect", str(several)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2] == "conversations  2; choose one with --conversation"
    assert lines[4] == "     2  two  1 message  2026-02-25  [two]"
    assert main(["inspect", str(several), "--json"]) == 0
    assert [head["id"] for head in json.loads(capsys.readouterr().out)["conversations"]] == ["one", "two"]
    assert main(["inspect", str(several), "--conversation", "two"]) == 0
    shown = capsys.readouterr().out
    assert "conversations  2" in shown
    assert "messages       1" in shown


@pytest.mark.parametrize("path", EXPECTED, ids=lambda path: path.name.removesuffix(".expected.json"))
def test_inspect_is_right_on_every_sample(path, capsys):
    """Issue 7: ``memguard inspect`` is right on all samples."""
    expected = json.loads(path.read_text("utf-8"))
    stem = path.name.removesuffix(".expected.json")
    (sample,) = [p for p in path.parent.glob(f"{stem}.*") if p != path]
    which = ["--conversation", expected["conversation"]] if expected.get("conversation") else []
    assert main(["inspect", str(sample), "--json", *which]) == 0
    found = json.loads(capsys.readouterr().out)
    messages = expected["messages"]
    times = [datetime.fromisoformat(m["timestamp"]) for m in messages if m["timestamp"]]
    assert (found["format"], found["rule"]) == (expected["format"], expected["rule"])
    assert found["n_messages"] == sum(found["speakers"].values()) == len(messages)
    assert {m["speaker"] for m in messages if m["speaker"]} <= found["speakers"].keys()
    assert [found["first"], found["last"]] == (
        [min(times).isoformat(), max(times).isoformat()] if times else [None, None]
    )
    assert len(found["warnings"]) == len(expected["warnings"])


def test_inspect_tells_warnings_and_what_was_left(tmp_path, capsys):
    path = tmp_path / "chat.jsonl"
    path.write_text('{"content": "a"}\n{bad\n', encoding="utf-8")
    assert main(["inspect", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "skipped        1 line\n" in shown
    assert "no message has a time" in shown
    assert "  line 2 was skipped: not valid JSON" in shown


def test_inspect_reads_standard_input(talk, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(talk.read_bytes())))
    assert main(["inspect", "-"]) == 0
    assert "messages       2" in capsys.readouterr().out


@pytest.mark.parametrize("command", [["inspect"], ["convert", "--to", "jsonl"]], ids=["inspect", "convert"])
def test_a_named_pipe_is_read_as_what_it_holds(command, talk, tmp_path, capsys):
    """``memguard inspect <(…)`` of a shell."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(talk.read_bytes(),))
    writer.start()
    assert main([*command, str(pipe)]) == 0
    writer.join()
    assert "Ana" in capsys.readouterr().out


def test_inspect_takes_limits_from_settings(talk, tmp_path, capsys):
    settings = tmp_path / "s.toml"
    settings.write_text("[limits]\njson_levels = 5\n", encoding="utf-8")
    talk.write_text('[{"content": "a", "x": [[[[1]]]]}]', encoding="utf-8")
    assert main(["inspect", str(talk)]) == 0
    assert main(["inspect", str(talk), "--settings", str(settings)]) == 1
    assert "limits.json_levels" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["openai", "jsonl", "markdown"])
def test_convert_writes_what_is_read_again(form, talk, tmp_path, capsys):
    """Issue 7: convert, then read again: the same messages, for what the form can hold."""
    out = tmp_path / "out"
    assert main(["convert", str(talk), "--to", form, "--out", str(out)]) == 0
    back, given = read_file(out).conversation, read_file(talk).conversation
    assert [(m.role, m.speaker, m.content) for m in back] == [(m.role, m.speaker, m.content) for m in given]
    times = [m.timestamp for m in back]
    assert times == ([None, None] if form == "openai" else [m.timestamp for m in given])
    shown = capsys.readouterr()
    assert shown.out == ""
    assert ("cannot hold timestamps (2)" in shown.err) == (form == "openai")


def test_convert_prints_one_conversation_of_an_export(several, capsys):
    assert main(["convert", str(several), "--to", "jsonl", "--conversation", "2"]) == 0
    assert json.loads(capsys.readouterr().out)["content"] == "Second?"
    assert main(["convert", str(several), "--to", "jsonl"]) == 1
    assert "choose one with --conversation: 1 (one), 2 (two)" in capsys.readouterr().err


def test_convert_does_not_overwrite_what_it_reads(talk, tmp_path, capsys):
    before = talk.read_bytes()
    with pytest.raises(SystemExit) as stopped:
        main(["convert", str(talk), "--to", "jsonl", "--out", str(tmp_path / "." / "talk.json")])
    assert stopped.value.code == 2
    assert "would overwrite" in capsys.readouterr().err
    assert talk.read_bytes() == before


def test_convert_says_what_cannot_be_written(talk, tmp_path, capsys):
    assert main(["convert", str(talk), "--to", "jsonl", "--out", str(tmp_path / "no" / "out")]) == 1
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command", [["run", "FILE"], ["check", "--transcript", "FILE", "--summary", "FILE"]], ids=["run", "check"]
)
def test_run_and_check_ask_which_conversation_is_meant(command, several, capsys):
    arguments = [str(several) if word == "FILE" else word for word in command]
    assert main(arguments) == 1
    assert "choose one with --conversation" in capsys.readouterr().err
    assert main([*arguments, "--conversation", "three"]) == 1
    assert "there is no conversation 'three'" in capsys.readouterr().err


def test_check_takes_no_conversation_of_a_batch(several, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["check", "--batch", str(several), "--conversation", "1"])
    assert stopped.value.code == 2
    assert "--conversation and --columns go with --transcript" in capsys.readouterr().err


def test_columns_of_a_table_are_chosen_on_the_command_line(tmp_path, capsys):
    """Issue 7: CSV with chosen columns."""
    path = tmp_path / "chat.csv"
    path.write_text("Wer;Nachricht\nIda;hallo\n", encoding="utf-8")
    flags = ["--columns", "text=Nachricht,speaker=Wer"]
    assert main(["inspect", str(path), *flags]) == 0
    assert "Ida (1)" in capsys.readouterr().out
    assert main(["convert", str(path), "--to", "jsonl", *flags]) == 0
    assert json.loads(capsys.readouterr().out)["content"] == "hallo"
    for wrong, told in (
        ("text", "expected KIND=NAME"),
        ("colour=Wer", "columns are chosen for text, speaker"),
    ):
        with pytest.raises(SystemExit) as stopped:
            main(["inspect", str(path), "--columns", wrong])
        assert stopped.value.code == 2
        assert told in capsys.readouterr().err


def test_run_and_check_take_columns_and_a_conversation_of_a_table(tmp_path, monkeypatch, capsys):
    """Issue 7: CSV with chosen columns, wherever a transcript is read."""
    monkeypatch.setattr(loading, "load_embedder", lambda *_a, **_k: FakeEmbedder())
    monkeypatch.setattr(loading, "load_summarizer", lambda *_a, **_k: FakeSummarizer())
    monkeypatch.setattr(loading, "load_counter", FakeCounter)
    path, summary = tmp_path / "chat.csv", tmp_path / "summary.txt"
    rows = ["Wer;Nachricht;thread", "Ida;The deposit is 400 euros.;a", "Ben;The train leaves at 9.;b"]
    path.write_text("\n".join(rows), encoding="utf-8")
    summary.write_text("The train leaves at 9.", encoding="utf-8")
    flags = ["--columns", "text=Nachricht,speaker=Wer", "--conversation", "b", "--json"]

    assert main(["run", str(path), *flags]) == 0
    ran = json.loads(capsys.readouterr().out)
    assert [message["id"] for message in ran["compression"]["messages"]] == ["0"]
    assert main(["check", "--transcript", str(path), "--summary", str(summary), *flags]) == 0
    checked = json.loads(capsys.readouterr().out)
    assert checked["claims"][0]["evidence"][0]["text"] == "The train leaves at 9."
    assert main(["run", str(path), *flags[:2]]) == 1
    assert "choose one with --conversation" in capsys.readouterr().err


def test_convert_tells_a_folder_for_a_file_before_it_reads(talk, tmp_path, capsys):
    assert main(["convert", str(talk), "--to", "jsonl", "--out", str(tmp_path)]) == 1
    assert "it is a folder; expected a file" in capsys.readouterr().err


@pytest.mark.parametrize("header", ["wann,Autor,Nachricht", "who,when,what was said"])
@pytest.mark.parametrize("command", [["inspect"], ["convert", "--to", "jsonl"]])
def test_a_table_with_an_unknown_header_is_told(command, header, tmp_path, capsys):
    """F1: what looks like a table is not read as something else in silence."""
    path = tmp_path / "chat.csv"
    path.write_text(f"{header}\na,b,The train leaves at nine\nc,d,Then we meet at eight\n", encoding="utf-8")

    assert main([command[0], str(path), *command[1:]]) == 0

    told = capsys.readouterr().err
    assert "this looks like a table" in told
    assert "--columns text=…,speaker=…" in told


def test_a_table_whose_columns_are_named_is_no_doubt(tmp_path, capsys):
    """F1: the warning ends where its advice is followed."""
    path = tmp_path / "chat.csv"
    path.write_text("wann,wer,gesagt\na,Ana,The train leaves at nine\nb,Ben,Fine\n", encoding="utf-8")

    assert main(["inspect", str(path), "--columns", "text=gesagt,speaker=wer"]) == 0

    assert "looks like a table" not in capsys.readouterr().err
