"""Read files of questions: their columns, their cells, and rejected records."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgbuild.data_files import read_toml
from kgbuild.datasets.granola.files.columns import parse_columns
from kgbuild.datasets.granola.files.records import FileAnswer, FileRecord, records
from kgbuild.datasets.granola.files.records import read as read_source
from kgbuild.errors import TableFileError, WrongCallError
from kgbuild.tables.files import read_file

_REASONS = read_toml("datasets/granola/reasons.toml")

FILE = Path("mine.json")


def read(columns: str, *rows: Sequence[Any], **chosen: str) -> list[FileRecord]:
    """Return the records of rows of which none is left out."""
    _, results, rejections, _ = records(FILE, columns.split(), rows, chosen)
    assert rejections == []
    return results


def left(columns: str, *rows: Sequence[Any]) -> list[tuple[str, str, str]]:
    """Return what is left out of rows."""
    rejections = records(FILE, columns.split(), rows, {}).rejections
    assert {rejection.reason for rejection in rejections} <= set(_REASONS["record"])
    return [tuple(rejection) for rejection in rejections]


def from_file(path: Path) -> tuple[list[FileRecord], list[str]]:
    made = read_file(path)
    _, results, rejections, _ = records(path, made.columns, made.rows, {})
    return results, [rejection.reason for rejection in rejections]


def test_all_fields():
    row = ("p1", "Who wrote It?", ["King", "S. King"], "q47", ["Q1", "Q2"], "p50")
    assert read("source_id question answers subject_qid answer_qids relation", row) == [
        FileRecord(
            key="p1",
            question="Who wrote It?",
            answers=(FileAnswer("King", "Q1"), FileAnswer("S. King", "Q2")),
            subject_qid="Q47",
            relation="p50",
        )
    ]


def test_a_question_alone_is_enough():
    assert read("number question", (7, " Who? ")) == [FileRecord("record 1", "Who?")]
    assert read("id question", (7, " Who? ")) == [FileRecord("7", "Who?")]


def test_columns_of_other_names():
    results = read("text gold", ("Who?", "A"), question="text", answers="gold")
    assert results == [FileRecord("record 1", "Who?", (FileAnswer("A", None),))]
    # A column that is named counts, not that of the usual name.
    results = read("question q answer", ("old", "new", "A"), question="q")
    assert results == [FileRecord("record 1", "new", (FileAnswer("A", None),))]


@pytest.mark.parametrize(
    ("cell", "texts"),
    [
        ("Paris", ["Paris"]),
        (["Paris", " Rome "], ["Paris", "Rome"]),
        ("Paris|Rome | Bern", ["Paris", "Rome", "Bern"]),
        ('["Paris", "R\\u00f4me"]', ["Paris", "Rôme"]),  # JSON in a cell of a CSV file
        ("['Paris', \"Côte d'Azur\"]", ["Paris", "Côte d'Azur"]),  # as Python writes a list
        ("[spunge]", ["[spunge]"]),  # a band, and no list
        ("['a\\d", ["['a\\d"]),
        ("[" * 9999, ["[" * 9999]),
        ('"Heroes"', ['"Heroes"']),  # its name
        ('"Heroes" and more', ['"Heroes" and more']),
        (["A|B"], ["A|B"]),  # what is a list already is not split
        (["A", "", None, "A"], ["A"]),
        ("A||B", ["A", "B"]),
        (1958, ["1958"]),
        ([1958, 1959], ["1958", "1959"]),
        ("[1958]", ["1958"]),
    ],
)
def test_answers(cell, texts):
    (record,) = read("question answers", ("Who?", cell))
    assert [answer.text for answer in record.answers] == texts


@pytest.mark.parametrize(
    ("texts", "ids", "answers"),
    [
        (["a", "b"], ["Q1", "Q2"], [("a", "Q1"), ("b", "Q2")]),
        ("a|b", "Q1|Q2", [("a", "Q1"), ("b", "Q2")]),
        (["a", "b"], "Q1", [("a", "Q1"), ("b", "Q1")]),  # two names of one item
        (["a", "b"], None, [("a", None), ("b", None)]),
        (["a", "b"], ["Q1", None], [("a", "Q1"), ("b", None)]),
        ("a", "http://www.wikidata.org/entity/Q1", [("a", "Q1")]),
    ],
)
def test_ids_of_answers(texts, ids, answers):
    (record,) = read("question answers answer_qids", ("Who?", texts, ids))
    assert list(record.answers) == answers


def test_ids_without_texts():
    (record,) = read("question answer_qids", ("Who?", "Q1|Q2"))
    assert record.answers == (FileAnswer("", "Q1"), FileAnswer("", "Q2"))


def test_bad_records_are_rejected_and_the_others_read():
    columns = "question answers subject_qid answer_qids relation source_id"
    assert left(
        columns,
        ("A?", "a", None, None, None, "fine"),
        ("  ", "a", None, None, None, "b"),
        ("C?", None, None, None, None, None),
        ("D?", [], None, None, None, "d"),
        ("E?", {"name": "a"}, None, None, None, "e"),
        ("F?", [["a"]], None, None, None, "f"),
        ("G?", "a", "Q0", None, None, "g"),
        ("H?", "a", "P19", None, None, "h"),
        ("I?", "a", None, ["Q1", "x"], None, "i"),
        ("J?", ["a", "b"], None, ["Q1", "Q22x"], None, "j"),
        ("L?", ["a", "b", "c"], None, ["Q1", "Q2"], None, "l"),
        (["M?"], "a", None, None, None, ["m"]),
        ("a?", "b", None, None, None, "n"),  # the first, in another case
    ) == [
        ("b", "no question", "mine.json, record 2"),
        ("record 3", "no answers", "mine.json, record 3"),
        ("d", "no answers", "mine.json, record 4"),
        ("e", "malformed record", "mine.json, record 5: 'answers' is to be a text"),
        ("f", "malformed record", "mine.json, record 6: 'answers' is to be a text"),
        ("g", "malformed id", "mine.json, record 7: Q0"),
        ("h", "malformed id", "mine.json, record 8: P19"),
        ("i", "malformed record", "mine.json, record 9: 1 answers have 2 ids"),
        ("j", "malformed id", "mine.json, record 10: Q22x"),
        ("l", "malformed record", "mine.json, record 11: 3 answers have 2 ids"),
        ("record 12", "malformed record", "mine.json, record 12: 'question' is to be a text"),
        ("n", "asked before", "mine.json, record 13: a?"),
    ]


def test_one_question_with_two_relations_or_subjects():
    # "Where is it located?" has two; and the file tells namesakes apart by their ids.
    rows = [("Where?", r, q) for r in ("P131", "P276", None) for q in ("Q1", "Q2", None)]
    assert len(read("question relation subject_qid", *rows)) == 9
    (again,) = left("question relation subject_qid", *rows, rows[0])
    assert again == ("record 10", "asked before", "mine.json, record 10: Where?")


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("", "names no field: they are question, answers, subject, subject_qid, answer_qids, "),
        ("gold=x", "names no field"),
        ("question=a,", "names no field"),
        ("question", "names no column: write question=COLUMN"),
        ("question= ", "names no column"),
        ("question=a,question=b", "names the field 'question' a second time"),
    ],
)
def test_an_option_that_names_columns_wrongly(text, detail):
    with pytest.raises(WrongCallError, match="--columns: '") as caught:
        parse_columns(text)
    part = text.split(",")[-1]
    assert f"--columns: '{part}' {detail}" in str(caught.value)


def test_an_option_that_names_columns():
    assert parse_columns(" question = the text ,answers=a=b") == {
        "question": "the text",
        "answers": "a=b",
    }


@pytest.mark.parametrize(
    ("columns", "chosen", "missing", "near"),
    [
        ("Questions answers", {}, "question", ["Questions"]),
        ("question answers", {"answers": "gold"}, "gold", []),
        ("text answers", {}, "question", []),
    ],
)
def test_a_column_that_is_missing(columns, chosen, missing, near):
    with pytest.raises(WrongCallError, match="has no column") as caught:
        records(FILE, columns.split(), [("a", "b")], chosen)
    similar = f" Similar: {near[0]}." if near else f"It has: {', '.join(columns.split())}."
    assert f"no column '{missing}'" in str(caught.value) and similar in str(caught.value)


def test_capitals_in_names_of_columns_and_semicolons_between_answers():
    _, accepted, _, _ = records(
        FILE, ["Question", "Answer"], [("Who?", "Ann Lee; Steins;Gate | Bo")], {}
    )
    assert accepted[0].question == "Who?"
    assert [answer.text for answer in accepted[0].answers] == ["Ann Lee", "Steins;Gate", "Bo"]


def test_a_file_without_records():
    with pytest.raises(TableFileError, match="it has no questions"):
        records(FILE, ["json"], [], {})


# Files as they come

ROWS = [
    {"question": "Who wrote It?", "answers": ["King", "S. King"]},
    {"question": "Who wrote Öde?", "answers": ["Ł"]},
]
FOUND = [
    FileRecord(
        "record 1", "Who wrote It?", (FileAnswer("King", None), FileAnswer("S. King", None))
    ),
    FileRecord("record 2", "Who wrote Öde?", (FileAnswer("Ł", None),)),
]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", json.dumps(ROWS)),
        ("a.jsonl", "".join(json.dumps(row) + "\n" for row in ROWS)),
        ("a.csv", "question,answers\nWho wrote It?,King|S. King\nWho wrote Öde?,Ł\n"),
        ("a.tsv", 'question\tanswer\nWho wrote It?\t["King", "S. King"]\nWho wrote Öde?\tŁ\n'),
        # One a text, the other a list.
        ("b.json", json.dumps([ROWS[0], {**ROWS[1], "answers": "Ł"}])),
    ],
)
def test_every_kind_of_file(tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert from_file(tmp_path / name) == (FOUND, [])


def test_one_bad_record_among_good_ones(tmp_path):
    # A number changes no other record.
    rows = [*ROWS, {"question": 5, "answers": 1958}, {"question": None}, {"question": {"a": 1}}]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    results, reasons = from_file(tmp_path / "a.json")
    assert results == [*FOUND, FileRecord("record 3", "5", (FileAnswer("1958", None),))]
    assert reasons == ["no question", "malformed record"]


def test_dates_that_the_reader_takes_for_such(tmp_path):
    rows = [{"question": "When?", "answers": "1958-03-22"}]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    ((record,), _) = from_file(tmp_path / "a.json")
    assert record.answers == (FileAnswer("1958-03-22", None),)


GOOD = b'{"question": "Who wrote it?"}'
CUT, MIXED = b'{"question": "Who wr', b'{"question": "Who wr\xf6te?"}'


@pytest.mark.parametrize(
    ("name", "content", "detail"),
    [
        # An empty line counts, though nothing stands in it.
        ("a.jsonl", [GOOD, b"", GOOD, CUT], "line 4: Unterminated string"),
        ("a.jsonl", [CUT, GOOD], "line 1: Unterminated string"),
        ("a.jsonl", [*[GOOD] * 3000, MIXED, GOOD], "line 3,001 is not UTF-8; save it as UTF-8"),
        ("a.jsonl", [GOOD, b"Who?", GOOD], "line 2: Expecting value"),
        ("a.json", [b"[", GOOD + b",", CUT], "line 3: Unterminated string"),
        ("a.json", [b"[" + GOOD + b",", MIXED + b"]"], "line 2 is not UTF-8; save it as UTF-8"),
        ("a.json", [b"[" + GOOD, GOOD + b"]"], "line 2: Expecting ',' delimiter"),
        ("a.json", [GOOD, CUT], "line 2: Unterminated string"),  # lines all the same
    ],
)
def test_the_error_names_the_line_without_json(tmp_path, name, content, detail):
    (tmp_path / name).write_bytes(b"\n".join(content))
    with pytest.raises(TableFileError) as caught:
        read_file(tmp_path / name)
    assert caught.value.detail in (detail, f"Malformed JSON in {detail}")


def test_half_a_character_is_named_by_its_line(tmp_path):
    # It is JSON to Python, but no text: a model was cut within an emoji.
    whole, half = '{"question": "\\ud83d\\ude00"}', '{"question": "\\ud83d"}'
    for name, text in {"a.jsonl": f"{whole}\n{half}\n", "a.json": f"[{whole},\n{half}]"}.items():
        (tmp_path / name).write_text(text)
        with pytest.raises(TableFileError, match="Malformed JSON in line 2: Half of a character"):
            read_file(tmp_path / name)


CELLS = st.recursive(
    st.none() | st.integers() | st.text() | st.binary() | st.floats() | st.just("Q1"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=5,
)


@settings(max_examples=60)
@given(st.lists(st.tuples(*[CELLS] * 6), min_size=1, max_size=4))
def test_every_record_is_accepted_or_rejected(rows):
    columns = ["question", "answers", "subject_qid", "answer_qids", "relation", "source_id"]
    _, results, rejections, _ = records(FILE, columns, rows, {})
    assert len(results) + len(rejections) == len(rows)
    for record in results:
        assert record.question and record.answers
        assert all(answer.text or answer.qid for answer in record.answers)


# Shapes of benchmarks


@pytest.mark.parametrize(
    ("row", "record"),
    [
        (  # PopQA, whose file is a TSV with lists in JSON
            {
                "id": 4222362,
                "subj": "George Rankin",
                "prop": "occupation",
                "obj": "politician",
                "s_uri": "http://www.wikidata.org/entity/Q5543720",
                "question": "What is George Rankin's occupation?",
                "possible_answers": '["politician", "pol"]',
            },
            FileRecord(
                "4222362",
                "What is George Rankin's occupation?",
                (FileAnswer("politician", None), FileAnswer("pol", None)),
                "George Rankin",
                "Q5543720",
                "occupation",
            ),
        ),
        (  # its fields in another one
            {
                "question": "Who?",
                "answers": ["A"],
                "metadata": {"s_uri": "http://www.wikidata.org/entity/Q5", "prop": "capital of"},
            },
            FileRecord("record 1", "Who?", (FileAnswer("A", None),), None, "Q5", "capital of"),
        ),
        (  # SimpleQuestions on Wikidata
            {"subject": "Q76", "property": "P19", "object": "Q18094", "question": "Where?"},
            FileRecord("record 1", "Where?", (FileAnswer("", "Q18094"),), None, "Q76", "P19"),
        ),
        (  # TriviaQA
            {
                "question_id": "tc_1",
                "question": "Who?",
                "answer": {"value": "Sinclair", "aliases": ["Sinclair", "S. Lewis"], "type": "x"},
            },
            FileRecord(
                "tc_1", "Who?", (FileAnswer("Sinclair", None), FileAnswer("S. Lewis", None))
            ),
        ),
        (  # a release of kgbuild
            {"question": "Where?", "answers": [{"qid": "Q90", "label": "Paris"}]},
            FileRecord("record 1", "Where?", (FileAnswer("Paris", "Q90"),)),
        ),
        (  # SQuAD
            {
                "id": "5",
                "question": "Who?",
                "answers": {"text": ["A", "B"], "answer_start": [1, 2]},
            },
            FileRecord("5", "Who?", (FileAnswer("A", None), FileAnswer("B", None))),
        ),
        (  # Natural Questions in KILT: some outputs are only passages
            {"id": "5", "input": "Who?", "output": [{"answer": "A"}, {"answer": "B"}]},
            FileRecord("5", "Who?", (FileAnswer("A", None), FileAnswer("B", None))),
        ),
        (  # Natural Questions, as an open benchmark
            {"question": "Who?", "answer": ["A", "B"]},
            FileRecord("record 1", "Who?", (FileAnswer("A", None), FileAnswer("B", None))),
        ),
        (  # names in columns of their own
            {"question": "Who?", "subject": "Ann Lee", "relation": "mother"},
            FileRecord("record 1", "Who?", subject="Ann Lee", relation="mother"),
        ),
    ],
)
def test_benchmarks_are_recognised_by_their_columns(tmp_path, row, record):
    (tmp_path / "a.jsonl").write_text(json.dumps(row) + "\n")
    assert from_file(tmp_path / "a.jsonl") == ([record], [])


NESTED = {"question": "Where was Ann born?", "answers": ["Ulm"]}
NAMES_OF_ANSWERS = (
    *("golden_answers", "gold_answer", "possible_answers", "short_answers", "ground_truth"),
    *("target", "targetValue", "exact_answer", "correct_answer", "reference", "expected"),
)


@pytest.mark.parametrize(
    "content",
    [
        {"data": [NESTED]},
        {"version": "1.1", "data": [{"title": "Ann", "paragraphs": [{"qas": [NESTED]}]}]},  # SQuAD
        {"Data": [{"Question": NESTED["question"], "Answer": {"Value": "Ulm", "Aliases": []}}]},
        [
            {  # Mintaka
                "question": NESTED["question"],
                "answer": {"answer": [{"name": "Q3012", "label": {"en": "Ulm"}}], "mention": "U."},
                "questionEntity": [{"name": "Q1", "label": "Ann"}],
            }
        ],
        [
            {  # MuLan
                "question": NESTED["question"],
                "subject": {"qid": "Q1", "label": "Ann"},
                "relation": "P19",
                "objects": [{"qid": "Q3012", "label": "Ulm", "aliases": ["Ulm an der Donau"]}],
            }
        ],
        *([{"question": NESTED["question"], name: "Ulm"}] for name in NAMES_OF_ANSWERS),
    ],
)
def test_records_of_well_known_sets(tmp_path, content):
    (tmp_path / "a.json").write_text(json.dumps(content))
    (record,), rejected = from_file(tmp_path / "a.json")
    assert (record.question, record.answers[0].text, rejected) == ("Where was Ann born?", "Ulm", [])


@pytest.mark.parametrize("name", ["a.txt", "a.tsv"])
def test_simple_questions_without_a_header(tmp_path, name):
    (tmp_path / name).write_text("Q1\tP19\tQ2\twhere?\nQ2\tR19\tQ1\twho was born there\n")
    source = read_source(tmp_path / name, {})
    assert source.records == [
        FileRecord("record 1", "where?", (FileAnswer("", "Q2"),), None, "Q1", "P19"),
        FileRecord(
            "record 2", "who was born there", (FileAnswer("", "Q1"),), None, "Q2", "P19", True
        ),
    ]


def test_columns_that_may_have_answers_are_named():
    row = ("Who?", "A", None, 7, {"label": "A", "ids": [{"x": 1}]})
    columns = ["question", "my_label", "empty", "answer_id", "meta"]
    # The id of an answer that is no item's is no answer; the object of a column is none, either.
    assert records(FILE, columns, [row], {}).unused == ["my_label", "meta.label", "meta.ids.x"]
    assert records(FILE, columns, [row], {"answers": "meta.label"}).unused == ()
    for gold in ("A", [], None):  # an empty column of answers is one, too
        row = ("Who?", gold, "B")
        assert records(FILE, ["question", "gold", "kind"], [row], {}).unused == ()


def test_nested_columns_that_the_user_names(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps([{"q": {"text": "Who?"}, "gold": [{"name": "A"}]}]))
    made = read_file(tmp_path / "a.json")
    chosen = {"question": "q.text", "answers": "gold.name"}
    results = records(FILE, made.columns, made.rows, chosen).records
    assert results == [FileRecord("record 1", "Who?", (FileAnswer("A", None),))]
    with pytest.raises(WrongCallError, match="has no column") as caught:
        records(FILE, made.columns, made.rows, {"question": "q.txt"})
    assert "no column 'q.txt'" in str(caught.value)
    assert " Similar: q.text." in str(caught.value)


def test_nested_fields_of_some_rows_only():
    rows = [("Who?", "A"), ("What?", {"text": "B"})]
    assert [record.answers[0].text for record in read("question answers", *rows)] == ["A", "B"]
    (rejection,) = left("question answers", ("Who?", {"name": "A"}))
    assert rejection[1] == "malformed record"  # an object is no text
