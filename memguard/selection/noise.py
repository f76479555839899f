"""The noise filter: small talk, acknowledgements and heartbeats never reach the summarizer.

A message is noise only where every part of it is known to say nothing; an unknown word, a digit or a
refusal keeps it. So it errs on the side of keeping, in every script: a Chinese or Thai sentence without
spaces is no "single word", it is text that no list knows. An acknowledgement that answers a question is
the decision itself, and is kept.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence

from memguard.messages import Message
from memguard.selection.decisions import Reason
from memguard.selection.lexicon import ACKNOWLEDGEMENTS, COURTESIES, GLUE, PIECES

_LONGEST = 240
"""Characters of the longest text that may be noise: what is longer is read by nobody as small talk."""
_HEARTBEAT = re.compile(
    r"[\[(<]?\s*(?:(?:heart|keep|health|status|no|is)[-_ ]?(?:beat|alive|check|op|typing)|ping|pong|tick|"
    r"typing|status|still (?:alive|here|there|working(?: on it)?))"
    r"(?:[-_ :#]{0,3}(?:ok|ack|alive|passed|received|\d{1,9})){0,3}\s*[.…\])>]{0,4}",
    re.IGNORECASE,
)
_COURTESY = re.compile(
    r"""
      how(?:\ are\ (?:you|u|things)(?:\ doing)?|\ have\ you\ been|\ do\ you\ do)(?:\ today)?
    | how(?:['’]s|s|\ is)\ (?:it\ going|everything|life)(?:\ today)? | what['’]?s\ up
    | and\ you | and\ yourself
    | (?:it['’]?s\ |such\ )?(?:a\ )?(?:lovely|beautiful|nice|terrible|awful|crazy)\ (?:weather|day|morning)
      (?:\ today|\ out\ there|\ again|\ isn['’]?t\ it|\ we['’]?re\ having){0,2}
    | (?:have|enjoy)\ (?:a|the|your)\ (?:very\ )?(?:nice\ |good\ |great\ |lovely\ )?
      (?:day|one|evening|weekend|night|afternoon|rest\ of\ your\ day)(?:\ too)?
    | (?:you|same\ to\ you)\ too | take\ care | talk\ (?:to\ you\ )?(?:soon|later)
    | see\ (?:you|ya|u)(?:\ soon|\ later|\ around|\ then)? | (?:catch|speak\ to)\ you\ (?:later|soon)
    | bye\ (?:for\ now|bye) | good\ (?:to\ hear|to\ see\ you|one|luck|talking\ to\ you)
    | (?:nice|pleased|good|great)\ to\ meet\ you(?:\ too)? | long\ time\ no\ see
    | (?:you['’]?re|you\ are)\ (?:very\ |most\ )?welcome | my\ pleasure | don['’]t\ mention\ it
    | (?:i['’]?m\ )?(?:happy|glad)\ (?:i\ could\ help|to\ (?:help|hear(?:\ that|\ it)?))
    | (?:is\ there\ )?anything\ else(?:\ (?:i|we)\ can\ (?:help|do)(?:\ you)?(?:\ with)?(?:\ for\ you)?
      (?:\ today)?)?
    | let\ me\ know\ if\ (?:you\ need|there['’]?s|there\ is)\ anything(?:\ else)?
    | (?:just\ )?(?:a|one)\ (?:moment|second|sec|minute|min)(?:\ please)?
    | (?:hang|hold)\ on(?:\ a\ (?:sec|second|minute))?
    | bear\ with\ me | let\ me\ (?:check|see|think|look)(?:\ that|\ it)?(?:\ for\ you)? | brb
    | be\ right\ back | i['’]?m\ back
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Whole phrases that answer nothing."""
_NOTED = re.compile(
    r"""
      (?:i['’]?m|i\ am|we['’]?re|doing|all|yeah)\ (?:very\ |pretty\ )?(?:fine|good|great|well)(?:\ too)?
      (?:\ (?:thanks|thank\ you)(?:\ for\ asking)?)?(?:\ and\ you)?
    | (?:no|not\ a)\ (?:problem|worries|prob|probs|biggie)(?:\ at\ all)? | np | never\ mind | any\ ?time
    | (?:i\ )?got\ (?:it|you) | i\ see | i\ understand | makes\ sense | fair\ enough | of\ course
    | for\ sure | same\ here | so\ true | oh\ (?:no|dear|well) | you\ bet | good\ (?:point|question)
    | that['’]?s\ (?:so\ )?(?:great|good|nice|funny|hilarious|awesome|cool|fine|amazing)(?:\ to\ hear)?
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Whole phrases that take note, and answer where something was asked."""
# Other scripts: the whole text is a run of these, the longest of each first; atomic, so linear.
_COURTESY_RUN = (
    "谢谢你们|谢谢大家|谢谢|謝謝|多谢|多謝|感谢|感謝|不客气|不客氣|不用谢|不用謝|"
    "辛苦了|你们好|大家好|你好|您好|早上好|早安|"
    "晚上好|下午好|晚安|再见|再見|拜拜|哈|呵|嘿|嘻|哇|嗨|您|你|啊|呀|啦|"
    "ありがとうございました|ありがとうございます|ありがとう|どうも|こんにちは|こんばんは|"
    "おはようございます|おはよう|"
    "お疲れ様でした|お疲れ様です|"
    "お疲れさまでした|お疲れさまです|お疲れ様|さようなら|またね|おやすみなさい|おやすみ|"
    "どういたしまして|いえいえ|はじめまして|笑|ね|"
    "감사합니다|고맙습니다|고마워요|고마워|안녕하세요|"
    "안녕히 가세요|안녕|수고하세요|수고하셨습니다|천만에요|ㅋ|ㅎ|하하|"
    "ขอบคุณ|ขอบใจ|สวัสดี|ลาก่อน|ยินดี|มาก|ครับผม|ครับ|คับ|ค่ะ|คะ|ค่า|จ้า|จ้ะ|นะ|ๆ|"
    "شكرًا|شكراً|شكرا|جزيلًا|جزيلاً|جزيلا|مرحبًا|مرحباً|مرحبا|أهلًا|أهلاً|أهلا|اهلا|وسهلًا|وسهلاً|وسهلا|السلام عليكم|"
    "وعليكم السلام|مع السلامة|صباح الخير|صباح النور|مساء الخير|مساء النور|إلى اللقاء|عفوًا|عفواً|عفوا|لك|ه|"
    "धन्यवाद|शुक्रिया|नमस्ते|नमस्कार"
)
_ACKNOWLEDGEMENT_RUN = (
    "好的|好吧|好|嗯|哦|噢|对的|對的|对|對|行|可以|是的|是|收到|明白了|明白|知道了|了解|没关系|沒關係|没问题|沒問題|没事|沒事|"
    "吧|了|呢|嘛|"
    "はい|うん|ええ|了解しました|了解いたしました|了解です|了解|"
    "わかりました|分かりました|承知いたしました|承知しました|承知|"
    "かしこまりました|よろしくお願いいたします|よろしくお願いします|よろしく|お願いします|なるほど|そうですね|そうですか|です|よ|"
    "네|예|넵|알겠습니다|알겠어요|좋아요|그래요|그래|그렇군요|괜찮아요|"
    "โอเค|ได้|ใช่|ไม่เป็นไร|รับทราบ|เข้าใจแล้ว|ดี|"
    "تمام|حسنًا|حسناً|حسنا|طيب|نعم|أجل|ماشي|"
    "ठीक है|हाँ|हां|अच्छा|जी"
)
_COURTESIES_ONLY = re.compile(rf"(?:(?>{_COURTESY_RUN})\s?)++")
_UNSPACED_RUN = re.compile(rf"(?:(?>{_COURTESY_RUN}|{_ACKNOWLEDGEMENT_RUN})\s?)++")
_SEGMENTS = re.compile(r"[.!…,;:\n。！，、；؛،।]+|(?<=[?？؟])|\s[-–—]\s")
_ASKS = re.compile(
    r"[?？؟]\W*$|(?:吗|嗎|呢|ですか|ますか|か|ไหม|มั้ย|หรือเปล่า)\W*$"
    r"|(?:^|[.!,;]\s*)(?:so |and |ok(?:ay)? |then )?"
    r"(?:can|could|shall|should|do|does|did|is|are|was|were|will|"
    r"would|have|has|may|want|what|when|where|who|why|how|which)\b[^.!?]{3,160}$"
    r"|\b(?:let me know|please confirm|tell me|say yes|reply)\b[^.!?]{0,160}[.!]?\s*$",
    re.IGNORECASE,
)


def noise_of(messages: Sequence[Message], *, spoken_for: Collection[int] = ()) -> dict[int, Reason]:
    """Return which messages are noise, by their position, and of which kind.

    Args:
        messages: In conversation order; those before a message say whether it answers a question.
        spoken_for: Positions that are never noise: a tool call and its results.
    """
    names = frozenset(
        word.casefold() for message in messages for word in PIECES.findall(message.speaker or "")
    )
    found: dict[int, Reason] = {}
    asked = False
    for position, message in enumerate(messages):
        if message.is_blank:
            continue
        reason = None if position in spoken_for else why_noise(message.content, names=names)
        # Laughter takes nothing from a question before it, and "Yes. Yes." answers it twice.
        if reason is Reason.ACKNOWLEDGEMENT and asked:
            continue
        if reason is None:
            asked = _asks(message.content)
        else:
            found[position] = reason
    return found


def why_noise(text: str, *, names: frozenset[str] = frozenset()) -> Reason | None:
    """Return what kind of noise a text is by itself; None where it may say something.

    Args:
        text: A whole message.
        names: Words of the speakers' names, in small letters: "Thanks, Lena" says no more than "Thanks".
    """
    text = text.strip()
    if not text or len(text) > _LONGEST:
        return None
    if _HEARTBEAT.fullmatch(text):
        return Reason.HEARTBEAT
    parts = [part for part in map(_plain, _SEGMENTS.split(text)) if part.strip("?？؟ ")]
    if not parts:  # signs alone: a thumb up takes note
        return Reason.ACKNOWLEDGEMENT
    said = [part for part in parts if not _is_name(part, names)]
    if not said:  # a name alone may be an answer; beside "Thanks" it says nothing
        return None
    kinds = [_kind(part, names) for part in said]
    if any(kind is None for kind in kinds):
        return None
    if all(kind is Reason.SMALL_TALK for kind in kinds):
        return Reason.SMALL_TALK
    return Reason.ACKNOWLEDGEMENT


def _is_name(part: str, names: frozenset[str]) -> bool:
    words = PIECES.findall(part)
    return bool(words) and all(_names(word, names) for word in words)


def _names(word: str, names: frozenset[str]) -> bool:
    """Tell a name from a word that is also one: "Nice marketing", said to a speaker called Marketing."""
    return word.casefold() in names and not word.islower()


def _asks(text: str) -> bool:
    return _ASKS.search(text.strip()[-_LONGEST:]) is not None


def _kind(part: str, names: frozenset[str]) -> Reason | None:
    """Return the kind of one part of a message; courtesies are small talk even after a question."""
    question = part.endswith(("?", "？", "؟"))
    part = part.rstrip("?？؟ ")
    if _COURTESIES_ONLY.fullmatch(part):
        return Reason.SMALL_TALK
    if _COURTESY.fullmatch(part):
        return Reason.SMALL_TALK
    if question:  # "Ok?" asks
        return None
    if _NOTED.fullmatch(part) or _UNSPACED_RUN.fullmatch(part):
        return Reason.ACKNOWLEDGEMENT
    words = [word for word in PIECES.findall(part) if not _names(word, names)]
    words = [word.casefold() for word in words]
    known = [word for word in words if word in COURTESIES or word in ACKNOWLEDGEMENTS]
    if any(word not in known and word not in GLUE for word in words):
        return None
    if not known:
        return None
    return Reason.SMALL_TALK if COURTESIES.issuperset(known) else Reason.ACKNOWLEDGEMENT


def _plain(part: str) -> str:
    """Return a part without emoji and signs; letters, marks, digits and what joins words stay."""
    kept = "".join(c if c in "'’?？؟-" or unicodedata.category(c)[0] in "LMN" else " " for c in part)
    return " ".join(kept.split())
