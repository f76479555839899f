"""A history that became too long, made short for the next call of a model: shared by the integrations.

What stands at the front for the model alone (system and developer messages) and the recent tail stay as
they are; everything between is replaced by the payload. Evidence is always the raw history, never an
earlier payload. Of a history that was seen before, only what is new is worked on.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from memguard import audit
from memguard.audit import AuditRecord
from memguard.compressor import joined
from memguard.errors import InvalidParameterError, MemGuardError
from memguard.guard import MemGuard
from memguard.messages import Conversation
from memguard.reconstructor import Reconstruction
from memguard.selection.tail import tail_of
from memguard.trace import Trace

INSTRUCTING_ROLES = frozenset({"system", "developer"})
LEAST_PAYLOAD_TOKENS = 60
"""A payload that may be no longer than this is none."""
PAYLOAD_ROLE = "user"
"""It holds the words of people and tools, which must not gain the authority of instructions."""
_HISTORIES = 16
_TIMES = frozenset({"timestamp", "ts"})
_LOG = logging.getLogger(__name__)

RawMessage = Mapping[str, Any]

_Known = tuple[list[dict[str, Any]], Trace]
"""A history that was worked on, and what came of it."""

_NAMELESS: RawMessage = {"role": "user", "content": ""}
"""What the message of a payload takes beside its text: the name of its role."""


class NothingToReplaceError(InvalidParameterError):
    """A history that cannot be made shorter: says why. It is sent as it is."""


class UnforeseenError(MemGuardError):
    """Something broke that MemGuard did not foresee; the log has the rest. The history is sent as it is."""


@dataclass(frozen=True, slots=True)
class Shortened:
    """What may stand in place of a history.

    Attributes:
        payload: The text that replaces what is neither front nor tail.
        n_front: How many of the first messages stay as they are.
        n_tail: How many of the last messages stay as they are.
        trace: The run behind it.
        audit: The run's audit; its last record's hash is the head.
        tokens: Of the whole that may be sent, by the guard's counter.
    """

    payload: str
    n_front: int
    n_tail: int
    trace: Trace
    audit: tuple[AuditRecord, ...]
    tokens: int


class Histories:
    """Makes histories short, and remembers the last ones. Safe to call from several threads."""

    def __init__(self, guard: MemGuard, *, keep_last: int) -> None:
        """Take a guard and how many of the last messages stay as they are.

        Raises:
            InvalidParameterError: ``keep_last`` is less than 1.
        """
        if isinstance(keep_last, bool) or not isinstance(keep_last, int) or keep_last < 1:
            raise InvalidParameterError(f"keep_last must be a whole number of 1 or more; got {keep_last!r}")
        self._guard = guard
        self._keep_last = keep_last
        self._seen: OrderedDict[str, _Known] = OrderedDict()
        self._lock = threading.Lock()

    def count(self, messages: Sequence[RawMessage]) -> int:
        """Return the tokens of messages by the guard's counter.

        Raises:
            TranscriptError: One of them is not valid.
            UnforeseenError: The counter broke.
        """
        with _foreseen():
            return self._guard.counter.count(joined(Conversation.from_messages(messages))) if messages else 0

    def shorten(
        self,
        messages: Sequence[RawMessage],
        *,
        limit_tokens: int | None = None,
        payload_share: float = 1.0,
    ) -> Shortened:
        """Return what may stand in place of a history.

        Args:
            messages: In the message form, in order.
            limit_tokens: How long the whole may be that is sent; the tail is made shorter, down to the last
                exchange, and the payload as well, so that it is not longer. None leaves both as they are.
            payload_share: How much of the tokens that front and tail leave the payload may take, in (0, 1].

        Raises:
            NothingToReplaceError: It cannot be made shorter.
            MemGuardError: A message is not valid, a model is missing, or a stage failed.
        """
        with _foreseen():
            return self._shortened(messages, limit_tokens, payload_share)

    def _shortened(self, messages: Sequence[RawMessage], limit: int | None, share: float) -> Shortened:
        n_front = next(
            (i for i, m in enumerate(messages) if m.get("role") not in INSTRUCTING_ROLES), len(messages)
        )
        history = [_placed(m, number) for number, m in enumerate(messages, start=1)][n_front:]
        keep, n_tail, room = self._tail(messages[:n_front], history, limit)
        room = None if room is None else max(LEAST_PAYLOAD_TOKENS, int(room * share))
        trace = self._run(history, keep, room)
        payload = trace[Reconstruction].text
        if not payload:
            raise NothingToReplaceError("nothing of the earlier messages can be kept in fewer words")
        kept = [
            *messages[:n_front],
            {"role": PAYLOAD_ROLE, "content": payload},
            *history[len(history) - n_tail :],
        ]
        tokens = self.count(kept)
        if tokens >= self.count(messages):
            raise NothingToReplaceError("the payload would be no shorter than the messages that it replaces")
        return Shortened(payload, n_front, n_tail, trace, audit.records(trace), tokens)

    def _tail(
        self, front: Sequence[RawMessage], history: Sequence[RawMessage], limit: int | None
    ) -> tuple[int, int, int | None]:
        """Return how many messages are to be kept, how many that makes, and the tokens left for a payload."""
        conversation = Conversation.from_messages(history)
        fixed = self.count(front) + self.count([_NAMELESS])
        keep = self._keep_last
        while True:
            n_tail = len(tail_of(conversation.messages, keep))
            room = None if limit is None else limit - fixed - self.count(history[len(history) - n_tail :])
            fits = room is None or room >= LEAST_PAYLOAD_TOKENS
            if n_tail < len(history) and fits:
                return keep, n_tail, room
            if keep == 1:
                raise NothingToReplaceError(
                    "there is nothing before the recent messages"
                    if n_tail >= len(history)
                    else f"the recent messages alone leave no room for a payload within {limit} tokens"
                )
            keep //= 2

    def _run(self, history: list[dict[str, Any]], keep: int, room: int | None) -> Trace:
        """Work on a history, or only on what is new in it, with a payload that fits the room."""
        settings = self._guard.settings.with_value("compression.keep_last", keep)
        known = self._remembered(history)
        if known is None:
            trace = self._guard.pipeline.run(Conversation.from_messages(history), settings)
        else:
            raw, trace = known
            trace = self._guard.update(trace, settings)
            added = history[len(raw) :]
            trace = self._guard.extend(trace, added) if added else trace
        self._remember(history, trace, known)
        if room is not None and trace[Reconstruction].tokens > room:
            trace = self._guard.update(trace, settings.with_value("reconstruction.payload_tokens", room))
        return trace

    def _remembered(self, history: Sequence[RawMessage]) -> _Known | None:
        """Return the longest beginning of a history that was worked on before."""
        with self._lock:
            known = [pair for pair in self._seen.values() if pair[0] == list(history[: len(pair[0])])]
        return max(known, key=lambda pair: len(pair[0]), default=None)

    def _remember(self, history: list[dict[str, Any]], trace: Trace, known: _Known | None) -> None:
        """Keep a run in place of the one that it goes on from; the oldest are forgotten."""
        with self._lock:
            if known is not None:
                self._seen.pop(known[1].run_id, None)
            self._seen[trace.run_id] = (history, trace)
            while len(self._seen) > _HISTORIES:
                self._seen.popitem(last=False)


@contextmanager
def _foreseen() -> Iterator[None]:
    """Make every error one of MemGuard's own: whatever breaks here, the model is to be called.

    The pipeline does so for its stages; a counter, for one, runs outside of them.
    """
    try:
        yield
    except MemGuardError:
        raise
    except Exception as error:
        _LOG.exception("a history could not be worked on")
        raise UnforeseenError(f"{type(error).__name__}: {error}") from error


def _placed(message: RawMessage, number: int) -> dict[str, Any]:
    """Return a message that is cited by its place unless it has an id, and stands where it was given.

    The order of a history is that of its list: with times, the conversation would be put in their order.
    """
    kept = {key: value for key, value in message.items() if key not in _TIMES}
    return kept if kept.get("id") is not None else {**kept, "id": f"m{number}"}
