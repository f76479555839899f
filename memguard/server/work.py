"""What the tools ``compress_context`` and ``check_summary`` do; knows nothing of the protocol."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memguard import audit, wire
from memguard.errors import InvalidParameterError, MemGuardError
from memguard.guard import MemGuard
from memguard.integrations.words import claim_line
from memguard.reports.words import counted, omission
from memguard.settings import Settings
from memguard.trace import Progress, Trace

MOST_MESSAGES = 5_000
MOST_CHARS = 1_000_000
"""Of all messages of one call together, written as JSON."""
MOST_SUMMARY_CHARS = 100_000


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool gives back.

    Attributes:
        texts: For a reader, be it a person or a model; the first is the answer, the others are about it.
        result: The same for a program.
    """

    texts: tuple[str, ...]
    result: dict[str, Any]


class ContextTools:
    """The tools that work on one conversation. Safe to call from several threads."""

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        guard: Callable[[Settings], MemGuard] = MemGuard,
        audit_folder: Path | None = None,
    ) -> None:
        """Take the settings and, where the audit of every call is to be kept, a folder for it.

        Args:
            settings: For what a call does not set itself.
            guard: Makes what runs; its models are the process's own, so that it costs nothing.
            audit_folder: One file a call, named by the run's id.

        Raises:
            MemGuardError: There is no such folder.
        """
        if audit_folder is not None and not audit_folder.is_dir():
            raise MemGuardError(f"{audit_folder}: there is no such folder to write audits to")
        self._settings = settings if settings is not None else Settings()
        self._guard = guard
        self._audit_folder = audit_folder

    def compress_context(self, messages: Any, options: Mapping[str, Any], progress: Progress) -> Answer:
        """Take messages through all three stages; the first text is the payload.

        Args:
            messages: In the message form.
            options: Settings by dotted name, in place of the server's.
            progress: Called while a stage works.

        Raises:
            InvalidParameterError: There is too much of it, or an option is not valid.
            TranscriptError: A message is not valid.
            ModelUnavailableError: A model is needed that is not installed.
        """
        _check_size(messages)
        trace = self._guard(self._with(options)).run(messages, progress=progress)
        return self._answer(trace, lambda row: row["payload"]["text"] or "There is nothing to keep.")

    def check_summary(
        self, summary: str, messages: Any, options: Mapping[str, Any], progress: Progress
    ) -> Answer:
        """Check a summary against messages; the first text has one line a claim. Errors as above."""
        if len(summary) > MOST_SUMMARY_CHARS:
            raise InvalidParameterError(
                f"the summary holds {len(summary):,} characters; at most {MOST_SUMMARY_CHARS:,} are taken: "
                "check it in parts, each against the same messages"
            )
        _check_size(messages)
        trace = self._guard(self._with(options)).check(summary, messages, progress=progress)
        return self._answer(trace, lambda row: _lines(row["claims"]) or "The summary holds no claim.")

    def _with(self, options: Mapping[str, Any]) -> Settings:
        settings = self._settings
        for name, value in options.items():
            settings = settings.with_value(name, value)
        return settings

    def _answer(self, trace: Trace, first: Callable[[wire.Result], str]) -> Answer:
        chain = audit.records(trace)
        row = wire.result(trace, audit_head=audit.head(chain))
        notes = [_report(row)]
        if self._audit_folder is not None:
            audit.write(self._audit_folder / f"{trace.run_id}.jsonl", chain)
            notes.append(f"The audit is {trace.run_id}.jsonl in the server's folder.")
        notes += [f"warning: {warning}" for warning in row["warnings"]]
        return Answer((first(row), "\n".join(notes)), dict(row))


def _check_size(messages: Any) -> None:
    if isinstance(messages, list) and len(messages) > MOST_MESSAGES:
        raise InvalidParameterError(
            f"there are {len(messages):,} messages; at most {MOST_MESSAGES:,} are taken in one call: "
            "leave out the oldest, or use memguard run on a file"
        )
    n_chars = len(json.dumps(messages, ensure_ascii=False))
    if n_chars > MOST_CHARS:
        raise InvalidParameterError(
            f"the messages hold {n_chars:,} characters; at most {MOST_CHARS:,} are taken in one call: "
            "leave out the oldest, or use memguard run on a file"
        )


def _report(row: wire.Result) -> str:
    """Return what became of the claims, the size of the payload and the head of the audit."""
    claims = [claim for claim in row["claims"] if claim["label"] != "not_a_claim"]
    kept = sum(claim["kept"] for claim in claims)
    payload = row["payload"]
    lines = [
        f"{row['status']}: {kept} of {counted(len(claims), 'claim')} kept; "
        f"payload of {counted(payload['tokens'], 'token')}; audit head {row['audit_head']}"
    ]
    if row["compression"] is not None:
        lines += [claim_line(claim) for claim in claims if not claim["kept"]]
    lines += [f"{left['claim_id']} left out: {omission(left['reason'])}" for left in payload["omitted"]]
    return "\n".join(lines)


def _lines(claims: Iterable[wire.ClaimRow]) -> str:
    return "\n".join(map(claim_line, claims))
