"""What is asked of each dataset: from its tables to requests."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from kgbuild.cli import given
from kgbuild.datasets.biokalma import prompts as biokalma
from kgbuild.datasets.biokalma.ablation import lenders
from kgbuild.datasets.biokalma.citations import Triple
from kgbuild.datasets.granola import prompts as granola
from kgbuild.datasets.syn_qa import prompts as syn_qa
from kgbuild.models.chat import Reply, Request
from kgbuild.rows import shuffled, stable_id
from kgbuild.tables import database
from kgbuild.tables.records import Prediction

_GRANOLA = "SELECT question_id, question FROM granola_questions"
_SYN_QA = f"""
    SELECT protocol, false_assumption, pair_id, prompt FROM syn_qa_prompts
    UNION ALL
    SELECT '{syn_qa.GENERATIVE}', false_assumption, pair_id, question FROM syn_qa_questions
"""  # noqa: S608
_BIOKALMA = "SELECT question_id, specific_question, general_question FROM biokalma_questions"
_ROUND = """
    SELECT question_id, qid, property_label, "value" FROM biokalma_rounds
    WHERE removed = {} ORDER BY question_id, qid, property, "value"
"""
_ABLATION = """
    SELECT question_id, qid, property_label, "value" FROM biokalma_ablation
    WHERE accuracy = {} ORDER BY question_id, qid, property, "value"
"""
NAMES = """
    SELECT value_qid, "value" FROM biokalma_pool WHERE value_qid IS NOT NULL
    UNION
    SELECT subject.qid, subject."label"
    FROM (SELECT unnest(subjects) AS subject FROM biokalma_questions)
    ORDER BY ALL
"""
"""Of all items that can be in a pool: subjects, and works over which they are joined."""
_SUBJECTS = """
    SELECT question_id, subject.qid
    FROM (SELECT question_id, unnest(subjects) AS subject FROM biokalma_questions)
"""
_NAMED = """
    SELECT question_id, qid FROM biokalma_pool
    UNION
    SELECT question_id, value_qid FROM biokalma_pool WHERE value_qid IS NOT NULL
"""
OWN, RETRIEVED, IRRELEVANT = "own", "retrieved", "irrelevant"
"""Whose knowledge is given: the question's own pool, what was found for it, another question's."""
RIGHT = 100
"""The accuracy of pools with no wrong graph."""


class Choice(NamedTuple):
    """What of a dataset is asked, and how.

    ``limit`` questions, or pairs, are chosen by the ``seed``, None being all; a smaller limit
    chooses some of those of a larger one. ``samples`` are drawn at ``temperature`` by the
    protocol that draws them. ``removed`` and ``accuracy`` tell the pool: so many pieces are taken
    out of it, and so many graphs in a hundred are right. ``knowledge`` tells whose pool it is.
    ``store`` is where evidence and pools are found, ``evidence`` the file of search results.
    """

    protocols: Sequence[str]
    limit: int | None = None
    seed: int = 0
    samples: int = granola.SAMPLES
    temperature: float = granola.TEMPERATURE
    removed: int = 0
    accuracy: int = RIGHT
    store: Path = Path()
    evidence: Path | None = None
    knowledge: str = OWN

    def of(self, ids: Iterable[str]) -> list[str]:
        """Return the ids that are asked about, in an order that is fair where a budget ends it."""
        return shuffled(ids, lambda one: (one,), self.seed)[: self.limit]


class Asked(NamedTuple):
    """A request, and of what its answer is a prediction: see ``predictions``."""

    item_id: str
    protocol: str
    request: Request
    false_assumption: bool | None = None
    removed: int | None = None
    accuracy: int | None = None

    def answered(self, dataset: str, model: str, reply: Reply) -> Prediction:
        """Return the prediction that a model's reply is."""
        return Prediction(
            dataset=dataset,
            item_id=self.item_id,
            false_assumption=self.false_assumption,
            model=model,
            protocol=self.protocol,
            removed=self.removed,
            accuracy=self.accuracy,
            sample=self.request.sample,
            prompt_hash=stable_id(*(part for turn in self.request.messages for part in turn)),
            text=reply.text,
            tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out,
            seconds=reply.seconds,
        )


def _of_granola(db: Path, choice: Choice) -> list[Asked]:
    questions = dict(database.sql(db, _GRANOLA).rows)
    return [
        Asked(question_id, protocol, request)
        for question_id in choice.of(questions)
        for protocol in choice.protocols
        for request in _requests(protocol, questions[question_id], choice)
    ]


def _requests(protocol: str, question: str, choice: Choice) -> list[Request]:
    if protocol == granola.SAMPLED:
        return granola.samples(question, choice.samples, choice.temperature)
    return [granola.request(protocol, question)]


def _of_syn_qa(db: Path, choice: Choice) -> list[Asked]:
    texts: dict[tuple[str, bool], dict[str, str]] = defaultdict(dict)
    for protocol, false_assumption, pair_id, text in database.sql(db, _SYN_QA).rows:
        texts[pair_id, false_assumption][protocol] = text
    searched = given.searched(db, choice.evidence) if choice.evidence else {}
    questions = searched or texts
    pair_ids = choice.of({pair_id for pair_id, _ in questions})
    is_stated = syn_qa.WITH_EVIDENCE in choice.protocols
    evidence = {
        syn_qa.WITH_EVIDENCE: given.stated(db, choice.store, {*pair_ids}) if is_stated else {},
        syn_qa.WITH_SEARCH: searched,
    }

    def request(protocol: str, asked: tuple[str, bool]) -> Request:
        if protocol in evidence:
            question = texts[asked][syn_qa.GENERATIVE]
            return syn_qa.informed(question, evidence[protocol][asked])
        return _plain(protocol, texts[asked][protocol])

    return [
        Asked(pair_id, protocol, request(protocol, (pair_id, is_false)), is_false)
        for pair_id in pair_ids
        for protocol in choice.protocols
        for is_false in (False, True)
        if (pair_id, is_false) in questions
    ]


def _plain(protocol: str, text: str) -> Request:
    generates = protocol == syn_qa.GENERATIVE
    return syn_qa.generative(text) if generates else syn_qa.detection(text)


def _of_biokalma(db: Path, choice: Choice) -> list[Asked]:
    questions = {
        question_id: dict(zip(biokalma.PROTOCOLS, texts, strict=True))
        for question_id, *texts in database.sql(db, _BIOKALMA).rows
    }
    pools, names = _pools(db, choice), dict(database.sql(db, NAMES).rows)
    asked = [(one, protocol) for one in choice.of(pools) for protocol in choice.protocols]
    knowledge = {(one, protocol): pools[one] for one, protocol in asked}
    if choice.knowledge == RETRIEVED:
        found = given.retrieved(choice.store, [questions[one][name] for one, name in asked])
        knowledge = {(one, name): found.pools[questions[one][name]] for one, name in asked}
        names |= found.names
    return [
        Asked(
            question_id,
            protocol if choice.knowledge == OWN else f"{protocol}-{choice.knowledge}",
            biokalma.request(
                questions[question_id][protocol], knowledge[question_id, protocol], names
            ),
            removed=choice.removed,
            accuracy=choice.accuracy,
        )
        for question_id, protocol in asked
    ]


def _pools(db: Path, choice: Choice) -> Mapping[str, Sequence[Triple]]:
    """Return the knowledge of a dataset that is given, by question; without those that have none.

    Where it is retrieved, these are the pools that it stands for.
    """
    is_right = choice.accuracy == RIGHT
    query = _ROUND.format(choice.removed) if is_right else _ABLATION.format(choice.accuracy)
    pools = defaultdict(list)
    for question_id, *triple in database.sql(db, query).rows:
        pools[question_id].append(Triple(*triple))
    if choice.knowledge == IRRELEVANT:
        lent = lenders(_by_question(db, _SUBJECTS), _by_question(db, _NAMED), choice.seed)
        return {question_id: pools[lender] for question_id, lender in lent.items()}
    return pools


def _by_question(db: Path, query: str) -> Mapping[str, Sequence[str]]:
    found = defaultdict(list)
    for question_id, qid in database.sql(db, query).rows:
        found[question_id].append(qid)
    return found


READERS: Mapping[str, Callable[[Path, Choice], list[Asked]]] = {
    "syn_qa": _of_syn_qa,
    "granola": _of_granola,
    "biokalma": _of_biokalma,
}
"""By dataset, what reads its questions and makes requests of them."""
