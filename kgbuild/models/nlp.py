"""Load spaCy pipelines; spaCy is imported when one is loaded, because that takes seconds."""

from pathlib import Path
from typing import TYPE_CHECKING

from kgbuild.errors import MissingExtraError, NoPipelineError

if TYPE_CHECKING:
    from spacy.language import Language


def load_pipeline(model: str) -> "Language":
    """Return an installed spaCy pipeline, or that in a folder.

    Raises:
        MissingExtraError: spaCy is not installed.
        NoPipelineError: the pipeline is not installed, or cannot be used.
    """
    try:
        import spacy
    except ImportError as error:
        raise MissingExtraError("nlp", "spaCy") from error
    try:
        return spacy.load(model)
    except Exception as error:
        # Which error is raised depends on the file that is missing or of another version.
        detail = (str(error).splitlines() or [""])[0].rstrip(".")
        raise NoPipelineError(model, detail if Path(model).exists() else "") from error
