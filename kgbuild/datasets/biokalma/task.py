"""The tasks of BioKaLMA for lm-evaluation-harness."""

import json
from typing import TYPE_CHECKING

from kgbuild.datasets.biokalma import prompts
from kgbuild.datasets.tasks import Task

if TYPE_CHECKING:
    from kgbuild.tables.database import Database


def task(_db: "Database") -> Task:
    """Return the tasks, whose prompts ``lm_eval_task.py`` makes of a question and its pool.

    The example of ``kgbuild ask`` comes before each question.
    """
    from kgbuild.datasets.biokalma.lm_eval_task import METRICS

    example, answer, _ = prompts.request("", (), {}).messages
    shot = {"prompt": example.content, "answer": answer.content}
    config = {"sampler": "first_n", "samples": [shot]}
    return Task(
        prompts=dict.fromkeys(prompts.PROTOCOLS, "{{prompt}}"),
        target='"{{answer}}"',
        metrics=METRICS,
        lower_is_better=("refused", "uncited"),
        settings=(
            "num_fewshot: 1",
            f"fewshot_config: {json.dumps(config, ensure_ascii=False)}",
            # Between turns of models that have no chat template.
            'target_delimiter: "\\n\\n"',
        ),
    )
