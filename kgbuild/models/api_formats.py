"""The formats in which servers receive requests and send replies: OpenAI's two APIs."""

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from kgbuild.models import chat_reply, reply_format, responses_reply
from kgbuild.models.chat import Reply, Request

_OPENAI = re.compile(r"https?://([\w-]+\.)*(api\.openai\.com|openai\.azure\.com)(?=[:/?]|$)")


class ApiFormat(NamedTuple):
    """The format of the requests to ``path`` below the URL of a server, and of their replies.

    ``turns`` is the field of the messages. ``names`` maps names of parameters in ``Request`` to
    those of the API, ``newer_names`` to those that OpenAI requires and local servers lack.
    ``older_values`` turns the value of a parameter that a server refuses into one that older
    servers take. ``fixed`` are further fields. ``read`` parses the body of a response; ``usage``
    are the names of its counts of tokens, in and out.
    """

    path: str
    turns: str
    names: Mapping[str, str]
    newer_names: Mapping[str, str]
    older_values: Mapping[str, Callable[[Any], Any]]
    fixed: Mapping[str, Any]
    read: Callable[[str, Request, float], Reply]
    usage: tuple[str, str]

    def body(self, model: str, request: Request, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return the body of a request to a model; ``parameters`` have the names of the API."""
        turns = [
            {"role": message.role, "content": chat_reply.encodable(message.content)}
            for message in request.messages
        ]
        values = dict(parameters)
        if isinstance(values.get(_REASONING), str):
            values[_REASONING] = {"effort": values[_REASONING]}
        if "type" in values.get(_TEXT, {}):
            values[_TEXT] = reply_format.as_text(values[_TEXT])
        return {"model": model, self.turns: turns, **self.fixed, **values}

    def at(self, base_url: str) -> "ApiFormat":
        """Return the format at a server: OpenAI's has the newer names."""
        if not _OPENAI.match(base_url):
            return self
        return self._replace(names={**self.names, **self.newer_names})

    def url(self, base_url: str) -> str:
        """Return the URL of requests to the server at ``base_url``."""
        parts = urlsplit(base_url)  # a query, such as a version, stays at the end
        return parts._replace(path=parts.path.rstrip("/") + self.path).geturl()


_REASONING = "reasoning"
"""The parameter of the Responses API for the effort of reasoning."""
_TEXT = "text"
"""The parameter of the Responses API for the form of a reply."""
API_FORMATS: Mapping[str, ApiFormat] = {
    "chat": ApiFormat(
        "/chat/completions",
        "messages",
        {},
        {"max_tokens": "max_completion_tokens"},
        {reply_format.FIELD: reply_format.as_json_object},
        {},
        chat_reply.read,
        chat_reply.USAGE,
    ),
    "responses": ApiFormat(
        "/responses",
        "input",
        {
            "max_tokens": "max_output_tokens",
            "reasoning_effort": _REASONING,
            reply_format.FIELD: _TEXT,
        },
        {},
        {},
        {"store": False},  # the server keeps no copy of the conversation
        responses_reply.read,
        responses_reply.USAGE,
    ),
}
