"""Read, scan and filter dumps; write files completely or not at all."""
