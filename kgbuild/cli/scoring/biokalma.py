"""The command that scores attributed answers."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from kgbuild.cli import screen
from kgbuild.cli.asking import about_a_model, ask_model, require_named
from kgbuild.cli.scoring.compared import compare_option, show_compared
from kgbuild.cli.scoring.groups import (
    Facts,
    Group,
    by_option,
    exactly,
    file_or_predictions,
    given,
    grouped,
    rounded,
    tell_unanswered,
    telling,
    typed,
)
from kgbuild.cli.scoring.kept import keep
from kgbuild.cli.scoring.quality import quality_option, show_quality
from kgbuild.datasets.biokalma.citations import Pool, Triple, parse
from kgbuild.datasets.biokalma.metrics import Asked, Attributed, Claim, by_words, score
from kgbuild.english.normalize import fold
from kgbuild.errors import TableFileError
from kgbuild.evaluate.answers import ALONE, OF_A_POOL, Answer
from kgbuild.evaluate.bootstrap import Estimates, Share
from kgbuild.models import embeddings

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_QUESTIONS = "SELECT question_id, relation, split, source FROM biokalma_questions"
_KNOWLEDGE = """
    SELECT question_id, '', qid, property_label, "value" FROM biokalma_knowledge ORDER BY rowid
"""
_POOL = """
    SELECT question_id, '100', qid, property_label, "value" FROM biokalma_pool
"""
_GRAPHS = """
    SELECT g.question_id, CAST(g.accuracy AS VARCHAR), p.qid, p.property_label, p."value"
    FROM biokalma_graphs AS g
    JOIN biokalma_pool AS p ON p.question_id = g.given_in AND p.qid = g.given_qid
    WHERE g.accuracy < 100
"""
"""The pools with wrong graphs, by how many in a hundred are right."""
_ABSENT = """
    SELECT a.question_id, CAST(a.removed AS VARCHAR), p.qid, p.property_label, p."value"
    FROM biokalma_absent AS a
    JOIN biokalma_pool AS p USING (question_id, qid, property, "value")
"""
"""What is taken out of the pools, by round."""
_WORDS = "words"
_Triples: TypeAlias = Mapping[tuple[str, str], Sequence[Triple]]
"""Knowledge by question, and by round or accuracy."""


@click.command("biokalma")
@file_or_predictions
@by_option(("relation", "split", "source"))
@click.option(
    "--entailment",
    "model",
    metavar="MODEL",
    help="Tell what a sentence entails by a model of natural language inference that "
    "sentence-transformers can read, not by words: its folder or name.",
)
@compare_option
@quality_option
@about_a_model
@screen.db_option
@screen.json_option
def biokalma(
    file: Path | None,
    by: str | None,
    model: str | None,
    compare: bool,
    quality: str | None,
    base_url: str | None,
    budget: int | None,
    replies: Path | None,
    db: "Database",
    as_json: bool,
) -> None:
    """Score how well models attribute their answers to knowledge.

    Without FILE, the answers are those of 'kgbuild ask'. FILE is JSON, JSON Lines, CSV, TSV or
    Parquet, by its ending. Its columns are question_id and answer (the model's text, with
    citations in brackets); model and protocol, if there are any, are scored one by one. So are
    removed, the round of biokalma_absent whose pool the model was given (0 if it isn't told), and
    accuracy, how many graphs in a hundred of biokalma_graphs were right (100). Correctness,
    precision and recall are those of citations, alignment tells whether sentences entail what
    they cite. Of rounds in which something is absent, a second table tells how well [NA] marks
    it. All stands with its 95 % bootstrap interval, and is kept in the table scores.

    \b
    Example:
      kgbuild score biokalma
      kgbuild score biokalma answers.jsonl
      kgbuild score biokalma answers.jsonl --by relation --json
      kgbuild score biokalma answers.jsonl --compare
      kgbuild score biokalma answers.jsonl --quality my-model --budget 1000000
    """
    if compare and model:
        raise click.UsageError("--compare is about recall, which --entailment does not change.")
    require_named("--quality", quality, base_url, budget, replies)
    if quality and (compare or model):
        raise click.UsageError("--quality shows no other scores: leave out what is about them.")
    said = given(file, db, "biokalma", OF_A_POOL)
    facts = _facts(db)
    groups = grouped(said, ALONE, facts, by)
    shelf = _Shelf(db)
    if compare:
        recall = partial(_recall, said.path, shelf)
        show_compared(said, groups, "recall", recall, as_json)
        return
    if quality:
        ask = ask_model(quality, base_url, budget, replies or db.path.parent / "replies.sqlite")
        graded = show_quality(db, groups, partial(shelf.given, said.path), quality, ask, as_json)
        keep(db, said, by, graded, quality)
        return
    entails = partial(_by_model, model) if model else partial(by_words, fold=fold)
    scored = []
    with screen.progress() as bar:
        task = bar.add_task("scoring", total=sum(len(found) for _, found in groups), detail="")
        for group, found in groups:
            scored.append(
                (group, score([_read(said.path, answer, shelf) for answer in found], entails))
            )
            bar.advance(task, len(found))
    if as_json:
        told = {"entailment": model or _WORDS}
        screen.show([{**typed(group), **exactly(made), **told} for group, made in scored], as_json)
    else:
        names = telling(said, [group for group, _ in scored])
        _show([(name, made) for name, (_, made) in zip(names, scored, strict=True)])
    _say([made for _, made in scored], model or _WORDS)
    tell_unanswered(groups, len(facts))
    keep(db, said, by, scored, model or "")


def _facts(db: "Database") -> Facts:
    """Return what questions can be grouped by."""
    found = db.sql(_QUESTIONS)
    return {row[0]: dict(zip(found.columns, row, strict=True)) for row in found.rows}


class _Shelf:
    """The knowledge of all questions, of which each pool is made once, when it is asked for."""

    def __init__(self, db: "Database"):
        self._db = db
        self._knowledge = _triples(db, _KNOWLEDGE)
        self._pool = _triples(db, _POOL)
        self._asked: dict[tuple[str, str, str], Asked] = {}

    @cached_property
    def _graphs(self) -> _Triples:
        return _triples(self._db, _GRAPHS)

    @cached_property
    def _absent(self) -> _Triples:
        return _triples(self._db, _ABSENT)

    def asked(self, file: Path, answer: Answer) -> Asked:
        """Return what an answer in a file is scored against.

        Raises:
            TableFileError: it is from a pool that there is not.
        """
        key = answer.asked, answer.removed, answer.accuracy
        if key not in self._asked:
            absent, _ = self._of(file, answer)
            pool = Pool(self.given(file, answer), fold)
            self._asked[key] = Asked(pool, self._knowledge[answer.asked, ""], absent)
        return self._asked[key]

    def given(self, file: Path, answer: Answer) -> list[Triple]:
        """Return what the model that gave an answer in a file was given.

        Raises:
            TableFileError: it is from a pool that there is not.
        """
        absent, given = self._of(file, answer)
        gone = set(absent)
        return [triple for triple in given if triple not in gone]

    def _of(self, file: Path, answer: Answer) -> tuple[Sequence[Triple], Sequence[Triple]]:
        """Return what was taken away from an answer's pool, and the pool before that."""
        absent: Sequence[Triple] = ()
        given = self._pool.get((answer.asked, answer.accuracy), ())
        if answer.removed != OF_A_POOL["removed"]:
            absent = _told(file, answer, "removed", self._absent)
        if answer.accuracy != OF_A_POOL["accuracy"]:
            given = _told(file, answer, "accuracy", self._graphs)
        return absent, given


def _triples(db: "Database", text: str) -> _Triples:
    found = defaultdict(list)
    for question_id, which, *triple in db.sql(text).rows:
        found[question_id, which].append(Triple(*triple))
    return found


def _told(file: Path, answer: Answer, column: str, known: _Triples) -> Sequence[Triple]:
    """Return the triples of a round, or an accuracy, that an answer tells."""
    told = getattr(answer, column)
    if (answer.asked, told) not in known:
        others = {which for asked, which in known if asked == answer.asked}
        which = ", ".join(sorted(others | {OF_A_POOL[column]}, key=int))
        wrong = f"an answer to '{answer.asked}' has the {column} '{told[:20]}', not one of {which}"
        raise TableFileError(file, wrong)
    return known[answer.asked, told]


def _read(file: Path, answer: Answer, shelf: _Shelf) -> Attributed:
    asked = shelf.asked(file, answer)
    return Attributed(parse(answer.text, asked.pool), asked)


def _recall(path: Path, shelf: _Shelf, answer: Answer) -> Share:
    return _read(path, answer, shelf).recall


def _by_model(model: str, claims: Sequence[Claim]) -> list[bool]:
    """Tell what is entailed by a model, which is given knowledge as in appendix B.3."""
    pairs = [(text, f"{triple.property}: {triple.value}") for text, triple in claims]
    return embeddings.entailments(model, pairs)


def _show(scored: Sequence[tuple[Group, Estimates]]) -> None:
    """Print scores as a table, and those of [NA] as a second one where something is absent."""
    rows = [{**group, **cells} for group, made in scored for cells in _cells(made)]
    screen.show(rows, as_json=False)
    refusals = [
        {**group, "answers": made["refused"].of, "refused": rounded(made["refused"])}
        for group, made in scored
        if made["refused"].value
    ]
    if refusals:
        click.echo("\nAnswers that refuse, which is right of irrelevant knowledge only:\n")
        screen.show(refusals, as_json=False)
    marks = [{**group, **_marks(made)} for group, made in scored if made["na_recall"].of]
    if marks:
        click.echo()
        screen.show(marks, as_json=False)


def _cells(made: Estimates) -> list[dict[str, Any]]:
    """Return a score as cells of a table: a row over all citations, one of means over answers."""
    return [
        {
            "average": "micro",
            "answers": made["refused"].of,
            "citations": made["correctness"].of,
            "correctness": rounded(made["correctness"]),
            **_found(made, ""),
            "alignment": rounded(made["alignment"]),
        },
        {
            "average": "macro",
            **dict.fromkeys(("answers", "citations", "correctness"), ""),
            **_found(made, "macro_"),
            "alignment": "",
        },
    ]


def _marks(made: Estimates) -> dict[str, Any]:
    """Return how well [NA] was set as cells of a table."""
    return {
        "[NA] sentences": made["na_precision"].of,
        "absent": made["na_recall"].of,
        **_found(made, "na_"),
    }


def _found(made: Estimates, average: str) -> dict[str, str]:
    """Return precision, recall and F1 of one average as cells."""
    heads = {"precision": "precision", "recall": "recall", "f1": "F1"}
    return {head: rounded(made[f"{average}{name}"]) for name, head in heads.items()}


def _say(scores: Sequence[Estimates], judge: str) -> None:
    """Say what the numbers rest on, and what they hide."""
    screen.say(f"What a sentence entails was told by: {judge}")
    uncited, refused, strangers = (
        _counted(scores, name) for name in ("uncited", "refused", "unknown_items")
    )
    screen.say(f"Answers that cite nothing: {uncited}, refusals: {refused}")
    screen.say(f"Citations of items of which nothing was given: {strangers}")


def _counted(scores: Sequence[Estimates], name: str) -> str:
    """Return how many there are of a metric, of how many, over all groups."""
    hits = sum(round((made[name].value or 0) * made[name].of) for made in scores)
    return f"{hits:,} of {sum(made[name].of for made in scores):,}"
