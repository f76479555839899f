"""Runs of LangSmith, and examples of its data sets: ``inputs`` and ``outputs`` with messages in them.

Read are one run, a list or JSONL of runs (also with ``child_runs`` inside), and of examples. Messages
stand where frameworks put them: ``inputs.messages`` (also as a batch), ``inputs.input``, a
``chat_history``, ``prompts``; ``outputs.messages``, ``outputs.generations``, ``outputs.output``,
``outputs.choices``, or the outputs are a message. A run that stands inside another one that is read
holds the same messages again, so it is counted and left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memguard.errors import TranscriptError
from memguard.message_form import Notes
from memguard.transcripts.apis.huggingface import chat_turns
from memguard.transcripts.apis.langchain import is_dumped, message_turns
from memguard.transcripts.apis.rows import first_rows
from memguard.transcripts.apis.turns import Told, Turn, finish, first_objects, lines, role_of
from memguard.transcripts.document import MISSING, ConversationHead, Document, Reading, choose
from memguard.transcripts.values import ends_of, fields_of, items_of, rendered, text_id, title_of, words

_RUN_FIELDS = frozenset({"run_type", "trace_id", "dotted_order", "parent_run_id"})
_EXAMPLE_FIELDS = frozenset({"dataset_id", "source_run_id"})
_ASKED = ("input", "question", "query", "human_input")
_ANSWERED = ("output", "answer", "result", "response", "text")
_PAIRS = frozenset({"human", "ai", "user", "assistant", "system"})
"""What begins a message that is written as a pair of role and text."""
_LOOKED_AT = 20
_RULE = "the inputs of the run, then its outputs"
_ROLES = {"human": "user", "ai": "assistant"}

_Placed = tuple[str, Any]


@dataclass(slots=True)
class _Run:
    """A run or an example with its place, and the run that it stands inside, if that is told."""

    value: dict[str, Any]
    place: str
    parent: str | None


@dataclass(frozen=True, slots=True)
class _Said:
    """The messages of a run: what went in, what came out, and how many of the batch or choices are left."""

    asked: tuple[_Placed, ...]
    answered: tuple[_Placed, ...]
    n_others: int = 0


class LangSmith:
    """Runs and examples."""

    name = "langsmith"

    def recognises(self, document: Document) -> float:
        """Return 0.95 where most of the first objects are runs or examples, and one holds messages."""
        rows = first_rows(document, first_objects(document))
        own = [row for row in rows if _is_run(row)]
        if not own or 2 * len(own) <= len(rows):
            return 0.0
        runs = _flat([(row, "") for row in own[:_LOOKED_AT]])
        return 0.95 if any(_said(run.value) is not None for run in runs) else 0.0

    def conversations(self, document: Document) -> tuple[ConversationHead, ...]:
        """Return the outermost runs that hold messages, with their names and times."""
        return tuple(map(_head, _outermost(_runs(document, Notes())[0])[0]))

    def read(self, document: Document, conversation: str | None = None) -> Reading:
        """Read one run, its inputs before its outputs.

        Raises:
            TranscriptError: There is none, or several and none was chosen.
        """
        notes = Notes()
        runs, skipped = _runs(document, notes)
        outermost, n_inside = _outermost(runs)
        if not outermost:
            raise TranscriptError("no run holds messages", source=document.source)
        run = outermost[choose(tuple(map(_head, outermost)), conversation, document.source)]
        said = _said(run.value) or _Said((), ())
        told = Told(title_of(run.value.get("name")), skipped_lines=skipped, n_conversations=len(outermost))
        asked, answered = list(said.asked), list(said.answered)
        n_repeated = _repeated(asked, answered)
        if n_repeated:
            told.duplicates, asked = n_repeated, []
        told.branch, told.ordered = _rule(n_repeated, n_inside, len(runs) - n_inside - len(outermost)), True
        if said.n_others:
            notes.add(
                f"conversations of a batch, or answers, of which the first is read: {said.n_others + 1}"
            )
            told.abandoned = said.n_others
        if words(run.value.get("error")):
            notes.add("the run ended with an error", run.place)
        turns: list[Turn] = []
        for role, placed in (("user", asked), ("assistant", answered)):
            for place, message in placed:
                turns += _turns(message, role, f"{run.place}, {place}" if run.place else place, notes)
        return finish(self.name, document, turns, notes, told)


def _is_run(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("inputs"), dict):
        return False
    if not isinstance(value.get("outputs"), dict | None):
        return False
    return not (_RUN_FIELDS | _EXAMPLE_FIELDS).isdisjoint(value) or value.keys() <= {
        "id", "inputs", "outputs", "metadata", "split", "created_at", "modified_at",
    }  # fmt: skip


def _runs(document: Document, notes: Notes) -> tuple[list[_Run], int]:
    value, skipped = document.value, 0
    if value is MISSING:
        records, skipped = lines(document, notes)
        placed = [(record.value, f"line {record.line}") for record in records]
    elif isinstance(value, list):
        placed = [(item, f"run {index}") for index, item in enumerate(value, start=1)]
    else:
        placed = [(value, "")]
    kept = []
    for item, place in placed:
        if _is_run(item):
            kept.append((item, place))
        else:
            notes.add("this is no run, which has inputs and outputs; it was left out", place)
            skipped += value is MISSING
    return _flat(kept), skipped


def _flat(placed: Sequence[tuple[dict[str, Any], str]]) -> list[_Run]:
    """Return runs with those inside them, each once by its id, an outer one before its inner ones."""
    runs: list[_Run] = []
    seen: set[str] = set()
    for outer, at in placed:
        waiting = [_Run(outer, at, text_id(outer.get("parent_run_id")))]
        while waiting:
            run = waiting.pop()
            own = text_id(run.value.get("id"))
            if own is not None and own in seen:
                continue
            if own is not None:
                seen.add(own)
            runs.append(run)
            inner = [
                _Run(child, f"{run.place}, child_runs[{i}]".removeprefix(", "), own)
                for i, child in enumerate(items_of(run.value.get("child_runs")))
                if isinstance(child, dict) and isinstance(child.get("inputs"), dict)
            ]
            waiting += reversed(inner)
    return runs


def _outermost(runs: Sequence[_Run]) -> tuple[list[_Run], int]:
    """Return the runs that hold messages and are inside no such run, and how many that do are inside one."""
    index = {own: i for i, run in enumerate(runs) if (own := text_id(run.value.get("id"))) is not None}
    parents = [index.get(run.parent) if run.parent is not None else None for run in runs]
    holds = [_said(run.value) is not None for run in runs]
    inside: dict[int, bool] = {}  # whether a run is inside one that holds messages
    for start in range(len(runs)):
        path: list[int] = []
        on_path: set[int] = set()
        at: int | None = start
        while at is not None and at not in inside and at not in on_path:
            path.append(at)
            on_path.add(at)
            at = parents[at]
        for i in reversed(path):
            parent = parents[i]
            # A circle of parents has no outermost run: the one at which it was entered is taken as it.
            is_first = parent is None or at == i or parent == i
            inside[i] = not is_first and parent is not None and (holds[parent] or inside.get(parent, False))
    outermost = [run for i, run in enumerate(runs) if holds[i] and not inside[i]]
    return outermost, sum(holds) - len(outermost)


def _head(run: _Run) -> ConversationHead:
    said = _said(run.value) or _Said((), ())
    n = len(said.asked) + len(said.answered) - _repeated(said.asked, said.answered)
    value = run.value
    first, last = ends_of((value.get("start_time"), value.get("end_time"), value.get("created_at")))
    name = title_of(value.get("name"))
    place = run.place or "the whole file"
    return ConversationHead(text_id(value.get("id")) or place, name, n, first, last, place)


def _rule(n_repeated: int, n_inside: int, n_silent: int) -> str:
    rule = "the outputs of the run, which repeat its inputs" if n_repeated else _RULE
    if n_inside:
        rule += f"; runs inside others that are read, and left: {n_inside}"
    if n_silent:
        rule += f"; runs without messages: {n_silent}"
    return rule


def _said(run: dict[str, Any]) -> _Said | None:
    """Return the messages of a run; None where it holds none."""
    asked, n_batches = _asked(fields_of(run.get("inputs")))
    answered, n_choices = _answered(fields_of(run.get("outputs")))
    holds = any(not isinstance(message, str) for _, message in (*asked, *answered))
    if not holds and not (asked and answered and words(run.get("run_type")) in {"", "llm", "chain"}):
        return None
    return _Said(tuple(asked), tuple(answered), n_batches + n_choices)


def _asked(inputs: dict[str, Any]) -> tuple[list[_Placed], int]:
    found = inputs.get("messages")
    if not isinstance(found, list) and isinstance(inputs.get("input"), dict):
        found = inputs["input"].get("messages")
    place, n_others = "inputs.messages", 0
    if isinstance(found, list) and found and all(map(_is_list_of_messages, found)):
        place, n_others, found = f"{place}[0]", len(found) - 1, found[0]  # a batch
    if isinstance(found, list) and any(map(_is_message, found)):
        return [(f"{place}[{i}]", message) for i, message in enumerate(found)], n_others
    prompts = inputs.get("prompts")
    if isinstance(prompts, list) and prompts and all(isinstance(prompt, str) for prompt in prompts):
        return [("inputs.prompts[0]", {"role": "user", "content": prompts[0]})], len(prompts) - 1
    history = [
        (f"inputs.chat_history[{i}]", message)
        for i, message in enumerate(items_of(inputs.get("chat_history")))
        if _is_message(message)
    ]
    for key in _ASKED:
        value = inputs.get(key)
        if isinstance(value, list) and any(map(_is_message, value)):
            return [*history, *((f"inputs.{key}[{i}]", message) for i, message in enumerate(value))], 0
        if isinstance(value, str) or _is_message(value):
            return [*history, (f"inputs.{key}", value)], 0
    return history, 0


def _answered(outputs: dict[str, Any]) -> tuple[list[_Placed], int]:
    generations = outputs.get("generations")
    if isinstance(generations, list) and generations:
        first, place = generations[0], "outputs.generations[0]"
        if isinstance(first, list):
            generations, place = first, f"{place}[0]"
            first = first[0] if first else None
        message = fields_of(first).get("message")
        text = fields_of(first).get("text")
        found = message if _is_message(message) else text if isinstance(text, str) else None
        return ([(place, found)] if found is not None else []), max(0, len(generations) - 1)
    choices = [
        (f"outputs.choices[{i}].message", fields_of(choice)["message"])
        for i, choice in enumerate(items_of(outputs.get("choices")))
        if _is_message(fields_of(choice).get("message"))
    ]
    if choices:
        return choices[:1], len(choices) - 1
    if _is_message(outputs):
        return [("outputs", outputs)], 0
    for key in ("messages", "message", *_ANSWERED):
        value = outputs.get(key)
        if isinstance(value, dict) and isinstance(value.get("messages"), list):
            key, value = f"{key}.messages", value["messages"]
        if isinstance(value, list) and any(map(_is_message, value)):
            return [(f"outputs.{key}[{i}]", message) for i, message in enumerate(value)], 0
        if isinstance(value, str) or _is_message(value):
            return [(f"outputs.{key}", value)], 0
    return [], 0


def _is_message(value: Any) -> bool:
    if isinstance(value, list):  # ["human", "text"]
        return len(value) == 2 and all(isinstance(part, str) for part in value) and value[0] in _PAIRS
    return isinstance(value, dict) and (("role" in value and "content" in value) or is_dumped(value))


def _is_list_of_messages(value: Any) -> bool:
    return isinstance(value, list) and not _is_message(value) and bool(value) and all(map(_is_message, value))


def _repeated(asked: Sequence[_Placed], answered: Sequence[_Placed]) -> int:
    """Return how many inputs the outputs begin with; 0 where not all of them stand there."""
    n = len(asked)
    if not 0 < n <= len(answered) or any(isinstance(message, str) for _, message in asked):
        return 0
    pairs = zip(asked, answered, strict=False)
    return n if all(_key(one) == _key(other) for (_, one), (_, other) in pairs) else 0


def _key(message: Any) -> str:
    """Return what makes a message the same in the inputs and in the outputs, which add fields to it."""
    if isinstance(message, list) and _is_message(message):
        return f"{_ROLES.get(message[0], message[0])}\n{message[1]}"
    value = fields_of(message)
    inner = fields_of(value.get("kwargs")) or fields_of(value.get("data")) or value
    kind = words(value.get("role")) or words(inner.get("type")) or words(value.get("type"))
    path = items_of(value.get("id"))
    if "lc" in value and path:
        kind = words(path[-1]).removesuffix("Chunk").removesuffix("Message").lower()
    return f"{_ROLES.get(kind, kind)}\n{rendered(inner.get('content'))}"


def _turns(message: Any, role: str, place: str, notes: Notes) -> list[Turn]:
    """Return the turns of a message; ``role`` is that of a bare text, which says none itself."""
    if isinstance(message, str):
        return [Turn(place, role, [message])]
    if isinstance(message, list) and _is_message(message):
        return [Turn(place, role_of(message[0], _ROLES, place, notes), [message[1]])]
    return message_turns(message, place, notes) if is_dumped(message) else chat_turns(message, place, notes)
