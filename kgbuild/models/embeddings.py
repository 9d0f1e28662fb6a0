"""The door to models that run here: what texts mean, what follows from them, how well they read.

Their libraries, sentence-transformers and what it brings, are imported when used.
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
"""Texts, or pairs of them, that go through the model at once."""
_DIGITS = 4
"""Decimals of a similarity: further ones depend on which texts share a batch, not on meaning."""
_TOKENS = 1024
"""Tokens that go through a causal model at once, and of a text at most: for each, it holds as many
numbers as it knows tokens."""
_NOT_CAUSAL = "it is no causal language model, which guesses each word from those before it"
_QUIET = {
    # Read when the libraries are imported. A model that is not here is never fetched.
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "TRANSFORMERS_VERBOSITY": "error",
    "TOKENIZERS_PARALLELISM": "false",
}
_ENTAILMENT = "entailment"
"""What models of natural language inference call it, in any case."""


def similarities(model: str, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Return how near the two texts of each pair are in meaning: their cosine, from -1 to 1.

    ``model`` is the folder of a sentence-transformers model, or the name of one that was
    fetched before: nothing is downloaded. It is read once and runs on the processor, with two
    threads at most. The same pairs have the same similarities each time; each text counts as
    far as the model reads, which is a few hundred words. The texts of the last call are known
    to the next one.

    Raises:
        MissingExtraError: sentence-transformers is not installed.
        NoModelError: the model is not on this machine, or cannot be used.
    """
    loaded = _loaded(model)
    vectors = _vectors(model)
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    known = {text: vectors[text] for text in texts if text in vectors}
    if new := [text for text in texts if text not in known]:
        read = loaded.encode(
            new, batch_size=_BATCH, normalize_embeddings=True, show_progress_bar=False
        )
        known.update(zip(new, read, strict=True))
    vectors.clear()
    vectors.update(known)
    return [round(float(known[one] @ known[other]), _DIGITS) for one, other in pairs]


def perplexities(model: str, texts: Sequence[str]) -> list[float]:
    """Return how little a causal language model expects each text: its perplexity, from 1 on.

    That is e to the mean surprise, in nats, of its tokens, each after those before it; the first
    one, before which nothing stands, does not count. Of a text without a second token nothing is
    expected: infinity. ``model`` is the folder of a causal model, or the name of one that was
    fetched before: nothing is downloaded. It is read once and runs on the processor, with two
    threads at most. Of a text that is longer than what the model reads, or than 1,024 tokens,
    the end counts. What all texts begin with is read once, so it is fastest to pass those
    together that go on from the same paragraph.

    Source: appendix A.3 of the BioKaLMA paper.

    Raises:
        MissingExtraError: transformers, which comes with sentence-transformers, is not installed.
        NoModelError: the model is not on this machine, cannot be used, or is of another sort.
    """
    causal = _causal(model)
    import torch

    rows = _tokens(model, causal, texts)
    several = [row for row in rows if len(row) > 1]
    with torch.inference_mode():
        told = iter(_surprises(causal.model, several) if several else [])
    means = [next(told) if len(row) > 1 else float("inf") for row in rows]
    found: list[float] = (
        torch.tensor(means, dtype=torch.float64).round(decimals=_DIGITS).exp().tolist()
    )
    return found


class _Causal(NamedTuple):
    """A causal model, its tokenizer, and how many tokens of a text it reads."""

    model: Any
    tokenizer: Any
    longest: int


def _tokens(name: str, causal: _Causal, texts: Sequence[str]) -> list[list[int]]:
    """Return the tokens of each text, by their numbers, without those that are too many."""
    if not texts:
        return []
    told = causal.tokenizer(list(texts), truncation=True, max_length=causal.longest)
    rows: list[list[int]] = told["input_ids"]
    known = causal.model.get_input_embeddings().weight.shape[0]
    if any(token >= known for row in rows for token in row):
        raise NoModelError(name, "its tokenizer is that of another model")
    return rows


def _surprises(model: Any, rows: Sequence[list[int]]) -> list[float]:
    """Return the mean surprise of the tokens of each row but the first; there are two or more."""
    import torch

    read, cache, before = _stem(model, rows)
    size = max(1, _TOKENS // max(len(row) - read for row in rows))
    found = []
    for start in range(0, len(rows), size):
        batch = [torch.tensor(row[read:]) for row in rows[start : start + size]]
        held = copy.deepcopy(cache)  # since a model adds to it
        if held is not None:
            held.batch_repeat_interleave(len(batch))
        # What fills up the shorter ones stands behind them, where a causal model does not look.
        even = torch.nn.utils.rnn.pad_sequence(batch, batch_first=True)
        logits = model(even, past_key_values=held).logits
        for guesses, row in zip(logits, batch, strict=True):
            found.append((before + _surprise(guesses, row)) / (read + len(row) - 1))
    return found


def _stem(model: Any, rows: Sequence[list[int]]) -> tuple[int, Any, float]:
    """Read what all rows begin with, but for the last token of it, on which the rest goes on.

    Returns: how many tokens were read, what the model remembers of them, and the surprise of
    those that follow one of them; nothing was read where there is little or no such memory.
    """
    import torch
    from transformers import DynamicCache

    # What the first and the last in their order share, those between them do.
    pairs = zip(min(rows), max(rows), strict=False)
    shared = torch.tensor([one for one, _ in takewhile(lambda pair: pair[0] == pair[1], pairs)])
    if len(shared) > 1:
        told = model(shared[None, :-1], use_cache=True)
        if isinstance(told.get("past_key_values"), DynamicCache):
            return len(shared) - 1, told.past_key_values, _surprise(told.logits[0], shared)
    return 0, None, 0.0


def _surprise(logits: Any, row: Any) -> float:
    """Return the surprise of the tokens of a row after the first, given the guesses at them."""
    import torch

    guesses = logits[: len(row) - 1]
    return float(torch.nn.functional.cross_entropy(guesses, row[1:], reduction="sum"))


def entailments(model: str, pairs: Sequence[tuple[str, str]]) -> list[bool]:
    """Return of each pair whether the first text, the premise, entails the second.

    ``model`` is the folder of a model of natural language inference, or the name of one that was
    fetched before, as for ``similarities``: any that classifies pairs, and calls one of the
    classes entailment. Entailed is what it takes for that rather than for any other class.

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

    Each token of either text is matched with the token of the other that is nearest to it where
    it stands, and precision and recall are the means of these cosines. ``model`` is the folder
    of a model that reads texts (BERT, RoBERTa, …), or the name of one that was fetched before,
    as for ``similarities``. Of a name that the library knows, the layer is taken that its
    authors chose, else the last. A pair with an empty text has 0.

    Games it: any text about the same things: a wrong year or name costs little. Known weakness:
    numbers of different models cannot be compared, and lie close together, since no baseline is
    taken off them; a long right answer has a lower precision, as with words.

    Source: T. Zhang, V. Kishore, F. Wu, K. Q. Weinberger and Y. Artzi, BERTScore: evaluating
    text generation with BERT (2020), section 3.

    Raises:
        MissingExtraError: bert-score is not installed.
        NoModelError: the model is not on this machine, or cannot be used.
    """
    scorer = _scorer(model)
    full = [pair for pair in pairs if all(text.strip() for text in pair)]
    found: dict[tuple[str, str], float] = {}
    if full:
        answers, references = zip(*full, strict=True)
        told = scorer.score(list(answers), list(references), batch_size=_BATCH)[2].tolist()
        found = dict(zip(full, told, strict=True))
    return [round(found.get(pair, 0.0), _DIGITS) for pair in pairs]


@functools.lru_cache(maxsize=1)
def _scorer(model: str) -> "BERTScorer":
    _prepare()
    try:
        from bert_score import BERTScorer
        from bert_score.utils import model2layers
    except ImportError as error:
        raise MissingExtraError("semantic", "bert-score") from error
    import transformers

    with _telling(model):
        config = transformers.AutoConfig.from_pretrained(model, local_files_only=True)
        layers = model2layers.get(model, config.num_hidden_layers)
        return BERTScorer(model_type=model, num_layers=layers, device="cpu")


@functools.lru_cache(maxsize=1)
def _judge(model: str) -> "tuple[CrossEncoder, int]":
    """Return a model of inference, and the place of entailment among its classes."""
    _prepare()
    from sentence_transformers import CrossEncoder

    with _telling(model):
        loaded = CrossEncoder(model, device="cpu", local_files_only=True)
    labels = {place: str(label) for place, label in loaded.model.config.id2label.items()}
    for place, label in labels.items():
        if label.lower() == _ENTAILMENT:
            return loaded, int(place)
    detail = f"none of its classes is called {_ENTAILMENT}, but {', '.join(labels.values())}"
    raise NoModelError(model, detail)


@functools.lru_cache(maxsize=1)
def _loaded(model: str) -> "SentenceTransformer":
    _prepare()
    from sentence_transformers import SentenceTransformer

    with _telling(model):
        return SentenceTransformer(model, device="cpu", local_files_only=True)


@functools.lru_cache(maxsize=1)
def _vectors(model: str) -> dict[str, Any]:
    """Return what is known of the texts of the last call with a model, at first nothing."""
    return {}


@functools.lru_cache(maxsize=1)
def _causal(model: str) -> _Causal:
    _prepare()
    import transformers

    here: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    with _telling(model):
        config = transformers.AutoConfig.from_pretrained(model, **here)
        is_causal = type(config) in transformers.MODEL_FOR_CAUSAL_LM_MAPPING
        if is_causal:
            loaded, told = transformers.AutoModelForCausalLM.from_pretrained(
                model, output_loading_info=True, **here
            )
            tokenizer = transformers.AutoTokenizer.from_pretrained(
                model, truncation_side="left", **here
            )
            # A model of another sort lacks the weights to guess with, or looks ahead.
            is_causal = not told["missing_keys"] and not _looks_ahead(loaded.float().eval())
    if not is_causal:
        raise NoModelError(model, _NOT_CAUSAL)
    reads = getattr(config, "max_position_embeddings", _TOKENS)
    return _Causal(loaded, tokenizer, min(reads, tokenizer.model_max_length, _TOKENS))


def _looks_ahead(model: Any) -> bool:
    """Return whether what a model guesses after a token depends on what follows."""
    import torch

    with torch.inference_mode():
        one, other = model(torch.tensor([[0, 1], [0, 2]])).logits[:, 0]
    return not torch.allclose(one, other, atol=1e-4)


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
def _telling(model: str) -> Iterator[None]:
    """Say what is wrong with a model that is being read."""
    try:
        yield
    except Exception as error:
        # Whatever file of a model is missing or cut short, another library stumbles over it.
        detail = (str(error).splitlines() or [""])[0].rstrip(".: ")
        raise NoModelError(model, detail if Path(model).exists() else "") from error
