"""Files: written whole or not at all, locked, compressed, in parts."""
