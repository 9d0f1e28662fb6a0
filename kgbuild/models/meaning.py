"""Compare the meaning of texts with references, by either kind of model on this machine."""

from collections.abc import Sequence

from kgbuild.models import classifiers, embeddings, heads


def closeness(model: str, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Return how close each text is in meaning to its reference; the pairs are (text, reference).

    A classifier with one output, as BLEURT, rates the pair; any other model is one of
    sentence-transformers, and the closeness is the cosine of the two texts.

    Raises:
        KgbuildError: sentence-transformers is not installed.
        NoModelError: the model is not on this machine, or cannot be used.
    """
    if heads.is_classifier(model):
        return classifiers.ratings(model, [(reference, text) for text, reference in pairs])
    return embeddings.similarities(model, pairs)
