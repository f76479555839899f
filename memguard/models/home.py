"""The model folder: where it is, and how files in it are written, hashed and replaced."""

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


def write_atomically(path: Path, text: str) -> None:
    """Write ``text`` to ``path`` as UTF-8 so that a reader sees the old file or the new one, whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


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


def publish_folder(built: Path, final: Path) -> None:
    """Put a finished folder in its place by renaming; an older one there is removed afterwards."""
    final.parent.mkdir(parents=True, exist_ok=True)
    if final.exists():
        retired = Path(tempfile.mkdtemp(prefix=BUILD_PREFIX, dir=final.parent))
        final.replace(retired / "old")
        built.replace(final)
        shutil.rmtree(retired, ignore_errors=True)
    else:
        built.replace(final)


def remove_leftovers(folder: Path) -> None:
    """Remove what an interrupted setup left behind; call it only while holding the setup lock."""
    for leftover in folder.glob(f"{BUILD_PREFIX}*"):
        shutil.rmtree(leftover, ignore_errors=True)
