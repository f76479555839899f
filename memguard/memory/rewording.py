"""An optional model words a merged fact anew; where its text fails a check, the rule's text stays.

The model sees only text that passed the privacy filter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memguard.memory import gates
from memguard.memory.drafting import LONGEST, Draft, details
from memguard.memory.guesses import is_speculative
from memguard.models.protocols import LLMProtocol
from memguard.privacy import Redactor
from memguard.segmentation import sentences
from memguard.text import is_blank

_PROMPT = """Write one plain sentence, two at most, that states everything the lines below state.
Keep every number, date, name, path, command and every "not", "only" and "unless". Add nothing.

{lines}

Sentence:"""
_LEAST_TOKENS = 32
_TOKENS_A_WORD = 2


def reworded(
    drafts: Sequence[Draft], llm: LLMProtocol, redactor: Redactor
) -> tuple[tuple[Draft, ...], tuple[str, ...]]:
    """Let a model word those facts anew that several statements went into.

    Returns:
        The facts, and for each refused text why the rule's text stayed.
    """
    done: list[Draft] = []
    notes: list[str] = []
    for fact in drafts:
        lines = list(dict.fromkeys(statement.text for statement in fact.statements))
        filtered = gates.privacy_of(fact.sources) is not None
        if len(lines) < 2 or not filtered or any(redactor.unresolved(line) for line in lines):
            done.append(fact)
            continue
        written = llm.generate(
            _PROMPT.format(lines="\n".join(f"- {line}" for line in lines)),
            max_tokens=max(_LEAST_TOKENS, _TOKENS_A_WORD * sum(len(line.split()) for line in lines)),
        ).strip()
        fault = _fault(written, fact, redactor)
        if fault is None:
            done.append(replace(fact, summary=written))
        else:
            done.append(fact)
            notes.append(
                f"the model's text for {', '.join(item.id for item in fact.sources)} was not used: {fault}"
            )
    return tuple(done), tuple(notes)


def _fault(written: str, fact: Draft, redactor: Redactor) -> str | None:
    if is_blank(written):
        return "it is blank"
    if len(sentences(written)) > LONGEST:
        return f"it has more than {LONGEST} sentences"
    if lost := gates.lost_details(written, fact):
        return f"it lost {', '.join(lost)}"
    known = frozenset(detail for statement in fact.statements for detail in details(statement.text))
    if added := sorted(details(written) - known):
        return f"it added {', '.join(added)}"
    if any(map(is_speculative, sentences(written))):
        return "it states less than its sources"
    return "a detector fires on it" if redactor.unresolved(written) else None
