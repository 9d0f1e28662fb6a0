"""Scoring attributed answers: from a user's file to what is shown."""

import datetime
import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from kgbuild import datasets
from kgbuild.cli import cli
from kgbuild.datasets import dataset
from kgbuild.errors import NoModelError
from kgbuild.models.local.classifiers import entailments
from kgbuild.review import verdicts
from kgbuild.review.selection import Selection, views
from kgbuild.rows import Build, Built, Provenance
from kgbuild.tables.records import Prediction, Review
from tests.conftest import ROOT, write_once

Score = Callable[..., Result]
SOURCE = Provenance(seed=0, options={}, files=[], store_fingerprint="f" * 32, store_triples=7)
LABELS = {
    **{"P19": "place of birth", "P26": "spouse", "P106": "occupation"},
    **{"P569": "date of birth", "P1066": "student of"},
}
WED = {
    # Two pieces of the set each, and one that is not needed; the spouses tell the same twice.
    "Q31": {"P19": "Washington, D.C.", "P26": "Bo Lind", "P106": "painter"},
    "Q32": {"P569": "1871-11-01", "P26": "Ann Roe", "P106": "poet"},
}
TAUGHT = {
    "Q41": {"P1066": "Eva Blom", "P106": "chemist"},
    "Q42": {"P106": "physicist", "P19": "Graz"},
}


def built(
    question_id: str,
    relation: str,
    subjects: Mapping[str, Mapping[str, str]],
    needed: Sequence[tuple[str, str]],
    absent: Sequence[tuple[int, str, str]],
    given: Sequence[tuple[int, str, str, str]],
    further: Sequence[tuple[str, str]] = (),
    equivalents: Sequence[tuple[int, str, str]] = (),
) -> Built:
    """Return a question with its rows; a piece of knowledge is named by its item and property.

    ``further`` has the pieces that only the general question needs.
    """
    common = {"question_id": question_id, "source": relation}

    def piece(qid: str, pid: str) -> dict[str, Any]:
        return {**common, "qid": qid, "property": pid, "value": subjects[qid][pid]}

    question = {
        **common,
        "subjects": [{"qid": qid, "label": ""} for qid in subjects],
        "relation": relation,
        "general_question": "Who were they?",
        "specific_question": "Whom did she marry?",
        "paragraph": "",
        "popularity": 1,
        "evidence": [],
        "split": "test",
        "themes": ["origins"],
    }
    scores = {"round": 0, "specificity": 0.0, "coherence": 0.0, "score": 0.0}
    return Built(
        relation,
        {
            "biokalma_questions": [question],
            "biokalma_knowledge": [
                {
                    **piece(*one),
                    "position": n,
                    "scope": "specific" if n <= len(needed) else "general",
                    "property_label": LABELS[one[1]],
                    **scores,
                }
                for n, one in enumerate([*needed, *further], 1)
            ],
            "biokalma_pool": [
                {**piece(qid, pid), "property_label": LABELS[pid]}
                for qid, said in subjects.items()
                for pid in said
            ],
            "biokalma_equivalents": [
                {**piece(qid, pid), "position": position, "kind": "mirrored"}
                for position, qid, pid in equivalents
            ],
            "biokalma_absent": [
                {
                    **piece(qid, pid),
                    "removed": removed,
                    "position": 1,
                    "implies": (qid, pid) not in needed,
                }
                for removed, qid, pid in absent
            ],
            "biokalma_graphs": [
                {
                    **common,
                    "accuracy": accuracy,
                    "subject_qid": subject,
                    "given_qid": qid,
                    "given_in": other,
                }
                for accuracy, subject, qid, other in given
            ],
        },
    )


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """Return a database of two questions."""
    path = tmp_path / "datasets.duckdb"
    builds = [
        built(
            "wed",
            "P26",
            WED,
            [("Q31", "P26"), ("Q31", "P19"), ("Q32", "P569")],
            # The first round takes the marriage away from both; the second the birth besides.
            [(n, qid, "P26") for n in (1, 2) for qid in WED] + [(2, "Q31", "P19")],
            [
                *((100, "Q31", "Q31", "wed"), (100, "Q32", "Q32", "wed")),
                *((80, "Q31", "Q42", "taught"), (80, "Q32", "Q32", "wed")),
            ],
            equivalents=[(1, "Q32", "P26")],
        ),
        built(
            "taught",
            "P1066",
            TAUGHT,
            [("Q41", "P1066"), ("Q42", "P19")],
            [],
            [],
            further=[("Q42", "P106")],
        ),
    ]
    write_once(path, Build(dataset("biokalma"), builds, SOURCE))
    return path


@pytest.fixture
def run(db: Path) -> Score:
    """Return a function that runs the command line on the database."""
    return lambda *arguments: CliRunner().invoke(
        cli, ["score", "biokalma", *map(str, arguments), "--db", str(db)], env={"COLUMNS": "140"}
    )


def save(tmp_path: Path, records: Sequence[Mapping[str, Any]]) -> Path:
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in records), encoding="utf-8")
    return path


def told(*said: tuple[str, str | None], **more: Any) -> list[dict[str, Any]]:
    return [{"question_id": asked, "answer": answer, **more} for asked, answer in said]


ANN = (
    "Ann Roe, a painter from Washington, D.C., [Q31, occupation: painter, place of birth: "
    "Washington, D.C.] married Bo Lind [Q31, spouse: Bo Lind]. He was born on 1 November 1871 "
    "[Q32, date of birth: 1871-11-02] [Q99, occupation: poet] and sang [NA]."
)
"""Five citations: three are in the pool, two of them of the three that are needed."""
BOTH = told(("wed", ANN), ("taught", None))


def test_scores_of_a_model(run: Score, tmp_path: Path) -> None:
    done = run(save(tmp_path, BOTH), "--json")
    assert done.exit_code == 0, done.output
    (one,) = json.loads(done.stdout)

    shown = {
        **{"refused": (0.0, 2), "uncited": (0.5, 2), "unknown_items": (0.2, 5)},
        "unread": (0.0, 2),
        **{"correctness": (3 / 5, 5), "precision": (2 / 5, 5)},
        **{"recall": (2 / 5, 5), "f1": (pytest.approx(2 / 5), 2)},  # of three pieces and of two
        **{"equivalent_precision": (2 / 5, 5), "equivalent_recall": (2 / 5, 5)},
        "equivalent_f1": (pytest.approx(2 / 5), 2),
        "macro_precision": (2 / 5, 1),  # of the one answer that cites
        "macro_recall": (pytest.approx((2 / 3 + 0) / 2), 2),
        "macro_f1": (pytest.approx(2 * 0.4 / 3 / (0.4 + 1 / 3)), 2),
        "alignment": (3 / 5, 5),  # neither the second of November nor a poet is in the text
        **{"na_precision": (None, 0), "na_recall": (None, 0), "na_f1": (None, 2)},
    }
    assert {name: (one[name], one[f"{name}_of"]) for name in shown} == shown
    names = {f"{name}{end}" for name in shown for end in ("", "_interval", "_of")}
    assert one.keys() == {*names, "entailment"} and one["entailment"] == "words"
    # A sample has the answer that says something twice, once or not at all; the precision is
    # then of nothing and does not count.
    assert one["recall_interval"] == [0.0, pytest.approx(2 / 3)]
    assert one["precision_interval"] is None
    assert one["na_recall_interval"] is None


def test_the_set_is_that_of_the_question_that_was_asked(run: Score, tmp_path: Path) -> None:
    text = "He studied under Eva Blom [Q41, student of: Eva Blom]. [Q42, occupation: physicist]"
    found = {
        **dict.fromkeys(("specific", "specific-retrieved"), (1 / 2, 1 / 2)),
        **dict.fromkeys(("general", "general-retrieved"), (1, 2 / 3)),  # it needs the occupation
        "": (1 / 2, 1 / 2),  # a file that does not say
    }
    records = [one for protocol in found for one in told(("taught", text), protocol=protocol)]
    done = run(save(tmp_path, records), "--json")
    assert done.exit_code == 0, done.output
    scored = {one.get("protocol", ""): one for one in json.loads(done.stdout)}
    assert {
        protocol: (one["precision"], pytest.approx(one["recall"]))
        for protocol, one in scored.items()
    } == found


def test_what_says_the_same_as_a_piece_cites_it(run: Score, tmp_path: Path) -> None:
    text = "He married Ann Roe [Q32, spouse: Ann Roe]."  # the set has her spouse
    (row,) = json.loads(run(save(tmp_path, told(("wed", text))), "--json").stdout)
    assert (row["correctness"], row["precision"], row["recall"]) == (1, 0, 0)
    assert (row["equivalent_precision"], row["equivalent_recall"]) == (1, pytest.approx(1 / 3))


def test_results_of_answers(run: Score, tmp_path: Path) -> None:
    out = tmp_path / "judged.jsonl"
    done = run(save(tmp_path, BOTH), "-o", out)
    assert done.exit_code == 0, done.output
    first, second = map(json.loads, out.read_text().splitlines())
    assert (first["question_id"], first["answer"], first["accuracy"]) == ("wed", ANN, 100)
    assert {name: first["metrics"][name] for name in ("precision", "recall", "uncited")} == {
        "precision": 2 / 5,
        "recall": 2 / 3,
        "uncited": 0,
    }
    assert [citation["correct"] for citation in first["citations"]] == [True] * 3 + [False] * 2
    assert first["citations"][2] == {
        "qid": "Q31",
        "property": "spouse",
        "value": "Bo Lind",
        "correct": True,
    }
    assert second["citations"] == [] and second["metrics"]["precision"] is None


def test_scores_as_tables(run: Score, tmp_path: Path) -> None:
    text = "Ann wed Bo Lind [NA]. She was a painter [Q31, occupation: painter, spouse: Bo Lind]."
    records = told(("wed", ANN), removed=0) + told(("wed", text), removed=1)
    done = run(save(tmp_path, records))
    assert done.exit_code == 0, done.output
    shown, marks = (
        [line.split() for line in part.splitlines()] for part in done.stdout.split("\n\n")
    )
    names = ["removed", "average", "answers", "citations", "correctness", "precision", "recall"]
    assert shown[0] == [*names, "F1", "alignment"]
    assert [row[:5] for row in shown[2:]] == [
        ["0", "micro", "1", "5", "60%"],  # one answer tells nothing of others, so no interval
        ["0", "macro", "40%", "67%", "50%"],
        ["0", "micro,", "with", "equivalents", "40%"],
        ["1", "micro", "1", "2", "50%"],  # the marriage was not given
        ["1", "macro", "0%", "(0–79)", "0%"],
        ["1", "micro,", "with", "equivalents", "0%"],
    ]
    assert marks[0] == ["removed", "[NA]", "sentences", "absent", "precision", "recall", "F1"]
    # One sentence with [NA], and it tells the one piece that is absent; the same from the other
    # spouse is absent, too, but no piece of the set.
    assert marks[2:] == [["1", "1", "1", *("100%", "(21–100)") * 3]]
    assert done.stderr == (
        "Answers that cite nothing: 0 of 2, refusals: 0 of 2\n"
        "Citations of items without facts in the prompt: 1 of 7\n"
        "Entailment was decided by: words\n"
        "Not answered, and so not counted: 1 of 2 questions\n"
        "Not answered, and so not counted: 1 of 2 questions (removed 1)\n"
    )


def test_each_answer_is_scored_against_its_own_pool(run: Score, tmp_path: Path) -> None:
    cases: list[tuple[dict[str, Any], tuple[int, int, int]]] = [
        # How many of the five citations are right, needed, and of items without facts.
        ({}, (3, 2, 1)),
        ({"removed": None, "accuracy": None}, (3, 2, 1)),  # all of it
        ({"removed": 0, "accuracy": 100}, (3, 2, 1)),
        ({"removed": 1}, (2, 1, 1)),  # without the marriage
        ({"removed": 2}, (1, 0, 1)),  # and without the birth
        ({"accuracy": 80}, (0, 0, 4)),  # Q42 in the place of Q31
        ({"accuracy": 80, "removed": 2}, (0, 0, 4)),
    ]
    records = [told(("wed", ANN), model=f"m{n}", **more)[0] for n, (more, _) in enumerate(cases)]
    rows = json.loads(run(save(tmp_path, records), "--json").stdout)
    names = ("correctness", "precision", "unknown_items")
    assert [tuple(round(row[name] * 5) for name in names) for row in rows] == [
        counts for _, counts in cases
    ]
    # The recall is of all the set, whatever was taken away.
    assert [row["recall"] for row in rows] == [needed / 3 for _, (_, needed, _) in cases]


def test_a_graph_in_the_place_of_another_can_be_cited(run: Score, tmp_path: Path) -> None:
    text = "He was a physicist [Q42, occupation: physicist] from Graz [Q41, occupation: chemist]."
    path = save(tmp_path, told(("wed", text), accuracy=80))
    (one,) = json.loads(run(path, "--json").stdout)
    assert (one["correctness"], one["precision"]) == (1 / 2, 0)


def test_long_and_broken_answers_are_scored(run: Score, tmp_path: Path) -> None:
    path = save(tmp_path, told(("wed", "[Q31, " * 20_000), ("taught", "\x00[[[NA\n]")))
    (one,) = json.loads(run(path, "--json").stdout)
    assert (one["refused_of"], one["correctness"]) == (2, 0)


@pytest.mark.parametrize(
    ("records", "said"),
    [
        (
            told(("wed", "a"), ("wed", "b"), removed=1),
            "same question: question_id 'wed', removed '1'. Remove one of them",
        ),
        (
            told(("wed", "a"), removed=3),
            "{}: an answer to 'wed' has the removed '3', not one of 0, 1, 2.",
        ),
        (
            told(("taught", "a"), accuracy=80),
            "{}: an answer to 'taught' has the accuracy '80', not one of 100.",
        ),
    ],
)
def test_wrong_calls_are_errors(
    run: Score, tmp_path: Path, records: list[dict[str, Any]], said: str
) -> None:
    path = save(tmp_path, records)
    done = run(path)
    assert (done.exit_code, done.stdout) == (2, "")
    assert said.format(path) in done.stderr


WORDS = (
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
    *("ann", "bo", "graz", "born", "in", "spouse", ":"),
)


def save_inference_model(folder: Path, labels: Sequence[str], winner: int | None = None) -> str:
    """Save a small BERT that classifies pairs by chance, or all alike, and return its folder."""
    pytest.importorskip("sentence_transformers", reason="needs sentence-transformers")
    import torch
    import transformers

    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(WORDS), encoding="utf-8")
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(WORDS), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=16, max_position_embeddings=64, initializer_range=1.0,
        id2label=dict(enumerate(labels)), label2id={name: n for n, name in enumerate(labels)},
    )  # fmt: skip
    model = transformers.BertForSequenceClassification(config)
    if winner is not None:
        model.classifier.bias.data[winner] = 1e3
    model.save_pretrained(folder)
    transformers.BertTokenizer(str(folder / "vocab.txt")).save_pretrained(folder)
    return str(folder)


PAIRS = [
    (one, other)
    for one in ("Ann was born in Graz", "Bo", "", "in in in")
    for other in ("spouse: Bo", "born: Graz " * 100, "Ann")
]


@pytest.mark.extras
@pytest.mark.parametrize(
    "labels", [("contradiction", "neutral", "ENTAILMENT"), ("entailment", "not_entailment")]
)
def test_the_class_with_the_highest_score_decides(tmp_path: Path, labels: tuple[str, ...]) -> None:
    model = save_inference_model(tmp_path / "model", labels)
    place = [label.lower() for label in labels].index("entailment")
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(model)
    judge = transformers.AutoModelForSequenceClassification.from_pretrained(model).eval()
    expected = []
    for pair in PAIRS:
        read = tokenizer(*pair, truncation=True, max_length=64, return_tensors="pt")
        with torch.inference_mode():
            expected.append(int(judge(**read).logits.argmax()) == place)
    assert entailments(model, PAIRS) == expected
    assert set(expected) == {True, False}  # so there was something to tell
    assert entailments(model, PAIRS[::-1]) == expected[::-1]
    assert entailments(model, []) == []


@pytest.mark.extras
@pytest.mark.parametrize("labels", [("LABEL_0", "LABEL_1"), ("not_entailment", "neutral")])
def test_a_model_without_entailment_is_an_error(tmp_path: Path, labels: tuple[str, ...]) -> None:
    model = save_inference_model(tmp_path / "model", labels)
    with pytest.raises(NoModelError) as error:
        entailments(model, PAIRS)
    assert (
        error.value.detail == f"none of its classes is called entailment, but {', '.join(labels)}"
    )


@pytest.mark.extras
@pytest.mark.parametrize(("winner", "alignment"), [(0, 0.0), (1, 1.0)])
def test_scores_by_a_model(run: Score, tmp_path: Path, winner: int, alignment: float) -> None:
    model = save_inference_model(tmp_path / "model", ("neutral", "entailment"), winner)
    done = run(save(tmp_path, BOTH), "--entailment", model, "--json")
    (one,) = json.loads(done.stdout)
    assert (one["alignment"], one["entailment"]) == (alignment, model)
    assert f"Entailment was decided by: {model}\n" in done.stderr


@pytest.mark.extras
def test_a_missing_model_is_an_error(run: Score, tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers", reason="needs sentence-transformers")
    path = save(tmp_path, BOTH)
    done = run(path, "--entailment", tmp_path)
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"{tmp_path} cannot be used as a model: " in done.stderr
    done = run(path, "--entailment", "nobody/nothing")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "There is no model 'nobody/nothing' on this machine." in done.stderr


def test_people_judge_citations_of_answers(db: Path, run: Score) -> None:
    database = datasets.database(db)
    texts = {0: ANN, 1: "She sang. [Q31, spouse: Bo Lind] [Q31, spouse: Bo Lind] [Q32]"}
    database.write_predictions(
        [
            Prediction("biokalma", "wed", None, "m", "specific", removed, 100, 0, "", text, 1, 1, 0)
            for removed, text in texts.items()
        ]
    )
    selection = Selection(dataset("biokalma"), of_predictions=True)
    ids = [f"wed, m, specific, removed {removed}, accuracy 100, 0" for removed in texts]
    with database.reading() as select:
        complete, incomplete = views(select, selection, ids)
    first = "Ann Roe, a painter from Washington, D.C., married Bo Lind."
    second = "He was born on 1 November 1871 and sang."
    assert [(one.key, one.heading, one.text) for one in complete.questions[1:]] == [
        (
            f"supported: {number} {qid} {name} {value}",
            text,
            f"supported by {qid} · {name}: {value}?",
        )
        for number, text, qid, name, value in (
            (1, first, "Q31", "occupation", "painter"),
            (1, first, "Q31", "place of birth", "Washington, D.C."),
            (1, first, "Q31", "spouse", "Bo Lind"),
            (2, second, "Q32", "date of birth", "1871-11-02"),
            (2, second, "Q99", "occupation", "poet"),
        )
    ]
    assert [one.key for one in incomplete.questions] == [
        "acceptable",
        "supported: 1 Q31 spouse Bo Lind",
    ]

    now = datetime.datetime(2026, 1, 1)  # noqa: DTZ001 - of UTC, as the table
    answers = [question.key for question in complete.questions]
    database.write_review(
        *(
            Review(selection.name, ids[0], "Ada", key, "no" if "Q99" in key else "yes", now)
            for key in answers
        ),
        Review(selection.name, ids[1], "Ada", incomplete.questions[1].key, "no", now),
    )
    with database.reading() as select:
        assert verdicts.survivors(select, selection) == ({ids[0]}, {ids[0]})

    assert run().exit_code == 0
    text = (ROOT / "docs/reproduce.md").read_text(encoding="utf-8")
    (query,) = re.findall(r"```sql\n(.*?)```", text, re.DOTALL)
    assert database.sql(query).rows == [
        ("m", "specific", 0, 100, 0.8, 5, 0.6, ""),
        ("m", "specific", 1, 100, 0.0, 1, 0.0, ""),
    ]
