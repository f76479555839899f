"""Exports of chat services that people download: ChatGPT, Claude.ai, DeepSeek, Grok, Open WebUI, Slack."""

from memguard.transcripts.document import Reader
from memguard.transcripts.exports.chatgpt import ChatGptExport
from memguard.transcripts.exports.claude_ai import ClaudeAiExport
from memguard.transcripts.exports.deepseek import DeepSeekExport
from memguard.transcripts.exports.grok import GrokExport
from memguard.transcripts.exports.listed import ListedExport
from memguard.transcripts.exports.open_webui import OpenWebUiExport
from memguard.transcripts.exports.slack import SlackExport

STREAMED: tuple[ListedExport, ...] = (DeepSeekExport(), ChatGptExport(), ClaudeAiExport(), OpenWebUiExport())
"""Those that are gone through one conversation at a time where they are too large to be held; the first
that knows a conversation reads."""
READERS: tuple[Reader, ...] = (*STREAMED, GrokExport(), SlackExport())

__all__ = [
    "READERS",
    "STREAMED",
    "ChatGptExport",
    "ClaudeAiExport",
    "DeepSeekExport",
    "GrokExport",
    "ListedExport",
    "OpenWebUiExport",
    "SlackExport",
]
