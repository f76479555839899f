"""Names of a unit: people, places, products, paths, identifiers, commands and quotations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from memguard.facts.forms import FactClass
from memguard.facts.spots import Spot
from memguard.grounding.reading.aliases import country_of
from memguard.grounding.reading.names import Name, fold, names

_PLACE_BEFORE = re.compile(
    r"\b(?:in|to|from|near|at|via|around|outside|visit(?:ing)?|leaves?)\s+(?:the\s+)?$", re.I
)
_PLACE_END = re.compile(
    r"\b(?:Street|St|Road|Rd|Avenue|Ave|Lane|Row|Drive|Place|Square|Court|Yard|Station|Airport"
    r"|Hospital|Clinic"
    r"|School|Park|Bridge|Island|Valley|City|Town|County|University|Hotel|Museum|Centre|Center|Hall)\b"
)
_PERSON_BEFORE = re.compile(
    r"\b(?:brother|sister|wife|husband|son|daughter|mother|father|mum|mom|dad|aunt|uncle"
    r"|friend|boss|colleague"
    r"|manager|supervisor|neighbou?r|partner|girlfriend|boyfriend|cousin|nurse|doctor|dr|mr|mrs|ms|prof"
    r"|i'm|i am|name is|name's|called|ask|tell|told|with)\.?,?\s+$",
    re.IGNORECASE,
)
_PERSON_AFTER = re.compile(
    r"\s*(?:,\s+(?:my|his|her|our|who)\b|(?:['’]s\s+)?(?:says?|said|thinks?|thought|wants?"
    r"|will|wrote|told|asked"
    r"|called|likes?|knows?|does|did|has|had|is (?:coming|going|joining|on|allergic)|takes?"
    r"|must|needs?|can't|can)\b)"
)
_QUOTE = re.compile(r"[\"“]([^\"“”\n]{4,80})[\"”]|(?<!\w)'([^'\n]{4,80})'(?!\w)|«([^«»\n]{4,80})»")
_COMMAND = re.compile(
    r"(?:[`$>]\s?|\brun\s+)((?:sudo\s+)?(?:make|go|rm|cp|mv|[\w.-]+\.sh|\./[\w.-]+)\s+[^`\n]{2,120})"
    r"|(?:^|[`$>]\s?|\brun\s+)((?:sudo\s+)?(?:git|pip|npm|npx|yarn|docker|kubectl|curl|python3?|pytest|cargo|ssh"
    r"|apt(?:-get)?|brew|terraform|psql|systemctl|grep|chmod)\s+[^`\n]{2,120})"
)
"""Words that are also plain English ("make it") are commands only after a prompt, a back tick or "run"."""
_PLACEHOLDER = re.compile(r"\[[A-Z]{2,10}_\d+\]|\[[a-z ]+\]")


@lru_cache(maxsize=16_384)
def namings(text: str, speakers: tuple[str, ...]) -> tuple[Spot, ...]:
    """Return the names, quotations and commands of a unit in order.

    Args:
        text: The unit.
        speakers: Who speaks in the conversation: their names are told beside what they say.
    """
    found = [spot for name in names(text) if (spot := _named(name, text, speakers)) is not None]
    found += list(_commands(text))
    taken = [(s.start, s.end) for s in found if s.kind is FactClass.COMMAND]
    found = [
        s
        for s in found
        if s.kind is FactClass.COMMAND or not any(a <= s.start and s.end <= b for a, b in taken)
    ]
    for match in _QUOTE.finditer(text):
        group = match.lastindex or 1
        quoted = match[group]
        if len(quoted.split()) > 1:
            found.append(
                Spot(
                    match.start(group), match.end(group), FactClass.QUOTE, " ".join(quoted.casefold().split())
                )
            )
    return tuple(sorted(found, key=lambda s: s.start))


def _named(name: Name, text: str, speakers: tuple[str, ...]) -> Spot | None:
    value = " ".join(name.pieces)
    if name.is_technical:
        if name.text.endswith("()") or name.shape not in {"address", "path"}:
            return Spot(name.start, name.end, FactClass.IDENTIFIER, value)
        return Spot(name.start, name.end, FactClass.PATH, value)
    if _PLACEHOLDER.match(text, max(0, name.start - 1)):
        return None
    said_by = speaking(name.pieces, speakers)
    kind = _kind(name, text, is_speaker=said_by)
    return Spot(name.start, name.end, kind, value, 0.25 if said_by else 1.0)


@lru_cache(maxsize=16_384)
def speaking(pieces: tuple[str, ...], speakers: tuple[str, ...]) -> bool:
    """Tell whether a name is that of somebody who speaks."""
    return any(set(pieces) & {fold(part) for part in re.findall(r"\w+", speaker)} for speaker in speakers)


def _kind(name: Name, text: str, *, is_speaker: bool) -> FactClass:
    before, after = text[: name.start], text[name.end :]
    if is_speaker or name.is_titled or _PERSON_BEFORE.search(before[-24:]) or _PERSON_AFTER.match(after):
        return FactClass.PERSON
    if any(country_of(piece) is not None for piece in name.pieces) or _PLACE_END.search(name.text):
        return FactClass.PLACE
    if _PLACE_BEFORE.search(before[-16:]):
        return FactClass.PLACE
    return FactClass.PRODUCT


def _commands(text: str) -> Iterator[Spot]:
    for match in _COMMAND.finditer(text):
        group = match.lastindex or 1
        end = match.start(group) + len(match[group].rstrip(" .,;:"))
        value = " ".join(text[match.start(group) : end].split())
        yield Spot(match.start(group), end, FactClass.COMMAND, value)
