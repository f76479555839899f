"""Sample conversations in, the committed JSON out (``.venv/bin/python -m tests.golden.regenerate``)."""

from __future__ import annotations

import json

import pytest

from tests.golden.regenerate import FOLDER, NAMES, dumps, golden


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_gives_its_golden_file(name):
    """A32: the wire form and the digests of every stage, to the last character."""
    expected = (FOLDER / f"{name}.json").read_text(encoding="utf-8")
    actual = golden(name)

    for kind in ("run", "check"):
        for part, value in json.loads(expected)[kind]["result"].items():
            assert actual[kind]["result"][part] == value, f"{kind}: {part}"
    assert dumps(actual) == expected


def test_every_golden_file_has_its_sample():
    assert {path.stem for path in FOLDER.glob("*.json")} == set(NAMES)
    assert len(NAMES) >= 6
