"""Keys under which the same figure meets in any form, so that a search by words finds it.

"21 days" and "three weeks" share no word; they share a key, as do "tomorrow" said on 2 March and
"3 March".
"""

from __future__ import annotations

from datetime import date
from functools import lru_cache

from memguard.grounding.reading.almanac import days
from memguard.grounding.reading.clock import moments
from memguard.grounding.reading.measures import quantities
from memguard.grounding.reading.units import in_base

_EXACT_DAYS = 3  # a span of more days says too little to be searched for


@lru_cache(maxsize=32_768)
def figure_keys(text: str, said: date | None = None) -> frozenset[str]:
    """Return the keys of the quantities, dates and times of a text.

    Args:
        text: A claim or a sentence.
        said: The day on which it was said, if known: relative dates need it.
    """
    found: set[str] = set()
    for quantity in quantities(text):
        if quantity.literal:
            found.add(f"#{quantity.literal}")
            continue
        for value in {quantity.low, quantity.high}:
            found.add(f"={value:.6g}")
            for unit in quantity.units:
                if unit.dimension not in {"money", "share", "cent", "age"}:
                    found.add(f"{unit.dimension}={in_base(value, unit.name):.6g}")
    for moment in moments(text):
        if moment.minute is not None:
            found.add(f"@{moment.minute % 720}")
        elif moment.month and moment.day:
            found.add(f"@{moment.month:02}-{moment.day:02}")
        elif said is not None:
            for first, last in days(moment, said):
                if (last - first).days <= _EXACT_DAYS:
                    found.add(f"@{first:%m-%d}")
    return frozenset(found)
