"""The provider ``local``: the embedded model. Chosen by name alone, never detected (D13)."""

from __future__ import annotations

import re

from memguard.errors import InvalidParameterError, ModelError
from memguard.memory.providers.protocol import ProviderError, Skip
from memguard.models import loading
from memguard.models.protocols import Summarizer

_SPOKEN = re.compile(r"[^\W\d_][\w .'-]{0,40}: ")


class LocalProvider:
    """Runs an installed summarizer on the lines of a turn.

    It continues examples and follows no instruction, so it gets the turn as a conversation and not the
    prompt; the guard on its output is the same.
    """

    name = "local"

    def __init__(self, model: str = "smollm2", *, summarizer: Summarizer | None = None) -> None:
        """Take the name of an installed summarizer; ``summarizer`` stands for it where given."""
        self.model = model
        self._summarizer = summarizer

    def __repr__(self) -> str:
        return f"LocalProvider(model={self.model!r})"

    def compress(self, text: str, *, target_tokens: int, max_tokens: int) -> str:  # noqa: ARG002  # it has no target
        """Return the model's summary of the turn, as ``CompressionProvider`` says."""
        lines = [line.strip() for line in text.split("\n") if line.strip()]
        spoken = [line if _SPOKEN.match(line) else f"User: {line}" for line in lines]
        try:
            if self._summarizer is None:
                self._summarizer = loading.load_summarizer(self.model)
            return self._summarizer.summarize(spoken, max_tokens=max_tokens)
        except InvalidParameterError as error:
            raise ProviderError(Skip.BAD_SETTING, str(error)) from error
        except ModelError as error:
            raise ProviderError(Skip.NOT_INSTALLED, str(error)) from error
