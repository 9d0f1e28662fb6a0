"""The page for manual verification: its addresses, and the responses to the browser."""

import secrets
from collections.abc import Mapping
from typing import Any

import flask
import waitress
from markupsafe import Markup
from werkzeug.exceptions import HTTPException

from kgbuild.datasets.views import common_label
from kgbuild.drawing.evidence import draw, style
from kgbuild.errors import KgbuildError, PortTakenError
from kgbuild.review import guard
from kgbuild.review.session import (
    LONGEST,
    ElsewhereError,
    RefusedError,
    Session,
    alias,
    reviewer_of,
)
from kgbuild.wikidata import page_of

_HOST = "127.0.0.1"
_WAITRESS = {
    "max_request_body_size": 64 * 1024,  # more than any answer takes
    "threads": 16,  # so that rows are shown while answers wait for the database
    # Idle connections must not block others.
    "connection_limit": 1000,
    "channel_timeout": 10,  # seconds
    "cleanup_interval": 5,  # seconds
    "asyncore_use_poll": True,  # as select() can watch 1,024 only
}
_HEADER = "X-Kgbuild-Review"
"""In a request, the secret of the page, in a header that no form of another site can send. In a
response, whether the answers were saved: without this header the page keeps them."""
_KEPT, _REFUSED = {_HEADER: "kept"}, {_HEADER: "refused"}


class Server:
    """A server of the page on loopback, which listens at once; port 0 is any free port.

    Raises:
        PortTakenError: it cannot listen there.
    """

    def __init__(self, session: Session, port: int, reviewer: str):
        self.token = secrets.token_urlsafe()
        app = _app(session, self.token, reviewer)
        try:
            self._server = waitress.create_server(
                app, host=_HOST, port=port, ident=None, **_WAITRESS
            )
        except OSError as error:
            raise PortTakenError(port, error.strerror or str(error)) from error
        self.port: int = self._server.effective_port
        app.config["PORT"] = self.port
        # All ports of a machine share their cookies.
        app.config["SESSION_COOKIE_NAME"] = f"kgbuild-review-{self.port}"

    @property
    def address(self) -> str:
        """The address to open, with the token."""
        return f"http://{_HOST}:{self.port}/?token={self.token}"

    def run(self) -> None:
        """Answer until interrupted."""
        self._server.run()


def _app(session: Session, token: str, reviewer: str) -> flask.Flask:
    app = flask.Flask("kgbuild.review", static_folder=None)
    app.config.update(
        SECRET_KEY=secrets.token_bytes(),
        SESSION_COOKIE_SAMESITE="Strict",
        SESSION_COOKIE_HTTPONLY=True,
    )
    app.jinja_env.globals["evidence_style"] = Markup(style())  # noqa: S704
    secret = secrets.token_urlsafe()
    pages = _Pages(session, reviewer, secret)
    app.add_url_rule("/", view_func=pages.page)
    app.add_url_rule("/rows/<int:number>", view_func=pages.row)
    app.add_url_rule("/agreement", view_func=pages.agreement)
    app.add_url_rule("/reviewer", view_func=pages.call_reviewer, methods=["POST"])
    app.add_url_rule("/answers", view_func=pages.keep, methods=["POST"])
    app.before_request(lambda: _let_in(token, secret))
    app.after_request(_close)
    app.register_error_handler(
        HTTPException, lambda error: _sorry(error.description or error.name, error.code or 500)
    )
    app.register_error_handler(ElsewhereError, lambda error: _sorry(str(error), 409))
    app.register_error_handler(RefusedError, lambda error: (str(error), 400, _REFUSED))
    app.register_error_handler(KgbuildError, lambda error: _sorry(str(error), 503))
    return app


def _let_in(token: str, secret: str) -> Any:
    """Refuse browsers without the token, and requests that another site makes a browser send."""
    request, own = flask.request, flask.current_app.config["PORT"]
    flask.g.nonce = secrets.token_urlsafe(16)
    if not guard.is_own_host(request.host, own):
        flask.abort(403, "This address does not belong to the review.")
    if request.method == "POST":
        _require_own_page(secret)
    sent_token = request.args.get("token")
    if sent_token is not None and guard.is_token(token, sent_token):
        flask.session["knows"] = True
        return flask.redirect("/", 303)  # to an address without the token
    if sent_token is not None or not flask.session.get("knows"):
        flask.abort(403, "Open the address that 'kgbuild review' printed, with its token.")
    return None


def _require_own_page(secret: str) -> None:
    request = flask.request
    is_own = guard.is_own_origin(request.headers.get("Origin"), request.host)
    if not (is_own and guard.is_own_fetch(request.headers.get("Sec-Fetch-Site"))):
        flask.abort(403, "This came from another site.")
    if not guard.is_token(secret, request.headers.get(_HEADER, "")):
        flask.abort(403, "This page is of an earlier server: open the address that runs now.")


def _close(response: flask.Response) -> flask.Response:
    response.headers.update(guard.headers(flask.g.nonce))
    return response


def _sorry(text: str, status: int) -> Any:
    """Return an error: as plain text for the script of the page, otherwise as a page."""
    if flask.request.method == "POST":
        return flask.Response(text, status, mimetype="text/plain")
    return flask.render_template("sorry.html", text=text), status


class _Pages:
    def __init__(self, session: Session, reviewer: str, secret: str):
        self._session = session
        self._reviewer = reviewer
        self._secret = secret

    def page(self) -> Any:
        """Return the page itself, or the one that asks for the reviewer's name."""
        reviewer = flask.session.get("reviewer", self._reviewer)
        if not reviewer or "who" in flask.request.args:
            return flask.render_template("reviewer.html", reviewer=reviewer, secret=self._secret)
        session = self._session
        state = {
            "place": session.place,
            "secret": self._secret,
            "longest": LONGEST,
            "reviewer": reviewer,
            "rows": [
                [alias(row.id), [*dict.fromkeys(question.key for question in row.questions)]]
                for row in session.rows
            ],
            **session.state(reviewer)._asdict(),
        }
        return flask.render_template("page.html", selection=session.selection, state=state)

    def row(self, number: int) -> Any:
        """Return the view of a row, counted from 0."""
        if number >= len(self._session.rows):
            flask.abort(404)
        row = self._session.rows[number]

        def name(text: str) -> str:
            return row.text_of(text, lambda qid: common_label(qid) or self._session.label(qid))

        facts = (*row.facts, *row.background)
        drawing = Markup(draw(facts, row.subjects, name)) if facts else ""  # noqa: S704
        return flask.render_template(
            "row.html", row=row, drawing=drawing, name=name, page_of=page_of
        )

    def agreement(self) -> Any:
        """Return the page about the agreement of reviewers."""
        survivors, agreements, disagreements = self._session.agreement()
        return flask.render_template(
            "agreement.html",
            selection=self._session.selection,
            survivors=survivors,
            agreements=agreements,
            disagreements=disagreements,
            places={row.id: place for place, row in enumerate(self._session.rows, 1)},
        )

    def call_reviewer(self) -> Any:
        """Remember the reviewer's name."""
        flask.session["reviewer"] = reviewer_of(_sent())
        return "", 204

    def keep(self) -> Any:
        """Keep answers to questions of a row."""
        self._session.keep(_sent())
        return "", 204, _KEPT


def _sent() -> Mapping[str, Any]:
    try:
        sent = flask.request.get_json(silent=True)
    except RecursionError:
        sent = None
    if not isinstance(sent, dict):
        raise RefusedError("This is not a JSON object.")
    return sent
