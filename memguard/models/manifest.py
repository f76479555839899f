"""The manifest: which models are installed, from where, with which checksum and licence."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from memguard.errors import ModelIntegrityError
from memguard.models.catalog import WEIGHTS_FILE, Role
from memguard.models.home import sha256_of, write_atomically

MANIFEST_NAME = "manifest.json"
MANIFEST_SCHEMA = "memguard.models/1"


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """One installed model.

    Attributes:
        role: ``embedder`` or ``summarizer``.
        model: The catalog's key.
        reference: The name under which the field knows it.
        source: ``hub`` or ``registry``.
        revision: Commit on the hub, or version on the registry.
        sha256: Of ``model.safetensors`` as installed.
        licence: SPDX identifier.
        path: Folder, relative to the model folder, with forward slashes.
        n_bytes: Size of ``model.safetensors`` when it was hashed.
        mtime_ns: Its modification time then, so that a second look needs no hashing.
    """

    role: Role
    model: str
    reference: str
    source: str
    revision: str
    sha256: str
    licence: str
    path: str
    n_bytes: int
    mtime_ns: int

    @property
    def model_id(self) -> str:
        """``name@revision``, where the revision is the weights' checksum: equal for equal weights."""
        return f"{self.reference}@{self.sha256[:12]}"

    def folder(self, home: Path) -> Path:
        """Return the folder that holds the model's files."""
        return home / self.path

    def state(self, home: Path) -> str:
        """Return ``same``, ``touched`` (same size, other time) or ``changed`` (missing, other size)."""
        try:
            stat = (self.folder(home) / WEIGHTS_FILE).stat()
        except OSError:
            return "changed"
        if stat.st_size != self.n_bytes:
            return "changed"
        return "same" if stat.st_mtime_ns == self.mtime_ns else "touched"

    def verified(self, home: Path) -> ManifestEntry:
        """Hash the weights and return this entry with their present modification time.

        Raises:
            ModelIntegrityError: If they are missing or differ from the manifest.
        """
        weights = self.folder(home) / WEIGHTS_FILE
        if not weights.is_file():
            raise ModelIntegrityError(f"{self.model}: {weights} is missing; run: memguard setup")
        found = sha256_of(weights)
        if found != self.sha256:
            raise ModelIntegrityError(
                f"{self.model}: {weights} has sha256 {found}, the manifest says {self.sha256}; "
                "run: memguard setup"
            )
        return replace(self, mtime_ns=weights.stat().st_mtime_ns)


@dataclass(frozen=True, slots=True)
class Manifest:
    """All installed models, in the order in which they were installed."""

    entries: tuple[ManifestEntry, ...] = ()

    @classmethod
    def read(cls, home: Path) -> Manifest:
        """Read the manifest of a model folder; a folder without one gives an empty manifest.

        Raises:
            ModelIntegrityError: If the file is there but is not a manifest of this version.
        """
        path = home / MANIFEST_NAME
        try:
            text = path.read_text(encoding="utf-8")
        except (FileNotFoundError, NotADirectoryError):
            return cls()
        try:
            data = json.loads(text)
            if data["schema"] != MANIFEST_SCHEMA:
                raise ValueError(f"schema {data['schema']!r}")
            names = {field.name for field in fields(ManifestEntry)}
            rows = [{key: row[key] for key in names} for row in data["models"]]
        except (ValueError, KeyError, TypeError) as error:
            raise ModelIntegrityError(
                f"{path} is not a manifest of schema {MANIFEST_SCHEMA} ({error}); "
                "delete it and run: memguard setup"
            ) from error
        return cls(tuple(ManifestEntry(**row) for row in rows))

    def write(self, home: Path) -> None:
        """Write the manifest into a model folder, atomically."""
        data = {"schema": MANIFEST_SCHEMA, "models": [asdict(entry) for entry in self.entries]}
        write_atomically(home / MANIFEST_NAME, json.dumps(data, indent=2, ensure_ascii=False) + "\n")

    def find(self, model: str) -> ManifestEntry | None:
        """Return the entry of a model, or None."""
        return next((entry for entry in self.entries if entry.model == model), None)

    def with_entry(self, new: ManifestEntry) -> Manifest:
        """Return a manifest in which ``new`` replaces the entry of the same model, or is the last."""
        if self.find(new.model) is None:
            return Manifest((*self.entries, new))
        return Manifest(tuple(new if e.model == new.model else e for e in self.entries))

    def without(self, model: str) -> Manifest:
        """Return a manifest without that model."""
        return Manifest(tuple(entry for entry in self.entries if entry.model != model))
