"""The guard on a model's own output: what is lost, invented or changed keeps the text as it was said."""

from __future__ import annotations

import pytest

from memguard.bench.turns import TURNS
from memguard.memory.protected import faults
from memguard.memory.providers import Skip

CODE = "path, address or code"
PRONOUN = "subject that is only a pronoun"
TOLD = "said by the assistant, told of the user"
DEPLOY = "Deploy only if both checks pass, and do not touch prod unless Mei says so."
CHESS = "User: How do I get better at chess?\nAssistant: Play daily and study endgames for an hour."
WIKI = (
    "User: Would a wiki such as DokuWiki be useful for this project? Just weigh it up.\n"
    "Assistant: It could help with meeting notes; search would be weaker."
)
WIFE = "User: My wife starts a new job on Monday.\nUser: Her name is Anouk."
LAUNCH = (
    "Hi there! Thanks a lot for yesterday. So, um, basically we decided to move the launch from 3 March to "
    "17 March 2026 because the vendor, Acme Corp, can't deliver the 40 sensors before the 12th. Please keep "
    "the budget at 18,500 euros, and the config stays in /etc/launch/plan.yaml. Thanks again!"
)
LAUNCH_NOTE = (
    "Launch moved from 3 March to 17 March 2026: vendor Acme Corp can't deliver the 40 sensors before the "
    "12th. Budget 18,500 euros; config in /etc/launch/plan.yaml."
)
RETRY = (
    "Hey, so I think that for the retries we should basically go with exponential backoff, with "
    'retry_count=3, and, you know, never retry on a 401. The error said "quota exceeded" at '
    "https://api.acme.io/v1/pay."
)
RETRY_NOTE = (
    'Retries: exponential backoff, retry_count=3, never on a 401. Error "quota exceeded" at '
    "https://api.acme.io/v1/pay."
)
SEATS = "User: Window seats only, please."


@pytest.mark.parametrize(
    ("original", "written"),
    [
        (DEPLOY, "Deploy only if both checks pass; do not touch prod unless Mei says so."),
        (WIFE, "The user's wife Anouk starts a new job on Monday."),
        (WIKI, "The user asked whether a wiki such as DokuWiki would be useful."),
        (SEATS, "The user wants window seats only."),
        (LAUNCH, LAUNCH_NOTE),
        (RETRY, RETRY_NOTE),
    ],
)
def test_a_true_note_passes(original, written):
    """D08: pleasantries, filler and framing may go."""
    assert faults(original, written) == ()


@pytest.mark.parametrize(
    ("original", "note", "old", "new", "reason", "kind", "what"),
    [
        (LAUNCH, LAUNCH_NOTE, "40 ", "", Skip.LOST, "number", "40"),
        (LAUNCH, LAUNCH_NOTE, "18,500 euros", "", Skip.LOST, "number", "18,500 euros"),
        (LAUNCH, LAUNCH_NOTE, "17 March", "18 March", Skip.CHANGED, "date", "18 March"),
        (LAUNCH, LAUNCH_NOTE, "; config in /etc/launch/plan.yaml", "", Skip.LOST, CODE, "plan.yaml"),
        (LAUNCH, LAUNCH_NOTE, " Acme Corp", "", Skip.LOST, "name", "Acme Corp"),
        (LAUNCH, LAUNCH_NOTE, "moved", "moved by Petra", Skip.INVENTED, "name", "Petra"),
        (LAUNCH, LAUNCH_NOTE, "can't", "can", Skip.CHANGED, "denial", "deliver"),
        (RETRY, RETRY_NOTE, "retry_count=3, ", "", Skip.LOST, CODE, "retry_count"),
        (
            RETRY,
            RETRY_NOTE,
            'Error "quota exceeded"',
            "Quota error",
            Skip.LOST,
            "quoted phrase",
            "quota exceeded",
        ),
        (RETRY, RETRY_NOTE, "/v1/", "/v2/", Skip.INVENTED, CODE, "https://api.acme.io/v2/pay"),
        (DEPLOY, DEPLOY, "only if", "if", Skip.LOST, "condition", "only if"),
        (DEPLOY, DEPLOY, "do not touch", "touch", Skip.CHANGED, "denial", "not touch"),
        (DEPLOY, DEPLOY, " unless Mei says so", ", ask Mei", Skip.LOST, "condition", "unless"),
        (
            "Deploy on Friday.",
            "Deploy on Friday.",
            "day.",
            "day only if asked.",
            Skip.INVENTED,
            "condition",
            "only if",
        ),
        ("The API is ready.", "The API is ready.", "is", "is not", Skip.INVENTED, "denial", "ready"),
        (
            WIKI,
            "",
            "",
            "The project uses DokuWiki.",
            Skip.CHANGED,
            "question or guess told as a fact",
            "uses",
        ),
        (
            CHESS,
            "",
            "",
            "The user plays chess daily and studies endgames for an hour.",
            Skip.CHANGED,
            TOLD,
            "chess",
        ),
        (WIFE, "", "", "She starts a new job on Monday. Her name is Anouk.", Skip.CHANGED, PRONOUN, "She"),
        (WIFE, "", "", "My wife Anouk starts a new job on Monday.", Skip.CHANGED, PRONOUN, "My"),
        (SEATS, "", "", "The user, an engineer, wants window seats only.", Skip.INVENTED, "noun", "engineer"),
        (
            f"{SEATS}\nUser: An upgrade to business class on long flights is welcome.",
            *("", "", "The user wants window seats only.", Skip.LOST, "statement", "upgrade"),
        ),
        ("Mail [EMAIL_1] today.", "Mail [EMAIL_1] today.", "_1", "_2", Skip.LOST, CODE, "[EMAIL_1]"),
    ],
)
def test_what_a_model_may_not_do_is_named(original, note, old, new, reason, kind, what):
    written = note.replace(old, new) if note else new

    found = faults(original, written)

    assert written != note
    assert any(f.reason is reason and f.kind == kind and what in f.what for f in found), list(map(str, found))


@pytest.mark.parametrize("text", [DEPLOY, CHESS, WIKI, LAUNCH, RETRY])
def test_a_text_is_a_faultless_note_of_itself(text):
    assert [f for f in faults(text, text) if f.kind != PRONOUN] == []


NOTES = (
    "Launch moved from 3 March to 17 March 2026: vendor Acme Corp can't deliver the 40 sensors "
    "before the 12th.",
    "Retries: exponential backoff, retry_count=3, never retry on a 401.",
    "Flight Friday 14:30 from Lyon, Air France, booking code XK42PT. Prefers a window seat; is vegetarian.",
    'Per Noor: rent 1,250 euros a month, not 1,150; deposit two months; "no pets without written consent".',
    "Exports bug: parse_rows() in src/export/csv_writer.py drops the last row if the file has no "
    "newline at the end. Fixed in commit 4f2a91c, test added.",
    "Daughter Maya is allergic to peanuts (bad reaction in 2023, hospital): never include peanuts in "
    "recipes. Loves pasta.",
    "Priya takes over billing service from Tomás on 1 June; budget stays 18,500 euros; do not hire "
    "before September.",
    "Staging server listens on port 8443, not 8080; certificate expires 30 April; config in "
    "/etc/nginx/sites/staging.conf. Only restart if health check fails twice in a row.",
    "Nurse, works nights at St Mary's in Leeds, Tuesday to Friday, so answers late. Prefers short "
    "answers without bullet points.",
    "Chose PostgreSQL 17.2 over MongoDB because of transactions. Data at "
    "https://db.example.org/main; backups every night at 02:00.",
    "Doctor: 5 mg ramipril in the morning, not 10 mg; must not take ibuprofen with it. Next "
    "appointment 9 December 10:15 with Dr. Okafor.",
    "Party Saturday: 24 chairs, 3 tables, a cake; Jonas brings drinks and music, unless it rains: "
    "then the following Saturday.",
)
"""Notes as a good model writes them, one for each turn of the fixture."""
SWAPS = [(6, "Priya", "Tomás"), (9, "PostgreSQL", "MongoDB"), (7, "8443", "8080"), (10, "5 mg", "10 mg")]
DIGITS = [(turn, note, at) for turn, note in enumerate(NOTES) for at, c in enumerate(note) if c.isdigit()]
WORDS = [
    (turn, word)
    for turn, note in enumerate(NOTES)
    for word in note.replace("(", "").split()
    if word in {"never", "not", "not,", "Only", "unless", "without", "can't", "no"}
    or (
        word[0].isupper()
        and word.strip(".,:;") in {"Acme", "Lyon", "Noor", "Maya", "Priya", "Okafor", "Jonas"}
    )
]


@pytest.mark.parametrize("place", range(len(NOTES)))
def test_a_good_note_of_a_turn_of_the_fixture_passes(place):
    """D13: the guard does not stand between a good model and the goal."""
    assert faults(TURNS[place].text, NOTES[place]) == ()


@pytest.mark.parametrize(("place", "note", "at"), DIGITS)
def test_no_digit_can_change(place, note, at):
    written = f"{note[:at]}{(int(note[at]) + 1) % 10}{note[at + 1 :]}"

    assert faults(TURNS[place].text, written)


@pytest.mark.parametrize(("place", "word"), WORDS)
def test_no_denial_condition_or_name_can_go(place, word):
    written = " ".join(w for w in NOTES[place].split() if w != word)

    assert faults(TURNS[place].text, written)


@pytest.mark.parametrize(("place", "one", "other"), SWAPS)
def test_who_and_what_cannot_change_places(place, one, other):
    written = NOTES[place].replace(one, "\0").replace(other, one).replace("\0", other)

    assert faults(TURNS[place].text, written)
