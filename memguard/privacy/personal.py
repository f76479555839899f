"""Personal data: e-mail addresses and the names in them, phone numbers, cards, accounts, IP addresses.

Check digits and numbering plans come from python-stdnum and phonenumbers; what decides between a phone
number and any other number is its form and the words beside it.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Iterator

from memguard.privacy.findings import Kind, PrivacyFinding
from memguard.privacy.patterns import overlaps, protected, refers_to_a_thing

_EMAIL = re.compile(
    r"(?<![\w.+%-])(?<!\w')(?P<local>[^\W_](?:[\w.+%'-]{0,62}[\w+%-])?|[\w+-])@"
    r"(?P<domain>(?:[^\W_](?:[\w-]{0,62}[^\W_])?\.){1,8}[^\W\d_]{2,24})(?![\w-])"
)
_SPELLED = re.compile(
    r"(?i)(?<![\w.+-])[\w.+-]{1,64} ?[\[({] ?at ?[\])}] ?[\w-]{1,63}"
    r"(?: ?(?:[\[({] ?dot ?[\])}]|\.) ?[\w-]{2,63}){1,4}"
)
_NO_DOMAIN = frozenset("png jpg jpeg gif svg webp ico css js ts json py md txt html".split())
_IN_CREDENTIALS = re.compile(r"://[^\s/]{0,256}\Z")
_NO_PERSON = frozenset("git hg svn".split())
"""Accounts that stand in the address of a repository."""


def emails(text: str) -> Iterator[PrivacyFinding]:
    """Yield e-mail addresses; ``git@host`` and ``logo@2x.png`` are none."""
    for match in _EMAIL.finditer(text):
        ending = match["domain"].rsplit(".", 1)[-1].casefold()
        if ending in _NO_DOMAIN or match["local"].casefold() in _NO_PERSON:
            continue
        if not _IN_CREDENTIALS.search(text[max(0, match.start() - 300) : match.start()]):
            yield PrivacyFinding(match.span(), Kind.EMAIL, 1.0, "email")
    for match in _SPELLED.finditer(text):
        yield PrivacyFinding(match.span(), Kind.EMAIL, 0.8, "email-spelled")


_ROLES = frozenset(
    "info support sales admin office contact hello team billing noreply reply help service mail "
    "postmaster webmaster press jobs legal privacy security abuse root test user example accounts marketing "
    "news feedback orders".split()
)
_SHORTEST_NAME = 3


def names_in(addresses: Iterable[str]) -> frozenset[str]:
    """Return the names, case-folded, that the local parts of e-mail addresses tell (RED-016)."""
    from memguard.grounding.reading.names import is_ordinary

    parts = {
        part.casefold()
        for address in addresses
        for part in re.split(r"[._+%\d-]+", address.rsplit("@", 1)[0])
    }
    return frozenset(
        part
        for part in parts - _ROLES
        if len(part) >= _SHORTEST_NAME and part.isalpha() and not is_ordinary(part)
    )


_CAPITALISED = re.compile(r"(?<![\w@.])[^\W\d_][^\W\d_]{1,40}(?![\w@])")


def persons(text: str, names: frozenset[str]) -> Iterator[PrivacyFinding]:
    """Yield the capitalised words that are among the given case-folded names."""
    if not names:
        return
    for match in _CAPITALISED.finditer(text):
        if match.group()[0].isupper() and match.group().casefold() in names:
            yield PrivacyFinding(match.span(), Kind.PERSON, 0.8, "name")


_PHONE = re.compile(
    r"(?<![\w.+/:=#@-])(?:\+|00(?=[1-9]))?(?:\(\+?\d{1,5}\)[ ]?|\d{1,15})"
    r"(?:[ .\u00a0/-]{1,2}\(?\d{1,8}\)?|(?<=\))\d{1,8}){0,7}(?:[ ]?(?:x|ext\.?)[ ]?\d{1,6})?"
    r"(?![\w@])(?!-\w)(?![.:,/]\d)"
)
_CALL = re.compile(
    r"(?i)(?:\b(?:call|phone|telephone|tel|mobile|cell(?:phone)?|handy|whatsapp|sms|text (?:me|us"
    r"|him|her|them)(?: (?:at|on))?|fax|ring|dial"
    r"|hotline|landline"
    r"|telefon|telefoon|portable|téléphone|teléfono|telefone|điện thoại|reach)\b|电话|電話|☎"
    r"|📞)[^\d\n]{0,32}\Z"
)
_DOTTED = re.compile(r"\d{3}\.\d{3}\.\d{4}")
_NANP = re.compile(
    r"(?:\+?1[ .-]?)?(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}(?:[ ]?(?:x|ext\.?)[ ]?\d{1,6})?"
)
_REGIONS = tuple("US GB DE FR IT ES NL BE CH AT PL SE AU IN JP KR CN VN BR".split())
_FEWEST, _MOST = 7, 15
_FEWEST_NATIONAL = 9
_GROUP = re.compile(r"[ .\u00a0/()-]")


def phones(text: str, regions: Iterable[str] = _REGIONS) -> Iterator[PrivacyFinding]:
    """Yield phone numbers.

    International ones by their plan, North American ones by their grouping, national ones where they
    are grouped and some region's plan has them, any that the words before call one.
    """
    shielded = protected(text)
    for match in _PHONE.finditer(text):
        number = match.group().strip()
        start = match.start()
        digits = sum(map(str.isdigit, number))
        if not _FEWEST <= digits <= _MOST + 6:
            continue
        if overlaps(shielded, start, match.end()) and not _DOTTED.fullmatch(number):
            continue
        sure = _phone_confidence(text, start, number, regions)
        if sure:
            yield PrivacyFinding((start, start + len(number)), Kind.PHONE, sure, "phonenumbers")


def _phone_confidence(text: str, start: int, number: str, regions: Iterable[str]) -> float:
    if number.startswith("+"):
        return 0.95 if _possible(number, None) else 0.0
    if _CALL.search(text[max(0, start - 64) : start]):
        return 0.85 if any(_possible(number, region) for region in regions) else 0.0
    if refers_to_a_thing(text, start):
        return 0.0
    if _NANP.fullmatch(number) and number.count(".") != 1:
        return 0.8
    grouped = _GROUP.search(number) is not None and not ("." in number and " " in number)
    if number.startswith("00"):
        return 0.7 if grouped and _possible("+" + number[2:], None) else 0.0
    enough = sum(map(str.isdigit, number)) >= _FEWEST_NATIONAL
    if (
        number.startswith(("0", "(0"))
        and grouped
        and enough
        and any(_valid(number, region) for region in regions)
    ):
        return 0.7
    return 0.0


def _possible(number: str, region: str | None) -> bool:
    import phonenumbers

    try:
        return bool(phonenumbers.is_possible_number(phonenumbers.parse(number, region)))
    except phonenumbers.NumberParseException:
        return False


def _valid(number: str, region: str) -> bool:
    import phonenumbers

    try:
        return bool(phonenumbers.is_valid_number(phonenumbers.parse(number, region)))
    except phonenumbers.NumberParseException:
        return False


_CARD = re.compile(r"(?<![\w.+-])\d{4}(?:[ -]?\d){8,15}(?![\w])(?!-\w)(?!\.\d)")
_ISSUERS = (
    (re.compile(r"4"), (16, 19)),
    (re.compile(r"5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)"), (16,)),
    (re.compile(r"3[47]"), (15,)),
    (re.compile(r"6(?:011|4[4-9]|5)"), (16, 19)),
    (re.compile(r"35(?:2[89]|[3-8])"), (16, 19)),
    (re.compile(r"3(?:0[0-5]|[689])"), (14, 16, 19)),
    (re.compile(r"62|81"), (16, 17, 18, 19)),
    (re.compile(r"5018|5020|5038|6304|6759|676[1-3]"), (12, 13, 14, 15, 16, 17, 18, 19)),
    (re.compile(r"220[0-4]"), (16, 17, 18, 19)),
)


def cards(text: str) -> Iterator[PrivacyFinding]:
    """Yield payment card numbers: an issuer's prefix and length, and Luhn's check digit."""
    from stdnum import luhn

    shielded = protected(text)
    for match in _CARD.finditer(text):
        number = re.sub(r"\D", "", match.group())
        known = any(issuer.match(number) and len(number) in sizes for issuer, sizes in _ISSUERS)
        if not known or not luhn.is_valid(number) or overlaps(shielded, *match.span()):
            continue
        grouped = len(number) < len(match.group())
        if grouped or not refers_to_a_thing(text, match.start()):
            yield PrivacyFinding(match.span(), Kind.CARD, 0.95 if grouped else 0.8, "luhn")


_IBAN = re.compile(
    r"(?<![\w-])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]{2,4}){2,8}(?:[ -]?[A-Za-z0-9]{1,4})?(?!\w)"
)
_SHORTEST_IBAN, _LONGEST_IBAN = 15, 34


def ibans(text: str) -> Iterator[PrivacyFinding]:
    """Yield bank account numbers by their check digits, of any country (RED-013)."""
    for match in _IBAN.finditer(text):
        # A word may follow in the form of a last group: the longest part whose check digits hold counts.
        gaps = [match.start() + gap.start() for gap in re.finditer(r"[ -]", match.group())]
        labelled = re.search(r"(?i)\biban\b[^\n]{0,12}\Z", text[max(0, match.start() - 20) : match.start()])
        for end in (match.end(), *reversed(gaps)):
            written = text[match.start() : end]
            if (labelled or written == written.upper()) and _is_iban(re.sub("[ -]", "", written).upper()):
                yield PrivacyFinding((match.start(), end), Kind.IBAN, 0.98, "iban")
                break


def _is_iban(number: str) -> bool:
    from stdnum.iso7064 import mod_97_10

    if not _SHORTEST_IBAN <= len(number) <= _LONGEST_IBAN or sum(map(str.isdigit, number)) < _FEWEST:
        return False
    return bool(mod_97_10.is_valid(number[4:] + number[:4]))


_IPV4 = re.compile(r"(?<![\w.:/-])(?:\d{1,3}\.){3}\d{1,3}(?![\w-])(?!\.\d)")
_IPV6 = re.compile(r"(?<![\w.:])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?![\w.:])")
_SOMEONES = re.compile(
    r"(?i)\b(?:user|client|visitor|customer|caller|patient|member|guest|home|my|his|her|their|your"
    r"|personal|remote|login"
    r"|logged in|signed in|x-forwarded-for|x-real-ip|subscriber|attacker|sender|suspect)\b[^\d\n]{0,40}\Z"
)
_NOT_A_PERSONS = tuple(
    map(
        ipaddress.ip_network,
        "0.0.0.0/8 10.0.0.0/8 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16 100.64.0.0/10 "
        "224.0.0.0/3 ::/127 "
        "fc00::/7 fe80::/10 ff00::/8".split(),
    )
)


def ip_addresses(text: str) -> Iterator[PrivacyFinding]:
    """Yield public IP addresses that the words before them give to a person; hosts and versions stay."""
    for match in (*_IPV4.finditer(text), *_IPV6.finditer(text)):
        if not _SOMEONES.search(text[max(0, match.start() - 56) : match.start()]):
            continue
        try:
            address = ipaddress.ip_address(match.group())
        except ValueError:
            continue
        if not any(address.version == net.version and address in net for net in _NOT_A_PERSONS):
            yield PrivacyFinding(match.span(), Kind.IP_ADDRESS, 0.7, "ip")
