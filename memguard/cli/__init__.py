"""The command line: ``memguard …`` or ``python -m memguard …``.

Results go to stdout, everything else to stderr. Exit codes: 0 done, 1 bad input or model missing,
2 wrong usage, 3 a claim was dropped under ``--fail-on-drop``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from memguard.cli.codes import DONE, INTERRUPTED
from memguard.cli.output import fail
from memguard.cli.parser import build_parser
from memguard.errors import MemGuardError


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = build_parser()
    arguments = parser.parse_args(argv)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        code: int = arguments.command(arguments)
        sys.stdout.flush()
    except MemGuardError as error:
        return fail(str(error))
    except KeyboardInterrupt:
        return fail("stopped", code=INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except OSError as error:  # a full disk behind standard output
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return fail(str(error))
    return code
