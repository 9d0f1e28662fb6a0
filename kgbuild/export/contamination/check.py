"""Check whether texts or a model contain a dataset, and count what was found."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kgbuild.datasets.asking import Ask
from kgbuild.evaluate.bootstrap import wilson
from kgbuild.export.contamination.completion import complete, halve, halve_canary
from kgbuild.export.contamination.corpus import search
from kgbuild.export.contamination.phrases import MIN_WORDS
from kgbuild.export.questions import Asked, word_form
from kgbuild.rows import Progress, no_progress

_CANARY = "canary"


class CheckedText(NamedTuple):
    """A summary, a record of each text that was found or asked for, and sentences about both."""

    summary: Sequence[Mapping[str, Any]]
    records: Sequence[Mapping[str, Any]]
    notes: Sequence[str] = ()


def in_texts(
    folder: Path, asked: Sequence[Asked], canary: str, progress: Progress = no_progress
) -> CheckedText:
    """Search the files of a folder for the canary and the questions."""
    rows = {word_form(text): (row.id, text) for row in asked for text in row.questions}
    guid = canary.rpartition(" ")[2]  # the rest of the canary may differ in a copy
    ids = [_CANARY, *(row_id for row_id, _ in rows.values())]
    texts = [guid, *(text for _, text in rows.values())]
    findings = search(folder, texts, progress)
    records = [
        {
            "id": ids[number],
            "question": texts[number],
            "windows": findings.windows[number],
            **findings.first[number]._asdict(),
        }
        for number in sorted(findings.first)
    ]
    searched = len(findings.searchable - {0})
    found = len(findings.first.keys() - {0})
    notes = [
        f"{findings.bytes / 1e6:,.1f} MB were searched. {len(rows) - searched:,} questions have "
        f"fewer than {MIN_WORDS} words, or no words of their own, and were not searched for."
    ]
    if findings.left_out:
        notes.append(f"Files in other formats were left out: {len(findings.left_out):,}.")
    return CheckedText(
        [
            {"text": _CANARY, "searched for": 1, "found": int(0 in findings.first)},
            {"text": "questions", "searched for": searched, "found": found},
        ],
        records,
        notes,
    )


def by_model(ask: Ask, asked: Sequence[Asked], canary: str, title: str) -> CheckedText:
    """Let a model continue the canary and the first halves of questions."""
    halves = [halve(row.id, row.source, text) for row in asked for text in row.questions]
    completions = complete([halve_canary(canary), *filter(None, halves)], title, ask)
    of_canary = [one.is_complete for one in completions if one.half.id == _CANARY]
    of_questions = [one for one in completions if one.half.id != _CANARY]
    by_chance = [one.is_chance for one in of_questions if one.is_chance is not None]
    return CheckedText(
        [
            _rate(_CANARY, of_canary),
            _rate("questions", [one.is_complete for one in of_questions]),
            _rate("by chance", by_chance),
        ],
        [
            {**one.half._asdict(), "reply": one.reply, "complete": one.is_complete}
            for one in completions
        ],
    )


def _rate(text: str, hits: Sequence[bool]) -> dict[str, Any]:
    """Return a line of the summary: how many texts were completed, with a 95 % interval."""
    low, high = wilson(sum(hits), len(hits)) if hits else (0.0, 1.0)
    return {
        "text": text,
        "asked": len(hits),
        "completed": sum(hits),
        "95 % interval": f"{low:.1%} to {high:.1%}",
    }
