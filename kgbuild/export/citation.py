"""The BibTeX of a release: an entry for the release, and one for the paper of its dataset."""

import re

from kgbuild.export.release import Release

_PAPER = re.compile(r"(?P<first>\w+).*? \((?P<year>\d{4})\), (?P<title>.+)")
"""A paper in ``card.toml``: "Yona et al. (2024), Narrowing …"."""
_ARXIV = re.compile(r"https://arxiv\.org/abs/(?P<number>[\d.]+)")
_SPECIAL = re.compile(r"([&%$#_{}])")
"""Characters with a meaning in LaTeX."""


def bibtex(release: Release) -> str:
    """Return the BibTeX entries of a release, separated by an empty line."""
    return "\n\n".join(filter(None, (_release(release), _paper(release))))


def _release(release: Release) -> str:
    dataset, source = release.dataset, release.sources[0]
    fields = {
        "title": f"{{{dataset.title}, built from Wikidata by kgbuild}}",
        "author": "{kgbuild contributors}",
        "year": str(release.published.year),
        "version": source.version,
        "note": f"{release.rows:,} {dataset.unit}, store {source.fingerprint}, seed {source.seed}",
    }
    return _entry(f"kgbuild-{dataset.command}", fields)


def _paper(release: Release) -> str:
    card = release.card
    match = _PAPER.fullmatch(card.paper)
    if not (match and card.authors):
        return ""
    fields = {
        "title": f"{{{match['title']}}}",
        "author": card.authors,
        "year": match["year"],
        "url": card.address,
    }
    if arxiv := _ARXIV.fullmatch(card.address):
        fields |= {"eprint": arxiv["number"], "archivePrefix": "arXiv"}
    return _entry(f"{match['first'].lower()}{match['year']}", fields)


def _entry(key: str, fields: dict[str, str]) -> str:
    lines = (f"  {name} = {{{_escape(name, value)}}}," for name, value in fields.items())
    return "\n".join([f"@misc{{{key},", *lines, "}"])


def _escape(name: str, value: str) -> str:
    """Return the value of a field; braces around the whole value keep its capitals."""
    if name == "url":
        return value
    inner = value.removeprefix("{").removesuffix("}") if value.startswith("{") else value
    escaped = _SPECIAL.sub(r"\\\1", inner)
    return f"{{{escaped}}}" if value.startswith("{") else escaped
