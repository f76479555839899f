"""An answer's text as Open WebUI keeps it, with ``<details>`` elements between the words.

``reasoning`` is what the model thought; ``tool_calls`` holds one call with ``id``, ``name``,
``arguments`` and ``result`` as escaped attributes (the result in newer versions as the body);
``code_interpreter`` holds code in a fence and its ``output`` as an attribute. An element begins a line.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from typing import Any

from memguard.message_form import Notes
from memguard.text import well_formed
from memguard.transcripts.apis.parts import part_text
from memguard.transcripts.apis.turns import Turn
from memguard.transcripts.json_text import parse_json
from memguard.transcripts.values import fields_of, rendered, text_of

_OPENING = re.compile(
    r"^[ \t]{0,3}<details\s{1,3}type=\"(reasoning|tool_calls|code_interpreter)\"([^<>]*)>", re.M
)
_CLOSING = "</details>"
_ATTRIBUTE = re.compile(r"([A-Za-z_]{1,40})=\"([^\"]*)\"")
_SUMMARY = re.compile(r"\A\s*<summary>[^<]*</summary>")
_FENCE = re.compile(r"\A\s*`{3,}[^\n]*\n(.*?)\n?`{3,}\s*\Z", re.DOTALL)


def answer_turns(text: str, place: str, notes: Notes, left_out: Counter[str]) -> list[Turn]:
    """Return the turns of an answer: words with the calls after them, a result, words again.

    Args:
        text: The content of the message.
        place: Where it stands in the file.
        notes: Takes what could not be read.
        left_out: Counts what is left out on purpose.
    """
    turns: list[Turn] = []
    at = 0
    for opening in _OPENING.finditer(text):
        if opening.start() < at:
            continue
        end = text.find(_CLOSING, opening.end())
        if end < 0:
            notes.add("an element of the answer is never closed; it is kept as text", place)
            break
        _say(turns, text[at : opening.start()], place)
        attributes = {name: html.unescape(value) for name, value in _ATTRIBUTE.findall(opening[2])}
        body = _SUMMARY.sub("", text[opening.end() : end]).strip()
        at = end + len(_CLOSING)
        if opening[1] == "reasoning":
            left_out["thinking"] += 1
        elif opening[1] == "tool_calls":
            _add_call(turns, attributes, body, place, notes)
        else:
            _add_code(turns, attributes, body, place, notes)
    _say(turns, text[at:], place)
    return turns


def _say(turns: list[Turn], text: str, place: str) -> None:
    said = text.strip("\r\n")
    if said.strip():
        # What follows a call is said after it: another turn.
        if not turns or turns[-1].role == "tool" or turns[-1].calls:
            turns.append(Turn(place, "assistant"))
        turns[-1].texts.append(said)


def _caller(turns: list[Turn], place: str) -> Turn:
    if not turns or turns[-1].role == "tool":
        turns.append(Turn(place, "assistant"))
    return turns[-1]


def _add_call(turns: list[Turn], attributes: dict[str, str], body: str, place: str, notes: Notes) -> None:
    name, call_id = attributes.get("name", ""), attributes.get("id", "")
    if "content" in attributes and not name:  # an earlier version: all calls of a step in one element
        _add_step(turns, attributes, place, notes)
        return
    _caller(turns, place).call(name, _parsed(attributes.get("arguments", "")), call_id)
    result = attributes.get("result") or html.unescape(body)
    if result:
        _add_result(turns, _parsed(result), name, call_id, place, notes)


def _add_step(turns: list[Turn], attributes: dict[str, str], place: str, notes: Notes) -> None:
    calls, results = _parsed(attributes["content"]), _parsed(attributes.get("results", ""))
    caller = _caller(turns, place)
    for call in calls if isinstance(calls, list) else []:
        function = fields_of(fields_of(call).get("function"))
        caller.call(function.get("name"), function.get("arguments", ""), fields_of(call).get("id"))
    for result in results if isinstance(results, list) else []:
        found = fields_of(result)
        _add_result(turns, found.get("content"), "", text_of(found.get("tool_call_id")), place, notes)


def _add_result(turns: list[Turn], value: Any, name: str, call_id: str, place: str, notes: Notes) -> None:
    text = part_text(value, place, notes)
    turns.append(Turn(place, "tool", [text], call_id=call_id or None, tool_name=name or None))


def _add_code(turns: list[Turn], attributes: dict[str, str], body: str, place: str, notes: Notes) -> None:
    fenced = _FENCE.match(body)
    _caller(turns, place).call("code_interpreter", fenced[1] if fenced else body)
    if "output" not in attributes:
        return
    output = _parsed(attributes["output"])
    kinds = ("stdout", "stderr", "result", "error")
    pieces = [rendered(fields_of(output).get(kind)) for kind in kinds] if isinstance(output, dict) else []
    text = "\n".join(piece for piece in pieces if piece.strip())
    text = text if isinstance(output, dict) else part_text(output, place, notes)
    turns.append(Turn(place, "tool", [text], tool_name="code_interpreter"))


def _parsed(text: str) -> Any:
    """Return what an attribute holds as JSON, also JSON within a JSON text; anything else as it is."""
    value: Any = well_formed(text)
    for _ in range(2):
        if not isinstance(value, str) or not value.lstrip().startswith(("{", "[", '"')):
            break
        try:
            value, _repeated = parse_json(value)
        except (ValueError, RecursionError):
            break
    return value
