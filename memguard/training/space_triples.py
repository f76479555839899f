"""Triples that the separation map of :mod:`memguard.geometry.space` is trained on.

A triple holds a text, one that belongs near it and one that belongs far: evidence with a grounded
and a corrupted claim, a claim with evidence for and against it, or a claim with its evidence and
another sentence of the same dialogue, so that the right sentence is still found. Premises are cut to
the sentences that the claims need most: at run time a claim is compared with single sentences.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from memguard.drift.mistakes import Context
from memguard.drift.stems import content_stems
from memguard.errors import InvalidParameterError
from memguard.training.claims import TrueClaim, entities, restated, written
from memguard.training.corruptions import corrupt
from memguard.training.dialogues import Dialogue, name_speakers, read_dialogues, sentences
from memguard.training.evidence import Turn, pick_evidence
from memguard.training.pairs import read_lines

PAIR_FILES: dict[str, int] = {
    "vitaminc_real": 900,
    "vitaminc_synthetic": 200,
    "fever_symmetric_adv": 300,
    "fm2": 300,
    "cad_snli": 500,
    "coref_gap": 150,
    "summedits_nondialogue": 200,
    "negation_nli": 100,
}
"""Permissive files of NLI pairs, and how many triples to take from each at most."""
ROW_FILES: dict[str, int] = {
    "bump": 300,
    "faithdial_audit": 150,
    "q2_wow": 150,
    "begin": 100,
    "summedits_sales": 80,
}
"""The same for permissive files of grounding rows."""
DIALOGUE_FILES: dict[str, int] = {
    "dialog_sgd": 1_400,
    "dialog_taskmaster4": 500,
    "dialog_mts": 500,
    "dialog_aci": 500,
    "dialog_crd3": 500,
    "dialog_qmsum_train": 500,
}
"""The same for permissive files of dialogues."""
_UNSEEN = frozenset({"speakers", "mix"})
"""Mistakes that a sentence without its speaker cannot show."""
_EVIDENCE_WORDS = 40
_CLAIM_WORDS = 45
_TEXT_WORDS = 60  # a longer text is no sentence, and costs a pass of the model ten times as long
_A_PREMISE = 2  # triples of one premise or claim at most
_A_DIALOGUE = {"dialog_aci": 8, "dialog_qmsum_train": 8, "dialog_crd3": 3}
_TRIES = 4


@dataclass(frozen=True, slots=True)
class Triple:
    """One example.

    Attributes:
        anchor: Evidence, or a claim.
        near: The claim that the evidence grounds, or the evidence that grounds the claim.
        far: The claim that it does not, or the evidence that does not.
        kind: The file it is from and, for a corruption, its kind.
        group: Triples of one group share text: a validation split must not cut through it.
    """

    anchor: str
    near: str
    far: str
    kind: str
    group: str

    @property
    def texts(self) -> tuple[str, str, str]:
        """Anchor, near and far."""
        return self.anchor, self.near, self.far

    @property
    def n_words(self) -> int:
        """Words of the longest text."""
        return max(len(text.split()) for text in self.texts)


@dataclass(frozen=True, slots=True)
class TripleOptions:
    """What the triples are made from.

    Attributes:
        pairs: The folder with the files of NLI pairs and of dialogues.
        rows: The folder with the files of grounding rows; None to leave them out.
        seed: Of every choice.
        scale: Multiplies the caps of all files.
    """

    pairs: Path
    rows: Path | None = None
    seed: int = 0
    scale: float = 1.0


def build_triples(options: TripleOptions) -> list[Triple]:
    """Read and make all triples, in one shuffled order that follows from the seed.

    Raises:
        InvalidParameterError: If the folders hold none of the files.
        TranscriptError: If a row cannot be read; names file and line.
    """
    triples: list[Triple] = []
    for folder, caps in ((options.pairs, PAIR_FILES), (options.rows, ROW_FILES)):
        for name, cap in caps.items():
            path = folder / f"{name}.jsonl.gz" if folder else None
            if path is not None and path.is_file():
                rng = random.Random(f"{options.seed}:{name}")  # noqa: S311  # a seed, not a secret
                found = [triple for triple in contrasts(path, rng) if triple.n_words <= _TEXT_WORDS]
                triples += rng.sample(found, min(len(found), _cap(cap, options)))
    for name, cap in DIALOGUE_FILES.items():
        path = options.pairs / f"{name}.jsonl.gz"
        if path.is_file():
            rng = random.Random(f"{options.seed}:{name}")  # noqa: S311  # a seed, not a secret
            triples += _of_dialogues(read_dialogues(path), name, _cap(cap, options), rng)
    if not triples:
        raise InvalidParameterError(
            f"pairs must be a folder with files such as vitaminc_real.jsonl.gz; got {options.pairs}"
        )
    random.Random(options.seed).shuffle(triples)  # noqa: S311  # a seed, not a secret
    return triples


def contrasts(path: Path, rng: random.Random) -> Iterator[Triple]:
    """Yield triples from the pairs of one file that share a premise, or else a claim.

    Raises:
        TranscriptError: If a line is not a JSON object; names file and line.
    """
    name = path.name.split(".")[0]
    by_premise: dict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    by_claim: dict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    turns: dict[str, list[Turn]] = {}
    groups: dict[str, str] = {}
    for row in read_lines(path):
        if "premise" in row:
            claim, false = str(row["hypothesis"]), row["label"] != "entailment"
            source = [Turn("", str(row["premise"]))]
            group = str(row.get("group") or row["premise"])
        else:
            claim, false = str(row["claim"]), not row["label"]
            source = [Turn("", str(message["content"])) for message in row["source_messages"]]
            group = str(row["source_id"])
        if not claim.strip() or len(claim.split()) > _CLAIM_WORDS:
            continue
        premise = " ".join(turn.content for turn in source)
        turns[premise], groups[premise] = source, f"{name}:{group}"
        by_premise[premise][false].append(claim)
        by_claim[claim][false].append(premise)
    for premise, (true, wrong) in by_premise.items():
        for near, far in _matched(true, wrong, rng):
            evidence = pick_evidence(turns[premise], near, _EVIDENCE_WORDS)
            yield Triple(evidence, near, far, name, groups[premise])
    for claim, (for_it, against) in by_claim.items():
        for near, far in _matched(for_it, against, rng):
            texts = [pick_evidence(turns[premise], claim, _EVIDENCE_WORDS) for premise in (near, far)]
            if texts[0] != texts[1]:
                yield Triple(claim, texts[0], texts[1], name, groups[near])


def _matched(true: Sequence[str], wrong: Sequence[str], rng: random.Random) -> list[tuple[str, str]]:
    """Pair the two sides in random order, as many as both have."""
    pairs = list(zip(rng.sample(true, len(true)), rng.sample(wrong, len(wrong)), strict=False))
    return [(a, b) for a, b in pairs[:_A_PREMISE] if a != b]


def _cap(cap: int, options: TripleOptions) -> int:
    return max(1, round(cap * options.scale))


def _of_dialogues(dialogues: Sequence[Dialogue], name: str, cap: int, rng: random.Random) -> list[Triple]:
    things = entities(dialogues)
    triples: list[Triple] = []
    for dialogue in rng.sample(dialogues, len(dialogues)):
        named = name_speakers(dialogue, rng)
        swapped_in = tuple(rng.sample(things, min(12, len(things))))
        triples += _of_dialogue(named, name, swapped_in, rng)
        if len(triples) >= cap:
            break
    return triples[:cap]


def _of_dialogue(
    dialogue: Dialogue, name: str, things: tuple[str, ...], rng: random.Random
) -> Iterator[Triple]:
    claims = [*restated(dialogue, rng, only_own=False), *written(dialogue, rng, 0.7)]
    texts = [claim.text for claim in claims]
    most = _A_DIALOGUE.get(name, 2)
    for claim in rng.sample(claims, min(len(claims), most)):
        if not claim.turns or len(claim.text.split()) > _CLAIM_WORDS:
            continue
        turns = [Turn("", dialogue.turns[i].content) for i in claim.turns]
        evidence = pick_evidence(turns, claim.text, _EVIDENCE_WORDS)
        if len(content_stems(evidence)) < 2 or len(evidence.split()) > _TEXT_WORDS:
            continue
        others = tuple(rng.sample(texts, min(len(texts), 6)))
        group = f"{name}:{dialogue.id}"
        other = _elsewhere(dialogue, claim)
        if other:
            yield Triple(claim.text, evidence, other, f"{name}:elsewhere", group)
        context = Context(dialogue.speakers, evidence, others, things)
        for _ in range(_TRIES):
            made = corrupt(claim.text, context, rng)
            if made is not None and made[0] not in _UNSEEN:
                yield Triple(evidence, claim.text, made[1], f"{name}:{made[0]}", group)
                break


def _elsewhere(dialogue: Dialogue, claim: TrueClaim) -> str:
    """Return the sentence of another turn that shares most with a claim, "" where it may support it."""
    wanted = set(content_stems(claim.text))
    best, most = "", 0.0
    for index, turn in enumerate(dialogue.turns):
        for sentence in () if index in claim.turns else sentences(turn.content):
            stems = set(content_stems(sentence))
            if len(stems) < 2 or len(sentence.split()) > _EVIDENCE_WORDS:
                continue
            shared = len(stems & wanted) / len(wanted | stems)
            if len(stems & wanted) < 0.75 * len(wanted) and (not best or shared > most):
                best, most = sentence, shared
    return best
