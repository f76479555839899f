"""What the selection decided of a message, in words: pure functions that know no Streamlit."""

from __future__ import annotations

from memguard.selection import PINNED, Decision, MessageDecision, Reason

_NOT_PICKED = {
    Decision.OVER_BUDGET: (
        "Over budget",
        "Not picked: it was the next best, but the selection would have passed its token budget, so "
        "picking stopped here.",
    ),
    Decision.NOT_REACHED: ("Not reached", "Not picked: better picks used up the token budget."),
    Decision.BLANK: ("Blank", "Not picked: nothing visible is in this message."),
    Decision.NOISE: ("Noise", "No candidate: it says nothing to be remembered."),
    Decision.TAIL: (
        "Kept as it is",
        "Not summarised: it is one of the recent messages, which stand behind the context as they are.",
    ),
}
_NOISE = {
    Reason.SMALL_TALK: ("Small talk", "No candidate: it is small talk."),
    Reason.ACKNOWLEDGEMENT: ("Acknowledgement", "No candidate: it acknowledges and answers no question."),
    Reason.HEARTBEAT: ("Heartbeat", "No candidate: it is a heartbeat, a sign of life of a program."),
}
_PINNED_BY = {
    Reason.PINNED_ID: "its id",
    Reason.PINNED_ROLE: "its role",
    Reason.PINNED_PATTERN: "its text",
}
_ICONS = {
    Decision.PICKED: "check",
    Decision.OVER_BUDGET: "block",
    Decision.NOISE: "volume_off",
    Decision.TAIL: "format_quote",
}
_EVIDENCE = " It stays evidence, and a key fact in it can still be quoted."


def why(decision: MessageDecision | None) -> str:
    """Return in words what the selection decided of a message, and why; empty before it has run."""
    if decision is None:
        return ""
    words = _picked(decision) if decision.decision is Decision.PICKED else _label(decision)[1]
    if decision.decision is Decision.NOISE:
        words += _EVIDENCE
    if decision.stand_ins:
        stand_ins = "; ".join(decision.stand_ins)
        words += f" In place of its tool calls, code, JSON or logs the summarizer reads: {stand_ins}"
    if decision.round > 1:
        words += f" Decided in round {decision.round:,}, among the turns that were added then."
    return words


def sign(decision: MessageDecision) -> tuple[str, str]:
    """Return the few words and the icon's name that stand beside a message."""
    if decision.decision is not Decision.PICKED:
        label = _label(decision)[0]
        if decision.rank is not None:
            label = f"{label} #{decision.rank}"
        return label, _ICONS.get(decision.decision, "remove")
    if decision.reason in PINNED:
        return f"Pinned #{decision.rank}", "keep"
    return f"Picked #{decision.rank}", _ICONS[Decision.PICKED]


def _label(decision: MessageDecision) -> tuple[str, str]:
    return _NOISE.get(decision.reason, _NOT_PICKED[decision.decision])


def _picked(decision: MessageDecision) -> str:
    score = f" (MMR score {decision.mmr_score:.3f})" if decision.mmr_score is not None else ""
    if decision.reason in PINNED:
        words = (
            f"Picked as number {decision.rank}, before all that is only relevant: it is pinned by "
            f"{_PINNED_BY[decision.reason]}."
        )
    elif decision.beside is not None:
        words = (
            f"Picked as number {decision.rank} together with {decision.beside}: a tool call and its results "
            "enter together."
        )
    elif decision.rank == 1:
        words = f"Picked first: the most relevant to the messages around it{score}."
    else:
        words = (
            f"Picked as number {decision.rank}: the best balance, among those left, of relevance to the "
            f"messages around it and difference from earlier picks{score}."
        )
    cut = f" Only its first {decision.used_chars:,} characters entered." if decision.used_chars else ""
    return words + cut
