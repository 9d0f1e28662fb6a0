"""Q²: its definition by hand, and the four models, which the tests make."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from kgbuild.cli import cli
from kgbuild.errors import NoModelError
from kgbuild.evaluate.instruct_qa import GroundedAnswer
from kgbuild.evaluate.q2 import Models, Pairs, add_q2
from kgbuild.models.local import nlp, questions, reading
from tests.test_retrieve import pipeline
from tests.test_score_biokalma import save_inference_model
from tests.test_score_instruct_qa import run, save, told

TEXT = "Ann was born in Graz"
ASKED = {"Ann": "who was born in Graz?", "Graz": "where was Ann born?"}
OTHER = "Ann was born in Lund"
REPLIES = {
    (ASKED["Ann"], TEXT): "Ann",
    (ASKED["Graz"], TEXT): "Graz",
    (ASKED["Ann"], OTHER): "",
    (ASKED["Graz"], OTHER): "Lund",
}
"""The replies to each question by a text."""
LEARNT = {
    **REPLIES,
    (ASKED["Graz"], "[UNK] " * 16): "",
    (ASKED["Graz"], "[UNK] " * 12 + OTHER): "Lund",
}
"""What the reader learns: the parts of a long text, too."""


def models(
    replies: Mapping[tuple[str, str], str] = REPLIES,
    classes: Mapping[tuple[str, str], str] | None = None,
) -> Models:
    """Return functions that look up what four models would say; the class is "neutral" if none."""
    return Models(
        lambda texts: [[phrase for phrase in ASKED if phrase in text] for text in texts],
        lambda pairs: [["which?", ASKED[phrase], ASKED[phrase] + "!"] for phrase, _ in pairs],
        lambda pairs: [replies.get(pair, "") for pair in pairs],
        lambda pairs: [(classes or {}).get(pair, "neutral") for pair in pairs],
    )


def q2(prediction: str, knowledge: str, models: Models) -> tuple[float, float]:
    measured: list[dict[str, float]] = [{}]
    add_q2(measured, [GroundedAnswer(prediction, [], [knowledge], "")], models)
    return measured[0]["Q² F1"], measured[0]["Q² NLI"]


def test_knowledge_that_says_the_same_has_all() -> None:
    assert q2(TEXT, TEXT, models()) == (1, 1)


def test_each_phrase_counts_by_its_reply() -> None:
    # Nobody was born in Graz by the knowledge, and Ann in Lund: both replies differ.
    assert q2(TEXT, OTHER, models()) == (0, 0)
    knowledge = "Ann was born near Graz"
    replies = {**REPLIES, (ASKED["Ann"], knowledge): "Ann", (ASKED["Graz"], knowledge): "near Graz"}
    inference = (f"{ASKED['Graz']} near Graz.", f"{ASKED['Graz']} Graz.")
    # "near Graz" has two words, one of which is the phrase: its F1 is 2/3.
    by_words = pytest.approx((1 + 2 / 3) / 2)
    assert q2(TEXT, knowledge, models(replies)) == (by_words, by_words)  # neutral: words decide
    assert q2(TEXT, knowledge, models(replies, {inference: "entailment"})) == (by_words, 1)
    assert q2(TEXT, knowledge, models(replies, {inference: "contradiction"})) == (by_words, 0.5)


def test_a_question_that_the_answer_does_not_answer_by_its_phrase_is_left_out() -> None:
    replies = {**REPLIES, (ASKED["Ann"], TEXT): "born", (ASKED["Ann"], OTHER): "Ann"}
    # Only the place is left, of which the knowledge says something else.
    assert q2(TEXT, OTHER, models(replies)) == (0, 0)
    # But its next question does: articles are no words.
    replies[ASKED["Ann"] + "!", TEXT] = "an Ann"
    replies[ASKED["Ann"] + "!", OTHER] = "Ann"
    assert q2(TEXT, OTHER, models(replies)) == (0.5, 0.5)


@pytest.mark.parametrize(
    ("verdict", "score"),
    [("entailment", 1), ("contradiction", 0), ("neutral", 0.5), ("other", 0.5)],
)
def test_an_answer_without_questions_is_classified_as_a_whole(verdict: str, score: float) -> None:
    assert q2("Yes", OTHER, models(classes={(OTHER, "Yes"): verdict})) == (score, score)


def test_an_empty_answer_has_nothing() -> None:
    assert q2("", OTHER, models(classes={(OTHER, ""): "entailment"})) == (0, 0)


def test_personal_questions_do_not_count() -> None:
    asking = models()._replace(questions=lambda pairs: [["Do you like Graz?"] for _ in pairs])
    replies = {("Do you like Graz?", TEXT): "Graz"}
    asking = asking._replace(replies=lambda pairs: [replies.get(pair, "") for pair in pairs])
    assert q2(TEXT, TEXT, asking) == (0.5, 0.5)  # without a question, the text as a whole


def test_equal_answers_are_asked_once() -> None:
    asked: list[Pairs] = []

    def replies(pairs: Pairs) -> Sequence[str]:
        asked.append(pairs)
        return [REPLIES.get(pair, "") for pair in pairs]

    answers = [GroundedAnswer(TEXT, [], [TEXT], "")] * 3 + [GroundedAnswer(TEXT, [], [], "")]
    measured: list[dict[str, float]] = [{} for _ in answers]
    add_q2(measured, answers, models()._replace(replies=replies))
    assert measured == [{"Q² F1": 1, "Q² NLI": 1}] * 3 + [{}]  # the last has no knowledge
    assert all(len(pairs) == len({*pairs}) for pairs in asked)


def vocabulary(texts: Sequence[str]) -> dict[str, int]:
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    words = sorted({word for text in texts for word in text.split()})
    return {word: number for number, word in enumerate([*special, *words])}


def save_tokenizer(folder: Path, texts: Sequence[str], single: str, pair: str) -> Any:
    """Save a tokenizer whose tokens are the words of texts, and return it."""
    import tokenizers
    import transformers

    words = vocabulary(texts)
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single=single,
        pair=pair,
        special_tokens=[(name, words[name]) for name in ("[CLS]", "[SEP]")],
    )
    wrapped = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]",
        sep_token="[SEP]", eos_token="[SEP]", model_max_length=32,
    )  # fmt: skip
    wrapped.save_pretrained(folder)
    return wrapped


def learn(model: Any, steps: int, rate: float = 0.01, **inputs: Any) -> None:
    """Teach a model what belongs to its inputs."""
    import torch

    optimizer = torch.optim.AdamW(model.parameters(), lr=rate)
    for _ in range(steps):
        model(**inputs).loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def save_question_model(folder: Path) -> str:
    """Save a small T5 that has learnt the questions for two phrases, and return its folder."""
    import torch
    import transformers

    torch.manual_seed(0)
    prompts = [f"answer: {phrase}  context: {TEXT}" for phrase in ASKED]
    targets = [f"question: {question}" for question in ASKED.values()]
    tokenizer = save_tokenizer(folder, [*prompts, *targets], "$A [SEP]", "$A $B [SEP]")
    config = transformers.T5Config(
        vocab_size=len(tokenizer), d_model=32, d_kv=16, d_ff=32, num_layers=1, num_heads=2,
        dropout_rate=0, pad_token_id=0, eos_token_id=3, decoder_start_token_id=0,
    )  # fmt: skip
    model = transformers.T5ForConditionalGeneration(config)
    inputs = tokenizer(prompts, return_tensors="pt", padding=True)
    labels = tokenizer(targets, return_tensors="pt", padding=True)["input_ids"]
    labels[labels == 0] = -100
    learn(model, 80, input_ids=inputs["input_ids"], labels=labels)
    model.save_pretrained(folder)
    return str(folder)


def save_reader(folder: Path) -> str:
    """Save a small BERT that has learnt the replies to questions, and return its folder."""
    import torch
    import transformers

    torch.manual_seed(2)
    texts = [text for pair in REPLIES for text in pair]
    tokenizer = save_tokenizer(folder, texts, "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1")
    config = transformers.BertConfig(
        vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=32, hidden_dropout_prob=0,
        attention_probs_dropout_prob=0,
    )  # fmt: skip
    model = transformers.BertForQuestionAnswering(config)
    inputs = tokenizer([q for q, _ in LEARNT], [text for _, text in LEARNT],
                       return_tensors="pt", padding=True)  # fmt: skip
    words = tokenizer.get_vocab()
    places = torch.tensor([
        # The first place says that the text has no reply; else the reply is the last such word.
        max(place for place, token in enumerate(row.tolist()) if token == words[reply or "[CLS]"])
        for row, reply in zip(inputs["input_ids"], LEARNT.values(), strict=True)
    ])  # fmt: skip
    learn(model, 250, 0.003, **inputs, start_positions=places, end_positions=places)
    model.save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="module")
def question_model(tmp_path_factory: pytest.TempPathFactory) -> str:
    pytest.importorskip("sentence_transformers", reason="needs sentence-transformers")
    return save_question_model(tmp_path_factory.mktemp("questions"))


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> str:
    pytest.importorskip("sentence_transformers", reason="needs sentence-transformers")
    return save_reader(tmp_path_factory.mktemp("reader"))


@pytest.mark.extras
def test_questions_of_a_model(question_model: str) -> None:
    generated = questions.questions(question_model, [(phrase, TEXT) for phrase in ASKED])
    assert [len({*texts}) for texts in generated] == [5, 5]
    assert [texts[0] for texts in generated] == [*ASKED.values()]  # the likeliest first
    assert questions.questions(question_model, []) == []


@pytest.mark.extras
def test_replies_of_a_model(reader: str) -> None:
    assert reading.replies(reader, [*REPLIES]) == [*REPLIES.values()]
    assert reading.replies(reader, []) == []
    assert reading.replies(reader, [(ASKED["Ann"], "")]) == [""]


@pytest.mark.extras
def test_a_long_text_is_read_in_parts(reader: str) -> None:
    # The model reads 32 tokens, and the reply is behind them.
    (reply,) = reading.replies(reader, [(ASKED["Graz"], "[UNK] " * 60 + OTHER)])
    assert reply.split()[-1:] == ["Lund"]


@pytest.mark.extras
def test_models_of_another_kind_are_errors(question_model: str, reader: str) -> None:
    # T5 can have a layer for replies, but this one has not learnt it.
    with pytest.raises(NoModelError, match="it is not a model for extractive question answering"):
        reading.replies(question_model, [(TEXT, TEXT)])
    with pytest.raises(NoModelError, match="it is not a sequence-to-sequence model"):
        questions.questions(reader, [("Ann", TEXT)])


def test_names_and_noun_phrases(tmp_path: Path) -> None:
    names = pipeline(tmp_path / "names", ("Ann", "PERSON"), ("Graz", "GPE"), ("I", "PERSON"))
    assert nlp.phrases(names, [TEXT, "ann met Ann", "I was there", ""]) == [
        ["Ann", "Graz"], ["Ann"], [], [],
    ]  # fmt: skip


@pytest.mark.extras
def test_the_command(tmp_path: Path, question_model: str, reader: str) -> None:
    names = pipeline(tmp_path / "names", ("Ann", "PERSON"), ("Graz", "GPE"))
    classes = save_inference_model(
        tmp_path / "classes", ("contradiction", "neutral", "entailment"), 2
    )
    records = [
        {"prediction": TEXT, "knowledge": [TEXT], "question": ""},
        {"prediction": TEXT, "knowledge": [OTHER], "question": ""},
    ]
    options = ("--q2", names, question_model, reader, classes, "--json")
    results = told(run(save(tmp_path, records), *options))
    # By words, the second answer has nothing; the classifier entails everything, so Lund is Graz,
    # but of who was born in Graz the knowledge says nothing.
    assert results["Q² F1"]["mean"] == 0.5 and results["Q² NLI"]["mean"] == 0.75
    done = CliRunner().invoke(
        cli, ["score", "instruct-qa", str(tmp_path / "a.jsonl"), "--q2", "no", *options[2:]]
    )
    assert done.exit_code == 2 and "There is no spaCy pipeline 'no' here." in done.stderr
    assert json.loads((tmp_path / "a.jsonl").read_text().splitlines()[0])["prediction"] == TEXT
