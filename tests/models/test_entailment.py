"""The real loading and scoring code on tiny random checkpoints that the tests build."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from memguard.errors import InvalidParameterError, ModelUnavailableError
from memguard.grounding.entailment import CrossEncoderEntailment, EntailmentScorer
from tests.models.tiny import WORDS

PREMISES = [
    "the train moved to lyon in june",
    "hello",
    "the budget is forty euros and the bus is cancelled " * 20,
]
HYPOTHESES = ["the train moved", "the bus cancelled", "the budget is forty euros"]
THREE = ["contradiction", "entailment", "neutral"]


def word_pieces(specials: list[str]) -> dict[str, int]:
    letters = [chr(code) for code in range(33, 127)]
    pieces = dict.fromkeys([*specials, *WORDS, *letters, *(f"##{letter}" for letter in letters)])
    return {token: number for number, token in enumerate(pieces)}


def save_bert(folder: Path, labels: list[str], positions: int = 64, hidden_size: int = 32) -> Path:
    """Save a random BERT classifier whose weights do not depend on its labels' names."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    torch.manual_seed(0)
    vocabulary = word_pieces(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=hidden_size,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=positions,
        id2label=dict(enumerate(labels)),
        label2id={name: number for number, name in enumerate(labels)},
        initializer_range=0.3,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder


def save_t5(folder: Path) -> Path:
    """Save a random T5 that can answer 0 and 1."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

    torch.manual_seed(0)
    vocabulary = word_pieces(["<pad>", "</s>", "[UNK]"])
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>", unk_token="[UNK]"
    )
    config = T5Config(
        vocab_size=len(vocabulary),
        d_model=32,
        d_kv=16,
        d_ff=32,
        num_layers=1,
        num_decoder_layers=1,
        num_heads=2,
        decoder_start_token_id=0,
        initializer_factor=4.0,
    )
    T5ForConditionalGeneration(config).save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Callable[[list[str]], Path]:
    return lambda labels: save_bert(tmp_path_factory.mktemp("bert"), labels)


@pytest.fixture(scope="module")
def t5_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_t5(tmp_path_factory.mktemp("t5"))


def test_cross_encoder_gives_probabilities_of_three(bert: Callable[[list[str]], Path]):
    scorer = CrossEncoderEntailment(bert(THREE), model_id="tiny@1")
    scores = scorer.score(PREMISES, HYPOTHESES)
    assert isinstance(scorer, EntailmentScorer)
    assert scorer.model_id == "tiny@1"
    assert scores.dtype == np.float32
    assert scores.sum(axis=1) == pytest.approx([1, 1, 1], abs=1e-6)
    assert scorer.score([], []).shape == (0, 3)


def test_cross_encoder_reads_the_label_order_of_the_model(bert: Callable[[list[str]], Path]):
    ours = CrossEncoderEntailment(bert(THREE)).score(PREMISES, HYPOTHESES)
    other = CrossEncoderEntailment(bert(["ENTAILMENT", "NEUTRAL", "CONTRADICTION"])).score(
        PREMISES, HYPOTHESES
    )
    # The weights are the same: output 0 is a contradiction in one and entailment in the other.
    assert other[:, 0] == pytest.approx(ours[:, 2], abs=1e-6)
    assert other[:, 1] == pytest.approx(ours[:, 0], abs=1e-6)


def test_cross_encoder_of_two_labels_never_contradicts(bert: Callable[[list[str]], Path]):
    scores = CrossEncoderEntailment(bert(["unsupported", "supported"])).score(PREMISES, HYPOTHESES)
    turned = CrossEncoderEntailment(bert(["1", "0"])).score(PREMISES, HYPOTHESES)
    assert scores[:, 2].tolist() == [0, 0, 0]
    assert scores[:, 0] == pytest.approx(turned[:, 1], abs=1e-6)


def test_cross_encoder_with_unknown_labels_names_them_or_takes_the_callers(bert: Callable[[list[str]], Path]):
    folder = bert(["LABEL_0", "LABEL_1", "LABEL_2"])
    with pytest.raises(InvalidParameterError, match="LABEL_0, LABEL_1, LABEL_2"):
        CrossEncoderEntailment(folder)
    scores = CrossEncoderEntailment(folder, label_order=THREE).score(PREMISES, HYPOTHESES)
    known = CrossEncoderEntailment(bert(THREE)).score(PREMISES, HYPOTHESES)
    assert scores == pytest.approx(known, abs=1e-6)
    with pytest.raises(InvalidParameterError, match="label_order"):
        CrossEncoderEntailment(folder, label_order=["entailment", "neutral"])


def test_cross_encoder_batch_equals_single(bert: Callable[[list[str]], Path]):
    folder = bert(THREE)
    together = CrossEncoderEntailment(folder).score(PREMISES, HYPOTHESES)
    alone = CrossEncoderEntailment(folder, batch_size=1).score(PREMISES, HYPOTHESES)
    assert alone == pytest.approx(together, abs=1e-4)
    assert len(np.unique(together[:, 0])) == 3


def test_cross_encoder_message_cannot_spell_a_special_token(bert: Callable[[list[str]], Path]):
    scorer = CrossEncoderEntailment(bert(THREE))
    rows = scorer._encode([("hello [SEP] the train [SEP]", "the bus")])
    assert rows[0]["input_ids"].count(3) == 2


def test_cross_encoder_that_is_not_there_or_no_classifier_is_unavailable(tmp_path: Path, mpnet_folder: Path):
    with pytest.raises(ModelUnavailableError, match="nowhere"):
        CrossEncoderEntailment(tmp_path / "nowhere")
    with pytest.raises(ModelUnavailableError, match="lacks the weights"):
        CrossEncoderEntailment(mpnet_folder, label_order=["entailment", "not_entailment"])
    with pytest.raises(InvalidParameterError, match="batch_size"):
        CrossEncoderEntailment(tmp_path, batch_size=0)


def test_t5_answers_one_or_zero(t5_folder: Path):
    import torch
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    scores = CrossEncoderEntailment(t5_folder).score(PREMISES[:2], HYPOTHESES[:2])
    assert scores.sum(axis=1) == pytest.approx([1, 1], abs=1e-6)
    assert scores[:, 2].tolist() == [0, 0]
    tokenizer = AutoTokenizer.from_pretrained(t5_folder, local_files_only=True)
    model = AutoModelForSeq2SeqLM.from_pretrained(t5_folder, local_files_only=True)
    batch = tokenizer(f"predict: {PREMISES[0]}</s>{HYPOTHESES[0]}", return_tensors="pt")
    with torch.inference_mode():
        logits = model(**batch, decoder_input_ids=torch.tensor([[0]])).logits[0, 0]
    zero, one = (tokenizer(text, add_special_tokens=False)["input_ids"][0] for text in "01")
    expected = torch.softmax(logits[[zero, one]], -1)[1]
    assert scores[0, 0] == pytest.approx(float(expected), abs=1e-5)


def test_t5_batch_equals_single(t5_folder: Path):
    together = CrossEncoderEntailment(t5_folder).score(PREMISES, HYPOTHESES)
    alone = CrossEncoderEntailment(t5_folder, batch_size=1).score(PREMISES, HYPOTHESES)
    assert alone == pytest.approx(together, abs=1e-4)
