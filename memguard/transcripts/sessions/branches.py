"""Which branch of a tree of records is read: that of the last message, with all that belongs to it.

A session is a tree where a person went back and wrote anew. Calls made in parallel make it look like
one too: each call is a record of its own, the result of each hangs under its call, and the way back
from the last message passes only one of them. So a call of a message that is read, and the result of
a call that is read, are read as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from memguard.message_form import Notes
from memguard.transcripts.apis.turns import Told


@dataclass(frozen=True, slots=True)
class Node:
    """One record of a tree.

    Attributes:
        id: Unique; None for a record that nothing can point at.
        parents: Ids of what it follows, the first one that exists counts.
        is_message: Whether it is a message; the others only link.
        group: Id of the message that it is a piece of, if it is.
        calls: Ids of the calls in it.
        answers: Ids of the calls that it answers, where it does nothing else.
    """

    id: str | None
    parents: tuple[str, ...] = ()
    is_message: bool = True
    group: str | None = None
    calls: frozenset[str] = frozenset()
    answers: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Branch:
    """What is read of a tree.

    Attributes:
        kept: For each node whether it is read.
        is_linked: Whether any node follows another one of the file.
        n_threads: How many trees of several nodes there are.
    """

    kept: tuple[bool, ...]
    is_linked: bool
    n_threads: int


def last_branch(nodes: Sequence[Node]) -> Branch:
    """Return which nodes lie on the way from the last message of each tree back to its root."""
    index = {node.id: i for i, node in enumerate(nodes) if node.id is not None}
    parents = [_parent(node, i, index) for i, node in enumerate(nodes)]
    roots = _roots(parents)
    last: dict[int, int] = {}
    sizes: dict[int, int] = {}
    for i, node in enumerate(nodes):
        sizes[roots[i]] = sizes.get(roots[i], 0) + 1
        if node.is_message:
            last[roots[i]] = i
    kept = [False] * len(nodes)
    for i in last.values():
        at: int | None = i
        while at is not None and not kept[at]:
            kept[at] = True
            at = parents[at]
    _keep_what_belongs(nodes, kept)
    n_threads = sum(size > 1 for size in sizes.values())
    return Branch(tuple(kept), any(p is not None for p in parents), n_threads)


class Entry(Protocol):
    """A record with its place in the file."""

    @property
    def place(self) -> str:
        """Where it stands."""

    @property
    def is_message(self) -> bool:
        """Whether it is a message; the others only link."""


def tell_branch(entries: Sequence[Entry], branch: Branch, rule: str, notes: Notes, told: Told) -> None:
    """Tell what of a session is read, by which rule, and what is not.

    Args:
        entries: As many as the branch has nodes.
        branch: What is read of them.
        rule: How the branch was found, in words.
        notes: Takes the warnings.
        told: Takes the rule and how many messages are left.
    """
    left = [e for e, kept in zip(entries, branch.kept, strict=True) if e.is_message and not kept]
    told.abandoned = len(left)
    if left:
        notes.add(f"messages of branches that were left, and so are not read: {len(left)}", left[0].place)
    if branch.n_threads > 1:
        notes.add(
            "threads that the file does not link, all of which are read in the order of the file: "
            f"{branch.n_threads}"
        )
    if branch.is_linked:
        told.branch = "; ".join(part for part in (told.branch, rule) if part)


def _parent(node: Node, own: int, index: dict[str, int]) -> int | None:
    found = (index[parent] for parent in node.parents if parent in index)
    return next((i for i in found if i != own), None)


def _roots(parents: Sequence[int | None]) -> list[int]:
    """Return the root of each node; in a circle it is the node at which the circle was entered."""
    roots: list[int] = [-1] * len(parents)
    for start in range(len(parents)):
        path: list[int] = []
        on_path: set[int] = set()
        at = start
        while roots[at] < 0 and at not in on_path:
            path.append(at)
            on_path.add(at)
            parent = parents[at]
            if parent is None:
                break
            at = parent
        root = roots[at] if roots[at] >= 0 else at
        for node in path:
            roots[node] = root
    return roots


def _keep_what_belongs(nodes: Sequence[Node], kept: list[bool]) -> None:
    """Keep the other pieces of messages that are read, and the results of calls that are."""
    groups: dict[str, list[int]] = {}
    results: dict[str, list[int]] = {}
    for i, node in enumerate(nodes):
        if node.group is not None:
            groups.setdefault(node.group, []).append(i)
        for call in node.answers:
            results.setdefault(call, []).append(i)
    waiting = [i for i, is_kept in enumerate(kept) if is_kept]
    while waiting:
        node = nodes[waiting.pop()]
        belonging: Iterable[int] = groups.pop(node.group, []) if node.group is not None else []
        found = [*belonging, *(i for call in node.calls for i in results.pop(call, []))]
        for i in found:
            if not kept[i]:
                kept[i] = True
                waiting.append(i)
