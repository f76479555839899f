"""What stands around a fact and says nothing of it: framing, courtesies, talk about the work itself."""

from __future__ import annotations

import re

from memguard.grounding.claims.kinds import ClaimKind, kind_of
from memguard.memory.guesses import stated_parts
from memguard.memory.noise import is_filler
from memguard.segmentation import sentences

_FRAMES = re.compile(
    r"""(?ix)
    (?: (?:so|well|ok|okay|anyway|basically|honestly|actually|right|also|oh|yeah|hm+|hey
      |alright)\s*[,:—–-]\s*
      | (?:so|well|basically|honestly)\s+(?=(?:i|we|it|the|this|that)\b)
      | (?:i|we)\s+(?:just\ |really\ |still\ |do\ )?(?:think|believe|feel|suppose|reckon|guess|assume
        |imagine)(?:\s+that)?\s+(?=\S)(?!so\b|not\b|about\b|of\b)
      | (?:it|this|that)\s+(?:just\ )?(?:seems|seemed|looks|looked|appears|appeared
        |sounds)(?:\s+to\s+(?:me|us))?\s+(?:like|as\ if|as\ though|that)\s+
      | (?:it['’]?s|it\ is)\s+(?:also\ )?(?:worth\ (?:noting|mentioning)|important\ to\ note|clear
        |true)\s+that\s+
      | (?:as\ far\ as\ i\ (?:know|can\ tell|remember|recall)|if\ i\ (?:remember|recall)(?:\ correctly)?
        |in\ my\ opinion|to\ be\ (?:honest|clear|fair)
          |for\ what\ it['’]?s\ worth|for\ the\ record|by\ the\ way|as\ (?:mentioned|discussed|noted
            |i\ said)(?:\ (?:before|earlier|above))?
          |needless\ to\ say|apparently|btw|fyi|afaik|iirc|imho|tl;?dr)\s*[,:—–-]?\s+
      | (?:please\ )?(?:note|remember|be\ aware|keep\ in\ mind)(?:\s+that\s+|\s*:\s*)
      | (?:just\ )?(?:a\ )?(?:quick\ )?(?:heads[- ]up|update|reminder|note|summary|recap)\s*[:—–-]\s*
      | (?:i|we)\s+(?:just\ )?(?:want(?:ed)?|would\ like)\s+to\s+(?:say|mention|note|add|point\ out
        |let\ you\ know|confirm)\s+(?:that\ )?
      | (?:i|we)\s+can\s+confirm\s+(?:that\ )?
      | let\ me\s+(?:say|mention|note|add|point\ out)\s+(?:that\ )?
    )"""
)
_MOST_FRAMES = 6
_CHATTER = re.compile(
    r"""(?ix)
    (?: (?:i['’]?ll|i\ will|let\ me|let['’]?s|going\ to|gonna|i['’]?m\ going\ to|we['’]?ll)\s+
            (?:just\ |now\ |quickly\ |first\ |go\ and\ |go\ ahead\ and\ |also\ )*
            (?:take\ a\ (?:quick\ )?look|look\ (?:into|at)|have\ a\ look|check|get\ back|follow\ up|start
              |begin|proceed|continue|circle\ back|see|dig\ in(?:to)?
              |get\ started|work\ on|handle|do\ (?:that|this|it)|ping|keep\ you\ (?:posted|updated)|know
                |sync|wait)\b[^.!?]{0,80}
      | (?:on\ it|will\ do|working\ on\ it|one\ (?:sec|second|moment|minute)|hold\ on|hang\ on
        |be\ right\ back|brb|stand\ by|standing\ by|bear\ with\ me
          |sounds\ good|looks\ good(?:\ to\ me)?|lgtm|makes\ sense|great\ (?:work|job|idea|question)
            |nice\ (?:work|one)|good\ (?:catch|point|idea)|no\ worries
          |got\ it|understood|noted|acknowledged|ack|ready\ when\ you\ are|over\ to\ you|your\ turn
            |any\ updates?|ping|bump|\+1
          |can\ you\ (?:take\ a\ look|check|help)|(?:thanks|thank\ you)\b[^.!?]{0,60}|talk\ (?:soon
            |later)|see\ you\b[^.!?]{0,30}
          |(?:i['’]?m|we['’]?re|i\ am|we\ are)\s+(?:still\ |just\ |now\ )?(?:on\ it
            |looking(?:\ into\ (?:it|this|that))?|checking|here|ready|done\ here|back))
    )
    (?:\s*[,;–—-]\s*(?:thanks|please|ok|okay|team|all|everyone|now|again|then)\b[^.!?]{0,40})?[\s.!…)*]*"""
)
_NAMES_CODE = re.compile(
    r"`|(?<!\w)[\w.~-]*/[\w.-]+|\b\w+_\w+\b|\b\w+\.(?:py|js|ts|md|sh|sql|ya?ml|json|toml)\b"
)
_KEEPS_CAPITAL = re.compile(r"[a-z]+[A-Z_./\d]|[a-z]+-[a-z]*\d|`|[a-z]+\(|\./|[~$]")


def is_chatter(sentence: str) -> bool:
    """Tell a sentence that only coordinates (E06): a courtesy, an announcement, an acknowledgement."""
    text = sentence.strip()
    if any(map(str.isdigit, text)) or _NAMES_CODE.search(text):
        return is_filler(text)  # "I'll start it on port 8443" tells something
    if _CHATTER.fullmatch(text):
        return True
    return kind_of(text) in {ClaimKind.COURTESY, ClaimKind.PREAMBLE} or is_filler(text)


def is_noise(text: str) -> bool:
    """Tell an observation of which no sentence says anything."""
    return all(is_chatter(sentence) for sentence in sentences(text))


def unframed(sentence: str) -> str:
    """Return a sentence without the framing before its statement (E05); anything else as it is.

    "I don't think so" frames nothing away: what is negated stays.
    """
    bare = sentence.strip()
    for _frame in range(_MOST_FRAMES):
        match = _FRAMES.match(bare)
        rest = bare[match.end() :] if match else ""
        if not rest.strip(" .!?"):
            break
        bare = rest.lstrip()
    if bare == sentence.strip():
        return bare
    return _begun(bare)


def _begun(text: str) -> str:
    return text if _KEEPS_CAPITAL.match(text) else text[:1].upper() + text[1:]


def facts(text: str) -> tuple[tuple[str, str], ...]:
    """Return the statements of an observation, each without and with its framing.

    Guesses, questions and talk about the work are left out.
    """
    return tuple(
        (unframed(part) if part == sentence else _begun(unframed(part)), sentence)
        for sentence in sentences(text)
        for part in stated_parts(sentence)
        if not is_chatter(part)
    )
