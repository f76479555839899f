"""Which conversation of a file is meant: by id, by position, by title, or none is chosen."""

import pytest

from memguard.errors import TranscriptError
from memguard.transcripts import ConversationHead, list_bytes, list_conversations, read_text
from memguard.transcripts.document import choose


def head(name, title=None):
    return ConversationHead(name, title, 1, None, None, "here")


HEADS = [head("c1", "Bread"), head("2", "Tiles"), head("c3", "Bread"), head("c3"), head("1", "Five")]


@pytest.mark.parametrize(
    ("wanted", "index"), [("c1", 0), ("2", 1), ("1", 4), ("3", 2), (" Tiles ", 1), ("Five", 4), ("5", 4)]
)
def test_choose_tries_id_then_position_then_title(wanted, index):
    assert choose(HEADS, wanted, "f") == index


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        ("c3", r"f: several conversations are called 'c3'; choose by position: 3, 4"),
        ("Bread", r"several conversations are called 'Bread'; choose by position: 1, 3"),
        ("6", r"there is no conversation '6'; it holds 5: 1 \(Bread\), 2 \(Tiles\)"),
        ("0", "there is no conversation"),
        ("\u00b2", "there is no conversation"),
        ("9" * 5000, "there is no conversation"),
        ("", "there is no conversation ''"),
        (None, r"holds 5 conversations; choose one with --conversation: 1 \(Bread\)"),
    ],
)
def test_choose_says_what_there_is(wanted, told):
    with pytest.raises(TranscriptError, match=told):
        choose(HEADS, wanted, "f")


def test_choose_names_the_first_few_only():
    with pytest.raises(TranscriptError, match=r"5 \(e\), …\Z"):
        choose([head(name) for name in "abcdefgh"], None, None)


def test_choose_of_one_needs_no_name_and_of_none_cannot():
    assert choose([head("x")], None, None) == 0
    with pytest.raises(TranscriptError, match="holds no conversation"):
        choose([], None, "f")


def test_a_file_with_one_conversation_is_listed_and_takes_its_position(tmp_path):
    text = "[2026-03-02 10:30] Ana: b\n2026-03-02 9:31:05 - Ben: a"
    (found,) = list_bytes(text.encode()).conversations
    assert (found.id, found.n_messages, found.place) == ("1", 2, "the file")
    assert f"{found.first:%H:%M} {found.last:%H:%M}" == "09:31 10:30"
    path = tmp_path / "chat"
    path.write_text(text, encoding="utf-8")
    assert list_conversations(path).conversations == (found,)
    assert len(read_text(text, conversation="1").conversation) == 2
    with pytest.raises(TranscriptError, match="there is no conversation 'x'; it holds 1"):
        read_text(text, conversation="x")
