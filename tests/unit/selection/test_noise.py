"""The noise filter: what says nothing in any script, and what must never be taken for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memguard.messages import Conversation
from memguard.selection import Reason
from memguard.selection.noise import noise_of, why_noise
from tests.support import user

DIALOGUE = json.loads((Path(__file__).parents[2] / "data" / "allergy_dialogue.json").read_text("utf-8"))


def noise(*contents):
    """Return the contents of a conversation that are noise."""
    messages = Conversation.from_messages(user(*contents)).messages
    return [messages[i].content for i in noise_of(messages)]


@pytest.mark.parametrize(
    "text",
    [
        *("lol ok", "OK.", "Yeah, yeah.", "👍", "Mm-hmm , okay .", "got it!", "haha perfect", "no worries"),
        *("Thanks so much. Have a nice day!", "You're welcome. Bye!", "How are you today?", "good morning"),
        *("I'm fine, thanks. And you?", "one moment please", "Sounds great, see you soon"),
        *(
            "收到，谢谢",
            "好的。",
            "谢谢你们!",
            "はい、了解です。",
            "お疲れ様です",
            "네, 알겠습니다",
            "ㅋㅋㅋ",
        ),
        *("ขอบคุณครับ", "สวัสดีค่ะ", "شكرا جزيلا", "السلام عليكم", "حسناً", "धन्यवाद", "ठीक है"),
        *("danke, super", "merci beaucoup", "vale, gracias", "спасибо, хорошо", "obrigado!", "cảm ơn"),
        *("[heartbeat]", "HEARTBEAT_OK", "ping 14", "keep-alive", "status: ok", "health check passed"),
    ],
)
def test_small_talk_acknowledgements_and_heartbeats_are_noise(text):
    """Issue 5, 4: in the scripts and languages that the lists know."""
    assert noise(text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "我对青霉素严重过敏",
            "不",
            "不要改",
            "ペニシリンアレルギーがあります",
            "いいえ",
            "페니실린 알레르기가 있어요",
        ),
        *("ฉันแพ้เพนิซิลลินอย่างรุนแรง", "ไม่", "لدي حساسية شديدة من البنسلين", "لا", "मुझे पेनिसिलिन से एलर्जी है", "нет"),
        *("No sugar.", "no", "nope", "Penicillin", "yes, book it", "ok, 45", "done", "Problem again, sorry"),
        *(
            "thanks, but cancel it",
            "perfect. coffee",
            "Will do, the signature stays.",
            "nice. commit yes, push no",
        ),
        *("Ok?", "Lena", "x = 3", "great-grandmother", "goodwill"),
    ],
)
def test_what_may_say_something_is_no_noise(text):
    """Issue 5, 4: a sentence without spaces is not one word, and a refusal is never an acknowledgement."""
    assert noise(text) == []


@pytest.mark.parametrize(
    "question",
    [
        "Shall I book it?",
        "预订吗？",
        "予約しますか。",
        "هل أحجز؟",
        "จองไหม",
        "Can you confirm the time",
        "Let me know if 45 is fine.",
    ],
)
@pytest.mark.parametrize("answer", ["yes", "ok", "👍", "好的", "はい", "نعم", "sounds good"])
def test_an_acknowledgement_that_answers_a_question_is_no_noise(question, answer):
    """Issue 5, 4."""
    assert noise(question, answer) == []
    assert noise("The form is on the table.", answer) == [answer]


def test_laughter_between_a_question_and_its_answer_is_noise_alone():
    assert noise("Shall I book it?", "haha", "ok", "yes", "Fine, it is booked.", "ok") == ["haha", "ok"]


def test_a_speakers_name_adds_nothing_to_thanks():
    messages = [
        {"speaker": "Lena Ueda", "content": "I booked the table for four."},
        {"speaker": "Marketing", "content": "Thanks, Lena."},
        {"speaker": "Lena Ueda", "content": "Nice marketing."},
    ]
    found = noise_of(Conversation.from_messages(messages).messages)

    assert found == {1: Reason.SMALL_TALK}


def test_each_kind_has_its_reason():
    assert why_noise("Thanks!") is Reason.SMALL_TALK
    assert why_noise("Got it.") is Reason.ACKNOWLEDGEMENT
    assert why_noise("ping") is Reason.HEARTBEAT


def test_of_the_dialogue_everything_but_the_noise_stays():
    """Issue 5: the isolated allergy is no noise, "lol ok" is."""
    conversation = Conversation.from_messages(DIALOGUE["messages"])

    found = [conversation.messages[i].id for i in noise_of(conversation.messages)]

    assert found == DIALOGUE["noise"]
    assert conversation.message("m9").content == "lol ok"
    assert DIALOGUE["critical"]["message_id"] not in found


def test_a_call_and_its_results_are_never_noise():
    messages = Conversation.from_messages(user("ok", "ok")).messages

    assert list(noise_of(messages, spoken_for={0})) == [1]


@given(st.text(max_size=300))
def test_any_text_is_read_in_time_and_a_digit_keeps_it(text):
    assert why_noise(text) in {None, Reason.SMALL_TALK, Reason.ACKNOWLEDGEMENT, Reason.HEARTBEAT}
    if "7" in text:
        assert why_noise(text) in {None, Reason.HEARTBEAT}


@pytest.mark.parametrize("part", ["好的", "ครับ", "haha ", "ok,", "ping ok ", "how are you "])
def test_a_run_that_nearly_is_noise_takes_no_time(part):
    text = (part * 200)[:238] + "x"

    assert why_noise(text) is None
