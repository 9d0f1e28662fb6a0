"""Knowledge sets verified by a real SPARQL server with a larger graph."""

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import kgbuild
from benchmarks.truth.holdout import Removal
from kgbuild.cli import cli
from kgbuild.datasets.biokalma.rows import TABLES
from kgbuild.dump.filter import Filter
from kgbuild.graph.open import Store
from kgbuild.store.load import load
from kgbuild.tables.database import Database
from tests.conftest import SAMPLE, load_text, triples
from tests.endpoints import Fault, proxy, serving
from tests.test_granola_profile import HUMAN, item


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of questions that were built from 70 % of the statements of the sample."""
    folder = tmp_path_factory.mktemp("sets")
    lines = SAMPLE.read_bytes().splitlines(keepends=True)
    (folder / "part.nt").write_bytes(b"".join(Removal("random", 0.3, 0).rest(lines)))
    load([str(folder / "part.nt")], folder / "kg", Filter())
    with kgbuild.open(folder / "kg") as store:
        build = kgbuild.biokalma.build(store, ["P26", "P40", "P737", "P1066", "P3373"])
    kgbuild.database(folder / "sets.duckdb").write(build)
    return folder / "sets.duckdb"


@pytest.fixture
def db(built: Path, tmp_path: Path) -> Database:
    copy = tmp_path / "sets.duckdb"
    copy.write_bytes(built.read_bytes())
    return kgbuild.database(copy)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that has the whole sample."""
    with serving(tmp_path_factory.mktemp("whole"), SAMPLE) as address:
        yield address


def verify(db: Database, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["verify", "biokalma", "--db", str(db.path), *arguments])


def incomplete(db: Database) -> set[str]:
    """Return the questions whose sets lack a value of the sample, by reading its lines."""
    statements: dict[tuple[str, str], set[str]] = {}
    for line in SAMPLE.read_text(encoding="utf-8").splitlines():
        subject, predicate, value = line.split(" ", 2)
        if "/prop/direct/" in predicate and "/entity/Q" in value:
            key = subject.rpartition("/")[2][:-1], predicate.rpartition("/")[2][:-1]
            statements.setdefault(key, set()).add(value.rpartition("/")[2].split(">")[0])
    pools: dict[tuple[str, str, str], set[str]] = {}
    for question, qid, pid, value in db.sql(
        "SELECT question_id, qid, property, value_qid FROM biokalma_pool"
    ).rows:
        pools.setdefault((question, qid, pid), set()).add(value)
    asked = db.sql(
        "SELECT question_id, qid, property FROM biokalma_knowledge WHERE position > 1"
    ).rows
    return {row[0] for row in asked if statements.get(row[1:], set()) - pools[row]}


def test_questions_with_more_values_elsewhere_leave(db: Database, url: str) -> None:
    before = {row[0] for row in db.sql("SELECT question_id FROM biokalma_questions").rows}
    lacking = incomplete(db)
    result = verify(db, "--endpoint", url)
    assert result.exit_code == 0, result.output
    after = {row[0] for row in db.sql("SELECT question_id FROM biokalma_questions").rows}
    removed = before - after
    assert 3 < len(removed) < len(before) - 3  # else the test shows nothing
    # A coarser value in the sample is no further value, so not all of these leave.
    assert removed <= lacking
    assert f"{len(removed):,} questions were removed" in result.output
    for table in TABLES:
        assert (
            not {row[0] for row in db.sql(f"SELECT DISTINCT question_id FROM {table}").rows} - after
        )
    rejections = db.sql(
        "SELECT candidate, detail FROM rejections WHERE reason = 'more values'"
    ).rows
    assert {row[0] for row in rejections} == removed
    assert all(row[1].startswith(f"by endpoint {url}: Q") for row in rejections)
    verdicts = db.sql("SELECT item_id, verdict FROM verifications").rows
    assert {row[0] for row in verdicts if row[1] == "incomplete"} == removed
    # What remains is complete in the sample.
    assert verify(db, "--endpoint", url, "--json").exit_code == 0
    assert incomplete(db) <= lacking - removed


def test_a_mark_instead_of_a_removal(db: Database, url: str) -> None:
    result = verify(db, "--endpoint", url, "--keep", "--json")
    counts = {row["assumptions"]: row for row in json.loads(result.stdout)}
    assert counts["specific"]["incomplete"] > 0
    assert (
        counts["specific"]["verified"]
        == db.sql("SELECT count(*) FROM biokalma_questions").rows[0][0]
    )
    assert db.sql("SELECT count(*) FROM rejections WHERE reason = 'more values'").rows == [(0,)]


def test_what_one_endpoint_lacks_is_not_removed_for_another(
    db: Database, url: str, built: Path, tmp_path: Path
) -> None:
    assert verify(db, "--endpoint", url, "--keep").exit_code == 0
    before = db.sql("SELECT count(*) FROM biokalma_questions").rows
    with serving(tmp_path / "part", built.parent / "part.nt") as address:
        result = verify(db, "--endpoint", address)  # it has what the questions were built from
    assert result.exit_code == 0, result.output
    assert db.sql("SELECT count(*) FROM biokalma_questions").rows == before


def people(*further: str) -> str:
    return triples(
        item("Q1", "Ann Lee", HUMAN, "wdt:P26 wd:Q2", "wdt:P19 wd:Q10", "wdt:P69 wd:Q11", *further)
        + item("Q2", "Bo Ek", HUMAN, "wdt:P19 wd:Q12", "wdt:P69 wd:Q13")
        + item("Q10", "Thing 10", None, "wdt:P131 wd:Q15")
        + "".join(item(f"Q{number}", f"Thing {number}", None) for number in range(11, 16))
    )


@pytest.fixture(scope="module")
def couple(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of the question about two people."""
    folder = tmp_path_factory.mktemp("couple")
    with kgbuild.open(load_text(folder, people())) as store:
        kgbuild.database(folder / "sets.duckdb").write(kgbuild.biokalma.build(store, ["P26"]))
    return folder / "sets.duckdb"


@pytest.mark.parametrize(
    ("further", "verdict"),
    [
        ((), "complete"),
        (("wdt:P69 wd:Q14",), "incomplete"),
        # Thing 15 contains thing 10, so it is no further birthplace.
        (("wdt:P19 wd:Q15",), "complete"),
        (("wdt:P69 _:unknown",), "unknown"),
    ],
)
def test_verdicts(further: tuple[str, ...], verdict: str, couple: Path, tmp_path: Path) -> None:
    db = kgbuild.database(shutil.copy(couple, tmp_path))
    (tmp_path / "whole.nt").write_text(people(*further))
    with serving(tmp_path / "whole", tmp_path / "whole.nt") as address:
        verified = kgbuild.biokalma.verify(db, endpoint=address, keep=True)
    assert verified.counts == {("specific", verdict): 1}
    (evidence,) = db.sql("SELECT evidence FROM verifications").rows[0]
    assert (
        evidence
        == {"complete": "", "incomplete": "Q1 P69 Q14", "unknown": "no known value: Q1 P69"}[
            verdict
        ]
    )


def test_an_interruption_is_continued(db: Database, url: str, tmp_path: Path) -> None:
    sets = db.sql("SELECT DISTINCT question_id, scope FROM biokalma_knowledge").rows
    whole = kgbuild.database(tmp_path / "whole.duckdb")
    whole.path.write_bytes(db.path.read_bytes())
    with proxy(url) as server:
        assert verify(whole, "--endpoint", server.url).exit_code == 0
        server.after = len(server.queries) - 1, Fault(500, body=b"out of memory")
        server.clear()
        result = verify(db, "--endpoint", server.url)
        assert result.exit_code == 1
        assert f" of {len(sets):,} assumptions are unverified" in result.stderr
        verdicts = Counter(row[0] for row in db.sql("SELECT verdict FROM verifications").rows)
        assert 0 < verdicts["unverified"] < len(sets)
        server.after = None
        assert verify(db, "--endpoint", server.url).exit_code == 0
    # The second run ends as one without an interruption.
    verdicts_of = "SELECT * EXCLUDE (verified_at) FROM verifications ORDER BY ALL"
    assert db.sql(verdicts_of).rows == whole.sql(verdicts_of).rows
    questions = "FROM biokalma_questions ORDER BY rowid"
    assert db.sql(questions).rows == whole.sql(questions).rows


def test_other_sources_are_refused(db: Database, tmp_path: Path) -> None:
    (tmp_path / "texts.jsonl").write_text("{}")
    result = verify(db, "--texts", str(tmp_path / "texts.jsonl"))
    assert result.exit_code == 2
    assert "--texts has no effect" in result.output


def test_nothing_to_verify(tmp_path: Path, url: str, sample: Store) -> None:
    db = kgbuild.database(tmp_path / "pairs.duckdb")
    db.write(kgbuild.syn_qa.build(sample, ["P26"], limit=3))
    result = verify(db, "--endpoint", url)
    assert result.exit_code == 1
    assert "has no questions to verify. Build them: 'kgbuild biokalma'." in result.output
