"""``memguard`` on fake models, as a process of its own: for tests that need no weights.

With ``NOISY=1`` the summarizer prints and logs, as a library might; with ``SLOW=1`` it says on standard
error that it has begun, and takes two seconds.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import time
from collections.abc import Sequence

from memguard import cli
from memguard.models import loading
from tests.fakes import FakeCounter, FakeEmbedder, FakeSummarizer

SUMMARY = "The deposit is 400 euros. A yacht waits in Rio."


def noisy(_lines: Sequence[str]) -> str:
    """Write to standard output in every way there is."""
    sys.stdout.write("noise from Python\n")
    sys.stdout.flush()
    os.write(1, b"noise from a library in C\n")
    subprocess.run(["echo", "noise from a child"], check=True)
    logging.getLogger("noise").warning("noise in the log")
    return SUMMARY


def slow(_lines: Sequence[str]) -> str:
    """Say that it has begun, and take a while."""
    sys.stderr.write("summarizing\n")
    sys.stderr.flush()
    time.sleep(2)
    return SUMMARY


def main() -> int:
    """Put the fakes in place and run the command line."""
    embedder = FakeEmbedder()
    ways = {"NOISY": noisy, "SLOW": slow}
    summarizer = FakeSummarizer(next((ways[name] for name in ways if os.environ.get(name)), SUMMARY))
    loading.load_embedder = lambda *_a, **_k: embedder
    loading.load_summarizer = lambda *_a, **_k: summarizer
    loading.load_counter = lambda *_a, **_k: FakeCounter()
    return cli.main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
