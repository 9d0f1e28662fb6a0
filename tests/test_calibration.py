"""Measures of calibration, confidences that answers state, and where both are shown."""

import json
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgbuild.datasets import database, dataset
from kgbuild.evaluate.calibration import AUROC, BRIER, ECE, Confident, calibration, stated
from kgbuild.rows import Build, Built
from tests.conftest import invoke
from tests.test_score_granola import SHIP, SOURCE, question

cases = st.builds(
    Confident,
    st.sampled_from("abcdefgh"),
    st.sampled_from([0.0, 0.05, 0.1, 0.25, 0.5, 0.95, 1.0]),
    st.booleans(),
)


def test_by_hand() -> None:
    """Two bins: 0.95 with two of two right, and 0.25 with one of two right."""
    found = calibration(
        [
            *(Confident("a", 0.95, True), Confident("b", 0.95, True)),
            *(Confident("c", 0.25, True), Confident("d", 0.25, False)),
        ]
    )
    assert found[ECE].value == pytest.approx((2 * 0.05 + 2 * 0.25) / 4)
    assert found[BRIER].value == pytest.approx((2 * 0.05**2 + 0.75**2 + 0.25**2) / 4)
    assert found[AUROC].value == pytest.approx((1 + 1 + 0.5) / 3)  # of three pairs, one is equal
    bins = {name: (bin_.value, bin_.total) for name, bin_ in found.items() if "_at_" in name}
    assert bins == {"right_at_20": (0.5, 2), "right_at_90": (1.0, 2)}


@settings(max_examples=8)
@given(st.lists(cases, min_size=1, max_size=12), st.randoms())
def test_measures_are_shares_in_any_order(some: list[Confident], chance: object) -> None:
    found = calibration(some)
    for estimate in found.values():
        assert estimate.value is not None and 0 <= estimate.value <= 1
        if estimate.interval:
            assert 0 <= estimate.interval[0] <= estimate.interval[1] <= 1
    assert (AUROC in found) == (len({case.is_right for case in some}) == 2)
    wins = [
        (one.confidence > other.confidence) + (one.confidence == other.confidence) / 2
        for one in some
        for other in some
        if one.is_right and not other.is_right
    ]
    if wins:
        assert math.isclose(found[AUROC].value or 0, sum(wins) / len(wins))
    assert calibration(some[::-1]) == found


@pytest.mark.parametrize(
    ("text", "answer", "confidence"),
    [
        ("Lund\nConfidence: 80 %", "Lund", 0.8),
        ("Lund\n\n**Confidence:** 80%.", "Lund", 0.8),
        ("Lund (confidence: 0.8)", "Lund", 0.8),
        ("Lund. Confidence 100", "Lund", 1.0),
        ("Confidence: 0 %", "", 0.0),
        # No statement of it at the end of the answer.
        *((text, text, None) for text in ("80 %", "Lund\nConfidence: 300 %", "Lund", "")),
        *((text, text, None) for text in ("Lund\nConfidence: 80-90 %")),
        *((text, text, None) for text in ("Confidence: 80 %\nLund", "The Confidence 80 Club")),
    ],
)
def test_stated_confidences(text: str, answer: str, confidence: float | None) -> None:
    assert stated(text) == (answer, confidence)


def test_scores_and_the_report_show_calibration(tmp_path: Path) -> None:
    """Stated confidences replace those of the column; those of refusals do not count."""
    db = tmp_path / "datasets.duckdb"
    questions = [question(name, "P276", 5) for name in ("ship", "boat")]
    answers = [{**row, "question_id": name} for name in ("ship", "boat") for row in SHIP]
    rows = {"granola_questions": questions, "granola_answers": answers}
    database(db).write(Build(dataset("granola"), [Built("P276", rows)], SOURCE))
    records = [
        ("ship", "In Stockholm.\nConfidence: 90 %", "m", 0.1),
        ("boat", "Maybe in a lake, but I'm not sure.\nConfidence: 15 %", "m", None),
        ("ship", "I don't know.\nConfidence: 90 %", "shy", None),
        ("ship", "In Stockholm.", "mute", None),
        ("ship", "In Stockholm.\nConfidence: high", "silent", 0.9, "stated"),
    ]
    names = ("question_id", "answer", "model", "confidence", "protocol")
    file = tmp_path / "answers.json"
    file.write_text(json.dumps([dict(zip(names, record, strict=False)) for record in records]))
    done = invoke(tmp_path, "score", "granola", "answers.json", "--db", str(db), "--json")
    by_model = {row["model"]: row for row in json.loads(done.stdout)}
    found = by_model["m"]
    assert (found["ece"], found["auroc"], found["ece_of"]) == (pytest.approx(0.125), 1, 2)
    assert found["brier"] == pytest.approx((0.1**2 + 0.15**2) / 2)
    assert all("ece" not in by_model[model] for model in ("shy", "mute", "silent"))
    shown = invoke(tmp_path, "score", "granola", "answers.json", "--db", str(db)).stdout
    table = shown.partition("Confidence in the answers given:")[2].split("\n")
    head, _, *rows = [" ".join(line.split()) for line in table[2:6]]
    assert head == "model protocol given with confidence ECE Brier AUROC"
    assert rows == ["m 2 2 0.12 (0.10–0.15) 0.02 (0.01–0.02) 1.00", "silent stated 1"]
    page = tmp_path / "report.html"
    assert invoke(tmp_path, "report", "--db", str(db), "-o", str(page)).returncode == 0
    assert "GRANOLA: confidence of m" in page.read_text() and "90–100 %" in page.read_text()


def test_a_confidence_that_is_none_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('[{"question_id": "x", "answer": "y", "confidence": 7}]')
    db = tmp_path / "datasets.duckdb"
    rows = {"granola_questions": [question("x", "P276", 5)], "granola_answers": []}
    database(db).write(Build(dataset("granola"), [Built("P276", rows)], SOURCE))
    done = invoke(tmp_path, "score", "granola", "a.json", "--db", str(db))
    assert done.returncode == 2 and "the confidence of answer 1 is '7'" in done.stderr
