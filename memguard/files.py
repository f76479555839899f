"""Writing a file so that a killed process leaves the old one or the new one, never half of it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

_NEW_FILE = 0o666
"""What the umask is taken from: the mode that ``open`` gives a new file."""


def replace_text(path: Path, text: str) -> None:
    """Replace a file's text in one step.

    The text goes to a temporary file beside it, which then takes its place; an existing file keeps
    its mode, and a symbolic link stays one. What is no regular file (a pipe, ``/dev/null``) is
    written to as it is: nothing may take its place.

    Raises:
        OSError: The file cannot be written; what was there before is untouched.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        with target.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        return
    mode = target.stat().st_mode & 0o7777 if target.exists() else _NEW_FILE & ~_umask()
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
