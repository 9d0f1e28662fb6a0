"""The files of queries/: their headers, and the same answers from two engines."""

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from typing import Any

import pyoxigraph as ox
import pytest
import rdflib
from rdflib.plugins.sparql import prepareQuery

from kgbuild import wikidata
from kgbuild.dump.filter import Filter
from kgbuild.errors import WrongCallError
from kgbuild.graph.open import Store, open_store
from kgbuild.net.http import Client
from kgbuild.store.load import load
from kgbuild.store.sparql import parameters, queries, terms
from kgbuild.store.sparql.endpoint import Endpoint
from kgbuild.store.sparql.queries import LISTS, Query
from kgbuild.store.sparql.terms import Row
from tests import endpoints
from tests.conftest import QUERIES, SAMPLE, triples

GOOD = """\
# name: some
# summary: What it gives.
# param: item item -- the item
# param: least integer -- how many at least
# column: value value
# column: found string
SELECT ?item ?least ?value ?found
WHERE { ?item ?p ?value }
"""


def test_a_header_is_read():
    assert queries.parse("some", GOOD) == Query(
        name="some",
        params=(("item", "item"), ("least", "integer")),
        columns=(("value", "value"), ("found", "string")),
        text=GOOD,
    )


@pytest.mark.parametrize(
    ("names", "passed"),
    [
        (set(), ""),
        ({"item"}, "item"),
        ({"item", "least", "most"}, "item, least, most"),
        ({"Item", "least"}, "Item, least"),
    ],
)
def test_parameters_must_be_those_declared(names, passed):
    query = queries.parse("some", GOOD)
    with pytest.raises(WrongCallError, match="has the parameters") as caught:
        query.check(names)
    assert f"some has the parameters (item, least), and not ({passed})." in str(caught.value)
    query.check({"item", "least"})


# Each file

PERSON = ["P106", "P21", "P19", "P69", "P800", "P101", "P102", "P166"]


def places(*properties: str) -> dict[str, str]:
    """Return the eight places for properties, those that are left over filled again."""
    filled = itertools.islice(itertools.cycle(properties), 8)
    return {f"p{n}": pid for n, pid in enumerate(filled, 1)}


BINDINGS: dict[str, list[dict[str, Any]]] = {
    "entity_lookup": [
        {"name": ("Ludwig van Beethoven", "en"), "language": "en"},
        {"name": ("person", "en"), "language": "en"},  # an alias
        {"name": ("Sergey Brin", "mul"), "language": "en"},
        {"name": ("Sergey Brin", "en"), "language": "en"},  # the language is a part of the name
        {"name": ("spouse", "en"), "language": "en"},  # a property is no item
        {"name": ('" } UNION { ?item ?a ?b } #', "en"), "language": "en"},
        {"name": ("Ludwig van Beethoven", "en"), "language": "xx"},
    ],
    "aliases": [
        {"entity": "Q255", "language": "en"},  # two in English, in order
        {"entity": "P26", "language": "en"},
        {"entity": "Q255", "language": "de"},  # no German was kept
        {"entity": "Q999999999", "language": "en"},
    ],
    "items_by_name": [
        {"name": [("Ludwig van Beethoven", "en"), ("Paris", "en")]},
        {"name": [("Beethoven", "en")]},  # an alias
        {"name": [("Sergey Brin", "mul")]},
        {"name": [("spouse", "en")]},  # a property is no item
        {"name": [('" } UNION { ?item ?a ?b } #', "en")]},
    ],
    "statement_exists": [
        {"subject": "Q7186", "property": "P26", "object": "Q37463"},  # Marie and Pierre Curie
        {"subject": "Q37463", "property": "P26", "object": "Q7186"},
        {"subject": "Q7186", "property": "P26", "object": "Q255"},
        {"subject": "Q999999999", "property": "P26", "object": "Q255"},
    ],
    "no_values": [
        {"property": "P26"},  # Copernicus had no wife
        {"property": "P40"},
        {"property": "P106"},
    ],
    "unknown_values": [
        {"property": "P22"},  # the father of Homer
        {"property": "P569"},
        {"property": "P31"},
    ],
    "other_values": [{"property": "P1549"}],  # demonyms
    "item_statements": [
        {"item": "Q255"},
        {"item": "Q6691"},  # Homer, with unknown values
        {"item": "Q16"},
        {"item": "Q999999999"},
    ],
    "holders": [{"class": "Q5"}, {"class": "Q515"}, {"class": "Q999999999"}],
    "precisions": [{"item": "Q255"}, {"item": "Q1048"}, {"item": "Q999999999"}],
    "one_hop": [
        {"item": "Q255", "language": "en"},
        {"item": "Q6691", "language": "en"},  # Homer, with unknown values
        {"item": "Q16", "language": "en"},  # Canada, in the country Canada: both ways
        {"item": "Q92764", "language": "xx"},
        {"item": "Q999999999", "language": "en"},
    ],
    "popularity": [{"item": "Q255"}, {"item": "Q5"}, {"item": "Q16"}, {"item": "Q999999999"}],
    "property_overlap": [
        {"item": "Q255", "min_overlap": 1, **places(*PERSON)},
        {"item": "Q7186", "min_overlap": 1, **places("P166")},
        {"item": "Q64", "min_overlap": 2, **places("P131", "P17", "P31")},
    ],
    "relation_pairs": [
        {"property": "P26"},
        {"property": "P175"},
        {"property": "P22"},  # the father of Homer is unknown
    ],
    "subjects": [
        {"object": "Q5", "property": "P31"},
        {"object": "Q7186", "property": "P26"},
        {"object": "Q255", "property": "P40"},
    ],
    "times": [
        {"property": "P569", "precision": "P569"},  # one of them told
        {"property": "P570", "precision": "P570"},
        {"property": "P570", "precision": "P569"},  # told of another property
    ],
    "texts_of": [
        {"entity": ["Q255", "P26", "Q999999999"], "language": "en"},
        {"entity": ["Q92764"], "language": "en"},  # Sergey Brin: only a label for all languages
        {"entity": ["Q255", "Q92764", "Q5"], "language": "de"},  # no German was kept
        {"entity": [], "language": "en"},
    ],
    "existing_names": [
        {"name": [("Beethoven", "en"), ("Sergey Brin", "mul"), ("Sergey Brin", "en")]},
        {"name": [('" } UNION { ?item ?a ?b } #', "en")]},
    ],
    "item_classes": [{"item": "Q255"}, {"item": "Q64"}, {"item": "Q999999999"}],
    "ranked_values": [
        {"item": [("Q255", "P31"), ("Q6691", "P22"), ("Q7186", "P26"), ("Q7186", "P40")]},
        {"item": [("Q999999999", "P36")]},
    ],
    "direct_values": [
        {"item": [("Q255", "P31"), ("Q6691", "P22"), ("Q7186", "P40"), ("Q7186", "P569")]},
        {"item": [("Q999999999", "P36")]},
    ],
    "ranked_subjects": [
        {"item": [("Q7186", "P26"), ("Q7186", "P25"), ("Q5", "P31")]},
        {"item": [("Q999999999", "P36")]},
    ],
    "shared": [
        {"one": "Q255", "other": "Q7186"},
        {"one": "Q7186", "other": "Q37463"},  # Marie and Pierre Curie
        {"one": "Q255", "other": "Q999999999"},
    ],
    "subclasses": [{"class": ["Q5", "Q515"]}, {"class": ["Q35120"]}, {"class": ["Q999999999"]}],
    "instances": [{"class": ["Q5"]}, {"class": ["Q515", "Q5"]}, {"class": ["Q999999999"]}],
    "truthy": [
        {"entity": ["Q255", "Q7186"], "languages": " en mul "},
        {"entity": ["Q6691"], "languages": " mul "},  # Homer, with unknown values
        {"entity": ["Q92764", "Q999999999"], "languages": " de "},
    ],
    "item_summaries": [
        {"entity": ["Q255", "Q16"], "languages": " en mul "},
        {"entity": ["Q16"], "languages": " de "},
    ],
    "all_properties": [{}],
    "redirects": [{}],
    "values": [
        {"subject": "Q255", "property": "P31"},
        {"subject": "Q255", "property": "P569"},
        {"subject": "Q6691", "property": "P22"},
        {"subject": "Q16", "property": "P36"},
    ],
    "wholes": [{"part": "Q64"}, {"part": "Q16"}, {"part": "Q255"}, {"part": "Q999999999"}],
}
"""For every query, what it is asked in the tests."""

"""Queries that give rows; only endpoints are asked the others."""

# Queries that put their rows in order.
ORDERED = {name for name in QUERIES if "ORDER BY" in queries.load(name).text}


def test_every_file_has_a_good_header():
    assert sorted(path.stem for path in queries.folder().glob("*")) == QUERIES
    lines = (
        r"# summary: .*\.",
        rf"# param: \w+ ({'|'.join((*terms._TERMS, *LISTS))}) -- \S.*",
        rf"# column: \w+ ({'|'.join(terms._READERS)})",
    )
    for name in QUERIES:
        first, summary, *others = queries.load(name).text.splitlines()
        assert first == f"# name: {name}"
        assert re.fullmatch(lines[0], summary)
        header = filter(re.compile("# (param|column):").match, others)
        assert all(re.fullmatch("|".join(lines[1:]), line) for line in header), name


@pytest.mark.parametrize("name", QUERIES)
def test_declared_variables_are_in_the_outermost_select(name):
    # Oxigraph refuses to bind another variable, and a column would not come out.
    # Lists are joined with what is found, and need not come out; Virtuoso wants some to.
    query = queries.load(name)
    projected = {str(variable) for variable in prepareQuery(query.text).algebra["PV"]}
    bound = {declared for declared, kind in query.params if kind not in LISTS}
    columns = {declared for declared, _ in query.columns}
    lists = {declared for declared, kind in query.params if kind in LISTS}
    assert bound | columns == projected - (lists - columns)


@pytest.mark.parametrize("name", QUERIES)
def test_parameters_reach_into_every_select_that_uses_them(name):
    # A parameter is not pushed into an inner SELECT that does not name it: silently, the
    # answers would be those for any value.
    query = queries.load(name)
    text = re.sub(r"#[^\n]*|<[^>]*>|\"[^\"]*\"", "", query.text)
    for select, body in inner_selects(text):
        for param, _ in query.params:
            if re.search(rf"\?{param}\b", body):
                assert re.search(rf"\?{param}\b", select), (param, select)


def inner_selects(text: str) -> Iterator[tuple[str, str]]:
    """Yield what each SELECT within braces projects, and its pattern in braces."""
    for match in re.finditer(r"\{\s*SELECT\b(.*?)\bWHERE\s*\{", text, re.DOTALL):
        depth, end = 1, match.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        yield match[1], text[match.end() : end]


def test_inner_selects_are_recognised():
    # Else the test above would look at nothing.
    assert len(list(inner_selects(queries.load("property_overlap").text))) == 2


@pytest.mark.parametrize("name", QUERIES)
def test_a_query_opens_no_connection(name):
    assert not re.search(
        r"\b(SERVICE|FROM|LOAD)\b", re.sub(r"#[^\n]*", "", queries.load(name).text)
    )


def test_every_query_has_bindings():
    assert set(BINDINGS) == set(QUERIES)


@pytest.fixture(scope="module")
def first(tmp_path_factory) -> Iterator[Store]:
    folder = tmp_path_factory.mktemp("queries")
    told = folder / "precisions.nt"  # which only JSON dumps tell
    told.write_text(
        triples(
            """
            wd:Q255 <urn:kgbuild:precision:P569> "1770-01-01T00:00:00Z/9"
            wd:Q255 <urn:kgbuild:precision:P570> "1827-03-26T00:00:00Z/11"
            wd:Q999999998 <http://www.w3.org/2002/07/owl#sameAs> wd:Q255
            """
        )
    )
    load([str(SAMPLE), str(told)], folder / "kg", Filter())
    with open_store(folder / "kg") as held:
        yield held


@pytest.fixture(scope="module")
def second(first: Store) -> Iterator[rdflib.Graph]:
    """Return what the sample's store holds as a graph of rdflib."""
    lines: list[bytes] = []
    first.graph.lines(lines.extend)
    normalize, rdflib.NORMALIZE_LITERALS = rdflib.NORMALIZE_LITERALS, False
    graph = rdflib.Graph()
    graph.parse(data=b"\n".join([*lines, b""]), format="nt")
    yield graph
    rdflib.NORMALIZE_LITERALS = normalize


TERMS: Mapping[str, Callable[[Any], rdflib.term.Node]] = {
    "item": lambda qid: rdflib.URIRef(wikidata.ENTITY + qid),
    "entity": lambda entity: rdflib.URIRef(wikidata.ENTITY + entity),
    "property": lambda pid: rdflib.URIRef(wikidata.DIRECT + pid),
    "novalue": lambda pid: rdflib.URIRef(wikidata.NO_VALUE + pid),
    "precision": lambda pid: rdflib.URIRef(wikidata.PRECISION + pid),
    "string": rdflib.Literal,
    "text": lambda text: rdflib.Literal(text[0], lang=text[1]),
    "integer": rdflib.Literal,
}


def _value(term: rdflib.term.Node) -> wikidata.Value:
    if isinstance(term, rdflib.Literal):
        return wikidata.value_of_literal(str(term), str(term.datatype or ""), term.language)
    return wikidata.value_of_iri(str(term))


def _term(term: rdflib.term.Node) -> ox.NamedNode | ox.Literal:
    if isinstance(term, rdflib.URIRef):
        return ox.NamedNode(str(term))
    assert isinstance(term, rdflib.Literal)
    if term.language:
        return ox.Literal(str(term), language=term.language)
    return ox.Literal(str(term), datatype=ox.NamedNode(str(term.datatype or rdflib.XSD.string)))


READERS: Mapping[str, Callable[[Any], object]] = {
    "item": lambda term: str(term).removeprefix(wikidata.ENTITY),
    "property": lambda term: str(term).removeprefix(wikidata.DIRECT),
    "value": _value,
    "string": str,
    "integer": int,
    "term": _term,
}


def _but(params: tuple[tuple[str, str], ...], name: str) -> tuple[tuple[str, str], ...]:
    return tuple(param for param in params if param[0] != name)


def rows(graph: rdflib.Graph, query: Query, params: Mapping[str, Any]) -> list[Row]:
    """Return a query's rows as rdflib finds them, for each value of a list by itself."""
    for name, kind in query.params:
        if kind == "claims":
            text = parameters.insert_lists(query.text, terms.list_terms(query, params))
            return rows(graph, replace(query, text=text, params=_but(query.params, name)), params)
        if kind in LISTS:
            single = replace(query, params=((name, LISTS[kind]), *_but(query.params, name)))
            each = [
                row for one in params[name] for row in rows(graph, single, {**params, name: one})
            ]
            return list(dict.fromkeys(each)) if "DISTINCT" in query.text else each
    bound = {name: TERMS[kind](params[name]) for name, kind in query.params}
    return [
        tuple(
            None if row[name] is None else READERS[kind](row[name]) for name, kind in query.columns
        )
        for row in graph.query(query.text, initBindings=bound)
    ]


@pytest.mark.parametrize(
    ("name", "params"),
    [(name, params) for name in QUERIES for params in BINDINGS[name]],
    ids=lambda value: value if isinstance(value, str) else "-".join(map(str, value.values())),
)
def test_two_engines_agree(first, second, name, params):
    one = first.graph.select(name, **params)
    other = rows(second, queries.load(name), params)
    assert Counter(one) == Counter(other)
    if name in ORDERED:
        assert one == other


OF_STORES = {"holders", "other_values", "unknown_values", "wholes"}
"""Queries that only stores are asked."""


@pytest.fixture(scope="module")
def virtuoso(first: Store, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    """Return an endpoint of Virtuoso with what the sample's store holds."""
    if not endpoints.VIRTUOSO:
        pytest.skip("Virtuoso is not installed")
    lines: list[bytes] = []
    first.graph.lines(lines.extend)
    folder = tmp_path_factory.mktemp("virtuoso")
    with (
        endpoints.virtuoso(folder, b"\n".join([*lines, b""])) as url,
        closing(Client(0.0, lambda _: None)) as client,
    ):
        yield Endpoint(url, client)


@pytest.mark.parametrize("name", [name for name in QUERIES if name not in OF_STORES])
def test_virtuoso_agrees(first: Store, virtuoso: Endpoint, name: str) -> None:
    for params in BINDINGS[name]:
        one, other = first.graph.select(name, **params), virtuoso.select(name, **params)
        assert Counter(map(_unsigned, one)) == Counter(map(_unsigned, other)), params


def _unsigned(row: Row) -> Row:
    """Return a row whose decimals have no plus, as Virtuoso writes them."""
    return tuple(
        value._replace(text=value.text.removeprefix("+"))
        if isinstance(value, wikidata.Value) and value.kind == "quantity"
        else str(value).replace('"+', '"')
        if isinstance(value, ox.Literal)
        else value
        for value in row
    )


# Stores hold no types, which other dumps tell properties by: see test_slice_from_endpoint.py.
@pytest.mark.parametrize("name", [name for name in QUERIES if name != "all_properties"])
def test_some_answer_is_not_empty(first, name):
    # Two engines agree too easily about nothing.
    found = [first.graph.select(name, **params) for params in BINDINGS[name]]
    if queries.load(name).columns:
        assert any(value is not None for rows in found for row in rows for value in row)
    else:
        assert any(found)
        assert not all(found)


def test_labels_rank_by_language(make_store):
    store = make_store(
        triples(
            """
            wd:Q1 rdfs:label "colour"@en-gb
            wd:Q2 rdfs:label "colour"@en-gb
            wd:Q2 rdfs:label "all"@mul
            wd:Q3 rdfs:label "zz"@en
            wd:Q3 rdfs:label "aa"@mul
            wd:Q3 rdfs:label "aa"@en-gb
            wd:Q3 schema:description "british"@en-gb
            wd:Q4 schema:description "b"@en
            wd:Q4 schema:description "a"@en
            wd:Q1 skos:altLabel "name"@en
            wd:Q2 skos:altLabel "name"@en
            wd:Q3 skos:altLabel "name"@en
            wd:Q4 skos:altLabel "name"@en
            wd:Q9 wdt:P1 wd:Q1
            wd:Q9 wdt:P1 wd:Q2
            wd:Q9 wdt:P1 wd:Q3
            wd:Q9 wdt:P1 wd:Q4
            """
        )
    )
    qids = ["Q1", "Q2", "Q3", "Q4"]
    with open_store(store) as held:
        texts = [(held.labels.label(qid), held.labels.description(qid)) for qid in qids]
        looked_up = held.graph.select("entity_lookup", name=("name", "en"), language="en")
        around = held.graph.select("one_hop", item="Q9", language="en")
    # English itself, then the label for all languages, then a region's; descriptions only in
    # English itself, the first by letter if there are two.
    assert texts == [("colour", None), ("all", None), ("zz", None), (None, "a")]
    assert sorted(looked_up) == [
        (qid, "alias", label, description, 1)
        for qid, (label, description) in zip(qids, texts, strict=True)
    ]
    # Around an item, where there are many, only labels in English itself are looked for.
    assert sorted((value.text, label) for _, _, value, label in around) == [
        ("Q1", None),
        ("Q2", None),
        ("Q3", "zz"),
        ("Q4", None),
    ]
