"""The link of a page: what of its state stands in the address, and comes back from it.

A page reads its own parameters with :func:`given` when it is first opened and writes them with
:func:`note`; a value equal to its default is left out, so that links stay short.
"""

from __future__ import annotations

import streamlit as st


def given(name: str) -> str | None:
    """Return the value that the address gives for a parameter, None where it gives none."""
    return st.query_params.get(name)


def note(**values: str | None) -> None:
    """Write parameters into the address; None takes one out."""
    for name, value in values.items():
        if value is None:
            if name in st.query_params:
                del st.query_params[name]
        elif st.query_params.get(name) != value:
            st.query_params[name] = value
