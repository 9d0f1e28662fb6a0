"""Checks of requests: only a browser that has the token may use the review page.

A page of another site can make the browser send requests to this server. But it cannot read the
token, its requests lack the cookie (SameSite), and their header Origin names the other site. After
DNS rebinding, the header Host names the other site. All ports of a machine share their cookies, so
requests that write must also contain a secret that only the page has.
"""

import secrets
from collections.abc import Mapping

_NAMES = ("127.0.0.1", "localhost")


def is_token(token: str, text: str) -> bool:
    """Return whether a text is the token, in constant time."""
    return secrets.compare_digest(token.encode(), text.encode("utf-8", "replace"))


def is_own_host(host: str, port: int) -> bool:
    """Return whether the header Host is a loopback address with the port of the server."""
    return host in {f"{name}:{port}" for name in _NAMES}


def is_own_origin(origin: str | None, host: str) -> bool:
    """Return whether the required header Origin is the origin of the page at ``host``."""
    return origin == f"http://{host}"


def is_own_fetch(site: str | None) -> bool:
    """Return whether the header Sec-Fetch-Site, if the browser sends it, is not another site."""
    return site in (None, "same-origin")


def headers(nonce: str) -> Mapping[str, str]:
    """Return the headers of every response, which forbid contents of other sites and caching."""
    policy = {
        "default-src": "'none'",
        "script-src": f"'nonce-{nonce}'",
        "style-src": f"'nonce-{nonce}'",
        "connect-src": "'self'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
    }
    return {
        "Content-Security-Policy": "; ".join(
            f"{name} {sources}" for name, sources in policy.items()
        ),
        "Cache-Control": "no-store",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        # With "no-referrer", the origin of a form would be null.
        "Referrer-Policy": "same-origin",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
    }
