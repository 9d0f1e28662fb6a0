"""Read why a server refuses a request: its message, a parameter that it names, a spent quota."""

import json
import re
from collections.abc import Collection
from typing import NamedTuple

from kgbuild.net.failures import server_message

_PAYMENT_REQUIRED = 402
_QUOTA = re.compile(
    r"insufficient[_ ](?:quota|balance|credits?|funds)|exceeded your current quota"
    r"|billing[_ ](?:hard[_ ]limit|not[_ ]active)|credit balance is too low",
    re.IGNORECASE,
)
_TOO_LARGE = re.compile(r"too (?:large|long|high)|context (?:length|window)|at most|exceeds?")
_WRONG_PARAMETER = {400, 422}
"""Statuses of servers that do not accept a parameter."""


class Refusal(NamedTuple):
    """The status of a failure and its text; ``parameter`` is the refused one, "" if none is named.

    ``is_too_large`` is whether only its value is too large for this request. ``wait`` are the
    seconds that the server asks for. ``is_quota`` is whether the user's quota or balance at the
    server is spent, so that no other request can succeed either.
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
    text, named = content, None
    if isinstance(content, dict):
        text, named = content.get("message") or content.get("detail"), content.get("param")
    message = text.encode("utf-8", "replace").decode() if isinstance(text, str) else ""
    shown = server_message(message)
    is_quota = status == _PAYMENT_REQUIRED or bool(_QUOTA.search(f"{body} {message}"))
    parameter = _parameter(named, message, parameters) if status in _WRONG_PARAMETER else ""
    return Refusal(
        status,
        f"HTTP {status}: {shown}" if shown else f"HTTP {status}",
        parameter,
        bool(_TOO_LARGE.search(message)),
        wait,
        is_quota,
    )


def _parameter(named: object, message: str, parameters: Collection[str]) -> str:
    """Return the parameter that a server names apart, or in its message; "" if it names none."""
    if isinstance(named, str) and named in parameters:
        return named
    words = [name for name in parameters if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", message)]
    return min(words, key=message.index, default="")
