"""Token counters for budgets: BART's, exact without BART (F21), and cl100k's.

BART segments text with GPT-2's byte-pair merges, so GPT-2's own merge list (MIT licence, shipped
beside this module, sha256 ``1ce16647…``) gives BART's count; its input adds ``<s>`` and ``</s>``.
Text that spells a special token, such as ``<|endoftext|>``, is counted as the text it is.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memguard.messages import well_formed

if TYPE_CHECKING:
    from tokenizers import Tokenizer

BART_SPECIAL_TOKENS = 2
_MERGES = "gpt2_merges.txt.xz"
_PIECE_CHARS = 40_000
# Between two letters' words cl100k always cuts, so counts of pieces cut there add up exactly.
_SAFE_CUT = re.compile(r"(?<=[A-Za-z])(?= [A-Za-z])")


class BartTokenCounter:
    """Counts tokens as ``facebook/bart-large-cnn`` does, ``<s>`` and ``</s>`` included."""

    name = "facebook/bart-large-cnn"

    def count(self, text: str) -> int:
        """Return the number of tokens of ``text`` as one input of BART; 2 for the empty string."""
        encoding = _gpt2().encode(well_formed(text), add_special_tokens=False)
        return len(encoding.ids) + BART_SPECIAL_TOKENS

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Return ``count`` of every text, computed in one call."""
        encodings = _gpt2().encode_batch_fast([well_formed(text) for text in texts], add_special_tokens=False)
        return [len(encoding.ids) + BART_SPECIAL_TOKENS for encoding in encodings]


class Cl100kTokenCounter:
    """Counts tokens as the encoding ``cl100k_base`` does; no special tokens are added."""

    name = "cl100k_base"

    def count(self, text: str) -> int:
        """Return the number of tokens of ``text``; 0 for the empty string."""
        encoding = _cl100k()
        return sum(len(encoding.encode_ordinary(piece)) for piece in _pieces(well_formed(text)))

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Return ``count`` of every text."""
        return [self.count(text) for text in texts]

    def truncate(self, text: str, n_tokens: int) -> str:
        """Return the longest prefix of ``text`` of at most ``n_tokens`` tokens, whole characters."""
        if n_tokens <= 0:
            return ""
        encoding = _cl100k()
        ids: list[int] = []
        for piece in _pieces(well_formed(text)):
            ids.extend(encoding.encode_ordinary(piece))
            if len(ids) > n_tokens:
                data: bytes = encoding.decode_bytes(ids[:n_tokens])
                return data.decode("utf-8", errors="ignore")
        return text


def _pieces(text: str) -> list[str]:
    """Cut long text where the count is not changed, since the encoder refuses long input."""
    pieces = []
    start = 0
    while len(text) - start > _PIECE_CHARS:
        end = start + _PIECE_CHARS
        cuts = [match.start() for match in _SAFE_CUT.finditer(text, end - 2_000, end)]
        end = cuts[-1] if cuts else end
        pieces.append(text[start:end])
        start = end
    pieces.append(text[start:])
    return pieces


@functools.cache
def _gpt2() -> Tokenizer:
    import lzma
    from importlib import resources

    from tokenizers import Tokenizer, models, pre_tokenizers

    packed = resources.files("memguard.models").joinpath("data", _MERGES).read_bytes()
    lines = lzma.decompress(packed).decode("utf-8").splitlines()[1:]
    merges = [(left, right) for left, _, right in (line.partition(" ") for line in lines)]
    tokens = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokens += [left + right for left, right in merges]
    vocabulary = {token: number for number, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    # tokenizers' stubs do not know that the property can be set.
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return tokenizer


@functools.cache
def _cl100k() -> Any:  # bpe-openai ships no annotations for its encoding
    import warnings

    with warnings.catch_warnings():
        # bpe-openai 0.1.4 opens its table, at import, with importlib.resources.open_binary.
        warnings.filterwarnings("ignore", "open_binary is deprecated", DeprecationWarning)
        import bpe_openai

        return bpe_openai.get_encoding("cl100k_base")
