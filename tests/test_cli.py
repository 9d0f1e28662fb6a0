"""The command line as a user meets it: real stores, output, messages and exit codes."""

import json
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from unittest.mock import ANY

import click
import pytest
import rdflib
from click.testing import CliRunner
from rdflib.namespace import RDFS

from kgbuild import catalog
from kgbuild.cells import parsed
from kgbuild.cli import cli, output
from kgbuild.datasets import dataset
from kgbuild.models.reply_cache import ReplyCache
from kgbuild.tables import connection
from kgbuild.tables.files import read_file
from tests.conftest import full_disk, invoke, triples
from tests.reviewed import held

MakeStore = Callable[..., Path]
COMMANDS = list(cli.list_commands(click.Context(cli)))


@pytest.fixture
def home(tmp_path: Path, sample_store: Path) -> dict[str, str]:
    """Return an environment with the sample's store and a database of its own."""
    return {
        "KGBUILD_STORE": str(sample_store),
        "KGBUILD_DB": str(tmp_path / "datasets.duckdb"),
        "COLUMNS": "120",
    }


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory, sample_store: Path) -> Path:
    """Return a database of the pairs of two relations, which no test changes."""
    db = tmp_path_factory.mktemp("pairs") / "datasets.duckdb"
    done = run("syn-qa", "--relations", "P26,P40", "--store", str(sample_store), "--db", str(db))
    assert done.returncode == 0, done.stderr
    return db


@pytest.fixture
def built(home: dict[str, str], pairs: Path) -> dict[str, str]:
    """Return an environment whose database has pairs of two relations."""
    shutil.copy(pairs, home["KGBUILD_DB"])
    return home


def run_process(
    *arguments: str, limit: Callable[[], None] | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run Python with some arguments in a process, which ``limit`` has limited."""
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        cwd="/",
        preexec_fn=limit,
    )


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command without starting a process."""
    return invoke(Path("/"), *arguments, **environment)


def told(done: subprocess.CompletedProcess[str], exit_code: int) -> str:
    """Return what a failed command says, which is one or two lines and no traceback."""
    assert done.returncode == exit_code, done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    lines = done.stderr.strip().splitlines()
    said = [line for line in lines if not line.startswith(("Usage:", "Try ")) and line]
    assert len(said) <= 2
    return " ".join(said)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example(name: str) -> None:
    result = CliRunner().invoke(cli, [name, "--help"])
    assert result.exit_code == 0
    example = result.output.split("Example:\n")[1].split("\n\n")[0]
    assert f"kgbuild {name}" in example or f"| kgbuild {name}" in example


def test_help_imports_no_engine() -> None:
    # Start-up: none of these is needed to tell what there is.
    code = (
        "import sys; from kgbuild.cli import cli; cli(['--help'], standalone_mode=False);"
        "heavy = {'pyoxigraph', 'duckdb', 'rdflib', 'numpy', 'networkx', 'rich', 'spacy'};"
        "sys.exit(' '.join(heavy & set(sys.modules)) or 0)"
    )
    done = run_process("-c", code)
    assert (done.returncode, done.stderr) == (0, "")


def test_looking_up_imports_nothing_heavy(sample_store: Path) -> None:
    code = (
        "import sys; from kgbuild.cli import cli; cli(sys.argv[1:], standalone_mode=False);"
        # NumPy reads the names of items from arrays.
        "heavy = {'duckdb', 'rdflib', 'networkx', 'spacy'};"
        "sys.exit(' '.join(heavy & set(sys.modules)) or 0)"
    )
    done = run_process("-c", code, "subgraph", "Q7186", "--store", str(sample_store))
    assert (done.returncode, done.stderr) == (0, "")


def test_json_has_the_columns_of_the_table(home: dict[str, str]) -> None:
    columns = {
        ("lookup", "marie curie"): ["qid", "label", "description", "matched", "name", "links"],
        ("similar", "Q7186"): ["qid", "label", "overlap", "shared"],
        ("subgraph", "Q7186"): ["direction", "property", "property_label", "value", "label"],
        ("relations",): ["relation", "label", "subject", "object", "triples", "datasets"],
        ("stats",): ["section", "what", "value"],
    }
    for arguments, names in columns.items():
        rows = json.loads(run(*arguments, "--json", **home).stdout)
        assert rows and all(list(row) == names for row in rows)
        heading = run(*arguments, **home).stdout.splitlines()[0].split()
        assert heading == names


def test_an_item_without_similar_ones_is_told(home: dict[str, str]) -> None:
    done = run("similar", "Q7186", "--min-overlap", "500", "--json", **home)
    assert (done.returncode, done.stdout) == (0, "[]\n")
    assert done.stderr == "No item of the class of Q7186 shares 500 values with it.\n"


def test_a_store_without_pairs_says_why(make_store: MakeStore, tmp_path: Path) -> None:
    day = '"1980-01-01T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'
    ann = ["P31 wd:Q5", "P40 wd:Q2", "P22 wd:Q2", f"P569 {day}"]
    stated = "\n".join(f"wd:Q1 wdt:{value}" for value in ann)
    store = make_store(triples(f'wd:Q1 rdfs:label "Ann"@en\n{stated}'))
    db = str(tmp_path / "d.duckdb")
    said = told(run("syn-qa", "--relations", "P26", "--store", str(store), "--db", db), 1)
    assert "the store has no statement of P26." in said
    dated = ("--relations", "P569", "--template", "When was {subject} born on {object}?")
    said = told(run("syn-qa", *dated, "--store", str(store), "--db", db), 1)
    assert "the store has no statement of P569 between two items." in said
    done = run("syn-qa", "--relations", "P40,P22", "--store", str(store), "--db", db)
    assert done.returncode == 1
    why, _, error = done.stderr.splitlines()[-3:]  # relations with the same reason share a line
    assert why.startswith("P40, P22: no pair for the subject and object, mostly by 'wrong kind'")
    assert "What may help: a store with their classes (P31)" in why
    rejected = "all 4 candidates were rejected: 4 × subject or object is not of the kind"
    assert rejected in error  # one of each end


def test_a_relation_of_ones_own(make_store: MakeStore, tmp_path: Path) -> None:
    alike = "wdt:P106 wd:Q90 ; wdt:P101 wd:Q91 ; wdt:P69 wd:Q92"
    store = make_store(
        triples(
            'wd:P9999 rdfs:label "rival"@en\n'
            + "\n".join(
                f'wd:Q{n} wdt:P31 wd:Q5\nwd:Q{n} rdfs:label "{name}"@en'
                + "".join(f"\nwd:Q{n} {pair.strip()}" for pair in alike.split(";"))
                for n, name in ((1, "Ann"), (2, "Bob"), (3, "Cleo"))
            )
            + "\nwd:Q1 wdt:P9999 wd:Q2"
        )
    )
    home = {"KGBUILD_STORE": str(store), "KGBUILD_DB": str(tmp_path / "d.duckdb")}
    question = "When did {subject} first meet {object}?"
    done = run("syn-qa", "--relations", "P9999", "--template", question, "--max-risk", "1", **home)
    assert re.search(r"P9999 +rival +1", done.stdout), done.stderr
    (pair,) = json.loads(run("sql", "FROM syn_qa_pairs", "--json", **home).stdout)
    assert pair["question"] == "When did Ann first meet Bob?"
    assert pair["false_question"] == "When did Cleo first meet Bob?"
    (made,) = json.loads(run("sql", "FROM builds", "--json", **home).stdout)
    assert json.loads(made["options"])["templates"] == [question]  # one can build it again


def test_a_file_of_hotpotqa_and_its_categories(home: dict[str, str], tmp_path: Path) -> None:
    people = {
        "Anna Berg": "Anna Berg (1901-1970) was a Swedish painter. She taught Nils Ek.",
        "Nils Ek": "Nils Ek (1920-1990) was a sculptor who made the Iron Gate of Malmo.",
        "Clara Lund": "Clara Lund (1903-1971) was a Swedish painter. She lived by the sea.",
        "Dora Holm": "Dora Holm (1902-1972) was a Swedish painter. She taught Ida Quist.",
        "Bow Lake": "Bow Lake is a lake in Sweden.",
    }
    question = "Which gate did the sculptor of Malmo make, whom Anna Berg taught?"
    record = {
        **{"_id": "r1", "question": question, "answer": "the Iron Gate of Malmo"},
        **{"type": "bridge", "level": "hard"},
        "supporting_facts": [["Anna Berg", 0], ["Nils Ek", 0]],
        "context": [[title, [text]] for title, text in people.items()],
    }
    source, groups = tmp_path / "hotpot.json", tmp_path / "groups.tsv"
    source.write_text(json.dumps([record, {"_id": "r2"}]), encoding="utf-8")
    titles = ["title\tcategory", "Anna_Berg\tPainters", "Dora_Holm\tPainters", "Bow_Lake\tLakes"]
    groups.write_text("\n".join(titles) + "\n", encoding="utf-8")
    home["KGBUILD_DB"] = str(tmp_path / "d.duckdb")
    asked = ("syn-qa", "--hotpotqa", str(source), "--categories", str(groups))
    done = run(*asked, **home)
    assert re.search(r"hotpot.json +HotpotQA +1 +2 ", done.stdout), done.stderr
    explained = dataset("syn_qa").reasons["malformed"]  # the lake, tried first, is no record
    assert re.findall(r"\d+ × [^:]*", done.stderr) == [f"1 × {explained} (such as"]
    unread = "records that cannot be read: 1, such as record 2: 'question' must be"
    assert f"hotpot.json: {unread}" in done.stderr
    (pair,) = json.loads(run("sql", "FROM syn_qa_pairs", "--json", **home).stdout)
    assert pair["false_question"] == question.replace("Anna Berg", "Dora Holm")
    assert (pair["similarity"], pair["source_id"]) == ("categories", "r1")
    # What is wrong with a record is told by file, record and field.
    ledger = "SELECT candidate, reason, detail FROM rejections WHERE reason = 'malformed'"
    (bad,) = json.loads(run("sql", ledger, "--json", **home).stdout)
    assert bad["candidate"] == "r2"
    assert bad["detail"] == "hotpot.json, record 2: 'question' must be a text"
    (made,) = json.loads(run("sql", "FROM builds", "--json", **home).stdout)
    assert [file["name"] for file in made["dump"]] == ["sample.nt", "hotpot.json", "groups.tsv"]


def test_what_is_wrong_with_one_relation_stands_in_the_ledger(
    home: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (Path(catalog.__file__).parent / "relations.toml").read_text(encoding="utf-8")
    broken = text.replace('"When did {subject} marry {object}?"', '"When did {subject} marry?"')
    known = catalog.parse(broken)
    # The reader is replaced, not the function that caches: modules import that by name.
    monkeypatch.setattr(catalog, "parse", lambda *_: known)
    catalog._catalog.cache_clear()
    home["KGBUILD_DB"] = str(tmp_path / "d.duckdb")
    try:
        done = CliRunner().invoke(cli, ["syn-qa", "--limit", "2"], env=home)
    finally:
        catalog._catalog.cache_clear()
    assert done.exit_code == 0
    said, other = [line for line in done.output.splitlines() if line.startswith("Left out")]
    assert "[relations.P451]: names 'P26'" in other  # its rule is about marriages
    assert "relations.toml: [relations.P26]" in said and "'When did {subject} marry?'" in said
    built = "SELECT relation, rows, rejected FROM builds WHERE relation IN ('P26', 'P40')"
    assert json.loads(run("sql", f"{built} ORDER BY 1", "--json", **home).stdout) == [
        {"relation": "P26", "rows": 0, "rejected": 1},
        {"relation": "P40", "rows": 4, "rejected": ANY},  # two of each end
    ]


def test_a_missing_store_is_told_how_to_make_one(tmp_path: Path) -> None:
    for arguments in (
        ("stats",),
        ("relations",),
        ("lookup", "x"),
        ("subgraph", "Q1"),
        ("similar", "Q1"),
        ("syn-qa",),
    ):
        db = {"KGBUILD_DB": str(tmp_path / "d.duckdb"), "KGBUILD_STORE": str(tmp_path / "none")}
        assert "'kgbuild load --sample --store" in told(run(*arguments, **db), 2)
    assert list(tmp_path.iterdir()) == []  # and nothing was made


def test_a_part_of_a_name_is_found_as_the_whole_is(home: dict[str, str]) -> None:
    for part in ("curie", "MARIE", "marie"):
        found = json.loads(run("lookup", part, "--json", **home).stdout)
        assert ("Q7186", "Marie Curie") in {(match["qid"], match["name"]) for match in found}
    # What is called so itself comes alone.
    whole = json.loads(run("lookup", "marie curie", "--json", **home).stdout)
    assert [match["qid"] for match in whole] == ["Q7186"]


@pytest.mark.parametrize(
    "arguments",
    [("syn_qa",), *((name, "syn_qa") for name in ("score", "ask", "export", "review", "verify"))],
)
def test_a_dataset_is_also_called_as_in_sql(arguments: tuple[str, ...]) -> None:
    done = run(*arguments, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == run(*(name.replace("_", "-") for name in arguments), "--help").stdout


def test_the_ending_of_a_file_tells_its_form(home: dict[str, str], tmp_path: Path) -> None:
    starts = {
        "a.html": "<!doctype html>",
        "a.ttl": "@prefix",
        "a.json": "[\n",
        "a.txt": "direction",
    }
    for name, start in starts.items():
        done = run("subgraph", "Q255", "-o", str(tmp_path / name), **home)
        assert done.returncode == 0
        assert (tmp_path / name).read_text().lstrip().startswith(start)


def test_sql_comes_from_files_and_goes_to_files(built: dict[str, str], tmp_path: Path) -> None:
    query = "SELECT pair_id, shared, popularity FROM syn_qa_pairs ORDER BY ALL LIMIT 3"
    (tmp_path / "query.sql").write_text(f"\ufeff-- mine\n{query}\n")
    rows = json.loads(run("sql", query, "--json", **built).stdout)
    assert json.loads(run("sql", str(tmp_path / "query.sql"), "--json", **built).stdout) == rows
    piped = CliRunner().invoke(cli, ["sql", "-", "--json"], input=query, env=built)
    assert json.loads(piped.stdout) == rows
    for ending in ("csv", "tsv", "json", "jsonl", "parquet"):
        path = tmp_path / f"rows.{ending}"
        done = run("sql", query, "-o", str(path), **built)
        assert (done.returncode, done.stdout) == (0, "")
        read = read_file(path).records
        assert [row["pair_id"] for row in read] == [row["pair_id"] for row in rows]
        assert [str(row["popularity"]) for row in read] == [str(r["popularity"]) for r in rows]
        # Lists stay lists; in CSV, they are JSON.
        assert [parsed(row["shared"]) for row in read] == [row["shared"] for row in rows]


def test_a_database_that_is_cut_short_is_called_so(built: dict[str, str]) -> None:
    path = Path(built["KGBUILD_DB"])
    os.truncate(path, path.stat().st_size // 2)
    said = told(run("sql", "FROM syn_qa_pairs", **built), 1)
    assert "cannot be used as a database: it is cut short" in said


def test_progress_is_lines_where_there_is_no_terminal(
    home: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told_lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    with monkeypatch.context() as patch:
        patch.setattr(output, "notify", told_lines.put)
        patch.setattr(output, "_PAUSE", 0.01)
        with output.progress("opening the store") as progress:
            assert told_lines.get(timeout=60).endswith(" s  opening the store")
            progress("P26", 3, 4)
            while not (line := told_lines.get(timeout=60)).endswith(" s  P26 (75%)"):
                assert line.endswith("opening the store")
            with output.progress("asking"):  # a command inside, whose lines are not mixed
                while not (line := told_lines.get(timeout=60)).endswith(" s  asking"):
                    assert line.endswith("P26 (75%)")
    build = ("syn-qa", "--relations", "P26,P40", "--limit", "2")
    loud = run("-v", *build, **home).stderr  # in spite of KGBUILD_QUIET
    steps = ("P26", "P40", "writing the rows")
    assert all(re.search(rf"^ +\d+ s  {step}", loud, re.MULTILINE) for step in steps)
    home["KGBUILD_QUIET"] = ""
    assert " s  " not in run("-q", *build, **home).stderr


def test_progress_that_does_not_change_is_told_seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    told_lines: list[str] = []
    monkeypatch.setattr(output, "notify", told_lines.append)
    monkeypatch.setattr(output, "_PAUSE", 0.01)
    with output.progress("asking") as progress:
        time.sleep(0.5)  # at most 50 pauses
        assert 1 <= len(told_lines) <= 4 + 50 // 8
        progress("asking", 1, 4)
        while not told_lines[-1].endswith(" s  asking (25%)"):
            time.sleep(0.01)


def test_sql_tells_progress_and_has_a_limit_of_time(built: dict[str, str]) -> None:
    # This takes DuckDB a minute, inside of a function.
    query = "SELECT length(repeat('x', 1000000000))"
    done = run_process(
        "-m", "kgbuild", "-v", "sql", query, "--timeout", "1", **{**built, "KGBUILD_QUIET": ""}
    )
    assert told(done, 1) == (
        "0 s  running the query Error: The query took more than 1 s. Raise --timeout."
    )


def test_ctrl_c_ends_a_slow_query(built: dict[str, str]) -> None:
    query = "SELECT length(repeat('x', 1000000000))"
    command = [sys.executable, "-m", "kgbuild", "sql", query]
    with subprocess.Popen(command, env={**os.environ, **built}, stderr=subprocess.PIPE) as process:
        time.sleep(2)  # it runs, or is still imported
        process.send_signal(signal.SIGINT)
        try:
            said = process.communicate(timeout=20)[1]  # the query would take a minute
        finally:
            process.kill()
    assert process.returncode in (130, -signal.SIGINT)
    assert b"Traceback" not in said


def test_a_limit_of_memory_is_named(built: dict[str, str]) -> None:
    limited = f"ulimit -v 700000; exec {sys.executable} -m kgbuild stats"
    done = subprocess.run(
        ["bash", "-c", limited], env={**os.environ, **built}, capture_output=True, text=True
    )
    assert "may use 683 MB, and kgbuild needs" in told(done, 1)


def test_sql_has_a_limit_of_memory(built: dict[str, str]) -> None:
    query = "SELECT length(list(range)) FROM range(150000000)"
    assert "Out of Memory" in run("sql", query, "--memory", "1", **built).stderr


def test_a_build_prints_why_statements_became_no_pair(home: dict[str, str]) -> None:
    done = run("syn-qa", "--relations", "P26", **home)
    (row,) = (line for line in done.stdout.splitlines() if line.startswith("P26"))
    pairs, statements, *rejected = map(int, re.findall(r"(?<!P)\b\d+", row))
    count = "SELECT count(*) AS n, reason FROM rejections GROUP BY reason ORDER BY n DESC, reason"
    rows = json.loads(run("sql", count, "--json", **home).stdout)
    # Other reasons are those of similar items, of which a statement has many.
    counts = [row for row in rows if row["reason"] not in dataset("syn_qa").part_reasons]
    # A statement without a pair has one reason, and the line shows the three most frequent ones.
    assert pairs + sum(row["n"] for row in counts) == statements
    assert rejected == [row["n"] for row in counts[:3]]


def test_a_held_database_is_named_before_the_work(
    home: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "SHORT_WAIT", 0.0)  # so that the test needn't wait
    with held(Path(home["KGBUILD_DB"])) as holder:
        for arguments in (("sql", "SELECT 1"), ("syn-qa", "--relations", "P26")):
            assert f"(PID {holder.pid})" in told(run(*arguments, **home), 1)


def test_interrupting_a_build_keeps_the_old_rows(built: dict[str, str]) -> None:
    before = run("sql", "FROM syn_qa_pairs", "--json", **built).stdout
    # Interrupt as soon as the builder has begun: a relation that is read only then.
    code = (
        "import os, signal, sys; from kgbuild.cli import main;"
        "from kgbuild.datasets.syn_qa.falsity import path_facts;"
        "real = path_facts.StoredFacts;\n"
        "def facts(*args):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    return real(*args)\n"
        "path_facts.StoredFacts = facts\n"
        "sys.argv = ['kgbuild', 'syn-qa', '--relations', 'P26', '--seed', '5']\n"
        "main()"
    )
    done = run_process("-c", code, **built)
    assert "Interrupted" in told(done, 130)
    assert run("sql", "FROM syn_qa_pairs", "--json", **built).stdout == before


def test_an_interruption_after_the_rows_are_written_tells_that_they_are(
    built: dict[str, str], tmp_path: Path
) -> None:
    db = tmp_path / "copy" / "datasets.duckdb"
    db.parent.mkdir()
    shutil.copy(built["KGBUILD_DB"], db)
    code = (
        "import os, signal, sys; from kgbuild.cli import main;"
        "from kgbuild.files import atomic_files;"
        "publish = atomic_files.publish;\n"
        "def late(*args, **named):\n"
        "    publish(*args, **named)\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "atomic_files.publish = late\n"
        "sys.argv = ['kgbuild', 'syn-qa', '--relations', 'P26', '--seed', '5']\n"
        "main()"
    )
    home = {**built, "KGBUILD_DB": str(db)}
    done = run_process("-c", code, **home)
    assert (done.returncode, [*db.parent.iterdir()]) == (130, [db]), done.stderr
    assert f"Already written: {db}" in " ".join(done.stderr.split())
    new = run("sql", "FROM builds WHERE relation = 'P26'", "--json", **home).stdout
    assert '"seed": 5' in new


def test_an_interruption_while_a_class_is_made_is_one() -> None:
    code = (
        "import sys; from kgbuild.cli import main; from kgbuild.cli.look import store;\n"
        "def late(*args, **named):\n"
        "    try: raise KeyboardInterrupt\n"
        "    except KeyboardInterrupt as error: raise RuntimeError('__set_name__') from error\n"
        "store.open_store = late; store.options.open_store = late\n"
        "sys.argv = ['kgbuild', 'stats']\n"
        "main()"
    )
    done = run_process("-c", code)
    assert "Interrupted" in told(done, 130)


def test_a_full_disk_keeps_the_old_rows(built: dict[str, str]) -> None:
    before = run("sql", "FROM syn_qa_pairs", "--json", **built).stdout
    with full_disk(1 << 13):  # nothing can be written beyond the first 8 KiB of a file
        done = run("syn-qa", "--relations", "P26,P40", "--seed", "5", **built)
    assert done.returncode == 1, done.stderr
    assert "Cannot write" in done.stderr
    assert run("sql", "FROM syn_qa_pairs", "--json", **built).stdout == before


def test_labels_cannot_control_the_terminal(make_store: MakeStore) -> None:
    store = make_store(triples('wd:Q1 rdfs:label "\\u001B[31mred\\u0007 [bold]x[/bold]"@en'))
    shown = run("lookup", "\x1b[31mred\x07 [bold]x[/bold]", "--store", str(store)).stdout
    assert "\x1b" not in shown and "\x07" not in shown
    assert "\N{REPLACEMENT CHARACTER}[31mred\N{REPLACEMENT CHARACTER} [bold]x[/bold]" in shown


CONTROLS = "\x00\x07\t\x1b\x7f\x9b\u202a\u202e\u2066\u2069"
"""Characters that move a cursor or change the order of the next text."""


def controls(text: str) -> set[str]:
    return {*text} & {*CONTROLS}


@pytest.mark.parametrize("width", ["20", "2000"])  # blocks, and a table
def test_names_of_columns_cannot_control_the_terminal(built: dict[str, str], width: str) -> None:
    name = CONTROLS.replace("\x00", "")  # which no argument can hold
    query = f'SELECT 1 AS "{name}", 2 AS b'
    shown = run("sql", query, **{**built, "COLUMNS": width}).stdout
    assert controls(shown) == set() and "\N{REPLACEMENT CHARACTER}" * len(name) in shown
    as_json = run("sql", query, "--json", **built).stdout
    assert controls(as_json) == set() and json.loads(as_json) == [{name: 1, "b": 2}]


@pytest.mark.parametrize("form", ["json", "turtle"])
def test_subgraphs_cannot_control_the_terminal(make_store: MakeStore, form: str) -> None:
    label = "a" + CONTROLS + "\\b"
    coded = "".join(f"\\u{ord(character):04X}" for character in label)
    store = make_store(triples(f'wd:Q1 rdfs:label "{coded}"@en\nwd:Q2 wdt:P31 wd:Q1'))
    shown = run("subgraph", "Q2", "--format", form, "--store", str(store)).stdout
    assert controls(shown) == set()
    if form == "json":
        assert [edge["label"] for edge in json.loads(shown)] == [label]
    else:
        labels = rdflib.Graph().parse(data=shown, format="turtle").objects(None, RDFS.label)
        assert [str(text) for text in labels] == [label]


@pytest.mark.parametrize("arguments", [("{}",), ("score", "{}"), ("syn-qa", "{}"), ("sql", "--{}")])
def test_repeated_arguments_cannot_control_the_terminal(arguments: tuple[str, ...]) -> None:
    hostile = CONTROLS.replace("\x00", "")
    done = run(*(argument.format(hostile) for argument in arguments))
    assert done.returncode == 2 and controls(done.stderr) == set()


def test_output_can_be_cut_off(home: dict[str, str]) -> None:
    for command in ("subgraph Q5", "sparql 'SELECT * { ?s ?p ?o }' --format csv"):
        line = f"set -o pipefail; {sys.executable} -m kgbuild {command} | head -1"
        done = subprocess.run(
            ["bash", "-c", line], env={**os.environ, **home}, capture_output=True, text=True
        )
        assert done.returncode == 0 and "Traceback" not in done.stderr, command


def test_columns_of_one_name_are_told_apart(built: dict[str, str]) -> None:
    done = run("sql", "SELECT 1 AS a, 2 AS a, 3 AS a_1", "--json", **built)
    assert json.loads(done.stdout) == [{"a": 1, "a_1": 2, "a_1_1": 3}]


def test_many_columns_are_shown_one_below_the_other(built: dict[str, str]) -> None:
    lines = run("sql", "FROM syn_qa_pairs LIMIT 2", **built).stdout.splitlines()
    # Two rows of 30 columns, and an empty line between them.
    assert len(lines) == 2 * 30 + 1 and lines[30] == ""
    assert re.match(r"pair_id +[0-9a-f]{16}$", lines[0])


def test_numbers_that_json_has_no_word_for(built: dict[str, str]) -> None:
    done = run("sql", "SELECT 'nan'::DOUBLE AS a, 1.5 AS b", "--json", **built)
    assert json.loads(done.stdout) == [{"a": None, "b": 1.5}]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [("--help",), ("subgraph", "Q5", "--json")])
def test_an_output_that_cannot_be_written(arguments: tuple[str, ...], home: dict[str, str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "kgbuild", *arguments],
            env={**os.environ, **home},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 1
    assert done.stderr == "Error: The output cannot be written: No space left on device.\n"


def test_an_output_that_is_closed(home: dict[str, str]) -> None:
    command = ("-m", "kgbuild", "subgraph", "Q5", "--json")
    done = run_process(*command, limit=lambda: os.close(1), **home)
    assert (done.returncode, done.stderr) == (
        1,
        "Error: The output cannot be written: standard output is closed.\n",
    )


def test_a_picture_that_cannot_be_written_leaves_the_old_one(
    home: dict[str, str], tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    page.write_text("the old one")
    with full_disk(1024):
        done = run("subgraph", "Q7186", "-o", str(page), **home)
    assert "Cannot write" in told(done, 1)
    assert page.read_text() == "the old one"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["page.html"]


def test_messages_cannot_control_the_terminal_and_are_short(make_store: MakeStore) -> None:
    store = make_store(triples('wd:Q1 rdfs:label "Evil\\u001B]0;x\\u0007 na\\nme"@en'))
    said = told(run("lookup", "Evil]0;x nam", "--store", str(store)), 1)
    assert "\x1b" not in said and "\x07" not in said and "\N{REPLACEMENT CHARACTER}]0;x" in said
    assert len(told(run("lookup", "x" * 100_000, "--store", str(store)), 1)) < 200


def test_a_build_as_json_counts_rejections_by_reason(home: dict[str, str], tmp_path: Path) -> None:
    home["KGBUILD_DB"] = str(tmp_path / "d.duckdb")
    done = run("syn-qa", "--relations", "spouse", "--json", **home)
    (part,) = json.loads(done.stdout)
    assert (part["relation"], part["label"], part["pairs"]) == ("P26", "spouse", 12)
    reasons = "SELECT reason, count(*) AS n FROM rejections GROUP BY ALL ORDER BY n DESC, reason"
    rows = json.loads(run("sql", reasons, "--json", **home).stdout)
    # The most frequent reason comes first, and the rejections are those of the table.
    assert next(iter(part["rejected"])) == rows[0]["reason"] and done.stderr == ""
    assert part["rejected"] == {row["reason"]: row["n"] for row in rows}


@pytest.mark.parametrize(
    ("target", "fault"),
    [
        ("d.duckdb", "the command itself uses {0}/d.duckdb, and the output would replace it."),
        ("link.duckdb", "the command itself uses {0}/d.duckdb, and the output would replace it."),
        ("other.duckdb", "it is a database, and the output would replace it."),
        ("replies.sqlite", "it is a database, and the output would replace it."),
        ("kg/manifest.json", "it belongs to the store {0}/kg, in which only"),
        ("kg/new/page.html", "it belongs to the store {0}/kg, in which only"),
        ("foreign.html", "{0}/foreign.html is a symbolic link of another user."),
        ("loop.html", "too many symbolic links."),
    ],
)
def test_an_output_replaces_no_data(
    home: dict[str, str], pairs: Path, tmp_path: Path, target: str, fault: str
) -> None:
    home["KGBUILD_DB"] = str(shutil.copy(pairs, tmp_path / "d.duckdb"))
    shutil.copy(tmp_path / "d.duckdb", tmp_path / "other.duckdb")
    (tmp_path / "link.duckdb").symlink_to("d.duckdb")
    ReplyCache(tmp_path / "replies.sqlite").close()
    shutil.copytree(home["KGBUILD_STORE"], tmp_path / "kg")
    (tmp_path / "loop.html").symlink_to("loop.html")
    (tmp_path / "foreign.html").symlink_to("d.duckdb")
    if os.geteuid() == 0:
        os.lchown(tmp_path / "foreign.html", 1000, 1000)
    elif target == "foreign.html":
        pytest.skip("needs a link of another user")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    before = {path: path.read_bytes() for path in files}
    done = run("report", "-o", str(tmp_path / target), **home)
    assert f"'-o' / '--output': '{tmp_path / target}': {fault.format(tmp_path)}" in told(done, 2)
    assert {path: path.read_bytes() for path in files} == before
    assert not (tmp_path / "kg" / "new").exists()


@pytest.mark.parametrize(
    "call",
    [
        "score syn-qa answers.json",
        "check-contamination syn-qa --texts answers.json",
        "diff datasets.duckdb copy.duckdb",
        "judge graded.json",
    ],
)
def test_files_are_written_also_if_nobody_reads_the_tables(
    built: dict[str, str], tmp_path: Path, call: str
) -> None:
    shutil.copy(built["KGBUILD_DB"], tmp_path / "copy.duckdb")
    query = "SELECT pair_id, false_assumption, question AS answer FROM syn_qa_questions"
    (tmp_path / "answers.json").write_text(run("sql", "--json", query, **built).stdout)
    graded = {"references": ["It rains."], "input": "Does it?", "actual_output": "It rains [1]."}
    (tmp_path / "graded.json").write_text(json.dumps([graded]))
    read = invoke(tmp_path, *call.split(), "-o", "read.jsonl", **built)
    assert read.returncode == 0 and read.stdout
    pipe = os.pipe()
    os.close(pipe[0])
    done = subprocess.run(
        [sys.executable, "-m", "kgbuild", *call.split(), "-o", "unread.jsonl"],
        env={**os.environ, **built},
        stdout=pipe[1],
        cwd=tmp_path,
    )
    os.close(pipe[1])
    assert done.returncode == 0
    assert (tmp_path / "unread.jsonl").read_bytes() == (tmp_path / "read.jsonl").read_bytes()


def test_an_interrupted_query_is_an_interruption(monkeypatch: pytest.MonkeyPatch) -> None:
    @click.command()
    def interrupted() -> None:
        raise RuntimeError("Query interrupted")  # as DuckDB does after a signal

    def interrupting(*_: object) -> None:
        raise KeyboardInterrupt  # outside a command

    for name, broken in (("get_command", lambda *_: interrupted), ("parse_args", interrupting)):
        with monkeypatch.context() as patch:
            patch.setattr(cli, name, broken)
            result = CliRunner().invoke(cli, ["sql"])
        assert result.exit_code == 130
        assert "Interrupted." in result.output


def test_long_errors_are_shortened(home: dict[str, str], tmp_path: Path) -> None:
    home["KGBUILD_DB"] = str(tmp_path / "d.duckdb")
    run("syn-qa", "--relations", "spouse", **home)
    row = {"pair_id": "x" * 100_000, "false_assumption": True, "answer": "yes"}
    (tmp_path / "answers.jsonl").write_text(json.dumps(row))
    done = run("score", "syn-qa", str(tmp_path / "answers.jsonl"), **home)
    assert done.returncode == 2
    assert 1000 < len(done.stderr) < 5000
