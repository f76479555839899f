"""The Maintenance view: what each step would do, its thresholds, and the buttons that do what is shown."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from memguard.charts import counted
from memguard.errors import MemGuardError
from memguard.memory.compressor import MemoryCompressor
from memguard.memory.maintenance import STEPS, MaintenanceOptions, MaintenancePlan
from memguard.memory.manager import AIMemoryManager, StepDone
from memguard.memory.store import MemoryStore
from pages._ui import resources, state, theme
from pages._ui.memory import choices, markup, previews
from pages._ui.memory.choices import Page
from pages._ui.memory.planning import Rules

LIST = "memory-steps"
_AUTOMATIC_ABOVE = MaintenanceOptions().above
_NOISE = {"script": "By what is said, in any script", "documented": "By length, as documented"}
_GROUPS = {"clusters": "Best pairs first, many into one", "greedy": "First pair found, as documented"}

_steps = st.components.v2.component(
    "memguard_memory_steps",
    html='<ol class="mg-drops mg-steps" role="listbox" aria-label="Steps" tabindex="0"></ol>',
    js=theme.asset("dropped.js"),
    isolate_styles=False,
)


class _AsShown(AIMemoryManager):
    """Does what the page has shown and nothing else; an entry that changed since stops its step."""

    def __init__(
        self, store: MemoryStore, compressor: MemoryCompressor, plan: MaintenancePlan, steps: tuple[str, ...]
    ) -> None:
        super().__init__(store, compressor, options=MaintenanceOptions(above=0, steps=steps))
        self._shown = plan

    def preview(self) -> MaintenancePlan:
        return self._shown


def draw(store: MemoryStore, page: Page) -> None:
    """Draw the view of a store that holds something."""
    left, right = st.columns([30, 70], gap="large")
    with left:
        place = st.container()
        page.rules = rules(page.rules)
    page.plan = page.planner.plan(store, page.rules)
    with place:
        _steps(
            key=LIST,
            data={
                "html": previews.step_rows(page.plan, STEPS, has_summary=page.rules.summary),
                "selected": page.step,
                "turn": page.step_turn,
            },
            on_chosen_change=on_step,
        )
    with right:
        _outcome(page, page.plan)
        _step(page, page.plan)


def rules(chosen: Rules) -> Rules:
    """Draw the thresholds, and return what is chosen."""
    with st.container(key="memory-rules"):
        cosine = st.slider(
            "Merge above this cosine",
            choices.LEAST_COSINE,
            choices.MOST_COSINE,
            chosen.cosine,
            0.01,
            key=state.key("memory-cosine"),
            help="Two entries can merge only if the cosine of their vectors is strictly above it. "
            "The preview is worked out from stored vectors; no model runs.",
        )
        guard = st.toggle(
            "Merge guard",
            chosen.guard,
            key=state.key("memory-guard"),
            help="Holds apart texts that differ in a figure, a date, a name, a party or a denial.",
        )
        noise = st.selectbox(
            "Noise",
            list(_NOISE),
            list(_NOISE).index(chosen.noise),
            format_func=_NOISE.__getitem__,
            key=state.key("memory-noise"),
            help="As documented, a text of fewer than 10 characters or 3 words is noise, “No sugar.” too.",
        )
        groups = st.selectbox(
            "Merging",
            list(_GROUPS),
            list(_GROUPS).index(chosen.groups),
            format_func=_GROUPS.__getitem__,
            key=state.key("memory-groups"),
        )
        summary = st.toggle(
            "Summary",
            chosen.summary,
            key=state.key("memory-summary"),
            help="Puts everything that is left into one entry, so that nothing else is left to look at.",
        )
        above = st.slider(
            "Summarise above this many entries",
            0,
            choices.MOST_SUMMARISE,
            chosen.summarise_above,
            5,
            key=state.key("memory-above"),
            disabled=not summary,
        )
    return replace(
        chosen,
        cosine=round(cosine, 2),
        guard=guard,
        noise=noise,
        groups=groups,
        summary=summary,
        summarise_above=above,
    )


def on_step() -> None:
    """Follow the step that was selected."""
    found = state.value(LIST)
    chosen = found.get("chosen") if found is not None else None
    if chosen is not None and chosen["claim"] in STEPS:
        choices.page().step, choices.page().step_turn = chosen["claim"], chosen["turn"]


def apply(store: MemoryStore, page: Page, wanted: str) -> None:
    """Apply one step of the shown plan, or ``all`` of them, each as a write of its own."""
    shown = page.plan if page.plan is not None else page.planner.plan(store, page.rules)
    steps = page.rules.steps if wanted == "all" else (wanted,)
    try:
        needs_model = {"merge", "summary"} & {step for step in steps if previews.n_of(shown, step)}
        compressor = _compressor(store, page.rules, embeds=bool(needs_model))
        report = _AsShown(store, compressor, shown, steps).run_maintenance()
    except MemGuardError as error:
        page.problem = error
        return
    for done in report.steps:
        if done.seq is not None:
            page.writes.note(told(done), done.seq)
        if done.problem:
            page.problem = MemGuardError(done.problem)


def told(done: StepDone) -> str:
    """Return what a step did, for people."""
    n = counted(done.n_changed, "entry", "entries")
    return {
        "injected": f"Archived {n} that came out of memory",
        "expiry": f"Archived {n} whose time is over",
        "contradictions": f"Superseded {n} by later ones",
        "noise": f"Archived {n} as noise",
        "merge": f"Merged {n} into {len(done.made):,}",
        "summary": f"Put {n} into one summary",
        "staleness": f"Rated {n} anew",
    }[done.step]


def _compressor(store: MemoryStore, rules: Rules, *, embeds: bool = False) -> MemoryCompressor:
    options = rules.options
    if embeds:
        options["embedder"] = resources.embedder()
    return MemoryCompressor(merge_similarity_threshold=rules.cosine, tenant_id=store.tenant_id, **options)


def _outcome(page: Page, shown: MaintenancePlan) -> None:
    """Draw what the whole run would come to, and the button that does it."""
    runs = shown.n_active > _AUTOMATIC_ABOVE
    by_itself = (
        f"By itself, maintenance runs above {_AUTOMATIC_ABOVE} active entries; it would "
        f"{'run now' if runs else 'not run yet'}. By hand it can be applied at any time."
    )
    n_to_do = sum(previews.n_of(shown, step) for step in page.rules.steps)
    with st.container(horizontal=True, vertical_alignment="center", key="memory-outcome"):
        st.html(
            markup.figure_row(
                [
                    ("Active now", f"{shown.n_active:,}", "Expired ones included"),
                    ("After all steps", f"{shown.n_left:,}", "Nothing is erased: the rest is history"),
                    ("Would merge", f"{len(shown.merges):,}", "Groups that become one entry"),
                    ("Held apart", f"{len(shown.held_apart):,}", "Near pairs that differ in what they say"),
                ]
            )
            + f'<p class="mg-description">{by_itself}</p>'
        )
        st.button(
            "Apply all",
            key="memory-apply-all",
            icon=":material/done_all:",
            disabled=not n_to_do,
            on_click=choices.want,
            args=("all",),
            help="Each step is a write of its own, and each can be undone.",
        )


def _step(page: Page, shown: MaintenancePlan) -> None:
    step = page.step
    with st.container(horizontal=True, vertical_alignment="center", key="memory-step"):
        st.html(previews.step_head(step, shown))
        st.button(
            "Apply this step",
            key="memory-apply",
            icon=":material/check:",
            type="primary",
            disabled=not previews.n_of(shown, step),
            on_click=choices.want,
            args=(step,),
        )
    if step == "summary" and not page.rules.summary:
        st.html(
            '<p class="mg-quiet">The summary is off. Switch it on beside the thresholds to see what it '
            f"would put into one: {shown.n_left:,} entries are left after the other steps.</p>"
        )
        return
    if drawn := previews.preview(step, shown, page.rules.noise):
        st.html(drawn)
