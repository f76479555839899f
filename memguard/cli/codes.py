"""The exit codes of the command line."""

from __future__ import annotations

DONE = 0
BAD_INPUT = 1
"""Bad input, or a model is missing."""
WRONG_USAGE = 2
DROPPED = 3
"""A claim was dropped under ``--fail-on-drop``."""
INTERRUPTED = 130
