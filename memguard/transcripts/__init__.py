"""Transcripts: one reader a format, recognised by what a file holds and never by its name.

::

    reading = read_file("chat.jsonl")
    reading.conversation, reading.format, reading.rule, reading.encoding, reading.skipped_lines

    listing = list_conversations("conversations.json")     # an export that holds many
    reading = read_file("conversations.json", conversation=listing.conversations[2].id)
"""

from memguard.transcripts.document import ConversationHead, Document, Reader, Reading
from memguard.transcripts.opening import Listing, Opened
from memguard.transcripts.registry import (
    formats,
    list_bytes,
    list_conversations,
    open_bytes,
    open_path,
    open_text,
    read_bytes,
    read_file,
    read_text,
)
from memguard.transcripts.samples import DriftClaim, Fact, Sample, load_sample, sample_paths
from memguard.transcripts.table_preview import TablePreview, doubtful_table, preview_table

__all__ = [
    "ConversationHead",
    "Document",
    "DriftClaim",
    "Fact",
    "Listing",
    "Opened",
    "Reader",
    "Reading",
    "Sample",
    "TablePreview",
    "doubtful_table",
    "formats",
    "list_bytes",
    "list_conversations",
    "load_sample",
    "open_bytes",
    "open_path",
    "open_text",
    "preview_table",
    "read_bytes",
    "read_file",
    "read_text",
    "sample_paths",
]
