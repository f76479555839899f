"""Claims made wrong on purpose: the mistakes that summaries make, by kind and by seed."""

from memguard.drift.ground import Ground
from memguard.drift.injection import Injection, inject, inject_into, offered
from memguard.drift.packs import KindRate, Pack, is_kept, rates
from memguard.drift.rounds import Item, Round, make_round

__all__ = [
    "Ground",
    "Injection",
    "Item",
    "KindRate",
    "Pack",
    "Round",
    "inject",
    "inject_into",
    "is_kept",
    "make_round",
    "offered",
    "rates",
]
