"""The errors of HTTP requests, and texts of servers in a form that is safe to print."""

from kgbuild.net import urls

_EXCERPT = 200
"""Maximum number of characters of a server's message that an error repeats."""


class RequestError(Exception):
    """An error of a request; ``detail`` and ``said`` are texts of the server, or about it."""

    def __init__(self, detail: str, said: str = ""):
        super().__init__(detail)
        self.detail = printable(detail)
        self.said = said

    def __str__(self) -> str:
        return self.detail

    def redact(self, url: str) -> None:
        """Remove the user's secrets for the URL of the request from the texts."""
        secrets = urls.sent_secrets(url)
        self.detail = urls.redact(self.detail, secrets)
        self.said = urls.redact(self.said, secrets)


class UnansweredError(RequestError):
    """Raised when there is no complete response.

    ``status`` is the HTTP status of a busy server, or 0. ``wait`` is the pause in seconds that the
    server requests. ``lasts`` is whether another try will probably fail as well.
    """

    def __init__(self, detail: str, wait: float = 0.0, lasts: bool = False, status: int = 0):
        super().__init__(detail)
        self.wait = wait
        self.lasts = lasts
        self.status = status


class RefusedError(RequestError):
    """Raised when the server responds with the status of a failure."""

    def __init__(self, status: int, detail: str, said: str = ""):
        super().__init__(detail, said)
        self.status = status

    @property
    def message(self) -> str:
        """The server's message in the body of the response."""
        return server_message(self.said)


def describe_status(code: int, reason: str) -> str:
    """Return a text about an HTTP status."""
    if 300 <= code < 400:
        return f"HTTP {code}, a redirect that cannot be followed"
    return f"HTTP {code} {reason}".rstrip()


def printable(text: str) -> str:
    """Escape characters that control a terminal or cannot be written in UTF-8."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def excerpt(text: str) -> str:
    """Return the beginning of a text, on one line."""
    line = " ".join(text.split())
    return f"{line[:_EXCERPT]}…" if len(line) > _EXCERPT else line


def server_message(text: str) -> str:
    """Return the beginning of a server's message, or "" if it is an HTML page."""
    line = excerpt(text.rstrip().rstrip("."))
    return "" if line.startswith("<") else line
