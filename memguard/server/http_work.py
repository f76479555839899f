"""What the paths of HTTP do; knows nothing of the protocol, and shares its work with the MCP tools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from memguard import audit, wire
from memguard.compressor import Compression
from memguard.messages import Conversation
from memguard.models import loading
from memguard.outgoing import view
from memguard.reconstructor import Reconstruction, Status
from memguard.server.work import ContextTools
from memguard.text import well_formed
from memguard.trace import Progress, Trace

NOT_CHECKED = "nothing of the paragraph was checked against the messages: POST /run checks it"


class HttpTools(ContextTools):
    """Compresses, checks, runs and verifies. Safe to call from several threads."""

    def load(self) -> None:
        """Load the models that a run needs, once a process, so that no request waits for them.

        Raises:
            ModelUnavailableError: One is not installed.
        """
        _ = self._guard(self._settings).pipeline
        name = self._settings.compression.summarizer
        if name in loading.SUMMARIZERS:
            loading.load_summarizer(name)

    def compress(self, messages: Any, options: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
        """Take messages through stage 1 alone, as a wire form without claims and payload."""
        settings = self._with(options)
        conversation = Conversation.from_messages(messages)
        trace = self._guard(settings).pipeline.step(Trace(conversation, settings), progress=progress)
        shown = view(trace)
        compression = shown[Compression]
        chain = audit.records(trace)
        self._keep(trace, chain)
        row: wire.Result = {
            **wire.failure(NOT_CHECKED, id=trace.run_id),
            "models": {
                "embedder": compression.embedder or None,
                "summarizer": compression.summarizer or None,
                "entailment": None,
            },
            "settings": shown.settings.to_dict(),
            "compression": wire.compression_row(compression),
            "payload": wire.payload_row(Reconstruction("", 0, 0)),
            "audit_head": audit.head(chain),
            "status": (Status.OK if compression.paragraph else Status.EMPTY).value,
            "warnings": [*wire.warnings(trace), NOT_CHECKED],
        }
        return dict(row)

    def verify(self, text: str, head: str | None) -> dict[str, Any]:
        """Check an audit; half a character in it, which no file can hold, is seen as an edit."""
        return asdict(audit.verify_text(well_formed(text), expected_head=head))

    def _keep(self, trace: Trace, chain: tuple[audit.AuditRecord, ...]) -> None:
        if self._audit_folder is not None:
            audit.write(self._audit_folder / f"{trace.run_id}.jsonl", chain)
