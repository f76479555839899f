"""Settings as a TOML file holds them: tables of plain values, read and written.

It knows no section: whoever reads a file checks what is in it (``Section.from_table``).
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memguard.errors import SettingsError


def read(path: str | Path) -> dict[str, Any]:
    """Return what a TOML file holds; a byte order mark is passed over.

    Raises:
        SettingsError: The file cannot be read, or is not TOML.
    """
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read ({error.strerror})") from error
    except (ValueError, RecursionError) as error:  # tomllib lets int() and the parser's depth through
        raise SettingsError(f"{path}: not a TOML file: {error}") from error


def written(values: Mapping[str, Any]) -> str:
    """Return plain values and, behind them, tables of plain values as TOML; unset ones are left out.

    A text is written as JSON writes it, which is TOML's basic string for all that is printable.
    """
    plain = {name: value for name, value in values.items() if not isinstance(value, Mapping)}
    lines = _lines(plain)
    for name, table in values.items():
        if isinstance(table, Mapping):
            lines += ["", f"[{name}]", *_lines(table)]
    return "\n".join(lines) + "\n"


def _lines(table: Mapping[str, Any]) -> list[str]:
    return [
        f"{key} = {json.dumps(value, ensure_ascii=False)}"
        for key, value in table.items()
        if value is not None
    ]
