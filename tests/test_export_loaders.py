"""Releases are loaded by those whom they are for: the real libraries, without a network."""

import importlib
import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kgbuild.datasets.biokalma.scoring.prompts import PROTOCOLS
from kgbuild.export.cards import card
from kgbuild.models.chat import Request
from tests.conftest import ROOT
from tests.http_servers import Handler, running
from tests.test_export import DATASET, all_rows, asked_of_biokalma, db, releases

__all__ = ["db", "releases"]  # fixtures, which pytest finds by their names here
pytestmark = pytest.mark.extras
for loader in ("datasets", "lm_eval", "mlcroissant"):
    if importlib.util.find_spec(loader) is None:
        pytest.skip(f"needs {loader}: make test-extras", allow_module_level=True)


@pytest.fixture(autouse=True)
def no_network(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the loaders from the hub, and let them cache in a folder of their own."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path_factory.mktemp("cache")))


@pytest.mark.parametrize("name", DATASET)
def test_datasets_loads_each_table(name: str, releases: Path, tmp_path: Path) -> None:
    datasets = importlib.import_module("datasets")
    folder = str(releases / name)
    told = card(DATASET[name], {})
    first = datasets.load_dataset(folder, cache_dir=str(tmp_path))  # the default one
    for table in told.tables:
        if table.name == "verifications":  # nothing was verified
            continue
        loaded = datasets.load_dataset(folder, table.name, cache_dir=str(tmp_path))
        files = sorted((releases / name / "jsonl" / table.name).glob("*.jsonl"))
        assert list(loaded) == [file.stem for file in files if file.stat().st_size]
        found = [row for split in loaded.values() for row in split]
        assert found == [
            row for split in loaded for row in all_rows_of(releases / name, table.name, split)
        ]
        if table == told.tables[0]:
            assert [*first["test"]] == [*loaded["test"]]


def all_rows_of(release: Path, table: str, split: str) -> list[dict[str, object]]:
    file = release / "jsonl" / table / f"{split}.jsonl"
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_the_documented_line_pushes_a_release(releases: Path) -> None:
    """The line of docs/export.md asks a hub for a dataset; this one refuses, so none is sent."""
    text = (ROOT / "docs" / "export.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"^\$ (hf upload .*)", text, re.M)
    asked: list[dict[str, object]] = []

    class Hub(Handler):
        def respond(self) -> None:
            asked.append({"path": self.path, **json.loads(self.sent())})
            self.send_error(401)

    with running(Hub, lambda at: {"HF_ENDPOINT": at, "HF_TOKEN": "hf_none"}) as hub:
        words = line.replace("release/granola", str(releases / "granola")).split()
        command = [str(Path(sys.executable).with_name(words[0])), *words[1:]]
        environment = {**os.environ, **hub, "HF_HUB_OFFLINE": "0"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr  # and not 2, that of a wrong call
    assert asked[0]["path"] == "/api/repos/create"
    assert (asked[0]["name"], asked[0]["organization"]) == ("granola", "my-name")
    assert asked[0]["type"] == "dataset"


@pytest.mark.parametrize("name", DATASET)
def test_the_hub_understands_the_card(name: str, releases: Path) -> None:
    hub = importlib.import_module("huggingface_hub")
    told = hub.DatasetCard.load(releases / name / "README.md").data
    assert told.license == ["cc0-1.0"] and told.language == ["en"]
    assert {one["config_name"] for one in told.configs} == {
        table.name for table in card(DATASET[name], {}).tables if table.name != "verifications"
    }


@pytest.mark.parametrize("name", DATASET)
def test_croissant_is_valid_and_its_records_are_the_rows(name: str, releases: Path) -> None:
    mlcroissant = importlib.import_module("mlcroissant")
    loaded = mlcroissant.Dataset(releases / name / "croissant.json")
    assert not loaded.metadata.ctx.issues.errors
    assert not loaded.metadata.ctx.issues.warnings
    assert loaded.metadata.data_biases and loaded.metadata.personal_sensitive_information
    for records in loaded.metadata.record_sets:
        found = [_plain(record, records.id) for record in loaded.records(records.id)]
        # Croissant has no form for lists in a list of records.
        wanted = [
            {
                key: value
                for key, value in row.items()
                if not isinstance(value, dict) and (name, key) != ("granola", "levels")
            }
            for row in all_rows(releases / name, records.id)
        ]
        assert len(found) == len(wanted)
        assert {_key(row) for row in found} == {_key(row) for row in wanted}


def _plain(value: object, prefix: str) -> object:
    """Return a record with plain names, texts and lists, without what is a record of texts."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list):
        return [_plain(one, prefix) for one in value]
    if isinstance(value, dict):
        return {key.rpartition("/")[2]: _plain(one, prefix) for key, one in value.items()}
    return value


def _key(row: object) -> str:
    assert isinstance(row, dict)
    kept = {key: value for key, value in row.items() if key not in ("conditions", "metadata")}
    return json.dumps(kept, sort_keys=True)


def test_the_harness_runs_the_tasks_of_all_releases_at_once(
    db: Path, releases: Path, tmp_path: Path
) -> None:
    command = [sys.executable, "-B", "-m", "lm_eval", "--model", "dummy", "--limit", "4"]
    command += ["--include_path", str(releases), "--tasks"]
    command += ["kgbuild_syn_qa,kgbuild_granola,kgbuild_biokalma"]
    done = subprocess.run(
        [*command, "--log_samples", "--output_path", str(tmp_path)],
        env={**os.environ},
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    (told,) = tmp_path.rglob("results*.json")
    results = json.loads(told.read_text())["results"]
    assert {path.stem for path in releases.glob("*/tasks/*.yaml")} <= {*results}
    # What the dummy says is neither yes nor no, no answer to anything, and cites nothing.
    for name, value in (("accuracy,none", 0.0), ("uncited,none", 1.0)):
        assert {result[name] for result in results.values() if name in result} == {value}
    for name in ("accuracy", "uncited"):  # all or none: the errors of Wilson's intervals
        shown = [result for result in results.values() if f"{name},none" in result]
        assert shown and all(0 < result[f"{name}_stderr,none"] < 0.2 for result in shown)
    (file,) = tmp_path.rglob("samples_kgbuild_granola_sampled_*.jsonl")
    sample = json.loads(file.read_text(encoding="utf-8").splitlines()[0])
    assert sample["resps"] == [["lol"] * 10]  # what the dummy says
    assert sample["arguments"]["gen_args_0"]["arg_1"]["temperature"] == 0.7
    _check_prompts(asked_of_biokalma(db), tmp_path)


_CITING = """
import sys, runpy
utils = runpy.run_path(sys.argv[1])
said = []
for question in utils["load"](["test"], "specific")["test"]:
    item, label, value = question["knowledge"][0]
    text = f"{label}: {value} [{item}, {label}: {value}]."
    said.append(utils["process"](question, [text])["alignment"])
print(len(said) > 1, 0 <= utils["alignment"](said) <= 1)
"""


def test_the_harness_scores_citations(releases: Path, tmp_path: Path) -> None:
    # A table of the library has the keys of all records in each one: ids may be no keys.
    utils = str(releases / "biokalma" / "tasks" / "utils.py")
    done = subprocess.run(
        [sys.executable, "-B", "-c", _CITING, utils], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.stdout == "True True\n", done.stderr


def _check_prompts(asked: dict[tuple[str, str], Request], results: Path) -> None:
    """Check that the model was asked as by ``kgbuild ask``, the turns one after the other."""
    for protocol in PROTOCOLS:
        (file,) = results.rglob(f"samples_kgbuild_biokalma_{protocol}_*.jsonl")
        samples = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        assert samples
        for sample in samples:
            messages = asked[sample["doc"]["question_id"], protocol].messages
            said = sample["arguments"]["gen_args_0"]["arg_0"]
            assert said == "\n\n".join(turn.content for turn in messages)


def test_examples_are_of_dev(releases: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-B", "-m", "lm_eval", "--model", "dummy", "--limit", "2"]
    command += ["--include_path", str(releases / "granola" / "tasks"), "--num_fewshot", "1"]
    done = subprocess.run(
        [*command, "--tasks", "kgbuild_granola_vanilla", "--log_samples", "--output_path", "out"],
        env={**os.environ},
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    questions = {row["question"] for row in all_rows_of(releases / "granola", "questions", "dev")}
    (file,) = tmp_path.rglob("samples_*.jsonl")
    for line in file.read_text(encoding="utf-8").splitlines():
        text = json.loads(line)["arguments"]["gen_args_0"]["arg_0"]
        # The question of the example comes first, then that of the test set.
        assert sum(question in text for question in questions) == 1
        assert text.endswith(f"Question: {json.loads(line)['doc']['question']}\nAnswer:")
