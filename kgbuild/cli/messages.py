"""What is said of each error: what is wrong, where, and what to do."""

import re
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from kgbuild import errors
from kgbuild.cli.screen import REASONS, clean
from kgbuild.datasets.reasons import REASONS as LEFT_OUT
from kgbuild.datasets.registry import DATASETS, GROUSE

_FAILED, _WRONG_CALL = 1, 2
_SHORT = 80
_MISSING_TABLE = re.compile(r"Table with name (\w+) does not exist")


def message(error: errors.KgbuildError) -> tuple[str, int]:
    """Return the message for an error and the exit code: 2 for a wrong call, 1 for a failure."""
    exit_code, words = _MESSAGES[type(error)]
    for field in ("name", "text"):  # what the user typed, which may be long
        if hasattr(error, field):
            short = textwrap.shorten(getattr(error, field), _SHORT, placeholder="…")
            setattr(error, field, short or getattr(error, field)[:_SHORT])
    text = words(error) if callable(words) else words.format(**vars(error))
    is_laid_out = isinstance(error, errors.SqlError)
    lines = text.expandtabs().splitlines() if is_laid_out else [" ".join(text.split())]
    return "\n".join(map(clean, lines)), exit_code


def _counts(counts: Mapping[str, int], words: Mapping[str, str]) -> str:
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(f"{count:,} × {words.get(reason, reason)}" for reason, count in ordered)


def _near(near: Any) -> str:
    listed = ", ".join(f"{entity} ({label})" for entity, label in near)
    return f" Near it: {listed}." if listed else ""


def _nothing_built(error: Any) -> str:
    relations = ", ".join(error.relations)
    if not error.candidates:
        return f"Nothing built: the store has no statement of {relations}. See 'kgbuild relations'."
    why = _counts(error.reasons, LEFT_OUT.get(error.dataset, {}))
    return f"Nothing built for {relations}: of {error.candidates:,} none made a row: {why}."


def _nothing_chosen(error: Any) -> str:
    absent = f" Not there: {', '.join(error.absent[:5])}" if error.absent else ""
    more = ", …" if len(error.absent) > 5 else ""
    return (
        f"No item that was asked for is in {', '.join(error.paths)}, of which {error.kept:,} lines "
        f"are of the kind to keep.{absent}{more}{'.' if absent else ''} "
        "See --instance-of (with --subclasses), --items, --sample."
    )


def _unknown_name(error: Any) -> str:
    if error.near is None:
        return (
            f"No item is called '{error.name}' as it is spelled here. An endpoint finds names by "
            "their very letters; --lang names the language."
        )
    if not error.near:
        return f"No item is called '{error.name}', and no name looks like it."
    return f"No item is called '{error.name}'. Names that look like it: {', '.join(error.near)}."


def _parameters(error: Any) -> str:
    wrong = [f"missing {name}" for name in error.missing]
    wrong += [f"unknown {name}" for name in error.unknown]
    return f"The query {error.query} was called wrongly: {', '.join(wrong)}. Please report this."


def _unknown_relation(error: Any) -> str:
    known = f"No relation {error.text} with questions is known.{_near(error.near)}"
    own = ', or say how to ask about it: --template "When did {subject} … {object}?"'
    return f"{known} See 'kgbuild relations'{own if error.dataset == 'syn_qa' else ''}."


def _missing_column(error: Any) -> str:
    near = f" Near it: {error.near[0]}." if error.near else ""
    return f"{error.path} has no column '{error.column}', only: {', '.join(error.columns)}.{near}"


def _repeated(error: Any) -> str:
    asked = ", ".join(f"{column} '{value}'" for column, value in error.asked)
    return f"{error.path} answers the same question twice: {asked}. Leave one of the two."


def _none_of_split(error: Any) -> str:
    of = f"the {error.tests:,} tests of {error.path}"
    if error.tuning:
        return f"None of {of} is for tuning, which those are whose split is validation."
    return f"All of {of} are for tuning, as their split is validation: add --tuning."


def _no_model(error: Any) -> str:
    if error.detail:
        return f"{error.model} cannot be used as a model: {error.detail}."
    return (
        f"No model '{error.model}' is on this machine. Name the folder of one, or one that you "
        "fetched, as by 'hf download sentence-transformers/all-MiniLM-L6-v2'."
    )


def _no_pipeline(error: Any) -> str:
    if error.detail:
        return f"{error.model} cannot be used as a spaCy pipeline: {error.detail}."
    return (
        f"No spaCy pipeline '{error.model}' is installed. Name the folder of one, or install it, "
        "as by 'python -m spacy download en_core_web_sm'; without --spacy-model none is needed."
    )


def _java(error: Any) -> str:
    found = f"this is Java {error.found}" if error.found else "no Java is here"
    return (
        f"Spark needs Java {error.needed} or newer, and {found}. Install one, "
        "or name the folder of one with JAVA_HOME."
    )


def _spark(error: Any) -> str:
    """Say what is to be installed, if that is what fails."""
    if "No module named" in error.detail:
        return (
            f"Spark's workers cannot run kgbuild: {error.detail}. Install the same kgbuild[spark] "
            "on each, and name its Python with PYSPARK_PYTHON."
        )
    return f"Spark gave up: {error.detail}. What was there before is unchanged."


def _sql(error: Any) -> str:
    """Say which command makes a table that is missing, or else what DuckDB says."""
    found = _MISSING_TABLE.search(error.detail)
    name = found[1] if found else ""
    for dataset in (*DATASETS.values(), GROUSE):
        if name.startswith(f"{dataset.name}_"):
            return f"No table {name} there. Build it: 'kgbuild {dataset.command}'."
    return str(error.detail)


def _refused(error: Any) -> str:
    if error.status == 401:
        return f"{error.url} does not take the key in OPENAI_API_KEY: {error.detail}."
    if error.status == 404:
        where = f"{error.url} has no model '{error.model}', or its address is another one"
        return f"{where} (most end in /v1): {error.detail}."
    return f"{error.url} refuses what '{error.model}' is asked: {error.detail}."


def _refused_query(error: Any) -> str:
    said = f" It says: {error.said}." if error.said else ""
    advice = "It may be too much for that endpoint, or not of its SPARQL."
    if error.detail.startswith(("HTTP 401", "HTTP 403")):
        advice = (
            "It may want a name and a password, which can stand in the URL, "
            "or to know whom to tell of trouble, which KGBUILD_CONTACT says."
        )
    return f"{error.url} does not run the query {error.query}: {error.detail}.{said} {advice}"


def _not_results(error: Any) -> str:
    advice = (
        "Give the address of a SPARQL endpoint."
        if error.detail == "a page for people"
        else "If it was cut off, the same call may do better."
    )
    return (
        f"{error.url} answers the query {error.query} with something that is no result: "
        f"{error.detail}. {advice}"
    )


def _nothing_fetched(error: Any) -> str:
    why = ", ".join(f"{qid} ({why})" for qid, why in error.absent[:5])
    more = ", …" if len(error.absent) > 5 else ""
    return f"{error.url} has none of the items: {why}{more}."


_MESSAGES: dict[type[errors.KgbuildError], tuple[int, str | Callable[[Any], str]]] = {
    errors.UnknownProtocolError: (
        _WRONG_CALL,
        lambda e: f"{e.dataset} has no protocol '{e.text}', only: {', '.join(e.known)}.",
    ),
    errors.NothingToAskError: (
        _FAILED,
        lambda e: (
            f"{e.path} holds no questions of {e.dataset}"
            f"{', or none with such a pool' * (e.dataset == 'biokalma')}. "
            f"Build them: kgbuild {e.dataset}"
        ),
    ),
    errors.NothingToReviewError: (
        _FAILED,
        lambda e: (
            f"{e.path} holds no {'answers to' if e.of_predictions else 'rows of'} "
            f"{e.dataset.replace('_', '-')} to review. "
            f"Get them: 'kgbuild {'ask ' * e.of_predictions}{e.dataset.replace('_', '-')}'."
        ),
    ),
    errors.PortTakenError: (
        _FAILED,
        "Nothing can be served at port {port}: {detail}. Name another one with --port.",
    ),
    errors.NoPredictionsError: (
        _FAILED,
        lambda e: (
            f"{e.path} holds no answers to {e.dataset.replace('_', '-')} that can be scored. Ask "
            f"a model: 'kgbuild ask {e.dataset.replace('_', '-')} --model NAME'; or name a file."
        ),
    ),
    errors.NoBuildsError: (
        _FAILED,
        "{path} holds no dataset: nothing was built into it. See 'kgbuild --help'.",
    ),
    errors.SameDatabaseError: (
        _WRONG_CALL,
        "{path} is named twice: name two databases, the older one first.",
    ),
    errors.NothingInCommonError: (
        _WRONG_CALL,
        lambda e: (
            f"{e.path} and {e.other} have no relation or file of a dataset in common. The first "
            f"has {'; '.join(e.has) or 'none'}; the second {'; '.join(e.other_has) or 'none'}."
        ),
    ),
    errors.NothingToCompareError: (
        _WRONG_CALL,
        "{path} has no two models with answers by one protocol, which --compare needs.",
    ),
    errors.NoTestsError: (
        _FAILED,
        "{path} holds no tests for judges. Build them: 'kgbuild grouse'.",
    ),
    errors.NoTestsOfSplitError: (_FAILED, _none_of_split),
    errors.NothingToReportError: (
        _FAILED,
        "{path} holds nothing to report. Build a dataset: kgbuild syn-qa --relations P26,P40",
    ),
    errors.NothingJoinedError: (
        _FAILED,
        "No relation with questions joins two items of the class {of_class} in this store. "
        "'kgbuild stats' names its classes, 'kgbuild relations' the relations.",
    ),
    errors.NoStoreError: (
        _FAILED,
        "No store at {path}. Run 'make kg', or 'kgbuild load DUMP… --store {path}'.",
    ),
    errors.NotAStoreError: (
        _WRONG_CALL,
        "{path} is no store: it holds '{found}'. Name another folder with --store.",
    ),
    errors.StoreBusyError: (_FAILED, "Another load into {path} is under way. Wait for its end."),
    errors.DamagedStoreError: (
        _FAILED,
        "The store cannot be opened: {path}: {detail}. Load the dump again.",
    ),
    errors.UnreadableDumpError: (_WRONG_CALL, "Cannot read {path}: {detail}."),
    errors.UnknownSizeError: (
        _WRONG_CALL,
        "Nothing can be estimated of {path}: its size is unknown. Name a file or a URL.",
    ),
    errors.CorruptArchiveError: (
        _FAILED,
        "{path} is cut short or damaged after line {line:,}: {detail}. "
        "Fetch it again; what was there before is unchanged.",
    ),
    errors.EmptyDumpError: (
        _FAILED,
        lambda e: f"{', '.join(e.paths)} is empty; what was there before is unchanged.",
    ),
    errors.NothingKeptError: (
        _FAILED,
        lambda e: (
            f"Nothing in {', '.join(e.paths)} is kept: {_counts(e.dropped, REASONS)}. "
            "Is it a dump of Wikidata? Other languages are kept by --lang; see also --all of "
            "'kgbuild load', and --property and --datatype of 'kgbuild slice'."
        ),
    ),
    errors.NothingChosenError: (_FAILED, _nothing_chosen),
    errors.CutShortError: (
        _FAILED,
        "{path} is cut short: {detail}. Fetch it again; what was there before is unchanged.",
    ),
    errors.NotADumpError: (
        _FAILED,
        lambda e: (
            f"{e.path} is no {'JSON dump' if e.text[:1] in '[{' else 'N-Triples'}: line {e.line} "
            f"is '{e.text}'. "
            + ("A JSON dump has one whole entity a line. " if e.text[:1] in "[{" else "")
            + "What was there before is unchanged."
        ),
    ),
    errors.TooManyBadLinesError: (
        _FAILED,
        "{bad:,} of {lines:,} lines are bad, more than --max-bad {limit:.2%} allows. "
        "They stand in {rejects}; what else was there before is unchanged.",
    ),
    errors.SpecError: (
        _WRONG_CALL,
        lambda e: f"'{e.key}' {e.detail}{'' if e.detail.endswith('?') else '.'}",
    ),
    errors.ItemsFileError: (
        _WRONG_CALL,
        lambda e: (
            f"{e.path}, line {e.line}: '{e.text}' is no id of an item (Q42 is one)."
            if e.text
            else f"{e.path} names no item. It is to have an id such as Q42 in each line."
        ),
    ),
    errors.OutputExistsError: (
        _WRONG_CALL,
        lambda e: (
            f"{e.path} is a folder. Name a file with -o."
            if Path(e.path).is_dir()
            else f"{e.path} is there already. "
            "Replace it with --force, or name another file with -o."
        ),
    ),
    errors.OutputBusyError: (_FAILED, "Another process is writing {path}. Wait for its end."),
    errors.WriteError: (
        _FAILED,
        "Cannot write {path}: {detail}. What was there before is unchanged.",
    ),
    errors.MalformedIdError: (
        _WRONG_CALL,
        lambda e: (
            f"'{e.text}' is no id of an item (Q42 is one). Find it with 'kgbuild lookup NAME'."
            if e.expected == "item"
            else f"'{e.text}' is no id of a property (P26 is one). See 'kgbuild relations'."
        ),
    ),
    errors.UnknownItemError: (
        _WRONG_CALL,
        lambda e: f"Nothing is said of {e.qid}.{_near(e.near)}",
    ),
    errors.UnknownNameError: (_FAILED, _unknown_name),
    errors.UnknownRelationError: (_WRONG_CALL, _unknown_relation),
    errors.NoPathError: (_WRONG_CALL, lambda e: f"{e.path} cannot be asked: {e.why}."),
    errors.TemplateError: (
        _WRONG_CALL,
        lambda e: (
            f"The template '{e.template}' needs one {{subject}} and one {{object}}, as in "
            '"When did {subject} join {object}?".'
        ),
    ),
    errors.NoKindError: (
        _FAILED,
        lambda e: (
            f"Nothing is known of what makes items like {e.qid} alike: its classes "
            f"({', '.join(e.classes) or 'none'}) are of no kind in relations.toml."
        ),
    ),
    errors.NothingBuiltError: (_FAILED, _nothing_built),
    errors.NoDatasetsError: (
        _FAILED,
        "No datasets at {path}. Build some, for example: kgbuild syn-qa --relations P26,P40",
    ),
    errors.DatabaseBusyError: (
        _FAILED,
        "{path} is held by {holder}. DuckDB lets one process in at a time: wait for that one.",
    ),
    errors.DamagedDatabaseError: (_FAILED, "{path} cannot be used as a database: {detail}"),
    errors.ForeignTablesError: (
        _FAILED,
        "{path} has other tables than this kgbuild makes: {detail}. "
        "Name another database with --db, or build it again.",
    ),
    errors.SqlError: (_WRONG_CALL, _sql),
    errors.TableFileError: (_WRONG_CALL, "Cannot read {path}: {detail}."),
    errors.NotHotpotQAError: (
        _WRONG_CALL,
        "{path} is no file of HotpotQA's, which has records with _id, question, answer, type, "
        "supporting_facts and context: {detail}.",
    ),
    errors.ColumnsError: (_WRONG_CALL, "--columns: '{part}' {detail}."),
    errors.MissingColumnError: (_WRONG_CALL, _missing_column),
    errors.UnknownQuestionsError: (
        _WRONG_CALL,
        "{count:,} of the {of:,} answers in {path} are to questions that are not in the database, "
        "such as '{example}'. Name the one that the prompts came from with --db.",
    ),
    errors.RepeatedAnswerError: (_WRONG_CALL, _repeated),
    errors.MissingExtraError: (
        _FAILED,
        "This needs {package}, which is not installed: pip install 'kgbuild[{extra}]'.",
    ),
    errors.JavaError: (_FAILED, _java),
    errors.MasterError: (
        _FAILED,
        "No Spark at {master}: {detail}. Name one by --master: local[4], spark://HOST:7077, yarn.",
    ),
    errors.SparkError: (_FAILED, _spark),
    errors.NoModelError: (_WRONG_CALL, _no_model),
    errors.NoPipelineError: (_WRONG_CALL, _no_pipeline),
    errors.EmptyQuestionError: (_WRONG_CALL, "The question is empty: ask something."),
    errors.NothingRetrievedError: (
        _FAILED,
        "No name in the question is that of an item that is known. Look for one: 'kgbuild lookup'.",
    ),
    errors.NoQuestionsError: (
        _FAILED,
        "{path} holds no questions of BioKaLMA. Build them: 'kgbuild biokalma'.",
    ),
    errors.QueryFileError: (_FAILED, "queries/{path}, line {line}: {detail}."),
    errors.QueryParameterError: (_FAILED, _parameters),
    errors.RelationsFileError: (_FAILED, "relations.toml: {where}: {detail}."),
    errors.NoKeyError: (
        _WRONG_CALL,
        "Name the server of the model with OPENAI_BASE_URL (http://localhost:8000/v1, say), "
        "or set OPENAI_API_KEY to use {url}.",
    ),
    errors.UnreachableServerError: (
        _FAILED,
        "No server at {url}: {detail}. Start it, or name another with OPENAI_BASE_URL.",
    ),
    errors.RefusedRequestsError: (_FAILED, _refused),
    errors.NoAnswersError: (
        _FAILED,
        "Nothing written: of {questions:,} questions none got an answer. The first: "
        "{reason}: {detail}.",
    ),
    errors.NothingToExportError: (
        _FAILED,
        lambda e: (
            f"{e.path} has no rows of {e.dataset} that reviewers accepted. "
            f"Check some: 'kgbuild review {e.dataset}'."
            if e.accepted
            else f"{e.path} has no rows of {e.dataset}. Build them: 'kgbuild {e.dataset}'."
        ),
    ),
    errors.FolderInUseError: (
        _WRONG_CALL,
        lambda e: (
            f"{e.path} is {'not empty' if e.path.is_dir() else 'no folder'}. "
            "Name a new folder with -o, or remove it first."
        ),
    ),
    errors.ReplyCacheError: (
        _FAILED,
        "{path} cannot hold the answers of models: {detail}. Name another file, "
        "or remove this one to ask for all of them again.",
    ),
    errors.NoEndpointError: (
        _FAILED,
        "No SPARQL endpoint answers at {url}: {detail}. "
        "Give the address of queries, such as https://query.wikidata.org/sparql.",
    ),
    errors.RefusedQueryError: (_FAILED, _refused_query),
    errors.BusyEndpointError: (
        _FAILED,
        "{url} is too busy to answer: {detail}. Call it again later.",
    ),
    errors.NotResultsError: (_FAILED, _not_results),
    errors.NotOfEndpointError: (_WRONG_CALL, "A slice of an endpoint: '{key}' {detail}."),
    errors.NoEntityDataError: (
        _FAILED,
        lambda e: (
            f"{e.url} gives no data: {e.detail}."
            f"{' What came so far is kept: call it again to go on.' * e.has_come}"
        ),
    ),
    errors.NothingFetchedError: (_FAILED, _nothing_fetched),
}
