"""Check the URLs that users type, and hide passwords in them."""

import base64
import re
from urllib.parse import SplitResult, unquote_to_bytes, urlsplit

_CREDENTIALS = re.compile(r"^([^:/?#]*://)([^/?#]*)@")
_NOT_IN_URLS = re.compile(r"[^!-~]")


def parse(url: str) -> SplitResult:
    """Return the parts of a URL; raise a ValueError with the reason if it is none."""
    if _NOT_IN_URLS.search(url):
        raise ValueError("a URL holds neither spaces nor letters beyond ASCII; percent-encode them")
    parts = urlsplit(url)
    if not parts.hostname:
        raise ValueError("the URL names no host")
    try:
        _ = parts.port
    except ValueError as error:  # its message would show a part of the password
        raise ValueError("its port is none; percent-encode a password that is in a URL") from error
    return parts


def parse_web(url: str) -> SplitResult:
    """Return the parts of an http or https URL; raise a ValueError if it is none."""
    parts = parse(url)
    if parts.scheme not in ("http", "https"):
        raise ValueError("URLs are to begin with http:// or https://")
    return parts


def server(url: str) -> str:
    """Return the name and port of a URL's server, as the URL has them."""
    return urlsplit(public(url)).netloc


def origin(url: str) -> tuple[str, str]:
    """Return the scheme and the server of a URL."""
    parts = urlsplit(url)
    return parts.scheme, parts.netloc


def is_local(url: str) -> bool:
    """Return whether a URL's server is on this machine."""
    try:
        name = parse(public(url)).hostname or ""
    except ValueError:
        return False
    return re.fullmatch(r"localhost|127\.[\d.]+|::1", name) is not None


def split_credentials(url: str) -> tuple[str, str]:
    """Return a URL without name and password, and the header Authorization for these, or ""."""
    match = _CREDENTIALS.match(url)
    if not match:
        return url, ""
    user, _, password = match[2].partition(":")
    secret = base64.b64encode(unquote_to_bytes(f"{user}:{password}"))
    return public(url), f"Basic {secret.decode()}"


def public(url: str) -> str:
    """Return a URL without name and password, even if these are not percent-encoded."""
    shown = _CREDENTIALS.sub(r"\1", url)
    try:
        parse(shown)
    except ValueError:
        scheme, separator, rest = shown.rpartition("://")
        return f"{scheme}{separator}{rest.rpartition('@')[2]}"
    return shown
