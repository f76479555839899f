"""All settings of a run: one section a stage, and the seed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, get_type_hints

from memguard.bounds import Bounds, Section, checked_value
from memguard.errors import SettingsError
from memguard.settings import toml
from memguard.settings.compression import CompressionSettings
from memguard.settings.elimination import EliminationSettings
from memguard.settings.limits import LimitSettings
from memguard.settings.privacy import PrivacySettings
from memguard.settings.projection import ProjectionSettings
from memguard.settings.reconstruction import ReconstructionSettings, RetentionSettings

_SEED = Bounds("Seed", "Where randomness comes from.", low=0, high=2**32 - 1)


@dataclass(frozen=True)
class Settings:
    """All settings of a run, frozen.

    Raises:
        SettingsError: A value is outside its bounds; names the setting, the range and the value.
    """

    compression: CompressionSettings = field(default_factory=CompressionSettings)
    elimination: EliminationSettings = field(default_factory=EliminationSettings)
    reconstruction: ReconstructionSettings = field(default_factory=ReconstructionSettings)
    retention: RetentionSettings = field(default_factory=RetentionSettings)
    projection: ProjectionSettings = field(default_factory=ProjectionSettings)
    limits: LimitSettings = field(default_factory=LimitSettings)
    privacy: PrivacySettings = field(default_factory=PrivacySettings)
    seed: int = 0

    def __post_init__(self) -> None:
        """Check the seed and that each section is of its own class."""
        for section, kind in _SECTIONS.items():
            if not isinstance(getattr(self, section), kind):
                got = type(getattr(self, section)).__name__
                raise SettingsError(f"Settings.{section} must be {kind.__name__}; got {got}")
        object.__setattr__(self, "seed", checked_value("Settings", "seed", "int", self.seed, _SEED))

    def with_value(self, name: str, value: Any) -> Settings:
        """Return settings with one dotted setting replaced, such as ``elimination.min_similarity``.

        Raises:
            SettingsError: There is no such setting, or the value is outside its bounds.
        """
        section, _, key = name.partition(".")
        if name == "seed":
            return replace(self, seed=value)
        if section not in _SECTIONS or key not in {f.name for f in fields(_SECTIONS[section])}:
            raise SettingsError(f"there is no setting {name!r}; known: {', '.join(setting_names())}")
        return replace(self, **{section: replace(getattr(self, section), **{key: value})})

    def to_dict(self) -> dict[str, Any]:
        """Return plain nested dicts, as TOML and JSON hold them.

        Those of privacy are among them where one is set: so the digests of runs without redaction are those
        that such runs have always had.
        """
        values = asdict(self)
        if self.privacy == PrivacySettings():
            del values["privacy"]
        return values

    def to_toml(self) -> str:
        """Return the settings as a TOML file that ``from_toml`` reads back; unset ones are left out."""
        return toml.written(asdict(self))

    def digest(self) -> str:
        """Return the SHA-256 of the settings in canonical JSON, as hexadecimal."""
        canonical = json.dumps(self.to_dict(), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> Settings:
        """Build settings from nested dicts; what is absent takes its default.

        ``elimination.max_distance`` may stand in place of ``elimination.min_similarity``.

        Raises:
            SettingsError: An unknown name, a wrong type, a value outside its bounds, or both of
                the two thresholds at once.
        """
        if not isinstance(raw, Mapping):
            raise SettingsError(f"settings must be a table; got {type(raw).__name__}")
        values: dict[str, Any] = {}
        for name, value in raw.items():
            if name == "seed":
                values[name] = value
            elif name in _SECTIONS:
                values[name] = _SECTIONS[name].from_table(name, value)
            else:
                raise SettingsError(f"there is no section {name!r}; known: {', '.join(_SECTIONS)}, seed")
        return cls(**values)

    @classmethod
    def from_toml(cls, path: str | Path) -> Settings:
        """Read a TOML file.

        Raises:
            SettingsError: The file cannot be read or holds a value that is not valid.
        """
        raw = toml.read(path)
        try:
            return cls.from_dict(raw)
        except SettingsError as error:
            raise SettingsError(f"{path}: {error}") from error


_SECTIONS: dict[str, type[Any]] = {
    name: kind for name, kind in get_type_hints(Settings).items() if issubclass(kind, Section)
}


def setting_names() -> tuple[str, ...]:
    """Return every dotted name, in the order of the classes."""
    return tuple(f"{section}.{f.name}" for section, kind in _SECTIONS.items() for f in fields(kind))


def setting_kinds() -> dict[str, tuple[type, Any]]:
    """Return (type, default) of every dotted name."""
    words: dict[str, type] = {"int": int, "float": float, "str": str}
    return {
        f"{section}.{f.name}": (words[str(f.type).split(" | ")[0]], f.default)
        for section, kind in _SECTIONS.items()
        for f in fields(kind)
    }
