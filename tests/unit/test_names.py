"""Names: what looks like one, and what does not."""

from __future__ import annotations

import pytest

from memguard.grounding.reading.names import fold, initials, names


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The wife of Edwin, Gwendolyn, went to Brandt & Söhne.", ["Edwin", "Gwendolyn", "Brandt & Söhne"]),
        ("It was sent to Dr. Tamsin Okoye by Anna's lawyer.", ["Tamsin Okoye", "Anna"]),
        (
            "The MAX_RETRIES in api/routes.py and Lease.renew are wrong.",
            ["MAX_RETRIES", "api/routes.py", "Lease.renew"],
        ),
        ("Seat 14C on KL1145, order LM-48213.", ["14C", "KL1145", "LM-48213"]),
        (
            "Write to ann@harbour.example or https://harbour.example/a.",
            ["ann@harbour.example", "https://harbour.example/a"],
        ),
        ("The commit is 4f9ac21, out of 4711.", ["4f9ac21"]),
    ],
)
def test_names_are_found_with_their_offsets(text: str, found: list[str]) -> None:
    """Plain names without titles and possessives, technical names whole."""
    assert [name.text for name in names(text)] == found
    assert all(text[slice(*name.span)] == name.text for name in names(text))


@pytest.mark.parametrize(
    "text",
    [
        "On Monday the User asked in English. OK, I said.",
        "Delivery is in May.",
        "the red/green flag and/or the he/she form",
        "HISTORY OF PRESENT ILLNESS",
        "it costs 12.50 and takes 3 days",
        "",
    ],
)
def test_ordinary_words_are_no_names(text: str) -> None:
    """Months, weekdays, roles, headings, choices and the first word of a sentence."""
    assert names(text) == ()


def test_folding_meets_the_spellings_of_one_name() -> None:
    """Accents, umlauts and abbreviations."""
    assert fold("Söhne") == fold("Soehne") == fold("Sohne")
    assert fold("Doctor") == fold("dr")


def test_initials_are_those_of_every_run_of_words() -> None:
    """Small words may be left out."""
    assert {"aws", "bp"} <= initials("Amazon Web Services took my blood pressure")
    assert "doj" in initials("the Department of Justice")
