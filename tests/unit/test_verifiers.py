"""The entailment model that a setting names."""

from __future__ import annotations

from pathlib import Path

import pytest

from memguard.errors import ModelUnavailableError
from memguard.grounding import verifiers
from memguard.grounding.entailment import CachedEntailment
from memguard.grounding.verifiers import fetch_entailment, load_entailment
from tests.fakes import FakeEntailment


@pytest.fixture
def loads(monkeypatch):
    """Record what is loaded; nothing is kept from test to test."""
    made = []

    def load(source, **options):
        made.append((source, options))
        return FakeEntailment()

    monkeypatch.setattr(verifiers, "CrossEncoderEntailment", load)
    monkeypatch.setattr(verifiers, "_loaded", {})
    return made


@pytest.mark.parametrize("name", ["off", "OFF", " off ", "", "  "])
def test_off_is_no_model(name, loads):
    assert load_entailment(name) is None
    assert loads == []


def test_a_model_is_loaded_once_and_remembers_its_scores(loads):
    """Issue 3: every score is cached by content, so that a slider runs no model."""
    first, again = load_entailment("lab/nli"), load_entailment("lab/nli")

    assert first is again
    assert isinstance(first, CachedEntailment)
    assert loads == [("lab/nli", {"model_id": "lab/nli"})]


def test_a_folder_is_taken_from_the_disk(loads, tmp_path):
    load_entailment(str(tmp_path))

    assert loads == [(tmp_path, {"model_id": str(tmp_path)})]


def test_the_home_folder_may_be_written_short(loads, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "nli").mkdir()

    load_entailment("~/nli")

    assert loads[0][0] == Path(tmp_path / "nli")


def test_two_models_are_kept_apart(loads):
    assert load_entailment("lab/a") is not load_entailment("lab/b")


@pytest.mark.parametrize(
    "name", ["no-such-lab/no-such-model", "/no/such/folder", "two words", "~nobody-of-that-name/x", "a\0b"]
)
def test_a_model_that_is_not_here_is_named(name, monkeypatch):
    """A missing model never becomes silence; the network is not touched."""
    monkeypatch.setattr(verifiers, "_loaded", {})

    with pytest.raises(ModelUnavailableError):
        load_entailment(name)
    assert verifiers._loaded == {}


def test_fetching_alone_asks_the_hub(loads):
    fetch_entailment("lab/nli")

    assert loads == [("lab/nli", {"local_files_only": False})]
    assert verifiers._loaded == {}
