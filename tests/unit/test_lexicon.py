"""The lexicon: opposites and near words by dictionary form."""

import subprocess
import sys

import pytest

from memguard.grounding.reading import lexicon

OPPOSITES = [
    ("enabled", "disabled"),
    ("accept", "decline"),
    ("approve", "reject"),
    ("succeed", "fail"),
    ("go_through", "fail"),
    ("keep", "drop"),
    ("allow", "forbid"),
    ("include", "exclude"),
    ("increase", "decrease"),
    ("arrive", "depart"),
    ("buy", "sell"),
    ("reversible", "irreversible"),
    ("safe", "unsafe"),
    ("available", "unavailable"),
    ("hot", "cold"),
]


@pytest.mark.parametrize(("one", "other"), OPPOSITES)
def test_opposites_hold_both_ways(one: str, other: str) -> None:
    assert other in lexicon.antonyms(one)
    assert one in lexicon.antonyms(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("man", "woman"), ("doctor", "patient"), ("left", "right"), ("teacher", "student"), ("banana", "apple")],
)
def test_two_of_a_kind_are_no_opposites(one: str, other: str) -> None:
    assert other not in lexicon.antonyms(one)


@pytest.mark.parametrize(
    ("one", "other"),
    [("arrive", "come"), ("refuse", "refusal"), ("migrate", "migration"), ("allergic", "allergy")],
)
def test_related_holds_synonyms_and_derived_words(one: str, other: str) -> None:
    assert other in lexicon.related(one)


def test_no_word_is_both_near_and_opposite() -> None:
    for word in ("fail", "enabled", "accept", "stop", "keep", "pay"):
        assert lexicon.antonyms(word).isdisjoint(lexicon.near(word))


def test_unknown_word_has_no_relations() -> None:
    assert lexicon.antonyms("zzyzx") == frozenset()
    assert lexicon.related("zzyzx") == frozenset()
    assert not lexicon.is_known("zzyzx")
    assert lexicon.part_of("zzyzx") == ""


@pytest.mark.parametrize(
    ("word", "base"),
    [
        ("unopened", "opened"),
        ("irreversible", "reversible"),
        ("unmerged", "merged"),
        ("non-exhaustive", "exhaustive"),
    ],
)
def test_negative_prefix_is_taken_off(word: str, base: str) -> None:
    assert lexicon.without_prefix(word) == base


@pytest.mark.parametrize(
    "word", ["important", "inform", "display", "understand", "discover", "under", "need"]
)
def test_what_only_looks_like_a_prefix_stays(word: str) -> None:
    assert lexicon.without_prefix(word) is None


def test_buying_and_selling_are_two_sides_of_one_event() -> None:
    assert lexicon.is_converse("buy", "sell")
    assert not lexicon.is_converse("open", "close")


def test_import_reads_no_data() -> None:
    code = "import memguard.grounding.reading.lexicon as l; raise SystemExit(l._raw.cache_info().currsize)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
