"""What ``memguard check`` prints for a build: workflow commands for GitHub, JUnit XML for everything else.

Both are made of the wire form. Whatever stands in a transcript or a summary is data in them: a line that
looks like a command, or markup, comes out as text.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree as ET

from memguard import audit, wire
from memguard.cli.forms import BUILD_FORMS, GITHUB, JUNIT, PAYLOAD_FORMS, TEXT
from memguard.cli.inputs import refuse_unwritable
from memguard.errors import MemGuardError
from memguard.files import replace_text
from memguard.integrations.words import (
    claim_line,
    described,
    fate,
    is_dropped,
    nearest_line,
    one_line,
    summary_claims,
    tally,
)
from memguard.trace import Trace

_NAME_CHARS = 120
_LIKE_COMMAND = re.compile(r"^(\s*):(?=:)", re.MULTILINE)
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Checked:
    """A summary that was checked, or that could not be.

    Attributes:
        result: In the wire form.
        file: Where it stands; ``-`` for standard input.
        line: One-based line of its row, where the file is a batch.
        summary: Its text, where the file is the summary itself.
        started_at: When the check began.
        duration_s: How long it took.
    """

    result: wire.Result
    file: str
    line: int | None = None
    summary: str | None = None
    started_at: datetime = datetime(1970, 1, 1, tzinfo=UTC)
    duration_s: float = 0.0


def checked(trace: Trace, file: str, summary: str) -> Checked:
    """Return what was made of the summary that a file holds."""
    result = wire.result(trace, audit_head=audit.head(audit.records(trace)))
    return Checked(
        result,
        file,
        summary=summary,
        started_at=trace.timings[0].started_at,
        duration_s=sum(timing.duration_s for timing in trace.timings),
    )


def refuse_unfit(arguments: argparse.Namespace) -> None:
    """Settle what is printed; end the process with 2 where the flags do not fit or would lose data.

    Raises:
        MemGuardError: The file of ``--junit`` could not be written.
    """
    _settle_format(arguments)
    if not arguments.junit:
        return
    place = os.path.realpath(arguments.junit)
    for flag in ("transcript", "summary", "batch", "settings", "out", "audit", "report"):
        name = getattr(arguments, flag)
        if name and name != "-" and os.path.realpath(name) == place:
            arguments.parser.error(f"--junit {arguments.junit} would overwrite {name}")
    refuse_unwritable(arguments.junit)


def _settle_format(arguments: argparse.Namespace) -> None:
    """Make ``--format`` and ``--payload-format`` of one mind: the latter is the form of a payload alone."""
    printed, payload, error = arguments.format, arguments.payload_format, arguments.parser.error
    if arguments.json and printed in BUILD_FORMS:
        error(f"--json and --format {printed} both say what is printed: give one of them")
    if printed in PAYLOAD_FORMS:
        if payload not in (None, printed):
            error(f"--format {printed} and --payload-format {payload} differ: give one of them")
        payload = printed
    if arguments.batch and payload not in (None, TEXT):
        error(
            f"--batch prints a result a line, no payload; --format takes {' or '.join(BUILD_FORMS)} with it"
        )
    arguments.payload_format = payload or TEXT
    arguments.format = printed if printed in BUILD_FORMS else TEXT


def emit(checked: Sequence[Checked], arguments: argparse.Namespace) -> None:
    """Print and write what the flags ask for beside the usual.

    Raises:
        MemGuardError: The file of ``--junit`` cannot be written.
    """
    if arguments.junit:
        try:
            replace_text(Path(arguments.junit), junit(checked))
        except OSError as error:
            raise MemGuardError(f"{arguments.junit}: cannot be written ({error.strerror})") from error
    if arguments.format == GITHUB:
        print(github(checked, fails=arguments.fail_on_drop), end="", flush=True)
    elif arguments.format == JUNIT:
        print(junit(checked), end="", flush=True)


def github(checked: Iterable[Checked], *, fails: bool) -> str:
    """Return one workflow command a line: an annotation for each dropped claim, and the count.

    Args:
        checked: The summaries.
        fails: Whether a dropped claim fails the build, which makes it an error; else it is a warning.
    """
    lines = []
    for one in checked:
        if one.result["status"] == "error":
            lines.append(_command("error", tally(one.result), **_place(one), title="MemGuard: not checked"))
            continue
        for claim in summary_claims(one.result):
            if is_dropped(claim):
                level = "error" if fails else "warning"
            elif claim["label"] == "needs_review":
                level = "notice"
            else:
                continue
            title = f"MemGuard: {fate(claim)}"
            lines.append(_command(level, described(claim), **_place(one, claim), title=title))
        lines.append(_command("notice", tally(one.result), **_place(one), title="MemGuard"))
    return "".join(f"{line}\n" for line in lines)


def junit(checked: Sequence[Checked]) -> str:
    """Return JUnit XML: a suite a summary, a test a claim, a failure a dropped one.

    Valid against the schema of Ant's reports, which is the strictest in use, and that of Jenkins, except
    that the latter knows no ``error``, which stands for a row that could not be checked.
    """
    root = ET.Element("testsuites")
    for number, one in enumerate(checked):
        _add_suite(root, one, number)
    ET.indent(root)
    written = ET.tostring(root, encoding="unicode")
    # To XML the same; to a runner that reads the log, no command.
    written = _LIKE_COMMAND.sub(r"\1&#58;", written).replace("##[", "#&#35;[")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{written}\n'


def _command(level: str, message: str, **properties: str | int | None) -> str:
    given = ",".join(
        f"{name}={_property(str(value))}" for name, value in properties.items() if value is not None
    )
    return f"::{level} {given}::{_data(message)}"


def _data(text: str) -> str:
    """Escape the message of a command, as the runner's own toolkit does."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _place(one: Checked, claim: wire.ClaimRow | None = None) -> dict[str, str | int | None]:
    """Return where something stands, by the names of a command's properties; lines and columns from 1."""
    if one.file == "-":
        return {}
    if one.summary is None or claim is None or claim["start"] is None or claim["end"] is None:
        return {"file": one.file, "line": one.line}
    line, column = _line_and_column(one.summary, claim["start"])
    end_line, end_column = _line_and_column(one.summary, claim["end"])
    place: dict[str, str | int | None] = {"file": one.file, "line": line, "endLine": end_line}
    # Columns of several lines are refused by the runner.
    return place | ({"col": column, "endColumn": end_column} if line == end_line else {})


def _line_and_column(text: str, offset: int) -> tuple[int, int]:
    before = text[:offset]
    return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1


def _add_suite(root: ET.Element, one: Checked, number: int) -> None:
    result = one.result
    failed = result["status"] == "error"
    claims = summary_claims(result)
    name = _token(one.file if one.line is None else f"{one.file}, line {one.line}")
    counts = {
        "tests": len(claims) or int(failed),
        "failures": sum(map(is_dropped, claims)),
        "errors": int(failed),
        "skipped": sum(claim["label"] == "not_a_claim" for claim in claims),
    }
    about = {
        "name": name,
        "package": "memguard.check",
        "id": str(number),
        "timestamp": f"{one.started_at.astimezone(UTC):%Y-%m-%dT%H:%M:%S}",
        "hostname": "localhost",
        "time": _seconds(one.duration_s),
    }
    suite = ET.SubElement(root, "testsuite", {**about, **{key: str(n) for key, n in counts.items()}})
    properties = ET.SubElement(suite, "properties")
    kept = {"schema": result["schema"], "id": result["id"], "audit_head": result["audit_head"] or ""}
    for key, value in kept.items():
        ET.SubElement(properties, "property", name=key, value=_xml(value))
    for claim in claims:
        _add_case(suite, claim, name, one.duration_s / len(claims))
    if failed:
        case = _case(suite, "the row", name, one.duration_s)
        ET.SubElement(case, "error", type="error", message=_xml(tally(result)))
    told = [*map(claim_line, claims), tally(result)]
    ET.SubElement(suite, "system-out").text = _xml("\n".join(told))
    ET.SubElement(suite, "system-err").text = _xml("\n".join(map(one_line, result["warnings"])))


def _add_case(suite: ET.Element, claim: wire.ClaimRow, name: str, duration_s: float) -> None:
    words = _token(f"{claim['id']}: {claim['text']}")
    short = words if len(words) <= _NAME_CHARS else f"{words[: _NAME_CHARS - 1]}…"
    case = _case(suite, short, name, duration_s)
    if claim["label"] == "not_a_claim":
        ET.SubElement(case, "skipped")
    elif is_dropped(claim):
        failure = ET.SubElement(case, "failure", type=claim["label"], message=_xml(described(claim)))
        failure.text = _xml("\n".join([described(claim), *map(nearest_line, claim["evidence"])]))


def _case(suite: ET.Element, name: str, classname: str, duration_s: float) -> ET.Element:
    return ET.SubElement(suite, "testcase", name=name, classname=classname, time=_seconds(duration_s))


def _seconds(duration_s: float) -> str:
    return f"{duration_s:.3f}"


def _token(text: str) -> str:
    """Return a text as an attribute that collapses white space holds it; never empty."""
    return " ".join(_xml(text).split()) or "-"


def _xml(text: str) -> str:
    """Replace what XML cannot hold in any way, such as a null character, by U+FFFD."""
    return _NOT_XML.sub("\ufffd", text)
