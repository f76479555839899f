"""Gemini contents: parts of a user and a model, a function's response among them.

Read are a list of contents, a request (``contents``, ``systemInstruction``), a response (``candidates``;
also a stream of them), a log of both, a chat's ``history``, a prompt saved by AI Studio
(``chunkedPrompt``), and JSONL of contents. Field names are read in camel case and in snake case.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memguard.message_form import Notes
from memguard.transcripts.apis.parts import label
from memguard.transcripts.apis.rows import Rows, find_rows, times_of
from memguard.transcripts.apis.turns import NOT_SAID, Told, Turn, finish, first_objects, lines, role_of
from memguard.transcripts.document import MISSING, ConversationHead, Document, Reading
from memguard.transcripts.values import fields_of, items_of, rendered, text_id, words

ROLES = {"model": "assistant", "function": "tool"}
_OUTPUTS = ("output", "result", "content", "error")
_MEDIA = ("inlineData", "fileData", "inlineFile", "inlineImage", "driveImage", "driveDocument", "driveVideo")


def field(value: dict[str, Any], name: str) -> Any:
    """Return a field by its camel case name or by the snake case one."""
    if name in value:
        return value[name]
    return value.get("".join(f"_{c.lower()}" if c.isupper() else c for c in name))


def content_turns(content: Any, turn: Turn, notes: Notes) -> list[Turn]:
    """Return the turns of one content: ``turn`` filled, cut where a function's response stands between.

    Args:
        content: An object with ``parts``, a list of parts, one part, or text.
        turn: Place, role, id and time.
        notes: Takes what was left out.
    """
    parts = content.get("parts") if isinstance(content, dict) and "parts" in content else content
    cut: list[Turn] = []
    open_turn: Turn | None = None
    last: Any = None
    only_thought = False
    for part in parts if isinstance(parts, list) else [parts]:
        if isinstance(part, dict) and part.get("thought") is True:
            notes.add(f"thinking was left out: {NOT_SAID}", turn.place)
            only_thought = True
            continue
        result = _result(part, turn)
        if result is not None:
            cut.append(result)
            open_turn = last = None
            continue
        if open_turn is None:
            role = "user" if turn.role == "tool" else turn.role
            open_turn = Turn(turn.place, role, speaker=turn.speaker, timestamp=turn.timestamp)
            cut.append(open_turn)
        # A model's neighbouring texts are one text in pieces.
        continues = turn.role == "assistant" and _is_said(last)
        _fill(open_turn, part, notes, continues=continues)
        last = part
    if not cut and not only_thought:
        cut.append(turn)
    name = text_id(turn.id)
    for number, piece in enumerate(cut, start=1):
        piece.id = turn.id if number == 1 else name and f"{name}.{number}"
    return cut


def _fill(turn: Turn, part: Any, notes: Notes, *, continues: bool) -> None:
    if not isinstance(part, dict):
        if part is not None:
            turn.texts.append(rendered(part))
        return
    call, code = field(part, "functionCall"), field(part, "executableCode")
    if isinstance(call, dict):
        turn.call(call.get("name"), call.get("args", {}), call.get("id"))
    elif isinstance(code, dict):
        turn.call("code_execution", code.get("code", ""), code.get("id"))
    elif isinstance(part.get("text"), str):
        turn.say(part["text"], continues=continues)
    else:
        turn.texts.append(_media(part, turn.place, notes))


def _media(part: dict[str, Any], place: str, notes: Notes) -> str:
    for name in _MEDIA:
        data = field(part, name)
        if isinstance(data, dict):
            kind = words(field(data, "mimeType")).partition("/")[0]
            if kind not in {"image", "audio", "video"}:
                kind = "image" if "Image" in name else "video" if "Video" in name else "file"
            return label(kind, place, notes, field(data, "displayName"))
    return label(next((key for key in part if isinstance(key, str)), "part"), place, notes)


def _result(part: Any, turn: Turn) -> Turn | None:
    if not isinstance(part, dict):
        return None
    answer, code = field(part, "functionResponse"), field(part, "codeExecutionResult")
    result = Turn(turn.place, "tool", timestamp=turn.timestamp)
    if isinstance(answer, dict):
        result.texts.append(response_text(answer.get("response")))
        result.tool_name = words(answer.get("name")) or None
        result.call_id = text_id(answer.get("id"))
    elif isinstance(code, dict):
        result.texts.append(words(code.get("output")))
        result.tool_name = "code_execution"
        result.call_id = text_id(code.get("id"))
    else:
        return None
    return result


def response_text(response: Any) -> str:
    """Return what a function gave back: the one text of it, else all of it as JSON."""
    if isinstance(response, dict) and len(response) == 1:
        key, value = next(iter(response.items()))
        if key in _OUTPUTS and isinstance(value, str):
            return value
    return rendered(response)


class Gemini:
    """Contents as Gemini's interface takes and gives them."""

    name = "gemini"

    def recognises(self, document: Document) -> float:
        """Return 0.9 where there are contents with parts that carry no type of their own."""
        value = document.value
        if isinstance(value, dict):
            if isinstance(fields_of(field(value, "chunkedPrompt")).get("chunks"), list):
                return 0.9
            found = [*_contents_of(value), *_answers_of(value)]
            return 0.9 if found and any(map(_is_content, found)) else 0.0
        objects = first_objects(document)
        n_own = sum(_is_content(item) or _is_answer(item) or _is_row(item) for item in objects)
        return 0.9 if n_own and 2 * n_own > len(objects) else 0.0

    def conversations(self, document: Document) -> tuple[ConversationHead, ...]:
        """Return the conversations: one, or one a row where each row is a request of its own."""
        rows = _rows(document)
        if rows is not None:
            return rows.heads(_count, _times)
        return (ConversationHead("1", None, None, None, None, "the whole file"),)

    def read(self, document: Document, conversation: str | None = None) -> Reading:
        """Read the contents in their order; of several candidates the first."""
        notes = Notes()
        told = Told()
        value = document.value
        rows = _rows(document)
        if rows is not None:
            row = rows.pick(rows.heads(_count, _times), conversation, document)
            told.skipped_lines, told.n_conversations = rows.skipped_lines, len(rows.rows)
            notes = Notes(rows.warnings)
            turns = list(_framed(row.value, notes, told))
            for turn in turns:
                turn.place = row.at(turn.place)
            return finish(self.name, document, turns, notes, told)
        turns = []
        if isinstance(value, dict):
            turns += _framed(value, notes, told)
        else:
            if value is MISSING:
                records, told.skipped_lines = lines(document, notes)
                placed = [(f"line {record.line}", record.value) for record in records]
            else:
                placed = [(f"content {index}", item) for index, item in enumerate(items_of(value))]
            turns += _listed(placed, notes, told)
        return finish(self.name, document, turns, notes, told)


def _is_content(value: Any) -> bool:
    if not isinstance(value, dict) or not _is_role(value.get("role")):
        return False
    parts = value.get("parts")
    if not isinstance(parts, list) or not parts:
        return False
    return all(isinstance(part, dict) and "type" not in part for part in parts)


def _is_role(value: Any) -> bool:
    return value is None or words(value) in {"user", "model", "function", "system"}


def _is_row(value: Any) -> bool:
    """Return whether a value is a request of its own, such as a row of a tuning set or of a batch."""
    if not isinstance(value, dict) or _is_content(value):
        return False
    return any(map(_is_content, _contents_of(value)))


def _rows(document: Document) -> Rows | None:
    """Return the rows where the file is a list or JSONL of requests, else None."""
    if isinstance(document.value, dict) or not any(map(_is_row, first_objects(document))):
        return None
    return find_rows(document, _is_row)


def _count(row: dict[str, Any]) -> int:
    return len(_contents_of(row)) + min(1, len(_candidates(row)))


def _times(row: dict[str, Any]) -> list[Any]:
    frames = (row, fields_of(row.get("request")), fields_of(row.get("response")))
    return [*times_of(_contents_of(row)), *(field(frame, "createTime") for frame in frames)]


def _is_answer(value: Any) -> bool:
    return isinstance(value, dict) and any(map(_is_content, _answers_of(value)))


def _contents_of(value: dict[str, Any]) -> list[Any]:
    request = fields_of(value.get("request"))
    for source in (value, request):
        for key in ("contents", "history"):
            if isinstance(source.get(key), list):
                return items_of(source[key])
    return [value] if _is_content(value) else []


def _answers_of(value: dict[str, Any]) -> list[Any]:
    return [fields_of(c).get("content") for c in _candidates(value)]


def _candidates(value: dict[str, Any]) -> list[Any]:
    return items_of(value.get("candidates")) or items_of(fields_of(value.get("response")).get("candidates"))


def _framed(value: dict[str, Any], notes: Notes, told: Told) -> Iterator[Turn]:
    told.title = words(value.get("title")) or None
    system = field(value, "systemInstruction") or field(fields_of(value.get("request")), "systemInstruction")
    if system:
        yield from content_turns(system, Turn("systemInstruction", "system"), notes)
    for index, chunk in enumerate(items_of(fields_of(field(value, "chunkedPrompt")).get("chunks"))):
        yield from _chunk(chunk, f"chunk {index}", notes)
    for index, content in enumerate(_contents_of(value)):
        yield from _content(content, f"contents[{index}]", notes)
    yield from _answer(value, "candidates[0]", notes, told)


def _chunk(chunk: Any, place: str, notes: Notes) -> list[Turn]:
    if not isinstance(chunk, dict):
        notes.add("this is no chunk, which is an object with role and text; it was left out", place)
        return []
    if chunk.get("isThought") is True:
        notes.add(f"thinking was left out: {NOT_SAID}", place)
        return []
    role = role_of(chunk.get("role"), ROLES, place, notes)
    turn = Turn(place, role, timestamp=chunk.get("createTime"))
    own = {"role", "tokenCount", "createTime", "finishReason"}
    part = {key: value for key, value in chunk.items() if key not in own}
    return content_turns([part], turn, notes)


def _content(content: Any, place: str, notes: Notes) -> list[Turn]:
    if isinstance(content, str):
        return [Turn(place, "user", [content])]
    if not isinstance(content, dict):
        notes.add("this is no content, which is an object with role and parts; it was left out", place)
        return []
    turn = Turn(place, role_of(content.get("role"), ROLES, place, notes), id=content.get("id"))
    return content_turns(content, turn, notes)


def _answer(value: dict[str, Any], place: str, notes: Notes, told: Told) -> list[Turn]:
    candidates = _candidates(value)
    if len(candidates) > 1:
        told.abandoned += len(candidates) - 1
        told.branch = "the first candidate of each answer"
        notes.add(f"candidates, of which the first was read: {len(candidates)}", place)
    if not candidates:
        return []
    reason = words(field(fields_of(candidates[0]), "finishReason"))
    if reason not in {"", "STOP", "FINISH_REASON_UNSPECIFIED"}:
        notes.add(f"the answer ended with {reason[:40]}", place, "an answer that ended early")
    time = field(value, "createTime") or field(fields_of(value.get("response")), "createTime")
    return content_turns(
        fields_of(candidates[0]).get("content"), Turn(place, "assistant", timestamp=time), notes
    )


def _listed(placed: list[tuple[str, Any]], notes: Notes, told: Told) -> Iterator[Turn]:
    stream: list[dict[str, Any]] = []
    start = ""
    for place, item in placed:
        if isinstance(item, dict) and _candidates(item):
            start = start or place
            stream.append(item)
            if field(fields_of(_candidates(item)[0]), "finishReason"):
                yield from _joined(stream, start, notes, told)
                stream, start = [], ""
            continue
        if stream:
            yield from _joined(stream, start, notes, told)
            stream, start = [], ""
        yield from _content(item, place, notes)
    if stream:
        yield from _joined(stream, start, notes, told)


def _joined(stream: list[dict[str, Any]], place: str, notes: Notes, told: Told) -> list[Turn]:
    """Return the turns of one answer that came in pieces: neighbouring texts are one text."""
    parts: list[Any] = []
    for piece in stream:
        for part in items_of(fields_of(fields_of(_candidates(piece)[0]).get("content")).get("parts")):
            last: Any = parts[-1] if parts else None
            if _is_said(part) and _is_said(last):
                parts[-1] = {"text": last["text"] + part["text"]}
            else:
                parts.append(part)
    last_candidate = {**fields_of(_candidates(stream[-1])[0]), "content": {"parts": parts}}
    return _answer(
        {**stream[-1], "candidates": [last_candidate, *_candidates(stream[-1])[1:]]}, place, notes, told
    )


def _is_said(part: Any) -> bool:
    return isinstance(part, dict) and isinstance(part.get("text"), str) and part.get("thought") is not True
