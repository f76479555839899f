"""A short way to a compression on fakes with any settings."""

from __future__ import annotations

from typing import Any

from memguard.compressor import Compression, Compressor
from memguard.messages import Conversation
from memguard.settings import CompressionSettings, Settings
from memguard.trace import Trace
from tests.fakes import FakeCounter, FakeEmbedder, FakeSummarizer


def compress_with(messages: Any, summarizer: Any = None, **settings: Any) -> Compression:
    """Compress messages, or a conversation, with nothing passed through."""
    conversation = messages if isinstance(messages, Conversation) else Conversation.from_messages(messages)
    stage = Compressor(FakeEmbedder(), lambda _: summarizer or FakeSummarizer(), FakeCounter())
    values = {"passthrough_words": 0, **settings}
    return stage.run(Trace(conversation, Settings(compression=CompressionSettings(**values))))
