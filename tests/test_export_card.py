"""The card of a release: examples with evidence, measures of truth, and dates."""

import datetime
import json
import math
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt  # rich brings it

from kgbuild.cli import cli
from kgbuild.datasets import NAMES, database, dataset
from kgbuild.errors import WrongCallError
from kgbuild.evaluate.bootstrap import wilson
from kgbuild.export.cards import card
from kgbuild.export.release import dump_date
from kgbuild.rows import Build, Built
from kgbuild.tables.records import Review, Verification
from tests.conftest import write_once
from tests.test_score_granola import SOURCE

AT = datetime.datetime(2026, 1, 1)  # noqa: DTZ001 - the column has no zone
HOSTILE = "<script>x</script>|[y](javascript:z)\u202e"


def statement(subject: str, pid: str, value: str) -> dict[str, str]:
    return {"subject": subject, "property": pid, "object": value}


def pair(number: int, **columns: Any) -> dict[str, Any]:
    """Return a pair of Syn-(QA)²: Ann is the spouse of Bob, Cleo is the spouse of Dan."""
    return {
        **{"pair_id": f"{number:016x}", "relation": "P26", "relation_label": "spouse", "hops": 1},
        **{"subject_qid": "Q1", "subject_label": "Ann", "object_qid": "Q2", "object_label": "Bob"},
        **{"replacement_qid": "Q3", "replacement_label": "Cleo", "overlap": 3, "shared": []},
        **{"similarity": "property_overlap", "question": "When did Ann marry Bob?"},
        **{"false_question": "When did Cleo marry Bob?", "falsity": "closed", "risk": 0.002},
        **{"evidence": [statement("Q1", "P26", "Q2")]},
        **{"falsity_evidence": [statement("Q3", "P26", "Q4")], "popularity": 1},
        **{"replacement_popularity": 1, "split": "test", "shortcut": []},
        **columns,
    }


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """Return a database with a hundred pairs; of the first one, Dan has no label."""
    pairs = [pair(n) for n in range(99)]
    pairs.append(
        pair(
            99,
            object_qid="Q5",
            object_label="Eve",
            falsity="absent",
            falsity_evidence=[statement("Q3", "P570", "1962-07-06T00:00:00Z")],
            relation_label=HOSTILE,
            false_question=HOSTILE,
            subject_label=HOSTILE,
            subject_qid="Q6",
            evidence=[statement("Q6", "P26", "Q5")],
        )
    )
    built = Built("P26", {"syn_qa_pairs": pairs})
    return write_once(tmp_path / "a.duckdb", Build(dataset("syn_qa"), [built], SOURCE))


def export(db: Path, folder: Path, *options: str) -> Result:
    done = CliRunner(env={"KGBUILD_DB": str(db)}).invoke(
        cli, ["export", "syn-qa", "-o", str(folder), *options]
    )
    assert done.exit_code == 0, done.output
    return done


def section(folder: Path, title: str) -> list[list[str]]:
    """Return the cells of the table in a section of the card, without its heading."""
    text = (folder / "README.md").read_text(encoding="utf-8")
    body = text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    lines = [line for line in body.splitlines() if line.startswith("| ")]
    return [line[2:-2].split(" | ") for line in lines[2:]]


def test_examples_have_evidence_on_both_sides(db: Path, tmp_path: Path) -> None:
    export(db, tmp_path / "out")
    wiki = "https://www.wikidata.org/wiki"
    spouse = f"[spouse]({wiki}/Property:P26)"
    # The example whose items all have labels comes first; the other relation has one, too.
    hostile, other = section(tmp_path / "out", "Examples")
    assert hostile[4] == f"[Cleo]({wiki}/Q3) — [date of death]({wiki}/Property:P570) — 1962-07-06"
    assert other == [
        "spouse",
        "When did Ann marry Bob?",
        f"[Ann]({wiki}/Q1) — {spouse} — [Bob]({wiki}/Q2)",
        "When did Cleo marry Bob?",
        f"[Cleo]({wiki}/Q3) — {spouse} — [Q4]({wiki}/Q4)",
    ]
    text = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    page = parser.render(text.split("---\n", 2)[2])
    assert "<script" not in page and 'href="javascript' not in page and "\u202e" not in page


def test_what_was_not_measured_is_said_to_be_so(db: Path, tmp_path: Path) -> None:
    export(db, tmp_path / "out")
    measures = section(tmp_path / "out", "How many of a hundred rows are wrong")
    # Each of a hundred pairs has the risk 0.002.
    assert [cells[1:] for cells in measures] == [
        ["100", "0.2 (estimated)"],
        ["0", "not measured"],
        ["0", "not measured"],
    ]


def test_people_and_sources_are_counted(db: Path, tmp_path: Path) -> None:
    tables = database(db)
    for number, answer in enumerate(("yes", "yes", "no")):
        for question in ("false", "natural"):
            item = f"{number:016x}"
            tables.write_review(Review("syn_qa", item, "Ann", question, answer, AT))
    verdicts = ("holds", "absent", "absent", "absent", "unknown", "unverified")
    tables.write_verifications(
        [
            Verification(
                "syn_qa", "P26", f"{n:016x}", "test", "false", "texts", "a.jsonl", one, None, "", AT
            )
            for n, one in enumerate(verdicts)
        ]
    )
    export(db, tmp_path / "out")
    _, people, texts = section(tmp_path / "out", "How many of a hundred rows are wrong")
    # By Wilson, 1 of 3 is 6.1 to 79 % and 1 of 4 is 4.6 to 70 %: what a source cannot tell is out.
    assert people == [
        "people (`kgbuild review`, 1 of them): rows that any of them rejected",
        "3",
        "33 (6.1 to 79)",
    ]
    assert texts[0].startswith("the texts a.jsonl") and texts[1:] == ["4", "25 (4.6 to 70)"]


@given(st.integers(1, 10**6), st.data())
def test_an_interval_holds_its_share(total: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, total))
    low, high = wilson(hits, total)
    assert 0 <= low <= hits / total + 1e-12 and hits / total - 1e-12 <= high <= 1
    # It is as wide on the other side.
    other_low, other_high = wilson(total - hits, total)
    assert math.isclose(low, 1 - other_high, abs_tol=1e-9)
    assert math.isclose(high, 1 - other_low, abs_tol=1e-9)


def test_the_day_of_publication_is_that_of_the_build_or_the_option(
    db: Path, tmp_path: Path
) -> None:
    ((built,),) = database(db).sql("SELECT max(built_at)::DATE::VARCHAR FROM builds").rows
    export(db, tmp_path / "out")
    export(db, tmp_path / "dated", "--date", "2025-05-06")
    for folder, day in (("out", built), ("dated", "2025-05-06")):
        release = tmp_path / folder
        assert json.loads((release / "croissant.json").read_text())["datePublished"] == day
        assert json.loads((release / "PROVENANCE.json").read_text())["published"] == day
        assert f"  year = {{{day[:4]}}}" in (release / "README.md").read_text()
    assert not (tmp_path / "dated" / "recipe.toml").read_text().count(built)


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("wikidata-20250402-truthy-BETA.nt.gz", "2025-04-02"),
        ("latest-truthy.nt.gz", None),
        ("dump_2024-02-29.nt", "2024-02-29"),
        ("dump-20250230.nt", None),  # there is no such day
        ("slice-120250402.nt", None),  # a longer number
        ("20259999-20240102.nt", "2024-01-02"),
    ],
)
def test_the_day_of_a_dump_is_in_its_name(name: str, day: str | None) -> None:
    assert dump_date(name) == day


@pytest.mark.parametrize("name", NAMES)
def test_the_card_of_what_can_be_verified_names_its_verdicts(name: str) -> None:
    of_card = card(dataset(name), {}).verified
    with pytest.raises(WrongCallError) as refused:  # for its lack of arguments, or always
        dataset(name).verify()
    assert (of_card is None) == ("nothing that another source could verify" in str(refused.value))
    if of_card:
        assert of_card.reason in dataset(name).reasons


def test_incomplete_sets_are_wrong_rows(sample_store: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    build = ["biokalma", "--relations", "P26", "--limit", "4", "--store", str(sample_store)]
    CliRunner(env={"KGBUILD_DB": str(path)}).invoke(cli, build, catch_exceptions=False)
    tables = database(path)
    ids = [row["question_id"] for row in tables.rows("biokalma_questions")]
    verdicts = ("incomplete", "complete", "complete", "unknown")
    tables.write_verifications(
        [
            Verification(
                "biokalma", "P26", row_id, "test", "specific", "endpoint", "x", one, None, "", AT
            )
            for row_id, one in zip(ids, verdicts, strict=True)
        ]
    )
    done = CliRunner(env={"KGBUILD_DB": str(path)}).invoke(
        cli, ["export", "biokalma", "-o", str(tmp_path / "out")]
    )
    assert done.exit_code == 0, done.output
    _, endpoint = section(tmp_path / "out", "How many of a hundred rows are wrong")
    assert endpoint == [
        "the endpoint x (`kgbuild verify`): knowledge sets that lack a value",
        "3",
        "33 (6.1 to 79)",
    ]
