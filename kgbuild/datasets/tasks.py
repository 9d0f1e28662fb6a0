"""The tasks of a dataset for lm-evaluation-harness, which its releases contain."""

from collections.abc import Mapping
from dataclasses import dataclass

QUESTION = "{{question}}"
"""The place of the question in a prompt of the harness."""


@dataclass(frozen=True)
class Task:
    """The tasks of a dataset: one for each protocol.

    ``prompts`` has the prompt of each protocol: a template of the harness, which fills it with the
    records that ``load`` of the dataset's ``lm_eval_task.py`` returns. ``target`` is the right
    answer, as YAML. ``metrics`` are functions of that module; ``lower_is_better`` are some of them.
    ``settings`` are further lines of each task, in YAML.
    """

    prompts: Mapping[str, str]
    target: str
    metrics: tuple[str, ...]
    lower_is_better: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
