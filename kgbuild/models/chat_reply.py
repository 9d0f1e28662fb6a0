"""Read the replies and refusals of servers that speak OpenAI's chat protocol."""

import json
from collections.abc import Mapping
from typing import Any

from kgbuild.models.budget import CHARACTERS
from kgbuild.models.chat import Reply, Request
from kgbuild.net.failures import excerpt, server_message

_MOST_TOKENS = 2**31
"""A server's count of tokens that is not below this number is ignored."""


def read(body: str, request: Request, seconds: float) -> tuple[Reply, bool]:
    """Return the reply in the body of a response, and whether the server calls it finished.

    Raises:
        ValueError: the body is not a reply of the chat protocol.
    """
    try:
        response = json.loads(body)
        choice = response["choices"][0]
        content = choice["message"]["content"]
        reason = choice.get("finish_reason")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        shown = excerpt(encodable(body))
        raise ValueError(f"this is not a reply of the chat protocol: {shown}") from error
    text = encodable(content) if isinstance(content, str) else ""
    prompt = "".join(message.content for message in request.messages)
    reply = Reply(
        text=text,
        was_cut=reason == "length",
        tokens_in=_tokens(response, "prompt_tokens", prompt),
        tokens_out=_tokens(response, "completion_tokens", text),
        seconds=seconds,
    )
    return reply, isinstance(reason, str)


def refusal(status: int, body: object) -> str:
    """Return a text for the status of a failure, with the server's message from the body."""
    content = (body.get("message") or body.get("detail")) if isinstance(body, dict) else body
    message = server_message(encodable(content)) if isinstance(content, str) else ""
    return f"HTTP {status}: {message}" if message else f"HTTP {status}"


def encodable(text: str) -> str:
    """Return a text with "?" for lone surrogates, which JSON may contain and UTF-8 may not."""
    return text.encode("utf-8", "replace").decode()


def _tokens(response: Mapping[str, Any], name: str, text: str) -> int:
    """Return the server's count of tokens, or an estimate from the text."""
    usage = response.get("usage")
    count = usage.get(name) if isinstance(usage, dict) else None
    if isinstance(count, int) and 0 <= count < _MOST_TOKENS:
        return int(count)
    return -(-len(text.encode("utf-8", "replace")) // CHARACTERS)
