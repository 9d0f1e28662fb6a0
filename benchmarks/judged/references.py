"""Compare the metrics of Instruct-QA with those of its published code and of rouge-score.

The former are written anew from their definitions there.
"""

import re
import string
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.judged import people
from benchmarks.measure import tell
from kgbuild.evaluate import instruct_qa

START, END = "<!-- measured: references -->", "<!-- end: references -->"
"""Marks in the document; ``-o`` replaces the text between them."""

Metrics = dict[str, float]


def words(text: str) -> list[str]:
    """Return the words of a text as SQuAD's evaluation script and Instruct-QA's code have them."""
    bare = "".join(letter for letter in text.lower() if letter not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", bare).split()


def of_references(prediction: str, references: Sequence[str]) -> Metrics:
    """Return the metrics of correctness: for each metric, the best reference counts."""
    from rouge_score.rouge_scorer import RougeScorer

    said = words(prediction)
    rows = []
    for reference in references:
        right = words(reference)
        f1, precision, recall = _overlap(said, right)
        rouge_l = RougeScorer(["rougeL"]).score(reference, prediction)["rougeL"].fmeasure
        strict = float(" ".join(right) in " ".join(said))
        row = {"exact match": float(said == right), "F1": f1, "precision": precision}
        rows.append({**row, "recall": recall, "strict recall": strict, "ROUGE-L": rouge_l})
    return {name: max(row[name] for row in rows) for name in rows[0]}


def of_knowledge(prediction: str, knowledge: Sequence[str], question: str) -> Metrics:
    """Return the metrics of faithfulness; "++" leaves out the words of the question."""
    said, passage, asked = words(prediction), words(" ".join(knowledge)), {*words(question)}
    names = ("K-F1", "K-precision", "K-recall")
    metrics = dict(zip(names, _overlap(said, passage), strict=True))
    new = [word for word in said if word not in asked]
    shares = _overlap(new, passage) if new else (1.0, 1.0, 1.0)
    return {**metrics, **{f"{name}++": share for name, share in zip(names, shares, strict=True)}}


def _overlap(said: Sequence[str], right: Sequence[str]) -> tuple[float, float, float]:
    """Return F1, precision and recall of the words of two texts."""
    common = (Counter(said) & Counter(right)).total()
    precision = common / len(said) if said else 0.0
    recall = common / len(right) if right else 1.0
    f1 = 2 * common / (len(said) + len(right)) if said and right else float(said == right)
    return f1, precision, recall


def table(ours: Sequence[Metrics], references: Sequence[Metrics]) -> str:
    """Return a table of the metrics that both have: their means, and the rows that differ."""
    heads = "| metric | rows | mean, kgbuild | mean, reference | difference | rows that differ |"
    lines = [heads, "| --- |" + " --: |" * 5]
    for name in references[0]:
        pairs = [_pair(name, *both) for both in zip(ours, references, strict=True)]
        here, there = (sum(values) / len(pairs) for values in zip(*pairs, strict=True))
        differing = sum(abs(one - other) > 1e-9 for one, other in pairs)
        lines.append(
            f"| {name} | {len(pairs):,} | {here:.4f} | {there:.4f} | {here - there:+.4f} "
            f"| {differing:,} ({differing / len(pairs):.1%}) |"
        )
    return "\n".join(lines)


def _pair(
    name: str, ours: Mapping[str, float], reference: Mapping[str, float]
) -> tuple[float, float]:
    """Return a metric of a row, by both; kgbuild has none where an input has no words."""
    return ours.get(name, reference[name]), reference[name]


def measured(questions: Path, replies: Path) -> str:
    """Return the section of the document."""
    tell("correctness")
    ours, theirs = [], []
    for record in people.read(questions):
        prediction, references = record["prediction"], record["references"]
        ours.append(instruct_qa.measure(prediction, references, [], ""))
        theirs.append(of_references(prediction, references))
    correctness = table(ours, theirs)
    tell("faithfulness")
    ours, theirs = [], []
    for record in people.read(replies):
        texts = record["prediction"], record["knowledge"], record["question"] or "-"
        ours.append(instruct_qa.measure(texts[0], [], texts[1], texts[2]))
        theirs.append(of_knowledge(*texts))
    return "\n\n".join([correctness, table(ours, theirs)])


if __name__ == "__main__":
    people.run("judged.references", __doc__, measured, START, END)
