"""Read the replies of servers that speak OpenAI's chat protocol."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from kgbuild.models.budget import CHARACTERS_PER_TOKEN
from kgbuild.models.chat import REFUSED, Reply, Request
from kgbuild.net.failures import excerpt

_MAX_COUNT = 2**31
"""A server's count of tokens from this number on is wrong and is ignored."""


def read(body: str, request: Request, seconds: float) -> Reply:
    """Parse the reply in the body of a response.

    The text is empty if the server sends none: the model only reasoned, a filter removed the text,
    or the model wants to call a tool. The finish reason distinguishes these cases.

    Raises:
        ValueError: the body is not a reply of the chat protocol, or has neither a text nor a
            finish reason.
    """
    try:
        response = json.loads(body)
        choice = response["choices"][0]
        message = choice["message"]
        content, refusal = message.get("content"), message.get("refusal")
        reason = choice.get("finish_reason")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        beginning = excerpt(encodable(body))
        raise ValueError(f"this is not a reply of the chat protocol: {beginning}") from error
    reasoning = message.get("reasoning_content") or message.get("reasoning")
    if isinstance(content, list):
        parts = [part for part in content if isinstance(part, dict)]
        content = _join(parts, "text")
        refusal = refusal or _join(parts, "refusal")
        reasoning = reasoning or _join(parts, "thinking")
    text, refusal, reasoning = _text(content), _text(refusal), _text(reasoning)
    if not text.strip() and refusal:
        text, reason = refusal, REFUSED
    if not text.strip() and not isinstance(reason, str):
        raise ValueError("an empty reply without a finish reason")
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
    """Return the server's counts (in, out) of tokens in a response without a reply, or zeros."""
    try:
        response = json.loads(body)
        return _tokens(response, "prompt_tokens", ""), _tokens(response, "completion_tokens", "")
    except (ValueError, AttributeError, RecursionError):
        return 0, 0


def _join(parts: Sequence[Mapping[str, Any]], kind: str) -> str:
    """Join the texts of the parts of a kind; a part of kind "thinking" may contain parts."""
    texts = []
    for part in parts:
        value = part.get(kind)
        if isinstance(value, list):
            value = _join([inner for inner in value if isinstance(inner, dict)], "text")
        texts.append(value if isinstance(value, str) else "")
    return "".join(texts)


def _text(value: object) -> str:
    return encodable(value) if isinstance(value, str) else ""


def encodable(text: str) -> str:
    """Return a text with "?" for lone surrogates, which JSON can contain and UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode()


def _tokens(response: Mapping[str, Any], name: str, text: str) -> int:
    """Return the server's count of tokens, or an estimate from the text."""
    usage = response.get("usage")
    count = usage.get(name) if isinstance(usage, dict) else None
    if isinstance(count, int) and 0 <= count < _MAX_COUNT:
        return int(count)
    return math.ceil(len(text.encode("utf-8", "replace")) / CHARACTERS_PER_TOKEN)
