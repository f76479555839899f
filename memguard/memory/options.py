"""What a ``MemoryCompressor`` does beyond the documents; each is off until asked for by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from memguard.errors import InvalidParameterError
from memguard.memory.noise import NOISE_RULES
from memguard.models.duck import as_embedder
from memguard.models.protocols import Embedder

if TYPE_CHECKING:
    from memguard.guard import MemGuard


class CompressorOptions(TypedDict, total=False):
    """The options as keywords.

    Attributes:
        text_mode: ``repr`` judges and shortens ``str(content)``; ``conversation`` what was said in it.
        noise_rule: ``documented`` (B04), or ``script``: fillers, bare answers and machine text in any
            script.
        merge_strategy: ``greedy`` (B08), or ``clusters``: the best pairs first, many into one.
        merge_guard: Never merge texts that differ in a number, date, version, id, negation or party.
        embedder: Embeds merged and summary entries, so that they can merge and be found again.
        audit: Check a model's summary against its sources and keep only what they support.
        guard: Checks it; default: ``MemGuard()`` on the installed models.
    """

    text_mode: Literal["repr", "conversation"]
    noise_rule: Literal["documented", "script"]
    merge_strategy: Literal["greedy", "clusters"]
    merge_guard: bool
    embedder: Embedder | None
    audit: bool
    guard: MemGuard | None


@dataclass(frozen=True, slots=True)
class Options:
    """The same, checked; the defaults are the documented behaviour."""

    text_mode: str = "repr"
    noise_rule: str = "documented"
    merge_strategy: str = "greedy"
    merge_guard: bool = False
    embedder: Embedder | None = None
    audit: bool = False
    guard: MemGuard | None = None

    @property
    def is_noise(self) -> Callable[[str], bool]:
        """The chosen rule."""
        return NOISE_RULES[self.noise_rule]


_CHOICES: Mapping[str, tuple[str, ...]] = {
    "text_mode": ("repr", "conversation"),
    "noise_rule": tuple(NOISE_RULES),
    "merge_strategy": ("greedy", "clusters"),
}


def checked_options(given: Mapping[str, Any]) -> Options:
    """Return options from keywords.

    Raises:
        InvalidParameterError: One does not exist, has no such value, or the embedder embeds nothing.
    """
    known = [item.name for item in fields(Options)]
    for name, value in given.items():
        if name not in known:
            raise InvalidParameterError(f"{name} is no option of MemoryCompressor; it has {', '.join(known)}")
        if name in _CHOICES and value not in _CHOICES[name]:
            raise InvalidParameterError(f"{name} must be one of {', '.join(_CHOICES[name])}; got {value!r}")
    embedder = given.get("embedder")
    return Options(**{**given, "embedder": None if embedder is None else as_embedder(embedder)})
