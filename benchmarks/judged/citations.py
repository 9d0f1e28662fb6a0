"""Judge sentences with citations that people judged: what they cite, state and mark with [NA].

A sentence cites by the strict forms and by lenient ones; a cited piece is stated or not; [NA] is
right or not.
"""

from collections.abc import Iterable, Iterator, Sequence

from benchmarks.judged import Case, Record
from kgbuild.datasets.biokalma.scoring.citations import Pool, Sentence, Triple, parse
from kgbuild.datasets.biokalma.scoring.metrics import AttributedAnswer, Reference
from kgbuild.datasets.biokalma.scoring.word_entailment import entails_by_words, is_talk
from kgbuild.english import date_levels, date_parsing


def cases(records: Iterable[Record]) -> Iterator[Case]:
    """Yield the cases of each sentence; a sentence without text or mark has fewer."""
    for record in records:
        pieces = [Triple(one["id"], one["property"], one["value"]) for one in record["pieces"]]
        names = {one["id"]: one["subject"] for one in record["pieces"]}
        pools = {"strict": Pool(pieces), "lenient": Pool(pieces, _forms(pieces))}
        read = {form: parse(record["sentence"], pool) for form, pool in pools.items()}
        for form, key in (("strict", "cites"), ("lenient", "cites_lenient")):
            found = {pieces.index(triple) for triple in _cited(read[form])}
            yield _case(record, form, sorted(record[key]), sorted(found))
        reference = Reference(pools["lenient"], pieces, names=names)
        answer = AttributedAnswer(read["lenient"], reference)
        text = " ".join(sentence.text for sentence in answer.sentences)
        stated = entails_by_words([reference.claim(text, piece) for piece in pieces])
        for number in record["cites_lenient"]:
            yield _case(record, "stated", number in record["entailed"], stated[number], number)
        if record["na"]:
            found_right = not any(stated) and not is_talk(text)
            yield _case(record, "[NA]", record["na_right"], found_right)


def _forms(pieces: Sequence[Triple]) -> Iterator[tuple[Triple, str]]:
    """Yield the further texts of pieces: dates in words. The ids of values are not given."""
    for piece in pieces:
        if time := date_parsing.read(piece.value):
            yield from ((piece, f"{piece.property}:{text}") for text in date_levels.spellings(time))


def _cited(sentences: Sequence[Sentence]) -> Iterator[Triple]:
    for sentence in sentences:
        yield from (citation.triple for citation in sentence.citations if citation.is_correct)


def _case(
    record: Record, part: str, judged: object, found: object, number: int | None = None
) -> Case:
    own_id = f"{record['id']} {part} {'' if number is None else number}".strip()
    shown = record["sentence"]
    return Case(own_id, part, shown, str(judged), str(found), judged == found)
