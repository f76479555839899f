"""Words that say nothing by themselves: greetings, thanks, laughter, and what only acknowledges.

Long-term memory (``memguard.memory.noise``) reads the first two lists whole; the filter of the selection is
more careful and takes parts of them (``noise.py``).
"""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PIECES = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
"""Words, as these lists hold them."""

PLEASANTRIES = _words(
    """
    hi hello hey hiya yo morning evening afternoon bye goodbye cheers thanks thank thx ty welcome lol haha
    hahaha hehe hm hmm hmmm uh um oh ah wow nice great cool awesome perfect lovely wonderful good day night
    dear sorry please you u so very much a lot again everyone all there np problem
    hallo danke bitte tschüss guten tag bonjour salut merci beaucoup au revoir hola gracias adiós adios ciao
    grazie obrigado obrigada olá привет спасибо здравствуйте xin chào cảm ơn
    谢谢 多谢 你好 您好 再见 哈哈 嗨
    こんにちは ありがとう ありがとうございます はじめまして 안녕하세요 감사합니다
    สวัสดี ขอบคุณ
    """
)
ANSWERS = _words(
    """
    yes yeah yep yup no nope nah ok okay k kk sure fine right correct exactly agreed done true maybe
    ja nein doch oui non sí si claro да нет
    好的 好 是 是的 不 不是 对 行 可以 はい いいえ 네 아니요 được vâng không
    """
)

_SAYS_SOMETHING = _words(
    """
    no nope nah nein doch non нет 不 不是 いいえ 아니요 không
    agreed done true maybe correct exactly
    day night dear please you u so very much a lot again everyone all there problem np tag au
    """
)
"""Of those two lists what may carry a meaning of its own: a refusal, a report, or a word of any sentence."""

COURTESIES = _words(
    """
    hi hello hey hiya heya howdy yo greetings bye goodbye cheers thanks thank thx ty ta lol lmao rofl haha
    hahaha hahahaha hehe hehehe hm hmm hmmm uh um erm oh ah aha ooh wow omg
    hallo danke tschüss bonjour salut merci hola gracias adiós adios ciao grazie prego
    obrigado obrigada olá oi привет спасибо здравствуйте пока chào cảm ơn
    """
)
"""Greetings, thanks, laughter and fillers: no answer to any question."""

ACKNOWLEDGEMENTS = (
    PLEASANTRIES
    | ANSWERS
    | _words(
        """
        alright alrighty gotcha roger understood noted ack acknowledged yay mhm mm okey okie oki absolutely
        brilliant excellent fantastic amazing super sweet neat fab congrats congratulations sorry
        klar prima genau verstanden gerne vale perfecto bueno beleza legal perfetto bene d'accord parfait
        bien хорошо понятно ладно ок ага dạ ừ
        """
    )
) - (COURTESIES | _SAYS_SOMETHING)
"""Words that only take note of what was said; after a question they may be the answer."""

GLUE = _words(
    """
    you u so very much a lot again everyone all there the and then guys team folks too that that's thats
    it's its it sounds looks really just for now both to indeed oh well please dear day night evening morning
    afternoon au tag guten beaucoup muito muchas mille sehr vielen much
    """
)
"""Words that may stand beside those without adding to them."""
