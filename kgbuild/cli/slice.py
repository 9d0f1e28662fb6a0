"""The command that cuts slices."""

import contextlib
import shlex
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgbuild.cli import screen
from kgbuild.dump.kinds import KINDS, USUAL, USUAL_KINDS

if TYPE_CHECKING:
    from kgbuild.slice.slice import Report
    from kgbuild.slice.spec import Spec

_SOME = 5


def _words(context: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> Any:
    return screen.listed(context, parameter, value) or None


@click.command(name="slice")
@click.argument("dumps", nargs=-1, metavar="[DUMP…]")
@click.option("--endpoint", metavar="URL", help="Instead of a DUMP: a SPARQL endpoint.")
@click.option(
    "-o",
    "--output",
    "out",
    metavar="PATH",
    required=True,
    help="The slice: .nt, .nt.gz or .nt.zst.",
)
@click.option("--spec", "path", type=click.Path(path_type=Path), help="A TOML file of options.")
@click.option("--lang", multiple=True, callback=_words, help="Languages to keep.  [default: en]")
@click.option("--descriptions/--no-descriptions", default=None, help="Keep descriptions.")
@click.option("--aliases/--no-aliases", default=None, help="Keep aliases.")
@click.option(
    "--property",
    multiple=True,
    callback=_words,
    help=f"Properties to keep: ids, '{USUAL}' (those kgbuild knows) or 'all'.  [default: {USUAL}]",
)
@click.option(
    "--datatype",
    multiple=True,
    callback=_words,
    help=f"Kinds of values to keep, of: {', '.join(KINDS)}.  [default: {', '.join(USUAL_KINDS)}]",
)
@click.option("--instance-of", multiple=True, callback=_words, help="Keep instances of classes.")
@click.option("--subclasses", is_flag=True, default=None, help="And of their subclasses.")
@click.option("--items", help="Keep the items of a file: an id in each line.")
@click.option("--hops", type=int, help="And what is so many statements away from them.")
@click.option("--limit", type=int, help="A preview: only so many items, the first ones.")
@click.option("--sample", type=float, help="Only a share of the items, such as 0.01.")
@click.option("--seed", type=int, help="Chooses the share.  [default: 0]")
@click.option(
    "--engine",
    type=click.Choice(["local", "spark"]),
    default="local",
    show_default=True,
    help="What does the work: this process, or a Spark cluster.",
)
@click.option("--master", help="Where Spark is: local[4], spark://HOST:7077, yarn, …")
@screen.max_bad_option
@screen.dry_run_option
@screen.json_option
@click.option("--force", is_flag=True, help="Replace a slice that is there.")
def slice(  # noqa: A001, C901
    dumps: tuple[str, ...],
    endpoint: str | None,
    out: str,
    path: Path | None,
    engine: str,
    master: str | None,
    max_bad: float,
    dry_run: bool,
    as_json: bool,
    force: bool,
    **given: Any,
) -> None:
    """Cut out of a dump what a dataset needs.

    A DUMP is Wikidata's truthy dump (N-Triples) or its JSON dump, plain or compressed (gz, bz2,
    zst): a file, a URL, which is read without being stored, or - for standard input. Lines are
    kept by language, property and kind of value, and by item: all items, instances of a class,
    items in a file, or items within some hops of these. The slice also has the names, classes and
    places (P31, P279, P131, P17) of all items that the kept statements point to.

    With --endpoint, --instance-of or --items is required; if a run is interrupted, repeat it to
    continue. With --engine spark, DUMP and -o are paths that Spark knows; Java 17 is required.

    \b
    A spec is a TOML file with options, such as:
      instance-of = ["Q11424"]    # films
      subclasses = true
      lang = ["en", "de"]

    \b
    Example:
      kgbuild slice dumps/sample.nt -o people.nt.gz --instance-of Q5
      kgbuild slice dumps/sample.nt -o adams.nt.gz --limit 10 --no-descriptions
      kgbuild slice hdfs://host/latest-truthy.nt.bz2 -o hdfs://host/people.nt.gz --engine spark
      kgbuild slice --endpoint http://localhost:7878/query -o people.nt.gz --instance-of Q5
    """
    from kgbuild.slice import slice as slicing
    from kgbuild.slice.spec import spec

    if (endpoint is None) == (not dumps):
        raise click.UsageError("Name a DUMP, or an --endpoint.")
    if endpoint is not None:
        screen.require_endpoint(endpoint)
    if endpoint and dry_run:
        raise click.UsageError("Nothing can be estimated of an --endpoint.")
    screen.once(dumps)
    screen.require_slice(out)
    there = Path(out).exists()
    if any(there and Path(one).exists() and Path(out).samefile(one) for one in dumps):
        raise click.BadParameter("it is the dump itself.", param_hint="-o")
    if engine == "spark":
        _check_for_spark(dumps, dry_run)
    elif master:
        raise click.UsageError("--master needs --engine spark.")
    options = {k.replace("_", "-"): value for k, value in given.items() if value is not None}
    made = spec(options, path)
    if dry_run:
        from kgbuild.slice import estimate

        if there and not force:
            screen.say(f"{out} is there already: to replace it will take --force.")
        cutting, loading = estimate.of_slice(dumps, made)
        screen.needs({"slice": cutting, "load": loading}, as_json)
        return
    with screen.progress() as bar:
        if endpoint:
            report = _harvest(endpoint, Path(out), made, max_bad, force, screen.Bar(bar))
        elif engine == "spark":
            report = _spread(master, dumps, out, made, max_bad, force, screen.Bar(bar))
        else:
            report = slicing.cut(dumps, Path(out), made, max_bad, force, screen.Bar(bar))
    _tell(report, out, made)


def _check_for_spark(dumps: tuple[str, ...], dry_run: bool) -> None:
    from kgbuild.dump import reader

    if not dumps:
        raise click.UsageError("Spark reads a DUMP: leave --endpoint or --engine spark out.")
    if any(path == "-" or reader.is_url(path) for path in dumps):
        raise click.UsageError("Spark reads neither standard input nor the web: name files.")
    if dry_run:
        raise click.UsageError("--dry-run tells what --engine local will need: leave one out.")


def _spread(master: str | None, *arguments: Any) -> "Report":
    from kgbuild.slice.spark import cluster
    from kgbuild.slice.spark import engine as spread

    with cluster.started(master) as session:
        return spread.cut(session, *arguments)


def _harvest(
    url: str, out: Path, made: "Spec", max_bad: float, force: bool, bar: screen.Bar
) -> "Report":
    from kgbuild.net import waits
    from kgbuild.net.http import Client
    from kgbuild.slice import from_endpoint
    from kgbuild.store.endpoint import Endpoint

    kept = from_endpoint.cache_beside(out)
    if count := from_endpoint.count_answers(out):
        screen.say(f"Going on with {count:,} answers that are kept in {kept}.")
    with contextlib.closing(Client(waits.PACE, screen.say)) as client:
        try:
            return from_endpoint.cut(partial(Endpoint, url, client), out, made, max_bad, force, bar)
        finally:
            if count := from_endpoint.count_answers(out):
                screen.say(f"{count:,} answers are kept in {kept}: the same call goes on there.")


def _tell(report: "Report", out: str, asked: "Spec") -> None:
    screen.say(
        f"{report.kept:,} of {report.lines:,} lines are in {out} ({report.bytes / 1e6:,.1f} MB): "
        f"{report.items:,} items, {report.chosen:,} of them asked for."
    )
    if not report.complete:
        screen.say("  A preview: the dump was read only as far as the limit.")
    if report.leaving:
        screen.say(f"  {report.leaving:,} items are pointed to of which the slice says nothing.")
    if report.absent:
        some = ", ".join(report.absent[:_SOME]) + (", …" if len(report.absent) > _SOME else "")
        screen.say(f"  {len(report.absent):,} items of {asked.items} are not there: {some}.")
    screen.losses(report.dropped, report.bad, f"{out}.rejects.tsv")
    screen.say(f"  More in {out}.report.json. Load it with:")
    screen.say(f"  kgbuild load {shlex.quote(out)}{_load_options(asked)}")


def _load_options(asked: "Spec") -> str:
    """Return the options with which a load keeps all that is in a slice."""
    from kgbuild.slice.spec import Spec

    lang = "" if asked.lang == Spec.lang else f" --lang {','.join(asked.lang)}"
    return lang + (" --all" if asked.loading.everything else "")
