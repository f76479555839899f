"""The summarizers, under one name; each lives in a module of its own."""

from __future__ import annotations

from memguard.models.bart import BartSummarizer
from memguard.models.extractive import ExtractiveSummarizer
from memguard.models.joined import JoinedSummarizer
from memguard.models.llm import LLMSummarizer
from memguard.models.smollm import SmolSummarizer
from memguard.models.text import tidy_summary

__all__ = [
    "BartSummarizer",
    "ExtractiveSummarizer",
    "JoinedSummarizer",
    "LLMSummarizer",
    "SmolSummarizer",
    "tidy_summary",
]
