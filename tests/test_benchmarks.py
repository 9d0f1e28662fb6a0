"""The generated dump has the shape it promises; the benchmark runs. Nothing here is timed."""

import bz2
import gzip
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pytest

from benchmarks import generate, measure
from benchmarks.judged import agreement
from benchmarks.measure import Cost
from benchmarks.speed import endpoint, similarity, slicing
from benchmarks.speed import store as whole
from benchmarks.truth import biokalma
from kgbuild import wikidata
from kgbuild.catalog import catalog
from kgbuild.dump.filter import Filter, sift
from kgbuild.dump.kinds import REASONS
from kgbuild.dump.reader import Block
from kgbuild.evaluate.agreement import spearman
from kgbuild.graph.open import open_store
from kgbuild.store.load import load
from kgbuild.store.manifest import Manifest
from tests.conftest import SAMPLE

PEOPLE = 300


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made") / "made.nt"
    generate.write(path, PEOPLE)
    return path


@pytest.fixture(scope="module")
def made(dump: Path) -> Manifest:
    return load([str(dump)], dump.with_name("kg"), Filter())


def written(path: Path, **options: int) -> bytes:
    generate.write(path, 20, **options)
    return path.read_bytes()


def test_same_seed_same_bytes(tmp_path: Path) -> None:
    for name in ("a.nt", "b.nt.gz"):
        once, again = written(tmp_path / name), written(tmp_path / f"again-{name}")
        assert once == again
        assert once != written(tmp_path / name, seed=1)
    assert gzip.decompress(once) == (tmp_path / "again-a.nt").read_bytes()


def test_counts_are_those_of_the_file(tmp_path: Path, dump: Path, made: Manifest) -> None:
    path = tmp_path / "a.nt"
    counted = generate.write(path, PEOPLE)
    assert path.read_bytes() == dump.read_bytes()
    assert counted.lines == path.read_bytes().count(b"\n") == made.lines
    merged = path.read_text().count(wikidata.SAME_AS)
    assert counted.items + merged == made.items


def test_no_line_is_bad_and_every_kind_of_noise_is_there(made: Manifest) -> None:
    assert made.bad == 0
    asked_for = {"other_item", "other_property", "name"}  # by a slice, never by a load
    of_json = {"other_entity", "empty_entity", "no_language"}
    assert set(made.dropped) == set(REASONS) - asked_for - of_json


def test_lines_come_grouped_by_subject(dump: Path) -> None:
    seen: set[str] = set()
    last = ""
    for line in dump.read_text().splitlines():
        subject = line.split(" ", 1)[0]
        # The real dump names a property's blank node within the property's lines, too.
        assert subject == last or subject not in seen or subject.startswith("_:"), line
        seen.add(subject)
        last = subject


def test_size_and_literals_are_about_those_of_the_real_dump(dump: Path) -> None:
    lines = dump.read_text().splitlines()[1:]
    world = generate.World(PEOPLE, 60, 0)
    sizes = [text.count("\n") for text in world.subjects() if "/direct/P1559>" in text]
    people = [size for size in sizes if size > 20]  # the property P1559 itself has fewer lines
    assert len(people) == PEOPLE
    assert 150 <= median(people) <= 400
    assert max(people) <= 400
    assert 0.7 < sum(line.split(" ", 2)[2].startswith('"') for line in lines) / len(lines) < 0.85


def test_ids_tell_what_is_made_up(dump: Path) -> None:
    ids = {int(n) for n in re.findall(r"entity/Q(\d+)>", dump.read_text())}
    real = {int(qid[1:]) for qid in generate.CLASSES}
    assert {n for n in ids if n < generate.FIRST} == real


def test_people_are_alike_as_real_ones_are(dump: Path, made: Manifest) -> None:
    properties = catalog().kinds["person"].similarity
    with open_store(dump.with_name("kg")) as held:
        similarity = held.knowledge({}).similarity
        pairs = held.graph.select("relation_pairs", property="P31")
        people = [qid for qid, value in pairs if value == "Q5"]
        found = {qid: similarity.most_similar(qid, properties, 2, 3) for qid in people}
        labels = [held.labels.label(qid) for qid in people]
    tops = [near[:2] for near in found.values() if near]
    assert len(people) == PEOPLE
    assert len(tops) > PEOPLE / 2
    ties = sum(len(top) == 2 and top[0].overlap == top[1].overlap for top in tops)
    assert 0.4 < ties / len(tops) < 0.75
    assert any(label is None for label in labels)  # some have no English label
    assert len(set(filter(None, labels))) < len(list(filter(None, labels)))  # homonyms
    assert made.properties.keys() >= {"P26", "P40", "P22", "P3373", "P569", "P131", "P17", "P279"}


def test_dates_lose_their_precision_and_values_may_be_unknown(dump: Path) -> None:
    born = re.findall(r'/P569> "(-?\d{4})-(\d\d-\d\d)T', dump.read_text())
    assert 0.1 < sum(day == "01-01" for _, day in born) / len(born) < 0.4
    assert "/P570> _:genid" in dump.read_text()


def sizes(text: str) -> list[int]:
    """Return the number of rows of each table; all of its lines have as many cells as the first."""
    tables = [found.splitlines() for found in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)]
    assert all(len({line.count("|") for line in table}) == 1 for table in tables)
    return [len(table) - 2 for table in tables]


def test_the_tables_have_all_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    document = tmp_path / "doc.md"
    document.write_text(f"Before.\n\n{measure.START}\nold\n{measure.END}\n\nAfter.\n")
    options = ["--people", "60", "--repeat", "1", "--items", "4", "--slow", "2"]
    monkeypatch.setattr("sys.argv", ["run", *options, "-o", str(document)])
    whole.main()
    printed = capsys.readouterr().out
    text = document.read_text()
    assert text.startswith("Before.\n") and text.endswith("\n\nAfter.\n") and "old" not in text
    assert printed.strip() in text
    assert sizes(text) == [6, 12]


def test_answers_that_differ_stop_the_benchmark() -> None:
    with pytest.raises(RuntimeError, match="'Q1'"):
        measure.both(["Q1"], 1, lambda _: {"Q1"}, lambda _: {"Q2"}, set.issuperset)


@pytest.mark.parametrize(("many", "few"), [(200, 20), (5, 2), (10, 4), (3, 9), (7, 7), (16, 5)])
def test_the_plain_way_is_taken_for_items_that_lie_apart(many: int, few: int) -> None:
    items = [str(n) for n in range(many)]
    asked: list[str] = []
    ours, plain = measure.both(items, few, str, lambda item: asked.append(item) or item, str.__eq__)  # type: ignore[func-returns-value]
    assert len(ours) == many
    assert len(plain) == len(asked) <= few
    assert asked == items[:: measure.spread(len(ours), len(plain))]


def test_a_command_that_fails_stops_the_benchmark() -> None:
    with pytest.raises(RuntimeError, match="No such command"):
        measure.command(*measure.KGBUILD, "nonsense")


def test_two_ways_take_turns() -> None:
    order: list[str] = []

    def way(name: str) -> Callable[[], Cost]:
        return lambda: order.append(name) or Cost(1.0, len(order))  # type: ignore[func-returns-value]

    ours, plain = measure.interleaved(2, way("ours"), way("plain"))
    assert order == ["ours", "plain", "ours", "plain"]
    assert [cost.memory for cost in ours + plain] == [1, 3, 2, 4]


def test_ratios_are_of_pairs() -> None:
    # The plain way was taken for the first, third and fifth: the ratios are 2, 4 and 1.
    row = measure.compared("what", [1.0, 9.0, 2.0, 9.0, 4.0], [2.0, 8.0, 4.0])
    assert row == ("what", "4.00 s", "4.00 s", "2.00 ×")
    assert measure.compared("what", [1.0], []) == ("what", "1.00 s", "—", "—")
    assert measure.percentile95(range(1, 101)) == 95
    assert measure.percentile95([3.0]) == 3.0


@pytest.mark.parametrize(
    "kept",
    [
        slicing.ASKED,
        Filter(),
        Filter(("fr", "zh"), properties=(), descriptions=False),
        Filter(properties=("P27", "P40"), kinds=("item", "string"), aliases=False),
        Filter(properties=("P569", "P570"), kinds=("time", "unknown")),
    ],
)
def test_grep_keeps_what_a_filter_keeps(dump: Path, kept: Filter) -> None:
    text = dump.read_bytes()
    expected = bytes(sift(Block(1, text, frozenset()), kept.rules()).text)
    wanted = re.compile(slicing.pattern(kept).encode())
    assert b"".join(filter(wanted.match, text.splitlines(keepends=True))) == expected
    assert expected


def test_slices_that_differ_stop_the_benchmark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tmp_path / "made.nt.gz"
    lines = generate.write(made, 20).lines
    monkeypatch.setattr(slicing, "pattern", lambda _: ".")
    with pytest.raises(RuntimeError, match="the slices of it differ"):
        slicing.beside_grep(made, "it", lines, tmp_path / "slice.nt.gz", 1)


def test_a_dump_is_repeated_to_three_sizes(tmp_path: Path) -> None:
    small = tmp_path / "small.nt.gz"
    small.write_bytes(gzip.compress(SAMPLE.read_bytes()))
    once = SAMPLE.read_bytes().count(b"\n")
    found = slicing.repeated(small, 7 * once + 1, tmp_path)
    for (path, lines), times in ((found.whole, 8), (found.fourth, 2), (found.seventh, 1)):
        unpacked = (bz2 if path.suffix == ".bz2" else gzip).decompress(path.read_bytes())
        assert unpacked == times * SAMPLE.read_bytes()
        assert lines == times * once


def test_the_tables_of_large_dumps_have_all_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = tmp_path / "doc.md"
    other = f"{measure.START}\nkept\n{measure.END}\n"
    document.write_text(f"{other}{slicing.START}\nold\n{slicing.END}\nAfter.\n")
    name = {"language": "en", "value": "Ada"}
    value = {"value": {"entity-type": "item", "id": "Q5"}, "type": "wikibase-entityid"}
    snak = {"snaktype": "value", "property": "P31", "datatype": "wikibase-item", "datavalue": value}
    claims = {"P31": [{"mainsnak": snak, "type": "statement", "rank": "normal"}]}
    parts = {"labels": {"en": name}, "descriptions": {}, "aliases": {}, "claims": claims}
    entity = {"type": "item", "id": "Q1", **parts}
    (tmp_path / "a.json.gz").write_bytes(gzip.compress(f"[\n{json.dumps(entity)}\n]\n".encode()))
    options = ["--people", "20", "--repeat", "1", "--json", str(tmp_path / "a.json.gz")]
    slicing.main([*options, "--clean", str(SAMPLE), "-o", str(document)])
    printed = capsys.readouterr().out
    text = document.read_text()
    assert text.startswith(other) and text.endswith("\nAfter.\n") and "old" not in text
    assert printed.strip() in text
    assert sizes(text) == [14, 3, 4, 9]


def test_the_tables_of_similar_items_have_all_rows(
    tmp_path: Path, sample_store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = tmp_path / "doc.md"
    other = f"{slicing.START}\nkept\n{slicing.END}\n"
    document.write_text(f"{other}{similarity.START}\nold\n{similarity.END}\nAfter.\n")
    options = ["--people", "300", "900", "--items", "5", "--slow", "2"]
    similarity.main([*options, "--real", str(sample_store), "-o", str(document)])
    text = document.read_text()
    assert text.startswith(other) and text.endswith("\nAfter.\n") and "old" not in text
    assert capsys.readouterr().out.strip() in text
    assert sizes(text) == [5, 10, 2]
    # Of the first size there is no growth.
    assert len(re.findall(r"growth of the median \| — \| people\^-?\d+\.\d\d \|", text)) == 2


def test_made_up_people_have_about_as_much_in_common_as_real_ones(tmp_path: Path) -> None:
    world = similarity.World(2000)
    lines = b"".join(world.texts()).splitlines()
    assert lines == b"".join(similarity.World(2000).texts()).splitlines()
    assert lines != b"".join(similarity.World(2000, seed=1).texts()).splitlines()
    assert len(lines) == len(set(lines))
    compared = catalog().kinds["person"].similarity
    values = [
        line for line in lines if re.search(rb"/direct/(P\d+)>", line)[1].decode() in compared
    ]  # type: ignore[index]
    # The real slice has 5.7 for each person that has any.
    assert 5 < len(values) / 2000 < 6.5
    assert similarity.build(2000, tmp_path / "postings").statements == len(lines)
    people = {line.split(b" ", 1)[0] for line in lines}
    assert {f"<{wikidata.ENTITY}{world.person(n)}>".encode() for n in range(2000)} == people


def test_answers_of_many_at_once_that_differ_stop_the_benchmark(
    sample_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(sample_store) as held:
        overlap = held.knowledge({}).similarity
        monkeypatch.setattr(overlap, "most_similar_to_each", lambda *_: [])
        with pytest.raises(RuntimeError, match="at once differ"):
            similarity.ask(overlap, ["Q7186"], similarity.PROPERTIES, 1)


@pytest.fixture(scope="module")
def married(sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> list[biokalma.Asked]:
    db = tmp_path_factory.mktemp("biokalma") / "datasets.duckdb"
    asked = ["biokalma", "--relations", "P26", "--limit", "12"]
    measure.command(*measure.KGBUILD, *asked, "--store", sample_store, "--db", db)
    return biokalma.asked(db)


def test_the_rules_of_knowledge_sets_are_looked_at(
    married: list[biokalma.Asked], sample_store: Path
) -> None:
    with open_store(sample_store) as held:
        rules = biokalma.Rules(held)
        assert all(rules.kept(one) == {*rules.names} for one in married)
        told = biokalma.kept(married, rules)
        assert "| P26 spouse | 12 | " in told and told.count("| 100.0% |") == 2
        assert told.count("12 of 12") == len(rules.names)

        def values(one: biokalma.Asked) -> Counter[tuple[str, str]]:
            """Return the number of values of each property that the question asks for."""
            asked_for = one.knowledge[one.begins :]
            return Counter((row["qid"], row["property"]) for row in asked_for)

        one = next(one for one in married if max(values(one).values()) > 1)

        def lacking(pieces: list[dict[str, object]], **changes: str) -> set[str]:
            question = {**one.question, **changes}
            kept = rules.kept(one._replace(knowledge=pieces, question=question))
            return {*rules.names} - kept

        whole = list(one.knowledge)
        stated, rich, minimal, all_values, asks, is_open = rules.names
        assert lacking([*whole[:-1], {**whole[-1], "value": "nobody"}]) == {*rules.names}
        # Two pieces are left, so one of the two has none, and the question asks for more.
        assert {rich, asks} <= lacking(whole[:2])
        assert minimal in lacking([*whole, whole[-1]])
        # One of several values of a property is left out, so the question asks for it still.
        [(claim, _)] = values(one).most_common(1)
        several = next(row for row in whole if (row["qid"], row["property"]) == claim)
        assert all_values in lacking([row for row in whole if row is not several])
        given = f"{one.question['specific_question']} {whole[-1]['value']}"
        assert lacking(whole, specific_question=given) == {asks, is_open}
        assert stated not in lacking(whole)


def test_made_up_answers_cite_what_is_right_wrong_and_unknown(
    married: list[biokalma.Asked],
) -> None:
    one = next(one for one in married if len(one.knowledge) < 7)
    made = biokalma.answer(one, place=6)
    assert (made["question_id"], made["removed"]) == (one.question["question_id"], 2)
    # The pieces of the set and three more; the fifth bears [NA], one is unknown.
    marks = re.findall(r"\[(NA|Q\d+)", made["answer"])
    assert len(one.knowledge) >= 5
    assert len(marks) == len(one.knowledge) + 4
    assert marks[4] == "NA" and marks.count("NA") == 1 and marks[-1] == "Q1"


def test_retrieval_is_measured_for_both_questions(
    married: list[biokalma.Asked], sample_store: Path
) -> None:
    with open_store(sample_store) as held:
        lines = biokalma.retrieving(married, held).splitlines()
    assert [line.split(" | ")[:3] for line in lines[2:]] == [
        [f"| {form} questions", "100.00%", "100.00%"] for form in ("specific", "general")
    ]
    assert {line.count("|") for line in lines} == {8}


def test_the_benchmark_of_endpoints_runs(sample_store: Path, tmp_path: Path) -> None:
    document = tmp_path / "figures.md"
    sizes = ["--items", "3", "--slow", "1", "--repeat", "1"]
    endpoint.main(["--store", str(sample_store), *sizes, "-o", str(document)])
    text = document.read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([a-z ]+) \| .*×", text, re.MULTILINE)
    assert rows == ["lookup", "subgraph", "similar", "kgbuild lookup", "kgbuild subgraph"]


def test_agreement_of_metrics_with_people(tmp_path: Path) -> None:
    pytest.importorskip("rouge_score", reason="needs rouge-score")
    answers = [
        {
            "question": "Where?",
            "references": ["Lund"],
            "prediction": text,
            "model": "m",
            "correct": c,
        }
        for text, c in (("In Lund", 1), ("Graz", 0), ("Lund, maybe", 1), ("Oslo", 0))
    ]
    replies = [
        {"question": "", "knowledge": ["In Lund"], "prediction": text, "set": "s", "faithful": f}
        for text, f in (("In Lund", 1), ("Graz", 0), ("Lund", 1))
    ]
    paths = [tmp_path / "answers.jsonl.gz", tmp_path / "replies.jsonl.gz"]
    for path, records in zip(paths, (answers, replies), strict=True):
        with gzip.open(path, "wt", encoding="utf-8") as file:
            file.writelines(f"{json.dumps(record)}\n" for record in records)
    text = agreement.measured(*paths)
    assert "| stem recall | 1.000 (1.000–1.000) | 1.000 | 1.000 | 1.000 |" in text
    assert "| exact match |" not in text  # nothing matches, and so nothing agrees
    assert "| K-stem precision | 1.000" in text


def test_samples_of_a_single_group_are_the_whole() -> None:
    scores, judgements = [3.0, 1, 2, 2], [1.0, 0, 1, 0]
    samples = agreement.Resampled(["q"] * 4, judgements).spearman(scores)
    assert samples == pytest.approx([spearman(scores, judgements)] * agreement.SAMPLES)
