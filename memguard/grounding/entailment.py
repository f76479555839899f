"""Entailment: whether a premise (the evidence) supports a hypothesis (the claim).

One protocol, filled by a checkpoint (ours or the user's, :class:`CrossEncoderEntailment`), by a
language model (:class:`memguard.grounding.entailment_llm.LLMEntailment`) or by anything else with
the same two members; a cache in front of it (:class:`CachedEntailment`) computes each pair once.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from memguard.errors import InvalidParameterError, ModelUnavailableError
from memguard.grounding.entailment_labels import Meaning, check_meanings, read_meanings, to_columns
from memguard.text import well_formed

if TYPE_CHECKING:
    import torch

Scores = NDArray[np.float32]
"""float32 of shape (n, 3): P(entailment), P(neutral), P(contradiction); a row sums to 1, or is NaN."""

CACHE_BYTES = 64 * 1024 * 1024
"""Room for about 280,000 pairs."""
_KEY_BYTES = 16
_OVERHEAD_BYTES = 228  # key, array header, three numbers and the dictionary entry of one pair, about
_BATCH = 32
_LONGEST = 512


@runtime_checkable
class EntailmentScorer(Protocol):
    """Says how far premises support hypotheses."""

    @property
    def model_id(self) -> str:
        """``name@revision``; goes into the audit and into every cache key."""
        ...

    def score(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Scores:
        """Score pairs, the first premise with the first hypothesis and so on.

        Returns:
            float32 of shape (n, 3): entailment, neutral, contradiction. Rows sum to 1. A row of NaN
            says that there is no answer: the verdict is "needs review". Shape (0, 3) for no pairs.

        Raises:
            InvalidParameterError: If there are not as many premises as hypotheses.
        """
        ...


class CrossEncoderEntailment:
    """A checkpoint that reads premise and hypothesis together; thread-safe.

    Any sequence-classification model of three, two or one outputs, or a T5 of the MiniCheck family
    (Tang et al. 2024), which answers "1" or "0" to ``predict: premise</s>hypothesis``. A pair that
    is longer than the model's window loses the end of its longer text. Computed in float32.

    Attributes:
        model_id: As given, else the source's name.
        meanings: What each of the model's outputs means.
    """

    def __init__(
        self,
        source: str | Path,
        *,
        model_id: str = "",
        label_order: Sequence[str] | None = None,
        local_files_only: bool = True,
        batch_size: int = _BATCH,
    ) -> None:
        """Load the model from a local folder, or from the hub by its name where that is asked for.

        Args:
            source: A folder, or the name of a model on the hub.
            model_id: Names it in the audit; give a revision, so that a cache knows one from another.
            label_order: What the outputs mean, out of ``entailment``, ``neutral``, ``contradiction``
                and ``not_entailment``; by default the model's own configuration says.
            local_files_only: False allows the network for this one load.
            batch_size: Pairs that are computed at once.

        Raises:
            InvalidParameterError: If ``batch_size`` is below 1 or the labels are not understood.
            ModelUnavailableError: If there is no such model.
        """
        if batch_size < 1:
            raise InvalidParameterError(f"batch_size must be 1 or more; got {batch_size}")
        self.model_id = model_id or Path(source).name
        self._batch_size = batch_size
        self._lock = threading.Lock()
        self._half_precision = False
        config, self._tokenizer, self._model = self._load(source, local_files_only)
        self._is_seq2seq = bool(config.is_encoder_decoder) and "T5" in "".join(config.architectures or [])
        self.meanings: tuple[Meaning, ...] = ("not_entailment", "entailment")
        if self._is_seq2seq:
            self._answers = _answer_tokens(self._tokenizer, str(source))
        elif label_order is None:
            self.meanings = read_meanings(config.id2label, config.num_labels, str(source))
        else:
            self.meanings = check_meanings(label_order, config.num_labels, str(source))
        window = min(int(getattr(config, "max_position_embeddings", _LONGEST) or _LONGEST), _LONGEST)
        # RoBERTa counts positions from its padding token on.
        offset = int(config.pad_token_id or 0) + 1 if "roberta" in str(config.model_type) else 0
        self._window = min(window - offset, int(self._tokenizer.model_max_length))

    def _load(self, source: str | Path, local_files_only: bool) -> tuple[Any, Any, Any]:
        return _load(source, local_files_only)

    def score(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Scores:
        """Score pairs; see :class:`EntailmentScorer`. Equal pairs are computed once."""
        import torch

        pairs = checked_pairs(premises, hypotheses)
        unique = list(dict.fromkeys(pairs))
        logits = np.zeros((len(unique), len(self.meanings)), dtype=np.float64)
        with self._lock:
            rows = self._encode(unique)
            order = sorted(range(len(rows)), key=lambda index: -len(rows[index]["input_ids"]))
            for start in range(0, len(order), self._batch_size):
                chosen = order[start : start + self._batch_size]
                with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16, self._half_precision):
                    logits[chosen] = self._forward([rows[index] for index in chosen]).double().numpy()
        columns = to_columns(logits, self.meanings)
        place = {pair: row for row, pair in enumerate(unique)}
        return columns[[place[pair] for pair in pairs]] if pairs else np.zeros((0, 3), dtype=np.float32)

    def _encode(self, pairs: Sequence[tuple[str, str]]) -> list[dict[str, list[int]]]:
        # Text that spells a special token stays text: a message cannot end its own premise.
        options: dict[str, Any] = {"split_special_tokens": True, "verbose": False}
        if not pairs:
            return []
        if not self._is_seq2seq:
            encoded = self._tokenizer(
                [premise for premise, _ in pairs],
                [hypothesis for _, hypothesis in pairs],
                truncation="longest_first",
                max_length=self._window,
                **options,
            )
            return [{name: encoded[name][row] for name in encoded} for row in range(len(pairs))]
        end = int(self._tokenizer.eos_token_id)
        rows = []
        for premise, hypothesis in pairs:
            last = self._tokenizer(hypothesis, add_special_tokens=False, **options)["input_ids"][
                : self._window - 8
            ]
            first = self._tokenizer(f"predict: {premise}", add_special_tokens=False, **options)["input_ids"]
            ids = [*first[: self._window - len(last) - 2], end, *last, end]
            rows.append({"input_ids": ids, "attention_mask": [1] * len(ids)})
        return rows

    def _forward(self, rows: list[dict[str, list[int]]]) -> torch.Tensor:
        import torch

        batch = self._tokenizer.pad(rows, return_tensors="pt")
        if not self._is_seq2seq:
            return self._model(**batch).logits.float()  # type: ignore[no-any-return]
        start = torch.full((len(rows), 1), int(self._model.config.decoder_start_token_id))
        logits = self._model(**batch, decoder_input_ids=start).logits[:, 0]
        return logits[:, list(self._answers)].float()  # type: ignore[no-any-return]


def checked_pairs(premises: Sequence[str], hypotheses: Sequence[str]) -> list[tuple[str, str]]:
    """Return pairs of texts that can be encoded.

    Raises:
        InvalidParameterError: If the two lists differ in length.
    """
    if len(premises) != len(hypotheses):
        raise InvalidParameterError(
            f"hypotheses must be as many as premises ({len(premises)}); got {len(hypotheses)}"
        )
    return [(well_formed(p), well_formed(h)) for p, h in zip(premises, hypotheses, strict=True)]


def _load(source: str | Path, local_files_only: bool) -> tuple[Any, Any, Any]:
    """Return configuration, tokenizer and model."""
    from contextlib import nullcontext

    from memguard.models.gguf import quiet_transformers
    from memguard.models.offline import force_offline, network_allowed
    from memguard.models.runtime import prepare_torch

    force_offline()
    prepare_torch()
    import torch
    from transformers import (
        AutoConfig,
        AutoModelForSeq2SeqLM,
        AutoModelForSequenceClassification,
        AutoTokenizer,
    )

    with quiet_transformers(), nullcontext() if local_files_only else network_allowed():
        try:
            config = AutoConfig.from_pretrained(source, local_files_only=local_files_only)
            is_t5 = "T5ForConditionalGeneration" in (config.architectures or [])
            kind = AutoModelForSeq2SeqLM if is_t5 else AutoModelForSequenceClassification
            tokenizer = AutoTokenizer.from_pretrained(source, local_files_only=local_files_only)
            model, info = kind.from_pretrained(
                source, local_files_only=local_files_only, dtype=torch.float32, output_loading_info=True
            )
        except (OSError, ValueError, KeyError) as error:
            raise ModelUnavailableError(
                f"no entailment model can be loaded from {source} ({error}); give a folder that holds a "
                "sequence-classification or T5 checkpoint with its tokenizer"
            ) from error
    if fresh := sorted(info["missing_keys"]):
        # Without its head a checkpoint would answer at random.
        raise ModelUnavailableError(
            f"{source} is no entailment model: it lacks the weights {', '.join(fresh)}"
        )
    return config, tokenizer, model.eval()


def _answer_tokens(tokenizer: Any, source: str) -> tuple[int, int]:
    """Return the first tokens of the answers "0" and "1"."""
    zero, one = (int(tokenizer(text, add_special_tokens=False)["input_ids"][0]) for text in ("0", "1"))
    if zero == one:
        raise InvalidParameterError(
            f"{source}: the answers 0 and 1 begin with the same token; this is no MiniCheck model"
        )
    return zero, one


def _checked_scores(scores: Any, n: int, model_id: str) -> Scores:
    """Return what a scorer gave as rows of probabilities.

    Raises:
        InvalidParameterError: It is not (n, 3), or a number is neither in [0, 1] nor NaN.
    """
    try:
        rows = np.asarray(scores, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise InvalidParameterError(f"{model_id}.score must return numbers ({error})") from error
    if rows.shape != (n, 3):
        raise InvalidParameterError(f"{model_id}.score must return shape ({n}, 3); got {rows.shape}")
    if not ((np.isnan(rows)) | ((rows >= -1e-6) & (rows <= 1 + 1e-6))).all():
        raise InvalidParameterError(f"{model_id}.score must return probabilities from 0 to 1, or NaN")
    return rows


class CachedEntailment:
    """Remembers scores by model, premise and hypothesis, least recently used out first; thread-safe.

    Rows of NaN are remembered too, so that a slider asks nobody again; :meth:`forget` clears all.

    Attributes:
        inner: The scorer that computes.
        misses: Pairs that had to be computed.
    """

    def __init__(self, inner: EntailmentScorer, max_bytes: int = CACHE_BYTES) -> None:
        """Wrap ``inner``; ``max_bytes`` bounds the scores kept, bookkeeping included.

        Raises:
            InvalidParameterError: If ``max_bytes`` is negative.
        """
        if max_bytes < 0:
            raise InvalidParameterError(f"max_bytes must be 0 or more; got {max_bytes}")
        self.inner = inner
        self.misses = 0
        self._most = max_bytes // _OVERHEAD_BYTES
        self._rows: OrderedDict[bytes, Scores] = OrderedDict()
        self._lock = threading.Lock()
        self._computing = threading.Lock()

    @property
    def model_id(self) -> str:
        """The inner scorer's."""
        return self.inner.model_id

    def score(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Scores:
        """Score pairs, computing only those that are not known; see :class:`EntailmentScorer`."""
        pairs = checked_pairs(premises, hypotheses)
        keys = [self._key(pair) for pair in pairs]
        found = self._look_up(keys)
        if any(key not in found for key in keys):
            with self._computing:
                found |= self._look_up([key for key in keys if key not in found])
                unknown = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in found}
                if unknown:
                    found |= self._compute(unknown)
        result = np.empty((len(keys), 3), dtype=np.float32)
        for row, key in enumerate(keys):
            result[row] = found[key]
        return result

    def forget(self) -> None:
        """Drop every score."""
        with self._lock:
            self._rows.clear()

    def _key(self, pair: tuple[str, str]) -> bytes:
        digest = hashlib.blake2b(digest_size=_KEY_BYTES)
        for part in (self.inner.model_id, *pair):
            data = part.encode("utf-8", "surrogatepass")
            # With its length before it no two pairs spell the same bytes.
            digest.update(len(data).to_bytes(8, "big") + data)
        return digest.digest()

    def _look_up(self, keys: Sequence[bytes]) -> dict[bytes, Scores]:
        found = {}
        with self._lock:
            for key in keys:
                row = self._rows.get(key)
                if row is not None:
                    self._rows.move_to_end(key)
                    found[key] = row
        return found

    def _compute(self, unknown: dict[bytes, tuple[str, str]]) -> dict[bytes, Scores]:
        scores = _checked_scores(
            self.inner.score([p for p, _ in unknown.values()], [h for _, h in unknown.values()]),
            len(unknown),
            self.model_id,
        )
        computed = {key: row.copy() for key, row in zip(unknown, scores, strict=True)}
        with self._lock:
            self.misses += len(computed)
            self._rows.update(computed)
            while len(self._rows) > self._most:
                self._rows.popitem(last=False)
        return computed
