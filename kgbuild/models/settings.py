"""The settings of a user for all requests to a model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeAlias

from kgbuild.calls import Count, OneOf, Range, checked
from kgbuild.models.api_formats import API_FORMATS
from kgbuild.models.chat import Message, Request
from kgbuild.net import waits

Concurrency: TypeAlias = Annotated[int, Range(1, 1024)]
Retries: TypeAlias = Annotated[int, Range(0, 100)]
Timeout: TypeAlias = Annotated[float, Range(0, 86_400, min_open=True)]
Api: TypeAlias = Annotated[str, OneOf(tuple(API_FORMATS))]
CONCURRENCY = 64
"""Default maximum number of concurrent requests."""
RETRIES = waits.TRIES - 1
"""Default maximum number of further tries of a request."""
TIMEOUT = 600.0
"""Default seconds to wait for a reply. A small machine needs some minutes for 2,048 tokens."""
RESERVED = ("model", "messages", "stream", "n")
"""Fields of the protocol that ``extra_body`` must not set."""


@checked
@dataclass(frozen=True)
class Settings:
    """Values that replace fields of every request; None and "" change nothing.

    ``seed`` makes sampling repeatable on servers that support it. Each sample of a request has its
    own seed, ``seed`` plus its number, since equal seeds would draw equal samples.
    ``system`` is sent as a system message before all others. ``extra_body`` has further fields of
    the request, of OpenAI's protocol or of a certain server, such as vLLM's ``top_k``.
    """

    max_tokens: Count | None = None
    temperature: Annotated[float, Range(0, 2)] | None = None
    top_p: Annotated[float, Range(0, 1, min_open=True)] | None = None
    seed: Annotated[int, Range(0)] | None = None
    reasoning_effort: str = ""
    system: str = ""
    extra_body: Mapping[str, Any] = field(default_factory=dict)

    def by_key(
        self, requests: Sequence[Request], model: str, distinction: str
    ) -> tuple[list[str], dict[str, Request]]:
        """Return the key of each request in the cache, and the requests with these settings."""
        complete = [self.apply(request) for request in requests]
        keys = [request.key(model, distinction) for request in complete]
        return keys, dict(zip(keys, complete, strict=True))

    def apply(self, request: Request) -> Request:
        """Return a request with these settings."""
        system = (Message("system", self.system),) if self.system else ()
        temperature = request.temperature if self.temperature is None else self.temperature
        seed = None if self.seed is None else self.seed + request.sample
        fields = {"top_p": self.top_p, "seed": seed, "reasoning_effort": self.reasoning_effort}
        chosen = {name: value for name, value in fields.items() if value not in (None, "")}
        more = dict(request.more) | chosen | dict(self.extra_body)
        if more.get("logprobs") is True:  # some servers report none without the number of tokens
            more.setdefault("top_logprobs", 1)
        return request._replace(
            messages=(*system, *request.messages),
            max_tokens=self.max_tokens or request.max_tokens,
            temperature=temperature,
            more=tuple(more.items()),
        )
