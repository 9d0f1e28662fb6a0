"""Check URLs that users type, and keep the passwords and keys in them out of all texts."""

import base64
import re
from urllib.parse import SplitResult, unquote, unquote_to_bytes, urlsplit

_CREDENTIALS = re.compile(r"^([^:/?#]*://)([^/?#]*)@")
"""The scheme of a URL, then user name and password: https://ada:secret@."""
_SECRET = re.compile(
    r"([?&;#][^=&;#]*(?:key|token|secret|pass|sig|auth|cred|code)[^=&;#]*=)([^&;#]*)", re.IGNORECASE
)
"""A parameter of a URL that may be a key, and its value: ?api-key=1a2b."""
_NOT_IN_URLS = re.compile(r"[^!-~]")
"""A space, a control character, or a character outside ASCII."""


def parse(url: str) -> SplitResult:
    """Return the parts of a URL; raise a ValueError with the reason if the URL is invalid."""
    if _NOT_IN_URLS.search(url):
        raise ValueError("a URL has no spaces and only ASCII letters; percent-encode all others")
    parts = urlsplit(url)
    if not parts.hostname:
        raise ValueError("the URL has no host")
    try:
        _ = parts.port
    except ValueError as error:  # its message would show a part of the password
        raise ValueError("the port is invalid; percent-encode a password in a URL") from error
    return parts


def parse_web(url: str) -> SplitResult:
    """Return the parts of an http or https URL; raise a ValueError for any other text."""
    parts = parse(url)
    if parts.scheme not in ("http", "https"):
        raise ValueError("the URL must begin with http:// or https://")
    return parts


def server(url: str) -> str:
    """Return the host of a URL, with its port if there is one: example.org:8080."""
    return urlsplit(public(url)).netloc


def origin(url: str) -> tuple[str, str]:
    """Return the scheme and the network location (host, port, user name) of a URL."""
    parts = urlsplit(url)
    return parts.scheme, parts.netloc


def is_local(url: str) -> bool:
    """Return whether a URL's server is on this machine."""
    try:
        host = parse(without_credentials(url)).hostname or ""
    except ValueError:
        return False
    return re.fullmatch(r"localhost|127\.[\d.]+|::1", host) is not None


def split_credentials(url: str) -> tuple[str, str]:
    """Return a URL without user name and password, and these as a header Authorization, or ""."""
    match = _CREDENTIALS.match(url)
    if not match:
        return url, ""
    user, _, password = match[2].partition(":")
    secret = base64.b64encode(unquote_to_bytes(f"{user}:{password}"))
    return without_credentials(url), f"Basic {secret.decode()}"


def proxy(url: str) -> str:
    """Return the proxy that the environment sets for a URL, with its credentials; "" without."""
    from urllib.request import getproxies, proxy_bypass  # it imports http.client, which is slow

    parts = parse(url)
    address = getproxies().get(parts.scheme, "")
    if not address or proxy_bypass(str(parts.hostname)):
        return ""
    return address if "://" in address else f"http://{address}"


def public(url: str) -> str:
    """Return a URL as texts may show it: without user name, password and keys.

    >>> public("https://ada:secret@example.org/v1?version=2&api-key=1a2b")
    'https://example.org/v1?version=2&api-key=***'
    """
    return _SECRET.sub(r"\1***", without_credentials(url))


def secrets(url: str) -> set[str]:
    """Return the passwords and keys in a URL, as they are and decoded."""
    match = _CREDENTIALS.match(url)
    values = [value for _, value in _SECRET.findall(without_credentials(url))]
    values += [match[2], match[2].partition(":")[2]] if match else []
    return {*filter(None, values), *filter(None, map(unquote, values))}


def without_credentials(url: str) -> str:
    """Return a URL without user name and password, even if these are not percent-encoded."""
    stripped = _CREDENTIALS.sub(r"\1", url)
    try:
        parse(stripped)
    except ValueError:
        scheme, separator, rest = stripped.rpartition("://")
        return f"{scheme}{separator}{rest.rpartition('@')[2]}"
    return stripped
