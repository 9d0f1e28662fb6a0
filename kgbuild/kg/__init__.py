"""From a dump to plain values: loading, looking up, comparing items."""
