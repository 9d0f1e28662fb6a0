"""The statements around an item: their order, their labels, the limit; as Turtle."""

import pytest
import rdflib

from kgbuild.errors import WrongCallError
from kgbuild.graph.open import Store
from kgbuild.graph.subgraph import Edge, Subgraph, subgraph, turtle
from kgbuild.wikidata import Value

XSD = "http://www.w3.org/2001/XMLSchema#"
WKT = "http://www.opengis.net/ont/geosparql#wktLiteral"


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


def test_an_item_that_has_nothing_but_a_label(store_of):
    assert around(store_of('wd:Q7 rdfs:label "seven"@en'), "Q7") == Subgraph(
        "Q7", "seven", "", [], 0
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
    with pytest.raises(WrongCallError, match=r"There is no statement of Q31\.$"):
        around(store, "Q31")


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
