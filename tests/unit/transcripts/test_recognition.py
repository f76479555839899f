"""Which reader takes a text, and that finding out costs little."""

import json

import pytest

from memguard.transcripts.document import Document
from memguard.transcripts.recognition import READERS, surest
from tests.support import cpu_seconds

N_BYTES = 5_000_000
ROW = json.dumps({"role": "user", "content": "hello there, how is the pump today? it runs at 4 bar"})


def _repeated(text):
    return text * (N_BYTES // len(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"[{','.join([ROW] * (N_BYTES // len(ROW)))}]", "messages_json"),
        (_repeated(f"{ROW}\n"), "jsonl"),
        (_repeated("1/9/26, 10:00 - Ana: hello there, how is the pump today?\n"), "whatsapp"),
        (_repeated("Ana: hello there, how is the pump today?\n"), "plain_text"),
        ("role,content\n" + _repeated("user,hello there\n"), "table"),
        (_repeated("## User\n\nhello there\n\n## Assistant\n\nhi\n\n"), "markdown"),
        (_repeated("1\n00:00:01,000 --> 00:00:02,000\nhello there.\n\n"), "srt"),
    ],
    ids=lambda value: value if len(value) < 20 else "",
)
def test_a_large_text_is_recognised_in_time(text, expected):
    """Issue 7: no reader goes through a large file of another format with care; JSON is parsed once."""
    document = Document(text)
    assert document.value is not None
    if expected == "jsonl":
        assert document.records  # parsed once, for recognition and reading alike
    assert cpu_seconds(lambda: surest(document)) < 2
    assert surest(document)[0].name == expected


def test_no_reader_raises_or_is_sure_of_nothing():
    for text in ("", " ", "\n", "null", "[]", "{}", '""', "\ufeff"):
        for reader in READERS:
            assert 0.0 <= reader.recognises(Document(text)) <= 1.0
