"""Errors of language models, embeddings and spaCy pipelines."""

from pathlib import Path

from kgbuild.errors.base import KgbuildError, WrongCallError


class MissingExtraError(KgbuildError):
    """Raised when ``package``, which the extra ``extra`` brings, is not installed."""

    extra: str
    package: str
    message = "This needs {package}, which is not installed: pip install 'kgbuild[{extra}]'."


class NoModelError(WrongCallError):
    """Raised when ``model`` is not on this machine (``detail`` is empty), or does not work."""

    model: str
    detail: str

    def _sentence(self) -> str:
        if self.detail:
            return f"{self.model} cannot be used as a model: {self.detail}."
        return (
            f"No model '{self.model}' is on this machine. Name the folder of one, or one that you "
            "fetched, as by 'hf download sentence-transformers/all-MiniLM-L6-v2'."
        )


class NoPipelineError(WrongCallError):
    """Raised when the spaCy pipeline ``model`` is not installed, or does not work."""

    model: str
    detail: str

    def _sentence(self) -> str:
        if self.detail:
            return f"{self.model} cannot be used as a spaCy pipeline: {self.detail}."
        return (
            f"No spaCy pipeline '{self.model}' is installed. Name the folder of one, or install "
            "it, as by 'python -m spacy download en_core_web_sm'; without --spacy-model none is "
            "needed."
        )


class NoKeyError(WrongCallError):
    """Raised when the server at ``url`` needs a key, and none is set."""

    url: str
    message = (
        "Name the server of the model with OPENAI_BASE_URL (http://localhost:8000/v1, say), "
        "or set OPENAI_API_KEY to use {url}."
    )


class UnreachableServerError(KgbuildError):
    """Raised when no server of language models answers at ``url``."""

    url: str
    detail: str
    message = (
        "No server at {url}: {detail}. "
        "Start it, or name another with --base-url or OPENAI_BASE_URL."
    )


class RefusedRequestsError(KgbuildError):
    """Raised when the server at ``url`` refuses all requests to ``model`` by HTTP ``status``."""

    url: str
    model: str
    status: int
    detail: str

    def _sentence(self) -> str:
        if self.status == 401:
            return f"{self.url} does not take the key in OPENAI_API_KEY: {self.detail}."
        if self.status == 404:
            return (
                f"{self.url} has no model '{self.model}', or its address is another one "
                f"(most end in /v1): {self.detail}."
            )
        return f"{self.url} refuses what '{self.model}' is asked: {self.detail}."


class ReplyCacheError(KgbuildError):
    """Raised when ``path`` cannot be used as the cache of replies."""

    path: Path
    detail: str
    message = (
        "{path} cannot hold the answers of models: {detail}. Name another file, "
        "or remove this one to ask for all of them again."
    )


class NoAnswersError(KgbuildError):
    """Raised when none of ``questions`` questions is answered; the first for that ``reason``."""

    questions: int
    reason: str
    detail: str
    message = (
        "Nothing written: of {questions:,} questions none got an answer. The first: "
        "{reason}: {detail}."
    )
