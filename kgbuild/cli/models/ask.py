"""The command ``ask``: it asks a language model the questions of a dataset.

A protocol is a way to ask, such as zero-shot. BioKaLMA's prompts contain facts of a graph (the
*pool* of a question); three options vary these facts.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from kgbuild import datasets
from kgbuild.cli import options, output
from kgbuild.cli.models.chosen_model import ChosenModel, allow_missing_option, require_answers
from kgbuild.cli.models.model_options import model_options
from kgbuild.datasets import asking
from kgbuild.datasets.base import AnyDataset
from kgbuild.datasets.biokalma.scoring.requests import ALL_RIGHT, OWN
from kgbuild.datasets.biokalma.scoring.requests import requests as with_pools
from kgbuild.datasets.granola.prompts import SAMPLED, SAMPLES, TEMPERATURE
from kgbuild.datasets.granola.prompts import requests as sampling
from kgbuild.datasets.own_prompt import with_prompt
from kgbuild.datasets.syn_qa.scoring.prompts import WITH_SEARCH
from kgbuild.errors import replace_controls
from kgbuild.models.chat import STATES, state
from kgbuild.tables.records import Prediction

_DATASETS = [dataset for dataset in datasets.all_datasets() if dataset.requests]
_PROTOCOLS = "; ".join(
    f"{dataset.command}: {', '.join(protocol.name for protocol in dataset.protocols)}"
    for dataset in _DATASETS
)
_ON_DEMAND = ", ".join(
    sorted({p.name for dataset in _DATASETS for p in dataset.protocols if p.on_demand})
)
_EXPERIMENTS = {"removed": 0, "accuracy": ALL_RIGHT, "knowledge": OWN}
"""Options that vary the facts in a prompt, with their defaults; only one may differ at a time."""


@click.command()
@click.argument(
    "dataset", metavar="DATASET", type=options.DatasetName(lambda dataset: dataset.requests)
)
@model_options("The model to ask.", required=True)
@click.option(
    "--protocol",
    "protocols",
    multiple=True,
    callback=options.split_names,
    metavar="NAME",
    help=f"How to ask it; repeatable. Choices for {_PROTOCOLS}.  [default: all but {_ON_DEMAND}]",
)
@click.option(
    "--prompt",
    "prompt_file",
    type=options.INPUT_FILE,
    metavar="FILE",
    help="With one --protocol: a text with {question} that replaces its prompt.",
)
@click.option("--limit", type=options.COUNT, help="Maximum number of questions, or pairs.")
@options.option_of(
    sampling,
    "samples",
    f"Number of answers to a question by the protocol {SAMPLED}.  [default: {SAMPLES}]",
    default=None,
)
@options.option_of(
    sampling,
    "temperature",
    f"Sampling temperature: for the protocol {SAMPLED} if it is used, else for all.  "
    f"[default: {TEMPERATURE} for {SAMPLED}, else 0]",
    default=None,
)
@click.option("--system", metavar="TEXT", help="A system message before each request.")
@options.option_of(
    with_pools,
    "removed",
    "For biokalma: the number of pieces removed from a pool, as in biokalma_rounds.  [default: 0]",
    default=None,
)
@options.option_of(
    with_pools,
    "accuracy",
    "For biokalma: the percentage of right graphs, as in biokalma_ablation.  "
    f"[default: {ALL_RIGHT}]",
    default=None,
    callback=lambda *arguments: arguments[-1] and int(arguments[-1]),
)
@options.option_of(
    with_pools,
    "knowledge",
    "For biokalma: the pool in the prompt: the question's own, that of the items found in the "
    f"question (in --store), or that of another question.  [default: {OWN}]",
    default=None,
)
@click.option(
    "--evidence",
    type=options.INPUT_FILE,
    metavar="FILE",
    help=f"Texts for the protocol {WITH_SEARCH}, as JSON Lines with pair_id, false_assumption "
    "and evidence (a list of texts). Only questions of this file are asked.",
)
@allow_missing_option
@options.dataset_options
def ask(
    dataset: AnyDataset,
    llm: ChosenModel,
    protocols: list[str],
    prompt_file: Path | None,
    limit: int | None,
    temperature: float | None,
    system: str | None,
    allow_missing: bool,
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
    request_options = {name: value for name, value in dataset_options.items() if value is not None}
    if prompt_file and len(protocols) != 1:
        raise click.UsageError("--prompt replaces one prompt. Pass one --protocol.")
    if SAMPLED not in protocols:
        llm = llm.with_settings(temperature=temperature)
    elif temperature is not None:
        request_options["temperature"] = temperature
    llm = llm.with_settings(system=system)
    _check(dataset, protocols, request_options)
    with output.progress("preparing questions") as progress:
        given = {"store": store, "progress": progress}
        accepted = asking.request_options(dataset)
        request_options |= {name: given[name] for name in given if name in accepted}
        items = asking.requests(dataset, db, protocols, limit, seed, **request_options)
    if prompt_file:
        items = with_prompt(dataset, items, prompt_file)
    db.prepare("predictions")
    rows, used_protocols = {item.item_id for item in items}, {item.protocol for item in items}
    origin = f" ({len(rows):,} {dataset.unit} × {len(used_protocols)} protocols)"
    llm.report_estimate([item.request for item in items], origin)
    answers = asking.send(dataset, llm.name, items, llm.ask)
    if other := db.write_predictions(answers.predictions):
        output.notify(
            "Replaced answers by the same protocols of earlier runs, which had other questions, "
            f"prompts or parameters: {other:,}"
        )
    _report(answers.predictions, as_json)
    _report_states(answers.predictions)
    output.notify(f"\nThe answers are in {db.path}, table predictions. Score them:")
    output.notify(f"  kgbuild score {dataset.command} --db {db.path}")
    require_answers(answers.failures, len(items), allow_missing)


def _check(dataset: AnyDataset, protocols: Sequence[str], options: Mapping[str, Any]) -> None:
    """Reject options of another dataset or protocol, and options that contradict each other."""
    for option in options:
        if option not in asking.request_options(dataset):
            commands = ", ".join(
                candidate.command
                for candidate in _DATASETS
                if option in asking.request_options(candidate)
            )
            raise click.UsageError(f"--{option} is an option of {commands}, not {dataset.command}.")
    if SAMPLED not in protocols and "samples" in options:
        raise click.UsageError(f"--samples needs --protocol {SAMPLED}.")
    if options.get("temperature") == 0:
        raise click.UsageError(f"--temperature 0 makes all answers of --protocol {SAMPLED} equal.")
    if (WITH_SEARCH in protocols) != ("evidence" in options):
        raise click.UsageError(
            f"--protocol {WITH_SEARCH} and --evidence need each other. Pass both."
        )
    if sum(options.get(name, default) != default for name, default in _EXPERIMENTS.items()) > 1:
        raise click.UsageError(
            "--removed, --accuracy and --knowledge are separate experiments. Pass one of them."
        )


def _report_states(predictions: Sequence[Prediction]) -> None:
    """Print how many answers are not finished, and whether the server changed its model."""
    states = Counter(state(prediction.text, prediction.finish_reason) for prediction in predictions)
    for name in STATES[1:]:  # the first state is finished
        if states[name]:
            output.notify(f"  {states[name]:,} of {len(predictions):,} answers are {name}.")
    models = Counter(filter(None, (prediction.server_model for prediction in predictions)))
    if len(models) > 1:
        counts = ", ".join(
            f"{replace_controls(name)} ({count:,})" for name, count in models.most_common()
        )
        output.notify(f"  The server answered by several models: {counts}.")


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
