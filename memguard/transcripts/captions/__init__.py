"""Captions of meetings and films: WebVTT as Teams and Zoom write it, and SubRip."""

from memguard.transcripts.captions.srt import SubRip
from memguard.transcripts.captions.vtt import WebVtt
from memguard.transcripts.document import Reader

READERS: tuple[Reader, ...] = (WebVtt(), SubRip())
"""One reader a format."""

__all__ = ["READERS", "SubRip", "WebVtt"]
