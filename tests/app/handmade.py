"""A run whose measurements are made by hand, so that every label, reason and severity occurs."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from memguard.eliminator import Elimination
from memguard.grounding.claims import Claim, ClaimKind
from memguard.grounding.verdicts import Evidence, Finding, ScoredClaim, Severity, judge
from memguard.guard import MemGuard
from memguard.messages import Conversation, SourceSpan
from memguard.settings import Settings
from memguard.trace import StageTiming, Trace
from tests.fakes import FakeCounter, FakeEmbedder, FakeSummarizer

TALK = [
    {
        "id": "m1",
        "role": "user",
        "speaker": "Mira",
        "content": "The deposit is 400 euros. Please keep the receipt for me.",
    },
    {
        "id": "m2",
        "role": "assistant",
        "speaker": "Jonas",
        "content": "Jonas here. I paid the deposit on Monday by bank transfer.",
    },
    {
        "id": "m3",
        "role": "user",
        "speaker": "Mira",
        "content": "Thank you. The keys are with the neighbour until Friday at noon.",
    },
    {
        "id": "m4",
        "role": "assistant",
        "speaker": "Jonas",
        "content": "I will collect the keys on Thursday after work. There are 12 boxes in the cellar.",
    },
    {
        "id": "m5",
        "role": "user",
        "speaker": "Mira",
        "content": "Die Schlüssel liegen beim Nachbarn und bleiben dort.",
    },
]
SAID = (
    "The deposit is 500 euros.",
    "Jonas paid the deposit on Monday by bank transfer.",
    "The keys are with the neighbour until Friday at noon.",
    "Would she like a receipt?",
    "Die Schlüssel liegen beim Nachbarn und bleiben dort.",
    "The deposit was burned in protest.",
    "Mira will collect the keys on Thursday after work.",
    "About a dozen boxes are in the cellar.",
    "The landlord keeps the keys on Friday.",
)
SUMMARY = " ".join(SAID)
SETTINGS = (
    Settings().with_value("elimination.min_similarity", 0.6).with_value("reconstruction.citations", "full")
)
"""Two of the claims lie below this minimum and above the default; with full citations one does not fit."""
_Seen = tuple[str, Severity, str, tuple[str, str] | None, str]


def handmade(
    settings: Settings | None = None, *, detail: str = "500 ≠ 400 (m1)", guard: str = "quantities"
) -> Trace:
    """Return a complete trace; ``detail`` and ``guard`` are those of the first claim's finding."""
    settings = settings or SETTINGS
    models = MemGuard(embedder=FakeEmbedder(), summarizer=FakeSummarizer(SUMMARY), counter=FakeCounter())
    pipeline = models.pipeline
    trace = pipeline.step(Trace(Conversation.from_messages(TALK), settings))
    scored = measured(trace.conversation, detail, guard)
    elimination = Elimination(
        verdicts=tuple(judge(claim, settings.elimination) for claim in scored),
        scored=scored,
        embedder="fake/all-mpnet-base-v2@1",
        n_candidates=9,
        central=(_span(trace.conversation, "m1", "The deposit is 400 euros."),),
    )
    trace = trace.with_result(
        elimination, StageTiming("elimination", datetime(2026, 11, 30, tzinfo=UTC), 0.01)
    )
    return pipeline.finish(trace)


def measured(conversation: Conversation, detail: str, guard: str) -> tuple[ScoredClaim, ...]:
    """Return what was measured of every sentence of ``SAID``."""
    contradiction, missing, match = Severity.CONTRADICTION, Severity.MISSING, Severity.MATCH
    deposit, paid = (
        ("m1", "The deposit is 400 euros."),
        ("m2", "I paid the deposit on Monday by bank transfer."),
    )
    keys = ("m3", "The keys are with the neighbour until Friday at noon.")
    thursday = ("m4", "I will collect the keys on Thursday after work.")
    boxes = ("m4", "There are 12 boxes in the cellar.")
    rows: tuple[tuple[float, float, tuple[tuple[str, str], ...], tuple[_Seen, ...], tuple[str, ...]], ...] = (
        (
            0.976,
            0.08,
            (deposit, paid),
            ((guard, contradiction, "500", ("m1", "400 euros"), detail),),
            ("500",),
        ),
        (0.93, 0.97, (paid,), (("speakers", match, "Jonas", ("m2", "I paid"), "Jonas = I (m2)"),), ()),
        (0.99, 0.98, (keys,), (), ()),
        (0.50, 0.40, (deposit,), (), ()),
        (0.72, 0.60, (("m5", TALK[4]["content"]),), (), ()),
        (0.31, 0.03, (deposit,), (), ("burned", "protest")),
        (
            0.91,
            0.55,
            (thursday,),
            (
                (
                    "speakers",
                    contradiction,
                    "Mira",
                    ("m4", "I will"),
                    "Mira, where Jonas says it of himself (m4)",
                ),
            ),
            (),
        ),
        (0.88, 0.91, (boxes,), (("quantities", match, "a dozen", ("m4", "12"), "a dozen = 12 (m4)"),), ()),
        (
            0.70,
            0.20,
            (keys,),
            (("entities", missing, "landlord", None, "landlord is not in the transcript"),),
            ("landlord",),
        ),
    )
    found, at = [], 0
    for number, (said, (similarity, support, places, seen, unsupported)) in enumerate(
        zip(SAID, rows, strict=True), 1
    ):
        kind = ClaimKind.QUESTION if said.endswith("?") else ClaimKind.STATEMENT
        found.append(
            ScoredClaim(
                claim=Claim(f"c{number}", said, (at, at + len(said)), said, kind=kind),
                evidence=tuple(
                    Evidence(_span(conversation, *place), round(similarity - 0.3 * n, 6))
                    for n, place in enumerate(places)
                ),
                findings=tuple(
                    Finding(name, severity, _part(said, words), where and _span(conversation, *where), line)
                    for name, severity, words, where, line in seen
                ),
                support=support,
                unsupported=tuple(_part(said, words) for words in unsupported),
                review="the guards read English alone" if said.startswith("Die") else "",
            )
        )
        at += len(said) + 1
    return tuple(found)


def with_preset(preset: str) -> Settings:
    """Return ``SETTINGS`` under a preset."""
    return SETTINGS.with_value("elimination.preset", preset)


def rejudged(trace: Trace, settings: Settings) -> Trace:
    """Return the run up to elimination, judged under other settings."""
    scored = trace[Elimination].scored
    elimination = replace(
        trace[Elimination], verdicts=tuple(judge(claim, settings.elimination) for claim in scored)
    )
    return replace(
        trace, settings=settings, results=(trace.results[0], elimination), timings=trace.timings[:2]
    )


def _span(conversation: Conversation, message_id: str, words: str) -> SourceSpan:
    return SourceSpan(message_id, *_part(conversation.message(message_id).content, words))


def _part(text: str, words: str) -> tuple[int, int]:
    start = text.index(words)
    return start, start + len(words)
