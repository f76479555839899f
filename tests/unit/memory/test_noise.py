"""The rules of noise beyond the documented one; that is tested as B04 and B05 in ``test_compressor``."""

from __future__ import annotations

import pytest

from memguard.memory.noise import NOISE_RULES, is_filler, is_noise, kept_turns, why_noise


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "!!! ???",
        "hello",
        "Thanks a lot!",
        "谢谢！",
        "ありがとうございます",
        "ok sure",
        "Paris",
        "HEARTBEAT_OK",
        "System: compaction finished, 60 -> 4 messages",
        "[system] You are Tern.",
        '{"cpu": 12, "mem": {"used": 40}}',
        "[1, 2, 3]",
        "> quoted line of a chat\n> and another one",
        "Nothing in this exchange is worth keeping.",
        "There are no new facts to remember.",
        "No information",
    ],
)
def test_fillers_and_machine_text_are_noise(text):
    assert is_filler(text)


@pytest.mark.parametrize(
    "text",
    [
        "No sugar.",
        "Use Python",
        "Thanks, but use port 8443 from now on",
        "好的设计要先写测试",
        "我对青霉素过敏。",
        "नमस्ते, मुझे चाय पसंद है",
        "ฉันแพ้ถั่วลิสง",
        "REF-40913",
        '{"note": "Anna is allergic to penicillin"}',
        "> as you said\nI moved to Lyon",
        "System administrators rotate keys weekly.",
        "Nothing was found at the scene.",
        "No details were lost in the move.",
        "[draft] the plan is ready",
    ],
)
def test_what_says_something_is_kept_in_any_script(text):
    assert not is_filler(text)


def test_a_short_answer_is_kept_with_its_question_and_thanks_are_not():
    assert kept_turns(["Window or aisle?", "Window", "thanks", "Ship it now?", "好的", "好的"]) == (
        0,
        1,
        3,
        4,
    )
    assert kept_turns([]) == ()
    assert kept_turns(["Yes"]) == ()


def test_the_rules_by_name():
    assert NOISE_RULES["documented"] is is_noise
    assert NOISE_RULES["script"] is is_filler


def test_deep_json_is_read_without_recursion():
    assert is_filler("[" * 500 + "]" * 500)
    assert not is_filler("[" * 20_000 + " a text that no parser reads to its end" * 600)


@pytest.mark.parametrize(
    ("text", "rule", "why"),
    [
        ("x", "documented", "1 character, fewer than 10"),
        ("Congratulations everybody", "documented", "2 words, fewer than 3"),
        ("a ---- ---- ---- b", "documented", "11% letters and digits, less than 30%"),
        ("Thanks a lot!", "script", "a pleasantry"),
        ('{"ok": true}', "script", "machine text"),
        (" ", "script", "nothing in it"),
        ("yes", "script", "a bare answer, a single word or signs"),
        ("Dana lives in Porto now.", "documented", ""),
        ("No sugar.", "script", ""),
    ],
)
def test_a_rule_says_why_a_text_is_noise_and_nothing_of_one_that_is_not(
    text: str, rule: str, why: str
) -> None:
    assert why_noise(text, rule) == why
    assert NOISE_RULES[rule](text) is bool(why)
