"""The door to sentence-transformers: how near texts are in meaning. It is imported when used."""

import functools
import logging
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kgbuild.errors import MissingExtraError, NoModelError

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

_THREADS = 2
_BATCH = 64
"""Texts that go through the model at once."""
_DIGITS = 4
"""Decimals of a similarity: further ones depend on which texts share a batch, not on meaning."""
_QUIET = {
    # Read when the libraries are imported. A model that is not here is never fetched.
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "TRANSFORMERS_VERBOSITY": "error",
    "TOKENIZERS_PARALLELISM": "false",
}


def similarities(model: str, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Return how near the two texts of each pair are in meaning: their cosine, from -1 to 1.

    ``model`` is the folder of a sentence-transformers model, or the name of one that was
    fetched before: nothing is downloaded. It is read once and runs on the processor, with two
    threads at most. The same pairs have the same similarities each time; each text counts as
    far as the model reads, which is a few hundred words.

    Raises:
        MissingExtraError: sentence-transformers is not installed.
        NoModelError: the model is not on this machine, or cannot be used.
    """
    loaded = _loaded(model)
    places = {text: place for place, text in enumerate(dict.fromkeys(t for p in pairs for t in p))}
    if not places:
        return []
    vectors = loaded.encode(
        list(places), batch_size=_BATCH, normalize_embeddings=True, show_progress_bar=False
    )
    return [
        round(float(vectors[places[one]] @ vectors[places[other]]), _DIGITS) for one, other in pairs
    ]


@functools.lru_cache(maxsize=1)
def _loaded(model: str) -> "SentenceTransformer":
    os.environ.update(_QUIET)
    try:
        import torch
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise MissingExtraError("semantic", "sentence-transformers") from error
    logging.getLogger("sentence_transformers").setLevel(logging.ERROR)
    torch.set_num_threads(min(_THREADS, torch.get_num_threads()))
    try:
        return SentenceTransformer(model, device="cpu", local_files_only=True)
    except Exception as error:
        # Whatever file of a model is missing or cut short, another library stumbles over it.
        detail = (str(error).splitlines() or [""])[0].rstrip(".")
        raise NoModelError(model, detail if Path(model).exists() else "") from error
