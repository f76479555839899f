"""A coverage-guided fuzzer of the readers: ``python tests/fuzz/fuzz_readers.py SEEDS -max_total_time=30``.

The first byte chooses the reader, or recognition by content; the rest is the file. Every fault other than
``TranscriptError`` ends the run with the input that caused it.
"""

from __future__ import annotations

import sys
import warnings

import atheris

with atheris.instrument_imports(
    include=["memguard.transcripts", "memguard.message_form", "memguard.messages"]
):
    from memguard.errors import TranscriptError
    from memguard.transcripts import read_bytes
    from memguard.transcripts.document import Document
    from memguard.transcripts.registry import READERS


def one_input(data: bytes) -> None:
    """Read one made-up file."""
    choice, rest = data[:1], data[1:]
    which = choice[0] if choice else 255
    try:
        if which >= len(READERS):
            read_bytes(rest)
            return
        document = Document(rest.decode("utf-8", "replace"))
        reader = READERS[which]
        if reader.recognises(document) > 0:
            reader.read(document)
    except TranscriptError:
        return


if __name__ == "__main__":
    warnings.simplefilter("error")
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
