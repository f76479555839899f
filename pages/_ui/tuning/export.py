"""The settings to take along: as TOML, which ``Settings.from_toml`` reads back, and as a link."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from urllib.parse import urlencode

from memguard.settings import Settings

PAGE = "tuning"


def toml(settings: Settings, *, complete: bool = False) -> str:
    """Return settings as TOML: all of them, or only what differs from the defaults.

    Reading either gives the same settings. Nothing that differs gives a comment that says so.
    """
    if complete:
        return settings.to_toml()
    default = asdict(Settings())
    lines: list[str] = []
    for section, values in asdict(settings).items():
        if not isinstance(values, dict):
            lines += [f"{section} = {values}"] if values != default[section] else []
            continue
        differ = {
            key: value
            for key, value in values.items()
            if value != default[section][key] and value is not None
        }
        if differ:
            lines += ["", f"[{section}]", *(f"{key} = {_value(value)}" for key, value in differ.items())]
    # A bare value after a table would belong to it.
    bare = [line for line in lines if line.startswith("seed")]
    text = "\n".join([*bare, *(line for line in lines if line not in bare)]).strip()
    return f"{text or '# every setting has its default'}\n"


def link(url: str | None, parameters: Mapping[str, str]) -> str:
    """Return the address of this page in this state; relative where the browser has not told its own."""
    query = f"?{urlencode(dict(sorted(parameters.items())))}" if parameters else ""
    base = url.rstrip("/").removesuffix(f"/{PAGE}") if url else ""  # the browser may name the page or not
    return f"{base}/{PAGE}{query}"


def _value(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
