"""Answer questions by spans of a text, by a model for extractive question answering."""

import functools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from kgbuild.models.local.heads import load

_BATCH_SIZE = 32
"""Number of questions that are answered together."""


class _AnswerSpan(NamedTuple):
    """A span of a text, from one character to another, and its score; the empty span is none."""

    score: float
    start: int
    end: int


def replies(model: str, pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Return the reply to each pair of a question and a text: a part of the text, or "".

    There is no reply if the model's first token scores higher than every span, as models that were
    trained on SQuAD 2.0 say so. A long text is read in parts, of which the best span counts.

    Source: P. Rajpurkar, R. Jia and P. Liang, Know what you don't know: unanswerable questions for
    SQuAD (2018), and J. Devlin et al., BERT (2019), section 4.3, for the scores of spans.
    """
    reader, tokenizer = _load(model)
    found: list[str] = []
    for start in range(0, len(pairs), _BATCH_SIZE):
        batch = pairs[start : start + _BATCH_SIZE]
        spans = _spans(reader, tokenizer, batch)
        found += [text[span.start : span.end] for (_, text), span in zip(batch, spans, strict=True)]
    return found


def _spans(reader: Any, tokenizer: Any, pairs: Sequence[tuple[str, str]]) -> list[_AnswerSpan]:
    import torch

    positions = getattr(reader.config, "max_position_embeddings", math.inf)
    most = min(tokenizer.model_max_length, positions)
    inputs = tokenizer(
        [question for question, _ in pairs],
        [text for _, text in pairs],
        truncation="only_second",
        max_length=most,
        stride=most // 4,  # two parts of a long text share a quarter of the tokens
        padding=True,
        return_overflowing_tokens=True,
        return_offsets_mapping=True,
        return_tensors="pt",
    )
    offsets = inputs.pop("offset_mapping").tolist()
    texts = inputs.pop("overflow_to_sample_mapping").tolist()
    with torch.inference_mode():
        output = reader(**inputs)
    best = [_AnswerSpan(-math.inf, 0, 0)] * len(pairs)
    null_scores = [math.inf] * len(pairs)
    for part, text in enumerate(texts):
        scores = output.start_logits[part].tolist(), output.end_logits[part].tolist()
        places = [place for place, of in enumerate(inputs.sequence_ids(part)) if of == 1]
        best[text] = max(best[text], _best_span(*scores, places, offsets[part]))
        null_scores[text] = min(null_scores[text], scores[0][0] + scores[1][0])
    no_span = _AnswerSpan(0, 0, 0)
    scored = zip(best, null_scores, strict=True)
    return [span if span.score > null_score else no_span for span, null_score in scored]


def _best_span(
    starts: Sequence[float],
    ends: Sequence[float],
    places: Sequence[int],
    offsets: Sequence[Sequence[int]],
) -> _AnswerSpan:
    """Return the span of a part with the highest sum of scores of its first and last token."""
    spans = (
        _AnswerSpan(starts[first] + ends[last], offsets[first][0], offsets[last][1])
        for place, first in enumerate(places)
        for last in places[place : place + 30]  # as in the evaluation of SQuAD models
    )
    return max(spans, default=_AnswerSpan(-math.inf, 0, 0))


@functools.lru_cache(maxsize=1)
def _load(model: str) -> tuple[Any, Any]:
    return load(model, "AutoModelForQuestionAnswering", "a model for extractive question answering")
