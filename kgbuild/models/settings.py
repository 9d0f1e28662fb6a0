"""What a user sets for all requests to a model, and the parameters that are sent with a request."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kgbuild.models.chat import Message, Request

RESERVED = ("model", "messages", "stream", "n")
"""Fields of the protocol that ``extra_body`` must not set."""


@dataclass(frozen=True)
class Settings:
    """Values that replace those of every request; None and "" leave a request as it is.

    ``system`` is sent as a message before the others. ``extra_body`` has further fields of the
    request: those of OpenAI's protocol, or of one server only, such as vLLM's ``top_k``.
    """

    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    reasoning_effort: str = ""
    system: str = ""
    extra_body: Mapping[str, Any] = field(default_factory=dict)

    def apply(self, request: Request) -> Request:
        """Return a request with these settings; its ``parameters`` are what is sent with it."""
        system = (Message("system", self.system),) if self.system else ()
        temperature = request.temperature if self.temperature is None else self.temperature
        fields = {"top_p": self.top_p, "reasoning_effort": self.reasoning_effort}
        more = {name: value for name, value in fields.items() if value} | dict(self.extra_body)
        return request._replace(
            messages=(*system, *request.messages),
            most_tokens=self.max_tokens or request.most_tokens,
            temperature=temperature,
            more=tuple(more.items()),
        )
