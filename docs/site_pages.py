"""Add pages from the root of the repository to the site of MkDocs, and adapt links to them."""

import os
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
PAGES = {
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "benchmarks/README.md": "running-benchmarks.md",
}
"""Pages of the site, by their paths in the repository."""
_LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")


def slug(heading: str, separator: str) -> str:
    """Return the anchor of a heading as GitHub makes it, so that links work in both places."""
    words = re.sub(r"[^\w\s-]", "", heading.strip().lower())
    return re.sub(r"\s", separator, words)


def on_files(files: Files, config: Any, **_: Any) -> Files:
    """Add the pages from the root of the repository."""
    for source, page in PAGES.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / source)))
    return files


def on_page_markdown(text: str, page: Any, **_: Any) -> str:
    """Adapt the links of a page that lead out of its folder, or come from there."""
    sources = {name: source for source, name in PAGES.items()}
    file = ROOT / sources.get(page.file.src_uri, f"docs/{page.file.src_uri}")

    def adapt(match: re.Match[str]) -> str:
        target = (file.parent / match[1]).resolve()
        path = target.relative_to(ROOT).as_posix()
        there = PAGES.get(path, path.removeprefix("docs/"))
        return f"]({os.path.relpath(there, Path(page.file.src_uri).parent)}"

    return _LINK.sub(adapt, text)
