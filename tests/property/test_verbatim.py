"""What somebody said, said again as it stands, is supported: no guard may object to it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memguard.eliminator import Elimination
from memguard.grounding.verdicts import Label, Severity
from tests.support import guard, with_values

SPEAKERS = ("Ada", "Ben", "Noor")
STATEMENTS = (
    # Quantities
    "The deposit for the flat is 400 euros.",
    "The parcel weighs 2.5 kg and costs 12 dollars to send.",
    "About 30 % of the members voted for the new statutes.",
    "A dozen eggs are in the fridge.",
    "The fever went up to 39.2 degrees on the second night.",
    "The build with version 2.4.1 takes three to four minutes.",
    "Order 5521 holds two lamps and six chairs.",
    # Dates and times
    "The call is at 10 a.m. New York time.",
    "The lease ends on 31 March 2027.",
    "The dentist can see us next Tuesday at half past nine.",
    "My grandmother was born in 1938.",
    "The shop is closed between Christmas and New Year.",
    # Negation and opposites
    "The payment did not go through.",
    "Nobody has watered the tomatoes.",
    "The landlord never refused a repair.",
    "The old bridge is no longer open to lorries.",
    "I can't eat nuts.",
    # Names
    "Dr. Ueda works at the Charité in Berlin.",
    "The report lies under /srv/reports/q3.pdf.",
    "Mr. Williams and Ms. Hall share an office.",
    "Our flight to Lyon is operated by Air Dolomiti.",
    # Who did what to whom
    "Marta lent Tomas her camera.",
    "Tomas asked Marta for the keys of the boat.",
    "I promised the neighbours a new fence.",
    "You owe me a coffee.",
    "We will paint the kitchen green.",
    # Plans, offers, hypotheses
    "The council may sell the old library.",
    "I am going to apply for the post in Zürich.",
    "If it snows, the match is cancelled.",
    "The company offered to replace the router.",
    "The goalkeeper should have stayed at home.",
    # Quantifiers
    "All windows of the school were replaced.",
    "Some of the students have a scholarship.",
    "Only the cellar was flooded.",
    "Both twins play the violin.",
    "Most guests left before midnight.",
    # Clauses
    "The train was late because a tree had fallen on the line.",
    "The doctor, who has known her for years, changed the medicine.",
    "The vet cleaned the wound and gave the dog an injection.",
)


@st.composite
def dialogues(draw: st.DrawFn) -> list[dict[str, str]]:
    """Lines of different statements, each said once: none takes another back."""
    said = draw(st.lists(st.sampled_from(STATEMENTS), min_size=1, max_size=12, unique=True))
    messages: list[dict[str, str]] = []
    while said:
        size = draw(st.integers(1, 3))
        messages.append(
            {"role": "user", "speaker": draw(st.sampled_from(SPEAKERS)), "content": " ".join(said[:size])}
        )
        said = said[size:]
    if draw(st.booleans()):
        for day, message in enumerate(messages, start=1):
            message["timestamp"] = f"2026-03-{day:02}T09:00:00Z"
    return messages


# How near a clause is to the sentence that it is part of is the real encoder's to say; the fake's
# cosine is the root of the share of words, which the speaker's name and a long sentence lower.
NEAR = with_values(elimination__min_similarity=0.4)


def assert_supported(summary, messages):
    elimination = guard(NEAR).check(summary, messages)[Elimination]
    assert elimination.verdicts
    for verdict in elimination.verdicts:
        objections = [f for f in verdict.findings if f.severity in (Severity.CONTRADICTION, Severity.MISSING)]
        assert not objections, (verdict.claim.judged_as, objections)
    for verdict in elimination.verdicts:
        assert (verdict.label, verdict.kept) == (Label.SUPPORTED, True), verdict.detail


@given(dialogues(), st.data())
def test_a_statement_of_the_transcript_is_supported_as_it_stands(messages, data):
    """Issue 3, done when: with no finding against it, in the default preset."""
    statement = data.draw(
        st.sampled_from([s for s in STATEMENTS if any(s in m["content"] for m in messages)])
    )

    assert_supported(statement, messages)


@given(dialogues(), st.data())
def test_a_statement_with_its_speaker_is_supported(messages, data):
    """Issue 3, done when: "Ben: …", as a transcript has it."""
    statement = data.draw(
        st.sampled_from([s for s in STATEMENTS if any(s in m["content"] for m in messages)])
    )
    (speaker,) = [m["speaker"] for m in messages if statement in m["content"]]

    assert_supported(f"{speaker}: {statement}", messages)


@given(dialogues())
def test_a_whole_message_is_supported(messages):
    """Sentence by sentence, each in the context of the others."""
    for message in messages:
        assert_supported(message["content"], messages)
