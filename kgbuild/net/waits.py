"""The pauses between requests, which all clients share."""

import math
import time

PACE = 0.3
"""Seconds between two requests to a public server."""
PAUSES = (1.0, 4.0, 15.0, 30.0, 60.0)
"""Seconds before each try in a row; the first pause applies to connections that worked before."""
LONGEST_WAIT = 120.0
"""Seconds of the longest pause that a busy server is granted."""
BUSY = {429, 502, 503}
"""Statuses of a server that may answer later; after 504, the same query would take as long."""


def retry_after(header: str) -> float:
    """Return the seconds that the header Retry-After asks for, as a number or a date; 0 if none."""
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
    """Add to a message the pause that a server asks for, if it is too long."""
    too_long = f", and it asks for a pause of {wait:,.0f} s" if wait > LONGEST_WAIT else ""
    return f"{detail}{too_long}"
