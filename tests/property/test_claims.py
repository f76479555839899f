"""What holds for the claims of any text, and for a payload of any of them."""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from memguard.grounding.claims import extract_claims
from memguard.grounding.claims.wording import worded
from memguard.segmentation import sentence_spans
from memguard.text import is_blank
from tests.support import TEXTS, own_words

_JOINS = {"and", "but", "while", "whereas", "so", "because", "who", "which", ",", ";"}
_PHRASES = st.sampled_from(
    [
        *(
            "Rosa",
            "Ben",
            "the Solo plan",
            "The demo",
            "she",
            "it",
            "they",
            "her card",
            "nobody",
            "日本",
            "🔥",
        ),
        *("paid 40 euros", "was moved", "moved to Friday", "costs 5 euros", "will come", "said", "is", "has"),
        *("and", ", and", ", but", ";", ", which", ", who", ", while", "because", ", so", ",", "if", "not"),
        *("(", ")", '"', "“", "”", "?", ".", "…", "e\u0301", "a.m.", "\n", "[x]", "two cats"),
    ]
)
PROSE = st.lists(_PHRASES, max_size=24).map(" ".join)
SUMMARIES = st.one_of(
    TEXTS, PROSE, st.text(max_size=60), st.lists(st.one_of(PROSE, TEXTS), max_size=3).map(". ".join)
)
SPEAKERS = st.sampled_from([(), ("Rosa", "Ben"), ("User", "Assistant"), ("Nurse Pohl",)])


@given(SUMMARIES, SPEAKERS)
def test_every_claim_is_its_span_of_the_summary(summary, speakers):
    """A20, A23: nothing is rewritten, and the ids follow the order."""
    claims = extract_claims(summary, speakers)

    assert [c.id for c in claims] == [f"c{i}" for i in range(1, len(claims) + 1)]
    for before, claim in pairwise(claims):
        assert before.span[1] <= claim.span[0]
    for claim in claims:
        start, end = claim.span
        assert claim.text == summary[start:end]
        assert not is_blank(claim.text)
        assert claim.text[0] != " "


@given(SUMMARIES, SPEAKERS)
def test_the_clauses_of_a_sentence_and_what_joins_them_are_the_sentence(summary, speakers):
    """A17: no visible character is lost but a mark or a joining word."""
    claims = extract_claims(summary, speakers)

    sentences = [summary[a:b] for a, b in sentence_spans(summary) if not is_blank(summary[a:b])]
    rebuilt = [""] * len(sentences)
    for claim in claims:
        rebuilt[claim.sentence] += claim.connective + claim.text
        assert set(re.findall(r"\w+|[^\w\s]", claim.connective)) <= _JOINS
        assert bool(claim.connective) == (claim.clause > 0)
    assert rebuilt == sentences


@given(SUMMARIES, SPEAKERS)
def test_the_judged_form_is_the_text_with_its_edits(summary, speakers):
    """F23: what is put in stands in the summary, and every span maps back into the text."""
    for claim in extract_claims(summary, speakers):
        text = claim.text
        for edit in reversed(claim.edits):
            assert 0 <= edit.start <= edit.end <= len(claim.text)
            text = text[: edit.start] + edit.text + text[edit.end :]
            if edit.origin is not None:
                assert edit.origin[1] <= claim.span[0] + edit.start
        assert text == claim.judged_as
        length = len(claim.judged_as)
        assert claim.text_span(0, length) == (0, len(claim.text))
        for place in range(length):
            start, end = claim.text_span(place, place + 1)
            assert 0 <= start <= end <= len(claim.text)
            if not claim.edits:
                assert (start, end) == (place, place + 1)


@given(SUMMARIES)
def test_extracting_is_repeatable_and_a_kept_judged_form_stays_one_sentence(summary):
    """Two runs are equal, and no clause without a carried subject is cut again."""
    claims = extract_claims(summary)

    assert claims == extract_claims(summary)


@given(SUMMARIES, SPEAKERS, st.data())
def test_any_subset_of_claims_reads_back_from_its_lines(summary, speakers, data):
    """A20, A25, A26: without what was added, each line is the claims' own words and what joins them."""
    claims = extract_claims(summary, speakers)
    kept = [claim for claim in claims if data.draw(st.booleans())]
    names = data.draw(st.sampled_from([[], ["Nurse Pohl [x]"] * len(kept)]))

    lines = worded(kept, names)

    assert [i for line in lines for i in line.claims] == list(range(len(kept)))
    for line in lines:
        rest = line.text
        assert "\n" not in line.text
        for number, (i, part, added) in enumerate(zip(line.claims, line.parts, line.added, strict=True)):
            assert part in line.text
            assert all(words == "." or (words[0] == "[" and words[-1] == "]") for words in added)
            assert "".join(own_words(part, added).split()) == "".join(kept[i].text.split())
            join = " ".join(kept[i].connective.split()) if number else ""
            head, _, rest = rest.partition(part)
            assert head.strip() == join
        assert rest == ""
