"""The command ``slice``: it cuts a slice, the statements about some items, out of a dump."""

import contextlib
import shlex
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgbuild.cli import options, output
from kgbuild.cli.data import dumps as dump_options
from kgbuild.dump.kinds import KINDS, USUAL, USUAL_KINDS
from kgbuild.errors import list_first

if TYPE_CHECKING:
    from kgbuild.slice.report import Report
    from kgbuild.slice.spec import Spec


@click.command(name="slice")
@click.argument("dumps", nargs=-1, type=options.INPUT_NAME, metavar="[DUMP…]")
@click.option("--endpoint", metavar="URL", help="Instead of a DUMP: a SPARQL endpoint.")
@options.output_option(
    "out",
    f"The slice: {', '.join(options.SLICE_ENDINGS)}.",
    type=str,
    required=True,
    metavar="PATH",
)
@click.option("--spec", "spec_file", type=options.INPUT_FILE, help="A TOML file of options.")
@click.option(
    "--lang", multiple=True, callback=options.split_names, help="Languages to keep.  [default: en]"
)
@click.option("--descriptions/--no-descriptions", default=None, help="Keep descriptions.")
@click.option("--aliases/--no-aliases", default=None, help="Keep aliases.")
@click.option(
    "--property",
    multiple=True,
    callback=options.split_names,
    help=f"Properties to keep: ids, '{USUAL}' (those kgbuild knows) or 'all'.  [default: {USUAL}]",
)
@click.option(
    "--datatype",
    multiple=True,
    callback=options.split_names,
    help=f"Kinds of values to keep, of: {', '.join(KINDS)}.  [default: {', '.join(USUAL_KINDS)}]",
)
@click.option(
    "--instance-of", multiple=True, callback=options.split_names, help="Keep instances of classes."
)
@click.option(
    "--subclasses",
    is_flag=True,
    default=None,
    help="Keep instances of the subclasses of these classes, too.",
)
@click.option(
    "--items",
    type=options.INPUT_NAME,
    metavar="FILE",
    help="Keep the items of a file with one id per line.",
)
@click.option("--hops", type=int, help="Keep items up to this number of statements away, too.")
@click.option("--limit", type=int, help="Keep only the first items, as a preview.")
@click.option("--sample", type=float, help="Keep a random share of the items, such as 0.01.")
@click.option("--seed", type=int, help="Seed of the random share.  [default: 0]")
@click.option(
    "--engine",
    type=click.Choice(["local", "spark"]),
    default="local",
    help="Run in this process or on a Spark cluster.",
)
@click.option("--master", help="Master of Spark: local[4], spark://HOST:7077, yarn, …")
@dump_options.max_bad_option
@dump_options.dry_run_option
@options.json_option
@click.option("--force", is_flag=True, help="Replace an existing slice.")
def slice(  # noqa: A001, C901
    dumps: tuple[str, ...],
    endpoint: str | None,
    out: str,
    spec_file: Path | None,
    engine: str,
    master: str | None,
    max_bad: float,
    dry_run: bool,
    as_json: bool,
    force: bool,
    **spec_options: Any,
) -> None:
    """Cut the part that a dataset needs out of a dump.

    A DUMP is Wikidata's truthy dump (N-Triples) or its JSON dump, plain or compressed (gz, bz2,
    xz, zst): a file, a URL, which is read without being stored, or - for standard input. Lines are
    kept by language, property and kind of value, and by item: all items, instances of a class,
    items in a file, or items within some hops of these. The slice also has the names, classes and
    places (P31, P279, P131, P17) of all items that the kept statements point to.

    An --endpoint needs --instance-of or --items; if a run is interrupted, repeat it to
    continue. With --engine spark, DUMP and -o are paths that Spark knows; Java 17 is required. If
    -o then ends with /, it is a folder of parts, which 'kgbuild load' takes like a file.

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
    from kgbuild.slice.spec import make_spec

    if bool(dumps) == (endpoint is not None):
        raise click.UsageError("Pass either a DUMP or an --endpoint.")
    if endpoint is not None:
        options.require_endpoint(endpoint)
    if endpoint and dry_run:
        raise click.UsageError("--dry-run cannot estimate an --endpoint.")
    options.refuse_unused(not dry_run, "without --dry-run", "as_json")
    options.refuse_unused(engine != "spark", "without --engine spark", "master")
    dump_options.refuse_repeated(dumps)
    if not (engine == "spark" and out.endswith("/") and out.strip("/")):
        options.require_ending(out, options.SLICE_ENDINGS)
    if engine == "spark":
        _check_for_spark(dumps, dry_run)
    chosen_options = {
        name.replace("_", "-"): value
        for name, value in spec_options.items()
        if value not in (None, [])
    }
    slice_spec = make_spec(chosen_options, spec_file)
    if dry_run:
        from kgbuild.slice import estimate

        if Path(out).exists() and not force:
            output.notify(f"{out} exists already. Replace it with --force.")
        with output.progress("opening the dump") as update_progress:
            cutting, loading = estimate.estimate_slice(dumps, slice_spec, update_progress)
        dump_options.show_needs({"slice": cutting, "load": loading}, as_json)
        return
    with output.progress("opening the dump") as update_progress:
        if endpoint:
            report = _cut_from_endpoint(
                endpoint, Path(out), slice_spec, max_bad, force, update_progress
            )
        elif engine == "spark":
            from kgbuild.slice.spark import cluster
            from kgbuild.slice.spark import engine as spark

            with cluster.started(master) as session:
                report = spark.cut(session, dumps, out, slice_spec, max_bad, force, update_progress)
        else:
            report = slicing.cut(dumps, Path(out), slice_spec, max_bad, force, update_progress)
    _report(report, out.rstrip("/"), slice_spec)


def _check_for_spark(dumps: tuple[str, ...], dry_run: bool) -> None:
    from kgbuild.dump import reader

    if not dumps:
        raise click.UsageError("Spark reads a DUMP. Leave out --endpoint or --engine spark.")
    if any(path == "-" or reader.is_url(path) for path in dumps):
        raise click.UsageError("Spark reads neither standard input nor the web. Pass files.")
    if dry_run:
        raise click.UsageError(
            "--dry-run estimates --engine local. Leave out --dry-run or --engine spark."
        )


def _cut_from_endpoint(url: str, out: Path, *arguments: Any) -> "Report":
    from kgbuild.net import waits
    from kgbuild.net.http import Client
    from kgbuild.slice import from_endpoint
    from kgbuild.store.sparql.endpoint import Endpoint

    cache = from_endpoint.cache_beside(out)
    if count := from_endpoint.count_answers(out):
        output.notify(f"Continuing with {count:,} responses that are cached in {cache}.")
    with contextlib.closing(Client(waits.PACE, output.notify)) as client:
        try:
            return from_endpoint.cut(partial(Endpoint, url, client), out, *arguments)
        finally:
            if count := from_endpoint.count_answers(out):
                output.notify(
                    f"{count:,} responses are cached in {cache}. The same command continues there."
                )


def _report(report: "Report", out: str, spec: "Spec") -> None:
    from kgbuild.slice.spec import Spec

    output.notify(
        f"{report.kept:,} of {report.lines:,} lines are in {out} ({report.bytes / 1e6:,.1f} MB): "
        f"{report.items:,} items, {report.chosen:,} of them requested."
    )
    if not report.complete:
        output.notify("  A preview: the dump was read only as far as the limit.")
    if report.leaving:
        output.notify(
            f"  Statements point to {report.leaving:,} items that have no statements in the slice."
        )
    if report.absent:
        absent = list_first(report.absent)
        output.notify(f"  {len(report.absent):,} items of {spec.items} are missing: {absent}.")
    dump_options.report_losses(report.dropped, report.bad, f"{out}.rejects.tsv")
    output.notify(f"  More in {out}.report.json. Load it with:")
    # With these options, a load keeps all lines of the slice.
    lang = "" if spec.lang == Spec.lang else f" --lang {','.join(spec.lang)}"
    everything = " --all" if spec.loading.everything else ""
    output.notify(f"  kgbuild load {shlex.quote(out)}{lang}{everything}")
