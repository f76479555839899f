"""Rescue: what a summary leaves out enters the payload in the transcript's own words."""

from memguard.rescue.cover import Budget, Chosen, Item, cover
from memguard.rescue.quotes import Quote, quotes_of

__all__ = ["Budget", "Chosen", "Item", "Quote", "cover", "quotes_of"]
