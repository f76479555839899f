"""Stage 3: how the payload is put together, and what must not be lost from it."""

from __future__ import annotations

from dataclasses import dataclass

from memguard.bounds import Section, setting, switch


@dataclass(frozen=True)
class ReconstructionSettings(Section):
    """How the surviving claims are put together."""

    payload_tokens: int | None = setting(
        None,
        "Token budget of the payload",
        "Unset: the share below of the conversation's tokens, and at least the floor below.",
        low=1,
        high=1_000_000,
        step=10,
        unit="tokens",
        optional=True,
    )
    payload_share: float = setting(
        1 / 3,
        "Payload share",
        "Share of the conversation's tokens that the payload may take when no budget is given.",
        low=0.01,
        high=1.0,
        step=0.01,
    )
    payload_floor: int = setting(
        60,
        "Payload floor",
        "The payload's budget is never below this when no budget is given.",
        low=1,
        high=10_000,
        step=10,
        unit="tokens",
    )

    citations: str = setting(
        "auto",
        "Citations",
        "full ends each line with id, speaker and time; id begins it with the message's id, with the speaker "
        "only where the line says I or we and another was named last, and with the day only where it speaks "
        "of tomorrow or Monday; auto takes full where nothing has to be left out for it, else id.",
        choices=("auto", "full", "id"),
    )
    layout: str = setting(
        "headings",
        "Layout",
        "headings puts decisions, open items, names, figures and preferences each under its own heading "
        "where there are more than a few lines; flat keeps one list in the order of the conversation.",
        choices=("headings", "flat"),
    )


@dataclass(frozen=True)
class RetentionSettings(Section):
    """What must not be lost: key facts that the summary leaves out."""

    rescue: str = switch(
        "on",
        "Rescue",
        "on: key facts that no kept claim states enter the payload in the transcript's own words, inside its "
        "token budget; off: the payload holds what survived of the summary alone.",
    )
    rescue_tokens: int | None = setting(
        None,
        "Token budget of the rescue",
        "Most tokens of the payload that rescued lines may take. Unset: all that is free.",
        low=0,
        high=1_000_000,
        step=10,
        unit="tokens",
        optional=True,
    )
