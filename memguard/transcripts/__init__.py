"""Transcripts: one reader a format, recognised by what a file holds and never by its name.

::

    reading = read_file("chat.jsonl")
    reading.conversation, reading.format, reading.encoding, reading.skipped_lines
"""

from memguard.transcripts.document import ConversationHead, Document, Reader, Reading
from memguard.transcripts.registry import formats, read_bytes, read_file, read_text
from memguard.transcripts.samples import DriftClaim, Fact, Sample, load_sample, sample_paths

__all__ = [
    "ConversationHead",
    "Document",
    "DriftClaim",
    "Fact",
    "Reader",
    "Reading",
    "Sample",
    "formats",
    "load_sample",
    "read_bytes",
    "read_file",
    "read_text",
    "sample_paths",
]
