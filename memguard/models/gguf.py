"""Convert a GGUF file of the Llama family to a folder that transformers loads at once.

transformers reads GGUF itself but takes half a minute each time, and refuses to save such a model;
so a fresh model is made from the configuration, given the weights, and saved in half precision.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from pathlib import Path

from memguard.errors import ModelFetchError


def convert_gguf(gguf: Path, folder: Path) -> None:
    """Write the model and the tokenizer of ``gguf`` into ``folder`` (safetensors, float16).

    Raises:
        ModelFetchError: If the packages that read GGUF are missing, or the file is not understood.
    """
    # Reading GGUF draws a bar of its own on stderr, which no setting switches off.
    with quiet_transformers(), contextlib.redirect_stderr(io.StringIO()):
        try:
            import accelerate  # noqa: F401  # transformers needs it to read GGUF
            import gguf as _gguf  # noqa: F401  # likewise
            from transformers import AutoModelForCausalLM, AutoTokenizer
        except ImportError as error:
            raise ModelFetchError(f"converting {gguf.name} needs the package {error.name}") from error
        parent, name = str(gguf.parent), gguf.name
        try:
            loaded = AutoModelForCausalLM.from_pretrained(parent, gguf_file=name, local_files_only=True)
            tokenizer = AutoTokenizer.from_pretrained(parent, gguf_file=name, local_files_only=True)
        except (OSError, ValueError, KeyError, RuntimeError) as error:
            raise ModelFetchError(f"{gguf.name} cannot be read as GGUF: {error}") from error
        config = loaded.config
        if hasattr(config, "quantization_config"):
            del config.quantization_config
        fresh = type(loaded)(config)
        fresh.load_state_dict(loaded.state_dict())
        fresh.half().save_pretrained(folder)
        tokenizer.save_pretrained(folder)


@contextlib.contextmanager
def quiet_transformers() -> Iterator[None]:
    """Silence transformers' progress bars and warnings inside the block."""
    from transformers.utils import logging

    level = logging.get_verbosity()
    bars = logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
