"""HTML to text, for mails that have nothing else: no network, no entities of XML, no scripts.

``lxml`` reports tags and text as they come, without a tree: time and memory are linear in the markup,
however deep or broken, and entities other than characters stay as they are written. Compared:
``html.parser`` of the standard library takes minutes for 200 KB of tags that are never closed, and
``selectolax`` seconds for tags that are nested deeply. Quoted parts get ``> `` before each line, as
in a text mail.
"""

from __future__ import annotations

from collections.abc import Mapping

from memguard.text import well_formed

_BLOCKS = frozenset(
    "address article aside blockquote body br dd div dl dt figure footer form h1 h2 h3 h4 h5 h6 header hr li "
    "main nav ol p pre section table tr ul".split()
)
_PARAGRAPHS = frozenset("p blockquote h1 h2 h3 h4 h5 h6 ul ol table pre".split())
_HIDDEN = frozenset({"script", "style", "head", "title", "template", "noscript"})
_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
_QUOTES = ("gmail_quote_container", "yahoo_quoted", "moz-cite-prefix")
_NO_BREAK = "\u00a0"
_MOST_MARKS = 8
"""Quotations nested deeper have so many marks: nobody counts them, and they would fill the memory."""


def text_of_html(markup: str) -> str:
    """Return the visible text of HTML: blocks on lines of their own, lists with ``-``, links with address.

    Markup that is cut or wrong gives what can be read of it; an empty string gives an empty one.
    """
    from lxml import etree

    parser = etree.HTMLParser(target=_Text(), no_network=True, recover=True)
    parser.feed(well_formed(markup))
    text: str = parser.close()
    return text


class _Text:
    """Takes what the parser reports; ``close`` returns the text."""

    def __init__(self) -> None:
        self._lines: list[tuple[int, str]] = []
        self._line: list[str] = []  # pieces: a parser may report each character for itself
        self._depth = 0
        self._quoting: list[tuple[str, int]] = []
        self._hidden = ""
        self._preformatted = 0
        self._link: tuple[str, int] | None = None

    def start(self, tag: str, values: Mapping[str, str]) -> None:
        """Take the beginning of an element."""
        if self._hidden:
            return
        if tag in _HIDDEN:
            self._hidden = tag
            return
        if tag in _BLOCKS:
            self._end_line()
        if tag in _PARAGRAPHS:
            self._blank_line()
        if tag not in _VOID:
            self._depth += 1
        if tag == "blockquote" or (tag == "div" and any(q in (values.get("class") or "") for q in _QUOTES)):
            self._quoting.append((tag, self._depth))
        elif tag == "li":
            self._line = ["- "]
        elif tag in {"td", "th"} and any(map(str.strip, self._line)):
            self._line.append(" | ")
        elif tag == "pre":
            self._preformatted += 1
        elif tag == "img" and values.get("alt"):
            self._line.append(f"[image: {values['alt']}]")
        elif tag == "a":
            self._link = (values.get("href") or "", len(self._line))

    def end(self, tag: str) -> None:
        """Take the end of an element."""
        if self._hidden:
            if tag == self._hidden:
                self._hidden = ""
            return
        if tag == "a" and self._link is not None:
            address, start = self._link
            self._link = None
            shown = "".join(self._line[start:]).strip()
            if (
                address.startswith(("http://", "https://"))
                and shown
                and address.rstrip("/") != shown.rstrip("/")
            ):
                self._line[start:] = [f"{''.join(self._line[start:]).rstrip()} ({address})"]
        if tag == "pre":
            self._preformatted = max(0, self._preformatted - 1)
        if tag in _BLOCKS:
            self._end_line()
        if tag not in _VOID:
            if self._quoting and self._quoting[-1][0] == tag and self._depth <= self._quoting[-1][1]:
                self._quoting.pop()
            self._depth = max(0, self._depth - 1)
        if tag in _PARAGRAPHS:
            self._blank_line()

    def comment(self, text: str) -> None:
        """Leave out a comment."""

    def data(self, data: str) -> None:
        """Take text; blanks and line breaks are one blank, except in preformatted text."""
        if self._hidden:
            return
        if self._preformatted:
            first, *rest = data.split("\n")
            self._line.append(first)
            for line in rest:
                self._end_line()
                self._line = [line]
            return
        words = " ".join(data.replace(_NO_BREAK, " ").split())
        before = " " if data[:1].isspace() or data[:1] == _NO_BREAK else ""
        after = " " if words and (data[-1:].isspace() or data[-1:] == _NO_BREAK) else ""
        if before and (not self._line or self._line[-1].endswith(" ")):
            before = ""
        if piece := before + words + after:
            self._line.append(piece)

    def close(self) -> str:
        """Return what was collected; at most one blank line stands between two others."""
        self._end_line()
        kept: list[str] = []
        for depth, line in self._lines:
            if not line and kept and not kept[-1].strip("> "):
                kept.pop()  # of two blank lines the one of the outer text is left
            kept.append(f"{'> ' * min(depth, _MOST_MARKS)}{line}".rstrip())
        return "\n".join(kept).strip("\n")

    def _end_line(self) -> None:
        line = "".join(self._line).rstrip()
        if line.strip(" -|") or self._preformatted:
            self._lines.append((len(self._quoting), line))
        self._line = []
        self._link = None

    def _blank_line(self) -> None:
        if self._lines and self._lines[-1] != (len(self._quoting), ""):
            self._lines.append((len(self._quoting), ""))
