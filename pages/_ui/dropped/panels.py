"""The widgets of the Dropped claims page: what is listed, the list, and the claim that is looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

import streamlit as st

from memguard.charts import counted
from memguard.grounding.overrides import NOTE_CHARS
from memguard.grounding.verdicts import not_overridable
from memguard.reconstructor import OmissionReason, Reconstruction
from memguard.trace import Trace
from pages._ui import checking, links, render, resources, state, theme
from pages._ui.dropped import decisions, view
from pages._ui.dropped.items import (
    IN_CONTEXT,
    RECONSTRUCTION,
    SORTS,
    Choice,
    Item,
    counts,
    items,
    listed,
    n_back,
    way_back,
)

LIST = "dropped-list"
_ALL = {
    "reason": "All reasons",
    "kind": "All verdicts",
    "stage": "All stages",
    "speaker": "All speakers",
}
_TITLES = {"reason": "Reason", "kind": "Verdict", "stage": "Stage", "speaker": "Speaker of the evidence"}
_SORTS = {
    "nearest": "Closest to the minimum",
    "furthest": "Furthest from the minimum",
    "summary": "Order of the summary",
}
_NAMES: Mapping[str, Mapping[str, str]] = {
    "reason": view.REASONS,
    "kind": view.KINDS,
    "stage": view.STAGES,
    "speaker": {},
}
_MOST_TOKENS = 1_000_000

_list = st.components.v2.component(
    "memguard_dropped",
    html='<ol class="mg-drops" role="listbox" aria-label="Claims" tabindex="0"></ol>',
    js=theme.asset("dropped.js"),
    isolate_styles=False,
)


@dataclass
class View:
    """What this session looks at.

    Attributes:
        choice: What is listed; at first what the link gives.
        turn: How many choices of a claim the list has reported.
    """

    choice: Choice = field(default_factory=lambda: _from_link())
    turn: int = 0


def current() -> View:
    """Return what this session looks at."""
    return state.kept("dropped", View)


def on_claim() -> None:
    """Follow the claim that was selected in the list."""
    found = state.value(LIST)
    chosen = found.get("chosen") if found is not None else None
    if chosen is not None:
        state.session().selected, current().turn = chosen["claim"], chosen["turn"]
        state.follow()


def head(trace: Trace, every: tuple[Item, ...]) -> None:
    """Draw the title, what the page holds, and undo and redo."""
    left = sum(item.stage != IN_CONTEXT for item in every)
    n_decided = len(trace.overrides)
    source = state.session().source
    of = f" of {render.text(source.title)}" if source is not None else ""
    by_hand = f"; {counted(n_decided, 'decision')} by a person" if n_decided else ""
    with st.container(horizontal=True, vertical_alignment="center", key="dropped-head"):
        st.html(
            f'<div class="mg-title">Dropped claims{of}</div><p class="mg-description">'
            f"{left:,} of {counted(len(every), 'claim')} of the summary did not enter the context"
            f"{_split(every)}{by_hand}. "
            "Choose one to see why, and what would bring it back.</p>"
        )
        steps = decisions.history()
        for name, symbol, stack, on_click, keys in (
            ("Undo", "undo", steps.done, decisions.on_undo, "Alt+Z"),
            ("Redo", "redo", steps.undone, decisions.on_redo, "Alt+Shift+Z"),
        ):
            st.button(
                name,
                key=f"dropped-{name.lower()}",
                icon=f":material/{symbol}:",
                disabled=not stack,
                on_click=on_click,
                help=f"{name}: {stack[-1].words}" if stack else f"Nothing to {name.lower()}",
                shortcut=keys,
            )


def _split(every: tuple[Item, ...]) -> str:
    """Return how many claims were dropped, and how many kept ones are left out, as words behind their sum."""
    stages = [item.stage for item in every]
    n_omitted = stages.count(RECONSTRUCTION)
    n_dropped = len(stages) - n_omitted - stages.count(IN_CONTEXT)
    if not n_omitted:
        return ""
    return f": {n_dropped:,} dropped, {n_omitted:,} kept but left out"


def filters(every: tuple[Item, ...]) -> Choice:
    """Draw what narrows and orders the list, and return what is chosen."""
    choice = current().choice
    with st.container(key="dropped-filters"):
        columns = st.columns([24, 16, 15, 17, 17, 17], gap="small", vertical_alignment="bottom")
        with columns[0]:
            find = st.text_input(
                "Search",
                choice.find,
                key=state.key("dropped-find"),
                placeholder="Words of claim or evidence",
                icon=":material/search:",
            )
        chosen = {
            name: _filter(name, every, getattr(choice, name), column)
            for name, column in zip(_ALL, columns[1:5], strict=True)
        }
        with columns[5]:
            sort = st.selectbox(
                "Sort",
                SORTS,
                SORTS.index(choice.sort),
                format_func=_SORTS.__getitem__,
                key=state.key("dropped-sort"),
                help="By how far a claim lies below the minimum that it misses most.",
            )
    kept = st.toggle(
        "Show claims in the context too",
        choice.kept,
        key=state.key("dropped-kept"),
        help="To read them, or to drop one by hand.",
    )
    made = Choice(find=find or "", sort=sort, kept=kept, **chosen)
    if made != choice:
        current().choice = made
    _to_link(made)
    return made


def claims(trace: Trace, shown: tuple[Item, ...], every: tuple[Item, ...]) -> None:
    """Draw the list on the left, and the claim that is looked at on the right."""
    if not shown:
        _nothing(every)
        return
    selected = next((item for item in shown if item.id == state.session().selected), shown[0])
    with st.container(key="dropped-bench"):
        left, right = st.columns([36, 64], gap="large", wrap=False)
        with left:
            st.html(f'<div class="mg-subhead">{len(shown):,} of {counted(len(every), "claim")}</div>')
            _list(
                key=LIST,
                data={"html": view.rows(shown), "selected": selected.id, "turn": current().turn},
                on_chosen_change=on_claim,
            )
        with right, st.container(key="dropped-claim"):
            _claim(trace, selected, every)


def _claim(trace: Trace, item: Item, every: tuple[Item, ...]) -> None:
    st.html(view.head(item) + view.texts(item, trace.conversation) + view.findings(item))
    left, right = st.columns([1, 1], gap="large")
    with left:
        st.html('<div class="mg-subhead">What would bring it back</div>')
        _way_back(trace, item, every)
        st.html(view.scores(item, trace.settings))
    with right:
        st.html('<div class="mg-subhead">Decide by hand</div>')
        _by_hand(item)


def _way_back(trace: Trace, item: Item, every: tuple[Item, ...]) -> None:
    """Draw the settings that bring a claim back, with the button that applies them."""
    settings = trace.settings
    if item.verdict.override is not None:
        _line("A person decided; settings change nothing here until the decision is taken back.")
        return
    if item.stage == IN_CONTEXT:
        _line("It is in the context.")
        return
    if item.omission is OmissionReason.REPEATED:
        _line("No setting brings it back: the context already says the same.")
        return
    if item.omission is OmissionReason.BUDGET:
        wanted = _tokens_for_all(trace)
        label = f"Set the budget to {wanted:,} tokens"
        _line(f"All kept claims fit into a context of {wanted:,} tokens.")
        values: dict[str, object] = {"reconstruction.payload_tokens": wanted}
    else:
        changes = way_back(item, settings.elimination)
        if changes is None:
            _line(view.back_line(None, 0))
            return
        _line(view.back_line(changes, n_back(every, changes, settings.elimination) - 1))
        label = view.back_label(changes)
        values = {f"elimination.{name}": value for name, value in changes.items()}
    st.button(
        label,
        key="dropped-apply",
        icon=":material/tune:",
        type="primary",
        on_click=decisions.on_settings,
        args=(label, values),
        help="Applies to the whole run; Undo takes it back. No model runs.",
    )


def _by_hand(item: Item) -> None:
    """Draw note, keep and drop, or why there is nothing to decide."""
    override = item.verdict.override
    note_key = state.key(f"dropped-note-{item.id}")
    st.text_area(
        "Note",
        override.note if override is not None else "",
        key=note_key,
        height=68,
        max_chars=NOTE_CHARS,
        placeholder="Why, for the audit",
    )
    with st.container(horizontal=True, gap="small"):
        for kept, label, symbol in ((True, "Keep", "check"), (False, "Drop", "close")):
            why_not = not_overridable(item.scored, kept)
            st.button(
                label,
                key=f"dropped-{label.lower()}",
                icon=f":material/{symbol}:",
                disabled=bool(why_not),
                on_click=decisions.on_decide,
                args=(item.id, kept, note_key),
                help=why_not or "Wins over every setting; stands in the audit with the note.",
            )
        if override is not None:
            st.button(
                "Take back",
                key="dropped-take-back",
                icon=":material/undo:",
                on_click=decisions.on_take_back,
                args=(item.id,),
                help="The measurements decide again.",
            )


def _tokens_for_all(trace: Trace) -> int:
    """Return how many tokens the context has with every kept claim in it."""
    wide = trace.settings.with_value("reconstruction.payload_tokens", _MOST_TOKENS)
    return resources.guard().pipeline.update(trace, wide)[Reconstruction].tokens


def _nothing(every: tuple[Item, ...]) -> None:
    if not every:
        title, advice = (
            "This summary makes no claims",
            "There is nothing to keep or to drop. Choose a longer conversation on the Pipeline page.",
        )
    elif all(item.stage == IN_CONTEXT for item in every):
        title, advice = (
            "No claim was dropped",
            "Every claim of this summary is in the context. Switch on “Show claims in the context too” to "
            "read them, or to drop one by hand.",
        )
    else:
        title, advice = "No claim matches", "Clear the search or choose All in a filter to see the others."
    st.html(f'<div class="mg-hint"><b>{title}</b><p>{advice}</p></div>')


def _filter(
    name: str, every: tuple[Item, ...], chosen: str, column: st.delta_generator.DeltaGenerator
) -> str:
    found = counts(every, name)
    options = ["", *found, *([chosen] if chosen and chosen not in found else [])]

    def shown(value: str) -> str:
        if not value:
            return _ALL[name]
        return f"{_NAMES[name].get(value, value)} ({found.get(value, 0):,})"

    with column:
        return st.selectbox(
            _TITLES[name], options, options.index(chosen), format_func=shown, key=state.key(f"dropped-{name}")
        )


def _line(words: str) -> None:
    st.html(f'<p class="mg-back">{words}</p>')


_DEFAULT = Choice()
_SHARED = tuple(item.name for item in fields(Choice) if item.name not in ("speaker", "find"))
"""What a link holds: names of the program, and no word of a conversation."""


def _from_link() -> Choice:
    asked = links.Asked()
    made = Choice(
        reason=asked.one_of("reason", view.REASONS) or _DEFAULT.reason,
        kind=asked.one_of("kind", view.KINDS) or _DEFAULT.kind,
        stage=asked.one_of("stage", view.STAGES) or _DEFAULT.stage,
        sort=asked.one_of("sort", SORTS) or _DEFAULT.sort,
        kept=asked.one_of("kept", ("0", "1")) == "1",
    )
    state.not_followed(asked.complaints)
    return made


def _to_link(choice: Choice) -> None:
    given = {name: getattr(choice, name) for name in _SHARED}
    default = {name: getattr(_DEFAULT, name) for name in _SHARED}
    links.note(
        **{
            name: None if value == default[name] else "1" if value is True else str(value)
            for name, value in given.items()
        }
    )


def draw(trace: Trace) -> None:
    """Draw the page of a run whose claims are judged."""
    every = items(trace)
    head(trace, every)
    checking.banner(trace, "dropped")
    choice = filters(every)
    claims(trace, listed(every, choice, trace.conversation), every)
