"""Verdicts on texts of the lab: the same path as everywhere, kept by content so that nothing is redone."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, MutableMapping, Sequence

import streamlit as st

from memguard.drift import Pack, is_kept
from memguard.eliminator import Elimination
from memguard.grounding.verdicts import Verdict
from memguard.guard import given
from memguard.messages import Conversation
from memguard.settings import Settings
from memguard.transcripts import Sample
from pages._ui import resources
from pages._ui.drift_lab.choices import Lab

Draw = Callable[[float, str], object]
_KEPT = 48
"""Results that one session keeps: enough to go back and forth between texts."""
_QUIET_S, _BETWEEN_S = 0.3, 0.08
"""Progress is drawn only for work that takes longer, and then at most this often."""


def check(lab: Lab, text: str, conversation: Conversation, settings: Settings, draw: Draw) -> Elimination:
    """Judge a text of this session; vectors are cached, so that only a changed sentence runs the model.

    Raises:
        MemGuardError: A model is not installed, or cannot be used.
    """
    return _checked(lab.checked, text, conversation, settings, draw)


def check_pack(
    lab: Lab, texts: Sequence[str], conversation: Conversation, settings: Settings, draw: Draw
) -> tuple[tuple[Verdict, ...], ...]:
    """Judge several texts in one pass; returns the verdicts on the claims of each."""
    pack = Pack.of(texts)
    return pack.verdicts(check(lab, pack.text, conversation, settings, draw).verdicts)


def kept_of(sample: Sample, settings: Settings, draw: Draw) -> tuple[bool, ...]:
    """Return which claims of a sample's drift pack are kept; measured once a process and setting."""
    return tuple(is_kept(verdicts) for verdicts in judged(sample, settings, draw))


def judged(sample: Sample, settings: Settings, draw: Draw) -> tuple[tuple[Verdict, ...], ...]:
    """Return the verdicts on every claim of a sample's drift pack."""
    pack = Pack.of([drift.claim for drift in sample.drift])
    known, lock = _packs()
    with lock:
        found = known.get(_key(pack.text, sample.conversation, settings))
    if found is None:
        found = _run(pack.text, sample.conversation, settings, draw)
        with lock:
            known[_key(pack.text, sample.conversation, settings)] = found
            while len(known) > _KEPT * 4:
                known.popitem(last=False)
    return pack.verdicts(found.verdicts)


def is_known(sample: Sample, settings: Settings) -> bool:
    """Tell whether a sample's pack was measured under these settings."""
    known, lock = _packs()
    text = Pack.of([drift.claim for drift in sample.drift]).text
    with lock:
        return _key(text, sample.conversation, settings) in known


def _checked(
    known: MutableMapping[Hashable, Elimination],
    text: str,
    conversation: Conversation,
    settings: Settings,
    draw: Draw,
) -> Elimination:
    key = _key(text, conversation, settings)
    found = known.pop(key, None)
    if found is None:
        found = _run(text, conversation, settings, draw)
    known[key] = found
    while len(known) > _KEPT:
        known.pop(next(iter(known)))
    return found


def _key(text: str, conversation: Conversation, settings: Settings) -> Hashable:
    return text, conversation.digest(), settings.elimination


def _run(text: str, conversation: Conversation, settings: Settings, draw: Draw) -> Elimination:
    report = _reporter(draw)
    pipeline = resources.load(settings, report, summarizer=False).pipeline
    trace = pipeline.step(given(text, conversation, settings), progress=report)
    return trace[Elimination]


def _reporter(draw: Draw) -> Callable[[str, int, int, str], None]:
    begun = drawn_at = time.monotonic()

    def report(stage: str, done: int, total: int, label: str) -> None:
        nonlocal drawn_at
        now = time.monotonic()
        if now - begun < _QUIET_S or now - drawn_at < _BETWEEN_S:
            return
        drawn_at = now
        share = min(1.0, done / total) if total else 0.0
        what = "Loading models" if stage == resources.LOADING else "Checking"
        draw(share, f"{what}: {done:,} of {total:,} {label}")

    return report


@st.cache_resource(show_spinner=False)
def _packs() -> tuple[OrderedDict[Hashable, Elimination], threading.Lock]:
    return OrderedDict(), threading.Lock()
