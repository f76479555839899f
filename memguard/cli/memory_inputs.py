"""Which memory is meant, and under which privacy list: what several commands ask alike."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memguard.memory.store import MemoryStore
    from memguard.privacy import Exclusions


def add_store(parser: argparse.ArgumentParser) -> None:
    """Add the flags that name a tenant's memory."""
    parser.add_argument(
        "--store",
        metavar="URL",
        help="sqlite:///path, a path, or postgresql://user@host/name; default: what MEMGUARD_MEMORY_URL "
        "names, else memory.db in MemGuard's folder",
    )
    parser.add_argument("--tenant", default="default", metavar="NAME", help="whose memory; default: default")
    add_exclusions(parser)


def add_exclusions(parser: argparse.ArgumentParser) -> None:
    """Add the flag of the project's own privacy list."""
    parser.add_argument(
        "--exclusions",
        metavar="FILE",
        help="the project's privacy list; default: .memguard-privacy.yaml of this folder or one above it",
    )


def store_of(arguments: argparse.Namespace) -> MemoryStore:
    """Open the store that the flags name."""
    from memguard.memory.store import MemoryStore

    return MemoryStore(arguments.store, tenant_id=arguments.tenant)


def exclusions(name: str | None) -> Exclusions:
    """Return the project's own privacy list: the one named, else the nearest, else an empty one.

    Raises:
        SettingsError: It cannot be read or is not valid.
    """
    from memguard.privacy import Exclusions

    return Exclusions.from_yaml(name) if name else Exclusions.near(Path.cwd())
