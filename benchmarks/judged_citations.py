"""Read the citations of sentences that people judged, and tell what the sentences state."""

from collections.abc import Iterable, Iterator

from benchmarks.judged import Case, Record
from kgbuild.datasets.biokalma.citations import Pool, Sentence, Triple, parse
from kgbuild.datasets.biokalma.word_entailment import Claim, entails_by_words, is_talk
from kgbuild.english import date_parsing, dates
from kgbuild.english.normalize import fold


def cases(records: Iterable[Record]) -> Iterator[Case]:
    """Yield the cases of a set: the citations by both readings, what is entailed, and [NA]."""
    for record in records:
        pieces = [
            Triple(piece["id"], piece["property"], piece["value"]) for piece in record["pieces"]
        ]
        # Ids stand for labels as well when answers are scored; the records have none.
        forms = [
            (piece, f"{piece.property}:{text}")
            for piece in pieces
            if (time := date_parsing.read(piece.value))
            for text in dates.spellings(time)
        ]
        for part, lenient in (("cites", None), ("cites_lenient", forms)):
            cited = _cited(record, Pool(pieces, fold, lenient))
            found = sorted(n for n, piece in enumerate(pieces) if piece in cited)
            yield _case(record, part, sorted(record[part]), found)
        (text,) = {sentence.text for sentence in _sentences(record, Pool(pieces, fold))[:1]} or {""}
        subjects = [piece["subject"] for piece in record["pieces"]]
        claims = [
            Claim(text, piece, subject, tuple({*subjects} - {subject}))
            for piece, subject in zip(pieces, subjects, strict=True)
        ]
        stated = entails_by_words(claims, fold)
        for n in record["cites_lenient"]:
            yield _case(record, "entailed", n in record["entailed"], stated[n])
        if record["na"]:
            yield _case(record, "[NA]", record["na_right"], not (any(stated) or is_talk(text)))


def _sentences(record: Record, pool: Pool) -> list[Sentence]:
    """Return the sentence of a record as it is read in its answer, whose end may have footnotes."""
    alone = parse(record["sentence"], pool)
    texts = {sentence.text for sentence in alone}
    return [one for one in parse(record["answer"], pool) if one.text in texts] or alone


def _cited(record: Record, pool: Pool) -> set[Triple]:
    read = _sentences(record, pool)
    return {one.triple for sentence in read for one in sentence.citations if one.is_correct}


def _case(record: Record, part: str, judged: object, found: object) -> Case:
    shown = f"{record['id']} {record['sentence']}"
    return Case(record["id"], part, shown, str(judged), str(found), judged == found)
