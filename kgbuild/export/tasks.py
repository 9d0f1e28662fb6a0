"""Write tasks for lm-evaluation-harness into a release, whose data files they read.

Prompts and scores equal those of ``kgbuild ask`` and ``kgbuild score``: the modules that make them
are copied into the release, so the tasks need only the harness.
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
"""The name of the module of a dataset with the functions of its tasks."""
_IMPORT = re.compile(r"^from kgbuild\.?(\S*) import (\([^)]*\)|.+)$", re.MULTILINE)
"""A line such as "from kgbuild.evaluate import bootstrap": the package, and the imported names."""


_DATA = re.compile(r'read_toml\("(\w+)", "(\w+)"\)')
"""The call that reads a data file of a dataset."""


def tasks(release: Release, task: Task, canary: str) -> dict[str, str]:
    """Return the texts of all files of the tasks by their paths in the release."""
    own_code = release.dataset.text(f"{_MODULE}.py")
    # Each release has the code of all datasets: when the harness runs the tasks of several
    # releases, Python imports the package ``kgbuild`` only from the first one.
    all_tasks = (f"datasets/{name}/{_MODULE}" for name in NAMES)
    modules = _modules([own_code, *(_text(module) for module in all_tasks if _exists(module))])
    return {
        **{
            f"tasks/{_name(release, protocol)}.yaml": _yaml(release, task, canary, protocol)
            for protocol in task.prompts
        },
        "tasks/utils.py": f"# {canary}\n{own_code}",
        **{f"tasks/kgbuild/{module}.py": _text(module) for module in sorted(modules)},
        **{f"tasks/kgbuild/{file}": _PACKAGE.joinpath(file).read_text() for file in _data(modules)},
    }


def tag(dataset: AnyDataset) -> str:
    """Return the tag by which the harness runs all tasks of a dataset."""
    return f"kgbuild_{dataset.name}"


def _name(release: Release, protocol: str) -> str:
    return f"{tag(release.dataset)}_{protocol.replace('-', '_')}"


def _modules(texts: Iterable[str]) -> set[str]:
    """Return the modules of kgbuild that code imports, directly or not, with their packages."""
    modules: set[str] = set()
    queue = [module for text in texts for module in _imports(text)]
    while queue:
        module = queue.pop()
        if module not in modules:
            modules.add(module)
            queue += _imports(_text(module))
    return modules


def _data(modules: Iterable[str]) -> list[str]:
    """Return the paths of the data files that modules read."""
    calls = {call for module in modules for call in _DATA.findall(_text(module))}
    return [f"datasets/{name}/{file}.toml" for name, file in sorted(calls)]


def _imports(text: str) -> Iterator[str]:
    """Yield the modules of kgbuild that code imports at its top, and their packages."""
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
    """Return the YAML file of a task: questions of the last split, with free-text answers."""
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
