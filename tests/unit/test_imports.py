"""What importing costs, and the public names."""

from __future__ import annotations

import importlib
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import memguard

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {
    "torch",
    "transformers",
    "sentence_transformers",
    "umap",
    "streamlit",
    "sklearn",
    "accelerate",
    "numba",
}
CORE = [
    *["settings", "messages", "segmentation", "trace", "compressor", "eliminator", "reconstructor"],
    *["wire", "audit", "pipeline", "guard", "transcripts", "models.loading", "geometry.mmr"],
]
PUBLIC = {
    *{"MemGuard", "MemGuardError", "Settings", "Trace", "Conversation", "Message", "SourceSpan"},
    *{"Compression", "Elimination", "Reconstruction", "__version__"},
}


def loaded_after(statement):
    """Return the top-level modules that a fresh process holds after ``statement``."""
    code = f"{statement}\nimport sys\nprint('\\n'.join(sorted({{m.partition('.')[0] for m in sys.modules}})))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "MEMGUARD_EAGER": ""},
    )
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "statement",
    [
        "import memguard",
        "from memguard import MemGuard; MemGuard()",
        "\n".join(f"import memguard.{name}" for name in CORE),
    ],
    ids=["package", "guard", "core"],
)
def test_importing_loads_no_heavy_library(statement):
    """F5: in a fresh process."""
    assert HEAVY.isdisjoint(loaded_after(statement))


def test_importing_the_package_loads_not_even_numpy():
    assert "numpy" not in loaded_after("import memguard")


def test_importing_opens_no_socket_and_no_model_file(tmp_path):
    """F5, A14: an empty model folder and no network are no reason to fail."""
    statement = (
        "import socket, os\n"
        f"os.environ['MEMGUARD_HOME'] = {str(tmp_path)!r}\n"
        "def refuse(*args, **kwargs): raise AssertionError('network')\n"
        "socket.socket.connect = refuse\n"
        + "\n".join(f"import memguard.{name}" for name in CORE)
        + "\nfrom memguard import MemGuard; MemGuard()"
    )

    assert "memguard" in loaded_after(statement)
    assert list(tmp_path.iterdir()) == []


def test_the_public_names_are_these():
    assert set(memguard.__all__) == PUBLIC
    assert set(dir(memguard)) == PUBLIC
    for name in PUBLIC:
        assert getattr(memguard, name) is not None


def test_a_public_name_is_the_one_of_its_module():
    for name in PUBLIC - {"__version__"}:
        value = getattr(memguard, name)
        assert value is getattr(importlib.import_module(value.__module__), name)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'memguard' has no attribute 'nothing'"):
        _ = memguard.nothing
    with pytest.raises(ImportError):
        from memguard import nothing  # noqa: F401  the point of the test


def test_no_public_name_hides_a_subpackage():
    """None is called ``memory``: it would hide the subpackage to come."""
    modules = {module.name for module in pkgutil.iter_modules(memguard.__path__)}

    assert PUBLIC.isdisjoint(modules | {"memory"})


def test_the_core_never_imports_streamlit():
    """Every module, in a fresh process; imports inside functions are import-linter's to find."""
    names = [
        module.name
        for module in pkgutil.walk_packages(memguard.__path__, "memguard.")
        if not module.name.endswith("__main__")
    ]
    loaded = loaded_after("\n".join(f"import {name}" for name in names))

    assert len(names) > 50
    assert "plotly" in loaded
    assert "streamlit" not in loaded


@pytest.mark.parametrize(("flag", "loads"), [("1", True), ("0", False), ("", False)])
def test_an_environment_flag_restores_loading_at_import(tmp_path, flag, loads):
    """F5: with the flag, importing asks for the models at once, and says so where they are missing."""
    done = subprocess.run(
        [sys.executable, "-c", "import memguard.guard"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "MEMGUARD_EAGER": flag, "MEMGUARD_HOME": str(tmp_path)},
    )

    assert (done.returncode != 0) is loads
    assert ("ModelUnavailableError" in done.stderr) is loads


def test_the_flag_never_keeps_the_cure_away(tmp_path):
    """F5: with the flag and no models, the commands that help still run."""
    done = subprocess.run(
        [sys.executable, "-m", "memguard", "models"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "MEMGUARD_EAGER": "1", "MEMGUARD_HOME": str(tmp_path)},
    )

    assert "memguard setup" in done.stdout
