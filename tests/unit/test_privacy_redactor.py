"""Placeholders of a run, the project's own list, and the status of what left the filter."""

import sys

import pytest

from memguard.errors import InvalidParameterError, SettingsError
from memguard.privacy import Exclusions, Kind, PrivacyFinding, PrivacyStatus, Redactor, redact, scan
from memguard.privacy.detection import joined
from memguard.privacy.exclusions import FILE_NAME


def test_one_value_keeps_its_placeholder_over_the_texts_of_a_run():
    redactor = Redactor()

    first = redactor.redact("jonas@jonaslind.example and noor@haddad.example")
    second = redactor.redact("again NOOR@haddad.example, call +44 20 7946 0958")
    third = redactor.redact("or +44 (0)20 7946 0958? or +442079460958")

    assert first.text == "[EMAIL_1] and [EMAIL_2]"
    assert second.text == "again [EMAIL_2], call [PHONE_1]"
    assert third.text.endswith("or [PHONE_1]")
    assert first.placeholders == ("[EMAIL_1]", "[EMAIL_2]")


def test_a_secret_is_replaced_where_nothing_labels_it():
    redactor = Redactor()

    same = redactor.redact("my password is hunter2x, so type hunter2x twice")
    later = redactor.redact("I typed hunter2x and it failed")

    assert same.text == "my password is [SECRET_1], so type [SECRET_1] twice"
    assert later.text == "I typed [SECRET_1] and it failed"
    assert Redactor().redact("I typed hunter2x").text == "I typed hunter2x"


def test_a_short_code_is_replaced_alone_and_in_its_text_only():
    redactor = Redactor()

    assert (
        redactor.redact("the pin is 4711; 4711! not 47110").text
        == "the pin is [SECRET_1]; [SECRET_1]! not 47110"
    )
    assert redactor.redact("row 4711").text == "row 4711"


def test_findings_that_overlap_are_one_over_all_of_them():
    """Nothing of the longer or the later one is left outside; the gravest kind names it."""
    mail, secret = (
        PrivacyFinding((5, 20), Kind.EMAIL, 1.0, "a"),
        PrivacyFinding((0, 8), Kind.PASSWORD, 0.6, "b"),
    )
    phone = PrivacyFinding((20, 25), Kind.PHONE, 0.7, "c")

    assert joined([phone, mail, secret]) == (PrivacyFinding((0, 20), Kind.PASSWORD, 1.0, "b"), phone)
    assert joined([mail], [(5, 20)]) == (), "a placeholder is no finding"
    assert joined([]) == ()


def test_numbers_of_an_earlier_run_stay_free():
    assert redact("[EMAIL_1] wrote to jonas@jonaslind.example").text == "[EMAIL_1] wrote to [EMAIL_2]"


def test_redactor_shows_no_value():
    redactor = Redactor()
    result = redactor.redact("my password is hunter2x")

    assert "hunter2x" not in repr(redactor)
    assert "hunter2x" not in repr(result)


@pytest.mark.parametrize(
    ("text", "declared", "status"),
    [
        ("Noor prefers trains.", None, PrivacyStatus.INTERNAL),
        ("Noor prefers trains.", PrivacyStatus.PUBLIC, PrivacyStatus.PUBLIC),
        ("noor@haddad.example", PrivacyStatus.PUBLIC, PrivacyStatus.SENSITIVE),
        ("my password is hunter2", None, PrivacyStatus.SECRET_REDACTED),
        ("my password is hunter2, noor@haddad.example", None, PrivacyStatus.SECRET_REDACTED),
        ("noor@haddad.example", PrivacyStatus.SECRET_REDACTED, PrivacyStatus.SECRET_REDACTED),
    ],
)
def test_status_says_how_private_a_text_is(text, declared, status):
    """E10: a finding can only make it more private, and nothing is public because nothing was found."""
    assert Redactor().redact(text, declared=declared).status is status


def test_unresolved_is_what_still_fires():
    """F17."""
    redactor = Redactor()
    clean = redactor.redact("my password is hunter2x").text

    assert redactor.unresolved(clean) == ()
    assert [finding.kind for finding in redactor.unresolved("hunter2x")] == [Kind.PASSWORD]


LIST = """\
terms: ["Project Borealis"]
patterns: ['ACME-\\d{4}']
paths: ["secrets/**", "*.pem"]
names: ["Noor Haddad"]
let_through: [phone]
allow: ["support@acme.example"]
"""


def test_a_projects_list_adds_and_lets_through(tmp_path):
    (tmp_path / FILE_NAME).write_text(LIST, "utf-8")
    (tmp_path / "below").mkdir()
    exclusions = Exclusions.near(tmp_path / "below")

    text = (
        "PROJECT borealis, not Project Borealises; ACME-1234; see secrets/prod/db.yaml, ./keys/site.pem and "
        "src/a.py. "
        "Noor said: call +44 20 7946 0958 or support@acme.example, not noor@acme.example"
    )

    assert redact(text, exclusions=exclusions).text == (
        "[REDACTED_1], not Project Borealises; [REDACTED_2]; see [REDACTED_3], [REDACTED_4] and src/a.py. "
        "[PERSON_1] said: call +44 20 7946 0958 or support@acme.example, not [EMAIL_1]"
    )
    assert exclusions.excludes_path("secrets/a/b.txt")
    assert exclusions.excludes_path("deep/in/key.pem")
    assert not exclusions.excludes_path("src/secrets.py")
    assert Exclusions.near(tmp_path / "below").terms == ("Project Borealis",)


def test_a_missing_list_excludes_nothing(tmp_path):
    assert Exclusions.near(tmp_path) == Exclusions()


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("patterns: ['(?<=a)b']", "lookarounds"),
        ("patterns: ['(a)\\1']", "RE2"),
        ("patterns: ['a*']", "empty text"),
        ("patterns: ['(']", "not a pattern"),
        ("terms: Borealis", "list of texts"),
        ("terms: ['']", "not blank"),
        ("terms: [3]", "list of texts"),
        ("phrases: [a]", "no key 'phrases'"),
        ("let_through: [emails]", "no kind or category 'emails'"),
        ("- a", "must be a table"),
        ("terms: [", "not a YAML file"),
        ("!!python/object/apply:os.system ['true']", "not a YAML file"),
    ],
)
def test_a_wrong_list_is_refused_with_its_place(tmp_path, written, message):
    path = tmp_path / FILE_NAME
    path.write_text(written, "utf-8")

    with pytest.raises(SettingsError, match=message) as caught:
        Exclusions.from_yaml(path)
    assert str(path) in str(caught.value)


def test_a_list_that_cannot_be_read_is_an_error(tmp_path):
    with pytest.raises(SettingsError, match="cannot be read"):
        Exclusions.from_yaml(tmp_path / "none.yaml")
    (tmp_path / "latin.yaml").write_bytes(b"terms: ['\xff']")
    with pytest.raises(SettingsError, match="UTF-8"):
        Exclusions.from_yaml(tmp_path / "latin.yaml")
    (tmp_path / "large.yaml").write_bytes(b"#" * (1 << 21))
    with pytest.raises(SettingsError, match="larger than"):
        Exclusions.from_yaml(tmp_path / "large.yaml")


def test_a_hard_pattern_of_a_project_takes_no_time():
    """RE2 has no backtracking: the classic (a+)+$ answers at once."""
    assert scan("a" * 50_000 + "b", exclusions=Exclusions(patterns=("(a+)+c",))) == ()


def test_lone_surrogates_are_scanned():
    assert redact("\ud800 jonas@jonaslind.example").text == "\ud800 [EMAIL_1]"


def test_a_kind_or_a_category_can_be_let_through():
    text = "noor@haddad.example, my password is hunter2"
    assert redact(text, exclusions=Exclusions(let_through=("personal",))).text == text.replace(
        "hunter2", "[SECRET_1]"
    )
    assert redact(text, exclusions=Exclusions(let_through=("secret", "email"))).text is text


def test_many_values_of_a_run_are_found_again():
    """More than one batch of literal values, and values of many lines."""
    redactor = Redactor()
    given = [f"my password is hunter{n}{'x' * 40}" for n in range(420)]
    for text in given:
        redactor.redact(text)

    assert (
        redactor.redact(given[0].split()[-1] + " " + given[419].split()[-1]).text == "[SECRET_1] [SECRET_420]"
    )


def test_importing_privacy_loads_no_recognizer_library():
    import subprocess

    code = "import sys, memguard.privacy; print([m for m in ('detect_secrets', 'phonenumbers', 'stdnum', 're2', 'yaml') if m in sys.modules])"  # noqa: E501
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("given", [None, 5, b"bytes", ["a"]])
def test_what_is_no_text_is_refused_in_words(given):
    with pytest.raises(InvalidParameterError, match="only a text can be redacted"):
        redact(given)
