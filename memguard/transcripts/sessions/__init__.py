"""Readers of the sessions that coding agents keep on disk, one an agent."""

from memguard.transcripts.document import Reader
from memguard.transcripts.sessions.claude_code import ClaudeCode
from memguard.transcripts.sessions.codex import Codex
from memguard.transcripts.sessions.cursor import Cursor
from memguard.transcripts.sessions.gemini_cli import GeminiCli
from memguard.transcripts.sessions.pi import Pi
from memguard.transcripts.sessions.qwen_code import QwenCode
from memguard.transcripts.sessions.vscode_chat import VsCodeChat

READERS: tuple[Reader, ...] = (ClaudeCode(), Codex(), GeminiCli(), QwenCode(), VsCodeChat(), Pi(), Cursor())
"""In the order in which equally sure readers are preferred."""

__all__ = ["READERS"]
