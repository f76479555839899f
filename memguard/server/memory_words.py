"""The result of ``memory(action=…)`` in words, for a model or a person."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from memguard.reports.words import counted

_STEPS = {
    "injected": "came out of memory and would be put away",
    "expiry": "have expired and would be put away",
    "contradictions": "are contradicted by later ones and would be superseded",
    "noise": "are noise and would be put away",
    "merge": "would be merged",
    "summary": "would be summarised",
    "staleness": "would get another staleness",
}
_REASONS_UNSAID = frozenset({"disabled", "no_provider"})
"""Why a text was not compressed, where that is how the server is set up and nothing went wrong."""


def worded(result: Mapping[str, Any]) -> str:
    """Return what an action did; of one that gives entries, the entries."""
    lines = [_WORDS[result["action"]](result)]
    lines += [f"warning: {warning}" for warning in result.get("warnings", ())]
    return "\n".join(line for line in lines if line)


def entry_line(entry: Mapping[str, Any]) -> str:
    """Return an entry on one line: id, day, state, similarity, text."""
    about = [entry["timestamp"][:10]]
    about += [entry["status"]] if entry["status"] != "active" else []
    if entry.get("similarity") is not None:
        about.append(f"similarity {entry['similarity']:.2f}")
    text = " ".join(entry["text"].split())
    return f"- {entry['id']} ({', '.join(about)}): {text}"


def entries(number: int) -> str:
    """Return ``1 entry`` or ``2 entries``."""
    return f"{number:,} {'entry' if number == 1 else 'entries'}"


def _capture(result: Mapping[str, Any]) -> str:
    where = result["memory_id"]
    if result["status"] == "duplicate":
        near = result["similarity"]
        how = "the same words" if near is None else f"similarity {near:.2f}"
        return f"Nothing was stored: {where} says the same ({how})."
    if result["status"] == "injected":
        return "Nothing was stored: this text came out of memory."
    if result["status"] == "skipped":
        return "Nothing was stored: there is nothing in it to remember."
    lines = [f"Stored as {where}. {_compression(result)}".rstrip()]
    if result["redacted"]:
        kinds = ", ".join(kind.replace("_", " ") for kind in result["redacted"])
        lines.append(f"Replaced before it was stored: {kinds}.")
    lines += [f"Turn {left['index']} was left out: {left['reason']}." for left in result["left_out"]]
    return "\n".join(lines)


def _compress(result: Mapping[str, Any]) -> str:
    if result["status"] == "already_compressed":
        return f"{result['memory_id']} is compressed already; nothing was changed."
    if result["status"] == "skipped":
        return f"{result['memory_id']} stays as it is: {result['detail'] or result['reason']}."
    return f"{result['memory_id']}: {_compression(result)}"


def _compression(result: Mapping[str, Any]) -> str:
    if result["compressed"]:
        return (
            f"Compressed by {result['provider']}, "
            f"{counted(result['tokens_in'], 'token')} to {result['tokens_out']:,}."
        )
    if result["reason"] in _REASONS_UNSAID or not result["detail"]:
        return ""
    return f"Not compressed: {result['detail'].rstrip('.')}."


def _summarize(result: Mapping[str, Any]) -> str:
    return str(result["content"]) or "There is nothing to summarize."


def _listed(result: Mapping[str, Any]) -> str:
    return "\n".join(map(entry_line, result["entries"])) or "No entry was found."


def _get(result: Mapping[str, Any]) -> str:
    return f"{entry_line(result['entry'])[2:]}"


def _moved(result: Mapping[str, Any]) -> str:
    return f"{result['memory_id']} {result['status']}."


def _maintain(result: Mapping[str, Any]) -> str:
    if result["status"] == "too_few_entries":
        return f"{entries(result['n_before'])}: too few for maintenance; nothing was done."
    if result["status"] == "dry_run":
        planned = [f"- {number:,} {_STEPS[step]}" for step, number in result["planned"].items() if number]
        if not planned:
            return f"{entries(result['n_before'])}: nothing would be changed."
        head = f"Nothing was changed. Of {entries(result['n_before'])}, {result['n_after']:,} would be left."
        return "\n".join([head, *planned])
    done = [
        f"- {step['step']}: {step['problem'] or entries(step['n_changed'])}"
        + ("" if step["record"] is None else f" (record {step['record']})")
        for step in result["steps"]
        if step["n_changed"] or step["problem"]
    ]
    return "\n".join([f"{entries(result['n_before'])} before, {result['n_after']:,} after.", *done])


def _export(result: Mapping[str, Any]) -> str:
    where = f" to {result['path']}" if result["path"] else ""
    return f"{entries(result['count'])} exported{where}."


def _import(result: Mapping[str, Any]) -> str:
    there = f", {result['already_there']:,} were there already" if result["already_there"] else ""
    return f"{entries(result['count'])} imported{there}."


_WORDS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "capture": _capture,
    "compress": _compress,
    "summarize": _summarize,
    "search": _listed,
    "list": _listed,
    "get": _get,
    "delete": _moved,
    "restore": _moved,
    "maintain": _maintain,
    "export": _export,
    "import": _import,
}
