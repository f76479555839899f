"""Claims of a summary."""

from __future__ import annotations

import pytest

from memguard.grounding.claims import Claim, ClaimKind, Edit, extract_claims


def test_a_summary_is_cut_into_numbered_verbatim_claims():
    """A17, A20."""
    summary = "Rosa paid 40 euros. Ben asked for a receipt.\nTom lives in Graz."

    claims = extract_claims(summary)

    assert claims[0] == Claim("c1", "Rosa paid 40 euros.", (0, 19), "Rosa paid 40 euros.")
    assert [(c.id, c.text, c.sentence) for c in claims[1:]] == [
        ("c2", "Ben asked for a receipt.", 1),
        ("c3", "Tom lives in Graz.", 2),
    ]


@pytest.mark.parametrize("blank", ["", "  \n", "\u200b", "\ufeff\u2060"])
def test_a_blank_summary_has_no_claims(blank):
    assert extract_claims(blank) == ()


def test_clauses_of_a_sentence_are_claims_with_what_joins_them():
    """A17: ``judged_as`` is self-contained, ``text`` is verbatim."""
    summary = "It rained. The demo was cancelled on Tuesday and was moved to the Friday slot."

    _, first, second = extract_claims(summary)

    assert (first.text, first.judged_as) == ("The demo was cancelled on Tuesday",) * 2
    assert (second.text, second.judged_as) == (
        "was moved to the Friday slot.",
        "The demo was moved to the Friday slot.",
    )
    assert [(c.sentence, c.clause, c.n_clauses, c.connective) for c in (first, second)] == [
        (1, 0, 2, ""),
        (1, 1, 2, " and "),
    ]
    assert second.edits == (Edit(0, 0, "The demo ", (11, 19)),)
    assert second.edits[0].is_carried
    assert not second.edits[0].is_pronoun


def marked(claim, words):
    """Return the part of the text that words of the judged form come from."""
    start = claim.judged_as.index(words)
    first, last = claim.text_span(start, start + len(words))
    return claim.text[first:last], first


@pytest.mark.parametrize(
    ("words", "text", "start"),
    [
        ("The demo", "", 0),
        ("demo was moved", "was moved", 0),
        ("was", "was", 0),
        ("Friday slot.", "Friday slot.", 17),
        ("The demo was moved to the Friday slot.", "was moved to the Friday slot.", 0),
    ],
)
def test_a_span_in_a_carried_subject_lies_at_the_head_of_the_clause(words, text, start):
    _, claim = extract_claims("The demo was cancelled on Tuesday and was moved to the Friday slot.")

    assert marked(claim, words) == (text, start)


@pytest.mark.parametrize(
    ("words", "text", "start"),
    [
        ("Rosa", "she", 6),
        ("Rosa asked", "she asked", 6),
        ("os", "she", 6),
        ("Later", "Later", 0),
        ("Later Rosa", "Later she", 0),
        ("receipt", "receipt", 22),
    ],
)
def test_a_span_in_a_name_lies_at_its_pronoun(words, text, start):
    _, claim = extract_claims("Rosa paid 40 euros. Later she asked for a receipt.")

    assert claim.judged_as == "Later Rosa asked for a receipt."
    assert marked(claim, words) == (text, start)


@pytest.mark.parametrize(
    ("words", "text"), [("review was", "review, which was"), ("The review", "The review"), ("was", "was")]
)
def test_a_span_over_words_that_are_left_out_spans_them(words, text):
    claim, _ = extract_claims("The review, which was moved to Friday, covers billing.")

    assert claim.judged_as == "The review was moved to Friday"
    assert marked(claim, words)[0] == text


def test_a_claim_without_edits_maps_to_itself():
    (claim,) = extract_claims("Rosa paid 40 euros.")

    assert [claim.text_span(*span) for span in ((0, 4), (5, 19), (3, 3))] == [(0, 4), (5, 19), (3, 3)]


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("Hi!", ClaimKind.COURTESY),
        ("Hello Anna,", ClaimKind.COURTESY),
        ("Thanks! 🙂", ClaimKind.COURTESY),
        ("Ok, thank you so much for your help.", ClaimKind.COURTESY),
        ("Hope this helps.", ClaimKind.COURTESY),
        ("Let me know if you need more.", ClaimKind.COURTESY),
        ("I'm happy to help with that.", ClaimKind.COURTESY),
        ("Do you want me to book it?", ClaimKind.QUESTION),
        ("*Shall we go?*", ClaimKind.QUESTION),
        ("Any news?", ClaimKind.QUESTION),
        ("Here is what you discussed.", ClaimKind.PREAMBLE),
        ("Sure, here's a short summary of the chat:", ClaimKind.PREAMBLE),
        ("## Open points", ClaimKind.HEADING),
        ("Next steps:", ClaimKind.HEADING),
        ("Gardening.", ClaimKind.FRAGMENT),
        ("A blue car.", ClaimKind.FRAGMENT),
        ("🙂", ClaimKind.FRAGMENT),
        # Statements, however short or polite they begin.
        ("Ben paid.", ClaimKind.STATEMENT),
        ("Mike thanks her.", ClaimKind.STATEMENT),
        ("Thanks to Anna the bug is fixed.", ClaimKind.STATEMENT),
        ("Rosa thanked Ben.", ClaimKind.STATEMENT),
        ("Rosa asked whether Ben wants a receipt?", ClaimKind.STATEMENT),
        ('Rosa asked: "Do you want a receipt?"', ClaimKind.STATEMENT),
        ("Refund: 40 euros.", ClaimKind.STATEMENT),
        ("Dentist on 7 October.", ClaimKind.STATEMENT),
        ("# tells the user the way to the clinic.", ClaimKind.STATEMENT),
        ("会议改到周五。", ClaimKind.STATEMENT),
        ("Das Treffen ist am Freitag.", ClaimKind.STATEMENT),
        ("Here is the key that Ben lost.", ClaimKind.STATEMENT),
        ("Call Ben.", ClaimKind.STATEMENT),
    ],
)
def test_what_states_nothing_is_not_a_statement(sentence, kind):
    """SPL-021, SPL-023, EMB-006."""
    (claim,) = extract_claims(sentence)

    assert claim.kind is kind
    assert claim.is_statement == (kind is ClaimKind.STATEMENT)


def test_kinds_stay_apart_in_one_summary():
    """SPL-021."""
    summary = "Hi! Rosa wants a window seat. Do you want me to book it? Hope this helps."

    assert [c.text for c in extract_claims(summary) if c.is_statement] == ["Rosa wants a window seat."]
