"""Redaction on any text: what was found is gone, the rest is untouched, twice is once, time is linear."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.privacy import Redactor, redact, scan
from memguard.privacy.patterns import PLACEHOLDER
from tests.support import cpu_seconds

A = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
VALUES = [
    "my password is hunter2",
    "the pin for the door is 4711",
    "jonas@jonaslind.example",
    "Jonas",
    "+44 20 7946 0958",
    "(555) 010-4477",
    "4111 1111 1111 1111",
    "DE89 3704 0044 0532 0130 00",
    "my SSN is 123-45-6789",
    "ghp_" + A[:36],
    "ghp_" + A[:12] + "\n" + A[12:36],
    "Authorization: Bearer " + A[:40] + "==",
    "postgres://svc:s3cr3t@db.example/app",
    "-----BEGIN PRIVATE" + " KEY-----\nMIIE\n-----END PRIVATE" + " KEY-----",
    "the user's IP is 84.17.32.9",
    "api_key='q1w2e3r4t5'",
    "password: swordfish",
    "[EMAIL_1]",
    "[SECRET_2]",
    "order 4006381333931",
    "7f3e12ab-c41d-4e0a-9020-5550104477ab",
]
GLUE = [
    "",
    " ",
    "\n",
    ", ",
    ". ",
    '"',
    "'",
    "\t",
    ": ",
    "=",
    "/",
    "@",
    "-",
    "\\n",
    "é",
    "🙂",
    "\u0301",
    "漢字",
    "0",
    "a",
]
texts = st.lists(st.sampled_from(VALUES) | st.sampled_from(GLUE) | st.text(max_size=8), max_size=12).map(
    "".join
)


@given(texts)
@settings(deadline=None, max_examples=300)
def test_redacting_leaves_nothing_that_was_found_and_all_else(text):
    result = redact(text)

    at = 0
    for finding, placeholder in zip(result.findings, result.placeholders, strict=True):
        start, end = finding.span
        assert at <= start < end <= len(text), "findings are in order and do not overlap"
        assert PLACEHOLDER.fullmatch(placeholder)
        at = end
    rebuilt, at = [], 0
    for finding, placeholder in zip(result.findings, result.placeholders, strict=True):
        rebuilt += [text[at : finding.span[0]], placeholder]
        at = finding.span[1]
    assert result.text == "".join([*rebuilt, text[at:]])
    rest = PLACEHOLDER.sub("\n", result.text)
    for finding in result.findings:
        value = text[slice(*finding.span)]
        if len(value) >= 6:
            assert value not in rest
    if not result.findings:
        assert result.text is text


@given(texts)
@settings(deadline=None, max_examples=300)
def test_redacting_twice_is_redacting_once(text):
    once = redact(text).text
    assert redact(once).text == once


@given(st.lists(texts, min_size=2, max_size=4))
@settings(deadline=None, max_examples=60)
def test_one_value_has_one_placeholder_in_a_run_and_no_two_values_share_one(run):
    redactor = Redactor()
    meant: dict[str, str] = {}
    for text in run:
        result = redactor.redact(text)
        for finding, placeholder in zip(result.findings, result.placeholders, strict=True):
            value = text[slice(*finding.span)]
            folded = "".join(filter(str.isalnum, value.casefold()))
            assert meant.setdefault(placeholder, folded) == folded


@given(st.text(max_size=300))
@settings(deadline=None)
def test_scan_takes_any_text(text):
    assert all(0 <= f.span[0] < f.span[1] <= len(text) and 0 < f.confidence <= 1 for f in scan(text))


HARD = [
    "a", "eyJ", "APA", "sk-", "-----BEGIN PRIVATE KEY-----\n", "://a:", "a@", "a.", "1 ", "1-", "+1 ", "A1",
    "password ", "password is ", "my pin for the ", '="', " \n", "\n1\t", "Bearer ", "mysql -", "?t=", "./a",
    "1.2.", "DE89 ", "ab:", "[EMAIL_1]", "token=", "user 1.2.3.4 ", "call 1", "0123456789abcdef",
    "\\n", "Ω", "aws",
    "hunter2 is my password ",
]  # fmt: skip


@pytest.mark.parametrize("seed", HARD)
def test_time_is_linear_in_the_length_of_the_text(seed):
    """No text makes a recognizer backtrack: four times the text takes about four times the time."""

    def seconds(length):
        text = (seed * (length // len(seed) + 1))[:length]
        return cpu_seconds(lambda: redact(text))

    seconds(1_000)
    short = seconds(5_000)
    assert seconds(20_000) < max(8 * short, 0.5)
