"""What is told of a payload's size: too small a budget, a conversation shorter than its payload."""

from __future__ import annotations

from memguard.reconstructor.forms import OmissionReason, Reconstruction


def too_small(budget: int) -> str:
    """Return the warning where nothing fits."""
    return (
        f"nothing that may enter fits the payload's budget of {budget} tokens, and nothing is cut: "
        "raise payload_tokens"
    )


def longer(tokens: int, whole: int) -> str:
    """Return the warning where a payload is longer than what it stands for."""
    return (
        f"the conversation itself is shorter ({whole:,} tokens) than its payload ({tokens:,}): "
        "use the conversation as it is"
    )


def left_out(result: Reconstruction, whole: int) -> str:
    """Return the warning where lines are left out so that a payload is no longer than the conversation."""
    omitted = (*result.omitted, *result.unquoted)
    n_left = sum(omission.reason is OmissionReason.BUDGET for omission in omitted)
    return (
        f"a payload of all that may enter would be longer than the conversation itself ({whole:,} tokens): "
        f"{n_left:,} claims and quotes stay out; use the conversation as it is"
    )
