"""A language model on this machine, which the tests make."""

import json
import math
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from kgbuild.datasets import database
from kgbuild.errors import NoModelError
from kgbuild.models.chat import Failure, Message, Reply, Request
from kgbuild.models.local.model import LocalModel
from kgbuild.models.settings import Settings
from tests.conftest import commands
from tests.test_embed import LEARNT, LONGEST, save_causal_model

pytestmark = pytest.mark.extras
TEMPLATE = (
    "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system') }}{% endif %}"
    "{% for m in messages %}{{ m['content'] }}{% endfor %}"
)
"""A chat template that knows no system message, and adds nothing."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the folder of a model that has learnt a text by heart, one byte a token."""
    return save_causal_model(tmp_path_factory.mktemp("causal"), LEARNT)


@pytest.fixture
def make(folder: str, tmp_path: Path) -> Callable[..., LocalModel]:
    def model(name: str = "r", **options: object) -> LocalModel:
        return LocalModel(f"hf:{folder}", tmp_path / f"{name}.sqlite", **options)  # type: ignore[arg-type]

    return model


def request(text: str, tokens: int = 8, **fields: float) -> Request:
    return Request((Message("user", text),), tokens, **fields)  # type: ignore[arg-type]


def texts(replies: list[Reply | Failure]) -> list[str]:
    return [reply.text for reply in replies if isinstance(reply, Reply)]


def test_it_continues_what_it_has_learnt(make: Callable[..., LocalModel]) -> None:
    model = make()
    prompts = ["Orlanda Veitch was", "Orlanda", "Orlanda Veitch was born in"]
    done: list[int] = []
    replies = model.ask([request(text) for text in prompts], lambda n, _: done.append(n))
    # Prompts of different lengths are one batch, and do not disturb each other.
    assert texts(replies) == [LEARNT[len(text) : len(text) + 8] for text in prompts]
    assert all(isinstance(reply, Reply) and reply.was_cut for reply in replies)
    assert (model.used.requests, model.used.tokens_out) == (3, 24)
    assert model.used.tokens_in == sum(map(len, prompts)) and done == [0, 1, 2, 3]
    assert model.ask([request(prompts[0])]) == replies[:1] and model.used.cached == 1


def test_files_of_the_model_set_no_parameters(folder: str, tmp_path: Path) -> None:
    """A penalty in generation_config.json gives another text, and no one sees why."""
    import transformers

    copy = tmp_path / "model"
    shutil.copytree(folder, copy)
    transformers.GenerationConfig(repetition_penalty=50.0).save_pretrained(copy)
    (reply,) = LocalModel(f"hf:{copy}", tmp_path / "r.sqlite").ask([request("Orlanda", 40)])
    assert isinstance(reply, Reply) and reply.text == LEARNT[7:47]
    settings = json.loads(reply.parameters)
    assert settings["max_tokens"] == 40 and "top_p" in settings


def test_confidence_is_the_mean_probability_of_the_tokens(make: Callable[..., LocalModel]) -> None:
    sure, unsure, cut = make().ask(
        [request("Orlanda Veitch"), request("0123 zzz", 40), request("Orlanda Veitch", 3)]
    )
    assert isinstance(sure, Reply) and isinstance(unsure, Reply) and isinstance(cut, Reply)
    assert sure.confidence and unsure.confidence and cut.confidence
    assert 0.9 < sure.confidence <= 1  # it knows this by heart
    assert 0 < unsure.confidence < sure.confidence
    import torch
    import transformers

    folder = make().name.removeprefix("hf:")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    # Three tokens of a text that it learnt; other texts may be encoded by other tokens than these.
    first = len(tokenizer.encode("Orlanda Veitch"))
    tokens = tokenizer.encode("Orlanda Veitch" + cut.text)
    assert len(tokens) == first + 3
    with torch.inference_mode():
        logprobs = model(torch.tensor([tokens])).logits[0].log_softmax(-1)
    mean = sum(float(logprobs[n - 1, tokens[n]]) for n in range(first, len(tokens))) / 3
    assert cut.confidence == pytest.approx(math.exp(mean), rel=1e-3)


def test_samples_differ_and_are_always_the_same(make: Callable[..., LocalModel]) -> None:
    requests = [request("Orlanda", 12, temperature=5, sample=n) for n in range(4)]
    first = texts(make("a").ask(requests))
    assert len({*first}) == 4
    # Nothing depends on the other requests of a batch, or on their order.
    assert texts(make("b").ask(requests[2:])) == first[2:]
    assert texts(make("c").ask([*requests[::-1], request("Graz")]))[:4] == first[::-1]
    assert texts(make("d", settings=Settings(seed=1)).ask(requests)) != first
    # Of the likeliest tokens that have almost no probability, one is left.
    greedy = texts(make("e").ask([request("Orlanda", 12)]))
    assert texts(make("f", settings=Settings(top_p=1e-9)).ask(requests)) == greedy * 4


def test_a_request_that_is_too_long_is_refused(make: Callable[..., LocalModel]) -> None:
    long, fitting = make().ask([request("x" * LONGEST), request("x" * (LONGEST - 3))])
    detail = f"it has {LONGEST} tokens, and the model reads {LONGEST}"
    assert long == Failure("refused", detail)
    assert isinstance(fitting, Reply) and fitting.tokens_out == 3  # the room that is left


def test_the_budget_ends_the_run(make: Callable[..., LocalModel]) -> None:
    model = make(budget=10)
    replies = model.ask([request(f"{n:03}", 2) for n in range(40)])
    assert sum(isinstance(reply, Reply) for reply in replies) == 16  # the first batch
    assert {reply.reason for reply in replies if isinstance(reply, Failure)} == {"budget"}


def test_a_chat_template_frames_the_messages(tmp_path: Path) -> None:
    folder = save_causal_model(tmp_path / "model", LEARNT)
    (tmp_path / "model" / "chat_template.jinja").write_text(TEMPLATE, encoding="utf-8")
    model = LocalModel(f"hf:{folder}", tmp_path / "r.sqlite", settings=Settings(system="Orlanda"))
    (reply,) = model.ask([request("Veitch")])
    # The template takes no system message, so that stands before the question.
    assert isinstance(reply, Reply) and reply.tokens_in == len("Orlanda\n\nVeitch")


def test_what_is_no_model_is_an_error(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers")
    with pytest.raises(NoModelError):
        LocalModel(f"hf:{tmp_path}", tmp_path / "r.sqlite").ask([request("x")])


def test_a_dataset_is_asked_without_a_server(
    folder: str, tmp_path: Path, sample_store: Path
) -> None:
    db = tmp_path / "sets.duckdb"
    run = commands(KGBUILD_DB=db, KGBUILD_STORE=sample_store)
    prompt = tmp_path / "short.txt"
    prompt.write_text("{question}", encoding="utf-8")
    assert run("granola", "--relations", "P19", "--limit", 2).exit_code == 0
    ask = ("ask", "granola", "--model", f"hf:{folder}", "--protocol", "vanilla")
    short = ("--prompt", prompt, "--max-tokens", 5)
    assert run(*ask, *short).exit_code == 0
    rows = database(db).sql("SELECT model, tokens_out, finish_reason FROM predictions").rows
    assert rows == [(f"hf:{folder}", 5, "length")] * 2
    assert run("score", "granola").exit_code == 0
    for option in (("--base-url", "http://x"), ("--timeout", 3), ("--batch-out", tmp_path / "b")):
        assert run(*ask, *option).exit_code == 2


def test_the_likeliest_choice_is_the_reply(make: Callable[..., LocalModel]) -> None:
    """What it has learnt is likelier than what it hasn't, and has most of the likelihood."""
    asked = [
        Request((Message("user", "Orlanda Veitch was born in"),), 1, choices=texts)
        for texts in (("Graz", "Lund"), ("Graz",))
    ]
    model = make()
    best, only = model.ask(asked)
    assert isinstance(best, Reply) and isinstance(only, Reply)
    assert (best.text, only.text, only.confidence) == ("Lund", "Graz", 1)
    assert best.confidence and best.confidence > 0.9
    assert model.ask(asked)[0] == best and model.used.cached == 2
    # Texts of other lengths in the same batch change no likelihood.
    generator = model._generator
    pair = generator.likelihoods("Orlanda Veitch was born in", ["Lund", "Lund. She taught"])
    alone = generator.likelihoods("Orlanda Veitch was born in", ["Lund"])
    assert pair[0] == pytest.approx(alone[0], abs=1e-4)


def test_datasets_are_asked_by_likelihood(folder: str, tmp_path: Path, sample_store: Path) -> None:
    db = tmp_path / "sets.duckdb"
    run = commands(KGBUILD_DB=db, KGBUILD_STORE=sample_store)
    assert run("granola", "--relations", "P19", "--limit", 5).exit_code == 0
    assert run("syn-qa", "--relations", "P26", "--limit", 1).exit_code == 0
    prompt = tmp_path / "short.txt"  # the model reads 96 tokens, which are bytes
    prompt.write_text("{question}", encoding="utf-8")
    for dataset in ("granola", "syn-qa"):
        ask = ("ask", dataset, "--protocol", "likelihood", "--prompt", prompt, "--model")
        done = run(*ask, f"hf:{folder}")
        assert done.exit_code == 0, done.output
        scored = json.loads(run("score", dataset, "--json").stdout)
        assert [row["protocol"] for row in scored] == ["likelihood@short"]
        assert "ece" in scored[0]  # its share of the likelihoods is its confidence
        refused = run(*ask, "parrot", "--base-url", "http://127.0.0.1:9")
        assert refused.exit_code == 2 and "needs likelihoods, so a model on this machine" in (
            refused.stderr
        )
    said = database(db).sql(
        "SELECT count(*), bool_and(text IN (SELECT answer FROM granola_answers)),"
        " bool_and(confidence BETWEEN 0 AND 1) FROM predictions WHERE dataset = 'granola'"
    )
    assert said.rows == [(5, True, True)]
