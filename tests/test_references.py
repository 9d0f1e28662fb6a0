"""The metrics of Instruct-QA beside those of its published code and of rouge-score."""

import gzip
import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.judged import people, references
from kgbuild.evaluate.instruct_qa import measure

words = st.sampled_from(
    [
        *("the", "a", "an", "Lund", "lund,", "Graz."),
        *("(born)", "in", "St.", "Stratford-upon-Avon", "U.S."),
    ]
)
texts = st.lists(words, max_size=10).map(" ".join)
wordy = texts.filter(references.words)
"""Texts with words that are not articles."""


@given(wordy, st.lists(wordy, min_size=1, max_size=3))
def test_correctness_is_that_of_the_published_code(prediction: str, right: list[str]) -> None:
    pytest.importorskip("rouge_score", reason="needs rouge-score")
    theirs = references.of_references(prediction, right)
    ours = measure(prediction, right, [], "")
    del theirs["ROUGE-L"]  # rouge-score normalises texts in another way
    assert {name: ours[name] for name in theirs} == pytest.approx(theirs)


@given(wordy, st.lists(wordy, min_size=1, max_size=3), wordy)
def test_faithfulness_is_that_of_the_published_code(
    prediction: str, knowledge: list[str], question: str
) -> None:
    theirs = references.of_knowledge(prediction, knowledge, question)
    ours = measure(prediction, [], knowledge, question)
    assert {name: ours[name] for name in theirs} == pytest.approx(theirs)


def test_accents_count_less_here() -> None:
    pytest.importorskip("rouge_score", reason="needs rouge-score")
    # Models leave accents out, and write quotes of all shapes.
    theirs = references.of_references("Sao Paulo", ["São Paulo"])
    assert (theirs["recall"], theirs["strict recall"]) == (0.5, 0)
    ours = measure("Sao Paulo", ["São Paulo"], [], "")
    assert (ours["recall"], ours["strict recall"]) == (1, 1)


def test_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("rouge_score", reason="needs rouge-score")
    rows = {
        "answers": [
            {"prediction": "Sao Paulo", "references": ["São Paulo"]},
            {"prediction": "Lund", "references": ["Lund"]},
        ],
        "replies": [{"prediction": "in Lund", "knowledge": ["In Lund."], "question": ""}],
    }
    paths = [tmp_path / f"{name}.jsonl.gz" for name in rows]
    for path, records in zip(paths, rows.values(), strict=True):
        with gzip.open(path, "wt", encoding="utf-8") as file:
            file.writelines(f"{json.dumps(record)}\n" for record in records)
    document = tmp_path / "page.md"
    document.write_text(f"before\n{references.START}\n{references.END}\nafter\n", encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["references", *map(str, paths), "-o", str(document)])
    people.run("references", "", references.measured, references.START, references.END)
    text = document.read_text(encoding="utf-8")
    assert text.startswith("before\n") and text.endswith("after\n")
    assert "| recall | 2 | 1.0000 | 0.7500 | +0.2500 | 1 (50.0%) |" in text
    assert "| K-F1 | 1 | 1.0000 | 1.0000 | +0.0000 | 0 (0.0%) |" in text
    assert capsys.readouterr().out.strip() in text
    monkeypatch.setattr(sys, "argv", ["references", "none", "none"])
    with pytest.raises(SystemExit):
        people.run("references", "", references.measured, references.START, references.END)
