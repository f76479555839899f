"""Every default, bound, unit and help text, once.

One frozen class a stage. Command-line flags and sliders are generated from the field metadata;
no other module holds a default. ``Settings.from_toml`` reads a file such as::

    [elimination]
    min_similarity = 0.65
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from memguard.bounds import Bounds, Section, bounds_of, checked_value, setting
from memguard.errors import SettingsError


@dataclass(frozen=True)
class CompressionSettings(Section):
    """Which messages reach the summarizer, and which summarizer runs."""

    max_tokens: int = setting(
        800,
        "Token budget of the selection",
        "Messages are picked until the role-prefixed text would pass this many tokens, counted with "
        "the tokenizer of facebook/bart-large-cnn. 0 keeps one message.",
        low=0,
        high=1_000_000,
        step=50,
        unit="tokens",
    )
    lambda_mmr: float = setting(
        0.5,
        "Relevance against diversity (lambda)",
        "Weight of relevance in maximal marginal relevance: 1 picks by relevance alone, 0 by "
        "difference from what is already picked.",
        low=0.0,
        high=1.0,
        step=0.05,
    )
    window: int = setting(
        2,
        "Sliding window",
        "How many neighbours on each side make a message's relevance.",
        low=1,
        high=10,
        step=1,
        unit="messages",
    )
    summarizer: str = setting(
        "auto",
        "Summarizer",
        "auto takes BART where it is installed, else extractive, which only quotes. smollm2 writes short "
        "sentences of its own and is often wrong in who did what.",
        choices=("auto", "bart", "smollm2", "extractive"),
    )
    summary_tokens: int = setting(
        256,
        "Longest summary",
        "The paragraph holds at most this many tokens.",
        low=16,
        high=4_096,
        step=16,
        unit="tokens",
    )
    passthrough_words: int = setting(
        40,
        "Pass short input through",
        "A selection of at most this many words is not summarised but passed on unchanged.",
        low=0,
        high=1_000,
        step=5,
        unit="words",
    )
    passthrough_tokens: int = setting(
        160,
        "Pass-through limit",
        "… and of at most this many tokens: text without spaces, such as Chinese or code, has few words.",
        low=0,
        high=4_000,
        step=20,
        unit="tokens",
    )
    noise_filter: str = setting(
        "on",
        "Noise filter",
        "Small talk, bare acknowledgements and heartbeats are no candidates, in any script. An "
        "acknowledgement that answers a question is one.",
        choices=("on", "off"),
    )
    pin_ids: str = setting(
        "",
        "Pinned messages",
        "Ids of messages that enter before all others while the budget lasts, separated by commas.",
    )
    pin_roles: str = setting(
        "",
        "Pinned roles",
        "Roles whose messages enter before all others while the budget lasts, separated by commas, such as "
        "system.",
    )
    pin_pattern: str = setting(
        "",
        "Pinned text",
        "Messages whose text matches this pattern, in any case, enter before all others while the budget "
        "lasts. RE2 syntax, such as allerg|deadline.",
    )
    tool_lines: str = setting(
        "on",
        "Short tool calls",
        "A tool call goes to the summarizer as one line, name: values, and is selected together with its "
        "results.",
        choices=("on", "off"),
    )
    references: str = setting(
        "on",
        "Refer to code, JSON and logs",
        "Longer code, JSON and logs go to the summarizer as a reference with path, name, keys or error line; "
        "the message itself stays evidence.",
        choices=("on", "off"),
    )
    keep_last: int = setting(
        0,
        "Recent messages kept verbatim",
        "The last messages are never summarised and stand behind the payload as they are, a tool call "
        "always with its result. 0 keeps none.",
        low=0,
        high=1_000,
        step=1,
        unit="messages",
    )
    rolling: str = setting(
        "new",
        "A history that grows",
        "new: added turns are selected and summarised by themselves, after what was written of the earlier "
        "ones; whole: everything is selected and summarised again.",
        choices=("new", "whole"),
    )

    def __post_init__(self) -> None:
        """Check the bounds, and that RE2 takes the pattern.

        Raises:
            SettingsError: A value is outside its bounds, or the pattern is none.
        """
        super().__post_init__()
        if self.pin_pattern:
            _check_pattern(self.pin_pattern)

    def plain(self) -> CompressionSettings:
        """Return these settings with all off that is not the plain selection of the requirements."""
        return replace(
            self,
            noise_filter="off",
            pin_ids="",
            pin_roles="",
            pin_pattern="",
            tool_lines="off",
            references="off",
            keep_last=0,
            rolling="whole",
        )


@dataclass(frozen=True)
class EliminationSettings(Section):
    """Which claims of the summary survive."""

    preset: str = setting(
        "balanced",
        "Preset",
        "contract keeps a claim exactly when its similarity reaches the minimum; balanced asks for "
        "enough support as well; strict also drops what a guard contradicts, what it misses, and what "
        "needs review.",
        choices=("contract", "balanced", "strict"),
    )
    min_similarity: float = setting(
        0.30,
        "Minimum similarity (higher = stricter)",
        "A claim whose cosine similarity to its best evidence, from -1 to 1, is below this is dropped.",
        low=-1.0,
        high=1.0,
        step=0.01,
    )
    min_support: float = setting(
        0.50,
        "Minimum support (higher = stricter)",
        "A claim whose support, from 0 to 1, is below this is dropped; support joins similarity, words "
        "found one by one, what the guards saw and, where a model is at hand, entailment. The contract "
        "preset ignores it.",
        low=0.0,
        high=1.0,
        step=0.01,
    )
    calibrated_for: str = setting(
        "all-mpnet-base-v2",
        "Embedder the minimum was set for",
        "Similarities of another embedder lie elsewhere: a different one is reported as a warning.",
    )
    guards: str = setting(
        "on",
        "Guards",
        "Numbers, dates, negation, names, speakers, plans, corrections and quantifiers are compared in "
        "claim and evidence.",
        choices=("on", "off"),
    )
    alignment: str = setting(
        "on",
        "Word alignment",
        "Each word of a claim is matched with the words of its evidence.",
        choices=("on", "off"),
    )
    entailment: str = setting(
        "off",
        "Entailment model",
        "off, or what reads evidence and claim together: an adapter file from memguard train "
        "entailment, or a sequence-classification checkpoint, in a local folder or by its hub name.",
    )
    separation: float = setting(
        0.0,
        "Separation map",
        "How far vectors move by the map that was trained to part grounded from drifted claims; 0 is off.",
        low=0.0,
        high=1.0,
        step=0.05,
    )
    anchors: float = setting(
        0.0,
        "Anchors",
        "How far vectors are pulled toward the nearest pairs of a question and its answer; 0 is off.",
        low=0.0,
        high=1.0,
        step=0.05,
    )
    smoothing: float = setting(
        0.0,
        "Neighbourhood smoothing",
        "How far a sentence's vector moves toward its neighbours in the conversation and in meaning; "
        "0 is off.",
        low=0.0,
        high=1.0,
        step=0.05,
    )
    density: float = setting(
        0.0,
        "Density correction",
        "How far similarities are corrected for crowded places of the space (CSLS); 0 is off.",
        low=0.0,
        high=1.0,
        step=0.05,
    )
    neighbours: int = setting(
        5,
        "Neighbours of the space",
        "How many nearest vectors count for anchors, smoothing and density.",
        low=1,
        high=50,
        step=1,
    )
    temperature: float = setting(
        0.05,
        "Temperature of the anchors",
        "Of the softmax over the nearest anchors: low follows the nearest one alone.",
        low=0.005,
        high=2.0,
        step=0.005,
    )
    evidence_sentences: int = setting(
        3,
        "Longest evidence window",
        "Evidence is looked for in single sentences, in windows of up to this many neighbouring "
        "sentences or turns, and in whole messages.",
        low=1,
        high=5,
        step=1,
        unit="sentences",
    )
    evidence_kept: int = setting(
        2,
        "Evidence kept for each claim",
        "How many places are recorded for each claim, the best first; none overlaps another.",
        low=1,
        high=10,
        step=1,
        unit="spans",
    )

    @property
    def max_distance(self) -> float:
        """The same threshold seen as a cosine distance, ``1 - min_similarity``; lower = stricter."""
        return 1.0 - self.min_similarity


@dataclass(frozen=True)
class ReconstructionSettings(Section):
    """How the surviving claims are put together."""

    payload_tokens: int | None = setting(
        None,
        "Token budget of the payload",
        "Unset: the share below of the conversation's tokens, and at least the floor below.",
        low=1,
        high=1_000_000,
        step=10,
        unit="tokens",
        optional=True,
    )
    payload_share: float = setting(
        1 / 3,
        "Payload share",
        "Share of the conversation's tokens that the payload may take when no budget is given.",
        low=0.01,
        high=1.0,
        step=0.01,
    )
    payload_floor: int = setting(
        60,
        "Payload floor",
        "The payload's budget is never below this when no budget is given.",
        low=1,
        high=10_000,
        step=10,
        unit="tokens",
    )

    citations: str = setting(
        "auto",
        "Citations",
        "full ends each line with id, speaker and time; id begins it with the message's id, with the speaker "
        "only where the line says I or we and another was named last, and with the day only where it speaks "
        "of tomorrow or Monday; auto takes full where nothing has to be left out for it, else id.",
        choices=("auto", "full", "id"),
    )
    layout: str = setting(
        "headings",
        "Layout",
        "headings puts decisions, open items, names, figures and preferences each under its own heading "
        "where there are more than a few lines; flat keeps one list in the order of the conversation.",
        choices=("headings", "flat"),
    )


@dataclass(frozen=True)
class RetentionSettings(Section):
    """What must not be lost: key facts that the summary leaves out."""

    rescue: str = setting(
        "on",
        "Rescue",
        "on: key facts that no kept claim states enter the payload in the transcript's own words, inside its "
        "token budget; off: the payload holds what survived of the summary alone.",
        choices=("on", "off"),
    )
    rescue_tokens: int | None = setting(
        None,
        "Token budget of the rescue",
        "Most tokens of the payload that rescued lines may take. Unset: all that is free.",
        low=0,
        high=1_000_000,
        step=10,
        unit="tokens",
        optional=True,
    )


@dataclass(frozen=True)
class ProjectionSettings(Section):
    """The two-dimensional map."""

    n_neighbors: int = setting(
        15,
        "Neighbours",
        "UMAP's n_neighbors: small shows local detail, large the overall shape.",
        low=2,
        high=200,
        step=1,
    )
    min_dist: float = setting(
        0.1,
        "Minimum distance",
        "UMAP's min_dist: how tightly points may pack.",
        low=0.0,
        high=0.99,
        step=0.01,
    )


@dataclass(frozen=True)
class MemorySettings(Section):
    """How turns are captured into long-term memory; given to ``Memory``, and no part of a run's settings."""

    dedup_similarity: float = setting(
        0.92,
        "Similarity of a duplicate",
        "A captured text is a duplicate of an entry whose cosine similarity is above this, if the merge "
        "guard finds no difference between the two.",
        low=-1.0,
        high=1.0,
        step=0.01,
    )
    dedup_candidates: int = setting(
        8,
        "Candidates for a duplicate",
        "How many of the nearest entries are compared word by word.",
        low=1,
        high=100,
        step=1,
        unit="entries",
    )
    embedded_tokens: int = setting(
        20_000,
        "Longest text to embed",
        "A longer text is stored, but without an embedding: it is found by its words alone.",
        low=1,
        high=1_000_000,
        step=1_000,
        unit="tokens",
    )
    input_tokens: int = setting(
        8_000,
        "Longest text to compress",
        "A longer text is stored as it is, and no model is asked.",
        low=1,
        high=1_000_000,
        step=500,
        unit="tokens",
    )
    reply_floor: int = setting(
        64,
        "Least room for a reply",
        "A model may write half as many tokens as the text has, and at least this many.",
        low=1,
        high=10_000,
        step=8,
        unit="tokens",
    )
    audit: str = setting(
        "on",
        "Check against the original",
        "on: what a model wrote goes through elimination against the text that it was given, and one claim "
        "that the text does not support keeps the text as it was.",
        choices=("on", "off"),
    )
    timeout_s: float = setting(
        20.0,
        "Time for a model",
        "A provider is given up after this many seconds, repetitions and waits included.",
        low=0.01,
        high=600.0,
        step=1.0,
        unit="s",
    )
    retries: int = setting(
        2,
        "Repetitions",
        "How often a request is repeated after a failure that may pass: a rate limit, a server error.",
        low=0,
        high=10,
        step=1,
    )
    backoff_s: float = setting(
        0.5,
        "First wait",
        "Wait before the first repetition, twice as long before each further one; a provider's own "
        "Retry-After is waited for instead.",
        low=0.0,
        high=60.0,
        step=0.5,
        unit="s",
    )
    reply_kb: int = setting(
        256, "Largest reply", "A larger reply is not read to its end.", low=1, high=100_000, unit="KiB"
    )
    gemini_model: str = setting(
        "gemini-3.5-flash-lite", "Gemini model", "Where COMPRESSION_MODEL names none."
    )
    openai_model: str = setting("gpt-6-luna", "OpenAI model", "Where COMPRESSION_MODEL names none.")
    anthropic_model: str = setting(
        "claude-haiku-4-5",
        "Anthropic model",
        "Where COMPRESSION_MODEL names none. Later ones refuse a temperature, which D11 asks for.",
    )
    xai_model: str = setting("grok-4.3", "xAI model", "Where COMPRESSION_MODEL names none.")
    local_model: str = setting(
        "smollm2",
        "Embedded model",
        "Which installed summarizer the provider local runs, where COMPRESSION_MODEL names none.",
        choices=("auto", "bart", "smollm2", "extractive"),
    )


@dataclass(frozen=True)
class LimitSettings(Section):
    """What input is accepted."""

    file_mb: int = setting(
        50,
        "Largest file",
        "A larger transcript is refused; of an export that holds many conversations, this is the largest "
        "conversation.",
        low=1,
        high=10_000,
        unit="MiB",
    )
    archive_files: int = setting(
        20_000, "Most files of an archive", "A ZIP archive with more is refused.", low=1, high=1_000_000
    )
    archive_mb: int = setting(
        200,
        "Largest archive, unpacked",
        "An archive of which more than this would have to be unpacked is refused.",
        low=1,
        high=10_000,
        unit="MiB",
    )
    archive_ratio: int = setting(
        200,
        "Most that a file of an archive may grow",
        "A file of an archive that unpacks to more than this many times its packed size is refused.",
        low=2,
        high=10_000,
        unit="times",
    )
    json_levels: int = setting(
        100, "Deepest JSON", "JSON that is nested deeper is refused.", low=5, high=300, unit="levels"
    )


@dataclass(frozen=True)
class Settings:
    """All settings of a run, frozen.

    Raises:
        SettingsError: A value is outside its bounds; names the setting, the range and the value.
    """

    compression: CompressionSettings = field(default_factory=CompressionSettings)
    elimination: EliminationSettings = field(default_factory=EliminationSettings)
    reconstruction: ReconstructionSettings = field(default_factory=ReconstructionSettings)
    retention: RetentionSettings = field(default_factory=RetentionSettings)
    projection: ProjectionSettings = field(default_factory=ProjectionSettings)
    limits: LimitSettings = field(default_factory=LimitSettings)
    seed: int = 0

    def __post_init__(self) -> None:
        """Check the seed and that each section is of its own class."""
        for section, kind in _SECTIONS.items():
            if not isinstance(getattr(self, section), kind):
                got = type(getattr(self, section)).__name__
                raise SettingsError(f"Settings.{section} must be {kind.__name__}; got {got}")
        object.__setattr__(self, "seed", checked_value("Settings", "seed", "int", self.seed, _SEED))

    def with_value(self, name: str, value: Any) -> Settings:
        """Return settings with one dotted setting replaced, such as ``elimination.min_similarity``.

        Raises:
            SettingsError: There is no such setting, or the value is outside its bounds.
        """
        section, _, key = name.partition(".")
        if name == "seed":
            return replace(self, seed=value)
        if section not in _SECTIONS or key not in {f.name for f in fields(_SECTIONS[section])}:
            raise SettingsError(f"there is no setting {name!r}; known: {', '.join(setting_names())}")
        return replace(self, **{section: replace(getattr(self, section), **{key: value})})

    def to_dict(self) -> dict[str, Any]:
        """Return plain nested dicts, as TOML and JSON hold them."""
        return asdict(self)

    def to_toml(self) -> str:
        """Return the settings as a TOML file that ``from_toml`` reads back; unset ones are left out."""
        lines = [f"seed = {self.seed}"]
        for section in _SECTIONS:
            lines += ["", f"[{section}]"]
            lines += [
                f"{key} = {json.dumps(value, ensure_ascii=False)}"
                for key, value in asdict(getattr(self, section)).items()
                if value is not None
            ]
        return "\n".join(lines) + "\n"

    def digest(self) -> str:
        """Return the SHA-256 of the settings in canonical JSON, as hexadecimal."""
        canonical = json.dumps(self.to_dict(), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> Settings:
        """Build settings from nested dicts; what is absent takes its default.

        ``elimination.max_distance`` may stand in place of ``elimination.min_similarity``.

        Raises:
            SettingsError: An unknown name, a wrong type, a value outside its bounds, or both of
                the two thresholds at once.
        """
        if not isinstance(raw, Mapping):
            raise SettingsError(f"settings must be a table; got {type(raw).__name__}")
        values: dict[str, Any] = {}
        for name, value in raw.items():
            if name == "seed":
                values[name] = value
            elif name in _SECTIONS:
                values[name] = _read_section(name, value)
            else:
                raise SettingsError(f"there is no section {name!r}; known: {', '.join(_SECTIONS)}, seed")
        return cls(**values)

    @classmethod
    def from_toml(cls, path: str | Path) -> Settings:
        """Read a TOML file.

        Raises:
            SettingsError: The file cannot be read or holds a value that is not valid.
        """
        try:
            raw = tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
        except OSError as error:
            raise SettingsError(f"{path}: cannot be read ({error.strerror})") from error
        except (ValueError, RecursionError) as error:  # tomllib lets int() and the parser's depth through
            raise SettingsError(f"{path}: not a TOML file: {error}") from error
        try:
            return cls.from_dict(raw)
        except SettingsError as error:
            raise SettingsError(f"{path}: {error}") from error


_SEED = Bounds("Seed", "Where randomness comes from.", low=0, high=2**32 - 1)
_DISTANCE = Bounds("Maximum distance", "1 - minimum similarity.", low=0.0, high=2.0)
_SECTIONS: dict[str, type[Any]] = {
    "compression": CompressionSettings,
    "elimination": EliminationSettings,
    "reconstruction": ReconstructionSettings,
    "retention": RetentionSettings,
    "projection": ProjectionSettings,
    "limits": LimitSettings,
}


def listed(text: str) -> tuple[str, ...]:
    """Return the entries of a setting that is a list separated by commas; empty ones are left out."""
    return tuple(dict.fromkeys(entry for part in text.split(",") if (entry := part.strip())))


def setting_names() -> tuple[str, ...]:
    """Return every dotted name, in the order of the classes."""
    return tuple(f"{section}.{f.name}" for section, kind in _SECTIONS.items() for f in fields(kind))


def setting_kinds() -> dict[str, tuple[type, Any]]:
    """Return (type, default) of every dotted name."""
    words: dict[str, type] = {"int": int, "float": float, "str": str}
    return {
        f"{section}.{f.name}": (words[str(f.type).split(" | ")[0]], f.default)
        for section, kind in _SECTIONS.items()
        for f in fields(kind)
    }


def threshold(*, min_similarity: float | None = None, max_distance: float | None = None) -> float:
    """Return the minimum similarity that either view of the threshold names (F1).

    Raises:
        SettingsError: Both or none are given, or the one given is outside its range.
    """
    if (min_similarity is None) == (max_distance is None):
        raise SettingsError("give either min_similarity or max_distance: one mirrors the other")
    if max_distance is not None:
        return 1.0 - float(
            checked_value("EliminationSettings", "max_distance", "float", max_distance, _DISTANCE)
        )
    bounds = bounds_of(EliminationSettings, "min_similarity")
    return float(checked_value("EliminationSettings", "min_similarity", "float", min_similarity, bounds))


def _read_section(name: str, raw: Any) -> Any:
    if not isinstance(raw, Mapping):
        raise SettingsError(f"[{name}] must be a table; got {type(raw).__name__}")
    values = dict(raw)
    if name == "elimination" and "max_distance" in values:
        values["min_similarity"] = threshold(
            min_similarity=values.get("min_similarity"), max_distance=values.pop("max_distance")
        )
    kind = _SECTIONS[name]
    known = [f.name for f in fields(kind)]
    for key in values:
        if key not in known:
            raise SettingsError(f"there is no setting {name}.{key}; known: {', '.join(known)}")
    return kind(**values)


def _check_pattern(pattern: str) -> None:
    """Refuse a pattern that RE2 does not take: it promises a time that is linear in the text."""
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(pattern, options=options)
    except re2.error as error:
        reason = error.args[0].decode(errors="replace") if isinstance(error.args[0], bytes) else error.args[0]
        raise SettingsError(
            f"CompressionSettings.pin_pattern must be a pattern that RE2 takes ({reason}; it has no "
            f"lookarounds and no back-references); got {pattern!r}"
        ) from error
