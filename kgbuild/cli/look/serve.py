"""The command ``serve``: it serves the store as a SPARQL endpoint."""

from pathlib import Path

import click

from kgbuild.cli import options, output
from kgbuild.store import manifest
from kgbuild.store.sparql.serving import serving


@click.command()
@options.port_option("The port; 0 means any free port.", 7878)
@click.option(
    "--timeout",
    type=options.COUNT,
    default=60,
    help="Seconds after which the server tries to end a query.",
)
@click.option("--service", is_flag=True, help="Let SERVICE in queries ask other servers.")
@options.store_option
def serve(port: int, timeout: int, service: bool, store: Path) -> None:
    """Serve the store as a SPARQL endpoint that only programs on this machine can reach.

    The server is Oxigraph's; it can only read. Queries need the prefixes that they use. A load may
    replace the store meanwhile: the server goes on with the old one until it ends.

    \b
    Example:
      kgbuild serve
      kgbuild lookup "marie curie" --endpoint http://127.0.0.1:7878/query
    """
    with (
        manifest.checked(store) as (current, folder),
        serving(folder / manifest.GRAPH, port, timeout, service) as server,
    ):
        click.echo(f"{current.triples:,} triples of {store} are served at\n{server.url}")
        output.notify(
            f'For example: kgbuild lookup "marie curie" --endpoint {server.url}\n'
            "Ctrl-C ends the server."
        )
        try:
            server.wait()
        except KeyboardInterrupt:
            output.notify("The server has ended.")
