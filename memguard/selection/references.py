"""Longer code, JSON and logs are referred to, not sent to the summarizer.

A model that is given them invents; a reader needs to know that they are there, and where. The message
itself stays as it is: it is the evidence, and what a reference leaves out is still found there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence

from memguard.messages import Message
from memguard.selection.lines import Shown
from memguard.selection.tools import arguments_of, calls_answered, short_line, without_calls

LEAST_LINES = 12
LEAST_CHARS = 400
"""Shorter code, JSON and logs go in as they are: a reference to four lines says less than they do."""
_KEYS = 8
_ERROR_CHARS = 120
_NAMES = 3
_FENCE = re.compile(
    r"^(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[^\n`]*)\n(?P<body>.*?)(?:^(?P=fence)[ \t]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)
_PATH = re.compile(r"(?<![\w/.~-])~?(?:\.{0,2}/)?(?:[\w.@+-]+/)*[\w.@+-]+\.[A-Za-z][A-Za-z0-9]{0,7}(?![\w/])")
_DEFINITION = re.compile(
    r"^\s*(?:export\s+|default\s+|public\s+|private\s+|static\s+|async\s+|abstract\s+|pub\s+)*"
    r"(?P<kind>class|interface|struct|enum|trait|def|function|func|fn|CREATE\s+TABLE)\s+(?P<name>[\w.]+)",
    re.MULTILINE | re.IGNORECASE,
)
_DEFINES = {
    "def": "function",
    "func": "function",
    "fn": "function",
}
_CODE_LINE = re.compile(
    r"^\s*(?:(?:from\s+[\w.]+\s+)?import\s|#include|using\s+\w|package\s|(?:async\s+)?def\s|class\s+\w|"
    r"function\s|func\s|fn\s|return\b|@\w+|(?:const|let|var|public|private|static)\s|"
    r"(?:if|for|while|elif|else|try|except|catch|switch|with)\b.*[:{]\s*$|[\w.\[\]]+\s*[-+*/|]?=\s*\S|"
    r"[\w.]+\(.*\)\s*[;:{]?\s*$|[}\])]+[;,]?\s*$|[^\n]*[;{]\s*$|</?\w+[^\n]*>\s*$|\s*(?://|#|--|/\*|\*)\s?)"
)
_LOG_LINE = re.compile(
    r"^\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|(?:mon|tue|wed|thu|fri|sat|sun)\w*,? \w+ +\d|"
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w* +\d+ \d\d:\d\d|"
    r"\[?(?:trace|debug|info|notice|warn(?:ing)?|error|fatal|critical|panic)\b\]?[:\s]|"
    r"traceback \(most|file \"[^\"]+\", line \d+|at [\w.$<>]+\(|[\w.]*(?:error|exception)\b:|"
    r"(?:passed|failed|ok|fail|skipped|xfail)\b|[.FEsx]{4,}\s|[=\-_*#]{5,}|collected \d+|npm |added \d+)",
    re.IGNORECASE,
)
_SEVERITY = (
    re.compile(r"\b(?:fatal|panic|critical)\b", re.IGNORECASE),
    re.compile(r"(?:\b|_)(?:error|exception|failed|failure)\b|\w+(?:Error|Exception)\b", re.IGNORECASE),
    re.compile(r"\bwarn(?:ing)?\b", re.IGNORECASE),
)
_STAMP = re.compile(
    r"^\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?\s*"
    r"|^\s*\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?\s*"
)
_TOOL_ROLES = frozenset({"tool", "function"})
_SHARE = 0.6
_PROSE_WORDS = 5
_PROSE_SHARE = 0.7


def shown_of(messages: Sequence[Message], *, tool_lines: bool, references: bool) -> dict[int, Shown]:
    """Return what enters in place of messages, by position; messages that enter as they are have no entry.

    Args:
        messages: In conversation order.
        tool_lines: Put tool calls as short ``name: values`` lines.
        references: Refer to longer code, JSON and logs.
    """
    answered = calls_answered(messages)
    found = {}
    for position, message in enumerate(messages):
        call = messages[answered[position]] if position in answered else None
        text, calls = without_calls(message)
        stand_ins: list[str] = []
        if references:
            text = _referred(text, message.role, _asked_path(message, call), stand_ins)
        if tool_lines and calls:
            lines = [short_line(made) for made in message.tool_calls]
            stand_ins += lines
            calls = "\n".join(lines)
        shown = "\n".join(part for part in (text, calls) if part)
        if stand_ins and shown != message.content:
            found[position] = Shown(shown, tuple(stand_ins))
    return found


def _referred(text: str, role: str, path: str, stand_ins: list[str]) -> str:
    """Return a text with a reference in place of each long block, which is added to ``stand_ins``."""

    def fenced(match: re.Match[str]) -> str:
        body = match["body"]
        if not _is_long(body):
            return match.group()
        before = text[: match.start()].rstrip().rpartition("\n")[2]
        named = _path_in(match["info"]) or _path_in(body.partition("\n")[0]) or _path_in(before)
        reference = reference_to(body, path=named, code=True)
        if reference is None:
            return match.group()
        stand_ins.append(reference)
        return f"{reference}\n"

    shown = _FENCE.sub(fenced, text)
    if shown != text or not _is_long(text) or _FENCE.search(text) is not None:
        return shown.strip("\n") if shown != text else text
    reference = reference_to(text, path=path, output=role in _TOOL_ROLES)
    if reference is None:
        return text
    stand_ins.append(reference)
    return reference


def reference_to(text: str, *, path: str = "", code: bool = False, output: bool = False) -> str | None:
    """Return a reference to a block in brackets; None where it reads as prose.

    Args:
        text: The whole block.
        path: Where it comes from, if that is known.
        code: It was marked as code.
        output: A tool printed it: unless it is prose, it is a log.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    value = _json(text)
    if value is not None:
        return f"[JSON: {', '.join(part for part in (path, _shape(value)) if part)}]"
    logged = _share(_LOG_LINE.match, lines)
    is_code = code or (len(lines) > 1 and _share(_CODE_LINE.match, lines) >= _SHARE)
    if logged >= _SHARE and not is_code and len(lines) > 1:
        return _log(lines, path)
    if not code and _share(_is_prose, lines) >= _SHARE:
        return None
    if is_code:
        return _code(text, lines, path)
    return _log(lines, path) if output and len(lines) > 1 else None


def _code(text: str, lines: Sequence[str], path: str) -> str:
    names = []
    for match in _DEFINITION.finditer(text):
        kind = " ".join(match["kind"].lower().split())
        indented = match.group().lstrip("\n")[:1].isspace()
        if not indented:
            names.append(f"{_DEFINES.get(kind, kind)} {match['name']}")
    shown = list(dict.fromkeys(names))[:_NAMES]
    return f"[code: {', '.join([*([path] if path else []), *shown, f'{len(lines)} lines'])}]"


def _log(lines: Sequence[str], path: str) -> str:
    error = next((line for sign in _SEVERITY for line in lines if sign.search(line)), None)
    word, line = ("error", error) if error is not None else ("last", lines[-1])
    said = " ".join(_STAMP.sub("", line).split())
    said = said if len(said) <= _ERROR_CHARS else said[: _ERROR_CHARS - 1].rstrip() + "…"
    said = said.replace("[", "(").replace("]", ")")
    counted = f"{len(lines)} lines"
    return f"[log: {', '.join([*([path] if path else []), counted, f'{word}: {said}'])}]"


def _shape(value: object) -> str:
    if isinstance(value, Mapping):
        return _keys(value)
    items = value if isinstance(value, list) else []
    first = next((item for item in items if isinstance(item, Mapping)), None)
    of = f" with {_keys(first)}" if first is not None else ""
    return f"{len(items)} entries{of}"


def _keys(value: Mapping[str, object]) -> str:
    names = [str(name).replace("[", "(").replace("]", ")") for name in value]
    more = f" and {len(names) - _KEYS} more" if len(names) > _KEYS else ""
    return f"keys {', '.join(names[:_KEYS])}{more}"


def _json(text: str) -> Mapping[str, object] | list[object] | None:
    text = text.strip()
    if text[:1] not in ("{", "["):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, Mapping | list) and value else None


def _is_long(text: str) -> bool:
    return len(text) >= LEAST_CHARS or sum(bool(line.strip()) for line in text.splitlines()) >= LEAST_LINES


def _share(test: Callable[[str], object], lines: Sequence[str]) -> float:
    return sum(bool(test(line)) for line in lines) / len(lines) if lines else 0.0


def _is_prose(line: str) -> bool:
    words = line.split()
    spoken = sum(word.strip(".,;:!?()\"'’-").replace("'", "").replace("’", "").isalpha() for word in words)
    return len(words) >= _PROSE_WORDS and spoken >= _PROSE_SHARE * len(words)


def _path_in(text: str) -> str:
    match = _PATH.search(text)
    return match.group() if match is not None else ""


def _asked_path(message: Message, call: Message | None) -> str:
    """Return the path that a tool result's call named, where it named exactly one."""
    if call is None:
        return ""
    asked = [c for c in call.tool_calls if message.tool_call_id in (None, c.id)]
    paths = {
        value
        for made in asked
        for name, value in arguments_of(made).items()
        if isinstance(value, str) and name.lower() in ("path", "file", "file_path", "filename", "filepath")
    }
    return paths.pop() if len(paths) == 1 else ""
