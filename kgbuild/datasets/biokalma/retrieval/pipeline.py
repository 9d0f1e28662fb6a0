"""Recognise the entities of a question by a trained spaCy pipeline."""

from collections.abc import Sequence

from kgbuild.models.nlp import load_pipeline
from kgbuild.text.spans import Name
from kgbuild.text.words import Text


class Recogniser:
    """Finds the entities of questions, and their types.

    Raises:
        MissingExtraError: spaCy is not installed.
        WrongCallError: the pipeline is not installed, or cannot be used.
    """

    def __init__(self, model: str):
        self._pipeline = load_pipeline(model)

    def entities(self, question: Text, names: Sequence[Name]) -> list[tuple[Name, str]]:
        """Return the names in a question that are entities, with spaCy's types."""
        by_position = {
            (question.words[name.first].start, question.words[name.last].end): name
            for name in names
        }
        entities = []
        for entity in self._pipeline(question.text).ents:
            text = entity.text.rstrip(".")
            name = by_position.get((entity.start_char, entity.start_char + len(text)))
            if name:
                entities.append((name, entity.label_))
        return entities
