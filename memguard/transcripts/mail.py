"""Mail: one message (``.eml``) or a mailbox (mbox) with one or several threads.

A thread is what ``In-Reply-To`` and ``References`` tie together, or the thread number of Gmail.
Without either, an answer (``Re:``) belongs to the thread of its subject. Within a thread the order
is by ``Date``; a mail without one stands after the mail it answers. Of the two forms of a body the
text is read, else the HTML as text. ``quotations.py`` says what of a quotation is left out.

Python's ``email`` reads headers and parts. ``mailbox`` reads files on a disk only, so the mailbox is
taken apart here, at lines that begin with ``From `` and end in a date, before a header.
"""

from __future__ import annotations

import email
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.errors import HeaderParseError, MessageError
from email.header import decode_header, make_header
from email.message import EmailMessage
from email.policy import default as policy
from email.utils import parseaddr, parsedate_to_datetime
from typing import Any, cast

from memguard.errors import TranscriptError
from memguard.message_form import Notes
from memguard.text import is_blank, well_formed
from memguard.transcripts.document import ConversationHead, Document, Reading, choose
from memguard.transcripts.hypertext import text_of_html
from memguard.transcripts.messages_json import to_conversation
from memguard.transcripts.quotations import AtHand, unquote

_FROM_LINE = re.compile(
    r"From \S[^\n]{0,200}\b\d{1,2}:\d\d(?::\d\d)?\b[^\n]{0,40}\d{4}[^\n]{0,20}\r?\n(?=[!-9;-~]{1,80}:)"
)
_HEADER_LINE = re.compile(r"(?P<name>[!-9;-~]{1,80}):(?:[ \t]|\r?\Z)")
_KNOWN = frozenset(
    "from to cc subject date message-id received mime-version content-type return-path delivered-to reply-to "
    "in-reply-to references x-gm-thrid x-gmail-labels".split()
)
_OF_A_MAIL = frozenset({"date", "message-id", "received", "mime-version", "return-path"})
_ESCAPED = re.compile(r"^>(>*From )", re.MULTILINE)
_ID = re.compile(r"<([^<>\s]{1,500})>")
_ANSWER = re.compile(r"\s*(?:re|aw|sv|antw|vs|odp|fwd?|wg|tr|rv)(?:\[\d{1,3}\])?\s*:\s*", re.IGNORECASE)
_ODD_HEADER = (MessageError, ValueError, TypeError, AttributeError, IndexError, LookupError)
"""What the header parser of the standard library raises on malformed headers, seen and reported."""
_MOST_PARTS = 500
_MOST_LEVELS = 30


@dataclass(frozen=True, slots=True)
class _Mail:
    """One mail as far as threads need it."""

    message: EmailMessage
    position: int
    line: int
    id: str
    answers: tuple[str, ...]
    subject: str
    when: datetime | None
    zoned: bool
    thread: str

    @property
    def topic(self) -> str:
        """The subject without what an answer puts before it."""
        return _topic(self.subject)


class Mail:
    """One mail, or a mailbox in the mbox format."""

    name = "mail"

    def recognises(self, document: Document) -> float:
        """Return 0.9 where the text begins with the headers of a mail, or with the mark of a mailbox."""
        text = document.text.lstrip("\r\n")
        mark = _FROM_LINE.match(text)
        names = _header_names(text[mark.end() if mark else 0 :])
        if "from" not in names or _OF_A_MAIL.isdisjoint(names):
            return 0.0
        return 0.9 if len(names & _KNOWN) >= 3 or mark else 0.5

    def conversations(self, document: Document) -> tuple[ConversationHead, ...]:
        """Return the threads.

        Raises:
            TranscriptError: The mails cannot be taken apart.
        """
        return tuple(_head(thread) for thread in _threads(_mails(document)))

    def read(self, document: Document, conversation: str | None = None) -> Reading:
        """Read one thread.

        Raises:
            TranscriptError: There is none, or several and none was chosen, or a mail is nested too deeply.
        """
        threads = _threads(_mails(document))
        heads = tuple(_head(thread) for thread in threads)
        thread = threads[choose(heads, conversation, document.source)]
        notes = Notes(())
        ordered = _in_order(thread, notes)
        at_hand = AtHand()
        rows: list[dict[str, Any]] = []
        n_left_out = n_kept = 0
        for mail in ordered:
            place = _place(mail)
            whole = _body(mail.message, place, notes)
            unquoted = unquote(whole, at_hand)
            at_hand.add(whole)
            n_left_out += unquoted.n_left_out
            n_kept += unquoted.n_kept
            rows.append(_row(mail, unquoted.text, ordered[0]))
        if n_left_out:
            notes.add(f"{n_left_out} lines quote earlier mails of this thread and were left out")
        if n_kept:
            notes.add(
                f'{n_kept} lines quote mails that are not in this thread; they are kept, each behind ">"'
            )
        if any(mail.when is not None and not mail.zoned for mail in thread):
            notes.add("some dates name no time zone; UTC is assumed")
        built = to_conversation(
            rows,
            source=document.source,
            title=ordered[0].topic or None,
            origins=[_place(mail) for mail in ordered],
            warnings=notes.texts(),
        )
        rule = (
            "by Date"
            if built.order == "timestamp"
            else "by Date; a mail without one stands after what it answers"
        )
        return Reading(built, self.name, rule=rule, n_conversations=len(threads))


def _header_names(text: str) -> set[str]:
    names: set[str] = set()
    for line in text[:20_000].split("\n"):
        if is_blank(line):
            break
        if line[0] in " \t":
            continue
        match = _HEADER_LINE.match(line)
        if match is None:
            return set()
        names.add(match["name"].lower())
    return names


def _mails(document: Document) -> list[_Mail]:
    found = []
    for position, (line, text) in enumerate(_split(document.text)):
        try:
            message = cast(EmailMessage, email.message_from_string(text, policy=policy))
        except (RecursionError, *_ODD_HEADER) as error:
            raise TranscriptError(
                "this mail is nested too deeply or malformed and cannot be read",
                source=document.source,
                line=line,
            ) from error
        found.append(_mail(message, position, line))
    if not found:
        raise TranscriptError("holds no mail", source=document.source)
    return found


def _split(text: str) -> Iterator[tuple[int, str]]:
    """Yield each mail of a mailbox with its one-based line; a text without marks is one mail."""
    text = text.lstrip("\r\n")
    if not _FROM_LINE.match(text):
        yield 1, text
        return
    starts = [m.start() for m in re.finditer(rf"(?:\A|(?<=\n\n)|(?<=\n\r\n)){_FROM_LINE.pattern}", text)]
    line = 1
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        mail = text[start:end]
        yield line, _ESCAPED.sub(r"\1", mail[mail.index("\n") + 1 :])
        line += mail.count("\n")


def _mail(message: EmailMessage, position: int, line: int) -> _Mail:
    own = _ID.search(_header(message, "message-id"))
    references = _ID.findall(_header(message, "references"))
    parents = _ID.findall(_header(message, "in-reply-to"))
    when, zoned = _date(_header(message, "date"))
    return _Mail(
        message,
        position,
        line,
        own[1] if own else f"mail {position + 1}",
        (*references, *parents),
        " ".join(_header(message, "subject").split()),
        when,
        zoned,
        _header(message, "x-gm-thrid").strip(),
    )


def _header(message: EmailMessage, name: str) -> str:
    """Return a header as text; empty where there is none."""
    try:
        return well_formed(str(message.get(name) or ""))
    except _ODD_HEADER:
        raw = next((value for key, value in message.raw_items() if key.lower() == name), "")
        try:
            return well_formed(str(make_header(decode_header(str(raw)))))
        except (HeaderParseError, *_ODD_HEADER):
            return well_formed(str(raw))


def _date(text: str) -> tuple[datetime | None, bool]:
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


def _topic(subject: str) -> str:
    while match := _ANSWER.match(subject):
        subject = subject[match.end() :]
    return subject.strip()


def _threads(mails: Sequence[_Mail]) -> list[list[_Mail]]:
    """Group the mails into threads, in the order of their first mails."""
    group = list(range(len(mails)))

    def root(index: int) -> int:
        while group[index] != index:
            group[index] = group[group[index]]
            index = group[index]
        return index

    owner: dict[str, int] = {}
    for index, mail in enumerate(mails):
        keys = [f"id {mail.id}", *(f"id {answered}" for answered in mail.answers)]
        if mail.thread:
            keys.append(f"thread {mail.thread}")
        if mail.topic and (not mail.answers or mail.topic == mail.subject):
            keys.append(f"topic {mail.topic.casefold()}") if _ANSWER.match(mail.subject) else None
        for key in keys:
            group[root(index)] = root(owner.setdefault(key, index))
    for index, mail in enumerate(mails):  # an answer without references goes by its subject
        if mail.topic and not mail.answers and not _ANSWER.match(mail.subject):
            answered = owner.get(f"topic {mail.topic.casefold()}")
            if answered is not None:
                group[root(index)] = root(answered)
    found: dict[int, list[_Mail]] = {}
    for index, mail in enumerate(mails):
        found.setdefault(root(index), []).append(mail)
    return sorted(found.values(), key=lambda thread: thread[0].position)


def _head(thread: Sequence[_Mail]) -> ConversationHead:
    times = [mail.when for mail in thread if mail.when is not None]
    first = thread[0]
    return ConversationHead(
        first.id,
        first.topic or None,
        len(thread),
        min(times, default=None),
        max(times, default=None),
        _place(first),
    )


def _place(mail: _Mail) -> str:
    return f"mail {mail.position + 1}, line {mail.line}"


def _in_order(thread: Sequence[_Mail], notes: Notes) -> list[_Mail]:
    """Return the mails by date; one without a date after what it answers, else after the one before it."""
    by_id = {mail.id: mail for mail in thread}
    when: dict[int, datetime] = {mail.position: mail.when for mail in thread if mail.when is not None}
    for mail in thread:
        if mail.when is None:
            notes.add("the Date cannot be read; the mail has no time", _place(mail))
    earliest = min(when.values(), default=datetime.min.replace(tzinfo=UTC))
    last = earliest
    for mail in thread:
        answered = next((by_id[i] for i in reversed(mail.answers) if i in by_id), None)
        if mail.position not in when:
            when[mail.position] = when.get(answered.position, last) if answered else last
        elif answered is not None and answered.when is not None and mail.when is not None:
            if mail.when < answered.when:
                notes.add("dated before the mail that it answers; the order is by Date", _place(mail))
        last = when[mail.position]
    return sorted(thread, key=lambda mail: (when[mail.position], mail.when is None))


def _row(mail: _Mail, text: str, first: _Mail) -> dict[str, Any]:
    name, address = parseaddr(_header(mail.message, "from"))
    subject = "" if mail.topic == first.topic and text else mail.subject
    if subject:  # a subject that changes, or that is all the mail says
        text = f"[subject: {subject}]\n{text}".rstrip()
    return {
        "id": mail.id,
        "role": "user",
        "speaker": name or address or None,
        "timestamp": mail.when,
        "content": text,
    }


def _body(message: EmailMessage, place: str, notes: Notes) -> str:
    pieces: list[str] = []
    for count, piece in enumerate(_rendered(message, place, notes, 0)):
        if count >= _MOST_PARTS:
            notes.add(f"more than {_MOST_PARTS} parts; the rest was left out", place, "too many parts")
            break
        pieces.append(piece)
    return "\n\n".join(piece for piece in pieces if piece.strip()).strip("\n").rstrip()


def _rendered(part: EmailMessage, place: str, notes: Notes, level: int) -> Iterator[str]:
    if level > _MOST_LEVELS:
        notes.add(f"parts nested deeper than {_MOST_LEVELS} levels were left out", place, "deep parts")
        return
    kind = part.get_content_type()
    payload = part.get_payload()
    if kind == "message/rfc822" or kind.startswith("message/") and isinstance(payload, list):
        inner = (
            next((item for item in payload if isinstance(item, EmailMessage)), None)
            if isinstance(payload, list)
            else None
        )
        subject = " ".join(_header(inner, "subject").split()) if inner is not None else ""
        notes.add("a mail that is attached is named, not read", place, "an attached mail")
        yield f"[attachment: {subject or 'mail'}]"
        return
    if isinstance(payload, list):
        children = [child for child in payload if isinstance(child, EmailMessage)]
        if kind == "multipart/alternative":
            children = _best(children, place, notes, level)
        for child in children:
            yield from _rendered(child, place, notes, level + 1)
        return
    name = _file_name(part)
    if name or _disposition(part) == "attachment" or not kind.startswith("text/"):
        yield f"[attachment: {name or kind}]"
    elif kind == "text/html":
        yield text_of_html(_text(part, place, notes))
    elif kind == "text/calendar":
        yield "[attachment: invitation]"
    else:
        yield _text(part, place, notes)


def _best(children: list[EmailMessage], place: str, notes: Notes, level: int) -> list[EmailMessage]:
    """Return the plain form of a body; the richest one where it has no text."""
    plain = [
        child
        for child in children
        if child.get_content_type() == "text/plain" and not is_blank(_text(child, place, Notes(())))
    ]
    return plain[:1] or children[-1:]


def _file_name(part: EmailMessage) -> str:
    try:
        return " ".join(well_formed(part.get_filename() or "").split())
    except _ODD_HEADER:
        return "file"


def _disposition(part: EmailMessage) -> str:
    return _header(part, "content-disposition").split(";", 1)[0].strip().lower()


def _text(part: EmailMessage, place: str, notes: Notes) -> str:
    """Return the text of a part; one that is not encoded was decoded with the file."""
    coding = _header(part, "content-transfer-encoding").strip().lower()
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
    except _ODD_HEADER:
        return "utf-8"


def _decoded(data: bytes, charset: str, place: str, notes: Notes) -> str:
    for name in (charset, "utf-8"):
        try:
            return data.decode(name)
        except (UnicodeError, LookupError):
            continue
    notes.add(f"the text is not in the charset {charset[:40]!r} that it names; cp1252 was assumed", place)
    return data.decode("cp1252", "replace")
