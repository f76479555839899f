"""Write the golden files anew: ``.venv/bin/python -m tests.golden.regenerate``.

Each holds what MemGuard makes of one sample conversation with the fake embedder and the fake
summarizer, whose output no machine changes: the wire form of a run, that of a check of the sample's
drift claims, and the digest of every stage. Look at the difference before you commit it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from memguard import audit, wire
from memguard.models.tokens import BartTokenCounter
from memguard.trace import Trace
from memguard.transcripts.samples import load_sample, sample_paths
from tests.support import FakeSummarizer, guard

FOLDER = Path(__file__).parent
NAMES = tuple(path.stem for path in sample_paths())


def first_sentences(lines: list[str]) -> str:
    """Summarise by the first sentence of every third line, and one thing that nobody said."""
    firsts = [line.split(": ", 1)[1].split(". ")[0].rstrip(".") + "." for line in lines[::3]]
    return " ".join([*firsts, "Nobody has ever been to the moon."])


def golden(name: str) -> dict[str, Any]:
    """Return what the golden file of a sample should hold."""
    sample = load_sample(next(path for path in sample_paths() if path.stem == name))
    made = guard(summarizer=FakeSummarizer(first_sentences), counter=BartTokenCounter())
    traces = {
        "run": made.run(sample.conversation),
        "check": made.check("\n".join(drift.claim for drift in sample.drift), sample.conversation),
    }
    return {kind: _row(trace, f"{name}/{kind}") for kind, trace in traces.items()}


def _row(trace: Trace, id: str) -> dict[str, Any]:
    digests = {record.stage: record.output_digest for record in audit.records(trace)}
    return {"result": wire.result(trace, audit_head=None, id=id), "digests": digests}


def dumps(value: dict[str, Any]) -> str:
    """Return the text of a golden file."""
    return json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


if __name__ == "__main__":
    for sample_name in NAMES:
        (FOLDER / f"{sample_name}.json").write_text(dumps(golden(sample_name)), encoding="utf-8")
