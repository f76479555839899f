"""Fetch a model from the hub: one probe, one token, one snapshot."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

from memguard.errors import ModelFetchError
from memguard.models.catalog import HubSource
from memguard.models.offline import network_allowed, user_wants_offline
from memguard.models.setup_progress import watch_folders

PROBE_SECONDS = 3.0  # a hub that can be reached answers in well under one
_ANSWERS = frozenset({401, 404, 405})
TOKEN_VARIABLES = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HUGGINGFACE_HUB_TOKEN")


def hub_token() -> str | None:
    """Return the hub token from the environment, else from ``.env``, else None (A14).

    ``.env`` is looked for from the working folder upwards, and only where python-dotenv is
    installed. The environment wins over the file; within each the order is ``HF_TOKEN``,
    ``HUGGING_FACE_HUB_TOKEN``, ``HUGGINGFACE_HUB_TOKEN``.
    """
    for name in TOKEN_VARIABLES:
        if value := os.environ.get(name, "").strip():
            return value
    try:
        from dotenv import dotenv_values, find_dotenv
    except ImportError:
        return None
    path = find_dotenv(usecwd=True)
    values = dotenv_values(path) if path else {}
    for name in TOKEN_VARIABLES:
        if value := (values.get(name) or "").strip():
            return value
    return None


def hub_reachable(timeout_s: float = PROBE_SECONDS) -> bool:
    """Ask the hub once whether it answers; False after ``timeout_s`` seconds, whatever hangs.

    The address is ``huggingface_hub``'s own (``HF_ENDPOINT`` counts). Offline mode in the user's
    environment gives False without a request.
    """
    if user_wants_offline():
        return False
    answer: list[bool] = []

    def ask() -> None:
        answer.append(_probe(timeout_s))

    # The name look-up has no time-out of its own, so the wait is on a thread.
    thread = threading.Thread(target=ask, name="memguard-hub-probe", daemon=True)
    thread.start()
    thread.join(timeout_s)
    return bool(answer and answer[0])


def _probe(timeout_s: float) -> bool:
    import http.client
    import urllib.error
    import urllib.request

    from huggingface_hub import constants

    if not constants.ENDPOINT.startswith(("https://", "http://")):
        return False
    request = urllib.request.Request(constants.ENDPOINT, method="HEAD")  # noqa: S310  # checked above
    try:
        with urllib.request.urlopen(request, timeout=timeout_s) as response:  # noqa: S310  # likewise
            return bool(response.status < 400)
    except urllib.error.HTTPError as error:
        return error.code in _ANSWERS  # a mirror without a front page; a proxy's refusal is none
    except (urllib.error.URLError, http.client.HTTPException, OSError, ValueError):
        return False


def download_snapshot(source: HubSource, folder: Path, progress: Callable[[int, int], None]) -> None:
    """Fetch the files of ``source`` into ``folder``, reporting (bytes done, bytes in all).

    Raises:
        ModelFetchError: If the hub refuses, or the connection or the disk fails.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with watch_folders((folder,), source.n_bytes, progress):
        try:
            _snapshot_download(source, folder)
        except (OSError, RuntimeError, ValueError) as error:
            raise ModelFetchError(
                f"{source.repo_id}: the hub download failed: {type(error).__name__}: {error}"
            ) from error


def _snapshot_download(source: HubSource, folder: Path) -> None:
    from huggingface_hub import snapshot_download
    from huggingface_hub.utils.tqdm import (
        are_progress_bars_disabled,
        disable_progress_bars,
        enable_progress_bars,
    )

    hidden = are_progress_bars_disabled()
    disable_progress_bars()
    try:
        with network_allowed():
            snapshot_download(
                source.repo_id,
                revision=source.revision,
                local_dir=folder,
                allow_patterns=list(source.allow),
                token=hub_token(),
            )
    finally:
        if not hidden:
            enable_progress_bars()
