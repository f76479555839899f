"""The headline figures and the three stage cards as HTML: pure functions over a trace."""

from __future__ import annotations

from dataclasses import dataclass

from memguard.charts import counted, verdict_meaning
from memguard.compressor import PASSED_THROUGH, Compression
from memguard.eliminator import Elimination
from memguard.grounding.verdicts import Label
from memguard.palette import CLAIM_MEANINGS
from memguard.reconstructor import Reconstruction
from memguard.retention import retained
from memguard.selection import Decision
from memguard.trace import Trace
from pages._ui import facts
from pages._ui.pipeline.play import Scene
from pages._ui.render import attribute, icon, seconds, text
from pages._ui.theme import css_name

STAGES = ("Compression", "Elimination", "Reconstruction")
_PURPOSE = (
    "Selects and summarises messages",
    "Checks claims against the transcript",
    "Assembles what was kept",
)
_SYMBOLS = {"done": "check_circle", "running": "progress_activity", "played": "play_circle"}
_WORDS = {"extractive": "summary by quoting"}
"""What to call in a headline what is no model of its own; its id is a hover away."""
_PENDING = '<span class="mg-pending" title="Not known yet">–</span>'


@dataclass(frozen=True, slots=True)
class Figure:
    """One headline figure: its name, its value as HTML, a line below it, and what it means in a hover."""

    name: str
    value: str
    note: str = ""
    css: str = ""
    meaning: str = ""


def figures(trace: Trace) -> str:
    """Return the headline figures; what is not known yet is a dash."""
    compression, elimination = trace.get(Compression), trace.get(Elimination)
    reconstruction = trace.get(Reconstruction)
    shown = [
        Figure("Messages", f"{len(trace.conversation):,}", _picked(compression)),
        Figure("Tokens", *_tokens(compression, reconstruction)),
        Figure("Claims kept", *_kept(elimination, reconstruction)),
        Figure("Claims dropped", *_dropped(elimination)),
        *_reviewed(elimination),
        *_facts(elimination, reconstruction, is_given=_is_given(trace)),
        Figure("Time", *_time(trace)),
        *_models(compression, elimination),
    ]
    cells = "".join(
        f'<div class="mg-headline{f.css}"{_hover(f.meaning)}><dt>{f.name}</dt><dd>{f.value}</dd>'
        f"<small>{f.note or '&nbsp;'}</small></div>"
        for f in shown
    )
    return f'<dl class="mg-figures">{cells}</dl>'


def counted_so_far(trace: Trace, scene: Scene | None) -> Trace:
    """Return what the figures count: a context that is still being put together has no tokens yet."""
    is_open = scene is not None and scene.stage == len(STAGES) - 1 and not scene.is_whole
    return trace.rewind() if is_open else trace


def stages(trace: Trace, *, running: int | None = None, scene: Scene | None = None) -> str:
    """Return the three stage cards.

    Args:
        trace: How far the run is, or is shown to be.
        running: The number of the stage at work, from 0.
        scene: The moment that is shown, while the run is played.
    """
    done = len(trace.results)
    played = scene.stage if scene is not None and not scene.is_whole else None
    cards = []
    for number, name in enumerate(STAGES):
        state = (
            "running"
            if number == running
            else "played"
            if number == played
            else "done"
            if number < done
            else "next"
            if number == done and played is None
            else "waiting"
        )
        symbol = _SYMBOLS.get(state, "")
        badge = icon(symbol) if symbol else f'<span class="mg-number">{number + 1}</span>'
        took = seconds(trace.timings[number].duration_s) if state == "done" else ""
        done_words = "handed in" if number == 0 and _is_given(trace) else f"done in {took}"
        words = {"done": done_words, "next": "ready", "played": scene.words if scene else ""}
        inside, outside = _flow(trace, number) if state == "done" else ("", "")
        body = f"{inside}{icon('arrow_forward', 'to')}{outside}" if outside else _PURPOSE[number]
        cards.append(
            f'<li class="mg-stage mg-stage-{state}"><div class="mg-stage-head">{badge}<b>{name}</b>'
            f'<span class="mg-state">{words.get(state, state)}</span></div>'
            f'<div class="mg-flow">{body}</div></li>'
        )
    return f'<ol class="mg-stages" aria-label="Stages">{"".join(cards)}</ol>'


def _is_given(trace: Trace) -> bool:
    compression = trace.get(Compression)
    return compression is not None and compression.given


def transcript_head(trace: Trace) -> str:
    """Return the transcript's heading, with what its figures mean once there are some."""
    meaning = (
        "click a message to see what became of it" if trace.get(Compression) is not None else "as it was read"
    )
    return f'<div class="mg-panehead">Transcript <small>{meaning}</small></div>'


def models(trace: Trace) -> str:
    """Return which models really ran; before the first stage, nothing."""
    compression = trace.get(Compression)
    if compression is None:
        return ""
    elimination = trace.get(Elimination)
    parts = [
        ("Sentence encoder", _encoder(compression, elimination), ""),
        (
            "Summarizer",
            "none, the summary was handed in"
            if compression.given
            else "none, short input is passed on"
            if compression.summarizer == PASSED_THROUGH
            else compression.summarizer,
            _limit(compression),
        ),
        ("Entailment", elimination.entailment if elimination is not None else "", ""),
        ("Tokens of the budget counted with", compression.token_counter, ""),
    ]
    return (
        '<p class="mg-models">'
        + "".join(
            f'<span title="{attribute(value)}">{name} <b>{text(_short(value))}</b>{more}</span>'
            for name, value, more in parts
            if value
        )
        + "</p>"
    )


def _encoder(compression: Compression, elimination: Elimination | None) -> str:
    """Return the model that embedded; a summary that was handed in is embedded when it is checked."""
    return compression.embedder or (elimination.embedder if elimination is not None else "")


def _limit(compression: Compression) -> str:
    """Return what the summarizer that ran reads at once (F21)."""
    if compression.summarizer == PASSED_THROUGH:
        return ""
    context = compression.summarizer_context
    return f", reads {context:,} tokens at once" if context is not None else ", own limit not stated"


def _short(model_id: str) -> str:
    """Return a model's name without the hub's owner and the revision; both are in the tooltip."""
    return model_id.partition("@")[0].rpartition("/")[2]


def _hover(meaning: str) -> str:
    return f' title="{attribute(meaning)}"' if meaning else ""


def _picked(compression: Compression | None) -> str:
    if compression is None or compression.given:
        return ""
    n_noise = sum(message.decision is Decision.NOISE for message in compression.messages)
    return f"{len(compression.picked):,} picked" + (f", {n_noise:,} noise" if n_noise else "")


def _tokens(compression: Compression | None, reconstruction: Reconstruction | None) -> tuple[str, str]:
    if compression is None:
        return _PENDING, ""
    tokens_in = compression.tokens_in
    if reconstruction is None:
        return f"{tokens_in:,}", f"paragraph {compression.tokens_out:,}" if compression.paragraph else ""
    out = reconstruction.tokens
    ratio = f"{tokens_in / out:.1f}× shorter" if 0 < out < tokens_in else "no shorter"
    return f"{tokens_in:,} {icon('arrow_forward', 'to')} {out:,}", ratio


def _kept(elimination: Elimination | None, reconstruction: Reconstruction | None) -> tuple[str, str]:
    if elimination is None:
        return _PENDING, ""
    checked = len(elimination.kept) + len(elimination.dropped)
    note = f"of {counted(checked, 'claim')}"
    if reconstruction is not None and reconstruction.omitted:
        note += f", {len(elimination.kept) - len(reconstruction.omitted):,} in the context"
    return f'<span class="mg-kept">{len(elimination.kept):,}</span>', note


def _dropped(elimination: Elimination | None) -> tuple[str, str]:
    if elimination is None:
        return _PENDING, ""
    found = [verdict_meaning(v) for v in elimination.dropped]
    split = [
        f'<span class="mg-part mg-{css_name(m)}">{m.glyph} {found.count(m):,} {m.label}</span>'
        for m in CLAIM_MEANINGS
        if m in found
    ]
    return f"{len(found):,}", " ".join(split) or "none"


def _reviewed(elimination: Elimination | None) -> list[Figure]:
    """Return the figure of claims on which no verdict could be given, if there are any."""
    found = [v for v in elimination.verdicts if v.label is Label.NEEDS_REVIEW] if elimination else []
    if not found:
        return []
    note = "counted as kept" if found[0].kept else "counted as dropped"
    return [Figure("Needs review", f'<span class="mg-review">{len(found):,}</span>', note)]


def _facts(
    elimination: Elimination | None, reconstruction: Reconstruction | None, *, is_given: bool
) -> list[Figure]:
    """Return the figure of key facts, where the conversation holds any."""
    report = reconstruction.omissions if reconstruction is not None else None
    if reconstruction is None or report is None:
        total = sum(f.superseded_by is None for f in elimination.facts) if elimination is not None else 0
        if elimination is not None and not total:
            return []
        return [Figure("Facts kept", _PENDING, f"of {total:,}" if total else "", meaning=facts.MEANING)]
    kept, total = facts.count(report)
    if not total:
        return []
    n_quoted = retained(reconstruction).n_quoted
    note = "none quoted" if is_given and not n_quoted else f"{counted(n_quoted, 'line')} quoted"
    return [Figure("Facts kept", f"{kept:,} of {total:,}", note, meaning=facts.MEANING)]


def _time(trace: Trace) -> tuple[str, str]:
    if not trace.timings:
        return _PENDING, ""
    return seconds(sum(t.duration_s for t in trace.timings)), f"{len(trace.results)} of 3 stages"


def _models(compression: Compression | None, elimination: Elimination | None) -> list[Figure]:
    """Return the models that ran, once one has; which is which is a hover away."""
    used = _encoder(compression, elimination) if compression is not None else ""
    if compression is None or not used:
        return []
    others = []
    if compression.given:
        others.append("summary handed in")
    elif compression.summarizer != PASSED_THROUGH:
        others.append(_named("Summarizer", compression.summarizer))
    if elimination is not None and elimination.entailment:
        others.append(_named("Entailment", elimination.entailment))
    encoder = _named("Sentence encoder", used)
    return [Figure("Models that ran", encoder, ", ".join(others) or "no summarizer", " mg-headline-models")]


def _named(role: str, model_id: str) -> str:
    short = _short(model_id)
    return f'<span title="{attribute(f"{role}: {model_id}")}">{text(_WORDS.get(short, short))}</span>'


def _flow(trace: Trace, number: int) -> tuple[str, str]:
    compression, elimination = trace[Compression], trace.get(Elimination)
    reconstruction = trace.get(Reconstruction)
    if number == 0 and compression.given:
        return "a summary from elsewhere", f"{compression.tokens_out:,} tokens"
    if number == 0:
        read = counted(len(trace.conversation), "message")
        return f"{read}, {compression.tokens_in:,} tokens", f"{compression.tokens_out:,} tokens"
    if number == 1 and elimination is not None:
        checked = len(elimination.kept) + len(elimination.dropped)
        return counted(checked, "claim"), f"{len(elimination.kept):,} kept"
    if reconstruction is not None:
        lines = counted(len({piece.line for piece in reconstruction.pieces}), "line")
        entering = counted(len(trace[Elimination].kept), "claim")
        return entering, f"{lines}, {reconstruction.tokens:,} tokens"
    return "", ""
