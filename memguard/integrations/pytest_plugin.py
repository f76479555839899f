"""A pytest plugin: ``memguard_check`` fails a test whose summary claims what its messages do not support.

Loaded by every run of pytest in an environment that has MemGuard: so nothing is imported here but pytest
itself, and nothing happens until a test asks for a fixture.

>>> def test_the_summary_holds(memguard_check):
...     memguard_check(summarise(MESSAGES), MESSAGES)
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest

if TYPE_CHECKING:
    from memguard.guard import MemGuard, Messages
    from memguard.trace import Trace
    from memguard.wire import Result

_SETTINGS = "memguard_settings"


class Check(Protocol):
    """What the fixture ``memguard_check`` is."""

    def __call__(
        self, summary: str, messages: Messages | str | os.PathLike[str], *, most_dropped: int = 0
    ) -> Trace:
        """Check a summary; return the run, or fail the test where claims were dropped.

        Args:
            summary: From any model or person.
            messages: The raw conversation: dicts with ``role`` and ``content``, a ``Conversation``, or the
                path of a transcript in any format that MemGuard reads.
            most_dropped: How many dropped claims are no failure.

        Raises:
            AssertionError: More were dropped; names each with its reason and its nearest evidence.
        """
        ...


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add where the settings of the checks are read from."""
    told = "a TOML file of MemGuard's settings for memguard_check"
    parser.getgroup("memguard").addoption("--memguard-settings", metavar="FILE", dest=_SETTINGS, help=told)
    parser.addini(_SETTINGS, told, default="")


@pytest.fixture(scope="session")
def memguard_guard(request: pytest.FixtureRequest) -> MemGuard:
    """The guard of ``memguard_check``; a project may put its own in its place."""
    from memguard.guard import MemGuard
    from memguard.settings import Settings

    given = request.config.getoption(_SETTINGS)
    configured = str(request.config.getini(_SETTINGS))
    if given:
        return MemGuard(Settings.from_toml(request.config.invocation_params.dir / given))
    if configured:
        return MemGuard(Settings.from_toml(request.config.rootpath / configured))
    return MemGuard()


@pytest.fixture
def memguard_check(memguard_guard: MemGuard) -> Check:
    """Check a summary against its messages: fails with the claims that were dropped."""

    def check(summary: str, messages: Messages | str | os.PathLike[str], *, most_dropped: int = 0) -> Trace:
        __tracebackhide__ = True
        from memguard import audit, wire
        from memguard.eliminator import Elimination

        trace = memguard_guard.check(summary, _read(messages))
        if len(trace[Elimination].dropped) > most_dropped:
            row = wire.result(trace, audit_head=audit.head(audit.records(trace)))
            raise AssertionError(_report(row, most_dropped))
        return trace

    return check


def _read(messages: Any) -> Any:
    if not isinstance(messages, str | os.PathLike):
        return messages
    from memguard.transcripts import read_file

    return read_file(Path(messages)).conversation


def _report(result: Result, most_dropped: int) -> str:
    """Return what was dropped and why, with the nearest evidence of each, for a person who mends it."""
    from memguard.integrations.words import claim_line, is_dropped, nearest_line, summary_claims, tally
    from memguard.reports.words import counted

    claims = summary_claims(result)
    dropped = [claim for claim in claims if is_dropped(claim)]
    allowed = f"; {most_dropped} would have been allowed" if most_dropped else ""
    lines = [f"{counted(len(dropped), 'claim')} of the summary dropped{allowed} ({tally(result)})"]
    for claim in dropped:
        lines.append(f"  {claim_line(claim)}")
        lines += [f"      nearest: {nearest_line(place)}" for place in claim["evidence"][:1]]
    return "\n".join(lines)
