"""Settings at the command line: a flag for each, a group of flags for each stage, and the file.

What is wrong with one is told by the name that was written, a flag or a key of the file, and not by that
of the Python class behind it.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping
from typing import Any

from memguard.bounds import Bounds, bounds_of, checked_value
from memguard.cli.parsing import nearest
from memguard.errors import SettingsError
from memguard.settings import Settings, setting_kinds, setting_names, threshold, toml

RUN_SECTIONS = {
    "compression": "which messages reach the summarizer, and which summarizer runs",
    "elimination": "which claims of the summary survive",
    "reconstruction": "how the payload is put together",
    "retention": "what must not be lost",
    "privacy": "what is replaced by placeholders in all that leaves",
}
_WORDS: dict[type, str] = {int: "N", float: "NUMBER", str: "TEXT"}
_THRESHOLD = "elimination.max_distance"
"""The one name that no field has: the minimum similarity seen as a distance."""
_CLASS_NAME = re.compile(r"\b([A-Z][a-z]+)Settings\.([a-z_]+)")


def add_file(parser: argparse._ActionsContainer) -> None:
    """Add the flag that names a file of settings."""
    parser.add_argument("--settings", metavar="FILE", help="a TOML file of settings; flags win over it")


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Add a flag for each setting of a run, in a group for each stage."""
    kinds, defaults = setting_kinds(), Settings()
    for section, about in RUN_SECTIONS.items():
        group = parser.add_argument_group(f"{section} settings", f"{about}:")
        for name in setting_names():
            if name.partition(".")[0] != section:
                continue
            key = name.partition(".")[2]
            kind, default = kinds[name]
            bounds = bounds_of(getattr(defaults, section), key)
            shown = "unset" if default is None else f"{default:.4g}" if kind is float else str(default)
            group.add_argument(
                _flag(key),
                dest=name,
                type=str if bounds.choices else _value_of(section, key),
                choices=bounds.choices or None,
                metavar=None if bounds.choices else bounds.unit.upper() or _WORDS[kind],
                help=f"{bounds.help} Default: {shown or 'none'}{_range(bounds)}.".replace("%", "%%"),
            )
        if section == "elimination":
            group.add_argument(
                "--max-distance", type=float, metavar="NUMBER", help="1 - min-similarity, in its place"
            )


def with_flags(settings: Settings, arguments: argparse.Namespace) -> Settings:
    """Return settings with the flags of a run in them; ends the process with 2 where they do not fit."""
    given = {name: getattr(arguments, name, None) for name in setting_names()}
    try:
        if arguments.max_distance is not None:
            given["elimination.min_similarity"] = threshold(
                min_similarity=given["elimination.min_similarity"], max_distance=arguments.max_distance
            )
        for name, value in given.items():
            if value is not None:
                settings = settings.with_value(name, value)
    except SettingsError as error:
        arguments.parser.error(_CLASS_NAME.sub(lambda match: _flag(match[2]), str(error)))
    return settings


def settings_file(path: str | None) -> Settings:
    """Return the settings of a TOML file; without one, the defaults.

    Raises:
        SettingsError: It cannot be read, or names or holds what no setting is; names the nearest.
    """
    if path is None:
        return Settings()
    raw = toml.read(path)
    try:
        _refuse_unknown(raw)
        return Settings.from_dict(raw)
    except SettingsError as error:
        told = _CLASS_NAME.sub(lambda match: f"{match[1].lower()}.{match[2]}", str(error))
        raise SettingsError(f"{path}: {told}") from error


def _range(bounds: Bounds) -> str:
    if bounds.low is None or bounds.high is None:
        return ""
    return f", from {bounds.low:.12g} to {bounds.high:.12g}"


def _flag(key: str) -> str:
    return f"--{key.replace('_', '-')}"


def _value_of(section: str, key: str) -> Callable[[str], Any]:
    """Return what reads a setting from text and holds it to its bounds at once."""
    kind, _ = setting_kinds()[f"{section}.{key}"]
    bounds = bounds_of(getattr(Settings(), section), key)

    def read(text: str) -> Any:
        try:
            value: Any = kind(text)
        except ValueError:
            value = text
        try:
            return checked_value(section, key, kind.__name__, value, bounds)
        except SettingsError as error:
            raise argparse.ArgumentTypeError(str(error).removeprefix(f"{section}.{key} ")) from error

    return read


def _refuse_unknown(raw: Mapping[str, Any]) -> None:
    names = (*setting_names(), _THRESHOLD)
    sections = tuple(dict.fromkeys(name.partition(".")[0] for name in names))
    for section, table in raw.items():
        if section == "seed":
            continue
        if section not in sections:
            near = nearest(section, sections)
            keys = [name for name in names if name.partition(".")[2] == section]
            if keys:  # a key that stands outside its table
                near = f"; {section} belongs below [{keys[0].partition('.')[0]}]"
            raise SettingsError(
                f"there is no section {section!r}{near or '; known: ' + ', '.join((*sections, 'seed'))}"
            )
        known = [name.partition(".")[2] for name in names if name.startswith(f"{section}.")]
        for key in table if isinstance(table, Mapping) else ():
            if key not in known:
                near = nearest(key, known) or f"; known: {', '.join(known)}"
                raise SettingsError(f"there is no setting {section}.{key}{near}")
