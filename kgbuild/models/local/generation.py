"""Generate replies by a causal model on this machine, in batches, on the CPU or a GPU."""

import contextlib
import os
from collections.abc import Sequence
from typing import Any, NamedTuple

from kgbuild.models.chat import Reply, confidence
from kgbuild.models.local import heads

_SMALLEST = 1e-20
"""The smallest number under a logarithm."""


class TokenSampling(NamedTuple):
    """How tokens are chosen: the likeliest at temperature 0, else by chance.

    ``top_p`` keeps the likeliest tokens with this total probability.
    """

    temperature: float
    top_p: float


class Generator:
    """A model in a folder, with the chat template of its tokenizer."""

    def __init__(self, folder: str):
        loaded = heads.load_causal(folder)
        import torch

        self._tokenizer, self.max_tokens = loaded.tokenizer, loaded.max_tokens
        if torch.cuda.is_available():
            self._model = loaded.model.to("cuda", torch.bfloat16)
        else:
            torch.set_num_threads(os.cpu_count() or 1)
            self._model = loaded.model
        import transformers

        self._ends = _token_ids(self._model.generation_config.eos_token_id)
        self._ends |= _token_ids(self._tokenizer.eos_token_id)
        # What the files of the model set, such as a repetition penalty, would apply in silence.
        self._model.generation_config = transformers.GenerationConfig()

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
        self, prompts: Sequence[str], max_tokens: int, sampling: TokenSampling, seeds: Sequence[int]
    ) -> list[Reply]:
        """Return a reply to each prompt. The same prompt and seed give the same reply.

        A seed belongs to a prompt, not to the batch. The replies have no seconds.
        """
        import torch
        import transformers

        tokens = [self._encode(prompt) for prompt in prompts]
        width = max(map(len, tokens))
        filler = self._tokenizer.pad_token_id or 0
        inputs = torch.tensor([[filler] * (width - len(row)) + row for row in tokens])
        mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in tokens])
        config = transformers.GenerationConfig(
            do_sample=False,
            max_new_tokens=max_tokens,
            eos_token_id=sorted(self._ends) or None,
            pad_token_id=filler,
        )
        chooser = _TokenChooser(sampling, seeds)
        with torch.inference_mode():
            output = self._model.generate(
                input_ids=inputs.to(self._model.device),
                attention_mask=mask.to(self._model.device),
                generation_config=config,
                logits_processor=[chooser],
            )
        generated = zip(output[:, width:].tolist(), chooser.logprobs(), tokens, strict=True)
        return [self._reply(row, logprobs, len(prompt)) for row, logprobs, prompt in generated]

    def likelihoods(self, prompt: str, texts: Sequence[str]) -> list[float]:
        """Return the mean logarithm of the probabilities of the tokens of each text after a prompt.

        Known weakness: a text of many tokens that follow from its first ones has a high mean.
        """
        import torch

        start = self._encode(prompt)
        space = "" if self._tokenizer.chat_template else " "
        ends = [self._tokenizer.encode(space + text, add_special_tokens=False) for text in texts]
        width = len(start) + max(map(len, ends))
        rows = [[*start, *end, *[0] * (width - len(start) - len(end))] for end in ends]
        with torch.inference_mode():  # what follows a token does not change what is before it
            logits = self._model(torch.tensor(rows).to(self._model.device)).logits
            logprobs = logits[:, len(start) - 1 : -1].float().log_softmax(-1).cpu()
        return [
            float(row[range(len(end)), end].mean()) for row, end in zip(logprobs, ends, strict=True)
        ]

    def _reply(self, row: Sequence[int], logprobs: Sequence[float], tokens_in: int) -> Reply:
        end = next((place for place, token in enumerate(row) if token in self._ends), None)
        tokens = row[:end]
        text = self._tokenizer.decode(tokens, skip_special_tokens=True)
        reason = "length" if end is None else "stop"
        mean = confidence(logprobs[: len(tokens)])
        return Reply(text, reason, tokens_in, len(tokens), 0.0, confidence=mean)

    def _encode(self, prompt: str) -> list[int]:
        # A chat template has the special tokens of its model itself.
        has_template = bool(self._tokenizer.chat_template)
        return [*self._tokenizer.encode(prompt, add_special_tokens=not has_template)]


def _token_ids(value: Any) -> set[int]:
    """Return the ids in a setting, which is one id, several or None."""
    return {value} if isinstance(value, int) else set(value or ())


class _TokenChooser:
    """Chooses the next token of each row of a batch, and notes its probability.

    At a temperature above 0 it raises the score of a token by chance, by its probability (Gumbel's
    trick), since the generation takes the highest score. Each row has its own source of chance, so
    it does not depend on the other rows.
    """

    def __init__(self, sampling: TokenSampling, seeds: Sequence[int]):
        import torch

        self._sampling = sampling
        self._generators = [torch.Generator().manual_seed(seed) for seed in seeds]
        self._steps: list[list[float]] = []

    def __call__(self, _tokens: Any, scores: Any) -> Any:
        """Return the scores of a step, of which the highest in a row is the next token."""
        logits = scores.float().cpu()
        chosen = self._perturbed(logits) if self._sampling.temperature else logits
        places = chosen.argmax(-1, keepdim=True)
        self._steps.append(logits.log_softmax(-1).gather(-1, places)[:, 0].tolist())
        return chosen.to(scores.device)

    def logprobs(self) -> list[list[float]]:
        """Return the logarithms of the probabilities of the tokens of each row."""
        return [[*row] for row in zip(*self._steps, strict=True)]

    def _perturbed(self, logits: Any) -> Any:
        import torch

        logits = logits / self._sampling.temperature
        if self._sampling.top_p < 1:
            ordered, places = logits.softmax(-1).sort(descending=True)
            is_left_out = ordered.cumsum(-1) - ordered >= self._sampling.top_p
            logits = logits.masked_fill(
                torch.zeros_like(is_left_out).scatter(-1, places, is_left_out), float("-inf")
            )
        width = logits.shape[-1]
        noise = torch.stack([torch.rand(width, generator=source) for source in self._generators])
        return logits - torch.log(-torch.log(noise + _SMALLEST) + _SMALLEST)
