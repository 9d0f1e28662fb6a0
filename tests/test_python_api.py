"""The Python API: the code of docs/python.md runs, and a dataset made there goes all the way."""

import contextlib
import dataclasses
import inspect
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy
import pandas
import pytest

import kgbuild
from kgbuild.errors import WrongCallError
from kgbuild.review import verdicts
from kgbuild.review.selection import Selection, sample, strata, views
from kgbuild.review.session import Session, alias
from tests.chat_server import chat_server
from tests.conftest import ROOT, SAMPLE

TEXT = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
VERSIONS = """
SELECT relation, evidence[1].subject || ' ' || relation AS "key", question_id AS id,
    [question] AS questions, {'answer': answer} AS contents,
    [{'scope': evidence[1].subject || ' ' || relation,
      'statement': concat_ws(' ', evidence[1].subject, relation, evidence[1]."object"),
      'forms': [evidence[1]."object"]}] AS evidence,
    true AS is_stated, NULL::VARCHAR[] AS place,
    NULL::VARCHAR AS replacement, NULL::VARCHAR AS replaced
FROM capitals ORDER BY rowid
"""
STATEMENTS = """
SELECT evidence[1].subject || ' ' || relation AS scope, list(evidence[1]."object") AS forms
FROM capitals GROUP BY scope
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """Return the names that are defined after all blocks of the page have run, in its folder."""
    folder = tmp_path_factory.mktemp("python")
    (folder / "sample.nt").symlink_to(SAMPLE)
    with contextlib.chdir(folder), chat_server() as server, pytest.MonkeyPatch.context() as patch:
        patch.delenv("OPENAI_API_KEY", raising=False)
        server.say = lambda sent: "Paris"
        names: dict[str, Any] = {"__name__": "page"}
        for place, text in enumerate(BLOCKS, 1):
            block = text.replace("http://localhost:8000/v1", server.url)
            exec(compile(block, f"docs/python.md, block {place}", "exec"), names)
        yield {**names, "folder_of_page": folder}


def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cells = json.loads((ROOT / "docs" / "notebook.ipynb").read_text(encoding="utf-8"))["cells"]
    names: dict[str, Any] = {}
    for cell in cells + cells:  # it can be run again
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
    ((_, metrics),) = names["scores"].groups
    # The coarsest answers are true, and none is the finest.
    assert metrics["accuracy"].value == 1 and metrics["standard"].value < 0.1


def test_it_ends_in_a_data_frame(page: dict[str, Any]) -> None:
    pairs = page["pairs"]
    # As many rows as the build has, each with two different questions.
    assert len(pairs) > 50 and (pairs["question"] != pairs["false_question"]).all()
    assert set(pairs["relation"]) == {"P26", "P40", "P69"}


def test_a_store_is_looked_into(page: dict[str, Any]) -> None:
    assert page["match"].qid == "Q7186" and len(page["neighbours"]) == 3
    assert page["subgraph"].edges


def test_relations_are_named_by_label_or_id(page: dict[str, Any]) -> None:
    assert [part.relation for part in page["granola"].parts] == ["P19", "P69"]
    assert all(part.rows == 50 for part in page["granola"].parts)


def test_answers_are_asked_for_and_scored(page: dict[str, Any]) -> None:
    assert len(page["result"].predictions) == 10 and page["result"].failures == []
    low, high = page["accuracy"].interval
    assert 0 < low <= page["accuracy"].value <= high < 1


def test_an_error_is_a_sentence(page: dict[str, Any]) -> None:
    assert "no/such/folder" in page["message"] and page["message"].endswith(".")


def test_a_dataset_of_ones_own_is_built_asked_scored_reported_and_released(
    page: dict[str, Any],
) -> None:
    folder = page["folder_of_page"]
    built = page["built"]
    assert built.rows > 100 and built.dataset.name == "capitals"
    # Of all capitals only those of France can be Paris.
    assert page["scores"].groups[0][1]["accuracy"].value == pytest.approx(1 / built.rows, abs=0.02)
    html = (folder / "capitals.html").read_text(encoding="utf-8")
    assert "What is the capital of a country?" in html and "Capitals" in html
    assert {path.name for path in (folder / "capitals-release").iterdir()} >= {
        *("README.md", "croissant.json", "parquet", "jsonl", "csv")
    }


@pytest.fixture
def database(page: dict[str, Any], tmp_path: Path) -> Iterator[kgbuild.Database]:
    original = page["folder_of_page"] / "data" / "capitals.duckdb"
    path = Path(shutil.copy(original, tmp_path / "capitals.duckdb"))
    with kgbuild.database(path, more=[page["capitals"]]) as db:
        yield db


def test_no_file_of_the_package_names_it() -> None:
    for path in (ROOT / "kgbuild").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert '"capitals"' not in text and "FROM capitals" not in text, path


def test_it_is_reviewed(page: dict[str, Any], database: kgbuild.Database) -> None:
    selection = Selection(page["capitals"])
    ids = sample(strata(database, selection, "split"), 2, seed=0)
    with database.reading() as select:
        rows = views(select, selection, ids)
    assert all(row.wordings["question"].startswith("What is the capital of") for row in rows)
    session = Session(database, selection, rows, frozenset(ids), lambda _: None)
    for row, answer in zip(rows, ("yes", "no"), strict=True):
        session.save(
            {
                "place": session.name,
                "item": alias(row.id),
                "reviewer": "Ada",
                "answers": {"right": answer},
                "at": 1_767_323_045_000,
            }
        )
    with database.reading() as select:
        survivors = verdicts.survivors(select, selection)
    assert (survivors.accepted, survivors.decided) == ({rows[0].id}, {row.id for row in rows})


def test_two_builds_are_compared(page: dict[str, Any], database: kgbuild.Database) -> None:
    for name, text in (("versions.sql", VERSIONS), ("statements.sql", STATEMENTS)):
        (page["folder_of_page"] / page["folder"] / name).write_text(text)
    older = database.path.with_name("older.duckdb")
    shutil.copy(database.path, older)
    with duckdb.connect(str(database.path)) as connection:
        (gone,), (reworded,) = connection.execute(
            "SELECT any_value(question_id) FROM capitals GROUP BY evidence[1].subject"
            " HAVING count(*) = 1 ORDER BY 1 LIMIT 2"
        ).fetchall()
        connection.execute("DELETE FROM capitals WHERE question_id = ?", [gone])
        connection.execute(
            "UPDATE capitals SET question_id = 'new', question = 'Its capital?'"
            " WHERE question_id = ?",
            [reworded],
        )
    with contextlib.chdir(page["folder_of_page"]):
        compared = kgbuild.diff(
            kgbuild.database(older, more=[page["capitals"]]), database, page["capitals"]
        )
    assert sorted(one.change for one in compared.differences) == ["gone", "reworded"]


# Datasets that do not fit their rows


def test_the_note_on_splits_is_that_of_the_dataset(page: dict[str, Any]) -> None:
    html = (page["folder_of_page"] / "capitals.html").read_text(encoding="utf-8")
    assert "How rows are split" in html and "By a hash" not in html
    html = (page["folder_of_page"] / "report.html").read_text(encoding="utf-8")
    assert "By a hash of the subject of the true question: no subject is in two splits." in html


def test_all_names_of_the_promise_are_there_and_import_nothing_at_first() -> None:
    assert {*kgbuild.__all__} == {"__version__", *kgbuild._DATASETS, *kgbuild._MODULES}
    for name in kgbuild.__all__:
        assert getattr(kgbuild, name) is not None
    code = (
        "import sys, kgbuild; print(sorted({'numpy', 'duckdb', 'click', 'rich'} & {*sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_an_unknown_name_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        assert kgbuild.nonsense


def test_the_page_lists_no_other_modules_than_there_are() -> None:
    for module in re.findall(r"from (kgbuild[\w.]*) import", TEXT):
        assert (
            Path(ROOT, *module.split(".")).with_suffix(".py").exists()
            or Path(ROOT, *module.split(".")).is_dir()
        )


def test_a_report_that_cannot_be_written_leaves_nothing(
    page: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    path = page["folder_of_page"] / "data" / "datasets.duckdb"
    with kgbuild.database(path) as db, pytest.raises(kgbuild.KgbuildError):
        kgbuild.write_report(db, tmp_path / "file" / "report.html")
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_the_store_is_read(page: dict[str, Any]) -> None:
    assert (page["born"].kind, page["born"].text) == ("time", "1867-11-07T00:00:00Z")
    assert page["births"]["Q7186"] == (page["born"],) and page["birthplace"] == ("Q270",)
    for name in vars(page["knowledge"]):
        assert f"``{name}" in type(page["knowledge"]).__doc__, name


def test_wrong_queries_and_parameters_are_named(page: dict[str, Any]) -> None:
    with kgbuild.open(page["folder_of_page"] / "data" / "kg") as store:
        with pytest.raises(kgbuild.KgbuildError, match="kgbuild has no query 'nosuch', only: alia"):
            store.graph.select("nosuch")
        with pytest.raises(kgbuild.KgbuildError, match=r"subject, property.*not .prop"):
            store.graph.select("values", subject="Q1", prop="P1")
        assert len(repr(store.manifest)) < 300


def test_wrong_attributes_and_options_are_named(page: dict[str, Any]) -> None:
    with kgbuild.database(page["folder_of_page"] / "data" / "datasets.duckdb") as db:
        with pytest.raises(kgbuild.KgbuildError, match="granola has no attribute 'nope', only: "):
            kgbuild.score(kgbuild.granola, db=db, by="nope")
        with pytest.raises(kgbuild.KgbuildError, match="no option 'nope', only: threshold, decay"):
            kgbuild.score(kgbuild.granola, db=db, nope=1)
        with pytest.raises(kgbuild.KgbuildError, match="granola has no option 'nope', only: "):
            kgbuild.ask(kgbuild.granola, "model", db=db, nope=1)
        by_relation = kgbuild.score(kgbuild.granola, db=db, by="relation", decay=0.5)
    assert by_relation.groups


def test_a_notebook_needs_no_block_and_shows_little(page: dict[str, Any]) -> None:
    folder = page["folder_of_page"] / "data"
    store = kgbuild.open(folder / "kg")
    try:
        built = kgbuild.syn_qa.build(store, "P26", limit=2)  # one relation, no list
    finally:
        store.close()
    assert repr(built) == (
        f"<Build of syn-qa: 4 pairs from P26; {len(built.parts[0].rejections):,} rejected>"
    )
    assert "<td>P26</td><td>4</td>" in built._repr_html_()
    assert repr(built.parts[0]).startswith("Built(relation='P26', candidates=")
    assert (
        repr(store).startswith(f"<Store {folder / 'kg'}: ") and "sample.nt" in store._repr_html_()
    )
    db = kgbuild.database(folder / "datasets.duckdb")
    assert repr(db) == f"<Database {folder / 'datasets.duckdb'}>"
    assert "<td>syn_qa_pairs</td>" in db._repr_html_()
    result = db.sql("SELECT relation, question FROM syn_qa_pairs ORDER BY ALL LIMIT 21")
    assert repr(result) == "<Result: 21 rows of relation, question>"
    assert result._repr_html_().endswith("</table><p>… and 1 more rows</p>")
    assert kgbuild.database(folder / "none.duckdb")._repr_html_().endswith("<table></table>")


def test_answers_come_from_tables_and_databases_from_paths(page: dict[str, Any]) -> None:
    path = page["folder_of_page"] / "data" / "datasets.duckdb"
    answers = page["answers"]
    frame = pandas.DataFrame(answers)
    scores = kgbuild.score(kgbuild.granola, frame, db=path)
    for source in (answers, iter(answers)):
        again = kgbuild.score(kgbuild.granola, source, db=path)
        assert again.records() == scores.records()
    assert repr(scores) == f"<Scores of granola: {len(frame):,} answers of records, in 1 group>"
    assert "<td>accuracy</td>" in scores._repr_html_()
    frame.loc[0, "answer"] = float("nan")  # as pandas has an empty cell
    assert kgbuild.score(kgbuild.granola, frame, db=path).answers.answers[0].text == ""
    for wrong in (["Paris"], {"q": "Paris"}, 5, frame["answer"]):
        with pytest.raises(kgbuild.KgbuildError, match="no list of records such as"):
            kgbuild.score(kgbuild.granola, wrong, db=path)
    with pytest.raises(kgbuild.KgbuildError, match=r"^the table of answers has no column 'quest"):
        kgbuild.score(kgbuild.granola, frame[["answer"]], db=path)


def test_each_argument_of_another_type_is_named(page: dict[str, Any]) -> None:
    folder = page["folder_of_page"] / "data"
    db = kgbuild.database(folder / "datasets.duckdb")
    names = ("ask", "assess", "compare", "database", "diff", "load", "open", "publish", "score")
    functions = [getattr(kgbuild, name) for name in (*names, "write_report")]
    functions += [getattr(kgbuild, name).build for name in kgbuild._DATASETS]
    functions += [kgbuild.syn_qa.verify, kgbuild.biokalma.verify]
    tried = 0
    with kgbuild.open(folder / "kg") as store:
        functions += [store.lookup, store.similar, store.subgraph, store.sparql]
        functions += [
            kgbuild.Database,
            kgbuild.Settings,
            db.write,
            db.write_scores,
            db.table,
            db.sql,
            db.query,
        ]
        for function in functions:
            parameters = inspect.signature(function).parameters.values()
            for parameter in parameters:
                needed = {
                    other.name: store if other.name == "store" else db
                    for other in parameters
                    if other.default is other.empty and other.kind is not other.VAR_KEYWORD
                }
                if parameter.kind is parameter.VAR_KEYWORD or parameter.annotation is Any:
                    continue
                with pytest.raises(WrongCallError, match=r": '\w+' must be .*, not "):
                    function(**{**needed, parameter.name: object()})
                tried += 1
    assert tried > 120


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: kgbuild.syn_qa.build("kg", "P26"),  # type: ignore[arg-type]
            "build: 'store' must be a Store, which kgbuild.open returns, not 'kg'.",
        ),
        (
            lambda: kgbuild.Settings(max_tokens=True),
            "Settings: 'max_tokens' must be a whole number from 1 to 2,147,483,647 or None, "
            "not True.",
        ),
        (lambda: kgbuild.load([]), "Name the dumps to load: files or URLs."),
        (
            lambda: kgbuild.load(SAMPLE, languages=[]),
            "Name the languages of the labels to keep, such as en.",
        ),
        (
            lambda: kgbuild.publish(kgbuild.syn_qa, "new", db="x.duckdb", password=""),
            "The password is empty.",
        ),
        (
            lambda: kgbuild.write_report("x.duckdb", "r.pdf"),
            "r.pdf: the page is HTML: name a file.html.",
        ),
        (
            lambda: kgbuild.database("/").sql("SELECT 1"),
            "/ is not a DuckDB database. Name the file of one.",
        ),
        (
            lambda: kgbuild.Settings(foo=1),  # type: ignore[call-arg]
            "Settings: got an unexpected keyword argument 'foo'; it takes max_tokens, temperature, "
            "top_p, seed, reasoning_effort, system, extra_body.",
        ),
        (
            lambda: kgbuild.Settings(top_p=0),
            "Settings: 'top_p' must be a number above 0 and at most 1 or None, not 0.",
        ),
        (
            lambda: kgbuild.ask(kgbuild.granola, "m", db="x.duckdb", concurrency=0),
            "ask: 'concurrency' must be a whole number from 1 to 1,024, not 0.",
        ),
        (
            lambda: kgbuild.ask(kgbuild.granola, "m", db="x.duckdb", api="x"),
            "ask: 'api' must be one of chat, responses, not 'x'.",
        ),
        (
            lambda: kgbuild.ask(kgbuild.granola, "m", db="x.duckdb", protocols="zero"),
            "granola has no protocol 'zero', only: vanilla, idk, idk-if-uncertain, stated, "
            "granular, sampled, likelihood.",
        ),
        (
            lambda: kgbuild.ask(kgbuild.granola, "m", db="x.duckdb", samples=0),
            "granola: 'samples' must be a whole number from 1 to 1,000, not 0.",
        ),
        (
            lambda: kgbuild.granola.verify("x.duckdb"),
            "granola has nothing that another source could verify.",
        ),
        (
            lambda: dataclasses.replace(kgbuild.granola, build=None),  # type: ignore[arg-type]
            "The dataset granola is wrong: its build is no function.",
        ),
        (lambda: kgbuild.open(5), "open: 'store' must be a path, not 5."),
        (lambda: kgbuild.open(""), "open: 'store' must be a path, not ''."),
        (
            lambda: kgbuild.open("kg", endpoint="http://[::1]:9/"),
            "Pass a store or an endpoint, not both.",
        ),
        (
            lambda: kgbuild.load(["a.nt", 5]),
            "load: 'dumps' must be a list or a path, not ['a.nt', 5].",
        ),
        (
            lambda: kgbuild.score("granola", db="x.duckdb"),
            "score: 'dataset' must be a dataset, such as kgbuild.granola, not 'granola'.",
        ),
        (
            lambda: kgbuild.diff("a.duckdb", "b.duckdb"),
            "diff: missing a required argument: 'dataset'; it takes older, newer, dataset.",
        ),
    ],
)
def test_a_wrong_call_is_a_sentence(call: Callable[[], object], sentence: str) -> None:
    with pytest.raises(WrongCallError) as caught:
        call()
    assert str(caught.value) == sentence


NUMBER = "must be a number from 0 to 1, not"


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda s: s.similar("Q7186", k=-1), "'k' must be a whole number from 1 to"),
        (
            lambda s: s.graph.select("values", subject="Q7186> . ?x", property="P569"),
            "The value of ?subject is wrong: Invalid IRI",
        ),
        (lambda s: s.graph.select("values", subject="Q7186"), "has the parameters (subject, "),
        (lambda s: s.labels.label("nonsense"), "'nonsense' is not the id of an item"),
        (lambda s: s.labels.description(None), "'None' is not the id of an item"),
        (lambda s: kgbuild.syn_qa.build(s, max_risk=5), f"build: 'max_risk' {NUMBER} 5."),
        (lambda s: kgbuild.syn_qa.build(s, max_risk=float("nan")), f"'max_risk' {NUMBER} nan."),
        (lambda s: kgbuild.syn_qa.build(s, hops=3), "'hops' must be a whole number from 1 to 2"),
        (lambda s: kgbuild.syn_qa.build(s, perturb="x"), "one of subject, object, both, not 'x'."),
        (
            lambda s: kgbuild.syn_qa.build(s, confusability="x"),
            "'confusability' must be a list, each one of near, middle, far, not 'x'.",
        ),
        (lambda s: kgbuild.syn_qa.build(s, []), "The list of what to build is empty."),
        (lambda s: kgbuild.granola.build(s, questions=[]), "The list of what to build is empty."),
        (lambda s: kgbuild.granola.build(s, min_bits=-1), "must be a number of at least 0, not -1"),
        (lambda s: kgbuild.biokalma.build(s, rounds=99), "must be a whole number from 4 to 12"),
        (lambda s: kgbuild.grouse.build(s, limit=0), "'limit' must be a whole number from 1 to"),
        (
            lambda s: kgbuild.granola.build(s, questions=pandas.DataFrame(), since="kg"),
            "Cannot read questions: it has no questions.",
        ),
    ],
)
def test_wrong_calls_about_a_store(
    call: Callable[[Any], object], sentence: str, sample_store: Path
) -> None:
    with kgbuild.open(sample_store) as store, pytest.raises(WrongCallError) as caught:
        call(store)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"match": "x"}, "granola: 'match' must be one of items, f1, not 'x'."),
        (
            {"threshold": 5},
            "'threshold' must be a number of at least 0 and below 1 or None, not 5.",
        ),
        ({"threshold": 0.5}, "'threshold' has no effect without match='f1'."),
        ({"grade_all": True}, "'grade_all' has no effect without a grader."),
        ({"decay": -1}, "granola: 'decay' must be a number of at least 0, not -1."),
    ],
)
def test_options_of_scores_have_limits(
    options: dict[str, Any], sentence: str, page: dict[str, Any]
) -> None:
    path = page["folder_of_page"] / "data" / "datasets.duckdb"
    with pytest.raises(WrongCallError) as caught:
        kgbuild.score(kgbuild.granola, page["answers"], db=path, **options)
    assert sentence in str(caught.value)


def test_what_is_closed_is_not_used_again(sample_store: Path, tmp_path: Path) -> None:
    store, db = kgbuild.open(sample_store), kgbuild.database(tmp_path / "x.duckdb")
    for opened in (store, db):
        opened.close()
        opened.close()
    for use in (
        lambda: store.lookup("curie"),
        lambda: kgbuild.syn_qa.build(store, "P26"),
        lambda: db.sql("SELECT 1"),
        lambda: kgbuild.score(kgbuild.granola, db=db),
    ):
        with pytest.raises(WrongCallError, match=r"> is closed\. Open it again\."):
            use()


def test_one_value_and_numbers_of_numpy_do(sample_store: Path, tmp_path: Path) -> None:
    assert kgbuild.load(SAMPLE, tmp_path / "kg", languages="de").languages == ("de",)
    with kgbuild.open(sample_store) as store:
        similar = store.similar("Q7186", k=numpy.int64(1))
        built = kgbuild.syn_qa.build(store, "P26", limit=numpy.int64(2), confusability="near")
        frame = pandas.DataFrame({"question": ["Where was Marie Curie born?"]})
        frame["answers"] = [numpy.array(["Warsaw"])]
        asked = kgbuild.granola.build(store, questions=frame)
        assert (
            repr(store.subgraph("Q7186", limit=2)) == "<Subgraph of Q7186 (Marie Curie): 21 edges>"
        )
    assert repr(similar) == "[<SimilarItem Q37463 (Pierre Curie): 8 shared values>]"
    assert type(built.provenance.options["limit"]) is int
    assert built.provenance.options["confusability"] == ("near",)
    assert [part.relation for part in asked.parts] == ["questions"] and asked.rows == 1
    endpoint = kgbuild.open(endpoint="http://ada:secret@[::1]:9/")
    assert repr(endpoint) == "<EndpointStore http://[::1]:9/>"
    endpoint.close()


def test_any_iterable_is_as_good_as_a_list(page: dict[str, Any]) -> None:
    with kgbuild.open(page["folder_of_page"] / "data" / "kg") as store:
        for relations in (pandas.Series(["P26"]), iter(["P26"]), {"P26": None}):
            assert kgbuild.syn_qa.build(store, relations, limit=2).rows == 4


def test_one_dump_needs_no_list(page: dict[str, Any], tmp_path: Path) -> None:
    manifest = kgbuild.load(page["folder_of_page"] / "sample.nt", tmp_path / "kg")
    assert [file.name for file in manifest.files] == ["sample.nt"]


def test_a_short_script_leaves_nothing_in_memory() -> None:
    code = "import kgbuild.api; kgbuild.database('x.duckdb')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


FORKED = """
import os, sys, kgbuild
with kgbuild.open(sys.argv[1]) as opened:
    if not os.fork():
        print(len(opened.graph), flush=True)  # a forked process may read
        try:
            kgbuild.load([sys.argv[2]], sys.argv[3])
        except kgbuild.KgbuildError as error:
            print("forked" in str(error), flush=True)
        os._exit(0)
    os.wait()
"""


def test_a_forked_process_is_refused_a_load_that_would_hang(
    sample_store: Path, tmp_path: Path
) -> None:
    paths = (str(sample_store), str(SAMPLE), str(tmp_path / "kg"))
    done = subprocess.run(
        [sys.executable, "-c", FORKED, *paths], capture_output=True, text=True, timeout=100
    )
    count, refused = done.stdout.split()
    assert int(count) > 0 and refused == "True"
    assert not (tmp_path / "kg").exists()
