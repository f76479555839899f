"""Reading pairs and dialogues, choosing evidence, and building the corpus."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from memguard.errors import InvalidParameterError, TranscriptError
from memguard.training.corpus import CorpusOptions, build_corpus, in_chat
from memguard.training.evidence import Turn, pick_evidence, pick_indexes
from memguard.training.measure import auc, cosine_scores, entailment_scores, overlap_scores, read_labelled
from memguard.training.pairs import Pair, read_pairs
from tests.fakes import FakeEmbedder

TURNS = [
    Turn("Anna", "Did the printer arrive?"),
    Turn("Ben", "Not yet."),
    Turn("Anna", "I paid 40 euros for the train."),
    Turn("Ben", "My sister lives in Lyon."),
]


def write(path: Path, rows: list[dict[str, object]]) -> Path:
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return path


def test_pick_evidence_takes_what_the_claim_needs_in_order():
    assert pick_evidence(TURNS, "Ben's sister lives in Lyon.", 8) == "Ben: My sister lives in Lyon."
    assert pick_evidence(TURNS, "anything", 100).count("\n") == 3
    assert pick_evidence([], "anything", 10) == ""
    assert pick_evidence([Turn("", "One. Two.")], "x", 10) == "One. Two."


def test_pick_indexes_keeps_what_must_stay_and_is_ascending():
    assert pick_indexes(TURNS, "Ben's sister lives in Lyon.", 10, always=[1]) == [1, 3]
    assert pick_indexes([], "x", 10) == []


def test_read_pairs_reads_both_kinds_of_rows(tmp_path: Path):
    rows: list[dict[str, object]] = [
        {"premise": "A man runs.", "hypothesis": "A man moves.", "label": "entailment"},
        {
            "source_messages": [{"speaker": "document", "content": "It rains."}],
            "claim": "It is dry.",
            "label": 0,
            "source_id": "7",
        },
    ]
    pairs = read_pairs(write(tmp_path / "some.jsonl.gz", rows), 10, random.Random(0), max_words=50)
    assert pairs == [
        Pair("A man runs.", "A man moves.", "entailment", "some", "some:A man runs."),
        Pair("It rains.", "It is dry.", "not_entailment", "some", "some:7"),
    ]


@pytest.mark.parametrize(
    "line", ["not json", "[1]", '{"premise": "x"}', '{"premise": "x", "hypothesis": "y", "label": "maybe"}']
)
def test_read_pairs_names_file_and_line_of_a_bad_row(tmp_path: Path, line: str):
    path = tmp_path / "bad.jsonl"
    path.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(TranscriptError, match=r"bad\.jsonl, line 1"):
        read_pairs(path, 10, random.Random(0), max_words=50)


def test_in_chat_gives_words_to_the_right_speaker():
    pairs = [
        Pair(f"The cat {n} sleeps.", f"A cat {n} sleeps.", "entailment", "k", str(n)) for n in range(300)
    ]
    made = list(in_chat(pairs, random.Random(0)))
    assert len(made) == len(pairs)
    for before, after in zip(pairs, made, strict=True):
        assert before.premise in after.premise
        if " says that " in after.hypothesis:
            speaker = after.hypothesis.split(" says that ")[0]
            holds = f"{speaker}: {before.premise}" in after.premise
            assert after.label == ("entailment" if holds else "not_entailment")
        else:
            assert after.label == before.label


def corpus_folder(tmp_path: Path) -> Path:
    pairs: list[dict[str, object]] = [
        {"premise": f"A man number {n} runs.", "hypothesis": "A man moves.", "label": "entailment"}
        for n in range(20)
    ]
    write(tmp_path / "cad_snli.jsonl.gz", pairs)
    dialogues: list[dict[str, object]] = [
        {
            "id": f"d{n}",
            "messages": [
                {
                    "speaker": "User",
                    "content": f"I want to book a table for {n + 2} people in Oakland on Friday.",
                },
                {"speaker": "System", "content": "Would you like to reserve the garden table?"},
                {"speaker": "User", "content": "Yes please. I need a chair for my daughter."},
                {
                    "speaker": "System",
                    "content": "I have reserved your table at Mensho. The street is closed today.",
                },
            ],
            "final_state": {"Restaurants_1.restaurant_name": ["Mensho"], "Restaurants_1.city": ["Oakland"]},
        }
        for n in range(12)
    ]
    write(tmp_path / "dialog_sgd.jsonl.gz", dialogues)
    return tmp_path


def test_build_corpus_follows_from_its_seed(tmp_path: Path):
    folder = corpus_folder(tmp_path)
    first = build_corpus(CorpusOptions(folder, seed=1))
    assert first == build_corpus(CorpusOptions(folder, seed=1))
    assert first != build_corpus(CorpusOptions(folder, seed=2))


def test_build_corpus_holds_both_directions_from_every_dialogue(tmp_path: Path):
    pairs = [p for p in build_corpus(CorpusOptions(corpus_folder(tmp_path))) if p.kind.startswith("dialog")]
    labels = Counter(pair.label == "entailment" for pair in pairs)
    assert labels[True] > 20
    assert labels[False] > 0.5 * labels[True]
    assert {pair.group for pair in pairs} == {f"d{n}" for n in range(12)}
    truths = {(pair.group, pair.hypothesis) for pair in pairs if pair.label == "entailment"}
    wrong = {(p.group, p.hypothesis) for p in pairs if p.label in {"contradiction", "not_entailment"}}
    assert len(truths & wrong) <= 0.02 * len(truths)


def test_build_corpus_of_an_empty_folder_is_an_error(tmp_path: Path):
    with pytest.raises(InvalidParameterError, match="vitaminc_real"):
        build_corpus(CorpusOptions(tmp_path))


def test_auc_counts_ties_half():
    assert auc([0, 0, 1, 1], [0.1, 0.2, 0.3, 0.4]) == 1.0
    assert auc([1, 1, 0, 0], [0.1, 0.2, 0.3, 0.4]) == 0.0
    assert auc([0, 1], [0.5, 0.5]) == 0.5
    assert auc([0, 1, 1], [0.5, 0.5, 0.9]) == 0.75
    with pytest.raises(InvalidParameterError, match="both classes"):
        auc([1, 1], [0.1, 0.2])


def test_measures_score_a_summary_by_its_least_sentence(tmp_path: Path):
    row: dict[str, object] = {
        "source_messages": [
            {"speaker": "Anna", "content": "red car"},
            {"speaker": "Ben", "content": "blue bus"},
        ],
        "claim": "The car is red. The bus is green.",
        "label": 0,
        "source_id": "1",
    }
    rows = read_labelled(write(tmp_path / "dev.jsonl.gz", [row]))

    def score(premises: list[str], hypotheses: list[str]) -> np.ndarray:
        return np.asarray([[0.9 if "red" in h else 0.2, 0, 0] for h in hypotheses], dtype=np.float32)

    assert entailment_scores(rows, score).tolist() == pytest.approx([0.2])
    assert overlap_scores(rows).tolist() == [0.5]
    assert cosine_scores(rows, FakeEmbedder()).shape == (1,)
