"""The class ``Dataset``: it describes a dataset to the commands, the report and the review.

Users describe their own datasets by the same class: see docs/python.md.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeAlias

from kgbuild.calls import checked
from kgbuild.datasets import NAMES, own_datasets
from kgbuild.errors import WrongCallError, wrong_dataset
from kgbuild.rows import Build, DatasetTables

if TYPE_CHECKING:
    from kgbuild.datasets.item_requests import ItemRequest
    from kgbuild.datasets.scoring import Scoring
    from kgbuild.datasets.views import Answered, Question, Records, RowView
    from kgbuild.tables.database import Database
    from kgbuild.tables.reviews import Select

P = ParamSpec("P")
QUESTION = "{{question}}"
"""The placeholder of the question in a prompt for evaluation harnesses."""


@dataclass(frozen=True)
class Protocol:
    """A way to ask a model, such as zero-shot.

    A protocol ``on_demand`` costs more, so it runs only if the user names it.
    """

    name: str
    on_demand: bool = False


@dataclass(frozen=True)
class Task:
    """The tasks of a dataset for evaluation harnesses: one task for each protocol.

    ``prompts`` maps a protocol to its prompt, with columns in double braces; they are filled with
    the records that ``questions`` in the dataset's ``lm_eval_task.py`` returns. ``metrics`` are
    names of functions in that file; ``lower_is_better`` lists the metrics whose best value is the
    lowest. ``shots`` are examples before each question, as pairs of prompt and answer.
    ``samples`` maps a protocol with several answers to a question to their number and temperature.
    Another model judges the answers by the protocols ``judged``, which lm-evaluation-harness has no
    place for: the function ``judgement`` in the file returns the request to it.
    """

    prompts: Mapping[str, str]
    metrics: tuple[str, ...]
    lower_is_better: tuple[str, ...] = ()
    shots: tuple[tuple[str, str], ...] = ()
    samples: Mapping[str, tuple[int, float]] = field(default_factory=dict)
    judged: tuple[str, ...] = ()


@dataclass(frozen=True)
class Dataset(DatasetTables, Generic[P]):
    """A dataset: its tables, and functions that build, ask, score, show and release it.

    ``build`` makes its rows; its parameters are the options of the dataset.
    ``folder`` holds its data files: ``schema.sql`` (its tables) and optionally
    ``versions.sql`` and ``statements.sql`` (for diff), ``report.sql`` (the queries and
    charts of its section), ``columns.toml`` (descriptions of its columns), ``card.toml`` (its
    release) and ``lm_eval_task.py`` (the code of the tasks that ``task`` returns).

    The first of the ``tables`` has one row per question, and ``unit`` is the plural noun for
    these rows. ``key`` is the column with the ids of rows, ``source_column`` the column with the
    relation or file from which a row was built. ``reasons`` maps each reason of rejection to a
    sentence that explains it; ``part_reasons`` are the reasons that reject only a part of a row.
    ``verify`` checks assumptions of questions in another source. ``view`` turns rows of the
    ``shown_tables`` into ``RowView`` objects for the report and the review; each of these tables
    has the column ``key``. ``claims`` returns for each pair of such a view and a model's answer to
    it the questions about what the answer claims.
    """

    build: Callable[P, Build]
    part_reasons: tuple[str, ...] = ()
    protocols: tuple[Protocol, ...] = ()
    requests: "Callable[..., list[ItemRequest]] | None" = None
    scoring: "Scoring | None" = None
    task: "Callable[[Database], Task] | None" = None
    verify: Callable[..., Any] | None = None
    view: "Callable[[Records], list[RowView]] | None" = None
    shown_tables: tuple[str, ...] = ()
    claims: "Callable[[Select, Sequence[Answered]], list[list[Question]]] | None" = None

    def __post_init__(self) -> None:
        if not isinstance(self.folder, Traversable):
            raise wrong_dataset(self.name, f"its folder is not a path; write Path({self.folder!r})")
        if self.name in NAMES and self.folder != package_folder(self.name):
            raise wrong_dataset(self.name, "a dataset of kgbuild has this name")
        if not callable(self.build):
            raise wrong_dataset(self.name, "its build is no function")
        object.__setattr__(self, "build", checked(self.build))
        object.__setattr__(self, "verify", checked(self.verify or self._refuse_verification))

    def _refuse_verification(self, *_: object, **_options: object) -> None:
        raise WrongCallError(f"{self.command} has nothing that another source could verify.")

    def user_command(self, verb: str = "", options: str = "") -> str:
        """Return the command or the Python call that builds the dataset, or asks it.

        ``verb`` is "" to build and "ask " to ask; ``options`` are options of the command.
        """
        if self.name in (*NAMES, *(dataset.name for dataset in own_datasets())):
            return f"'kgbuild {verb}{self.command}{options}'"
        return "kgbuild.ask(dataset, model, db=db)" if verb else "db.write(dataset.build(store))"


AnyDataset: TypeAlias = Dataset[Any]


def package_folder(name: str) -> Traversable:
    """Return the folder of a dataset of this package."""
    return resources.files("kgbuild.datasets") / name
