"""What a link holds of this session, written into the address; and what of a link was not to be had."""

from __future__ import annotations

from collections.abc import Sequence

from memguard.compressor import Compression
from memguard.eliminator import Elimination
from memguard.reconstructor import Reconstruction
from pages._ui import links, planted, render, resources
from pages._ui.session import SHOWS, VIEWS, Session
from pages._ui.state.held import OWN, session

_COMPLAINTS_SHOWN = 3


def follow() -> None:
    """Write what a link holds of this session into the address.

    A conversation of the person's own is in no link: with it, a link holds the settings alone. Nor is a
    summary of their own: with it, a link opens the sample before its first stage.
    """
    current = session()
    if not current.opened:
        return
    is_shared = current.trace is not None and current.source is not None and current.source.sample != OWN
    is_own = is_shared and _is_own_summary(current)
    stages = _stages(current) if is_shared and not is_own else 0
    claim = (current.asked or current.selected) if stages > 1 else None
    links.note(
        **{
            links.SAMPLE: current.source.sample if is_shared and current.source is not None else None,
            links.STAGES: str(stages) if stages else None,
            links.SUMMARY: links.DRIFTED if stages and _is_given(current) else None,
            links.CLAIM: claim,
            links.VIEW: None if current.view == VIEWS[0] else current.view,
            links.SHOW: None if current.show == SHOWS[0] else current.show,
            **links.written(current.settings),
        }
    )


def not_followed(complaints: Sequence[str]) -> None:
    """Say what of a page's own part of the link could not be followed; its defaults stand."""
    current = session()
    if not complaints:
        return
    if current.notice:
        current.notice += " " + " ".join(render.markdown(said) for said in complaints[:_COMPLAINTS_SHOWN])
    else:
        current.notice = complaint(complaints)


def complaint(complaints: Sequence[str]) -> str:
    """Return what of a link could not be followed, as Markdown; of very many complaints the first few."""
    said = " ".join(render.markdown(complaint) for complaint in complaints[:_COMPLAINTS_SHOWN])
    more = len(complaints) - _COMPLAINTS_SHOWN
    rest = f" And {more:,} more." if more > 0 else ""
    return f"Not everything in the link could be followed; the rest is as it says. {said}{rest}"


def resolve(current: Session) -> None:
    """Select the claim that the link asks for, or say that there is none."""
    claim, current.asked = current.asked, None
    if claim is None:
        return
    trace = current.trace
    elimination = trace.get(Elimination) if trace is not None else None
    reconstruction = trace.get(Reconstruction) if trace is not None else None
    judged = elimination.verdicts if elimination is not None else ()
    quoted = reconstruction.verbatim if reconstruction is not None else ()
    if any(verdict.claim.id == claim for verdict in (*judged, *quoted)):
        current.selected = claim
        return
    said = render.markdown(f"The link selects the claim “{claim[:16]}”, which this run does not have.")
    current.notice = f"{current.notice} {said}" if current.notice else said


def _is_given(current: Session) -> bool:
    compression = current.trace.get(Compression) if current.trace is not None else None
    return compression is not None and compression.given


def _is_own_summary(current: Session) -> bool:
    """Tell whether the summary was handed in by the person, and is not the drifted one of the sample."""
    if not _is_given(current) or current.trace is None or current.source is None:
        return False
    sample = resources.samples().get(current.source.sample)
    return sample is None or not planted.is_planted(current.trace, sample)


def _stages(current: Session) -> int:
    """Return how many stages are done, or will be when the work that is wanted is done."""
    done = len(current.trace.results) if current.trace is not None else 0
    return {"finish": max(done, current.until), "step": done + 1}.get(current.wanted or "", done)
