"""Classify pairs of texts by a model on this machine: entailment, and classes of yes and no.

A ``model`` is the folder of a sequence classifier, or the name of one that was downloaded before.
It is loaded once and runs on the CPU.
"""

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kgbuild.errors import NoModelError
from kgbuild.models.local_libraries import loading

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

_BATCH_SIZE = 64
"""Number of pairs in a batch."""
_DECIMALS = 4
"""Number of decimals of a probability: further decimals depend on the other texts in the batch."""
_CLASSES = 2
_ENTAILMENT = "entailment"
"""The name of a class of natural language inference models, in any case of its letters."""


def entailments(model: str, pairs: Sequence[tuple[str, str]]) -> list[bool]:
    """Return, for each pair, whether the first text, the premise, entails the second.

    The model is any natural language inference model that classifies pairs and has a class called
    entailment. A text is entailed if this class has the highest score.

    Source: section 4.3 and appendix B.3 of the BioKaLMA paper.

    Raises:
        MissingExtraError: sentence-transformers is not installed.
        NoModelError: the model is not on this machine, cannot be used, or has no such class.
    """
    classifier = _classifier(model)
    entailment_index = _index_of_entailment(model, classifier)
    if not pairs:
        return []
    scores = classifier.predict(list(pairs), batch_size=_BATCH_SIZE, show_progress_bar=False)
    return [int(pair_scores.argmax()) == entailment_index for pair_scores in scores]


def probabilities(model: str, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Return, for each pair, the probability of the second class of a model with two classes.

    Raises:
        MissingExtraError: sentence-transformers is not installed.
        NoModelError: the model is not on this machine, cannot be used, or has not two classes.
    """
    classifier = _classifier(model)
    if classifier.model.config.num_labels != _CLASSES:
        detail = f"it has {classifier.model.config.num_labels} classes, not {_CLASSES}"
        raise NoModelError(model, detail)
    if not pairs:
        return []
    scores = classifier.predict(
        list(pairs), batch_size=_BATCH_SIZE, show_progress_bar=False, apply_softmax=True
    )
    return [round(float(pair_scores[1]), _DECIMALS) for pair_scores in scores]


def separator(model: str) -> str:
    """Return the token by which the tokenizer of a model separates two texts.

    Raises:
        MissingExtraError, NoModelError: as for ``probabilities``.
    """
    return str(_classifier(model).tokenizer.sep_token)


@functools.lru_cache(maxsize=2)
def _classifier(model: str) -> "CrossEncoder":
    with loading(model):
        from sentence_transformers import CrossEncoder

        return CrossEncoder(model, device="cpu", local_files_only=True)


def _index_of_entailment(model: str, classifier: "CrossEncoder") -> int:
    """Return the index of the class entailment of a natural language inference model."""
    labels = {index: str(label) for index, label in classifier.model.config.id2label.items()}
    for index, label in labels.items():
        if label.lower() == _ENTAILMENT:
            return int(index)
    detail = f"none of its classes is called {_ENTAILMENT}, but {', '.join(labels.values())}"
    raise NoModelError(model, detail)
