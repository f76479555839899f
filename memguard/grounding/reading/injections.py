"""Injections: parts of a message that speak to whoever reads the transcript, or pretend not to be in it.

A message may hold an order to the summarizer, a turn of somebody else written into it, the tokens of a
chat template, a citation or a verdict in our own form. Whoever wrote the message wrote that too, but as a
forgery and not as something he states: it grounds no claim. What stands in code (between backticks) is
shown, not said, and is left alone. Where a part begins that only a forger writes, the rest of the message
belongs to it: where such a part ends is for its author to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from memguard.segmentation import sentence_spans

_TO_THE_END = re.compile(
    r"""
      <\|(?:im_start|im_end|start_header_id|eot_id|system|user|assistant)\|>  # tokens of chat templates
    | <\|endoftext\|>\s{0,3}(?:summary|conversation|system|assistant|user|human)\b
    | \[/?(?:INST|SYSTEM|SYS)\] | <</?SYS>>
    | </?(?:turn|transcript|summary|system|assistant|user|human|instructions?|conversation)\b[^<>\n]{0,80}>
    | ["']role["']\s{0,3}:\s{0,3}["'](?:system|assistant|user|tool|developer)["']
    | ["'](?:kept|label|verdict)["']\s{0,3}:\s{0,3}(?:true|["']supported["'])
    | \b(?:ignor\w{1,6}|disregard|forget|override|bypass)\b[^.!?\n]{0,40}?
      \b(?:instructions?|guidelines|rules|prompts?|anweisungen|instrucciones|instructions\ précédentes)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_TURN = re.compile(
    r"""^[ \t]{0,3}(?P<mark>[#>*_-]{1,6}[ \t]{0,3})?
    (?:system|assistant|developer|human|ai|chatbot)(?:[ ](?:prompt|message|note|update))?\**[ \t]{0,3}
    (?::|$)""",
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
_SHOTS = re.compile(
    r"^[ \t]{0,3}(?:summary|conversation|transcript)[ \t]{0,3}:", re.IGNORECASE | re.MULTILINE
)
_PAYLOAD = re.compile(r"^context from the earlier conversation\b.{0,80}$", re.IGNORECASE | re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_CITED = re.compile(r"^.*\[m?\d{1,6}(?:,[^\[\]\n]{1,80})?\][ \t]*$", re.MULTILINE)
_TO_THE_READER = re.compile(
    r"""\b(?:summari[sz]er|note[- ]?taker|(?:the|your|this|any)\ (?:summary|payload|memory\ entry))\b
    [^.!?\n]{0,60}\b(?:say|says|state|states|write|include|record|report|mention|note|tell|contain)\b
    | \brepeat\ after\ me\b | \balways\ (?:write|say|state|report)\b
    | (?<![\w'’]\ )(?<!\w)(?:please\ )?write(?:\ down)?\ that\b""",
    re.IGNORECASE | re.VERBOSE,
)
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]{1,200}`", re.DOTALL)
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_WORDS_OF_A_TURN = 4


@lru_cache(maxsize=65_536)
def injected_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Return the parts of a message's text that ground nothing, as half-open offsets in order.

    They may overlap. Linear in the text but for its sentences, which are found once.
    """
    seen, places = _visible(text)
    return tuple(sorted((places[start], places[end]) for start, end in _parts(seen)))


def is_injected(text: str, start: int, end: int) -> bool:
    """Tell whether anything of ``text[start:end]`` lies in an injected part."""
    return any(a < end and start < b for a, b in injected_spans(text))


def _parts(text: str) -> Iterator[tuple[int, int]]:
    code = [match.span() for match in _CODE.finditer(text)]

    def said(pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        return (match for match in pattern.finditer(text) if not _inside(match.start(), code))

    for match in said(_TO_THE_END):
        yield _line_start(text, match.start()), len(text)
        break
    for match in said(_TURN):
        # At the very beginning it is the plain name of who speaks.
        if match.start() == 0 and not match["mark"]:
            continue
        if len(text[match.end() :].split(maxsplit=_WORDS_OF_A_TURN)) >= _WORDS_OF_A_TURN:
            yield match.start(), len(text)
            break
    shots = [match.start() for match in said(_SHOTS)]
    if len(shots) > 1:
        yield shots[0], len(text)
    for pattern in (_PAYLOAD, _COMMENT, _CITED):
        yield from (match.span() for match in said(pattern))
    if _TO_THE_READER.search(text):
        for start, end in sentence_spans(text):
            if _TO_THE_READER.search(text, start, end):
                yield start, end


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _inside(at: int, spans: list[tuple[int, int]]) -> bool:
    return any(start <= at < end for start, end in spans)


def _visible(text: str) -> tuple[str, list[int] | range]:
    """Return the text without characters that nobody sees, and where each of it stands."""
    if not _INVISIBLE.search(text):
        return text, range(len(text) + 1)
    kept = [i for i, character in enumerate(text) if not _INVISIBLE.match(character)]
    return "".join(text[i] for i in kept), [*kept, len(text)]
