"""Offsets hold and nothing visible is lost, whatever the text."""

from hypothesis import example, given
from hypothesis import strategies as st

from memguard.segmentation import sentence_spans, sentences
from memguard.text import is_blank

WORDS = (
    'Dr. e.g. U.S. p.m. 5. 1. A. ... … ! ? ?! " ” ( ) [ ] `` ``` ~~~ - * # | > : ok Ben said 40 EUR i 会议。 '
    "好！ 🙂 👨‍👩‍👧 e\u0301 \u200b \ufe0f \x00 \ud83d https://a.b/c C:\\x { } ; , — नम।"
)
GAPS = (" ", "  ", "\n", "\r\n", "\n\n", "\t", "\u2028", "\x85", "\x1c")
pieces = st.sampled_from([*WORDS.split(" "), *GAPS])
texts = st.one_of(
    st.text(),
    st.text(st.characters(exclude_categories=())),
    st.lists(pieces).map("".join),
    st.lists(pieces).map(" ".join),
)


@given(texts)
@example("\x1c")
@example("a\x1c")
@example("```\n\n- ")
def test_sentences_are_lossless(text):
    spans = sentence_spans(text)
    reached = 0
    for start, end in spans:
        assert reached <= start < end <= len(text)
        assert is_blank(text[reached:start])
        assert text[start:end] == text[start:end].strip()
        assert not is_blank(text[start:end])
        reached = end
    assert is_blank(text[reached:])
    assert sentences(text) == tuple(text[start:end] for start, end in spans)


@given(texts)
def test_sentences_hold_a_word_each(text):
    """SPL-008: no sentence is punctuation only, unless the whole text is."""
    found = sentences(text)
    if len(found) > 1:
        assert all(any(map(str.isalnum, sentence)) for sentence in found)
