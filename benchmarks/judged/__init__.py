"""Measure how often the program agrees with people, on the judged sets in tests/judged.

``python -m benchmarks.judged`` prints each set's agreement with Wilson's 95 % interval.
``--without RULE`` switches a rule off and prints which cases change; see ``switches``.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from benchmarks.judged.switches import switch_off
from kgbuild.evaluate.bootstrap import wilson
from kgbuild.models.llm import Model

FOLDER = Path(__file__).parents[2] / "tests" / "judged"
"""The judged sets: NAME.jsonl is open, NAME.kept.jsonl is to be measured rarely and never read."""
SETS: Mapping[str, str] = {
    "granola_replies": "benchmarks.judged.replies:cases",
    "granola_rows": "benchmarks.judged.rows:cases",
    "granola_files": "benchmarks.judged.files:cases",
    "open_questions": "benchmarks.judged.open:cases",
    "biokalma_citations": "benchmarks.judged.citations:cases",
    "biokalma_retrieval": "benchmarks.judged.retrieval:cases",
    "syn_qa_verdicts": "benchmarks.judged.verdicts:cases",
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
