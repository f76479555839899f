"""The handed cases: ``@pytest.mark.parametrize("case", ["SPL-002"], indirect=True)`` gives one as a dict.

They lie beside the checkout in ``../shared/cases``, or under the folder that MEMGUARD_SHARED names.
Every test here is marked ``cases``; what becomes of it where they are missing stands in
``tests/conftest.py``.
"""

import json
from pathlib import Path
from typing import Any

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of this folder with ``cases``."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.cases)


@pytest.fixture(scope="session")
def all_cases(cases_folder: Path) -> dict[str, dict[str, Any]]:
    """Every handed case by its id; none where the folder is missing."""
    lines = [
        line for file in sorted(cases_folder.glob("*.jsonl")) for line in file.read_text("utf-8").split("\n")
    ]
    rows = [json.loads(line) for line in lines if line.strip()]
    return {row["id"]: row for row in rows}


@pytest.fixture
def case(request: pytest.FixtureRequest, all_cases: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The case whose id is the (indirect) parameter."""
    return all_cases[request.param]
