"""Ask a language model on this machine: the same requests and replies, without a server."""

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from kgbuild.models.budget import Used
from kgbuild.models.chat import LOCAL, Failure, Reply, Request
from kgbuild.models.local.generation import Generator, TokenSampling
from kgbuild.models.reply_cache import complete
from kgbuild.models.settings import Settings

_BATCH_SIZE = 16
"""Number of requests that are answered together."""


@dataclass
class LocalModel:
    """The model in a folder, named ``hf:FOLDER``, with a cache of its replies.

    The fields are those of ``llm.Model``. Replies are generated in batches of requests of similar
    length, on a GPU if there is one. A sample is drawn by the seed of the settings and the request,
    so it is the same in every run on the same machine.
    """

    name: str
    cache: Path
    budget: int | None = None
    settings: Settings = field(default_factory=Settings)
    cache_key: str = ""
    used: Used = field(default_factory=Used, init=False)

    @cached_property
    def _generator(self) -> Generator:
        return Generator(self.name.removeprefix(LOCAL))

    def ask(
        self, requests: Sequence[Request], progress: Callable[[int, int], None] = lambda *_: None
    ) -> list[Reply | Failure]:
        """Return the reply to each request, in order; equal requests are answered once."""

        def answer(
            missing: Mapping[str, Request], keep: Callable[[str, Reply | Failure], None]
        ) -> None:
            for key, reply in self._replies(missing):
                keep(key, reply)

        keys, requests_by_key = self.settings.by_key(requests, self.name, self.cache_key)
        replies = complete(self.cache, requests_by_key, self.used, answer, progress)
        return [replies[key] for key in keys]

    def _replies(self, requests: Mapping[str, Request]) -> Iterator[tuple[str, Reply | Failure]]:
        """Yield the key and the reply of each request, batch by batch."""
        by_options: dict[tuple[int, TokenSampling], list[tuple[int, str, str]]] = {}
        for key, request in requests.items():
            prompt = self._generator.prompt(request.messages)
            length = self._generator.length(prompt)
            room = self._generator.max_tokens - length
            needed = max(map(self._generator.length, request.choices), default=0)
            if room < max(needed, 1):
                most = self._generator.max_tokens
                detail = f"it has {length + needed:,} tokens, and the model reads {most:,}"
                yield key, Failure("refused", detail)
                continue
            if request.choices:
                yield key, self._choice(prompt, length, request)
                continue
            top_p = dict(request.more).get("top_p", 1.0)
            options = min(request.max_tokens, room), TokenSampling(request.temperature, top_p)
            by_options.setdefault(options, []).append((length, key, prompt))
        for (max_tokens, sampling), prompts in by_options.items():
            prompts.sort()  # by length, so that little is filled
            for start in range(0, len(prompts), _BATCH_SIZE):
                yield from self._batch(
                    prompts[start : start + _BATCH_SIZE], max_tokens, sampling, requests
                )

    def _choice(self, prompt: str, length: int, request: Request) -> Reply:
        """Return the likeliest of the choices; its confidence is its share of all likelihoods."""
        started = time.monotonic()
        logs = self._generator.likelihoods(prompt, request.choices)
        shares = [math.exp(log - max(logs)) for log in logs]
        reply = Reply(
            request.choices[shares.index(max(shares))],
            "stop",
            length,
            0,
            time.monotonic() - started,
            model=self.name,
            parameters=json.dumps({"choices": request.choices}),
            confidence=1 / sum(shares),
        )
        self._count(reply)
        return reply

    def _batch(
        self,
        prompts: Sequence[tuple[int, str, str]],
        max_tokens: int,
        sampling: TokenSampling,
        requests: Mapping[str, Request],
    ) -> Iterator[tuple[str, Reply | Failure]]:
        if self.budget is not None and self.used.tokens >= self.budget:
            detail = f"{self.used.tokens:,} of {self.budget:,} tokens are used"
            yield from ((key, Failure("budget", detail)) for _, key, _ in prompts)
            return
        started = time.monotonic()
        texts = [prompt for *_, prompt in prompts]
        # The key is a hash of the request, its sample and the seed of the settings.
        seeds = [int(key, 16) % 2**63 for _, key, _ in prompts]
        replies = self._generator.generate(texts, max_tokens, sampling, seeds)
        seconds = (time.monotonic() - started) / len(prompts)
        for (_, key, _), reply in zip(prompts, replies, strict=True):
            self._count(reply)
            settings = {"max_tokens": max_tokens, "top_p": sampling.top_p}
            parameters = json.dumps(requests[key].parameters | settings, sort_keys=True)
            yield key, reply._replace(seconds=seconds, model=self.name, parameters=parameters)

    def _count(self, reply: Reply) -> None:
        self.used.requests += 1
        self.used.answered += 1
        self.used.count(reply.tokens_in, reply.tokens_out)
