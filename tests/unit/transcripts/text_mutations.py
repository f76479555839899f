"""Samples of text formats with lines deleted, doubled, swapped, cut or replaced by nasty ones."""

from pathlib import Path

from hypothesis import strategies as st

SAMPLES = Path(__file__).parents[2] / "data" / "transcripts"
NASTY = (
    "",
    " ",
    "\ufeff",
    "\u200e\u202f",
    "99/99/99, 99:99 - A: b",
    "00/00/0000, 00:00 - : ",
    "[31/12/9999, 23:59:59] Z: z",
    "9999999999:99:99.999 --> 0",
    "99:99:99,999 --> 00:00:00,000",
    "<v ><v><c.></v>",
    "From a@b Mon Sep 14 10:00:00 2026",
    "Content-Type: multipart/mixed; boundary=x",
    "Content-Type: text/plain; charset=no-such",
    "Content-Type: message/rfc822",
    "Content-Transfer-Encoding: base64",
    "Content-Disposition: attachment; filename*=utf-8''%ff%",
    "From: =?utf-8?q?=C3?= <",
    "From: <@[>,;:\\",
    "To: @" + "(" * 40,
    "Date: Mon, 99 Foo 20260 25:61:61 +9999",
    "Date: Mon, 1 Jan 0001 00:00:00 +1400",
    "Message-ID: <>",
    "In-Reply-To: <a1@plot.example>",
    "--outer",
    '"',
    '";";,\t|',
    "## User",
    "**Assistant:** x",
    "```",
    "{",
    "x" * 300,
    "\ud83d",
    "\x00\x1f",
    "> " * 50,
    "<blockquote><pre><a href='http://x'>" * 20,
)


@st.composite
def mutated_text(draw: st.DrawFn, name: str) -> str:
    """Draw the text of a sample with one to six lines changed, perhaps cut at the end."""
    lines = (SAMPLES / name).read_text(encoding="utf-8").split("\n")
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(lines) - 1)) if lines else 0
        order = draw(st.sampled_from(["delete", "double", "swap", "cut", "replace", "insert", "join"]))
        if not lines or order == "insert":
            lines.insert(at, draw(st.sampled_from(NASTY)))
        elif order == "delete":
            del lines[at]
        elif order == "double":
            lines.insert(at, lines[at])
        elif order == "swap":
            other = draw(st.integers(0, len(lines) - 1))
            lines[at], lines[other] = lines[other], lines[at]
        elif order == "cut":
            lines[at] = lines[at][: draw(st.integers(0, 40))]
        elif order == "replace":
            lines[at] = draw(st.sampled_from(NASTY))
        else:
            lines[at : at + 2] = ["".join(lines[at : at + 2])]
    text = draw(st.sampled_from(["\n", "\n", "\r\n", "\r"])).join(lines)
    return text[: len(text) - draw(st.sampled_from([0, 0, 0, 1, 9]))]
