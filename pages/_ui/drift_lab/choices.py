"""What one session holds of the drift lab, and every way in which it changes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from memguard.drift import Injection, inject_into
from memguard.eliminator import Elimination
from memguard.trace import Trace
from memguard.transcripts import Sample
from memguard.transcripts.samples import KINDS
from pages._ui import links, state
from pages._ui.drift_lab.material import PARAGRAPH, TRUE, Material, basis
from pages._ui.drift_lab.material import material as read

Mode = Literal["inject", "rates", "game"]
MODES: Mapping[Mode, str] = {"inject": "Inject drift", "rates": "Catch rate", "game": "Spot the drift"}
KIND_NAMES: Mapping[str, str] = {
    "number": "Number",
    "date": "Date",
    "unit": "Unit",
    "name": "Name",
    "speaker": "Speaker",
    "negation": "Negation",
    "plan_as_done": "Plan as done",
    "superseded": "Superseded",
    "invention": "Invention",
}
MOST_SEED = 9_999
EDITOR = "drift_editor"
_MODE, _KIND, _SEED, _FROM, _OVER = "mode", "kind", "round", "from", "over"
"""The page's parameters in the address; ``seed`` is the run's own."""
_SAMPLES = "samples"


@dataclass
class Lab:
    """The state of the page.

    Attributes:
        mode: Which of the three views is shown.
        kind: The kind of drift, one of ``KINDS``; None takes any.
        seed: From which places, wrong values and rounds follow.
        origin: Where the summary is taken from.
        subject: Of which conversation and origin the text is; another one begins anew.
        text: The summary as it stands in the editor.
        clean: The summary before anything was put into it.
        injections: What was put into it, in order; a hand edit keeps those whose words still stand.
        refused: The kind that last found no place.
        epoch: How often the text was set by something else than the editor.
        heard: The number of the editor's last change that was followed.
        marked: Numbers of the claims that the person holds for wrong.
        revealed: Whether the verdicts of the round are shown.
        all_samples: Whether the catch rate is that of all samples.
        checked: Results by settings and text, for this session alone; the oldest goes first.
        read: The material that was read last, with what it follows from.
    """

    mode: Mode = "inject"
    kind: str | None = None
    seed: int = 1
    origin: str = TRUE
    subject: tuple[str, str] = ("", "")
    text: str = ""
    clean: str = ""
    injections: list[Injection] = field(default_factory=list)
    refused: str | None = None
    epoch: int = 0
    heard: int = 0
    marked: set[int] = field(default_factory=set)
    revealed: bool = False
    all_samples: bool = False
    checked: OrderedDict[Hashable, Elimination] = field(default_factory=OrderedDict)
    read: tuple[Hashable, Material] | None = None

    @property
    def taken(self) -> tuple[tuple[int, int], ...]:
        """Spans of the text that hold a mistake; several in one text are found by their words."""
        return tuple(span for injection in self.injections if (span := self.place(injection)) is not None)

    def place(self, injection: Injection) -> tuple[int, int] | None:
        """Return where a mistake stands in the text now; None where a hand has changed it.

        Later changes move it, so it is looked for by the words around it.
        """
        start, end = injection.span
        before, after = injection.text[max(0, start - _AROUND) : start], injection.text[end : end + _AROUND]
        found = [at + len(before) for at in _places(self.text, before + injection.now + after)]
        at = min(found, key=lambda place: abs(place - start), default=None)
        return None if at is None else (at, at + len(injection.now))


_AROUND = 8
"""Characters on each side that tell a mistake from the same words elsewhere."""


def _places(text: str, words: str) -> list[int]:
    found, at = [], text.find(words)
    while at >= 0:
        found.append(at)
        at = text.find(words, at + 1)
    return found


def lab() -> Lab:
    """Return this session's state of the page; at first what the link asks for."""
    return state.kept("drift_lab", _opened)


def _opened() -> Lab:
    given = Lab()
    asked = links.Asked()
    mode, kind, seed = (
        asked.one_of(_MODE, MODES),
        asked.one_of(_KIND, KINDS),
        asked.whole(_SEED, 0, MOST_SEED),
    )
    if mode is not None:
        given.mode = cast("Mode", mode)
    given.kind = kind
    given.seed = given.seed if seed is None else seed
    given.origin = asked.one_of(_FROM, (TRUE, PARAGRAPH)) or given.origin
    given.all_samples = asked.one_of(_OVER, (_SAMPLES,)) is not None
    state.not_followed(asked.complaints)
    return given


def note(current: Lab) -> None:
    """Write what differs from the first view into the address."""
    first = Lab()
    links.note(
        **{
            _MODE: None if current.mode == first.mode else current.mode,
            _KIND: current.kind,
            _SEED: None if current.seed == first.seed else str(current.seed),
            _OVER: _SAMPLES if current.all_samples else None,
            _FROM: None if current.origin == first.origin else current.origin,
        }
    )


def follow(current: Lab, trace: Trace, sample: Sample | None) -> Material:
    """Return what the lab works on; begin anew where the conversation, or its summary, is another."""
    follows_from = basis(trace, sample, current.origin)
    if current.read is None or current.read[0] != follows_from:
        current.read = follows_from, read(trace, sample, current.origin)
    material = current.read[1]
    subject = material.subject
    if current.subject != subject:
        current.subject = subject
        current.clean = material.summary
        _write(current, material.summary)
        _new_round(current)
    return material


def on_mode(drawn: str) -> None:
    """Show another of the three views."""
    chosen = state.value(drawn)
    if chosen in MODES:
        lab().mode = cast("Mode", chosen)


def on_kind(drawn: str) -> None:
    """Follow the choice of a kind; none chosen is any."""
    current = lab()
    current.kind, current.refused = state.value(drawn), None
    _new_round(current)


def on_seed(drawn: str) -> None:
    """Follow another seed."""
    current, seed = lab(), state.value(drawn)
    if isinstance(seed, int):
        current.seed = seed
        _new_round(current)


def on_origin(drawn: str) -> None:
    """Take the summary from elsewhere."""
    chosen = state.value(drawn)
    if chosen is not None:
        lab().origin = chosen


def on_inject(material: Material) -> None:
    """Put a mistake of the chosen kind into the text; of any kind, the first that finds a place."""
    current = lab()
    step = current.seed + len(current.injections)
    turned = [*KINDS[step % len(KINDS) :], *KINDS[: step % len(KINDS)]]
    for kind in [current.kind] if current.kind is not None else turned:
        made = inject_into(current.text, kind, material.ground, step, current.taken)
        if made is not None:
            current.injections.append(made)
            _write(current, made.text, keep=True)
            return
    current.refused = current.kind or ""


def on_undo() -> None:
    """Take the last mistake out again."""
    current = lab()
    if not current.injections:
        return
    injection = current.injections.pop()
    place = current.place(injection)
    if place is not None:
        start, end = place
        _write(current, current.text[:start] + injection.was + current.text[end:], keep=True)


def on_restore() -> None:
    """Take the summary as it was before anything was put into it."""
    current = lab()
    _write(current, current.clean)


def on_text() -> None:
    """Follow what was typed; an answer to a text that is no longer there is no wish."""
    current = lab()
    sent: Any = (state.value(EDITOR) or {}).get("typed")
    if sent is None or sent["epoch"] != current.epoch or sent["turn"] <= current.heard:
        return
    current.heard, current.text, current.refused = sent["turn"], str(sent["text"]), None
    current.injections = [i for i in current.injections if current.place(i) is not None]


def on_mark(drawn: str, number: int) -> None:
    """Follow the mark on a claim of the round."""
    current = lab()
    if state.value(drawn):
        current.marked.add(number)
    else:
        current.marked.discard(number)


def on_reveal() -> None:
    """Show the verdicts of the round."""
    lab().revealed = True


def on_next() -> None:
    """Begin the next round."""
    current = lab()
    current.seed = (current.seed + 1) % (MOST_SEED + 1)
    _new_round(current)


def on_scope(drawn: str) -> None:
    """Measure this sample, or all of them."""
    lab().all_samples = state.value(drawn) == "all"


def _write(current: Lab, text: str, *, keep: bool = False) -> None:
    current.text, current.refused = text, None
    current.epoch += 1
    if not keep:
        current.injections = []


def _new_round(current: Lab) -> None:
    current.marked, current.revealed = set(), False
