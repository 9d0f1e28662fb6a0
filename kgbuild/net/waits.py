"""The number of tries and the pauses between failed requests, for all clients."""

import math
import time

PACE = 0.3
"""Minimum number of seconds between two requests to a public server."""
PAUSES = (1.0, 4.0, 15.0, 30.0, 60.0)
"""``PAUSES[n]`` is the pause in seconds after n failed tries in a row. Data reset n to 0."""
TRIES = len(PAUSES)
"""Maximum number of tries in a row for one request."""
LONGEST_WAIT = 120.0
"""Maximum pause in seconds that a busy server may request; otherwise the request fails."""
BUSY = {429, 502, 503}
"""HTTP statuses after which a request is repeated. After 504, a query would time out again."""


def pauses(retries: int) -> list[float]:
    """Return the pause in seconds before each try of a request; the longest one is repeated."""
    return [*PAUSES, *PAUSES[-1:] * retries][: retries + 1]


def retry_after(header: str) -> float:
    """Return the seconds to wait from a header Retry-After (a number or a date); 0 if invalid."""
    from email.utils import parsedate_to_datetime

    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(header).timestamp() - time.time()
        except (ValueError, OverflowError, OSError):
            return 0.0
    return 0.0 if math.isnan(seconds) else max(0.0, seconds)


def with_pause(detail: str, wait: float) -> str:
    """Add the pause that a server requests to a message, if it is longer than LONGEST_WAIT."""
    if wait <= LONGEST_WAIT:
        return detail
    return f"{detail}, and it asks for a pause of {wait:,.0f} s"
