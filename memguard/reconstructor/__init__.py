"""Stage 3, reconstruction: what survived, put together for an LLM's context.

No generative call (A24): a heading, then one line a claim, each with its citation; neighbouring clauses
of one sentence share a line, and so do lines of one message. Key facts that no kept claim states enter in
the transcript's own words (F22), and all compete for one budget. All glue stands in ``GLUE``; everything
else in the payload is a claim, a citation, or in brackets the name or the question that a claim needs, or
that it was kept without being found supported. Marks of Markdown in a claim's words are not shown.
Where nothing survived and nothing can be quoted for a key fact, the most central source sentence enters
verbatim, marked as such.
"""

from memguard.reconstructor.citations import cite
from memguard.reconstructor.forms import (
    FALLBACK_HEADING,
    GLUE,
    HEADING,
    KEPT_BY_PERSON,
    NOT_VERIFIED,
    QUOTED_HEADING,
    SHORT_HEADING,
    Heading,
    Omission,
    OmissionReason,
    Piece,
    Reconstruction,
    Status,
)
from memguard.reconstructor.reading import read_payload
from memguard.reconstructor.stage import NOTHING_TO_CHECK, Reconstructor, reconstruct

__all__ = [
    "FALLBACK_HEADING",
    "GLUE",
    "HEADING",
    "KEPT_BY_PERSON",
    "NOTHING_TO_CHECK",
    "NOT_VERIFIED",
    "QUOTED_HEADING",
    "SHORT_HEADING",
    "Heading",
    "Omission",
    "OmissionReason",
    "Piece",
    "Reconstruction",
    "Reconstructor",
    "Status",
    "cite",
    "read_payload",
    "reconstruct",
]
