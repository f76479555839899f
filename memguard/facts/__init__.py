"""Key facts: what a compressed context must not lose, and whether it lost it."""

from memguard.facts.finding import find_facts
from memguard.facts.forms import ClassRecall, FactClass, KeyFact, OmissionReport, Statement
from memguard.facts.judge import states
from memguard.facts.matching import FactIndex
from memguard.facts.omission import omissions

__all__ = [
    "ClassRecall",
    "FactClass",
    "FactIndex",
    "KeyFact",
    "OmissionReport",
    "Statement",
    "find_facts",
    "omissions",
    "states",
]
