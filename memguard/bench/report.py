"""A table of figures, as Markdown for people and as plain values for machines."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure.

    Attributes:
        name: What was measured.
        value: The figure.
        unit: ``s``, ``ms``, ``MB`` or ``×`` (a ratio of two figures of this run).
        target: The figure to reach, if any.
        at_most: Whether ``target`` is an upper bound.
        note: What it was measured on.
    """

    name: str
    value: float
    unit: str
    target: float | None = None
    at_most: bool = True
    note: str = ""

    @property
    def reached(self) -> bool | None:
        """Whether the target is met; None without one."""
        if self.target is None:
            return None
        return self.value <= self.target if self.at_most else self.value >= self.target


@dataclass(frozen=True, slots=True)
class Report:
    """Figures of one run on one machine."""

    title: str
    command: str
    machine: str
    figures: tuple[Figure, ...]

    @property
    def reached(self) -> bool:
        """Whether every figure with a target meets it."""
        return all(figure.reached is not False for figure in self.figures)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        rows = [{**asdict(figure), "reached": figure.reached} for figure in self.figures]
        return {"title": self.title, "command": self.command, "machine": self.machine, "figures": rows}

    def to_markdown(self) -> str:
        """Return the table, with the command that printed it."""
        lines = [
            f"`{self.command}` on {self.machine}",
            "",
            "| figure | value | to reach | |",
            "|---|---:|---:|---|",
        ]
        for figure in self.figures:
            target = "" if figure.target is None else f"{'≤' if figure.at_most else '≥'} {figure.target:g}"
            mark = {None: "", True: "reached", False: "**missed**"}[figure.reached]
            value = f"{figure.value:.3g}" if figure.value < 100 else f"{figure.value:,.0f}"
            note = "; ".join(part for part in (mark, figure.note) if part)
            lines.append(f"| {figure.name} | {value} {figure.unit} | {target} | {note} |")
        return "\n".join(lines)


def machine() -> str:
    """Return one line on this machine, with nothing that names it."""
    import numpy

    return (
        f"{os.cpu_count()} cores {platform.machine()}, {platform.system()}, "
        f"Python {platform.python_version()}, NumPy {numpy.__version__}"
    )
