"""Load spaCy pipelines; spaCy is imported when one is loaded, because that takes seconds."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kgbuild.errors import WrongCallError, missing_extra

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc


def load_pipeline(model: str) -> "Language":
    """Return an installed spaCy pipeline, or that in a folder."""
    try:
        import spacy
    except ImportError as error:
        raise missing_extra("nlp", "spaCy") from error
    try:
        return spacy.load(model)
    except Exception as error:
        # Which error is raised depends on the file that is missing or of another version.
        detail = (str(error).splitlines() or [""])[0].rstrip(".")
        raise WrongCallError(
            f"{model} cannot be used as a spaCy pipeline: {detail}."
            if detail and Path(model).exists()
            else f"There is no spaCy pipeline '{model}' here. Name the folder of a pipeline, or "
            "install it, such as: python -m spacy download en_core_web_sm"
        ) from error


def phrases(model: str, texts: Sequence[str]) -> list[list[str]]:
    """Return the names and noun phrases of each text, but not "I"; each phrase once, in any case.

    A pipeline without a parser finds names only.
    """
    return [_phrases(document) for document in load_pipeline(model).pipe(texts)]


def _phrases(document: "Doc") -> list[str]:
    chunks = document.noun_chunks if document.has_annotation("DEP") else ()
    by_key = {span.text.lower(): span.text for span in (*chunks, *document.ents)}
    return [text for key, text in by_key.items() if key != "i"]
