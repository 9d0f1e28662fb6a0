"""Rows of statements that an older store does not have."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

import kgbuild
from kgbuild.catalog import catalog
from kgbuild.datasets import ahead, workers
from kgbuild.datasets.ahead import Ahead
from kgbuild.datasets.biokalma import rows as biokalma
from kgbuild.datasets.biokalma.sets.build import Builder
from kgbuild.datasets.granola.questions import from_store
from kgbuild.datasets.since import Older, Since, opening
from kgbuild.datasets.syn_qa.build import path_builder
from kgbuild.datasets.syn_qa.rows import PairOptions
from kgbuild.errors import NothingBuiltError
from kgbuild.graph.open import Store, open_store
from kgbuild.rows import Build, Built, Rejected, no_progress
from tests.conftest import SAMPLE, invoke, triples
from tests.test_export import files

DATASETS = {"syn_qa": kgbuild.syn_qa, "granola": kgbuild.granola, "biokalma": kgbuild.biokalma}
Statement = tuple[str, str, str]
_TIME = "http://www.w3.org/2001/XMLSchema#dateTime"
_ENTITY, _DIRECT = "http://www.wikidata.org/entity/", "http://www.wikidata.org/prop/direct/"
# Each relation with statements of its rows in the sample: three that the older dump lacks, and two
# whose values it has otherwise.
ASKED = [
    ("syn_qa", "P19"),
    ("granola", "P19"),
    ("granola", "P569"),
    ("biokalma", "P26"),
    ("biokalma", "P737"),
]


def line(statement: Statement) -> str:
    subject, pid, value = statement
    term = f"<{_ENTITY}{value}>" if value.startswith("Q") else f'"{value}"^^<{_TIME}>'
    return f"<{_ENTITY}{subject}> <{_DIRECT}{pid}> {term}"


def statements(build: Build) -> list[list[Statement]]:
    """Return the statements that make the rows of a build, those that ``since`` decides by."""
    (part,) = build.parts
    first = next(iter(part.tables.values()))
    triples = [[tuple(one.values()) for one in row["evidence"]] for row in first]
    return [one[:1] for one in triples] if "biokalma_pool" in part.tables else triples


def write(path: Path, lines: Iterable[str]) -> Path:
    path.write_text("".join(one + "\n" for one in lines), encoding="utf-8")
    return path


def older_dump(path: Path, gone: Iterable[Statement], other: Mapping[Statement, str]) -> Path:
    """Write the sample without some statements, and with other values of some."""
    starts = {line(statement): "" for statement in gone}
    starts |= {line((s, p, o)): line((s, p, value)) + " ." for (s, p, o), value in other.items()}
    kept = []
    for one in SAMPLE.read_text(encoding="utf-8").splitlines():
        start = next((start for start in starts if one.startswith(start)), None)
        kept.append(one if start is None else starts[start])
    return write(path, filter(None, kept))


def stated(subject: str, pid: str) -> set[str]:
    """Return the items that the sample states for a property of a subject."""
    start = f"<{_ENTITY}{subject}> <{_DIRECT}{pid}> <{_ENTITY}"
    lines = SAMPLE.read_text(encoding="utf-8").splitlines()
    return {one.removeprefix(start)[:-3] for one in lines if one.startswith(start)}


def both_ways(found: Iterable[Statement]) -> list[Statement]:
    return [way for s, p, o in found for way in ((s, p, o), (o, p, s))]


@pytest.mark.parametrize(("name", "pid"), ASKED)
def test_exactly_the_rows_of_removed_and_changed_statements_are_built(
    name: str, pid: str, sample: Store, tmp_path: Path
) -> None:
    all_rows = statements(DATASETS[name].build(sample, [pid], limit=40))
    single = {row[0][:2]: row[0] for row in all_rows if len(row) == 1}
    chosen = [*single.values()][:5]  # each of another subject
    gone, changed = chosen[:3], chosen[3:]
    value = "1801-02-03T00:00:00Z" if pid == "P569" else "Q64"
    removed = both_ways(gone) if pid == "P26" else gone
    reverse = [(o, p, s) for s, p, o in changed] if pid == "P26" else []
    dump = older_dump(tmp_path / "old.nt", [*removed, *reverse], dict.fromkeys(changed, value))
    build = DATASETS[name].build(sample, [pid], since=dump)
    assert {row[0] for row in statements(build)} == {*chosen}
    (part,) = build.parts
    compared = [row for row in part.since if row["decides"]]
    others = {one: stated(*one[:2]) - {one[2]} for one in gone}  # further values, in both dumps
    assert {
        (row["subject"], row["property"], row["object"]): (row["change"], {*row["older"]})
        for row in compared
    } == {
        **{one: ("changed" if others[one] else "new", others[one]) for one in gone},
        **{one: ("changed", {value} | stated(*one[:2]) - {one[2]}) for one in changed},
    }
    assert part.reasons["known before"] > 30
    assert build.notes == []


def test_a_store_and_a_dump_of_it_give_the_same_rows_twice(sample: Store, tmp_path: Path) -> None:
    gone = [
        row[0]
        for row in statements(kgbuild.syn_qa.build(sample, ["P26"], limit=3, perturb="subject"))
    ]
    dump = older_dump(tmp_path / "old.nt", both_ways(gone), {})
    kgbuild.load([dump], tmp_path / "old")
    builds = [
        kgbuild.syn_qa.build(sample, ["P26"], since=older, perturb="subject")
        for older in (dump, str(tmp_path / "old"), dump)
    ]
    parts = [replace(build.parts[0], seconds=0.0) for build in builds]
    assert parts[0].rows == 3
    assert parts[0] == parts[1] == parts[2]
    assert builds[0].provenance == builds[1].provenance
    recorded = builds[0].provenance.options["since"]
    assert [file["name"] for file in recorded["files"]] == ["old.nt"]
    with open_store(tmp_path / "old") as held:
        assert recorded["fingerprint"] == held.manifest.fingerprint


@pytest.mark.parametrize("name", DATASETS)
def test_nothing_is_new_since_the_same_store(name: str, sample: Store, sample_store: Path) -> None:
    with pytest.raises(NothingBuiltError) as error:
        DATASETS[name].build(sample, ["P26"], since=sample_store)
    parts = error.value.build.parts
    assert parts[0].reasons == {"known before": parts[0].candidates}
    assert "the older store states" in str(error.value)


def test_the_summary_counts_what_is_new_changed_and_in_both(
    sample_store: Path, sample: Store, tmp_path: Path
) -> None:
    first, second, *_ = [row[0] for row in statements(kgbuild.syn_qa.build(sample, ["P19"]))]
    dump = older_dump(tmp_path / "old.nt", [first], {second: "Q64"})
    options = ("--since", str(dump), "--store", str(sample_store), "--db", "a.duckdb", "--json")
    done = invoke(tmp_path, "syn-qa", "--relations", "P19,P26", "--perturb", "subject", *options)
    assert done.returncode == 0, done.stderr
    births, marriages = json.loads(done.stdout)
    assert (births["pairs"], births["new"], births["changed"]) == (2, 1, 1)
    assert births["in both"] == births["rejected"]["known before"] == births["statements"] - 2
    assert (marriages["pairs"], marriages["in both"]) == (0, marriages["statements"])
    query = 'SELECT subject, "object", change, older, decides FROM since ORDER BY change'
    rows = json.loads(invoke(tmp_path, "sql", "--db", "a.duckdb", "--json", query).stdout)
    assert [[*row.values()] for row in rows] == [
        [second[0], second[2], "changed", ["Q64"], True],
        [first[0], first[2], "new", [], True],
    ]
    # A build without the option replaces the rows.
    invoke(tmp_path, "syn-qa", "--relations", "P19", *options[2:])
    assert json.loads(invoke(tmp_path, "sql", "--db", "a.duckdb", "--json", query).stdout) == []


def test_a_subject_that_the_older_slice_lacks_is_told(sample: Store, tmp_path: Path) -> None:
    subject = statements(kgbuild.granola.build(sample, ["P569"]))[0][0][0]
    lines = SAMPLE.read_text(encoding="utf-8").splitlines()
    dump = write(tmp_path / "old.nt", (one for one in lines if f"/{subject}>" not in one))
    build = kgbuild.granola.build(sample, ["P569"], since=dump)
    assert [row["change"] for row in build.parts[0].since] == ["new subject"]
    assert build.notes == [
        "1 × the older store has nothing about the subject: it is a new item, or one that the "
        "older slice leaves out (the change 'new subject')."
    ]


def test_a_relation_that_the_older_slice_lacks_is_told(sample: Store, tmp_path: Path) -> None:
    lines = SAMPLE.read_text(encoding="utf-8").splitlines()
    dump = write(tmp_path / "old.nt", (one for one in lines if "/P19>" not in one))
    build = kgbuild.granola.build(sample, ["P19", "P20"], since=dump)
    assert build.parts[0].rows and not build.parts[1].rows
    assert build.notes == [
        "The older store has no statement of P19, so all of these are new. Was its slice made "
        "with other options?"
    ]


def test_a_path_is_new_if_one_of_its_statements_is(sample: Store, tmp_path: Path) -> None:
    pairs = kgbuild.syn_qa.build(sample, ["P26/P69"]).parts[0].tables["syn_qa_pairs"]
    x, z = pairs[0]["subject_qid"], pairs[0]["bridge_qid"]
    dump = older_dump(tmp_path / "old.nt", both_ways([(x, "P26", z)]), {})
    part = kgbuild.syn_qa.build(sample, ["P26/P69"], since=dump).parts[0]
    # Of both spouses the marriage is new; where they studied was known.
    assert {row["subject_qid"] for row in part.tables["syn_qa_pairs"]} <= {x, z}
    assert [row["change"] for row in part.since][:2] == ["new", "known before"]
    assert {row["decides"] for row in part.since} == {True}


OLDER = """
    wd:Q1 rdfs:label "One"@en
    wd:Q1 wdt:P26 wd:Q2
    wd:Q1 wdt:P69 wd:Q8
    wd:Q3 wdt:P22 wd:Q1
    wd:Q11 wdt:P19 wd:Q5
    wd:Q11 wdt:P569 "1950-01-01T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>
    wd:Q11 wdt:P1477 "Ann"@en
    wd:Q12 rdfs:label "Twelve"@en
"""
NEWER = """
    wd:Q1 wdt:P26 wd:Q2
    wd:Q11 <http://www.w3.org/2002/07/owl#sameAs> wd:Q10
    wd:Q5 <http://www.w3.org/2002/07/owl#sameAs> wd:Q6
    wd:Q8 <http://www.w3.org/2002/07/owl#sameAs> wd:Q6
"""
BIRTH = "1950-01-01T00:00:00Z"


@pytest.fixture(scope="module")
def since(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Since]:
    folder = tmp_path_factory.mktemp("since")
    for name, text in (("new", NEWER), ("old", OLDER)):
        write(folder / f"{name}.nt", triples(text).splitlines())
        kgbuild.load([folder / f"{name}.nt"], folder / name)
    with open_store(folder / "new") as held, opening(folder / "old", held, no_progress) as opened:
        yield Since(held.knowledge(catalog().kinds), opened.older.knowledge)


@pytest.mark.parametrize(
    ("statement", "change", "older"),
    [
        (("Q1", "P26", "Q2"), "known before", ("Q2",)),
        (("Q2", "P26", "Q1"), "known before", ("Q1",)),  # symmetric
        (("Q1", "P40", "Q3"), "known before", ("Q3",)),  # the inverse of father
        (("Q1", "P40", "Q4"), "changed", ("Q3",)),
        (("Q1", "P22", "Q3"), "new", ()),  # not the other way round
        (("Q10", "P19", "Q6"), "known before", ("Q6",)),  # both were merged meanwhile
        (("Q10", "P19", "Q5"), "changed", ("Q6",)),
        (("Q1", "P69", "Q6"), "known before", ("Q6",)),
        (("Q10", "P569", BIRTH), "known before", (BIRTH,)),
        (("Q10", "P569", "1951-01-01T00:00:00Z"), "changed", (BIRTH,)),
        (("Q10", "P1477", "Ann"), "known before", ("Ann",)),
        (("Q10", "P1477", "Anna"), "changed", ("Ann",)),
        (("Q10", "P20", "Q6"), "new", ()),
        (("Q12", "P20", "Q6"), "new", ()),  # only a label
        (("Q13", "P20", "Q6"), "new subject", ()),
    ],
)
def test_statements_are_compared_in_all_forms_and_ids(
    statement: Statement, change: str, older: tuple[str, ...], since: Since
) -> None:
    assert since.compare(statement) == (change, older)
    if change == "known before":
        with pytest.raises(Rejected):
            since.check([statement])
    else:
        since.check([statement])


def test_all_statements_or_one_answer_must_be_known(since: Since) -> None:
    known, unknown = ("Q1", "P26", "Q2"), ("Q1", "P26", "Q4")
    since.check([known, unknown])
    with pytest.raises(Rejected, match="known before"):
        since.check([known, unknown], alternatives=True)


def parts(store: Store, older: Older) -> Iterable[Callable[[int], Built]]:
    """Yield functions that build a part of each dataset with a number of workers."""
    knowledge = store.knowledge(catalog().kinds)
    relations = catalog().relations

    def ahead_of(count: int) -> Ahead:
        return Ahead(workers.generation(store), count)

    options = PairOptions(60, min_overlap=1, max_risk=1.0)
    yield lambda count: path_builder(options, knowledge, ahead_of(count), older)(
        catalog().path("P19"), no_progress
    )
    yield lambda count: from_store.builder(
        knowledge, from_store.GranolaOptions(), None, ahead_of(count), older
    )(relations["P569"], no_progress)
    yield lambda count: Builder(
        knowledge, store.names, biokalma.SetOptions(remove=2), None, None, ahead_of(count), older
    )(relations["P26"])


def test_rows_and_rejections_do_not_depend_on_the_number_of_workers(
    sample: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ahead, "MIN_ROWS", 1)
    monkeypatch.setattr(from_store, "_MIN_AHEAD", 1)
    lines = SAMPLE.read_text(encoding="utf-8").splitlines()
    kept = (
        one
        for number, one in enumerate(lines)
        if number % 3 or not any(f"/{pid}>" in one for pid in ("P19", "P569", "P26"))
    )
    dump = write(tmp_path / "old.nt", kept)
    with opening(dump, sample, no_progress) as opened:
        for build in parts(sample, opened.older):
            alone, together = (replace(build(count), seconds=0.0) for count in (1, 2))
            assert alone.rows and alone.since and alone.reasons["known before"]
            assert together == alone


@pytest.mark.parametrize(
    ("command", "option"),
    [("syn-qa", "--hotpotqa"), ("granola", "--questions"), ("biokalma", "--biographies")],
)
def test_rows_of_files_cannot_be_compared(
    command: str, option: str, sample_store: Path, tmp_path: Path
) -> None:
    write(tmp_path / "a.json", ['[{"question": "Where was Ann born?", "answer": "Rome"}]'])
    options = ("--since", str(SAMPLE), "--store", str(sample_store), "--db", "a.duckdb")
    done = invoke(tmp_path, command, option, "a.json", *options)
    assert done.returncode == 2
    assert "the rows of a.json are not made of statements" in done.stderr


def test_an_older_store_that_is_missing_is_an_error(sample_store: Path, tmp_path: Path) -> None:
    options = ("--store", str(sample_store), "--db", "a.duckdb")
    done = invoke(tmp_path, "syn-qa", "--since", "nowhere", *options)
    assert done.returncode == 2 and "'nowhere' does not exist" in done.stderr
    (tmp_path / "folder").mkdir()
    done = invoke(tmp_path, "syn-qa", "--since", "folder", *options)
    assert done.returncode == 2 and done.stderr.startswith("Error: No store at folder.")


def test_a_release_is_built_again_with_the_older_dump(sample: Store, tmp_path: Path) -> None:
    gone = [row[0] for row in statements(kgbuild.granola.build(sample, ["P569"], limit=3))]
    (tmp_path / "dumps").mkdir()
    dump = older_dump(tmp_path / "dumps" / "old.nt", gone, {})
    (tmp_path / "dumps" / SAMPLE.name).symlink_to(SAMPLE)
    db = kgbuild.database(tmp_path / "a.duckdb")
    db.write(kgbuild.granola.build(sample, ["P569"], since=dump))
    kgbuild.publish(kgbuild.granola, tmp_path / "out", db=db)
    recipe = ("build", "out/recipe.toml", "--files", "dumps", "-o")
    done = invoke(tmp_path, *recipe, "new")
    assert done.returncode == 0, done.stderr
    assert files(tmp_path / "new" / "release" / "granola") == files(tmp_path / "out")
    write(dump, ["another dump"])
    done = invoke(tmp_path, *recipe, "newer")
    assert done.returncode == 2 and "dumps/old.nt is another file" in done.stderr
