"""Which messages reach the summarizer, which do not, and why.

The core (``core.py``) is maximal marginal relevance under a token budget, as the requirements word it.
Around it, each switched by a setting: what is noise (``noise.py``), what is pinned (``pins.py``), what
belongs together (``tools.py``), what is only referred to (``references.py``), what stays verbatim
(``tail.py``), and which part of a history that grew is new (``rounds.py``).
"""

from memguard.selection.core import Plan, select
from memguard.selection.decisions import PINNED, Decision, MessageDecision, Reason
from memguard.selection.lines import Line, candidate_lines, chunk_counts, join_lines
from memguard.selection.rounds import Round
from memguard.selection.tail import tail_of

__all__ = [
    "PINNED",
    "Decision",
    "Line",
    "MessageDecision",
    "Plan",
    "Reason",
    "Round",
    "candidate_lines",
    "chunk_counts",
    "join_lines",
    "select",
    "tail_of",
]
