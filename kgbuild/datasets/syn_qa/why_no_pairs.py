"""Tell of a relation without pairs which rule emptied it, and what would open it."""

from kgbuild.data_files import read_toml
from kgbuild.datasets.syn_qa.rows import NO_KIND
from kgbuild.rows import Built

_REASONS = read_toml("datasets/syn_qa/reasons.toml")
_FELL_OUT = "all similar items fell out"
_OPENED_BY = {
    "no similar item": "--min-overlap 1 takes items that share less",
    "risky": "a higher --max-risk lets more of them through",
    "wrong kind": "a store with their classes (P31), or words for this kind in relations.toml",
    "no label": "a store with labels in English",
    NO_KIND: "the key similarity for one of them, in a file of relations of your own",
    "known before": "a build without --since",
}
"""What lets more through, by reason."""
_OTHERWISE = "a larger store, which has more similar items"


def notes(part: Built) -> list[str]:
    """Return why a relation has no pair, or none in which a certain end is replaced.

    For a relation without pairs, it is the rule that left it without them, and what opens it.
    """
    statement, replacement = _REASONS["statement"], _REASONS["replacement"]
    if part.rows:
        ends = sorted({one.detail for one in part.rejections if one.reason == NO_KIND})
        return [f"{part.relation} has no pair for its {end}: {statement[NO_KIND]}." for end in ends]
    if not part.candidates:
        return []
    reasons = part.reasons
    of_statements = {reason: reasons[reason] for reason in statement if reasons[reason]}
    reason = max(of_statements, key=of_statements.__getitem__)
    if reason == _FELL_OUT:
        of_items = {reason: reasons[reason] for reason in replacement if reasons[reason]}
        reason = max(of_items, key=of_items.__getitem__, default=reason)
    explained = {**statement, **replacement}[reason]
    helps = _OPENED_BY.get(reason, _OTHERWISE)
    return [f"{part.relation} has no pair, mostly by '{reason}': {explained}. What helps: {helps}."]
