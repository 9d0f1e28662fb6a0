"""Checks of requests: only the browser that has the token may read the page and write by it.

A page of another site can make the browser send requests here. It cannot read the token, the
browser does not send it the cookie (SameSite), and Origin names its own address. With DNS
rebinding, Host names the other site. Cookies go to all ports of a machine: so requests that write
must also have a secret that only the page contains.
"""

import secrets
from collections.abc import Mapping

_NAMES = ("127.0.0.1", "localhost")


def is_token(token: str, text: str) -> bool:
    """Return whether a text is the token, in a time that does not depend on the text."""
    return secrets.compare_digest(token.encode(), text.encode("utf-8", "replace"))


def is_own_host(host: str, port: int) -> bool:
    """Return whether the header Host names this machine by an address that is only its own."""
    return host in {f"{name}:{port}" for name in _NAMES}


def is_own_origin(origin: str | None, host: str) -> bool:
    """Return whether the header Origin, which must be there, is that of the page at ``host``."""
    return origin == f"http://{host}"


def is_own_fetch(site: str | None) -> bool:
    """Return whether the header Sec-Fetch-Site, where a browser sends it, names no other site."""
    return site in (None, "same-origin")


def headers(nonce: str) -> Mapping[str, str]:
    """Return the headers of every response: the page loads, runs and stores nothing foreign."""
    policy = {
        "default-src": "'none'",
        "script-src": f"'nonce-{nonce}'",
        "style-src": f"'nonce-{nonce}'",
        "connect-src": "'self'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }
    return {
        "Content-Security-Policy": "; ".join(
            f"{name} {sources}" for name, sources in policy.items()
        ),
        "Cache-Control": "no-store",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
    }
