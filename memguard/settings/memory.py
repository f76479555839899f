"""Long-term memory: what capturing turns asks for."""

from __future__ import annotations

from dataclasses import dataclass

from memguard.bounds import Section, setting, switch
from memguard.settings.compression import SUMMARIZERS


@dataclass(frozen=True)
class MemorySettings(Section):
    """How turns are captured into long-term memory; given to ``Memory``, and no part of a run's settings."""

    dedup_similarity: float = setting(
        0.92,
        "Similarity of a duplicate",
        "A captured text is a duplicate of an entry whose cosine similarity is above this, if the merge "
        "guard finds no difference between the two.",
        low=-1.0,
        high=1.0,
        step=0.01,
    )
    dedup_candidates: int = setting(
        8,
        "Candidates for a duplicate",
        "How many of the nearest entries are compared word by word.",
        low=1,
        high=100,
        step=1,
        unit="entries",
    )
    embedded_tokens: int = setting(
        20_000,
        "Longest text to embed",
        "A longer text is stored, but without an embedding: it is found by its words alone.",
        low=1,
        high=1_000_000,
        step=1_000,
        unit="tokens",
    )
    input_tokens: int = setting(
        8_000,
        "Longest text to compress",
        "A longer text is stored as it is, and no model is asked.",
        low=1,
        high=1_000_000,
        step=500,
        unit="tokens",
    )
    reply_floor: int = setting(
        64,
        "Least room for a reply",
        "A model may write half as many tokens as the text has, and at least this many.",
        low=1,
        high=10_000,
        step=8,
        unit="tokens",
    )
    audit: str = switch(
        "on",
        "Check against the original",
        "on: what a model wrote goes through elimination against the text that it was given, and one claim "
        "that the text does not support keeps the text as it was.",
    )
    timeout_s: float = setting(
        20.0,
        "Time for a model",
        "A provider is given up after this many seconds, repetitions and waits included.",
        low=0.01,
        high=600.0,
        step=1.0,
        unit="s",
    )
    retries: int = setting(
        2,
        "Repetitions",
        "How often a request is repeated after a failure that may pass: a rate limit, a server error.",
        low=0,
        high=10,
        step=1,
    )
    backoff_s: float = setting(
        0.5,
        "First wait",
        "Wait before the first repetition, twice as long before each further one; a provider's own "
        "Retry-After is waited for instead.",
        low=0.0,
        high=60.0,
        step=0.5,
        unit="s",
    )
    reply_kb: int = setting(
        256, "Largest reply", "A larger reply is not read to its end.", low=1, high=100_000, unit="KiB"
    )
    gemini_model: str = setting(
        "gemini-3.5-flash-lite", "Gemini model", "Where COMPRESSION_MODEL names none."
    )
    openai_model: str = setting("gpt-6-luna", "OpenAI model", "Where COMPRESSION_MODEL names none.")
    anthropic_model: str = setting(
        "claude-haiku-4-5",
        "Anthropic model",
        "Where COMPRESSION_MODEL names none. Later ones refuse a temperature, which D11 asks for.",
    )
    xai_model: str = setting("grok-4.3", "xAI model", "Where COMPRESSION_MODEL names none.")
    local_model: str = setting(
        "smollm2",
        "Embedded model",
        "Which installed summarizer the provider local runs, where COMPRESSION_MODEL names none.",
        choices=SUMMARIZERS,
    )
