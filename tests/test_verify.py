"""Assumptions verified by a real SPARQL server, by texts, and by a server of models."""

import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

import kgbuild
from benchmarks.truth.holdout import Removal
from kgbuild.catalog import catalog
from kgbuild.cli import cli
from kgbuild.datasets.syn_qa.falsity.facts import Facts
from kgbuild.datasets.syn_qa.verification import by_model
from kgbuild.datasets.syn_qa.verification.assumptions import (
    ABSENT,
    FALSE,
    HOLDS,
    TRUE,
    UNKNOWN,
    Assumption,
    Item,
    _path,
    assumptions,
)
from kgbuild.datasets.syn_qa.verification.by_endpoint import EndpointSource
from kgbuild.datasets.syn_qa.verification.by_texts import TextSource, _excerpt
from kgbuild.dump.filter import Filter
from kgbuild.errors import KgbuildError, WrongCallError
from kgbuild.graph.open import Store, open_source, open_store
from kgbuild.rows import no_progress
from kgbuild.store.load import load
from kgbuild.tables.database import Database
from tests.chat_server import Answer, chat_server
from tests.conftest import SAMPLE, triples
from tests.endpoints import Fault, proxy, serving
from tests.test_holding import HOTPOT

RELATIONS = ["P26", "P40", "P19", "P69", "P166", "P161", "P57/P19"]
# Whatever the risk, so that many of the assumptions are true.
OPTIONS = {"limit": 40, "max_risk": 1.0, "perturb": "subject"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of 70 % of the sample in ``kg``, the pairs built from it in ``pairs.duckdb``."""
    folder = tmp_path_factory.mktemp("verify")
    lines = SAMPLE.read_bytes().splitlines(keepends=True)
    (folder / "part.nt").write_bytes(b"".join(Removal("random", 0.3, 0).rest(lines)))
    load([str(folder / "part.nt")], folder / "kg", Filter())
    with open_store(folder / "kg") as store:
        build = kgbuild.syn_qa.build(store, RELATIONS, **OPTIONS)
    kgbuild.database(folder / "pairs.duckdb").write(build)
    return folder


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that holds the whole sample."""
    with serving(tmp_path_factory.mktemp("whole"), SAMPLE) as address:
        yield address


@pytest.fixture
def db(folder: Path, tmp_path: Path) -> Database:
    """A copy of the pairs."""
    copy = tmp_path / "pairs.duckdb"
    copy.write_bytes((folder / "pairs.duckdb").read_bytes())
    return kgbuild.database(copy)


def verify(db: Database, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["verify", "--db", str(db.path), *arguments])


@pytest.fixture
def no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the store that is not named be one that is not there."""
    monkeypatch.setenv("KGBUILD_STORE", str(tmp_path / "none"))


def holding(whole: Store, members: Sequence[Assumption]) -> set[str]:
    """Return the pairs whose assumption the whole says or suggests, bridge by bridge."""
    knowledge, relations = whole.knowledge(catalog().kinds), catalog().relations
    facts_of = partial(Facts, knowledge.statements, knowledge.wholes, relations=relations)

    def holds(one: Assumption) -> bool:
        assert one.path and one.subject.qid and one.object.qid
        bridges = [one.subject.qid]
        if one.path.first:
            bridges = [*facts_of(one.path.first).partners(one.subject.qid)]
            bridges += [one.bridge] if one.bridge else []
        facts = facts_of(one.path.last)
        y = one.object.qid
        return any(bridge != y and facts.support(bridge, y) for bridge in bridges)

    return {one.item_id for one in members if holds(one)}


def counts(db: Database) -> Counter[tuple[str, str]]:
    return Counter(db.sql("SELECT role, verdict FROM verifications").rows)  # type: ignore[arg-type]


def contents(db: Database) -> list[Any]:
    """Return all that a verification writes, but for the time."""
    texts = (
        "SELECT * EXCLUDE (verified_at) FROM verifications ORDER BY ALL",
        "FROM syn_qa_pairs ORDER BY rowid",
        "FROM rejections ORDER BY rowid",
    )
    return [db.sql(text).rows for text in texts]


def test_after_it_no_pair_is_true_in_the_whole(db: Database, url: str, sample: Store) -> None:
    before = assumptions(db, [FALSE])
    true = holding(sample, before)
    assert 5 < len(true) < len(before) - 50  # else the test shows nothing
    assert {one.relation for one in before if one.item_id in true} >= {"P166"}
    with proxy(url) as server:
        result = verify(db, "--endpoint", server.url)
    assert result.exit_code == 0, result.output
    assert f"{len(true):,} pairs were removed" in result.output
    # Forty assumptions a request; further ones follow chains and places upwards.
    assert len(server.queries) < len(before) / 40 * 8
    after = assumptions(db, [FALSE])
    assert {one.item_id for one in before} - {one.item_id for one in after} == true
    assert holding(sample, after) == set()
    assert counts(db) == {(FALSE, HOLDS): len(true), (FALSE, ABSENT): len(after)}
    rejections = db.sql(
        "SELECT relation, candidate, detail FROM rejections WHERE reason = 'verified true'"
    ).rows
    assert len(rejections) == len(true)
    one = next(one for one in before if one.item_id in true)
    found = next(row for row in rejections if one.item_id in row[2])
    assert found[:2] == (one.relation, f"{one.subject.qid} {one.relation} {one.object.qid}")
    assert found[2].startswith(
        f"for {one.counterpart}; pair {one.item_id}, by endpoint {server.url}"
    )


def test_true_assumptions_hold_in_the_whole(db: Database, url: str) -> None:
    pairs = len(assumptions(db, [TRUE]))
    result = verify(db, "--endpoint", url, "--true", "--json")
    assert json.loads(result.stdout)[1] == {
        "assumptions": TRUE,
        "verified": pairs,
        HOLDS: pairs,
        ABSENT: 0,
        UNKNOWN: 0,
    }
    assert counts(db)[TRUE, HOLDS] == pairs


@pytest.mark.usefixtures("no_store")
def test_pairs_that_hold_can_be_kept(db: Database, url: str) -> None:
    pairs = len(assumptions(db, [FALSE]))
    assert "left the dataset" not in verify(db, "--endpoint", url, "--keep").output
    assert len(assumptions(db, [FALSE])) == pairs
    held = counts(db)[FALSE, HOLDS]
    assert held
    # Later, another source lets go whatever holds by any.
    (db.path.parent / "none.jsonl").write_text('{"id": "Q1", "text": "The universe."}\n')
    verify(db, "--texts", str(db.path.parent / "none.jsonl"))
    assert len(assumptions(db, [FALSE])) == pairs - held


LARGER = """
    wd:Q1 wdt:P26 wd:Q2
    wd:Q4 wdt:P26 wd:Q3
    wd:Q5 p:P26 wds:a
    wds:a ps:P26 wd:Q6
    wds:a wikibase:rank wikibase:DeprecatedRank
    wd:Q7 wdt:P451 wd:Q8
    wd:Q9 wdt:P40 wd:Q10
    wd:Q10 p:P22 wds:b
    wds:b ps:P22 wd:Q11
    wd:Q12 wdt:P3373 wd:Q13
    wd:Q14 p:P3373 wds:c
    wds:c ps:P3373 wd:Q13
    wd:Q14 wdt:P3373 wd:Q15
    wd:Q16 wdt:P463 wd:Q17
    wd:Q17 wdt:P166 wd:Q18
    wd:Q19 wdt:P69 wd:Q20
    wd:Q20 p:P361 wds:d
    wds:d ps:P361 wd:Q21
    wd:Q21 wdt:P749 wd:Q22
    wd:Q23 wdt:P19 wd:Q24
    wd:Q25 p:P40 wds:e
    wds:e ps:P40 wd:Q26
    wd:Q27 wdt:P103 wd:Q28
    wd:Q29 wdt:P26 _:unknown
    wd:Q30 wdt:P26 wd:Q31
    wd:Q30 p:P26 wds:f
    wds:f ps:P26 wd:Q32
    wd:Q32 wdt:P69 wd:Q33
    wd:Q34 wdt:P7777 wd:Q35
    wd:Q36 p:P26 wds:g
    wds:g pq:P26 wd:Q37
    wd:Q38 wdt:P22 wd:Q9
    wd:Q39 wdt:P361 wd:Q20
    wd:Q40 wdt:P22 wd:Q42
    wd:Q42 wdt:P40 wd:Q41
"""
FORMS = [
    ("Q1", "P26", "Q2", HOLDS, "stated", "Q1 P26 Q2"),
    ("Q3", "P26", "Q4", HOLDS, "symmetric", "Q4 P26 Q3"),
    ("Q5", "P26", "Q6", HOLDS, "stated", "Q5 P26 Q6"),  # a former spouse, or a wrong one
    ("Q7", "P26", "Q8", HOLDS, "broader", "Q7 P451 Q8"),
    ("Q9", "P26", "Q11", HOLDS, "shared", "Q9 P40 Q10"),  # parents of one child
    ("Q12", "P3373", "Q15", HOLDS, "chain", "Q14 P3373 Q15"),  # a sibling's sibling's sibling
    ("Q16", "P166", "Q18", HOLDS, "group", "Q17 P166 Q18"),
    ("Q19", "P69", "Q22", HOLDS, "within", "Q20 within Q22"),
    ("Q19", "P69", "Q21", HOLDS, "within", "Q20 within Q21"),
    ("Q19", "P69", "Q39", HOLDS, "within", "Q39 within Q20"),  # a part of it, maybe the same
    ("Q23", "P551", "Q24", HOLDS, "broader", "Q23 P19 Q24"),
    ("Q40", "P3373", "Q41", HOLDS, "shared", "Q40 P22 Q42"),  # of one father
    ("Q26", "P22", "Q25", HOLDS, "inverse", "Q25 P40 Q26"),
    ("Q27", "P1412", "Q28", HOLDS, "narrower", "Q27 P103 Q28"),
    ("Q29", "P26", "Q2", UNKNOWN, None, "Q29 P26 unknown value"),
    ("Q34", "P7777", "Q35", HOLDS, "stated", "Q34 P7777 Q35"),  # a property of the user's own
    ("Q30", "P26/P69", "Q33", HOLDS, "stated", "Q30 P26 Q32; Q32 P69 Q33"),  # another bridge
    ("Q29", "P26/P69", "Q33", UNKNOWN, None, "Q29 P26 unknown value"),
    ("Q36", "P26", "Q37", ABSENT, None, ""),  # a qualifier states nothing
    ("Q38", "P22/P26", "Q9", ABSENT, None, ""),  # nobody is married to himself, by his child
    ("Q1", "P26", "Q6", ABSENT, None, ""),
    ("Q99", "P26", "Q98", ABSENT, None, ""),
]


def assumption(x: str, relation: str, y: str, **changes: Any) -> Assumption:
    values: dict[str, Any] = {
        "item_id": f"{x} {relation} {y}", "relation": relation,
        "path": _path(relation), "split": "test", "role": FALSE,
        "subject": Item(x, f"label of {x}"), "bridge": None, "bridge_triple": "",
        "object": Item(y, f"label of {y}"), "counterpart": "Q999", "source_id": None,
        "question": "?",
    }  # fmt: skip
    return Assumption(**{**values, **changes})


@pytest.fixture(scope="module")
def larger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server of a graph with statements of any rank."""
    spaces = {
        "wds": "http://www.wikidata.org/entity/statement/",
        "p": "http://www.wikidata.org/prop/",
        "ps": "http://www.wikidata.org/prop/statement/",
        "pq": "http://www.wikidata.org/prop/qualifier/",
        "wikibase": "http://wikiba.se/ontology#",
    }
    text = re.sub(rf"\b({'|'.join(spaces)}):(\w+)", lambda m: f"<{spaces[m[1]]}{m[2]}>", LARGER)
    folder = tmp_path_factory.mktemp("larger")
    (folder / "all.nt").write_text(triples(text))
    with serving(folder / "oxigraph", folder / "all.nt") as address:
        yield address


def test_every_form_counts(larger: str) -> None:
    members = [assumption(*form[:3]) for form in FORMS]
    with open_source(Path(), larger) as source:
        (findings,) = EndpointSource(source.graph, larger).findings(members, no_progress)
    assert [(*one.assumption.item_id.split(), *one[1:]) for one in findings] == FORMS


def test_the_bridge_of_the_store_counts_as_well(larger: str) -> None:
    known = assumption("Q99", "P26/P69", "Q33", bridge="Q32", bridge_triple="Q99 P26 Q32")
    with open_source(Path(), larger) as source:
        ((finding,),) = EndpointSource(source.graph, larger).findings([known], no_progress)
    assert finding[1:] == (HOLDS, "stated", "Q99 P26 Q32; Q32 P69 Q33")


def test_an_endpoint_that_gives_other_rows(larger: str) -> None:
    # A row about something else, and one without a value.
    names = ("http://www.wikidata.org/entity/Q1", "http://www.wikidata.org/prop/direct/P40")
    item, pid = ({"type": "uri", "value": name} for name in names)
    rows = [{"item": item, "property": pid, "value": item}, {"item": item, "property": pid}]
    head = {"vars": ["item", "property", "value"]}
    body = json.dumps({"head": head, "results": {"bindings": rows}}).encode()
    headers = {"Content-Type": "application/sparql-results+json"}
    with proxy(larger) as server, open_source(Path(), server.url) as source:
        server.plan = [Fault(headers=headers, body=body)]
        members = [assumption("Q1", "P551", "Q6")]
        ((finding,),) = EndpointSource(source.graph, "").findings(members, no_progress)
    assert finding.verdict == ABSENT


def test_an_endpoint_that_dies_half_way(db: Database, url: str, tmp_path: Path) -> None:
    whole = kgbuild.database(tmp_path / "whole.duckdb")
    whole.path.write_bytes(db.path.read_bytes())
    with proxy(url) as server:
        assert verify(whole, "--endpoint", server.url).exit_code == 0
        asked = len(server.queries)
        server.clear()
        server.after = asked * 7 // 8, Fault(500, body=b"out of memory")
        result = verify(db, "--endpoint", server.url)
        assert result.exit_code == 1
        said = counts(db)
        pairs = len(assumptions(db, [FALSE])) + said[FALSE, HOLDS]
        unverified = said[FALSE, "unverified"]
        assert 0 < unverified < pairs and unverified % 40 == pairs % 40
        query = re.search(r"query (\w+):", result.stderr)
        assert query and result.stderr == (
            f"Error: {unverified:,} of {pairs:,} assumptions are unverified, the others are "
            f"verified: {server.url} failed. {server.url} does not run the query {query[1]}: "
            "HTTP 500 Internal Server Error. Its message: out of memory. The query may be too "
            "large for it, or it may not support all of SPARQL 1.1. Call the same again to go on.\n"
        )
        # What was found to hold has left; the others stay until they are verified.
        assert said[FALSE, HOLDS] and not {
            *db.sql("SELECT item_id FROM verifications WHERE verdict = 'holds'").rows
        } & {(one.item_id,) for one in assumptions(db, [FALSE])}
        server.clear()
        server.after = None
        assert verify(db, "--endpoint", server.url).exit_code == 0
        assert len(server.queries) < asked  # it goes on, but knows no places any more
    one, other = contents(db), contents(whole)
    assert one[:2] == other[:2]
    assert sorted(one[2]) == sorted(other[2])


def test_verdicts_stay_where_a_later_verification_fails(db: Database, url: str) -> None:
    with proxy(url) as server:
        assert verify(db, "--endpoint", server.url, "--keep").exit_code == 0
        before = contents(db)
        server.after = len(server.queries) + 15, Fault(500, body=b"broken")
        result = verify(db, "--endpoint", server.url, "--keep")
    assert result.exit_code == 1 and "assumptions are unverified" in result.stderr
    assert contents(db) == before


def test_a_killed_verification_goes_on(db: Database, url: str) -> None:
    with proxy(url) as server:
        server.after = 12, Fault(is_silent=True)
        command = [sys.executable, "-m", "kgbuild", "verify", "--endpoint", server.url]
        with subprocess.Popen([*command, "--db", db.path], stderr=subprocess.PIPE) as process:
            assert server.held.wait(60)
            process.send_signal(signal.SIGKILL)
        kept = counts(db)
        assert kept[FALSE, ABSENT] and not kept[FALSE, "unverified"]
        server.after = None
        server.clear()
        assert verify(db, "--endpoint", server.url).exit_code == 0
    said = counts(db)
    assert len(assumptions(db, [FALSE])) == said[FALSE, ABSENT]
    assert len(server.queries) < 12 * 8


def test_pairs_that_a_new_build_brings_back_leave_again(
    db: Database, folder: Path, url: str
) -> None:
    verify(db, "--endpoint", url)
    once = {one.item_id for one in assumptions(db, [FALSE])}
    with open_store(folder / "kg") as store:
        db.write(kgbuild.syn_qa.build(store, RELATIONS, **OPTIONS))
    assert {one.item_id for one in assumptions(db, [FALSE])} > once
    verified = kgbuild.syn_qa.verify(db, endpoint=url)
    assert {one.item_id for one in assumptions(db, [FALSE])} == once
    assert len(verified.removed) == verified.counts[FALSE, HOLDS]


# Texts


NAMES = """
    wd:Q1 rdfs:label "Ann Lee"@en
    wd:Q1 skos:altLabel "Annie"@en
    wd:Q2 rdfs:label "St John's"@en
    wd:Q2 skos:altLabel "Saint Jöhn's College"@en
    wd:Q2 skos:altLabel "it"@en
    wd:Q3 rdfs:label "Norma"@en
    wd:Q4 rdfs:label "Rome"@en
"""
TEXTS = [
    # What the passage is about, its text, the verdict, the form and the evidence.
    ({"id": "Q1"}, "She left ST JOHN'S.", HOLDS, "subject", "Q1: she left st john's."),
    ({"id": "Q1"}, "saint john's  college", HOLDS, "subject", "Q1: saint john's college"),
    ({"id": "Q2"}, "Annie taught here.", HOLDS, "object", "Q2: annie taught here."),
    ({"title": "ann lee"}, "x St John's", HOLDS, "subject", "ann lee: x st john's"),
    ({"id": "Q1", "title": "Rome"}, "St John's", HOLDS, "subject", "Rome: st john's"),
    ({"id": "http://www.wikidata.org/entity/Q1"}, "St John's", HOLDS, "subject", "Q1: st john's"),
    ({"id": "Q1"}, "Best John's, it said.", ABSENT, None, ""),  # whole words, and no pronoun
    ({"id": "Q4", "title": "Ann Lee"}, "St John's", UNKNOWN, None, "no passage"),
    ({"id": "Q4"}, "Ann Lee left St John's.", UNKNOWN, None, "no passage"),
    ({"id": "Q1"}, "", UNKNOWN, None, "no passage"),
]  # fmt: skip


@pytest.mark.parametrize(("about", "text", "verdict", "form", "evidence"), TEXTS)
def test_a_passage_names_the_other_item(
    store_of, tmp_path, about, text, verdict, form, evidence
) -> None:
    member = assumption(
        "Q1", "P69", "Q2", subject=Item("Q1", "Ann Lee"), object=Item("Q2", "St John's")
    )
    # Neither a passage about others, nor one that names nobody, undoes what another one says.
    rows = [{"id": "Q9", "title": None, "text": "no one"}, {**about, "text": text}]
    rows += [{"id": "Q1", "text": "She was born."}] if verdict == HOLDS else []
    path = tmp_path / "texts.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    ((finding,),) = TextSource(path, store_of(NAMES).labels).findings([member], no_progress)
    assert finding[1:] == (verdict, form, evidence)


@pytest.mark.usefixtures("no_store")
def test_whatever_a_text_holds(db: Database, tmp_path: Path) -> None:
    member, *_ = assumptions(db, [FALSE])
    hostile = '\x1b[31m"; DROP TABLE x; -- \u202e <script> \n\n{{ }} %s ' + member.object.label
    path = tmp_path / "texts.jsonl"
    path.write_text(json.dumps({"id": member.subject.qid, "text": hostile, "other": 1}))
    result = verify(db, "--texts", str(path))
    assert result.exit_code == 0, result.output
    assert "No store at" in result.stderr
    said = db.sql(f"SELECT verdict, source FROM verifications WHERE item_id = '{member.item_id}'")
    assert said.rows == [(HOLDS, path.name)]
    assert member.item_id not in {one.item_id for one in assumptions(db, [FALSE])}


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("a.jsonl", '{"id": "Q1", "body": "x"}\n', "has no column 'text'. It has: id, body."),
        ("a.jsonl", '{"qid": "Q1", "text": "x"}\n', "no row has an id such as Q42, or a title"),
        ("a.csv", "id,text\nParis,x\n", "no row has an id such as Q42, or a title, and a text"),
        ("a.jsonl", '{"id": "Q1", "text": "x"}\n{"id\n', "Malformed JSON in line 2"),
        ("a.txt", "x", "its name ends with none of"),
    ],
)  # fmt: skip
def test_files_that_are_no_texts(
    db: Database, tmp_path: Path, name: str, text: str, fault: str
) -> None:
    path = tmp_path / name
    path.write_text(text)
    result = verify(db, "--texts", str(path))
    assert result.exit_code == 2 and fault in result.stderr and str(path) in result.stderr
    assert not counts(db)


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_many_texts_take_little_memory(db: Database, tmp_path: Path) -> None:
    path = tmp_path / "texts.jsonl"
    line = json.dumps({"id": "Q10", "title": None, "text": "lorem ipsum " * 100})
    with path.open("w") as file:
        file.writelines(f"{line[:9]}{number}{line[9:]}\n" for number in range(50_000))
    # Not getrusage, which counts the memory of the process that starts this one.
    script = (
        "import re, sys, kgbuild, pathlib;"
        "kgbuild.syn_qa.verify(kgbuild.database(sys.argv[1]), texts=sys.argv[2]);"
        "status = pathlib.Path('/proc/self/status').read_text();"
        "print(re.search(r'VmHWM:\\s+(\\d+) kB', status)[1])"
    )
    command = [sys.executable, "-c", script, str(db.path), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ)
    assert path.stat().st_size > 60e6
    assert int(done.stdout) * 1024 < 150e6


@given(st.text(), st.text(min_size=1))
def test_a_name_is_found_where_words_end(text: str, name: str) -> None:
    assert _excerpt(f" {name} ", [name]) == f" {name} "
    assert name in _excerpt(text, [name]) or not _excerpt(text, [name])
    assert not _excerpt(f"a{name}b", [name]) or not (name[0].isalnum() and name[-1].isalnum())


def test_pairs_of_hotpotqa_have_no_relation(folder: Path, tmp_path: Path, url: str) -> None:
    (tmp_path / "hotpot.json").write_text(json.dumps(HOTPOT))
    older, db = (kgbuild.database(tmp_path / f"{name}.duckdb") for name in ("older", "newer"))
    with open_store(folder / "kg") as store:
        build = kgbuild.syn_qa.build(store, hotpotqa=tmp_path / "hotpot.json")
    older.write(build)
    db.write(build)
    (member,) = assumptions(db, [FALSE])
    assert kgbuild.syn_qa.verify(db, endpoint=url).counts == {(FALSE, UNKNOWN): 1}
    text = by_model.request(member).messages[0].content
    assert f"What this question takes for granted: {member.question}\n" in text
    row = {"title": member.object.label, "text": f"With {member.subject.label}."}
    (tmp_path / "texts.jsonl").write_text(json.dumps(row))
    verified = kgbuild.syn_qa.verify(db, texts=tmp_path / "texts.jsonl")
    assert verified.removed == [member.item_id] and not assumptions(db, [FALSE])
    (one,) = kgbuild.diff(older, db, kgbuild.syn_qa).differences
    assert one.is_untrue and one.gone_reason and one.gone_reason.reason == "verified true"


# Models


def test_a_model_is_asked_plainly(db: Database) -> None:
    answers = {"P26": "Yes.", "P19": "<think>yes?</think>No", "P161": "unknown", "P69": "Maybe."}
    members = assumptions(db, [FALSE])
    by_text = {by_model.request(one).messages[0].content: one for one in members}

    def say(sent: dict[str, Any]) -> str:
        one = by_text.get(sent["messages"][-1]["content"])  # the others are true
        return answers.get(one.relation, "no") if one else "yes"

    with chat_server() as server:
        server.say = say
        result = verify(db, "--model", "m", "--base-url", server.url)
    assert result.exit_code == 0, result.output
    assert re.search(r"m says yes to \d+% false and 100% true assumptions\.", result.stderr)
    columns = "item_id, verdict, evidence, source"
    rows = db.sql(f"SELECT {columns} FROM verifications WHERE role = 'false'").rows
    verdicts = {row[0]: row[1:] for row in rows}
    of = {"P26": HOLDS, "P161": UNKNOWN, "P69": UNKNOWN}
    for one in members:
        answer = answers.get(one.relation, "no")
        assert verdicts[one.item_id] == (of.get(one.relation, ABSENT), answer, "m")
    assert {one.relation for one in assumptions(db, [FALSE])} == {*RELATIONS} - {"P26"}
    first = next(one for one in members if one.relation == "P57/P19")
    (text,) = (turn.content for turn in by_model.request(first).messages)
    subject = f"Subject: the director of {first.subject.label}\nProperty: place of birth\n"
    assert f"{subject}Value: {first.object.label}\n" in text
    assert first.question not in text


def test_a_model_that_cannot_tell_true_from_false_removes_nothing(db: Database) -> None:
    pairs = assumptions(db, [FALSE])
    unsure, sure = (by_model.request(one).messages[0].content for one in pairs[:2])
    true = {by_model.request(one).messages[0].content for one in assumptions(db, [TRUE])}
    with chat_server() as server:
        server.say = lambda sent: "no" if sent["messages"][-1]["content"] == unsure else "yes"
        result = verify(db, "--model", "yes-man", "--base-url", server.url)
        assert "So it can't tell true from false assumptions, and no pair" in result.stderr
        assert assumptions(db, [FALSE]) == pairs
        # Its verdicts stay, and remove nothing later, either.
        server.say = lambda sent: (
            "yes" if sent["messages"][-1]["content"] in {*true, sure} else "no"
        )
        result = verify(db, "--model", "m", "--base-url", server.url)
    assert "can't tell" not in result.stderr
    assert assumptions(db, [FALSE]) == [pairs[0], *pairs[2:]]


def test_a_model_that_fails_half_way(db: Database) -> None:
    pairs = len(assumptions(db, [FALSE]))
    with chat_server() as server:
        server.say = lambda _: "no"
        server.plan = [Answer() for _ in range(50)]
        server.otherwise = Answer(400, body='{"error": {"message": "too long"}}')
        result = verify(db, "--model", "m", "--base-url", server.url)
        assert result.exit_code == 1
        said = counts(db)
        assert said.total() == 2 * pairs and said[FALSE, ABSENT] + said[TRUE, ABSENT] == 50
        assert "are unverified, the others are verified: m failed. refused:" in result.stderr
        server.otherwise = Answer()
        sent = len(server.sent)
        assert verify(db, "--model", "m", "--base-url", server.url).exit_code == 0
        assert len(server.sent) - sent <= said[FALSE, "unverified"] + said[TRUE, "unverified"]
    assert counts(db) == {(FALSE, ABSENT): pairs, (TRUE, ABSENT): pairs}


@given(st.text(alphabet=st.characters(codec="utf-8")))
def test_whatever_a_model_says_is_a_verdict(text: str) -> None:
    assert by_model.parse(text) in (HOLDS, ABSENT, UNKNOWN)
    assert by_model.parse(f"{text}\nAnswer: Yes, it is.") == HOLDS
    assert by_model.parse("yes\nno") == UNKNOWN


# What knows of it


def test_releases_the_report_and_diff_know_of_it(db: Database, folder: Path, url: str) -> None:
    verified = kgbuild.syn_qa.verify(db, endpoint=url, true=True)
    left = len(assumptions(db, [FALSE]))
    held = len(verified.removed)
    target = db.path.parent / "release"
    kgbuild.publish(kgbuild.syn_qa, target, db=db)
    rows = duckdb.sql(f"FROM read_parquet('{target}/parquet/verifications/*.parquet')")
    assert len(rows.fetchall()) == 2 * left + held
    card = (target / "README.md").read_text()
    assert (
        f"| endpoint | {url} | false | {left + held:,} | {held:,} | {left:,} | 0 | {held:,} |"
        in card
    )
    assert json.loads((target / "PROVENANCE.json").read_text())["removed_when_verified"] == held
    assert "\ncompare = false\n" in (target / "recipe.toml").read_text()
    kgbuild.write_report(db, target / "report.html")
    page = (target / "report.html").read_text()
    assert "Verified by other sources" in page and url in page
    compared = kgbuild.diff(kgbuild.database(folder / "pairs.duckdb"), db, kgbuild.syn_qa)
    assert len(compared.differences) == held
    assert all(
        one.is_untrue and one.gone_reason and one.gone_reason.reason == "verified true"
        for one in compared.differences
    )


def test_wrong_calls(db: Database, tmp_path: Path) -> None:
    with pytest.raises(WrongCallError, match="Pass one source"):
        kgbuild.syn_qa.verify(db)
    empty = kgbuild.database(tmp_path / "empty.duckdb")
    duckdb.connect(str(empty.path)).close()
    with pytest.raises(KgbuildError, match=r"to verify\. Build them: 'kgbuild"):
        kgbuild.syn_qa.verify(empty, endpoint="http://localhost/")
