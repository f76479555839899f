"""Sentences: what ends one, what does not, and that offsets hold."""

import time

import pytest

from memguard.segmentation import sentence_spans, sentences


@pytest.mark.parametrize(
    "expected",
    [
        # abbreviations
        ["Dr. Smith met Prof. Lee.", "They talked."],
        ["See No. 7 and Ref. INV-20.", "I said no.", "Then left."],
        ["Use it, e.g. prod, i.e. no spaces.", "Ortiz et al. (2021) agreed."],
        ["The U.S. Government said so.", "That was in the U.S.", "The end."],
        ["Acme Inc. of Leeds pays.", "Ask Acme Inc.", "They know."],
        ["He left at 5 p.m. Monday.", "She came at 6 p.m.", "Ben stayed."],
        ["It opens on Jan. 5 at 9 a.m. EST.", "Come early."],
        ["The call is at 10 a.m. New York time.", "Be there."],
        ["Is 5 p.m. Eastern Standard Time fine?", "Or 6 p.m. Pacific?", "Or 7 a.m. Singapore time?"],
        ["It starts at 9 a.m. Eastern on 3 May.", "It ends at 5 p.m. London time, as ever."],
        ["He left at 5 p.m.", "Next time he calls."],
        ["He left at 5 p.m.", "Dinner time is six."],
        ["He left at 5 p.m.", "Central Park was full."],
        ["He left at 5 p.m.", "Anna had no time."],
        ["Mr. Williams and Ms. Hall agreed.", "Mrs. Hall did not."],
        ["MR. WILLIAMS AND MS. HALL MET.", "THEY LEFT."],
        # initials
        ["He met J. Smith and Lena B. Ortiz.", "Room 4 B.", "Ask Noor."],
        # quotations, brackets, emoji
        ['"Really?" she asked.', '"Yes."', "Fine."],
        ["It is in. 🙂", "Next one.", "Thanks! 🎉"],
        # writers without capitals
        ["i paid 40 eur.", "it was late.", "thanks"],
        ["OK.", "so what now?", "ok"],
        ["Blood pressure is up.", "152 over 94."],
        # list numbers in a line
        ["1. First do x.", "2. Then y."],
        ["1.) First do x."],
        ["Is it 5?", "5.", "Thanks."],
        # numbers, versions, addresses
        ["It costs 3.5 EUR at v2.0.1.", "See a.example/x.y?z=1.", "Done."],
        # other scripts
        ["नमस्ते।", "आप कैसे हैं?"],
        ["هل أنت بخير؟", "نعم."],
    ],
)
def test_sentences_in_one_line(expected):
    assert list(sentences(" ".join(expected))) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Title\n\nHello there", ["Title", "Hello there"]),
        ("Hi\nI need a refund\nOrder 7781", ["Hi", "I need a refund", "Order 7781"]),
        ("To do:\n- one\n- two. Three\n3) four", ["To do:", "- one", "- two.", "Three", "3) four"]),
        ("Order: 5521\r\nName: Ben\rTotal: 4", ["Order: 5521", "Name: Ben", "Total: 4"]),
        ("The order was placed on\n3 May.", ["The order was placed on\n3 May."]),
        ("He saw Dr.\nSmith there.", ["He saw Dr.\nSmith there."]),
        (
            "A long line that was wrapped hard by some mail client at\n"
            "Munich after sixty columns. Then it\nends.",
            [
                "A long line that was wrapped hard by some mail client at\nMunich after sixty columns.",
                "Then it\nends.",
            ],
        ),
        (
            "Try:\n```python\nx = 1. Y\nfoo()\n```\nDone.",
            ["Try:", "```python\nx = 1. Y", "foo()\n```", "Done."],
        ),
        ("One.\n\n---\n\nTwo.", ["One.\n\n---", "Two."]),
        ("Let me look.\nrun({})", ["Let me look.", "run({})"]),
    ],
)
def test_sentences_line_breaks(text, expected):
    assert list(sentences(text)) == expected


@pytest.mark.parametrize("text", ["", "   ", "\n\n", "\u200b", "\u200b \ufeff\n"])
def test_sentences_blank_text_has_none(text):
    assert sentence_spans(text) == ()


@pytest.mark.parametrize(
    "text", ["🙂", "...", "?!", "```", "\x00", "e\u0301", "\ud83d", "((((", "- \n- ", "```\n```"]
)
def test_sentences_text_without_words_is_one_span(text):
    assert len(sentence_spans(text)) == 1


def test_sentences_survive_control_characters_and_surrogates():
    text = "One\x00 is. Two\ud83d is.\x07 Three is."
    assert list(sentences(text)) == ["One\x00 is.", "Two\ud83d is.\x07", "Three is."]


@pytest.mark.parametrize(
    "unit",
    ["The fix is in. It ships. ", "🙂会。", "a", " .", "x\n", "1. ", "```\n", '?"', "(", "e.g. (a) ", "Ab\n"],
)
def test_sentences_take_time_in_proportion(unit):
    """A quarter of a megabyte takes under a second, whatever it holds; quadratic work would take minutes."""
    text = (unit * (250_000 // len(unit) + 1))[:250_000]
    started = time.perf_counter()
    assert sentence_spans(text)
    assert time.perf_counter() - started < 10
