"""What stands in a text for what has no words: files, reactions; the same in every format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_LONGEST_NAME = 200


def file_label(name: str | None) -> str:
    """Return ``[file: NAME]``, the name in one line; ``[file]`` without one."""
    shown = " ".join((name or "").split())[:_LONGEST_NAME]
    return f"[file: {shown}]" if shown else "[file]"


def reactions_line(counts: Mapping[str, Sequence[str]]) -> str:
    """Return ``[reactions: 👍 Ana, Ben]`` for what each sign was given by; empty if there is none."""
    said = "; ".join(f"{sign} {', '.join(names)}".strip() for sign, names in counts.items() if sign)
    return f"[reactions: {said}]" if said else ""


def joined(*pieces: str) -> str:
    """Return the pieces that are not empty, a line each."""
    return "\n".join(piece for piece in pieces if piece.strip())
