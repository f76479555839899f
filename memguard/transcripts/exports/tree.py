"""Conversations that are trees: an edited prompt or a second answer begins a branch of its own.

The one branch that a person saw last is read; what stands on the others is counted and left.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_BEFORE_ALL = float("-inf")


@dataclass(frozen=True, slots=True)
class Node:
    """One node of a tree.

    Attributes:
        parent: Id of the node before it; None for a root.
        time: When it was written, in seconds since 1970; None if that is not known.
    """

    parent: str | None
    time: float | None


def newest_leaf(nodes: Mapping[str, Node]) -> str | None:
    """Return the id of the leaf that was written last, of equals the last one given.

    A leaf without a time has that of its parent. None where there is no leaf: no node, or a circle.
    """
    inner = {node.parent for node in nodes.values()}
    best, best_time = None, _BEFORE_ALL
    for name, node in nodes.items():
        if name in inner:
            continue
        time = _time(nodes, node)
        if best is None or time >= best_time:
            best, best_time = name, time
    return best


def branch(nodes: Mapping[str, Node], leaf: str) -> tuple[str, ...]:
    """Return the ids from a root to ``leaf``, both included.

    It begins where a parent is missing, and where parents go round in a circle.
    """
    path: list[str] = []
    seen: set[str] = set()
    at: str | None = leaf
    while at is not None and at in nodes and at not in seen:
        seen.add(at)
        path.append(at)
        at = nodes[at].parent
    return tuple(reversed(path))


def _time(nodes: Mapping[str, Node], node: Node) -> float:
    if node.time is not None:
        return node.time
    before = nodes.get(node.parent) if node.parent is not None else None
    return before.time if before is not None and before.time is not None else _BEFORE_ALL
