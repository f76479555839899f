"""What all sessions share: models, the map's worker, the samples.

Imported as a module, so that a test can replace any of these functions.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING

import streamlit as st

from memguard import charts, transcripts
from memguard.errors import ModelUnavailableError, TranscriptError
from memguard.guard import MemGuard
from memguard.messages import Conversation, SourceSpan
from memguard.settings import LimitSettings, Settings
from memguard.trace import Progress, Trace, silent
from pages._ui.session import Offer, TableOffer

if TYPE_CHECKING:
    from memguard.geometry.projection import Layout, MapWorker
    from memguard.models.protocols import Embedder, Vectors
    from memguard.transcripts import Opened, Sample

LOADING = "loading"
_LAYOUTS_KEPT = 64
_CONVERSATIONS_KEPT = 16
_WARM_AFTER_S = 1.5


@st.cache_resource(show_spinner=False)
def samples() -> Mapping[str, Sample]:
    """Return the sample conversations by name."""
    loaded = [transcripts.load_sample(path) for path in transcripts.sample_paths()]
    return {sample.name: sample for sample in loaded}


def read_upload(data: bytes, name: str, limits: LimitSettings) -> Conversation | Offer | TableOffer:
    """Read an uploaded file, or return what it offers where something is to be chosen.

    Raises:
        TranscriptError: It is too large, or cannot be read; says where and what to do.
    """
    return _read(data, name, name, limits)


def read_paste(text: str) -> Conversation | Offer | TableOffer:
    """Read pasted text, or return what it offers where something is to be chosen.

    Raises:
        TranscriptError: It is empty, or cannot be read.
    """
    if not text.strip():
        raise TranscriptError("nothing was pasted; paste a transcript, then press Use this text")
    return _read(text, "pasted text", "Pasted text", LimitSettings())


def _read(
    given: bytes | str, source: str, title: str, limits: LimitSettings
) -> Conversation | Offer | TableOffer:
    """Read what needs no choice; of anything else, keep the given form and not the parsed one."""

    def opened(columns: Mapping[str, str]) -> Opened:
        if isinstance(given, bytes):
            return transcripts.open_bytes(given, source=source, limits=limits, columns=columns)
        return transcripts.open_text(given, source=source, limits=limits, columns=columns)

    def read(found: Opened, columns: Mapping[str, str]) -> Conversation | Offer:
        heads = found.heads()
        if len(heads) > 1:
            return Offer(title, heads, lambda name: opened(columns).read(name).conversation)
        return found.read(None).conversation

    found = opened({})
    preview = transcripts.doubtful_table(found, given, limits=limits)
    if preview is not None:
        return TableOffer(title, preview, lambda columns: read(opened(columns), columns))
    return read(found, {})


@st.cache_resource(show_spinner=False)
def reader() -> ThreadPoolExecutor:
    """Return the threads on which transcripts of people's own are read, two at a time."""
    return ThreadPoolExecutor(2, thread_name_prefix="reader")


def embedder() -> Embedder:
    """Return the installed embedder, loaded once a process.

    Raises:
        ModelUnavailableError: It is not installed; names the command.
    """
    from memguard.models import loading

    return loading.load_embedder()


@st.cache_resource(show_spinner=False)
def guard() -> MemGuard:
    """Return the one guard of this process; its models load when they are first needed."""
    return MemGuard()


def load(settings: Settings, progress: Progress = silent, *, summarizer: bool = True) -> MemGuard:
    """Load what the next stage needs, one model after the other, and return the guard.

    Args:
        settings: Name the summarizer.
        progress: Told which model is next.
        summarizer: Whether the stage summarises.

    Raises:
        ModelUnavailableError: A model is not installed; names the command.
    """
    from memguard.models import loading

    n_models = 2 if summarizer else 1
    progress(LOADING, 0, n_models, "sentence encoder")
    embedder()
    if summarizer:
        progress(LOADING, 1, n_models, "summarizer")
        loading.load_summarizer(settings.compression.summarizer)
    progress(LOADING, n_models, n_models, "models")
    return guard()


@st.cache_resource(show_spinner=False)
def map_worker() -> MapWorker:
    """Return the worker process of the map, which begins to warm up."""
    from memguard.geometry.projection import MapWorker

    worker = MapWorker()
    worker.start()
    return worker


def sentences(trace: Trace) -> tuple[tuple[SourceSpan, ...], tuple[str, ...]]:
    """Return the spans and the texts of a conversation's sentences, split once a conversation."""
    known, lock = _sentences()
    digest = trace.conversation.digest()
    with lock:
        if digest not in known:
            known[digest] = charts.map_sources(trace)
            while len(known) > _CONVERSATIONS_KEPT:
                known.popitem(last=False)
        known.move_to_end(digest)
        return known[digest]


def layout(trace: Trace) -> Future[Layout]:
    """Return where the points of a trace's map lie, computed off the page's path.

    Asked again for the same texts it returns the same future, so a moved threshold costs nothing.
    """
    asked, lock, pool = _layouts()
    with lock:
        key = _layout_key(trace)
        found = asked.get(key)
        if found is None:
            texts = sentences(trace)[1], charts.map_targets(trace)
            found = asked[key] = pool.submit(_place, *texts, trace.settings)
            while len(asked) > _LAYOUTS_KEPT:
                asked.popitem(last=False)
        asked.move_to_end(key)
        return found


def forget_layout(trace: Trace) -> None:
    """Let the map of a trace be computed again; a failed one is kept until then."""
    asked, lock, _pool = _layouts()
    with lock:
        asked.pop(_layout_key(trace), None)


def _layout_key(trace: Trace) -> Hashable:
    settings = trace.settings
    return trace.conversation.digest(), charts.map_targets(trace), settings.projection, settings.seed


def warm() -> None:
    """Begin to load models and to warm the map's worker, a moment after the first page is drawn."""
    _warming()


@st.cache_resource(show_spinner=False)
def _warming() -> threading.Timer:
    timer = threading.Timer(_WARM_AFTER_S, _warm)
    timer.daemon = True
    timer.start()
    return timer


def _warm() -> None:
    with suppress(ModelUnavailableError):  # the page says so when a stage needs it
        load(Settings())
    map_worker()


@st.cache_resource(show_spinner=False)
def _layouts() -> tuple[OrderedDict[Hashable, Future[Layout]], threading.Lock, ThreadPoolExecutor]:
    return OrderedDict(), threading.Lock(), ThreadPoolExecutor(2, thread_name_prefix="map")


@st.cache_resource(show_spinner=False)
def _sentences() -> tuple[OrderedDict[str, tuple[tuple[SourceSpan, ...], tuple[str, ...]]], threading.Lock]:
    return OrderedDict(), threading.Lock()


def _place(sources: Sequence[str], targets: Sequence[str], settings: Settings) -> Layout:
    encoder = embedder()
    around, within = _directed(encoder.embed(sources)), _directed(encoder.embed(targets))
    return map_worker().submit(around, within, settings.projection, settings.seed).result()


def _directed(vectors: Vectors) -> Vectors:
    """Give texts without a vector, which show nothing, one direction: the map has no place for zero."""
    directed = vectors.copy()
    directed[~directed.any(axis=1), :1] = 1.0
    return directed
