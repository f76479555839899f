"""Stage 3 with redaction: the payload is what leaves, so its result holds no value."""

from __future__ import annotations

from dataclasses import replace

from memguard.models.protocols import TokenCounter
from memguard.outgoing.view import leaving
from memguard.privacy.leaving import Leaving
from memguard.reconstructor import Piece, Reconstruction, Reconstructor
from memguard.trace import Progress, Trace, silent


class OutgoingReconstructor(Reconstructor):
    """Puts the payload together as ever and, where the settings say so, replaces what must not leave.

    The choice is made on the untouched text, by the tokens that the shown one will have. The ids of claims
    and messages stay, so that a line of the payload is still found in the run.
    """

    reads: tuple[str, ...] = (*Reconstructor.reads, "privacy")

    def run(self, trace: Trace, *, progress: Progress = silent) -> Reconstruction:
        """Assemble the surviving claims; see ``Reconstructor.run``."""
        known = leaving(trace)
        if known is None:
            return super().run(trace, progress=progress)
        inner = Reconstructor(_ShownCounter(self._counter, known))
        return _redacted(inner.run(trace, progress=progress), known, self._counter)


class _ShownCounter:
    """Counts texts as they will leave, so that the payload fits its budget with its placeholders."""

    def __init__(self, inner: TokenCounter, known: Leaving) -> None:
        self._inner = inner
        self._leaving = known
        self.name = inner.name

    def count(self, text: str) -> int:
        return self._inner.count(self._leaving.known(text))


def _redacted(result: Reconstruction, known: Leaving, counter: TokenCounter) -> Reconstruction:
    text = known.text(result.text)
    tokens = counter.count(text) if text else 0
    warnings = result.warnings
    if tokens > max(result.budget, result.tokens):
        warnings = (
            *warnings,
            f"with its placeholders the payload has {tokens} tokens, more than its budget of {result.budget}",
        )
    pieces = tuple(_piece(piece, known) for piece in result.pieces)
    return replace(result, text=text, tokens=tokens, pieces=pieces, warnings=warnings)


def _piece(piece: Piece, known: Leaving) -> Piece:
    return replace(
        piece,
        text=known.text(piece.text),
        line=known.text(piece.line),
        added=tuple(map(known.text, piece.added)),
    )
