"""The names that ``--format`` takes."""

from __future__ import annotations

TEXT = "text"
PAYLOAD_FORMS = (TEXT, "markdown", "json", "messages")
"""Those of ``memguard.payload.Form``, which is imported when a payload is made; a test compares them."""
GITHUB, JUNIT = "github", "junit"
BUILD_FORMS = (GITHUB, JUNIT)
"""What a build reads in place of the payload."""
