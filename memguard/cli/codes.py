"""The exit codes of the command line."""

from __future__ import annotations

DONE = 0
BAD_INPUT = 1
"""Bad input, or a model is missing."""
WRONG_USAGE = 2
DROPPED = 3
"""A claim was dropped under ``--fail-on-drop``."""
INTERRUPTED = 130
"""Ended by Ctrl-C, as a shell counts it."""

EXIT_CODES = (
    "exit codes: 0 done, 1 bad input or a model is missing, 2 wrong usage, 3 a claim was dropped under "
    "--fail-on-drop, 130 stopped by Ctrl-C"
)
"""For help texts; README.md says the same."""
