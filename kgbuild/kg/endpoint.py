"""A SPARQL endpoint, asked with the same queries as a store.

It speaks the protocol of SPARQL 1.1: queries go by POST as a form, rows come as JSON or XML,
triples as any form of RDF (https://www.w3.org/TR/sparql11-protocol/). What is large comes in
pages, in an order that is the same for each.
"""

import hashlib
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlencode

from kgbuild.errors import NoEndpointError, NotResultsError, RefusedQueryError, WriteError
from kgbuild.kg import binding, queries, terms, web
from kgbuild.kg.queries import Query
from kgbuild.kg.terms import Param, Row
from kgbuild.kg.web import Answer, Client

PAGE = 10_000
"""Rows asked for at a time: as many as some public services give at most."""
_PART = 200
"""Values of a list that are asked about at a time."""
_SAID = 200
"""Letters that are passed on of what a server says."""
_ACCEPTED = {
    "SELECT": f"{terms.RESULTS}, application/sparql-results+xml;q=0.8",
    "CONSTRUCT": f"{terms.TRIPLES}, text/turtle;q=0.9, application/rdf+xml;q=0.5",
}

T = TypeVar("T")


class Endpoint:
    """A SPARQL endpoint at a URL, which may hold a user's name and password.

    With ``kept``, a folder, each answer is kept there and is not asked for again.

    Raises:
        NoEndpointError: the URL is none, or there is no answer.
        RefusedQueryError: it doesn't answer that query.
        NotResultsError: it answers with something else.
    """

    def __init__(self, url: str, client: Client, kept: Path | None = None):
        self.name = web.harmless(web.public(url))
        self._url = url
        self._client = client
        self._kept = kept
        try:
            if web.require_sound(url).scheme not in ("http", "https"):
                raise ValueError("URLs are to begin with http:// or https://")
        except ValueError as error:
            raise NoEndpointError(self.name, str(error)) from error

    def select(self, query: str, **params: Param) -> list[Row]:
        """Run the query ``query``.rq and return its rows, in the query's order if it has one.

        Raises:
            QueryParameterError: the parameters are not those that the file declares.
        """
        declared = queries.load(query)
        columns = "".join(f" ?{name}" for name, _ in declared.columns)
        is_ordered = "ORDER BY" in declared.text or not columns
        order = "" if is_ordered else f"\nORDER BY{columns}"

        def read(answer: Answer) -> list[Row]:
            return terms.rows_of(declared, answer.body, answer.media_type)

        return self._all(declared, params, order, "SELECT", read)

    def construct(self, query: str, **params: Param) -> list[bytes]:
        """Run the query ``query``.rq, which constructs triples, each of them of one solution.

        Raises:
            QueryParameterError: the parameters are not those that the file declares.

        Returns:
            N-Triples lines, each once, in an order that is always the same.
        """
        declared = queries.load(query)

        def read(answer: Answer) -> list[bytes]:
            return terms.lines_of(answer.body, answer.media_type)

        order = "\nORDER BY ?entity ?predicate ?value"
        return self._all(declared, params, order, "CONSTRUCT", read)

    def _all(
        self,
        query: Query,
        params: dict[str, Param],
        order: str,
        form: str,
        read: Callable[[Answer], list[T]],
    ) -> list[T]:
        """Return all that a query finds, for a part of its lists at a time.

        Most of it fits into a page. If it does not, pages are asked for anew, and in an order,
        which takes the server several times as long as to find it.
        """
        query.check(set(params))
        text = binding.bound(query.text, terms.single(query, params))
        found: list[T] = []
        for ending in _endings(query, params):
            page = self._page(query.name, f"{text}\nLIMIT {PAGE}{ending}", form, read)
            if len(page) == PAGE:
                page = list(self._pages(query.name, text + order, ending, form, read))
            found += page
        return found

    def _pages(
        self, name: str, text: str, ending: str, form: str, read: Callable[[Answer], list[T]]
    ) -> Iterator[T]:
        """Yield what a query finds, page by page."""
        before: list[T] = []
        for start in itertools.count(0, PAGE):
            asked = f"{text}\nLIMIT {PAGE} OFFSET {start}{ending}"
            page = self._page(name, asked, form, read)
            if page and page == before:
                raise NotResultsError(self.name, name, "the same page comes again")
            yield from page
            if len(page) != PAGE:
                return
            before = page

    def _page(self, name: str, text: str, form: str, read: Callable[[Answer], list[T]]) -> list[T]:
        """Return what one query finds, from the folder of answers if it is there."""
        accepted = _ACCEPTED[form]
        asked = hashlib.sha256(f"{self.name}\n{accepted}\n{text}".encode()).hexdigest()
        path = self._kept / asked if self._kept else None
        if path and path.exists():
            media_type, _, body = path.read_bytes().partition(b"\n")
            return read(Answer(body, media_type.decode(), self.name))
        answer = self._ask(name, text, accepted)
        try:
            found = read(answer)
        except ValueError as error:
            kind = f"{answer.media_type or 'no type'}, {len(answer.body):,} bytes"
            raise NotResultsError(self.name, name, f"{_short(str(error))} ({kind})") from error
        if path:
            keep(path, answer.media_type.encode() + b"\n" + answer.body)
        return found

    def _ask(self, name: str, text: str, accepted: str) -> Answer:
        headers = {"Accept": accepted, "Content-Type": "application/x-www-form-urlencoded"}
        try:
            answer = self._client.ask(self._url, headers, urlencode({"query": text}).encode())
        except (web.UnansweredError, ValueError) as error:
            raise NoEndpointError(self.name, str(error)) from error
        except web.RefusedError as error:
            if error.status == _NOT_FOUND:
                raise NoEndpointError(self.name, error.detail) from error
            said = _short(error.body.decode("utf-8", "replace"))
            raise RefusedQueryError(self.name, name, error.detail, said) from error
        if answer.body.lstrip()[:1] == b"<" and "html" in (answer.media_type or "html"):
            raise NotResultsError(self.name, name, "a page for people")
        return answer


_NOT_FOUND = 404


def keep(path: Path, content: bytes) -> None:
    """Write a file that is there as a whole or not at all.

    Raises:
        WriteError: it cannot be written.
    """
    partial = path.with_name(f"{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(content)
        partial.replace(path)
    except OSError as error:
        raise WriteError(path, error.strerror or str(error)) from error


def _endings(query: Query, params: dict[str, Param]) -> Iterator[str]:
    """Yield the ends of a query for some values of its lists at a time; all, if it has none."""
    lists = terms.listed(query, params)
    parts = [
        [(name, found[n : n + _PART]) for n in range(0, len(found), _PART)]
        for name, found in lists.items()
    ]
    for part in itertools.product(*parts):
        yield binding.values(dict(part))


def _short(text: str) -> str:
    """Return the beginning of what a server says, unless it says it in a page for people."""
    plain = " ".join(text.split()).rstrip(".")
    if plain.startswith("<"):
        return ""
    return f"{plain[:_SAID]}…" if len(plain) > _SAID else plain
