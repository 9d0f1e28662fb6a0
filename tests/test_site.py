"""The website of a release: its script has the rows of the release, always in the same bytes."""

import datetime
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from kgbuild import datasets
from kgbuild.cli import cli
from kgbuild.export.write_release import publish
from kgbuild.tables.connection import read_only
from kgbuild.tables.database import Database
from kgbuild.tables.records import Review
from tests.reviewed import HOSTILE, add_others, database, pair

_NEW_YEAR = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    path = tmp_path_factory.mktemp("site") / "a.duckdb"
    hostile = {f"{end}_label": HOSTILE for end in ("subject", "replacement", "object")}
    shared = [{"property": "P106", "value": "Q9"}, {"property": "P21", "value": "it's \\ 'x'"}]
    pairs = [pair(1, shared=shared), pair(2, split="test"), pair(3, question=HOSTILE, **hostile)]
    database(path, [*pairs, *(pair(number) for number in range(4, 10))])
    add_others(path)
    with read_only(path):  # so that no reader starts DuckDB again
        yield path


def export(db: Path, folder: Path, dataset: str = "syn-qa", *options: str) -> Path:
    """Export a release with its website, and return the folder of the website."""
    arguments = ["export", dataset, "--site", "-o", str(folder), "--db", str(db), *options]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0, result.output
    assert f"Its website is {folder / 'site' / 'index.html'}." in result.output
    return folder / "site"


def content(site: Path) -> dict[str, Any]:
    """Return the object in the script of a website, read as a browser reads it."""
    script = (site / "rows.js").read_text(encoding="utf-8")
    text = re.fullmatch(r"// kgbuild [^\n]+ GUID [0-9a-f-]+\nstart\('([^\n]*)'\);\n", script)
    assert text
    loaded: dict[str, Any] = json.loads(re.sub(r"\\([\\'])", r"\1", text[1]))
    return loaded


def facts(site: dict[str, Any], row: int) -> list[tuple[str, str, str, int]]:
    """Return the facts of a row by the labels of their terms."""
    numbers, labels = site["rows"][row][4], site["labels"]
    return [
        (labels[s], labels[p], labels[o], assumed)
        for s, p, o, assumed in zip(*(numbers[part::4] for part in range(4)), strict=True)
    ]


def test_rows_are_those_of_the_table(db: Path, tmp_path: Path) -> None:
    site = content(export(db, tmp_path / "out"))
    ids, labels = site["ids"], site["labels"]
    assert [row[0] for row in site["rows"]] == [f"pair{number}" for number in range(1, 10)]
    _, choices, headings, texts, _, table = site["rows"][0]
    assert [labels[term] for term in headings] == [
        *("place of birth", "contradicted", "risk 1.00%", "train")
    ]
    assert [labels[title] for title in texts[::2]] == ["question", "false question"]
    assert texts[1] == "In which house in Town 1 was Ann 1 born?"
    assert facts(site, 0) == [
        ("Ann 1", "place of birth", "Town 1", 0),
        ("Bob 1", "place of birth", "Town 1", 1),  # the false assumption
        ("Bob 1", "place of birth", "1815-04-01", 0),
    ]
    caption, columns, cells = table
    assert labels[caption] == "What both share" and [labels[n] for n in columns] == [
        *("property", "value")
    ]
    # No table has a label of Q9: it is shown by its id. A literal has no id, so it has no link.
    assert [(ids[n], labels[n]) for n in cells] == [
        *(("P106", "occupation"), ("Q9", "Q9"), ("P21", "sex or gender"), ("", "it's \\ 'x'"))
    ]
    # All pairs are of one relation, from which its label follows; other texts have many values.
    assert [(title, values) for title, _, values in site["filters"]] == [
        ("split", ["test", "train"]),
        ("falsity", ["absent", "contradicted"]),
    ]
    assert site["filters"][1][1].startswith(
        "What the store, or a passage of HotpotQA, tells against"
    )
    assert [row[1] for row in site["rows"][:3]] == [[1, 1], [0, 0], [1, 1]] and choices == [1, 1]


def test_ids_without_a_label_are_counted(db: Path, tmp_path: Path) -> None:
    arguments = ["export", "syn-qa", "--site", "-o", str(tmp_path / "out"), "--db", str(db)]
    result = CliRunner().invoke(cli, [*arguments, "--store", str(tmp_path / "none")])
    assert result.exit_code == 2 and "No store at" in result.output  # a store that was named
    result = CliRunner(env={"KGBUILD_STORE": str(tmp_path / "none")}).invoke(cli, arguments)
    # Of all ids, only Q9 has no label in the tables.
    assert result.exit_code == 0 and "Ids without a label on the website: 1." in result.output


def test_labels_of_other_ids_come_from_the_store(db: Path, tmp_path: Path) -> None:
    publish(
        datasets.dataset("syn_qa"),
        datasets.database(db),
        tmp_path / "out",
        site_label={"Q9": "actor"}.get,
    )
    site = content(tmp_path / "out" / "site")
    assert ("Q9", "actor") in zip(site["ids"], site["labels"], strict=True)


def test_the_same_rows_give_the_same_bytes(db: Path, tmp_path: Path) -> None:
    sites = [export(db, tmp_path / name) for name in ("a", "b")]
    pages = [(site / "index.html").read_bytes() for site in sites]
    scripts = [(site / "rows.js").read_bytes() for site in sites]
    assert pages[0] == pages[1] and scripts[0] == scripts[1]
    sums = (tmp_path / "a" / "SHA256SUMS").read_text()
    assert "  site/index.html\n" in sums and "  site/rows.js\n" in sums
    assert "\n`site/index.html` shows all rows" in (tmp_path / "a" / "README.md").read_text()
    assert "\nsite = true\n" in (tmp_path / "a" / "recipe.toml").read_text()


def test_the_page_loads_its_own_script_only(db: Path, tmp_path: Path) -> None:
    page = (export(db, tmp_path / "out") / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'src="([^"]*)"', page) == ["rows.js"]
    nonce = re.search(r"script-src 'nonce-([0-9a-f]{32})'; style-src 'nonce-\1'", page)
    assert nonce and "default-src 'none'" in page
    assert len(re.findall(f'<(?:script|style) nonce="{nonce[1]}"', page)) == 3
    assert "alert" not in page  # texts of rows are in the script only


@pytest.mark.parametrize(("dataset", "count"), [("granola", 1), ("biokalma", 1)])
def test_other_datasets_have_their_rows(dataset: str, count: int, db: Path, tmp_path: Path) -> None:
    site = content(export(db, tmp_path / "out", dataset))
    assert len(site["rows"]) == count
    assert all(row[3] and row[4] and row[5] for row in site["rows"])


def test_a_release_of_accepted_rows_shows_these_in_their_wording(db: Path, tmp_path: Path) -> None:
    reviewed = Database(tmp_path / "a.duckdb")
    reviewed.path.write_bytes(db.read_bytes())
    for question, answer in (("false", "yes"), ("natural", "yes"), ("wording: question", "Where?")):
        reviewed.write_review(Review("syn_qa", "pair2", "Ada", question, answer, _NEW_YEAR))
    site = content(export(reviewed.path, tmp_path / "out", "syn-qa", "--only-accepted"))
    assert [row[0] for row in site["rows"]] == ["pair2"]
    assert site["rows"][0][3][1] == "Where?"


def test_a_dataset_without_views_shows_its_columns(sample_store: Path, tmp_path: Path) -> None:
    db = tmp_path / "a.duckdb"
    build = ["grouse", "--limit", "6", "--store", str(sample_store), "--db", str(db)]
    assert CliRunner().invoke(cli, build).exit_code == 0
    site = content(export(db, tmp_path / "out", "grouse"))
    row = datasets.database(db).rows("grouse_tests")[0]
    shown = next(entry for entry in site["rows"] if entry[0] == row["test_id"])
    texts = dict(zip((site["labels"][n] for n in shown[3][::2]), shown[3][1::2], strict=True))
    assert next(iter(texts)) == "input"  # the first column with a text, which the list shows
    assert texts["actual output"] == row["actual_output"]
    assert texts["references"].split("\n") == row["references"]
    assert "test type" in {title for title, _, _ in site["filters"]}
