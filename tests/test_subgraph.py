"""The statements around an item: their order, their labels, the limit; as Turtle; near ids."""

from contextlib import ExitStack
from decimal import Decimal

import pytest
import rdflib
from hypothesis import given, settings
from hypothesis import strategies as st

from kgbuild import wikidata
from kgbuild.errors import WrongCallError
from kgbuild.graph.open import Store, open_store
from kgbuild.graph.subgraph import Edge, Subgraph, near_ids, subgraph, turtle
from kgbuild.store.labels import QueriedLabels
from kgbuild.wikidata import Value
from tests.conftest import triples

XSD = "http://www.w3.org/2001/XMLSchema#"
WKT = "http://www.opengis.net/ont/geosparql#wktLiteral"


@pytest.fixture
def store_of(make_store):
    with ExitStack() as stack:
        yield lambda text, **options: stack.enter_context(
            open_store(make_store(triples(text), **options))
        )


def around(store: Store, qid: str, limit: int = 99) -> Subgraph:
    return subgraph(store.graph, store.labels, qid, limit, store.language)


MOZART = f"""
    wd:Q10 rdfs:label "Mozart"@en
    wd:Q10 schema:description "composer"@en
    wd:Q10 skos:altLabel "Amadé"@en
    wd:Q10 rdf:type wdno:P40
    wd:Q10 wdt:P31 wd:Q5
    wd:Q10 wdt:P106 wd:Q20
    wd:Q10 wdt:P106 wd:Q3
    wd:Q10 wdt:P106 wd:Q100
    wd:Q10 wdt:P106 _:unknown
    wd:Q10 wdt:P569 "1756-01-27T00:00:00Z"^^<{XSD}dateTime>
    wd:Q10 wdt:P569 "1756-01-01T00:00:00Z"^^<{XSD}dateTime>
    wd:Q10 wdt:P2048 "+1.6"^^<{XSD}decimal>
    wd:Q10 wdt:P625 "Point(13 47)"^^<{WKT}>
    wd:Q10 wdt:P1477 "Joannes"@en
    wd:Q10 wdt:P7 wd:P26
    wd:Q10 wdt:P9 wd:Q10
    wd:Q3 rdfs:label "pianist"@en
    wd:Q5 rdfs:label "human"@en
    wd:Q100 rdfs:label "Alle"@mul
    wd:P26 rdfs:label "wedlock"@en
    wd:P9 rdfs:label "likeness"@en
    wd:P31 rdfs:label "class"@en
    wd:P40 rdfs:label "child"@en
    wd:P86 rdfs:label "composer"@en
    wd:P106 rdfs:label "work"@en
    wd:P569 rdfs:label "born"@en
    wd:P625 rdfs:label "place"@en
    wd:P1477 rdfs:label "name"@en
    wd:P2048 rdfs:label "height"@en
    wd:Q30 wdt:P86 wd:Q10
    wd:Q4 wdt:P86 wd:Q10
    wd:Q4 wdt:P40 wd:Q10
    wd:Q4 rdfs:label "Requiem"@en
    wd:Q4 wdt:P31 wd:Q5
    """


def test_edges_their_order_and_their_labels(store_of):
    results = around(store_of(MOZART), "Q10")
    assert results[:3] == ("Q10", "Mozart", "composer")
    assert results.language == "en"
    item = [Value("item", f"Q{n}") for n in range(101)]
    born = [Value("time", f"1756-01-{day}T00:00:00Z") for day in ("01", "27")]
    assert results.edges == [
        # Outgoing first, by the number of the property, then of the value; what is no item first.
        Edge("out", "P7", "P7", Value("property", "P26"), "wedlock"),
        Edge("out", "P9", "likeness", item[10], "Mozart"),
        Edge("out", "P31", "class", item[5], "human"),
        Edge("out", "P106", "work", Value("unknown", ""), "unknown value"),
        Edge("out", "P106", "work", item[3], "pianist"),
        Edge("out", "P106", "work", item[20], "Q20"),  # no label: its id
        Edge("out", "P106", "work", item[100], "Alle"),  # its label for all languages
        Edge("out", "P569", "born", born[0], "1756"),
        Edge("out", "P569", "born", born[1], "1756-01-27"),
        Edge("out", "P625", "place", Value("point", "Point(13 47)"), "Point(13 47)"),
        Edge("out", "P1477", "name", Value("text", "Joannes", "en"), "Joannes"),
        Edge("out", "P2048", "height", Value("quantity", "1.6"), "1.6"),
        # Then what is said of it; its own likeness once more.
        Edge("in", "P9", "likeness", item[10], "Mozart"),
        Edge("in", "P40", "child", item[4], "Requiem"),
        Edge("in", "P86", "composer", item[4], "Requiem"),
        Edge("in", "P86", "composer", item[30], "Q30"),
    ]
    assert results.total == 16


def test_the_limit_is_for_each_property_and_direction(store_of):
    store = store_of(MOZART)
    whole, one = around(store, "Q10"), around(store, "Q10", limit=1)
    assert one.total == whole.total == 16
    groups = [edge[:2] for edge in one.edges]
    assert groups == list(dict.fromkeys(edge[:2] for edge in whole.edges))
    assert [edge.value.text for edge in one.edges if edge.property == "P106"] == [""]
    two = around(store, "Q10", limit=2).edges
    # The first two of four kinds of work; of all others there are no more than two.
    gone = [edge for edge in whole.edges if edge not in two]
    assert [edge.value.text for edge in gone] == ["Q20", "Q100"]
    assert two == [edge for edge in whole.edges if edge in two]


def test_an_item_that_is_only_pointed_to(store_of):
    results = around(store_of(MOZART), "Q20")
    assert results == Subgraph(
        "Q20", "Q20", "", [Edge("in", "P106", "work", Value("item", "Q10"), "Mozart")], 1
    )


def test_two_labels_of_one_language_are_no_two_statements(store_of):
    # As when dumps of two days are loaded together.
    store = store_of(
        """
        wd:Q1 rdfs:label "one"@en
        wd:Q1 rdfs:label "a"@en
        wd:Q1 wdt:P1 wd:Q2
        wd:Q2 rdfs:label "two"@en
        wd:Q2 rdfs:label "deux"@en
        """
    )
    assert around(store, "Q1") == Subgraph(
        "Q1", "a", "", [Edge("out", "P1", "P1", Value("item", "Q2"), "deux")], 1
    )
    assert around(store, "Q2").total == 1


def test_times_have_the_precision_of_the_dump(store_of):
    store = store_of(
        """
        wd:Q1 rdfs:label "one"@en
        wd:Q1 wdt:P569 "1850-01-01T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>
        wd:Q1 <urn:kgbuild:precision:P569> "1850-01-01T00:00:00Z/7"
        wd:Q1 wdt:P570 "1850-01-01T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>
        wd:Q2 <urn:kgbuild:precision:P570> "1850-01-01T00:00:00Z/11"
        """
    )
    results = subgraph(store.graph, store.labels, "Q1", 10)
    # Each property's own precision, and nobody else's; unknown is not the same as a day.
    assert [(edge.property, edge.label) for edge in results.edges] == [
        ("P569", "19th century"),
        ("P570", "1850"),
    ]


def test_two_unknown_values_are_two_statements(store_of):
    results = around(store_of("wd:Q1 wdt:P22 _:a\nwd:Q1 wdt:P22 _:b"), "Q1")
    assert (results.total, len(results.edges)) == (2, 2)
    graph = rdflib.Graph().parse(data=turtle(results), format="turtle")
    assert len(graph) == 2


def test_an_item_that_the_store_does_not_know(store_of):
    store = store_of(MOZART)
    with pytest.raises(WrongCallError, match="There is no statement of") as caught:
        around(store, "Q31")
    # One digit too many, or a wrong one; those without a label are no help.
    assert str(caught.value) == "There is no statement of Q31. Similar: Q3 (pianist)."


def test_labels_are_in_the_language_of_the_store(store_of):
    store = store_of(
        """
        wd:Q1 rdfs:label "Wien"@de
        wd:Q1 rdfs:label "Vienna"@en
        wd:Q1 wdt:P17 wd:Q40
        wd:Q40 rdfs:label "Österreich"@de
        wd:Q40 rdfs:label "Austria"@en
        """,
        languages=("de", "en"),
    )
    results = around(store, "Q1")
    assert (results.label, results.edges[0].label, results.language) == ("Wien", "Österreich", "de")
    graph = rdflib.Graph().parse(data=turtle(results), format="turtle")
    assert set(graph.objects(predicate=rdflib.RDFS.label)) == {
        rdflib.Literal("Wien", lang="de"),
        rdflib.Literal("Österreich", lang="de"),
    }


@pytest.mark.parametrize(
    ("qid", "near"),
    [
        ("Q4", ["Q42"]),  # a digit too few
        ("Q425", ["Q42"]),  # a digit too many
        ("Q24", ["Q42"]),  # two digits swapped
        ("Q43", ["Q42"]),  # a wrong digit
        ("Q142", ["Q42", "Q1042"]),
        ("Q10", []),
        ("Q1", []),
        ("Q124", []),  # two slips away from Q1042
        ("Q999999999999", []),
    ],
)
def test_near_ids(store_of, qid, near):
    store = store_of(
        'wd:Q42 rdfs:label "Adams"@en\nwd:Q1042 rdfs:label "Seychelles"@en\nwd:Q11 wdt:P1 wd:Q42'
    )
    assert [results for results, _ in near_ids(store.labels, qid)] == near


def test_the_number_of_near_ids(store_of):
    store = store_of("\n".join(f'wd:Q{n} rdfs:label "{n}"@en' for n in range(10, 40)))
    assert near_ids(store.labels, "Q1") == [("Q11", "11"), ("Q21", "21"), ("Q31", "31")]
    assert len(near_ids(store.labels, "Q1", limit=30)) == 12


@settings(max_examples=100)
@given(st.integers(1, 10**12 - 1))
def test_near_ids_are_ids_and_differ(number):
    asked: list[str] = []

    class Nothing:
        def select(self, query: str, **params: object) -> list:
            if query == "texts_of":
                asked.extend(params["entity"])  # type: ignore[call-overload]
                return []
            return [(None, None)]

    assert near_ids(QueriedLabels(Nothing()), f"Q{number}") == []
    assert f"Q{number}" not in asked
    assert len(asked) == len(set(asked))
    for near in asked:
        assert near[1] != "0"
        assert abs(len(near) - len(f"Q{number}")) <= 1


# Turtle


def statements(graph: rdflib.Graph) -> set[tuple]:
    """Return a graph's direct claims, numbers by their value, unknown values as one."""

    def plain(term: rdflib.term.Node) -> object:
        if isinstance(term, rdflib.BNode):
            return "unknown"
        if isinstance(term, rdflib.Literal) and str(term.datatype) == f"{XSD}decimal":
            return Decimal(str(term))
        return term.n3()

    return {(plain(s), str(p), plain(o)) for s, p, o in graph if str(p).startswith(wikidata.DIRECT)}


def dumped(store: Store, qid: str) -> set[tuple]:
    """Return the direct claims with an item in them as the store has them."""
    lines: list[bytes] = []
    store.graph.lines(lines.extend)
    iri = f"<{wikidata.ENTITY}{qid}>".encode()
    mine = [line for line in lines if iri in line.split(b" ", 2)[::2] or line.endswith(iri + b" .")]
    graph = rdflib.Graph().parse(data=b"\n".join([*mine, b""]), format="nt")
    genid = f"<{wikidata.UNKNOWN_VALUE}"
    return {
        tuple("unknown" if str(part).startswith(genid) else part for part in statement)
        for statement in statements(graph)
    }


def test_turtle_holds_the_same_statements(store_of):
    store = store_of(MOZART)
    graph = rdflib.Graph().parse(data=turtle(around(store, "Q10")), format="turtle")
    assert statements(graph) == dumped(store, "Q10")
    assert len(statements(graph)) == 15  # 16 edges, of which its own likeness is two


def test_turtle_has_the_labels(store_of):
    graph = rdflib.Graph().parse(data=turtle(around(store_of(MOZART), "Q10")), format="turtle")
    labels = {
        str(s).removeprefix(wikidata.ENTITY): o for s, o in graph.subject_objects(rdflib.RDFS.label)
    }
    # Q20 and Q30 have no label: their id is none.
    assert {qid: str(label) for qid, label in labels.items()} == {
        "Q10": "Mozart",
        "Q3": "pianist",
        "Q5": "human",
        "Q100": "Alle",
        "Q4": "Requiem",
    }


HOSTILE = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@settings(max_examples=100)
@given(HOSTILE, HOSTILE, st.sampled_from(["en", "zh-hans"]))
def test_turtle_of_any_text(label, text, language):
    edges = [
        Edge("out", "P1", "x", Value("text", text, language), text),
        Edge("out", "P2", "x", Value("string", text), text),
        Edge("out", "P3", "x", Value("point", text), text),
        Edge("out", "P4", "x", Value("time", text), text),
        Edge("out", "P5", "x", Value("item", "Q2"), label),
        Edge("out", "P6", "x", Value("unknown", ""), "unknown value"),
        Edge("in", "P7", "x", Value("unknown", ""), "unknown value"),
    ]
    graph = rdflib.Graph().parse(
        data=turtle(Subgraph("Q1", label, "", edges, len(edges))), format="turtle"
    )
    item = rdflib.URIRef(f"{wikidata.ENTITY}Q1")
    results = {str(p).removeprefix(wikidata.DIRECT): o for _, p, o in graph if wikidata.DIRECT in p}
    assert len(results) == 7
    assert results["P1"] == rdflib.Literal(text, lang=language)
    assert results["P2"] == rdflib.Literal(text)
    assert (str(results["P3"]), str(results["P3"].datatype)) == (text, WKT)
    assert str(results["P4"].datatype) == f"{XSD}dateTime"
    assert isinstance(results["P6"], rdflib.BNode)
    assert (results["P6"], None, None) not in graph  # nobody knows which: it is no other's
    if label != "Q1":
        assert graph.value(item, rdflib.RDFS.label) == rdflib.Literal(label, lang="en")


@pytest.mark.parametrize("qid", ["Q255", "Q6691", "Q16", "Q7186"])
def test_turtle_of_the_sample(sample, qid):
    # Beethoven, Homer with his unknown values, Canada, Marie Curie.
    graph = rdflib.Graph().parse(data=turtle(around(sample, qid)), format="turtle")
    assert statements(graph) == dumped(sample, qid)


def test_the_edges_of_the_sample_are_all_there(sample):
    people = [qid for (qid,) in sample.graph.select("subjects", object="Q5", property="P31")]
    results = around(sample, "Q5", limit=10**6)
    assert results.total == len(results.edges) > len(people)
    instances = [e.value.text for e in results.edges if (e.direction, e.property) == ("in", "P31")]
    assert instances == sorted(people, key=wikidata.number)
    (count,) = sample.graph.select("popularity", item="Q5")[0]
    assert count == sum(edge.direction == "in" for edge in results.edges)
