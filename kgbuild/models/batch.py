"""Exchange requests and replies with a server's batch API as files, without a connection.

A file of requests has a line of JSON for each request, with the key of the request in the cache as
its ``custom_id``. The server returns a file with a line for each request, in any order.

Source: OpenAI's guide to its batch API; vLLM's ``run-batch`` reads and writes the same files.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from kgbuild.errors import TableFileError
from kgbuild.models.api_formats import ApiFormat
from kgbuild.models.chat import Failure, Reply, Request, better
from kgbuild.models.refusals import read_refusal

_VERSION = "/v1"
"""The path of the API's version, which precedes that of the requests."""
_OK = 200


class Results(NamedTuple):
    """The best result of each request in a file, by key, and the number of further results."""

    by_key: dict[str, Reply | Failure]
    repeated: int


def lines(requests: Mapping[str, Request], model: str, api: ApiFormat) -> Iterator[str]:
    """Yield the lines of a file of requests to a model; the keys are those of the cache."""
    for key, request in requests.items():
        record = {
            "custom_id": key,
            "method": "POST",
            "url": _VERSION + api.path,
            "body": api.body(model, request, _parameters(request, api)),
        }
        yield json.dumps(record, ensure_ascii=False) + "\n"


def read(path: Path, requests: Mapping[str, Request], api: ApiFormat) -> Results:
    """Return the results of requests in the file ``path``, not those of other requests.

    Raises:
        TableFileError: the file cannot be read, or a line is not a result.
    """
    results = Results({}, 0)
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    results = _add(results, f"line {number:,}", line, requests, api)
    except OSError as error:
        raise TableFileError(path, error.strerror or str(error)) from error
    except ValueError as error:
        raise TableFileError(path, str(error)) from error
    return results


def _add(
    results: Results, place: str, line: bytes, requests: Mapping[str, Request], api: ApiFormat
) -> Results:
    """Return the results with that of a line; raise a ValueError if the line is none."""
    try:
        record = json.loads(line.decode("utf-8-sig"))
        key, outcome = record["custom_id"], record.get("response") or {}
        status, body = outcome.get("status_code", 0), outcome.get("body")
        if not (isinstance(key, str) and isinstance(status, int)):
            raise TypeError(f"the id {key} or the status {status}")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"{place} is not a result of a batch") from error
    if key not in requests:
        return results
    first = results.by_key.get(key)
    result = _result(requests[key], status, body, record.get("error"), api)
    results.by_key[key] = better(first, result)
    return results._replace(repeated=results.repeated + (first is not None))


def _result(
    request: Request, status: int, body: Any, error: object, api: ApiFormat
) -> Reply | Failure:
    """Return the reply or the failure in a line; ``error`` is that of the batch, if any."""
    if status != _OK or error:
        text = json.dumps(error or body)
        return Failure("refused", read_refusal(status, text, request.parameters).detail)
    try:
        reply = api.read(json.dumps(body), request, 0.0)
    except ValueError as unreadable:
        return Failure("nonsense", str(unreadable))
    return reply._replace(parameters=json.dumps(_parameters(request, api), sort_keys=True))


def _parameters(request: Request, api: ApiFormat) -> dict[str, Any]:
    return {api.names.get(name, name): value for name, value in request.parameters.items()}
