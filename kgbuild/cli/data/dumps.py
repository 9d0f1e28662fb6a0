"""Options and output of the commands that read dumps: load and slice."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kgbuild.calls import Share
from kgbuild.cli import output
from kgbuild.cli.options import type_of
from kgbuild.dump.kinds import REASONS

if TYPE_CHECKING:
    from kgbuild.slice.estimate import Needs

max_bad_option = click.option(
    "--max-bad",
    type=type_of(Share),
    default=0.01,
    help="Fail if more than this share of the lines is bad.",
)
dry_run_option = click.option(
    "--dry-run",
    is_flag=True,
    help="Only estimate time, memory and disk: disk_mb, and temporary_mb while the command runs.",
)


def refuse_repeated(dumps: Sequence[str]) -> None:
    """Reject a dump that is passed twice."""
    if dumps.count("-") > 1:
        raise click.UsageError("Standard input can be read only once.")
    files = [path if path == "-" or "://" in path else os.path.realpath(path) for path in dumps]
    for path, file in zip(dumps, files, strict=True):
        if files.count(file) > 1:
            raise click.UsageError(f"{path} is named twice.")


def show_needs(jobs: Mapping[str, "Needs"], as_json: bool) -> None:
    """Print the estimated resources of jobs, by the name of the job."""
    rows = [
        {
            "job": job,
            "lines": need.lines,
            "triples": need.triples,
            "disk_mb": round(need.disk / 1e6, 1),
            "temporary_mb": round(need.temporary / 1e6, 1),
            "memory_mb": round(need.memory / 1e6),
            "minutes": round(need.seconds / 60, 2),
        }
        for job, need in jobs.items()
    ]
    output.show(rows, as_json)
    share = next(iter(jobs.values())).fraction
    part = f"the first {share:.2%}" if share < 1 else "all"
    output.notify(f"Estimated from {part} of the dumps.")


def report_losses(dropped: Mapping[str, int], bad: int, rejects: Path | str) -> None:
    """Print the number of dropped lines by reason, and the file that lists the bad lines."""
    for reason, count in sorted(dropped.items(), key=lambda pair: -pair[1]):
        output.notify(f"  dropped {count:>12,}  {REASONS[reason]}")
    if bad:
        output.notify(f"  bad     {bad:>12,}  lines: see {rejects}")
