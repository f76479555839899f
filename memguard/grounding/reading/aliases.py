"""Other forms of names: short first names, peoples and their countries, names that everyone knows."""

from __future__ import annotations

from functools import cache, lru_cache

ALWAYS_KNOWN = frozenset(
    "and the online whatsapp email e-mail android covid covid-19 english uk usa us eu gps sms app".split()
)
"""Name-like words whose absence from the transcript says nothing."""

_SHORT_FORMS = """
elizabeth liz lizzie beth eliza betty lisa; william will bill billy liam; robert rob bob bobby;
richard rick dick rich; margaret maggie meg peggy; katherine catherine kate katie kathy cathy kat;
alexander alex sasha xander; alexandra alex sasha; michael mike mick mickey; james jim jimmy jamie;
john jack johnny jon; jonathan jon jonny; thomas tom tommy; edward ed ted eddie ned;
charles charlie chuck; anthony tony; andrew andy drew; joseph joe joey; daniel dan danny;
david dave davey; samuel sam sammy; samantha sam; patricia pat trish patty; patrick pat paddy;
susan sue susie; deborah deb debbie; jennifer jen jenny; jessica jess; christopher chris kit;
christina chris tina; nicholas nick; nicole nicky; victoria vicky tori; theodore ted theo;
rebecca becky becca; abigail abby; barbara barb; dorothy dot; frances fran; francis frank;
frederick fred freddie; gregory greg; harold harry hal; henry harry hank; isabella bella izzy;
jacqueline jackie; kenneth ken; lawrence larry; leonard leo len; matthew matt; nathaniel nate;
penelope penny; peter pete; philip phil; raymond ray; ronald ron; stephen steve steven; timothy tim;
vincent vince; walter walt; zachary zach; eleanor ellie nell; eugene gene; gabriel gabe;
gerald gerry jerry; helen nell; johannes hans; louise lou; martha marty; natalie nat; olivia liv;
pamela pam; judith judy
"""
_PEOPLES = """
germany german germans; france french; spain spanish spaniard; italy italian italians;
poland polish pole poles; portugal portuguese; netherlands dutch holland; england english;
britain british uk; united kingdom; america american americans usa us; china chinese; japan japanese;
india indian indians; russia russian; sweden swedish; norway norwegian; denmark danish;
finland finnish; switzerland swiss; austria austrian; belgium belgian; greece greek; turkey turkish;
ireland irish; scotland scottish; wales welsh; canada canadian; mexico mexican; brazil brazilian;
australia australian; thailand thai; vietnam vietnamese; korea korean; croatia croatian;
hungary hungarian; czechia czech; ukraine ukrainian; egypt egyptian; africa african;
europe european eu; asia asian; cuba cuban; chile chilean; peru peruvian; kenya kenyan; israel israeli
"""
_SHORTEST_PREFIX = 3


@cache
def _table(text: str) -> dict[str, frozenset[int]]:
    table: dict[str, set[int]] = {}
    for number, group in enumerate(text.split(";")):
        for word in group.split():
            table.setdefault(word, set()).add(number)
    return {word: frozenset(groups) for word, groups in table.items()}


@lru_cache(maxsize=16_384)
def same_first_name(one: str, other: str) -> bool:
    """Tell whether two folded first names are forms of one: by the list, or one opens the other."""
    if one == other:
        return True
    table = _table(_SHORT_FORMS)
    if table.get(one, frozenset()) & table.get(other, frozenset()):
        return True
    short, long = sorted((one, other), key=len)
    return len(short) >= _SHORTEST_PREFIX and long.startswith(short) and long.isalpha()


def country_of(word: str) -> int | None:
    """Return a number for the country that a folded word names or belongs to; None for other words."""
    return min(_table(_PEOPLES).get(word, frozenset()), default=None)
