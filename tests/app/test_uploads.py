"""Every sample of a format through what the app's upload calls."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memguard.messages import Conversation
from memguard.settings import LimitSettings
from pages._ui import resources
from pages._ui.session import Offer

FOLDER = Path(__file__).resolve().parents[1] / "data" / "transcripts"
EXPECTED = sorted(FOLDER.glob("*.expected.json"))


@pytest.mark.parametrize("path", EXPECTED, ids=lambda path: path.name.removesuffix(".expected.json"))
def test_the_upload_takes_every_format_or_offers_its_conversations(path: Path) -> None:
    """Issue 7: the app's upload takes each of them within its limit."""
    expected = json.loads(path.read_text("utf-8"))
    name = path.name.removesuffix(".expected.json")
    (sample,) = [found for found in FOLDER.glob(f"{name}.*") if not found.name.endswith(".expected.json")]
    found = resources.read_upload(sample.read_bytes(), sample.name, LimitSettings())
    chosen = expected.get("conversation")
    if chosen is not None:
        assert isinstance(found, Offer)
        assert len(found.heads) > 1
        found = found.read(chosen)
    assert isinstance(found, Conversation)
    assert [message.content for message in found] == [row["content"] for row in expected["messages"]]
