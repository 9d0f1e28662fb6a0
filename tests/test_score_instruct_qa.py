"""Score any file of answers: from the file to the printed table."""

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from kgbuild.cli import cli
from kgbuild.errors import NoModelError
from kgbuild.evaluate import library_metrics, q2
from kgbuild.evaluate.grounded import METRICS
from kgbuild.evaluate.instruct_qa import OF_KNOWLEDGE, OF_KNOWLEDGE_AND_QUESTION, OF_REFERENCES
from kgbuild.models.local import embeddings
from tests.test_embed import model_folder
from tests.test_score_biokalma import save_inference_model

LUND = {
    "question": "Where was Orlanda Veitch born?",
    "references": ["Lund", "Lund, Sweden"],
    "knowledge": ["Orlanda Veitch was born in Lund.", "She moved to Graz."],
    "prediction": "She was born in Lund",
    "correct": 1,
}
OSLO = {**LUND, "prediction": "Oslo", "correct": 0}


def run(*arguments: object) -> Result:
    return CliRunner().invoke(
        cli, ["score", "instruct-qa", *map(str, arguments)], env={"COLUMNS": "100"}
    )


def save(tmp_path: Path, records: Sequence[Mapping[str, Any]], name: str = "a.jsonl") -> Path:
    path = tmp_path / name
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    return path


def told(done: Result, **group: str) -> dict[str, Any]:
    """Return what is told of each metric of a group."""
    assert done.exit_code == 0, done.stderr
    rows = [row for row in json.loads(done.stdout) if group.items() <= row.items()]
    return {row["metric"]: row for row in rows}


def test_means_of_all_metrics(tmp_path: Path) -> None:
    done = run(save(tmp_path, [LUND, OSLO]), "--json")
    results = told(done)
    of_models = {"BERTScore", "K-BERTScore", "BEM", "FaithCritic"}
    optional = of_models.union(q2.METRICS, library_metrics.METRICS)
    assert list(results) == [name for name in METRICS if name not in optional]
    assert done.stderr == ""
    # The one has all of "Lund", the other nothing; of two answers, samples have 0, 1 or both.
    assert results["recall"] == {"metric": "recall", "answers": 2, "mean": 0.5, "interval": [0, 1]}
    # Five words stand in the knowledge, one does not.
    assert results["K-precision"]["mean"] == (5 / 5 + 0) / 2


def test_a_table(tmp_path: Path) -> None:
    done = run(save(tmp_path, [LUND] * 3 + [OSLO]))
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["metric", "answers", "mean"]
    assert lines[2].split() == ["exact", "match", "4", "0.0%", "(0.0–49.0)"]
    assert lines[5].split()[:3] == ["recall", "4", "75.0%"]


def test_models_and_protocols_are_scored_one_by_one(tmp_path: Path) -> None:
    records = [
        {**record, "model": model, "protocol": "p", "hops": 0}
        for record, model in ((LUND, "m-9"), (OSLO, "m-10"))
    ]
    path = save(tmp_path, records)
    done = run(path, "--json")
    assert told(done, model="m-9")["recall"]["mean"] == 1
    assert told(done, model="m-10")["recall"]["mean"] == 0
    models = [row["model"] for row in json.loads(done.stdout)]
    assert models == ["m-9"] * 15 + ["m-10"] * 15  # as people count
    assert told(run(path, "--by", "hops", "--json"), hops="0", model="m-9", protocol="p")


def test_columns_that_are_missing(tmp_path: Path) -> None:
    bare = {"prediction": "Lund", "references": "Lund"}
    done = run(save(tmp_path, [bare]), "--json")
    assert list(told(done)) == list(OF_REFERENCES)
    assert "No column knowledge, so left out: K-F1" in done.stderr
    done = run(save(tmp_path, [{"prediction": "Lund", "knowledge": "In Lund"}]), "--json")
    assert list(told(done)) == list(OF_KNOWLEDGE)
    assert f"No column question, so left out: {', '.join(OF_KNOWLEDGE_AND_QUESTION)}" in done.stderr


def test_cells_that_are_empty(tmp_path: Path) -> None:
    missing = {**LUND, "references": [], "prediction": float("nan")}
    records = [LUND, missing, {**LUND, "knowledge": None}]
    done = run(save(tmp_path, records), "--json")
    results = told(done)
    # An answer that is missing is a wrong one; one without a reference is not counted.
    assert (results["recall"]["answers"], results["recall"]["mean"]) == (2, 1)
    assert (results["K-precision"]["answers"], results["K-precision"]["mean"]) == (2, 0.5)
    assert done.stderr.splitlines() == [
        "Empty predictions: 1 of 3",
        "Answers without references, and so not counted by the metrics that need it: 1 of 3",
        "Answers without knowledge, and so not counted by the metrics that need it: 1 of 3",
    ]


def test_markup_makes_no_difference(tmp_path: Path) -> None:
    linked = {**LUND, "prediction": "She was born in **[Lund](https://example.org/Oslo)** [1]"}
    tables = [run(save(tmp_path, [record]), "--json").stdout for record in (LUND, linked)]
    assert tables[0] == tables[1]


def test_lists_in_other_formats(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["prediction", "references"])
        writer.writerow(["Lund", '["Oslo", "Lund"]'])
        writer.writerow(["Lund 1", "Lund [1]"])
    assert told(run(path, "--json"))["exact match"]["mean"] == 1
    # A list here, a text there, a number: DuckDB gives such columns as texts of JSON.
    mixed = [
        {"prediction": 1958, "references": [1957, "1958"]},
        {"prediction": "São Paulo", "references": "sao paulo"},
    ]
    assert told(run(save(tmp_path, mixed), "--json"))["exact match"]["mean"] == 1


def test_correlations_with_people(tmp_path: Path) -> None:
    records = [LUND, OSLO, {**OSLO, "prediction": "Graz", "correct": 0.5}]
    unjudged = {**LUND, "correct": None}
    done = run(save(tmp_path, [*records, unjudged]), "--human", "correct", "--json")
    results = told(done)
    # K-recall++ beyond the question: "she", "in" and "lund", then nothing, then "graz".
    assert results["K-recall++"] == {
        "metric": "K-recall++",
        "answers": 3,
        "spearman": pytest.approx(1),
        "kendall": pytest.approx(1),
        "auc": None,  # 1, 0 and 0.5 are more than yes and no
    }
    # Nothing matches exactly, so it goes with nothing.
    assert results["exact match"]["spearman"] is results["exact match"]["kendall"] is None
    # Recall has 1, 0, 0: of three pairs two are no tie, and both are in order.
    assert results["recall"]["kendall"] == pytest.approx(2 / (2 * 3) ** 0.5)
    assert "Answers without correct, and so not counted: 1 of 4" in done.stderr


def test_correlations_are_over_all_models_or_by_one(tmp_path: Path) -> None:
    records = [{**LUND, "model": "m", "correct": True}, {**OSLO, "model": "n", "correct": False}]
    path = save(tmp_path, records)
    shown = run(path, "--human", "correct").stdout.splitlines()
    assert shown[0].split() == ["metric", "answers", "spearman", "kendall", "auc"]
    assert shown[5].split() == ["recall", "2", "+1.00", "+1.00", "1.00"]
    alone = told(run(path, "--human", "correct", "--by", "model", "--json"), model="m")
    assert (alone["recall"]["answers"], alone["recall"]["spearman"]) == (1, None)


@pytest.mark.parametrize(
    ("record", "options", "message"),
    [
        ({**LUND, "correct": None}, ["--human", "correct"], "nobody judged: correct is empty"),
        ({"predicted": "x", "references": "y"}, [], "no column 'prediction'"),
        ({"prediction": "x", "question": "y"}, [], "neither references nor knowledge"),
        ({"prediction": "x", "references": []}, [], "neither references nor knowledge"),
        (
            {"prediction": "x", "knowledge": [{"title": "y", "text": "z"}]},
            [],
            "the knowledge of answer 1 is neither a text nor a list of texts",
        ),
        (LUND, ["--human", "corect"], "no column 'corect'"),
        (LUND, ["--by", "relation"], "no column 'relation'"),
        (
            {**LUND, "correct": "good"},
            ["--human", "correct"],
            "answer 1 has 'good' as correct, which is no number",
        ),
        ({**LUND, "correct": "nan"}, ["--human", "correct"], "answer 1 has 'nan' as correct"),
    ],
)
def test_files_that_cannot_be_scored(
    tmp_path: Path, record: Mapping[str, Any], options: Sequence[str], message: str
) -> None:
    done = run(save(tmp_path, [record]), *options)
    assert done.exit_code == 2 and done.stdout == ""
    assert message in done.stderr and len(done.stderr.splitlines()) <= 2


def test_records_with_their_metrics(tmp_path: Path) -> None:
    out = tmp_path / "measured.jsonl"
    done = run(save(tmp_path, [LUND, OSLO]), "-o", out)
    assert done.exit_code == 0 and f"Written to {out}." in done.stderr
    first, second = [json.loads(line) for line in out.read_text().splitlines()]
    assert {**first, "metrics": 0} == {**LUND, "metrics": 0}
    assert (first["metrics"]["recall"], second["metrics"]["recall"]) == (1, 0)


@pytest.mark.extras
def test_metrics_of_libraries(tmp_path: Path) -> None:
    pytest.importorskip("rouge_score", reason="needs rouge-score")
    done = run(save(tmp_path, [LUND, OSLO]), "--libraries", "--json")
    results = told(done)
    # Of five words, one is in "Lund"; the other answer has none.
    assert results["ROUGE-1"]["mean"] == pytest.approx((2 / 6 + 0) / 2)
    assert results["METEOR"]["answers"] == 2


@pytest.mark.extras
def test_bertscore_is_that_of_the_best_reference(tmp_path: Path) -> None:
    pytest.importorskip("bert_score", reason="needs bert-score")
    model = str(model_folder())
    records = [
        {"prediction": "Lund", "references": ["a town in Poland", "Lund"]},
        {"prediction": "", "references": ["Lund"]},
        {"prediction": "Lund", "references": [], "knowledge": ["Lund"]},
    ]
    results = told(run(save(tmp_path, records), "--bertscore", model, "--json"))
    # The same text has 1, an empty one 0, and without a reference there is nothing to count.
    assert (results["BERTScore"]["answers"], results["BERTScore"]["mean"]) == (2, 0.5)
    assert (results["K-BERTScore"]["answers"], results["K-BERTScore"]["mean"]) == (1, 1)
    pairs = [("In Lund", "Lund"), ("Graz", "an American record label"), ("\u200b", "Lund")]
    near, far, blank = embeddings.bert_scores(model, pairs)
    assert blank <= far < near < 1
    with pytest.raises(NoModelError):
        embeddings.bert_scores(str(tmp_path / "none"), pairs)


@pytest.mark.extras
def test_classifiers_compare_with_references_and_knowledge(tmp_path: Path) -> None:
    classifier = save_inference_model(tmp_path / "model", ("no", "yes"))
    import torch
    import transformers

    records = [LUND, {**OSLO, "knowledge": [], "references": ["Graz"]}]
    models = ("--bem", classifier, "--faithcritic", classifier)
    results = told(run(save(tmp_path, records), *models, "--json"))
    tokenizer = transformers.AutoTokenizer.from_pretrained(classifier)
    judge = transformers.AutoModelForSequenceClassification.from_pretrained(classifier).eval()

    def probability(one: str, other: str) -> float:
        read = tokenizer(one, other, return_tensors="pt")
        with torch.inference_mode():
            return float(judge(**read).logits.softmax(-1)[0, 1])

    question = LUND["question"]
    bem = [
        max(
            probability(LUND["prediction"], f"{text} [SEP] {question}")
            for text in LUND["references"]
        ),
        probability("Oslo", f"Graz [SEP] {question}"),
    ]
    assert results["BEM"]["mean"] == pytest.approx(sum(bem) / 2, abs=1e-4)
    # Only the first answer has knowledge; the second class is hallucination.
    hallucinated = probability(" ".join(LUND["knowledge"]), LUND["prediction"])
    critic = results["FaithCritic"]
    assert (critic["answers"], critic["mean"]) == (1, pytest.approx(1 - hallucinated, abs=1e-4))
    three = save_inference_model(tmp_path / "three", ("no", "yes", "perhaps"))
    done = run(save(tmp_path, records), "--bem", three)
    assert done.exit_code == 2 and "it has 3 classes, not 2" in " ".join(done.stderr.split())
