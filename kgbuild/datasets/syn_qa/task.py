"""The tasks of Syn-(QA)² for lm-evaluation-harness."""

from typing import TYPE_CHECKING

from kgbuild.datasets.base import QUESTION, Task
from kgbuild.datasets.syn_qa import prompts

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_PROMPTS = """
SELECT protocol, question, prompt
FROM syn_qa_prompts JOIN syn_qa_questions USING (pair_id, false_assumption)
WHERE pair_id = (SELECT min(pair_id) FROM syn_qa_pairs) AND NOT false_assumption
"""


def task(db: "Database") -> Task:
    """Return the tasks: the prompts of detection, those of one pair without its question."""
    from kgbuild.datasets.syn_qa.lm_eval_task import METRICS

    templates = {
        protocol: QUESTION.join(prompt.rsplit(question, 1))
        for protocol, question, prompt in db.sql(_PROMPTS).rows
    }
    return Task(
        prompts={name: templates[name] for name in prompts.DETECTION if name in templates},
        target="\"{{'yes' if false_assumption else 'no'}}\"",
        metrics=METRICS,
        lower_is_better=("unparsed",),
    )
