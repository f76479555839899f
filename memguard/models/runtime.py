"""How torch's threads wait: asleep, so that a busy machine does not bring them to a crawl."""

from __future__ import annotations

import os
import sys


def prepare_torch() -> None:
    """Let torch's worker threads sleep between operations; call it before torch is imported.

    OpenMP's threads spin by default while they wait for each other. With more runnable threads than
    cores (a second process, a browser) each wait then costs a time slice: a window of SmolLM2 took
    18.6 s instead of 1.7 s on two busy cores. What the environment sets already is kept.
    """
    if "torch" not in sys.modules:
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
        os.environ.setdefault("GOMP_SPINCOUNT", "0")
