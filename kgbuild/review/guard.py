"""Who may see the page and write by it: the browser that was told the token, and no other site.

A page of another site can make the browser send requests here. It cannot read the token, the
browser keeps the cookie from it (SameSite), and its own address stands in Origin. A name that is
made to lead here (DNS rebinding) stands in Host. Cookies go to all ports of a machine: so what
writes must also know a secret that only stands in the page.
"""

import secrets
from collections.abc import Mapping

_NAMES = ("127.0.0.1", "localhost")


def is_known(token: str, given: str) -> bool:
    """Return whether a token is the right one, in a time that does not tell how near it is."""
    return secrets.compare_digest(token.encode(), given.encode("utf-8", "replace"))


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
    """Return the headers of every answer: nothing is loaded, run, framed or kept but our own."""
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
        "Content-Security-Policy": "; ".join(f"{name} {what}" for name, what in policy.items()),
        "Cache-Control": "no-store",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
    }
