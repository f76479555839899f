"""The colours, shapes and words of MemGuard, each with one meaning, for charts and pages alike.

No meaning is carried by colour alone: each has a glyph, a marker shape and a label of its own.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tone:
    """A foreground and the tinted ground that it is read on, as ``#RRGGBB``."""

    fg: str
    bg: str


@dataclass(frozen=True, slots=True)
class Meaning:
    """One meaning and everything that shows it.

    Attributes:
        key: Stable name.
        label: The word beside it.
        glyph: One character that shows it in text.
        shape: plotly's name of its marker.
        light: Its colours on light paper.
        dark: Its colours on dark paper.
    """

    key: str
    label: str
    glyph: str
    shape: str
    light: Tone
    dark: Tone

    def tone(self, dark: bool) -> Tone:
        """Return the colours for light or dark paper."""
        return self.dark if dark else self.light


@dataclass(frozen=True, slots=True)
class Ground:
    """What everything else is drawn with.

    Attributes:
        paper: The page.
        wash: Cards and what is pointed at; text is read on it as well.
        ink: Text and what was picked.
        grey: Quiet text and marks.
        line: Hairlines and tracks; carries no meaning.
        accent: What can be pressed.
        on_accent: Text on the accent.
    """

    paper: str
    wash: str
    ink: str
    grey: str
    line: str
    accent: str
    on_accent: str


KEPT = Meaning(
    "kept",
    "kept",
    "●",
    "circle",
    Tone("#0F766E", "#E6F4F1"),
    Tone("#5EEAD4", "#12312E"),
)
CONTRADICTED = Meaning(
    "dropped_contradicted",
    "contradicted",
    "✕",
    "x",
    Tone("#B42318", "#FDECEA"),
    Tone("#FDA29B", "#3A1714"),
)
NOT_FOUND = Meaning(
    "dropped_not_found",
    "not found",
    "○",
    "circle-open",
    Tone("#B54708", "#FEF3E2"),
    Tone("#FEC84B", "#36240B"),
)
NEEDS_REVIEW = Meaning(
    "needs_review",
    "needs review",
    "?",
    "diamond",
    Tone("#6D28D9", "#F1EBFD"),
    Tone("#C4B5FD", "#271A45"),
)
VERBATIM = Meaning(
    "verbatim",
    "verbatim",
    "❝",
    "square",
    Tone("#475467", "#F2F4F7"),
    Tone("#D0D5DD", "#24292F"),
)
EVIDENCE = Meaning(
    "evidence",
    "source",
    "_",
    "circle-open",
    Tone("#1D4ED8", "#E8EFFE"),
    Tone("#93C5FD", "#14264D"),
)
NOT_A_CLAIM = Meaning(
    "not_a_claim",
    "not a claim",
    "–",
    "line-ew-open",
    Tone("#556172", "#F6F7F9"),
    Tone("#A3AFBF", "#171E27"),
)
LIGHT = Ground(
    paper="#FFFFFF",
    wash="#F6F7F9",
    ink="#16202E",
    grey="#556172",
    line="#DDE2E9",
    accent="#1D4ED8",
    on_accent="#FFFFFF",
)
DARK = Ground(
    paper="#0F141B",
    wash="#171E27",
    ink="#E6EAF0",
    grey="#A3AFBF",
    line="#2C3644",
    accent="#93C5FD",
    on_accent="#0F141B",
)
BY_HAND = Meaning(
    "dropped_by_person",
    "dropped by a person",
    "⊘",
    "circle-x-open",
    Tone(LIGHT.ink, LIGHT.wash),
    Tone(DARK.ink, DARK.wash),
)
"""A person dropped what the measurements would keep: no colour of a finding, for none decided."""
CLAIM_MEANINGS = (KEPT, CONTRADICTED, NOT_FOUND, NEEDS_REVIEW, VERBATIM, BY_HAND)
MEANINGS = (*CLAIM_MEANINGS, EVIDENCE, NOT_A_CLAIM)


def ground(dark: bool) -> Ground:
    """Return paper, ink and greys."""
    return DARK if dark else LIGHT


def contrast(a: str, b: str) -> float:
    """Return the contrast ratio of two ``#RRGGBB`` colours, from 1 to 21 (WCAG 2.2)."""
    lighter, darker = sorted((_luminance(a), _luminance(b)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
