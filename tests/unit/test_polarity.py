"""What a sentence affirms and denies, word by word."""

import pytest

from memguard.grounding.guards.hearing import answer_of
from memguard.grounding.reading.frames import Frame
from memguard.grounding.reading.polarity import read


def marks(text: str) -> dict[str, tuple[bool, bool]]:
    return {mark.word.lower: (mark.denied, mark.is_core) for mark in read(text).marks}


@pytest.mark.parametrize(
    ("text", "word", "denied"),
    [
        ("The build did not fail.", "fail", True),
        ("Nobody called.", "called", True),
        ("He denies fever, chills, or chest pain.", "chills", True),
        ("He denies fever, chills, or chest pain.", "pain", True),
        ("The list is non-exhaustive.", "exhaustive", True),
        ("The box is unopened.", "unopened", True),
        ("It is not unsafe.", "unsafe", False),
        ("She never refused to pay.", "pay", False),
        ("He failed to renew it.", "renew", True),
        ("The server stopped responding.", "responding", True),
        ("Sent by post rather than mail.", "mail", True),
        ("The cache is off in test and enabled in live.", "enabled", False),
        ("He has no fever and is allergic to nuts.", "allergic", False),
        ("Commit yes, push no.", "push", True),
        ("Commit yes, push no.", "commit", False),
        ("I don't think it works.", "works", True),
        ("No problem, it works.", "works", False),
        ("It not only works but scales.", "works", False),
    ],
)
def test_words_are_denied_by_their_cue_alone(text: str, word: str, denied: bool) -> None:
    assert marks(text)[word][0] is denied


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("It was not accepted by mainstream science.", "science"),
        ("He wrote a new review.", "new"),
        ("No breaking changes.", "breaking"),
        ("He did not come because the train stopped.", "train"),
    ],
)
def test_what_the_cue_does_not_reach_is_no_core(text: str, word: str) -> None:
    assert marks(text)[word][1] is False


@pytest.mark.parametrize(
    ("text", "word", "frame"),
    [
        ("We'll migrate in June.", "migrate", Frame.PLANNED),
        ("It might be broken.", "broken", Frame.POSSIBLE),
        ("If it breaks, call me.", "call", Frame.CONDITIONAL),
        ("Did it break?", "break", Frame.ASKED),
        ("I suggest a restart.", "restart", Frame.ASKED),
        ("It broke.", "broke", Frame.STATED),
    ],
)
def test_frames(text: str, word: str, frame: Frame) -> None:
    assert next(mark.frame for mark in read(text).marks if mark.word.lower == word) is frame


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("No.", False),
        ("Um, I haven't, actually", False),
        ("Yes, two", True),
        ("Sure", True),
        ("No problem", None),
        ("Tuesday", None),
    ],
)
def test_answers(text: str, answer: bool | None) -> None:
    assert answer_of(text) is answer


def test_blank_text_has_no_marks() -> None:
    assert read("").marks == ()
    assert read("?!").clauses == ()
