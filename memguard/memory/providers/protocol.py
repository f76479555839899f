"""What a compression provider must do, and why one did not."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from memguard.errors import InvalidParameterError, ModelError
from memguard.memory.prompt import compression_prompt
from memguard.models.protocols import LLMProtocol


class Skip(StrEnum):
    """Why a text was stored as it was said (D03, D09)."""

    DISABLED = "disabled"
    """COMPRESSION_ENABLED is off."""
    NO_PROVIDER = "no_provider"
    """No key and no COMPRESSION_PROVIDER."""
    UNKNOWN_PROVIDER = "unknown_provider"
    MISSING_KEY = "missing_key"
    """The provider that COMPRESSION_PROVIDER names has no key in the environment."""
    BAD_SETTING = "bad_setting"
    """An address, a model or a key that cannot be used."""
    NOT_INSTALLED = "not_installed"
    """The extra ``llm``, or the embedded model, is not installed."""
    TOO_LONG = "too_long"
    """Longer than the limit; nothing was paid for."""
    LANGUAGE = "language"
    """Nothing here can check a rewritten text in its language; nothing was paid for."""
    UNREACHABLE = "unreachable"
    TIMEOUT = "timeout"
    RATE_LIMITED = "rate_limited"
    REFUSED = "refused"
    """The provider would not: a wrong key, an unknown model, a filter."""
    SERVER_ERROR = "server_error"
    BAD_REPLY = "bad_reply"
    """Not in the form that the provider documents."""
    EMPTY_REPLY = "empty_reply"
    CUT_REPLY = "cut_reply"
    """It ended at the limit of tokens, so its end is missing."""
    LARGE_REPLY = "large_reply"
    FAILED = "failed"
    """A provider object of the caller's raised."""
    EXPANSION = "expansion"
    """It is not shorter than the text."""
    LOST = "lost"
    """A number, name, path, date, condition, quote or denial of the text is missing."""
    INVENTED = "invented"
    """It holds one that the text lacks."""
    CHANGED = "changed"
    """It states what the text only asks, guesses, denies or has somebody else say."""
    UNSUPPORTED = "unsupported"
    """Elimination found a claim that the text does not support."""
    PRIVATE = "private"
    """A detector fires on it."""


class ProviderError(ModelError):
    """A provider gave no text that can be used; the original is safe. Never holds a key.

    Attributes:
        reason: Why, for programs.
    """

    def __init__(self, reason: Skip, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@runtime_checkable
class CompressionProvider(Protocol):
    """Makes one turn shorter."""

    @property
    def name(self) -> str:
        """Which provider: ``gemini``, ``local``, …; stored with the entry."""
        ...

    @property
    def model(self) -> str:
        """Which of its models."""
        ...

    def compress(self, text: str, *, target_tokens: int, max_tokens: int) -> str:
        """Return a shorter form of a turn.

        Args:
            text: The turn; it went through the privacy gate.
            target_tokens: What is asked for: a third of the turn's (D07).
            max_tokens: What is allowed at most (D11, F13).

        Raises:
            ProviderError: There is none.
        """
        ...


class Prompted:
    """A provider over any object that continues a prompt."""

    def __init__(self, llm: LLMProtocol, name: str, model: str) -> None:
        self._llm = llm
        self.name = name
        self.model = model

    def __repr__(self) -> str:
        return f"Prompted(name={self.name!r}, model={self.model!r})"

    def compress(self, text: str, *, target_tokens: int, max_tokens: int) -> str:
        """Return the model's answer to the compression prompt, as ``CompressionProvider`` says."""
        answer = self._llm.generate(compression_prompt(text, target_tokens), max_tokens=max_tokens)
        if not isinstance(answer, str):
            raise ProviderError(
                Skip.BAD_REPLY, f"{self.name} must answer with a text; got {type(answer).__name__}"
            )
        return answer


def as_provider(candidate: Any) -> CompressionProvider:
    """Return an object as a provider: one that compresses, or any that continues a prompt.

    Raises:
        InvalidParameterError: It has neither method.
    """
    name = str(getattr(candidate, "name", "") or type(candidate).__name__)
    if callable(getattr(candidate, "compress", None)):
        if isinstance(candidate, CompressionProvider):
            return candidate
        raise InvalidParameterError(f"provider {name} must have the attributes name and model")
    if callable(getattr(candidate, "generate", None)):
        return Prompted(candidate, name, str(getattr(candidate, "model", "") or name))
    raise InvalidParameterError(
        f"provider must have a method compress or generate; got {type(candidate).__name__}"
    )
