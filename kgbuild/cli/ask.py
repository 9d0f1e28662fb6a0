"""The command that asks a model the questions of a dataset."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from kgbuild import datasets
from kgbuild.cli import options, output
from kgbuild.cli.models import ChosenModel, model_options, report_left_out
from kgbuild.datasets import asking
from kgbuild.datasets.base import AnyDataset
from kgbuild.datasets.biokalma.requests import ALL_RIGHT, IRRELEVANT, OWN, RETRIEVED
from kgbuild.datasets.biokalma.rows import ACCURACIES
from kgbuild.datasets.granola.prompts import SAMPLED, SAMPLES, TEMPERATURE
from kgbuild.datasets.own_prompt import with_prompt
from kgbuild.datasets.syn_qa.prompts import WITH_SEARCH
from kgbuild.errors import clean
from kgbuild.evaluate.answers import STATES, Answer
from kgbuild.tables.records import Prediction

_ASKED = [dataset for dataset in datasets.all_datasets() if dataset.requests]
_PROTOCOLS = "; ".join(
    f"{dataset.command}: {', '.join(protocol.name for protocol in dataset.protocols)}"
    for dataset in _ASKED
)
_ON_DEMAND = ", ".join(
    protocol.name for dataset in _ASKED for protocol in dataset.protocols if protocol.on_demand
)
_USUAL = {"removed": 0, "accuracy": ALL_RIGHT, "knowledge": OWN}
"""Options with their default values; at most one of them may have another value."""


@click.command()
@click.argument(
    "name", metavar="DATASET", type=click.Choice([dataset.command for dataset in _ASKED])
)
@model_options("The model that is asked.", required=True)
@click.option(
    "--protocol",
    "protocols",
    multiple=True,
    callback=options.split_names,
    metavar="NAME",
    help=f"How it is asked; repeatable. Of {_PROTOCOLS}.  [default: all but {_ON_DEMAND}]",
)
@click.option(
    "--prompt",
    "prompt_file",
    type=options.INPUT_FILE,
    metavar="FILE",
    help="With one --protocol: a text with {question} that takes the place of its prompt.",
)
@click.option("--limit", type=options.COUNT, help="Maximum number of questions, or pairs.")
@click.option(
    "--samples",
    type=click.IntRange(1, 1000),
    help=f"Answers to a question by the protocol {SAMPLED}.  [default: {SAMPLES}]",
)
@click.option(
    "--temperature",
    type=options.Number(0, 2),
    help=f"Sampling temperature: of the protocol {SAMPLED} if that is asked, else of all answers.  "
    f"[default: {TEMPERATURE} of {SAMPLED}, else 0]",
)
@click.option("--system", metavar="TEXT", help="A system message before each request.")
@click.option(
    "--removed",
    type=click.IntRange(0, 3),
    help="Of biokalma: the round of the table biokalma_rounds; its pools lack so many statements.  "
    "[default: 0]",
)
@click.option(
    "--accuracy",
    type=click.Choice([str(accuracy) for accuracy in (ALL_RIGHT, *ACCURACIES)]),
    callback=lambda *arguments: arguments[-1] and int(arguments[-1]),
    help="Of biokalma: how many graphs of a hundred are right, as in biokalma_ablation.  "
    f"[default: {ALL_RIGHT}]",
)
@click.option(
    "--knowledge",
    type=click.Choice([OWN, RETRIEVED, IRRELEVANT]),
    help="Of biokalma: whose pool is given: the question's own, that of the items that are "
    f"found in it (in --store), or another question's.  [default: {OWN}]",
)
@click.option(
    "--evidence",
    type=options.INPUT_FILE,
    metavar="FILE",
    help=f"What the protocol {WITH_SEARCH} shows, as JSON Lines with pair_id, false_assumption "
    "and evidence, a list of texts. Only its questions are asked.",
)
@options.build_options("Seed of the choice and order.")
def ask(
    name: str,
    llm: ChosenModel,
    protocols: list[str],
    prompt_file: Path | None,
    limit: int | None,
    temperature: float | None,
    system: str | None,
    seed: int,
    as_json: bool,
    store: Path,
    db: "options.Database",
    **dataset_options: Any,
) -> None:
    """Ask a model the questions of a dataset, by the protocols of its paper.

    Answers are written to the table predictions. They replace earlier answers of the same model,
    protocols and pools. Questions without a reply are counted. Replies are cached, so a second run
    sends only the remaining requests. 'kgbuild score' scores the answers.

    \b
    Example:
      kgbuild ask granola --model my-model --base-url http://localhost:8000/v1 --limit 100
      kgbuild ask granola --model my-model --protocol sampled --samples 20
      kgbuild ask syn-qa --model my-model --protocol zero-shot,four-shot --budget 1000000
      kgbuild ask syn-qa --model my-model --protocol with-evidence --store data/kg
      kgbuild ask syn-qa --model my-model --protocol zero-shot --prompt paper.txt
      kgbuild ask biokalma --model my-model --protocol specific --removed 2
      kgbuild ask biokalma --model my-model --knowledge retrieved --store data/kg
      kgbuild score granola
    """
    dataset = datasets.dataset(name)
    chosen = {option: value for option, value in dataset_options.items() if value is not None}
    if prompt_file and len(protocols) != 1:
        raise click.UsageError("--prompt takes the place of one prompt: name one --protocol.")
    if SAMPLED not in protocols:
        llm = llm.with_settings(temperature=temperature)
    elif temperature is not None:
        chosen["temperature"] = temperature
    llm = llm.with_settings(system=system)
    _check(dataset, protocols, chosen)
    with output.progress() as progress:
        shared = {"store": store, "progress": progress}
        own = asking.request_options(dataset)
        chosen |= {option: value for option, value in shared.items() if option in own}
        items = asking.requests(dataset, db, protocols, limit, seed, **chosen)
    if prompt_file:
        items = with_prompt(dataset, items, prompt_file)
    db.prepare()
    parts = len({item.item_id for item in items}), len({item.protocol for item in items})
    origin = f" ({parts[0]:,} {dataset.unit} × {parts[1]} protocols)"
    llm.report_estimate([item.request for item in items], origin)
    answers = asking.send(dataset, llm.name, items, llm.ask)
    db.write_predictions(answers.predictions)
    _report(answers.predictions, as_json)
    _report_states(answers.predictions)
    output.notify(f"\nThe answers are in {db.path}, table predictions. Score them:")
    output.notify(f"  kgbuild score {dataset.command} --db {db.path}")
    report_left_out(answers.failures)


def _check(dataset: AnyDataset, protocols: Sequence[str], options: Mapping[str, Any]) -> None:
    """Refuse options of another dataset or protocol, and those that contradict each other."""
    for option in options:
        if option not in asking.request_options(dataset):
            of = [
                dataset.command for dataset in _ASKED if option in asking.request_options(dataset)
            ]
            raise click.UsageError(f"--{option} is about {', '.join(of)}, not {dataset.command}.")
    if SAMPLED not in protocols and "samples" in options:
        raise click.UsageError(f"--samples is about --protocol {SAMPLED}.")
    if options.get("temperature") == 0:
        raise click.UsageError(f"--temperature 0 makes all answers of --protocol {SAMPLED} equal.")
    if (WITH_SEARCH in protocols) != ("evidence" in options):
        raise click.UsageError(f"--protocol {WITH_SEARCH} and --evidence go together: name both.")
    if sum(options.get(option, usual) != usual for option, usual in _USUAL.items()) > 1:
        raise click.UsageError(
            "--removed, --accuracy and --knowledge are experiments of their own: ask for one."
        )


def _report_states(predictions: Sequence[Prediction]) -> None:
    """Print how many answers are not finished, and whether the server changed its model."""
    states = Counter(
        Answer(one.item_id, False, one.text, finish_reason=one.finish_reason).state
        for one in predictions
    )
    for state in STATES[1:]:
        if states[state]:
            output.notify(f"  {states[state]:,} of {len(predictions):,} answers are {state}.")
    models = Counter(one.server_model for one in predictions if one.server_model)
    if len(models) > 1:
        counts = ", ".join(f"{clean(name)} ({count:,})" for name, count in models.most_common())
        output.notify(f"  The answers are of several models, as the server names them: {counts}.")


def _report(predictions: Sequence[Prediction], as_json: bool) -> None:
    by_protocol = defaultdict(list)
    for prediction in predictions:
        by_protocol[prediction.protocol].append(prediction)
    rows = [
        {
            "protocol": protocol,
            "predictions": len(group),
            "tokens in": sum(prediction.tokens_in for prediction in group),
            "tokens out": sum(prediction.tokens_out for prediction in group),
        }
        for protocol, group in by_protocol.items()
    ]
    output.show(rows, as_json)
