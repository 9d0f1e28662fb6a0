"""How often failed requests are repeated, and after which pauses; all clients use this."""

import math
import time

PACE = 0.3
"""Minimum number of seconds between two requests to a public server."""
PAUSES = (1.0, 4.0, 15.0, 30.0, 60.0)
"""``PAUSES[n]`` is the pause in seconds after n failed tries in a row; 0 if data came before."""
TRIES = len(PAUSES)
"""Maximum number of tries in a row for one request."""
LONGEST_WAIT = 120.0
"""If a busy server asks for a pause of more seconds than this, the request fails."""
BUSY = {429, 502, 503}
"""HTTP statuses after which a request is repeated; not 504: the query would time out again."""


def retry_after(header: str) -> float:
    """Return the seconds to wait by a header Retry-After (a number or a date); 0 if invalid."""
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
    """Add the pause that a server asks for to a message, if it is longer than LONGEST_WAIT."""
    too_long = f", and it asks for a pause of {wait:,.0f} s" if wait > LONGEST_WAIT else ""
    return f"{detail}{too_long}"
