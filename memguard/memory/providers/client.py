"""One request to a provider over HTTP: with a time limit, repetitions, and a limit on what is read.

On httpx2 alone: the vendors' own packages would bring four SDKs for one call of one text each.
No error repeats what the provider or the HTTP library wrote, since that may quote a key or the text.
"""

from __future__ import annotations

import json
import logging
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from memguard.errors import how_to_install
from memguard.memory.providers.detection import Choice, is_own
from memguard.memory.providers.protocol import ProviderError, Skip
from memguard.memory.providers.wire import FORMS, holds, text_of, without
from memguard.settings import MemorySettings
from memguard.text import well_formed

_log = logging.getLogger("memguard.memory.providers")

_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
"""Answers after which the same request may succeed."""
_ERROR_BYTES = 64 << 10


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    retry_after: str
    body: bytes


class HttpModel:
    """An ``LLMProtocol`` object over a provider's HTTP interface; safe to use from several threads."""

    def __init__(
        self, choice: Choice, settings: MemorySettings, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        """Take what to ask; nothing is connected before the first call.

        Args:
            choice: Provider, model, address and key.
            settings: Time limit, repetitions and limits.
            sleep: Waits before a repetition.
        """
        self.name = choice.name
        self.model = choice.model
        self._choice = choice
        self._form = FORMS[choice.name]
        self._settings = settings
        self._sleep = sleep

    def __repr__(self) -> str:
        return f"HttpModel(name={self.name!r}, model={self.model!r})"

    def generate(self, prompt: str, max_tokens: int = 256) -> str:
        """Return the model's answer at temperature 0, where the model takes one (D11).

        Raises:
            ProviderError: There is none that can be used, within the time limit.
        """
        body = self._form.body(self.model, well_formed(prompt), max_tokens)
        deadline = time.monotonic() + self._settings.timeout_s
        attempt = 0
        while True:
            answer: _Answer | None = None
            try:
                answer = self._ask(body, deadline)
            except ProviderError as error:
                if error.reason is not Skip.UNREACHABLE or attempt >= self._settings.retries:
                    raise
            if answer is not None:
                if answer.status == 200:
                    return self._text(answer)
                lighter = self._lighter(body, answer)
                if lighter is not None:
                    body = lighter
                    continue
                if answer.status not in _PASSING or attempt >= self._settings.retries:
                    raise self._refusal(answer.status)
            self._wait(attempt, answer, deadline)
            attempt += 1

    def _text(self, answer: _Answer) -> str:
        try:
            reply = json.loads(answer.body)
        except (ValueError, RecursionError):
            raise ProviderError(Skip.BAD_REPLY, f"the reply of {self.name} is not JSON") from None
        return text_of(self.name, reply)

    def _lighter(self, body: dict[str, Any], answer: _Answer) -> dict[str, Any] | None:
        """Return the request without an optional field that the refusal names; None where it names none."""
        if answer.status not in {400, 422}:
            return None
        for word, path in self._form.optional.items():
            if holds(body, path) and word.encode() in answer.body:
                _log.debug("%s %s takes no %s; asking without it", self.name, self.model, word)
                return without(body, path)
        return None

    def _refusal(self, status: int) -> ProviderError:
        if status == 429:
            return ProviderError(
                Skip.RATE_LIMITED, f"{self.name} has no room for more requests now (HTTP 429)"
            )
        if status >= 500 or status == 408:
            return ProviderError(Skip.SERVER_ERROR, f"{self.name} failed (HTTP {status})")
        hint = " Check its key." if status in {401, 403} else ""
        hint = f" Check the model {self.model!r}." if status == 404 else hint
        return ProviderError(Skip.REFUSED, f"{self.name} refused the request (HTTP {status}).{hint}")

    def _wait(self, attempt: int, answer: _Answer | None, deadline: float) -> None:
        """Wait before a repetition, for as long as the provider asks or twice as long as before.

        Raises:
            ProviderError: The time limit would be over by then.
        """
        asked = _seconds(answer.retry_after) if answer is not None else None
        backoff = self._settings.backoff_s * 2**attempt * (1 + random.random() / 4)  # noqa: S311  # no secret
        pause = backoff if asked is None else asked
        if time.monotonic() + pause >= deadline:
            if answer is not None:
                raise self._refusal(answer.status)
            raise ProviderError(Skip.UNREACHABLE, f"{self.name} cannot be reached")
        _log.debug("%s: asking again in %.2f s", self.name, pause)
        self._sleep(pause)

    def _ask(self, body: dict[str, Any], deadline: float) -> _Answer:
        httpx = _httpx()
        left = deadline - time.monotonic()
        if left <= 0:
            raise self._too_slow()
        base = self._choice.base_url or self._form.base_url
        headers = {**self._form.headers(self._choice.key), "Accept": "application/json"}
        # A proxy that is set for the internet does not reach a server on this machine.
        by_proxy = not is_own(base)
        try:
            # Redirects are not followed: they would take the key to another address.
            with (
                httpx.Client(timeout=left, follow_redirects=False, trust_env=by_proxy) as client,
                client.stream(
                    "POST", base + self._form.path(self.model), headers=headers, json=body
                ) as reply,
            ):
                return _Answer(
                    reply.status_code,
                    reply.headers.get("retry-after", ""),
                    self._read(reply, deadline),
                )
        except httpx.TimeoutException:
            raise self._too_slow() from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ProviderError(
                Skip.UNREACHABLE, f"{self.name} cannot be reached ({type(error).__name__})"
            ) from None

    def _read(self, reply: Any, deadline: float) -> bytes:
        limit = self._settings.reply_kb << 10 if reply.status_code == 200 else _ERROR_BYTES
        read = bytearray()
        for piece in reply.iter_bytes():
            read += piece
            if time.monotonic() > deadline:
                raise self._too_slow()
            if len(read) > limit:
                if reply.status_code != 200:
                    break
                raise ProviderError(
                    Skip.LARGE_REPLY, f"the reply of {self.name} is larger than {self._settings.reply_kb} KiB"
                )
        return bytes(read)

    def _too_slow(self) -> ProviderError:
        return ProviderError(
            Skip.TIMEOUT, f"{self.name} did not answer within {self._settings.timeout_s:g} seconds"
        )


def _seconds(value: str) -> float | None:
    """Return what a Retry-After header asks for, in seconds or as a date; None where it says nothing."""
    if not value.strip():
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.now(UTC)).total_seconds())


def _httpx() -> Any:
    try:
        import httpx2
    except ImportError:
        raise ProviderError(
            Skip.NOT_INSTALLED,
            f"a provider is asked through httpx2, which is not installed; {how_to_install('llm')}",
        ) from None
    return httpx2
