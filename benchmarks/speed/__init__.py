"""How fast kgbuild is, beside a plain way of doing the same."""
