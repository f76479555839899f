"""Every error that MemGuard raises on purpose.

::

    MemGuardError
    ├── InvalidParameterError (ValueError)      an argument is outside its documented range
    │   └── SettingsError                       a setting, or a settings file, is not valid
    ├── TranscriptError (ValueError)            a transcript cannot be read; says file, line, column
    ├── AuditError (ValueError)                 an audit file is not a readable chain
    ├── BenchmarkDataError (ValueError)         data to measure or train with cannot be read
    ├── ModelError (RuntimeError)
    │   ├── ModelUnavailableError               weights are not installed; names the command
    │   ├── ModelIntegrityError                 installed weights are not what the catalog names
    │   └── ModelFetchError                     weights could not be fetched
    ├── StageOrderError (RuntimeError)          a stage was asked to run before what it requires
    ├── StageFailedError (RuntimeError)         something unforeseen broke inside a named stage
    ├── WorkerError (RuntimeError)              the map's worker process failed
    └── StoreError (RuntimeError)               the memory store cannot do what was asked
        ├── StoreUnavailableError               it cannot be opened, read or written: locked, full, damaged
        ├── StoreVersionError                   a newer MemGuard wrote it
        ├── EntryNotFoundError (LookupError)    this tenant has no entry of that id
        ├── EntryExistsError                    the id is taken by another entry of this tenant
        └── StaleEntryError                     the entry has changed since it was read

Each also derives from the builtin that a caller without MemGuard in mind would catch.
"""

from __future__ import annotations


class MemGuardError(Exception):
    """Base class of every deliberate MemGuard error."""


class InvalidParameterError(MemGuardError, ValueError):
    """An argument is outside its documented range; the message names it, the range and the value."""


class SettingsError(InvalidParameterError):
    """A setting or a settings file is not valid."""


class TranscriptError(MemGuardError, ValueError):
    """A transcript cannot be read.

    Attributes:
        source: File name or description of the input, if known.
        line: One-based line of the fault, if known.
        column: One-based column of the fault, if known.
    """

    def __init__(
        self,
        message: str,
        *,
        source: str | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        """Compose ``source, line L, column C: message`` from the parts that are known."""
        place = ", ".join(
            part
            for part in (
                source,
                f"line {line}" if line is not None else None,
                f"column {column}" if column is not None else None,
            )
            if part
        )
        super().__init__(f"{place}: {message}" if place else message)
        self.source = source
        self.line = line
        self.column = column


class AuditError(MemGuardError, ValueError):
    """An audit file is not a readable chain of records."""


class BenchmarkDataError(MemGuardError, ValueError):
    """Data to measure or to train with is missing or not in its form; the message names file and line."""


class ModelError(MemGuardError, RuntimeError):
    """Base class of errors about model weights."""


class ModelUnavailableError(ModelError):
    """Weights are not installed; the message names the model, the folder and the command."""


class ModelIntegrityError(ModelError):
    """Installed or fetched weights differ from the checksum in the catalog."""


class ModelFetchError(ModelError):
    """Weights could not be fetched; nothing that was installed before is touched."""


class StageOrderError(MemGuardError, RuntimeError):
    """A stage was asked to run before the results it requires exist."""


class StageFailedError(MemGuardError, RuntimeError):
    """Something unforeseen broke inside a stage; the message names the stage, ``__cause__`` the fault."""


class WorkerError(MemGuardError, RuntimeError):
    """The worker process that computes the embedding map failed."""


class StoreError(MemGuardError, RuntimeError):
    """Base class of errors of the memory store; a write that raises one has changed nothing."""


class StoreUnavailableError(StoreError):
    """The store cannot be opened, read or written; the message says why and what is safe."""


class StoreVersionError(StoreError):
    """The store was written by a newer MemGuard, whose tables this one does not know."""


class EntryNotFoundError(StoreError, LookupError):
    """This tenant has no entry of that id; another tenant's entries are never looked at."""


class EntryExistsError(StoreError):
    """The id is taken by another entry of this tenant."""


class StaleEntryError(StoreError):
    """The entry has changed since it was read; the message names the version that it has now."""


def how_to_install(extra: str) -> str:
    """Return the end of a message about a missing extra: what to run, from a checkout and elsewhere."""
    return (
        f"install the extra {extra}: in a checkout of the project, pip install -e '.[{extra}]'; from a wheel "
        f"or an index of your own, pip install 'memguard-context[{extra}]'"
    )
