"""Readers of the sessions that coding agents keep on disk, one an agent."""

from memguard.transcripts.document import Reader
from memguard.transcripts.sessions.claude_code import ClaudeCode
from memguard.transcripts.sessions.codex import Codex
from memguard.transcripts.sessions.gemini_cli import GeminiCli

READERS: tuple[Reader, ...] = (ClaudeCode(), Codex(), GeminiCli())
"""In the order in which equally sure readers are preferred."""

__all__ = ["READERS"]
