"""Generate questions for phrases of a text by a sequence-to-sequence model on this machine."""

import functools
from collections.abc import Sequence
from typing import Any

from kgbuild.models.local.heads import load

_BATCH_SIZE = 16
"""Number of phrases whose questions are generated together."""
_BEAMS = 5
"""Number of beams, and of questions for a phrase."""
_PROMPT = "answer: {}  context: {}"
"""What T5 models for questions read; their tokenizer adds the end."""


def questions(model: str, pairs: Sequence[tuple[str, str]]) -> list[list[str]]:
    """Return questions for each pair of a phrase and its text, the likeliest first.

    The model reads "answer: PHRASE  context: TEXT" and writes "question: QUESTION", as T5 models
    that were trained on SQuAD do.

    Source: O. Honovich et al., Q² (2021), section 3.1, with the settings of its published code.
    """
    generator, tokenizer = _load(model)
    import torch

    prompts = [_PROMPT.format(*pair) for pair in pairs]
    generated: list[list[str]] = []
    for start in range(0, len(prompts), _BATCH_SIZE):
        batch = prompts[start : start + _BATCH_SIZE]
        inputs = tokenizer(batch, padding=True, truncation=True, return_tensors="pt")
        with torch.inference_mode():
            output = generator.generate(
                input_ids=inputs["input_ids"],
                attention_mask=inputs["attention_mask"],
                max_new_tokens=128,
                num_beams=_BEAMS,
                num_return_sequences=_BEAMS,
                no_repeat_ngram_size=3,
                early_stopping=True,
            )
        decoded = tokenizer.batch_decode(output, True)
        texts = [text.strip().removeprefix("question:").strip() for text in decoded]
        generated += [texts[place : place + _BEAMS] for place in range(0, len(texts), _BEAMS)]
    return generated


@functools.lru_cache(maxsize=1)
def _load(model: str) -> tuple[Any, Any]:
    return load(model, "AutoModelForSeq2SeqLM", "a sequence-to-sequence model, such as T5")
