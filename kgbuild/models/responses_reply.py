"""Read the replies of servers that speak OpenAI's Responses API.

Source: OpenAI's reference of the object "response".
"""

import json
from typing import Any

from kgbuild.models.chat import REFUSED, Reply, Request, confidence
from kgbuild.models.chat_reply import (
    count_tokens,
    encodable,
    join_parts,
    logprobs_of,
    text_of,
    unreadable,
)

USAGE = ("input_tokens", "output_tokens")


def read(body: str, request: Request, seconds: float) -> Reply:
    """Parse the reply in the body of a response.

    The finish reason of a complete reply is "stop", of an incomplete one the server's reason, such
    as "max_output_tokens", so that it is comparable with that of the chat protocol.

    Raises:
        ValueError: the body is not a reply of the Responses API, or has neither a text nor a
            status.
    """
    try:
        response = json.loads(body)
        items = [item for item in response["output"] if isinstance(item, dict)]
        status = text_of(response.get("status"))
        details = response.get("incomplete_details") or {}
        reason = "stop" if status == "completed" else text_of(details.get("reason")) or status
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise unreadable(body, "the Responses API") from error
    parts = _parts(items, "message", "content")
    text, refusal = join_parts(parts, "text"), join_parts(parts, "refusal")
    reasoning = join_parts(_parts(items, "reasoning", "summary"), "text") or join_parts(
        _parts(items, "reasoning", "content"), "text"
    )
    if not text.strip() and refusal:
        text, reason = refusal, REFUSED
    if not text.strip() and not reason:
        raise ValueError("an empty reply without a status")
    prompt = "".join(message.content for message in request.messages)
    return Reply(
        text=encodable(text),
        finish_reason=reason.lower(),
        tokens_in=count_tokens(response, USAGE[0], prompt),
        tokens_out=count_tokens(response, USAGE[1], reasoning + text),
        seconds=seconds,
        reasoning=encodable(reasoning),
        model=text_of(response.get("model")),
        confidence=confidence([p for part in parts for p in logprobs_of(part.get("logprobs"))]),
    )


def _parts(items: list[dict[str, Any]], kind: str, field: str) -> list[dict[str, Any]]:
    fields = (item.get(field) for item in items if item.get("type") == kind)
    lists = (parts for parts in fields if isinstance(parts, list))
    return [part for parts in lists for part in parts if isinstance(part, dict)]
