"""Tasks for lm-evaluation-harness, which read the files of the release beside them.

Prompts and scores are those of ``kgbuild ask`` and ``kgbuild score``: what asks and scores is
copied into the release, so that nothing but the harness needs to be installed.
"""

import json
from collections.abc import Mapping, Sequence
from importlib import resources

from kgbuild.datasets.base import AnyDataset
from kgbuild.datasets.biokalma import lm_eval_task as biokalma_scores
from kgbuild.datasets.biokalma import prompts as biokalma
from kgbuild.datasets.granola import lm_eval_task as granola_scores
from kgbuild.datasets.granola import prompts as granola
from kgbuild.datasets.syn_qa import lm_eval_task as syn_qa_scores
from kgbuild.datasets.syn_qa import prompts as syn_qa
from kgbuild.export.release import Release

PLACE = "{{question}}"
"""Where the harness puts the question."""
_TARGETS = {
    "syn_qa": "\"{{'yes' if false_assumption else 'no'}}\"",
    "granola": "!function utils.target",
    "biokalma": '"{{answer}}"',
}
_METRICS = {
    "syn_qa": syn_qa_scores.METRICS,
    "granola": granola_scores.METRICS,
    "biokalma": biokalma_scores.METRICS,
}
_LESS_IS_BETTER = ("abstained", "unparsed", "refused", "uncited")
_CODE = (
    *("__init__", "rows", "wikidata", "models/__init__", "models/chat"),
    *(f"errors/{name}" for name in ("__init__", "base", "datasets", "dump", "items")),
    *(f"errors/{name}" for name in ("models", "slice", "store", "tables")),
    *(f"english/{name}" for name in ("__init__", "normalize", "dates")),
    *(f"evaluate/{name}" for name in ("__init__", "answers", "bootstrap", "text_metrics")),
    "datasets/__init__",
    *(f"datasets/{name}/__init__" for name in ("syn_qa", "granola", "biokalma")),
    *(f"datasets/{name}/prompts" for name in ("syn_qa", "granola", "biokalma")),
    *(f"datasets/{name}/metrics" for name in ("syn_qa", "granola", "biokalma")),
    "datasets/biokalma/citations",
)
"""The modules that prompts and scores rest on.

All releases have all of them, since a run with the tasks of several imports those of the first.
"""


def tasks(release: Release, canary: str, shown: Sequence[tuple[str, str, str]]) -> dict[str, str]:
    """Return the files of tasks by their names; none for datasets that are no questions.

    ``shown`` are the prompts of one question of Syn-(QA)², as (protocol, question, prompt).
    """
    name = release.dataset.name
    if name not in _TARGETS:
        return {}
    return {
        **{
            f"tasks/{_task(release, protocol)}.yaml": _yaml(release, canary, protocol, prompt)
            for protocol, prompt in _prompts(name, shown).items()
        },
        "tasks/utils.py": f"# {canary}\n{_text(f'datasets/{name}/lm_eval_task')}",
        **{f"tasks/kgbuild/{module}.py": _text(module) for module in _CODE},
    }


def tag(dataset: AnyDataset) -> str | None:
    """Return the name by which all tasks of a dataset are run, None if it has none."""
    return f"kgbuild_{dataset.name}" if dataset.name in _TARGETS else None


def _task(release: Release, protocol: str) -> str:
    return f"{tag(release.dataset)}_{protocol.replace('-', '_')}"


def _text(module: str) -> str:
    return (resources.files("kgbuild") / f"{module}.py").read_text(encoding="utf-8")


def _prompts(name: str, shown: Sequence[tuple[str, str, str]]) -> Mapping[str, str]:
    """Return the prompts by protocol, with the place of the question.

    Those of BioKaLMA are made of a question and its pool when they are read.
    """
    if name == "biokalma":
        return dict.fromkeys(biokalma.PROTOCOLS, "{{prompt}}")
    if name == "granola":
        return {
            protocol: granola.request(protocol, PLACE).messages[0].content
            for protocol in granola.INSTRUCTIONS
        }
    found = {}
    for protocol, question, prompt in shown:
        before, _, after = prompt.rpartition(question)
        found[protocol] = f"{before}{PLACE}{after}"
    return {protocol: found[protocol] for protocol in syn_qa.DETECTION}


def _yaml(release: Release, canary: str, protocol: str, prompt: str) -> str:
    """Return a task: questions of the last split that there is, answered in free text."""
    name, split = release.dataset.name, release.splits[-1]
    lines = [
        f"# {canary}",
        f"task: {_task(release, protocol)}",
        f"tag: {tag(release.dataset)}",
        "custom_dataset: !function utils.load",
        f"dataset_kwargs: {{split: {split}, protocol: {protocol}}}",
        f"test_split: {split}",
        "output_type: generate_until",
        f"doc_to_text: {json.dumps(prompt, ensure_ascii=False)}",
        f"doc_to_target: {_TARGETS[name]}",
        *(_example() if name == "biokalma" else ()),
        "process_results: !function utils.process",
        "generation_kwargs: {until: [], do_sample: false, max_gen_toks: 2048}",
        "metric_list:",
        *(
            f"  - {{metric: {metric}, aggregation: !function utils.{metric}, "
            f"higher_is_better: {str(metric not in _LESS_IS_BETTER).lower()}}}"
            for metric in _METRICS[name]
        ),
        f"metadata: {{version: {json.dumps(release.sources[0].version)}}}",
    ]
    return "\n".join(lines) + "\n"


def _example() -> Sequence[str]:
    """Return the lines of a task with the example that comes before each question of BioKaLMA."""
    first, answer, _ = biokalma.request("", (), {}).messages
    shot = {"prompt": first.content, "answer": answer.content}
    config = {"sampler": "first_n", "samples": [shot]}
    return (
        "num_fewshot: 1",
        f"fewshot_config: {json.dumps(config, ensure_ascii=False)}",
        # Between turns where a model knows none.
        'target_delimiter: "\\n\\n"',
    )
