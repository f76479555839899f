"""The handed cases: ``@pytest.mark.parametrize("case", ["SPL-002"], indirect=True)`` gives one as a dict.

They lie beside the checkout in ``../shared/cases``, or under the folder that MEMGUARD_SHARED names.
Where they are missing the tests are skipped with that reason; with CI=true they fail.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

_ROOT = Path(__file__).resolve().parents[2]


def _folder() -> Path:
    return Path(os.environ.get("MEMGUARD_SHARED") or _ROOT / ".." / "shared").resolve() / "cases"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of this folder with ``cases``."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.cases)


@pytest.fixture(scope="session")
def all_cases() -> dict[str, dict[str, Any]]:
    """Every handed case by its id."""
    files = sorted(_folder().glob("*.jsonl"))
    if not files:
        reason = f"the handed cases are not at {_folder()} (set MEMGUARD_SHARED)"
        if os.environ.get("CI", "").lower() == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    rows = [
        json.loads(line) for file in files for line in file.read_text("utf-8").split("\n") if line.strip()
    ]
    return {row["id"]: row for row in rows}


@pytest.fixture
def case(request: pytest.FixtureRequest, all_cases: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The case whose id is the (indirect) parameter."""
    return all_cases[request.param]


@pytest.fixture
def cases_of(all_cases: dict[str, dict[str, Any]]) -> Any:
    """``cases_of(stage)``: the cases of one stage, in order."""
    return lambda stage: [row for row in all_cases.values() if row["stage"] == stage]
