"""The command line: commands, exit codes, clean JSON on stdout, everything else on stderr."""

from __future__ import annotations

import io
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from memguard import __version__, cli, reports
from memguard.cli import inputs
from memguard.cli.codes import BAD_INPUT, DONE, DROPPED, WRONG_USAGE
from memguard.models import loading
from tests.fakes import FakeCounter, FakeEmbedder, FakeSummarizer

ROOT = Path(__file__).resolve().parents[2]
MESSAGES = [
    {"id": "m1", "role": "user", "speaker": "Ada", "content": "The deposit is 400 euros."},
    {"id": "m2", "role": "assistant", "content": "The offsite moved to March 19."},
]


@pytest.fixture(autouse=True)
def fakes(monkeypatch):
    embedder = FakeEmbedder()
    monkeypatch.setattr(loading, "load_embedder", lambda *_a, **_k: embedder)
    monkeypatch.setattr(loading, "load_summarizer", lambda *_a, **_k: FakeSummarizer())
    monkeypatch.setattr(loading, "load_counter", FakeCounter)
    return embedder


@pytest.fixture
def transcript(tmp_path):
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(MESSAGES), encoding="utf-8")
    return path


@pytest.fixture
def summary(tmp_path):
    path = tmp_path / "summary.txt"
    path.write_text("The deposit is 400 euros. A yacht waits in Rio.", encoding="utf-8")
    return path


def run(capsys, *arguments):
    """Return (exit code, stdout, stderr) of one command."""
    code = cli.main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def usage_error(capsys, *arguments):
    with pytest.raises(SystemExit) as caught:
        cli.main([str(argument) for argument in arguments])
    assert caught.value.code == WRONG_USAGE
    return capsys.readouterr().err


def test_run_prints_the_payload_and_tells_the_rest_on_stderr(capsys, transcript):
    code, out, err = run(capsys, "run", transcript)

    assert code == DONE
    assert "The deposit is 400 euros." in out
    assert "audit head" in err
    assert "audit head" not in out


def test_run_prints_nothing_but_json_with_json(capsys, transcript):
    code, out, _err = run(capsys, "run", transcript, "--json")

    result = json.loads(out)
    assert code == DONE
    assert result["schema"] == "memguard.result/1"
    assert result["status"] == "ok"
    assert [claim["kept"] for claim in result["claims"]] == [True, True]


def test_run_reads_standard_input(capsys, monkeypatch):
    stdin = io.TextIOWrapper(io.BytesIO(json.dumps(MESSAGES).encode()))
    monkeypatch.setattr(sys, "stdin", stdin)

    code, out, _err = run(capsys, "run", "-", "--json")

    assert code == DONE
    assert len(json.loads(out)["compression"]["messages"]) == 2


def test_run_writes_payload_and_audit_that_verify(capsys, transcript, tmp_path):
    """A32: the audit that run writes holds, and its head is the one printed."""
    payload, audit = tmp_path / "payload.md", tmp_path / "audit.jsonl"
    code, out, err = run(capsys, "run", transcript, "--out", payload, "--audit", audit)
    assert code == DONE
    assert out == ""
    assert payload.read_text(encoding="utf-8").count("400 euros") == 1
    head = err.rsplit("audit head ", 1)[1].strip()

    assert run(capsys, "verify", audit, "--head", head)[0] == DONE
    assert run(capsys, "verify", audit, "--head", "0" * 64)[0] == BAD_INPUT

    lines = audit.read_text(encoding="utf-8").splitlines(keepends=True)
    audit.write_text("".join([lines[0], lines[1].replace("400", "500"), *lines[2:]]), encoding="utf-8")
    code, _out, err = run(capsys, "verify", audit)
    assert code == BAD_INPUT
    assert "record 2 is broken" in err


def test_check_judges_a_summary_from_anywhere(capsys, transcript, summary):
    code, out, _err = run(capsys, "check", "--transcript", transcript, "--summary", summary, "--json")

    result = json.loads(out)
    assert code == DONE
    assert result["compression"] is None
    assert [claim["kept"] for claim in result["claims"] if claim["start"] is not None] == [True, False]


def test_check_exits_with_3_when_a_claim_was_dropped_and_that_was_asked(capsys, transcript, summary):
    given = ("check", "--transcript", transcript, "--summary", summary)

    assert run(capsys, *given)[0] == DONE
    assert run(capsys, *given, "--fail-on-drop")[0] == DROPPED
    assert run(capsys, *given, "--fail-on-drop", "--min-similarity", "0", "--min-support", "0")[0] == DONE


def test_a_batch_goes_on_after_a_bad_row_and_ends_with_1(capsys, tmp_path):
    """The batch prints one object a line, in order, a bad row among them."""
    rows = [
        json.dumps({"id": "a", "messages": MESSAGES, "summary": "The deposit is 400 euros."}),
        "{not json",
        json.dumps({"id": "c", "messages": "no list", "summary": "x"}),
        json.dumps({"id": "d", "messages": MESSAGES}),
        json.dumps({"id": "e", "summary": "x"}),
        json.dumps(["no object"]),
        "",
        json.dumps({"id": 7, "messages": [], "summary": "A yacht waits."}),
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(rows), encoding="utf-8")

    code, out, _err = run(capsys, "check", "--batch", path, "--json")

    results = [json.loads(line) for line in out.splitlines()]
    assert code == BAD_INPUT
    assert [r["id"] for r in results] == ["a", "2", "c", "d", "e", "6", "7"]
    assert [r["status"] for r in results] == ["ok", "error", "error", "error", "error", "error", "empty"]
    assert all(r["warnings"] for r in results if r["status"] == "error")
    assert "line 2" in results[1]["warnings"][0]


def test_a_batch_row_is_judged_as_alone(capsys, transcript, summary, tmp_path):
    """One row of a batch gives what check gives for it."""
    rows = tmp_path / "rows.jsonl"
    text = summary.read_text(encoding="utf-8")
    rows.write_text(json.dumps({"id": "a", "messages": MESSAGES, "summary": text}), encoding="utf-8")

    alone = json.loads(run(capsys, "check", "--transcript", transcript, "--summary", summary, "--json")[1])
    code, out, _err = run(capsys, "check", "--batch", rows, "--fail-on-drop")
    batch = json.loads(out)

    assert code == DROPPED
    assert batch["claims"] == alone["claims"]
    assert batch["payload"] == alone["payload"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("check",),
        ("check", "--transcript", "a"),
        ("check", "--batch", "a", "--transcript", "b"),
        ("check", "--batch", "a", "--out", "b"),
        ("run", "a", "--lambda-mmr", "1.5"),
        ("run", "a", "--max-tokens", "-1"),
        ("run", "a", "--min-similarity", "0.5", "--max-distance", "0.5"),
        ("run", "a", "--max-distance", "nan"),
        ("run",),
        ("fly",),
        (),
    ],
)
def test_wrong_usage_ends_with_2_and_says_what_is_wrong(capsys, arguments):
    """A06, F1, F3: values outside their range and both views of the threshold are refused."""
    assert "error:" in usage_error(capsys, *arguments)


def test_max_distance_mirrors_min_similarity(capsys, transcript):
    """F1: one threshold, two views."""
    code, out, _err = run(capsys, "run", transcript, "--json", "--max-distance", "0.25")

    assert code == DONE
    assert json.loads(out)["settings"]["elimination"]["min_similarity"] == pytest.approx(0.75)


def test_flags_win_over_a_settings_file(capsys, transcript, tmp_path):
    settings = tmp_path / "settings.toml"
    settings.write_text("[elimination]\nmin_similarity = 0.9\n[compression]\nwindow = 3\n", encoding="utf-8")

    _code, out, _err = run(
        capsys, "run", transcript, "--json", "--settings", settings, "--min-similarity", "0.1"
    )

    used = json.loads(out)["settings"]
    assert used["elimination"]["min_similarity"] == 0.1
    assert used["compression"]["window"] == 3


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("empty.json", b"", "empty"),
        ("bad.json", b'[{"role": "user",\n "content": oops}]', "line 2, column"),
        ("shape.json", b'{"a": 1}', "messages"),
        ("picture.png", b"\x89PNG\r\n\x1a\n\x00\x00", "PNG"),
    ],
)
def test_a_file_that_cannot_be_read_ends_with_1_and_says_why(capsys, tmp_path, name, content, says):
    path = tmp_path / name
    path.write_bytes(content)

    code, out, err = run(capsys, "run", path)

    assert code == BAD_INPUT
    assert out == ""
    assert says in err
    assert name in err
    assert "Traceback" not in err


def test_an_empty_list_is_an_empty_result(capsys, tmp_path):
    """A34: nothing to say is no error."""
    path = tmp_path / "none.json"
    path.write_text("[]", encoding="utf-8")

    code, out, _err = run(capsys, "run", path, "--json")

    assert code == DONE
    assert json.loads(out)["status"] == "empty"


def test_a_missing_file_and_folder_are_plain_errors(capsys, tmp_path, transcript):
    assert run(capsys, "run", tmp_path / "no.json")[0] == BAD_INPUT
    assert run(capsys, "run", tmp_path)[0] == BAD_INPUT
    assert run(capsys, "verify", tmp_path / "no.jsonl")[0] == BAD_INPUT
    code, _out, err = run(capsys, "run", transcript, "--out", tmp_path / "no" / "payload.md")
    assert code == BAD_INPUT
    assert "cannot be written" in err


def process(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "memguard", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, **environment},
    )


def test_missing_models_end_with_1_and_name_the_command(transcript, tmp_path):
    """OPS-002: one message that names the model, the folder and the command."""
    home = tmp_path / "home"
    done = process("run", transcript, MEMGUARD_HOME=str(home))

    assert done.returncode == BAD_INPUT
    assert "memguard setup" in done.stderr
    assert str(home) in done.stderr
    assert "all-mpnet-base-v2" in done.stderr
    assert "Traceback" not in done.stderr


def test_models_says_what_is_installed(tmp_path):
    done = process("models", MEMGUARD_HOME=str(tmp_path))

    assert done.returncode == DONE
    assert "memguard setup" in done.stdout
    assert json.loads(process("models", "--json", MEMGUARD_HOME=str(tmp_path)).stdout) == []


def test_help_and_version_load_no_model_library():
    """Figures: --help without torch; its time is printed by the bench."""
    code = (
        "import sys\nfrom memguard import cli\n"
        "try:\n    cli.main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print([m for m in ('torch', 'transformers', 'numpy', 'streamlit') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.rstrip().endswith("[]")
    started = time.perf_counter()
    assert process("--version").stdout.strip() == f"memguard {__version__}"
    assert time.perf_counter() - started < 5


@pytest.mark.weights
def test_a_sample_goes_through_on_real_weights():
    """The main job, as a person runs it: clean JSON, bars on stderr, an audited payload."""
    done = process("run", ROOT / "sample_conversations" / "support_refund.json", "--json")

    result = json.loads(done.stdout)
    assert done.returncode == DONE, done.stderr
    assert result["models"]["embedder"].startswith("sentence-transformers/all-mpnet-base-v2@")
    assert result["status"] in {"ok", "no_supported_claims"}
    assert result["claims"]
    assert result["payload"]["tokens"] <= result["compression"]["tokens_in"] / 3
    assert "parts of the summary written" in done.stderr
    for claim in result["claims"]:
        for evidence in claim["evidence"]:
            assert evidence["text"]


def test_no_claim_runs_from_one_speaker_into_another(capsys, tmp_path):
    """A22: chat without full stops is cited speaker by speaker."""
    path = tmp_path / "chat.json"
    talk = [
        ("Lena", "I will pay the deposit"),
        ("Tom", "the hotel is fully booked"),
        ("Ann", "and I hate trains"),
    ]
    path.write_text(json.dumps([{"speaker": s, "content": c} for s, c in talk]), encoding="utf-8")

    _code, out, _err = run(
        capsys, "run", path, "--payload-tokens", "200", "--rescue", "off", "--citations", "full"
    )

    assert [line for line in out.splitlines() if line.startswith("- ")] == [
        f"- {content} [{number}, {speaker}]" for number, (speaker, content) in enumerate(talk)
    ]


@pytest.mark.parametrize(
    ("ending", "said"),
    [
        (".html", "<h2>Dropped claims</h2>"),
        (".md", "## Dropped claims (1)"),
        (".csv", "A yacht waits in Rio."),
    ],
)
def test_a_report_is_written_in_the_form_of_its_ending(capsys, transcript, summary, tmp_path, ending, said):
    """Issue 4: the audit as HTML, Markdown or CSV."""
    path = tmp_path / f"report{ending}"
    given = ("check", "--transcript", transcript, "--summary", summary, "--report")
    code, _out, err = run(capsys, *given, path)
    text = path.read_text(encoding="utf-8")

    assert code == DONE
    assert said in text
    assert ending == ".csv" or err.rsplit("audit head ", 1)[1].strip() in text
    assert ending == ".csv" or "chat.json" in text.replace("\\", "")
    assert tuple(reports.FORMS) == inputs._REPORTS
    assert "must end in .html, .md, .csv" in usage_error(capsys, *given, tmp_path / "report.pdf")
    assert "would overwrite" in usage_error(capsys, *given, path, "--out", path)


def test_output_never_overwrites_what_it_was_made_from(capsys, transcript, summary, tmp_path):
    before = transcript.read_bytes()
    for flags in (("--out", transcript), ("--audit", transcript), ("--out", "x", "--audit", "x")):
        assert "would overwrite" in usage_error(capsys, "run", transcript, *flags)
    link = tmp_path / "link"
    link.symlink_to(summary)
    given = ("check", "--transcript", transcript, "--summary", summary)
    assert "would overwrite" in usage_error(capsys, *given, "--audit", link)
    assert transcript.read_bytes() == before


def test_a_folder_that_is_missing_is_told_before_any_work(capsys, transcript, tmp_path, fakes):
    code, out, err = run(capsys, "run", transcript, "--audit", tmp_path / "no" / "audit.jsonl")

    assert (code, out) == (BAD_INPUT, "")
    assert "there is no folder" in err
    assert fakes.calls == []


def test_a_kept_claim_that_is_left_out_is_told(capsys, transcript):
    given = ("--payload-tokens", "18", "--rescue", "off", "--citations", "full")
    _code, _out, err = run(capsys, "run", transcript, *given)

    assert "left out c2, kept, but the payload's budget was full: The offsite moved to March 19." in err


def test_an_encoding_that_was_assumed_is_told(capsys, transcript, tmp_path):
    summary = tmp_path / "summary.txt"
    summary.write_bytes("Größe 42 ist bestellt.".encode("latin-1"))

    _code, _out, err = run(capsys, "check", "--transcript", transcript, "--summary", summary)

    assert "cp1252 was assumed" in err


def test_an_empty_batch_is_told(capsys, tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("\n", encoding="utf-8")

    code, out, err = run(capsys, "check", "--batch", path)

    assert (code, out) == (DONE, "")
    assert "holds no row" in err
    code, out, err = run(capsys, "check", "--batch", path, "--fail-on-drop")
    assert (code, out) == (BAD_INPUT, "")
    assert "rows.jsonl: holds no row, so nothing was checked" in err


def test_a_full_disk_behind_standard_output_is_a_plain_error(transcript):
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    with full.open("w") as out:
        done = subprocess.run(
            [sys.executable, "-m", "memguard", "models", "--json"],
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            cwd=ROOT,
        )

    assert done.returncode == BAD_INPUT
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_who_ends_the_demo_ends_the_app(tmp_path):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    health = f"http://localhost:{port}/_stcore/health"
    command = [sys.executable, "-m", "memguard", "demo", "--headless", "--port", str(port)]
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)
    try:
        assert _answers(health, True, 60.0)
        process.terminate()
        process.wait(20)
        assert _answers(health, False, 20.0)
    finally:
        process.kill()


def _answers(url: str, wanted: bool, patience_s: float) -> bool:
    """Wait until the address answers, or no longer does."""
    end = time.monotonic() + patience_s
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(url, timeout=2):  # noqa: S310  the address is ours
                answered = True
        except OSError:
            answered = False
        if answered is wanted:
            return True
        time.sleep(0.2)
    return False
