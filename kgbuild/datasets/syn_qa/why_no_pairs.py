"""Tell which rule left a relation, or an end of it, without pairs, and what may open it."""

from collections import defaultdict
from collections.abc import Mapping

from kgbuild.data_files import read_toml
from kgbuild.datasets.syn_qa.rows import NO_KIND, PairOptions, Variant
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


def notes(parts: Mapping[Variant, Built], options: PairOptions) -> list[str]:
    """Return why ends of the statements of a relation, or grades of them, have no pair."""
    emptied = defaultdict[tuple[str, str], list[str]](list)
    for (end, grade), part in parts.items():
        if part.candidates and not part.rows:
            emptied[_rule(part, options)].append(f"{end} ({grade})" if grade else end)
    explained = {**_REASONS["statement"], **_REASONS["replacement"]}
    return [
        f"no pair for the {' and '.join(ends)}, mostly by '{rule}': {explained[rule]}. "
        f"What may help: {helps}."
        for (rule, helps), ends in emptied.items()
    ]


def _rule(part: Built, options: PairOptions) -> tuple[str, str]:
    """Return the reason of most statements, and what may open it.

    Where all similar items fell out, it is the reason of most of them; a higher risk lets some of
    those through that fell out by their risk. An option that lets all through cannot help.
    """
    counts = part.reasons
    rule = max(_REASONS["statement"], key=counts.__getitem__)
    if rule == _FELL_OUT:
        of_items = max(_REASONS["replacement"], key=counts.__getitem__)
        rule = of_items if counts[of_items] else rule
    spent = {
        "no similar item": options.confusability or options.min_overlap == 1,
        "risky": options.max_risk == 1,
    }
    opened = [
        reason
        for reason in (rule, "risky")
        if reason in _OPENED_BY and counts[reason] and not spent.get(reason)
    ]
    return rule, _OPENED_BY[opened[0]] if opened else _OTHERWISE
