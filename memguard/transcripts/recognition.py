"""Which reader knows a text best, by its content; and what to say where none does.

A new format is a class with the form of ``Reader`` and one more entry in ``READERS`` of its
subpackage.
"""

from __future__ import annotations

from typing import Any

from memguard.errors import TranscriptError
from memguard.settings import LimitSettings
from memguard.transcripts import apis, captions, chats, exports, sessions
from memguard.transcripts.document import ACCEPTED, MISSING, Document, ListingReader, Reader
from memguard.transcripts.jsonl import Jsonl
from memguard.transcripts.mail import Mail
from memguard.transcripts.markdown import Markdown
from memguard.transcripts.markdown_log import MarkdownLog
from memguard.transcripts.messages_json import MessagesJson
from memguard.transcripts.plain import PlainText
from memguard.transcripts.table import Table

READERS: tuple[Reader | ListingReader, ...] = (
    *exports.READERS,
    *apis.READERS,
    *sessions.READERS,
    *chats.READERS,
    *captions.READERS,
    Mail(),
    Table(),
    MarkdownLog(),
    Markdown(),
    MessagesJson(),
    Jsonl(),
    PlainText(),
)
"""Among equally sure readers the first one reads."""
_MIB = 1 << 20


def surest(document: Document) -> tuple[Reader | ListingReader, float]:
    """Return the reader that knows a document best, and how sure it is; of equals the first."""
    scores = [reader.recognises(document) for reader in READERS]
    best = max(range(len(READERS)), key=scores.__getitem__)  # the first of equals
    return READERS[best], scores[best]


def too_large(n_bytes: int, limits: LimitSettings, source: str | None, why: str = "") -> TranscriptError:
    """Return the error for a file that is larger than the limit; ``why`` says why it is not streamed."""
    also = f" ({why})" if why else ""
    return TranscriptError(
        f"holds {n_bytes / _MIB:.1f} MiB; at most {limits.file_mb} MiB are read (setting limits.file_mb): "
        f"split the transcript or raise the limit{also}",
        source=source,
    )


def is_bare(document: Document) -> bool:
    """Return whether the text is a JSON null, boolean or number, which says nothing."""
    value = document.value
    if value is MISSING or isinstance(value, list | dict):
        return False
    return not document.text.lstrip().startswith('"')  # a huge number is kept as text


def unknown(document: Document) -> TranscriptError:
    """Return the error for a text that no reader knows, with what it looks like."""
    if document.json_error is not None:
        return document.json_error
    return TranscriptError(
        f"the JSON is {_shape(document.value)}, which is no transcript that we know; expected {ACCEPTED}",
        source=document.source,
    )


def _shape(value: Any) -> str:
    if isinstance(value, dict):
        keys = ", ".join(repr(str(key)[:30]) for key in list(value)[:6])
        return f"an object with the keys {keys}" if keys else "an empty object"
    if not isinstance(value, list):
        return "null, a truth value or a number"
    first = value[0] if value else None
    return f"a list that begins with {_shape(first)}" if isinstance(first, dict) else "of another shape"
