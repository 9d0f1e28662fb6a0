"""Run models on this machine: similarity of meaning, entailment, perplexity and BERTScore.

A ``model`` is the folder of a model, or the name of one that was downloaded before: nothing is
downloaded. It is loaded once and runs on the processor, with at most two threads. The libraries,
sentence-transformers and its dependencies, are imported when used.
"""

import contextlib
import copy
import functools
import logging
import os
from collections.abc import Iterator, Sequence
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kgbuild.errors import MissingExtraError, NoModelError

if TYPE_CHECKING:
    from bert_score import BERTScorer
    from sentence_transformers import CrossEncoder, SentenceTransformer

_THREADS = 2
_BATCH = 64
"""Number of texts, or pairs of texts, in a batch."""
_DIGITS = 4
"""Number of decimals of a similarity: further decimals depend on the texts in the batch."""
_TOKENS = 1024
"""Maximum number of tokens in a batch and in a text: each takes a row of probabilities."""
_NOT_CAUSAL = "it is not a causal language model, which guesses each word from those before it"
_QUIET = {
    # Read when the libraries are imported. No model is downloaded.
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "TRANSFORMERS_VERBOSITY": "error",
    "TOKENIZERS_PARALLELISM": "false",
}
_ENTAILMENT = "entailment"
"""The class of models of natural language inference, in any case of its letters."""


def similarities(model: str, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Return the similarity of meaning of the texts of each pair: their cosine, from -1 to 1.

    The model is one of sentence-transformers. The same pairs always have the same similarities; of
    a long text, it reads the first few hundred words. The next call reuses the vectors of this one.

    Raises:
        MissingExtraError: sentence-transformers is not installed.
        NoModelError: the model is not on this machine, or cannot be used.
    """
    encoder, vectors = _encoder(model)
    texts = dict.fromkeys(text for pair in pairs for text in pair)
    for text in vectors.keys() - texts.keys():
        del vectors[text]
    if new := [text for text in texts if text not in vectors]:
        encoded = encoder.encode(
            new, batch_size=_BATCH, normalize_embeddings=True, show_progress_bar=False
        )
        vectors.update(zip(new, encoded, strict=True))
    return [round(float(vectors[a] @ vectors[b]), _DIGITS) for a, b in pairs]


def perplexities(model: str, texts: Sequence[str]) -> list[float]:
    """Return the perplexity of each text for a causal language model, from 1 upwards.

    That is e to the mean surprise, in nats, of its tokens, each after those before it; the first
    token does not count. The perplexity of a text with fewer than two tokens is infinity. Of a
    text that is longer than what the model reads, or than 1,024 tokens, the end counts. The common
    beginning of all texts is read once, so pass texts with the same beginning together.

    Source: appendix A.3 of the BioKaLMA paper.

    Raises:
        MissingExtraError: transformers, which comes with sentence-transformers, is not installed.
        NoModelError: the model is not on this machine, cannot be used, or is not a causal model.
    """
    causal = _causal(model)
    import torch

    rows = _tokens(model, causal, texts)
    several = [row for row in rows if len(row) > 1]
    with torch.inference_mode():
        surprises = iter(_surprises(causal.model, several) if several else [])
    means = [next(surprises) if len(row) > 1 else float("inf") for row in rows]
    rounded = torch.tensor(means, dtype=torch.float64).round(decimals=_DIGITS)
    return [float(perplexity) for perplexity in rounded.exp()]


class _Causal(NamedTuple):
    """A causal model, its tokenizer, and how many tokens of a text it reads."""

    model: Any
    tokenizer: Any
    longest: int


def _tokens(name: str, causal: _Causal, texts: Sequence[str]) -> list[list[int]]:
    """Return the numbers of the tokens of each text, at most as many as the model reads."""
    if not texts:
        return []
    encoded = causal.tokenizer(list(texts), truncation=True, max_length=causal.longest)
    rows: list[list[int]] = encoded["input_ids"]
    vocabulary = causal.model.get_input_embeddings().weight.shape[0]
    if any(token >= vocabulary for row in rows for token in row):
        raise NoModelError(name, "its tokenizer is that of another model")
    return rows


def _surprises(model: Any, rows: Sequence[list[int]]) -> list[float]:
    """Return the mean surprise of the tokens of each row after its first token."""
    import torch

    read, cache, before = _stem(model, rows)
    size = max(1, _TOKENS // max(len(row) - read for row in rows))
    surprises = []
    for start in range(0, len(rows), size):
        batch = [torch.tensor(row[read:]) for row in rows[start : start + size]]
        past = copy.deepcopy(cache)  # since a model adds to it
        if past is not None:
            past.batch_repeat_interleave(len(batch))
        # The padding stands behind the shorter rows, where a causal model does not look.
        even = torch.nn.utils.rnn.pad_sequence(batch, batch_first=True)
        logits = model(even, past_key_values=past).logits
        for guesses, row in zip(logits, batch, strict=True):
            surprises.append((before + _surprise(guesses, row)) / (read + len(row) - 1))
    return surprises


def _stem(model: Any, rows: Sequence[list[int]]) -> tuple[int, Any, float]:
    """Read the common beginning of all rows, except for its last token, if the model can cache it.

    Returns: how many tokens were read, the model's cache of them, and their surprise.
    """
    import torch
    from transformers import DynamicCache

    # All rows between the first and the last in order share what these two share.
    pairs = zip(min(rows), max(rows), strict=False)
    shared = torch.tensor([a for a, _ in takewhile(lambda pair: pair[0] == pair[1], pairs)])
    if len(shared) > 1:
        output = model(shared[None, :-1], use_cache=True)
        if isinstance(output.get("past_key_values"), DynamicCache):
            return len(shared) - 1, output.past_key_values, _surprise(output.logits[0], shared)
    return 0, None, 0.0


def _surprise(logits: Any, row: Any) -> float:
    """Return the summed surprise of the tokens of a row after the first one."""
    import torch

    guesses = logits[: len(row) - 1]
    return float(torch.nn.functional.cross_entropy(guesses, row[1:], reduction="sum"))


def entailments(model: str, pairs: Sequence[tuple[str, str]]) -> list[bool]:
    """Return, for each pair, whether the first text, the premise, entails the second.

    The model is one of natural language inference: any that classifies pairs, and has a class
    called entailment. A text is entailed if that class has the highest score.

    Source: section 4.3 and appendix B.3 of the BioKaLMA paper.

    Raises:
        MissingExtraError: sentence-transformers is not installed.
        NoModelError: the model is not on this machine, or cannot be used, or has no such class.
    """
    loaded, place = _judge(model)
    if not pairs:
        return []
    scores = loaded.predict(list(pairs), batch_size=_BATCH, show_progress_bar=False)
    return [int(row.argmax()) == place for row in scores]


def bert_scores(model: str, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Return the BERTScore F1 of each pair of an answer and a reference, from about -1 to 1.

    Each token of either text is matched with the token of the other text with the nearest
    contextual vector, and precision and recall are the means of these cosines. The model is an
    encoder (BERT, RoBERTa, …). Models that the library knows by name use the layer that its
    authors chose, others the last layer. A pair with an empty text has 0.

    Games it: any text about the same things: a wrong year or name costs little. Known weakness:
    scores of different models cannot be compared, and lie close together, since no baseline is
    subtracted; a long right answer has a lower precision, as with words.

    Source: T. Zhang, V. Kishore, F. Wu, K. Q. Weinberger and Y. Artzi, BERTScore: evaluating
    text generation with BERT (2020), section 3.

    Raises:
        MissingExtraError: bert-score is not installed.
        NoModelError: the model is not on this machine, or cannot be used.
    """
    scorer = _scorer(model)
    full = [pair for pair in pairs if all(text.strip() for text in pair)]
    scores: dict[tuple[str, str], float] = {}
    if full:
        answers, references = zip(*full, strict=True)
        f1 = scorer.score(list(answers), list(references), batch_size=_BATCH)[2].tolist()
        scores = dict(zip(full, f1, strict=True))
    return [round(scores.get(pair, 0.0), _DIGITS) for pair in pairs]


@functools.lru_cache(maxsize=1)
def _scorer(model: str) -> "BERTScorer":
    _prepare()
    try:
        from bert_score import BERTScorer
        from bert_score.utils import model2layers
    except ImportError as error:
        raise MissingExtraError("semantic", "bert-score") from error
    import transformers

    with _loading(model):
        config = transformers.AutoConfig.from_pretrained(model, local_files_only=True)
        layers = model2layers.get(model, config.num_hidden_layers)
        return BERTScorer(model_type=model, num_layers=layers, device="cpu")


@functools.lru_cache(maxsize=1)
def _judge(model: str) -> "tuple[CrossEncoder, int]":
    """Return a model of inference, and the index of entailment among its classes."""
    with _loading(model):
        from sentence_transformers import CrossEncoder

        loaded = CrossEncoder(model, device="cpu", local_files_only=True)
    labels = {place: str(label) for place, label in loaded.model.config.id2label.items()}
    for place, label in labels.items():
        if label.lower() == _ENTAILMENT:
            return loaded, int(place)
    detail = f"none of its classes is called {_ENTAILMENT}, but {', '.join(labels.values())}"
    raise NoModelError(model, detail)


@functools.lru_cache(maxsize=1)
def _encoder(model: str) -> "tuple[SentenceTransformer, dict[str, Any]]":
    """Return a model, and a cache for the vectors of the last texts."""
    with _loading(model):
        from sentence_transformers import SentenceTransformer

        return SentenceTransformer(model, device="cpu", local_files_only=True), {}


@functools.lru_cache(maxsize=1)
def _causal(model: str) -> _Causal:
    here: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    with _loading(model):
        import transformers

        config = transformers.AutoConfig.from_pretrained(model, **here)
        is_causal = type(config) in transformers.MODEL_FOR_CAUSAL_LM_MAPPING
        if is_causal:
            loaded, info = transformers.AutoModelForCausalLM.from_pretrained(
                model, output_loading_info=True, **here
            )
            tokenizer = transformers.AutoTokenizer.from_pretrained(
                model, truncation_side="left", **here
            )
            # Other models lack the weights of the output layer, or look ahead.
            is_causal = not info["missing_keys"] and not _looks_ahead(loaded.float().eval())
    if not is_causal:
        raise NoModelError(model, _NOT_CAUSAL)
    reads = getattr(config, "max_position_embeddings", _TOKENS)
    return _Causal(loaded, tokenizer, min(reads, tokenizer.model_max_length, _TOKENS))


def _looks_ahead(model: Any) -> bool:
    """Return whether a model's prediction after a token depends on the tokens that follow."""
    import torch

    with torch.inference_mode():
        first, second = model(torch.tensor([[0, 1], [0, 2]])).logits[:, 0]
    return not torch.allclose(first, second, atol=1e-4)


def _prepare() -> None:
    """Import the library, quiet and offline."""
    os.environ.update(_QUIET)
    try:
        import sentence_transformers  # noqa: F401
        import torch
    except ImportError as error:
        raise MissingExtraError("semantic", "sentence-transformers") from error
    logging.getLogger("sentence_transformers").setLevel(logging.ERROR)
    torch.set_num_threads(min(_THREADS, torch.get_num_threads()))


@contextlib.contextmanager
def _loading(model: str) -> Iterator[None]:
    """Prepare the libraries, and turn the errors of loading a model into a NoModelError."""
    _prepare()
    try:
        yield
    except Exception as error:
        # The library and the error depend on the file that is missing or cut short.
        detail = (str(error).splitlines() or [""])[0].rstrip(".: ")
        raise NoModelError(model, detail if Path(model).exists() else "") from error
