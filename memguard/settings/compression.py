"""Stage 1: which messages reach the summarizer, and which summarizer runs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from memguard.bounds import Section, setting, switch
from memguard.errors import SettingsError

SUMMARIZERS = ("auto", "bart", "smollm2", "extractive")


@dataclass(frozen=True)
class CompressionSettings(Section):
    """Which messages reach the summarizer, and which summarizer runs."""

    max_tokens: int = setting(
        800,
        "Token budget of the selection",
        "Messages are picked until the role-prefixed text would pass this many tokens, counted with "
        "the tokenizer of facebook/bart-large-cnn. 0 keeps one message.",
        low=0,
        high=1_000_000,
        step=50,
        unit="tokens",
    )
    lambda_mmr: float = setting(
        0.5,
        "Relevance against diversity (lambda)",
        "Weight of relevance in maximal marginal relevance: 1 picks by relevance alone, 0 by "
        "difference from what is already picked.",
        low=0.0,
        high=1.0,
        step=0.05,
    )
    window: int = setting(
        2,
        "Sliding window",
        "How many neighbours on each side make a message's relevance.",
        low=1,
        high=10,
        step=1,
        unit="messages",
    )
    summarizer: str = setting(
        "auto",
        "Summarizer",
        "auto takes BART where it is installed, else extractive, which only quotes. smollm2 writes short "
        "sentences of its own and is often wrong in who did what.",
        choices=SUMMARIZERS,
    )
    summary_tokens: int = setting(
        256,
        "Longest summary",
        "The paragraph holds at most this many tokens.",
        low=16,
        high=4_096,
        step=16,
        unit="tokens",
    )
    passthrough_words: int = setting(
        40,
        "Pass short input through",
        "A selection of at most this many words is not summarised but passed on unchanged.",
        low=0,
        high=1_000,
        step=5,
        unit="words",
    )
    passthrough_tokens: int = setting(
        160,
        "Pass-through limit",
        "… and of at most this many tokens: text without spaces, such as Chinese or code, has few words.",
        low=0,
        high=4_000,
        step=20,
        unit="tokens",
    )
    noise_filter: str = switch(
        "on",
        "Noise filter",
        "Small talk, bare acknowledgements and heartbeats are no candidates, in any script. An "
        "acknowledgement that answers a question is one.",
    )
    pin_ids: str = setting(
        "",
        "Pinned messages",
        "Ids of messages that enter before all others while the budget lasts, separated by commas.",
    )
    pin_roles: str = setting(
        "",
        "Pinned roles",
        "Roles whose messages enter before all others while the budget lasts, separated by commas, such as "
        "system.",
    )
    pin_pattern: str = setting(
        "",
        "Pinned text",
        "Messages whose text matches this pattern, in any case, enter before all others while the budget "
        "lasts. RE2 syntax, such as allerg|deadline.",
    )
    tool_lines: str = switch(
        "on",
        "Short tool calls",
        "A tool call goes to the summarizer as one line, name: values, and is selected together with its "
        "results.",
    )
    references: str = switch(
        "on",
        "Refer to code, JSON and logs",
        "Longer code, JSON and logs go to the summarizer as a reference with path, name, keys or error line; "
        "the message itself stays evidence.",
    )
    keep_last: int = setting(
        0,
        "Recent messages kept verbatim",
        "The last messages are never summarised and stand behind the payload as they are, a tool call "
        "always with its result. 0 keeps none.",
        low=0,
        high=1_000,
        step=1,
        unit="messages",
    )
    rolling: str = setting(
        "new",
        "A history that grows",
        "new: added turns are selected and summarised by themselves, after what was written of the earlier "
        "ones; whole: everything is selected and summarised again.",
        choices=("new", "whole"),
    )

    def __post_init__(self) -> None:
        """Check the bounds, and that RE2 takes the pattern.

        Raises:
            SettingsError: A value is outside its bounds, or the pattern is none.
        """
        super().__post_init__()
        if self.pin_pattern:
            _check_pattern(self.pin_pattern)

    def plain(self) -> CompressionSettings:
        """Return these settings with all off that is not the plain selection of the requirements."""
        return replace(
            self,
            noise_filter="off",
            pin_ids="",
            pin_roles="",
            pin_pattern="",
            tool_lines="off",
            references="off",
            keep_last=0,
            rolling="whole",
        )


def listed(text: str) -> tuple[str, ...]:
    """Return the entries of a setting that is a list separated by commas; empty ones are left out."""
    return tuple(dict.fromkeys(entry for part in text.split(",") if (entry := part.strip())))


def _check_pattern(pattern: str) -> None:
    """Refuse a pattern that RE2 does not take: it promises a time that is linear in the text."""
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(pattern, options=options)
    except re2.error as error:
        reason = error.args[0].decode(errors="replace") if isinstance(error.args[0], bytes) else error.args[0]
        raise SettingsError(
            f"CompressionSettings.pin_pattern must be a pattern that RE2 takes ({reason}; it has no "
            f"lookarounds and no back-references); got {pattern!r}"
        ) from error
