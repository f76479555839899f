"""Tiny random models, built and saved by the tests, for the real loading and generating code."""

from __future__ import annotations

import json
from pathlib import Path

TEXT = (
    "the a we you i user assistant moved to lyon decision launch moves 4 may budget is bakery on mill "
    "lane can lend us two ovens for trial and it was sent in june hello bus cancelled train paid forty "
    "euros ok so summary conversation said has"
)
WORDS = TEXT.split()


def byte_tokenizer(specials: list[str], pad: str, bos: str, eos: str, wrap: bool):
    """A byte-level BPE trained on a handful of words; ``wrap`` adds bos and eos as BART does."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=specials,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([" ".join(WORDS)] * 4, trainer)
    if wrap:
        ids = [(token, tokenizer.token_to_id(token)) for token in (bos, eos)]
        tokenizer.post_processor = processors.TemplateProcessing(single=f"{bos} $A {eos}", special_tokens=ids)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token=pad, bos_token=bos, eos_token=eos, unk_token=specials[-1]
    )


def save_bart(folder: Path, positions: int = 64) -> Path:
    """Save a random BART whose encoder holds ``positions`` tokens, with BART's own default lengths."""
    import torch
    from transformers import BartConfig, BartForConditionalGeneration, GenerationConfig

    torch.manual_seed(0)
    tokenizer = byte_tokenizer(["<s>", "<pad>", "</s>", "<unk>"], "<pad>", "<s>", "</s>", wrap=True)
    config = BartConfig(
        vocab_size=len(tokenizer),
        d_model=32,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        max_position_embeddings=positions,
        bos_token_id=0,
        pad_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=2,
        forced_bos_token_id=0,
        forced_eos_token_id=2,
    )
    model = BartForConditionalGeneration(config)
    # What bart-large-cnn carries: the minimum above a small maximum is the trap of SUM-005.
    model.generation_config = GenerationConfig(
        bos_token_id=0,
        pad_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=2,
        forced_bos_token_id=0,
        forced_eos_token_id=2,
        num_beams=4,
        min_length=56,
        max_length=142,
        length_penalty=2.0,
        no_repeat_ngram_size=3,
        early_stopping=True,
    )
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def save_llama(folder: Path) -> Path:
    """Save a random Llama in half precision, as setup saves SmolLM2."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    specials = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<unk>"]
    tokenizer = byte_tokenizer(specials, "<|im_end|>", "<|im_start|>", "<|im_end|>", wrap=False)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=4096,
        bos_token_id=1,
        eos_token_id=2,
        pad_token_id=2,
        tie_word_embeddings=True,
    )
    LlamaForCausalLM(config).half().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def save_mpnet(folder: Path, window: int = 16) -> Path:
    """Save a random MPNet sentence-transformer with a window of ``window`` tokens."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import MPNetConfig, MPNetModel, PreTrainedTokenizerFast

    torch.manual_seed(0)
    specials = ["<s>", "<pad>", "</s>", "[UNK]", "<mask>"]
    letters = [chr(code) for code in range(33, 127)]
    pieces = dict.fromkeys([*specials, *WORDS, *letters, *(f"##{letter}" for letter in letters)])
    vocabulary = {token: number for number, token in enumerate(pieces)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<s>",
        eos_token="</s>",
        cls_token="<s>",
        sep_token="</s>",
        pad_token="<pad>",
        unk_token="[UNK]",
        mask_token="<mask>",
        model_max_length=64,
    )
    config = MPNetConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=70,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
    )
    MPNetModel(config).save_pretrained(folder)
    fast.save_pretrained(folder)
    (folder / "sentence_bert_config.json").write_text(
        json.dumps({"max_seq_length": window, "do_lower_case": False})
    )
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(
        json.dumps({"word_embedding_dimension": 32, "pooling_mode_mean_tokens": True})
    )
    modules = [
        {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
        {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
        {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
    ]
    (folder / "modules.json").write_text(json.dumps(modules))
    return folder
