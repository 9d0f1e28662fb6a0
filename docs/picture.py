"""Draw the picture of the README: a card of the report on the sample. Needs Chromium.

Run it from the root of the repository: ``python -m docs.picture``.
"""

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from docs.console import run

PICTURE = Path(__file__).with_name("images") / "report-card.png"
_STYLE = """
    nav, article table, article h4, article details { display: none !important }
    article :has(> svg) { background: none !important }
"""
"""The card without the tables below its drawing, and without the shadows of a scrolled box."""


def draw(report: Path, picture: Path) -> None:
    """Write a picture of the first card of Syn-(QA)² on a page."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = chromium.new_page(viewport={"width": 640, "height": 900}, device_scale_factor=1.5)
        page.goto(report.as_uri())
        page.add_style_tag(content=_STYLE)
        page.locator("#syn-qa article.sample").first.screenshot(path=picture)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "report.html"
        run(f"kgbuild report -o {made}")
        draw(made, PICTURE)
