"""How a session begins: with what the link asks for, else with the opening sample."""

from __future__ import annotations

from pages._ui import links, resources
from pages._ui.session import Session
from pages._ui.state import address, conversations, summaries
from pages._ui.state.held import session


def ready() -> Session:
    """Return this session's state with a conversation in it: what the link asks for, else the opening one."""
    current = session()
    if not current.opened:
        _open(current)
        current.opened = True
    if current.trace is None and current.error is None:
        conversations.choose_opening()
    address.follow()
    return current


def _open(current: Session) -> None:
    """Take what the link asks for; what cannot be had is said, and the defaults stand."""
    known = resources.samples()
    link = links.read(links.parameters(), known)
    current.settings = link.settings
    current.view, current.show = link.view, link.show
    if link.sample is not None:
        conversations.choose(link.sample)
    else:
        conversations.choose_opening()
    if link.complaints:
        current.notice = address.complaint(link.complaints)
    if link.is_drifted:
        summaries.take_planted()
    if current.trace is not None and link.stages > len(current.trace.results):
        current.wanted, current.until, current.opening = "finish", link.stages, True
    current.asked = link.claim
    if current.wanted is None:
        address.resolve(current)
