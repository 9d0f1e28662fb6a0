"""The token and the headers: only a browser that has the token may use the review page.

A page of another site can make the browser send requests to this server. But it cannot read the
token, its requests lack the cookie (SameSite), and their header Origin names the other site. After
DNS rebinding, the header Host names the other site. All ports of a machine share their cookies, so
requests that write must also contain a secret that only the page has.
"""

import secrets
from collections.abc import Mapping


def is_token(token: str, text: str) -> bool:
    """Return whether a text is the token, in constant time."""
    return secrets.compare_digest(token.encode(), text.encode("utf-8", "replace"))


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
