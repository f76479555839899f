"""Pronouns followed to what they plainly stand for, and those that are left."""

from __future__ import annotations

import pytest

from memguard.grounding.claims import extract_claims


def judged(summary, speakers=()):
    return [claim.judged_as for claim in extract_claims(summary, speakers)]


@pytest.mark.parametrize(
    ("summary", "last"),
    [
        ("Rosa paid 40 euros. She asked for a receipt.", "Rosa asked for a receipt."),
        ("Rosa paid 40 euros. Later she asked for a receipt.", "Later Rosa asked for a receipt."),
        ("Rosa paid. She asked Ben. She got it.", "Rosa got it."),
        ("Rosa paid 40 euros. She waited. She got a receipt.", "Rosa got a receipt."),
        ("Rosa paid 40 euros. Her card was charged twice.", "Rosa's card was charged twice."),
        ("Mrs Lund called Ben. She wants a refund.", "Mrs Lund wants a refund."),
        ("Mrs Lund called Ben. He wants a refund.", "Ben wants a refund."),
        ("Ann's dad is turning 50. She plans a party.", "Ann plans a party."),
        ("Ann's dad is turning 50. He wants a cake.", "Ann's dad wants a cake."),
        ("The patient has a rash. He takes no pills.", "The patient takes no pills."),
        ("Nora is cooking. Dean drives his car home. She sleeps now.", "Nora sleeps now."),
        ("Order 5521 left Lyon. It weighs 2 kg.", "Order 5521 weighs 2 kg."),
        ("The Solo plan costs 5 euros. It covers 2 devices.", "The Solo plan covers 2 devices."),
        ("The shop apologised for the lost parcel. It offered a refund.", "The shop offered a refund."),
        ("The courier lost Pia's parcel. They offered a refund.", "The courier offered a refund."),
        ("Kate and Mary share a flat. They pay 900 euros.", "Kate and Mary pay 900 euros."),
        ("The tenants share a flat. They pay 900 euros.", "The tenants pay 900 euros."),
        # In one sentence.
        ("Rosa paid 40 euros, but she got no receipt.", "Rosa got no receipt."),
        ("The Solo plan costs 5 euros, and it covers 2 devices.", "The Solo plan covers 2 devices."),
        ("Ada came. She paid 40 euros and got a receipt.", "Ada got a receipt."),
    ],
)
def test_a_pronoun_with_one_antecedent_is_followed(summary, last):
    """F23."""
    assert judged(summary)[-1] == last


@pytest.mark.parametrize(
    "summary",
    [
        "Kate met Chris. He is tired.",
        "Kate and Mary share a flat. She pays 900 euros.",
        "Kate met Chris. They went home.",
        "The meeting covered the budget. It was cut by 5 percent.",
        "Rosa bought a car. It is red.",
        "Rosa paid 40 euros. It rained.",
        "The shop is closed. It is likely that Rosa waits.",
        "She paid 40 euros.",
        "Kate met Chris. She was late. She paid 40 euros.",
        "The package Gene sent to Jack is late. She called him.",
    ],
)
def test_a_pronoun_with_a_rival_or_without_an_antecedent_is_left(summary):
    *_, claim = extract_claims(summary)

    assert claim.judged_as == claim.text
    assert claim.edits == ()


def test_a_pronoun_that_is_left_keeps_the_sentence_before_as_context():
    first, second = extract_claims("Kate met Chris. He is tired.")

    assert (first.context, first.pronoun) == ("", None)
    assert (second.context, second.pronoun) == ("Kate met Chris.", (0, 2))


def test_a_clause_whose_pronoun_is_left_stays_with_the_clause_before():
    """Alone it could not be judged."""
    summary = "Ada called Ben, and she booked a table. Tom left the house, and Mia cried."

    assert [claim.text for claim in extract_claims(summary)] == [
        "Ada called Ben, and she booked a table.",
        "Tom left the house",
        "Mia cried.",
    ]


def test_a_speaker_whose_name_is_a_noun_is_known_from_the_chat():
    summary = "Poppy is cooking. She likes it."

    assert judged(summary)[1] == "She likes it."
    assert judged(summary, ["Poppy", "Dean"])[1] == "Poppy likes it."


def test_of_a_chat_between_others_a_name_is_not_assumed_to_be_meant():
    """REC-011: whom the chat is between is known, the gender of a stranger is not."""
    summary = "Dr. Ueda ordered a scan. She also asked for blood tests."

    assert judged(summary)[1] == "Dr. Ueda also asked for blood tests."
    assert judged(summary, ["User", "Assistant"])[1] == "Dr. Ueda also asked for blood tests."
    assert judged(summary, ["Dr. Mai Ueda", "Nurse Pohl"])[1] == "Dr. Ueda also asked for blood tests."
    assert judged(summary, ["Nurse Pohl"])[1] == "She also asked for blood tests."


@pytest.mark.parametrize(
    ("second", "judged"),
    [
        ("They're not planning to leave.", "Ilse and Jonas are not planning to leave."),
        ("They’ve paid.", "Ilse and Jonas have paid."),
        ("They'll leave at noon.", "Ilse and Jonas will leave at noon."),
        ("They'd rather walk.", "Ilse and Jonas would rather walk."),
        ("They'd eaten there.", "Ilse and Jonas had eaten there."),
    ],
)
def test_a_verb_drawn_to_a_pronoun_is_written_out(second: str, judged: str) -> None:
    """No name is made of it, such as "Jonas're"."""
    claims = extract_claims(f"Ilse and Jonas are going to Porto. {second}", speakers=("Ilse", "Jonas"))

    assert claims[1].judged_as == judged
    assert claims[1].text == second
    start = judged.index(second.split()[-1])
    assert second[slice(*claims[1].text_span(start, len(judged)))] == second.split()[-1]


@pytest.mark.parametrize(
    ("second", "judged"),
    [
        ("He's allergic to nuts.", "Edwin is allergic to nuts."),
        ("He's booked for Friday.", "Edwin is booked for Friday."),
        ("He's booked a room.", "Edwin has booked a room."),
        ("He's not been away.", "Edwin has not been away."),
    ],
)
def test_is_or_has_follows_from_what_comes_after(second: str, judged: str) -> None:
    assert extract_claims(f"Edwin went home. {second}", speakers=("Edwin",))[1].judged_as == judged
