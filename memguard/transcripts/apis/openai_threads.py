"""Threads of OpenAI's Assistants interface: ``thread.message`` objects, as the interface lists them.

Read are a list of messages, a page of them (``{"object": "list", "data": […]}``), pages or messages as
JSONL, and an object that holds a page under ``messages`` and perhaps one of run steps under ``steps``.
Each thread is a conversation. The interface lists the newest first unless it is asked otherwise, so the
times decide from which end a list is read. A run's calls of tools stand in its steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from memguard.errors import TranscriptError
from memguard.message_form import Notes
from memguard.transcripts.apis.parts import part_text
from memguard.transcripts.apis.turns import Told, Turn, finish, first_objects, lines, role_of
from memguard.transcripts.document import MISSING, ConversationHead, Document, Reading, choose
from memguard.transcripts.labels import file_label
from memguard.transcripts.values import (
    ends_of,
    fields_of,
    items_of,
    moment_of,
    objects_of,
    text_id,
    text_of,
    title_of,
    words,
)

_MESSAGE, _STEP = "thread.message", "thread.run.step"
_PAGES = ("data", "messages", "steps", "run_steps")
_MOST_FRAMES = 4
_OLDEST_FIRST = "the list is oldest first: in the order of the file"
_NEWEST_FIRST = "the list is newest first: read from its end"
_MIXED = "by created_at, since the list is in no order of time; of one second in the order of the file"
_NO_TIMES = "no times tell the order: read from the end, since the interface lists the newest first"
_STEPS = "calls of tools before the message of their run"


@dataclass(slots=True)
class _Object:
    """A message or a step, with its place."""

    value: dict[str, Any]
    place: str


@dataclass(slots=True)
class _Thread:
    """What a file holds of one thread."""

    id: str
    place: str
    title: str | None = None
    messages: list[_Object] = field(default_factory=list)
    steps: list[_Object] = field(default_factory=list)


class OpenAIThreads:
    """Messages of threads."""

    name = "openai_threads"

    def recognises(self, document: Document) -> float:
        """Return 0.95 where an object, or one of a page, is a message of a thread."""
        objects = first_objects(document)
        inner = [item for value in objects[:20] for item, _ in _framed(value, "")]
        return 0.95 if any(_is_message(value) for value in (*objects, *inner[:200])) else 0.0

    def conversations(self, document: Document) -> tuple[ConversationHead, ...]:
        """Return the threads with their numbers of messages."""
        return tuple(map(_head, _threads(document, Notes())[0]))

    def read(self, document: Document, conversation: str | None = None) -> Reading:
        """Read one thread, from its oldest message to its newest.

        Raises:
            TranscriptError: There is none, or several and none was chosen.
        """
        notes = Notes()
        threads, skipped = _threads(document, notes)
        if not threads:
            raise TranscriptError("holds no message of a thread", source=document.source)
        thread = threads[choose(tuple(map(_head, threads)), conversation, document.source)]
        rule, messages = _in_order(thread.messages)
        if rule in (_NO_TIMES, _MIXED):
            notes.add(rule)
        turns = list(_turns(messages, _in_order(thread.steps)[1], notes))
        told = Told(
            thread.title,
            branch=f"{rule}; {_STEPS}" if thread.steps else rule,
            ordered=True,
            skipped_lines=skipped,
            n_conversations=len(threads),
        )
        return finish(self.name, document, turns, notes, told)


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and value.get("object") == _MESSAGE


def _framed(value: Any, place: str, depth: int = 0) -> Iterator[tuple[Any, str]]:
    """Yield what a page holds, or an object with pages in it; a message or a step is yielded itself."""
    if isinstance(value, dict) and value.get("object") in (_MESSAGE, _STEP):
        yield value, place
    elif isinstance(value, dict) and depth < _MOST_FRAMES:
        for key in _PAGES:
            inner = value.get(key)
            where = f"{place}, {key}" if place else key
            if isinstance(inner, list):
                yield from ((item, f"{where}[{index}]") for index, item in enumerate(inner))
            elif isinstance(inner, dict):
                yield from _framed(inner, where, depth + 1)


def _threads(document: Document, notes: Notes) -> tuple[list[_Thread], int]:
    """Return the threads in the order of the file, and how many lines could not be read."""
    value, skipped = document.value, 0
    if value is MISSING:
        records, skipped = lines(document, notes)
        frames = [(record.value, f"line {record.line}") for record in records]
    elif isinstance(value, list):
        frames = [(item, f"item {index}") for index, item in enumerate(value)]
    else:
        frames = [(value, "")]
    threads: dict[str, _Thread] = {}
    for frame, place in frames:
        own = fields_of(fields_of(frame).get("thread")) if isinstance(frame, dict) else {}
        title = title_of(fields_of(own.get("metadata")).get("title"))
        found = list(_framed(frame, place))
        if not found:
            notes.add("this holds no message of a thread; it was left out", place or "the whole file")
        for item, where in found:
            kind = words(item.get("object")) if isinstance(item, dict) else ""
            if kind not in (_MESSAGE, _STEP):
                notes.add("this is neither a message of a thread nor a step of a run; it was left out", where)
                continue
            name = text_id(item.get("thread_id")) or text_id(own.get("id")) or "1"
            thread = threads.setdefault(name, _Thread(name, where, title))
            (thread.messages if kind == _MESSAGE else thread.steps).append(_Object(item, where))
    return list(threads.values()), skipped


def _head(thread: _Thread) -> ConversationHead:
    first, last = ends_of(entry.value.get("created_at") for entry in thread.messages)
    return ConversationHead(thread.id, thread.title, len(thread.messages), first, last, thread.place)


def _in_order(entries: Sequence[_Object]) -> tuple[str, list[_Object]]:
    """Return the rule that puts a list into the order in which it was written, and the list so."""
    moments = [moment_of(entry.value.get("created_at")) for entry in entries]
    times = [moment.timestamp() for moment in moments if moment is not None]
    rises = any(before < after for before, after in pairwise(times))
    falls = any(before > after for before, after in pairwise(times))
    if falls and not rises:
        return _NEWEST_FIRST, list(reversed(entries))
    if (rises and not falls) or len(entries) < 2:
        return _OLDEST_FIRST, list(entries)
    if rises and len(times) == len(entries):
        order = sorted(range(len(entries)), key=times.__getitem__)
        return _MIXED, [entries[index] for index in order]
    return _NO_TIMES, list(reversed(entries))


def _turns(messages: Sequence[_Object], steps: Sequence[_Object], notes: Notes) -> Iterator[Turn]:
    """Yield the messages, before the first answer of a run what its steps called."""
    waiting: dict[str, list[_Object]] = {}
    for step in steps:
        waiting.setdefault(text_of(step.value.get("run_id")), []).append(step)
    for entry in messages:
        run = text_of(entry.value.get("run_id"))
        if run and entry.value.get("role") == "assistant":
            for step in waiting.pop(run, []):
                yield from _step_turns(step, notes)
        yield _message_turn(entry, notes)
    for left in waiting.values():
        for step in left:
            found = list(_step_turns(step, notes))
            if found:
                notes.add("no message of its run is in the file; it stands at the end", step.place, "steps")
            yield from found


def _message_turn(entry: _Object, notes: Notes) -> Turn:
    value = entry.value
    status = words(value.get("status"))
    if status in {"incomplete", "in_progress"}:
        reason = words(fields_of(value.get("incomplete_details")).get("reason"))
        notes.add(f"the message is {status}" + (f" ({reason[:40]})" if reason else ""), entry.place)
    turn = Turn(
        entry.place,
        role_of(value.get("role"), {}, entry.place, notes),
        id=value.get("id"),
        timestamp=value.get("created_at"),
    )
    files = [file_label(text_of(item.get("file_id"))) for item in objects_of(value.get("attachments"))]
    turn.texts = [*files, part_text(value.get("content"), entry.place, notes)]
    return turn


def _step_turns(step: _Object, notes: Notes) -> Iterator[Turn]:
    details = fields_of(step.value.get("step_details"))
    calls = [call for call in items_of(details.get("tool_calls")) if isinstance(call, dict)]
    if not calls:
        return  # the step only says which message it made
    time = step.value.get("created_at")
    caller = Turn(step.place, "assistant", id=step.value.get("id"), timestamp=time)
    results = []
    for call in calls:
        kind = words(call.get("type"))
        inner = fields_of(call.get(kind))
        name = words(inner.get("name")) or kind
        given = next((inner[key] for key in ("arguments", "input", "ranking_options") if key in inner), "")
        caller.call(name, given, call.get("id"))
        output = next((inner[key] for key in ("output", "outputs", "results") if inner.get(key)), None)
        if output is not None:
            text = part_text(output, step.place, notes)
            results.append(
                Turn(
                    step.place,
                    "tool",
                    [text],
                    timestamp=time,
                    call_id=text_id(call.get("id")),
                    tool_name=name or None,
                )
            )
    yield caller
    yield from results
