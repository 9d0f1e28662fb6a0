"""Every query of the cookbook runs on the sample, and gives the columns that it promises."""

import datetime
import re
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner

from kgbuild.cli import cli
from kgbuild.datasets import database
from kgbuild.tables.records import Prediction, Review
from tests.conftest import ROOT

TEXT = (ROOT / "docs" / "cookbook.md").read_text(encoding="utf-8")
QUERIES = {
    part.partition("\n")[0]: query
    for part in re.split(r"^#+ ", TEXT, flags=re.MULTILINE)
    for query in re.findall(r"```sql\n(.*?)```", part, re.DOTALL)
}
COPY = "A file for a spreadsheet"
COLUMNS = {
    "Pairs with evidence against the assumption, one hop": (
        "pair_id question false_question falsity risk"
    ),
    "One question of each pair, half of them false": "pair_id question false_assumption",
    "Accepted answers of each level": "question_id level accepted",
    "Hard questions: unpopular subject, many levels": ("question_id question popularity levels"),
    "Questions with their knowledge as text": "question_id specific_question knowledge",
    "Pieces removed from a pool, by round": "question_id removed removed_pieces",
    "Evidence as triples, one per row": "pair_id subject property object",
    "Rows that depend on one item": "dataset item_id question",
    "Pairs with an objection of a reviewer": (
        "pair_id question false_question review_question reviewers"
    ),
    "Scores of models as a table": "model syn_qa_accuracy",
    "Answers of models beside the right ones": "model question levels model_answer",
}


@pytest.fixture(scope="module")
def db(sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a database of some relations of the sample, with answers of two models."""
    path = tmp_path_factory.mktemp("cookbook") / "datasets.duckdb"
    for command in (
        ("syn-qa", "--relations", "P19,P26,P69", "--limit", "30", "--store", str(sample_store)),
        ("granola", "--relations", "P19,P69", "--store", str(sample_store)),
        ("biokalma", "--relations", "P26,P184", "--store", str(sample_store)),
    ):
        run(path, *command)
    questions = database(path).sql("FROM syn_qa_questions").rows
    database(path).write_predictions(
        [
            *(prediction("credulous", "No.", pair_id, truth) for pair_id, _, truth in questions),
            # The other one doubts everything but the first question.
            *(
                prediction("doubting", "Yes." if number else "No.", pair_id, truth)
                for number, (pair_id, _, truth) in enumerate(questions)
            ),
            *(
                prediction("credulous", answer, question_id, None)
                for question_id, answer in database(path)
                .sql("SELECT question_id, levels[1][1] FROM granola_levels")
                .rows
            ),
        ]
    )
    run(path, "score", "syn-qa")
    noon = datetime.datetime.fromisoformat("2024-01-01 12:00")
    for reviewer in ("Ada", "Bo"):
        review = Review("syn_qa", questions[0][0], reviewer, "natural", "no", noon)
        database(path).write_review(review)
    return path


def run(db: Path, *command: str) -> None:
    assert CliRunner().invoke(cli, [*command, "--db", str(db)]).exit_code == 0


def prediction(model: str, text: str, item_id: str, false_assumption: bool | None) -> Prediction:
    of_pair = false_assumption is not None
    dataset, protocol = ("syn_qa", "zero-shot") if of_pair else ("granola", "vanilla")
    common: dict[str, Any] = {
        **{"dataset": dataset, "protocol": protocol, "removed": None, "accuracy": None},
        **{"sample": 0, "prompt_hash": "", "tokens_in": 9, "tokens_out": 1, "seconds": 0.5},
    }
    return Prediction(
        model=model, text=text, item_id=item_id, false_assumption=false_assumption, **common
    )


def test_every_query_is_tested() -> None:
    assert {*QUERIES} == {*COLUMNS, COPY}
    assert TEXT.count("```sql") == len(QUERIES)


@pytest.mark.parametrize("heading", COLUMNS)
def test_a_query_gives_its_columns(db: Path, heading: str) -> None:
    result = database(db).sql(QUERIES[heading])
    columns = [column.replace(" ", "_") for column in result.columns]  # "syn_qa accuracy"
    assert columns == COLUMNS[heading].split()
    assert result.rows


def test_a_file_is_written(db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with duckdb.connect(str(db), read_only=True) as connection:
        connection.execute(QUERIES[COPY])
    first, *lines = (tmp_path / "pairs.csv").read_text(encoding="utf-8").splitlines()
    assert first == "question,false_question,falsity"
    assert len(lines) == len(database(db).rows("syn_qa_pairs"))


def test_half_of_the_questions_are_asked(db: Path) -> None:
    rows = database(db).sql(QUERIES["One question of each pair, half of them false"]).rows
    assert len(rows) == len(database(db).rows("syn_qa_pairs"))  # one of each pair
    assert {truth for _, _, truth in rows} == {False, True}
