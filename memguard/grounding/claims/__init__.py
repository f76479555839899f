"""Claims: the statements of a summary that can be judged one by one (A17)."""

from memguard.grounding.claims.extraction import Claim, Edit, extract_claims
from memguard.grounding.claims.kinds import ClaimKind

__all__ = ["Claim", "ClaimKind", "Edit", "extract_claims"]
