"""Asking models: from a built dataset over a real server to predictions, and to their scores."""

import json
import math
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from kgbuild.cli import cli
from kgbuild.datasets import all_datasets, database
from kgbuild.datasets.biokalma.scoring import prompts as biokalma
from kgbuild.datasets.biokalma.scoring.citations import Pool, parse
from kgbuild.datasets.biokalma.scoring.requests import retrieve_pools
from kgbuild.datasets.granola import prompts as granola
from tests.chat_server import Answer, ChatServer, grade_reply
from tests.conftest import ROOT, Run, commands

DOC = (ROOT / "docs" / "asking.md").read_text(encoding="utf-8")
EXPORTS = {
    dataset.command: dataset.scoring.predictions for dataset in all_datasets() if dataset.scoring
} | {
    "samples": "SELECT item_id AS question_id, text AS answer, model, protocol, sample "
    "FROM predictions WHERE protocol = 'sampled'",
    "confident": "SELECT item_id AS question_id, if(confidence < 0.5, 'IDK', text) AS answer, "
    "model, 'vanilla+confidence' AS protocol FROM predictions WHERE protocol = 'vanilla'",
}
"""Queries that give what files of predictions have."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, sample_store: Path) -> Path:
    """Return a database with two questions of each dataset."""
    db = tmp_path_factory.mktemp("ask") / "sets.duckdb"
    where = {"KGBUILD_STORE": str(sample_store), "KGBUILD_DB": str(db)}
    for command in (
        "syn-qa --relations P26 --perturb subject",
        "granola --relations P19",
        "biokalma --relations P26",
    ):
        done = CliRunner().invoke(cli, [*command.split(), "--limit", "2"], env=where)
        assert done.exit_code == 0, done.output
    return db


@pytest.fixture
def db(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(made, tmp_path / "sets.duckdb"))


@pytest.fixture
def run(db: Path, server: ChatServer) -> Run:
    """Return a function that runs the command line on that database and server."""
    return commands(KGBUILD_DB=db, OPENAI_BASE_URL=server.url, COLUMNS=100)


@pytest.fixture
def ask(run: Run) -> Run:
    """Return a function that asks a model, which must go well."""

    def asked(*arguments: object) -> Result:
        done = run("ask", *arguments, "--model", "parrot")
        assert done.exit_code == 0, done.output
        return done

    return asked


def export(run: Run, name: str, path: Path) -> list[dict[str, Any]]:
    """Save what a query gives, and return it."""
    done = run("sql", "--json", EXPORTS[name])
    path.write_text(done.stdout, encoding="utf-8")
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def scored(run: Run, *arguments: object) -> list[dict[str, Any]]:
    done = run("score", *arguments, "--json")
    assert done.exit_code == 0, done.output
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_the_cost_is_printed_before_and_after(ask: Run) -> None:
    granola = ("granola", "--protocol", "vanilla", "--prices", "2.5,10", "--max-tokens", 100)
    shown = ask(*granola).stderr
    # The replies to two questions have at most 2 * 100 tokens, for 10 per million.
    low, high = map(float, re.findall(r"between (\S+) .* and (\S+) \(if", shown)[0])
    assert high - low == pytest.approx(2 * 100 * 10 / 1e6)
    # The server counts 7 tokens in and 3 out for each of the two.
    assert "20 tokens, cost 0.0001, 0 cached" in shown  # 14 * 2.5 / 1e6 + 6 * 10 / 1e6
    again = ask(*granola).stderr
    assert "0 tokens, cost 0.0000, 2 cached" in again
    assert re.findall(r"between (\S+) .* and (\S+) \(if", again) == [("0.0000", "0.0000")]


def test_granola_is_asked_and_scored(
    run: Run, ask: Run, server: ChatServer, db: Path, tmp_path: Path
) -> None:
    gold = dict(
        database(db)
        .sql(
            "SELECT question, answer FROM granola_answers JOIN granola_questions"
            " USING (question_id) WHERE level = 1"
        )
        .rows
    )
    # Who may abstain does; who may not answers rightly.
    server.say = lambda sent: (
        "IDK"
        if "IDK" in sent["messages"][0]["content"]
        else next(answer for question, answer in gold.items() if question in str(sent))
    )
    told = ask("granola", "--protocol", "vanilla,idk")
    assert "parrot: 4 requests (2 questions × 2 protocols) of " in told.stderr
    assert "parrot: 4 requests, 40 tokens, 0 cached replies." in told.stderr
    assert "replies.sqlite: the same command asks for the others only.\n" in told.stderr
    assert export(run, "granola", tmp_path / "answers.json")[0].keys() == {
        *("question_id", "answer", "model", "protocol", "finish_reason", "confidence")
    }
    found = scored(run, "granola", tmp_path / "answers.json")
    assert [(one["protocol"], one["accuracy_of"], one["abstained"]) for one in found] == [
        ("idk", 2, 1),
        ("vanilla", 2, 0),
    ]
    assert [one["accuracy"] for one in found] == [0, 1]


def test_samples_are_rows_of_their_own_and_are_aggregated(
    run: Run, ask: Run, server: ChatServer, tmp_path: Path
) -> None:
    server.say = lambda _: "Lund\0"  # which a table can hold
    ask("granola", "--protocol", "sampled,vanilla", "--samples", 3, "--temperature", 0.5)
    # Two questions, three samples each, and the one answer of the plain protocol.
    assert sorted(sent["temperature"] for sent in server.sent) == [0.0, 0.0, *[0.5] * 6]
    # Back into the table, where they are scored; the samples themselves are not.
    assert run("aggregate", "--by", "majority").exit_code == 0
    counts = {row["protocol"]: row["accuracy_of"] for row in scored(run, "granola")}
    assert counts == {"vanilla": 2, "sampled+majority": 2}
    found = export(run, "samples", tmp_path / "samples.json")
    assert sorted(one["sample"] for one in found) == [0, 0, 1, 1, 2, 2]
    out = tmp_path / "answers.jsonl"
    done = run("aggregate", tmp_path / "samples.json", "-o", out, "--by", "majority")
    assert done.exit_code == 0, done.output
    (score,) = scored(run, "granola", out)
    assert (score["protocol"], score["accuracy_of"]) == ("sampled+majority", 2)


def test_syn_qa_is_asked_by_the_prompts_of_the_view(
    run: Run, ask: Run, server: ChatServer, db: Path, tmp_path: Path
) -> None:
    server.say = lambda _: "Yes."
    ask("syn-qa")
    prompts = [text for (text,) in database(db).sql("SELECT prompt FROM syn_qa_prompts").rows]
    # Beside those, each of the four questions is just asked.
    assert set(prompts) < set(server.asked) and len(server.asked) == len(prompts) + 4
    export(run, "syn-qa", tmp_path / "answers.json")
    found = scored(run, "syn-qa", tmp_path / "answers.json")
    assert {one["protocol"] for one in found} == {"zero-shot", "four-shot", "chain-of-thought"}
    # Yes is right of the false question of each pair, and of no pair as a whole.
    assert {(one["on_true"], one["on_false"], one["paired_accuracy"]) for one in found} == {
        (0, 1, 0)
    }


def test_syn_qa_is_asked_with_what_the_store_says(
    run: Run, ask: Run, server: ChatServer, db: Path, sample_store: Path, tmp_path: Path
) -> None:
    query = """
        SELECT question, subject_label, object_label FROM syn_qa_pairs
        UNION ALL SELECT false_question, replacement_label, object_label FROM syn_qa_pairs
    """
    joint = {
        asked: f"- {one} – spouse: {other}\n" for asked, one, other in database(db).sql(query).rows
    }

    def read(sent: dict[str, Any]) -> str:
        text = sent["messages"][-1]["content"]
        question = text.split("\nQuestion: ")[1].removesuffix("\nAnswer:")
        return "No." if joint[question] in text else "Yes."

    # Whoever reads the evidence can tell: of true questions only a statement joins the two.
    server.say = read
    ask("syn-qa", "--protocol", "with-evidence", "--store", sample_store)
    assert len(server.asked) == 4 and all(text.startswith("Evidence:\n- ") for text in server.asked)
    export(run, "syn-qa", tmp_path / "answers.json")
    (found,) = scored(run, "syn-qa", tmp_path / "answers.json")
    assert (found["protocol"], found["paired_accuracy"]) == ("with-evidence", 1)


def test_syn_qa_is_asked_with_what_somebody_found(
    run: Run, ask: Run, server: ChatServer, db: Path, tmp_path: Path
) -> None:
    ((pair_id, question),) = (
        database(db)
        .sql("SELECT pair_id, question FROM syn_qa_questions WHERE false_assumption LIMIT 1")
        .rows
    )
    file = tmp_path / "found.jsonl"
    record = {"pair_id": pair_id, "false_assumption": True, "evidence": ["one", "two"]}
    file.write_text(json.dumps(record), encoding="utf-8")
    # Only what there is evidence about is asked, whatever the protocol.
    ask("syn-qa", "--protocol", "with-search,zero-shot", "--evidence", file)
    by_protocol = {row["protocol"]: row for row in database(db).rows("predictions")}
    assert by_protocol.keys() == {"with-search", "zero-shot"} and len(server.asked) == 2
    prompt = next(text for text in server.asked if text.startswith("Evidence:\n- one\n- two\n"))
    assert prompt.endswith(f"Question: {question}\nAnswer:")
    record["pair_id"] = "other"
    file.write_text(json.dumps(record), encoding="utf-8")
    wrong = run(
        *("ask", "syn-qa", "--model", "parrot", "--protocol", "with-search", "--evidence", file)
    )
    assert wrong.exit_code == 2 and "the pair 'other' is not in the database" in wrong.stderr


def test_biokalma_is_asked_of_each_pool_and_scored(
    run: Run, ask: Run, server: ChatServer, db: Path, tmp_path: Path
) -> None:
    # Cites all that was given.
    server.say = lambda sent: " ".join(re.findall(r"^\[Q.*\]$", sent["messages"][-1]["content"], 8))
    ask("biokalma", "--protocol", "specific")
    ask("biokalma", "--protocol", "specific", "--removed", 2)
    ask("biokalma", "--protocol", "specific", "--accuracy", 20)
    export(run, "biokalma", tmp_path / "answers.json")
    found = scored(run, "biokalma", tmp_path / "answers.json")
    pools = [(one["removed"], one["accuracy"]) for one in found]
    assert pools == [(0, 20), (0, 100), (2, 100)]
    wrong, whole, less = found
    # What is given is in the pool; of two questions, round 2 lacks two pieces each.
    assert {one["correctness"] for one in found} == {1}
    needed = (
        database(db)
        .sql("SELECT count(*) FROM biokalma_knowledge WHERE scope <> 'general'")
        .rows[0][0]
    )
    assert whole["recall"] == 1 and less["recall"] == pytest.approx((needed - 4) / needed)
    assert wrong["recall"] < 1


def test_biokalma_is_asked_of_what_is_retrieved(
    run: Run, ask: Run, server: ChatServer, db: Path, sample_store: Path, tmp_path: Path
) -> None:
    server.say = lambda sent: " ".join(re.findall(r"^\[Q.*\]$", sent["messages"][-1]["content"], 8))
    given = ("--knowledge", "retrieved", "--store", sample_store)
    ask("biokalma", "--protocol", "specific", *given)
    # Items stand with their names, of which the database need not know.
    heading = re.compile(r"^\D[^\n]* \(Q\d+\):$", re.MULTILINE)
    assert all(heading.search(text) for text in server.asked)
    # The question names both of its subjects, and they are found: all that is asked for is given.
    export(run, "biokalma", tmp_path / "answers.json")
    (found,) = scored(run, "biokalma", tmp_path / "answers.json")
    assert (found["protocol"], found["recall"]) == ("specific-retrieved", 1)
    # Where nobody is found, nothing is given.
    assert retrieve_pools(sample_store, ["Who?"]) == ({"Who?": []}, {})


def test_biokalma_is_asked_of_what_is_irrelevant(
    run: Run, ask: Run, server: ChatServer, db: Path, tmp_path: Path
) -> None:
    pools = database(db).rows("biokalma_pool")
    ids = sorted({row["question_id"] for row in pools})
    server.say = lambda sent: " ".join(re.findall(r"^\[Q.*\]$", sent["messages"][-1]["content"], 8))
    ask("biokalma", "--protocol", "general", "--knowledge", "irrelevant")
    said = {row["item_id"]: row["text"] for row in database(db).rows("predictions")}
    # Of two questions, each is given the pool of the other.
    for question_id, other in zip(ids, reversed(ids), strict=True):
        cited = set(re.findall(r"\[(Q\d+),", said[question_id]))
        assert cited == {row["qid"] for row in pools if row["question_id"] == other}
    export(run, "biokalma", tmp_path / "answers.json")
    (found,) = scored(run, "biokalma", tmp_path / "answers.json")
    assert (found["protocol"], found["correctness"]) == ("general-irrelevant", 0)


def test_the_example_shows_what_scores() -> None:
    pool = Pool(biokalma.EXAMPLE)
    first, second, third = parse(biokalma.ANSWER, pool)
    assert [len(one.citations) for one in (first, second, third)] == [2, 1, 0]
    assert all(citation.is_correct for one in (first, second) for citation in one.citations)
    assert third.is_marked and third.text == "She was born in Ljubljana."


def test_a_prompt_names_the_items_of_a_pool_once() -> None:
    asked = biokalma.request("Who?", biokalma.EXAMPLE, {"Q900000001": "Emeric Vash"})
    lines = asked.messages[-1].content.splitlines()
    assert [line for line in lines if line.endswith(":")] == [
        "Emeric Vash (Q900000001):",
        "Q900000002 (Q900000002):",  # without a name, its id
    ]


def test_a_question_cannot_add_lines_to_a_prompt() -> None:
    (message,) = granola.request("vanilla", "Where?\nAnswer: here").messages
    assert message.content.endswith("\n\nQuestion: Where? Answer: here\nAnswer:")


def test_what_was_answered_is_not_sent_again(ask: Run, server: ChatServer, db: Path) -> None:
    ask("granola", "--protocol", "vanilla", "--limit", 1)
    first = database(db).rows("predictions")
    told = ask("granola", "--protocol", "vanilla")
    assert len(server.sent) == 2 and "1 cached replies" in told.stderr
    # A smaller limit takes what a larger one begins with.
    assert database(db).rows("predictions")[:1] == first


def test_only_what_was_asked_is_replaced(run: Run, ask: Run, db: Path) -> None:
    ask("granola", "--protocol", "vanilla,idk")
    ask("biokalma", "--protocol", "general")
    run("ask", "granola", "--model", "other, vanilla", "--protocol", "idk")
    before = database(db).rows("predictions")
    ask("granola", "--protocol", "idk", "--limit", 1)
    after = database(db).rows("predictions")
    assert after == before  # the answers to the other questions are of the same run
    ask("granola", "--protocol", "idk", "--limit", 1, "--max-tokens", 9)
    after = database(db).rows("predictions")
    gone = [row for row in before if row not in after]
    assert {(row["model"], row["protocol"]) for row in gone} == {("parrot", "idk")}
    assert len(gone) == 2 and len(after) == len(before) - 1  # other parameters, another run


def test_predictions_outlive_a_new_build(run: Run, ask: Run, db: Path, sample_store: Path) -> None:
    ask("granola", "--protocol", "vanilla")
    before = database(db).rows("predictions")
    assert run("granola", "--relations", "P69", "--store", sample_store).exit_code == 0
    assert database(db).rows("predictions") == before


def test_failures_are_counted_and_not_written(ask: Run, server: ChatServer, db: Path) -> None:
    server.plan = [Answer(), Answer(status=400, body='{"error": {"message": "too long"}}')]
    told = ask("granola", "--protocol", "vanilla", "--allow-missing")
    assert "1 left out: refused: HTTP 400: too long." in told.stderr
    assert len(database(db).rows("predictions")) == 1


def test_nothing_is_written_without_an_answer(run: Run, server: ChatServer, db: Path) -> None:
    server.otherwise = Answer(body=json.dumps({"choices": []}), status=422)
    done = run("ask", "granola", "--model", "parrot", "--protocol", "vanilla")
    assert done.exit_code == 1 and "none of 2 questions got an answer" in done.stderr
    assert database(db).rows("predictions") == []


def test_options_of_the_model_are_sent(ask: Run, server: ChatServer, db: Path) -> None:
    ask(
        *("granola", "--protocol", "vanilla", "--limit", 1, "--temperature", 0.2, "--top-p", 0.9),
        *("--max-tokens", 77, "--reasoning-effort", "low", "--system", "Be brief."),
        *("--extra-body", '{"seed": 7}', "--concurrency", 2, "--timeout", 30, "--retries", 0),
    )
    (sent,) = server.sent
    assert sent["messages"][0] == {"role": "system", "content": "Be brief."}
    expected = {
        **{"temperature": 0.2, "top_p": 0.9, "max_tokens": 77, "reasoning_effort": "low"},
        "seed": 7,
    }
    assert {name: sent[name] for name in expected} == expected
    (row,) = database(db).rows("predictions")
    assert json.loads(row["parameters"]) == expected
    same = ask("granola", "--protocol", "vanilla", "--limit", 1)
    assert "Replaced answers by the same protocols of earlier runs" in same.stderr
    assert "Replaced" not in ask("granola", "--protocol", "vanilla").stderr  # one more
    other = ask("granola", "--protocol", "vanilla", "--limit", 1, "--temperature", 0.2)
    assert "other questions, prompts or parameters: 2\n" in other.stderr
    assert len(database(db).rows("predictions")) == 1


def test_a_model_abstains_by_its_confidence(
    run: Run, ask: Run, server: ChatServer, tmp_path: Path
) -> None:
    def reply(probability: float) -> Answer:
        tokens = [{"logprob": math.log(probability)}]
        choice = {"message": {"content": "Lund"}, "logprobs": {"content": tokens}}
        return Answer(body=json.dumps({"choices": [choice]}))

    server.plan = [reply(0.9), reply(0.2)]
    ask("granola", "--protocol", "vanilla", "--extra-body", '{"logprobs": true}')
    found = export(run, "confident", tmp_path / "confident.json")
    assert sorted(row["answer"] for row in found) == ["IDK", "Lund"]
    (row,) = scored(run, "granola", tmp_path / "confident.json")
    assert (row["protocol"], row["abstained"]) == ("vanilla+confidence", 0.5)


def test_a_prompt_of_the_user_takes_the_place_of_ours(
    run: Run, ask: Run, server: ChatServer, db: Path, tmp_path: Path
) -> None:
    prompt = tmp_path / "my paper.txt"
    prompt.write_text('Q: {question}\nAnswer as {"answer": …}:', encoding="utf-8")
    questions = {text for (text,) in database(db).sql("FROM syn_qa_questions SELECT question").rows}
    server.say = lambda _: '{"answer": "yes"}'
    ask("syn-qa", "--protocol", "zero-shot", "--prompt", prompt)
    assert {*server.asked} == {f'Q: {text}\nAnswer as {{"answer": …}}:' for text in questions}
    (row,) = scored(run, "syn-qa")
    assert (row["protocol"], row["unparsed"], row["on_false"]) == ("zero-shot@my-paper", 0, 1)
    # Samples and generative answers by an own prompt are no answers to score, either.
    ask("syn-qa", "--protocol", "generative", "--prompt", prompt)
    assert len(scored(run, "syn-qa")) == 1
    told = "Not scored here, but by --generative --model NAME: 4 answers"
    assert told in run("score", "syn-qa").stderr
    prompt.write_text("{knowledge}\n{question}", encoding="utf-8")
    ask("biokalma", "--protocol", "general", "--prompt", prompt, "--limit", 1)
    assert server.asked[-1].startswith("[") or "):\n[Q" in server.asked[-1]


def test_generative_answers_are_judged(run: Run, ask: Run, server: ChatServer, db: Path) -> None:
    ask("syn-qa", "--protocol", "generative", "--limit", 1)

    def say(sent: dict[str, Any]) -> str:
        text = sent["messages"][0]["content"]
        # The judge sees whether what the question takes for granted holds, and the fact itself.
        is_false = "What it takes for granted is false." in text
        assert ("True instead: " in text) == is_false
        assert re.search(r"\nTakes for granted: \S.* – .* – \S.*\n", text)
        return (
            grade_reply("no", "It goes along with it.") if is_false else grade_reply("yes", "Fine.")
        )

    server.say = say
    judge = ("syn-qa", "--generative", "--model", "judge")
    (row,) = scored(run, *judge)
    shares = ("acceptable", "on_true", "on_false", "paired_acceptable", "unparsable")
    assert [row[name] for name in shares] == [0.5, 1, 0, 0, 0]
    kept = database(db).sql("SELECT metric, judge, value FROM scores WHERE judge <> ''").rows
    # Half of the control's answers are right on a true assumption and wrong on a false one.
    assert ("acceptable", "judge (control 20/40)", 0.5) in kept
    out = db.with_name("judged.jsonl")
    table = run("score", *judge, "-o", out)
    assert "acceptable" in table.stdout and "50% " in table.stdout
    assert "judge grades 20 of 40 judged replies as people do." in table.stderr
    records = [json.loads(line) for line in out.read_text().splitlines()]
    assert {(r["false_assumption"], r["acceptable"], r["justification"]) for r in records} == {
        (True, False, "It goes along with it."),
        (False, True, "Fine."),
    }
    # The report shows what the judge said of each, and by its verdicts compares models.
    server.say = lambda _: "In Peru."
    run("ask", "syn-qa", "--protocol", "generative", "--limit", 1, "--model", "other")
    server.say = say
    run("score", *judge)
    run("report", "-o", db.with_name("report.html"))
    page = db.with_name("report.html").read_text(encoding="utf-8")
    by = "judge (control 20/40)"
    assert f"other · generative: right by judge {by} (Fine.)" in page
    assert f"generative · false assumption: wrong by judge {by} (It goes along with it.)" in page
    assert f"<h3>Syn-(QA)² by {by}: acceptable answers</h3>" in page
    assert f"Differences between models on the same questions of Syn-(QA)², by {by}" in page
    server.say = lambda _: grade_reply("perhaps")
    row, _ = scored(run, *judge, "--cache-key", "another")
    assert (row["acceptable"], row["unparsable"]) == (None, 1)


def test_unfinished_answers_and_other_models_are_reported(
    ask: Run, server: ChatServer, db: Path
) -> None:
    def body(name: str, reason: str, **message: Any) -> Answer:
        choices = [{"message": message, "finish_reason": reason}]
        return Answer(body=json.dumps({"model": name, "choices": choices}))

    server.plan = [
        body("parrot-1", "length", content="", reasoning_content="Hm."),
        body("parrot-2", "content_filter", content=None),
    ]
    done = ask("granola", "--protocol", "vanilla", "--concurrency", 1)
    for line in (
        "1 of 2 answers are cut.",
        "1 of 2 answers are filtered.",
        "The server answered by several models: parrot-1 (1), parrot-2 (1).",
    ):
        assert line in done.stderr
    rows = {row["server_model"]: row for row in database(db).rows("predictions")}
    assert (rows["parrot-1"]["finish_reason"], rows["parrot-1"]["reasoning"]) == ("length", "Hm.")
    assert rows["parrot-2"]["finish_reason"] == "content_filter"


def test_a_server_that_breaks_midway_is_told_counted_and_resumed(
    run: Run, server: ChatServer, db: Path
) -> None:
    arguments = ("ask", "granola", "--model", "parrot", "--concurrency", 1, "--retries", 0)
    server.plan = [Answer()] * 3
    server.otherwise = Answer(body="x" * (2**24 + 1))
    done = run(*arguments)
    assert done.exit_code == 1
    assert (
        "5 of 8 requests got no answer, and the answers to the others are written. " in done.stderr
    )
    report = "5 left out: nonsense: the response is larger than 16 MiB."
    assert report in " ".join(done.stderr.split())
    assert len(database(db).rows("predictions")) == 3
    assert run(*arguments, "--allow-missing").exit_code == 0
    # The server is well again: only what is missing is asked.
    server.otherwise, before = Answer(), len(server.sent)
    assert "left out" not in run(*arguments).stderr
    assert len(database(db).rows("predictions")) == 8
    assert len(server.sent) - before == 5


def test_documentation_tells_of_all_protocols() -> None:
    protocols = [protocol.name for dataset in all_datasets() for protocol in dataset.protocols]
    assert len(protocols) > 8 and all(f"`{name}`" in DOC for name in protocols)
