"""White space at the edges of a piece, with the characters that take no room."""

from __future__ import annotations

_EDGE = "\u200b\u2060\ufeff"


def lstrip(piece: str) -> str:
    """Return a piece without what is not seen at its beginning."""
    while (shorter := piece.lstrip().lstrip(_EDGE)) != piece:
        piece = shorter
    return piece


def rstrip(piece: str) -> str:
    """Return a piece without what is not seen at its end."""
    while (shorter := piece.rstrip().rstrip(_EDGE)) != piece:
        piece = shorter
    return piece
