"""The failures of requests, with messages that can be shown to the user."""

_EXCERPT = 200
"""Characters of a server's message that are shown."""


class UnansweredError(Exception):
    """No response came, or only a part of one.

    ``status`` is that of a busy server, or 0; such a server may ask for a ``wait`` in seconds.
    ``lasts`` is set if another try is likely to fail as well.
    """

    def __init__(self, detail: str, wait: float = 0.0, lasts: bool = False, status: int = 0):
        super().__init__(detail)
        self.detail = printable(detail)
        self.wait = wait
        self.lasts = lasts
        self.status = status


class RefusedError(Exception):
    """The server responds with a status that is no success."""

    def __init__(self, status: int, detail: str, body: bytes = b""):
        super().__init__(detail)
        self.status = status
        self.detail = printable(detail)
        self.body = body

    @property
    def message(self) -> str:
        """The message of the server in the body."""
        return server_message(self.body.decode("utf-8", "replace"))


def describe_status(code: int, reason: str) -> str:
    """Return the words for a status of HTTP."""
    if 300 <= code < 400:
        return f"HTTP {code}, a redirect that leads nowhere"
    return f"HTTP {code} {reason}".rstrip()


def printable(text: str) -> str:
    """Escape what would move a terminal's cursor or cannot be written in UTF-8."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def excerpt(text: str) -> str:
    """Return the beginning of a text, on one line."""
    line = " ".join(text.split())
    return f"{line[:_EXCERPT]}…" if len(line) > _EXCERPT else line


def server_message(text: str) -> str:
    """Return the beginning of a server's message, or nothing if it is an HTML page."""
    line = excerpt(text.rstrip().rstrip("."))
    return "" if line.startswith("<") else line
