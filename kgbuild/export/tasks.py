"""Write tasks for lm-evaluation-harness and Inspect into a release, whose data files they read.

Prompts and scores equal those of ``kgbuild ask`` and ``kgbuild score``: the modules that make them
are copied into the release as one archive, which Python imports, so the tasks need only the
harness.
"""

import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator
from importlib import resources

from kgbuild.data_files import read_text
from kgbuild.datasets import NAMES
from kgbuild.datasets.base import AnyDataset, Task
from kgbuild.export.archive import TIME
from kgbuild.export.release import Release
from kgbuild.rows import DEV

_PACKAGE = resources.files("kgbuild")
_MODULE = "lm_eval_task"
"""The name of the module of a dataset with the functions of its tasks."""
_IMPORT = re.compile(r"^from kgbuild\.?(\S*) import (\([^)]*\)|.+)$", re.MULTILINE)
"""A line such as "from kgbuild.evaluate import bootstrap": the package, and the imported names."""
_DATA = re.compile(r'read_(?:text|toml)\("([\w/.]+)"\)')
"""The call that reads a data file."""
_INSPECT = """

@task
def {name}() -> Task:
    \"\"\"Ask the questions of the split {split} by the protocol {protocol}.\"\"\"
    return make_task({arguments})
"""
"""The function of a task in the file for Inspect, which looks for decorated functions."""


def tasks(release: Release, task: Task) -> dict[str, bytes]:
    """Return the contents of all files of the tasks by their paths in the release."""
    own_code = release.dataset.text(f"{_MODULE}.py")
    # Each release has the code of all datasets: when the harness runs the tasks of several
    # releases, Python imports the package ``kgbuild`` only from the first one.
    all_tasks = (f"datasets/{name}/{_MODULE}" for name in NAMES)
    modules = _modules([own_code, *(_text(module) for module in all_tasks if _exists(module))])
    data = {file for module in modules for file in _DATA.findall(_text(module))}
    texts = {
        **{
            f"tasks/{_name(release, protocol)}.yaml": _yaml(release, task, protocol)
            for protocol in task.prompts
            if protocol not in task.judged
        },
        "tasks/inspect_tasks.py": _inspect(release, task),
        "tasks/utils.py": f"# {release.canary}\n{own_code}",
    }
    return {
        **{name: text.encode() for name, text in texts.items()},
        "tasks/kgbuild.zip": _archive([*(f"{name}.py" for name in modules), *data]),
    }


def _archive(files: Iterable[str]) -> bytes:
    """Return an archive of files of the package, without compression, so its bytes are stable."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(f"kgbuild/{name}", TIME)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, _PACKAGE.joinpath(name).read_bytes())
    return content.getvalue()


def _inspect(release: Release, task: Task) -> str:
    """Return the file for Inspect: the common code, and a function for each task."""
    split = release.splits[-1]
    functions = (
        _INSPECT.format(
            name=_name(release, protocol),
            split=split,
            protocol=protocol,
            arguments=", ".join(
                json.dumps(argument, ensure_ascii=False)
                for argument in (
                    *(prompt, split, protocol, task.shots, release.sources[0].version),
                    *task.samples.get(protocol, ()),
                )
            )
            + ", is_judged=True" * (protocol in task.judged),
        )
        for protocol, prompt in task.prompts.items()
    )
    return f"# {release.canary}\n{_text('export/inspect_tasks')}{''.join(functions)}"


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
    return read_text(f"{module}.py")


def _yaml(release: Release, task: Task, protocol: str) -> str:
    """Return the YAML file of a task: questions of the last split, with free-text answers."""
    split = release.splits[-1]
    splits = [name for name in release.splits if name in (DEV, split)]
    lines = [
        f"# {release.canary}",
        f"task: {_name(release, protocol)}",
        f"tag: {tag(release.dataset)}",
        "custom_dataset: !function utils.load",
        f"dataset_kwargs: {{splits: [{', '.join(splits)}], protocol: {protocol}}}",
        f"test_split: {split}",
        "output_type: generate_until",
        f"doc_to_text: {json.dumps(task.prompts[protocol], ensure_ascii=False)}",
        "doc_to_target: !function utils.target",
        *_shots(task, DEV in splits),
        "process_results: !function utils.process",
        *_generation(task, protocol),
        "metric_list:",
        *(
            f"  - {{metric: {metric}, aggregation: !function utils.{metric}, "
            f"higher_is_better: {str(metric not in task.lower_is_better).lower()}}}"
            for metric in task.metrics
        ),
        f"metadata: {{version: {json.dumps(release.sources[0].version)}}}",
    ]
    return "\n".join(lines) + "\n"


def _generation(task: Task, protocol: str) -> Iterator[str]:
    """Yield the lines about how answers are generated: one by the greedy method, or samples."""
    sampling = "do_sample: false"
    if protocol in task.samples:
        count, temperature = task.samples[protocol]
        sampling = f"do_sample: true, temperature: {temperature}"
        yield f"repeats: {count}"
        # The default filter keeps the first one.
        yield f"filter_list: [{{name: none, filter: [{{function: take_first_k, k: {count}}}]}}]"
    yield f"generation_kwargs: {{until: [], {sampling}, max_gen_toks: 2048}}"


def _shots(task: Task, has_dev: bool) -> Iterator[str]:
    """Yield the lines about examples: those of the task, or for --num_fewshot those of ``dev``."""
    if task.shots:
        samples = [{"prompt": prompt, "answer": answer} for prompt, answer in task.shots]
        config = {"sampler": "first_n", "samples": samples}
        yield f"num_fewshot: {len(samples)}"
        yield f"fewshot_config: {json.dumps(config, ensure_ascii=False)}"
        # It separates turns for models that have no chat template.
        yield 'target_delimiter: "\\n\\n"'
    elif has_dev:
        yield f"fewshot_split: {DEV}"
