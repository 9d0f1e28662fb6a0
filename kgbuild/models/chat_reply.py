"""Read the replies of servers that speak OpenAI's chat protocol."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from kgbuild.models.budget import CHARACTERS_PER_TOKEN
from kgbuild.models.chat import REFUSED, Reply, Request, confidence
from kgbuild.net.failures import excerpt

USAGE = ("prompt_tokens", "completion_tokens")
"""The names of the counts of tokens, of the request and of the reply."""


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
        raise unreadable(body, "the chat protocol") from error
    reasoning = message.get("reasoning_content") or message.get("reasoning")
    if isinstance(content, list):
        parts = [part for part in content if isinstance(part, dict)]
        thoughts = [part for part in parts if part.get("type") in ("reasoning", "thinking")]
        content = join_parts([part for part in parts if part not in thoughts], "text")
        refusal = refusal or join_parts(parts, "refusal")
        reasoning = reasoning or join_parts(parts, "thinking") or join_parts(thoughts, "text")
    text, refusal, reasoning = text_of(content), text_of(refusal), text_of(reasoning)
    if not text.strip() and refusal:
        text, reason = refusal, REFUSED
    if not text.strip() and not isinstance(reason, str):
        raise ValueError("an empty reply without a finish reason")
    prompt = "".join(message.content for message in request.messages)
    return Reply(
        text=text,
        finish_reason=text_of(reason).lower(),
        tokens_in=count_tokens(response, USAGE[0], prompt),
        tokens_out=count_tokens(response, USAGE[1], reasoning + text),
        seconds=seconds,
        reasoning=reasoning,
        model=text_of(response.get("model")),
        confidence=confidence(_logprobs(choice)),
    )


def unreadable(body: str, protocol: str) -> ValueError:
    """Return the error for a body that is not a reply of a protocol."""
    if body.startswith(("data:", "event:", ":")):  # server-sent events
        return ValueError("the server streams its reply, which the request does not ask for")
    return ValueError(f"this is not a reply of {protocol}: {excerpt(encodable(body))}")


def _logprobs(choice: Mapping[str, Any]) -> list[float]:
    logprobs = choice.get("logprobs")
    return logprobs_of(logprobs.get("content")) if isinstance(logprobs, dict) else []


def logprobs_of(tokens: object) -> list[float]:
    """Return the logarithms of the probabilities in a list of tokens; none if it is not one."""
    try:
        values = [token["logprob"] for token in tokens]  # type: ignore[attr-defined]
    except (LookupError, TypeError):
        return []
    # Some servers write -9999 for the logarithm of 0.
    is_valid = all(isinstance(value, int | float) and -1e9 <= value <= 0 for value in values)
    return values if is_valid else []


def tokens(body: str, names: tuple[str, str]) -> tuple[int, int]:
    """Return the server's counts (in, out) of tokens in a response without a reply, or zeros."""
    try:
        response = json.loads(body)
        return count_tokens(response, names[0], ""), count_tokens(response, names[1], "")
    except (ValueError, AttributeError, RecursionError):
        return 0, 0


def join_parts(parts: Sequence[Mapping[str, Any]], kind: str) -> str:
    """Join the texts of the parts of a kind; a part of kind "thinking" may contain parts."""
    texts = []
    for part in parts:
        value = part.get(kind)
        if isinstance(value, list):
            value = join_parts([inner for inner in value if isinstance(inner, dict)], "text")
        texts.append(value if isinstance(value, str) else "")
    return "".join(texts)


def text_of(value: object) -> str:
    """Return a value of a response if it is a text, else ""."""
    return encodable(value) if isinstance(value, str) else ""


def encodable(text: str) -> str:
    """Return a text with "?" for lone surrogates, which JSON can contain and UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode()


def count_tokens(response: Mapping[str, Any], name: str, text: str) -> int:
    """Return the server's count of tokens, or an estimate from the text."""
    usage = response.get("usage")
    count = usage.get(name) if isinstance(usage, dict) else None
    if isinstance(count, int) and 0 <= count < 2**31:  # more is wrong
        return int(count)
    return math.ceil(len(text.encode("utf-8", "replace")) / CHARACTERS_PER_TOKEN)
