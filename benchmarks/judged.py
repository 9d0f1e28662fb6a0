"""Measure how often the program agrees with people, on the judged sets in tests/judged.

``python -m benchmarks.judged`` prints each set's agreement with Wilson's 95 % interval.
``--without RULE`` switches a rule off and prints which cases change; see ``switches``.
"""

import argparse
import json
import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from benchmarks.switches import RuleError, switch_off
from kgbuild.export.truth import wilson
from kgbuild.models.llm import Model

FOLDER = Path(__file__).parents[1] / "tests" / "judged"
"""The judged sets: NAME.jsonl is open, NAME.kept.jsonl is to be measured rarely and never read."""
SETS: Mapping[str, str] = {
    "granola_replies": "benchmarks.judged_replies:cases",
    "granola_rows": "benchmarks.judged_rows:cases",
    "granola_files": "benchmarks.judged_files:cases",
    "open_questions": "benchmarks.judged_open:cases",
    "biokalma_citations": "benchmarks.judged_citations:cases",
    "biokalma_retrieval": "benchmarks.judged_retrieval:cases",
    "syn_qa_verdicts": "benchmarks.judged_verdicts:cases",
}
"""The function of each set that yields its cases, by the set's name.

It takes the records of the set, and is imported after a rule is switched off. Where a set is not in
the folder, the function ``records`` of its module returns the open or the kept records.
"""

Record: TypeAlias = Mapping[str, Any]


class Case(NamedTuple):
    """A judged record: the part of the set that it belongs to, and both verdicts.

    ``shown`` is the record in a line, ``judged`` the verdict of people, ``found`` the program's;
    ``agrees`` is whether they are the same.
    """

    id: str
    part: str
    shown: str
    judged: str
    found: str
    agrees: bool


Cases: TypeAlias = Callable[[Iterable[Record]], Iterator[Case]]


def records(name: str, kept: bool) -> list[Record]:
    """Return the records of a set: the open half, or the kept one; empty if there is no file."""
    file = FOLDER / f"{name}{'.kept' if kept else ''}.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else ()
    return [json.loads(line) for line in lines]


def measured(name: str, kept: bool, rule: str | None) -> list[Case]:
    """Return the cases of a set as the program judges them without a rule.

    Raises:
        RuleError: there is no such rule, or it can't be switched off.
    """
    if rule:
        switch_off(rule)
    path, function = SETS[name].split(":")
    module = import_module(path)
    cases: Cases = getattr(module, function)
    read = getattr(module, "records", partial(records, name))
    return list(cases(read(kept)))


def graded(name: str, kept: bool, model: str, base_url: str, replies: Path) -> list[Case]:
    """Return the cases of a set as a language model grades them; empty if it grades no such set.

    Raises:
        KgbuildError: the server or the cache cannot be used.
    """
    module = import_module(SETS[name].split(":")[0])
    grade = getattr(module, "graded", None)
    asked = Model(model, replies, base_url)
    return grade(records(name, kept), asked.ask, model) if grade else []


def table(name: str, cases: Sequence[Case]) -> str:
    """Return a line for each part of a set: its agreement in per cent, and the interval."""
    lines = []
    for part in dict.fromkeys(case.part for case in cases):
        agrees = [case.agrees for case in cases if case.part == part]
        low, high = wilson(sum(agrees), len(agrees))
        share = f"{sum(agrees) / len(agrees):6.1%} ({low:.1%} to {high:.1%})"
        lines.append(f"{name:20} {part:20} {share} of {len(agrees):,}")
    return "\n".join(lines)


def changes(before: Sequence[Case], after: Sequence[Case]) -> str:
    """Return the cases in which a rule changes the verdict, with their counts."""
    pairs = [pair for pair in zip(before, after, strict=True) if pair[0].found != pair[1].found]
    kinds = {"better": (False, True), "worse": (True, False)}
    text = []
    for kind, agreements in kinds.items():
        changed = [pair for pair in pairs if (pair[0].agrees, pair[1].agrees) == agreements]
        text.append(f"{kind} without it: {len(changed)}")
        text += [f"  {b.shown}\n    {b.found} -> {a.found}; judged {b.judged}" for b, a in changed]
    other = sum(b.agrees == a.agrees for b, a in pairs)
    return "\n".join([*text, f"other verdict, as right or wrong as before: {other}"])


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.judged", description=__doc__)
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
