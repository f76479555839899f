"""Build the word relations of ``memguard.grounding.reading.lexicon`` from WordNet 3.0.

Usage: ``python scripts/build_lexicon.py [DICT_FOLDER] [OUT_FILE]``. The folder holds WordNet's
``data.*``, ``index.*`` and ``cntlist.rev`` (Debian: package ``wordnet-base``, /usr/share/wordnet).

Only what a guard can trust is taken: common words, their first senses, antonyms that WordNet marks
between words, opposites of an adjective's head where the adjective has one clear head, and synonyms
that count the sense in question among their own first ones. One line a lemma::

    lemma TAB parts of speech with counts TAB antonyms TAB near words TAB broader verbs
"""

from __future__ import annotations

import lzma
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

PARTS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
SENSES = 3  # of a word, the most frequent first
NOT_OPPOSITE = frozenset(
    # Two kinds of one thing, or the two ends of one act: both may be true of one event.
    "man woman boy girl male female masculine feminine brother sister son daughter husband wife king queen "
    "father mother uncle aunt nephew niece gentleman lady he she him her actor actress host hostess "
    "question answer ask teacher student learn teach give take come go day night body mind first last "
    "black white american asian read write doctor patient north south east west right-hand left-hand "
    "noun verb plural singular man's human artificial oral written be get have make do home away parent "
    "child ancestor descendant employer employee lead follow keep nonworker worker medical surgical "
    "indoor outdoor own borrow digital analogue analog other same out join live left right".split()
)


@dataclass
class Synset:
    """One sense: its words, and its pointers (symbol, part, offset, source word, target word)."""

    kind: str
    words: list[str]
    pointers: list[tuple[str, str, int, int, int]]


@dataclass
class Entry:
    """What is said of one lemma."""

    parts: dict[str, int] = field(default_factory=dict)
    antonyms: set[str] = field(default_factory=set)
    near: set[str] = field(default_factory=set)
    broader: set[str] = field(default_factory=set)


def read_synsets(path: Path) -> dict[int, Synset]:
    """Read a ``data.*`` file, keyed by offset."""
    found: dict[int, Synset] = {}
    for line in path.read_text(encoding="latin-1").splitlines():
        if line.startswith("  "):
            continue
        parts = line.split(" | ")[0].split()
        n_words = int(parts[3], 16)
        names = [parts[4 + 2 * i].split("(")[0].lower() for i in range(n_words)]
        at = 4 + 2 * n_words
        pointers = []
        for i in range(int(parts[at])):
            symbol, offset, part, pair = parts[at + 1 + 4 * i : at + 5 + 4 * i]
            pointers.append((symbol, part, int(offset), int(pair[:2], 16), int(pair[2:], 16)))
        found[int(parts[0])] = Synset(parts[2], names, pointers)
    return found


def read_index(path: Path) -> dict[str, list[int]]:
    """Read an ``index.*`` file: the senses of each lemma, the most frequent first."""
    found: dict[str, list[int]] = {}
    for line in path.read_text(encoding="latin-1").splitlines():
        if not line.startswith("  "):
            parts = line.split()
            n_pointers = int(parts[3])
            found[parts[0]] = [int(offset) for offset in parts[6 + n_pointers :]]
    return found


def read_counts(path: Path) -> dict[tuple[str, str], int]:
    """Read how often a lemma was tagged as each part of speech."""
    parts = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}
    counts: dict[tuple[str, str], int] = defaultdict(int)
    for line in path.read_text(encoding="latin-1").splitlines():
        sense, _, count = line.split()
        lemma, _, rest = sense.partition("%")
        counts[lemma.lower(), parts[rest[0]]] += int(count)
    return counts


class Builder:
    """Reads the folder and gathers the entries."""

    def __init__(self, folder: Path) -> None:
        self.synsets = {p: read_synsets(folder / f"data.{name}") for name, p in PARTS.items()}
        self.index = {p: read_index(folder / f"index.{name}") for name, p in PARTS.items()}
        self.counts = read_counts(folder / "cntlist.rev")
        self.entries: dict[str, Entry] = defaultdict(Entry)

    def build(self) -> dict[str, Entry]:
        """Gather every entry, then keep what is common or tells something."""
        for part, index in self.index.items():
            for lemma, offsets in index.items():
                if is_word(lemma, part):
                    self.add(lemma, part, offsets)
        return {lemma: entry for lemma, entry in self.entries.items() if self.is_kept(entry)}

    def is_kept(self, entry: Entry) -> bool:
        """Keep what was ever tagged, every opposite, and plain verbs and adjectives (for prefixes)."""
        tagged = sum(entry.parts.values())
        return bool(tagged or entry.antonyms or (("v" in entry.parts or "a" in entry.parts) and entry.near))

    def add(self, lemma: str, part: str, offsets: list[int]) -> None:
        """Add one lemma's first senses of one part of speech."""
        entry = self.entries[lemma]
        entry.parts[part] = self.counts.get((lemma, part), 0)
        for rank, offset in enumerate(offsets[:SENSES]):
            synset = self.synsets[part][offset]
            place = synset.words.index(lemma) + 1 if lemma in synset.words else 0
            self.add_pointers(lemma, synset, place, rank)
            if rank < 2:
                entry.near |= {w for w in synset.words if w != lemma and self.is_near(w, part, offset)}
            if part == "v" and rank == 0:
                entry.broader |= self.hypernyms(synset)

    def add_pointers(self, lemma: str, synset: Synset, place: int, rank: int) -> None:
        """Add opposites and derived forms of one sense."""
        entry = self.entries[lemma]
        for symbol, part, offset, source, target in synset.pointers:
            other = self.synsets["a" if part == "s" else part][offset]
            if symbol == "!" and source == place:
                word = other.words[target - 1]
                if {word, lemma}.isdisjoint(NOT_OPPOSITE) and is_word(word, part):
                    entry.antonyms.add(word)
            elif symbol in {"+", "\\"} and source == place and target:
                word = other.words[target - 1]
                if is_word(word, part):
                    entry.near.add(word)
            elif symbol == "&" and synset.kind == "s" and rank == 0 and self.is_adjective(lemma):
                entry.antonyms |= self.opposites_of_head(other)

    def opposites_of_head(self, head: Synset) -> set[str]:
        """Return the opposite of a cluster's head, where it has one only."""
        found = {
            self.synsets["a"][offset].words[target - 1]
            for symbol, _, offset, source, target in head.pointers
            if symbol == "!" and source == 1
        }
        return found if len(found) == 1 and found.isdisjoint(NOT_OPPOSITE) else set()

    def is_adjective(self, lemma: str) -> bool:
        """Tell whether a word is mostly an adjective and has one or two senses as such."""
        counts = {part: self.counts.get((lemma, part), 0) for part in "nvar"}
        return counts["a"] >= 2 and counts["a"] >= max(counts.values()) and len(self.index["a"][lemma]) <= 2

    def is_near(self, word: str, part: str, offset: int) -> bool:
        """Tell whether a sense is among the first of ``word`` too."""
        return is_word(word, part) and offset in self.index[part].get(word, [])[:SENSES]

    def hypernyms(self, synset: Synset) -> set[str]:
        """Return the words of the next broader verb senses."""
        return {
            word
            for symbol, part, offset, _, _ in synset.pointers
            if symbol == "@"
            for word in self.synsets[part][offset].words
            if self.is_near(word, part, offset)
        }


def is_word(lemma: str, part: str) -> bool:
    """Take plain words, and phrasal verbs of two words."""
    if not lemma.isascii():
        return False
    pieces = lemma.split("_")
    if len(pieces) > (2 if part == "v" else 1):
        return False
    return len(lemma) > 1 and all(piece.replace("-", "").isalpha() for piece in pieces)


def main() -> None:
    """Write the file."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/wordnet")
    default = Path(__file__).resolve().parents[1] / "memguard" / "grounding" / "data" / "lexicon.tsv.xz"
    out = Path(sys.argv[2]) if len(sys.argv) > 2 else default
    entries = Builder(folder).build()
    lines = []
    for lemma, entry in sorted(entries.items()):
        parts = ",".join(f"{part}{count}" for part, count in sorted(entry.parts.items()))
        fields = [sorted(words & entries.keys()) for words in (entry.antonyms, entry.near, entry.broader)]
        lines.append("\t".join([lemma, parts, *(",".join(words) for words in fields)]))
    out.write_bytes(lzma.compress("\n".join(lines).encode(), preset=9 | lzma.PRESET_EXTREME))
    sys.stdout.write(f"{len(lines)} lemmas, {out.stat().st_size} bytes\n")


if __name__ == "__main__":
    main()
