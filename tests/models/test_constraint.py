"""No number and no capitalised word that its window lacks comes out of a constrained model."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.models.constraint import STARTERS, TokenTable, WindowConstraint, foreign_words, known_pieces

LETTERS = "abceimnorstLAEM"
TOKENS = [
    *LETTERS,
    *"0123456789",
    *" .,:/'’!?-\n\"(£%",
    *("�", " An", "An", "ana", " L", "yon", "Lyon", " Lyon", " 4", "10", " 10", ":3", ".5", "'s", "’s"),
    *(" The", "the", " the", " It", "<|im_end|>", "", "É", " é", "iM", ". ", '."', "²", " \n", "mc"),
]
TABLE = TokenTable(TOKENS)
WINDOWS = (
    "Ana: the trial at Lyon starts at 10:30 on 4 May, for £3.50.",
    "Émile: Ana's Lyonnaise costs 10 or 110. iMac, McLean",
    "",
)


def test_foreign_words_are_whole_numbers_and_capitalised_words() -> None:
    window = "Ana Roth: We pay £3,900 on 4 May at 10:30, see McLean’s note."
    assert foreign_words("Ana's rent is 3,900 on 4 May at 10:30.", window) == []
    assert foreign_words("Ana pays 900 at 10 in Paris.", window) == ["900", "10", "Paris"]
    assert foreign_words("The note is McLean's. It is MCLEAN.", window) == []
    assert foreign_words("We ask The man. Paris", window) == ["The", "Paris"]
    assert foreign_words("nothing here", "") == []


def test_known_pieces_hold_names_with_and_without_s() -> None:
    assert {"ana", "ana's", "4"} <= known_pieces("Ana’s 4")
    assert "ana's" in known_pieces("Ana")


def lawful(text: str, window: str) -> bool:
    """Return whether all but the unfinished end of a text is known: the definition, read plainly."""
    return not foreign_words(text, window)


@given(window=st.sampled_from(WINDOWS), choices=st.lists(st.integers(0, 10_000), max_size=30))
@settings(max_examples=150, deadline=None)
def test_whatever_is_chosen_nothing_foreign_is_finished(window: str, choices: list[int]) -> None:
    constraint = WindowConstraint(TABLE, window)
    text = ""
    for choice in choices:
        allowed = np.flatnonzero(constraint.allowed(text))
        if not len(allowed):
            break
        text += TOKENS[allowed[choice % len(allowed)]]
        if constraint.may_end(text):
            assert lawful(text, window), text
    ended = re.sub(r"[^\s]*$", "", text)
    assert lawful(ended, window)


@given(window=st.sampled_from(WINDOWS), choices=st.lists(st.integers(0, 10_000), max_size=14))
@settings(max_examples=150, deadline=None)
def test_nothing_lawful_is_forbidden(window: str, choices: list[int]) -> None:
    """What ends at a word's end and is in the window may be written, by any path of tokens."""
    constraint = WindowConstraint(TABLE, window)
    text = ""
    for choice in choices:
        before = constraint.allowed(text)
        token = choice % len(TOKENS)
        after = text + TOKENS[token]
        runs = re.findall(r"\d+|[^\W\d_]+", TOKENS[token])
        writable = TOKENS[token] and "�" not in after and len(runs) < 2
        if writable and lawful(after + " ", window) and re.search(r"[\w ]$", after):
            assert before[token], (text, TOKENS[token])
        allowed = np.flatnonzero(before)
        if not len(allowed):
            break
        text += TOKENS[allowed[choice % len(allowed)]]


@pytest.mark.parametrize(
    ("text", "yes", "no"),
    [
        ("", [" Lyon", " The", "the", " 4", "L"], ["7", " It's", "�", "<|im_end|>", ""]),
        ("Ana went to", [" Lyon", " the", " 4", "."], [" It", "7"]),
        ("Ana went to Ly", ["o"], [" ", ".", "a", "\n", "yon"]),
        ("at 10", [":3"], [" ", ".", "0", "a", "\n"]),
        ("at 10:30", [" ", ".", "a"], ["0", ":3", ".5"]),
        ("It is so. ", ["Lyon", " The"], ["7"]),
        ("aa The\n", ["c", "Lyon"], ["7"]),
        ("It is so.", [" The", " Lyon"], ["7", "5"]),
    ],
)
def test_what_may_come_next(text: str, yes: list[str], no: list[str]) -> None:
    allowed = WindowConstraint(TABLE, WINDOWS[0]).allowed(text)
    for token in yes:
        if token in TOKENS:
            assert allowed[TOKENS.index(token)], token
    for token in no:
        if token in TOKENS:
            assert not allowed[TOKENS.index(token)], token


def test_a_starter_has_its_capital_only_where_a_sentence_starts() -> None:
    assert "the" in STARTERS
    constraint = WindowConstraint(TABLE, "")
    for text, may in (("", True), ("a. ", True), ("a.", True), ("a ", False), ('a." ', True)):
        assert constraint.allowed(text)[TOKENS.index(" The")] is np.bool_(may), text
