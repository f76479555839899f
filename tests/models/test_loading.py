"""Loading: once a process, from local folders, with no network (A14, A15, F5)."""

from __future__ import annotations

import dataclasses
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from memguard.errors import ModelIntegrityError, ModelUnavailableError
from memguard.models import loading
from memguard.models.bart import BartSummarizer
from memguard.models.catalog import BART, MPNET, SMOLLM2, WEIGHTS_FILE, ModelSpec
from memguard.models.extractive import ExtractiveSummarizer
from memguard.models.home import sha256_of
from memguard.models.manifest import Manifest, ManifestEntry, record_files
from memguard.models.runtime import prepare_torch
from memguard.models.smollm import SmolSummarizer
from memguard.models.tokens import BartTokenCounter


def entry_of(model: ModelSpec, folder: Path, home: Path) -> ManifestEntry:
    return ManifestEntry(
        role=model.role,
        model=model.key,
        reference=model.reference,
        source="registry",
        revision="1",
        sha256=sha256_of(folder / WEIGHTS_FILE),
        licence=model.licence,
        path=os.path.relpath(folder, home),
        files=record_files(folder),
    )


@pytest.fixture
def home(tmp_path: Path, mpnet_folder: Path, llama_folder: Path) -> Path:
    entries = (entry_of(MPNET, mpnet_folder, tmp_path), entry_of(SMOLLM2, llama_folder, tmp_path))
    Manifest(entries).write(tmp_path)
    return tmp_path


def test_ten_threads_load_one_embedder(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A15."""
    from memguard.models import embedder

    loads: list[str] = []

    class Slow:
        def __init__(self, folder: Path, model_id: str) -> None:
            loads.append(model_id)
            time.sleep(0.1)

    monkeypatch.setattr(embedder, "SentenceEmbedder", Slow)
    got: list[object] = []
    threads = [threading.Thread(target=lambda: got.append(loading.load_embedder(home))) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(loads) == 1
    assert len(got) == 10
    assert len(set(map(id, got))) == 1
    loading.forget_loaded()


def test_auto_only_quotes_until_bart_is_installed(home: Path, bart_folder: Path) -> None:
    assert isinstance(loading.load_summarizer(home=home), ExtractiveSummarizer)
    smol = loading.load_summarizer("smollm2", home=home)
    assert isinstance(smol, SmolSummarizer)
    assert smol.model_id.startswith("HuggingFaceTB/SmolLM2-135M-Instruct@")
    assert loading.load_summarizer("smollm2", home=home) is smol
    Manifest.read(home).with_entry(entry_of(BART, bart_folder, home)).write(home)
    bart = loading.load_summarizer(home=home)
    assert isinstance(bart, BartSummarizer)
    assert bart.model_id.startswith("facebook/bart-large-cnn@")
    assert isinstance(loading.load_summarizer("extractive", home=home), ExtractiveSummarizer)


def test_installed_leaves_out_what_is_gone(home: Path) -> None:
    assert [entry.model for entry in loading.installed(home)] == [MPNET.key, SMOLLM2.key]
    manifest = Manifest.read(home)
    first = manifest.entries[0]
    manifest.with_entry(dataclasses.replace(first, path="nowhere")).write(home)
    assert [entry.model for entry in loading.installed(home)] == [SMOLLM2.key]
    with pytest.raises(ModelUnavailableError, match="memguard setup"):
        loading.load_embedder(home)


def test_a_tokenizer_that_was_changed_is_not_loaded(home: Path, tmp_path: Path, mpnet_folder: Path) -> None:
    """A model_id names what computed: no other tokenizer may answer under it."""
    copy = tmp_path / "copy"
    shutil.copytree(mpnet_folder, copy)
    Manifest((entry_of(MPNET, copy, home),)).write(home)
    tokenizer = copy / "tokenizer.json"
    text = tokenizer.read_text()
    os.utime(tokenizer, ns=(1, 1))
    assert loading.load_embedder(home).model_id  # touched only: hashed, and loaded
    loading.forget_loaded()
    tokenizer.write_text(text.replace("true", "1234", 1))
    with pytest.raises(ModelIntegrityError, match=r"tokenizer\.json in .* differs.*run: memguard setup"):
        loading.load_embedder(home)
    tokenizer.write_text(text + " ")
    with pytest.raises(ModelUnavailableError, match="not installed"):
        loading.load_embedder(home)
    tokenizer.write_text(text)
    (copy / "adapter_config.json").write_text("{}")
    with pytest.raises(ModelUnavailableError, match="not installed"):
        loading.load_embedder(home)


def test_summarizers_that_load_are_the_settings_choices_but_the_callers_own() -> None:
    assert loading.SUMMARIZERS == ("auto", "bart", "smollm2", "extractive")


def test_warm_up_loads_both(home: Path) -> None:
    loading.warm_up(home)
    assert loading.load_embedder(home).misses >= 1


def test_loading_and_running_touches_no_network(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A14, OPS-002."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was touched")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    loading.forget_loaded()
    loading.load_embedder(home).embed(["hello"])
    loading.load_summarizer("smollm2", home=home).summarize(["User: hello"], max_tokens=40)
    loading.load_summarizer(home=home).summarize(["User: hello"], max_tokens=40)


def test_counter_is_barts() -> None:
    """F21: also when another summarizer runs."""
    assert isinstance(loading.load_counter(), BartTokenCounter)


@pytest.mark.parametrize(("value", "expected"), [("1", True), ("true", True), ("0", False), ("", False)])
def test_eager_is_asked_for_in_the_environment(
    value: str, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F5."""
    monkeypatch.setenv(loading.EAGER_VARIABLE, value)
    assert loading.eager_requested() is expected


def test_torch_threads_sleep_while_they_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spinning threads made a summary ten times slower on a busy machine."""
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    monkeypatch.setenv("GOMP_SPINCOUNT", "7")
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    prepare_torch()
    assert os.environ["OMP_WAIT_POLICY"] == "PASSIVE"
    assert os.environ["GOMP_SPINCOUNT"] == "7"


def test_importing_the_room_loads_no_library_and_opens_no_weights() -> None:
    """F5."""
    program = (
        "import sys, memguard.models.loading, memguard.models.fetch, memguard.models.summarizers\n"
        "heavy = {'torch', 'transformers', 'sentence_transformers', 'huggingface_hub'}\n"
        "sys.exit(' '.join(heavy & set(sys.modules)) or 0)"
    )
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr


OFFLINE = """
import socket, sys
def refuse(*a, **k): raise AssertionError("network")
socket.socket.connect = refuse; socket.getaddrinfo = refuse
from memguard.models.loading import load_embedder, load_summarizer
print(load_embedder().embed(["hello"]).shape)
print(load_summarizer("smollm2").summarize(["User: My name is Ana.", "Assistant: Hello Ana."], max_tokens=60))
"""


@pytest.mark.weights
@pytest.mark.parametrize("variables", [{}, {"HF_HUB_OFFLINE": "1"}])
def test_real_models_load_offline_in_a_fresh_process(variables: dict[str, str]) -> None:
    """OPS-002: with sockets blocked, within 30 seconds each, and nothing on stderr."""
    finished = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", OFFLINE],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **variables},
        timeout=180,
    )
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.startswith("(1, 768)")
    assert finished.stderr.strip() == ""
