"""Make the requests to models about pairs: for verdicts on false assumptions, or for answers."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from kgbuild.cells import parsed, text_of
from kgbuild.datasets.item_requests import ItemRequest, Sample
from kgbuild.datasets.syn_qa.rows import assumed
from kgbuild.datasets.syn_qa.scoring import prompts
from kgbuild.datasets.syn_qa.statement_texts import StatementTexts
from kgbuild.errors import TableFileError
from kgbuild.graph.open import open_store
from kgbuild.models.chat import Request
from kgbuild.rows import Progress, require_columns
from kgbuild.tables.files import read_file

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_EVIDENCE_COLUMNS = ("pair_id", "false_assumption", "evidence")
_BOOLEANS = {"true": True, "false": False}

Question: TypeAlias = tuple[str, bool]
"""The id of a pair, and whether it is the question with the false assumption."""
_TEXTS = f"""
    SELECT protocol, false_assumption, pair_id, prompt FROM syn_qa_prompts
    UNION ALL
    SELECT '{prompts.GENERATIVE}', false_assumption, pair_id, question FROM syn_qa_questions
"""  # noqa: S608


def requests(
    db: "Database",
    protocols: Sequence[str],
    sample: Sample,
    *,
    store: Path | None = None,
    evidence: Path | None = None,
    progress: Progress = lambda *_: None,
) -> list[ItemRequest]:
    """Return the requests about both questions of a sample of the pairs, for each protocol.

    Prompts of ``with-evidence`` have statements of the ``store`` (a folder). Prompts of
    ``with-search`` have the texts of the file ``evidence``; questions without texts are left out.

    Raises:
        TableFileError, WrongCallError: the file of evidence cannot be read.
        NoStoreError, DamagedStoreError, WrongCallError: there is no store, or it lacks an item.
    """
    texts: dict[Question, dict[str, str]] = defaultdict(dict)  # by protocol
    for protocol, is_false, pair_id, text in db.read(_TEXTS).rows:
        texts[pair_id, is_false][protocol] = text
    search_results = {}
    if evidence:
        search_results = read_evidence(evidence, {pair_id for pair_id, _ in texts})
    questions = search_results or texts
    pair_ids = sample.choose({pair_id for pair_id, _ in questions})
    evidence_by_protocol: dict[str, Mapping[Question, Sequence[str]]] = {
        prompts.WITH_SEARCH: search_results
    }
    if prompts.WITH_EVIDENCE in protocols and store:
        evidence_by_protocol[prompts.WITH_EVIDENCE] = stated_evidence(
            db, store, {*pair_ids}, progress
        )

    def request(protocol: str, question: Question) -> Request:
        # A protocol with evidence has no prompt in the view: it shows the question itself.
        if protocol == prompts.LIKELIHOOD:
            return prompts.likelihood(texts[question][prompts.FOUR_SHOT])
        text = texts[question].get(protocol) or texts[question][prompts.GENERATIVE]
        if protocol in evidence_by_protocol:
            return prompts.informed(text, evidence_by_protocol[protocol][question])
        generates = protocol == prompts.GENERATIVE
        return prompts.generative(text) if generates else prompts.detection(text)

    def fields(protocol: str, question: Question) -> tuple[tuple[str, str], ...]:
        evidence = "\n".join(evidence_by_protocol.get(protocol, {}).get(question, ()))
        field = ("question", texts[question][prompts.GENERATIVE])
        return (field, ("evidence", evidence)) if evidence else (field,)

    return [
        ItemRequest(
            pair_id,
            protocol,
            request(protocol, (pair_id, is_false)),
            is_false,
            fields=fields(protocol, (pair_id, is_false)),
        )
        for pair_id in pair_ids
        for protocol in protocols
        for is_false in (False, True)
        if (pair_id, is_false) in questions
    ]


def stated_evidence(
    db: "Database", store: Path, pair_ids: Collection[str], progress: Progress = lambda *_: None
) -> dict[Question, list[str]]:
    """Return the statements of a store about the items of the questions of pairs, as texts.

    Raises:
        NoStoreError, DamagedStoreError, WrongCallError: there is no store, or it lacks an item.
    """
    texts: dict[Question, list[str]] = {}
    pairs = [pair for pair in db.read("FROM syn_qa_pairs").records if pair["pair_id"] in pair_ids]
    with open_store(store) as opened:
        statement_texts = StatementTexts(opened.graph, opened.labels)
        for number, pair in enumerate(pairs):
            progress("gathering evidence", number, len(pairs))
            for is_false in (False, True):
                subject, object_ = (pair[f"{end}_qid"] for end in assumed(pair, is_false))
                # A pair of HotpotQA has no object, but a bridge.
                items = [item for item in (subject, object_ or pair["bridge_qid"]) if item]
                texts[pair["pair_id"], is_false] = statement_texts.about(
                    items, pair["relation"].split("/")
                )
    return texts


def read_evidence(path: Path, pair_ids: Collection[str]) -> dict[Question, list[str]]:
    """Return the evidence in a user's file about the questions of pairs.

    Raises:
        TableFileError: the file cannot be read or has no record; or a record is about an unknown
            pair, about the same question as an earlier record, or has evidence that is not a list
            of texts.
        WrongCallError: a column is missing.
    """
    table = read_file(path)
    if not table.rows:
        raise TableFileError(path, "it has no evidence")
    require_columns(path, table.columns, _EVIDENCE_COLUMNS)
    evidence: dict[Question, list[str]] = {}
    for number, record in enumerate(table.records, 1):
        pair_id, false_assumption = (text_of(record[name]) for name in _EVIDENCE_COLUMNS[:2])
        texts = parsed(record["evidence"])
        is_false = _BOOLEANS.get(false_assumption.lower())
        question = pair_id, bool(is_false)
        if question[0] not in pair_ids:
            fault = f"the pair '{question[0][:40]}' is not in the database"
        elif is_false is None:
            fault = "its false_assumption is not true or false"
        elif question in evidence:
            fault = f"there is evidence about this question of '{pair_id}' before"
        elif not (isinstance(texts, list) and all(isinstance(text, str) for text in texts)):
            fault = "its evidence is no list of texts"
        else:
            evidence[question] = texts
            continue
        raise TableFileError(path, f"record {number:,}: {fault}")
    return evidence
