"""What of a turn a note has to hold: the turn without greetings, thanks, filler and idioms (D08).

The guard on a model's output asks only of this whether it was lost. Whatever has a figure, a denial, a
condition, a path or a quote is substance, however it begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memguard.memory.framing import is_chatter
from memguard.segmentation import sentences

LONGEST_RUN = 500
"""Characters without a space that readers of figures and names take: their time grows with the square."""
_SPEAKER = re.compile(r"([^\W\d_][\w .'-]{0,40}): ")
_FILLER = re.compile(
    r"""(?ix) ,?\s*\b(?:
      to\ be\ (?:honest|fair|clear) | to\ tell\ you\ the\ truth | you\ know | i\ mean | i\ suppose | i\ guess
    | (?:just\ )?as\ i\ (?:already\ )?(?:said|mentioned)(?:\ (?:before|earlier|above|the\ other\ day))?
    | i(?:'ve|\ have)\ been\ thinking\ about\ (?:this|that|it)(?:\ for\ a\ while)?
    | i\ was\ (?:just\ )?wondering\ (?:if|whether)\ you\ could
    | if\ (?:at\ all\ )?possible | if\ you\ (?:don't|do\ not)\ mind | if\ that\ makes\ sense
    | for\ a\ (?:night|day|week|minute|while)\ or\ two | a\ (?:couple|minute|thing)\ or\ two
    | no\ (?:rush|hurry|worries|problem)(?:\ at\ all)? | (?:so\ )?nothing\ new(?:\ there)?
    | by\ the\ way | a\ bit | more\ or\ less | basically | actually | honestly | um+ | uh+ | anyway
    )\b,?"""
)
_TOLD_WHEN = re.compile(
    r"(?i)(\b(?:told|said|talked|spoke|discussed|asked|met|mentioned|wrote|called)\b[^.,;!?]{0,60}?)"
    r"\s*\b(?:today|yesterday|earlier|just now|the other day)(?: (?:morning|afternoon|evening|night))?\b"
)
"""When something was told, which the entry's own time tells; when it happens is not touched."""
_PLEASANTRY = re.compile(
    r"""(?ix) \W*(?:(?:hi|hey|hello|so|well|and|oh|okay|ok)\b\W*)*(?:
      thanks\b | thank\ you\b | cheers\b | many\ thanks | i\ (?:really\ |so\ )?appreciate
    | i\ hope\ (?:that\ )?(?:you|this|it|all|everything) | have\ a\ (?:great|nice|good|lovely)
    | (?:please\ )?(?:have\ a\ look|take\ your\ time|let\ me\ know) | (?:so\ )?glad\ you | nice\ to
    | let(?:'s|\ us)\ see | (?:that|this|which)\ is\ (?:where\ we\ are|that|about\ it|it)\b
    | that's\ (?:about\ )?it | it\ (?:is|'s)\ what\ everybody | everything\ else\ is
    | it\ (?:is|'s)\ (?:going\ to\ be|will\ be)?\ ?(?:so\ )?(?:much\ )?(?:fun|great|nice|me)\b
    | i\ can(?:'t|not|\ hardly)\ wait
    )"""
)
_KEEPS = re.compile(r"\d|\b(?:not|never|no|only|unless|until|except|without)\b|n't\b|[/_@`\"]", re.IGNORECASE)


def is_readable(text: str) -> bool:
    """Tell whether a text has no such run of characters as only machines write (base64, minified code)."""
    return all(len(run) <= LONGEST_RUN for run in text.split())


def said_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield each sentence with its speaker, as the lines name them; the speaker may be empty."""
    speaker = ""
    for line in text.split("\n"):
        match = _SPEAKER.match(line)
        if match:
            speaker, line = match[1], line[match.end() :]
        for sentence in sentences(line):
            yield speaker, sentence


def substance_of(text: str) -> str:
    """Return a turn without what says nothing; the turn itself where nothing would be left."""
    lines = []
    for speaker, said in said_in(text):
        plain = _FILLER.sub("", _TOLD_WHEN.sub(r"\1", said)).strip()
        if plain and not _is_pleasantry(said) and not _is_pleasantry(plain) and not is_chatter(plain):
            lines.append(f"{speaker}: {plain}" if speaker else plain)
    return "\n".join(lines) or text


def _is_pleasantry(sentence: str) -> bool:
    return _PLEASANTRY.match(sentence) is not None and not _KEEPS.search(sentence)
