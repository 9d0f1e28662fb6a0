"""What a newer dump changes, on two small ones between which everything can be told by hand."""

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from kgbuild.cli import cli
from kgbuild.datasets import database, dataset
from kgbuild.dump.filter import Filter
from kgbuild.errors import KgbuildError, WrongCallError
from kgbuild.rows import Build, Built, Provenance, Rejection, Row
from kgbuild.store.load import load
from kgbuild.tables.diff import compare
from tests.conftest import triples
from tests.test_detection import pair
from tests.test_detection import write as write_pairs
from tests.test_score_biokalma import TAUGHT, built
from tests.test_syn_qa import ALIKE, person

SOURCE = Provenance(seed=0, options={}, files=[], store_fingerprint="a" * 32, store_triples=7)

RUN = CliRunner()
GRANOLA = ("granola", "--relations", "P19")
CHANGED = """
    wd:Q3 wdt:P26 wd:Q2
    wd:Q7 wdt:P26 wd:Q8
    wd:Q7 wdt:P19 wd:Q21
    wd:Q2 wdt:P19 wd:Q21
"""
PEOPLE = "".join(
    (
        *(person(2, "Bob"), person(4, "Dan"), person(6, "Fay", "P19 wd:Q20")),
        person(8, "Hal <script>"),
        # Cleo is more like Ann than Eve and Gil are: they share a school as well.
        person(1, "Ann", *ALIKE, "P26 wd:Q2", "P27 wd:Q22", "P69 wd:Q904"),
        person(3, "Cleo", *ALIKE, "P27 wd:Q22", "P69 wd:Q904"),
        *(person(7, "Eve", *ALIKE, "P27 wd:Q22"), person(9, "Gil", *ALIKE, "P27 wd:Q22")),
        triples('wd:Q20 rdfs:label "Bonn"@en\nwd:Q21 rdfs:label "Kiel"@en'),
        *(triples(f"wd:Q{n} wdt:P17 wd:Q22") for n in (20, 21)),
        triples('wd:Q22 rdfs:label "Germany"@en\nwd:Q22 wdt:P31 wd:Q6256'),
        # By a first name alone, nobody is asked about.
        *(triples(f'wd:Q{n} schema:description "German poet"@en') for n in (1, 2, 3, 4, 6, 7, 9)),
    )
)
OLDER = PEOPLE + triples(
    """
    wd:Q3 wdt:P26 wd:Q4
    wd:Q7 wdt:P19 wd:Q20
    wd:Q4 wdt:P19 wd:Q21
    """
)
# Cleo is the spouse of Bob now, and no more of Dan; Eve has one, and was born elsewhere; where Dan
# was born is not known any more, where Bob was is. Nothing changed about Fay.
NEWER = PEOPLE + triples(CHANGED)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a database of each dump, and one of a limit."""
    folder = tmp_path_factory.mktemp("differences")
    for name, text in (("older", OLDER), ("newer", NEWER)):
        (folder / f"{name}.nt").write_text(text, encoding="utf-8")
        load([str(folder / f"{name}.nt")], folder / name, Filter())
        for command in (("syn-qa", "--relations", "P26", "--max-risk", "1"), GRANOLA):
            build(folder, name, name, *command)
    build(folder, "older", "limited", *GRANOLA, "--limit", "1")
    return folder


def build(folder: Path, store: str, db: str, *command: str) -> None:
    places = ("--store", str(folder / store), "--db", str(folder / f"{db}.duckdb"))
    assert RUN.invoke(cli, [*command, *places]).exit_code == 0


def diff(*arguments: object) -> Result:
    return RUN.invoke(cli, ["diff", *map(str, arguments)])


def lines(older: Path, newer: Path, tmp_path: Path) -> list[dict[str, Any]]:
    """Return what is written of every difference."""
    file = tmp_path / "differences.jsonl"
    assert diff(older, newer, "-o", file).exit_code == 0
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


COLUMNS = ("change", "about", "gone_reason", "gone_detail", "new_reason", "older", "newer")


def test_every_difference_and_its_reason(folder: Path, tmp_path: Path) -> None:
    found = lines(folder / "older.duckdb", folder / "newer.duckdb", tmp_path)
    assert [tuple(line[name] for name in COLUMNS) for line in found] == [
        (
            # What was assumed of Cleo is true now.
            *("moved", "Q1 P26 Q2", "holds", "Q3 P26 Q2", "not tried"),
            {"replacement": "Cleo (Q3)", "falsity": "absent"},
            {"replacement": "Gil (Q9)", "falsity": "absent"},
        ),
        (
            *("new", "Q3 P26 Q2", None, None, "not stated", None),
            {"replacement": "Eve (Q7)", "falsity": "absent"},
        ),
        (
            *("gone", "Q3 P26 Q4", "not stated", "Q3 P26 Q4", None),
            {"replacement": "Ann (Q1)", "falsity": "absent"},
            None,
        ),
        (
            *("new", "Q7 P26 Q8", None, None, "not stated", None),
            {"replacement": "Ann (Q1)", "falsity": "absent"},
        ),
        ("new", "Q2 P19", None, None, "not stated", None, {"answers": [["Kiel"]]}),
        ("gone", "Q4 P19", "not stated", "Q4 P19", None, {"answers": [["Kiel"]]}, None),
        (
            *("moved", "Q7 P19", "not stated", "Q7 P19 Q20", "not stated"),
            {"answers": [["Bonn"]]},
            {"answers": [["Kiel"]]},
        ),
    ]
    (moved, *_, answers) = found
    assert moved["moved"] == ["replacement"] and answers["moved"] == ["answers"]
    assert [line["about"] for line in found if line["untrue"]] == [
        *("Q1 P26 Q2", "Q3 P26 Q4", "Q4 P19", "Q7 P19")
    ]
    assert (answers["gone_statements"], answers["new_statements"]) == (
        ["Q7 P19 Q20"],
        ["Q7 P19 Q21"],
    )
    # A question is the same in every build, a pair is not, once somebody else stands in.
    assert answers["older_id"] == answers["newer_id"] and moved["older_id"] != moved["newer_id"]
    assert moved["newer_questions"] == ["When did Ann marry Bob?", "When did Gil marry Bob?"]
    told = diff(folder / "older.duckdb", folder / "newer.duckdb")
    assert "4 older rows are untrue in the newer build." in told.stderr


def test_untrue_are_the_rows_whose_evidence_is_gone(folder: Path, tmp_path: Path) -> None:
    found = lines(folder / "older.duckdb", folder / "newer.duckdb", tmp_path)
    # Nobody's statements but those that changed, and Fay's birth, are evidence of anything.
    kept = [*map(str.strip, CHANGED.splitlines()), "wd:Q6 wdt:P19 wd:Q20", "wd:Q1 wdt:P26 wd:Q2"]
    by_evidence = {
        row[name]
        for table, name in (("syn_qa_pairs", "pair_id"), ("granola_questions", "question_id"))
        for row in database(folder / "older.duckdb").rows(table)
        for one in row["evidence"]
        if "wd:{subject} wdt:{property} wd:{object}".format(**one) not in kept
    }
    # Beside them, only what was to be false about a pair.
    untrue = {line["older_id"] for line in found if line["untrue"]}
    holds = {line["older_id"] for line in found if line["gone_reason"] == "holds"}
    assert len(by_evidence) == 3 and untrue == by_evidence | holds


def test_an_end_has_a_limit_of_its_own(sample_store: Path, tmp_path: Path) -> None:
    # The same statements make pairs with another subject, and with another object.
    for limit in ("200", "5"):
        places = ("--store", str(sample_store), "--db", str(tmp_path / f"{limit}.duckdb"))
        command = ("syn-qa", "--relations", "P26,P69", "--limit", limit)
        assert RUN.invoke(cli, [*command, *places]).exit_code == 0
    found = lines(tmp_path / "200.duckdb", tmp_path / "5.duckdb", tmp_path)
    # A false question that the larger build asked of the other end is new in the smaller one.
    assert {(line["change"], line["new_reason"]) for line in found} == {
        ("gone", None),
        ("new", "asked before"),
    }
    assert not {line["gone_reason"] for line in found} & {"not stated", "not tried"}


def test_what_is_counted(folder: Path) -> None:
    done = diff(folder / "older.duckdb", folder / "newer.duckdb", "--json")
    no_words = {"reworded": 0}
    assert json.loads(done.stdout) == [
        {
            **{"dataset": "syn-qa", "relation": "P26", "older": 2, "newer": 3, "same": 0},
            **{"gone": 1, "moved": 1, **no_words, "new": 2, "untrue": 2},
        },
        {
            **{"dataset": "granola", "relation": "P19", "older": 3, "newer": 3, "same": 1},
            **{"gone": 1, "moved": 1, **no_words, "new": 1, "untrue": 2},
        },
    ]
    assert done.stderr == ""  # the same relations, options and version, and another store


def mirrored(line: dict[str, Any]) -> dict[str, Any]:
    """Return a difference as it is the other way round."""
    swap = {"older": "newer", "newer": "older", "gone": "new", "new": "gone"}
    turned = {}
    for name, value in line.items():
        begin, *rest = name.split("_")
        turned["_".join([swap.get(begin, begin), *rest])] = value
    is_false = turned["gone_reason"] in ("not stated", "holds")
    untrue = bool(turned["gone_statements"]) or is_false
    return {**turned, "change": swap.get(line["change"], line["change"]), "untrue": untrue}


def by_about(found: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {f"{line['dataset']} {line['about']}": line for line in found}


def test_the_other_way_round(folder: Path, tmp_path: Path) -> None:
    forth = lines(folder / "older.duckdb", folder / "newer.duckdb", tmp_path)
    back = lines(folder / "newer.duckdb", folder / "older.duckdb", tmp_path)
    assert by_about(back) == by_about([mirrored(line) for line in forth])


def test_the_same_twice(folder: Path, tmp_path: Path) -> None:
    copy = shutil.copy(folder / "newer.duckdb", tmp_path / "copy.duckdb")
    assert lines(folder / "newer.duckdb", Path(copy), tmp_path) == []
    done = diff(folder / "newer.duckdb", copy)
    assert "granola: built from the same store: all." in done.stderr
    assert done.stdout.count("\n\n") == 0  # nothing but the counts


def test_what_a_limit_cuts_off_is_not_untrue(folder: Path, tmp_path: Path) -> None:
    older, limited = folder / "older.duckdb", folder / "limited.duckdb"
    done = diff(older, limited)
    assert done.stderr.splitlines() == [
        f"syn-qa: only in {older}, not compared: P26.",
        "granola: built from the same store: all.",
        "granola: built with another limit (none, then 1): all.",
    ]
    found = lines(older, limited, tmp_path)
    # Of three only the first in the order of the seed is left.
    reasons = [(line["change"], line["gone_reason"], line["gone_detail"]) for line in found]
    assert reasons == [("gone", "not reached", "limit 1")] * 2
    assert not any(line["untrue"] for line in found)
    # Against the newer dump, what stands before the last row within the limit has been looked at.
    (one,) = database(limited).rows("granola_questions")
    fates = {line["about"]: line for line in lines(limited, folder / "newer.duckdb", tmp_path)}
    assert f"{one['subject_qid']} P19" in fates  # Eve, whose birthplace moved
    assert {line["new_reason"] for line in fates.values()} == {"not stated", "not reached"}


def taught(path: Path, *needed: str) -> Path:
    """Return a database with a question of BioKaLMA whose set has these properties of Q42's."""
    pieces = [("Q41", "P1066"), *(("Q42", pid) for pid in needed)]
    made = built("taught", "P1066", TAUGHT, pieces, [], [])
    database(path).write(Build(dataset("biokalma"), [made], SOURCE))
    return path


def test_knowledge_that_moved(tmp_path: Path) -> None:
    one = taught(tmp_path / "older.duckdb", "P19", "P106")
    other = taught(tmp_path / "newer.duckdb", "P19")
    (found,) = lines(one, other, tmp_path)
    assert found["moved"] == ["knowledge"] and found["about"] == "Q41 P1066 Q42"
    assert {*found["older"]["knowledge"]} - {*found["newer"]["knowledge"]} == {
        "Q42, occupation: physicist"
    }
    # The piece was not chosen, and is true still: the newer pool has it.
    assert (found["gone_reason"], found["untrue"]) == (None, False)
    # A table shows of a list only what the other one has not.
    assert diff(one, other).stdout.count("physicist") == 1
    # In another order the set is the same one.
    turned = taught(tmp_path / "turned.duckdb", "P106", "P19")
    assert lines(one, turned, tmp_path) == []


def test_knowledge_that_is_no_more(tmp_path: Path) -> None:
    one = taught(tmp_path / "older.duckdb", "P19", "P106")
    other = tmp_path / "newer.duckdb"
    moved = {**TAUGHT, "Q42": {"P106": "physicist", "P19": "Wien"}}
    pieces = [("Q41", "P1066"), ("Q42", "P19"), ("Q42", "P106")]
    made = built("taught", "P1066", moved, pieces, [], [])
    database(other).write(Build(dataset("biokalma"), [made], SOURCE))
    (found,) = lines(one, other, tmp_path)
    assert (found["change"], found["untrue"]) == ("moved", True)
    assert (found["gone_reason"], found["gone_detail"]) == ("not stated", "Q42 P19 Graz")
    assert found["new_statements"] == ["Q42 P19 Wien"]
    # So it is if the question was left out for another reason, and Q42 is in another one's pool.
    pupil = {"Q43": {"P1066": "Eva Blom"}, "Q42": moved["Q42"]}
    made = built("pupil", "P1066", pupil, [("Q43", "P1066"), ("Q42", "P106")], [], [])
    left = Rejection("Q41 P1066 Q42", "used often", "Q42")
    database(other).write(Build(dataset("biokalma"), [replace(made, rejections=[left])], SOURCE))
    found, _ = lines(one, other, tmp_path)
    assert (found["change"], found["gone_reason"], found["untrue"]) == ("gone", "used often", True)
    assert found["gone_statements"] == ["Q42 P19 Graz"]


def born(
    path: Path,
    levels: Sequence[tuple[str, str]],
    value: str | None,
    resolution: str = "stated",
    left: Sequence[Rejection] = (),
    source: Provenance = SOURCE,
) -> Path:
    """Write where Ann was born: answers as (item, name), the finest first; the store's value."""
    said = [{"subject": "Q1", "property": "P19", "object": value}] if value else []
    common = {"question_id": "ann", "source": "P19"}
    question = {
        **{
            **common,
            "relation": "P19",
            "question": "Where was Ann born?",
            "subject_qid": "Q1",
            "answers": [],
        },
        **{"popularity": 0, "resolution": resolution, "evidence": said, "split": "test"},
    }
    more = {
        "aliases": [],
        "kind": "item",
        "bits": 1.0,
        "capped": False,
        "golds": [],
        "evidence": said,
    }
    made = Built(
        "P19",
        {
            "granola_questions": [question] if levels else [],
            "granola_answers": [
                {**common, **more, "level": level, "answer": name, "qid": qid}
                for level, (qid, name) in enumerate(levels, 1)
            ],
        },
        list(left),
    )
    database(path).write(Build(dataset("granola"), [made], source))
    return path


PARIS, FRANCE, TOKYO = ("Q90", "Paris"), ("Q142", "France"), ("Q1490", "Tokyo")


def test_gold_answers_that_are_no_more(tmp_path: Path) -> None:
    france = born(tmp_path / "france.duckdb", [FRANCE], "Q142")
    paris = born(tmp_path / "paris.duckdb", [PARIS, FRANCE], "Q90")
    tokyo = born(tmp_path / "tokyo.duckdb", [TOKYO], "Q1490")
    no_label = Rejection("Q1 P19", "no label", "Q77, Q78")
    unnamed = born(tmp_path / "unnamed.duckdb", [], None, left=[no_label])
    lost = {
        (one.stem, other.stem): (found["change"], found["gone_statements"], found["untrue"])
        for one, other in ((france, paris), (paris, france), (paris, tokyo), (paris, unnamed))
        for found in lines(one, other, tmp_path)
    }
    assert lost == {
        # Who was born in Paris was born in France, but not the other way round.
        ("france", "paris"): ("moved", [], False),
        ("paris", "france"): ("moved", ["Q1 P19 Q90"], True),
        ("paris", "tokyo"): ("moved", ["Q1 P19 Q90"], True),
        # There is no question, since what is stated now has no label.
        ("paris", "unnamed"): ("gone", ["Q1 P19 Q90"], True),
    }


def test_a_given_answer_that_is_stated_no_more(tmp_path: Path) -> None:
    # A file's answer stays as it is; that the store says so no more is a change all the same.
    one = born(tmp_path / "a.duckdb", [PARIS], "Q90", "relation")
    other = born(tmp_path / "b.duckdb", [PARIS], None, "relation")
    (found,) = lines(one, other, tmp_path)
    assert (found["change"], found["moved"], found["untrue"]) == ("moved", [], True)
    (back,) = lines(other, one, tmp_path)
    assert (back["change"], back["new_reason"], back["untrue"]) == ("moved", "not stated", False)
    # Of a file with other contents it is not known whether it still gives that answer.
    edited = replace(SOURCE, files=[{"name": "P19", "modified": "2024-01-01", "sha256": "e"}])
    other = born(tmp_path / "c.duckdb", [TOKYO], "Q1490", "relation", source=edited)
    (found,) = lines(one, other, tmp_path)
    assert (found["change"], found["moved"], found["untrue"]) == ("moved", ["answers"], False)


def test_a_bridge_that_is_another_one(tmp_path: Path) -> None:
    def bridged(path: Path, bridge: str) -> Path:
        led = [{"subject": "Q1", "property": "P26", "object": bridge}]
        made = pair("same", "P26/P19", "Where?", "Whence?", "absent")
        return write_pairs(path, replace(made, hops=2, bridge_qid=bridge, evidence=led))

    databases = bridged(tmp_path / "a.duckdb", "Q8"), bridged(tmp_path / "b.duckdb", "Q9")
    (found,) = lines(*databases, tmp_path)
    assert (found["change"], found["gone_detail"]) == ("moved", "Q1 P26 Q8")
    assert found["untrue"]


def test_why_pairs_moved(tmp_path: Path) -> None:
    made = pair("a", "P26", "Who?", "Whom?", "closed")
    one = write_pairs(tmp_path / "a.duckdb", made)
    # Nothing was left out: another one was more alike, or less is known of the same one.
    nearer = replace(made, replacement_qid="Q5", pair_id="b")
    for newer, reason in (
        (nearer, "not tried"),
        (replace(made, falsity="absent"), "same replacement"),
    ):
        other = write_pairs(tmp_path / "b.duckdb", newer)
        (found,) = lines(one, other, tmp_path)
        assert (found["change"], found["gone_reason"]) == ("moved", reason)
        assert (found["gone_detail"], found["untrue"]) == ("Q3 P26 Q2", False)


def test_other_words_are_no_other_facts(tmp_path: Path) -> None:
    one = write_pairs(tmp_path / "a.duckdb", pair("a", "P26", "Who wed Bob?", "Who?", "absent"))
    other = write_pairs(
        tmp_path / "b.duckdb", pair("b", "P26", "Bob wed?", "\u202emohW\x1b[2J", "absent")
    )
    (found,) = lines(one, other, tmp_path)
    assert (found["change"], found["moved"]) == ("reworded", [])
    assert found["older_questions"] == ["Who wed Bob?", "Who?"]
    assert found["newer_questions"] == ["Bob wed?", "\u202emohW\x1b[2J"]
    # A file has what the tables have; on the screen nothing of it turns or erases the text.
    shown = diff(one, other).stdout
    assert "\N{REPLACEMENT CHARACTER}mohW\N{REPLACEMENT CHARACTER}[2J" in shown


def test_of_two_texts_that_one_is_shown_which_changed(tmp_path: Path) -> None:
    one = write_pairs(tmp_path / "a.duckdb", pair("a", "P26", "Hans wed?", "Who wed?", "absent"))
    other = write_pairs(tmp_path / "b.duckdb", pair("b", "P26", "Jan wed?", "Who wed?", "absent"))
    *_, row = diff(one, other).stdout.strip().splitlines()
    assert " ".join(row.split()) == "syn-qa reworded Who wed? Hans wed? Jan wed?"


ASKED = st.dictionaries(st.sampled_from("abcd"), st.sampled_from(["Bonn", "Kiel"]), max_size=4)


def asked(path: Path, answers: dict[str, str]) -> None:
    """Write questions about subjects that have these answers."""
    common = {"source": "P19", "evidence": []}
    more = {
        "relation": "P19",
        "resolution": "stated",
        "answers": [],
        "popularity": 0,
        "split": "test",
    }
    kind = {"aliases": [], "kind": "item", "bits": 1.0, "capped": False, "golds": [], "level": 1}
    made = Built(
        "P19",
        {
            "granola_questions": [
                {**common, **more, "question_id": name, "question": name, "subject_qid": name}
                for name in answers
            ],
            "granola_answers": [
                {**common, **kind, "question_id": name, "answer": text}
                for name, text in answers.items()
            ],
        },
    )
    database(path).write(Build(dataset("granola"), [made], SOURCE))


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("desk")


@given(older=ASKED, newer=ASKED)
@settings(max_examples=4)
def test_changes_are_those_of_the_answers(
    desk: Path, older: dict[str, str], newer: dict[str, str]
) -> None:
    one, other = desk / "one.duckdb", desk / "other.duckdb"
    asked(one, older)
    asked(other, newer)
    made = compare(database(one), database(other), dataset("granola"))
    changes = {each.about.split()[0]: each.change for each in made.differences}
    assert changes == {
        **{name: "gone" for name in older if name not in newer},
        **{name: "new" for name in newer if name not in older},
        **{name: "moved" for name in older if name in newer and older[name] != newer[name]},
    }
    turned = compare(database(other), database(one), dataset("granola"))
    assert [
        (each.about, each.newer, each.older, each.new_reason, each.gone_reason)
        for each in turned.differences
    ] == [
        (each.about, each.older, each.newer, each.gone_reason, each.new_reason)
        for each in made.differences
    ]


def test_questions_of_a_file(tmp_path: Path) -> None:
    # The later file lacks one question; of another one nothing in the store is called so any more.
    texts = ("Where was Ann born?", "Where was Bob born?", "Where was Eve born?")
    rows: list[Row] = [
        {
            **{"question_id": text, "question": text, "relation": "P19", "source": "q.csv"},
            **{"answers": [], "popularity": 0, "resolution": "relation"},
            **{"evidence": [], "split": "test"},
        }
        for text in texts
    ]
    unknown = Rejection("record 2", "unknown names", texts[1])
    for name, held_rows, left in (("a", rows, []), ("b", rows[:1], [unknown])):
        made = Built("q.csv", {"granola_questions": held_rows, "granola_answers": []}, left)
        dump = [{"name": "q.csv", "modified": "2024-01-01", "sha256": name}]
        source = replace(SOURCE, files=dump)
        database(tmp_path / f"{name}.duckdb").write(Build(dataset("granola"), [made], source))
    databases = (tmp_path / "a.duckdb", tmp_path / "b.duckdb")
    gone = [(line["about"], line["gone_reason"]) for line in lines(*databases, tmp_path)]
    assert gone == [(texts[1], "unknown names"), (texts[2], "not read")]
    said = diff(*databases).stderr
    assert "granola: built from a file of that name with other contents: all." in said


def test_wrong_calls(folder: Path, tmp_path: Path) -> None:
    older, newer = folder / "older.duckdb", folder / "newer.duckdb"
    twice = diff(older, older)
    assert twice.exit_code == 2 and "is named twice" in twice.stderr
    link = tmp_path / "link.duckdb"
    link.symlink_to(older)
    assert "is named twice" in diff(older, link).stderr
    pool = taught(tmp_path / "pool.duckdb", "P19")
    foreign = diff(older, pool)
    assert foreign.exit_code == 2
    assert "in common. The first has syn-qa (P26); granola (P19); the second biokalma (P1066)." in (
        " ".join(foreign.stderr.split()).removeprefix("Error: ")
    )
    none = diff(older, newer, "--dataset", "biokalma")
    assert none.exit_code == 2 and "in common" in none.stderr
    # A database is not written over.
    over = diff(older, newer, "-o", newer)
    assert over.exit_code == 2 and "ends with .jsonl" in over.stderr
    assert database(newer).rows("builds")
    text = tmp_path / "text.duckdb"
    text.write_text("no database")
    assert diff(older, text).exit_code == 2
    assert diff(older, tmp_path / "none.duckdb").exit_code == 2


def test_a_database_that_nothing_was_built_into(folder: Path, tmp_path: Path) -> None:
    import duckdb

    path = tmp_path / "own.duckdb"
    with duckdb.connect(str(path)) as db:
        db.execute("CREATE TABLE mine (a INTEGER)")
    done = diff(folder / "older.duckdb", path)
    assert done.exit_code == 1 and "nothing was built into it" in done.stderr


def test_datasets_without_a_way_to_compare_them_are_named(tmp_path: Path) -> None:
    older, newer = (
        born(tmp_path / name, [("Q20", "Bonn")], "Q20") for name in ("a.duckdb", "b.duckdb")
    )
    for path in (older, newer):
        tests = Built("Q5", {"grouse_tests": []})
        database(path).write(Build(dataset("grouse"), [tests], SOURCE))
    done = diff(older, newer)
    assert "grouse: not compared, as it has no versions.sql.\n" in done.stderr
    with pytest.raises(KgbuildError, match=r"no versions\.sql"):
        compare(database(older), database(newer), dataset("grouse"))
    with pytest.raises(WrongCallError, match="is named twice: name two databases, the"):
        compare(database(older), database(older), dataset("granola"))
