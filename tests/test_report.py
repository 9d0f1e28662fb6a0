"""The report: its numbers are those of SQL, its page is safe, whole, and always the same."""

import datetime
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import duckdb
import pytest
from click.testing import CliRunner, Result

from kgbuild.cli import cli
from kgbuild.data_files import read_toml
from kgbuild.datasets import database, dataset
from kgbuild.datasets.grouse.rows import METRICS
from kgbuild.datasets.syn_qa.view import view as syn_qa_view
from kgbuild.datasets.views import YES
from kgbuild.drawing.evidence import Fact, draw
from kgbuild.drawing.text import clean, short, two_lines, width
from kgbuild.report import charts
from kgbuild.report.bins import linear, logarithmic
from kgbuild.report.charts import Point
from kgbuild.report.dataset_section import contents, sample
from kgbuild.report.figures import binned
from kgbuild.report.names import ReportNames
from kgbuild.report.page import page
from kgbuild.report.parts import Figure, Section, Table
from kgbuild.review.selection import Selection, views
from kgbuild.rows import Build, Built, Provenance, Rejection
from kgbuild.tables.records import GrouseResult as Judged
from kgbuild.tables.records import Prediction, Review, Scored
from tests.test_detection import pair

BAD = (
    "</script></title><script>alert(1)</script>\"' onload=x $a_b$ \u202e{{ 7 * 7 }}\uffff\x1b\n<!--"
)
JUDGE = "gpt (control 28/40)"
LONG_AGO = datetime.datetime(2026, 1, 1)  # noqa: DTZ001  (as DuckDB has it: in UTC)
DUMP = {"name": f"{BAD}.nt", "modified": "2026-01-02", "sha256": "a" * 64}
SOURCE = Provenance(
    seed=3, options={"limit": 5}, files=[DUMP], store_fingerprint="b" * 32, store_triples=1234
)


def triple(subject: str, property_id: str, value: str) -> dict[str, str]:
    return {"subject": subject, "property": property_id, "object": value}


def pairs() -> Built:
    """Three pairs of six candidates, for which four replacements fell out."""
    one = replace(
        pair("p1", "P26", f"Who is {BAD}?", "Is Cleo?", "closed"),
        subject_label=BAD,
        relation_label=BAD,
        overlap=3,
        shared=[{"property": "P106", "value": "Q5"}, {"property": "P19", "value": "Q99"}],
        risk=0.004,
        evidence=[triple("Q1", "P26", "Q2")],
        falsity_evidence=[triple("Q3", "P26", "Q7")],
        popularity=29,
        replacement_popularity=4_000,
    )
    two = replace(one, pair_id="p2", overlap=12, falsity="absent", risk=0.0101, split="test")
    three = replace(one, pair_id="p3", overlap=14, hops=2, risk=None, subject_qid=None, shared=[])
    left = [
        Rejection("Q1 P26 Q2", "no similar item", ""),
        Rejection("Q3 P26 Q2", "no similar item", ""),
        Rejection("Q4 P26 Q2", "wrong kind", "Q2"),
        *[Rejection("Q4 P26 Q2", "wrong kind", f"for Q{n}") for n in (5, 6, 7)],
        Rejection("Q4 P26 Q2", "risky", "87 similar items"),
        Rejection("Q4 P26 Q2", BAD, "for Q8"),
    ]
    return Built("P26", {"syn_qa_pairs": [asdict(row) for row in (one, two, three)]}, left)


def questions() -> Built:
    question = {
        "question_id": "q1",
        "relation": "P19",
        "question": "Where was Ann born?",
        "subject_qid": "Q1",
        "subject_label": BAD,
        "subject_description": BAD,
        "answers": [{"qid": "Q5", "label": BAD}],
        "popularity": 0,
        "resolution": "stated",
        "source": "P19",
        "evidence": [triple("Q1", "P19", "Q5")],
        "split": "train",
    }
    common = {"capped": False, "golds": [], "source": "P19", "question_id": "q1", "aliases": [BAD]}
    answers = [
        dict(level=1, answer=BAD, qid="Q5", kind="item", bits=10.0, evidence=[
            triple("Q1", "P19", "Q5")], **common),
        dict(level=2, answer="Peru", qid="Q6", kind="place", bits=4.0, evidence=[
            triple("Q1", "P19", "Q5"), triple("Q5", "P17", "Q6")], **common),
        dict(level=2, answer="the Andes", qid="Q8", kind="place", bits=2.0, evidence=[
            triple("Q1", "P19", "Q5"), triple("Q5", "P706", "Q8")], **common),
    ]  # fmt: skip
    made = {"granola_questions": [question], "granola_answers": answers}
    return Built("P19", made, [Rejection("Q1 P19", "trivial", "a place")])


def knowledge() -> Built:
    question = {
        "question_id": "k1",
        "subjects": [{"qid": "Q1", "label": BAD}, {"qid": "Q2", "label": "Bob"}],
        "relation": "P26",
        "general_question": BAD,
        "specific_question": BAD,
        "paragraph": BAD,
        "popularity": 9,
        "source": "P26",
        "evidence": [triple("Q1", "P26", "Q2"), triple("Q2", "P19", "Q5")],
        "split": "test",
        "themes": ["origins"],
    }
    common = {
        "scope": "specific",
        "coherence": 0.0,
        "score": 0.0,
        "source": "P26",
        "question_id": "k1",
    }
    pieces = [
        dict(position=1, round=0, qid="Q1", property="P26", property_label="spouse",
            value="Bob", value_qid="Q2", specificity=3.0, **common),
        dict(position=2, round=1, qid="Q2", property="P19", property_label=BAD,
            value=BAD, value_qid="Q5", specificity=5.0, **common),
    ]  # fmt: skip
    fact = {
        **{"question_id": "k1", "qid": "Q2", "property": "P19", "property_label": BAD},
        **{"value": BAD, "value_qid": "Q5", "source": "P26"},
    }
    made: dict[str, list[Any]] = {table: [] for table in dataset("biokalma").tables}
    made["biokalma_questions"] = [question]
    made["biokalma_knowledge"] = pieces
    made["biokalma_pool"] = [fact]
    return Built("P26", made, [])


def scored(metric: str, value: float, **more: Any) -> Scored:
    given = {
        **{"dataset": "granola", "model": BAD, "protocol": "vanilla", "removed": None},
        **{"accuracy": None, "grouped_by": "", "group": "", "judge": "", "metric": metric},
        **{"value": value, "low": value - 0.1, "high": value + 0.1, "answers": 20},
        "source": "predictions",
    }
    return Scored(**{**given, **more})


def replied(model: str, item: str, **more: Any) -> Prediction:
    given = {
        **{"dataset": "granola", "item_id": item, "model": model, "protocol": "vanilla"},
        **{"false_assumption": None, "removed": None, "accuracy": None, "sample": 0},
        **{"prompt_hash": "", "text": "Peru", "tokens_in": 7, "tokens_out": 3, "seconds": 0.5},
        "parameters": '{"max_tokens": 9, "temperature": 0.0}',
    }
    return Prediction(**{**given, **more})


def judged(test: str, metric: str, outcome: str) -> Judged:
    return Judged(BAD, "grouse", test, "a_type", metric, "==5", 5, outcome)


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a database with all that a report can tell of, and hostile labels everywhere."""
    path = tmp_path_factory.mktemp("report") / "a.duckdb"
    syn_qa = dataset("syn_qa")
    hostile = replace(syn_qa, reasons={**syn_qa.reasons, BAD: ""})
    database(path).write(Build(hostile, [pairs()], SOURCE))
    database(path).write(Build(dataset("granola"), [questions()], SOURCE))
    database(path).write(Build(dataset("biokalma"), [knowledge()], SOURCE))
    database(path).write_scores([
        *(scored("accuracy", 0.5), scored("abstained", 0.25)),
        scored("accuracy", 0.9, grouped_by="relation", group="P19"),
        scored("refused", 0.1, dataset=BAD, low=None, high=None),
        *(scored(f"right_at_{n}", 0.9, judge=JUDGE, answers=5) for n in (30, 90, 80)),
        scored("accuracy", 0.7, judge=JUDGE, answers=19),
        *(scored("na_recall", 0.5, dataset="biokalma", removed=n) for n in (1, 2, 3)),
    ])  # fmt: skip
    database(path).write_results([
        *(judged("one", metric, "passed") for metric in METRICS),
        *(judged("two", metric, "failed" if metric == METRICS[0] else "passed")
            for metric in METRICS),
    ])  # fmt: skip
    # Of three pairs one is accepted and one is not; on the third nobody has decided.
    for item, said in (("p1", "yes"), ("p2", "no")):
        with database(path).reading() as select:
            (row,) = views(select, Selection(dataset("syn_qa")), [item])
        for question in row.questions:
            answer = said if YES in question.choices else "4"
            database(path).write_review(
                Review("syn_qa", item, "ann", question.key, answer, LONG_AGO)
            )
    return path


@pytest.fixture(scope="module")
def text(db: Path) -> str:
    return page(database(db), seed=0)


class Page(HTMLParser):
    """A parsed page; fails on tags that are not balanced."""

    def __init__(self, text: str):
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.tables: dict[str, list[list[str]]] = {}
        self._section = self._caption = ""
        self._texts: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs)
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "input"):
            self.open.append(tag)
        if tag == "section":
            self._section = dict(attrs)["id"] or ""
        if tag in ("caption", "td", "th"):
            self._texts = []
        if tag == "tr":
            self.tables[self._caption].append([])

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        if tag == "caption":
            self._caption = f"{self._section}: {''.join(self._texts)}"
            # Of samples there are several of one name: the last one stands here.
            self.tables[self._caption] = []
        if tag in ("td", "th"):
            self.tables[self._caption][-1].append("".join(self._texts))

    def handle_data(self, data: str) -> None:
        self._texts.append(data)
        if "style" not in self.open:
            self.words.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)


@pytest.fixture(scope="module")
def found(text: str) -> Page:
    return Page(text)


def rows_of(found: Page, caption: str) -> list[list[str]]:
    return found.tables[caption][1:]


def test_the_funnel_tells_candidates_from_what_fell_within_them(found: Page) -> None:
    assert "Of 6 candidates 3 became pairs: 50.0%." in " ".join(found.words)
    assert [row[:3] for row in rows_of(found, "syn-qa: Outcomes of the candidates")] == [
        *(["became pairs", "built", "3"], ["no similar item", "left out", "2"]),
        ["wrong kind", "left out", "1"],
    ]
    # The same reason "wrong kind" fells one candidate and, with "for" a candidate, three others.
    assert rows_of(found, "syn-qa: Why similar items might not stand in for either end") == [
        ["wrong kind", "3", "subject or object is not of the kind that the questions are about"],
        [clean(BAD), "1", ""],
        ["risky", "1", read_toml("datasets/syn_qa/reasons.toml")["replacement"]["risky"]],
    ]
    assert rows_of(found, "granola: Outcomes of the candidates") == [
        ["became questions", "built", "1", ""]
    ]
    assert rows_of(found, "granola: Why coarser answers were left out") == [
        ["trivial", "1", "every answer of the relation is of this kind"]
    ]


@pytest.mark.parametrize(
    ("caption", "rows"),
    [
        ("syn-qa: How many pairs each relation or file gave", [[f"{clean(BAD)} (P26)", "3", "8"]]),
        (
            "syn-qa: How many values a replacement shares with what it replaces",
            [[str(n), str(int(n in (3, 12, 14)))] for n in range(3, 15)],
        ),
        (
            "syn-qa: How sure it is that the assumption is false, and over how many hops",
            [
                *(["closed", "one hop", "1"], ["closed", "two hops", "1"]),
                ["absent", "one hop", "1"],
            ],
        ),
        (
            # 0.4 % and 1.01 %; the third pair's is not known.
            "syn-qa: How probable it is that the assumption is true all the same",
            [
                [f"{n / 20:g}–{(n + 1) / 20:g}", falsity, str(int((n, falsity) in filled))]
                for filled in [{(8, "closed"), (20, "absent")}]
                for n in range(8, 21)
                for falsity in ("closed", "absent")
            ],
        ),
        (
            "syn-qa: How popular what is replaced and replacements are",
            [
                [label, part, "3" if (label, part) in filled else "0"]
                for filled in [{("10–29", "replaced"), ("3,000–9,999", "replacement")}]
                for label in ("10–29", "30–99", "100–299", "300–999", "1,000–2,999", "3,000–9,999")
                for part in ("replaced", "replacement")
            ],
        ),
        ("granola: How many levels of granularity questions have", [["2", "1"]]),
        (
            # Of 4 and 2 bits, the median is 3, the quarters are 2.5 and 3.5.
            "granola: How much the answers at each level tell",
            [["1", "10", "10", "10", "1"], ["2", "3", "2.50", "3.50", "2"]],
        ),
        ("granola: What kinds of answers there are", [["place", "2"], ["item", "1"]]),
        ("biokalma: How many pieces of knowledge a specific question needs", [["2", "1"]]),
        (
            "biokalma: How specific the piece of each round is",
            [["0", "3", "3", "3", "1"], ["1", "5", "5", "5", "1"]],
        ),
        ("biokalma: Which properties the pieces are of", [[clean(BAD), "1"], ["spouse", "1"]]),
        ("biokalma: How much there is to choose from", [["1", "1"]]),
        ("biokalma: How rows are split", [["test", "1"]]),
        ("scores: GRANOLA: accuracy", [[f"{clean(BAD)} · vanilla", "0.50", "0.40", "0.60", "20"]]),
        (
            f"scores: GRANOLA by {JUDGE}: accuracy",
            [[f"{clean(BAD)} · vanilla (n = 19)", "0.70", "0.60", "0.80", "19"]],
        ),
        (
            f"scores: BioKaLMA: [NA] of {clean(BAD)} · vanilla, by removed pieces",
            [["recall", n, "0.50", "0.40", "0.60", "20"] for n in "123"],
        ),
        (
            "scores: All scores of GRANOLA",
            [
                [
                    f"{clean(BAD)} · vanilla",
                    *(f"{v:.3f} ({v - 0.1:.3f}–{v + 0.1:.3f}) of 20" for v in (0.5, 0.25)),
                ]
            ],
        ),
        (
            f"scores: All scores of {clean(BAD)}",
            [[f"{clean(BAD)} · vanilla", "0.100 of 20"]],  # without an interval
        ),
        ("reviews: How many rows survived manual review", [["Syn-(QA)²", "0.50", "1", "2"]]),
        ("judges: How many tests judges pass", [[f"{clean(BAD)} · grouse", "0.50", "1", "2"]]),
        (
            "judges: Conditions that hold, by metric",
            [[clean(BAD), "grouse", "50.0%", *["100.0%"] * 5]],
        ),
        (
            "provenance: The dumps",
            [[clean(DUMP["name"]), "2026-01-02", "a" * 64, "biokalma, granola, syn_qa"]],
        ),
    ],
)
def test_numbers_are_those_of_the_tables(found: Page, caption: str, rows: list[list[str]]) -> None:
    assert rows_of(found, caption) == rows


def test_runs_tell_what_is_missing(tmp_path: Path) -> None:
    """Of two questions, one model lacks a reply to one, and a reply of the other was cut."""
    path = tmp_path / "a.duckdb"
    database(path).write(Build(dataset("granola"), [questions()], SOURCE))
    database(path).write_predictions([
        replied("one", "q1"), replied("one", "q2", finish_reason="length"), replied("two", "q1"),
        replied("two", "k1", dataset="biokalma", removed=1, accuracy=50),
    ])  # fmt: skip
    database(path).write_scores([scored("accuracy", 1, model="one")])
    common, pool = "max_tokens: 9, temperature: 0.0", "vanilla · 1 removed · 50 % right"
    found = Page(page(database(path)))
    assert " ".join(found.tables["runs: Runs"][0]) == (
        "dataset model protocol questions without reply cut parameters tokens in tokens out "
        "seconds scored"
    )
    assert rows_of(found, "runs: Runs") == [
        ["biokalma", "two", pool, "1", "0", "0", common, "7", "3", "0.50", "no"],
        ["granola", "one", "vanilla", "2", "0", "1", common, "14", "6", "1", "yes"],
        ["granola", "two", "vanilla", "2", "1", "0", common, "7", "3", "0.50", "no"],
    ]


def test_lines_lead_from_score_to_score(tmp_path: Path) -> None:
    db = database(tmp_path / "a.duckdb")
    values = [("precision", 0, 100, 0.3), ("refused", 0, 100, 0.2)]
    values += [("precision", None, accuracy, accuracy / 400) for accuracy in (20, 60, 80)]
    values += [("na_precision", 1, 100, 0.1), ("na_precision", 3, None, 0.3)]
    values += [("na_recall", removed, 100, removed / 10) for removed in (1, 2, 3)]
    values += [("precision", 1, 60, 0.4), ("refused", 3, 100, 0.2)]
    db.write_scores([
        scored(metric, value, dataset="biokalma", model=model, removed=removed, accuracy=accuracy,
            answers=5 if (metric, removed) == ("refused", 3) else 500)
        for model in "mn" for metric, removed, accuracy, value in values
    ])  # fmt: skip
    text = page(db)
    found = Page(text)
    assert [caption for caption in found.tables if caption.startswith("scores: BioKaLMA")] == [
        "scores: BioKaLMA: citation precision",
        *(
            f"scores: BioKaLMA: {curve}"
            for model in "mn"
            for curve in (
                f"citations of {model} · vanilla (n = 5), by right graphs (%)",
                f"[NA] of {model} · vanilla (n = 5), by removed pieces",
            )
        ),
    ]
    # What a curve shows, a row does not show again.
    assert [row[0] for row in rows_of(found, "scores: BioKaLMA: citation precision")] == [
        f"{model} · vanilla{pool}" for model in "mn" for pool in ("", " · 1 removed · 60 % right")
    ]
    svgs = re.findall(r'<figure id="scores-biokalma-curve-[12]".*?(<svg.*?</svg>)', text, re.S)
    by_accuracy, by_removed = map(ET.fromstring, sorted(svgs, key=lambda svg: "recall" in svg))

    # An interval ends at 40 %, which is the height of the plot: 150 pixels above 178.
    def places(svg: ET.Element, tag: str, *names: str) -> list[tuple[float, ...]]:
        all_of_tag = ([one.get(name, "") for name in names] for one in svg.iter(tag))
        return [tuple(float(end.rstrip("%")) for end in ends) for ends in all_of_tag]

    def height(value: float) -> float:
        return pytest.approx(178 - 150 * value / 0.4, abs=0.1)

    assert places(by_accuracy, "circle", "cx", "cy") == [
        (38.75, height(0.3)), (56.25, height(0.2)), (73.75, height(0.15)), (91.25, height(0.05)),
    ]  # fmt: skip
    assert places(by_removed, "circle", "cx", "cy") == [
        (40.92, height(0.1)), (87.58, height(0.3)),
        (42.42, height(0.1)), (65.75, height(0.2)), (89.08, height(0.3)),
    ]  # fmt: skip
    # A sample of each line, the intervals, and the parts: none leads over what has no value.
    joined = [ends for ends in places(by_removed, "line", "x1", "x2") if ends[0] != ends[1]]
    assert joined == [(0, 18), (0, 18), (42.42, 65.75), (65.75, 89.08)]
    assert (65.75, height(0.1), 65.75, height(0.3)) in places(
        by_removed, "line", "x1", "y1", "x2", "y2"
    )
    assert [one.text for one in by_removed.iter("text") if one.text] == [
        *("in %, with 95 % intervals", "10%", "20%", "30%", "40%", "1", "2", "3"),
        *("removed", "pieces", "precision", "10.0", "30.0", "recall", "10.0", "20.0", "30.0"),
    ]


def test_metrics_that_differ_in_a_number_are_in_its_order(found: Page) -> None:
    head, (run, *_) = found.tables[f"scores: All scores of GRANOLA by {JUDGE}"]
    assert head == ["model, protocol", "right at 30", "right at 80", "right at 90", "accuracy"]
    assert run == f"{clean(BAD)} · vanilla (n = 19)"


def test_it_tells_what_was_built_from_what(found: Page) -> None:
    first = dict(
        zip(
            found.tables["provenance: The builds"][0],
            rows_of(found, "provenance: The builds")[2],
            strict=True,
        )
    )
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", first.pop("built"))
    assert first == {
        **{"dataset": "syn_qa", "relations": "1", "rows": "3", "seed": "3", "options": "limit 5"},
        **{"kgbuild": "0.1.0", "store's fingerprint": "b" * 32, "store's triples": "1,234"},
        "seconds": "0",
    }
    assert "3 Syn-(QA)² pairs, 1 GRANOLA questions, 1 BioKaLMA questions" in found.words


def test_labels_are_nothing_but_text(found: Page, text: str) -> None:
    kinds = {tag for tag, _ in found.tags}
    assert "script" not in kinds and "img" not in kinds
    names = {name for _, attributes in found.tags for name in attributes}
    assert not [name for name in names if name.startswith("on")]
    # Neither a template nor a formula is seen in a label, and what no page can hold is gone.
    assert "{{ 7 * 7 }}" in text and "$a_b$" in text
    assert "\uffff" not in text and "\x1b" not in text
    shown = " ".join(found.words)
    assert "<script>alert(1)</script>" in shown and "<!--" in shown


def test_it_loads_nothing(found: Page, text: str) -> None:
    for tag, attributes in found.tags:
        addresses = [
            attributes.get(name) for name in ("src", "href", "data", "srcset", "xlink:href")
        ]
        for address in filter(None, addresses):
            outside = tag == "a" and address.startswith("https://www.wikidata.org/wiki/")
            picture = "download" in attributes and address.startswith("data:image/svg+xml;base64,")
            assert outside or picture or address.startswith("#"), (tag, address)
    assert "@import" not in text and re.findall(r"url\((?!#)", text) == []
    assert "default-src 'none'" in text


def test_what_is_referred_to_is_there_once(found: Page, text: str) -> None:
    ids = [attributes["id"] for _, attributes in found.tags if "id" in attributes]
    assert len(set(ids)) == len(ids)
    assert {*re.findall(r"(?:href=\"|url\()#([^\")]+)", text)} <= {*ids}
    labelled = [a["aria-labelledby"] for _, a in found.tags if "aria-labelledby" in a]
    assert {*labelled} <= {*ids}
    drawings = [attributes for tag, attributes in found.tags if tag == "svg"]
    assert all({"aria-label", "aria-labelledby"} & {*one} for one in drawings)


def test_the_same_database_gives_the_same_bytes(db: Path, text: str, tmp_path: Path) -> None:
    # In another process, where sets have another order.
    command = [sys.executable, "-m", "kgbuild", "report", "-o", "r.html", "--db", str(db)]
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True)
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == text


def run(db: Path, *options: object) -> Result:
    return CliRunner().invoke(cli, ["report", *map(str, options), "--db", str(db)])


def test_a_page_takes_the_place_of_one_before_only_when_it_is_done(tmp_path: Path) -> None:
    output = tmp_path / "report.html"
    output.write_text("before")
    nowhere = run(tmp_path / "none.duckdb", "-o", output)
    assert nowhere.exit_code == 2 and "No datasets at" in nowhere.stderr
    elsewhere = tmp_path / "other.duckdb"
    with duckdb.connect(str(elsewhere)) as other:
        other.execute("CREATE TABLE syn_qa_pairs (a INTEGER)")
    foreign = run(elsewhere, "-o", output)
    assert (
        foreign.exit_code == 1
        and "does not have the tables of this version of kgbuild" in foreign.stderr
    )
    assert "Binder" not in foreign.stderr
    empty = tmp_path / "empty.duckdb"
    database(empty).write_scores([])
    done = run(empty, "-o", output)
    assert done.exit_code == 1 and "has nothing to report" in done.stderr
    assert output.read_text() == "before"
    assert run(empty).exit_code == 2


def test_what_is_not_there_is_left_out(tmp_path: Path) -> None:
    db = tmp_path / "scores.duckdb"
    database(db).write_scores([scored("accuracy", 0.5, model="m", removed=2, accuracy=60)])
    output = tmp_path / "new" / "folder" / "report.html"
    done = run(db, "-o", output)
    assert done.exit_code == 0 and f"Written to {output}." in done.stderr
    found = Page(output.read_text(encoding="utf-8"))
    assert [a["id"] for tag, a in found.tags if tag == "section"] == ["scores"]
    assert (
        rows_of(found, "scores: GRANOLA: accuracy")[0][0] == "m · vanilla · 2 removed · 60 % right"
    )


def test_a_missing_package_is_named(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)  # as Python knows what is not there
    done = run(db, "-o", tmp_path / "report.html")
    assert done.exit_code == 1
    assert "needs jinja2" in done.stderr and "kgbuild[report]" in done.stderr
    assert [*tmp_path.iterdir()] == []


def test_the_seed_chooses_rows_of_as_many_relations_as_there_are(tmp_path: Path) -> None:
    db = tmp_path / "a.duckdb"
    builds = [
        Built(pid, {"syn_qa_pairs": [
            asdict(replace(pair(f"{pid}-{n}", pid, "?", "?", "absent"), relation_label=pid))
            for n in range(count)
        ]})
        for pid, count in (("P26", 30), ("P40", 30), ("P22", 1))
    ]  # fmt: skip
    database(db).write(Build(dataset("syn_qa"), builds, SOURCE))

    def chosen(seed: int) -> list[str]:
        with database(db).reading() as select:
            return [view.id for view in contents(select, dataset("syn_qa"), seed).views]

    assert {one.split("-")[0] for one in chosen(0)[:3]} == {"P26", "P40", "P22"}
    assert len(chosen(0)) == 4 and chosen(0) == chosen(0) != chosen(1)


def test_bins_of_a_logarithmic_scale_are_those_of_all_tables() -> None:
    counts = {n: n + 1 for n in (0, 1, 2, 3, 999, 1000, 3000)}
    rows = [{"at": at, "value": value} for at, value in counts.items()]
    made = {row["label"]: row["value"] for row in binned(rows, "log", 0)}
    # Two for each power of ten; those between that hold nothing are there, too.
    assert made == {
        **{"0": 1, "1–2": 5, "3–9": 4, "10–29": 0, "30–99": 0, "100–299": 0, "300–999": 1000},
        **{"1,000–2,999": 1001, "3,000–9,999": 3001},
    }
    assert [one.label for one in logarithmic({4: 1})] == ["3–9"]


def test_bins_of_a_linear_scale_are_equally_wide_and_what_is_far_beyond_is_apart() -> None:
    few = linear({3: 1, 12: 1, 14: 1})
    assert [one.label for one in few] == [str(n) for n in range(3, 15)]
    # 16 bins at most: 1 to 40 in twos would be 20 of them, so they are of five.
    many = linear(dict.fromkeys(range(1, 41), 1))
    assert [one.label for one in many] == [f"{n}–{n + 4}" for n in range(0, 41, 5)]
    # One of two hundred rows lies far beyond.
    assert [one.label for one in linear({1: 100, 2: 99, 1000: 1})] == ["1", "2", "3 +"]
    assert [one.label for one in linear({0.4: 1, 0.8: 1}, 0.25)] == [
        *("0.25–0.5", "0.5–0.75", "0.75–1")
    ]
    # Bins of fractions are as fine as the fractions: risks of 0.1 % and less.
    risks = linear({n / 1000: 1 for n in range(1, 100)})
    assert [one.label for one in risks][:2] == ["0–0.01", "0.01–0.02"] and len(risks) == 10


def boxes(svg: str) -> dict[str, tuple[float, float]]:
    """Return the names in the boxes of a drawing, with their places."""
    groups = [g for g in ET.fromstring(svg).iter("g") if g.get("class") in ("box", "start")]
    last = [[*group.iter("text")][-1] for group in groups]
    return {one.text or "": (float(one.get("x", 0)), float(one.get("y", 0))) for one in last}


def test_boxes_hang_at_those_that_they_are_joined_to() -> None:
    # Of b and d, which a has, b has c: a tree that is read from the top.
    facts = [Fact("a", "has", "b"), Fact("a", "has", "d"), Fact("b", "in", "c")]
    places = boxes(draw(facts, ["a"], lambda node: {"b": "Bonn"}.get(node, node)))
    assert [*places] == ["a", "Bonn", "c", "d"]
    xs, ys = zip(*places.values(), strict=True)
    assert [*ys] == sorted({*ys}) and xs[0] < xs[1] < xs[2] and xs[3] == xs[1]


def test_an_assumption_is_crossed_and_a_property_stands_in_the_box() -> None:
    facts = [Fact("a", "father", "c"), Fact("b", "father", "c", is_assumed=True)]
    same = ET.fromstring(draw(facts, ["a", "b"], str))
    assert [one.text for one in same.iter("text")].count("father") == 1
    assert len([path for path in same.iter("path") if path.get("class") == "cross"]) == 1
    # What a start is joined to by two facts names both; an arrow tells that one points up.
    joined = [Fact("a", "spouse", "b"), Fact("b", "student", "a"), Fact("a", "of", "b")]
    texts = [one.text for one in ET.fromstring(draw(joined, ["a", "b"], str)).iter("text")]
    assert sorted(filter(None, texts)) == ["a", "b", "spouse, ↑ student, of", "student"]


def test_what_nothing_leads_to_is_drawn_all_the_same() -> None:
    assert {*boxes(draw([Fact("x", "p", "y")], ["a"], str))} == {"x", "y"}


def test_a_drawing_is_as_narrow_as_a_phone_however_deep_it_is() -> None:
    chain = [Fact(f"Q{n}", "in", f"Q{n + 1}") for n in range(12)]
    svg = ET.fromstring(draw([*chain, Fact("Q0", "in", "Q9")], ["Q0"], str))
    assert float(svg.get("width", 0)) <= 300


NOBODY = ReportNames({}, lambda _: None)


def test_a_pair_of_which_no_items_are_known_has_no_drawing() -> None:
    asked = asdict(pair("p", "hotpot.json", "A?", "B?", "absent"))
    unknown = {"subject_qid": None, "replacement_qid": None, "object_qid": None, "risk": None}
    (view,) = syn_qa_view({"syn_qa_pairs": [{**asked, **unknown}]})
    shown = sample(view, NOBODY)
    assert shown.drawing == "" and shown.table is None and not shown.triples
    assert shown.marks[0] == "hotpot.json"


def test_a_triple_that_proves_both_questions_is_shown_once() -> None:
    asked = asdict(pair("p", "P26", "A?", "B?", "contradicted"))
    asked["evidence"] = asked["falsity_evidence"] = [triple("Q1", "P26", "Q2")]
    (view,) = syn_qa_view({"syn_qa_pairs": [asked]})
    assert [fact[:3] for fact in view.facts if not fact.is_assumed] == [("Q1", "P26", "Q2")]


def test_shared_values_are_named_or_only_counted() -> None:
    asked = asdict(pair("p", "P26", "A?", "B?", "absent"))
    shared = [("P21", "Q6581072"), ("P106", "Q42"), ("P569", "1900-01-01"), ("P21", "Q43")]
    asked["shared"] = [{"property": pid, "value": value} for pid, value in shared]
    (view,) = syn_qa_view({"syn_qa_pairs": [asked]})
    shown = sample(view, ReportNames({"Q43": "from the tables"}, lambda _: None)).table
    assert shown is not None
    # The program itself knows the label of one, which most items share.
    rows = [
        ["sex or gender", "female"],
        ["date of birth", "1900-01-01"],
        ["sex or gender", "from the tables"],
    ]
    assert shown.rows == rows and shown.caption == "What both share (1 more have no label)"
    stored = sample(view, ReportNames({}, {"Q42": "a writer", "Q43": "?"}.get)).table
    assert stored is not None and ["occupation", "a writer"] in [[*row] for row in stored.rows[1:2]]
    asked["shared"] = [{"property": "P106", "value": "Q42"}]
    (view,) = syn_qa_view({"syn_qa_pairs": [asked]})
    # A table without rows has no columns to draw.
    assert sample(view, ReportNames({}, lambda _: None)).table is None


def test_columns_of_charts_end_at_about_the_same_height() -> None:
    def chart(name: str, tall: int) -> Figure:
        return Figure(name, "", "", f'<svg height="{tall}"></svg>', "", Table("", [], []))

    # The title of each is as high as 110. In their order, a fifth and sixth would stand below b.
    tall = {"a": 120, "b": 600, "c": 120, "d": 270, "e": 90}
    section = Section("", "", "", figures=[chart(*one) for one in tall.items()])
    columns = [[(place, one.name) for place, one in column] for column in section.columns]
    assert columns == [[(0, "a"), (2, "c"), (3, "d")], [(1, "b"), (4, "e")]]
    alone = Section("", "", "", figures=[chart("a", 9)])
    assert [len(column) for column in alone.columns] == [1]


def test_names_that_are_too_long_are_cut() -> None:
    assert short("a" * 34, 300) == "a" * 34  # 0.63 · 13 pixels each: 278
    assert short("W" * 34, 300) == "W" * 20 + "…"  # 1.08 · 13 pixels each, as the dots: 295
    assert short("路" * 34, 100) == "路" * 6 + "…"
    assert short("", 3) == "" and width("") == 0


def test_labels_that_are_wider_than_a_phone_continue_on_a_second_line() -> None:
    model = "meta-llama/Llama-3.3-70B-Instruct · chain-of-thought · false"
    first, second = two_lines(model, 290, 12)
    assert f"{first} {second}" == model  # broken at a space, and not cut
    assert two_lines(model, 230, 12)[0] == "meta-llama/Llama-3.3-70B-"  # or at another sign
    assert two_lines("W" * 40, 300) == ["W" * 20, "W" * 20]
    assert two_lines("W" * 99, 300) == ["W" * 20, "W" * 20 + "…"]
    assert two_lines("Lund", 300) == ["Lund"]
    # The values and what is below move down: no text lies upon another.
    points = [Point(model, 0.5, low=0.4, high=0.6), Point("Lund", 0.5, low=0.4, high=0.6)]
    for draw_one in (charts.bars, charts.estimates, charts.intervals):
        root = ET.fromstring(draw_one("one", points, "models", "shares"))
        rows = [(text.get("y"), text.get("text-anchor")) for text in root.iter("text")]
        assert len({*rows}) == len(rows) == 7


@pytest.mark.parametrize("draw_one", [*charts.KINDS.values()])
def test_charts_have_the_colours_and_the_fonts_of_the_page(draw_one: Any) -> None:
    points = [Point("a", 0.0, low=0.0, high=0.5, tick="1"), Point(BAD, 0.25, tick="2 +")]
    svg = draw_one("one", points, "things", "shares")
    root = ET.fromstring(svg)
    texts = [one.text for one in root.iter("text")]
    assert "things" in texts and "shares" in texts
    assert "var(--one)" in svg and "font" not in svg and "xmlns" not in svg
    # All colours are the page's own.
    assert re.findall(r"#[0-9a-f]{6}", svg) == []
    assert draw_one("one", points, "things", "shares") == svg


_TOO_WIDE = """
[...document.querySelectorAll(".drawing .box, .drawing .start")].flatMap(group =>
    [...group.querySelectorAll("text")]
        .filter(text => text.getBBox().width > group.querySelector("rect").getBBox().width)
        .map(text => text.textContent))
"""

_WIDEST_DRAWING = """
Math.max(...[...document.querySelectorAll("svg")].map(svg => svg.getBoundingClientRect().right))
"""
_SMALLEST_TEXT = """
Math.min(...[...document.querySelectorAll("svg text")].map(text =>
    parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a))
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Return a running Chromium; skip where there is none."""
    api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("needs chromium: apt-get install chromium")
    with api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield running
        running.close()


def test_a_browser_shows_it_without_errors_however_narrow(
    browser: Any, text: str, tmp_path: Path
) -> None:
    file = tmp_path / "report.html"
    file.write_text(text, encoding="utf-8")
    for scheme in ("light", "dark"):
        said: list[str] = []
        asked: list[str] = []
        shown = browser.new_page(viewport={"width": 360, "height": 800}, color_scheme=scheme)
        shown.on("console", lambda message: said.append(message.text))  # noqa: B023
        shown.on("pageerror", lambda error: said.append(str(error)))  # noqa: B023
        shown.on("request", lambda request: asked.append(request.url))  # noqa: B023
        shown.on("dialog", lambda dialog: said.append(dialog.message))  # noqa: B023
        shown.goto(file.as_uri())
        shown.eval_on_selector_all("details", "all => all.forEach(one => one.open = true)")
        assert said == [] and asked == [file.as_uri()]
        # The page itself never scrolls sideways; wide tables do so in a frame of their own.
        assert shown.evaluate("document.documentElement.scrollWidth") == 360
        # No name is wider than the box that it stands in.
        assert shown.evaluate(_TOO_WIDE) == []
        # Drawings are as narrow as the screen, and no text is smaller than 11 pixels.
        assert shown.evaluate(_WIDEST_DRAWING) <= 360
        assert shown.evaluate(_SMALLEST_TEXT) >= 11
        # A chart is drawn, in a colour that the page defines.
        bar = "getComputedStyle(document.querySelector('.chart rect[style*=\"--one\"]')).fill"
        assert (
            shown.evaluate(bar)
            == {"light": "rgb(10, 106, 156)", "dark": "rgb(88, 180, 232)"}[scheme]
        )
        shown.close()


def test_a_picture_is_downloaded_without_a_script(browser: Any, text: str, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(text, encoding="utf-8")
    shown = browser.new_page()
    shown.goto(file.as_uri())
    for link in ("#syn-qa-overlap .download", ".drawing .download"):
        with shown.expect_download() as download:
            shown.click(link)
        picture = tmp_path / download.value.suggested_filename
        download.value.save_as(picture)
        assert picture.suffix == ".svg"
        # It stands alone: it has a size and colours, and a browser shows it.
        shown_alone = browser.new_page()
        shown_alone.goto(picture.as_uri())
        box = shown_alone.evaluate("document.documentElement.getBoundingClientRect().toJSON()")
        assert box["width"] > 200 and box["height"] > 50
        fills = "[...document.querySelectorAll('rect')].map(one => getComputedStyle(one).fill)"
        assert "rgb(10, 106, 156)" in shown_alone.evaluate(fills) or "drawing" in link
        shown_alone.close()
    shown.close()
