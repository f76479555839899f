"""The command line: ``memguard …`` or ``python -m memguard …``.

Results go to stdout, everything else to stderr. Exit codes: 0 done, 1 bad input or model missing,
2 wrong usage, 3 a claim was dropped under ``--fail-on-drop``, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from memguard.cli.codes import DONE, INTERRUPTED
from memguard.cli.output import fail
from memguard.cli.parser import build_parser
from memguard.cli.streams import set_up
from memguard.errors import MemGuardError


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    set_up()
    arguments = build_parser().arguments(argv)
    try:
        code: int = arguments.command(arguments)
        sys.stdout.flush()
    except MemGuardError as error:
        return fail(str(error))
    except KeyboardInterrupt:
        return fail("stopped; no file is half written, and the command may be run again", code=INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except OSError as error:  # a full disk behind standard output
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return fail(str(error))
    return code
