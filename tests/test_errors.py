"""Every error's sentence and exit code, exactly: what is wrong, where, and what to do."""

import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from kgbuild import errors
from kgbuild.errors import KgbuildError, WrongCallError

AT = Path("place")
WRONG_CALL, FAILURE = 2, 1
NEAR = [("Q1", "one"), ("Q2", "two")]

SENTENCES: list[tuple[KgbuildError, str]] = [
    # Reading dumps.
    (
        errors.UnreadableDumpError("a.nt", "Permission denied"),
        "Cannot read a.nt: Permission denied.",
    ),
    (
        errors.UnknownSizeError("standard input"),
        "Cannot estimate standard input: its size is unknown. Name a file or a URL.",
    ),
    (
        errors.CorruptArchiveError("a.nt.gz", 12345, "Invalid block"),
        "a.nt.gz is cut short or damaged after line 12,345: Invalid block. Fetch it again; "
        "what was there before is unchanged.",
    ),
    (
        errors.NotAnArchiveError("a.nt.gz", 0, "Invalid block"),
        "a.nt.gz begins like a compressed file, but no line of it can be decompressed: Invalid "
        "block. It is not a compressed file, or it is damaged; what was there before is unchanged.",
    ),
    (
        errors.UnreadFormError("a.zip", "a zip archive", "unpack it, or use gz, bz2, xz or zst"),
        "a.zip is a zip archive, which is not read: unpack it, or use gz, bz2, xz or zst.",
    ),
    (
        errors.UnreadFormError("a.nt", "a web page", "is its address that of a file?"),
        "a.nt is a web page, which is not read: is its address that of a file?",
    ),
    (
        errors.CutShortError("a.nt", "the last line is no whole one"),
        "a.nt is cut short: the last line is no whole one. Fetch it again; "
        "what was there before is unchanged.",
    ),
    (
        errors.SinceFileError(Path("questions.json")),
        "--since compares statements of two stores, and the rows of questions.json are not made "
        "of statements. Leave out one of the two.",
    ),
    (
        errors.WorkerEndedError(),
        "A process of the build ended, perhaps because memory was full. What was there before is "
        "unchanged; run the command again with more memory, or build fewer relations at a time.",
    ),
    (
        errors.ConverterEndedError(12),
        "A process that converts JSON ended at line 12, perhaps because memory was full. What "
        "was there before is unchanged; run the command again with more memory.",
    ),
    (
        errors.EmptyDumpError(["a.nt", "b.nt"]),
        "a.nt, b.nt is empty; what was there before is unchanged.",
    ),
    (
        errors.NotADumpError("a.nt", 1, "<html>"),
        "a.nt is neither N-Triples nor a JSON dump: line 1 is '<html>'. "
        "What was there before is unchanged.",
    ),
    (
        errors.NotADumpError("a.json", 1, "{\t" + "x " * 80),
        "a.json is not a JSON dump: line 1 is '{ "
        + "x " * 38
        + "x…'. A JSON dump has one complete "
        "entity per line. What was there before is unchanged.",
    ),
    (
        errors.TooManyBadLinesError(2000, 5000, 0.01, AT),
        "2,000 of 5,000 lines are bad, more than --max-bad 1.00% allows. They are listed in "
        "place; all else that was there before is unchanged.",
    ),
    (
        errors.NothingKeptError(
            ["a.nt"], {"type": 1, "name": 2000, "new": 1}, {"name": "aliases"}, 0, AT, "", ""
        ),
        "Nothing in a.nt is kept: 2,000 × aliases, 1 × new, 1 × type. "
        "To keep other languages, use --lang; see also --all of 'kgbuild load', and"
        " --property and --datatype of 'kgbuild slice'.",
    ),
    (
        errors.NothingKeptError(
            ["a.nt"], {"page": 1}, {}, 1000, AT, "<https://a/b> <c> .", "http:Q42"
        ),
        "Nothing in a.nt is kept: 1 × page; 1,000 lines are bad (see place). Items of Wikidata "
        "have IRIs such as <http:Q42>; the first line is '<https://a/b> <c> .'.",
    ),
    # Slices, and files that are written.
    (
        errors.NothingChosenError(["a.nt"], 1000, []),
        "None of the selected items is in a.nt, although the filter keeps 1,000 lines. See "
        "--instance-of (with --subclasses), --items, --sample.",
    ),
    (
        errors.NothingChosenError(["a.nt"], 1, ["Q1", "Q2", "Q3", "Q4", "Q5"]),
        "None of the selected items is in a.nt, although the filter keeps 1 lines. Missing: "
        "Q1, Q2, Q3, Q4, Q5. See --instance-of (with --subclasses), --items, --sample.",
    ),
    (
        errors.NothingChosenError(["a.nt"], 1, ["Q1", "Q2", "Q3", "Q4", "Q5", "Q6"]),
        "None of the selected items is in a.nt, although the filter keeps 1 lines. Missing: "
        "Q1, Q2, Q3, Q4, Q5, …. See --instance-of (with --subclasses), --items, --sample.",
    ),
    (errors.SpecError("sample", "is no number"), "'sample' is no number."),
    (errors.SpecError("smaple", "is no key: sample?"), "'smaple' is no key: sample?"),
    (
        errors.NotOfEndpointError("limit", "takes a dump's first items; there is 'sample'"),
        "For a slice from an endpoint: 'limit' takes a dump's first items; there is 'sample'.",
    ),
    (
        errors.ItemsFileError("items.txt", 3, "Douglas"),
        "items.txt, line 3: 'Douglas' is not the id of an item, such as Q42.",
    ),
    (
        errors.NothingInSampleError(["a.nt", "b.nt"], 0.0342),
        "Nothing that is selected is in the first 3.42% of a.nt, b.nt. --dry-run reads only this "
        "part, so it cannot estimate the size. Without --dry-run, all is read.",
    ),
    (
        errors.ItemsFileError("items.txt", 1, ""),
        "items.txt names no item. It must have an id such as Q42 in each line.",
    ),
    (
        errors.NoEntityDataError("http://x", "Q1: HTTP 500", has_come=False),
        "http://x sends no data: Q1: HTTP 500.",
    ),
    (
        errors.NoEntityDataError("http://x", "Q1: HTTP 500", has_come=True),
        "http://x sends no data: Q1: HTTP 500. All items that came before are cached: call it"
        " again.",
    ),
    (
        errors.NothingFetchedError("http://x", [("Q404", "unknown"), ("Q410", "deleted")]),
        "http://x has none of the items: Q404 (unknown), Q410 (deleted).",
    ),
    (
        errors.JavaError(17, "11.0.2"),
        "Spark needs Java 17 or newer, and this is Java 11.0.2. Install it, or set JAVA_HOME "
        "to its folder.",
    ),
    (
        errors.JavaError(17, ""),
        "Spark needs Java 17 or newer, and there is no Java here. Install it, or set "
        "JAVA_HOME to its folder.",
    ),
    (
        errors.MasterError("spark://x", "unknown host"),
        "No Spark at spark://x: unknown host. "
        "Name one by --master: local[4], spark://HOST:7077, yarn.",
    ),
    (
        errors.SparkError("out of memory"),
        "Spark gave up: out of memory. What was there before is unchanged.",
    ),
    (
        errors.SparkError("No module named 'kgbuild'"),
        "Spark's workers cannot run kgbuild: No module named 'kgbuild'. Install the same "
        "kgbuild[spark] on each, and name its Python with PYSPARK_PYTHON.",
    ),
    (
        errors.OutputExistsError(AT, False),
        "place exists already. Replace it with --force, or name another file with -o.",
    ),
    (
        errors.OutputExistsError("/", True),
        "/ is a folder, which is not replaced. Name another path with -o.",
    ),
    (errors.OutputBusyError(AT), "Another process is writing place. Wait until it has finished."),
    (
        errors.WriteError(AT, "No space left on device"),
        "Cannot write place: No space left on device. What was there before is unchanged.",
    ),
    (
        errors.DiskTooSmallError(AT, 40_500_000_000, 12_340_000_000),
        "The load needs about 40.5 GB of disk, and 12.3 GB are free in place. Free some disk, "
        "choose a folder on another disk with --store, or slice a share of the items with "
        "--sample.",
    ),
    # Stores, queries and endpoints.
    (
        errors.NoStoreError(AT),
        "No store at place. Load the sample: 'kgbuild load --sample --store place'; or your own "
        "dump.",
    ),
    (
        errors.NoStoreError(Path(__file__)),
        f"{__file__} is a file, not the folder of a store. Name one with --store.",
    ),
    (
        errors.UnfinishedStoreError(AT),
        "No store at place yet: a load into it is still running, or was interrupted. Repeat the "
        "command of the interrupted load to continue it.",
    ),
    (
        errors.NotAStoreError(AT, "notes.txt"),
        "place is not a store: it contains 'notes.txt'. Name another folder with --store.",
    ),
    (
        errors.StoreBusyError(AT),
        "Another process is loading into place. Wait until it has finished.",
    ),
    (
        errors.ForkedProcessError(AT),
        "place cannot be written by a forked process: it lacks the threads of Oxigraph, which the "
        "process before it has used. Start the process by the method 'spawn' of multiprocessing.",
    ),
    (
        errors.OutOfMemoryError("a part of the data does not fit"),
        "There is too little memory: a part of the data does not fit. What was there before is "
        "unchanged; run the command again with more memory, or with a higher limit ('ulimit -v').",
    ),
    (
        errors.NativeCodeError("no compiler"),
        "Machine code cannot be compiled: no compiler. If memory is limited, raise the limit "
        "('ulimit -v'); if not, install numba and llvmlite again.",
    ),
    (
        errors.DamagedStoreError(AT, "the folder is missing"),
        "The store cannot be opened: place: the folder is missing. Load the dump again.",
    ),
    (
        errors.FaultyStoreError(AT, "a/columns: it is missing"),
        "The store place is damaged: a/columns: it is missing. Load the dump again, or restore "
        "the folder from a copy.",
    ),
    (
        errors.QueryParameterError("a", "x, y", "z"),
        "The query a has the parameters (x, y), and not (z).",
    ),
    (
        errors.NoEndpointError("http://x", "Connection refused"),
        "No SPARQL endpoint answers at http://x: Connection refused. Use the URL for queries,"
        " such as https://query.wikidata.org/sparql.",
    ),
    (
        errors.BusyEndpointError("http://x", "HTTP 429"),
        "http://x is too busy to answer: HTTP 429. Try again later.",
    ),
    (
        errors.RefusedQueryError("http://x", "around", "HTTP 400: Bad Request", ""),
        "http://x does not run the query around: HTTP 400: Bad Request. The query may be too "
        "large for it, or it may not support all of SPARQL 1.1.",
    ),
    (
        errors.RefusedQueryError("http://x", "around", "HTTP 403: Forbidden", "who are you"),
        "http://x does not run the query around: HTTP 403: Forbidden. Its message: who are "
        "you. It may need a user name and a password (http://NAME:PASSWORD@HOST/…), or your "
        "contact address, which you can set with KGBUILD_CONTACT.",
    ),
    (
        errors.NotResultsError("http://x", "around", "a page for people"),
        "http://x does not answer the query around with rows: a page for people. If the "
        "answer was cut off, try again.",
    ),
    (
        errors.NotResultsError("http://x", "around", "the same page comes again"),
        "http://x does not answer the query around with rows: the same page comes again. If "
        "the answer was cut off, try again.",
    ),
    # What a user names.
    (
        errors.MalformedIdError("Curie", "item"),
        "'Curie' is not the id of an item, such as Q42. See 'kgbuild lookup'.",
    ),
    (
        errors.MalformedIdError("spouse", "property"),
        "'spouse' is not the id of a property, such as P26. See 'kgbuild relations'.",
    ),
    (
        errors.UnknownItemError("Q3", NEAR),
        "There is no statement of Q3. Similar: Q1 (one), Q2 (two).",
    ),
    (errors.UnknownItemError("Q3", []), "There is no statement of Q3."),
    (
        errors.UnknownNameError("Curry", ["Curie", "Currie"]),
        "No item is called 'Curry'. Similar names: Curie, Currie.",
    ),
    (
        errors.UnknownNameError("x" * 99, []),
        f"No item is called '{'x' * 79}…', and no name is similar.",
    ),
    (
        errors.UnknownNameError("Curry", None),
        "No item is called 'Curry' in this spelling. An endpoint finds only exact names; "
        "--lang sets their language.",
    ),
    (
        errors.UnknownRelationError("P260", [("P26", "spouse")], False, []),
        "There are no questions about a relation P260. Similar: P26 (spouse). "
        "See 'kgbuild relations'.",
    ),
    (
        errors.UnknownRelationError("P19", [], False, ["syn-qa", "granola"]),
        "P19 has questions only for syn-qa, granola. See 'kgbuild relations'.",
    ),
    (
        errors.UnknownRelationError("P260", [("P26", "spouse")], True, []),
        "There are no questions about a relation P260. Similar: P26 (spouse). "
        "See 'kgbuild relations', or write a question for it: "
        '--template "When did {subject} … {object}?".',
    ),
    (
        errors.AmbiguousRelationError("part", [("P361", "part"), ("P527", "part")]),
        "Several relations are called 'part': P361, P527. Name it by its id.",
    ),
    (
        errors.NoPathError("P26/P36", "P36 is no property of people"),
        "There is no question for P26/P36: P36 is no property of people.",
    ),
    (
        errors.TemplateError("When did {subject} join?"),
        "The template 'When did {subject} join?' needs one {subject} and one {object}, as in "
        '"When did {subject} join {object}?".',
    ),
    (errors.RelationsFileError("a.toml", "P26", "no label"), "a.toml: P26: no label."),
    (
        errors.NoKindError("Q1", ["Q2 (two)"]),
        "Nothing is similar to Q1: relations.toml names the properties to compare by kind, and "
        "its classes (Q2 (two)) belong to none of its kinds.",
    ),
    (
        errors.NoKindError("Q1", []),
        "Nothing is similar to Q1: relations.toml names the properties to compare by kind, and "
        "the item has no class (P31).",
    ),
    (
        errors.NothingJoinedError("Q5"),
        "No relation with questions links two items of the class Q5 in this store. 'kgbuild "
        "stats' lists the store's classes, 'kgbuild relations' lists the relations.",
    ),
    (errors.EmptyQuestionError(), "The question is empty. Type a question."),
    (
        errors.NoIdsError(Path("q.csv"), 1200),
        "None of the 1,200 questions in q.csv has an id in the column 'ids'. Write the ids of the "
        "items that a question is about, such as Q7186.",
    ),
    (
        errors.NoneInStoreError(["Q1", "Q2"]),
        "None of the 2 ids of the questions is in the store: Q1, Q2. Pass the store with --store.",
    ),
    (
        errors.NothingRetrievedError(),
        "The question names no item of the store. Find names with 'kgbuild lookup'.",
    ),
    # Databases, and tables of the user's.
    (
        errors.NoDatasetsError(AT),
        "No datasets at place. Build some, for example: kgbuild syn-qa --relations P26,P40",
    ),
    (
        errors.DatabaseBusyError(AT, "python (PID 7)"),
        "place is held by python (PID 7). While a process writes to a DuckDB database, no other "
        "can open it, and while processes read it, none can write: wait, or end that one.",
    ),
    (
        errors.DamagedDatabaseError(AT, "it is not a DuckDB database"),
        "place cannot be used as a database: it is not a DuckDB database",
    ),
    (
        errors.FaultyDatabaseError(AT, "two rows have one id: 7"),
        "place is damaged: two rows have one id: 7. Restore the file from a copy, or build the "
        "dataset again.",
    ),
    (
        errors.ForeignTablesError(AT, "Table with name x does not exist"),
        "place does not have the tables of this version of kgbuild: Table with name x does "
        "not exist. Name another database with --db, or build it again.",
    ),
    (
        errors.SqlError("Parser Error\n\nLINE 1:\tSELEC\x1b"),
        "Parser Error\n\nLINE 1: SELEC\N{REPLACEMENT CHARACTER}",
    ),
    (
        errors.UnknownTableError("x", AT, "syn_qa_pair", ["syn_qa_pairs"], "syn-qa"),
        "place has no table syn_qa_pair. Did you mean syn_qa_pairs?",
    ),
    (
        errors.UnknownTableError("x", AT, "syn_qa_pairs", [], "syn-qa"),
        "place has no table syn_qa_pairs. Build it: 'kgbuild syn-qa'.",
    ),
    (
        errors.UnknownTableError("x", AT, "cars", [], ""),
        "place has no table cars. 'SHOW TABLES' lists its tables.",
    ),
    (
        errors.NotComparableError("grouse"),
        "Builds of grouse cannot be compared: the dataset has no versions.sql.",
    ),
    (
        errors.NoBuildsError(AT),
        "place has no dataset: nothing was built into it. See 'kgbuild --help'.",
    ),
    (
        errors.SameDatabaseError(AT),
        "place is named twice: name two databases, the older one first.",
    ),
    (
        errors.NothingInCommonError(AT, Path("other"), ["syn-qa: P26", "granola: P19"], []),
        "place and other have no relation or file of a dataset in common. "
        "The first has syn-qa: P26; granola: P19; the second none.",
    ),
    (errors.TableFileError(AT, "it has no answers"), "Cannot read place: it has no answers."),
    (
        errors.NotHotpotQAError(AT, "it has no record"),
        "place is not a file of HotpotQA, which has records with _id, question, answer, type,"
        " supporting_facts and context: it has no record.",
    ),
    (errors.ColumnsError("a=", "names no column"), "--columns: 'a=' names no column."),
    (
        errors.MissingColumnError(AT, "answer", ["answr", "id"], ["answr"]),
        "place has no column 'answer'. It has: answr, id. Similar: answr.",
    ),
    (
        errors.NoQuestionColumnError(AT, "question", ["question;answers"], []),
        "place has a single column, 'question;answers'. Save it with commas between its columns, "
        "or with tabs as .tsv.",
    ),
    (
        errors.NoQuestionColumnError(AT, "question", ["text", "id"], []),
        "place has no column 'question'. It has: text, id. Name the column of the questions: "
        "--columns question=COLUMN.",
    ),
    (
        errors.MissingColumnError(AT, "answer", ["id"], []),
        "place has no column 'answer'. It has: id.",
    ),
    (
        errors.UnknownQuestionsError(AT, 1000, 2000, "q1"),
        "1,000 of the 2,000 answers in place are to questions that are not in the database, "
        "such as 'q1'. Name the database of the prompts with --db.",
    ),
    (
        errors.RepeatedAnswerError(AT, [("question_id", "q1"), ("sample", "1")]),
        "place answers the same question twice: question_id 'q1', sample '1'. Remove one of "
        "the answers.",
    ),
    # Models.
    (
        errors.MissingExtraError("llm", "aiohttp"),
        "This needs aiohttp, which is not installed: pip install 'kgbuild[llm]'.",
    ),
    (
        errors.NoModelError("nothing", ""),
        "There is no model 'nothing' on this machine. Name the folder of a model, or download"
        " one first: hf download OWNER/NAME",
    ),
    (
        errors.NoModelError("nothing", "no tokenizer"),
        "nothing cannot be used as a model: no tokenizer.",
    ),
    (
        errors.NoPipelineError("nothing", ""),
        "There is no spaCy pipeline 'nothing' here. Name the folder of a pipeline, or install it, "
        "such as: python -m spacy download en_core_web_sm",
    ),
    (
        errors.NoPipelineError("nothing", "no tagger"),
        "nothing cannot be used as a spaCy pipeline: no tagger.",
    ),
    (
        errors.NoKeyError("http://x"),
        "Set OPENAI_BASE_URL to the server of the model, such as http://localhost:8000/v1, or"
        " set OPENAI_API_KEY to use http://x.",
    ),
    (
        errors.UnreachableServerError("http://x", "Connection refused"),
        "No server at http://x: Connection refused. "
        "Start it, or name another with --base-url or OPENAI_BASE_URL.",
    ),
    (
        errors.RefusedRequestsError("http://x", "parrot", 401, "HTTP 401"),
        "http://x does not accept the key in OPENAI_API_KEY: HTTP 401.",
    ),
    (
        errors.RefusedRequestsError("http://x", "parrot", 404, "HTTP 404"),
        "http://x has no model 'parrot', or the URL is wrong (most end in /v1): HTTP 404.",
    ),
    (
        errors.RefusedRequestsError("http://x", "parrot", 400, "HTTP 400"),
        "http://x refuses the requests to 'parrot': HTTP 400.",
    ),
    (
        errors.ReplyCacheError(AT, "it is another program's database"),
        "place cannot be used to cache the replies of models: it is another program's "
        "database. It keeps the replies that it has: free some space if its disk is "
        "full, or name another file.",
    ),
    (
        errors.LeftOutError(380, 400),
        (
            "380 of 400 requests got no answer, and the answers to the others are written. Run the "
            "command again to ask for them, or pass --allow-missing to do without."
        ),
    ),
    (
        errors.NoAnswersError(1000, "no answer", "HTTP 500"),
        "Nothing was written: none of 1,000 questions got an answer. The first failed: no "
        "answer: HTTP 500.",
    ),
    # Datasets.
    (
        errors.NothingBuiltError(["Q515/P47", "Q515/P190"], 0, {}, {}, {}, None),
        "Nothing was built: no two items of the class Q515 are joined by P47, P190. "
        "See 'kgbuild relations'.",
    ),
    (
        errors.NothingBuiltError(["P26", "P40"], 0, {}, {}, {}, None),
        "Nothing was built: the store has no statement of P26, P40. See 'kgbuild relations'.",
    ),
    (
        errors.NothingBuiltError(
            ["P26"], 1234, {"b": 1, "a": 1, "c": 1232}, {"c": "too far"}, {}, None
        ),
        "Nothing was built for P26: all 1,234 candidates were rejected: 1,232 × too far, 1 × "
        "a, 1 × b.",
    ),
    (
        errors.NothingBuiltError(
            ["q.csv"],
            14,
            {"d": 1, "b": 2, "a": 2, "c": 9},
            {"a": "too near", "b": "too old", "c": "too far", "d": "too new"},
            {"a": "Who?", "b": "When?", "c": "Where? " * 20},
            None,
        ),
        "Nothing was built for q.csv: all 14 candidates were rejected: 9 × too far (such as: "
        f"{'Where? ' * 11}Wh…); 2 × too near (such as: Who?); 2 × too old (such as: When?).",
    ),
    (
        errors.UnknownChoiceError("syn-qa", "protocol", "one-shot", ["zero-shot", "four-shot"]),
        "syn-qa has no protocol 'one-shot', only: zero-shot, four-shot.",
    ),
    (
        errors.UnknownChoiceError("syn-qa", "option", "many", []),
        "syn-qa has no option 'many', only: none.",
    ),
    (
        errors.DatasetError("capitals", "it has no requests"),
        "The dataset capitals is wrong: it has no requests.",
    ),
    (
        errors.NothingToAskError(AT, "syn-qa", "'kgbuild syn-qa'"),
        "place has no questions of syn-qa, or none that these options select. Build them: "
        "'kgbuild syn-qa'.",
    ),
    (
        errors.NoPredictionsError(AT, "syn-qa", "'kgbuild ask syn-qa --model NAME'"),
        "place has no answers to syn-qa that can be scored. Ask a model: 'kgbuild ask syn-qa "
        "--model NAME'; or name a file.",
    ),
    (
        errors.NothingToCompareError(AT),
        "--compare needs two models with answers by the same protocol; place has none.",
    ),
    (errors.NoTestsError(AT), "place has no tests for judges. Build them: 'kgbuild grouse'."),
    (
        errors.NoTestsOfSplitError(AT, 1000, tuning=True),
        "None of the 1,000 tests of place is for tuning: none has the split dev.",
    ),
    (
        errors.NoTestsOfSplitError(AT, 1000, tuning=False),
        "All of the 1,000 tests of place are for tuning (their split is dev): add --tuning.",
    ),
    (
        errors.NothingToReviewError(AT, "syn-qa", False, "'kgbuild syn-qa'"),
        "place has no rows of syn-qa to review. Get them: 'kgbuild syn-qa'.",
    ),
    (
        errors.NothingToReviewError(AT, "syn-qa", True, "'kgbuild ask syn-qa'"),
        "place has no answers to syn-qa to review. Get them: 'kgbuild ask syn-qa'.",
    ),
    (
        errors.NoDisagreementError("syn-qa"),
        "No two reviewers disagree about a row of syn-qa, so there is nothing to decide.",
    ),
    (
        errors.NotReviewedError("grouse"),
        "--only-accepted needs a dataset that can be reviewed, and grouse cannot.",
    ),
    (
        errors.PortTakenError(8765, "Address already in use"),
        "Cannot serve at port 8765: Address already in use. Name another port with --port.",
    ),
    (errors.SparqlError("The query has no variable ?x."), "The query has no variable ?x."),
    (errors.SlowQueryError(1200), "The query took more than 1,200 s. Raise --timeout."),
    (
        errors.QueryEndedError(),
        "The process that runs the query ended, perhaps because memory was full. "
        "Make the query smaller, for example with LIMIT.",
    ),
    (errors.ServerEndedError("it was killed"), "Oxigraph's server ended: it was killed."),
    (
        errors.UnlimitedServerError(),
        "On this system, a query with SERVICE could make the server ask any other server. "
        "If you accept that, pass --service.",
    ),
    (
        errors.NothingToReportError(AT),
        "place has nothing to report. Build a dataset: kgbuild syn-qa --relations P26,P40",
    ),
    (
        errors.NothingToExportError(AT, "syn-qa", False, "'kgbuild syn-qa'"),
        "place has no rows of syn-qa. Build them: 'kgbuild syn-qa'.",
    ),
    (
        errors.NothingToExportError(AT, "syn-qa", True, "'kgbuild syn-qa'"),
        "place has no rows of syn-qa that reviewers accepted. Check some: 'kgbuild review syn-qa'.",
    ),
    (
        errors.AllExcludedError(AT, "granola"),
        "place names all rows of granola that could be released. Pass another file.",
    ),
    (
        errors.NoTextsError(AT),
        "place has no file that can be searched. Texts may be plain, JSON, Parquet or compressed.",
    ),
    (
        errors.NothingToVerifyError(AT, "pairs", "syn-qa"),
        "place has no pairs to verify. Build them: 'kgbuild syn-qa'.",
    ),
    (
        errors.UnverifiedError("model-1", 1000, 40, "It is too busy."),
        "40 of 1,000 assumptions are unverified, the others are verified: model-1 failed. "
        "It is too busy. Call the same again to go on.",
    ),
    (
        errors.FolderInUseError(Path("/")),
        "/ is not empty. Name a new folder with -o, or remove it first.",
    ),
    (
        errors.FolderInUseError(AT),
        "place is not a folder. Name a new folder with -o, or remove it first.",
    ),
]

WRONG_CALLS = {
    *(
        "AllExcludedError",
        "AmbiguousRelationError",
        "ColumnsError",
        "DatasetError",
        "EmptyQuestionError",
        "FolderInUseError",
        "ItemsFileError",
    ),
    *("MalformedIdError", "MissingColumnError", "NoKeyError", "NoModelError", "NoPathError"),
    *(
        "NoIdsError",
        "NoneInStoreError",
        "NoPipelineError",
        "NoQuestionColumnError",
        "NotAStoreError",
        "NoTextsError",
        "NotReviewedError",
        "NotHotpotQAError",
        "NotOfEndpointError",
    ),
    *("NothingInCommonError", "NothingToCompareError", "OutputExistsError"),
    *("RepeatedAnswerError", "SameDatabaseError", "SinceFileError", "SparqlError", "SpecError"),
    *("SqlError", "TableFileError", "TemplateError", "UnknownChoiceError", "UnknownItemError"),
    *("UnknownQuestionsError", "UnknownRelationError", "UnknownSizeError", "UnknownTableError"),
    *("UnreadableDumpError",),
}


def subclasses(base: type[KgbuildError]) -> set[type[KgbuildError]]:
    return {base}.union(*map(subclasses, base.__subclasses__()))


@pytest.mark.parametrize(("error", "sentence"), SENTENCES, ids=lambda one: type(one).__name__)
def test_the_sentence_of_an_error(error: KgbuildError, sentence: str) -> None:
    assert str(error) == sentence
    exit_code = WRONG_CALL if type(error).__name__ in WRONG_CALLS else FAILURE
    assert error.exit_code == exit_code


def test_every_error_has_a_sentence_and_says_when_it_is_raised() -> None:
    tested = {type(error) for error, _ in SENTENCES}
    assert tested == subclasses(KgbuildError) - {KgbuildError, WrongCallError}
    assert all((error.__doc__ or "").startswith("Raised ") for error in tested)
    assert all(vars(errors)[error.__name__] is error for error in tested)


@pytest.mark.parametrize("error", [error for error, _ in SENTENCES], ids=repr)
def test_an_error_comes_whole_out_of_another_process(error: KgbuildError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), vars(copy), str(copy)) == (type(error), vars(error), str(error))


def test_an_error_names_its_data_and_wants_all_of_it() -> None:
    assert repr(errors.SpecError("a", detail="b")) == "SpecError('a', 'b')"
    with pytest.raises(AttributeError, match="no attribute 'detail'"):
        errors.SpecError("a")  # type: ignore[call-arg]


def test_a_hostile_text_does_not_control_the_terminal() -> None:
    shown = str(errors.UnknownNameError("Evil\x1b]0;x\x07 na\nme\u202e", []))
    assert shown == "No item is called 'Evil�]0;x� na me�', and no name is similar."


def test_errors_rest_on_the_standard_library_only() -> None:
    code = (
        "import sys; import kgbuild.errors\n"
        "print(*(n for n in sys.modules if n.startswith('kgbuild')), 'dataclasses' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *modules, has_dataclasses = done.stdout.split()
    assert all(name == "kgbuild" or name.startswith("kgbuild.errors") for name in modules)
    assert has_dataclasses == "False"
