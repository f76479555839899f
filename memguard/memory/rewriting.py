"""One turn made shorter by a model, or the reason why it stays as it was said (D02, D03, D09).

Everything that can go wrong ends in a reason, never in an exception: the caller stores the original.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memguard.errors import MemGuardError, ModelUnavailableError
from memguard.grounding.reading.language import is_english
from memguard.memory.counters import Cl100kCounter
from memguard.memory.gate import PrivacyGate
from memguard.memory.protected import faults
from memguard.memory.providers import CompressionProvider, ProviderError, Skip, choose, provider_of
from memguard.memory.providers.detection import enabled
from memguard.memory.substance import LONGEST_RUN, is_readable
from memguard.settings import MemorySettings

if TYPE_CHECKING:
    from memguard.guard import MemGuard

_log = logging.getLogger("memguard.memory.capture")

_SHARE = 3
"""A third of the tokens is asked for (D07), a half is allowed (D11)."""
_SHOWN = 5
"""Faults named in a reason."""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """What came of it.

    Attributes:
        text: The shorter text; the original where there is none.
        compressed: Whether it is the shorter one.
        provider: Who wrote it; None where nobody was asked.
        model: Which model.
        tokens_in: cl100k tokens of the original (D12).
        tokens_out: Of ``text``.
        reason: Why it is not compressed; None where it is.
        detail: The same for people; empty where it is.
        calls: How often a provider was asked.
    """

    text: str
    compressed: bool
    provider: str | None
    model: str | None
    tokens_in: int
    tokens_out: int
    reason: Skip | None
    detail: str
    calls: int


class Rewriter:
    """Decides whether a model is asked, asks it, and checks what it wrote."""

    def __init__(
        self,
        settings: MemorySettings,
        *,
        provider: CompressionProvider | None = None,
        guard: Callable[[], MemGuard] | None = None,
    ) -> None:
        """Take the settings.

        Args:
            settings: Limits, models, and whether the audit runs.
            provider: Is asked in place of the one that the environment means, if compression is enabled.
            guard: Gives what checks a text against the original; None leaves that check out.
        """
        self._settings = settings
        self._provider = provider
        self._guard = guard if settings.audit == "on" else None
        self._counter = Cl100kCounter()
        self._made: tuple[Any, CompressionProvider] | None = None

    def count(self, text: str) -> int:
        """Return the cl100k tokens of a text."""
        return self._counter.count(text)

    def rewrite(self, text: str, gate: PrivacyGate) -> Rewrite:
        """Return a shorter form of a text that went through the privacy gate, or say why there is none.

        Raises nothing that a provider, a model or a check does.
        """
        n_tokens = self.count(text)
        calls = 0
        provider: CompressionProvider | None = None
        try:
            provider = self._chosen()
            self._check_input(text, n_tokens)
            calls = 1
            _log.debug("asking %s (%s) about %d tokens", provider.name, provider.model, n_tokens)
            written = self._ask(provider, text, n_tokens)
            n_out = self._check_output(text, written, n_tokens, gate)
        except ProviderError as error:
            _log.debug("not compressed, %s: %s", error.reason, error)
            return Rewrite(
                text,
                False,
                provider.name if provider else None,
                provider.model if provider else None,
                n_tokens,
                n_tokens,
                error.reason,
                str(error),
                calls,
            )
        _log.debug("compressed by %s: %d tokens to %d", provider.name, n_tokens, n_out)
        return Rewrite(written, True, provider.name, provider.model, n_tokens, n_out, None, "", calls)

    def _chosen(self) -> CompressionProvider:
        if self._provider is not None:
            if not enabled():
                raise ProviderError(Skip.DISABLED, "COMPRESSION_ENABLED is off")
            return self._provider
        choice = choose(self._settings)
        # The local model is held by what made it: loading it for each turn would cost seconds.
        if self._made is None or self._made[0] != choice:
            self._made = (choice, provider_of(choice, self._settings))
        return self._made[1]

    def _check_input(self, text: str, n_tokens: int) -> None:
        if n_tokens > self._settings.input_tokens:
            raise ProviderError(
                Skip.TOO_LONG,
                f"the text has {n_tokens} tokens, more than the limit of {self._settings.input_tokens}; "
                "no model was asked",
            )
        if not is_readable(text):
            raise ProviderError(
                Skip.TOO_LONG,
                f"the text has a run of over {LONGEST_RUN} characters without a space; no model was asked",
            )
        if not is_english(text):
            raise ProviderError(
                Skip.LANGUAGE, "a rewritten text can be checked in English alone; no model was asked"
            )

    def _ask(self, provider: CompressionProvider, text: str, n_tokens: int) -> str:
        target = max(1, n_tokens // _SHARE)
        most = max(n_tokens // 2, self._settings.reply_floor)

        try:
            written = provider.compress(text, target_tokens=target, max_tokens=most)
        except ProviderError:
            raise
        except Exception as error:  # noqa: BLE001  # D09: whatever a caller's provider raises, the row is kept
            # Its message may quote a request, key included, and is repeated nowhere.
            raise ProviderError(
                Skip.FAILED, f"the provider {provider.name} raised {type(error).__name__}"
            ) from None
        if not isinstance(written, str):
            raise ProviderError(Skip.BAD_REPLY, f"{provider.name} must answer with a text")
        if not written.strip():
            raise ProviderError(Skip.EMPTY_REPLY, f"the reply of {provider.name} is empty")
        return written.strip()

    def _check_output(self, text: str, written: str, n_tokens: int, gate: PrivacyGate) -> int:
        n_out = self.count(written)
        if not is_readable(written):
            raise ProviderError(
                Skip.BAD_REPLY, f"the model's text has a run of over {LONGEST_RUN} characters"
            )
        if n_out >= n_tokens:
            raise ProviderError(
                Skip.EXPANSION, f"the model's text has {n_out} tokens, the original {n_tokens}"
            )
        if found := faults(text, written):
            shown = "; ".join(map(str, found[:_SHOWN]))
            raise ProviderError(found[0].reason, f"the model's text was not used: {shown}")
        if gate.unresolved(written):
            raise ProviderError(Skip.PRIVATE, "the model's text was not used: a privacy detector fires on it")
        if self._guard is not None:
            self._audit(text, written, self._guard)
        return n_out

    def _audit(self, text: str, written: str, guard: Callable[[], MemGuard]) -> None:
        from memguard.eliminator import Elimination
        from memguard.grounding.verdicts import Label

        try:
            result: Elimination = guard().check(written, messages_of(text))[Elimination]
        except ModelUnavailableError as error:
            # Compression must not depend on the weights (D02); the guard above has passed.
            _log.warning("a model's text went through no elimination: %s", error)
            return
        except MemGuardError as error:
            raise ProviderError(
                Skip.UNSUPPORTED, f"the model's text could not be checked and was not used ({error})"
            ) from error
        # What contradicts is read more exactly above: the guards of elimination, made for summaries of a
        # conversation, refused 3 of 12 true notes of the fixture.
        unsupported = [verdict for verdict in result.dropped if verdict.label is Label.NOT_FOUND]
        if unsupported:
            raise ProviderError(
                Skip.UNSUPPORTED,
                f"the model's text was not used: {unsupported[0].claim.text!r} is not found in the original",
            )


def messages_of(text: str) -> list[dict[str, str]]:
    """Return a turn as messages: a line that begins with a role starts one."""
    messages: list[dict[str, str]] = []
    for line in text.split("\n"):
        role, mark, rest = line.partition(": ")
        if mark and role.lower() in {"user", "assistant"}:
            messages.append({"role": role.lower(), "content": rest})
        elif messages:
            messages[-1]["content"] += f"\n{line}"
        else:
            messages.append({"role": "user", "content": line})
    return [message for message in messages if message["content"].strip()]
