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
from email.message import EmailMessage
from typing import Any

from memguard.errors import TranscriptError
from memguard.message_form import Notes
from memguard.text import is_blank, well_formed
from memguard.transcripts.document import ConversationHead, Document, Reading, choose
from memguard.transcripts.mail_parts import ODD_MAIL, POLICY, body_of, date_of, header, raw_header, sender_of
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
_MOST_BOUNDARIES = 10_000
"""A mail of more parts takes minutes to take apart; real ones have some dozens."""
_ANSWER = re.compile(
    r"(?:\s*+(?:re|aw|sv|antw|vs|odp|fwd?|wg|tr|rv)(?:\[\d{1,3}\])?\s*+:)++\s*+", re.IGNORECASE
)
"""What mail programs put before the subject of an answer, once or more."""


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
            whole = body_of(mail.message, place, notes)
            unquoted = unquote(whole, at_hand)
            at_hand.add(whole)
            n_left_out += unquoted.n_left_out
            n_kept += unquoted.n_kept
            rows.append(_row(mail, unquoted.text, ordered[0]))
        if n_left_out:
            notes.add(f"lines that quote earlier mails of this thread, left out: {n_left_out}")
        if n_kept:
            notes.add(f'lines that quote mails that are not in this thread, kept behind ">": {n_kept}')
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
    for position, (line, text) in enumerate(_split(well_formed(document.text))):
        if "multipart/" in text and text.count("\n--") > _MOST_BOUNDARIES:
            raise TranscriptError(
                f"this mail has more than {_MOST_BOUNDARIES} parts and is not read; take it out",
                source=document.source,
                line=line,
            )
        try:
            message = email.message_from_string(text, policy=POLICY)
        except ODD_MAIL as error:
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
    own = _ID.search(header(message, "message-id"))
    references = _ID.findall(header(message, "references"))
    parents = _ID.findall(header(message, "in-reply-to"))
    when, zoned = date_of(raw_header(message, "date"))
    return _Mail(
        message,
        position,
        line,
        own[1] if own else f"mail {position + 1}",
        (*references, *parents),
        " ".join(header(message, "subject").split()),
        when,
        zoned,
        header(message, "x-gm-thrid").strip(),
    )


def _topic(subject: str) -> str:
    return _ANSWER.sub("", subject, count=1).strip() if _ANSWER.match(subject) else subject


def _threads(mails: Sequence[_Mail]) -> list[list[_Mail]]:
    """Group the mails into threads, in the order of their first mails."""
    group = list(range(len(mails)))

    def root(index: int) -> int:
        while group[index] != index:
            group[index] = group[group[index]]
            index = group[index]
        return index

    owner: dict[str, int] = {}
    topics: dict[str, int] = {}
    for index, mail in enumerate(mails):
        keys = [f"id {mail.id}", *(f"id {answered}" for answered in mail.answers)]
        for key in [*keys, f"thread {mail.thread}"] if mail.thread else keys:
            group[root(index)] = root(owner.setdefault(key, index))
        topics.setdefault(mail.topic.casefold(), index)
    for index, mail in enumerate(mails):
        if mail.topic != mail.subject and not mail.answers and not mail.thread:
            group[root(index)] = root(topics[mail.topic.casefold()])
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
        if mail.when is None:
            when[mail.position] = when.get(answered.position, last) if answered else last
        elif answered and answered.when and mail.when < answered.when:
            notes.add("dated before the mail that it answers; the order is by Date", _place(mail))
        last = when[mail.position]
    return sorted(thread, key=lambda mail: (when[mail.position], mail.when is None))


def _row(mail: _Mail, text: str, first: _Mail) -> dict[str, Any]:
    subject = "" if mail.topic.casefold() == first.topic.casefold() and text else mail.subject
    if subject:  # a subject that changes, or that is all the mail says
        text = f"[subject: {subject}]\n{text}".rstrip()
    return {
        "id": mail.id,
        "role": "user",
        "speaker": sender_of(mail.message) or None,
        "timestamp": mail.when,
        "content": text,
    }
