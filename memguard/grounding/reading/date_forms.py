"""How dates and times are written: one pattern a form, the more telling forms first."""
# ruff: noqa: E501 - a pattern is read in one line

from __future__ import annotations

import re

MONTHS = "january february march april may june july august september october november december".split()
DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
).split()
ORDINALS += [f"twenty-{o}" for o in ORDINALS[:9]] + ["thirtieth", "thirty-first"]
HOURS = "one two three four five six seven eight nine ten eleven twelve".split()
_MONTH = r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
_WEEKDAY = r"(?P<weekday>mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)\b\.?"
_FULL_WEEKDAY = r"(?P<weekday>monday|tuesday|wednesday|thursday|friday|saturday|sunday)s?\b"
_ORD = r"(?:" + "|".join(sorted((o.replace("-", r"[\s-]") for o in ORDINALS), key=len, reverse=True)) + r")\b"
_DAY = rf"(?P<day>\d{{1,2}}(?:st|nd|rd|th)?\b|{_ORD})"
_YEAR = r"(?P<year>(?:1[89]|20)\d\d)(?!\d|[,.]\d)"
_LATER_DAY = r"(?:\s*(?:to|until|till|through|and|or|-|–)\s*(?:the\s+)?(?P<until>\d{1,2}(?:st|nd|rd|th)?))?"
_UNITS = r"(?:euros?|dollars?|pounds?|EUR|USD|GBP|km|kg|g|m|cm|mm|ml|l|miles?|people|users|requests|ms|GB|MB|TB|KB|kWh|W|hours?|minutes?|seconds?|days?|words|calories|kcal|mg|mcg|percent|%)(?![a-z])"
_CLOCK = r"(?P<hour>[01]?\d|2[0-4])(?:[:h]|\.(?=\d\d\s?[ap]\.?m\b))(?P<minute>[0-5]\d)(?::[0-5]\d)?(?:\s?(?P<half>[ap])\.?m\b\.?)?"
_SPOKEN_HOUR = rf"(?P<hour>\d{{1,2}}|{'|'.join(HOURS)})"

FORMS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        ("iso", r"(?<![\d-])(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)(?!\d|-\d)"),
        ("slashed", r"(?<![\d/.-])(?P<a>\d{1,2})(?P<sep>[/.-])(?P<b>\d{1,2})(?P=sep)(?P<year>\d{4}|\d\d)(?![\d/]|[.-]\d)"),
        ("nth", rf"\b(?P<nth>first|second|third|fourth|last|1st|2nd|3rd|4th)\s+{_FULL_WEEKDAY}\s+(?:of|in)\s+{_MONTH}(?:,?\s+{_YEAR})?"),
        ("day", rf"(?:\b{_WEEKDAY},?\s+(?:the\s+)?)?\b{_DAY}{_LATER_DAY}\s+(?:of\s+)?{_MONTH}(?:,?\s+(?:of\s+)?{_YEAR})?"),
        ("day", rf"(?:\b{_WEEKDAY},?\s+)?\b{_MONTH}\s+(?:the\s+)?{_DAY}(?!:\d|\.\d|\s?[ap]\.?m\b|\s*%)(?:,?\s+{_YEAR})?"),
        ("day", rf"\bthe\s+{_DAY},?\s+of\s+the\s+(?P<month_nth>{_ORD}|\d{{1,2}}(?:st|nd|rd|th)?)(?:,?\s+{_YEAR})?"),
        ("day", rf"\b{_WEEKDAY},?\s+(?:the\s+)?(?P<day>\d{{1,2}}(?:st|nd|rd|th)\b|(?<=\bthe\s){_ORD})"),
        ("quarter", rf"\b(?:Q(?P<quarter>[1-4])\b|(?P<quarter_nth>first|second|third|fourth)\s+quarter\b(?!\s+of\s+an))(?:\s+(?:of\s+)?{_YEAR})?"),
        ("month", rf"\b{_MONTH},?\s+(?:of\s+)?{_YEAR}"),
        ("weekday", rf"(?:\b(?P<which>next|last|this|coming|following|previous)\s+(?:week(?:'s)?\s+)?)?\b{_FULL_WEEKDAY}"),
        ("relative", r"\b(?:the\s+)?(?P<word>day\s+after\s+tomorrow|day\s+before\s+yesterday|tomorrow|yesterday|today|tonight|last\s+night)\b"),
        ("relative", r"\bthe\s+(?P<word>next|following|previous)\s+(?:day|morning|evening|afternoon|night)\b"),
        ("relative", r"\b(?P<word>this)\s+(?:morning|afternoon|evening)\b"),
        ("span", r"\b(?P<which>next|last|this|coming|following|previous)\s+(?P<unit>week|weekend|month|quarter|year)\b(?!'s\s+\w+day)"),
        ("offset", r"\b(?P<n>\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|a\s+couple\s+of|a\s+few)\s+(?P<unit>day|week|month|year)s?\s+(?P<way>ago)\b"),
        ("offset", r"\b(?P<way>in)\s+(?P<n>\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|a\s+couple\s+of|a\s+few)\s+(?P<unit>day|week|month|year)s?\b(?:'|’)?"),
        ("month", rf"\b(?:(?P<which>next|last|this|in|since|until|till|by|from|for|early|late|mid|end\s+of|beginning\s+of|of|during|before|after|to|back\s+in)[\s-]+){_MONTH}"),
        ("month", r"\b(?P<month>January|February|April|June|July|August|September|October|November|December)\b"),
        ("year", rf"\b(?:in|since|of|by|until|till|from|before|after|during|year|around|circa)\s+{_YEAR}(?:\s?[–-]\s?(?P<to_year>\d\d(?:\d\d)?)\b)?(?![\w%/-]|\s?['’]\s?s\b|\s*{_UNITS})"),
        ("year", rf"(?<![\w$€£.,/-]){_YEAR}(?:\s?[–-]\s?\d\d(?:\d\d)?\b)?(?![\w%/-]|\s?['’]\s?s\b|\s*{_UNITS}|\s+(?!was\b|is\b|has\b|as\b)[a-z]+s\b|\s+people\b)"),
        ("season", r"\b(?:in|this|last|next|since|during|until|by|early|late)\s+(?:the\s+)?(?P<season>spring|summer|autumn|fall|winter)\b"),
        ("time", rf"(?<![\d:.]){_CLOCK}(?![\d:]|\s*(?:%|euros?|dollars|percent|kg|km|ms|s\b|GB|MB))"),
        ("time", r"(?<![\d:.,])(?P<hour>\d{1,2})\s?(?P<half>[ap])\.?m\b\.?"),
        ("time", rf"\b(?P<step>half|quarter|a\s+quarter|five|ten|twenty|twenty-five|\d{{1,2}}(?=\s+minutes|\s+past))(?:\s+minutes)?\s+(?P<side>past|to)\s+{_SPOKEN_HOUR}(?=\s*(?:$|[.,;:?!)]|\b(?:on|in|at|and|or|but|tomorrow|today|tonight|for|this|sharp)\b))"),
        ("time", rf"\b{_SPOKEN_HOUR}\s+o['’]?clock\b"),
        ("time", rf"\b{_SPOKEN_HOUR}\s+in\s+the\s+(?P<part>morning|afternoon|evening)\b"),
        ("time", r"\b(?P<named>noon|midday|midnight)\b"),
        ("time", rf"\b(?:at|until|till|by|from|before|after)\s+{_SPOKEN_HOUR}(?=\s*(?:$|[.,;?!)]|\b(?:and|but|on|to|for|in\s+the|sharp|tomorrow|tonight|today|until|so)\b))(?!\.\d|,\d)"),
        ("ordinal", rf"(?:\b(?:on|by|until|till|before|from|after|since)\s+the\s+|\bthe\s+(?=\d)){_DAY}(?![.,]\d)(?=\s*(?:$|[.,;:?!)]|\b(?:and|or|but|so|if|at|with|for|from|to|until|of\s+(?:this|next|the)\s+month|every|because|as|is|was|on|in|has)\b))"),
    )
)  # fmt: skip
