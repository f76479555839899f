"""The manifest: which models are installed, from where, with which checksums and licence."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from memguard.errors import ModelIntegrityError, ModelUnavailableError
from memguard.files import replace_text
from memguard.models.catalog import Role
from memguard.models.home import HOME_VARIABLE, file_names, sha256_of

MANIFEST_NAME = "manifest.json"
MANIFEST_SCHEMA = "memguard.models/2"


@dataclass(frozen=True, slots=True)
class FileRecord:
    """One file of an installed model.

    Attributes:
        name: Relative to the model's folder, with forward slashes.
        sha256: Of its bytes.
        n_bytes: Its size when it was hashed.
        mtime_ns: Its modification time then, so that a second look needs no hashing.
    """

    name: str
    sha256: str
    n_bytes: int
    mtime_ns: int


def record_files(folder: Path) -> tuple[FileRecord, ...]:
    """Hash every file under ``folder``, hidden ones left out, in the order of their names.

    Raises:
        OSError: A file cannot be read.
    """
    records = []
    for name in file_names(folder):
        stat = (folder / name).stat()
        records.append(FileRecord(name, sha256_of(folder / name), stat.st_size, stat.st_mtime_ns))
    return tuple(records)


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
        files: Every file of the folder: the tokenizer and the configuration decide what a model
            computes as much as its weights do.
    """

    role: Role
    model: str
    reference: str
    source: str
    revision: str
    sha256: str
    licence: str
    path: str
    files: tuple[FileRecord, ...]

    @property
    def model_id(self) -> str:
        """``name@revision``, where the revision is the weights' checksum: equal for equal weights."""
        return f"{self.reference}@{self.sha256[:12]}"

    def folder(self, home: Path) -> Path:
        """Return the folder that holds the model's files."""
        return home / self.path

    def state(self, home: Path) -> str:
        """Compare names, sizes and times of all files with the record.

        Returns:
            ``same``; ``touched`` (the same sizes, another time); or ``changed`` (a file is missing,
            new, or of another size).
        """
        folder = self.folder(home)
        if file_names(folder) != [record.name for record in self.files]:
            return "changed"
        state = "same"
        for record in self.files:
            try:
                stat = (folder / record.name).stat()
            except OSError:
                return "changed"
            if stat.st_size != record.n_bytes:
                return "changed"
            if stat.st_mtime_ns != record.mtime_ns:
                state = "touched"
        return state

    def verified(self, home: Path) -> ManifestEntry:
        """Hash all files and return this entry with their present modification times.

        Raises:
            ModelIntegrityError: If a file is missing, new, unreadable or differs from the manifest.
        """
        folder = self.folder(home)
        try:
            found = record_files(folder)
        except OSError as error:
            raise ModelIntegrityError(f"{self.model}: {folder} cannot be read: {error}") from error
        expected, present = ({r.name: r.sha256 for r in records} for records in (self.files, found))
        wrong = sorted(n for n in expected.keys() | present.keys() if expected.get(n) != present.get(n))
        if wrong:
            raise ModelIntegrityError(
                f"{self.model}: {', '.join(wrong)} in {folder} differs from what was installed; "
                "run: memguard setup"
            )
        return replace(self, files=found)


@dataclass(frozen=True, slots=True)
class Manifest:
    """All installed models, in the order in which they were installed."""

    entries: tuple[ManifestEntry, ...] = ()

    @classmethod
    def read(cls, home: Path) -> Manifest:
        """Read the manifest of a model folder; a folder without one gives an empty manifest.

        Raises:
            ModelIntegrityError: If the file is there but is not a manifest of this version.
            ModelUnavailableError: If the file cannot be read.
        """
        path = home / MANIFEST_NAME
        try:
            data = path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return cls()
        except OSError as error:
            raise ModelUnavailableError(
                f"{path} cannot be read ({error.strerror}); give this user the right to read it, or set "
                f"{HOME_VARIABLE} to a folder of your own and run: memguard setup"
            ) from error
        try:
            loaded = json.loads(data)
            if loaded["schema"] != MANIFEST_SCHEMA:
                raise ValueError(f"schema {loaded['schema']!r}")
            return cls(tuple(_entry(row) for row in loaded["models"]))
        except (ValueError, KeyError, TypeError) as error:
            raise ModelIntegrityError(
                f"{path} is not a manifest of schema {MANIFEST_SCHEMA} ({error}); "
                "delete it and run: memguard setup"
            ) from error

    def write(self, home: Path) -> None:
        """Write the manifest into a model folder, atomically.

        Raises:
            OSError: It cannot be written; the one before stays.
        """
        data = {"schema": MANIFEST_SCHEMA, "models": [asdict(entry) for entry in self.entries]}
        replace_text(home / MANIFEST_NAME, json.dumps(data, indent=2, ensure_ascii=False) + "\n")

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


def _entry(row: dict[str, Any]) -> ManifestEntry:
    known = {field.name: row[field.name] for field in fields(ManifestEntry)}
    records = tuple(FileRecord(**record) for record in row["files"])
    return ManifestEntry(**{**known, "files": records})
