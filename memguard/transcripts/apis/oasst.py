"""Open Assistant's trees: a prompt, and under each message the replies that people wrote to it, ranked.

Read are trees (``{"message_tree_id", "prompt": {"text", "replies": […]}}``, one a line or in a list) and
the same messages as rows (``message_id``, ``parent_id``, ``message_tree_id``). Each tree is a
conversation: from the prompt on, at each fork the reply that people ranked best.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from memguard.errors import TranscriptError
from memguard.message_form import Notes
from memguard.transcripts.apis.rows import first_rows
from memguard.transcripts.apis.turns import Told, Turn, finish, first_objects, lines, role_of
from memguard.transcripts.document import MISSING, ConversationHead, Document, Reading, choose
from memguard.transcripts.values import ends_of, fields_of, items_of, objects_of, text_id, text_of, title_of

_ROLES = {"prompter": "user"}
_RULE = "from the prompt on, at each fork the reply of the best rank; of unranked ones the first"
_LONGEST_TITLE = 80
_HIGHEST_RANK = 10**9


@dataclass(slots=True)
class _Entry:
    """One message of a tree, with its place and the replies to it."""

    value: dict[str, Any]
    place: str
    replies: list[_Entry] = field(default_factory=list)


@dataclass(slots=True)
class _Tree:
    """One tree: its messages in the order of the file, the first root first."""

    id: str
    place: str
    entries: list[_Entry] = field(default_factory=list)
    roots: list[_Entry] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


class Oasst:
    """Trees of Open Assistant."""

    name = "oasst"

    def recognises(self, document: Document) -> float:
        """Return 0.95 where most of the first objects are trees, or rows of trees."""
        rows = first_rows(document, first_objects(document))
        n_own = sum(_is_tree(row) or _is_row(row) for row in rows)
        return 0.95 if n_own and 2 * n_own > len(rows) else 0.0

    def conversations(self, document: Document) -> tuple[ConversationHead, ...]:
        """Return the trees with all their messages and the beginning of their prompt."""
        return tuple(map(_head, _trees(document, Notes())[0]))

    def read(self, document: Document, conversation: str | None = None) -> Reading:
        """Read the best replies of one tree.

        Raises:
            TranscriptError: There is none, or several and none was chosen.
        """
        notes = Notes()
        trees, skipped = _trees(document, notes)
        if not trees:
            raise TranscriptError("holds no tree of messages", source=document.source)
        tree = trees[choose(tuple(map(_head, trees)), conversation, document.source)]
        for warning in tree.warnings:
            notes.add(warning)
        path = list(_best(tree.roots[0])) if tree.roots else []
        if len(tree.roots) > 1:
            notes.add(
                f"prompts that begin this tree, of which the first is read: {len(tree.roots)}", tree.place
            )
        if tree.entries and not tree.roots:
            notes.add(
                "no message begins this tree: the parents go round in a circle, or are missing", tree.place
            )
        told = Told(
            branch=_RULE,
            ordered=True,
            abandoned=len(tree.entries) - len(path),
            skipped_lines=skipped,
            n_conversations=len(trees),
        )
        return finish(self.name, document, [_turn(entry, notes) for entry in path], notes, told)


def _is_tree(value: Any) -> bool:
    prompt = fields_of(value).get("prompt")
    return (
        isinstance(prompt, dict) and "text" in prompt and ("message_tree_id" in value or "replies" in prompt)
    )


def _is_row(value: Any) -> bool:
    return isinstance(value, dict) and {"message_id", "message_tree_id", "text", "role"} <= value.keys()


def _trees(document: Document, notes: Notes) -> tuple[list[_Tree], int]:
    """Return the trees in the order in which they begin, and how many lines hold nothing of one."""
    trees: dict[str, _Tree] = {}
    rows: dict[str, list[_Entry]] = {}
    placed, skipped = _placed(document, notes)
    for place, value in placed:
        if _is_tree(value):
            wanted = text_id(value.get("message_tree_id")) or f"at {place}"
            own = wanted if wanted not in trees else f"{wanted} at {place}"
            trees[own] = _nested(own, place, value["prompt"])
        elif _is_row(value):
            own = text_id(value["message_tree_id"]) or "without an id"
            if own not in rows:
                rows[own] = []
                trees.setdefault(own, _Tree(own, place))
            rows[own].append(_Entry(value, place))
        else:
            notes.add("this is neither a tree nor a message of one; it was left out", place)
            skipped += document.value is MISSING
    for own, entries in rows.items():
        _link(trees[own], entries)
    return list(trees.values()), skipped


def _placed(document: Document, notes: Notes) -> tuple[list[tuple[str, Any]], int]:
    value = document.value
    if value is MISSING:
        records, skipped = lines(document, notes)
        return [(f"line {record.line}", record.value) for record in records], skipped
    if isinstance(value, dict) and isinstance(value.get("rows"), list):
        return [(f"rows[{i}]", fields_of(item).get("row", item)) for i, item in enumerate(value["rows"])], 0
    if isinstance(value, list):
        return [(f"item {i}", item) for i, item in enumerate(value)], 0
    return [("the whole file", value)], 0


def _nested(own: str, place: str, prompt: dict[str, Any]) -> _Tree:
    tree = _Tree(own, place)
    root = _Entry(prompt, f"{place}, prompt")
    tree.roots.append(root)
    waiting = [root]
    while waiting:
        entry = waiting.pop()
        tree.entries.append(entry)
        replies = items_of(entry.value.get("replies"))
        if len(objects_of(replies)) < len(replies):
            tree.warnings.append(f"{entry.place}: replies that are no objects were left out")
        entry.replies = [
            _Entry(reply, f"{entry.place}, reply {i}")
            for i, reply in enumerate(replies)
            if isinstance(reply, dict)
        ]
        waiting += reversed(entry.replies)
    return tree


def _link(tree: _Tree, entries: list[_Entry]) -> None:
    """Join rows into their tree; of rows with one id the first is taken."""
    known: dict[str, _Entry] = {}
    for entry in entries:
        own = text_id(entry.value.get("message_id"))
        if own is not None and own in known:
            tree.warnings.append(f"{entry.place}: its message_id occurs before; it was left out")
            continue
        tree.entries.append(entry)
        if own is not None:
            known[own] = entry
    for entry in tree.entries:
        parent = text_id(entry.value.get("parent_id"))
        if parent is None:
            tree.roots.append(entry)
        elif parent in known:
            known[parent].replies.append(entry)
        else:
            tree.warnings.append(f"{entry.place}: the message that it answers is not in the file")


def _best(root: _Entry) -> Iterator[_Entry]:
    """Yield a message, the best reply to it, the best reply to that, and so on."""
    entry: _Entry | None = root
    seen: set[int] = set()
    while entry is not None and id(entry) not in seen:
        seen.add(id(entry))
        yield entry
        kept = [reply for reply in entry.replies if reply.value.get("deleted") is not True]
        entry = min(kept, key=_rank, default=None)  # of equals the first


def _rank(entry: _Entry) -> float:
    rank = entry.value.get("rank")
    if isinstance(rank, int | float) and not isinstance(rank, bool) and abs(rank) < _HIGHEST_RANK:
        return float(rank)
    return float("inf")


def _turn(entry: _Entry, notes: Notes) -> Turn:
    value = entry.value
    text = value.get("text")
    if not isinstance(text, str):
        notes.add("the message has no text", entry.place)
    return Turn(
        entry.place,
        role_of(value.get("role"), _ROLES, entry.place, notes),
        [text_of(text)],
        id=value.get("message_id"),
        timestamp=value.get("created_date"),
    )


def _head(tree: _Tree) -> ConversationHead:
    root = tree.roots[0] if tree.roots else None
    first, last = ends_of(entry.value.get("created_date") for entry in tree.entries)
    title = title_of(root.value.get("text")) if root is not None else None
    if title is not None and len(title) > _LONGEST_TITLE:
        title = f"{title[:_LONGEST_TITLE]}…"
    return ConversationHead(tree.id, title, len(tree.entries), first, last, tree.place)
