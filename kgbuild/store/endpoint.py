"""A SPARQL endpoint, asked with the same queries as a store.

It speaks the protocol of SPARQL 1.1: queries go by POST as a form, rows come as JSON or XML
(https://www.w3.org/TR/sparql11-protocol/). What is large comes in pages, in an order that is the
same for each. Triples come as rows, too: a page of rows can be counted, and has an end by which it
is seen to be whole, whereas triples that are constructed may be fewer than the solutions that a
limit counts, and N-Triples that are cut off at a line look like all of them.
"""

import hashlib
import itertools
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

from kgbuild.errors import (
    BusyEndpointError,
    NoEndpointError,
    NotResultsError,
    RefusedQueryError,
    WriteError,
)
from kgbuild.net import http
from kgbuild.net.http import Answer, Client
from kgbuild.store import parameters, queries, terms
from kgbuild.store.queries import Query
from kgbuild.store.terms import Param, Row

PAGE = 10_000
"""Rows asked for at a time: as many as some public services give at most."""
_PART = 200
"""Values of a list that are asked about at a time."""
_ACCEPTED = f"{terms.RESULTS}, application/sparql-results+xml;q=0.8"


class Endpoint:
    """A SPARQL endpoint at a URL, which may hold a user's name and password.

    With ``kept``, a folder, each answer is kept there and is not asked for again.

    Raises:
        NoEndpointError: the URL is none, or there is no answer.
        BusyEndpointError: it is asked too often, or too much by others.
        RefusedQueryError: it doesn't answer that query.
        NotResultsError: it answers with something else.
    """

    def __init__(self, url: str, client: Client, kept: Path | None = None):
        self.name = http.harmless(http.public(url))
        self._url = url
        self._client = client
        self._kept = kept
        try:
            http.require_http(url)
        except ValueError as error:
            raise NoEndpointError(self.name, str(error)) from error

    def select(self, query: str, **params: Param) -> list[Row]:
        """Run the query ``query``.rq and return its rows, in the query's order if it has one.

        Raises:
            QueryParameterError: the parameters are not those that the file declares.
        """
        declared = queries.load(query)
        declared.check(set(params))
        columns = "".join(f" ?{name}" for name, _ in declared.columns)
        is_ordered = "ORDER BY" in declared.text or not columns
        order = "" if is_ordered else f"\nORDER BY{columns}"
        text = parameters.bound(declared.text, terms.single(declared, params))
        found: list[Row] = []
        for ending in _endings(declared, params):
            found += self._all(declared, text, order, ending)
        return found

    def _all(self, query: Query, text: str, order: str, ending: str) -> list[Row]:
        """Return all that a query finds.

        Most of it fits into a page. If it does not, pages are asked for anew, and in an order,
        which takes the server several times as long as to find it.
        """
        page = self._page(query, f"{text}\nLIMIT {PAGE}{ending}")
        return list(self._pages(query, text + order, ending)) if _may_go_on(len(page)) else page

    def _pages(self, query: Query, text: str, ending: str) -> Iterator[Row]:
        """Yield what a query finds, page by page."""
        before: list[Row] = []
        start = 0
        while page := self._page(query, f"{text}\nLIMIT {PAGE} OFFSET {start}{ending}"):
            if page == before:
                raise NotResultsError(self.name, query.name, "the same page comes again")
            yield from page
            if not _may_go_on(len(page)):
                return
            before = page
            start += len(page)

    def _page(self, query: Query, text: str) -> list[Row]:
        """Return what one query finds, from the folder of answers if it is there."""
        asked = hashlib.sha256(f"{self.name}\n{text}".encode()).hexdigest()
        path = self._kept / asked if self._kept else None
        if path and path.exists():
            media_type, _, body = path.read_bytes().partition(b"\n")
            return terms.rows_of(query, body, media_type.decode())
        answer = self._ask(query.name, text)
        try:
            found = terms.rows_of(query, answer.body, answer.media_type)
        except ValueError as error:
            kind = f"{answer.media_type or 'no type'}, {len(answer.body):,} bytes"
            detail = f"{http.short(str(error))} ({kind})"
            raise NotResultsError(self.name, query.name, detail) from error
        if path:
            keep(path, answer.media_type.encode() + b"\n" + answer.body)
        return found

    def _ask(self, name: str, text: str) -> Answer:
        headers = {"Accept": _ACCEPTED, "Content-Type": "application/x-www-form-urlencoded"}
        try:
            answer = self._client.ask(self._url, headers, urlencode({"query": text}).encode())
        except http.UnansweredError as error:
            failure = BusyEndpointError if error.status else NoEndpointError
            raise failure(self.name, error.detail) from error
        except ValueError as error:
            raise NoEndpointError(self.name, str(error)) from error
        except http.RefusedError as error:
            if error.status == _NOT_FOUND:
                raise NoEndpointError(self.name, error.detail) from error
            said = http.short(error.body.decode("utf-8", "replace"))
            raise RefusedQueryError(self.name, name, error.detail, said) from error
        if http.is_page(answer):
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


def _may_go_on(count: int) -> bool:
    """Tell whether there may be more than so many rows.

    Some servers give no more than a number of their own, whatever is asked for, and say nothing
    of it: a thousand, say. Such numbers are round, or powers of two. More than were asked for
    are all that there is.
    """
    is_round = count % 100 == 0 or (count >= 256 and count.bit_count() == 1)
    return count == PAGE or (0 < count < PAGE and is_round)


def _endings(query: Query, params: dict[str, Param]) -> Iterator[str]:
    """Yield the ends of a query for some values of its lists at a time; all, if it has none."""
    lists = terms.listed(query, params)
    parts = [
        [(name, found[n : n + _PART]) for n in range(0, len(found), _PART)]
        for name, found in lists.items()
    ]
    for part in itertools.product(*parts):
        yield parameters.values(dict(part))
