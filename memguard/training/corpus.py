"""The corpus that the entailment model is trained on, made anew from its sources by one seed."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from memguard.drift.mistakes import Context
from memguard.drift.stems import content_stems
from memguard.errors import InvalidParameterError
from memguard.training.claims import TrueClaim, agreed, answered, entities, restated, written
from memguard.training.corruptions import CONTRADICTING, corrupt, reword
from memguard.training.dialogues import Dialogue, name_speakers, read_dialogues
from memguard.training.evidence import Turn, pick_indexes, split_turns
from memguard.training.pairs import PERMISSIVE, PERMISSIVE_ROWS, Pair, PairLabel, read_pairs
from memguard.training.words import FEMALE, MALE


@dataclass(frozen=True, slots=True)
class DialogueSource:
    """How pairs are made from one file of dialogues.

    Attributes:
        file: Without its endings.
        named: Share of dialogues whose roles get first names.
        claims: Claims taken from one dialogue at most.
        rounds: How often a dialogue is gone through, each time with other names and mistakes.
        least_shared: See :func:`memguard.training.claims.written`.
    """

    file: str
    named: float
    claims: int
    rounds: int = 1
    least_shared: float = 0.6


DIALOGUES: tuple[DialogueSource, ...] = (
    DialogueSource("dialog_sgd", 0.85, 5),
    DialogueSource("dialog_taskmaster4", 0.85, 2),
    DialogueSource("dialog_mts", 0.5, 7, rounds=2),
    DialogueSource("dialog_aci", 0.5, 30, rounds=2, least_shared=0.7),
    DialogueSource("dialog_crd3", 0.0, 5, rounds=2, least_shared=0.55),
    DialogueSource("dialog_qmsum_train", 0.0, 50, rounds=2, least_shared=0.7),
)


@dataclass(frozen=True, slots=True)
class CorpusOptions:
    """What the corpus is made from.

    Attributes:
        pairs: The folder with the files of NLI pairs and of dialogues (``bench/nli``).
        rows: The folder with the files of grounding rows (``bench/train``); None to leave them out.
        seed: Of every choice.
        max_words: The longest premise.
        scale: Multiplies the caps of all files; 1.0 for the whole corpus.
    """

    pairs: Path
    rows: Path | None = None
    seed: int = 0
    max_words: int = 95
    scale: float = 1.0


def build_corpus(options: CorpusOptions) -> list[Pair]:
    """Read and make all pairs, in one shuffled order that follows from the seed.

    Raises:
        InvalidParameterError: If the folder of pairs holds none of the files.
        TranscriptError: If a row cannot be read; names file and line.
    """
    pairs: list[Pair] = []
    for folder, caps in ((options.pairs, PERMISSIVE), (options.rows, PERMISSIVE_ROWS)):
        for name, cap in caps.items():
            path = folder / f"{name}.jsonl.gz" if folder else None
            if path and path.is_file():
                rng = random.Random(f"{options.seed}:{name}")  # noqa: S311  # a seed, not a secret
                read = read_pairs(path, max(1, round(cap * options.scale)), rng, max_words=options.max_words)
                pairs += in_chat(read, rng) if caps is PERMISSIVE else read
    for source in DIALOGUES:
        path = options.pairs / f"{source.file}.jsonl.gz"
        if path.is_file():
            pairs += dialogue_pairs(read_dialogues(path), source, options)
    if not pairs:
        raise InvalidParameterError(
            f"pairs must be a folder with files such as vitaminc_real.jsonl.gz; got {options.pairs}"
        )
    random.Random(options.seed).shuffle(pairs)  # noqa: S311  # a seed, not a secret
    return pairs


def in_chat(pairs: Sequence[Pair], rng: random.Random) -> Iterator[Pair]:
    """Put some premises into a speaker's mouth and between other lines, so that they look like a chat.

    A hypothesis "X says that …" about words of Y is not entailed; lines around a premise change
    nothing.
    """
    names = (*FEMALE, *MALE)
    for pair in pairs:
        premise, hypothesis, label = pair.premise, pair.hypothesis, pair.label
        if len(premise.split()) > 60 or rng.random() < 0.5:
            yield pair
            continue
        speaker, other = rng.sample(names, 2)
        lines = [f"{speaker}: {premise}"]
        for _ in range(rng.randint(0, 2)):
            more = rng.choice(pairs).premise
            if len(more.split()) < 25 and more != premise:
                lines.insert(rng.choice((0, len(lines))), f"{other}: {more}")
        if rng.random() < 0.35:
            low = (
                hypothesis
                if hypothesis.split()[0].lower() not in _LOWER
                else hypothesis[0].lower() + hypothesis[1:]
            )
            wrong = label == "entailment" and rng.random() < 0.4
            hypothesis = f"{other if wrong else speaker} says that {low}"
            label = "not_entailment" if wrong else label
        yield Pair("\n".join(lines), hypothesis, label, pair.kind + "+chat", pair.group)


_LOWER = frozenset(
    "the a an there it in this these some his her two three people someone during after on".split()
)


def dialogue_pairs(
    dialogues: Sequence[Dialogue], source: DialogueSource, options: CorpusOptions
) -> list[Pair]:
    """Make pairs from the dialogues of one file."""
    rng = random.Random(f"{options.seed}:{source.file}")  # noqa: S311  # a seed, not a secret
    most = max(1, round(len(dialogues) * options.scale))
    pool: dict[str, list[str]] = {}
    things = entities(dialogues)
    pairs: list[Pair] = []
    for _ in range(source.rounds):
        for dialogue in dialogues[:most]:
            named = name_speakers(dialogue, rng) if rng.random() < source.named else dialogue
            pairs += _Maker(named, source, options, rng, things).pairs(pool)
    return pairs


class _Maker:
    """Makes the pairs of one dialogue."""

    def __init__(
        self,
        dialogue: Dialogue,
        source: DialogueSource,
        options: CorpusOptions,
        rng: random.Random,
        things: Sequence[str],
    ) -> None:
        self._dialogue, self._source, self._options, self._rng = dialogue, source, options, rng
        self._things = tuple(rng.sample(things, min(12, len(things))))

    def pairs(self, pool: dict[str, list[str]]) -> Iterable[Pair]:
        own = self._source.file in {"dialog_crd3", "dialog_qmsum_train"}
        claims: list[tuple[TrueClaim, str]] = [
            (c, "") for c in restated(self._dialogue, self._rng, only_own=own)
        ]
        people_wrote = [(c, "") for c in written(self._dialogue, self._rng, self._source.least_shared)]
        made = [*answered(self._dialogue), *agreed(self._dialogue, self._rng, pool)]
        texts = [(c.text, c.turns) for c, _ in (*claims, *people_wrote, *made)]
        most = self._source.claims
        chosen = self._sample(people_wrote, most)
        chosen += self._sample(made, most // 2)
        chosen += self._sample(claims, max(most - len(chosen), 2))
        for claim, wrong in chosen:
            yield from self._of_claim(claim, wrong, texts)

    def _sample(self, claims: Sequence[tuple[TrueClaim, str]], most: int) -> list[tuple[TrueClaim, str]]:
        return self._rng.sample(claims, min(len(claims), most))

    def _of_claim(
        self, claim: TrueClaim, wrong: str, texts: Sequence[tuple[str, tuple[int, ...]]]
    ) -> Iterator[Pair]:
        rng = self._rng
        room = rng.randint(25, 55) if rng.random() < 0.5 else rng.randint(55, self._options.max_words)
        picked, evidence = self._evidence(claim.text, room, claim.turns)
        inside = tuple(t for t, turns in texts if set(turns) <= picked and turns and t != claim.text)
        around = tuple(t for t, _ in texts if t != claim.text)
        speakers = self._dialogue.speakers
        close = Context(speakers, evidence, inside, self._things)
        true = reword(claim.text, close, rng) if rng.random() < 0.35 else None
        yield self._pair(evidence, true or claim.text, "entailment", claim.kind)
        if wrong and rng.random() < 0.6:
            yield self._pair(evidence, wrong, "contradiction", claim.kind + ":wrong")
        elif rng.random() < 0.92:
            others = (*rng.sample(around, min(6, len(around))), *inside[:4])
            made = corrupt(true or claim.text, Context(speakers, evidence, others, self._things), rng)
            if made:
                label: PairLabel = "contradiction" if made[0] in CONTRADICTING else "not_entailment"
                yield self._pair(evidence, made[1], label, f"{claim.kind}:{made[0]}")
        if rng.random() < 0.18 and claim.turns and len(self._dialogue.turns) > len(claim.turns) + 2:
            _, without = self._evidence(claim.text, room, (), claim.turns)
            stems = set(content_stems(claim.text))
            # Where other turns hold nearly all of the words, they may well support the claim too.
            if len(stems & set(content_stems(without))) < 0.75 * len(stems):
                yield self._pair(without, claim.text, "neutral", claim.kind + ":elsewhere")

    def _evidence(
        self, text: str, room: int, always: Sequence[int], never: Sequence[int] = ()
    ) -> tuple[set[int], str]:
        """Return the indexes of the turns that were picked, and their lines."""
        kept = [i for i in range(len(self._dialogue.turns)) if i not in never]
        turns = [self._dialogue.turns[i] for i in kept]
        picked = pick_indexes(turns, text, room, [kept.index(i) for i in always if i in kept])
        lines: list[Turn] = []
        for index in picked:
            turn = turns[index]
            if len(turn.line.split()) > room:
                parts = split_turns([turn])
                lines += [parts[i] for i in pick_indexes(parts, text, room)]
            else:
                lines.append(turn)
        return {kept[i] for i in picked}, "\n".join(line.line for line in lines)

    def _pair(self, premise: str, hypothesis: str, label: PairLabel, kind: str) -> Pair:
        return Pair(premise, hypothesis, label, f"{self._source.file}/{kind}", self._dialogue.id)
