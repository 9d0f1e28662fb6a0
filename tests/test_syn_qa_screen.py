"""Screening by marks decides as the checks of single items do."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kgbuild.catalog import Path as RelationPath
from kgbuild.catalog import catalog
from kgbuild.datasets.syn_qa import screen, screened
from kgbuild.datasets.syn_qa.build import Options, path_builder
from kgbuild.datasets.syn_qa.names import COMMON, name
from kgbuild.datasets.syn_qa.questions import Chain
from kgbuild.graph.open import Store
from kgbuild.graph.row_labels import UNKNOWN, RowLabels
from kgbuild.relations import COUNTRIES
from kgbuild.rows import Built, no_progress
from kgbuild.store.arrays import Positions
from kgbuild.store.columns import Column
from kgbuild.store.counts import Counts
from kgbuild.store.postings import Postings

WORDS = ("Ann", "anna", "Columbia", "Columbus", "the", "And", "of", "X_9", "Zürich", "СССР", "Ａnn")
labels = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join) | st.text(max_size=12)


def built(store: Store, pid: str) -> Built:
    """Build the pairs of a relation, most of which need no low risk to be examined."""
    options = Options(limit=30, max_risk=0.5)
    path = RelationPath(catalog().relations[pid])
    build = path_builder(options, store.knowledge(catalog().kinds))(path, no_progress)
    return replace(build, seconds=0.0)


@pytest.mark.parametrize("pid", ["P26", "P19", "P69", "P106", "P22"])
def test_screening_changes_no_row_and_no_reason(
    sample: Store, monkeypatch: pytest.MonkeyPatch, pid: str
) -> None:
    by_marks = built(sample, pid)
    monkeypatch.setattr(screened.Screening, "of", lambda *_: None)
    assert by_marks == built(sample, pid)
    assert by_marks.rejections, "nothing was examined"


@pytest.mark.parametrize("pid", ["P26", "P69", "P166", "P19"])
def test_marks_tell_items_of_other_countries(
    sample: Store, monkeypatch: pytest.MonkeyPatch, pid: str
) -> None:
    knowledge = sample.knowledge(catalog().kinds)
    mark, are_compared = screen.Screen.mark, []

    def compare(of: screen.Screen, chain: Chain, rows: Positions) -> screen.Marked:
        marked = mark(of, chain, rows)
        items = [f"Q{number}" for number in knowledge.postings.items[rows].tolist()]
        values = knowledge.statements.values
        countries = [[{*values(qid, country)} for country in COUNTRIES] for qid in items]
        own = [{*values(chain.subject, country)} for country in COUNTRIES]
        are_foreign = [
            any(a and b and a.isdisjoint(b) for a, b in zip(own, others, strict=True))
            for others in countries
        ]
        assert screen.are_foreign(marked.marks).tolist() == are_foreign
        are_compared.extend(are_foreign)
        return marked

    monkeypatch.setattr(screen.Screen, "mark", compare)
    built(sample, pid)
    assert {*are_compared} == {True, False}


@settings(max_examples=200, deadline=None)
@given(st.lists(labels, min_size=1, max_size=5), labels, st.lists(labels, max_size=3))
@example(["Ann Columbus"], "The Columbia Ann", ["columbia"])
@example(["Ann", ""], "", [])
def test_words_of_many_labels_are_compared_as_those_of_one(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], label: str, aliases: list[str]
) -> None:
    encoded = [text.encode("utf-8", "replace") for text in texts]
    numbers = np.arange(1, len(texts) + 1)
    has_text = np.array([bool(text) for text in encoded])  # a column has no empty label
    column = Column(
        numbers[has_text],
        np.cumsum([0, *(len(text) for text in encoded if text)]),
        np.frombuffer(b"".join(encoded), np.uint8),
    )
    none = np.empty(0, np.int32)
    postings = Postings(numbers.astype(np.int32), *(none for _ in Postings._fields[1:]))
    folder = Path(tmp_path_factory.mktemp("counts"))
    row_labels = RowLabels(postings, column, Counts(folder, ""))
    object_name = name(label, aliases)
    counts = row_labels.shared_words(
        np.arange(len(texts)), sorted(object_name.stems), object_name.last, COMMON
    )
    for text, count in zip(encoded, counts.tolist(), strict=True):
        shared = name(text.decode()).shared(object_name)
        assert count == (2 * shared.words + shared.is_last if text.isascii() else UNKNOWN)
