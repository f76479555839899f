"""What the command line says to wrong usage: one line, what is allowed, and the name that is near."""

from __future__ import annotations

import json

import pytest

from memguard import cli
from memguard.cli.codes import BAD_INPUT, EXIT_CODES, WRONG_USAGE
from memguard.cli.parser import build_parser
from memguard.cli.setting_flags import RUN_SECTIONS, settings_file
from memguard.errors import SettingsError
from memguard.settings import Settings, setting_names


def refused(capsys, *arguments):
    """Return what stands on stderr of a command that ends with 2."""
    with pytest.raises(SystemExit) as caught:
        cli.main(list(arguments))
    assert caught.value.code == WRONG_USAGE
    out, err = capsys.readouterr()
    assert out == ""
    return err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ["run", "a", "--max-tokens", "-1"],
            "memguard run: error: --max-tokens must be a whole number from 0 to 1000000; got -1",
        ),
        (["run", "a", "--window", "x"], "--window must be a whole number from 1 to 10; got 'x'"),
        (["run", "a", "--min-similarity", "nan"], "--min-similarity must be a number from -1 to 1; got nan"),
        (["run", "a", "--max-distance", "3"], "--max-distance must be a number from 0 to 2; got 3.0"),
        (
            ["run", "a", "--preset", "stirct"],
            "--preset must be one of contract, balanced, strict; got 'stirct'; did you mean strict?",
        ),
        (["run", "a", "--pin-pattern", "("], "--pin-pattern must be a pattern that RE2 takes"),
        (["run", "a", "--max-tokenz", "9"], "memguard run: error: there is no --max-tokenz; did you mean"),
        (["run", "a", "--max_tokens=9"], "there is no --max_tokens; did you mean --max-tokens?"),
        (["run", "a", "--elimination.preset", "strict"], "did you mean --preset?"),
        (["run", "a", "b"], "memguard run: error: 'b' is one argument too many"),
        (["rnu", "a"], "did you mean run?"),
        (["memory", "serach", "x"], "did you mean search?"),
        (["serve", "--port", "http"], "--port must be a whole number from 1 to 65535; got 'http'"),
        (["train", "space", "--seed", "x"], "memguard train: error: --seed must be a whole number; got 'x'"),
        (["memory", "capture", "a", "--importance", "x"], "--importance must be a number; got 'x'"),
        (["serve", "--at-once", "many"], "--at-once must be a whole number of 1 or more; got 'many'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_usage_is_one_line_and_where_to_look(capsys, arguments, told):
    err = refused(capsys, *arguments)

    first, second, *more = err.splitlines()
    assert told in first
    assert second.startswith("(all flags: memguard")
    assert second.endswith(" --help)")
    assert more == []
    assert "Settings." not in err


def test_what_is_far_from_every_name_names_none(capsys):
    assert "did you mean" not in refused(capsys, "run", "a", "--xyzzy")


@pytest.mark.parametrize(
    ("toml", "told"),
    [
        (
            "[elimination]\nmin_similarty = 0.5\n",
            "there is no setting elimination.min_similarty; did you mean min_similarity?",
        ),
        (
            "[elimination]\nmin_similarity = 7\n",
            "elimination.min_similarity must be a number from -1 to 1; got 7",
        ),
        ("[eliminaton]\n", "there is no section 'eliminaton'; did you mean elimination?"),
        ("min_similarity = 0.5\n", "min_similarity belongs below [elimination]"),
        ("[retention]\nxyzzy = 1\n", "known: rescue, rescue_tokens"),
        ("[compression]\npin_pattern = '('\n", "compression.pin_pattern must be a pattern"),
        ("x = = 1", "not a TOML file"),
    ],
)
def test_a_settings_file_is_told_by_the_names_that_stand_in_it(capsys, tmp_path, toml, told):
    chat, path = tmp_path / "chat.json", tmp_path / "s.toml"
    chat.write_text(json.dumps([{"content": "Hello."}]), encoding="utf-8")
    path.write_text(toml, encoding="utf-8")

    for arguments in (["run", str(chat)], ["inspect", str(chat)]):
        assert cli.main([*arguments, "--settings", str(path)]) == BAD_INPUT
        err = capsys.readouterr().err
        assert err.startswith(f"memguard: {path}: ")
        assert told in err
        assert err.count("\n") == 1
        assert "Settings." not in err


def test_a_settings_file_is_read_as_the_library_reads_it(tmp_path):
    path = tmp_path / "s.toml"
    path.write_text("seed = 3\n[elimination]\nmax_distance = 0.25\n[limits]\nfile_mb = 7\n", "utf-8")

    assert settings_file(str(path)) == Settings.from_toml(path)
    assert settings_file(None) == Settings()
    path.write_text(Settings().to_toml(), "utf-8")
    assert settings_file(str(path)) == Settings()
    with pytest.raises(SettingsError, match="cannot be read"):
        settings_file(str(tmp_path))


@pytest.mark.parametrize("command", ["run", "check"])
def test_help_puts_what_is_common_first_and_each_stage_in_a_group(capsys, command):
    with pytest.raises(SystemExit) as caught:
        cli.main([command, "--help"])
    out = capsys.readouterr().out

    assert caught.value.code == 0
    assert len(out.split("\n\n")[0].splitlines()) <= 2
    heads = ["\ninput:", "\noutput:", *(f"\n{section} settings:" for section in RUN_SECTIONS)]
    places = [out.index(head) for head in heads]
    assert places == sorted(places)
    for name in setting_names():
        section, _, key = name.partition(".")
        if section in RUN_SECTIONS:
            assert f"--{key.replace('_', '-')}" in out[out.index(f"\n{section} settings:") :]
    assert " ".join(EXIT_CODES.split()) in " ".join(out.split())


def test_help_of_every_command_can_be_written_to_a_terminal_without_unicode(monkeypatch):
    """A flag whose help names ``…`` must not end ``--help`` with an error."""
    monkeypatch.setenv("COLUMNS", "40")
    assert build_parser().format_help().isascii()
