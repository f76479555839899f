"""The three views of the lab. Each is drawn in a fragment of its own, so that a change redraws it alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from memguard.drift import Round, is_kept, make_round, rates
from memguard.errors import MemGuardError
from memguard.settings import Settings
from memguard.trace import Trace
from memguard.transcripts import Sample
from memguard.transcripts.samples import KINDS
from pages._ui import alerts, render, resources, state
from pages._ui.drift_lab import choices, editor, judging, views
from pages._ui.drift_lab.choices import KIND_NAMES, Lab
from pages._ui.drift_lab.material import PARAGRAPH, TRUE, Material

T = TypeVar("T")
ROUND_SIZE = 8
_ORIGINS = {TRUE: "True claims of the sample", PARAGRAPH: "The run's paragraph"}


def kind_and_seed(lab: Lab, *, any_kind: str) -> None:
    """Draw the choice of a kind, and the seed from which everything random follows."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="lab_choices"):
        drawn = state.key("lab_kind")
        st.pills(
            "Kind of drift",
            KINDS,
            default=lab.kind,
            format_func=KIND_NAMES.__getitem__,
            key=drawn,
            on_change=choices.on_kind,
            args=(drawn,),
            help=any_kind,
            width="content",
        )
        seed = f"{state.key('lab_seed')}:{lab.seed}"
        st.number_input(
            "Seed",
            0,
            choices.MOST_SEED,
            lab.seed,
            1,
            key=seed,
            on_change=choices.on_seed,
            args=(seed,),
            help="The same seed makes the same drift and the same round; it is part of the link.",
            width=120,
        )


def inject(material: Material) -> None:
    """Draw the editor with what can be put into its text, and the verdicts beside it."""
    lab = choices.lab()
    settings = state.session().settings
    choices.note(lab)
    kind_and_seed(lab, any_kind="None chosen: any kind that the summary offers a place for.")
    left, right = st.columns([46, 54], gap="large")
    with left:
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="lab_buttons"):
            st.button(
                "Inject",
                key="lab_inject",
                type="primary",
                icon=":material/science:",
                on_click=choices.on_inject,
                args=(material,),
                disabled=not lab.text.strip(),
                help="Make one more claim wrong",
            )
            st.button(
                "Undo",
                key="lab_undo",
                icon=":material/undo:",
                on_click=choices.on_undo,
                disabled=not lab.injections,
                help="Take the last drift out",
            )
            st.button(
                "Start over",
                key="lab_restore",
                icon=":material/restart_alt:",
                on_click=choices.on_restore,
                disabled=lab.text == lab.clean,
                help="Take the summary as it was",
            )
            _origin(material)
        if lab.refused is not None:
            kind = KIND_NAMES[lab.refused].lower() if lab.refused else "any"
            st.info(
                f"The summary offers no further place for drift of this kind ({kind}). Choose another kind, "
                "or type it in by hand.",
                icon=":material/info:",
            )
        text_place = st.container()
        _injected(lab)
    with right:
        progress = st.empty()
        found = _guarded(
            lambda: judging.check(lab, lab.text, material.conversation, settings, _bar(progress))
        )
        progress.empty()
        places = [(made, place) for made in lab.injections if (place := lab.place(made)) is not None]
        if found is not None:
            st.html(views.headline(found, places))
            st.html(views.claim_list(found, material.conversation, places))
    with text_place:
        shown = views.backdrop(lab.text, found, places) if found is not None else render.text(lab.text)
        editor.draw(lab, shown)


def _origin(material: Material) -> None:
    """Draw the choice of a summary where there is one."""
    trace = state.session().trace
    if material.sample is None or trace is None or not trace.results:
        return
    drawn = state.key("lab_origin")
    st.selectbox(
        "Summary",
        list(_ORIGINS),
        index=list(_ORIGINS).index(material.origin),
        format_func=_ORIGINS.__getitem__,
        key=drawn,
        on_change=choices.on_origin,
        args=(drawn,),
        label_visibility="collapsed",
        width=240,
    )


def _injected(lab: Lab) -> None:
    lines = "".join(f"<li>{views.change(made)}</li>" for made in lab.injections)
    hint = "Edit the text and see each verdict as you type. Shaded words were put in."
    st.html(
        f'<p class="mg-line">{hint}</p>'
        + (f'<ol class="mg-injections" aria-label="Injected drift">{lines}</ol>' if lines else "")
    )


def rate(material: Material) -> None:
    """Draw catch rate and false drops by kind, with the claims behind them."""
    lab = choices.lab()
    choices.note(lab)
    settings = state.session().settings
    everything = list(resources.samples().values())
    if material.sample is None:
        lab.all_samples = True
    else:
        drawn = state.key("lab_scope")
        names = {"one": "This sample", "all": f"All {len(everything)} samples"}
        st.segmented_control(
            "Measured on",
            list(names),
            default="all" if lab.all_samples else "one",
            required=True,
            format_func=names.__getitem__,
            key=drawn,
            on_change=choices.on_scope,
            args=(drawn,),
        )
    samples = everything if lab.all_samples or material.sample is None else [material.sample]
    if len(samples) > 1 and not all(judging.is_known(s, settings) for s in samples):
        n = sum(len(sample.drift) for sample in samples)
        st.html(
            f'<div class="mg-hint"><b>Not measured yet</b><p>{n:,} labelled claims of {len(samples)} samples '
            "are checked under the present settings. The first time takes about a minute.</p></div>"
        )
        with st.container(horizontal=True, horizontal_alignment="center"):
            if not st.button("Measure all samples", key="lab_measure", type="primary"):
                return
    progress = st.empty()
    judged = _guarded(lambda: _measured(samples, settings, _bar(progress)))
    progress.empty()
    if judged is not None:
        _rates(judged, settings)


def _measured(samples: list[Sample], settings: Settings, draw: judging.Draw) -> list[views.Judged]:
    found: list[views.Judged] = []
    for number, sample in enumerate(samples):
        title = render.markdown(sample.title)

        def told(share: float, text: str, before: int = number, title: str = title) -> object:
            return draw((before + share) / len(samples), f"{title}: {text}")

        verdicts = judging.judged(sample, settings, told)
        found += [(d, v, sample.conversation) for d, v in zip(sample.drift, verdicts, strict=True)]
    return found


def _rates(judged: list[views.Judged], settings: Settings) -> None:
    table = rates([row[0] for row in judged], [is_kept(row[1]) for row in judged])
    elimination = settings.elimination
    st.html(f'<p class="mg-lab-lead">{views.describe_rates(table)}</p>')
    left, right = st.columns([52, 48], gap="large")
    with left:
        st.html(views.rate_table(table))
        st.html(
            f'<p class="mg-line">Preset {elimination.preset}, minimum similarity '
            f"{elimination.min_similarity:.2f}, minimum support {elimination.min_support:.2f}. A claim "
            "counts as kept if all of it is. The same counts as <code>memguard bench grounding</code>.</p>"
        )
    with right:
        st.html(views.mistakes(judged))


def game(material: Material) -> None:
    """Draw a round: the person marks what is wrong, then the verdicts are revealed."""
    lab = choices.lab()
    choices.note(lab)
    kind_and_seed(lab, any_kind="None chosen: any kind of drift may be in the round.")
    played = make_round(material.claims, material.ground, size=ROUND_SIZE, kind=lab.kind, seed=lab.seed)
    if not played.items:
        st.html(
            '<div class="mg-hint"><b>No claims to play with</b><p>The run kept no claim of this '
            "conversation. Choose a sample on the Pipeline page.</p></div>"
        )
        return
    if not played.wrong:
        st.info(
            "None of these claims offers a place for drift of this kind, so all of them are true. Choose "
            "another kind or seed.",
            icon=":material/info:",
        )
    if lab.revealed:
        _revealed(lab, material, played)
        return
    left, right = st.columns([52, 48], gap="large")
    with left:
        st.html('<p class="mg-lab-lead">Which of these claims have drifted from the conversation?</p>')
        with st.container(key="lab_round", gap="small"):
            for number, item in enumerate(played.items):
                drawn = f"{state.key('lab_mark')}:{lab.seed}:{lab.kind}:{number}"
                st.checkbox(
                    render.markdown(item.text),
                    number in lab.marked,
                    key=drawn,
                    on_change=choices.on_mark,
                    args=(drawn, number),
                )
        st.button(
            "Reveal",
            key="lab_reveal",
            type="primary",
            icon=":material/visibility:",
            on_click=choices.on_reveal,
            help="Show which claims have drifted, and what MemGuard says",
        )
    with right:
        st.html(
            '<div class="mg-panehead">Transcript <small>the evidence</small></div>'
            '<div class="mg-pane" tabindex="0" role="region" aria-label="Transcript">'
            f"{render.transcript(Trace(material.conversation, state.session().settings))}</div>"
        )


def _revealed(lab: Lab, material: Material, played: Round) -> None:
    settings = state.session().settings
    progress = st.empty()
    texts = [item.text for item in played.items]
    found = _guarded(lambda: judging.check_pack(lab, texts, material.conversation, settings, _bar(progress)))
    progress.empty()
    if found is None:
        return
    flagged = {number for number, verdicts in enumerate(found) if not is_kept(verdicts)}
    with st.container(horizontal=True, vertical_alignment="center", key="lab_score"):
        st.html(views.score(played, lab.marked, flagged))
        st.button(
            "Next round",
            key="lab_next",
            type="primary",
            icon=":material/arrow_forward:",
            on_click=choices.on_next,
        )
    st.html(views.revealed(played, lab.marked, found, material.conversation))


def _bar(place: st.delta_generator.DeltaGenerator) -> judging.Draw:
    return lambda share, text: place.progress(share, text=text)


def _guarded(work: Callable[[], T]) -> T | None:
    """Do work on models; an error of ours is shown with what to do, and gives None."""
    try:
        return work()
    except MemGuardError as error:
        alerts.show(state.Session(error=error))
        return None
