"""The token counter of the budgets: BART's, exact without BART (F21).

BART segments text with GPT-2's byte-pair merges, so GPT-2's own merge list (MIT licence, shipped
beside this module, sha256 ``1ce16647…``) gives BART's count; its input adds ``<s>`` and ``</s>``.
Text that spells a special token, such as ``<|endoftext|>``, is counted as the text it is.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memguard.text import well_formed

if TYPE_CHECKING:
    from tokenizers import Tokenizer

BART_SPECIAL_TOKENS = 2
_MERGES = "gpt2_merges.txt.xz"


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
