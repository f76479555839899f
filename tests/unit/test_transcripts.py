"""Readers: every format, every bad input, each with a message that says what to do."""

import codecs
import json
import time

import pytest

from memguard.errors import TranscriptError
from memguard.settings import LimitSettings
from memguard.transcripts import formats, read_bytes, read_file, read_text

MESSAGES = [{"role": "user", "content": "Größe?"}, {"role": "assistant", "content": "42"}]
PLAIN = "User: Größe?\nAssistant: 42\n"


def _said(reading):
    return [(m.role, m.speaker, m.content) for m in reading.conversation]


def test_formats_are_named_once_and_end_with_the_general_ones():
    assert formats()[-3:] == ("messages_json", "jsonl", "plain_text")
    assert len(set(formats())) == len(formats()) > 20


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (json.dumps(MESSAGES), "messages_json"),
        (json.dumps({"title": "T", "messages": MESSAGES, "extra": 1}, indent=2), "messages_json"),
        ("\n".join(map(json.dumps, MESSAGES)), "jsonl"),
        ("\r\n\r\n".join(map(json.dumps, MESSAGES)) + "\r\n", "jsonl"),
        (PLAIN, "plain_text"),
        (PLAIN.replace("\n", "\r\n"), "plain_text"),
        ("\ufeff" + PLAIN, "plain_text"),
    ],
)
def test_read_text_recognises_the_format_by_content(text, name, tmp_path):
    reading = read_text(text)
    assert reading.format == name
    assert _said(reading) == [("user", None, "Größe?"), ("assistant", None, "42")]
    path = tmp_path / "misnamed.pdf"
    path.write_bytes(text.encode())
    assert read_file(path).format == name


def test_read_text_takes_the_title():
    assert read_text('{"title": " T ", "messages": []}').conversation.title == "T"


@pytest.mark.parametrize("text", ["[]", '{"messages": []}', " [ ] "])
def test_read_text_an_empty_list_is_an_empty_conversation(text):
    conversation = read_text(text).conversation
    assert len(conversation) == 0
    assert "empty" in conversation.warnings[0]


@pytest.mark.parametrize("text", ["", "  \n", "\ufeff", "\u200b"])
def test_read_text_an_empty_text_is_an_error(text):
    with pytest.raises(TranscriptError, match=r"chat\.txt: is empty; expected a JSON list"):
        read_text(text, source="chat.txt")


@pytest.mark.parametrize(
    "text",
    ["{}", "[1]", '["a"]', '[{"a": 1}]', '{"messages": {}}', '{"messages": [{"a": 1}]}', '{"mapping": {}}'],
)
def test_read_text_json_of_another_shape_names_the_accepted_ones(text):
    with pytest.raises(TranscriptError, match=r"no transcript that we know; expected a JSON list"):
        read_text(text)


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ('[{"role": "user", "content": "a",}]', 1, 34),
        ('[\r\n {"role": "user", "content": "a"},\r\n {"role": "user" "content": "b"}\r\n]', 3, 18),
        ("[\n{'role': 'user'}]", 2, 2),
        ('{"messages": [\n{"content": "a"},\n{"content": "b"}\n', 4, 1),
        ("{role: 1}", 1, 2),
        ('[\n{"content": "a"}\n{"content": "b"}\n{"content": "c"}\n]', 3, 1),
    ],
)
def test_read_text_invalid_json_names_its_place(text, line, column):
    with pytest.raises(
        TranscriptError, match=f"f.json, line {line}, column {column}: not valid JSON"
    ) as caught:
        read_text(text, source="f.json")
    assert (caught.value.line, caught.value.column, caught.value.source) == (line, column, "f.json")


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"a":' * 100_000, '[{"content": "a", "x": ' + "[" * 100_000]
)
def test_read_text_deep_nesting_is_an_error(text):
    with pytest.raises(TranscriptError, match="nested too deeply"):
        read_text(text)


def test_read_text_survives_odd_numbers_and_repeated_keys():
    conversation = read_text(
        '[{"content": "old", "content": "new", "ts": NaN, "x": '
        + "1" * 5000
        + '}, {"content": "b", "ts": 1e999}]'
    ).conversation
    assert [m.content for m in conversation] == ["new", "b"]
    assert any("more than once" in warning for warning in conversation.warnings)


def test_jsonl_skips_bad_lines_and_names_them():
    lines = [
        '{"content": "a"}',
        "",
        "{bad",
        '{"content": 5}',
        '{"other": 1}',
        "7",
        '{"content": "b\u2028c"}',
        '{"cut": "of',
    ]
    reading = read_text("\n".join(lines))
    assert [m.content for m in reading.conversation] == ["a", "b\u2028c"]
    assert [m.origin for m in reading.conversation] == ["line 1", "line 7"]
    assert reading.skipped_lines == 5
    for line in (3, 4, 5, 6, 8):
        assert any(w.startswith(f"line {line} was skipped: ") for w in reading.conversation.warnings)


def test_jsonl_counts_what_it_does_not_name():
    reading = read_text('{"content": "a"}\n' + "{bad\n" * 1000)
    assert reading.skipped_lines == 1000
    assert len(reading.conversation.warnings) == 21
    assert "980 more lines" in reading.conversation.warnings[-1]


def test_jsonl_without_a_message_is_an_error_with_a_line():
    with pytest.raises(TranscriptError, match=r"f, line 2: no line is a message"):
        read_text('\n{"a": 1}\n{"b": 2}', source="f")


def test_jsonl_of_conversations_offers_them():
    row = json.dumps({"messages": MESSAGES})
    assert len(read_text(row).conversation) == 2
    with pytest.raises(TranscriptError, match="holds 2 conversations; choose one with --conversation"):
        read_text(f"{row}\n{row}")
    assert len(read_text(f"{row}\n{row}", conversation="2").conversation) == 2


@pytest.mark.parametrize("gap", ["\n", "\r\n", "\r", "\n\n\r\n"])
def test_jsonl_takes_line_ends_of_every_kind_also_mixed(gap):
    text = gap.join(map(json.dumps, MESSAGES)) + "\n" + json.dumps(MESSAGES[0])
    reading = read_text(text)
    assert (reading.format, reading.skipped_lines) == ("jsonl", 0)
    assert [m.content for m in reading.conversation] == ["Größe?", "42", "Größe?"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Ana: hi\n  and more\n\nlast\nBen: yo",
            [("user", "Ana", "hi\n  and more\n\nlast"), ("user", "Ben", "yo")],
        ),
        ("USER:\nhello\n\nAI:\nyes", [("user", None, "hello"), ("assistant", None, "yes")]),
        ("User:hi\nBot:http://a.b", [("user", None, "hi"), ("assistant", None, "http://a.b")]),
        ("**Human:** a\n**Claude**: b", [("user", None, "a"), ("assistant", "Claude", "b")]),
        (
            "Dr. Okoye (GP): a\nMary Anne O'Neil: b",
            [("user", "Dr. Okoye", "a"), ("user", "Mary Anne O'Neil", "b")],
        ),
        ("名前: こんにちは\n鈴木：はい", [("user", "名前", "こんにちは"), ("user", "鈴木", "はい")]),
        ("ana: a\nben: b", [("user", "ana", "a"), ("user", "ben", "b")]),
        ("Ana: a\nANA: b", [("user", "Ana", "a"), ("user", "Ana", "b")]),
        ("System: s\nUser: u", [("system", None, "s"), ("user", None, "u")]),
        (
            "Minutes of May\n\nAna: a\nBen: b",
            [("user", None, "Minutes of May"), ("user", "Ana", "a"), ("user", "Ben", "b")],
        ),
        (
            "Ana: a\n```\nUser: in code\n```\nBen: b",
            [("user", "Ana", "a\n```\nUser: in code\n```"), ("user", "Ben", "b")],
        ),
    ],
)
def test_plain_text_turns(text, expected):
    assert _said(read_text(text)) == expected


@pytest.mark.parametrize(
    "line",
    [
        "https://a.b/c",
        "http: no",
        "10:30: lunch",
        "12:00 - lunch: soup",
        "Note: call her",
        "C:\\temp\\x",
        "ratio 16:9",
        "PS: bye",
        "Total: 40 EUR",
        "milk: 2",
        "a very long phrase before a: colon",
        "see::there",
        "std::vector<int>: x",
        "key:value",
        "TODO: fix",
    ],
)
def test_plain_text_lines_that_are_no_turn(line):
    reading = read_text(f"User: first\n{line}\nAssistant: last")
    assert [m.content for m in reading.conversation] == [f"first\n{line}", "last"]
    alone = read_text(f"Some words.\n{line}")
    assert [m.content for m in alone.conversation] == [f"Some words.\n{line}"]
    assert "one message of the user" in alone.conversation.warnings[0]


def test_plain_text_reads_timestamps():
    dated = read_text("[2026-03-02 10:30] Ana: b\n2026-03-02 9:31:05 - Ben: a").conversation
    assert dated.order == "timestamp"
    assert [m.content for m in dated] == ["a", "b"]
    timed = read_text("[10:30] Ana: a\n[10:31] Ben: b").conversation
    assert [m.timestamp for m in timed] == [None, None]
    assert "times without a date" in timed.warnings[0]


@pytest.mark.parametrize(
    "text",
    ["[test] passed.", "{name} is here", '"quoted"', "42 euros", "null and void", "🙂", "<script>x</script>"],
)
def test_plain_text_takes_what_only_resembles_json(text):
    assert _said(read_text(text)) == [("user", None, text)]


@pytest.mark.parametrize("text", ["null", "42", " -1.5e9 ", "true", "NaN", "1" * 5000])
def test_read_text_a_bare_value_is_no_transcript(text):
    """Issue 7: a null or a number alone says nothing about what was meant."""
    with pytest.raises(TranscriptError, match="the JSON is null, a truth value or a number"):
        read_text(text)


@pytest.mark.parametrize("levels", [5, 100])
def test_read_text_names_the_limit_of_nesting(levels):
    """Issue 7: deep JSON is refused with the limit named; what is just within it is read."""
    limits = LimitSettings(json_levels=levels)

    def nested(depth):
        return '[{"content": "a", "x": ' + "[" * (depth - 2) + "]" * (depth - 2) + "}]"

    assert len(read_text(nested(levels), limits=limits).conversation) == 1
    told = rf"nested too deeply: more than {levels} levels \(setting limits\.json_levels\)"
    with pytest.raises(TranscriptError, match=told):
        read_text(nested(levels + 1), limits=limits)
    reading = read_text('{"content": "a"}\n' + nested(levels + 2)[1:-1], limits=limits)
    assert reading.skipped_lines == 1
    assert "nested too deeply" in reading.conversation.warnings[0]


OPENAI = [
    {"role": "developer", "content": "Be brief."},
    {
        "role": "user",
        "name": "ana",
        "content": [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {}}],
    },
    {"role": "assistant", "content": None, "refusal": "I cannot."},
    {"role": "assistant", "content": "b", "refusal": ""},
    {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]},
    {"role": "assistant", "content": None, "audio": {"id": "x", "transcript": "spoken"}},
    {"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": "AAAA"}}]},
    {"role": "user", "content": [{"type": "file", "file": {"filename": "a.pdf", "file_data": "AAAA"}}]},
    {
        "role": "assistant",
        "tool_calls": [{"id": "c", "type": "custom", "custom": {"name": "sql", "input": "SELECT 1"}}],
    },
    {"role": "tool", "tool_call_id": "c", "content": [{"type": "text", "text": "1"}]},
    {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
    {"role": "function", "name": "f", "content": "2"},
]


def test_messages_json_reads_all_that_openai_messages_hold():
    """Issue 7: content parts, images, tool calls, refusals, the developer role."""
    conversation = read_text(json.dumps(OPENAI)).conversation
    assert [m.content for m in conversation] == [
        "Be brief.", "a\n[image]", "I cannot.", "b", "No.", "spoken", "[audio]", "[file: a.pdf]",
        "sql(SELECT 1)", "1", "f({})", "2",
    ]  # fmt: skip
    assert conversation.messages[0].role == "developer"
    assert conversation.messages[8].tool_calls[0].id == conversation.messages[9].tool_call_id == "c"
    assert conversation.messages[11].tool_name == "f"
    assert len(conversation.warnings) == 3  # what holds no text is told


def test_messages_json_reads_the_name_of_a_tool():
    rows = [{"role": "tool", "tool_name": "search", "tool_call_id": "c", "content": "x"}]
    assert read_text(json.dumps(rows)).conversation.messages[0].tool_name == "search"


@pytest.mark.parametrize(
    ("data", "encoding", "warns"),
    [
        (PLAIN.encode(), "utf-8", False),
        (codecs.BOM_UTF8 + PLAIN.encode(), "utf-8", False),
        (PLAIN.encode("utf-16"), "utf-16", False),
        (codecs.BOM_UTF16_BE + PLAIN.encode("utf-16-be"), "utf-16", False),
        (PLAIN.encode("utf-32"), "utf-32", False),
        (PLAIN.encode("utf-16-le"), "utf-16-le", True),
        (PLAIN.replace("\n", "\r\n").encode("utf-16"), "utf-16", False),
        (PLAIN.encode("utf-16-be"), "utf-16-be", True),
        (PLAIN.encode("cp1252"), "cp1252", True),
    ],
)
def test_read_bytes_detects_the_encoding(data, encoding, warns):
    reading = read_bytes(data)
    assert reading.encoding == encoding
    assert reading.conversation.messages[0].content == "Größe?"
    assert any(encoding in warning for warning in reading.conversation.warnings) == warns


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_read_bytes_knows_english_in_utf16_without_a_mark(encoding):
    """Its bytes are valid UTF-8, with a NUL after each letter."""
    reading = read_bytes("User: a plan\r\nAssistant: of ours\n".encode(encoding))
    assert reading.encoding == encoding
    assert [m.content for m in reading.conversation] == ["a plan", "of ours"]


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Привет, как дела? Это проверка кодировки.", "cp1251"),
        ("Ana: 你好，今天怎么样？我们去吃饭吧。\nBen: 好的，我们七点见。", "gb18030"),
        ("Ana: こんにちは、元気ですか。明日の予定を教えてください。\nBen: はい", "shift_jis"),
    ],
)
def test_read_bytes_guesses_other_scripts(text, encoding):
    reading = read_bytes(text.encode(encoding))
    assert "\n".join(m.line.removeprefix("User: ") for m in reading.conversation) == text
    assert "was assumed" in reading.conversation.warnings[0]


def test_read_bytes_keeps_utf8_that_is_cut_in_a_character():
    reading = read_bytes("User: Größe 🙂".encode()[:-2])
    assert reading.encoding == "utf-8"
    assert reading.conversation.messages[0].content == "Größe \ufffd"
    assert "became U+FFFD" in reading.conversation.warnings[0]


@pytest.mark.parametrize(
    "data", [b"PK\x03\x04x", b"PK\x07\x08x", b"%PDF-1.7", b"\x89PNG\r\n", bytes(range(256)) * 4, b"\0" * 100]
)
def test_read_bytes_refuses_what_is_not_text(data):
    with pytest.raises(TranscriptError, match="not a text file"):
        read_bytes(data, source="x")


def test_read_file_names_what_is_wrong_with_the_path(tmp_path):
    with pytest.raises(TranscriptError, match="there is no such file"):
        read_file(tmp_path / "none.json")
    with pytest.raises(TranscriptError, match="is a folder"):
        read_file(tmp_path)
    with pytest.raises(TranscriptError, match="not a regular file"):
        read_file("/dev/zero")
    with pytest.raises(TranscriptError):
        read_file("a\0b")
    empty = tmp_path / "empty.json"
    empty.touch()
    with pytest.raises(TranscriptError, match=r"empty\.json: is empty"):
        read_file(empty)


def test_read_file_refuses_a_file_over_the_limit(tmp_path):
    path = tmp_path / "large.txt"
    path.write_bytes(b"a" * (1 << 20) + b"b")
    with pytest.raises(TranscriptError, match=r"at most 1 MiB are read \(setting limits.file_mb\): split"):
        read_file(path, limits=LimitSettings(file_mb=1))
    assert read_file(path).format == "plain_text"


@pytest.mark.parametrize("form", ["json", "jsonl", "plain"])
def test_read_file_takes_ten_megabytes_and_ten_thousand_messages(form, tmp_path):
    rows = [{"role": "user", "content": f"{i} " + "word " * 200} for i in range(10_000)]
    text = {
        "json": lambda: json.dumps(rows),
        "jsonl": lambda: "\n".join(map(json.dumps, rows)),
        "plain": lambda: "\n".join(f"User: {row['content']}" for row in rows),
    }[form]()
    path = tmp_path / "large"
    path.write_text(text, encoding="utf-8")
    assert path.stat().st_size > 10_000_000
    started = time.perf_counter()
    assert len(read_file(path).conversation) == 10_000
    assert time.perf_counter() - started < 10


def test_messages_json_names_the_message_that_is_wrong():
    with pytest.raises(TranscriptError, match="f: message 1: content must be a string"):
        read_text('[{"content": "a"}, {"content": 5}]', source="f")
