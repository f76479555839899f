"""Tiny models, built once a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from memguard.models.runtime import prepare_torch
from tests.models import tiny

prepare_torch()


@pytest.fixture(scope="session")
def bart_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.save_bart(tmp_path_factory.mktemp("bart"))


@pytest.fixture(scope="session")
def llama_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.save_llama(tmp_path_factory.mktemp("llama"))


@pytest.fixture(scope="session")
def mpnet_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.save_mpnet(tmp_path_factory.mktemp("mpnet"))
