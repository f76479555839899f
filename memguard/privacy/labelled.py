"""Secrets that a label gives away: ``api_key = …``, ``password: …``, "my password is …", "use PIN …".

The bare word "password" is no secret, nor is what is said of one ("the password is wrong"), nor a
value that only stands for one (``$TOKEN``, ``<password>``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memguard.privacy.authorization import is_stand_in, looks_random
from memguard.privacy.findings import Kind, PrivacyFinding
from memguard.privacy.phrases import FUNCTION, STATES, counts, phrase_end
from memguard.privacy.provider_keys import continued

PASSWORDS = (
    r"pass[ _-]?words?|passwd|pwd|pass[ _-]?phrases?|pass[ _-]?codes?|passwort|kennwort|mot[ _]de[ _]passe"
    r"|contrase(?:ñ|n)a|senha|wachtwoord|lösenord|hasło|parola|пароль|密码|密碼|パスワード"
    r"|비밀번호|mật khẩu|db_?pass|pw"
)
CODES = (
    r"pins?|pin[ -]?(?:code|number)s?|(?:access|door|entry|gate|alarm|security|safe|unlock|lock"
    r"|verification|otp|2fa|mfa"
    r"|one[ -]time|backup|recovery|sim|gate|garage|locker)[ -](?:code|pin|combination)s?|cvv2?|cvc2?|otp|puk"
)
_KEY = (
    r"(?:api|access|secret|private|encryption|signing|auth|account|license|licence|client|master|consumer"
    r"|shared[_ -]?access"
    r"|shared|service|subscription|deploy|session|storage|webhook|admin|app)[ _-]?(?:keys?|secrets?"
    r"|tokens?)(?:[ _-]?(?:id|value))?"
    r"|(?:secret|bearer|refresh|id|csrf|xsrf|personal|bot|user|jwt|oauth)[ _-]?(?:access[ _-]?)?tokens?"
    r"|secret[ _-]?access[ _-]?key|apikey"
    r"|connection[ _-]?string|credentials?|secrets?|tokens?|(?:session|csrf)[ _-]?(?:id|cookie)|sessionid"
    r"|jsessionid|phpsessid"
)
_ASSIGNED = re.compile(
    rf"(?i)(?<![^\W_])(?:(?P<pass>{PASSWORDS})|(?P<key>{_KEY})|(?P<code>{CODES}))"
    rf"(?P<tail>[_-][\w-]{{1,32}})?\\{{0,3}}[\"'`*]{{0,3}}[ \t]{{0,8}}"
    rf"(?:=>|:=|[:=：]|(?:\((?:[^()\n]{{1,30}})\)[ ]?[:=]))[ \t]{{0,8}}(?:\\?\r?\n[ \t]{{1,40}})?"
    rf"(?:(?P<quote>\\{{0,3}}[\"'`]{{1,3}})(?P<quoted>(?:[^\r\n\\]|\\.){{1,512}}?)(?P=quote)"
    rf"|(?P<value>[^\s\"'`,;<>]{{1,1024}}))"
)
_IS = (
    r"(?:\s{1,4}(?:is|was|are|will be|has been|became|reads|says|equals|ist|lautet|war|est|es|é|to"
    r"|changed to|set to|"
    r"goes|va|là|hier|now)(?:\s{1,4}(?:now|currently|still|again|just|simply|called|set to|changed to"
    r"|jetzt))?\s{0,4}[:=]?\s{1,4}"
    r"|\s{0,3}[是は][：:]?\s{0,3}|['’]s\s{1,4})"
)
FOR = (
    r"(?:[ \t]{1,4}(?:for|to|of|on|at|in|für|zum|zur|pour|para|do|da|del|đến|cho)"
    r"[ \t]{1,4}[^.!?\n:;=]{1,60}?)?"
)
_FOR_COLON = r"[ \t]{1,4}(?:for|to|of|on|at|in|für|pour|para)[ \t]{1,4}[^.!?\n:;=]{1,60}?[:=]\s{1,4}"
_SAID = re.compile(
    rf"(?i)(?<!\w)(?:(?P<pass>{PASSWORDS})|(?P<code>{CODES}|code|combination)|(?P<key>{_KEY}))"
    rf"(?:{_FOR_COLON}|{FOR}{_IS})(?P<quote>[\"'“‘`«„])?(?P<value>[^\s\"”’`»]{{1,256}})"
)
_BESIDE = re.compile(
    rf"(?i)(?<!\w)(?:(?P<pass>{PASSWORDS})"
    rf"|(?P<code>{CODES}))[ \t]{{1,4}}(?:(?:code|[-–—→>]{{1,2}})[ \t]{{1,4}})?\(?(?P<quote>[\"'“‘`«„])?"
    rf"(?P<value>[^\s\"”’`»]{{3,256}})"
)
_REVERSED = re.compile(
    rf"(?i)(?<!\S)(?P<quote>[\"'“‘`«„])?(?P<value>[^\s\"”’`»]{{4,256}})[\"'”’`»]?\s{{1,4}}(?:is|was|as"
    rf"|ist)\s{{1,4}}"
    rf"(?:my|the|our|your|his|her|their|a|new|mein|das|(?:my|the|our|your|his|her"
    rf"|their)\s{{1,4}}\w{{1,20}})\s{{1,4}}"
    rf"(?:(?P<pass>{PASSWORDS})|(?P<code>{CODES})|(?P<key>{_KEY}))(?!\w)"
)
_LOGIN = re.compile(
    r"(?i)(?<!\w)(?:(?:login|log-?in|creds?|credentials?|user(?:name)?)(?:[ \t]{0,4}[:=][ \t]{0,4}"
    r"|[ \t]{1,4}(?:is|are)[ \t]{1,4})"
    r"[^\s/|:]{1,64}[ \t]{0,4}[/|:][ \t]{0,4}|pass[:=][ \t]{0,4})(?!pass[a-z]{0,6}[ \t]{0,4}[:=])"
    r"(?P<value>[^\s\"'`,;<>]{4,256})"
)
_SEED = re.compile(
    r"(?i)\b(?:seed|recovery|mnemonic|backup|wallet)[ -]?(?:phrases?|words?)?[ \t]{0,4}(?:[:=]|is|are)\s{1,4}"
    r"[\"']?(?P<value>[a-z]{3,8}(?:[ ,]{1,3}[a-z]{3,8}){11,23})(?![a-z])"
)
_ONE_TIME = re.compile(
    r"(?i)\b(?:your|my)[ \t]{1,4}(?:[\w-]{1,20}[ \t]{1,4}){0,2}code[ \t]{0,4}(?:is"
    r"|:)[ \t]{0,4}(?P<value>\d{3}[ -]?\d{3,5})(?!\d)(?=[ ]?(?:[.,;!)\n]|\Z))"
    r"|\b(?:use|enter"
    r"|type)[ \t]{1,4}(?:the[ \t]{1,4})?(?:code[ \t]{1,4})?(?P<used>\d{4,8})[ \t]{1,4}(?:to|for)[ \t]{1,4}"
    r"(?:verify|verification|sign|log|confirm|authenticate|reset|unlock|open)"
)
_PHRASE = re.compile(r"[^\n.!?;\"”]{1,160}")
_NAMES_A_COUNT = re.compile(
    r"(?i)(?:max|min|num|n|total|count|avg|used|per|input|output|prompt|new|completion)[ _-]?\Z"
)
_STRUCTURE = re.compile(
    r"[\w.]{1,120}\(|(?:os|process|self|cls|config|settings|env|args|secrets|vault|ctx|req|this)\.|[\[{(]"
)
PUNCTUATION = ".,;:)]}\"'”’`»*"
_WEAK_CODE = frozenset("code combination".split())


def labelled_secrets(text: str) -> Iterator[PrivacyFinding]:
    """Yield the values that a label or a sentence calls a password, a PIN, a key or a token."""
    yield from _formed(text)
    for match in _ASSIGNED.finditer(text):
        found = _assigned(text, match)
        if found is not None:
            yield found
    for detector, pattern in (("said", _SAID), ("beside", _BESIDE), ("said-reversed", _REVERSED)):
        at = 0
        while said := pattern.search(text, at):
            found = _said(text, said, detector)
            # A label may follow in what the first one looked through: "the token for my password is …".
            at = said.end() if found else said.start() + 1
            if found is not None:
                yield found


def _formed(text: str) -> Iterator[PrivacyFinding]:
    for match in _LOGIN.finditer(text):
        value = match["value"].rstrip(PUNCTUATION)
        if looks_unusual(value) and not is_stand_in(value) and not _STRUCTURE.match(value):
            start = match.start("value")
            yield PrivacyFinding((start, start + len(value)), Kind.PASSWORD, 0.7, "login")
    for match in _SEED.finditer(text):
        yield PrivacyFinding(match.span("value"), Kind.PASSWORD, 0.9, "seed-phrase")
    for match in _ONE_TIME.finditer(text):
        name = "value" if match["value"] else "used"
        yield PrivacyFinding(match.span(name), Kind.PIN, 0.8, "one-time-code")


def looks_unusual(value: str) -> bool:
    """Tell whether a word has letters and digits, or signs inside, as few words of a language do."""
    letters = any(map(str.isalpha, value))
    return letters and unusual(value)


def _kind(match: re.Match[str]) -> Kind:
    return Kind.PASSWORD if match["pass"] else Kind.PIN if match["code"] else Kind.LABELLED_SECRET


def _assigned(text: str, match: re.Match[str]) -> PrivacyFinding | None:
    quoted = match["quoted"] is not None
    name = "quoted" if quoted else "value"
    value = match[name] if quoted else match[name].rstrip(PUNCTUATION)
    if not quoted and text[match.start() - 1 : match.start()] in ("?", "&"):
        value = value.split("&")[0]
    kind = _kind(match)
    start = match.start(name)
    if not value.strip() or is_stand_in(value.lstrip()) or _STRUCTURE.match(value):
        return None
    if kind is Kind.PASSWORD and not quoted and value.isalpha():
        said_in_words = phrase_end(text, start)
        if said_in_words is not None:
            return PrivacyFinding((start, said_in_words), kind, 0.7, "assigned")
    if value.rstrip("!?").casefold() in STATES or _NAMES_A_COUNT.search(
        text[max(0, match.start() - 12) : match.start()]
    ):
        return None
    if kind is Kind.PIN:
        spaced = _SPACED.match(text, start)
        value = spaced.group() if spaced else value
        if not _is_code(value):
            return None
    if kind is Kind.LABELLED_SECRET and not (looks_random(value) or (quoted and len(value) >= _FEWEST)):
        return None
    plain = value.rstrip("!?").isalpha() and not quoted
    if kind is Kind.PASSWORD and not quoted and counts(text, start):
        return None  # "password: 8 characters at least"
    if kind is Kind.PASSWORD and plain and not ends_clause(text, start + len(value)):
        return None  # "password: the one that we agreed on"
    end = start + len(value)
    return PrivacyFinding((start, continued(text, end)), kind, 0.95, "assigned")


def _said(text: str, match: re.Match[str], detector: str) -> PrivacyFinding | None:
    kind = _kind(match)
    start, quote = match.start("value"), match["quote"]
    raw = match["value"].rstrip(PUNCTUATION)
    if not raw or is_stand_in(raw):
        return None
    if quote:
        end = _closing(text, start, quote)
        if end is None or (detector == "beside" and kind is Kind.PIN and not _is_code(text[start:end])):
            return None
        value = text[start:end]
        if kind is Kind.PIN and match["code"].casefold() in _WEAK_CODE and not any(map(str.isdigit, value)):
            return None
        return None if is_stand_in(value) else PrivacyFinding((start, end), kind, 0.9, detector)
    end = start + len(raw)
    if kind is Kind.PIN:
        if digits := DIGITS.match(text, start):
            enough = enough_digits(match, digits.group())
            return PrivacyFinding((start, digits.end()), kind, 0.85, detector) if enough else None
        strong = (
            match["code"].casefold() not in _WEAK_CODE
            and any(map(str.isdigit, raw))
            and len(raw) >= _FEWEST - 2
        )
        return PrivacyFinding((start, end), kind, 0.7, detector) if strong and _is_code(raw) else None
    if kind is Kind.PASSWORD and detector == "said" and "phrase" in match["pass"].casefold():
        phrase = _PHRASE.match(text, start)
        words = phrase.group().casefold().split() if phrase else []
        if phrase and len(words) >= _FEWEST_WORDS and not FUNCTION.intersection(words):
            return PrivacyFinding((start, phrase.end()), kind, 0.7, detector)
    core = raw.rstrip("!?")
    if kind is Kind.PASSWORD and counts(text, start):
        return None
    if kind is Kind.PASSWORD and detector == "said" and not looks_unusual(core):
        said_in_words = phrase_end(text, start)
        if said_in_words is not None:
            return PrivacyFinding((start, said_in_words), kind, 0.7, detector)
    if core.casefold() in STATES:
        return None
    if unusual(core) and (kind is Kind.PASSWORD or looks_random(raw)):
        return PrivacyFinding((start, end), kind, 0.9, detector)
    if kind is not Kind.PASSWORD or detector != "said" or not core.isalpha():
        return None
    said_of_it = core.casefold().endswith(("ed", "ing", "ly"))
    if said_of_it or not ends_clause(text, end):
        return None
    return PrivacyFinding((start, end), kind, 0.6, detector)


_SPACED = re.compile(r"\d(?:[ -]\d){2,11}(?!\w)")
DIGITS = re.compile(r"\d(?:[ -]?\d){2,11}(?!\w)(?![.,/:]\d)")
"""Digits that may be a code: no part of a longer number, date or time."""
_FEWEST = 6
_FEWEST_WORDS = 3
_SHORTEST_PIN = 4


def enough_digits(match: re.Match[str], digits: str) -> bool:
    """Tell whether digits are a code: three for a card's own, four for any other."""
    named = match["code"].casefold()
    count = sum(map(str.isdigit, digits))
    if named in _WEAK_CODE:  # "the error code is 4711" is none; "the code for the door is" is
        return count >= _SHORTEST_PIN and _FOR_A_LOCK.search(match.group()) is not None
    return count >= (3 if named.startswith("cv") else _SHORTEST_PIN)


_FOR_A_LOCK = re.compile(
    r"(?i)\b(?:for|to|of|on|at)\b.{0,40}\b(?:doors?|gates?|safe|alarm|locks?|lockers?|garage|house|flat"
    r"|apartment|office|building"
    r"|phone|sim|lockbox|key ?box|vault|entrance|card|account)\b"
)


def _is_code(value: str) -> bool:
    return len(value) >= 3 and sum(map(str.isdigit, value)) * 2 >= len(value)


def unusual(value: str) -> bool:
    """Tell whether a word is none of a language: digits or signs inside, or capitals after the first."""
    core = value.strip("-–—_")
    if re.fullmatch(r"[A-Za-z]+(?:['’-][A-Za-z]+)+|\d{1,2}(?:st|nd|rd|th)?|[A-Z]{2,}s?", core):
        return False
    return any(map(str.isdigit, core)) or re.search(r"[^\w\s.,'’-]|[a-z][A-Z]|_", core) is not None


def ends_clause(text: str, end: int) -> bool:
    """Tell whether a clause ends at ``end``: what stands before is the whole of what is said."""
    return (
        re.compile(r"[\"'”’`)*]{0,3}\s{0,3}(?:\Z|[.,;!?\r\n)|]|(?:and|but|or|for|und|et|y)\b)").match(
            text, end
        )
        is not None
    )


def _closing(text: str, start: int, quote: str) -> int | None:
    closing = {"“": "”", "‘": "’", "«": "»", "„": "“"}.get(quote, quote)
    end = text.find(closing, start, start + 257)
    return None if end <= start or "\n" in text[start:end] else end
