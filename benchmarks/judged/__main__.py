"""Run the benchmark of the judged sets."""

import argparse
import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from benchmarks import judged
from benchmarks.judged import SETS, changes, graded, measured, table
from benchmarks.judged.switches import RuleError


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.judged", description=judged.__doc__)
    parser.add_argument("--set", choices=SETS, action="append", help="only this set")
    parser.add_argument("--kept", action="store_true", help="measure the kept halves, too")
    parser.add_argument("--wrong", action="store_true", help="print the open cases that disagree")
    parser.add_argument(
        "--without",
        metavar="RULE",
        help="package.module:function, table.toml:section.key, or table.toml:section.key=entry",
    )
    parser.add_argument("--grader", metavar="MODEL", help="let this model grade, too")
    parser.add_argument("--base-url", default="", metavar="URL", help="server of the model")
    replies = Path("judged-replies.sqlite")
    parser.add_argument("--replies", type=Path, default=replies, help="cache of its replies")
    asked = parser.parse_args(arguments)
    # A rule is switched off in a fresh process, before what uses it is imported.
    context = multiprocessing.get_context("spawn")
    for name in asked.set or SETS:
        for kept in (False, True) if asked.kept else (False,):
            with ProcessPoolExecutor(1, mp_context=context) as fresh:
                cases = fresh.submit(measured, name, kept, None).result()
            title = f"{name} (kept)" if kept else name
            if not cases:
                continue
            print(table(title, cases))
            if asked.grader:
                options = asked.grader, asked.base_url, asked.replies
                print(table(f"{title}, {asked.grader}", graded(name, kept, *options)))
            if asked.without:
                try:
                    with ProcessPoolExecutor(1, mp_context=context) as fresh:
                        without = fresh.submit(measured, name, kept, asked.without).result()
                except RuleError as error:
                    parser.error(str(error))
                print(f"without {asked.without}:\n{table(title, without)}")
                print(changes(cases, without))
            if asked.wrong and not kept:
                wrong = (case for case in cases if not case.agrees)
                print(*(f"  {c.shown}\n    {c.found}; judged {c.judged}" for c in wrong), sep="\n")


if __name__ == "__main__":
    main()
