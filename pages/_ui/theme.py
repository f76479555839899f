"""The style sheet: the colours of ``memguard.palette`` as variables, then the rules of the pages."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from pathlib import Path

from memguard import palette

_ASSETS = Path(__file__).parent / "assets"
_SHARED = "app.css"
_NAMES = {
    palette.KEPT: "kept",
    palette.CONTRADICTED: "contradicted",
    palette.NOT_FOUND: "notfound",
    palette.NEEDS_REVIEW: "review",
    palette.VERBATIM: "verbatim",
    palette.EVIDENCE: "evidence",
    palette.NOT_A_CLAIM: "noclaim",
    palette.BY_HAND: "byhand",
}


def css_name(meaning: palette.Meaning) -> str:
    """Return the name of a meaning in CSS: of the class ``mg-NAME`` and the variable ``--mg-NAME``."""
    return _NAMES[meaning]


@cache
def style_sheet() -> str:
    """Return the one style sheet of all pages: what they share, then each page's own file."""
    variables = "".join(
        f"--mg-{name}:light-dark({meaning.light.fg},{meaning.dark.fg});"
        f"--mg-{name}-soft:light-dark({meaning.light.bg},{meaning.dark.bg});"
        for meaning, name in _NAMES.items()
    )
    ground = "".join(
        f"--mg-{item.name.replace('_', '-')}:"
        f"light-dark({getattr(palette.LIGHT, item.name)},{getattr(palette.DARK, item.name)});"
        for item in fields(palette.Ground)
    )
    own = sorted(path.name for path in _ASSETS.glob("*.css") if path.name != _SHARED)
    rules = "\n".join(asset(name) for name in (_SHARED, *own))
    return f".stApp{{{variables}{ground}}}\n{rules}"


@cache
def asset(name: str) -> str:
    """Return the text of a file of the assets folder."""
    return (_ASSETS / name).read_text(encoding="utf-8")
