"""Read the replies of servers that speak OpenAI's chat protocol."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from kgbuild.models.budget import CHARACTERS
from kgbuild.models.chat import REFUSED, Reply, Request
from kgbuild.net.failures import excerpt

_MOST_TOKENS = 2**31
"""A server's count of tokens that is not below this number is ignored."""


def read(body: str, request: Request, seconds: float) -> Reply:
    """Return the reply in the body of a response.

    The text is empty if the server sends none: where the model only thought, a filter removed its
    text, or it wants to call a tool. The finish reason tells these apart.

    Raises:
        ValueError: the body is not a reply of the chat protocol, or has neither a text nor a
            finish reason.
    """
    try:
        response = json.loads(body)
        choice = response["choices"][0]
        message = choice["message"]
        content, refused = message.get("content"), message.get("refusal")
        reason = choice.get("finish_reason")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        shown = excerpt(encodable(body))
        raise ValueError(f"this is not a reply of the chat protocol: {shown}") from error
    thoughts = message.get("reasoning_content") or message.get("reasoning")
    if isinstance(content, list):
        parts = [part for part in content if isinstance(part, dict)]
        content = _joined(parts, "text")
        refused = refused or _joined(parts, "refusal")
        thoughts = thoughts or _joined(parts, "thinking")
    text, refused = _text(content), _text(refused)
    if not text.strip() and refused:
        text, reason = refused, REFUSED
    reasoning = _text(thoughts)
    if not text.strip() and not isinstance(reason, str):
        raise ValueError("an empty answer, which the server doesn't call finished")
    prompt = "".join(message.content for message in request.messages)
    return Reply(
        text=text,
        finish_reason=_text(reason).lower(),
        tokens_in=_tokens(response, "prompt_tokens", prompt),
        tokens_out=_tokens(response, "completion_tokens", reasoning + text),
        seconds=seconds,
        reasoning=reasoning,
        model=_text(response.get("model")),
    )


def tokens(body: str) -> tuple[int, int]:
    """Return the server's counts of tokens in a response that is no reply; 0 without counts."""
    try:
        response = json.loads(body)
        return _tokens(response, "prompt_tokens", ""), _tokens(response, "completion_tokens", "")
    except (ValueError, AttributeError, RecursionError):
        return 0, 0


def _joined(parts: Sequence[Mapping[str, Any]], kind: str) -> str:
    """Return the texts of the parts of a kind; a part of thoughts has parts of its own."""
    texts = []
    for part in parts:
        value = part.get(kind)
        if isinstance(value, list):
            value = _joined([inner for inner in value if isinstance(inner, dict)], "text")
        texts.append(value if isinstance(value, str) else "")
    return "".join(texts)


def _text(value: object) -> str:
    return encodable(value) if isinstance(value, str) else ""


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
