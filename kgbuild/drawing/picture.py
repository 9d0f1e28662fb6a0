"""Drawings as pictures to download: SVG files that need no page around them."""

import base64
from importlib import resources

_WIDTH = "640"
"""Pixels of a picture that is as wide as its page."""
_FONT = "svg { font-family: system-ui, sans-serif; background: var(--card); }"


def colours() -> str:
    """Return the style sheet that gives drawings and pages their colours, light and dark."""
    return (resources.files("kgbuild.drawing") / "colours.css").read_text(encoding="utf-8")


def address(svg: str, style: str) -> str:
    """Return a picture as an address (data:) for a link; ``style`` is the drawing's own."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg"{svg.removeprefix("<svg")}'
    head = head.replace('width="100%"', f'width="{_WIDTH}"', 1)
    start, _, rest = head.partition(">")
    text = f"{start}><style>{colours()}{_FONT}{style}</style>{rest}"
    return f"data:image/svg+xml;base64,{base64.b64encode(text.encode()).decode()}"
