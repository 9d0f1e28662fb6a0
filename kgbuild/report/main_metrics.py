"""The metrics that the report draws, of datasets whose object does not list them itself."""

from collections.abc import Mapping

_ACCURACY = ("accuracy", "accuracy", "Answers that are right, among all.")
MAIN_METRICS: Mapping[str, tuple[tuple[str, str, str], ...]] = {
    "syn_qa": (
        _ACCURACY,
        ("paired_accuracy", "paired accuracy", "Pairs of which both questions are judged rightly."),
    ),
    "granola": (
        _ACCURACY,
        ("standard", "standard accuracy", "Answers that are right at the finest level."),
        ("informativeness", "informativeness", "Right answers, each weighted by how fine it is."),
    ),
    "biokalma": (
        ("precision", "citation precision", "Citations that the question needs, among all."),
        ("recall", "citation recall", "Knowledge that the question needs and the answer cites."),
        ("f1", "citation F1", "The harmonic mean of precision and recall."),
    ),
}
"""By dataset: name, title and meaning of each."""
