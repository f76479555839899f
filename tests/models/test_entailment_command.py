"""What ``memguard train entailment`` does, from files of pairs to a verdict, on a tiny base."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from memguard.errors import InvalidParameterError
from memguard.grounding.adapted import AdaptedEntailment
from memguard.training.command import EntailmentRun, compare, run_entailment, split_groups, validation_auc
from memguard.training.cross_encoder import CLASSES
from memguard.training.evidence import Turn
from memguard.training.measure import LabelledClaim
from memguard.training.pairs import Pair
from tests.fakes import FakeEmbedder
from tests.models.test_entailment import save_bert


def by_words(premises: Sequence[str], hypotheses: Sequence[str]) -> np.ndarray:
    """P(entailment) is the share of the hypothesis's words that the premise holds."""
    rows = []
    for premise, hypothesis in zip(premises, hypotheses, strict=True):
        share = np.mean([word in premise for word in hypothesis.rstrip(".").split()])
        rows.append([share, 1 - share, 0])
    return np.asarray(rows, dtype=np.float32)


def write(path: Path, rows: list[dict[str, object]]) -> None:
    path.parent.mkdir(exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def dev_rows() -> list[dict[str, object]]:
    messages = [{"speaker": "Anna", "content": "the train moved"}, {"speaker": "Ben", "content": "hello"}]
    return [
        {"source_messages": messages, "claim": claim, "label": label, "source_id": str(number)}
        for number, (claim, label) in enumerate([("the train moved", 1), ("the bus cancelled", 0)] * 4)
    ]


def test_run_entailment_trains_measures_and_judges(tmp_path: Path):
    base = save_bert(tmp_path / "base", list(CLASSES))
    write(
        tmp_path / "nli" / "cad_snli.jsonl.gz",
        [
            {"premise": f"the train moved {n}", "hypothesis": "the train moved", "label": "entailment"}
            for n in range(60)
        ],
    )
    write(tmp_path / "dev" / "tiny.jsonl.gz", dev_rows())
    run = EntailmentRun(
        tmp_path / "nli", tmp_path / "out", base=base, dev=tmp_path / "dev", minutes=0.01, sample=1
    )
    result = run_entailment(run, FakeEmbedder())
    assert result.adapter == tmp_path / "out" / "final" / "entailment.safetensors"
    AdaptedEntailment(base, result.adapter)
    verdict = json.loads((tmp_path / "out" / "verdict.json").read_text(encoding="utf-8"))
    assert set(verdict["sets"]["tiny"]) == {"entailment", "floor_overlap", "floor_cosine", "margin"}
    assert verdict["ships"] is False
    assert (tmp_path / "out" / "measures.jsonl").is_file()


def test_run_entailment_refuses_no_time(tmp_path: Path):
    with pytest.raises(InvalidParameterError, match="minutes"):
        run_entailment(EntailmentRun(tmp_path, tmp_path, tmp_path, minutes=0))


def test_split_groups_cuts_through_no_group():
    pairs = [Pair("p", f"h{n}", "neutral", "k", f"g{n % 100}") for n in range(400)]
    training, held = split_groups(pairs, 0)
    assert len(held) == 8
    assert len(training) == 392
    assert not {pair.group for pair in training} & {pair.group for pair in held}
    assert split_groups(pairs, 0) == (training, held)


def test_validation_auc_leaves_out_parts_of_one_class():
    pairs = [
        Pair("the train moved", "the train", "entailment", "dialog_sgd/x", "1"),
        Pair("the train moved", "a bus", "neutral", "dialog_sgd/x", "1"),
        Pair("hello", "hello", "entailment", "fm2", "2"),
    ]
    assert validation_auc(pairs, by_words) == {"validation": 1.0, "validation_dialogues": 1.0}
    assert validation_auc([], by_words) == {}


def test_compare_ships_only_what_clears_every_floor():
    turns = (Turn("", "the train moved"), Turn("", "the bus waits"))

    def claim(text: str, label: int) -> LabelledClaim:
        return LabelledClaim(turns, (text,), label, "g")

    # Words of two messages: the floor of one message cannot see that both are there.
    rows = [claim("train bus moved waits", 1), claim("train plane boat moved", 0)]
    assert compare({"two": rows}, by_words)["ships"] is True

    def flat(premises: Sequence[str], hypotheses: Sequence[str]) -> np.ndarray:
        return np.full((len(premises), 3), 1 / 3, dtype=np.float32)

    assert compare({"two": rows}, flat)["ships"] is False
    easy = [claim("train moved", 1), claim("plane boat", 0)]
    assert compare({"easy": easy, "two": rows}, by_words)["ships"] is False
