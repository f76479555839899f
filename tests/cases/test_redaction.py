"""The handed cases of redaction (F24)."""

import pytest

from memguard.privacy import Kind, redact, scan

CASES = [f"RED-{n:03}" for n in (1, 3, 5, 7, 8, 9, 10, 11, 13, 16, 18)]


def texts_of(given):
    """Return the texts of a case, joined from their parts where they are split."""
    if "text_parts" in given:
        return ["".join(given["text_parts"])]
    if "texts_parts" in given:
        return ["".join(parts) for parts in given["texts_parts"]]
    return given.get("texts") or [given["text"]]


@pytest.mark.parametrize("case", CASES, indirect=True)
def test_redaction_takes_what_it_must_and_nothing_else(case):
    texts, expected = texts_of(case["input"]), case["expected"]

    redacted = [redact(text).text for text in texts]

    everything = "\n".join(redacted)
    assert not [secret for secret in expected.get("must_not_contain", []) if secret in everything]
    assert not [kept for kept in expected.get("must_contain", []) if kept not in everything]
    assert expected.get("redacted_contains", "") in everything
    if expected.get("unchanged"):
        assert redacted == texts
    for index in expected.get("unchanged_indexes", []):
        assert redacted[index] == texts[index]
    for index in expected.get("redacted_indexes", []):
        assert redacted[index] != texts[index]
    for taken in expected.get("redacted_substrings", []):
        assert any(taken in text for text in texts)
        assert taken not in everything
    if expected.get("redacted") is True:
        assert all(text not in everything for text in texts)
    elif "redacted" in expected:
        assert redacted == [expected["redacted"]]
    if "person_entities" in expected:
        found = [finding for text in texts for finding in scan(text) if finding.kind is Kind.PERSON]
        assert len(found) == expected["person_entities"]
    known = {
        "must_not_contain", "must_contain", "redacted_contains", "unchanged", "unchanged_indexes", "note",
        "redacted_indexes", "redacted_substrings", "redacted", "person_entities",
    }  # fmt: skip
    assert set(expected) <= known, "an expectation that this test does not check"
