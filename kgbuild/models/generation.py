"""Generate replies by a causal model on this machine, in batches, on the CPU or a GPU."""

import contextlib
import functools
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from kgbuild.models import causal

if TYPE_CHECKING:
    import torch

_SMALLEST = 1e-20
"""The smallest number under a logarithm."""


class Generated(NamedTuple):
    """A generated text; ``is_cut`` if it reached its maximum number of tokens."""

    text: str
    is_cut: bool
    tokens_in: int
    tokens_out: int


class Sampling(NamedTuple):
    """How tokens are chosen: the likeliest at temperature 0, else by chance.

    ``top_p`` keeps the likeliest tokens with this total probability.
    """

    temperature: float
    top_p: float


class Generator:
    """A model in a folder, with the chat template of its tokenizer.

    Raises:
        MissingExtraError: transformers, which comes with sentence-transformers, is not installed.
        NoModelError: the model is not on this machine, cannot be used, or is not a causal model.
    """

    def __init__(self, folder: str):
        loaded = causal.load(folder)
        import torch

        self._tokenizer, self.max_tokens = loaded.tokenizer, loaded.max_tokens
        if torch.cuda.is_available():
            self._model = loaded.model.to("cuda", torch.bfloat16)
        else:
            torch.set_num_threads(os.cpu_count() or 1)
            self._model = loaded.model

    def prompt(self, messages: Sequence[tuple[str, str]]) -> str:
        """Return a conversation of (role, content) by the chat template.

        A system message goes before the first message of the user if the template knows none.
        Without a template, the contents follow each other.
        """
        if not self._tokenizer.chat_template:
            return "\n\n".join(content for _, content in messages)
        with contextlib.suppress(Exception):  # the error is that of the template's author
            return self._apply(messages)
        (_, system), (role, first), *others = messages
        return self._apply([(role, f"{system}\n\n{first}"), *others])

    def _apply(self, messages: Sequence[tuple[str, str]]) -> str:
        turns = [{"role": role, "content": content} for role, content in messages]
        text: str = self._tokenizer.apply_chat_template(
            turns, tokenize=False, add_generation_prompt=True
        )
        return text

    def length(self, prompt: str) -> int:
        """Return the number of tokens of a prompt."""
        return len(self._encode(prompt))

    def generate(
        self, prompts: Sequence[str], max_tokens: int, sampling: Sampling, seeds: Sequence[int]
    ) -> list[Generated]:
        """Return a text for each prompt. The same prompt and seed give the same text.

        A seed belongs to a prompt, not to the batch.
        """
        import torch
        import transformers

        tokens = [self._encode(prompt) for prompt in prompts]
        width = max(map(len, tokens))
        filler = self._tokenizer.pad_token_id or 0
        inputs = torch.tensor([[filler] * (width - len(row)) + row for row in tokens])
        mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in tokens])
        ends = _token_ids(self._model.generation_config.eos_token_id)
        ends |= _token_ids(self._tokenizer.eos_token_id)
        config = transformers.GenerationConfig(
            do_sample=False,
            max_new_tokens=max_tokens,
            eos_token_id=sorted(ends) or None,
            pad_token_id=filler,
        )
        choose = [functools.partial(_perturb, sampling, _generators(seeds))]
        with torch.inference_mode():
            output = self._model.generate(
                input_ids=inputs.to(self._model.device),
                attention_mask=mask.to(self._model.device),
                generation_config=config,
                logits_processor=choose if sampling.temperature else [],
            )
        rows = output[:, width:].tolist()
        pairs = zip(rows, tokens, strict=True)
        return [self._generated(row, len(prompt), ends) for row, prompt in pairs]

    def _generated(self, row: Sequence[int], tokens_in: int, ends: set[int]) -> Generated:
        length = next((place for place, token in enumerate(row) if token in ends), None)
        tokens = row if length is None else row[:length]
        text = self._tokenizer.decode(tokens, skip_special_tokens=True)
        return Generated(text, length is None, tokens_in, len(tokens))

    def _encode(self, prompt: str) -> list[int]:
        # A chat template has the special tokens of its model itself.
        has_template = bool(self._tokenizer.chat_template)
        return [*self._tokenizer.encode(prompt, add_special_tokens=not has_template)]


def _token_ids(value: Any) -> set[int]:
    """Return the ids in a setting, which is one id, several or None."""
    return {value} if isinstance(value, int) else set(value or ())


def _generators(seeds: Sequence[int]) -> "list[torch.Generator]":
    import torch

    return [torch.Generator().manual_seed(seed) for seed in seeds]


def _perturb(
    sampling: Sampling, generators: "Sequence[torch.Generator]", _tokens: Any, scores: Any
) -> Any:
    """Return scores whose highest is a token by chance, by its probability (Gumbel's trick).

    Each row of a batch has its own source of chance, so it does not depend on the other rows.
    """
    import torch

    logits = (scores.float() / sampling.temperature).cpu()
    if sampling.top_p < 1:
        ordered, places = logits.softmax(-1).sort(descending=True)
        is_left_out = ordered.cumsum(-1) - ordered >= sampling.top_p
        logits = logits.masked_fill(
            torch.zeros_like(is_left_out).scatter(-1, places, is_left_out), float("-inf")
        )
    noise = torch.stack(
        [torch.rand(logits.shape[-1], generator=generator) for generator in generators]
    )
    gumbel = -torch.log(-torch.log(noise + _SMALLEST) + _SMALLEST)
    return (logits + gumbel).to(scores.device)
