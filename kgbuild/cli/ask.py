"""The command that asks a model the questions of a dataset."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgbuild import datasets
from kgbuild.cli import screen
from kgbuild.cli.asking import about_a_model, ask_model, tell_estimate
from kgbuild.datasets import asking
from kgbuild.datasets.base import AnyDataset
from kgbuild.datasets.biokalma.requests import ALL_RIGHT, IRRELEVANT, OWN, RETRIEVED
from kgbuild.datasets.biokalma.rows import ACCURACIES
from kgbuild.datasets.granola.prompts import SAMPLED, SAMPLES, TEMPERATURE
from kgbuild.datasets.syn_qa.prompts import WITH_SEARCH
from kgbuild.models.chat import Failure
from kgbuild.tables.records import Prediction

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_ASKED = [one for one in datasets.all_datasets() if one.requests]
_PROTOCOLS = "; ".join(
    f"{one.command}: {', '.join(protocol.name for protocol in one.protocols)}" for one in _ASKED
)
_ON_DEMAND = [protocol.name for one in _ASKED for protocol in one.protocols if protocol.on_demand]


@click.command()
@click.argument("name", metavar="DATASET", type=click.Choice([one.command for one in _ASKED]))
@click.option("--model", metavar="NAME", required=True, help="The model that is asked.")
@click.option(
    "--protocol",
    "protocols",
    multiple=True,
    callback=screen.listed,
    metavar="NAME",
    help=f"How it is asked; repeatable. Of {_PROTOCOLS}.  "
    f"[default: all but {', '.join(_ON_DEMAND)}]",
)
@click.option("--limit", type=screen.COUNT, help="Most questions, or pairs, that are asked.")
@click.option(
    "--samples",
    type=click.IntRange(1, 1000),
    help=f"Answers to a question by the protocol {SAMPLED}.  [default: {SAMPLES}]",
)
@click.option(
    "--temperature",
    type=click.FloatRange(0, 2, min_open=True),
    callback=lambda *told: screen.real(*told) if told[-1] is not None else None,
    help=f"How freely they are drawn.  [default: {TEMPERATURE}]",
)
@click.option(
    "--removed",
    type=click.IntRange(0, 3),
    help="Of biokalma: the round of biokalma_rounds whose pools are given.  [default: 0]",
)
@click.option(
    "--accuracy",
    type=click.Choice([str(one) for one in (ALL_RIGHT, *ACCURACIES)]),
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
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help=f"What the protocol {WITH_SEARCH} shows, as JSON Lines with pair_id, false_assumption "
    "and evidence, a list of texts. Only its questions are asked.",
)
@about_a_model
@click.option(
    "--seed", type=screen.SEED, default=0, show_default=True, help="Seed of the choice and order."
)
@screen.json_option
@screen.store_option
@screen.db_option
def ask(
    name: str,
    model: str,
    protocols: list[str],
    limit: int | None,
    samples: int | None,
    temperature: float | None,
    removed: int | None,
    accuracy: str | None,
    knowledge: str | None,
    evidence: Path | None,
    base_url: str | None,
    budget: int | None,
    replies: Path | None,
    seed: int,
    as_json: bool,
    store: Path,
    db: "Database",
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
      kgbuild ask biokalma --model my-model --protocol specific --removed 2
      kgbuild ask biokalma --model my-model --knowledge retrieved --store data/kg
      kgbuild score granola
    """
    if not (model and model.isprintable()) or base_url == "":
        raise click.UsageError("--model and --base-url want a name.")
    dataset = datasets.dataset(name)
    options: dict[str, Any] = {
        "samples": samples,
        "temperature": temperature,
        "removed": removed,
        "accuracy": accuracy and int(accuracy),
        "knowledge": knowledge,
        "evidence": evidence,
    }
    chosen = {option: value for option, value in options.items() if value is not None}
    _check(dataset, protocols, chosen)
    if "store" in asking.request_options(dataset):
        chosen["store"] = store
    with screen.tracked() as progress:
        if "progress" in asking.request_options(dataset):
            chosen["progress"] = progress
        items = asking.requests(dataset, db, protocols, limit, seed, **chosen)
    db.prepare()
    tell_estimate(model, [item.request for item in items])
    send = ask_model(model, base_url, budget, replies or db.path.parent / "replies.sqlite")
    answers = asking.send(dataset, model, items, send)
    db.write_predictions(answers.predictions)
    _report(answers.predictions, dataset.command, db, as_json)
    _report_failures(answers.failures)


def _check(dataset: AnyDataset, protocols: Sequence[str], options: Mapping[str, Any]) -> None:
    """Refuse options that are about another dataset or protocol, or that contradict each other.

    Raises:
        UsageError: there are such options.
    """
    for option in options:
        if option not in asking.request_options(dataset):
            of = [one.command for one in _ASKED if option in asking.request_options(one)]
            raise click.UsageError(f"--{option} is about {', '.join(of)}, not {dataset.command}.")
    if SAMPLED not in protocols and {"samples", "temperature"} & options.keys():
        raise click.UsageError(f"--samples and --temperature are about --protocol {SAMPLED}.")
    if (WITH_SEARCH in protocols) != ("evidence" in options):
        raise click.UsageError(f"--protocol {WITH_SEARCH} and --evidence go together: name both.")
    usual = {"removed": 0, "accuracy": ALL_RIGHT, "knowledge": OWN}
    if sum(option in options and options[option] != usual[option] for option in usual) > 1:
        raise click.UsageError(
            "--removed, --accuracy and --knowledge are experiments of their own: ask for one."
        )


def _report(predictions: Sequence[Prediction], command: str, db: "Database", as_json: bool) -> None:
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
    screen.show(rows, as_json)
    screen.say(f"\nThe answers are in {db.path}, table predictions. Score them:")
    screen.say(f"  kgbuild score {command} --db {db.path}")


def _report_failures(failures: Sequence[Failure]) -> None:
    """Say how many requests got no answer, by reason, with the first detail of each."""
    details = dict(reversed(failures))  # of each reason the first one's
    for reason, count in Counter(one.reason for one in failures).most_common():
        detail = details[reason]
        screen.say(f"  {count:,} left out: {reason}: {detail}. Run it again to ask for them.")
