"""Numbers in text (numbers.py)."""

from __future__ import annotations

import pytest

from memguard.grounding.reading.numbers import numbers


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1,380.00 in total", [1380.0]),
        ("the fee is 1.380,00", [1380.0]),
        ("the fee is 1 380,50", [1380.5]),
        ("12\u202f500 visitors", [12500.0]),
        ("The gauge reads 2.718,4 and fell by −0,5", [2718.4, -0.5]),
        ("45 , 700 kinds", [45700.0]),
        ("between -4 and 3", [-4.0, 3.0]),
        ("seventeen crates and twenty-two lids", [17.0, 22.0]),
        ("three hundred and six", [306.0]),
        ("fifteen hundred", [1500.0]),
        ("a hundred", [100.0]),
        ("two and a half", [2.5]),
        ("2½ cups", [2.5]),
        ("a dozen eggs, two dozen rolls, half a dozen buns", [12.0, 24.0, 6.0]),
        ("a couple of days", [2.0]),
        ("half an hour", [0.5]),
        ("three quarters of an hour", [0.75]),
        ("minus 5 degrees", [-5.0]),
        ("2.5k users, €3m, 4 million", [2500.0, 3e6, 4e6]),
        ("nineteen eighty-four", [1984.0]),
        ("one twenty five over eighty", [125.0, 80.0]),
        ("version 3.10.2", []),
        ("no figure here", []),
        ("", []),
    ],
)
def test_numbers_are_read_in_any_form(text: str, values: list[float]) -> None:
    assert [number.value for number in numbers(text)] == values


def test_offsets_point_at_what_was_read() -> None:
    text = "They ordered twenty-two lids for 1,380.00 and half a dozen buns."
    assert [text[n.start : n.end] for n in numbers(text)] == ["twenty-two", "1,380.00", "half a dozen"]
    assert all(number.text == text[number.start : number.end] for number in numbers(text))
