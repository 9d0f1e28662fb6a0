"""Passwords and keys in addresses: they go to their server only, and stand in no text."""

import base64
import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.cli import cli
from kgbuild.datasets import database
from kgbuild.errors import KgbuildError
from kgbuild.graph.open import open_store
from kgbuild.models.chat import Failure, Message, Reply, Request
from kgbuild.models.llm import Model
from kgbuild.net import urls
from kgbuild.net.http import Client
from kgbuild.slice.from_items import Pages
from kgbuild.store.sparql.endpoint import Endpoint
from tests.chat_server import Answer, ChatServer, chat_server
from tests.endpoints import Fault, Proxy, proxy

HI = Request((Message("user", "hi"),), 9)
PASSWORD, KEY = "hunter2-hunter2", "sk-1234567890"
YES = b'{"head": {}, "boolean": true}'
NOTHING = b'{"head": {"vars": ["item", "popularity"]}, "results": {"bindings": []}}'
BASIC = "Basic YWRhOmh1bnRlcjItaHVudGVyMg=="


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ChatServer]:
    """Run a server for which the user's ~/.netrc has a password."""
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login ada password hunter2\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    for name in ("OPENAI_API_KEY", "http_proxy", "HTTP_PROXY", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with chat_server() as running:
        yield running


def ask(url: str, folder: Path) -> Reply | Failure:
    (reply,) = Model("parrot", folder / "r.sqlite", url, pauses=[0]).ask([HI])
    return reply


@pytest.mark.parametrize("key", ["", KEY])
def test_a_server_gets_no_password_of_netrc(
    server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    assert isinstance(ask(server.url, tmp_path), Reply)
    assert server.keys == [f"Bearer {KEY}" if key else None]
    with contextlib.closing(Client()) as client:
        client.ask(server.url + "/chat/completions", {}, b'{"messages": [{"content": "hi"}]}')
    assert server.keys[1] is None


def test_a_password_in_the_address_is_sent_and_not_shown(
    server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)  # of another server
    url = server.url.replace("//", f"//ada:{PASSWORD}@") + f"?version=2&api-key={KEY}"
    assert isinstance(ask(url, tmp_path), Reply)
    assert server.keys == [BASIC]
    assert server.paths == [f"/v1/chat/completions?version=2&api-key={KEY}"]
    server.otherwise = Answer(401, body=json.dumps({"error": f"no {PASSWORD}, {url}"}))
    with pytest.raises(KgbuildError) as caught:
        ask(url, tmp_path / "other")
    assert PASSWORD not in str(caught.value) and KEY not in str(caught.value)
    assert f"{server.url}?version=***&api-key=*** does not accept" in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "http://ada:hunter2-hunter2@127.0.0.1:9/v1?key=sk-1234567890",
        "http://ada:hunter2-hunter2@[::1/v1",
        "http://ada:hunter2-hunter2@h:port/v1",
        "ftp://ada:hunter2-hunter2@127.0.0.1/v1?token=sk-1234567890",
        "http://ada:hunter2-hunter2@ü/v1?sig=sk-1234567890",
    ],
)
def test_errors_of_addresses_show_no_secret(server: ChatServer, tmp_path: Path, url: str) -> None:
    with pytest.raises(KgbuildError) as caught:
        ask(url, tmp_path)
    for secret in (PASSWORD, KEY):
        assert secret not in str(caught.value)


def test_a_proxy_of_the_environment_is_used(
    server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = server.url.removesuffix("/v1")
    monkeypatch.setenv("http_proxy", proxy.replace("//", f"//ada:{PASSWORD}@"))
    assert isinstance(ask("http://models.invalid/v1", tmp_path), Reply)
    assert server.paths == ["http://models.invalid/v1/chat/completions"]
    assert server.keys == [None]  # the password is the proxy's
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    assert isinstance(ask(server.url, tmp_path / "direct"), Reply)
    assert server.paths[1] == "/v1/chat/completions"
    monkeypatch.setenv("http_proxy", f"http://ada:{PASSWORD}@h:port")
    with pytest.raises(KgbuildError) as caught:
        ask("http://models.invalid/v1", tmp_path / "wrong")
    assert PASSWORD not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "shown", "secrets"),
    [
        ("http://h/a&b;c=d/x", "http://h/a&b;c=d/x", set()),
        ("http://h/x?pwd=1", "http://h/x?pwd=***", {"1"}),
        ("http://u:p%40@h/x", "http://h/x", {"u:p%40", "u:p@", "p%40", "p@", "dTpwQA=="}),
        ("http://token@h/x", "http://h/x", {"token", "dG9rZW46"}),
        ("http://h/x?sas=a%20b&y=2#t=t", "http://h/x?sas=***&y=***#t=***", None),
        ("http://h/x?K3Y&a=&b=c=d", "http://h/x?***&a=&b=***", {"K3Y", "c=d"}),
        ("http://h/?sid=0+%2B/ff", None, {"0+%2B/ff", "0++/ff", "0 +/ff"}),
    ],
)
def test_what_of_an_address_is_secret(
    url: str, shown: str | None, secrets: set[str] | None
) -> None:
    if shown is not None:
        assert urls.public(url) == shown
    if secrets is not None:
        assert urls.secrets(url) == secrets


def test_no_secret_stands_in_a_build(
    server: ChatServer, tmp_path: Path, sample_store: Path
) -> None:
    def say(sent: dict[str, Any]) -> str:
        said = sent["messages"][-1]["content"]
        answer = said.partition("Exact answer: ")[2].partition("\n")[0]
        return f"1:: {answer}\n2:: a place" if answer else "Yes"

    server.say = say
    url = server.url.replace("//", f"//ada:{PASSWORD}@") + f"?key={KEY}"
    db = tmp_path / "sets.duckdb"
    command = ["granola", "--relations", "P19", "--limit", "1", "--store", str(sample_store)]
    command += ["--db", str(db), "--model", "parrot", "--base-url", url]
    done = CliRunner().invoke(cli, command)
    assert done.exit_code == 0, done.output
    ((options,),) = database(db).sql("SELECT options FROM builds").rows
    assert json.loads(options)["base_url"] == f"{server.url}?key=***"
    for text in (done.output, db.read_bytes().decode("latin-1")):
        assert PASSWORD not in text and KEY not in text
    wrong = ["load", f"http://ada:{PASSWORD}@127.0.0.1:9/x.nt?token={KEY}"]
    for command in (
        [*wrong, "--store", str(tmp_path / "kg")],
        ["slice", wrong[1], "-o", str(tmp_path / "s.nt"), "--property", "P31"],
        ["lookup", "x", "--endpoint", wrong[1]],
        ["ask", "granola", "--model", "m", "--base-url", wrong[1], "--db", str(db)],
    ):
        done = CliRunner().invoke(cli, command)
        assert done.exit_code == 1, done.output  # nobody answers, which is no wrong call
        assert PASSWORD not in done.output and KEY not in done.output, command


@pytest.fixture
def endpoint(server: ChatServer) -> Iterator[Proxy]:
    """Run a server that answers each request as its plan says."""
    with proxy(server.url) as running:
        yield running


ECHO = f"no ada:{PASSWORD} {BASIC} ?pwd={KEY}/%2B ?pwd={KEY}/+ ?pwd={KEY}%2F%2B"
"""What a server knows of the user's secrets, in the forms in which it may say so."""
PARTS = (PASSWORD, BASIC.removeprefix("Basic "), KEY)


@pytest.mark.parametrize("status", [400, 403, 404, 500, 200])
def test_errors_of_endpoints_repeat_no_secret(endpoint: Proxy, tmp_path: Path, status: int) -> None:
    json_type = {"Content-Type": "application/sparql-results+json"}
    endpoint.after = (-1, Fault(status, json_type, ECHO.encode()))
    url = endpoint.url.replace("//", f"//ada:{PASSWORD}@") + f"?pwd={KEY}/%2B"
    for command in (
        ["sparql", "ASK {}", "--endpoint", url],
        ["lookup", "x", "--endpoint", url],
        ["fetch", "Q1", "--from", url, "-o", str(tmp_path / "f.nt")],
        # A message of success is data, and data are kept as they are.
        *([["load", url, "--store", str(tmp_path / "kg")]] if status != 200 else []),
        ["syn-qa", "--relations", "P26", "--since", url],
        ["stats", f"--store={url}"],
    ):
        done = CliRunner().invoke(cli, command)
        assert done.exit_code, done.output
        for secret in PARTS:
            assert secret not in done.output, command


def test_errors_of_proxies_repeat_no_password(
    endpoint: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", endpoint.url.replace("//", f"//ada:{PASSWORD}@"))
    endpoint.after = (-1, Fault(407, {}, ECHO.encode()))
    done = CliRunner().invoke(cli, ["sparql", "ASK {}", "--endpoint", "http://kg.invalid/"])
    assert done.exit_code == 1
    assert "Its message: no *** Basic ***" in done.output


@given(st.text(min_size=4).filter(str.isprintable), st.text(), st.text())
def test_no_form_of_a_secret_stays(secret: str, before: str, after: str) -> None:
    address = f"http://ada:{quote(secret, safe='')}@h/?pwd={quote(secret, safe='')}"
    header = base64.b64encode(f"ada:{secret}".encode()).decode()
    for form in (secret, quote(secret), quote(secret, safe=""), json.dumps(secret)[1:-1], header):
        shown = urls.redact(f"{before}\0{form}\0{after}", urls.secrets(address))
        assert f"\0{form}\0" not in shown


def test_pauses_stay_within_the_limit_of_time(endpoint: Proxy) -> None:
    # A second try would succeed.
    endpoint.plan = [Fault(429, {"Retry-After": "6"}, b"")]
    endpoint.after = (1, Fault(200, {"Content-Type": "application/sparql-results+json"}, YES))
    done = CliRunner().invoke(
        cli, ["sparql", "ASK {}", "--endpoint", endpoint.url, "--timeout", "5"]
    )
    assert (done.exit_code, len(endpoint.queries)) == (1, 1)
    assert "is too busy to answer: HTTP 429" in done.output


def test_endpoints_that_differ_in_the_query_share_no_answers(
    endpoint: Proxy, tmp_path: Path
) -> None:
    endpoint.after = (-1, Fault(200, {"Content-Type": "application/sparql-results+json"}, NOTHING))
    with contextlib.closing(Client()) as client:
        for graph in "aab":
            at = Endpoint(f"{endpoint.url}?graph={graph}", client, tmp_path)
            assert at.select("popularity", item="Q5") == []
        folders = {Pages(client, tmp_path, f"http://h/?graph={graph}")._folder for graph in "ab"}
    assert len(endpoint.queries) == len(folders) == 2


def test_the_name_of_a_dump_has_no_query(endpoint: Proxy, tmp_path: Path) -> None:
    dump = Path("dumps/sample.nt").read_bytes().splitlines(keepends=True)[:2000]
    endpoint.after = (-1, Fault(body=b"".join(dump)))
    url, store = f"{endpoint.url}?sas={KEY}/1", tmp_path / "kg"
    done = CliRunner().invoke(cli, ["load", url, "--store", str(store)])
    assert done.exit_code == 0, done.output
    with open_store(store) as opened:
        assert [file.name for file in opened.manifest.files] == ["query"]
