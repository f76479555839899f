"""Dialogues that corpora are made from: reading them, and giving their speakers names."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memguard.errors import TranscriptError
from memguard.segmentation import sentence_spans
from memguard.training.evidence import Turn
from memguard.training.pairs import read_lines
from memguard.training.restate import Person
from memguard.training.words import FEMALE, MALE

_ROLES = frozenset("user system assistant doctor patient guest_clinician guest_family".split())
_NOISE = re.compile(r"\{[a-z]+\}|\[[^\]]*\]")


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A dialogue with what people wrote about it.

    Attributes:
        id: Also the group of every pair that is made from it.
        turns: In order.
        summaries: Summaries, notes or answers of people.
        slots: What a task-oriented dialogue agreed on: (service, slot, values).
        answers: Answers about a part: (text, first turn, last turn).
        patient: How a note names the patient, after renaming.
    """

    id: str
    turns: tuple[Turn, ...]
    summaries: tuple[str, ...] = ()
    slots: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    answers: tuple[tuple[str, int, int], ...] = ()
    patient: str = ""

    @property
    def speakers(self) -> tuple[str, ...]:
        """The speakers' names in the order in which they first speak."""
        return tuple(dict.fromkeys(turn.speaker for turn in self.turns))


def read_dialogues(path: Path) -> list[Dialogue]:
    """Read a file of dialogues: ``id``, ``messages`` and, where they are, ``summaries`` and the rest.

    Raises:
        TranscriptError: If a row is no dialogue; names file and line.
    """
    dialogues = []
    for number, row in enumerate(read_lines(path), start=1):
        try:
            dialogues.append(_dialogue(row))
        except (KeyError, TypeError, ValueError) as error:
            raise TranscriptError(f"not a dialogue: {error!r}", source=str(path), line=number) from error
    return dialogues


def _dialogue(row: dict[str, Any]) -> Dialogue:
    turns = tuple(Turn(str(m["speaker"]), _clean(str(m["content"]))) for m in row["messages"])
    state = row.get("final_state") or {}
    slots = tuple((*name.partition(".")[::2], tuple(map(str, values))) for name, values in state.items())
    answers = tuple(
        (str(qa["answer"]), int(qa["spans"][0][0]), int(qa["spans"][-1][1]))
        for qa in row.get("qa") or ()
        if qa.get("spans")
    )
    return Dialogue(str(row["id"]), turns, tuple(map(str, row.get("summaries") or ())), slots, answers)


def _clean(text: str) -> str:
    """Take transcription marks out and close the space before punctuation."""
    text = re.sub(r"\s+", " ", _NOISE.sub("", text)).strip()
    return re.sub(r" (?=[.,?!;:'])", "", text.replace(" n't", "n't"))


def name_speakers(dialogue: Dialogue, rng: random.Random) -> Dialogue:
    """Give speakers that are only roles ("User", "Doctor") first names; others keep theirs."""
    roles = [s for s in dialogue.speakers if s.lower() in _ROLES]
    taken = {word for turn in dialogue.turns for word in re.findall(r"\w+", turn.content)}
    free = [name for name in (*FEMALE, *MALE) if name not in taken and name not in dialogue.speakers]
    names = dict(zip(roles, rng.sample(free, len(roles)), strict=True))
    turns = tuple(Turn(names.get(t.speaker, t.speaker), t.content) for t in dialogue.turns)
    patient = next((new for old, new in names.items() if old.lower() == "patient"), "")
    return Dialogue(dialogue.id, turns, dialogue.summaries, dialogue.slots, dialogue.answers, patient)


def people(dialogue: Dialogue) -> dict[str, Person]:
    """Return the persons who speak, by name."""
    return {name: Person.called(name) for name in dialogue.speakers}


def listener_of(turns: Sequence[Turn], index: int) -> str:
    """Return who is spoken to: the speaker before, or else the next one; "" where there is neither."""
    own = turns[index].speaker
    before = (t.speaker for t in reversed(turns[:index]) if t.speaker != own)
    after = (t.speaker for t in turns[index + 1 :] if t.speaker != own)
    return next(before, "") or next(after, "")


def sentences(text: str) -> list[str]:
    """Return the sentences of a text."""
    return [text[a:b] for a, b in sentence_spans(text)]
