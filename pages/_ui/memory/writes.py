"""What this session wrote into the store, each write with its undo and redo."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from memguard.errors import MemGuardError
from memguard.memory.store import MemoryStore


@dataclass
class Write:
    """One write.

    Attributes:
        words: What it did, for people: "Archived 15 entries as noise".
        seq: The record that undoing takes back: the write's own, or that of its last undo or redo.
        undone: Whether it is taken back now.
    """

    words: str
    seq: int
    undone: bool = False


@dataclass
class Writes:
    """The writes of a session, the oldest first; each is undone by itself."""

    done: list[Write] = field(default_factory=list)

    def note(self, words: str, seq: int) -> None:
        """Remember a write by its record."""
        self.done.append(Write(words, seq))

    def last(self, *, undone: bool) -> Write | None:
        """Return what Undo takes, the last that stands; or Redo, the first taken back after that."""
        if undone:
            standing = max((n for n, write in enumerate(self.done) if not write.undone), default=-1)
            return next((write for write in self.done[standing + 1 :] if write.undone), None)
        return next((write for write in reversed(self.done) if not write.undone), None)


def turn(store: MemoryStore, write: Write) -> MemGuardError | None:
    """Take a write back, or do one again that was taken back; return what forbids it.

    Raises nothing of MemGuard's: an entry that somebody changed since is a thing to say on the page.
    """
    try:
        write.seq = store.undo(write.seq).seq
    except MemGuardError as error:
        return error
    write.undone = not write.undone
    return None


def of_entry(store: MemoryStore, entry_id: str, act: Callable[[str], object]) -> int:
    """Do something to one entry and return its record; other writers may have added theirs meanwhile."""
    before = store.stats().n_records - 1
    act(entry_id)
    return record_after(store, before, entry_id)


def record_after(store: MemoryStore, seq: int, entry_id: str) -> int:
    """Return the first record after ``seq`` that tells of an entry."""
    return next(
        record.seq
        for record in store.records(after=seq)
        if any(change.get("id") == entry_id for change in record.detail["changes"])
    )
