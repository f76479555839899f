"""The form that maps a table's columns, where their names do not say which one is what."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from memguard.transcripts import TablePreview
from pages._ui import render, state

_MESSAGE = {
    "text": "What is said",
    "speaker": "Who says it",
    "role": "Role",
    "time": "Time",
    "date": "Date, if apart",
    "id": "Message id",
    "conversation": "Conversation",
}
_PAIR = {
    "prompt": "Question",
    "answer": "Answer",
    "time": "Time",
    "date": "Date, if apart",
    "id": "Message id",
    "conversation": "Conversation",
}
_ROWS = {
    "message": ("One message", _MESSAGE, ("text",)),
    "pair": ("A question and its answer", _PAIR, ("prompt", "answer")),
}
"""What a row of the table may be: its name, the columns to choose, and those that it needs."""
_IN_A_ROW = 4
_LONGEST_CELL = 300


def form(offer: state.TableOffer) -> None:
    """Draw the table's first rows and a choice for each kind of column."""
    preview = offer.preview
    with st.container(key="columns"):
        st.html(
            f'<div class="mg-tour" role="status">{render.icon("view_column")}<p><b>Which column of '
            f"{render.text(offer.title)} is what?</b> {render.text(_sentence(preview.doubt))} "
            "What is open stays until it is read.</p></div>"
        )
        st.dataframe(_shown(preview), hide_index=True, height="content")
        is_pair = "prompt" in preview.columns and "text" not in preview.columns
        chosen = st.segmented_control(
            "Each row is",
            list(_ROWS),
            default="pair" if is_pair else "message",
            required=True,
            format_func=lambda kind: _ROWS[kind][0],
            key=state.key("row_kind"),
        )
        _, labels, needed = _ROWS[chosen if chosen in _ROWS else "message"]
        drawn = _choices(preview, labels, needed)
        _buttons(drawn, needed)


def _choices(preview: TablePreview, labels: dict[str, str], needed: tuple[str, ...]) -> dict[str, str]:
    """Draw a box for each kind of column; return the keys of the boxes."""
    names = list(dict.fromkeys(name for name in preview.header if name.strip()))
    drawn: dict[str, str] = {}
    kinds = list(labels)
    for start in range(0, len(kinds), _IN_A_ROW):
        for kind, cell in zip(kinds[start : start + _IN_A_ROW], st.columns(_IN_A_ROW), strict=False):
            drawn[kind] = state.key(f"column_{kind}")
            found = preview.columns.get(kind)
            cell.selectbox(
                labels[kind],
                names,
                index=names.index(found) if found in names else None,
                format_func=str,  # a box shows its options as plain text
                key=drawn[kind],
                placeholder="Choose a column" if kind in needed else "No column",
            )
    return drawn


def _buttons(drawn: dict[str, str], needed: tuple[str, ...]) -> None:
    values = {kind: state.value(key) for kind, key in drawn.items()}
    names = [name for name in values.values() if name]
    twice = sorted({name for name in names if names.count(name) > 1})
    missing = [kind for kind in needed if not values[kind]]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Read the table",
            key="columns_go",
            type="primary",
            icon=":material/check:",
            on_click=state.on_columns,
            args=(drawn,),
            disabled=bool(twice or missing),
        )
        st.button(
            "Read it without a choice",
            key="columns_as_found",
            on_click=state.on_as_found,
            help="As it would be read from the command line without --columns",
        )
        st.button("Leave it", key="columns_leave", type="tertiary", on_click=state.on_refuse)
        if twice:
            st.caption(f"A column can be one thing only: {render.markdown(', '.join(twice))}.")
        elif missing:
            labels = {**_MESSAGE, **_PAIR}
            st.caption(f"Choose a column for: {', '.join(labels[kind] for kind in missing)}.")


def _sentence(doubt: str) -> str:
    return f"{doubt[:1].upper()}{doubt[1:]}." if doubt else ""


def _shown(preview: TablePreview) -> pd.DataFrame:
    """Return the first rows; columns of one name are told apart by their place."""
    names: list[str] = []
    for place, name in enumerate(preview.header, start=1):
        told = name if name.strip() else f"(column {place})"
        while told in names:  # even what is added here may be another column's name
            told = f"{told} (column {place})"
        names.append(told)
    rows = [[cell[:_LONGEST_CELL] for cell in row] for row in preview.rows]
    return pd.DataFrame(rows, columns=names, dtype=object)
