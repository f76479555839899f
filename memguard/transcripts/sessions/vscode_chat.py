"""Chats of Visual Studio Code (GitHub Copilot and others): requests, each with the parts of its response.

Read are the file that ``Chat: Export Chat…`` writes, a session as the editor keeps it in JSON, and its
newer form, a log whose first line is the session and whose others change it (``vscode_log.py``). The
texts of a response are joined without a line break between them, as the editor shows them. Arguments and
results of tools stand apart from the calls, in the metadata of the result.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from memguard.errors import TranscriptError
from memguard.message_form import Notes
from memguard.transcripts.apis.parts import part_text
from memguard.transcripts.apis.turns import NOT_SAID, Told, Turn, finish, first_objects
from memguard.transcripts.document import MISSING, Document, Reading
from memguard.transcripts.sessions.vscode_log import is_log, replayed
from memguard.transcripts.values import fields_of, objects_of, text_id, text_of, title_of, words

_SESSION_FIELDS = frozenset({"responderUsername", "requesterUsername", "initialLocation", "sessionId"})
_RULE = "each request before its response, in the order of the file"
_TOOLS = frozenset({"toolInvocationSerialized", "toolInvocation"})
_TEXTS = frozenset({"", "markdownContent", "markdownVuln"})
_LATEST = 253_402_300_799_000


class VsCodeChat:
    """A chat of the editor."""

    name = "vscode_chat"

    def recognises(self, document: Document) -> float:
        """Return 0.95 for requests with responses in a session of the editor, or its log."""
        value = document.value
        if isinstance(value, dict):
            return 0.95 if _is_session(value) else 0.0
        if value is not MISSING:
            return 0.0
        objects = first_objects(document)
        return 0.95 if is_log(objects) and _is_session(fields_of(objects[0].get("v"))) else 0.0

    def read(self, document: Document) -> Reading:
        """Read each request and its response.

        Raises:
            TranscriptError: It is no chat of the editor, or a log without its first line.
        """
        notes = Notes()
        told = Told(branch=_RULE, ordered=True, calls_in_text=False)
        session = document.value
        if session is MISSING:
            session, told.skipped_lines = replayed(document, notes)
        if not isinstance(session, dict) or not isinstance(session.get("requests"), list):
            raise TranscriptError("no chat of the editor: no list of requests", source=document.source)
        told.title = title_of(session.get("customTitle"))
        turns: list[Turn] = []
        left: Counter[str] = Counter()
        for index, request in enumerate(session["requests"]):
            place = f"requests[{index}]"
            if not isinstance(request, dict):
                notes.add("this is no request, which is an object; it was left out", place)
                continue
            turns += _turns(request, place, notes, left)
        if left:
            kinds = ", ".join(f"{kind[:40]} {n}" for kind, n in sorted(left.items())[:8])
            notes.add(f"parts of responses without words that were passed over: {kinds}")
        return finish(self.name, document, turns, notes, told)


def _is_session(value: dict[str, Any]) -> bool:
    requests = value.get("requests")
    if not isinstance(requests, list) or _SESSION_FIELDS.isdisjoint(value):
        return False
    return not requests or any("message" in request for request in objects_of(requests[:20]))


def _turns(request: dict[str, Any], place: str, notes: Notes, left: Counter[str]) -> list[Turn]:
    asked = request.get("message")
    text = asked if isinstance(asked, str) else fields_of(asked).get("text")
    if not isinstance(text, str):
        parts = objects_of(fields_of(asked).get("parts"))
        text = "".join(text_of(part.get("text")) for part in parts)
    time = request.get("timestamp")
    own = text_id(request.get("requestId"))
    turns = [Turn(place, "user", [text_of(text)], id=own, timestamp=time)]
    n_attached = len(objects_of(fields_of(request.get("variableData")).get("variables")))
    if n_attached:
        left["attached context"] += n_attached
    if request.get("isCanceled") is True:
        notes.add("the response was cancelled", place)
    answer = _Answer(request, f"{place}.response", _ended(request), notes, left)
    response = request.get("response")
    for part in response if isinstance(response, list) else [response] if response is not None else []:
        answer.take(part)
    if not answer.turns and fields_of(fields_of(request.get("result")).get("errorDetails")):
        notes.add(f"a notice of an error was left out: {NOT_SAID}", place)
    reply = text_id(request.get("responseId")) or (own and f"{own}/response")
    for number, turn in enumerate(answer.turns, start=1):
        turn.id = reply if number == 1 else reply and f"{reply}/{number}"
    return turns + answer.turns


def _ended(request: dict[str, Any]) -> Any:
    """Return when the response was there: the time of the request and how long it took."""
    began = request.get("timestamp")
    took = fields_of(fields_of(request.get("result")).get("timings")).get("totalElapsed")
    numbers = [
        value for value in (began, took) if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    if len(numbers) < 2 or not all(0 <= number < _LATEST for number in numbers):
        return began
    return sum(numbers)


class _Answer:
    """The turns of one response under construction."""

    def __init__(
        self, request: dict[str, Any], place: str, time: Any, notes: Notes, left: Counter[str]
    ) -> None:
        metadata = fields_of(fields_of(request.get("result")).get("metadata"))
        self.turns: list[Turn] = []
        self._place, self._time, self._notes, self._left = place, time, notes, left
        self._results = fields_of(metadata.get("toolCallResults"))
        rounds = objects_of(metadata.get("toolCallRounds"))
        # An id gets a suffix where the editor shows the call.
        self._calls = {
            _bare(call.get("id")): call for one in rounds for call in objects_of(one.get("toolCalls"))
        }
        self._open = False

    def take(self, part: Any) -> None:
        """Add one part of the response."""
        value = {"value": part} if isinstance(part, str) else fields_of(part)
        kind = words(value.get("kind"))
        if kind in _TEXTS:
            inner = value.get("content") if kind else value
            self._say(part_text(fields_of(inner).get("value", inner), self._place, self._notes))
        elif kind == "inlineReference":
            self._say(_reference(value))
        elif kind in _TOOLS:
            self._call(value)
        elif kind == "thinking":
            self._notes.add(f"thinking was left out: {NOT_SAID}", self._place)
        else:
            self._left[kind] += 1

    def _turn(self, *, new: bool) -> Turn:
        if new or not self.turns or self.turns[-1].role == "tool":
            self.turns.append(Turn(self._place, "assistant", timestamp=self._time))
            self._open = False
        return self.turns[-1]

    def _say(self, text: str) -> None:
        if not text or (not text.strip() and not self._open):
            return
        turn = self._turn(new=bool(self.turns) and bool(self.turns[-1].calls))
        turn.say(text, continues=self._open)
        self._open = True

    def _call(self, value: dict[str, Any]) -> None:
        call_id = text_id(value.get("toolCallId"))
        known = self._calls.get(_bare(call_id), {})
        shown = value.get("pastTenseMessage") or value.get("invocationMessage")
        details = fields_of(value.get("resultDetails"))
        given = known.get("arguments", details.get("input", _command(value)))
        if given is None:
            given = part_text(shown, self._place, self._notes) if shown else ""
        name = words(known.get("name")) or words(value.get("toolId"))
        self._turn(new=False).call(name, given, call_id)
        result = self._results.get(text_of(known.get("id")), details.get("output"))
        if result not in (None, "", [], {}):
            self.turns.append(
                Turn(
                    self._place,
                    "tool",
                    [part_text(result, self._place, self._notes)],
                    timestamp=self._time,
                    call_id=call_id,
                    tool_name=name or None,
                )
            )


def _bare(call_id: Any) -> str:
    return words(call_id).partition("__vscode")[0]


def _command(value: dict[str, Any]) -> Any:
    data = fields_of(value.get("toolSpecificData"))
    line = data.get("commandLine")
    for found in (data.get("rawInput"), data.get("command"), fields_of(line).get("original"), line):
        if found is not None:
            return found
    return None


def _reference(value: dict[str, Any]) -> str:
    """Return the name of a file or a symbol that stands in the text."""
    inner = value.get("inlineReference")
    fields = fields_of(inner)
    uri = fields_of(fields.get("uri")) or fields_of(fields_of(fields.get("location")).get("uri")) or fields
    path = words(inner) or text_of(uri.get("path")) or text_of(uri.get("fsPath"))
    return text_of(value.get("name")) or text_of(fields.get("name")) or path.rstrip("/").rsplit("/", 1)[-1]
