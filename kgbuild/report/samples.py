"""Rows to look at, with their evidence in words and as a drawing."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from kgbuild.drawing.evidence import Arrow, draw
from kgbuild.report.names import Names, is_item, page_of
from kgbuild.report.numbers import Row
from kgbuild.report.parts import Sample, Table, Triple

COUNT = 4
"""Rows that are shown of a dataset."""
_DRAWN = 4
"""Values that are drawn, of those that two items share, and of those that speak against one."""

_Evidence = Iterable[Mapping[str, str]]


def items_of(rows: Sequence[Row]) -> set[str]:
    """Return the ids of all items that stand in rows, wherever they do."""
    return set(_items(rows))


def _items(value: object) -> Iterable[str]:
    if isinstance(value, str):
        if is_item(value):
            yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _items(part)
    elif isinstance(value, list):
        for part in value:
            yield from _items(part)


def _syn_qa(row: Row, names: Names) -> Sample:
    risk = [] if row["risk"] is None else [f"risk {row['risk']:.2%}"]
    true, against = row["evidence"], row["falsity_evidence"]
    drawn = [*_arrows(true, names), *_arrows(against[:_DRAWN], names)]
    triples = [*_triples(true, names), *_triples(against, names)]
    if row["replacement_qid"] and row["object_qid"]:
        relation = names.relation(row["relation"])
        drawn.append(Arrow(row["replacement_qid"], relation, row["object_qid"], is_false=True))
        triples.append(_triple(row["replacement_qid"], relation, row["object_qid"], names, True))
    begins = [qid for qid in (row["subject_qid"], row["replacement_qid"]) if qid]
    drawn += [
        Arrow(qid, names.relation(one["property"]), one["value"])
        for one in [one for one in row["shared"] if names.knows(one["value"])][:_DRAWN]
        for qid in begins
    ]
    return Sample(
        row["pair_id"],
        [names.titled(row["relation"]), row["falsity"], *risk, row["split"]],
        [("true", row["question"]), ("false", row["false_question"])],
        triples,
        _drawn(drawn, names, begins),
        _shared(row, names),
    )


def _shared(row: Row, names: Names) -> Table | None:
    """Return a table of what subject and replacement share; of HotpotQA's nothing is known.

    Values that no table names are only counted.
    """
    told = [
        [names.relation(one["property"]), names.item(one["value"])]
        for one in row["shared"]
        if names.knows(one["value"])
    ]
    unknown = len(row["shared"]) - len(told)
    beside = f", and {unknown:,} whose labels are not in the tables" if unknown else ""
    caption = f"What both share ({len(told):,}{beside})"
    return Table(caption, ["property", "value"], told) if told else None


def _granola(row: Row, names: Names) -> Sample:
    levels = row["levels"]
    evidence = [one for level in levels for one in level["evidence"]]
    begins = [row["subject_qid"]] if row["subject_qid"] else []
    return Sample(
        row["question_id"],
        [names.titled(row["relation"]), f"popularity {row['popularity']:,}", row["split"]],
        [
            ("question", row["question"]),
            ("about", ", ".join(filter(None, (row["subject_label"], row["subject_description"])))),
        ],
        [*_triples(evidence, names)],
        _drawn([*_arrows(evidence, names)], names, begins),
        Table(
            "Its answers, the finest first",
            ["level", "answer", "kind", "bits"],
            [
                [level["level"], level["answer"], level["kind"], f"{level['bits']:.1f}"]
                for level in levels
            ],
        ),
    )


def _biokalma(row: Row, names: Names) -> Sample:
    pieces = row["knowledge"]
    drawn = [
        Arrow(one["qid"], one["property_label"], one["value_qid"] or one["value"]) for one in pieces
    ]
    return Sample(
        row["question_id"],
        [names.titled(row["relation"]), f"popularity {row['popularity']:,}", row["split"]],
        [
            ("general", row["general_question"]),
            ("specific", row["specific_question"]),
            ("paragraph", row["paragraph"]),
        ],
        [*_triples(row["evidence"], names)],
        _drawn(drawn, names, [one["qid"] for one in row["subjects"]]),
        Table(
            "Its minimum knowledge set",
            ["round", "subject", "property", "value", "specificity"],
            [
                [
                    one["round"],
                    names.item(one["qid"]),
                    one["property_label"],
                    one["value"],
                    f"{one['specificity']:.2f}",
                ]
                for one in pieces
            ],
        ),
    )


SAMPLES: Mapping[str, Callable[[Row, Names], Sample]] = {
    "syn_qa": _syn_qa,
    "granola": _granola,
    "biokalma": _biokalma,
}
"""By dataset, what makes a sample of a row of its query ``samples``."""


def _triples(evidence: _Evidence, names: Names) -> Iterable[Triple]:
    seen = dict.fromkeys((one["subject"], one["property"], one["object"]) for one in evidence)
    for subject, pid, value in seen:
        yield _triple(subject, names.relation(pid), value, names)


def _triple(subject: str, label: str, value: str, names: Names, is_false: bool = False) -> Triple:
    return Triple(
        names.item(subject), page_of(subject), label, names.item(value), page_of(value), is_false
    )


def _arrows(evidence: _Evidence, names: Names) -> Iterable[Arrow]:
    for one in evidence:
        yield Arrow(one["subject"], names.relation(one["property"]), one["object"])


def _drawn(arrows: Sequence[Arrow], names: Names, begins: Sequence[str]) -> str:
    """Return the drawing of triples; none if nothing is known that they would begin with."""
    if not arrows or not begins:
        return ""
    ends = {end for arrow in arrows for end in (arrow.subject, arrow.object)}
    return draw(arrows, {end: names.item(end) for end in ends}, begins)
