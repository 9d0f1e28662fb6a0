"""Parse the refusals of servers: the message, the refused parameter, a spent quota."""

import json
import re
from collections.abc import Collection
from typing import NamedTuple

from kgbuild.net.failures import server_message

_QUOTA = re.compile(
    r"insufficient[_ ](?:quota|balance|credits?|funds)|exceeded your current quota"
    r"|billing[_ ](?:hard[_ ]limit|not[_ ]active)|credit balance is too low",
    re.IGNORECASE,
)
"""Messages about a spent quota or balance, such as "You exceeded your current quota"."""
_TOO_LARGE = re.compile(
    r"too (?:large|long|high)|context (?:length|window)|max_model_len|at most|exceeds?"
)
"""Messages about a value that is too large for a request, such as "maximum context length"."""
_HINTS = {
    r"\bthink(?:ing)?\b": ("reasoning_effort", "reasoning"),
    r"(?i)json[ _]?schema|grammar|guided|structured|response[ _]?format": (
        "response_format",
        "text",
    ),
}
"""Messages such as Ollama's "does not support thinking" and "Failed to parse grammar", and the
names in both APIs of the parameter that they are about."""


class Refusal(NamedTuple):
    """A response with the HTTP ``status`` of a failure; ``detail`` is a text about it.

    ``parameter`` is the name of the refused parameter, or "". ``is_too_large`` is whether its value
    is only too large for this request. ``wait`` is the pause in seconds that the server requests.
    ``is_quota`` is whether the user's quota or balance is spent, so that no request can succeed.
    """

    status: int
    detail: str
    parameter: str = ""
    is_too_large: bool = False
    wait: float = 0.0
    is_quota: bool = False


def read_refusal(status: int, body: str, parameters: Collection[str], wait: float = 0.0) -> Refusal:
    """Return the refusal in the body of a response to a request with these ``parameters``."""
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        content = body
    if isinstance(content, dict) and isinstance(content.get("error"), dict | str):
        content = content["error"]
    text, param = content, None
    if isinstance(content, dict):
        text, param = content.get("message") or content.get("detail"), content.get("param")
    if isinstance(text, list):  # FastAPI lists the faults of a request
        text = json.dumps(text, ensure_ascii=False)
    message = text.encode("utf-8", "replace").decode() if isinstance(text, str) else ""
    beginning = server_message(message)
    is_quota = status == 402 or bool(_QUOTA.search(f"{body} {message}"))  # payment required
    parameter = _parameter(param, message, parameters) if status in (400, 422) else ""
    return Refusal(
        status,
        f"HTTP {status}: {beginning}" if beginning else f"HTTP {status}",
        parameter,
        bool(_TOO_LARGE.search(message)),
        wait,
        is_quota,
    )


def _parameter(param: object, message: str, parameters: Collection[str]) -> str:
    """Return the parameter in the field ``param``, else the first in the message, or ""."""
    if isinstance(param, str) and (field := param.partition(".")[0]) in parameters:
        return field
    for pattern, fields in _HINTS.items():
        sent = [name for name in fields if name in parameters]
        if sent and re.search(pattern, message):
            return sent[0]
    words = [name for name in parameters if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", message)]
    return min(words, key=message.index, default="")
