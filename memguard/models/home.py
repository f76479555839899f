"""The model folder: where it is, and how folders in it are hashed and replaced."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

BUILD_PREFIX = ".building-"
HOME_VARIABLE = "MEMGUARD_HOME"
_CHUNK = 1 << 20


def model_home() -> Path:
    """Return the folder that holds the models.

    ``MEMGUARD_HOME`` if it is set and not blank, else the platform's folder for user data. The
    folder may not exist yet.
    """
    chosen = os.environ.get(HOME_VARIABLE, "").strip()
    if chosen:
        return Path(chosen).expanduser()
    import platformdirs

    return Path(platformdirs.user_data_dir("memguard", appauthor=False))


def sha256_of(path: Path, progress: Callable[[int, int], None] | None = None) -> str:
    """Return the SHA-256 of a file in hexadecimal, reporting (bytes done, bytes in all)."""
    digest = hashlib.sha256()
    total = path.stat().st_size
    done = 0
    with path.open("rb") as stream:
        while block := stream.read(_CHUNK):
            digest.update(block)
            done += len(block)
            if progress is not None:
                progress(done, total)
    return digest.hexdigest()


def file_names(folder: Path) -> list[str]:
    """Return the files under ``folder``, relative, with forward slashes, sorted; no hidden ones."""
    names = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return sorted(name.as_posix() for name in names if not any(part.startswith(".") for part in name.parts))


def folder_bytes(folder: Path) -> int:
    """Return the size of all files under ``folder``; files that vanish meanwhile count as nothing."""
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(root, name)).st_size
            except OSError:
                continue
    return total


def publish_folder(built: Path, final: Path, home: Path) -> None:
    """Put a finished folder in its place by renaming; an older one there is removed afterwards.

    The older one is moved to where :func:`remove_leftovers` looks, in case this process is killed.
    Every file gets the mode that the umask gives, as the folder has: safetensors writes files that
    only their owner can read.
    """
    mode = built.stat().st_mode & 0o666
    for name in file_names(built):
        (built / name).chmod(mode)
    final.parent.mkdir(parents=True, exist_ok=True)
    if final.exists():
        retired = Path(tempfile.mkdtemp(prefix=BUILD_PREFIX, dir=home))
        final.replace(retired / "old")
        built.replace(final)
        shutil.rmtree(retired, ignore_errors=True)
    else:
        built.replace(final)


def remove_leftovers(home: Path) -> None:
    """Remove what an interrupted setup left behind; call it only while holding the setup lock."""
    for leftover in home.glob(f"{BUILD_PREFIX}*"):
        shutil.rmtree(leftover, ignore_errors=True)
