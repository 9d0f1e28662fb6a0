"""The command ``syn-qa``, which builds the dataset Syn-(QA)²."""

from pathlib import Path
from typing import Any

import click

from kgbuild.cli import options
from kgbuild.cli.build import building
from kgbuild.datasets.syn_qa.dataset import DATASET, build
from kgbuild.datasets.syn_qa.rows import GRADES, PairOptions
from kgbuild.rows import Built

_EXAMPLE = "SELECT question, false_question FROM syn_qa_pairs WHERE relation = '{}' LIMIT 5"


@click.command()
@options.relations_option(
    "P26,P26/P69",
    "The relations to build, by id or label; two with a slash make a path.  [default: all]",
)
@options.option_of(
    build, "hops", "Without --relations: build all relations, or all paths of two relations."
)
@click.option(
    "--template",
    "templates",
    multiple=True,
    metavar="TEXT",
    help="Your own question for one relation, with {subject} and {object}; repeatable.",
)
@click.option(
    "--hotpotqa",
    type=options.INPUT_FILE,
    metavar="FILE",
    help="Instead of --relations: replace a value in HotpotQA's multi-hop questions.",
)
@click.option(
    "--categories",
    type=options.INPUT_FILE,
    metavar="FILE",
    help="Replace titles instead, by their categories: a table with title and category.",
)
@options.option_of(
    build,
    "limit",
    "Maximum number of pairs, for each end that is replaced and each grade.  "
    f"[default: {PairOptions.limit} per relation, all of a file]",
)
@options.option_of(
    build,
    "min_overlap",
    "Minimum number of property values that a replacement shares with what it replaces.",
)
@options.option_of(build, "max_risk", "Maximum probability that a false assumption is true.")
@options.option_of(
    build,
    "perturb",
    "What a similar item replaces: the subject of a statement, its object, or each of them.",
)
@click.option(
    "--confusability",
    multiple=True,
    callback=options.split_choices(GRADES),
    metavar="near,far",
    help="How near replacements are: near, middle or far; a pair of each.  [default: the nearest "
    "that fit]",
)
@options.since_option
@options.build_options
def syn_qa(store: Path, db: "options.Database", as_json: bool, **chosen: Any) -> None:
    """Build Syn-(QA)²: minimal pairs of questions, one with a false assumption.

    The first question of a pair assumes a statement (subject, relation, object) of the store. In
    the second question, a similar item replaces the subject, and the store does not contain the
    statement. Over two hops, the assumption is about an item that the question does not name,
    such as the spouse of the subject. A build replaces only the pairs of the same relations or
    file.

    \b
    Example:
      kgbuild syn-qa --relations P26,P40,P26/P69
      kgbuild syn-qa --relations P106 --template "Where did {subject} work as {object}?"
      kgbuild syn-qa --hotpotqa hotpot_dev_distractor_v1.json
      kgbuild sql "SELECT question, false_question FROM syn_qa_pairs LIMIT 5"
    """
    relations, hotpotqa = chosen["relations"], chosen["hotpotqa"]
    options.refuse_unused(
        hotpotqa,
        "with --hotpotqa",
        *("relations", "hops", "templates", "min_overlap", "max_risk", "perturb", "confusability"),
    )
    options.refuse_unused(not hotpotqa, "without --hotpotqa", "categories")
    if chosen["hops"] == 2 and relations:
        raise click.UsageError(
            "--hops 2 builds all paths of two relations. Leave it out to build P26/P69 only."
        )
    if chosen["templates"] and len(relations or ()) != 1:
        raise click.UsageError("--template needs one relation. Pass it with --relations.")
    built = building.build(DATASET, build, store, db, **chosen)

    def columns(part: Built) -> dict[str, int]:
        return {"pairs": part.rows, "statements": part.candidates}

    building.report(DATASET, built, db, columns, _EXAMPLE, as_json)
