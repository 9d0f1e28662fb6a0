"""Classify pairs of texts by a model on this machine: entailment, and classes of yes and no.

A ``model`` is the folder of a sequence classifier, or the name of one that was downloaded before.
It is loaded once and runs on the CPU.
"""

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kgbuild.errors import NoModelError
from kgbuild.models.local.libraries import loading

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

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
    """
    return [label == _ENTAILMENT for label in inferences(model, pairs)]


def inferences(model: str, pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Return the class of each pair of a premise and a hypothesis, in lower case.

    It is the class with the highest score of a natural language inference model, such as "neutral".
    """
    classifier = _classifier(model)
    labels = _labels(model, classifier)
    return [labels[int(pair_scores.argmax())] for pair_scores in _scores(classifier, pairs)]


def probabilities(model: str, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Return, for each pair, the probability of the second class of a model with two classes."""
    classifier = _classifier(model)
    if classifier.model.config.num_labels != _CLASSES:
        detail = f"it has {classifier.model.config.num_labels} classes, not {_CLASSES}"
        raise NoModelError(model, detail)
    scores = _scores(classifier, pairs, apply_softmax=True)
    return [round(float(pair_scores[1]), _DECIMALS) for pair_scores in scores]


def ratings(model: str, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Return the rating of each pair of a reference and a candidate, by a model with one output.

    Such models, as BLEURT, are trained to rate texts as people do: about 0 to 1, higher is better.

    Source: T. Sellam, D. Das and A. P. Parikh, BLEURT: learning robust metrics for text generation
    (2020).
    """
    classifier = _classifier(model)
    if (outputs := classifier.model.config.num_labels) != 1:
        raise NoModelError(model, f"it has {outputs} classes, not one output")
    import torch

    scores = _scores(classifier, pairs, activation_fn=torch.nn.Identity())
    return [round(float(score), _DECIMALS) for score in scores]


def separator(model: str) -> str:
    """Return the token by which the tokenizer of a model separates two texts."""
    return str(_classifier(model).tokenizer.sep_token)


def _scores(classifier: "CrossEncoder", pairs: Sequence[tuple[str, str]], **options: Any) -> Any:
    """Return the scores of each pair, which the library computes of no empty list."""
    if not pairs:
        return []
    return classifier.predict(list(pairs), batch_size=64, show_progress_bar=False, **options)


@functools.lru_cache(maxsize=2)
def _classifier(model: str) -> "CrossEncoder":
    with loading(model):
        from sentence_transformers import CrossEncoder

        return CrossEncoder(model, device="cpu", local_files_only=True)


def _labels(model: str, classifier: "CrossEncoder") -> dict[int, str]:
    """Return the classes of a natural language inference model, one of which is entailment."""
    names = {int(index): str(name) for index, name in classifier.model.config.id2label.items()}
    labels = {index: name.lower() for index, name in names.items()}
    if _ENTAILMENT not in labels.values():
        detail = f"none of its classes is called {_ENTAILMENT}, but {', '.join(names.values())}"
        raise NoModelError(model, detail)
    return labels
