"""Load models on this machine: without downloads, without messages, with errors for the user."""

import contextlib
import logging
import os
from collections.abc import Iterator
from pathlib import Path

from kgbuild.errors import NoModelError, missing_extra

_ENVIRONMENT = {
    # Variables that the libraries read when they are imported: no download, no messages.
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "TRANSFORMERS_VERBOSITY": "error",
    "TOKENIZERS_PARALLELISM": "false",
}


def prepare() -> None:
    """Import the libraries in a mode without messages and downloads."""
    os.environ.update(_ENVIRONMENT)
    try:
        import sentence_transformers  # noqa: F401
        import torch
    except ImportError as error:
        raise missing_extra("semantic", "sentence-transformers") from error
    logging.getLogger("sentence_transformers").setLevel(logging.ERROR)
    torch.set_num_threads(min(2, torch.get_num_threads()))


@contextlib.contextmanager
def loading(model: str) -> Iterator[None]:
    """Prepare the libraries, and turn the errors of loading a model into a NoModelError."""
    prepare()
    try:
        yield
    except Exception as error:
        # Which library raises which error depends on the file that is missing or damaged.
        detail = (str(error).splitlines() or [""])[0].rstrip(".: ")
        raise NoModelError(model, detail if Path(model).exists() else "") from error
