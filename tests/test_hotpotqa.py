"""Multi-hop pairs from records like HotpotQA's, invented ones of which every outcome is plain."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgbuild.catalog import catalog
from kgbuild.data_files import read_toml
from kgbuild.datasets.syn_qa.hotpotqa import build as hotpotqa
from kgbuild.datasets.syn_qa.hotpotqa.linking import Linker
from kgbuild.datasets.syn_qa.hotpotqa.passages import Passage
from kgbuild.datasets.syn_qa.hotpotqa.records import read
from kgbuild.datasets.syn_qa.hotpotqa.relations import relations
from kgbuild.datasets.syn_qa.hotpotqa.resemblance import read_categories
from kgbuild.datasets.syn_qa.hotpotqa.text import SearchedText
from kgbuild.errors import UnreadableDumpError, WrongCallError
from kgbuild.graph.open import open_store
from kgbuild.rows import Built
from tests.conftest import ROOT, data, triples

MakeStore = Callable[..., Path]
Record = dict[str, Any]

ANNA = "Anna Berg (1901 – 1980) was a Danish chemist. She led the Frost Laboratory with Carl Holm."
HOLM = "Carl Holm (1899 – 1970) was a Danish inventor. He patented the zinc kettle in Odense."
CLARA = "Clara Lund (1905 – 1990) was a Danish chemist. She led the Thaw Works in Aarhus."
BEN = "Ben Krog (1903 – 1977) was a Danish chemist. He led the Thaw Works in Aarhus."
LAKE = "Lake Muddle is a lake in Jutland."
QUESTION = "What did the inventor who led the Frost Laboratory with Anna Berg patent?"


def record(
    question: str = QUESTION,
    answer: str = "the zinc kettle",
    supporting: Sequence[str] = ("Anna Berg", "Carl Holm"),
    passages: Mapping[str, str] | None = None,
    **changes: Any,
) -> Record:
    texts = passages or {
        "Clara Lund": CLARA,
        "Anna Berg": ANNA,
        "Ben Krog": BEN,
        "Carl Holm": HOLM,
        "Lake Muddle": LAKE,
    }
    return {
        "_id": "r1",
        "question": question,
        "answer": answer,
        "type": "bridge",
        "level": "hard",
        "supporting_facts": [[title, 0] for title in supporting],
        "context": [[title, text.split(" ~ ")] for title, text in texts.items()],
        **changes,
    }


def columnar(one: Record) -> Record:
    facts, context = one["supporting_facts"], one["context"]
    return {
        **{key: value for key, value in one.items() if key != "_id"},
        "supporting_facts": {"title": [t for t, _ in facts], "sent_id": [n for _, n in facts]},
        "context": {"title": [t for t, _ in context], "sentences": [s for _, s in context]},
    }


@pytest.fixture
def build(tmp_path: Path) -> Callable[..., Built]:
    """Return a function that builds the pairs of records, without a store if none is given."""

    def make(
        *records: Record,
        store: Path | None = None,
        groups: Mapping[str, frozenset[str]] | None = None,
        **options: int,
    ) -> Built:
        path = tmp_path / "invented.json"
        path.write_text(json.dumps(records), encoding="utf-8")
        if store is None:
            return hotpotqa.build(path, None, groups or {}, **options)
        with open_store(store) as held:
            linker = Linker(held.knowledge(catalog().kinds), held.names, catalog())
            return hotpotqa.build(path, linker, groups or {}, **options)

    return make


def pairs(made: Built) -> Sequence[Mapping[str, Any]]:
    return made.tables["syn_qa_pairs"]


def reasons(made: Built, title: str) -> list[tuple[str, str]]:
    """Return why a distractor was left out, and the rest of the detail."""
    return [
        (found.reason, found.detail.partition("; ")[2])
        for found in made.rejections
        if found.detail.startswith(f"{title} for ")
    ]


def false_question(made: Built) -> str:
    return str(pairs(made)[0]["false_question"])


def test_a_pair_with_all_that_is_told_of_it(build: Callable[..., Built]) -> None:
    made = build(record())
    (pair,) = pairs(made)
    # Clara is a woman, a chemist, Danish and dead as Anna is; Ben is a man, the lake a lake.
    assert pair["false_question"] == QUESTION.replace("Anna Berg", "Clara Lund")
    assert (pair["subject_label"], pair["replacement_label"]) == ("Anna Berg", "Clara Lund")
    assert (pair["bridge_label"], pair["answer"]) == ("Carl Holm", "the zinc kettle")
    assert (pair["relation"], pair["relation_label"]) == ("invented.json", "HotpotQA")
    assert (pair["hops"], pair["template_id"], pair["object_label"]) == (2, None, None)
    assert (pair["falsity"], pair["risk"], pair["source_id"]) == ("absent", None, "r1")
    assert pair["similarity"] == "first_sentence"
    assert pair["overlap"] == 2  # Danish, a chemist
    assert (pair["shared"], pair["evidence"], pair["popularity"]) == ([], [], 0)
    assert made.candidates == 1


def test_the_shapes_of_files_give_the_same(tmp_path: Path) -> None:
    one = record()
    shapes = {
        "list.json": json.dumps([one], indent=1),
        "lines.jsonl": json.dumps(one) + "\r\n\n",
        "columns.json": json.dumps([{"_id": "r1", **columnar(one)}]),
        "marked.jsonl": "\ufeff" + json.dumps(columnar(one) | {"id": "r1"}),
    }
    for name, text in shapes.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    source, target = tmp_path / "columns.json", tmp_path / "table.parquet"
    duckdb.sql(f"FROM read_json('{source}')").write_parquet(str(target))
    found = []
    for name in (*shapes, target.name):
        (held,), rejections = read(tmp_path / name)
        assert rejections == []
        found.append((held.key, held.question, [p.title for p in held.distractors]))
    assert found == [("r1", QUESTION, ["Clara Lund", "Ben Krog", "Lake Muddle"])] * 5


def test_a_record_without_an_id_has_a_stable_one(build: Callable[..., Built]) -> None:
    ids = {str(pairs(build(columnar(record())))[0]["source_id"]) for _ in range(2)}
    assert len(ids) == 1 and len(ids.pop()) == 16


def test_every_mention_is_replaced(build: Callable[..., Built]) -> None:
    question = "When anna berg's Frost Laboratory moved, what had Anna Berg's inventor patented?"
    assert false_question(build(record(question))) == (
        "When Clara Lund's Frost Laboratory moved, what had Clara Lund's inventor patented?"
    )


@pytest.mark.parametrize(
    "mention",
    [
        "Anna Bergs",  # another word
        "Hanna Berg",
        "Duchess of Anna Berg",
        "Anna Berg of Frost Hall",
        "Anna Berg–Holm process",
        '"Anna Berg: A Life"',
        '"the days of Anna Berg"',
        "Anna Berg Hospital",  # part of a longer name
        "Royal Anna Berg",
    ],
)
def test_parts_of_other_words_and_names_are_no_mentions(
    build: Callable[..., Built], mention: str
) -> None:
    made = build(record(f"What did the inventor in the {mention} patent?"))
    assert made.rows == 0 and made.reasons == {"no title": 1}


def test_a_title_within_another_title_stays(build: Callable[..., Built]) -> None:
    passages = {
        "Anna Berg": ANNA,
        "Carl Holm": HOLM,
        "Clara Lund": CLARA,
        "Days of Anna Berg": "Days of Anna Berg is a 1950 film.",
    }
    question = "In days of Anna Berg, who plays him with whom Anna Berg led the Frost Laboratory?"
    assert false_question(build(record(question, "Odense", passages=passages))) == (
        "In days of Anna Berg, who plays him with whom Clara Lund led the Frost Laboratory?"
    )


FILMS = {
    "Frost (film)": "Frost is a 1950 drama film by Carl Holm about a glacier and a windmill.",
    "Carl Holm": HOLM,
    "Thaw (1961 film)": "Thaw is a 1961 drama film by Ida Quist.",
}


def test_additions_in_brackets_are_not_said(build: Callable[..., Built]) -> None:
    asked = ('Who filmed the windmill of "{}" and patented a kettle in Odense?', "zinc")
    films = ("Frost (film)", "Carl Holm")
    made = build(record(asked[0].format("Frost"), asked[1], films, FILMS))
    assert false_question(made) == asked[0].format("Thaw")
    assert pairs(made)[0]["replacement_label"] == "Thaw (1961 film)"


def test_a_namesake_of_the_subject_does_not_replace_it(build: Callable[..., Built]) -> None:
    passages = {"Frost (1961 film)": "Frost is a 1961 drama film by Ida Quist."}
    passages = {"Frost (film)": FILMS["Frost (film)"], "Carl Holm": HOLM, **passages}
    question = 'Who filmed the windmill of "Frost" and patented a kettle in Odense?'
    made = build(record(question, "zinc", ("Frost (film)", "Carl Holm"), passages))
    assert reasons(made, "Frost (1961 film)") == [("same name", "Frost (film)")]


def test_a_common_word_is_no_title(build: Callable[..., Built]) -> None:
    question = "Who patented a kettle and filmed a windmill in the frost?"
    made = build(record(question, "zinc", ("Frost (film)", "Carl Holm"), FILMS))
    assert made.reasons == {"no title": 1}


@pytest.mark.parametrize(
    ("other", "asked"),
    [
        ("The Oak Hall", "the Elm Hall"),  # the the Oak Hall
        ("Oak Hall", "an Elm Hall tower"),
        ("Oak Hall", "Elm Hall' towers"),
        ("Oak Halls", "Elm Hall's towers"),
    ],
)
def test_a_name_that_needs_another_word_beside_it_reads_badly(
    build: Callable[..., Built], other: str, asked: str
) -> None:
    passages = {
        "Elm Hall": "Elm Hall is a building of granite with towers, built by Carl Holm.",
        "Carl Holm": HOLM,
        other: f"{other} is a building in Jutland.",
    }
    question = f"Who built {asked} of granite in Odense?"
    made = build(record(question, "zinc", ("Elm Hall", "Carl Holm"), passages))
    assert reasons(made, other) == [("reads badly", other)]


@pytest.mark.parametrize(("beside", "reads"), [(" of 1940", False), ("", True)])
def test_a_comma_of_a_name_does_not_cut_the_question(
    build: Callable[..., Built], beside: str, reads: bool
) -> None:
    passages = {"Anna Berg": ANNA, "Carl Holm": HOLM, "Clara Lund, Countess of Mols": CLARA}
    made = build(
        record(f"Who led the Frost Laboratory with Anna Berg{beside}?", "zinc", passages=passages)
    )
    expected = [] if reads else [("reads badly", "Clara Lund, Countess of Mols")]
    assert reasons(made, "Clara Lund, Countess of Mols") == expected


def test_a_repeated_word_reads_badly(build: Callable[..., Built]) -> None:
    passages = {
        "Holm Kettles": "Holm Kettles is a company founded by Carl Holm to sell zinc kettles.",
        "Carl Holm": HOLM,
        "Lund Tin Company": "Lund Tin Company is a company founded by Ida Quist.",
    }
    question = "Who founded the Holm Kettles company and patented a kettle in Odense?"
    made = build(record(question, "zinc", ("Holm Kettles", "Carl Holm"), passages))
    assert reasons(made, "Lund Tin Company") == [("reads badly", "Lund Tin Company")]


@pytest.mark.parametrize(
    ("question", "answer", "changes", "reason"),
    [
        ("Are Anna Berg and Carl Holm Danish?", "yes", {"type": "comparison"}, "comparison"),
        ("Who was older, Anna Berg or Carl Holm?", "Carl Holm", {}, "both titles"),
        ("Did Anna Berg know an inventor?", "Yes", {}, "yes or no"),
        ("Who patented the zinc kettle?", "Carl Holm", {}, "no title"),
        (QUESTION, "zinc", {"passages": {"Anna Berg": ANNA, "Carl Holm": HOLM}}, "no distractor"),
    ],
)
def test_records_that_can_give_no_pair(
    build: Callable[..., Built], question: str, answer: str, changes: Record, reason: str
) -> None:
    made = build(record(question, answer, **changes))
    assert [(found.candidate, found.reason) for found in made.rejections] == [("r1", reason)]


@pytest.mark.parametrize(
    ("title", "text", "reason", "detail"),
    [
        ("Ben Krog", BEN, "another kind", "person, person"),  # a man
        ("Lake Muddle", LAKE, "another kind", "person, water"),
        ("Odd", "Odd things happen.", "another kind", "person, unknown"),
        ("Eva Kjær", CLARA + " She met Carl Holm.", "holds", "its passage names Carl Holm"),
        (
            "Eva Kjær",
            CLARA + " She had a zinc kettle.",
            "holds",
            "its passage names the answer, the zinc kettle",
        ),
        (
            "Eva Kjær",
            CLARA.replace("Thaw Works", "Frost Laboratory"),
            "may hold",
            "the passages do not exclude it",
        ),
        ("Thaw Kjær", CLARA, "may hold", "the passages do not exclude it"),  # its name tells
        ("Anna Berg Holm", CLARA, "same name", "Anna Berg"),
        ("Eva Kjær", CLARA.replace("chemist", "dancer"), "another kind", "person, person"),
        ("Eva Kjær", CLARA.replace("Danish", "Dutch"), "another kind", "person, person"),
        ("Eva Kjær", CLARA.replace("1905", "1935"), "another kind", "person, person"),
    ],
)
def test_distractors_that_may_not_stand_in(
    build: Callable[..., Built], title: str, text: str, reason: str, detail: str
) -> None:
    passages = {"Anna Berg": ANNA, "Carl Holm": HOLM, title: text}
    made = build(record(passages=passages))
    assert reasons(made, title) == [(reason, detail)]
    assert made.rejections[-1] == ("r1", "all distractors fell out", "1 distractors")


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("Which kettle did he patent who led the laboratory of Anna Berg?", []),
        ("Who led a laboratory with Anna Berg?", [("may hold", "1.4 nats")]),
        ("Did Holm lead with Anna Berg?", [("holds", "the question is about Carl Holm")]),
    ],
)
def test_something_rare_must_be_said_of_the_other_title(
    build: Callable[..., Built], question: str, reason: Sequence[tuple[str, str]]
) -> None:
    passages = {"Anna Berg": ANNA, "Carl Holm": HOLM, "Clara Lund": CLARA}
    assert reasons(build(record(question, "Odense", passages=passages)), "Clara Lund") == reason


@pytest.mark.parametrize(
    ("title", "question", "phrase"),
    [
        (
            "Thaw (1961 film)",
            'In which documentary film "Frost" did the man from Odense play?',
            "film",
        ),
        ("Thaw (1961 film)", 'Did the man from Odense play in "Frost", a silent film?', "silent"),
        ("Thaw (1961 film)", 'Which man from Odense wrote the song "Frost"?', "song"),
    ],
)
def test_what_the_question_calls_the_subject_must_fit(
    build: Callable[..., Built], title: str, question: str, phrase: str
) -> None:
    frost = "Frost is a 1950 silent documentary film by Carl Holm about a glacier and a windmill."
    made = build(
        record(question, "zinc", ("Frost (film)", "Carl Holm"), FILMS | {"Frost (film)": frost})
    )
    ((reason, detail),) = reasons(made, title)
    assert (
        reason == "another kind" and detail.startswith("the question calls it") and phrase in detail
    )


@pytest.mark.parametrize(
    ("name", "text", "is_alike"),
    [
        ("Aarhus", "Aarhus is a Danish football team.", True),
        ("14th Odense", "14th Odense team is a Danish football team.", True),
        (
            "14th Odense Team",
            "The 14th Odense Team was a Danish football team.",
            False,
        ),  # of a year
    ],
)
def test_a_team_of_a_year_is_of_another_kind(name: str, text: str, is_alike: bool) -> None:
    odense = Passage("Odense", ["Odense is a Danish football team."])
    assert odense.can_be_replaced_by(Passage(name, [text])) is is_alike


def test_another_record_may_have_the_replacement(build: Callable[..., Built]) -> None:
    alone = {"Anna Berg": ANNA, "Carl Holm": HOLM, "Lake Muddle": LAKE}
    other = {"Clara Lund": CLARA, "Carl Holm": HOLM, "Anna Berg": ANNA, "Ben Krog": BEN}
    made = build(
        record(passages=alone),
        record("Who is Carl Holm?", "no", ("Carl Holm", "Anna Berg"), other, _id="r2"),
    )
    assert false_question(made) == QUESTION.replace("Anna Berg", "Clara Lund")


def test_what_the_other_passage_names_may_hold(build: Callable[..., Built]) -> None:
    passages = {"Anna Berg": ANNA, "Carl Holm": f"{HOLM} He met Clara Lund.", "Clara Lund": CLARA}
    made = build(record(passages=passages))
    assert reasons(made, "Clara Lund") == [("holds", "the passage of Carl Holm names it")]


def test_a_distractor_in_the_question_cannot_be_put_there(build: Callable[..., Built]) -> None:
    made = build(record("What did the man whom Anna Berg and Clara Lund led patent in Frost?"))
    assert ("in the question", "") in reasons(made, "Clara Lund")


def test_equally_alike_ones_go_by_title(build: Callable[..., Built]) -> None:
    text = CLARA.removeprefix("Clara Lund")
    passages = {"Anna Berg": ANNA, "Carl Holm": HOLM}
    for order in (("Else Bo", "Dora Bo"), ("Dora Bo", "Else Bo")):
        made = build(record(passages=passages | {title: title + text for title in order}))
        assert pairs(made)[0]["replacement_label"] == "Dora Bo"


def test_categories_count_before_words(build: Callable[..., Built]) -> None:
    dora = CLARA.replace("Clara Lund", "Dora Bo").replace("Danish chemist", "Danish soil chemist")
    passages = {"Anna Berg": ANNA, "Carl Holm": HOLM, "Clara Lund": CLARA, "Dora Bo": dora}
    groups = {
        "Anna Berg": frozenset({"Danish chemists", "People of Odense", "Births in 1901"}),
        "Dora Bo": frozenset({"Births in 1901", "People of Odense"}),
        "Clara Lund": frozenset({"Danish chemists"}),
    }
    (pair,) = pairs(build(record(passages=passages), groups=groups))
    assert (pair["replacement_label"], pair["similarity"], pair["overlap"]) == (
        "Dora Bo",
        "categories",
        2,
    )


def test_the_same_question_is_asked_once(build: Callable[..., Built]) -> None:
    made = build(record(), record(_id="r2"))
    assert made.rows == 1 and made.reasons["asked twice"] == 1


def test_a_smaller_limit_is_a_prefix_and_the_seed_orders(build: Callable[..., Built]) -> None:
    # Each with a laboratory of its own: what all records say is not particular.
    texts = {"Anna Berg": ANNA, "Carl Holm": HOLM, "Clara Lund": CLARA}
    several = [
        record(
            QUESTION.replace("Frost", f"Frost{n}"),
            passages={title: text.replace("Frost", f"Frost{n}") for title, text in texts.items()},
            _id=f"r{n}",
        )
        for n in range(10)
    ]
    whole = pairs(build(*several))
    assert len(whole) == 10
    assert pairs(build(*several, limit=4)) == whole[:4]
    other = pairs(build(*several, seed=1))
    assert other != whole and sorted(p["pair_id"] for p in other) == sorted(
        p["pair_id"] for p in whole
    )


# With a store.


def item(number: int, label: str, description: str, *claims: str) -> str:
    lines = [
        f'wd:Q{number} rdfs:label "{label}"@en',
        f'wd:Q{number} schema:description "{description}"@en',
        *(f"wd:Q{number} wdt:{claim}" for claim in claims),
    ]
    return triples("\n".join(lines))


PERSON = "P31 wd:Q5"
ALIKE = ("P106 wd:Q900", "P21 wd:Q901", "P101 wd:Q902")


def test_property_values_count_before_words(
    build: Callable[..., Built], make_store: MakeStore
) -> None:
    dora = CLARA.replace("Clara Lund", "Dora Bo").replace("Danish chemist", "Danish soil chemist")
    passages = {"Anna Berg": ANNA, "Carl Holm": HOLM, "Clara Lund": CLARA, "Dora Bo": dora}
    store = make_store(
        item(1, "Anna Berg", "Danish chemist", PERSON, *ALIKE, "P26 wd:Q2")
        + item(2, "Carl Holm", "inventor", PERSON)
        + item(3, "Dora Bo", "Danish soil chemist", PERSON, *ALIKE)
    )
    (pair,) = pairs(build(record(passages=passages), store=store))
    assert (pair["subject_qid"], pair["replacement_qid"], pair["bridge_qid"]) == ("Q1", "Q3", "Q2")
    assert (pair["similarity"], pair["overlap"]) == ("property_overlap", 3)
    assert {shared["property"] for shared in pair["shared"]} == {"P21", "P101", "P106"}
    assert pair["evidence"] == [{"subject": "Q1", "property": "P26", "object": "Q2"}]
    # Too few shared values leave it to the words.
    (pair,) = pairs(build(record(passages=passages), store=store, min_overlap=4))
    assert (pair["replacement_label"], pair["similarity"]) == ("Clara Lund", "first_sentence")
    assert pair["shared"] == []


def test_what_the_store_says_of_both_may_hold(
    build: Callable[..., Built], make_store: MakeStore
) -> None:
    store = make_store(
        item(2, "Carl Holm", "Danish inventor", PERSON, "P26 wd:Q3")
        + item(3, "Clara Lund", "Danish chemist", PERSON)
    )
    assert reasons(build(record(), store=store), "Clara Lund") == [("holds", "Q2 P26 Q3")]


@pytest.mark.parametrize(
    ("title", "text", "expected"),
    [
        ("Frost (film)", "Frost is a 1950 drama film.", "Q1"),
        ("Frost (band)", "Frost is a Danish rock band.", "Q3"),
        ("Frost (novel)", "Frost is a Danish novel.", None),  # none is a novel
        ("Frost (1999 film)", "Frost is a 1999 film.", None),  # another year
        ("Frost", "Frost is a Danish painter. He paints.", None),  # a person is no film
        ("Twin", "Twin is a Danish rock band.", None),  # two that fit equally
    ],
)
def test_namesakes_are_told_apart_or_left(
    make_store: MakeStore, title: str, text: str, expected: str | None
) -> None:
    store = make_store(
        item(1, "Frost", "1950 film", "P31 wd:Q11424")
        + item(2, "Frost", "1961 film", "P31 wd:Q11424")
        + item(3, "Frost", "Danish rock band", "P31 wd:Q215380")
        + item(4, "Twin", "rock band", "P31 wd:Q215380")
        + item(5, "Twin", "rock band", "P31 wd:Q215380")
    )
    with open_store(store) as held:
        linker = Linker(held.knowledge(catalog().kinds), held.names, catalog())
        assert linker.link(Passage(title, [text])) == expected


# What passages tell.


@pytest.mark.parametrize(
    ("title", "text", "kind"),
    [
        ("A", "A (born 1 May 1960) is an American film director and producer.", "person"),
        ("A", "A is a 1960 American romantic comedy film directed by B.", "film"),
        ("A", "A is a device released in 1990.", "device"),
        (
            "A",
            "A is an information technology service, consulting and software company.",
            "company",
        ),
        ("A", "A is a series.", "series"),
        ("Battle of A", "The Battle of A was fought in 1300.", "conflict"),
        ("A", "A is a public university serving the city of B.", "education"),
        ("A", "A is a book publishing company in B.", "company"),
        ("Lead baker", "A lead baker is a chef in charge of others.", None),  # nobody
        ("List of bakers", "This is a list of bakers. A was a baker.", None),
        ("A", "", None),
    ],
)
def test_the_first_sentence_tells_the_kind(title: str, text: str, kind: str | None) -> None:
    assert Passage(title, [text]).kind == kind


def test_traits_come_from_the_first_sentence() -> None:
    passage = Passage("A", ["A (born 1 May 1960) is an American actress and author. She acts."])
    assert passage.traits == {"american", "actres", "auth"}


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        (
            "A is a 1994 film written and directed by Tim B, produced in Rome.",
            "film",
            {
                ("*", True): {"1994"},
                **{(word, False): {"tim"} for word in ("*", "written", "direct", "by")},
                ("produc", False): {"rome"},
            },
        ),
        ("It aired on Fox in 1996.", None, {("aired", False): {"fox"}, ("aired", True): {"1996"}}),
        ("He plays chess. Odense lies there.", None, {}),
    ],
)
def test_words_lead_to_names(
    text: str, kind: str | None, expected: Mapping[tuple[str, bool], set[str]]
) -> None:
    assert relations(text, kind) == expected


@given(st.text(), st.text())
def test_names_are_found_where_they_stand(before: str, after: str) -> None:
    text = SearchedText(f'{before} "Anna Berg" {after}')
    assert any(text.text[span.start : span.end] == "Anna Berg" for span in text.spans("Anna Berg"))


@given(st.text(), st.text())
def test_any_name_can_be_looked_for(text: str, name: str) -> None:
    for span in SearchedText(text).spans(name):
        assert 0 <= span.start < span.end <= len(text)


# Bad input.


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"question": None}, "'question' must be a text"),
        ({"question": " "}, "'question' must be a text"),
        ({"answer": 7}, "'answer' must be a text"),
        ({"answer": "\ud800"}, "'answer' must be a text"),  # half a letter
        ({"type": None}, "'type' must be a text"),
        ({"supporting_facts": None}, "'supporting_facts' must hold pairs of title and sent_id"),
        ({"supporting_facts": [["A"]]}, "'supporting_facts' must hold pairs of title and sent_id"),
        ({"supporting_facts": [[7, 0]]}, "a title in 'supporting_facts' must be a text"),
        (
            {"supporting_facts": [["Anna Berg", 0]]},
            "'supporting_facts' names 1 titles, but must name two",
        ),
        (
            {"supporting_facts": [["Anna Berg", 0], ["X", 0]]},
            "'supporting_facts' names 'X', 'context' does not",
        ),
        ({"context": {"title": ["A"]}}, "'context' must hold pairs of title and sentences"),
        (
            {"context": {"title": ["A"], "sentences": []}},
            "'context' must hold pairs of title and sentences",
        ),
        ({"context": [["A", "text"]]}, "the sentences of 'A' in 'context' must be texts"),
        ({"context": [["A", [7]]]}, "the sentences of 'A' in 'context' must be texts"),
    ],
)
def test_a_malformed_record_is_told_and_the_rest_is_built(
    build: Callable[..., Built], change: Record, told: str
) -> None:
    made = build(record(_id="bad", **change), record())
    assert made.rows == 1 and made.candidates == 2
    assert made.rejections[0] == ("bad", "malformed", f"invented.json, record 1: {told}")


def test_what_is_no_object_is_told_by_its_number(tmp_path: Path) -> None:
    path = tmp_path / "mixed.jsonl"
    path.write_text(f"{json.dumps(record())}\n7\n{{\n", encoding="utf-8")
    records, rejections = read(path)
    assert len(records) == 1
    assert [(found.candidate, found.reason) for found in rejections] == [
        ("record 2", "malformed"),
        ("record 3", "cut short"),
    ]


def test_a_list_that_is_cut_gives_what_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "cut.json"
    path.write_text(json.dumps([record(), record(_id="r2")])[:-200], encoding="utf-8")
    records, rejections = read(path)
    assert [held.key for held in records] == ["r1"]
    assert [(found.candidate, found.reason) for found in rejections] == [("record 2", "cut short")]


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"no JSON", b"{}", b"[1, 2]", b'{"data": []}', b"[" * 9999, b"\xff\x00"]
)
def test_a_file_of_something_else_is_one_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.json"
    path.write_bytes(content)
    with pytest.raises(WrongCallError, match="is not a file of HotpotQA") as caught:
        read(path)
    assert str(caught.value).count(path.name) == 1


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnreadableDumpError):
        read(tmp_path / "none.json")


WHOLE = [record(), columnar(record("Whom did Anna Berg know in Århus?")), record(_id="r3")]
FORMS = (
    json.dumps(WHOLE, ensure_ascii=False).encode(),
    "\n".join(json.dumps(one, ensure_ascii=False) for one in WHOLE).encode(),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(FORMS), st.data())
def test_a_file_cut_anywhere_gives_no_more_and_says_so(
    tmp_path: Path, whole: bytes, draw: st.DataObject
) -> None:
    size = draw.draw(st.integers(0, len(whole)))
    path = tmp_path / "cut.json"
    path.write_bytes(whole[:size])
    try:
        records, rejections = read(path)
    except WrongCallError:
        return
    assert len(records) <= len(WHOLE)
    # Lines that end where a line does cannot be told from a shorter file.
    last = whole[:size].split(b"\n")[-1]
    is_whole = last in (b"", *whole.split(b"\n"))
    assert [found.reason for found in rejections] == ([] if is_whole else ["cut short"])


_TABLES = read_toml("datasets/syn_qa/reasons.toml")
_REASONS = _TABLES["record"].keys() | _TABLES["distractor"].keys()
TEXTS = st.text(alphabet=st.sampled_from("AbÉß ('&\".,-1–위)"), min_size=1).filter(str.strip)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(TEXTS, min_size=3, max_size=5, unique_by=str.strip), TEXTS, TEXTS, st.data())
def test_any_texts_make_a_pair_or_a_reason(
    build: Callable[..., Built], titles: list[str], before: str, after: str, draw: st.DataObject
) -> None:
    passages = {title: draw.draw(st.sampled_from([ANNA, CLARA, LAKE, title])) for title in titles}
    question = f'{before} "{titles[0]}" {after}'
    made = build(record(question, after, titles[:2], passages), record())
    assert made.rows + made.reasons["all distractors fell out"] >= 1
    assert all(found.reason in _REASONS for found in made.rejections)


def test_every_reason_is_described() -> None:
    folder = ROOT / "kgbuild" / "datasets" / "syn_qa" / "hotpotqa"
    code = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py"))
    given = set(re.findall(r'Rejected\(\s*"([^"]+)"', code))
    assert given == _REASONS


# Categories.


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("c.tsv", 'title\tcategory\nAnna_Berg\tSaid "so\nAnna Berg\tB\n'),
        ("c.csv", 'category,title\n"Said ""so",Anna Berg\nB,Anna Berg\n'),
        (
            "c.jsonl",
            '{"title": "Anna Berg", "category": "Said \\"so"}\n'
            '{"title": "Anna Berg", "category": "B"}\n',
        ),
    ],
)
def test_categories_are_read_from_tables(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / "category=a[1]" / name  # neither a pattern nor a column
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    assert read_categories(path) == {"Anna Berg": frozenset({'Said "so', "B"})}


def test_a_table_with_other_columns(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text("titles,group\nAnna Berg,B\n")
    with pytest.raises(WrongCallError, match="has no column") as caught:
        read_categories(tmp_path / "c.csv")
    assert "no column 'title'" in str(caught.value)
    assert " Similar: titles." in str(caught.value)


def test_the_real_records_make_pairs_that_keep_their_promises() -> None:
    path = data("questions/hotpot-dev-distractor-50.json")
    made = hotpotqa.build(path, None, {})
    assert made.candidates == 50
    assert made.rows == 4
    for pair in pairs(made):
        names = [str(pair[f"{end}_label"]) for end in ("subject", "replacement", "bridge")]
        assert len(set(names)) == 3
        assert pair["question"] != pair["false_question"]
        assert names[0] not in str(pair["false_question"])
