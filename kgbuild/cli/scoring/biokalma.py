"""The command ``score biokalma``: it scores answers that cite facts of a knowledge graph.

The facts of a question's *pool* are in the prompt. A sentence that states a fact outside the prompt
carries the mark [NA] in place of a citation.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from kgbuild.cli import options, output
from kgbuild.cli.model_options import model_options
from kgbuild.cli.models import ChosenModel
from kgbuild.cli.scoring import common
from kgbuild.datasets.biokalma.dataset import DATASET
from kgbuild.datasets.biokalma.scoring.attribution import CITATIONS, SCORING, STRICT
from kgbuild.datasets.biokalma.scoring.quality import METRICS, score_quality, unparsable_metric
from kgbuild.datasets.scoring import Group, Scores, json_fields
from kgbuild.evaluate.bootstrap import Estimates

_SHOWN_FORMS = 3
"""Number of unknown forms of citations that are shown."""


@click.command("biokalma")
@click.option(
    "--entailment",
    metavar="MODEL",
    help="Decide entailment by a natural language inference model for sentence-transformers, "
    "not by words: its folder or name.",
)
@click.option(
    "--citations",
    type=click.Choice(CITATIONS),
    default=STRICT,
    show_default=True,
    help="Which forms of citations count: those of the prompt, or leniently also ids of properties "
    "and values, dashes, parentheses and footnotes.",
)
@click.option(
    "--as-published",
    is_flag=True,
    help="Count as the code of the paper's authors does, where it differs: see docs/biokalma.md.",
)
@click.option(
    "--quality",
    is_flag=True,
    help="Show instead how well the texts are written, as the language model --model grades them.",
)
@model_options("With --quality: the model that grades.")
@common.score_options(SCORING)
def biokalma(
    file: Path | None,
    by: str | None,
    required_state: str | None,
    out: Path | None,
    entailment: str | None,
    citations: str,
    as_published: bool,
    compare: bool,
    quality: bool,
    llm: ChosenModel | None,
    db: "options.Database",
    as_json: bool,
) -> None:
    """Score how well models attribute their answers to knowledge.

    Without FILE, it scores the answers of 'kgbuild ask'. FILE is JSON, JSON Lines, CSV, TSV or
    Parquet. Its columns are question_id, answer (the text of the model, with citations in
    brackets), and optionally model, protocol, removed (how many needed facts the prompt lacked, as
    in biokalma_absent; default 0) and accuracy (the percentage of subjects with their own facts in
    the prompt, not those of another item, as in biokalma_graphs; default 100), which are scored
    separately. Correctness, precision and recall are those of citations; alignment is the share of
    citations that their sentences entail. If facts were removed, a second table shows how well [NA]
    marks them. Scores have 95 % bootstrap intervals and are written to the table scores.

    \b
    Example:
      kgbuild score biokalma
      kgbuild score biokalma answers.jsonl
      kgbuild score biokalma answers.jsonl --by relation --json
      kgbuild score biokalma answers.jsonl -o judged.jsonl
      kgbuild score biokalma answers.jsonl --compare
      kgbuild score biokalma answers.jsonl --quality --model my-model --budget 1000000
    """
    if compare and entailment:
        raise click.UsageError("--compare compares recall, which --entailment does not change.")
    if quality != bool(llm):
        raise click.UsageError("--quality and --model need each other. Pass both.")
    if quality and (compare or entailment):
        raise click.UsageError(
            "--quality shows no other scores. Leave out --compare and --entailment."
        )
    common.check_output(out, file, compare)
    answer_set = common.read(DATASET, file, db, by, required_state)
    if llm:
        ask = llm.make_asker(noun="grades")
        quality_scores = score_quality(answer_set, db, llm.name, ask, as_published)
        _show_quality(quality_scores, as_json)
        common.write_judgements(quality_scores, out)
        common.write_scores(quality_scores, db)
        return

    def show(scores: Scores) -> None:
        method = entailment or "words"
        metrics_by_group = [metrics for _, metrics in scores.groups]
        if as_json:
            rows = [
                {**common.json_columns(group), **json_fields(metrics), "entailment": method}
                for group, metrics in scores.groups
            ]
            output.show(rows, as_json)
        else:
            groups = common.columns_without_defaults(scores)
            _show([*zip(groups, metrics_by_group, strict=True)])
        output.notify(f"Entailment was decided by: {method}")
        uncited, refused, unknown = (
            _count(metrics_by_group, name) for name in ("uncited", "refused", "unknown_items")
        )
        output.notify(f"Answers that cite nothing: {uncited}, refusals: {refused}")
        output.notify(f"Citations of items without facts in the prompt: {unknown}")
        if any(metrics["unread"].hits for metrics in metrics_by_group):
            texts = [text for record in scores.judgements() for text in record["unread"]]
            output.notify(
                f"Brackets that may cite, but in no known form: {len(texts):,}, such as "
                f"{', '.join(dict.fromkeys(texts[:_SHOWN_FORMS]))}"
            )

    common.score_and_show(
        answer_set,
        db,
        show,
        compare,
        out,
        as_json,
        judge=" ".join(filter(None, (entailment, "as published" if as_published else ""))),
        entailment=entailment,
        citations=citations,
        as_published=as_published,
    )


def _show_quality(scores: Scores, as_json: bool) -> None:
    """Print the mean grade of each metric, and the share of grades that could not be read."""
    rows: list[dict[str, Any]] = []
    for group, metrics in scores.groups:
        for name in METRICS:
            mean, unparsed = metrics[name], metrics[unparsable_metric(name)].value
            row = {"metric": name, "answers": mean.total}
            if as_json:
                values = {"mean": mean.value, "interval": mean.interval, "unparsable": unparsed}
                rows.append({**common.json_columns(group), **row, **values})
            else:
                share = "" if unparsed is None else f"{unparsed:.0%}"
                cells = {"mean": common.rounded(mean, "{:.2f}"), "unparsable": share}
                rows.append({**group, **row, **cells})
    output.show(rows, as_json)


def _show(groups: Sequence[tuple[Group, Estimates]]) -> None:
    """Print tables: all scores, the refusals, and the scores of [NA] if facts were removed."""
    rows = [{**group, **cells} for group, metrics in groups for cells in _cells(metrics)]
    output.show(rows, as_json=False)
    refusals = [
        {
            **group,
            "answers": metrics["refused"].total,
            "refused": common.rounded(metrics["refused"]),
        }
        for group, metrics in groups
        if metrics["refused"].value
    ]
    if refusals:
        click.echo(
            "\nRefusals, which are right only if no fact in the prompt is about the question:\n"
        )
        output.show(refusals, as_json=False)
    marks = [
        {
            **group,
            "[NA] sentences": metrics["na_precision"].total,
            "absent": metrics["na_recall"].total,
            **_citation_cells(metrics, "na_"),
        }
        for group, metrics in groups
        if metrics["na_recall"].total
    ]
    if marks:
        click.echo()
        output.show(marks, as_json=False)


def _cells(metrics: Estimates) -> list[dict[str, Any]]:
    """Return the rows of a table: averages over all citations (micro), and over answers (macro).

    The last row counts citations of what says the same as a piece of the set.
    """
    return [
        {
            "average": "micro",
            "answers": metrics["refused"].total,
            "citations": metrics["correctness"].total,
            "correctness": common.rounded(metrics["correctness"]),
            **_citation_cells(metrics, ""),
            "alignment": common.rounded(metrics["alignment"]),
        },
        {
            "average": "macro",
            **dict.fromkeys(("answers", "citations", "correctness"), ""),
            **_citation_cells(metrics, "macro_"),
            "alignment": "",
        },
        {
            "average": "micro, with equivalents",
            **dict.fromkeys(("answers", "citations", "correctness"), ""),
            **_citation_cells(metrics, "equivalent_"),
            "alignment": "",
        },
    ]


def _citation_cells(metrics: Estimates, prefix: str) -> dict[str, str]:
    """Return the cells of precision, recall and F1; ``prefix`` begins the names of the metrics."""
    headings = {"precision": "precision", "recall": "recall", "f1": "F1"}
    return {
        heading: common.rounded(metrics[f"{prefix}{name}"]) for name, heading in headings.items()
    }


def _count(scores: Sequence[Estimates], name: str) -> str:
    """Return the number of hits of a metric and of all its cases, over all groups: "3 of 7"."""
    estimates = [metrics[name] for metrics in scores]
    hits = sum(estimate.hits for estimate in estimates)
    return f"{hits:,} of {sum(estimate.total for estimate in estimates):,}"
