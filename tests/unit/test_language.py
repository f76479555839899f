"""Whether a text is English."""

from __future__ import annotations

import pytest

from memguard.grounding.reading.language import is_english


@pytest.mark.parametrize(
    "text",
    [
        "Ben paid 40 euros for the old bicycle on Monday.",
        "ok so i'll pick u up at 8 then",
        "The patient was prescribed metformin and ramipril.",
        "Noor met Thérèse and Jörg in Zürich before the flight.",
        "The deploy of api-gateway v2.3 failed because the cache was full.",
        # Too few plain words to tell
        "Ben paid.",
        "Anna Müller, Zürich.",
        "40 euros",
        "",
        "🔥 42",
    ],
)
def test_english_and_what_is_too_short_to_tell_are_read(text):
    assert is_english(text)


@pytest.mark.parametrize(
    "text",
    [
        "Der Kunde hat am Montag vierzig Euro für das alte Fahrrad bezahlt.",
        "Le client a payé quarante euros pour le vieux vélo lundi dernier.",
        "El cliente pagó cuarenta euros por la bicicleta vieja el lunes.",
        "Klient zapłacił w poniedziałek czterdzieści euro za stary rower.",
        "Клиент заплатил сорок евро.",
        "顧客は月曜日に四十ユーロを支払いました。",
        "我们在六月见面",
        "العميل دفع أربعين يورو",
    ],
)
def test_other_languages_are_not_read_as_english(text):
    """Issue 3: the verdict then needs review."""
    assert not is_english(text)
