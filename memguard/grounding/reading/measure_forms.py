"""How quantities are written: units, rates, bounds, labels, identifiers."""
# ruff: noqa: E501 - a pattern is read in one line

from __future__ import annotations

import re

UNIT = re.compile(
    r"[\s-]?(?P<percentage>percentage[\s-]points?|percent\s+points?|per\s+cent|pp\b)"
    r"|[\s-]{0,2}[*_`]{0,2}(?:(?P<kind>working|business|calendar|full|whole|more|extra|consecutive|straight|additional|further|square)\s+)?"
    r"(?P<unit>%|°\s?[CF]?|[€$£¥₹]|[^\W\d_]+(?:/[a-z]+|²)?)"
)
ADJECTIVE_UNIT = re.compile(r"\s(?P<kind>[a-z]+)\s(?P<unit>[a-z]{3,}s)\b(?P<percentage>\b\B)?")
MONEY_BEFORE = re.compile(
    r"(?:(?P<sign>US\$|A\$|C\$|[$€£¥₹])\s?|\b(?P<iso>USD|EUR|GBP|JPY|CHF|INR|AUD|CAD|SEK|NOK|DKK|CNY|PLN)\s)$",
    re.IGNORECASE,
)
PER = re.compile(
    r"\s*(?:(?:\w+\s+){0,2}?(?:an?|per|each|every|/)\s?(?P<per>second|sec|s|minute|min|hour|h|day|morning|evening|night|week|month|year|annum|quarter|person|head|user|seat|ticket)\b"
    r"|(?:\w+\s+){0,1}?(?P<adverb>daily|nightly|weekly|monthly|yearly|annually|hourly|apiece|each(?=\s*(?:$|[.,;:)]|\b(?:and|but|with|for|via|return)\b)))(?=\W|$))",
    re.IGNORECASE,
)
ADVERBS = {"daily": "day", "nightly": "night", "weekly": "week", "monthly": "month", "yearly": "year", "annually": "year",
            "hourly": "hour", "apiece": "person", "each": "person", "sec": "second", "s": "second", "min": "minute", "h": "hour",
            "annum": "year", "morning": "day", "evening": "day", "head": "person", "user": "person", "seat": "person", "ticket": "person"}  # fmt: skip
WHOLE = re.compile(
    r"\s*(?:\w+\s+)?(?:in\s+(?:total|all)|altogether|for\s+(?:all|both|the\s+(?:whole|entire)|everyone|everybody))\b",
    re.IGNORECASE,
)
APPROX = re.compile(
    r"\b(?:about|around|roughly|nearly|almost|approximately|approx\.?|circa|some|close\s+to|or\s+so|just\s+(?:over|under)|a\s+bit\s+(?:over|under)|~)\s*(?:a\s+|the\s+)?$|[~≈]\s*$",
    re.IGNORECASE,
)
APPROX_AFTER = re.compile(r"\s*(?:\w+\s+)?(?:or\s+so|ish\b|-ish\b)", re.IGNORECASE)
BELOW = re.compile(
    r"\b(?:under|below|less\s+than|fewer\s+than|up\s+to|at\s+most|no\s+more\s+than|not\s+more\s+than|within|max(?:imum)?(?:\s+of)?|limit(?:ed)?\s+(?:to|of|is))\s*(?:a\s+|the\s+)?$|(?:<=?|≤)\s*$",
    re.IGNORECASE,
)
ABOVE = re.compile(
    r"(?<!\d )\b(?:over|above|more\s+than|at\s+least|no\s+(?:less|fewer)\s+than|not\s+less\s+than|min(?:imum)?(?:\s+of)?|exceed(?:s|ed|ing)?)\s*(?:a\s+|the\s+)?$|(?:>=?|≥)\s*$",
    re.IGNORECASE,
)
AT_MOST_AFTER = re.compile(
    r"\s*(?:\w+\s+){0,2}?(?:at\s+(?:the\s+)?most|or\s+(?:less|fewer|under|below)|max(?:imum)?)\b",
    re.IGNORECASE,
)
AT_LEAST_AFTER = re.compile(
    r"\s*(?:\w+\s+){0,2}?(?:at\s+least|or\s+(?:more|over|above)|minimum|\+)", re.IGNORECASE
)
RANGE = re.compile(r"\s*(?:–|-|to|or|and|through)\s*[€$£]?\s*", re.IGNORECASE)
KEY = re.compile(r"(?P<key>[A-Za-z_][\w.\- ]{0,40}?)[\"']?\s*[=:]\s*[\"']?$")
LABELS = frozenset(
    "platform room gate seat flight route line unit number no option version page chapter section port track case order invoice "
    "ticket error code http step phase apartment flat floor run item question part level bus tram terminal table grade "
    "stage batch reference release python java python3 node locker box ward bed sprint build issue pr bug row column slide figure "
    "appendix season episode track player group team class exit pier hall building house iphone windows type status postcode".split()
)  # fmt: skip
IDENTIFIER = re.compile(
    r"(?<![\w./@:-])(?=[\w./-]*\d)(?=[\w./-]*[A-Za-z-]|\d+\.\d+\.\d)[A-Za-z0-9]+(?:[-_./][A-Za-z0-9]+)*(?![\w@]|\.\w)"
)
AGE = re.compile(r"[\s-]years?[\s-](?:old|of\s+age)\b|(?<=\d)\s?y/?o\b", re.IGNORECASE)
AGE_BEFORE = re.compile(r"\b(?:aged?|turn(?:s|ed|ing)?)\s+$", re.IGNORECASE)
STREET = re.compile(
    r"\s+(?:[A-Z][\w']+\s+){0,2}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Row|Drive|Place|Square|Way|Court|Close|Yard|Boulevard)\b"
)
FREQUENCY = {"once": 1.0, "twice": 2.0, "thrice": 3.0}
TIMES = re.compile(
    r"\b(?P<adverb>once|twice|thrice)\b(?=\s+(?:an?|per|each|every|daily|weekly|monthly)\b)", re.IGNORECASE
)
DURATION = re.compile(
    r"\b(?P<article>an?)\s+(?P<unit>second|minute|hour|day|week|fortnight|month|year|decade)\b(?=\s+(?:ago|later|earlier|or\s+(?:so|two)|before|after|long|late|early|and\s+a\s+half))"
    r"|\b(?:for|about|around|in|within|over|nearly|almost|than|lasts?|took|takes?|of)\s+(?P<article2>an?)\s+(?P<unit2>minute|hour|day|week|fortnight|month|year|decade)\b(?!\s+old)",
    re.IGNORECASE,
)  # fmt: skip
PLURALS = frozenset("people men women children feet teeth mice".split())
