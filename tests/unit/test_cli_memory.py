"""``memguard memory …``: every command, its exit code, its one object of JSON, and what it never prints."""

from __future__ import annotations

import argparse
import io
import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from memguard import cli
from memguard.cli import lifecycle, maintenance, memory_parser
from memguard.cli.codes import BAD_INPUT, DONE, WRONG_USAGE
from memguard.cli.memory_output import columns, pairs, plain, shortened, size
from memguard.cli.parser import build_parser
from memguard.memory import yaml_form
from memguard.memory.entries import MemoryType
from memguard.memory.gates import OnUnfiltered
from memguard.memory.maintenance import STEPS
from memguard.memory.observations import Confidence
from memguard.memory.rows import Order, Status
from memguard.memory.store import MemoryStore
from memguard.memory.strategies import Strategy
from memguard.models import loading
from tests.fakes import FakeCounter, FakeEmbedder

ROOT = Path(__file__).resolve().parents[2]
PASSWORD = "correct-horse-battery-9"
OBSERVATIONS = [
    {
        "id": "o1",
        "text": "I think we decided to use PostgreSQL 16 for the store.",
        "source": "m1",
        "timestamp": "2026-11-01T10:00:00Z",
        "privacy_status": "internal",
    },
    {
        "id": "o2",
        "text": "ok thanks",
        "source": "m2",
        "timestamp": "2026-11-01T10:01:00Z",
        "privacy_status": "internal",
    },
    {
        "id": "o3",
        "text": "We decided to use PostgreSQL 16 for the store.",
        "source": "m3",
        "timestamp": "2026-11-02T10:01:00Z",
        "actor": "tool",
        "privacy_status": "internal",
    },
    {"id": "o4", "text": "My mail is ada@example.org.", "source": "m4"},
]


@pytest.fixture(autouse=True)
def place(monkeypatch, tmp_path):
    """A store of the test's own, fake models, no provider, and no privacy list from outside."""
    embedder = FakeEmbedder()
    monkeypatch.setattr(loading, "load_embedder", lambda *_a, **_k: embedder)
    monkeypatch.setattr(loading, "load_counter", FakeCounter)
    monkeypatch.setenv("MEMGUARD_MEMORY_URL", str(tmp_path / "memory.db"))
    monkeypatch.setenv("MEMGUARD_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COMPRESSION_ENABLED", "false")
    monkeypatch.delenv("LOG_LEVEL", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "memory.db"


@pytest.fixture
def say(capsys):
    """Run a command and return (exit code, stdout, stderr)."""

    def run(*arguments):
        code = cli.main(["memory", *map(str, arguments)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


@pytest.fixture
def captured(say):
    """Capture a text and return its id."""

    def run(text, *more):
        code, out, _err = say("capture", text, "--json", *more)
        assert code == DONE
        return json.loads(out)["memory_id"]

    return run


@pytest.fixture
def piped(monkeypatch):
    """Put a text on standard input."""

    def put(text):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    return put


def test_what_was_captured_is_listed_found_and_shown(say, captured):
    first = captured("The deposit is 400 euros.", "--tag", "money", "--importance", "0.9")
    captured("The offsite moved to March 19.", "--type", "episodic", "--at", "2026-11-01T09:30:00+00:00")

    code, out, err = say("list")
    lines = out.splitlines()
    assert (code, err) == (DONE, "")
    assert lines[0].split() == ["id", "made", "type", "text"]
    assert lines[1].endswith("long_term  The deposit is 400 euros.")
    assert "2026-11-01 09:30  episodic   The offsite moved to March 19." in lines[2]

    _code, out, _err = say("list", "--tag", "money")
    assert "offsite" not in out
    assert "type" not in out.splitlines()[0]  # a column of which every cell is the usual one

    _code, out, _err = say("search", "the deposit", "-k", "1")
    assert out.splitlines()[1].split()[:2] == ["0.63", first]  # 2 words of 5 and of 2: 2 / sqrt(10)

    _code, out, _err = say("get", first)
    assert out.startswith("The deposit is 400 euros.\n\nid")
    assert "\nimportance      0.9\n" in out
    assert "\ntags            money\n" in out


@pytest.mark.parametrize(
    "arguments",
    [
        ("capture", "Window seats only, please."),
        ("search", "deposit"),
        ("list",),
        ("get", "ID"),
        ("get", "ID", "--history"),
        ("delete", "ID"),
        ("delete", "ID", "--purge"),
        ("restore", "ID"),
        ("compress", "ID"),
        ("summarize",),
        ("maintain", "--dry-run"),
        ("maintain", "--above", "0"),
        ("export", "FILE"),
        ("verify",),
        ("stats",),
    ],
    ids=" ".join,
)
def test_json_is_one_object_and_nothing_else(say, captured, tmp_path, arguments):
    places = {"ID": captured("The deposit is 400 euros."), "FILE": str(tmp_path / "out.jsonl")}

    code, out, _err = say(*(places.get(item, item) for item in arguments), "--json")

    assert code == DONE
    assert isinstance(json.loads(out), dict)


def test_a_secret_is_neither_stored_nor_printed(say, place, piped):
    """F24: not by the capture, a list, an export, the store's files, or an error about the store."""
    piped(f"The password is {PASSWORD}, and the deposit is 400 euros.\n")
    code, out, err = say("capture", "-")
    assert code == DONE
    assert "Replaced before it was stored: password." in out
    printed = out + err
    for command in (("list",), ("export", "-"), ("search", f"the password is {PASSWORD}")):
        _code, out, err = say(*command)
        printed += out + err
    assert "[SECRET_1]" in printed
    stored = b"".join(path.read_bytes() for path in place.parent.glob("memory.db*"))
    assert PASSWORD not in printed
    assert PASSWORD.encode() not in stored

    code, out, err = say("stats", "--store", f"mysql://ada:{PASSWORD}@localhost/x")
    assert code == BAD_INPUT
    assert PASSWORD not in out + err


def test_a_duplicate_is_told_and_not_stored(say, captured):
    first = captured("The deposit is 400 euros.")

    assert say("capture", "The deposit is 400 euros.")[:2] == (
        DONE,
        f"Nothing was stored: {first} says the same (the same words).\n",
    )
    assert say("capture", "the deposit IS 400 euros, the deposit.")[1].startswith("Nothing was stored")
    assert len(json.loads(say("list", "--json")[1])["entries"]) == 1
    _code, out, _err = say("capture", "The deposit is 500 euros.")
    assert out.startswith("Stored as c-")  # a number differs: no duplicate at any cosine


def test_turns_of_a_table_and_of_one_conversation_are_captured(say, tmp_path):
    """Issue 7: CSV with chosen columns, wherever a transcript is read."""
    rows = ["Wer;Nachricht;thread", "Ida;The deposit is 400 euros.;a", "Ben;The train leaves at 9.;b"]
    (tmp_path / "chat.csv").write_text("\n".join(rows), encoding="utf-8")
    flags = ("--columns", "text=Nachricht,speaker=Wer", "--conversation", "b")

    code, out, _err = say("capture", "--turns", tmp_path / "chat.csv", *flags, "--json")
    assert code == DONE
    code, out, _err = say("get", json.loads(out)["memory_id"], "--json")
    assert "The train leaves at 9." in json.loads(out)["entry"]["text"]
    assert "deposit" not in out


def test_turns_of_a_transcript_are_captured_with_their_speakers(say, tmp_path):
    turns = [
        {"role": "system", "content": "You are a helpful assistant for travel bookings."},
        {"role": "user", "speaker": "Ada", "content": "Window seats only, on every flight, please."},
    ]
    (tmp_path / "chat.json").write_text(json.dumps(turns), encoding="utf-8")

    code, out, _err = say("capture", "--turns", tmp_path / "chat.json", "--json")

    result = json.loads(out)
    assert code == DONE
    assert result["text"].endswith("Window seats only, on every flight, please.")
    assert [left["index"] for left in result["left_out"]] == [0]


def test_what_is_deleted_comes_back_and_what_is_purged_does_not(say, captured):
    entry = captured("The deposit is 400 euros.")

    assert say("delete", entry)[1] == f"{entry} deleted.\n"
    assert say("list")[1] == "No entry was found.\n"
    assert "deleted" in say("list", "--status", "any")[1]
    assert say("restore", entry)[1] == f"{entry} restored.\n"
    assert entry in say("list")[1]
    assert say("delete", entry, "--purge")[1] == f"{entry} purged.\n"
    code, out, err = say("restore", entry)
    assert (code, out) == (BAD_INPUT, "")
    assert f"has no entry {entry!r}" in err


def test_tenants_do_not_see_each_other(say, captured):
    entry = captured("The deposit is 400 euros.", "--tenant", "ada")

    assert say("list", "--tenant", "ben")[1] == "No entry was found.\n"
    assert say("search", "deposit", "--tenant", "ben")[1] == "No entry was found.\n"
    assert say("get", entry, "--tenant", "ben")[0] == BAD_INPUT
    assert entry in say("list", "--tenant", "ada")[1]


def test_an_export_goes_through_pipes_into_another_tenant_unchanged(say, captured, piped, tmp_path):
    captured("The deposit is 400 euros.")
    captured("The offsite moved to March 19.")
    code, lines, err = say("export", "-")
    assert (code, err) == (DONE, "2 entries exported\n")
    assert [json.loads(line).get("schema") for line in lines.splitlines()] == [
        "memguard.memory/1",
        None,
        None,
    ]

    piped(lines)
    assert say("import", "-", "--tenant", "copy")[1] == "2 entries imported.\n"
    _code, again, _err = say("export", "-", "--tenant", "copy")
    assert again.splitlines()[1:] == lines.splitlines()[1:]

    (tmp_path / "bad.jsonl").write_text(lines.replace("400", "401"), encoding="utf-8")
    code, out, err = say("import", tmp_path / "bad.jsonl", "--tenant", "copy")
    assert (code, out) == (BAD_INPUT, "")
    assert "nothing was imported" in err
    _code, out, _err = say("import", tmp_path / "bad.jsonl", "--tenant", "copy", "--skip-existing")
    assert out == "0 entries imported, 2 were there already.\n"
    assert say("verify", "--tenant", "copy")[0] == DONE


def test_a_summary_keeps_to_its_budget(say, captured):
    """C02, C08: what fits goes to stdout, its size to stderr."""
    captured("The deposit is 400 euros.", "--at", "2026-11-01", "--tag", "money")
    captured("The offsite moved to March 19.", "--at", "2026-11-02")

    code, out, err = say("summarize", "--max-tokens", "7", "--strategy", "recency")

    assert (code, out) == (DONE, "The offsite moved to March 19.\n")
    assert err == "1 entry, 6 tokens\n"
    assert "[money] The deposit is 400 euros." in say("summarize")[1]


def test_what_went_to_a_model_is_not_captured_again_where_that_was_told(say, captured):
    """``--give`` marks what is found; without it a look by a person leaves no mark."""
    entry = captured("The deposit is 400 euros.")
    say("search", "deposit")
    say("delete", entry)
    assert say("capture", "The deposit is 400 euros.")[1].startswith("Stored as")

    say("search", "deposit", "--give")
    assert "came out of memory" in say("capture", "The deposit is 400 euros.")[1]


MESSY = [
    "ok",
    "The quarterly budget review covers every team in Lyon office.",
    "The quarterly budget review covers every team in Lyon offices.",
    "Nine blue lamps were ordered for the hall.",
    "Ten blue lamps were ordered for the hall.",
]


@pytest.fixture
def messy(place):
    """Entries with noise, a pair to merge, and a near pair that differs in a number."""
    from memguard.memory import MemoryEntry

    vectors = [[0, 0, 1], [1, 0, 0], [0.99, 0.1, 0], [0, 1, 0], [0, 0.99, 0.1]]
    with MemoryStore(place) as store:
        store.add_many(
            MemoryEntry(text, id=f"e{number}", embedding=vector, timestamp=1_796_000_000 + number)
            for number, (text, vector) in enumerate(zip(MESSY, vectors, strict=True))
        )
    return place


def test_a_dry_run_shows_every_change_and_makes_none(say, messy):
    """B25: the preview tells pairs with their cosine and what differs, and the store is as it was."""
    head = json.loads(say("stats", "--json")[1])["head"]

    code, out, err = say("maintain", "--dry-run", "--above", "4", "--merge-similarity", "0.9")

    assert code == DONE
    assert 'put away, noise: e0 "ok"' in out
    assert f'merged, cosine 0.995: e1 "{MESSY[1]}" and e2 "{MESSY[2]}"' in out
    assert "  only the first: office; only the second: offices" in out
    assert 'held apart, cosine 0.995: e3 "Nine blue' in out
    assert "number:" in out
    assert "5 entries now, 3 afterwards; nothing was changed" in err
    assert json.loads(say("stats", "--json")[1])["head"] == head
    preview = json.loads(
        say("maintain", "--dry-run", "--above", "4", "--merge-similarity", "0.9", "--json")[1]
    )
    assert preview["status"] == "dry_run"
    assert preview["preview"]["noise"] == ["e0"]
    assert preview["preview"]["merge"][0]["ids"] == ["e1", "e2"]


def test_a_run_is_taken_back_whole_or_by_its_step(say, messy):
    def active():
        return {entry["id"] for entry in json.loads(say("list", "--json")[1])["entries"]}

    before = active()
    code, out, err = say("maintain", "--above", "4", "--step", "noise", "--step", "merge")
    assert code == DONE
    assert out.splitlines()[0].startswith("noise           1 entry         record ")
    assert "5 entries before, 3 after; take it back with --undo" in err
    assert {"e0", "e1", "e2"}.isdisjoint(active())
    noise = int(out.splitlines()[0].rsplit(" ", 1)[1])

    assert say("maintain", "--undo", noise)[0] == DONE
    assert "e0" in active()
    assert say("maintain", "--undo", "999")[0] == BAD_INPUT

    say("maintain", "--above", "0", "--step", "noise")
    assert "e0" not in active()
    out = say("maintain", "--undo")[1]
    assert out.startswith("taken back: record ")
    assert "e0" in active()
    undoing = out.rsplit(" ", 1)[1].rstrip(")\n")
    redoing = say("maintain", "--undo", undoing)[1].rsplit(" ", 1)[1].rstrip(")\n")
    assert "e0" not in active()
    assert say("maintain", "--undo", redoing)[0] == DONE
    assert "e0" in active()
    assert before - active() == {"e1", "e2"}
    assert say("maintain", "--undo")[0] == DONE  # of the first run, what is left of it
    assert active() == before
    assert say("maintain", "--undo")[0] == BAD_INPUT
    assert say("verify")[0] == DONE


def test_there_is_nothing_to_take_back_where_nothing_ran(say, captured):
    captured("The deposit is 400 euros.")
    code, out, err = say("maintain")
    assert (code, out) == (DONE, "1 entry: too few for maintenance; nothing was done\n")

    code, out, err = say("maintain", "--undo")

    assert (code, out) == (BAD_INPUT, "")
    assert "has no run of maintenance that could be taken back" in err


def test_verify_finds_an_entry_that_was_changed_outside(say, captured, place):
    captured("The deposit is 400 euros.")
    head = json.loads(say("verify", "--json")[1])["head"]
    assert say("verify", "--head", head)[0] == DONE
    assert say("verify", "--head", "0" * 64)[0] == BAD_INPUT
    with sqlite3.connect(place) as connection:
        connection.execute("UPDATE memory_entries SET content = replace(content, '400', '500')")
    connection.close()

    code, out, err = say("verify")

    assert (code, out) == (BAD_INPUT, "")
    assert "it was changed outside MemGuard" in err


def test_the_lifecycle_gives_yaml_that_is_read_back_and_a_report(say, tmp_path, piped):
    """E11, E15, E17: entries to stdout, what was left out and why to stderr."""
    piped(json.dumps(OBSERVATIONS))
    code, out, err = say("lifecycle", "-")

    entries = yaml_form.loads(out)
    assert code == DONE
    assert [entry.source_ids for entry in entries] == [("o1", "o3")]
    assert err.splitlines()[0].startswith("4 observations in, 1 entry out; strategy: ")
    assert "left out o2: noise: it coordinates or says nothing" in err
    assert "privacy gate before compression: o4 rejected, it did not pass the privacy filter" in err

    (tmp_path / "o.yaml").write_text(yaml_dump({"observations": OBSERVATIONS}), encoding="utf-8")
    code, out, _err = say(
        "lifecycle", tmp_path / "o.yaml", "--on-unfiltered", "redact", "--json", "--out", tmp_path / "e.yaml"
    )
    result = json.loads(out)
    assert [phase["phase"] for phase in result["phases"]] == ["analyze", "compress", "score", "output"]
    assert [entry["privacy_status"] for entry in result["compressed_entries"]] == ["internal", "sensitive"]
    assert "ada@example.org" not in out
    written = (tmp_path / "e.yaml").read_text(encoding="utf-8")
    assert yaml_form.to_dict(yaml_form.loads(written))[yaml_form.TOP] == result["compressed_entries"]

    again = [OBSERVATIONS[2] | {"id": "o9", "timestamp": "2026-11-03T08:00:00Z"}]
    piped(json.dumps(again))
    code, out, _err = say("lifecycle", "-", "--existing", tmp_path / "e.yaml", "--json")
    assert json.loads(out)["compressed_entries"][0]["source_ids"] == ["o1", "o3", "o9"]
    assert {link["reason"] for link in json.loads(out)["supersession"]} == {"restated"}


def yaml_dump(value):
    import yaml

    return yaml.safe_dump(value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("just words", "expected a list of observations"),
        ("{a: [", "neither JSON nor YAML"),
        ("[3]", "observation 0: must be an object"),
        ('[{"id": "a", "text": "x"}]', "observation 0: lacks source"),
        ('[{"id": "a", "text": "x", "source": "s", "mood": 1}]', "has mood, which is not known"),
        ('[{"id": "a", "text": 5, "source": "s"}]', "text must be a text; got int"),
        ('[{"id": "a", "text": "x", "source": "s", "timestamp": "2026-11-01"}]', "must have a time zone"),
        ('[{"id": "a", "text": "x", "source": "s", "timestamp": "soon"}]', "must be ISO 8601"),
        ('[{"id": "a", "text": "x", "source": "s", "privacy_status": "fine"}]', "must be one of public"),
        (
            '[{"id": "a", "text": "x", "source": "s"}, {"id": "a", "text": "x", "source": "s"}]',
            "there more than once",
        ),
    ],
)
def test_observations_that_cannot_be_read_say_which_and_why(say, piped, text, expected):
    piped(text)

    code, out, err = say("lifecycle", "-")

    assert (code, out) == (BAD_INPUT, "")
    assert expected in err


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("forget",),
        ("capture",),
        ("capture", "a text", "--turns", "chat.json"),
        ("capture", "a text", "--conversation", "1"),
        ("capture", "a text", "--type", "eternal"),
        ("capture", "a text", "--at", "yesterday"),
        ("search", "x", "-k", "0"),
        ("list", "--limit", "-1"),
        ("get",),
        ("export", "-", "--json"),
        ("maintain", "--undo", "latest"),
        ("maintain", "--undo", "--dry-run"),
        ("maintain", "--step", "everything"),
    ],
    ids=" ".join,
)
def test_wrong_usage_is_told_before_anything_is_opened(capsys, place, arguments):
    with pytest.raises(SystemExit) as caught:
        cli.main(["memory", *arguments])

    assert caught.value.code == WRONG_USAGE
    assert capsys.readouterr().err.startswith("memguard memory")
    assert not place.exists()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("get", "nothing"), "has no entry 'nothing'"),
        (("capture", "A text worth keeping.", "--importance", "7"), "importance must be a number in [0, 1]"),
        (("import", "missing.jsonl"), "cannot be read"),
        (("list", "--tenant", " "), "tenant_id must be a text that is not blank"),
        (("list", "--exclusions", "missing.yaml"), "cannot be read"),
        (("lifecycle", "missing.yaml"), "cannot be read"),
        (("export", "no/such/folder/x.jsonl"), "cannot be written"),
    ],
)
def test_bad_input_ends_with_1_and_says_what_to_do(say, arguments, expected):
    code, out, err = say(*arguments)

    assert (code, out) == (BAD_INPUT, "")
    assert expected in err


def test_a_project_list_is_taken_from_the_folder_or_by_name(say, tmp_path):
    (tmp_path / ".memguard-privacy.yaml").write_text('terms: ["Project Borealis"]\n', encoding="utf-8")
    assert "[REDACTED_1]" in say("capture", "The budget of Project Borealis is 400 euros.", "--json")[1]

    (tmp_path / "other.yaml").write_text('terms: ["Lyon"]\n', encoding="utf-8")
    given = ("--exclusions", tmp_path / "other.yaml", "--json")
    result = json.loads(say("capture", "Project Borealis meets in Lyon on Friday.", *given)[1])
    assert result["text"] == "Project Borealis meets in [REDACTED_1] on Friday."


def test_what_drives_a_terminal_is_not_printed(say, captured):
    entry = captured("A line\x1b[2J that clears\x9b31m the screen\x07, and a second\nline of it.")

    printed = say("list")[1] + say("get", entry)[1] + say("summarize")[1] + say("search", "line")[1]

    assert not any(char in printed for char in "\x1b\x9b\x07")
    assert "A line [2J that clears" in printed
    assert "\nline of it." in printed


def test_choices_are_those_of_the_core():
    """The parser names them itself, since importing the core takes seconds."""
    assert set(memory_parser.TYPES) == {item.value for item in MemoryType}
    assert set(memory_parser.STATES) == {item.value for item in Status}
    assert set(memory_parser.ORDERS) == {item.value for item in Order}
    assert maintenance.STEPS == STEPS
    assert set(lifecycle.STRATEGIES) == {item.value for item in Strategy}
    assert set(lifecycle.ON_UNFILTERED) == {item.value for item in OnUnfiltered}
    assert set(lifecycle.CONFIDENCE) == {item.value for item in Confidence}


def test_every_command_takes_a_store_a_tenant_and_json():
    subparsers = [a for a in build_parser()._actions if isinstance(a, argparse._SubParsersAction)]
    (actions,) = [
        a for a in subparsers[0].choices["memory"]._actions if isinstance(a, argparse._SubParsersAction)
    ]
    expected = "capture search list get delete restore compress summarize maintain export import verify stats"
    assert set(actions.choices) == {*expected.split(), "lifecycle"}
    for name, parser in actions.choices.items():
        flags = {flag for action in parser._actions for flag in action.option_strings}
        assert "--json" in flags
        assert name == "lifecycle" or {"--store", "--tenant"} <= flags


def test_the_help_loads_neither_models_nor_a_database():
    code = (
        "import sys\nfrom memguard import cli\n"
        "try:\n    cli.main(['memory', 'maintain', '--help'])\nexcept SystemExit:\n    pass\n"
        "print(sorted({m.partition('.')[0] for m in sys.modules}), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)

    assert "--dry-run" in done.stdout
    for heavy in ("torch", "sqlalchemy", "mcp", "yaml", "numpy"):
        assert f"'{heavy}'" not in done.stderr


def test_columns_are_aligned_and_cut_at_the_end(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")

    assert list(columns([["a", "x" * 80], ["long id", "short"]], ["id", "text"])) == [
        "id       text",
        f"a        {'x' * 30}…",
        "long id  short",
    ]
    assert list(columns([], ["id"])) == []
    assert list(pairs([("a", 0), ("longer", "x"), ("none", None), ("empty", "")])) == [
        "a       0",
        "longer  x",
    ]
    assert plain(" a\tb\x00\n") == "a b"
    assert shortened("abc", 3) == "abc"
    assert [size(n) for n in (None, 12, 1_500, 2_500_000, 3_000_000_000)] == [
        None,
        "12 bytes",
        "1.5 kB",
        "2.5 MB",
        "3.0 GB",
    ]
