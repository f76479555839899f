"""Credentials in headers, addresses and command lines: what follows ``Bearer``, ``user:`` or ``--token``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memguard.privacy.findings import Kind, PrivacyFinding
from memguard.privacy.patterns import PLACEHOLDER
from memguard.privacy.provider_keys import continued

_BEFORE = re.compile(
    r"(?i)(?P<header>\b(?:proxy-)?authorization\b[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?[ \t]{0,4})"
    r"(?:(?P<named>bearer|basic|token|apikey|api-key|negotiate|digest|hawk|sso-key)(?:[ \t]{1,4}"
    r"|[ \t]{0,4}\\?\r?\n[ \t]{1,40}))?"
    r"|(?<![\w-])(?P<scheme>bearer|basic)(?:[ \t]{1,4}(?:token[ \t]{0,4}[:=]?[ \t]{0,4})?"
    r"|[ \t]{0,4}[:=][ \t]{0,4})[\"']?"
)
_TOKEN = re.compile(r"[0-9A-Za-z._~+/!$&*:=-]{1,4096}")
"""RFC 6750's token68 and a little more: any tail with ``+``, ``/`` and ``=`` belongs to it."""
_AUTHORITY = re.compile(
    r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{0,30}://(?P<user>[^\s/:@\"'<>\[\]]{0,128}):"
    r"(?P<value>[^\s\"'<>]{1,256}?)@(?=[\w.-]{1,253}(?::\d{1,5})?(?:[/?#,;\s\"'<>)\]`.]|\Z)"
    r"|\[[0-9a-fA-F:]{2,45}\])"
)
_QUERY = re.compile(
    r"(?i)[?&](?:access_?token|id_?token|refresh_?token|auth(?:_?token)?|token|api_?key|key|apikey"
    r"|sig(?:nature)?"
    r"|x-(?:amz|goog)-(?:signature|credential|security-token)|password|passwd|pwd|secret|client_secret|t"
    r"|code|session)="
    r"(?P<value>[^\s&;#\"'<>\])]{6,2048})"
)
_FLAG = re.compile(
    r"(?i)(?<![\w-])(?:--?(?:password|passwd|pass|token|api-?key|secret|secret-?key|access-?key|auth-?token"
    r"|client-?secret|passphrase)(?:=|[ \t]{1,4})[\"']?(?P<value>[^\s\"'<>-][^\s\"'<>]{0,255})"
    r"|(?:-u|--user|--proxy-user"
    r"|-U)[ \t=]{1,4}[\"']?[^\s:\"'<>/]{1,128}:(?P<user>[^\s\"'<>/][^\s\"'<>]{0,255})"
    r"|\bsshpass[ \t]{1,4}-p[ \t]{0,4}[\"']?(?P<ssh>[^\s\"'<>]{1,255})"
    r"|\bmysql(?:dump|admin)?\b[^\n]{0,120}?[ \t]-p(?P<mysql>[^\s\"'<>-][^\s\"'<>]{0,255}))"
)
_COOKIES = re.compile(r"(?i)\b(?:set-)?cookie[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?")
_COOKIE = re.compile(r"(?<![^\s;\"'])[\w.-]{1,64}=(?P<value>[^\s;\"']{1,2048})")
_LONGEST_HEADER = 4096
_LEAST = 8
_MIXED = re.compile(r"(?=.*\d)(?=.*[A-Za-z])|(?=.*[a-z])(?=.*[A-Z].*[A-Z])|[+/=_~].*[+/=_~]", re.DOTALL)
_VARIABLE = re.compile(r"[$%{<*]|x{3,}\Z|\.{3}|…|(?i:your|example|my)[-_]?(?i:token|key|password|secret)")


def is_stand_in(value: str) -> bool:
    """Tell whether a value only stands for a secret: ``$TOKEN``, ``<password>``, ``***``, ``[SECRET_1]``."""
    return _VARIABLE.match(value) is not None or PLACEHOLDER.match(value) is not None or value.startswith("[")


def looks_random(value: str) -> bool:
    """Tell whether a value mixes characters as no word of a language does."""
    return len(value) >= _LEAST and _MIXED.search(value) is not None


def authorizations(text: str) -> Iterator[PrivacyFinding]:
    """Yield what follows an authorization scheme, ``user:…@`` in an address, a flag or a parameter."""
    for start, end, sure in _after_scheme(text):
        yield PrivacyFinding((start, continued(text, end)), Kind.AUTHORIZATION, sure, "authorization")
    for match in _AUTHORITY.finditer(text):
        if not is_stand_in(match["value"]):
            yield PrivacyFinding(match.span("value"), Kind.CONNECTION, 1.0, "credentials-in-address")
    for match in _QUERY.finditer(text):
        if not is_stand_in(match["value"]) and looks_random(match["value"]):
            yield PrivacyFinding(match.span("value"), Kind.LABELLED_SECRET, 0.9, "address-parameter")
    for match in _FLAG.finditer(text):
        name = next(name for name in ("value", "user", "ssh", "mysql") if match[name])
        uid = name == "user" and match[name].isdecimal()  # docker -u 1000:1000
        if not is_stand_in(match[name]) and not uid:
            yield PrivacyFinding(match.span(name), Kind.PASSWORD, 0.9, "command-line-flag")
    for header in _COOKIES.finditer(text):
        for match in _COOKIE.finditer(text, header.end(), header.end() + _LONGEST_HEADER):
            if looks_random(match["value"]):
                yield PrivacyFinding(match.span("value"), Kind.AUTHORIZATION, 0.9, "cookie")
            if text[match.end() : match.end() + 1] in ("\n", "\r", ""):
                break


def _after_scheme(text: str) -> Iterator[tuple[int, int, float]]:
    for before in _BEFORE.finditer(text):
        token = _TOKEN.match(text, before.end())
        if token is None:
            continue
        value = token.group().rstrip(".:,")
        if is_stand_in(value):
            continue
        in_header = before["header"] is not None
        if in_header and not before["named"] and not looks_random(value):
            continue  # "Authorization: required", or a scheme of another name
        if not in_header and not looks_random(value):
            continue  # "the bearer of this letter"
        yield token.start(), token.start() + len(value), 1.0 if in_header else 0.95
