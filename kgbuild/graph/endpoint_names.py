"""Look names up at an endpoint, which has no index of names without case and accents."""

from collections.abc import Iterable

from kgbuild.store.oxigraph import Graph

LANGUAGE = "en"
"""The default language of labels and names."""
_LONGEST_LOWER = (0, 3, 1 << 10)
"""Lengths up to which words get no capital, unless they are the first: none, short ones, all."""


class Names:
    """The names at an endpoint, which are found by trying a few spellings.

    Engines find only an exact name quickly. A name is tried as it is typed, in lower case, and with
    a capital at the start of the name, of each word, or of all but short words; in a language, in
    English, and for all languages.
    """

    def __init__(self, graph: Graph, language: str = LANGUAGE):
        self._graph = graph
        self._languages = tuple(dict.fromkeys((language, LANGUAGE, "mul")))
        self._spellings: dict[str, list[tuple[str, str]]] = {}

    def spellings(self, name: str) -> list[tuple[str, str]]:
        """Return the (name, language) of the spellings that are names of anything, in order."""
        self.expect([name])
        return self._spellings[name]

    def expect(self, names: Iterable[str]) -> None:
        """Look several names up in one request, for ``spellings``."""
        missing = [name for name in dict.fromkeys(names) if name not in self._spellings]
        candidates = dict.fromkeys(form for name in missing for form in self._forms(name))
        rows = self._graph.select("existing_names", name=list(candidates)) if candidates else ()
        matches = {(value.text, value.language) for (value,) in rows}
        for name in missing:
            self._spellings[name] = sorted(form for form in self._forms(name) if form in matches)

    def near(self, name: str) -> None:
        """Return nothing: an endpoint does not find similar names."""

    def _forms(self, name: str) -> set[tuple[str, str]]:
        typed = name.encode("utf-8", "replace").decode().strip()
        lower = typed.lower()
        forms = (typed, lower, *(_capitals(lower, longest) for longest in _LONGEST_LOWER))
        return {(form, language) for form in forms for language in self._languages}


def _capitals(name: str, longest_lower: int) -> str:
    """Return a name with capitals at its start and of all words longer than a length."""
    first, *words = name.split(" ")
    changed = (word[:1].upper() + word[1:] if len(word) > longest_lower else word for word in words)
    return " ".join((first[:1].upper() + first[1:], *changed))
