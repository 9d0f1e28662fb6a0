"""Read the questions of this release for evaluation harnesses, and score answers.

This file is copied into the folder ``tasks`` of a release.
"""

import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

if (_MODULES := Path(__file__).with_name("kgbuild.zip")).is_file():  # in a release
    sys.path.insert(0, str(_MODULES))

from kgbuild.datasets.biokalma.scoring.citations import Pool, Triple, parse
from kgbuild.datasets.biokalma.scoring.metrics import AttributedAnswer, Reference, score
from kgbuild.datasets.biokalma.scoring.prompts import request
from kgbuild.datasets.biokalma.scoring.word_entailment import entails_by_words
from kgbuild.evaluate import harness

METRICS = harness.with_errors(
    "correctness", "precision", "recall", "f1", "alignment", "refused", "uncited"
)


def questions(split: str, protocol: str) -> list[dict[str, Any]]:
    """Return the questions of a split, each with its prompt, its pool and its knowledge set.

    Models see the same messages as from ``kgbuild ask``: an example, then the prompt. The example
    is in the files of the tasks. The answer is the reference paragraph.
    """
    pools, knowledge_sets = _by_question("pool", split), _by_question("knowledge", split)
    return [
        {
            "question_id": row["question_id"],
            "prompt": _prompt(row, protocol, pools[row["question_id"]]),
            "answer": row["paragraph"],
            "pool": [_triple(piece) for piece in pools[row["question_id"]]],
            "names": [[subject["qid"], subject["label"]] for subject in row["subjects"]],
            "knowledge": [
                _triple(piece)
                for piece in knowledge_sets[row["question_id"]]
                if piece["scope"] in ("specific", protocol)
            ],
        }
        for row in harness.rows(__file__, "questions", split)
    ]


def _prompt(row: Mapping[str, Any], protocol: str, pool: Sequence[Mapping[str, Any]]) -> str:
    names = {piece["value_qid"]: piece["value"] for piece in pool if piece["value_qid"]}
    names |= {subject["qid"]: subject["label"] for subject in row["subjects"]}
    ordered = sorted(pool, key=lambda piece: (piece["qid"], piece["property"], piece["value"]))
    triples = [_triple(piece) for piece in ordered]
    return request(row[f"{protocol}_question"], triples, names).messages[-1].content


def _triple(piece: Mapping[str, Any]) -> Triple:
    return Triple(piece["qid"], piece["property_label"], piece["value"])


def _by_question(table: str, split: str) -> Mapping[str, list[dict[str, Any]]]:
    rows = defaultdict(list)
    for row in harness.rows(__file__, table, split):
        rows[row["question_id"]].append(row)
    return rows


def target(question: Mapping[str, Any]) -> str:
    """Return the reference paragraph."""
    return str(question["answer"])


def process(question: Mapping[str, Any], responses: Sequence[str]) -> dict[str, AttributedAnswer]:
    """Return the parsed answer of a model to a question under the name of each metric."""
    pool = Pool([Triple(*texts) for texts in question["pool"]])
    knowledge = [Triple(*texts) for texts in question["knowledge"]]
    reference = Reference(pool, knowledge, names=dict(question["names"]))
    return dict.fromkeys(METRICS, AttributedAnswer(parse(responses[0], pool), reference))


# The harness calls these, and for each metric the function with its name.
load = harness.loader(questions)
globals().update(harness.functions(METRICS, lambda answers: score(answers, entails_by_words)))
