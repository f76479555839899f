"""How text leaves: in the encoding of a terminal, in UTF-8 everywhere else."""

from __future__ import annotations

import os
import sys


def set_up() -> None:
    """Let no character end a command: what a terminal cannot show is written as its escape.

    Files and pipes get UTF-8 whatever the locale says, so that what one command writes the next reads;
    ``PYTHONIOENCODING`` wins over that.
    """
    for stream in (sys.stdout, sys.stderr):
        if not hasattr(stream, "reconfigure"):
            continue
        if stream.isatty() or os.environ.get("PYTHONIOENCODING"):
            stream.reconfigure(errors="backslashreplace")
        else:
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def is_unicode(stream: object) -> bool:
    """Return whether a stream takes every character; one without an encoding does."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return encoding.lower().replace("-", "").startswith("utf")
