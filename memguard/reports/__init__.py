"""Reports of a run as return values: the records of an audit in, HTML, Markdown or CSV out.

A report is made of the chain alone, so that one of an audit that was handed over years ago is the one
that was made on the day. Nothing in it was computed anew, and nothing of it is interpreted: all text
of a conversation comes out as it went in.
"""

from collections.abc import Callable

from memguard.reports.document import html_report
from memguard.reports.notes import markdown_report
from memguard.reports.reading import Fault, Report, read_report, report_of
from memguard.reports.rows import csv_report, neutralised
from memguard.reports.words import Fate, fate_of

FORMS: dict[str, Callable[[Report], str]] = {
    ".html": html_report,
    ".md": markdown_report,
    ".csv": csv_report,
}
"""The forms of a report by the ending of its file."""

__all__ = [
    "FORMS",
    "Fate",
    "Fault",
    "Report",
    "csv_report",
    "fate_of",
    "html_report",
    "markdown_report",
    "neutralised",
    "read_report",
    "report_of",
]
