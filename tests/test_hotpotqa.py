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

from kgbuild.data_files import read_toml
from kgbuild.datasets.syn_qa.hotpotqa import build as hotpotqa
from kgbuild.datasets.syn_qa.hotpotqa.records import read
from kgbuild.datasets.syn_qa.hotpotqa.text import SearchedText
from kgbuild.datasets.syn_qa.hotpotqa.titles import read_categories
from kgbuild.errors import TableFileError, WrongCallError
from kgbuild.rows import Built
from tests.conftest import ROOT, data

Record = dict[str, Any]

ANNA = "Anna Berg (1901 – 1980) was a Danish chemist. She led the Frost Laboratory with Carl Holm."
HOLM = "Carl Holm (1899 – 1970) was a Danish inventor. He patented the zinc kettle in Odense."
CLARA = "Clara Lund (1905 – 1990) was a Danish chemist. She led the Thaw Works in Aarhus."
BEN = "Ben Krog (1903 – 1977) was a Danish chemist. He led the Thaw Works in Aarhus."
LAKE = "Lake Muddle is a lake in Jutland."
QUESTION = "What did the Danish inventor who led the Frost Laboratory with Anna Berg patent?"


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


CHEMISTS = dict.fromkeys(("Anna Berg", "Clara Lund"), frozenset({"Chemists", "Danes"}))
CHEMISTS["Ben Krog"] = frozenset({"Danes"})


@pytest.fixture
def build(tmp_path: Path) -> Callable[..., Built]:
    """Return a function that builds the pairs of records, by categories if there are any."""

    def make(
        *records: Record, groups: Mapping[str, frozenset[str]] | None = None, **options: int
    ) -> Built:
        path = tmp_path / "invented.json"
        path.write_text(json.dumps(records), encoding="utf-8")
        return hotpotqa.build(path, groups or {}, **options)

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
    assert pair["false_question"] == QUESTION.replace("Danish", "Swedish")
    assert (pair["subject_label"], pair["replacement_label"]) == ("Danish", "Swedish")
    assert (pair["bridge_label"], pair["answer"]) == ("Carl Holm", "the zinc kettle")
    assert (pair["relation"], pair["relation_label"]) == ("invented.json", "HotpotQA")
    assert (pair["hops"], pair["template_id"], pair["object_label"]) == (2, None, None)
    assert (pair["falsity"], pair["risk"], pair["source_id"]) == ("contradicted", None, "r1")
    assert (pair["similarity"], pair["overlap"], pair["confusability"]) == ("nationality", 0, None)
    assert (pair["shared"], pair["evidence"], pair["popularity"]) == ([], [], 0)
    assert made.candidates == 1


@pytest.mark.parametrize(
    ("told", "false", "kind"),
    [
        ("born in 1899", r"born in (1896|1897|1901|1902)", "year"),
        ("who has worked since 1899", r"who has worked since (1896|1897|1901|1902)", "year"),
        ("born on May 5, 1899,", r"born on May 5, (1896|1897|1901|1902),", "year"),
        ("born in May of 1899", r"born in May of (1896|1897|1901|1902)", "year"),
        ("born in May, 1899", r"born in May, (1896|1897|1901|1902)", "year"),
        ("of a Kansas town", r"of a Nebraska town", "state"),
        ("of an Ohio town", r"of an Indiana town", "state"),
        ("of an American town", r"of a Canadian town", "nationality"),
        # Another year is an aside, here without the title.
        ("of the 1899 fair in an Ohio town", r"of the 1899 fair in an Indiana town", "state"),
        # A year is preferred.
        ("of an Ohio town born in 1899", r"of an Ohio town born in (1896|1897|1901|1902)", "year"),
    ],
)
def test_a_value_is_replaced_by_a_near_one(
    build: Callable[..., Built], told: str, false: str, kind: str
) -> None:
    holm = f"Carl Holm was an inventor {told}. He patented the zinc kettle."
    question = "What did the inventor {} who knew Anna Berg patent?"
    made = build(record(question.format(told), passages={"Anna Berg": ANNA, "Carl Holm": holm}))
    assert re.fullmatch(re.escape(question).replace(r"\{\}", false), false_question(made))
    assert pairs(made)[0]["similarity"] == kind


@pytest.mark.parametrize(
    "told",
    [
        "of the 1899 exhibition",  # the year of something else
        "of a North American town",  # a part of a name
        "of the American Club",
        "from Salem, Ohio",
        "of an American town in an American state",  # which one?
        "of an American village",  # nothing says so
    ],
)
def test_what_is_no_clear_value_stays(build: Callable[..., Built], told: str) -> None:
    holm = "Carl Holm was an inventor of 1899 from an American town in Ohio."
    passages = {"Anna Berg": "Anna Berg was a chemist.", "Carl Holm": holm}
    question = f"What did the inventor {told} who knew Anna Berg patent?"
    assert build(record(question, passages=passages)).reasons == {"no value": 1}


def test_what_is_in_a_passage_replaces_nothing(build: Callable[..., Built]) -> None:
    passages = {"Anna Berg": ANNA, "Carl Holm": f"{HOLM} His mother was Swedish."}
    made = build(record(passages=passages))
    assert false_question(made) == QUESTION.replace("Danish", "Norwegian")


@pytest.mark.parametrize("value", ["Danish inventor", "inventor born in 1899"])
def test_without_a_word_of_a_title_there_may_be_another(
    build: Callable[..., Built], value: str
) -> None:
    question = f"Which {value} patented a kettle in Odense{{}}?"
    assert build(record(question.format(""))).reasons == {"no value": 1}
    assert build(record(question.format(" with the Berg sisters"))).rows == 1


def test_an_aside_is_of_a_title_in_the_question(build: Callable[..., Built]) -> None:
    told, false = "her 1950 kettle", r"her (1947|1948|1952|1953) kettle"
    passages = {"Anna Berg": f"Anna Berg sold {told}.", "Carl Holm": f"Carl Holm knew {told}."}
    made = build(record(f"For {told} Anna Berg had which partner?", passages=passages))
    assert re.fullmatch(f"For {false} Anna Berg had which partner[?]", false_question(made))
    made = build(record(f"For {told} Dr Berg had which partner?", passages=passages))
    assert made.reasons == {"no value": 1}


def test_both_titles_may_be_in_a_question_about_a_value(build: Callable[..., Built]) -> None:
    one = record("Where did Anna Berg, who died in 1980, meet Carl Holm?")
    assert build(one).rows == 1
    assert build(one, groups=CHEMISTS).reasons == {"no single title": 1}


def test_the_passage_outside_the_question_is_preferred(build: Callable[..., Built]) -> None:
    question = "Which Danish inventor knew Anna Berg, who died in 1980?"
    assert false_question(build(record(question))) == question.replace("Danish", "Swedish")
    made = build(record("Which man knew Anna Berg, who died in 1980?"))
    assert pairs(made)[0]["bridge_label"] == "Anna Berg"


def test_a_value_within_a_title_stays(build: Callable[..., Built]) -> None:
    passages = {"Born in 1899": "Born in 1899 is a film about Carl Holm.", "Carl Holm": HOLM}
    made = build(record("Who plays the hero of Born in 1899?", "zinc", tuple(passages), passages))
    assert made.reasons == {"no value": 1}


@pytest.mark.parametrize(
    ("question", "answer", "changes", "reason"),
    [
        ("Are Anna Berg and Carl Holm Danish?", "yes", {"type": "comparison"}, "comparison"),
        ("Which Danish knew Anna Berg", "Carl Holm", {}, "no question"),
        ("Who patented the zinc kettle?", "Carl Holm", {}, "no value"),
        ("Whom did Anna Berg meet at Expo 1980?", "Carl Holm", {}, "no value"),
    ],
)
def test_records_that_can_give_no_pair(
    build: Callable[..., Built], question: str, answer: str, changes: Record, reason: str
) -> None:
    made = build(record(question, answer, **changes))
    assert [(found.candidate, found.reason) for found in made.rejections] == [("r1", reason)]


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


def test_the_same_question_is_asked_once(build: Callable[..., Built]) -> None:
    made = build(record(), record(_id="r2"))
    assert made.rows == 1 and made.reasons["asked twice"] == 1


def test_a_smaller_limit_is_a_prefix_and_the_seed_orders(build: Callable[..., Built]) -> None:
    several = [record(QUESTION.replace("Frost", f"Frost{n}"), _id=f"r{n}") for n in range(10)]
    whole = pairs(build(*several))
    assert len(whole) == 10
    assert pairs(build(*several, limit=4)) == whole[:4]
    other = pairs(build(*several, seed=1))
    assert other != whole and sorted(p["pair_id"] for p in other) == sorted(
        p["pair_id"] for p in whole
    )


# Titles.


def test_the_title_with_most_common_categories_is_replaced(build: Callable[..., Built]) -> None:
    made = build(record(), groups=CHEMISTS)
    (pair,) = pairs(made)
    assert pair["false_question"] == QUESTION.replace("Anna Berg", "Clara Lund")
    assert (pair["subject_label"], pair["replacement_label"]) == ("Anna Berg", "Clara Lund")
    assert (pair["bridge_label"], pair["falsity"]) == ("Carl Holm", "absent")
    assert (pair["similarity"], pair["overlap"]) == ("categories", 2)
    assert pair["confusability"] == "middle"


def test_every_mention_is_replaced(build: Callable[..., Built]) -> None:
    question = "When anna berg's Frost Laboratory moved, what had Anna Berg's inventor patented?"
    assert false_question(build(record(question), groups=CHEMISTS)) == (
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
    made = build(record(f"What did the inventor in the {mention} patent?"), groups=CHEMISTS)
    assert made.rows == 0 and made.reasons == {"no single title": 1}


def test_a_title_within_another_title_stays(build: Callable[..., Built]) -> None:
    passages = {
        "Anna Berg": ANNA,
        "Carl Holm": HOLM,
        "Clara Lund": CLARA,
        "Days of Anna Berg": "Days of Anna Berg is a 1950 film.",
    }
    question = "In days of Anna Berg, who plays him with whom Anna Berg led the Frost Laboratory?"
    made = build(record(question, "Odense", passages=passages), groups=CHEMISTS)
    assert false_question(made) == (
        "In days of Anna Berg, who plays him with whom Clara Lund led the Frost Laboratory?"
    )


@pytest.mark.parametrize(
    ("subject", "other", "question", "false"),
    [
        (
            "Frost (film)",
            "Thaw (1961 film)",
            'Who filmed "Frost" in Odense?',
            'Who filmed "Thaw" in Odense?',
        ),
        # A namesake is another one of the same name, and a common word no title.
        ("Frost (film)", "Frost (1961 film)", 'Who filmed "Frost" in Odense?', "same name"),
        (
            "Frost (film)",
            "Thaw (1961 film)",
            "Who filmed in the frost of Odense?",
            "no single title",
        ),
        ("Elm Hall", "The Oak Hall", "Who built the Elm Hall in Odense?", "reads badly"),
        ("Elm Hall", "Oak Hall", "Who built an Elm Hall tower in Odense?", "reads badly"),
        ("Elm Hall", "Oak Hall", "Who built Elm Hall' towers in Odense?", "reads badly"),
        ("Elm Hall", "Oak Halls", "Who built Elm Hall's towers in Odense?", "reads badly"),
        ("Elm Hall", "Oak, a Hall", "Who built Elm Hall in Odense?", "reads badly"),
        (
            "Elm Hall",
            "Oak, a Hall",
            "Whom did Odense let build Elm Hall?",
            "Whom did Odense let build Oak, a Hall?",
        ),
        (
            "Holm Kettles",
            "Lund Tin Company",
            "Who founded the Holm Kettles company in Odense?",
            "reads badly",
        ),
        (
            "Elm Hall",
            "Oak Hall",
            "Who built Elm Hall beside Oak Hall in Odense?",
            "in the question",
        ),
    ],
)
def test_a_title_reads_well_in_the_place_of_another(
    build: Callable[..., Built], subject: str, other: str, question: str, false: str
) -> None:
    passages = {subject: "It was made by Carl Holm.", "Carl Holm": HOLM, other: "By Ida Quist."}
    groups = dict.fromkeys((subject, other), frozenset({"Things"}))
    made = build(record(question, "zinc", (subject, "Carl Holm"), passages), groups=groups)
    found = [pair["false_question"] for pair in pairs(made)]
    assert found + [rejection.reason for rejection in made.rejections][:1] == [false]


@pytest.mark.parametrize(
    ("title", "text", "reason", "detail"),
    [
        ("Lake Muddle", LAKE, "another kind", ""),
        ("Clara Lund", f"{CLARA} She met Carl Holm.", "holds", "its passage names Carl Holm"),
        (
            "Clara Lund",
            f"{CLARA} She had a zinc kettle.",
            "holds",
            "its passage names the answer, the zinc kettle",
        ),
    ],
)
def test_distractors_that_may_not_stand_in(
    build: Callable[..., Built], title: str, text: str, reason: str, detail: str
) -> None:
    passages = {"Anna Berg": ANNA, "Carl Holm": HOLM, title: text}
    made = build(record(passages=passages), groups=CHEMISTS)
    assert reasons(made, title) == [(reason, detail)]
    assert made.rejections[-1] == ("r1", "all distractors fell out", "1 distractors")


def test_what_the_other_passage_names_may_hold(build: Callable[..., Built]) -> None:
    passages = {"Anna Berg": ANNA, "Carl Holm": f"{HOLM} He met Clara Lund.", "Clara Lund": CLARA}
    made = build(record(passages=passages), groups=CHEMISTS)
    assert reasons(made, "Clara Lund") == [("holds", "the passage of Carl Holm names it")]


def test_equally_alike_ones_go_by_title(build: Callable[..., Built]) -> None:
    text = CLARA.removeprefix("Clara Lund")
    passages = {"Anna Berg": ANNA, "Carl Holm": HOLM}
    groups = dict.fromkeys(("Anna Berg", "Else Bo", "Dora Bo"), frozenset({"Chemists"}))
    for order in (("Else Bo", "Dora Bo"), ("Dora Bo", "Else Bo")):
        one = record(passages=passages | {title: title + text for title in order})
        assert pairs(build(one, groups=groups))[0]["replacement_label"] == "Dora Bo"


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
        ({"type": None}, "'type' must be a text"),
        ({"supporting_facts": None}, "'supporting_facts' must hold pairs of title and sent_id"),
        ({"supporting_facts": [["A"]]}, "'supporting_facts' must hold pairs of title and sent_id"),
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
    ],
)
def test_a_malformed_record_is_told_and_the_rest_is_built(
    build: Callable[..., Built], change: Record, told: str
) -> None:
    made = build(record(_id="bad", **change), record())
    assert made.rows == 1 and made.candidates == 2
    assert made.rejections[0] == ("bad", "malformed", f"invented.json, record 1: {told}")


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"data": []}'])
def test_a_file_of_something_else_is_one_error(tmp_path: Path, content: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(content)
    with pytest.raises(WrongCallError, match="is not a file of HotpotQA") as caught:
        read(path)
    assert str(caught.value).count(path.name) == 1


def test_a_file_that_is_cut_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "cut.json"
    path.write_text(json.dumps([record(), record(_id="r2")])[:-200])
    with pytest.raises(TableFileError, match="Malformed JSON in line 1"):
        read(path)


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
    for groups in ({}, dict.fromkeys(titles, frozenset({"Things"}))):
        made = build(record(question, after, titles[:2], passages), record(), groups=groups)
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
    made = hotpotqa.build(path, {})
    assert made.candidates == 50
    assert made.rows == 5
    for pair in pairs(made):
        value, replacement = (str(pair[f"{end}_label"]) for end in ("subject", "replacement"))
        assert value in str(pair["question"]) and value not in str(pair["false_question"])
        assert replacement in str(pair["false_question"])
