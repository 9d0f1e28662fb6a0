"""Dumps: read in blocks, scanned, filtered; files that are complete or absent."""
