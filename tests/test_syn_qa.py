"""The builder of minimal pairs, on small stores where every outcome can be counted by hand."""

import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.catalog import Path as RelationPath
from kgbuild.catalog import catalog
from kgbuild.datasets.syn_qa import build
from kgbuild.datasets.syn_qa.candidates import similarity_properties
from kgbuild.datasets.syn_qa.falsity.path_facts import PathFacts
from kgbuild.datasets.syn_qa.falsity.risk import Signals, risk
from kgbuild.datasets.syn_qa.questions import Chain
from kgbuild.datasets.syn_qa.replacement_checks import SubjectChecks
from kgbuild.datasets.syn_qa.rows import GRADES, PairOptions, confusability
from kgbuild.graph.association import Association
from kgbuild.graph.eras import Eras
from kgbuild.graph.open import Store, open_store
from kgbuild.rows import Built, Progress, no_progress
from kgbuild.store.oxigraph import Graph
from tests.conftest import ROOT, triples

MakeStore = Callable[..., Path]


def person(number: int, label: str, *claims: str) -> str:
    lines = [f"wd:Q{number} wdt:P31 wd:Q5", f'wd:Q{number} rdfs:label "{label}"@en']
    return triples("\n".join([*lines, *(f"wd:Q{number} wdt:{claim}" for claim in claims)]))


ALIKE = ("P106 wd:Q900", "P21 wd:Q901", "P101 wd:Q902")
"""Three shared values: as many as ``built`` asks for."""


def built(
    folder: Path, *relations: str, progress: Progress = no_progress, **options: Any
) -> list[Built]:
    known = catalog()
    # In a store of a few items every share is large, and so is the risk.
    options.setdefault("max_risk", 1.0)
    options.setdefault("min_overlap", 3)
    with open_store(folder) as held:
        paths = [known.path(name) for name in relations]
        build_path = build.path_builder(PairOptions(**options), held.knowledge(known.kinds))
        return [build_path(path, progress) for path in paths]


def pairs(made: Built) -> Sequence[dict[str, object]]:
    return made.tables["syn_qa_pairs"]  # type: ignore[return-value]


def risk_of(best: float, second: float, values: int, mean_values: float) -> float:
    shares = Association(np.array([best], float), np.array([second], float))
    (of_item,) = risk(Signals(shares, np.array([values], float), mean_values))
    return of_item


def test_a_pair_with_its_evidence(make_store: MakeStore) -> None:
    # 1 is married to 2; 3 is like 1 and married to 4. Two couples do not show that people have
    # one spouse, so having another proves nothing: the assumption is 'absent'.
    folder = make_store(
        person(1, "Ann", *ALIKE, "P26 wd:Q2")
        + person(2, "Bob")
        + person(3, "Cleo", *ALIKE, "P26 wd:Q4")
        + person(4, "Dan")
    )
    (made,) = built(folder, "P26")
    ann = next(pair for pair in pairs(made) if pair["subject_qid"] == "Q1")
    assert ann["replacement_qid"] == "Q3"
    assert ann["overlap"] == 3
    # The same number of holders each (2), so ties go by the property's, then the value's number.
    assert ann["shared"] == [
        {"property": "P21", "value": "Q901"},
        {"property": "P101", "value": "Q902"},
        {"property": "P106", "value": "Q900"},
    ]
    assert ann["evidence"] == [{"subject": "Q1", "property": "P26", "object": "Q2"}]
    assert ann["falsity"] == "absent"
    assert ann["falsity_evidence"] == [{"subject": "Q3", "property": "P26", "object": "Q4"}]
    assert ann["popularity"] == 0 and ann["hops"] == 1
    # Of the four people that are married, one has Bob; Ann does not count, and nobody else whose
    # spouse is stated shares a value with Cleo. She has a spouse herself.
    assert ann["risk"] == round(risk_of(0, 0, values=1, mean_values=1.0), 6)
    assert "Ann" in str(ann["question"]) and "Bob" in str(ann["question"])
    assert ann["false_question"] == str(ann["question"]).replace("Ann", "Cleo")
    assert made.candidates == 2 and made.rows == 2  # Ann → Cleo, and Cleo → Ann


def test_the_most_similar_wins_and_ties_go_to_the_rarest(make_store: MakeStore) -> None:
    common = "".join(
        person(n, f"P{n}", ALIKE[n % 3])
        for n in range(20, 40)  # six others or more have each of the three values
    )
    folder = make_store(
        person(1, "Ann", *ALIKE, "P69 wd:Q903", "P26 wd:Q2")
        + person(2, "Bob")
        # Both share three: 3 the common occupation, 4 the rare school (2 holders) instead.
        + person(3, "Cleo", *ALIKE)
        + person(4, "Dora", "P21 wd:Q901", "P101 wd:Q902", "P69 wd:Q903")
        + common
    )
    (made,) = built(folder, "P26")
    assert pairs(made)[0]["replacement_qid"] == "Q4"


def test_the_probed_relation_does_not_count_as_likeness() -> None:
    known = catalog()
    kept = similarity_properties(known.relation("P69", "syn_qa"), known.kinds["person"])
    assert kept == ("P106", "P21", "P19", "P800", "P101", "P102", "P166")
    # P40 says of a parent what P22 and P25 say of a child.
    parent = replace(known.kinds["person"], similarity=("P22", "P106", "P40"))
    assert similarity_properties(known.relation("P40", "syn_qa"), parent) == ("P106",)


def test_what_is_probably_true_is_not_assumed(make_store: MakeStore) -> None:
    # Everybody whose birthplace is stated, and who shares Dora's values, was born in Bonn.
    place = triples('wd:Q10 wdt:P31 wd:Q515\nwd:Q10 rdfs:label "Bonn"@en')
    names = ("Ann", "Bea", "Cleo", "Eve")
    folder = make_store(
        "".join(person(n, name, *ALIKE, "P19 wd:Q10") for n, name in enumerate(names, 1))
        + person(20, "Dora", *ALIKE)
        + place
    )
    (made,) = built(folder, "P19", max_risk=0.003)
    assert pairs(made) == []
    # Each statement counts how many of the similar items of its split are too risky.
    risky = [rejection.detail for rejection in made.rejections if rejection.reason == "risky"]
    assert risky == ["4 similar items"] * len(names)
    # Of the three others than the subject all have it, and so has everybody: a share of 1.
    expected = risk_of(1, 1, values=0, mean_values=1.0)
    (made,) = built(folder, "P19", max_risk=1)
    assert {pair["risk"] for pair in pairs(made)} == {round(expected, 6)}


def test_items_of_which_the_relation_is_not_stated_do_not_count(make_store: MakeStore) -> None:
    # Two of twelve alike speak English natively; of the ten others nothing is stated.
    language = triples('wd:Q1860 wdt:P31 wd:Q34770\nwd:Q1860 rdfs:label "English"@en')
    folder = make_store(
        "".join(person(n, f"Ann {n}", *ALIKE, "P27 wd:Q20", "P103 wd:Q1860") for n in (1, 2))
        + "".join(person(n, f"Bob {n}", *ALIKE, "P27 wd:Q20") for n in range(20, 30))
        + language
    )
    (made,) = built(folder, "P103", max_risk=1)
    # Of all that state it, everybody speaks English: a share of 1, not of 1 in 11.
    assert {pair["risk"] for pair in pairs(made)} == {
        round(risk_of(1, 1, values=0, mean_values=1.0), 6)
    }


def test_the_risk_of_low_and_high_shares() -> None:
    low, high = (risk_of(share, share / 2, values=0, mean_values=1.5) for share in (0.02, 1))
    assert 0 < low < 0.05 and 0.5 < high < 1
    # Whoever has a value and nothing in common with the holders is well below the usual limit.
    assert risk_of(0, 0, values=1, mean_values=5) < 0.001


@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.integers(0, 40)), max_size=20),
    st.floats(1, 9),
)
def test_the_risk_of_an_item_does_not_depend_on_the_others(
    signals: list[tuple[float, float, int]], mean: float
) -> None:
    # Replacements of the same risk are ordered by similarity, so not even the last bit may differ.
    best, second, values = np.array(signals, float).reshape(-1, 3).T
    together = risk(Signals(Association(best, second), values, mean))
    assert together.tolist() == [risk_of(*one, mean_values=mean) for one in signals]


@given(
    st.floats(0, 1),
    st.floats(0, 1),
    st.floats(0, 1),
    st.floats(0, 1),
    st.floats(1, 9),
    st.floats(1, 9),
)
def test_the_risk_rises_with_each_signal(
    best: float, second: float, more: float, rest: float, mean: float, larger: float
) -> None:
    low, high = sorted((best, more))
    mean, larger = sorted((mean, larger))
    for values in (0, 1, 5):
        assert risk_of(low, second, values, mean) <= risk_of(high, second, values, mean)
        assert risk_of(rest, low, values, mean) <= risk_of(rest, high, values, mean)
        assert risk_of(best, second, values, mean) <= risk_of(best, second, 0, mean)
    assert risk_of(best, second, 1, mean) <= risk_of(best, second, 1, larger)


@pytest.mark.parametrize(
    ("child", "father", "replacement", "is_fair"),
    [
        ("Ben Lee", "Bob Lee", "Cleo Lee", True),
        ("Ben Lee", "Ben Jay Lee", "Cleo Lee", False),  # two words of the one, one of the other
        ("Ben Lee", "Jay Lee", "Jay Roe", False),  # a word each, but not the family name
        ("Ben Miller", "Bob Miller", "Cleo Milton", False),  # another name
        ("Ben Harris", "Bob Harris", "Cleo Harrison", False),  # a longer one
        ("Ben Andersson", "Bob Anderson", "Cleo Andersen", True),  # spellings of a name
    ],
)
def test_a_replacement_shares_as_many_words_with_the_object(
    make_store: MakeStore, child: str, father: str, replacement: str, is_fair: bool
) -> None:
    folder = make_store(
        person(1, child, *ALIKE, "P22 wd:Q2") + person(2, father) + person(3, replacement, *ALIKE)
    )
    (made,) = built(folder, "P22")
    details = {one.detail for one in made.rejections}
    is_told = made.reasons["telling name"] == 1 or "needs the family name" in details
    assert is_told == (not is_fair)


@pytest.mark.parametrize(
    ("claims", "reasons"),
    [
        (["P27 wd:Q12"], {"evident": 1}),  # the language of her country
        (["P103 wd:Q10", "P27 wd:Q13"], {"evident": 1}),  # her native language
        (["P27 wd:Q13"], {}),
        ([], {"evident": 1}),  # nothing is known of what is evident
    ],
)
def test_nobody_asks_how_somebody_learnt_a_native_language(
    make_store: MakeStore, claims: list[str], reasons: dict[str, int]
) -> None:
    folder = make_store(
        person(1, "Ann", *ALIKE, "P1412 wd:Q10", *claims)
        + person(3, "Cleo", *ALIKE, "P27 wd:Q13")
        + triples('wd:Q10 wdt:P31 wd:Q34770\nwd:Q10 rdfs:label "Italian"@en')
        + triples("wd:Q12 wdt:P37 wd:Q10\nwd:Q13 wdt:P37 wd:Q11")
    )
    (made,) = built(folder, "P1412")
    assert made.reasons == reasons


def county(number: int, label: str, *claims: str) -> str:
    lines = [f'wd:Q{number} rdfs:label "{label}"@en', f"wd:Q{number} wdt:P31 wd:Q47168"]
    lines += [f"wd:Q{number} wdt:P17 wd:Q30", f"wd:Q{number} wdt:P36 wd:Q{number + 100}"]
    return triples("\n".join([*lines, *(f"wd:Q{number} wdt:{claim}" for claim in claims)]))


CLASSES = triples("wd:Q47168 wdt:P279 wd:Q56061\nwd:Q7275 wdt:P279 wd:Q56061")
NEAR = ("P131 wd:Q99", "P30 wd:Q49", "P421 wd:Q941")


def test_the_kind_of_the_subject_decides_the_words(make_store: MakeStore) -> None:
    seats = "".join(
        triples(f'wd:Q{n} wdt:P31 wd:Q515\nwd:Q{n} rdfs:label "City {n}"@en') for n in (101, 103)
    )
    state = county(4, "Fox State", *NEAR).replace("Q47168", "Q7275")
    folder = make_store(
        county(1, "Elk", *NEAR) + county(3, "Bear", *NEAR) + CLASSES + seats + state
    )
    (made,) = built(folder, "P36")
    elk = next(pair for pair in pairs(made) if pair["subject_qid"] == "Q1")
    assert "county seat of Elk?" in str(elk["question"])
    assert str(elk["template_id"]).startswith("P36-county-")
    # A state has a capital, so its question would not be the same.
    assert elk["replacement_qid"] == "Q3"


@pytest.mark.parametrize(
    ("description", "land", "is_near"),
    [
        ("American actress", "Q142", True),  # the description counts before the citizenship
        ("French-American actress", "Q142", False),
        ("actress", "Q142", False),  # then the citizenship does
        ("actress", "Q30", True),
    ],
)
def test_replacements_are_of_one_people(
    make_store: MakeStore, description: str, land: str, is_near: bool
) -> None:
    described = triples(f'wd:Q3 <http://schema.org/description> "{description}"@en')
    folder = make_store(
        person(1, "Ann", *ALIKE, "P102 wd:Q10", "P27 wd:Q30")
        + person(3, "Cleo", *ALIKE, f"P27 wd:{land}")
        + described
    )
    with open_store(folder) as held:
        known = catalog()
        knowledge = held.knowledge(known.kinds)
        checks = SubjectChecks(knowledge, PathFacts(knowledge, known.path("P102")))
        rows = knowledge.postings.row_of_each_number(np.array([3], np.int32))
        assert checks.are_near_subjects("Q1", rows).tolist() == [is_near]


def test_no_replacement_stands_in_more_than_five_pairs(make_store: MakeStore) -> None:
    couples = "".join(
        person(
            n,
            f"Ann {n}",
            "P106 wd:Q900",
            "P21 wd:Q901",
            f"P101 wd:Q{n + 5000}",
            f"P26 wd:Q{n + 100}",
        )
        + person(n + 100, f"Bob {n}")
        for n in range(10, 18)
    )
    # Q3 shares three values with each of the eight; they share two with each other.
    fields = (f"P101 wd:Q{n + 5000}" for n in range(10, 18))
    folder = make_store(couples + person(3, "Cleo", "P106 wd:Q900", "P21 wd:Q901", *fields))
    (made,) = built(folder, "P26")
    assert Counter(pair["replacement_qid"] for pair in pairs(made)) == {"Q3": 5}
    assert made.reasons["used often"] == 3  # of eight


@pytest.fixture(scope="module")
def whole(sample_store: Path) -> dict[str, Built]:
    """Return what is built of the sample, by relation."""
    pids = [one.pid for one in catalog().relations_of("syn_qa")]
    return dict(zip(pids, built(sample_store, *pids), strict=True))


def test_a_smaller_limit_is_a_prefix_of_a_larger_one(
    whole: dict[str, Built], sample_store: Path
) -> None:
    templates = {pair["template_id"] for pair in pairs(whole["P69"])}
    assert templates == {"P69-1", "P69-2", "P69-3", "P69-4"}
    (part,) = built(sample_store, "P69", limit=7)
    assert part.rows == 7
    # All but the shortcuts, which players learn from all pairs.
    assert [pair | {"shortcut": []} for pair in pairs(part)] == [
        pair | {"shortcut": []} for pair in list(pairs(whole["P69"]))[:7]
    ]


def test_the_same_seed_gives_the_same_and_another_another(
    whole: dict[str, Built], sample_store: Path
) -> None:
    first = whole["P69"]
    again, other = (built(sample_store, "P69", seed=seed)[0] for seed in (0, 1))
    assert first.tables == again.tables and first.rejections == again.rejections
    assert first.tables != other.tables


def test_every_pair_of_the_sample_keeps_what_it_promises(
    whole: dict[str, Built], sample: Store
) -> None:
    """The rules of section 2.1, asked of the store itself rather than of the builder."""
    for pid, made in whole.items():
        relation = catalog().relations[pid]
        for pair in pairs(made):
            x, x2, y = (str(pair[f"{end}_qid"]) for end in ("subject", "replacement", "object"))
            assert holds(sample.graph, x, relation.pid, y), "the true question is true"
            assert not any(holds(sample.graph, x2, pid, y) for pid in relation.forward_properties)
            assert not any(holds(sample.graph, y, pid, x2) for pid in relation.backward_properties)
            assert classes(sample.graph, x) & classes(sample.graph, x2), "of the same class"
            shared = [tuple(one.values()) for one in pair["shared"]]  # type: ignore[attr-defined]
            assert len({*shared}) >= 3, "of which both have at least three values"
            assert all(holds(sample.graph, end, *one) for end in (x, x2) for one in shared)
            assert not {*relation.forward_properties} & {pid for pid, _ in shared}
            assert len({x, x2, y}) == 3
        uses = Counter(pair["replacement_qid"] for pair in pairs(made))
        assert max(uses.values(), default=0) <= 5


def holds(graph: Graph, x: str, pid: str, y: str) -> bool:
    return bool(graph.select("statement_exists", subject=x, property=pid, object=y))


def classes(graph: Graph, qid: str) -> set[str]:
    return {value.text for (value,) in graph.select("values", subject=qid, property="P31")}


def test_pairs_differ_in_one_mention_only(whole: dict[str, Built]) -> None:
    for pid, made in whole.items():
        relation = catalog().relations[pid]
        for pair in pairs(made):
            _, *kind, number = str(pair["template_id"]).split("-")
            template = relation.wording(kind, ()).templates[int(number) - 1]
            start, end = template.split("{subject}")
            for question in (str(pair["question"]), str(pair["false_question"])):
                # The object stands at its place in both, whatever stands for the subject.
                assert [
                    part for part in (start, end) if "{object}" not in part and part not in question
                ] == []
                assert str(pair["object_label"]).strip("\u200e") in question
            assert str(pair["subject_label"]) in str(pair["question"])
            assert str(pair["replacement_label"]) in str(pair["false_question"])


def test_hostile_labels_arrive_as_they_are(make_store: MakeStore) -> None:
    label = r"{object} \"; DROP {subject} \\ 😀 } UNION { ?s ?p ?o"
    folder = make_store(
        person(1, label, *ALIKE, "P26 wd:Q2") + person(2, "Bob") + person(3, "Cleo", *ALIKE)
    )
    ((pair,),) = (pairs(made) for made in built(folder, "P26"))
    name = r'{object} "; DROP {subject} \ 😀 } UNION { ?s ?p ?o'
    assert pair["question"] == f"When did {name} marry Bob?"


PLACE = triples(
    'wd:Q10 wdt:P31 wd:Q515\nwd:Q10 rdfs:label "Bonn"@en\n'
    'wd:Q11 wdt:P31 wd:Q515\nwd:Q11 rdfs:label "Ulm"@en'
)


def dated(number: int, pid: str, day: str) -> str:
    day = f'"{day}T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'
    return triples(f"wd:Q{number} wdt:{pid} {day}")


def film(number: int, label: str, description: str, *claims: str) -> str:
    lines = ["wdt:P31 wd:Q11424", f'rdfs:label "{label}"@en']
    lines += [f'<http://schema.org/description> "{description}"@en'] if description else []
    lines += [f"wdt:{claim}" for claim in ("P136 wd:Q90", "P136 wd:Q91", "P136 wd:Q92", *claims)]
    return triples("\n".join(f"wd:Q{number} {line}" for line in lines))


@pytest.mark.parametrize(
    ("description", "dates", "made"),
    [
        ("1985 film by Eve", "", 1),  # the actress was 20
        ("film by Eve", "", 0),  # nobody knows
        ("1999 film by Eve", "", 0),  # nine years after her death
        ("2006 film by Eve", "", 0),  # 21 years after the other film
        ("film by Eve", dated(8, "P577", "1999-05-05"), 0),  # a statement says so, too
        ("1985 film by Eve", dated(8, "P577", "1999-05-05"), 1),  # the description is exact
    ],
)
def test_a_cast_was_alive(make_store: MakeStore, description: str, dates: str, made: int) -> None:
    actress = person(2, "Ann") + dated(2, "P569", "1965-05-05") + dated(2, "P570", "1990-05-05")
    films = film(7, "Dawn", "1985 film", "P161 wd:Q2") + film(8, "Dusk", description)
    (outcome,) = built(make_store(actress + films + dates), "P161")
    assert (outcome.rows, outcome.reasons["other time"]) == (made, 1 - made)


COUPLES = (
    person(1, "Ann", *ALIKE, "P26 wd:Q2")
    + person(2, "Bob", "P19 wd:Q10")
    + person(3, "Cleo", *ALIKE, "P26 wd:Q4")
    + person(4, "Dan", "P19 wd:Q11")
    + PLACE
)
"""Ann and Cleo are alike; the spouse of the one was born in Bonn, that of the other in Ulm."""


def test_two_hops(make_store: MakeStore) -> None:
    (made,) = built(make_store(COUPLES), "P26/P19")
    ann = next(pair for pair in pairs(made) if pair["subject_qid"] == "Q1")
    assert (ann["relation"], ann["relation_label"]) == ("P26/P19", "spouse / place of birth")
    assert ann["hops"] == 2
    assert (ann["bridge_qid"], ann["bridge_label"]) == ("Q2", "Bob")
    assert (ann["replacement_qid"], ann["object_qid"]) == ("Q3", "Q10")
    n = int(str(ann["template_id"]).removeprefix("P26/P19-")) - 1
    template = catalog().relation("P19", "syn_qa").syn_qa[n]
    asked = template.replace("{subject}", "the person whom {} married").replace("{object}", "Bonn")
    assert ann["question"] == asked.format("Ann") and ann["false_question"] == asked.format("Cleo")
    assert ann["evidence"] == [
        {"subject": "Q1", "property": "P26", "object": "Q2"},
        {"subject": "Q2", "property": "P19", "object": "Q10"},
    ]
    assert ann["falsity"] == "contradicted"
    assert ann["falsity_evidence"] == [
        {"subject": "Q3", "property": "P26", "object": "Q4"},
        {"subject": "Q4", "property": "P19", "object": "Q11"},
    ]


@pytest.mark.parametrize(
    ("more", "candidate", "reason"),
    [
        # Which spouse? Neither of two can be meant.
        ("wd:Q3 wdt:P26 wd:Q5", "Q1 P26/P19 Q10", "no single bridge"),
        ("wd:Q1 wdt:P26 wd:Q5", "Q1 P26/P19 Q10", "no single bridge"),
        ("wd:Q3 wdt:P26 _:unknown", "Q1 P26/P19 Q10", "no single bridge"),
        # The other spouse was born there, too.
        ("wd:Q4 wdt:P19 wd:Q10", "Q3 P26/P19 Q10", "holds"),
    ],
)
def test_both_have_one_bridge_and_only_the_one_leads_there(
    make_store: MakeStore, more: str, candidate: str, reason: str
) -> None:
    (made,) = built(make_store(COUPLES + person(5, "Eve") + triples(more)), "P26/P19")
    assert candidate in {r.candidate for r in made.rejections if r.reason == reason}
    assert not [pair for pair in pairs(made) if pair["subject_qid"] == "Q1"]


def test_every_path_of_the_sample_keeps_what_it_promises(sample: Store, sample_store: Path) -> None:
    names = [path.name for path in catalog().paths()]
    assert len(names) > 100
    made_of = built(sample_store, *names[::7], limit=20)
    assert sum(made.rows for made in made_of) > 30
    for made in made_of:
        first, last = made.relation.split("/")
        for pair in pairs(made):
            x, z, x2, y = (
                str(pair[f"{end}_qid"]) for end in ("subject", "bridge", "replacement", "object")
            )
            assert holds(sample.graph, x, first, z) and holds(sample.graph, z, last, y)
            led = pair["falsity_evidence"][0]  # type: ignore[index]
            z2 = ({led["subject"], led["object"]} - {x2}).pop()
            assert z2 != z and not holds(sample.graph, z2, last, y)
            assert pair["subject_label"] in pair["question"]  # type: ignore[operator]


@pytest.mark.parametrize(("last", "year"), [(1784, 1774), (1950, None)])
def test_the_time_of_people_is_that_of_their_party(
    make_store: MakeStore, last: int, year: int | None
) -> None:
    # Three dated members within 40 years date the others; a party of two centuries dates nobody.
    births = {2: 1764, 3: 1774, 4: last}
    folder = make_store(
        person(1, "Ann", "P102 wd:Q10")
        + "".join(person(n, f"Bob {n}", "P102 wd:Q10") for n in births)
        + "".join(dated(n, "P569", f"{birth}-02-02") for n, birth in births.items())
    )
    with open_store(folder) as held:
        knowledge = held.knowledge(catalog().kinds)
        eras = Eras(knowledge)
        assert eras.year("Q1") == year


def test_no_preposition_follows_the_bridge(make_store: MakeStore) -> None:
    # "the person whom Ann married at Highgate" would say where they married.
    with open_store(make_store(person(1, "Ann"))) as held:
        known = catalog()
        knowledge = held.knowledge(known.kinds)
        questions = PathFacts(knowledge, known.path("P26/P119")).questions
        texts = {questions.template(Chain("Q1", "Q2", f"Q{n}")).text for n in range(3, 40)}
    assert len(texts) > 1
    assert not any("married at" in text for text in texts)


def test_an_end_without_pairs_tells_why(make_store: MakeStore) -> None:
    folder = make_store(person(1, "Ann", *ALIKE, "P26 wd:Q2") + person(2, "Bob"))
    (made,) = built(folder, "P26", perturb="both")
    (why,) = made.notes
    assert why.startswith("no pair for the subject and object, mostly by 'no similar item'")
    assert "--min-overlap 1" in why
    for options in ({"min_overlap": 1}, {"confusability": ("near",)}):  # it would not help
        (made,) = built(folder, "P26", perturb="both", **options)
        assert made.notes and not any("--min-overlap" in why for why in made.notes)
    # Cleo, who is like Ann, may replace her, but not the man whom she married: he is like nobody.
    like_ann = person(3, "Cleo", *ALIKE, "P26 wd:Q4") + person(4, "Dan")
    (made,) = built(
        make_store(person(1, "Ann", *ALIKE, "P26 wd:Q2") + person(2, "Bob") + like_ann),
        "P26",
        perturb="both",
    )
    assert [why.partition(",")[0] for why in made.notes] == ["no pair for the object"]


ANNS_LIKES = (
    person(1, "Ann", *ALIKE, "P27 wd:Q30", "P19 wd:Q10")
    + person(3, "Cleo", *ALIKE, "P27 wd:Q30", "P19 wd:Q11")
    + dated(1, "P569", "1900-01-01")
    + dated(3, "P569", "1910-01-01")
    + PLACE
    + triples(
        "".join(
            f"wd:Q{town} wdt:P17 wd:Q30\nwd:Q{town} wdt:P30 wd:Q46\nwd:Q{town} wdt:P421 wd:Q31\n"
            for town in (10, 11)
        )
    )
)
"""Ann and Cleo are alike, and born in two towns of one country, continent and time zone."""


def test_an_object_is_replaced_by_that_of_a_subject_alike(make_store: MakeStore) -> None:
    # Bonn and Ulm share their class and three more values; of the subject's one birthplace nothing
    # else is needed as evidence against Ulm.
    (made,) = built(make_store(ANNS_LIKES), "P19", perturb="object", min_overlap=2)
    ann = next(pair for pair in pairs(made) if pair["subject_qid"] == "Q1")
    assert (ann["perturbed"], ann["confusability"], ann["overlap"]) == ("object", "near", 4)
    assert (ann["object_qid"], ann["replacement_qid"]) == ("Q10", "Q11")
    assert ann["shared"] == [
        {"property": "P17", "value": "Q30"},
        {"property": "P30", "value": "Q46"},
        {"property": "P31", "value": "Q515"},
        {"property": "P421", "value": "Q31"},
    ]
    assert ann["false_question"] == str(ann["question"]).replace("Bonn", "Ulm")
    assert "Ann" in str(ann["question"])
    assert ann["falsity"] == "contradicted"
    assert ann["evidence"] == [{"subject": "Q1", "property": "P19", "object": "Q10"}]
    assert ann["falsity_evidence"] == ann["evidence"]


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("wd:Q11 wdt:P131 wd:Q10", "joined"),  # Ulm lies in Bonn
        ("wd:Q10 wdt:P131 wd:Q12\nwd:Q12 wdt:P131 wd:Q11", "holds"),  # Bonn lies in Ulm, far down
        ("wd:Q1 wdt:P551 wd:Q11", "joined"),  # Ann lived there
        ("wd:Q1 wdt:P19 _:unknown", "unknown value"),
        ("wd:Q10 wdt:P1365 wd:Q11", "joined"),  # it was called Ulm before
    ],
)
def test_an_object_that_may_hold_replaces_none(
    make_store: MakeStore, statement: str, reason: str
) -> None:
    folder = make_store(ANNS_LIKES + triples(statement))
    (made,) = built(folder, "P19", perturb="object", min_overlap=2)
    assert "Q1" not in {pair["subject_qid"] for pair in pairs(made)}
    assert ("Q1 P19 Q11", reason) in {one[:2] for one in made.rejections}


def test_an_object_of_another_occupation_replaces_none(make_store: MakeStore) -> None:
    # Cleo shares sex and field of work with Ann, which is enough to be similar.
    occupations = (triples(f"wd:Q3 wdt:P106 wd:Q{occupation}") for occupation in (900, 904))
    folder = make_store(ANNS_LIKES.replace(*occupations))
    (made,) = built(folder, "P19", perturb="object", min_overlap=2)
    assert made.reasons == {"no similar item": 2}


def test_both_ends_give_the_pairs_of_either_without_the_same_question(sample_store: Path) -> None:
    subject, object_, both = (
        {str(pair["pair_id"]): pair["false_question"] for pair in pairs(made)}
        for end in ("subject", "object", "both")
        for made in built(sample_store, "P19", perturb=end, min_overlap=2, max_risk=0.003)
    )
    again = {name for name, text in object_.items() if text in subject.values()}
    assert again and both == subject | {name: object_[name] for name in object_.keys() - again}


def test_progress_over_both_ends_never_runs_backwards(make_store: MakeStore) -> None:
    steps: list[tuple[int, int]] = []
    folder = make_store(ANNS_LIKES)
    built(folder, "P19", perturb="both", progress=lambda _, *step: steps.append(step))
    assert steps == [(0, 4), (1, 4), (2, 4), (3, 4)]


def test_a_child_is_replaced_by_one_with_another_father(make_store: MakeStore) -> None:
    # Only then does a statement contradict it: of the fatherless, any man may be the father.
    male, likes = "P21 wd:Q6581097", ("P106 wd:Q900", "P101 wd:Q902", "P27 wd:Q30")
    people = (
        person(1, "Ann Lee", male, *likes, "P40 wd:Q2")
        + person(3, "Cy Lee", male, *likes, "P40 wd:Q4", "P40 wd:Q6")
        + person(2, "Bob Lee", male, *likes)
        + person(4, "Di Lee", male, *likes)
        + person(6, "Ed Lee", male, *likes)
    )
    births = "".join(
        dated(n, "P569", f"{year}-01-01")
        for n, year in ((1, 1900), (3, 1901), (2, 1930), (4, 1931), (6, 1932))
    )
    (made,) = built(make_store(people + births), "P40", perturb="object", min_overlap=2)
    of_ann = next(pair for pair in pairs(made) if pair["subject_qid"] == "Q1")
    assert of_ann["falsity"] == "contradicted"
    assert of_ann["falsity_evidence"] == [
        {"subject": "Q3", "property": "P40", "object": of_ann["replacement_qid"]}
    ]


def test_the_same_statement_gives_an_easy_and_a_hard_pair(make_store: MakeStore) -> None:
    # Cleo shares four values with Ann, Eve only the sex.
    likes = (*ALIKE, "P69 wd:Q903")
    folder = make_store(
        person(1, "Ann", *likes, "P26 wd:Q2")
        + person(2, "Bob")
        + person(3, "Cleo", *likes, "P26 wd:Q4")
        + person(4, "Dan")
        + person(7, "Eve", "P21 wd:Q901", "P26 wd:Q8")
        + person(8, "Fay")
    )
    (made,) = built(folder, "P26", confusability=("near", "far"), min_overlap=2)
    of_ann = [pair for pair in pairs(made) if pair["subject_qid"] == "Q1"]
    assert [(pair["replacement_qid"], pair["confusability"]) for pair in of_ann] == [
        ("Q3", "near"),
        ("Q7", "far"),
    ]
    assert {pair["question"] for pair in of_ann} == {of_ann[0]["question"]}


@given(st.integers(0, 60), st.integers(0, 60))
def test_grades_fall_with_what_is_shared(one: int, other: int) -> None:
    low, high = sorted((one, other))
    assert GRADES.index(confusability(low)) >= GRADES.index(confusability(high))


def test_a_relation_without_objects_of_a_kind_to_compare(make_store: MakeStore) -> None:
    folder = make_store(person(1, "Ann", *ALIKE, "P26 wd:Q2"))
    with open_store(folder) as held:
        known = catalog()
        relation = replace(known.relations["P26"], object_kinds=("instrument",))
        build_path = build.path_builder(PairOptions(perturb="object"), held.knowledge(known.kinds))
        made = build_path(RelationPath(relation), no_progress)
    assert [one[:2] for one in made.rejections] == [("P26", "no kind to compare")]


CASES = tomllib.loads((ROOT / "tests" / "cases" / "syn_qa.toml").read_text(encoding="utf-8"))
SHORT = {"is": '{} schema:description "{}"@en', "label": '{} rdfs:label "{}"@en'}


def store_of_case(items: Sequence[str]) -> str:
    """Return the triples of the items of a case, whose notation the file of cases explains."""
    lines = []
    for line in items:
        head, _, tail = line.partition(": ")
        qid, _, label = head.removesuffix(":").partition(" ")
        item, claims = f"wd:{qid}", ", ".join(ALIKE).join(tail.split("alike", 1)).split(", ")
        lines += [SHORT["label"].format(item, label)] if label else []
        lines += [f"{item} wdt:P31 wd:Q5"] if label and "P31 " not in tail else []
        for claim in filter(None, claims):
            name, _, value = claim.replace("wd:", "").partition(" ")
            if name in SHORT:
                lines.append(SHORT[name].format(item, value))
            elif name == "no":
                lines.append(f"{item} rdf:type wdno:{value}")
            else:
                day = f'"{value}T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'
                known = f"wd:{value}" if value.startswith("Q") else "_:x" if value == "_" else day
                lines.append(f"{item} wdt:{name} {known}")
    return triples("\n".join(lines))


@pytest.mark.parametrize("name", CASES)
def test_what_comes_of_a_small_store(make_store: MakeStore, name: str) -> None:
    (_, store), (relation, case) = CASES[name].items()
    (made,) = built(make_store(store_of_case(store)), relation, **case.get("options", {}))
    ends = ("subject_qid", "replacement_qid", "falsity")
    found = [" ".join(str(pair[end]) for end in ends) for pair in pairs(made)]
    places = [
        next((place for place, one in enumerate(found) if one.startswith(wanted)), None)
        for wanted in case.get("pairs", ())
    ]
    assert None not in places, found
    assert made.rows == case.get("rows", made.rows)
    assert made.reasons == case.get("reasons", made.reasons)
    counts = case.get("counts", {})
    assert {reason: made.reasons[reason] for reason in counts} == counts
    rejections = [" | ".join(rejection) for rejection in made.rejections]
    for wanted in case.get("rejected", ()):
        assert any(one.startswith(wanted) for one in rejections), rejections
    assert case.get("not_asked") not in {pair["subject_qid"] for pair in pairs(made)}
    if "evidence" in case:
        said = pairs(made)[places[0] or 0]["falsity_evidence"]
        assert [" ".join(one.values()) for one in said] == case["evidence"]  # type: ignore[attr-defined]
