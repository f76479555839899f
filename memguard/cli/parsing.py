"""The parser's own words: one line says what is wrong, what is allowed, and which name is near.

``argparse`` prints the usage of the whole command with every error, and that of the program where a flag
is unknown; click and typer, which do better, would be a dependency of the core.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

from memguard.cli.codes import WRONG_USAGE

_KINDS = {"int": "a whole number", "float": "a number"}
"""What argparse calls by the name of the Python type."""


class Parser(argparse.ArgumentParser):
    """A parser that ends with 2 and one line; what it adds as a command is one as well."""

    def arguments(self, given: Sequence[str] | None = None) -> argparse.Namespace:
        """Return what was given; the command that does not know a flag says so, not the program."""
        known, rest = self.parse_known_args(given)
        if rest:
            parser: Parser = getattr(known, "parser", self)
            parser.error(parser._unknown(rest))
        return known

    def error(self, message: str) -> NoReturn:
        """End the process with 2 after one line that names the command."""
        if message.startswith("argument "):
            name, _, told = message.removeprefix("argument ").partition(": ")
            for kind, words in _KINDS.items():
                told = told.replace(f"invalid {kind} value: ", f"must be {words}; got ")
            message = f"{name} {told}" if told.startswith("must ") else f"{name}: {told}"
        self.exit(WRONG_USAGE, f"{self.prog}: error: {message}\n(all flags: {self.prog} --help)\n")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        choices = [str(choice) for choice in action.choices]
        told = f"must be one of {', '.join(choices)}; got {str(value)[:40]!r}{nearest(str(value), choices)}"
        raise argparse.ArgumentError(action, told)

    def _unknown(self, rest: Sequence[str]) -> str:
        name = next((word for word in rest if word.startswith("-")), None)
        if name is None:
            return f"{rest[0][:80]!r} is one argument too many"
        flag = name.partition("=")[0]
        plain = "--" + flag.lstrip("-").rpartition(".")[2].replace("_", "-")
        known = [option for option in self._option_string_actions if option.startswith("--")]
        return f"there is no {flag[:80]}{nearest(plain, known)}"


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the end of a sentence that names what was probably meant; empty where nothing is near."""
    near = get_close_matches(name, list(known), n=1)
    return f"; did you mean {near[0]}?" if near else ""


def count(text: str) -> int:
    """Return a whole number of 1 or more."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number of 1 or more; got {text[:40]!r}")
    return int(text)


def port(text: str) -> int:
    """Return the number of a port."""
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 to 65535; got {text[:40]!r}")
    return int(text)
