"""Errors of stores, of the query files in ``queries/``, and of SPARQL endpoints."""

from pathlib import Path

from kgbuild.errors.base import KgbuildError, WrongCallError


class NoStoreError(KgbuildError):
    """Raised when there is no store at ``path``."""

    path: Path

    def _sentence(self) -> str:
        if self.path.is_file():
            return f"{self.path} is a file, not the folder of a store. Name one with --store."
        load = f"'kgbuild load --sample --store {self.path}'"
        return f"No store at {self.path}. Load the sample: {load}; or your own dump."


class UnfinishedStoreError(NoStoreError):
    """Raised when there is no store at ``path``, but files of a load that has not finished."""

    def _sentence(self) -> str:
        return (
            f"No store at {self.path} yet: a load into it is still running, or was interrupted. "
            "Repeat the command of the interrupted load to continue it."
        )


class NotAStoreError(WrongCallError):
    """Raised when a load would replace the folder ``path``, but its ``file`` is not of a store."""

    path: Path
    file: str
    message = "{path} is not a store: it contains '{file}'. Name another folder with --store."


class StoreBusyError(KgbuildError):
    """Raised when another process is loading into ``path``."""

    path: Path
    message = "Another process is loading into {path}. Wait until it has finished."


class ForkedProcessError(KgbuildError):
    """Raised when a process would write ``path`` that was forked from one that had a store open."""

    path: Path
    message = (
        "{path} cannot be written by a forked process: it lacks the threads of Oxigraph, which the "
        "process before it has used. Start the process by the method 'spawn' of multiprocessing."
    )


class DamagedStoreError(KgbuildError):
    """Raised when a file of a store, ``path``, is missing or cannot be read."""

    path: Path
    detail: str
    message = "The store cannot be opened: {path}: {detail}. Load the dump again."


class FaultyStoreError(DamagedStoreError):
    """Raised when a check of the store ``path`` has found faults, which ``detail`` lists."""

    message = (
        "The store {path} is damaged: {detail}. Load the dump again, or restore the folder from a "
        "copy."
    )


class QueryParameterError(KgbuildError):
    """Raised when a query is called with other parameters than the header of its file declares."""

    query: str
    parameters: str
    passed: str
    message = "The query {query} has the parameters ({parameters}), and not ({passed})."


class SparqlError(WrongCallError):
    """Raised when a user's query, or the value of one of its variables, is wrong."""

    detail: str
    message = "{detail}"


class SlowQueryError(KgbuildError):
    """Raised when a user's query takes longer than it may."""

    seconds: float
    message = "The query took more than {seconds:,} s. Raise --timeout."


class QueryEndedError(KgbuildError):
    """Raised when the process that runs a user's query ends without a result."""

    message = (
        "The process that runs the query ended, perhaps because memory was full. "
        "Make the query smaller, for example with LIMIT."
    )


class ServerEndedError(KgbuildError):
    """Raised when Oxigraph's server does not start, or ends by itself."""

    detail: str
    message = "Oxigraph's server ended: {detail}."


class UnlimitedServerError(KgbuildError):
    """Raised when this system cannot keep a server from asking other servers."""

    message = (
        "On this system, a query with SERVICE could make the server ask any other server. "
        "If you accept that, pass --service."
    )


class NoEndpointError(KgbuildError):
    """Raised when ``url`` is invalid, or no SPARQL endpoint answers there."""

    url: str
    detail: str
    message = (
        "No SPARQL endpoint answers at {url}: {detail}. "
        "Use the URL for queries, such as https://query.wikidata.org/sparql."
    )


class BusyEndpointError(NoEndpointError):
    """Raised when the endpoint at ``url`` answers every try with the status of a busy server."""

    message = "{url} is too busy to answer: {detail}. Try again later."


class RefusedQueryError(KgbuildError):
    """Raised when the endpoint at ``url`` refuses a query; ``response`` is its message, or ""."""

    url: str
    query: str
    detail: str
    response: str

    def _sentence(self) -> str:
        reason = f" Its message: {self.response}." if self.response else ""
        advice = "The query may be too large for it, or it may not support all of SPARQL 1.1."
        if self.detail.endswith("its limit of time is exceeded"):
            advice = "Try again later, or ask for less."
        if self.detail.startswith(("HTTP 401", "HTTP 403")):
            advice = (
                "It may need a user name and a password (http://NAME:PASSWORD@HOST/…), "
                "or your contact address, which you can set with KGBUILD_CONTACT."
            )
        return f"{self.url} does not run the query {self.query}: {self.detail}.{reason} {advice}"


class NotResultsError(KgbuildError):
    """Raised when the endpoint at ``url`` does not answer a query with rows."""

    url: str
    query: str
    detail: str

    def _sentence(self) -> str:
        fault = f"{self.url} does not answer the query {self.query} with rows"
        advice = "If the answer was cut off, try again."
        if self.detail == "an HTML page":
            advice = "Use the URL of a SPARQL endpoint."
        return f"{fault}: {self.detail}. {advice}"
