"""Check URLs that users type, and keep the passwords and keys in them out of all texts."""

import base64
import json
import re
from collections.abc import Iterable
from urllib.parse import SplitResult, quote, unquote, unquote_plus, unquote_to_bytes, urlsplit

_CREDENTIALS = re.compile(r"^([^:/?#]*://)([^/?#]*)@")
"""The scheme of a URL, then user name and password: https://ada:secret@."""
_QUERY = re.compile(r"[?#].*", re.DOTALL)
"""The end of a URL that may have parameters."""
_VALUE = re.compile(r"([?&;#](?:[^=&;#]*=)?+)([^&;#]+)")
"""The name of a parameter in a query, if it has one, and its value: ?api-key=1a2b."""
_SHORTEST = 4
"""Number of characters of the shortest value that texts of servers are searched for."""
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
    from urllib.request import proxy_bypass  # it imports http.client, which is slow

    parts = parse(url)
    address = _proxies().get(parts.scheme, "")
    return "" if proxy_bypass(str(parts.hostname)) else address


def _proxies() -> dict[str, str]:
    """Return the URLs of the environment's proxies, by the scheme of requests."""
    from urllib.request import getproxies

    return {
        scheme: address if "://" in address else f"http://{address}"
        for scheme, address in getproxies().items()
        if address
    }


def public(url: str) -> str:
    """Return a URL as texts may show it: without user name, password and values of parameters.

    Any parameter may be a key, whatever its name.

    >>> public("https://ada:secret@example.org/v1?version=2&api-key=1a2b")
    'https://example.org/v1?version=***&api-key=***'
    """
    return _QUERY.sub(lambda query: _VALUE.sub(r"\1***", query[0]), without_credentials(url))


def secrets(url: str) -> set[str]:
    """Return what ``public`` leaves out of a URL, as it is, decoded, and as a header has it."""
    match = _CREDENTIALS.match(url)
    query = _QUERY.search(without_credentials(url))
    values = [value for _, value in _VALUE.findall(query[0])] if query else []
    values += [match[2], match[2].partition(":")[2]] if match else []
    header = split_credentials(url)[1].removeprefix("Basic ")
    return {*values, *map(unquote, values), *map(unquote_plus, values), header} - {""}


def sent_secrets(url: str) -> set[str]:
    """Return the secrets of a URL, and of all proxies that the environment sets."""
    return secrets(url).union(*map(secrets, _proxies().values()))


def redact(text: str, secrets: Iterable[str], shortest: int = _SHORTEST) -> str:
    """Return a server's text without the user's secrets, which some servers repeat.

    A secret may be in it as it is, percent-encoded, or escaped in JSON. Values with fewer than
    ``shortest`` characters stay, as they may occur as words.
    """
    forms = {
        form
        for secret in secrets
        if len(secret) >= shortest
        for escaped in (secret, json.dumps(secret)[1:-1])
        for form in (escaped, escaped.replace("/", "\\/"), quote(secret), quote(secret, safe=""))
    }
    for form in sorted(forms, key=len, reverse=True):  # a shorter one may be a part of a longer one
        text = text.replace(form, "***")
    return text


def without_credentials(url: str) -> str:
    """Return a URL without user name and password, even if these are not percent-encoded."""
    stripped = _CREDENTIALS.sub(r"\1", url)
    try:
        parse(stripped)
    except ValueError:
        scheme, separator, rest = stripped.rpartition("://")
        return f"{scheme}{separator}{rest.rpartition('@')[2]}"
    return stripped
