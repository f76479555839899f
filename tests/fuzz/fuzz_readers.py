"""A coverage-guided fuzzer of the readers: ``python tests/fuzz/fuzz_readers.py SEEDS -max_total_time=30``.

The first byte chooses the reader, recognition by content, or an archive that holds the rest as one of
its files; the rest is the file, which may be an archive itself. Every fault other than
``TranscriptError`` ends the run with the input that caused it.
"""

from __future__ import annotations

import io
import sys
import warnings
import zipfile

import atheris

with atheris.instrument_imports(
    include=["memguard.transcripts", "memguard.message_form", "memguard.messages"]
):
    from memguard.errors import TranscriptError
    from memguard.transcripts import read_bytes
    from memguard.transcripts.document import Document, ListingReader
    from memguard.transcripts.recognition import READERS


NAMES = (
    "conversations.json",
    "general/2026-01-05.json",
    "messages/c1/messages.json",
    "chat.txt",
    "users.json",
)


def packed(data: bytes, name: str) -> bytes:
    """Return an archive that holds ``data`` under ``name``, beside the list of channels that Slack writes."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
        archive.writestr("channels.json", "[]")
    return made.getvalue()


def one_input(data: bytes) -> None:
    """Read one made-up file."""
    choice, rest = data[:1], data[1:]
    which = choice[0] if choice else 255
    try:
        if which >= len(READERS):
            name = NAMES[which % 8] if which % 8 < len(NAMES) else ""
            read_bytes(packed(rest, name) if name else rest, conversation="1")
            return
        document = Document(rest.decode("utf-8", "replace"))
        reader = READERS[which]
        if reader.recognises(document) > 0:
            reader.read(document, "1") if isinstance(reader, ListingReader) else reader.read(document)
    except TranscriptError:
        return


if __name__ == "__main__":
    warnings.simplefilter("error")
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
