"""Tasks for lm-evaluation-harness, which read the files of the release beside them.

Prompts and scores are those of ``kgbuild ask`` and ``kgbuild score``: the modules that make them
are copied into the release, so that nothing but the harness must be installed.
"""

import json
import re
from collections.abc import Iterable, Iterator
from importlib import resources

from kgbuild.datasets import NAMES
from kgbuild.datasets.base import AnyDataset, Task
from kgbuild.export.release import Release

_PACKAGE = resources.files("kgbuild")
_MODULE = "lm_eval_task"
_IMPORT = re.compile(r"^from kgbuild\.?(\S*) import (\([^)]*\)|.+)$", re.MULTILINE)


def tasks(release: Release, task: Task, canary: str) -> dict[str, str]:
    """Return the files of the tasks of a release by their names."""
    own = release.dataset.text(f"{_MODULE}.py")
    # All releases have the code of all datasets, as a run of several imports that of the first.
    others = (f"datasets/{name}/{_MODULE}" for name in NAMES)
    code = _modules([own, *(_text(module) for module in others if _exists(module))])
    return {
        **{
            f"tasks/{_name(release, protocol)}.yaml": _yaml(release, task, canary, protocol)
            for protocol in task.prompts
        },
        "tasks/utils.py": f"# {canary}\n{own}",
        **{f"tasks/kgbuild/{module}.py": _text(module) for module in sorted(code)},
    }


def tag(dataset: AnyDataset) -> str:
    """Return the name by which all tasks of a dataset are run."""
    return f"kgbuild_{dataset.name}"


def _name(release: Release, protocol: str) -> str:
    return f"{tag(release.dataset)}_{protocol.replace('-', '_')}"


def _modules(texts: Iterable[str]) -> set[str]:
    """Return the modules of kgbuild that some need when they are imported, with their packages."""
    modules: set[str] = set()
    waiting = [module for text in texts for module in _imports(text)]
    while waiting:
        module = waiting.pop()
        if module not in modules:
            modules.add(module)
            waiting += _imports(_text(module))
    return modules


def _imports(text: str) -> Iterator[str]:
    """Yield the modules that a module imports at its top, and the packages that they are in."""
    for parent, names in _IMPORT.findall(text):
        folders = parent.split(".") if parent else []
        packages = ([*folders[:depth], "__init__"] for depth in range(len(folders) + 1))
        modules = (folders, *([*folders, name] for name in re.findall(r"\w+", names)))
        yield from filter(_exists, map("/".join, [*packages, *modules]))


def _exists(module: str) -> bool:
    return bool(module) and (_PACKAGE / f"{module}.py").is_file()


def _text(module: str) -> str:
    return (_PACKAGE / f"{module}.py").read_text(encoding="utf-8")


def _yaml(release: Release, task: Task, canary: str, protocol: str) -> str:
    """Return a task: the questions of the last split, answered in free text."""
    split = release.splits[-1]
    lines = [
        f"# {canary}",
        f"task: {_name(release, protocol)}",
        f"tag: {tag(release.dataset)}",
        "custom_dataset: !function utils.load",
        f"dataset_kwargs: {{split: {split}, protocol: {protocol}}}",
        f"test_split: {split}",
        "output_type: generate_until",
        f"doc_to_text: {json.dumps(task.prompts[protocol], ensure_ascii=False)}",
        f"doc_to_target: {task.target}",
        *task.settings,
        "process_results: !function utils.process",
        "generation_kwargs: {until: [], do_sample: false, max_gen_toks: 2048}",
        "metric_list:",
        *(
            f"  - {{metric: {metric}, aggregation: !function utils.{metric}, "
            f"higher_is_better: {str(metric not in task.lower_is_better).lower()}}}"
            for metric in task.metrics
        ),
        f"metadata: {{version: {json.dumps(release.sources[0].version)}}}",
    ]
    return "\n".join(lines) + "\n"
