"""The command ``risk``: it estimates the probability that an assumption is true.

An assumption is a triple of subject, relation and object. Its grade of falsity says how clearly the
store is against it, from impossible (dates exclude it) to absent (the store just lacks it).
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgbuild.cli import options, output
from kgbuild.graph.open import Store, open_store
from kgbuild.wikidata import is_id

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgbuild.datasets.syn_qa.falsity.assessment import Assessment


@click.command()
@click.argument("subject")
@click.argument("relation")
@click.argument("object_", metavar="OBJECT")
@options.store_option
@options.json_option
def risk(subject: str, relation: str, object_: str, store: Path, as_json: bool) -> None:
    """Assess an assumption: the evidence for and against it, and the probability that it is true.

    Subject, relation and object are ids or labels. The risk is estimated from the items that have
    a statement with the relation in the store. The table shows under "for" which of the subject's
    other values point to the object, and under "values" how many objects the subject has.

    \b
    Example:
      kgbuild risk Q7186 P69 Q13371
      kgbuild risk "Marie Curie" "educated at" "Harvard University"
    """
    from kgbuild.datasets.syn_qa.falsity.assessment import assess

    with open_store(store) as opened:
        assessment = assess(opened, subject, relation, object_)
        rows = [{"what": name, "says": text} for name, text in _lines(opened, assessment)]
    output.show([_record(assessment)] if as_json else rows, as_json)


def _record(assessment: "Assessment") -> dict[str, Any]:
    record = vars(assessment) | {"sources": [source._asdict() for source in assessment.sources]}
    record["evidence"] = [triple._asdict() for triple in assessment.evidence]
    record["support"] = assessment.support._asdict() if assessment.support else None
    return record


def _lines(store: Store, assessment: "Assessment") -> "Iterator[tuple[str, str]]":
    """Yield the lines of the table: the name of a part of the assessment, and its text."""

    def name(value: str) -> str:
        label = store.labels.label(value) if is_id(value) else None  # evidence may be a date
        return f"{label} ({value})" if label else value

    def triple(parts: tuple[str, str, str]) -> str:
        return " – ".join(map(name, parts))

    yield "assumption", triple((assessment.subject, assessment.relation, assessment.object))
    if assessment.support:
        yield "holds", triple(assessment.support)
    else:
        yield "falsity", str(assessment.falsity)
    for evidence in assessment.evidence:
        yield "against", triple(evidence)
    for feature in assessment.sources:
        share = f"{feature.holder_count:,} of {feature.item_count:,} others that state the relation"
        yield "for", f"{name(feature.property)}: {name(feature.value)}: {share} have this object"
    yield "values", f"{assessment.values:,}; {assessment.mean_values:.2f} on average"
    yield "risk", f"{assessment.risk:.2%}"
