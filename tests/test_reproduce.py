"""The scripts of docs/reproduce run on a small database, with a stand-in for the model."""

import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import kgbuild
from kgbuild.cli import cli
from kgbuild.datasets import database
from kgbuild.drawing.text import number
from tests.chat_server import ChatServer
from tests.conftest import ROOT, invoke
from tests.stand_in import StandIn

SCRIPTS = ROOT / "docs" / "reproduce"
PAGE = (ROOT / "docs" / "reproduce.md").read_text(encoding="utf-8")
Run = Callable[..., str]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, sample_store: Path) -> Path:
    """Return a database with some questions of each dataset."""
    db = tmp_path_factory.mktemp("reproduce") / "sets.duckdb"
    where = {"KGBUILD_STORE": str(sample_store), "KGBUILD_DB": str(db)}
    for command in (
        "syn-qa --relations P26,P69 --limit 4",
        "granola --relations P19 --limit 6",
        "biokalma --relations P26 --limit 3",
        "grouse --limit 2",
    ):
        done = CliRunner().invoke(cli, command.split(), env=where)
        assert done.exit_code == 0, done.output
    return db


@pytest.fixture
def db(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(made, tmp_path / "sets.duckdb"))


@pytest.fixture
def server(server: ChatServer, db: Path) -> ChatServer:
    server.say = StandIn(db)
    return server


CLIENT = """#!{python} -IS
import json, socket, sys
with socket.socket(socket.AF_UNIX) as connection, connection.makefile("rw") as file:
    connection.connect("kgbuild.socket")
    print(json.dumps(sys.argv[1:]), file=file, flush=True)
    code, out, err = json.loads(file.readline())
sys.stdout.buffer.write(out.encode())
sys.stderr.buffer.write(err.encode())
sys.exit(code)
"""
"""The program of scripts, whose commands this process runs: each would take a second to start."""


@pytest.fixture
def run(db: Path, server: ChatServer, tmp_path: Path, sample_store: Path) -> Run:
    """Return a function that runs a script with the models "parrot" and "judge"."""
    program = tmp_path / "bin" / "kgbuild"
    program.parent.mkdir()
    program.write_text(CLIENT.format(python=sys.executable), encoding="utf-8")
    program.chmod(0o755)
    where = {
        "OPENAI_BASE_URL": server.url,
        "KGBUILD_DB": str(db),
        "KGBUILD_STORE": str(sample_store),
        "COLUMNS": "160",
    }

    def call(name: str, *models: str, **more: str) -> str:
        command = ["sh", SCRIPTS / name, *(models or ("parrot",))]
        environment = {"PATH": f"{program.parent}:{os.environ['PATH']}", **more}
        with (
            contextlib.chdir(tmp_path),
            socket.socket(socket.AF_UNIX) as listener,
            Path("printed").open("w") as printed,
            Path("told").open("w") as told,
        ):
            listener.bind("kgbuild.socket")
            listener.listen()
            listener.settimeout(0.05)
            process = subprocess.Popen(
                command, env={**os.environ, **environment}, stdout=printed, stderr=told
            )
            while process.poll() is None:
                with contextlib.suppress(TimeoutError):
                    answer(listener.accept()[0], where)
        text = (tmp_path / "printed").read_text(encoding="utf-8")
        assert process.returncode == 0, text + (tmp_path / "told").read_text(encoding="utf-8")
        return text

    return call


def answer(connection: socket.socket, where: dict[str, str]) -> None:
    """Run a command that comes over a connection, and return what it does over the same."""
    with connection, connection.makefile("rw") as file:
        done = invoke(Path.cwd(), *json.loads(file.readline()), **where)
        said = [done.returncode, done.stdout, done.stderr]
        print(json.dumps(said), file=file, flush=True)


def scores(db: Path, metric: str, where: str = "grouped_by = ''") -> dict[str, float]:
    sql = f"SELECT protocol, value FROM scores WHERE metric = '{metric}' AND {where}"
    return dict(database(db).sql(sql).rows)


def test_decoding_of_granola(run: Run, db: Path) -> None:
    shown = run("granola.sh", "parrot", "judge")
    accuracy, standard = scores(db, "accuracy"), scores(db, "standard")
    greedy = ("vanilla", "idk", "idk-if-uncertain", "granular")
    protocols = {*greedy, *(f"sampled+{by}" for by in ("graph", "majority", "model"))}
    assert accuracy == dict.fromkeys(protocols, 1)
    assert all(protocol in shown for protocol in protocols)
    # Most samples are right, and some are as coarse as can be: so is what they have in common.
    assert {name for name, value in standard.items() if value < 1} == {"sampled+graph"}
    assert scores(db, "accuracy", "grouped_by = 'popularity'") == accuracy


def test_abstention_by_confidence(run: Run, db: Path, server: ChatServer) -> None:
    knows, questions = StandIn(db), database(db).sql("SELECT question FROM granola_questions").rows
    unsure = {question for (question,) in questions[:2]}

    def is_unsure(sent: dict[str, Any]) -> bool:
        return any(question in sent["messages"][-1]["content"] for question in unsure)

    # It guesses two of six questions, and its samples of these are all different.
    server.say = lambda sent: f"Guess {len(server.sent)}" if is_unsure(sent) else knows(sent)
    server.confidence = lambda sent: 0.3 if is_unsure(sent) else 0.9
    shown = run("granola-confidence.sh")
    accuracy, given = scores(db, "accuracy"), scores(db, "selective_accuracy")
    assert accuracy["vanilla"] == accuracy["idk"] == accuracy["vanilla+logprobs 100 %"] == 4 / 6
    # Nobody is right more often, but what is left is right where the guesses are gone.
    for rows in ("vanilla+logprobs", "sampled+agreement"):
        assert [given[f"{rows} {rate} %"] for rate in (100, 90, 70, 60, 50)] == [
            *(pytest.approx(right / answers) for right, answers in ((4, 6), (4, 5), (4, 4))),
            *(1, 1),
        ]
    assert "sampled+agreement 50 %" in shown
    (sent,) = {bool(sent.get("logprobs")) for sent in server.sent if sent["temperature"]}
    assert not sent  # samples need no probabilities


def test_abstention_without_probabilities(run: Run, server: ChatServer) -> None:
    server.confidence = lambda _: 2  # which is none
    shown = run("granola-confidence.sh")
    assert "sampled+agreement 50 %" in shown and "vanilla+logprobs" not in shown


def test_detection_of_false_assumptions(run: Run, db: Path, tmp_path: Path) -> None:
    evidence = tmp_path / "results.jsonl"
    records = database(db).sql("SELECT pair_id, false_assumption FROM syn_qa_questions").rows
    lines = [
        json.dumps({"pair_id": pair, "false_assumption": truth, "evidence": ["A text."]})
        for pair, truth in records
    ]
    evidence.write_text("\n".join(lines), encoding="utf-8")
    run("syn-qa-detection.sh", EVIDENCE=str(evidence))
    protocols = ("zero-shot", "four-shot", "chain-of-thought", "with-search")
    assert scores(db, "accuracy") == dict.fromkeys(protocols, 1)
    assert scores(db, "bias") == dict.fromkeys(protocols, 0)
    assert scores(db, "accuracy", "grouped_by = 'hops'") == dict.fromkeys(protocols, 1)


def test_answers_to_false_assumptions(run: Run, db: Path, server: ChatServer) -> None:
    body = '--extra-body {"chat_template_kwargs":{"enable_thinking":false}}'
    run("syn-qa-generative.sh", "parrot", "judge", ASK_OPTIONS=body, JUDGE_OPTIONS="--top-p 0.5")
    options = {
        (sent["model"], "chat_template_kwargs" in sent, "top_p" in sent) for sent in server.sent
    }
    assert options == {("parrot", True, False), ("judge", False, True)}
    # The judge says yes to all, and so fails its control.
    whole = "judge = 'judge (control 20/40)' AND grouped_by = ''"
    assert scores(db, "acceptable", whole) == {"generative": 1}


def test_citations_of_biokalma(run: Run, db: Path) -> None:
    shown = run("biokalma-citations.sh")
    gold = "removed = 0 AND accuracy = 100"
    assert scores(db, "f1", gold) == {"specific": 1, "general": 1}
    removed = database(db).sql(
        "SELECT removed, max(value) FILTER (metric = 'recall'),"
        " max(value) FILTER (metric = 'na_recall') FROM scores"
        " WHERE protocol = 'specific' AND accuracy = 100 GROUP BY removed ORDER BY removed"
    )
    recalls = [recall for _, recall, _ in removed.rows]
    # What is removed cannot be cited, and is marked.
    assert recalls == sorted(recalls, reverse=True) and recalls[0] == 1 > recalls[-1]
    assert [round(na_recall, 1) for *_, na_recall in removed.rows[1:]] == [1.0] * 3
    rates = database(db).sql(
        "SELECT accuracy, value FROM scores WHERE metric = 'recall' AND removed = 0"
        " AND protocol = 'specific' ORDER BY accuracy DESC"
    )
    assert [rate for rate, _ in rates.rows] == [100, 80, 60, 40, 20]
    assert re.search(r"^parrot +specific +3 .*100%", shown, re.M)  # the table of [NA]
    # The report draws figures 4 and 5.
    kgbuild.write_report(db, page := db.with_name("report.html"))
    of_recall = {
        (what, pools): re.findall(r"(\d+), recall: ([\d.]+)", values)
        for what, pools, values in re.findall(
            r"BioKaLMA: (.*) of parrot · specific \(n = 3\), by ([^.<]+)\. (.*)</p>",
            page.read_text(encoding="utf-8"),
        )
    }
    pieces = [(number(count), number(recall)) for count, recall, _ in removed.rows]
    assert of_recall == {
        ("citations", "removed pieces"): pieces,
        ("citations", "right graphs (%)"): [
            (number(rate), number(one)) for rate, one in rates.rows
        ],
        ("[NA]", "removed pieces"): [(count, "1") for count, _ in pieces[1:]],
    }


def test_quality_of_texts(run: Run, db: Path, server: ChatServer) -> None:
    shown = run("biokalma-quality.sh", "parrot", "judge", QUALITY_LIMIT="2")
    metrics = re.findall(r"^parrot +\w+ +(\w+) ", shown, re.M)
    assert sorted(metrics) == sorted(2 * ("coherence", "consistency", "fluency", "relevance"))
    assert scores(db, "coherence", "judge = 'judge'") == {"specific": 5, "general": 5}
    # Two questions by two protocols, whose texts may be equal. Coherence and relevance are graded
    # with the text, the other two metrics without it, so equal answers are graded once.
    asked = sum(sent["model"] == "parrot" for sent in server.sent)
    ((answers,),) = kgbuild.database(db).sql("SELECT count(DISTINCT text) FROM predictions").rows
    assert 2 <= answers <= asked <= 4
    assert len(server.sent) - asked == (2 * asked + 2 * answers) * 5


def test_rates_of_instruct_qa(run: Run) -> None:
    shown = run("instruct-qa.sh", "parrot", "judge")
    rates = dict(re.findall(r"^parrot +(\S.*?) {2,}\d+ +(\S+)%", shown, re.M))
    # It answers with the finest answer, and the judge accepts everything: also half of the control.
    judged = rates["correctness (control 20/40)"], rates["faithfulness (control 20/40)"]
    assert (rates["exact match"], rates["recall"], *judged) == ("100.0",) * 4
    assert float(rates["K-precision"]) > 50
    refused = dict(re.findall(r"^parrot +(general\S*) +(\S+)", shown, re.M))
    # Without the knowledge it answers from memory, with [NA], which is no refusal.
    assert refused == {"general": "0.0", "general-irrelevant": "0.0"}


def test_tests_of_judges(run: Run, tmp_path: Path) -> None:
    shown = run("grouse.sh", "judge")
    # As generous as the baseline that always gives the highest grades, save for refusals.
    assert re.search(r"^judge +\d+% ", shown, re.M) and "always top" in shown
    assert (tmp_path / "grouse.html").exists()


def test_all_scripts_take_options_for_the_model_and_the_judge() -> None:
    for path in SCRIPTS.glob("*.sh"):
        for line in path.read_text(encoding="utf-8").splitlines():
            if match := re.search(r'kgbuild .*--model "\$(\w+)"', line):
                variable = "ASK_OPTIONS" if match[1] == "model" else "JUDGE_OPTIONS"
                assert f'--model "${match[1]}" ${{{variable}:-}}' in line, path


def test_the_page_and_the_command_for_all_name_every_script() -> None:
    names = {path.name for path in SCRIPTS.glob("*.sh")} - {"all.sh"}
    text = (SCRIPTS / "all.sh").read_text(encoding="utf-8")
    assert set(re.findall(r'"\$folder/([\w-]+\.sh)"', text)) == names
    assert {*re.findall(r"\(reproduce/([\w-]+\.sh)\)", PAGE)} == {*names, "all.sh"}
