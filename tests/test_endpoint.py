"""An endpoint gives the results of a store, and errors of an endpoint are reported."""

import json
import re
import shlex
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from urllib.parse import urlencode

import pyoxigraph as ox
import pytest
import rdflib
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from kgbuild import __version__, wikidata
from kgbuild.cli import cli
from kgbuild.dump.filter import Filter
from kgbuild.errors import KgbuildError
from kgbuild.graph.endpoint_backend import EndpointNames
from kgbuild.graph.open import Store, open_endpoint, open_store
from kgbuild.net import http, transport, urls, waits
from kgbuild.net.http import Client
from kgbuild.store.labels import lookup
from kgbuild.store.load import load
from kgbuild.store.sparql import endpoint, parameters, queries, terms
from kgbuild.store.sparql.endpoint import Endpoint
from tests.conftest import QUERIES, ROOT, SAMPLE, triples
from tests.endpoints import Fault, Proxy, proxy, serving
from tests.test_queries import BINDINGS, ORDERED

HOSTILE = (
    'the "quick" \\ fox',
    '"@en } UNION { ?item ?a ?b } #',
    "\\u0022@en } #",
    "\\\\u0022",
    '\\"',
    "two\nlines\r\tand a tab\\",
    "${item} ?item {term} %s",
    "'''\"\"\"",
    "<http://example.org/> # no comment",
    "naïve 𝔘nicode ﬁ \u2028",
)


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """The sample, with precisions and hostile names."""
    folder = tmp_path_factory.mktemp("held")
    lines = [triples('wd:Q255 <urn:kgbuild:precision:P569> "1770-01-01T00:00:00Z/9"')]
    for n, name in enumerate(HOSTILE):
        text = ox.Literal(name, language="en")
        lines.append(f"<{wikidata.ENTITY}Q{9000 + n}> <{wikidata.LABEL}> {text} .\n")
    (folder / "more.nt").write_text("".join(lines), encoding="utf-8")
    load([str(SAMPLE), str(folder / "more.nt")], folder / "kg", Filter())
    with open_store(folder / "kg") as opened_store:
        yield opened_store


@pytest.fixture(scope="module")
def url(held: Store, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server of what the store holds."""
    folder = tmp_path_factory.mktemp("served")
    with (folder / "all.nt").open("wb") as file:
        held.graph.lines(lambda lines: file.writelines(line + b"\n" for line in lines))
    with serving(folder / "oxigraph", folder / "all.nt") as address:
        yield address


@pytest.fixture(scope="module")
def graph(url: str) -> Iterator[Endpoint]:
    with closing(Client()) as client:
        yield Endpoint(url, client)


@pytest.fixture
def faulty(url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    monkeypatch.setattr(waits, "PAUSES", (0.0,) * 5)
    with proxy(url) as told:
        yield told


@pytest.fixture
def store(held: Store) -> str:
    return str(held.folder.parent)


# The same answers


@pytest.mark.parametrize("name", QUERIES)
def test_an_endpoint_answers_like_the_store(held, graph, name):
    for params in BINDINGS[name]:
        here, there = held.graph.select(name, **params), graph.select(name, **params)
        assert Counter(here) == Counter(there)
        if name in ORDERED:
            assert here == there


def test_triples_are_selected_as_rows(held, graph):
    lines: list[bytes] = []
    held.graph.lines(lines.extend)
    own = {line + b"\n" for line in lines if line.startswith(b"<%sQ255> " % ENTITY)}
    assert own
    assert set(terms.lines(graph.select("truthy", entity=["Q255"], languages=" en mul "))) == own
    outline = terms.lines(graph.select("item_summaries", entity=["Q255"], languages=" de "))
    kept = (b"/P31>", b"/P279>", b"/P131>", b"/P17>", b"sameAs>")
    assert outline == sorted(line for line in own if line.split()[1].endswith(kept))


ENTITY = wikidata.ENTITY.encode()


def test_blank_nodes_are_named_after_their_statement():
    # Blank nodes have other names in each answer, so these say nothing.
    text = (
        "<http://a> <http://p> _:x, _:y . <http://b> <http://p> _:x . _:x <http://p> <http://a> ."
    )
    again = text.replace("_:x", "_:z")
    lines = terms.lines_of(text.encode(), "text/turtle")
    assert lines == terms.lines_of(again.encode(), "text/turtle")
    assert len({line.split()[2] for line in lines}) == len(lines) == 3


# Parameters


def test_patterns_have_no_unbound_parameters():
    for name in QUERIES:
        query = queries.load(name)
        for params in BINDINGS[name]:
            bound = terms.single_terms(query, params)
            text = parameters.insert_terms(query.text, bound)
            pattern = text[text.index("WHERE {") : text.rindex("}")]
            assert not [param for param in bound if re.search(rf"\?{param}\b", pattern)], name


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.lists(
    st.sampled_from(["\\", '"', "\n", "\r", "u0022", "U00000022", "'", "}", "#", "?text", "@en"])
).map("".join)
ECHO = "SELECT ?text ?back\nWHERE { BIND(?text AS ?back) FILTER(STR(?text) = STR(?back)) }\n"


@settings(max_examples=30)
@given(TEXTS, st.sampled_from(["", "en", "mul"]))
def test_hostile_texts_are_bound_unchanged(text, language):
    # rdflib replaces \u0022 before it parses a query, as some engines do; Oxigraph after it.
    term = ox.Literal(text, language=language or None)
    asked = parameters.insert_terms(ECHO, {"text": term})
    (found,) = ox.Store().query(asked)
    assert found["back"] == term
    (row,) = rdflib.Graph().query(asked)
    assert (str(row["back"]), row["back"].language or "") == (text, language)


def test_hostile_names_match(held, graph):
    names = EndpointNames(graph)
    for n, name in enumerate(HOSTILE):
        if name == name.strip():
            here = lookup(held.graph, held.names, name)
            assert lookup(graph, names, name) == here
            assert [match.qid for match in here] == [f"Q{9000 + n}"]


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("ludwig van beethoven", {("Ludwig van Beethoven", "en"), ("Ludwig van Beethoven", "mul")}),
        ("MARIE CURIE", {("Marie Curie", "en")}),
        (" Person ", {("person", "en")}),
        ("Ｐerson", set()),
        ("\udcff", set()),  # what no text in UTF-8 holds
        ("", set()),
    ],
)
def test_spellings_that_are_tried(graph, typed, found):
    assert set(EndpointNames(graph).spellings(typed)) == found


# Pages


def test_pages_add_up_to_the_whole(held, graph, url, monkeypatch):
    monkeypatch.setattr(endpoint, "PAGE", 7)
    monkeypatch.setattr(endpoint, "_BATCH_SIZE", 2)
    people = [f"Q{number}" for number in (255, 7186, 37463, 16, 64)]
    for name, params in (
        ("one_hop", {"item": "Q255", "language": "en"}),
        ("texts_of", {"entity": people, "language": "en"}),
        ("property_overlap", BINDINGS["property_overlap"][0]),
    ):
        here, there = held.graph.select(name, **params), graph.select(name, **params)
        assert len(here) > 3
        assert Counter(here) == Counter(there)
    with proxy(url) as told, closing(Client()) as client:
        assert len(Endpoint(told.url, client).select("instances", **{"class": ["Q5"]})) > 7
        ends = [query.split("LIMIT")[1].split("VALUES")[0].strip() for query in told.queries]
    # What fits into a page needs no order.
    assert ends == ["7", *(f"7 OFFSET {7 * n}" for n in range(len(ends) - 1))]
    assert ["ORDER BY STR(?item)" in query for query in told.queries] == [
        False,
        *[True] * (len(ends) - 1),
    ]


@pytest.mark.parametrize("cap", [100, 256, 811])
def test_a_server_with_a_lower_limit_of_rows(held, url, cap):
    # As public services do, without a word: nothing may be lost by it.
    with proxy(url) as told, closing(Client()) as client:
        told.cap = cap
        found = Endpoint(told.url, client).select("relation_pairs", property="P31")
        own = held.graph.select("relation_pairs", property="P31")
        assert len(own) > 2 * cap
        assert Counter(found) == Counter(own)


def test_a_complete_page_shows_that_the_limit_is_higher(held, url):
    with proxy(url) as told, closing(Client()) as client:
        asking = Endpoint(told.url, client)
        first = asking.select("relation_pairs", property="P31")
        assert [query.split("LIMIT")[1].strip() for query in told.queries] == [
            "10000",
            f"1 OFFSET {len(first)}",  # it might have been all that the server returns
        ]
        told.clear()
        assert 100 < len(asking.select("relation_pairs", property="P106")) < len(first)
        assert len(told.queries) == 1


def test_pages_have_an_order_that_no_server_chooses(tmp_path):
    # SPARQL does not define the order of texts in two languages, or of a text and a number.
    names = [f'"{n % 90}"@{language}' for n in range(90) for language in ("en", "de", "en-gb")]
    values = "\n".join(f"wd:Q1 wdt:P1 {name}" for name in [*names, *(f'"{n}"' for n in range(90))])
    (tmp_path / "a.nt").write_text(triples(f"{values}\nwd:Q1 wdt:P31 wd:Q5"))
    with (
        serving(tmp_path / "kg", tmp_path / "a.nt") as url,
        proxy(url) as told,
        closing(Client()) as client,
    ):
        told.cap = 101
        rows = Endpoint(told.url, client).select("truthy", entity=["Q1"], languages=" en de ")
        assert len(rows) == len(terms.lines(rows)) == 361
        assert "ORDER BY STR(?entity) LANG(?entity) DATATYPE(?entity)" in told.queries[-1]


def test_a_303_after_a_query_is_fetched(faulty):
    # As RFC 9110 says: by GET, without what described the body of the POST.
    query = urlencode({"query": "SELECT (1 AS ?popularity) { }"})
    faulty.plan = [Fault(303, {"Location": f"/query?{query}"}, b"")]
    with open_endpoint(Client(), faulty.url) as source:
        assert [[*row] for row in source.graph.select("popularity", item="Q5")] == [[1]]
    first, second = faulty.headers
    assert {*first} - {*second} == {"Content-Type", "Content-Length"}


def test_duplicate_rows_do_not_end_the_pages(tmp_path):
    # A server that joins graphs may give the same triple twice: rows are counted, not lines.
    text = "".join(f'<{wikidata.ENTITY}Q1> <{wikidata.DIRECT}P1> "{n}" .\n' for n in range(1500))
    (tmp_path / "a.nt").write_text(text)
    options = {"entity": ["Q1"], "languages": " en "}
    graphs = ("http://a", "http://b")
    with (
        serving(tmp_path / "kg", tmp_path / "a.nt", graphs=graphs) as url,
        proxy(url) as told,
        closing(Client()) as client,
    ):
        told.cap = 1000
        rows = Endpoint(told.url, client).select("truthy", **options)
    assert len(rows) == len(terms.lines(rows)) == 1500


def test_an_answer_may_be_compressed(held, faulty):
    own = held.graph.select("item_statements", item="Q255")
    faulty.plan = [Fault(headers={"Content-Encoding": "gzip"})]
    with closing(Client()) as client:
        assert Counter(
            Endpoint(faulty.url, client).select("item_statements", item="Q255")
        ) == Counter(own)
    assert faulty.headers[0]["Accept-Encoding"] == "gzip"


def test_a_truncated_compressed_answer_is_tried_again(faulty):
    cut = Fault(headers={"Content-Encoding": "gzip", "Connection": "close"}, cut=99)
    faulty.plan = [cut] * 5
    with (
        closing(Client()) as client,
        pytest.raises(KgbuildError, match="ended too early") as caught,
    ):
        Endpoint(faulty.url, client).select("item_statements", item="Q255")
    assert "it ended too early (5 tries in a row)" in str(caught.value)


@pytest.mark.parametrize("encoding", ["identity", "gzip"])
def test_an_answer_has_a_limit_of_size(faulty, monkeypatch, encoding):
    # 200 kB of one letter: compressed, less than the limit; neither is read twice.
    monkeypatch.setattr(transport, "MAX_BODY", 100_000)
    faulty.plan = [Fault(headers={"Content-Encoding": encoding}, body=b"x" * 200_000)]
    with (
        closing(Client()) as client,
        pytest.raises(KgbuildError, match="No SPARQL endpoint") as caught,
    ):
        Endpoint(faulty.url, client).select("item_statements", item="Q255")
    assert "it is larger than 100,000 bytes" in str(caught.value)
    assert len(faulty.queries) == 1


@pytest.mark.parametrize(
    ("media_type", "start", "row", "end"),
    [
        (
            "application/sparql-results+json",
            '{"head":{"vars":["item"]},"results":{"bindings":[{}',
            ",{}",
            "]}}",
        ),
        ("text/tab-separated-values", "?item\n", "\n", ""),
    ],
)
def test_an_answer_has_a_limit_of_rows(faulty, monkeypatch, media_type, start, row, end):
    # Compressed, a million rows without values have 3 kB.
    monkeypatch.setattr(terms, "MAX_ROWS", 100)
    headers = {"Content-Encoding": "gzip", "Content-Type": media_type}
    for count in (99, 101):
        body = start + row * (count - start.count("{}")) + end
        faulty.plan = [Fault(headers=headers, body=body.encode())]
        with closing(Client()) as client:
            endpoint = Endpoint(faulty.url, client)
            if count < 100:
                assert endpoint.select("instances", **{"class": ["Q5"]}) == [(None,)] * count
            else:
                with pytest.raises(KgbuildError, match="they are more than 100"):
                    endpoint.select("instances", **{"class": ["Q5"]})


def test_an_answer_has_a_limit_of_triples(monkeypatch):
    monkeypatch.setattr(terms, "MAX_ROWS", 2)
    lines = [b"<http://a/%d> <http://b> <http://c> .\n" % n for n in range(3)]
    assert terms.lines_of(b"".join(lines[:2]), terms.TRIPLES) == lines[:2]
    with pytest.raises(ValueError, match=r"^more than 2 triples$"):
        terms.lines_of(b"".join(lines), terms.TRIPLES)


def test_truncated_rows_are_an_error(faulty):
    # Without a length, nothing tells of the end but the rows themselves.
    faulty.plan = [Fault(headers={"Connection": "close"}, cut=200)]
    with closing(Client()) as client, pytest.raises(KgbuildError, match="does not answer"):
        Endpoint(faulty.url, client).select("truthy", entity=["Q255"], languages=" en ")


@pytest.mark.parametrize(
    ("contact", "agent"),
    [
        ("", f"kgbuild/{__version__} (evaluation datasets from Wikidata)"),
        (
            "me@example.org",
            f"kgbuild/{__version__} (evaluation datasets from Wikidata; me@example.org)",
        ),
        ("a\r\nX: b", f"kgbuild/{__version__} (evaluation datasets from Wikidata)"),
    ],
)
def test_the_user_agent_has_the_contact(faulty, monkeypatch, contact, agent):
    monkeypatch.setenv("KGBUILD_CONTACT", contact)
    with closing(Client()) as client:
        Endpoint(faulty.url, client).select("item_statements", item="Q255")
    assert faulty.headers[0]["User-Agent"] == agent


def test_a_server_without_pages_is_an_error(faulty, monkeypatch):
    # Ten people, whichever are asked for: as many as a page has.
    monkeypatch.setattr(endpoint, "PAGE", 10)
    bindings = [{"item": {"type": "uri", "value": f"{wikidata.ENTITY}Q{n}"}} for n in range(1, 11)]
    results = {"head": {"vars": ["item"]}, "results": {"bindings": bindings}}
    faulty.plan = [Fault(200, {}, json.dumps(results).encode())] * 9
    with (
        open_endpoint(Client(), faulty.url) as source,
        pytest.raises(KgbuildError, match="does not answer") as caught,
    ):
        source.graph.select("instances", **{"class": ["Q5"]})
    assert "the same page comes again" in str(caught.value)
    assert len(faulty.queries) == 3


# Manners


BUSY = Fault(429, {"Retry-After": "0"}, b"slow down")


@pytest.mark.parametrize(
    "plan",
    [
        [BUSY, Fault(503, {}, b""), BUSY],
        [Fault(cut=40)] * 4,
        [None, Fault(is_closed=True), Fault(502, {}, b"<html>bad gateway</html>")],
    ],
    ids=["busy", "cut off", "closed"],
)
def test_temporary_failures_are_tried_again(faulty, held, plan):
    faulty.plan = list(plan)
    told: list[str] = []
    with open_endpoint(Client(notice=told.append), faulty.url) as source:
        for item in ("Q5", "Q16"):
            asked = source.graph.select("popularity", item=item)
            assert asked == held.graph.select("popularity", item=item)
    assert len(faulty.queries) == 2 + len([fault for fault in plan if fault])
    assert told and all(
        line.endswith("; asking again in 0 s.") for line in told if "closed" not in line
    )


_NO_ROWS = "does not answer the query popularity with rows"


@pytest.mark.parametrize(
    ("fault", "kind", "detail"),
    [
        (BUSY, "is too busy to answer", "HTTP 429 Too Many Requests (5 tries in a row)"),
        (
            Fault(429, {"Retry-After": "3600"}, b""),
            "is too busy to answer",
            "HTTP 429 Too Many Requests, and it asks for a pause of 3,600 s. Try again later.",
        ),
        (Fault(cut=30), _NO_ROWS, "it ended too early (5 tries in a row). Try again later"),
        (Fault(404, {}, b"<html>"), "No SPARQL endpoint answers at", "HTTP 404 Not Found"),
        (
            Fault(302, {"Location": "ftp://a/"}, b""),
            "does not run the query popularity",
            "HTTP 302, a redirect that cannot be followed",
        ),
        (
            Fault(400, {}, b"no SPARQL: '{'\n"),
            "does not run the query popularity",
            "HTTP 400 Bad Request",
        ),
        (Fault(301, {"Location": "/query"}, b""), "does not run the query popularity", None),
        (
            Fault(403, {}, b"Name yourself."),
            "does not run the query popularity",
            "HTTP 403 Forbidden. Its message: Name yourself. It may need a user name",
        ),
        (
            Fault(headers={"X-SQL-State": "S1TAT"}),
            "does not run the query popularity",
            "the query timed out, so the answer is incomplete",
        ),
        (
            Fault(400, {}, b'{"query": "SELECT", "exception": "Invalid query."}'),
            "does not run the query popularity",
            "HTTP 400 Bad Request. Its message: Invalid query. The",
        ),
        (
            Fault(500, {}, b"Timeout"),
            "does not run the query popularity",
            "HTTP 500 Internal Server Error: its limit of time is exceeded",
        ),
        (
            Fault(500, {}, b"The estimated execution time 1500 (sec) exceeds the limit of 400"),
            "does not run the query popularity",
            "HTTP 500 Internal Server Error: its limit of time is exceeded",
        ),
        (
            Fault(200, {"Content-Type": "text/html"}, b" <!DOCTYPE html><p>Hello"),
            _NO_ROWS,
            "an HTML page",
        ),
        (
            Fault(200, {"Content-Type": "text/csv"}, b"popularity\r\n5\r\n"),
            _NO_ROWS,
            "it is CSV. kgbuild needs JSON, XML or TSV.",
        ),
        (Fault(200, {}, b""), _NO_ROWS, None),
        (Fault(200, {}, b'{"head": {}, "boolean": true}'), _NO_ROWS, None),
        (Fault(200, {}, b'{"head":{"vars":[]},"results":{"bindings":[]}}'), _NO_ROWS, None),
        # What a server gives up in the middle it may end with words.
        (
            Fault(200, {}, b'{"head": {"vars": ["popularity"]}, "results": {"bindings": [ TIMEOUT'),
            _NO_ROWS,
            None,
        ),
    ],
)  # fmt: skip
def test_failures_are_described(faulty, fault, kind, detail):
    faulty.plan = [fault] * 9
    with open_endpoint(Client(), faulty.url) as source, pytest.raises(KgbuildError) as caught:
        source.graph.select("popularity", item="Q5")
    told = str(caught.value)
    assert faulty.url in told and kind in told and (detail or "") in told


def test_a_silent_server_is_not_tried_again(faulty, monkeypatch):
    monkeypatch.setattr(http, "SILENCE", 0.2)
    faulty.plan = [Fault(is_silent=True)]
    with (
        open_endpoint(Client(), faulty.url) as source,
        pytest.raises(KgbuildError, match="No SPARQL endpoint") as caught,
    ):
        source.graph.select("popularity", item="Q5")
    assert "no data in 0.2 s" in str(caught.value)
    assert len(faulty.queries) == 1


def test_redirects_to_other_servers_get_no_password(faulty, url, held):
    faulty.plan = [Fault(307, {"Location": url}, b"")]
    with open_endpoint(Client(), faulty.url.replace("//", "//me:p%40ss@")) as source:
        assert source.graph.name == faulty.url
        here = held.graph.select("popularity", item="Q5")
        assert source.graph.select("popularity", item="Q5") == here
        source.graph.select("popularity", item="Q16")
    assert {headers["Authorization"] for headers in faulty.headers} == {"Basic bWU6cEBzcw=="}


# Commands


def run(*arguments: str, **environment: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(cli, arguments, env=environment)
    return done.exit_code, done.stdout, done.stderr


@pytest.mark.parametrize(
    "command",
    [
        ["lookup", "Ludwig van Beethoven"],
        ["lookup", "paris", "--json"],
        ["lookup", "beethoven", "--lang", "de"],
        ["lookup", "Beethoven", "--limit", "1"],
        ["subgraph", "Q255"],
        ["subgraph", "Q7186", "--limit", "1", "--format", "turtle"],
        ["subgraph", "Q5", "--json"],
        ["subgraph", "Q2555"],
        ["similar", "Q255", "--limit", "5"],
        ["similar", "Q255", "Q7186", "--min-overlap", "2", "--json"],
        ["similar", "Q5"],
        ["similar", "Q999999999"],
        ["retrieve", "Where did Pierre Curie meet Marie Curie?", "--json"],
        ["retrieve", "Did Beethoven know Mozart?"],
        ["retrieve", "Nobody is here"],
    ],
    ids=" ".join,
)
def test_commands_print_the_same_as_with_a_store(store, url, command):
    here = run(*command, "--store", store)
    assert run(*command, "--endpoint", url) == here
    assert run(*command, KGBUILD_ENDPOINT=url) == here


@pytest.mark.parametrize("after", [0, 1, 2, 3])
def test_a_failure_leaves_the_output_unchanged(faulty, tmp_path, after):
    # Whichever of its queries fails, the file from before stands.
    out = tmp_path / "beethoven.json"
    out.write_text("before")
    faulty.after = (after, Fault(500, {}, b"<html>java.util.concurrent.TimeoutException</html>"))
    code, printed, said = run("subgraph", "Q255", "-o", str(out), "--endpoint", faulty.url)
    assert (code, printed, out.read_text()) == (1, "", "before")
    assert "does not run the query" in said and "HTTP 500 Internal Server Error" in said
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


def test_a_subgraph_takes_few_requests(faulty, held):
    # However many its properties: what is polite to ask of a public service.
    code, out, _ = run("subgraph", "Q255", "--json", "--endpoint", faulty.url)
    assert code == 0 and len({row["property"] for row in json.loads(out)}) > 5
    assert len(faulty.queries) == 4


def test_a_question_takes_few_requests(faulty):
    # All that may be a name in it is asked about at once.
    code, _, _ = run(
        "retrieve",
        "Was the composer Ludwig van Beethoven, who was born in Bonn and died in Vienna, ever in "
        "the same town as Wolfgang Amadeus Mozart or as Marie Curie's husband Pierre Curie?",
        *("--endpoint", faulty.url),
    )
    assert code == 0
    assert len(faulty.queries) < 100  # one by one, there would be many hundreds


@pytest.mark.parametrize(
    ("url", "is_here"),
    [
        ("http://localhost:7878/query", True),
        ("http://me:secret@127.0.0.1/query", True),
        ("http://[::1]:7878/query", True),
        ("https://query.wikidata.org/sparql", False),
        ("http://localhost.example.org/", False),
        ("http://[::1/", False),
    ],
)
def test_local_servers_are_recognised(url, is_here):
    assert urls.is_local(url) is is_here


def test_an_empty_endpoint_is_an_error(faulty):
    nothing = json.dumps({"head": {"vars": []}, "results": {"bindings": []}}).encode()
    faulty.after = (0, Fault(body=nothing, headers={"Content-Type": terms.RESULTS}))
    for command in (["subgraph", "Q255"], ["similar", "Q255"], ["lookup", "Paris"]):
        code, out, said = run(*command, "--endpoint", faulty.url)
        assert (code > 0, out, said.startswith("Error: ")) == (True, "", True)


def test_a_query_that_took_too_long_is_told(faulty):
    # Blazegraph repeats the query before it says what happened.
    text = "SPARQL-QUERY: queryStr=" + "x" * 500 + "\njava.util.concurrent.TimeoutException\n"
    faulty.plan = [Fault(500, {"Content-Type": "text/plain"}, text.encode())] * 9
    said = run("lookup", "Paris", "--endpoint", faulty.url)[2]
    assert "HTTP 500 Internal Server Error: its limit of time is exceeded. Try again later" in said
    assert "queryStr" not in said and "SPARQL 1.1" not in said


def test_json_that_is_called_text_is_read(faulty, held):
    own = Counter(held.graph.select("item_statements", item="Q255"))
    faulty.plan = [Fault(headers={"Content-Type": "text/plain"})] * 3
    with closing(Client()) as client:
        assert Counter(Endpoint(faulty.url, client).select("item_statements", item="Q255")) == own
    query = "SELECT ?o { <http://www.wikidata.org/entity/Q255> ?p ?o }"
    code, out, _ = run("sparql", query, "--format", "csv", "--endpoint", faulty.url)
    assert (code, out.splitlines()[0]) == (0, "o")


@pytest.mark.parametrize("key", ["exception", "error"])
def test_an_exception_in_an_answer_is_told(faulty, key):
    body = json.dumps({key: "Operation timed out.", "status": "ERROR"}).encode()
    query = "SELECT ?o { <http://www.wikidata.org/entity/Q255> ?p ?o }"
    for command in (["lookup", "Paris"], ["sparql", query]):
        faulty.plan = [Fault(headers={"Content-Type": "application/json"}, body=body)]
        code, _, said = run(*command, "--endpoint", faulty.url)
        assert (code, "ask for less" in said) == (1, True)
        assert "rows: Operation timed out (" in said


@pytest.mark.parametrize("language", ["en_US", "de,en", '"de" . }', "", "a"])
def test_invalid_languages_are_errors(url, language):
    code, _, said = run("lookup", "Paris", "--endpoint", url, "--lang", language)
    assert (code, "is not a language code" in said) == (2, True)


def test_an_empty_url_is_an_error(store):
    for command in (["lookup", "Paris"], ["slice", "-o", "a.nt"]):
        code, _, said = run(*command, "--endpoint", " ")
        assert (code, "it is empty" in said) == (2, True)


def test_options_override_the_environment(store, url):
    nowhere = "http://127.0.0.1:1/"
    here = run("lookup", "Paris", "--store", store)
    assert run("lookup", "Paris", "--store", store, KGBUILD_ENDPOINT=nowhere) == here
    assert run("lookup", "Paris", "--endpoint", url, KGBUILD_STORE="none") == here
    code, _, said = run("lookup", "Paris", "--store", store, "--endpoint", url)
    assert (code, "not both" in said) == (2, True)


def test_the_examples_in_the_documentation(url):
    text = (ROOT / "docs" / "endpoints.md").read_text(encoding="utf-8")
    examples = re.findall(r"```console\n\$ kgbuild (.*)\n([^`]*)```", text)
    assert examples
    for command, shown in examples:
        told = shlex.split(command.replace("http://localhost:7878/query", url))
        assert run(*told, COLUMNS="110") == (0, shown, "")
