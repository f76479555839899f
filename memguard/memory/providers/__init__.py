"""The models that compress captured turns: which one is meant, and how it is asked.

Gemini, OpenAI, Anthropic, xAI and any server that speaks OpenAI's form (Ollama, llama.cpp, vLLM) over
HTTP; ``local`` is the embedded model. Every failure is a ``ProviderError`` with a reason, and no key
stands in an error, a log or a representation.
"""

from memguard.memory.providers.detection import Choice, choose, provider_of
from memguard.memory.providers.protocol import CompressionProvider, Prompted, ProviderError, Skip, as_provider

__all__ = [
    "Choice",
    "CompressionProvider",
    "Prompted",
    "ProviderError",
    "Skip",
    "as_provider",
    "choose",
    "provider_of",
]
