"""The HTML report: one file that needs no network and no script, and prints well.

Written with Jinja2, which escapes whatever it is given; a page built of f-strings would rest on nobody
ever forgetting to. The page forbids itself everything but its own style (Content-Security-Policy).
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from memguard import palette
from memguard.reports import marks, words
from memguard.reports.reading import Report

if TYPE_CHECKING:
    from jinja2 import Template

_FOLDER = Path(__file__).parent / "data"
_SHOWN = (
    palette.KEPT,
    palette.CONTRADICTED,
    palette.NOT_FOUND,
    palette.NEEDS_REVIEW,
    palette.VERBATIM,
    palette.NOT_A_CLAIM,
    palette.BY_HAND,
)


def html_report(report: Report) -> str:
    """Return a self-contained HTML page of an audit: light, for screen and paper."""
    page = _template().render(
        report=report,
        palette=palette.LIGHT,
        evidence=palette.EVIDENCE,
        meanings=_SHOWN,
        words=words,
        marks=marks,
    )
    return page.replace("\x00", "\ufffd")  # which HTML cannot hold


@lru_cache(maxsize=1)
def _template() -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template("report.html")
