"""``memguard bench memory``: the figures that it prints, at small sizes."""

from __future__ import annotations

import numpy as np
import pytest

from memguard.bench import memory
from memguard.bench.parts import measure_parts
from memguard.cli import main
from memguard.errors import MemGuardError
from memguard.memory.merging import exact_cosine


def test_the_made_vectors_lie_on_both_sides_of_the_threshold():
    """A bench where all or nothing merges would measure nothing."""
    rows = memory.told_facts(400)
    cosines = [exact_cosine(a, b) for i, a in enumerate(rows) for b in rows[i + 1 :]]

    near = np.array([c for c in cosines if c > 0.5])
    assert rows.dtype == np.float32
    assert rows.shape == (400, 768)
    assert len(near) == 400 / 4 * 6
    assert 0.3 < (near > 0.92).mean() < 0.95


def test_the_merge_decides_as_the_plain_scan(monkeypatch):
    """B21: and says so if it does not."""
    figures = {figure.name: figure for figure in memory.PARTS["merge"](True)}

    beside = figures["… beside the plain scan at 200"]
    assert beside.note.endswith("identical")
    assert beside.reached
    assert figures["merge 1,000 entries"].value > 0
    monkeypatch.setattr(memory, "plain_pairs", lambda vectors, threshold: [])
    figures = {figure.name: figure for figure in memory.PARTS["merge"](True)}
    assert figures["… beside the plain scan at 200"].note == "DECISIONS DIFFER"
    assert figures["… beside the plain scan at 200"].reached is False


def test_the_command_measures_every_part_in_a_process_of_its_own(capsys):
    assert main(["bench", "memory", "--quick"]) == 0  # not strict: a busy machine is no fault

    printed = capsys.readouterr().out
    assert "`memguard bench memory --quick`" in printed
    assert "| merge 1,000 entries |" in printed
    assert "| peak memory, merge |" in printed


def test_a_part_that_fails_is_named():
    with pytest.raises(MemGuardError, match="measuring nothing failed: KeyError: 'nothing'"):
        measure_parts("memguard.bench.memory", {"nothing": lambda quick: []}, progress=print, quick=True)
