"""What one mail holds: headers as text, its date, and the text of its parts.

Of the forms of one body the plain text is taken, else the HTML as text (``hypertext.py``). An
attachment is named and not read. Malformed headers and charsets give what can be read of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import EmailMessage
from email.policy import EmailPolicy
from email.utils import parseaddr, parsedate_to_datetime
from typing import TYPE_CHECKING

from memguard.message_form import Notes
from memguard.text import is_blank, well_formed
from memguard.transcripts.hypertext import text_of_html
from memguard.transcripts.labels import file_label

ODD_MAIL = (MessageError, ValueError, TypeError, AttributeError, IndexError, LookupError, RecursionError)
"""What the parser of the standard library raises on malformed mails."""
_LONGEST_HEADER = 20_000
_MOST_PARTS = 500
_LONGEST_NAME = 100
_MOST_LEVELS = 30


if TYPE_CHECKING:
    _Policy = EmailPolicy[EmailMessage]
else:
    _Policy = EmailPolicy


class _ShortHeaders(_Policy):
    """The default policy; a header of no end is cut, since reading its words takes quadratic time."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        """Return name and value of a header."""
        name, value = super().header_source_parse(sourcelines)
        return name, value[:_LONGEST_HEADER]


POLICY = _ShortHeaders()


def header(message: EmailMessage, name: str) -> str:
    """Return a header as text; ``name`` in lower case; empty where there is none."""
    try:
        return well_formed(str(message.get(name) or ""))
    except ODD_MAIL:
        raw = raw_header(message, name)
        try:
            return well_formed(str(make_header(decode_header(raw))))
        except ODD_MAIL:
            return well_formed(raw)


def raw_header(message: EmailMessage, name: str) -> str:
    """Return a header as it was written, which for a date says whether it names a zone."""
    return next((str(value) for key, value in message.raw_items() if key.lower() == name), "")


def sender_of(message: EmailMessage) -> str:
    """Return the name of the sender, else the address; empty where the mail has neither."""
    text = header(message, "from")
    try:
        name, address = parseaddr(text)
    except ODD_MAIL:  # brackets nested by the thousand
        return " ".join(text[:_LONGEST_NAME].split())
    return name or address


def date_of(text: str) -> tuple[datetime | None, bool]:
    """Return a Date header as aware time, None if it is none, and whether it names its zone."""
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None, True
    if moment.tzinfo is None:
        # "-0000" says UTC without a place (RFC 5322, 3.3); no zone at all says nothing.
        return moment.replace(tzinfo=UTC), text.strip().endswith("-0000")
    try:
        moment.astimezone(UTC)
    except (OverflowError, ValueError):
        return None, True
    return moment, True


def body_of(message: EmailMessage, place: str, notes: Notes) -> str:
    """Return the text of a mail, with attachments as ``[file: name]``.

    Args:
        message: The mail.
        place: What to call it in warnings.
        notes: Takes the warnings.
    """
    pieces: list[str] = []
    for count, piece in enumerate(_rendered(message, place, notes, 0)):
        if count >= _MOST_PARTS:
            notes.add(f"more than {_MOST_PARTS} parts; the rest was left out", place, "too many parts")
            break
        pieces.append(piece)
    return "\n\n".join(piece.strip("\n").rstrip() for piece in pieces if piece.strip())


def _rendered(part: EmailMessage, place: str, notes: Notes, level: int) -> Iterator[str]:
    if level > _MOST_LEVELS:
        notes.add(f"parts nested deeper than {_MOST_LEVELS} levels were left out", place, "deep parts")
        return
    kind = part.get_content_type()
    payload = part.get_payload()
    if kind.startswith("message/"):
        inner = payload[0] if isinstance(payload, list) and payload else None
        subject = " ".join(header(inner, "subject").split()) if isinstance(inner, EmailMessage) else ""
        notes.add("a mail that is attached is named, not read", place, "an attached mail")
        yield file_label(subject or "mail")
        return
    if isinstance(payload, list):
        children = [child for child in payload if isinstance(child, EmailMessage)]
        if kind == "multipart/alternative":
            children = _best(children)
        for child in children:
            yield from _rendered(child, place, notes, level + 1)
        return
    name = _file_name(part)
    if name or _disposition(part) == "attachment" or not kind.startswith("text/"):
        yield file_label(name or kind)
    elif kind == "text/html":
        yield text_of_html(_text(part, place, notes))
    elif kind == "text/calendar":
        yield file_label("invitation")
    else:
        yield _text(part, place, notes)


def _best(children: list[EmailMessage]) -> list[EmailMessage]:
    """Return the plain form of a body; the richest one where it has no text."""
    plain = [
        child
        for child in children
        if child.get_content_type() == "text/plain" and not is_blank(_text(child, "", Notes(())))
    ]
    return plain[:1] or children[-1:]


def _file_name(part: EmailMessage) -> str:
    try:
        return " ".join(well_formed(part.get_filename() or "").split())
    except ODD_MAIL:
        return "file"


def _disposition(part: EmailMessage) -> str:
    return header(part, "content-disposition").split(";", 1)[0].strip().lower()


def _text(part: EmailMessage, place: str, notes: Notes) -> str:
    """Return the text of a part; one that is not encoded was decoded with the file."""
    coding = header(part, "content-transfer-encoding").strip().lower()
    if coding not in {"base64", "quoted-printable"}:
        text = str(part.get_payload())
    else:
        data = part.get_payload(decode=True)
        raw = data if isinstance(data, bytes) else b""
        text = _decoded(raw, _charset(part), place, notes)
    return well_formed(text.replace("\r\n", "\n").replace("\r", "\n"))


def _charset(part: EmailMessage) -> str:
    try:
        return part.get_content_charset() or "utf-8"
    except ODD_MAIL:
        return "utf-8"


def _decoded(data: bytes, charset: str, place: str, notes: Notes) -> str:
    for name in (charset, "utf-8"):
        try:
            return data.decode(name)
        except (ValueError, LookupError):  # of a name with a null character too
            continue
    notes.add(f"the text is not in the charset {charset[:40]!r} that it names; cp1252 was assumed", place)
    return data.decode("cp1252", "replace")
