"""The words of many labels are compared as those of single names."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kgbuild.datasets.syn_qa.names import COMMON, name
from kgbuild.graph.row_labels import UNKNOWN, RowLabels
from kgbuild.store.columns import Column
from kgbuild.store.counts import Counts
from kgbuild.store.postings import Postings

WORDS = ("Ann", "anna", "Columbia", "Columbus", "the", "And", "of", "X_9", "Zürich", "СССР", "Ａnn")
labels = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join) | st.text(max_size=12)


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
