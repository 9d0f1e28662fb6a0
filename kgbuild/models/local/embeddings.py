"""Run models on this machine: similarity of meaning, perplexity and BERTScore.

A ``model`` is the folder of a model, or the name of a model that was downloaded before: nothing is
downloaded. It is loaded once and runs on the CPU, with at most two threads. The libraries,
sentence-transformers and its dependencies, are imported when used.
"""

import copy
import functools
import inspect
from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from kgbuild.errors import NoModelError, missing_extra
from kgbuild.models.local import classifiers, heads
from kgbuild.models.local.heads import Causal
from kgbuild.models.local.libraries import loading, prepare

if TYPE_CHECKING:
    from bert_score import BERTScorer
    from sentence_transformers import SentenceTransformer

_BATCH_SIZE = 64
"""Number of texts, or pairs of texts, in a batch."""
_DECIMALS = 4
"""Number of decimals of a result: further decimals depend on the other texts in the batch."""
_MAX_TOKENS = 1024
"""Maximum number of tokens in a batch and in a text, since each needs a row of probabilities."""


def similarities(model: str, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Return the similarity of meaning of the texts of each pair: their cosine, from -1 to 1.

    The model is a sentence-transformers model, which reads the first few hundred words of a text.
    The same pairs always have the same similarities. The next call reuses the vectors.
    """
    encoder, vectors = _encoder(model)
    texts = dict.fromkeys(text for pair in pairs for text in pair)
    for text in vectors.keys() - texts.keys():
        del vectors[text]
    if new_texts := [text for text in texts if text not in vectors]:
        new_vectors = encoder.encode(
            new_texts, batch_size=_BATCH_SIZE, normalize_embeddings=True, show_progress_bar=False
        )
        vectors.update(zip(new_texts, new_vectors, strict=True))
    return [round(float(vectors[a] @ vectors[b]), _DECIMALS) for a, b in pairs]


def perplexities(model: str, texts: Sequence[str]) -> list[float]:
    """Return the perplexity of each text for a causal language model, from 1 upwards.

    This is e to the mean surprise, -ln P(token | tokens before it), of all tokens after the first;
    infinity for fewer than two tokens. Of a text with more than 1,024 tokens, or more than the
    model reads, only the end counts. Texts with a common beginning are fast: it is read once.

    Source: appendix A.3 of the BioKaLMA paper.
    """
    loaded = _causal(model)
    import torch

    rows = _tokens(model, loaded, texts)
    long_rows = [row for row in rows if len(row) > 1]
    with torch.inference_mode():
        surprises = iter(_surprises(loaded.model, long_rows) if long_rows else [])
    means = [next(surprises) if len(row) > 1 else float("inf") for row in rows]
    rounded = torch.tensor(means, dtype=torch.float64).round(decimals=_DECIMALS)
    return [float(perplexity) for perplexity in rounded.exp()]


def _tokens(name: str, loaded: Causal, texts: Sequence[str]) -> list[list[int]]:
    """Return the token ids of each text, cut to the number that the model reads."""
    if not texts:
        return []
    encoded = loaded.tokenizer(list(texts), truncation=True, max_length=loaded.max_tokens)
    rows: list[list[int]] = encoded["input_ids"]
    vocabulary_size = loaded.model.get_input_embeddings().weight.shape[0]
    if any(token >= vocabulary_size for row in rows for token in row):
        raise NoModelError(name, "its tokenizer belongs to another model")
    return rows


def _surprises(model: Any, rows: Sequence[list[int]]) -> list[float]:
    """Return the mean surprise of the tokens of each row after its first token."""
    import torch

    prefix_length, prefix_cache, prefix_surprise = _read_prefix(model, rows)
    # Versions of transformers have two names of the parameter for a cache.
    parameters = inspect.signature(model.forward).parameters
    cache_name = "cache" if "cache" in parameters else "past_key_values"
    batch_size = max(1, _MAX_TOKENS // max(len(row) - prefix_length for row in rows))
    surprises = []
    for start in range(0, len(rows), batch_size):
        batch = [torch.tensor(row[prefix_length:]) for row in rows[start : start + batch_size]]
        cache = copy.deepcopy(prefix_cache)  # since a model adds to it
        if cache is not None:
            cache.batch_repeat_interleave(len(batch))
        # Padding at the end of shorter rows does not change the predictions of a causal model.
        padded = torch.nn.utils.rnn.pad_sequence(batch, batch_first=True)
        logits = model(padded, **{cache_name: cache}).logits
        for row_logits, row in zip(logits, batch, strict=True):
            surprise = prefix_surprise + _surprise(row_logits, row)
            surprises.append(surprise / (prefix_length + len(row) - 1))
    return surprises


def _read_prefix(model: Any, rows: Sequence[list[int]]) -> tuple[int, Any, float]:
    """Read the common beginning of all rows, without its last token, if the model can cache it.

    Returns: the number of tokens that were read, the model's cache, and the summed surprise.
    """
    import torch
    from transformers import DynamicCache

    # In lexical order, the first and the last row differ no later than any two rows.
    pairs = zip(min(rows), max(rows), strict=False)
    shared = torch.tensor([token for token, _ in takewhile(lambda pair: pair[0] == pair[1], pairs)])
    if len(shared) > 1:
        output = model(shared[None, :-1], use_cache=True)
        cache = output.get("past_key_values")
        # The state of a recurrent model cannot be repeated.
        if isinstance(cache, DynamicCache) and all(
            hasattr(layer, "batch_repeat_interleave") for layer in cache.layers
        ):
            return len(shared) - 1, cache, _surprise(output.logits[0], shared)
    return 0, None, 0.0


def _surprise(logits: Any, row: Any) -> float:
    """Return the summed surprise of the tokens of a row after the first one."""
    import torch

    predictions = logits[: len(row) - 1]
    return float(torch.nn.functional.cross_entropy(predictions, row[1:], reduction="sum"))


def bert_scores(model: str, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Return the BERTScore F1 of each pair of an answer and a reference, from about -1 to 1.

    Each token of a text is matched with the token of the other text whose contextual vector has
    the highest cosine; precision and recall are the means of these cosines. The model is an encoder
    (BERT, RoBERTa, …), of which the layer is used that the library names, or else the last layer.
    A pair with an empty text has 0.

    Games it: any text about the same topic, since a wrong year or name costs little. Known
    weaknesses: scores of different models cannot be compared, and lie close together, since no
    baseline is subtracted; a long right answer has a low precision.

    Source: T. Zhang, V. Kishore, F. Wu, K. Q. Weinberger and Y. Artzi, BERTScore: evaluating
    text generation with BERT (2020), section 3.
    """
    scorer = _scorer(model)
    nonempty = [pair for pair in pairs if all(text.strip() for text in pair)]
    scores: dict[tuple[str, str], float] = {}
    if nonempty:
        answers, references = zip(*nonempty, strict=True)
        *_, f1 = scorer.score([*answers], [*references], batch_size=_BATCH_SIZE)
        scores = dict(zip(nonempty, f1.tolist(), strict=True))
    return [round(scores.get(pair, 0.0), _DECIMALS) for pair in pairs]


@functools.lru_cache(maxsize=1)
def _scorer(model: str) -> "BERTScorer":
    prepare()
    try:
        from bert_score import BERTScorer
        from bert_score.utils import model2layers
    except ImportError as error:
        raise missing_extra("semantic", "bert-score") from error
    import transformers

    with loading(model):
        config = transformers.AutoConfig.from_pretrained(model, local_files_only=True)
        layers = model2layers.get(model, config.num_hidden_layers)
        return BERTScorer(model_type=model, num_layers=layers, device="cpu")


@functools.lru_cache(maxsize=1)
def _encoder(model: str) -> "tuple[SentenceTransformer, dict[str, Any]]":
    with loading(model):
        from sentence_transformers import SentenceTransformer

        return SentenceTransformer(model, device="cpu", local_files_only=True), {}


@functools.lru_cache(maxsize=1)
def _causal(model: str) -> Causal:
    loaded = heads.load_causal(model)
    return loaded._replace(max_tokens=min(loaded.max_tokens, _MAX_TOKENS))


def closeness(model: str, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Return how close each text is in meaning to its reference; the pairs are (text, reference).

    A classifier with one output, as BLEURT, rates the pair; any other model is one of
    sentence-transformers, and the closeness is the cosine of the two texts.
    """
    if heads.is_classifier(model):
        return classifiers.ratings(model, [(reference, text) for text, reference in pairs])
    return similarities(model, pairs)
