"""The command that asks a model the questions of a dataset."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import click

from kgbuild.cli import screen
from kgbuild.cli.asked import IRRELEVANT, OWN, READERS, RETRIEVED, RIGHT, Asked, Choice
from kgbuild.cli.asking import about_a_model, asking, tell_estimate
from kgbuild.datasets.biokalma.ablation import ACCURACIES
from kgbuild.datasets.granola.prompts import SAMPLED, SAMPLES, TEMPERATURE
from kgbuild.datasets.protocols import ON_DEMAND, PROTOCOLS
from kgbuild.datasets.registry import DATASETS
from kgbuild.datasets.syn_qa.prompts import WITH_SEARCH
from kgbuild.errors import NoAnswersError, NothingToAskError, UnknownProtocolError
from kgbuild.models.chat import Failure, Reply
from kgbuild.tables import database
from kgbuild.tables.records import Prediction

_NAMED = {dataset.command: dataset.name for dataset in DATASETS.values()}
_KNOWN = "; ".join(f"{name}: {', '.join(PROTOCOLS[_NAMED[name]])}" for name in _NAMED)


@click.command()
@click.argument("dataset", type=click.Choice([*_NAMED]))
@click.option("--model", metavar="NAME", required=True, help="The model that is asked.")
@click.option(
    "--protocol",
    "protocols",
    multiple=True,
    callback=screen.listed,
    metavar="NAME",
    help=f"How it is asked; repeatable. Of {_KNOWN}.  [default: all but {', '.join(ON_DEMAND)}]",
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
    type=click.Choice([str(one) for one in (RIGHT, *ACCURACIES)]),
    help="Of biokalma: how many graphs of a hundred are right, as in biokalma_ablation.  "
    f"[default: {RIGHT}]",
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
@screen.store_option
@screen.db_option
def ask(
    dataset: str,
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
    store: Path,
    db: Path,
) -> None:
    """Ask a model the questions of a dataset, by the protocols of its paper.

    Answers go to the table predictions, in the place of those that the model gave by the same
    protocols, from the same pools, before. What got no answer is counted. Replies are kept as
    they come: a second run sends only what has none yet. 'kgbuild score' scores the answers.

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
    chosen = _chosen(dataset, protocols)
    if SAMPLED not in chosen and (samples or temperature):
        raise click.UsageError(f"--samples and --temperature are about --protocol {SAMPLED}.")
    if (WITH_SEARCH in chosen) != bool(evidence):
        raise click.UsageError(f"--protocol {WITH_SEARCH} and --evidence go together: name both.")
    if dataset != "biokalma" and (removed, accuracy, knowledge) != (None, None, None):
        raise click.UsageError("--removed, --accuracy and --knowledge are about biokalma.")
    if sum((bool(removed), accuracy not in (None, str(RIGHT)), knowledge not in (None, OWN))) > 1:
        raise click.UsageError(
            "--removed, --accuracy and --knowledge are experiments of their own: ask for one."
        )
    choice = Choice(
        chosen,
        limit,
        seed,
        samples or SAMPLES,
        temperature or TEMPERATURE,
        removed or 0,
        int(accuracy or RIGHT),
        store,
        evidence,
        knowledge or OWN,
    )
    asked = READERS[_NAMED[dataset]](db, choice)
    if not asked:
        raise NothingToAskError(db, dataset)
    database.prepare(db)
    tell_estimate(model, [one.request for one in asked])
    send = asking(model, base_url, budget, replies or db.parent / "replies.sqlite")
    answers = send([one.request for one in asked])
    _keep(db, _NAMED[dataset], model, asked, answers)


def _chosen(dataset: str, protocols: Sequence[str]) -> list[str]:
    """Return the protocols that were asked for, or else those that need nothing more.

    Raises:
        UnknownProtocolError: the dataset has no such protocol.
    """
    known = PROTOCOLS[_NAMED[dataset]]
    for name in protocols:
        if name not in known:
            raise UnknownProtocolError(name, dataset, known)
    return [name for name in known if (name in protocols if protocols else name not in ON_DEMAND)]


def _keep(
    db: Path, dataset: str, model: str, asked: Sequence[Asked], answers: Sequence[Reply | Failure]
) -> None:
    """Write what was answered, and say what was and what wasn't.

    Raises:
        NoAnswersError: nothing was.
    """
    failures = [reply for reply in answers if isinstance(reply, Failure)]
    if len(failures) == len(asked):
        raise NoAnswersError(len({one.item_id for one in asked}), *failures[0])
    predictions = [
        one.answered(dataset, model, reply)
        for one, reply in zip(asked, answers, strict=True)
        if isinstance(reply, Reply)
    ]
    database.write_predictions(db, predictions)
    _report(predictions, dataset, db)
    _tell_failures(failures)


def _report(predictions: Sequence[Prediction], dataset: str, db: Path) -> None:
    by_protocol = defaultdict(list)
    for prediction in predictions:
        by_protocol[prediction.protocol].append(prediction)
    rows = [
        {
            "protocol": protocol,
            "predictions": len(found),
            "tokens in": sum(one.tokens_in for one in found),
            "tokens out": sum(one.tokens_out for one in found),
        }
        for protocol, found in by_protocol.items()
    ]
    screen.show(rows, as_json=False)
    screen.say(f"\nThe answers are in {db}, table predictions. Score them:")
    screen.say(f"  kgbuild score {DATASETS[dataset].command} --db {db}")


def _tell_failures(failures: Sequence[Failure]) -> None:
    """Say how many requests got no answer, by reason, with the first detail of each."""
    details = dict(reversed(failures))  # of each reason the first one's
    for reason, count in Counter(one.reason for one in failures).most_common():
        detail = details[reason]
        screen.say(f"  {count:,} left out: {reason}: {detail}. Run it again to ask for them.")
