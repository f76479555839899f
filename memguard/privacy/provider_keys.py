"""Keys whose form alone says what they are: those that detect-secrets knows, and newer ones of ours.

A key may be split over lines: by a terminal, by a mail program, by string concatenation, with the
line numbers of ``cat -n`` between. The text is read a second time with such joints left out, and a key
that ends its line takes in a next line that holds nothing but more of it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any

from memguard.privacy.findings import Kind, PrivacyFinding
from memguard.privacy.patterns import find, linear

_PLUGINS = {
    "aws": "AWSKeyDetector",
    "azure_storage_key": "AzureStorageKeyDetector",
    "discord": "DiscordBotTokenDetector",
    "github_token": "GitHubTokenDetector",
    "gitlab_token": "GitLabTokenDetector",
    "mailchimp": "MailchimpDetector",
    "pypi_token": "PypiTokenDetector",
    "sendgrid": "SendGridDetector",
    "slack": "SlackDetector",
    "square_oauth": "SquareOAuthDetector",
    "stripe": "StripeDetector",
    "telegram_token": "TelegramBotTokenDetector",
    "twilio": "TwilioKeyDetector",
}
"""Left out: entropy and keywords (they flag hashes and long names), artifactory ("APARTMENTS"), npm
(takes the whole line), those that need a label beside the value (``labelled.py``), and basic auth, JWT,
OpenAI and private keys, for which ours reach further."""

_OWN = (
    r"(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[0-9A-Z]{16}",
    r"AIza[0-9A-Za-z_-]{35}",
    r"ya29\.[0-9A-Za-z_-]{20,512}",
    r"GOCSPX-[0-9A-Za-z_-]{20,64}",
    r"gh[pousr]_[0-9A-Za-z]{36}",
    r"github_pat_[0-9A-Za-z_]{22,255}",
    r"gl(?:pat|dt|ft|soat|rt|cbt|imt|ptt|agent)-[0-9A-Za-z_.-]{20,255}",
    r"xox[a-z](?:\.xox[a-z])?-[0-9A-Za-z-]{8,512}",
    r"xapp-[0-9]-[0-9A-Za-z-]{8,512}",
    r"sk-(?:proj|svcacct|admin|None|live|test|or-v1|lf)-[0-9A-Za-z_-]{16,512}",
    r"sk-ant-[0-9A-Za-z]{2,10}-?[0-9A-Za-z_-]{8,512}",
    r"sk-[0-9A-Za-z]{20,255}",
    r"(?:xai|pplx|gsk|hf|r8|fw|nvapi|tgp_v1|jina|voyage|csk|lsv2_pt|lsv2_sk|e2b|tvly|fc|exa)[-_](?=[A-Za-z_-]{0,40}\d)[0-9A-Za-z_-]{20,255}",
    r"(?:hf|gsk|r8)_[0-9A-Za-z]{30,255}",
    r"(?:sk|rk|pk)_(?:live|test)_[0-9A-Za-z]{16,255}",
    r"whsec_[0-9A-Za-z+/=]{20,255}",
    r"npm_[0-9A-Za-z]{36}",
    r"pypi-[0-9A-Za-z_-]{50,512}",
    r"do[opr]_v1_[0-9a-f]{64}",
    r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}",
    r"SG\.[0-9A-Za-z_-]{16,64}\.[0-9A-Za-z_-]{16,64}",
    r"key-[0-9a-f]{32}",
    r"AGE-SECRET-KEY-1[0-9A-Z]{58}",
    r"dapi[0-9a-f]{32}(?:-\d)?",
    r"lin_(?:api|oauth)_[0-9A-Za-z]{32,255}",
    r"(?:ntn|secret)_[0-9A-Za-z]{40,64}",
    r"figd_[0-9A-Za-z_-]{20,255}",
    r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}",
    r"dp\.(?:pt|st|ct|sa)\.[0-9A-Za-z._-]{30,255}",
    r"hv[sbr]\.[0-9A-Za-z_-]{20,255}",
    r"[0-9A-Za-z]{14}\.atlasv1\.[0-9A-Za-z_=-]{60,70}",
    r"sbp_[0-9a-f]{40}",
    r"tskey-[0-9A-Za-z]{2,12}-[0-9A-Za-z-]{10,255}",
    r"dckr_(?:pat|oat)_[0-9A-Za-z_-]{20,64}",
    r"ATATT3[0-9A-Za-z_=-]{20,512}",
    r"pat[0-9A-Za-z]{14}\.[0-9a-f]{64}",
    r"sntry[su]_[0-9A-Za-z+/=_-]{20,512}",
    r"NR(?:AK|JS|II|AA)-[0-9A-Za-z-]{20,64}",
    r"glc_[0-9A-Za-z+/=]{32,400}",
    r"glsa_[0-9A-Za-z]{32}_[0-9A-Fa-f]{8}",
    r"pscale_(?:tkn|pw|oauth)_[0-9A-Za-z_.=-]{32,64}",
    r"sq0(?:atp|csp|idp)-[0-9A-Za-z_-]{22,60}",
    r"EAA[A-Z][0-9A-Za-z]{60,512}",
    r"cfut_[0-9A-Za-z]{40,64}",
    r"AC[0-9a-f]{32}|SK[0-9a-f]{32}",
    r"\d{8,10}:AA[0-9A-Za-z_-]{32,36}",
    r"https://hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9_/-]{20,255}",
    r"https://(?:ptb\.|canary\.)?discord(?:app)?\.com/api/webhooks/\d{15,21}/[0-9A-Za-z_-]{50,90}",
    r"https://[0-9A-Za-z-]{1,63}\.webhook\.office\.com/[0-9A-Za-z@/_-]{40,400}",
)
_KEY = re.compile(rf"(?<![0-9A-Za-z_])(?:{'|'.join(_OWN)})")
_KEY_ANYWHERE = re.compile("|".join(_OWN))
_JWT = re.compile(r"(?<![0-9A-Za-z_-])eyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{8,}(?:\.[0-9A-Za-z_-]*){0,3}={0,2}")
_JOINT = re.compile(
    r"""
      [ \t]{0,8} [\"']? [ \t]{0,8} [+.\\]? [ \t]{0,8} \r?\n
      [ \t>|]{0,40} (?:\d{1,6}[\t|:])? [ \t]{0,40} [+.]? [ \t]{0,8} [\"']?
    | [\"'][ \t]{0,8}[+.][ \t]{0,8}[\"']
    | \\n
    """,
    re.VERBOSE,
)
_REST = re.compile(
    r"(?=[0-9A-Za-z+/_.-]{0,200}[0-9=])[0-9A-Za-z+/_.-]{6,200}={0,2}(?=[\"']?[ \t]{0,8}(?:\r?\n|\Z))"
)


def provider_keys(text: str) -> Iterator[PrivacyFinding]:
    """Yield the keys of known providers and JSON web tokens, also where they are split."""
    whole = list(_keys(text))
    for start, end, kind, detector in whole:
        yield PrivacyFinding((start, continued(text, end)), kind, 1.0, detector)
    joined, places = _without_joints(text)
    if joined is None:
        return
    begun = {start for start, _end, _kind, _detector in whole}
    for match in _KEY_ANYWHERE.finditer(joined):
        start, end = match.start(), _needed(match, places)
        first, last = _original(places, start), _original(places, end - 1) + 1
        # A key that ``continued`` follows, no split at all, or the middle of a longer word.
        if first in begun or last - first == end - start or _is_word(text, first - 1) or _is_word(text, last):
            continue
        yield PrivacyFinding((first, last), Kind.PROVIDER_KEY, 0.9, "provider-split")


def _needed(match: re.Match[str], places: list[tuple[int, int]]) -> int:
    """Return where a key in the joined text ends: a word on the line after a whole key is not its tail."""
    end = match.end()
    joints = [at for at, _original in places if match.start() < at < end]
    for joint in reversed(joints):
        tail = match.string[joint:end]
        if not tail.isalpha() or _KEY_ANYWHERE.fullmatch(match.string, match.start(), joint) is None:
            break
        end = joint
    return end


def _is_word(text: str, at: int) -> bool:
    return 0 <= at < len(text) and (text[at].isalnum() or text[at] == "_")


def continued(text: str, end: int) -> int:
    """Return where a secret that ends its line at ``end`` really ends: lines that hold only more of it."""
    while joint := _JOINT.match(text, end):
        rest = _REST.match(text, joint.end())
        if rest is None or not re.search(r"[A-Za-z]", rest.group()):
            break
        end = rest.end()
    return end


def _keys(text: str) -> Iterator[tuple[int, int, Kind, str]]:
    for match in _JWT.finditer(text):
        yield match.start(), match.end(), Kind.JWT, "jwt"
    for match in _KEY.finditer(text):
        yield match.start(), match.end(), Kind.PROVIDER_KEY, "provider"
    for name, pattern in _library():
        spans = find(pattern, text) if not isinstance(pattern, re.Pattern) else _spans(pattern, text)
        for start, end in spans:
            if start == 0 or not text[start - 1].isalnum() or not text[start].isalnum():
                yield start, end, Kind.PROVIDER_KEY, f"detect-secrets:{name}"


def _spans(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    return (match.span() for match in pattern.finditer(text))


@cache
def _library() -> tuple[tuple[str, Any], ...]:
    """Return the forms that detect-secrets knows, compiled with RE2 where it takes them."""
    import re2

    found: list[tuple[str, Any]] = []
    for module, name in _PLUGINS.items():
        detector = getattr(import_module(f"detect_secrets.plugins.{module}"), name)
        for pattern in detector.denylist:
            if pattern.pattern.startswith("aws."):  # needs its label
                continue
            ignore_case = bool(pattern.flags & re.IGNORECASE)
            try:
                found.append((module, linear(pattern.pattern, ignore_case=ignore_case)))
            except re2.error:
                found.append((module, pattern))  # lookarounds around bounded runs
    return tuple(found)


def _without_joints(text: str) -> tuple[str | None, list[tuple[int, int]]]:
    """Return the text with the joints between two pieces left out, and where its pieces came from.

    Returns:
        The shortened text (None where there is no joint), and for each piece its offset in it and in
        the original.
    """
    pieces: list[str] = []
    places: list[tuple[int, int]] = []
    length = at = 0
    for joint in _JOINT.finditer(text):
        if (
            not joint.start()
            or not text[joint.start() - 1].isalnum()
            or not text[joint.end() : joint.end() + 1].isalnum()
        ):
            continue
        places.append((length, at))
        pieces.append(text[at : joint.start()])
        length += joint.start() - at
        at = joint.end()
    if not places:
        return None, []
    places.append((length, at))
    pieces.append(text[at:])
    return "".join(pieces), places


def _original(places: list[tuple[int, int]], offset: int) -> int:
    joined, original = places[bisect_right(places, (offset, 1 << 62)) - 1]
    return original + offset - joined
