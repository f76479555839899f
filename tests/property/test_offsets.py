"""Every offset that MemGuard reports is a slice of the untouched text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memguard import wire
from memguard.compressor import Compression
from memguard.eliminator import Elimination
from memguard.reconstructor import Reconstruction
from tests.support import guard, with_values

PIECES = st.sampled_from(
    [
        *[
            "Ben paid 40 euros.",
            " ",
            "\n",
            "👩‍👩‍👧",
            "🔥!",
            "你好世界。",
            "東京は遠い！",
            "e\u0301te\u0301",
            "\u0301",
        ],
        *[
            "\u200b",
            "\r\n",
            "\u2028",
            "a\u0308?",
            "ﷺ",
            "Ⅷ.",
            "\x00",
            "…",
            "🇫🇷",
            "שלום.",
            "\ufeff",
            "```\nx=1\n```",
        ],
    ]
)
CONTENTS = st.one_of(st.lists(PIECES, max_size=10).map("".join), st.text(max_size=30))


@given(st.lists(CONTENTS, min_size=1, max_size=5), CONTENTS)
def test_offsets_hold_in_every_script(contents, summary):
    """A23: ASCII, emoji, CJK, combining marks; spans, claims, and the wire form."""
    messages = [{"id": f"m{i}", "content": text} for i, text in enumerate(contents)]
    settings = with_values(elimination__evidence_kept=5, elimination__min_similarity=-1.0)

    trace = guard(settings).check(summary, messages)

    by_id = {m.id: m.content for m in trace.conversation}
    paragraph = trace[Compression].paragraph
    for verdict in (*trace[Elimination].verdicts, *trace[Reconstruction].verbatim):
        for place in verdict.evidence:
            text = by_id[place.span.message_id][place.span.start : place.span.end]
            assert 0 <= place.span.start < place.span.end <= len(by_id[place.span.message_id])
            assert text == trace.conversation.text(place.span)
    for span in trace[Elimination].central:
        assert by_id[span.message_id][span.start : span.end].strip()
    for row in wire.claim_rows(trace):
        if row["start"] is not None:
            assert paragraph[row["start"] : row["end"]] == row["text"]
        for place in row["evidence"]:
            assert by_id[place["message_id"]][place["start"] : place["end"]] == place["text"]
    for i, text in enumerate(contents):
        if not any("\ud800" <= c <= "\udfff" for c in text):
            assert by_id[f"m{i}"] == text
