"""Measuring with its progress on the page: the labelled claims of a sample, or all samples.

It runs inside the page's own run, so that leaving the page or moving a control breaks it off. What is
done by then is kept (``measured``), and the next measuring goes on from there.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from memguard.errors import MemGuardError
from memguard.settings import Settings
from memguard.trace import Progress
from memguard.transcripts import Sample
from pages._ui import render, resources, work
from pages._ui.tuning import choices, measured


def samples(settings: Settings, n_samples: int, n_left: int) -> None:
    """Offer to run what is left of the samples; leaving the page, or any click, breaks it off."""
    done = n_samples - n_left
    name = "Continue" if done else "Measure all samples"
    with st.container(key="tuning_measure"):
        st.html(
            f'<div class="mg-hint"><b>{done} of {n_samples} samples are measured</b>'
            "<p>Each is summarised and checked once, and its labelled claims with it. This takes some "
            "minutes; leaving the page or moving a control stops it, and what is done stays.</p></div>"
        )
        with st.container(horizontal=True, horizontal_alignment="center"):
            st.button(
                name,
                key="tuning_run",
                type="primary",
                icon=":material/play_arrow:",
                on_click=choices.on_measure,
            )
        chosen = choices.current()
        if chosen.wanted:
            chosen.wanted = False
            shown(lambda report: _run_samples(settings, report))


def labelled(sample: Sample, settings: Settings) -> None:
    """Measure the labelled claims of one sample."""
    shown(lambda report: measured.measure_labelled(sample, settings, report))


def shown(task: Callable[[Progress], object]) -> None:
    """Do work with its progress on the page, then draw anew; what goes wrong is said, and nothing is lost."""
    bar = st.progress(0.0, text="Starting")
    try:
        task(work.reporter(lambda share, words: bar.progress(share, text=words)))
    except MemGuardError as error:
        bar.empty()
        st.error(
            f"**The samples could not be measured.** {render.markdown(str(error))}\n\nWhat was measured "
            "before is kept. Put right what is named, then open this page again.",
            icon=":material/error:",
        )
        return
    st.rerun()


def _run_samples(settings: Settings, report: Progress) -> None:
    """Measure labelled claims first, which is quick, then run the samples, each if nobody has."""
    samples = list(resources.samples().values())
    for sample in samples:
        if measured.labelled(sample, settings) is None:
            measured.measure_labelled(sample, settings, report)
    for number, sample in enumerate(samples, start=1):
        if measured.run_of(sample, settings) is None:
            told = _numbered(report, f"sample {number} of {len(samples)}, {sample.title}")
            measured.measure_run(sample, settings, told)


def _numbered(report: Progress, of: str) -> Progress:
    return lambda stage, done, total, label: report(stage, done, total, f"{label} ({of})")
