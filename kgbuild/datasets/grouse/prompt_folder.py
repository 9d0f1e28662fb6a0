"""Judge by the prompts of a user's folder, in the format of GroUSE's published program.

The folder has a Jinja template for each of the first four metrics, such as
``completeness.txt.jinja``. A template shows the true answer as answer 1 and the answer to grade as
answer 2. The model replies with the grades of both in JSON; only the grade of answer 2 is used.

Source: the package grouse on PyPI, its folder of prompts and its reader of replies.
"""

from pathlib import Path
from typing import Any

from kgbuild.datasets.grouse.rows import LIKERT, METRICS, Grade, GrouseSample
from kgbuild.errors import TableFileError, missing_extra
from kgbuild.evaluate.judge_replies import UNREADABLE, objects
from kgbuild.models.chat import Failure, Message, Reply, Request

_EXAMPLE = {"input": "?", "actual_output": "", "expected_output": "", "contexts": [""]}
"""Fields with which each template is rendered once, to find errors before requests are sent."""


class PromptFolder:
    """The prompts in a folder; makes requests from them, and reads the grades in the replies.

    Raises:
        KgbuildError: jinja2 is not installed.
        TableFileError: a template is missing, or is not a template.
    """

    def __init__(self, folder: Path):
        try:
            import jinja2
            from jinja2.sandbox import SandboxedEnvironment
        except ImportError as error:
            raise missing_extra("report", "jinja2") from error
        environment = SandboxedEnvironment()
        self._templates = {}
        for metric in METRICS[:4]:
            path = folder / f"{metric}.txt.jinja"
            try:
                template = environment.from_string(path.read_text(encoding="utf-8"))
                template.render(_EXAMPLE)
            except OSError as error:
                raise TableFileError(path, error.strerror or str(error)) from error
            except (ValueError, TypeError, jinja2.TemplateError) as error:
                raise TableFileError(path, f"it is not a template of a prompt: {error}") from error
            self._templates[metric] = template

    def requests(self, sample: GrouseSample) -> dict[str, Request]:
        """Return the requests about an answer by metric; completeness needs a true answer."""
        fields = {
            "input": sample.input,
            "actual_output": sample.actual_output,
            "expected_output": sample.expected_output or "",
            "contexts": sample.references,
        }
        return {
            metric: Request((Message("user", template.render(fields)),), max_tokens=2048)
            for metric, template in self._templates.items()
            if metric != "completeness" or sample.expected_output is not None
        }

    def read(self, metric: str, reply: Reply | Failure) -> Grade:
        """Return the grade in a reply, or a failure if it has none on the scale of the metric."""
        if isinstance(reply, Failure):
            return reply
        try:
            grade = _answer(reply)[metric]
        except (LookupError, TypeError):
            return Failure(UNREADABLE, f"no JSON with the {metric} of answer_2")
        if grade is None:
            return None
        scale = range(1, 6) if metric in LIKERT else range(2)
        text = str(grade).strip().removesuffix(".0")
        number = int(text) if text.isdecimal() else grade
        is_truth = metric in LIKERT and isinstance(grade, bool)  # Python takes true for 1
        if number in scale and not is_truth:
            return int(number)
        return Failure(UNREADABLE, f"'{str(grade)[:20]}' is not a grade")

    def justification(self, metric: str, reply: Reply | Failure) -> str:
        """Return the justification of a grade; the whole text of a reply without one."""
        if isinstance(reply, Failure):
            return ""
        try:
            return str(_answer(reply)[f"{metric}_justification"])
        except (LookupError, TypeError):
            return reply.spoken


def _answer(reply: Reply) -> Any:
    """Return what the last object of JSON in a reply says about the answer to grade."""
    return [*objects(reply, "answer_2")][-1]["answer_2"]
