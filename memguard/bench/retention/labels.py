"""Statements labelled by hand: does the transcript bear out what a system says of it?

``memguard bench retention --statements FILE`` draws statements of every system without a verdict beside
them; a person writes ``supported`` into each row; the labelled file lies beside this module. A label
belongs to the words it was given to: where a system says something else by now, the table tells how many
of the labelled statements it still makes.

The rules are those of the samples' drift claims: every part must be stated or follow by plain
normalisation; the right person must have said or done it; plans, questions and offers are no facts unless
told as such; of a value that changed the last one counts, unless the earlier one is told as history.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memguard.bench.retention.measure import Run
from memguard.errors import BenchmarkDataError

SHIPPED = Path(__file__).with_name("data") / "labels.jsonl"
_FIELDS = ("system", "dataset", "conversation", "speaker", "statement")


@dataclass(frozen=True, slots=True)
class Labelled:
    """One statement with its label.

    Attributes:
        system: Who made it.
        dataset: Of which set.
        conversation: Of which conversation.
        speaker: Whose words it quotes, if any.
        statement: As it was made.
        supported: The label.
    """

    system: str
    dataset: str
    conversation: str
    speaker: str
    statement: str
    supported: bool

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What a run must say again for the label to hold of it."""
        return self.system, self.dataset, self.conversation, self.statement


@dataclass(frozen=True, slots=True)
class ByHand:
    """What the labels of one system say.

    Attributes:
        supported: Share of its labelled statements that are supported.
        n: How many are labelled.
        current: How many of them it still makes.
    """

    supported: float
    n: int
    current: int


def drawn(runs: Mapping[str, Sequence[Run]], n: int, *, seed: int = 0) -> list[dict[str, Any]]:
    """Draw ``n`` statements of each system, evenly over its conversations, without a label.

    The rows of all systems are shuffled together, so that who labels does not see whose they are next to.
    """
    rows = []
    generator = random.Random(seed)  # noqa: S311  a draw, no secret
    for system, made in runs.items():
        waiting = [[(run, s) for s in run.output.statements if s.text.strip()] for run in made]
        for pile in waiting:
            generator.shuffle(pile)
        taken: list[dict[str, Any]] = []
        while any(waiting) and len(taken) < n:
            for pile in waiting:
                if pile and len(taken) < n:
                    run, statement = pile.pop()
                    taken.append(
                        {
                            "system": system,
                            "dataset": run.reference.dataset,
                            "conversation": run.reference.name,
                            "speaker": statement.speaker,
                            "statement": statement.text,
                            "supported": None,
                        }
                    )
        rows += taken
    generator.shuffle(rows)
    return rows


def read_labels(path: Path = SHIPPED) -> tuple[Labelled, ...]:
    """Read labelled statements; none where the file is not there.

    Raises:
        BenchmarkDataError: A row is not one of ours, or is not labelled; names file and line.
    """
    if not path.is_file():
        return ()
    found = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            raw = json.loads(line)
            texts = {name: raw[name] for name in _FIELDS}
            label = raw["supported"]
        except (ValueError, KeyError, TypeError) as error:
            raise BenchmarkDataError(
                f"{path}, line {number}: not a labelled statement ({error!r})"
            ) from error
        if not isinstance(label, bool) or not all(isinstance(text, str) for text in texts.values()):
            raise BenchmarkDataError(
                f"{path}, line {number}: supported must be true or false, and the other fields texts"
            )
        found.append(Labelled(**texts, supported=label))
    return tuple(found)


def by_hand(system: str, dataset: str, labels: Iterable[Labelled], runs: Iterable[Run]) -> ByHand | None:
    """Return what the labels of one system on one set say; None without any."""
    mine = [label for label in labels if (label.system, label.dataset) == (system, dataset)]
    if not mine:
        return None
    made = {
        (system, dataset, run.reference.name, statement.text)
        for run in runs
        for statement in run.output.statements
    }
    return ByHand(
        supported=sum(label.supported for label in mine) / len(mine),
        n=len(mine),
        current=sum(label.key in made for label in mine),
    )
