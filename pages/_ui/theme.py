"""The style sheet: the colours of ``memguard.palette`` as variables, then the rules of ``app.css``."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from memguard import palette

_ASSETS = Path(__file__).parent / "assets"
_CLASSES = {
    "kept": palette.KEPT,
    "contradicted": palette.CONTRADICTED,
    "notfound": palette.NOT_FOUND,
    "review": palette.NEEDS_REVIEW,
    "verbatim": palette.VERBATIM,
    "evidence": palette.EVIDENCE,
}


@cache
def style_sheet() -> str:
    """Return the style sheet of every page."""
    variables = "".join(
        f"--mg-{name}:light-dark({meaning.light.fg},{meaning.dark.fg});"
        f"--mg-{name}-soft:light-dark({meaning.light.bg},{meaning.dark.bg});"
        for name, meaning in _CLASSES.items()
    )
    return f".stApp{{{variables}}}\n{asset('app.css')}"


@cache
def asset(name: str) -> str:
    """Return the text of a file of the assets folder."""
    return (_ASSETS / name).read_text(encoding="utf-8")
