"""The tests that are built for judges: faults, their places, and no hints at the type."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from kgbuild.catalog import catalog
from kgbuild.datasets.biokalma.questions.lexicon import lexicon
from kgbuild.datasets.grouse import files, wording
from kgbuild.datasets.grouse.build import CaseBuilder
from kgbuild.datasets.grouse.cases import REFERENCES, REFUSALS
from kgbuild.datasets.grouse.dataset import build
from kgbuild.datasets.grouse.faults import TYPES
from kgbuild.datasets.grouse.meta import rate, results
from kgbuild.datasets.grouse.rows import Grades, GrouseSample, Judgement, acceptance
from kgbuild.graph.open import open_store

Rows = list[Mapping[str, Any]]


@pytest.fixture(scope="module")
def built(sample_store: Path) -> Rows:
    """Return the tests about the first subjects of the sample."""
    with open_store(sample_store) as store:
        (part,) = build(store).parts
        return part.tables["grouse_tests"]


def of_type(rows: Rows, name: str) -> Rows:
    return [row for row in rows if row["test_type"] == name]


def about(rows: Rows, name: str, label: str) -> Mapping[str, Any]:
    (row,) = (row for row in of_type(rows, name) if row["metadata"]["subject_label"] == label)
    return row


RIGHT = {
    *("right_answer", "paraphrased_answer", "merged_answer", "absurd_fact", "partly_open"),
    *("related_information", "related_left_out", "right_refusal"),
}


def test_all_types_have_the_same_number_of_references(built: Rows) -> None:
    assert {len(set(row["references"])) for row in built} == {REFERENCES}
    # Some of them say two facts, in a third of the sets or more.
    joint = {row["metadata"]["subject_qid"] for row in built if len(proven(row)) > REFERENCES}
    assert 15 <= len(joint) <= 45


def proven(row: Mapping[str, Any]) -> list[Any]:
    return list(row["metadata"]["evidence"])


def test_a_planted_fault_is_in_the_answer_only(built: Rows) -> None:
    assert {row["test_type"] for row in built if not row["metadata"]["fault"]} == RIGHT
    for name, mark in (
        ("distorted_value", "distorted: "),
        ("invented_fact", "invented: "),
        ("related_distorted", "distorted: "),
        ("absurd_corrected", "not what the reference says: "),
    ):
        for row in of_type(built, name):
            planted = row["metadata"]["fault"].removeprefix(mark).removesuffix(".")
            assert not any(planted in text for text in row["references"])
    for row in of_type(built, "superfluous_fact"):
        planted = row["metadata"]["fault"].removeprefix("not asked for: ")
        assert planted in row["references"]


def test_the_evidence_stands_in_the_store(sample_store: Path, built: Rows) -> None:
    with open_store(sample_store) as store:
        holds_true = store.knowledge({}).statements.holds
        items = [one for row in built for one in proven(row) if one["object"].startswith("Q")]
        assert len(items) > len(built)
        assert all(holds_true(one["subject"], one["property"], one["object"]) for one in items)
    for row in built:
        # An absurd reference is the one that nothing proves.
        is_absurd = row["test_type"] in ("absurd_fact", "absurd_corrected")
        assert len(proven(row)) >= REFERENCES - is_absurd


def test_a_fault_stands_anywhere_in_an_answer(built: Rows) -> None:
    """Of three facts each is the wrong one in a fifth of the tests or more."""
    for name in ("wrong_citation", "missing_citation", "citation_of_another"):
        places: Counter[int] = Counter()
        for row in of_type(built, name):
            answer, truth = (
                re.findall(r"\[(\d+)\]", row[name]) for name in ("actual_output", "expected_output")
            )
            # Where the last citation is missing, there are only two to compare.
            pairs = enumerate(zip(answer, truth, strict=False))
            places[next((n for n, pair in pairs if len({*pair}) > 1), 2)] += 1
        assert all(places[n] >= 12 for n in range(3)), name


def test_an_absurd_value_is_of_the_right_kind(built: Rows) -> None:
    row = about(built, "absurd_fact", "Sofia Coppola")
    assert "Sofia Coppola married Julius Caesar." in row["references"]
    assert "married Julius Caesar [" in row["actual_output"]
    # A date is of eight hundred years before.
    row = about(built, "absurd_fact", "Joseph P. Kennedy Sr.")
    assert "Joseph P. Kennedy Sr. died on 18 November 1169." in row["references"]


def test_true_answers_name_the_open_part(built: Rows) -> None:
    for row in of_type(built, "partly_open") + of_type(built, "invented_fact"):
        *_, last = row["expected_output"].split(". ")
        assert re.fullmatch(r"(No document mentions|The documents do not mention) \w+ .+\.", last)


def test_each_property_has_two_wordings() -> None:
    own = wording.property_words()
    assert {*own} <= {*lexicon().properties}
    assert all(one.otherwise != lexicon().properties[pid].says for pid, one in own.items())
    # An ethnic group beside a citizenship would half answer the question for it.
    assert "P172" not in own


def by_equality(sample: GrouseSample) -> Grades:
    """Grade as one who knows no English: sentences are right if they are the references'."""
    answer, truth = parts(sample.actual_output), parts(sample.expected_output or "")
    refuses, is_open = (
        any(text.startswith(one) for one in REFUSALS)
        for text in (sample.actual_output, sample.expected_output or "")
    )
    answered, wanted = {text for text, _ in answer}, {text for text, _ in truth}
    references = [reference.removesuffix(".") for reference in sample.references]
    return Grades(
        None if refuses else 1 + 4 * len(answered & wanted) // max(1, len(answered)),
        None if is_open else 1 + 4 * len(answered & wanted) // max(1, len(wanted)),
        int(all(text.split()[0] in sample.input for text in answered))
        if refuses and answered
        else None,
        int(all(n and references[n - 1] == text for text, n in answer)) if answer else None,
        *acceptance(refuses, not is_open),
    )


def parts(text: str) -> list[tuple[str, int]]:
    """Return the sentences of an answer, and the reference that each cites, or 0."""
    for refusal in REFUSALS:
        text = text.removeprefix(refusal)
    sentences = re.findall(r"\s*(.+?)(?: \[(\d+)\])?\.(?=\s[A-Z]|$)", text)
    return [(sentence, int(number or 0)) for sentence, number in sentences]


def test_comparing_texts_does_not_pass(built: Rows) -> None:
    tests = files.tests(Path("built"), [*built[0]], built)
    outcomes = [
        *results("equal", tests, (Judgement(by_equality(test.sample)) for test in tests), "grouse")
    ]
    passed: dict[str, int] = defaultdict(int)
    for name in TYPES:
        passed[name] = rate(
            "equal", name, [one for one in outcomes if one.test_type == name]
        ).passed
    assert sum(passed.values()) <= len(built) / 2
    # It sees that an answer refuses; more it has not understood.
    assert passed["right_refusal"] == passed["related_left_out"] == 60
    assert passed["paraphrased_answer"] == 0 and passed["right_answer"] < 12


def test_claims_with_a_common_subject_or_verb_share_a_sentence(sample_store: Path) -> None:
    with open_store(sample_store) as store:
        # Gioachino Rossini, about whom the sample has enough facts.
        case = CaseBuilder(store.knowledge(catalog().kinds), limit=1, seed=0).case("Q9726")
    statements = {one.fact.pid: one for one in (*case.targets, case.extra)}
    born, died = (
        wording.WordedClaim(statements[pid], n) for n, pid in enumerate(("P19", "P20"), 1)
    )
    when = wording.WordedClaim(statements["P569"], 3)
    brief = wording.Style(is_brief=True)
    assert wording.render([born, died]) == (
        "Gioachino Rossini was born in Pesaro [1] and died in Paris [2]."
    )
    # One verb is said once; nobody died and was born; what cites nothing stands alone.
    assert (
        wording.render([born, when], brief)
        == "Rossini was born in Pesaro [1] on 29 February 1792 [3]."
    )
    assert (
        wording.render([died, born], brief)
        == "Rossini died in Paris [2]. He was born in Pesaro [1]."
    )
    assert wording.render([born, died._replace(cites=None)], brief) == (
        "Rossini was born in Pesaro [1]. He died in Paris."
    )
