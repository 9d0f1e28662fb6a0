"""Ask a store in SPARQL: values for variables, formats, limits, and what may not run."""

import contextlib
import io
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import duckdb
import pyoxigraph as ox
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgbuild.dump.filter import Filter
from kgbuild.errors import WrongCallError
from kgbuild.graph.open import Store
from kgbuild.store.load import load
from kgbuild.store.oxigraph import StoreWriter, TripleStore
from kgbuild.store.sparql import query_text, terms
from kgbuild.wikidata import PREFIXES, Value
from tests.conftest import ROOT, SAMPLE, invoke
from tests.endpoints import OXIGRAPH, serving
from tests.http_servers import Handler, running
from tests.processes import children, has_ended

SPOUSES = "SELECT ?item ?spouse { ?item wdt:P26 ?spouse } ORDER BY ?item ?spouse"
ENDLESS = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }"
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.text(
    "\"'\\{}<>\n\r\t#?@^u0041", max_size=12
)


@pytest.fixture
def ask(sample_store: Path, tmp_path: Path):  # type: ignore[no-untyped-def]
    """Return a function that runs the command, and returns its exit code and what it prints."""

    def run(*arguments: str) -> tuple[int, str]:
        done = invoke(tmp_path, "sparql", *arguments, "--store", str(sample_store))
        return done.returncode, done.stdout if done.returncode == 0 else done.stderr

    return run


@pytest.fixture(scope="module")
def graph(sample_store: Path) -> TripleStore:
    (folder,) = sample_store.glob("generation-*/graph")
    return TripleStore(folder)


def rows(graph: TripleStore, text: str, /, **bind: terms.Bound) -> list[tuple[Value | None, ...]]:
    """Return the rows of a query that runs in this process, after the same checks, sorted."""
    bound = terms.bound_terms(bind)
    query_text.check(text, bound, may_federate=False)
    file = io.BytesIO()
    graph.answer(text, bound, None, file)
    file.seek(0)
    return sorted(terms.read_result(file).rows, key=repr)


def refusal(graph: TripleStore, text: str, **bind: terms.Bound) -> str:
    """Return the sentence of the error of a query."""
    with pytest.raises(WrongCallError) as refused:
        rows(graph, text, **bind)
    return str(refused.value)


class _Listener(Handler):
    """A server of SPARQL that answers each query with one row."""

    def respond(self) -> None:
        body = (
            b'{"head":{"vars":["s"]},"results":{"bindings":[{"s":{"type":"uri","value":"x:y"}}]}}'
        )
        self.answer(200, {"Content-Type": "application/sparql-results+json"}, body)


@pytest.fixture
def other() -> Iterator[str]:
    """Return the address of another server."""
    with running(_Listener, str) as address:
        yield address


def test_a_query_prints_a_table(ask) -> None:  # type: ignore[no-untyped-def]
    code, text = ask(SPOUSES, "--bind", "item=Q7186")
    lines = text.splitlines()
    assert (code, lines[0].split(), lines[2:]) == (0, ["item", "spouse"], ["Q7186   Q37463"])


def test_a_query_comes_from_a_file_or_standard_input(
    ask, sample_store: Path, tmp_path: Path
) -> None:  # type: ignore[no-untyped-def]
    expected = ask(SPOUSES, "--format", "csv")
    (tmp_path / "spouses.rq").write_text(SPOUSES)
    assert ask("spouses.rq", "--format", "csv") == expected
    (tmp_path / "a b.rq").write_text(f"\ufeff{SPOUSES}")
    assert ask("a b.rq", "--format", "csv") == expected
    done = subprocess.run(
        [sys.executable, "-m", "kgbuild", "sparql", "-", "--format", "csv"],
        input=SPOUSES.encode(),
        env={**os.environ, "KGBUILD_STORE": str(sample_store)},
        capture_output=True,
    )
    printed = done.stdout.decode().replace("\r\n", "\n")  # as the runner of tests does
    assert (done.returncode, printed) == expected
    assert ask("nothing.rq") == (
        2,
        "Usage: kgbuild sparql [OPTIONS] FILE|QUERY\nTry 'kgbuild sparql --help' for help.\n\n"
        "Error: Invalid value for 'FILE|QUERY': 'nothing.rq': No such file or directory.\n",
    )


def test_the_queries_of_kgbuild_run(ask) -> None:  # type: ignore[no-untyped-def]
    code, text = ask(
        str(ROOT / "queries/statement_exists.rq"),
        *("--bind", "subject=Q7186", "--bind", "property=P26", "--bind", "object=Q37463"),
        *("--format", "csv"),
    )
    assert (code, len(text.splitlines())) == (0, 2)


def test_prefixes_of_the_query_win(ask) -> None:  # type: ignore[no-untyped-def]
    # Here "wd" is not that of items but that of direct properties.
    query = f"PREFIX wd: <{PREFIXES['wdt']}> SELECT (COUNT(*) AS ?n) {{ ?x wd:P26 ?y }}"
    assert ask(query, "--format", "csv")[1].split() == ["n", "54"]


@pytest.mark.parametrize(
    ("form", "start"),
    [
        ("csv", "item,spouse\nhttp://www.wikidata.org/entity/Q7186,http://www.wikidata.org/"),
        ("tsv", "?item\t?spouse\n<http://www.wikidata.org/entity/Q7186>\t<http://www.wikidata."),
        ("json", '{"head":{"vars":["item","spouse"]},"results":{"bindings":[{"item":{"type":"uri'),
    ],
)
def test_formats_of_rows(ask, tmp_path: Path, form: str, start: str) -> None:  # type: ignore[no-untyped-def]
    code, text = ask(SPOUSES, "--bind", "item=Q7186", "--format", form)
    assert (code, text[: len(start)]) == (0, start)
    assert ask(SPOUSES, "--bind", "item=Q7186", "-o", f"out.{form}")[0] == 0
    assert (tmp_path / f"out.{form}").read_bytes().decode().replace("\r\n", "\n") == text


def test_formats_of_triples(ask, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    construct = "CONSTRUCT WHERE { ?item wdt:P26 ?spouse }"
    code, text = ask(construct, "--bind", "item=Q7186", "--format", "nt")
    spouse = f"<{PREFIXES['wd']}Q7186> <{PREFIXES['wdt']}P26> <{PREFIXES['wd']}Q37463> ."
    assert (code, text) == (0, f"{spouse}\n")
    code, turtle = ask("DESCRIBE ?item", "--bind", "item=Q7186", "--format", "ttl")
    described = {triple.triple for triple in ox.parse(turtle, ox.RdfFormat.TURTLE)}
    assert (code, len(described)) == (0, 30)  # all triples about her, also labels
    assert ask(construct, "--bind", "item=Q7186")[1].split()[-3:] == ["Q7186", "wdt:P26", "Q37463"]
    assert ask(construct, "--format", "csv") == (
        2,
        "Error: The result has triples, and cannot be written as csv: use nt or ttl.\n",
    )
    assert ask(SPOUSES, "--format", "ttl")[0] == 2


def test_answers_of_ask(ask) -> None:  # type: ignore[no-untyped-def]
    assert ask("ASK { ?item wdt:P26 ?y }", "--bind", "item=Q7186")[1].split()[-1] == "true"
    assert ask("ASK { ?item wdt:P26 ?y }", "--bind", "item=Q999999")[1].split()[-1] == "false"
    assert ask("ASK {}", "--format", "json")[1] == '{"head":{},"boolean":true}'


def test_parquet_has_numbers_texts_and_nothing(ask, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    query = """SELECT ?n ?mixed ?half ?text ?iri ?none ?big {
        VALUES (?n ?mixed ?half ?text ?iri) {
            (1 1 0.5 "" wdt:P26) (UNDEF "one" 2 "it's \\"1\\"\\n" wd:Q42)
        }
        BIND(99999999999999999999 AS ?big)
    } ORDER BY DESC(?n)"""
    assert ask(query, "-o", "it's.parquet")[0] == 0
    with contextlib.chdir(tmp_path), duckdb.connect() as connection:
        relation = connection.sql('FROM "it\'s.parquet"')
        assert relation.columns == ["n", "mixed", "half", "text", "iri", "none", "big"]
        kinds = ["BIGINT", "VARCHAR", "DOUBLE", "VARCHAR", "VARCHAR", "VARCHAR", "DOUBLE"]
        assert relation.types == kinds
        assert relation.fetchall() == [
            (1, "1", 0.5, "", "wdt:P26", None, 1e20),
            (None, "one", 2.0, 'it\'s "1"\n', "Q42", None, 1e20),
        ]


def test_a_failed_query_leaves_the_old_file(ask, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "out.csv").write_text("old")
    assert ask("SELECT { ?x }", "-o", "out.csv")[0] == 2
    assert ask("CONSTRUCT WHERE { ?a ?b ?c }", "-o", "out.csv")[0] == 2
    assert "no variables" in ask("SELECT * {}", "-o", "none.parquet")[1]
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]
    assert (tmp_path / "out.csv").read_text() == "old"
    assert ask(SPOUSES, "-o", "out.txt")[1].endswith(
        "Invalid value for -o: it must end with .csv, .tsv, .json, .nt, .ttl, .parquet.\n"
    )
    assert "--format has no effect with -o" in ask(SPOUSES, "--format", "csv", "-o", "a.csv")[1]


@pytest.mark.parametrize(
    ("query", "fault"),
    [
        (
            "SELECT ?x {\n ?x foo:P26 ?v }",
            "Line 2, column 12 of the query: prefix not found, in '?x foo:P26 ?v }'.",
        ),
        (
            "SELECT ?x { ?x ?path* ?v }",
            "Line 1, column 21 of the query: a property path has no variables, in "
            "'SELECT ?x { ?x ?path* ?v }'.",
        ),
    ],
)
def test_errors_have_line_and_column(graph: TripleStore, query: str, fault: str) -> None:
    assert refusal(graph, query) == fault


@pytest.mark.parametrize(
    "query",
    [
        *("INSERT DATA { wd:Q1 wdt:P1 wd:Q2 }", "DELETE WHERE { ?a ?b ?c }", "CLEAR ALL"),
        *("LOAD <http://127.0.0.1/x>", "PREFIX a: <b:c#> DROP DEFAULT", "WITH <a:b> DELETE { }"),
        *("{ }", "# nothing\n", "x { }"),
    ],
)
def test_only_queries_run(graph: TripleStore, query: str) -> None:
    assert refusal(graph, query) == (
        "A query begins with SELECT, ASK, CONSTRUCT or DESCRIBE, after its prefixes. "
        "Nothing else runs, since a store is only read."
    )


@pytest.mark.parametrize("clause", ["FROM", "FROM NAMED"])
def test_a_store_has_a_single_graph(graph: TripleStore, clause: str) -> None:
    # Oxigraph would find nothing, without notice.
    for head in ("SELECT ?x", "CONSTRUCT { ?x ?y ?z }"):
        fault = refusal(graph, f"{head} {clause} <http://x/y> WHERE {{ ?x ?y ?z }}")
        assert fault == "A store has a single graph, so FROM finds nothing: leave it out."


# Values for variables.


@pytest.mark.parametrize(
    ("value", "term"),
    [
        ("Q42", ox.NamedNode(PREFIXES["wd"] + "Q42")),
        ("P26", ox.NamedNode(PREFIXES["wdt"] + "P26")),
        ("wd:P26", ox.NamedNode(PREFIXES["wd"] + "P26")),
        ("<http://x/y>", ox.NamedNode("http://x/y")),
        ("42", ox.Literal(42)),
        ("-4.50", ox.Literal("-4.50", datatype=ox.NamedNode(PREFIXES["xsd"] + "decimal"))),
        ('"Marie"', ox.Literal("Marie")),
        ('"Marie"@en', ox.Literal("Marie", language="en")),
        ('""', ox.Literal("")),
        ('"x"@en"', ox.Literal('x"@en')),
        ('"1"^^xsd:byte', ox.Literal("1", datatype=ox.NamedNode(PREFIXES["xsd"] + "byte"))),
        ('"1"^^<x:y>', ox.Literal("1", datatype=ox.NamedNode("x:y"))),
        (42, ox.Literal(42)),
        (("Marie", "en"), ox.Literal("Marie", language="en")),
    ],
)
def test_values(value: terms.Bound, term: terms.Term) -> None:
    assert terms.bound_terms({"x": value}) == {"x": term}


@pytest.mark.parametrize(
    "value", ["Marie", "", "q42", "nope:x", "<a b>", '"x"@', '"x"@1_', '"x"^^y', "1e", '"', "<>"]
)
def test_what_is_no_value(value: str) -> None:
    with pytest.raises(WrongCallError, match=r"^The value of \?x is wrong: "):
        terms.bound_terms({"x": value})


@given(st.lists(st.tuples(TEXTS, st.sampled_from(["", "en", "de-at"])), min_size=1, max_size=20))
@settings(max_examples=15)
def test_any_text_finds_exactly_the_triples_that_have_it(
    tmp_path_factory: pytest.TempPathFactory, texts: Sequence[tuple[str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("graph")
    literals = [ox.Literal(text, language=language or None) for text, language in texts]
    lines = [f"<x:{n}> <x:has> {literal} .\n" for n, literal in enumerate(literals)]
    writer = StoreWriter(folder)
    assert writer.add("".join(lines).encode()) == []
    writer.close()
    graph = TripleStore(folder)
    for text, language in texts:
        value = f'"{text}"' + (f"@{language}" if language else "")
        found = rows(graph, "SELECT ?text ?x { ?x <x:has> ?text }", text=value)
        same = [n for n, other in enumerate(texts) if other == (text, language)]
        assert sorted(int(x.text[2:]) for _, x in found if x) == same
        assert {(text.text, text.language or "") for text, _ in found if text} == {(text, language)}


PATTERNS = [
    "?item wdt:P26 ?x",
    "?x wdt:P26 ?item",
    "?x wdt:P26 ?y FILTER(?x = ?item)",
    "?x wdt:P26 ?y FILTER(?x != ?item && STR(?y) != STR(?item))",
    "?x wdt:P26 ?y FILTER(?x NOT IN (?item))",
    "?x wdt:P26 ?y BIND(STR(?item) AS ?z) FILTER(STR(?x) = ?z)",
    "?x wdt:P26 ?y FILTER EXISTS { ?y wdt:P26 ?item }",
    "?x wdt:P26 ?y MINUS { ?item wdt:P26 ?y }",
    "?x wdt:P31 ?y OPTIONAL { ?item wdt:P26 ?x . ?x wdt:P106 ?z }",
    "{ ?x wdt:P26 ?y FILTER(?x = ?item) } UNION { ?item wdt:P26 ?y }",
    "?item wdt:P31/wdt:P279* ?x",
    "{ SELECT ?item ?x { ?x wdt:P26 ?y FILTER(?x = ?item) } }",
    "{ SELECT ?item (COUNT(*) AS ?x) { ?item wdt:P166 ?y } GROUP BY ?item }",
    "VALUES ?x { wd:Q7186 wd:Q42 } ?item ?p ?x",
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_value_is_like_the_term_in_its_place(graph: TripleStore, pattern: str) -> None:
    # A query that needs no brackets around the variable can have the term itself in its place.
    plain = pattern.replace("SELECT ?item", "SELECT").replace("GROUP BY ?item", "")
    expected = rows(graph, f"SELECT ?x {{ {plain.replace('?item', 'wd:Q7186')} }}")
    bound = rows(graph, f"SELECT ?item ?x {{ {pattern} }}", item="Q7186")
    assert [(x,) for _, x in bound] == expected
    assert {item for item, _ in bound} <= {Value("item", "Q7186")}


@pytest.mark.parametrize(
    "query",
    [
        # All of these run without a sentence from Oxigraph, and give other rows.
        "SELECT ?item ?x { { SELECT ?x { ?item wdt:P26 ?x } } }",
        "SELECT ?item ?x { ?x ?p ?o { SELECT DISTINCT ?x WHERE { ?item wdt:P26 ?x } LIMIT 9 } }",
        "SELECT ?item ?x { {SELECTDISTINCT?x{ ?item wdt:P26 ?x } } }",
        "SELECT ?item ?x { { SELECT * { ?x wdt:P26 ?y FILTER(?x = ?item) } } }",
        "SELECT ?item ?x { { SELECT ?x (COUNT(?item) AS ?n) { ?item wdt:P26 ?x } GROUP BY ?x } }",
        "SELECT ?item ?x { { SELECT ?item ?x { ?x ?p ?item { SELECT ?x { ?x ?q ?item } } } } }",
        "SELECT ?item ?x { ?x wdt:P26 ?y FILTER EXISTS { SELECT ?y { ?y wdt:P26 ?item } } }",
        "CONSTRUCT { ?x wdt:P26 ?item } { { SELECT ?x { ?item wdt:P26 ?x } } }",
        "SELECT ?item ?x { ?x wdt:P26 ?y BIND(?item AS ?z) FILTER(?x = ?z) }",
        "SELECT ?item (?item AS ?x) { ?x wdt:P26 ?y }",
        "SELECT ?item ?x { ?x wdt:P26 ?y FILTER(!BOUND(?item)) }",
        "SELECT ?item ?x { ?x wdt:P26 ?y FILTER (?item) }",
        "SELECT ?item ?x { ?x wdt:P26 ?y } GROUP BY ?item ?x HAVING (BOUND(?item))",
    ],
)
def test_a_query_that_would_ignore_a_value_is_refused(graph: TripleStore, query: str) -> None:
    with pytest.raises(WrongCallError, match=r"would not (get|have) its value"):
        rows(graph, query, item="Q7186")


@pytest.mark.parametrize(
    ("query", "fault"),
    [
        ("SELECT ?x { ?item wdt:P26 ?x }", r"\?item has a value, so the outermost SELECT must"),
        ("ASK { ?x wdt:P26 ?y FILTER(?x = ?item) }", r"\?item has a value, .* a triple pattern"),
        ("SELECT * { ?items wdt:P26 ?x }", r"The query has no variable \?item\."),
        ("SELECT * { ?x wdt:P26 ?y } # ?item", r"The query has no variable \?item\."),
        ('SELECT * { ?x wdt:P26 ?y, "?item" }', r"The query has no variable \?item\."),
    ],
)
def test_a_variable_that_can_have_no_value(graph: TripleStore, query: str, fault: str) -> None:
    with pytest.raises(WrongCallError, match=fault):
        rows(graph, query, item="Q7186")


@pytest.mark.parametrize("value", ["item", "=Q42", "it em=Q42", "?=Q42"])
def test_bind_needs_a_name_and_a_value(ask, value: str) -> None:  # type: ignore[no-untyped-def]
    assert f"'{value}' is not NAME=VALUE." in ask(SPOUSES, "--bind", value)[1]
    assert "?item has two values." in ask(SPOUSES, "--bind", "?item=Q1", "--bind", "item=Q2")[1]


# Other servers.

_SPACES = st.lists(
    st.sampled_from([" ", "\n", "\r", "\t", "# <x> {\n", "#'''\r", '#"\n', "#\n"]), max_size=4
).map("".join)
_NAMES = st.sampled_from(
    ["<http://x/y#z>", "?x", "$x", "a:b", ":", "a:", r"a:b\#c", "<x:'>", "a.b:c.d", "a:%41"]
)
_AROUND = st.text(max_size=30) | st.text("<>'\"#\\{}?:.^ \nSERVICE", max_size=30)


@given(_AROUND, st.sampled_from(["SERVICE", "service", "SerVice"]), _SPACES, _NAMES, _AROUND)
@settings(max_examples=100)
def test_a_service_is_found_whatever_is_around_it(
    before: str, keyword: str, spaces: str, name: str, after: str
) -> None:
    for silent in ("", "SILENT"):
        text = f"{before}{keyword}{spaces}{silent}{spaces} {name}{spaces}{{{after}"
        with pytest.raises(WrongCallError, match="SERVICE asks another server"):
            query_text.refuse_services(text)


@pytest.mark.parametrize(
    "query",
    [
        *("SELECT * {{ SERVICE <{0}> {{ ?s ?p ?o }} }}", "SELECT * {{SERVICE<{0}>{{?s ?p ?o}}}}"),
        "SELECT * {{ {{ {{ ?a ?b ?c OPTIONAL {{ SERVICE SILENT <{0}> {{ ?s ?p ?o }} }} }} }} }}",
        "SELECT * {{ ?a ?b ?c FILTER EXISTS {{ SERVICE <{0}> {{ ?s ?p ?o }} }} }}",
        "SELECT * {{ {{ SELECT ?s {{ SERVICE <{0}> {{ ?s ?p ?o }} }} }} }}",
        "BASE <{0}> SELECT * {{ SERVICE <> {{ ?s ?p ?o }} }}",
        "PREFIX : <{0}> SELECT * {{ SERVICE:{{ ?s ?p ?o }} }}",
        "PREFIX SERVICE: <{0}> SELECT * {{ SERVICE SERVICE: {{ ?s ?p ?o }} }}",
        "SELECT * {{ VALUES ?u {{ <{0}> }} SERVICE ?u {{ ?s ?p ?o }} }}",
        # What a reader of tokens may take for a string or a comment.
        "SELECT * {{ ?a ?b ?c FILTER(?a<'x>y') SERVICE <{0}> {{ ?s ?p ?o FILTER(?s != 'z') }} }}",
        "SELECT * {{ ?a ?b 1SERVICE#<\n<{0}>#'''\n{{ ?s ?p ?o }} }}",
        "SELECT * {{ ?a ?b wdt:.SERVICE<{0}>{{ ?s ?p ?o }} }}",
        "SELECT * {{ ?a ?b 'x'# y\rSERVICE<{0}>{{ ?s ?p ?o }} }}",
    ],
)
def test_no_query_asks_another_server(graph: TripleStore, query: str) -> None:
    text = query.format("http://127.0.0.1:9/")
    assert refusal(graph, text) == "SERVICE asks another server. If you mean it, pass --service."
    # Oxigraph understands the same text: it was worth refusing.
    with contextlib.suppress(OSError):
        try:
            graph.answer(text, {}, None, io.BytesIO())
        except WrongCallError as error:
            assert "of the query" not in str(error)


def test_an_escaped_keyword_is_no_keyword(graph: TripleStore) -> None:
    # SPARQL allows this; if Oxigraph ever does, refuse_services must read escapes.
    with pytest.raises(WrongCallError, match="Line 1"):
        graph.answer(r"SELECT * { \u0053ERVICE <x:y> { ?s ?p ?o } }", {}, None, io.BytesIO())


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ?service { ?service ?p ?o . ?service ?q ?r { ?service ?s ?t } } LIMIT 1",
        'SELECT * { ?x rdfs:label "service"@en, "at your service: x" }',
        "# service\nSELECT * { <http://x/service> <x:service> ?o { ?o ?p ?q } }",
    ],
)
def test_the_word_service_is_allowed(graph: TripleStore, query: str) -> None:
    rows(graph, query)


def test_service_may_be_allowed(ask, other) -> None:  # type: ignore[no-untyped-def]
    url = f"{other}/"
    query = f"SELECT ?s {{ SERVICE <{url}> {{ ?s ?p ?o }} }}"
    assert ask(query, "--service", "--format", "csv")[1].split() == ["s", "x:y"]
    code, text = ask(query.replace(url, "http://127.0.0.1:9/"), "--service")
    assert (code, text[:37]) == (2, "Error: The query cannot be completed:")


@pytest.mark.skipif(sys.platform != "linux", reason="needs filters of system calls")
def test_a_confined_process_opens_no_connection(other) -> None:  # type: ignore[no-untyped-def]
    code = (
        "import socket, sys; from kgbuild.store.sparql.confinement import refuse_connections\n"
        "open_one = lambda: socket.create_connection(('127.0.0.1', int(sys.argv[1]))).close()\n"
        "open_one(); refuse_connections()\n"
        "try: open_one()\n"
        "except PermissionError: sys.exit(7)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, other.rpartition(":")[2]])
    assert done.returncode == 7


# Limits.


def test_a_query_has_a_time_limit(ask, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    sentence = "Error: The query took more than 1 s. Raise --timeout.\n"
    assert ask(ENDLESS, "--timeout", "1") == (1, sentence)
    assert ask(ENDLESS, "--timeout", "1", "-o", "out.csv") == (1, sentence)
    assert [*tmp_path.iterdir()] == []


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)]
)
def test_an_interrupted_query_ends_at_once(sample_store: Path, number: int, code: int) -> None:
    command = [sys.executable, "-m", "kgbuild", "sparql", ENDLESS, "--store", str(sample_store)]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        (child,) = children(process.pid)
        process.send_signal(number)
        assert process.wait(20) == code
        assert has_ended(child)
        assert process.stderr
        message = process.stderr.read().decode()
    assert ("Interrupted." in message) == (code > 0)


@given(_AROUND)
@settings(max_examples=60)
def test_no_text_breaks_the_checks(graph: TripleStore, text: str) -> None:
    with contextlib.suppress(WrongCallError):
        rows(graph, text)
    with contextlib.suppress(WrongCallError):
        rows(graph, f"SELECT * {{ ?item ?p ?o {text} }} LIMIT 1", item="Q7186")


# From Python, and from an endpoint.


def test_from_python(sample: Store) -> None:
    result = sample.sparql(SPOUSES, {"item": "Q7186"})
    assert result.records == [{"item": Value("item", "Q7186"), "spouse": Value("item", "Q37463")}]
    label = "SELECT ?label ?item { ?item rdfs:label ?label }"
    assert sample.sparql(label, {"label": ("Marie Curie", "en")}) == (
        ("label", "item"),
        [(Value("text", "Marie Curie", "en"), Value("item", "Q7186"))],
    )
    assert sample.sparql("SELECT ?none { ?item wdt:P26 ?none . ?none ?p 0.25 }").rows == []
    with pytest.raises(WrongCallError):
        sample.sparql("SELECT")


@pytest.mark.skipif(not OXIGRAPH, reason="needs the command oxigraph")
def test_an_endpoint_gives_what_a_store_gives(  # type: ignore[no-untyped-def]
    ask, tmp_path: Path
) -> None:
    prefix = f"PREFIX wdt: <{PREFIXES['wdt']}> "
    queries = [
        (f"{prefix}{SPOUSES}", ("table", "csv", "tsv", "json")),
        (f"{prefix}CONSTRUCT {{ ?a wdt:P26 ?b }} {{ ?a wdt:P26 ?b }}", ("table", "nt", "ttl")),
        ("ASK { ?a ?b ?c }", ("table", "csv", "json")),
    ]
    with serving(tmp_path / "served", ROOT / "dumps/sample.nt") as url:
        for query, forms in queries:
            for form in forms:
                done = invoke(tmp_path, "sparql", query, "--endpoint", url, "--format", form)
                assert done.returncode == 0, done.stderr
                expected = ask(query, "--format", form)[1]
                assert sorted(done.stdout.splitlines()) == sorted(expected.splitlines()), form
        for arguments, code, fault in (
            ((SPOUSES,), 1, "HTTP 400"),  # the prefix wdt is unknown there
            ((SPOUSES, "--bind", "item=Q42"), 2, "--bind is for a store"),
            (("SELECT * { SERVICE <x:y> {} }",), 2, "pass --service"),
            ((queries[0][0], "--format", "nt"), 2, "The result has rows"),
        ):
            done = invoke(tmp_path, "sparql", *arguments, "--endpoint", url)
            assert (done.returncode, fault in done.stderr) == (code, True), done.stderr


@pytest.mark.parametrize("command", ["sparql", "serve"])
def test_a_damaged_graph_is_refused_before_it_is_read(tmp_path, command):
    load([str(SAMPLE)], tmp_path / "kg", Filter())
    file = max(tmp_path.glob("kg/generation-1/graph/*.sst"), key=lambda path: path.stat().st_size)
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 4
    file.write_bytes(content)
    query = ["SELECT ?s WHERE {?s wdt:P31 wd:Q5 FILTER NOT EXISTS {?s wdt:P26 ?x}}"]
    done = invoke(tmp_path, command, "--store", "kg", *(query if command == "sparql" else []))
    assert done.returncode == 1
    assert file.name in done.stderr and done.stdout == ""
