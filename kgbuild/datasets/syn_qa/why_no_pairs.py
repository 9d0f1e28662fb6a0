"""Tell of a relation without pairs, for an end, which rule emptied it, and what may open it."""

from collections import defaultdict
from collections.abc import Mapping

from kgbuild.data_files import read_toml
from kgbuild.datasets.syn_qa.rows import NO_KIND, Variant
from kgbuild.rows import Built

_REASONS: Mapping[str, Mapping[str, str]] = read_toml("datasets/syn_qa/reasons.toml")
_FELL_OUT = "all similar items fell out"
_OPENED_BY = {
    "no similar item": "a larger store, or --min-overlap 1, which takes items that share less",
    "risky": "a higher --max-risk lets more of them through",
    "wrong kind": "a store with their classes (P31), or words for this kind in relations.toml",
    "no label": "a store with labels in English",
    NO_KIND: "the key similarity for one of them, in a file of relations of your own",
    "known before": "a build without --since",
}
"""What lets more through, by reason."""
_OTHERWISE = "a larger store, which has more similar items"


def notes(parts: Mapping[Variant, Built]) -> list[str]:
    """Return why ends of the statements of a relation, or grades of them, have no pair.

    The rule that left them without pairs is told, and what may open it.
    """
    emptied = defaultdict[tuple[str, str], list[str]](list)
    for (end, grade), part in parts.items():
        if part.candidates and not part.rows:
            emptied[_rule(part)].append(f"{end} ({grade})" if grade else end)
    relation = next(iter(parts.values())).relation
    explained = {**_REASONS["statement"], **_REASONS["replacement"]}
    return [
        f"{relation} has no pair for its {' and '.join(ends)}, mostly by '{rule}': "
        f"{explained[rule]}. What may help: {helps}."
        for (rule, helps), ends in emptied.items()
    ]


def _rule(part: Built) -> tuple[str, str]:
    """Return the reason of most statements, and what may open it.

    Where all similar items fell out, it is the reason of most of them; a higher risk lets some of
    those through that fell out by their risk.
    """
    counts = part.reasons
    rule = max(_REASONS["statement"], key=counts.__getitem__)
    if rule == _FELL_OUT:
        of_items = max(_REASONS["replacement"], key=counts.__getitem__)
        rule = of_items if counts[of_items] else rule
    opened = [reason for reason in (rule, "risky") if reason in _OPENED_BY and counts[reason]]
    return rule, _OPENED_BY[opened[0]] if opened else _OTHERWISE
