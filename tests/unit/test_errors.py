"""The error tree."""

from __future__ import annotations

import inspect
import pickle
import re

import pytest

from memguard import errors
from memguard.errors import MemGuardError, TranscriptError

ALL = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, Exception)]


@pytest.mark.parametrize("kind", ALL)
def test_every_error_is_a_memguard_error_and_a_builtin_one(kind):
    assert issubclass(kind, MemGuardError)
    if kind is not MemGuardError:
        assert issubclass(kind, ValueError | RuntimeError)


def test_the_drawn_tree_holds_every_error_under_its_parent():
    drawn = {}
    above = {}
    for line in (errors.__doc__ or "").splitlines():
        match = re.match(r"^( *[│ ├└─]*)(\w+Error)\b(?: \((\w+)\))?", line)
        if match:
            depth = len(match[1])
            parents = [name for d, name in above.items() if d < depth]
            drawn[match[2]] = (parents[-1] if parents else None, match[3])
            above = {d: name for d, name in above.items() if d < depth} | {depth: match[2]}

    assert set(drawn) == {kind.__name__ for kind in ALL}
    for kind in ALL:
        parent, builtin = drawn[kind.__name__]
        assert parent == (kind.__bases__[0].__name__ if kind is not MemGuardError else None)
        if builtin:
            assert builtin in {base.__name__ for base in kind.__bases__}


def test_a_transcript_error_says_where():
    assert str(TranscriptError("no role")) == "no role"
    assert str(TranscriptError("no role", source="a.json")) == "a.json: no role"
    error = TranscriptError("no role", source="a.json", line=3, column=7)
    assert str(error) == "a.json, line 3, column 7: no role"
    assert (error.source, error.line, error.column) == ("a.json", 3, 7)


def test_errors_travel_between_processes():
    error = pickle.loads(pickle.dumps(TranscriptError("no role", source="a.json", line=3)))  # noqa: S301  our own

    assert str(error) == "a.json, line 3: no role"
    assert (error.source, error.line, error.column) == ("a.json", 3, None)
