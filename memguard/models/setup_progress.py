"""What a setup tells its caller while it works."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from memguard.models.home import folder_bytes

SetupProgress = Callable[[str, int, int], None]
"""Called with (label, done, total), from more than one thread.

The label is a plain phrase for a person and stays the same for one step; done and total are bytes
where files are downloaded or their checksums verified, else steps.
"""


def silent(label: str, done: int, total: int) -> None:
    """Ignore progress."""


@contextmanager
def watch_folders(
    folders: tuple[Path, ...], total: int, report: Callable[[int, int], None], every_s: float = 0.25
) -> Iterator[None]:
    """Report (bytes so far, total) while another program fills one of ``folders``.

    The largest folder counts, since a downloader fills a temporary folder first and then copies.
    """
    stop = threading.Event()

    def poll() -> None:
        while not stop.wait(every_s):
            report(min(max(folder_bytes(folder) for folder in folders), total), total)

    watcher = threading.Thread(target=poll, name="memguard-setup-progress", daemon=True)
    report(0, total)
    watcher.start()
    try:
        yield
    finally:
        stop.set()
        watcher.join()
    report(total, total)
