"""Detection of false assumptions: what models are asked, how they are understood and scored."""

import csv
import dataclasses
import gzip
import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from kgbuild.cli import cli
from kgbuild.datasets import database, dataset
from kgbuild.datasets.syn_qa.rows import Pair
from kgbuild.datasets.syn_qa.scoring.metrics import score
from kgbuild.datasets.syn_qa.scoring.verdicts import NO, REFUSED, UNDECIDED, YES, parse, verdict
from kgbuild.errors import TableFileError, WrongCallError
from kgbuild.evaluate.answers import OF_A_PAIR, Answer, answers
from kgbuild.evaluate.bootstrap import Share
from kgbuild.rows import Build, Built, Provenance
from kgbuild.tables.files import read_file
from tests.conftest import ROOT, write_once
from tests.scored import shares, values

SOURCE = Provenance(seed=0, options={}, files=[], store_fingerprint="f" * 32, store_triples=7)
HOSTILE = """When did {question} "marry" 'Bob' -- ; DROP TABLE x || \\n {0} %s 😀?"""
PROTOCOLS = ("zero-shot", "four-shot", "chain-of-thought")
COLUMNS = ("pair_id", "false_assumption", "answer")


def pair(pair_id: str, relation: str, question: str, false_question: str, falsity: str) -> Pair:
    return Pair(
        pair_id=pair_id,
        relation=relation,
        relation_label="",
        template_id=f"{relation}-1",
        hops=1,
        subject_qid="Q1",
        subject_label="Ann",
        replacement_qid="Q3",
        replacement_label="Cleo",
        object_qid="Q2",
        object_label="Bob",
        overlap=3,
        similarity="property_overlap",
        question=question,
        false_question=false_question,
        falsity=falsity,
        risk=0.0,
        split="train",
    )


def write(db: Path, *pairs: Pair) -> Path:
    builds = [
        Built(
            relation,
            {"syn_qa_pairs": [dataclasses.asdict(p) for p in pairs if p.relation == relation]},
        )
        for relation in sorted({pair.relation for pair in pairs})
    ]
    return write_once(db, Build(dataset("syn_qa"), builds, SOURCE))


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """Return a database with three pairs, whose ids are the letters a to c."""
    return write(
        tmp_path / "datasets.duckdb",
        pair("a", "P26", "When did Ann marry Bob?", "When did Cleo marry Bob?", "closed"),
        pair("b", "P26", "When did Ann marry Bo?", "When did Cleo marry Bo?", "absent"),
        pair("c", "P108", "When did Ann join Corp?", "When did Cleo join Corp?", "closed"),
    )


def prompts(db: Path) -> dict[tuple[str, bool, str], str]:
    found = database(db).sql("FROM syn_qa_prompts")
    assert found.columns == ["pair_id", "false_assumption", "protocol", "prompt"]
    return {row[:3]: row[3] for row in found.rows}


def test_every_question_is_asked_in_every_protocol(db: Path) -> None:
    # In the order of the questions, and then of what the protocols ask of a model.
    assert list(prompts(db)) == [
        (pair_id, false_assumption, protocol)
        for pair_id in "abc"
        for false_assumption in (False, True)
        for protocol in PROTOCOLS
    ]


def test_the_plain_prompt(db: Path) -> None:
    assert prompts(db)["a", True, "zero-shot"] == (
        "A question contains a false assumption if it takes for granted something that is not "
        "true. Does the last question below contain a false assumption? Answer with one word, "
        "yes or no.\n\nQuestion: When did Cleo marry Bob?\nAnswer:"
    )


@pytest.mark.parametrize("protocol", PROTOCOLS[1:])
def test_examples_alternate_and_the_question_comes_last(db: Path, protocol: str) -> None:
    *shots, last = prompts(db)["a", False, protocol].split("\n\n")[1:]
    assert [shot.splitlines()[-1] for shot in shots] == [
        "Answer: yes",
        "Answer: no",
        "Answer: yes",
        "Answer: no",
    ]
    begin = "Answer:" if protocol == "four-shot" else "Reasoning:"
    assert last == f"Question: When did Ann marry Bob?\n{begin}"


def test_examples_of_a_prompt_are_understood_as_they_are_meant(db: Path) -> None:
    # A model that answers as the examples do is parsed.
    *shots, _ = prompts(db)["a", False, "chain-of-thought"].split("\n\n")[1:]
    replies = [shot.partition("\nReasoning: ")[2] for shot in shots]
    assert [parse(reply) for reply in replies] == [True, False, True, False]


def test_whatever_a_question_holds_stays_as_it_is(tmp_path: Path) -> None:
    asked = prompts(write(tmp_path / "db", pair("a", "P26", HOSTILE, HOSTILE[::-1], "closed")))
    for protocol in PROTOCOLS:
        assert asked["a", False, protocol].count(f"\n\nQuestion: {HOSTILE}\n") == 1
        assert asked["a", True, protocol].count(f"\n\nQuestion: {HOSTILE[::-1]}\n") == 1


TEXTS_OF = tomllib.loads((ROOT / "tests/cases/verdicts.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("name", "said"), [("yes", True), ("no", False), ("neither", None)])
def test_texts_are_understood(name: str, said: bool | None) -> None:
    assert [text for text in TEXTS_OF[name] if parse(text) is not said] == []


@given(st.sampled_from(["yes", "no"]), st.text("*_`'\". \n!()"), st.text("*_`'\". \n!()"))
def test_marks_around_an_answer_do_not_matter(word: str, before: str, after: str) -> None:
    assert parse(before + word + after) is (word == "yes")


@given(st.lists(st.sampled_from(["I", "know", "nothing", "eyes", "now", "none", "yesterday"])))
def test_words_that_hold_an_answer_are_none(words: list[str]) -> None:
    assert parse(" ".join(words)) is None


LONG = ("\n", "yes ", "Answer:\n", "assumption ", "answer is ", "'a': ", "I cannot ")


@pytest.mark.parametrize("part", [*LONG, "false premise, "])
def test_long_answers_take_no_long_time(part: str) -> None:
    # A pattern that goes back over the text for each of its characters would never end.
    assert parse("x " + part * 10_000) in (True, False, None)


def test_a_score_counted_by_hand() -> None:
    made = score(
        [
            Answer("a", False, "no"),
            Answer("a", True, "yes"),  # the one pair with both right
            Answer("b", False, "yes"),
            Answer("b", True, "yes"),
            Answer("c", False, "no"),
            Answer("c", True, "hm"),  # wrong, and not among the parsed
            Answer("d", True, "no"),  # half a pair
        ]
    )
    assert shares(made) == {
        "accuracy": Share(4, 7),
        "on_true": Share(2, 3),
        "on_false": Share(2, 4),
        "bias": Share(3 - 3, 6),  # of six parsed, three said yes, three were false
        "paired_accuracy": Share(1, 3),
        "incomplete": Share(1, 4),
        "unparsed": Share(1, 7),
        "refused": Share(0, 7),
    }


def test_refusals_are_told_apart() -> None:
    made = score(
        [
            Answer("a", False, "I'm sorry, but I can't help with that."),
            Answer("a", True, "Perhaps."),
            Answer("b", True, "Yes. I cannot help with more."),  # a verdict all the same
            Answer("b", False, "I don't have enough information."),
        ]
    )
    assert (shares(made)["unparsed"], shares(made)["refused"]) == (Share(3, 4), Share(2, 4))


REPLIES = {
    part: [
        json.loads(line)
        for line in (ROOT / "tests" / "replies" / f"verdicts-{part}.jsonl").open(encoding="utf-8")
    ]
    for part in ("development", "holdout")
}
"""Replies and their verdicts as people read them. Nobody looks at the failures of the holdout."""


def agreement(part: str, *classes: str) -> tuple[int, int]:
    """Return how many replies of these classes are read as people do, and of how many.

    A reply that does not know was undecided for the readers, and is refused for the program.
    """
    of = [reply for reply in REPLIES[part] if reply["verdict"] in classes]
    accepted = {YES: {YES}, NO: {NO}, REFUSED: {REFUSED}, UNDECIDED: {UNDECIDED, REFUSED}}
    return sum(verdict(reply["reply"]) in accepted[reply["verdict"]] for reply in of), len(of)


def test_all_replies_for_development_are_read_as_people_do() -> None:
    assert agreement("development", YES, NO) == (290, 290)
    assert agreement("development", REFUSED) == (22, 22)
    assert agreement("development", UNDECIDED) == (85, 85)


def test_replies_that_were_held_out_are_read_as_people_do() -> None:
    assert agreement("holdout", YES, NO) == (119, 119)  # at the first reading 115
    assert agreement("holdout", REFUSED) == (9, 9)
    assert agreement("holdout", UNDECIDED) == (35, 36)


@given(st.text() | st.text(alphabet="yesno .,:;'\"{}[]<>/*_-\n"))
def test_a_verdict_is_one_of_the_classes(text: str) -> None:
    assert verdict(text) in (YES, NO, REFUSED, UNDECIDED)


@given(
    st.sampled_from(["Yes", "No"]),
    st.sampled_from(["{}.", "The answer is {}.", "<answer>{}</answer>", "Verdict: {}", "So, {}."]),
    st.sampled_from(["", "He was born in Lund. ", "<think>yes or no?</think>", "No one knows. "]),
)
def test_a_reason_before_a_verdict_does_not_matter(word: str, form: str, before: str) -> None:
    assert verdict(before + form.format(word)) == word.lower()


@pytest.mark.parametrize(("word", "bias"), [("yes", 0.5), ("no", -0.5)])
def test_always_the_same_answer_is_half_right_and_no_pair(word: str, bias: float) -> None:
    made = score([Answer(p, truth, word) for p in "abcd" for truth in (False, True)])
    assert (values(made)["accuracy"], values(made)["bias"]) == (0.5, bias)
    assert shares(made)["paired_accuracy"] == Share(0, 4)


def test_nothing_parsed_has_no_bias() -> None:
    made = score([Answer("a", False, ""), Answer("a", True, "hm")])
    assert (values(made)["accuracy"], values(made)["bias"], values(made)["unparsed"]) == (
        0,
        None,
        1,
    )


SAID = st.dictionaries(
    st.tuples(st.sampled_from("abcdef"), st.booleans()),
    st.sampled_from(["yes", "no", "hm"]),
    min_size=1,
)


@settings(max_examples=30)  # each draws thousands of samples
@given(SAID)
def test_scores_agree_with_each_other(said: Mapping[tuple[str, bool], str]) -> None:
    made = score([Answer(*asked, text) for asked, text in said.items()])
    told, parsed = shares(made), len(said) - shares(made)["unparsed"].hits
    assert told["accuracy"].hits == told["on_true"].hits + told["on_false"].hits
    assert told["accuracy"].total == told["on_true"].total + told["on_false"].total == len(said)
    assert 2 * told["paired_accuracy"].total + told["incomplete"].hits == len(said)
    assert 2 * told["paired_accuracy"].hits <= told["accuracy"].hits <= parsed
    if parsed:
        # False alarms less what was overlooked, of the parsed.
        alarms = sum(text == "yes" and not truth for (_, truth), text in said.items())
        missed = sum(text == "no" and truth for (_, truth), text in said.items())
        assert values(made)["bias"] == pytest.approx((alarms - missed) / parsed)


def record(
    pair_id: object, false_assumption: object, answer: object, **more: str
) -> dict[str, Any]:
    return {"pair_id": pair_id, "false_assumption": false_assumption, "answer": answer, **more}


def checked(records: Sequence[dict[str, Any]]) -> list[Answer]:
    columns = list(records[0]) if records else []
    return answers(Path("f.csv"), columns, records, OF_A_PAIR, {"a", "b"})


@pytest.mark.parametrize("truth", [True, False])
def test_true_and_false_are_written_in_many_ways(truth: bool) -> None:
    for written in (truth, str(truth), str(truth).lower(), str(truth).upper(), int(truth)):
        assert checked([record("a", written, "yes")]) == [Answer("a", truth, "yes")]
        assert checked([record("a", str(int(truth)), "yes")]) == [Answer("a", truth, "yes")]


def test_no_answer_is_an_empty_one() -> None:
    assert checked([record("a", False, None, model="m")]) == [Answer("a", False, "", "m")]


def test_files_that_cannot_be_scored_are_refused() -> None:
    with pytest.raises(TableFileError) as empty:
        checked([])
    assert empty.value.detail == "it has no answers"

    with pytest.raises(TableFileError) as unclear:
        checked([record("a", "true", ""), record("a", "maybe", "")])
    assert unclear.value.detail == "the false_assumption of answer 2 is 'maybe', not true or false"

    with pytest.raises(WrongCallError, match="has no column") as missing:
        checked([{"pair_id": "a", "false_assumption": True, "answr": "", "note": ""}])
    assert "no column 'answer'. It has: " in str(missing.value)
    assert " Similar: answr." in str(missing.value)
    assert "It has: pair_id, false_assumption, answr, note." in str(missing.value)

    with pytest.raises(WrongCallError, match="are to questions that are not in") as unknown:
        checked([record("a", True, ""), record("x", True, ""), record("y", True, "")])
    assert "2 of the 3 answers" in str(unknown.value) and "such as 'x'" in str(unknown.value)

    with pytest.raises(WrongCallError, match="answer the same question: ") as repeated:
        checked([record("a", 1, "yes", model="m"), record("a", True, "no", model="m")])
    assert "pair_id 'a', false_assumption 'true', model 'm'." in str(repeated.value)


def test_another_model_or_protocol_may_answer_the_same() -> None:
    told = [("m", "p"), ("n", "p"), ("m", "q")]
    records = [record("a", True, "yes", model=model, protocol=name) for model, name in told]
    assert [(answer.model, answer.protocol) for answer in checked(records)] == told


def save(path: Path, records: Sequence[Mapping[str, Any]]) -> Path:
    if path.suffix == ".jsonl":
        text = "".join(f"{json.dumps(one)}\n" for one in records)
        path.write_text(text, encoding="utf-8")
    else:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(records[0]))
            writer.writeheader()
            writer.writerows(records)
    return path


def read(path: Path) -> list[dict[str, Any]]:
    result = read_file(path)
    return [dict(zip(result.columns, row, strict=True)) for row in result.rows]


@pytest.mark.parametrize("name", ["a[1]*?.csv", "a'); DROP TABLE x; --.csv", "model=m/a.csv"])
def test_a_name_is_a_name(tmp_path: Path, name: str) -> None:
    # No pattern (a1b.csv would match the first), no SQL, no folder that gives a column.
    save(tmp_path / "a1bc.csv", [record("other", "true", "")])
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    records = [record("a", "true", "yes")]
    assert read(save(path, records)) == records


def test_an_address_is_not_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TableFileError) as error:
        read_file(Path("https://example.org/answers.csv"))
    assert error.value.detail == "No such file or directory"  # looked for on the disk


@pytest.mark.parametrize(
    ("name", "content", "detail"),
    [
        ("a.txt", b"", "its name ends with none of .jsonl, .json, .csv, .tsv, .parquet"),
        ("a.csv", b"pair_id,answer\na,Yes, it does\n", "line 2 has 3 fields, and the header 2"),
        ("a.csv", b"pair_id,answer\na,n\xe9\n", "line 2 is not UTF-8; save it as UTF-8"),
        ("a.csv", "a,b\n".encode("utf-16"), "it is UTF-16; save it as UTF-8"),
        ("a.csv", b"a,b,a\n1,2,3\n", "several of its columns are called 'a'"),
        ("a.csv", b'a,b\n1,"2\n', "line 2: unexpected end of data"),
        (
            "a.csv.gz",
            gzip.compress(b"a,b\n1,2\n" * 99, mtime=0)[:-9],
            "ended before the end-of-stream",
        ),
        ("a.json", b"[1]", "record 1 is not an object"),
        ("a.json", b'[{"a": 1}] x', "Malformed JSON in line 1: Expecting value"),
        ("a.json", b'[{"a": 1},\n', "Malformed JSON in line 2: it is cut short"),
        ("a.parquet", bytes(range(256)) * 4, "it is not a Parquet file"),
    ],
)
def test_what_a_file_does_not_hold_is_told(
    tmp_path: Path, name: str, content: bytes, detail: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(TableFileError) as error:
        read_file(tmp_path / name)
    assert detail in error.value.detail and "LINE 1" not in error.value.detail


Score = Callable[..., Result]


@pytest.fixture
def run(db: Path) -> Score:
    """Return a function that runs the command line on the three pairs."""
    return lambda *arguments: CliRunner().invoke(
        cli, [*map(str, arguments), "--db", str(db)], env={"COLUMNS": "120"}
    )


GIVEN = [
    # Model m has a and c right, and of b one side; n knows nothing but yes.
    *(record("a", truth, "yes" if truth else "no", model="m") for truth in (False, True)),
    record("b", False, "hm", model="m"),
    *(record("c", truth, "yes" if truth else "no", model="m") for truth in (False, True)),
    *(record("a", truth, "yes", model="n") for truth in (False, True)),
]


ENDS = ("", "_interval", "_of")


def test_scores_by_model(run: Score, tmp_path: Path) -> None:
    done = run("score", "syn-qa", save(tmp_path / "a.jsonl", GIVEN), "--json")
    one, other = json.loads(done.stdout)
    shown = {
        **{"accuracy": (0.8, 5), "on_true": (2 / 3, 3), "on_false": (1.0, 2), "bias": (0.0, 4)},
        **{"paired_accuracy": (1.0, 2), "incomplete": (1 / 3, 3), "unparsed": (0.2, 5)},
        "refused": (0.0, 5),
    }
    assert {name: (one[name], one[f"{name}_of"]) for name in shown} == shown
    assert one["bias_interval"] is None  # every pair adds the same: nothing
    assert one.keys() == {"model", *(f"{name}{end}" for name in shown for end in ENDS)}
    # A sample has b, of one wrong answer, up to three times among three pairs.
    assert one["accuracy_interval"] == [0.0, 1.0]
    # Both complete pairs are right, of which Wilson says 2 / (2 + z²) and more.
    assert one["paired_accuracy_interval"] == [pytest.approx(2 / (2 + 3.8415), abs=1e-4), 1.0]
    assert (other["model"], other["accuracy"], other["bias"]) == ("n", 0.5, 0.5)
    assert "only one answered question, and so not counted: 1" in done.stderr


def test_results_of_answers(run: Score, tmp_path: Path) -> None:
    path, out = save(tmp_path / "a.jsonl", GIVEN), tmp_path / "judged.jsonl"
    assert run("score", "syn-qa", path, "-o", out).exit_code == 0
    records = [json.loads(line) for line in out.read_text().splitlines()]
    results = {(r["model"], r["pair_id"], r["false_assumption"]): r for r in records}
    assert len(results) == len(GIVEN)
    assert results["m", "b", False]["verdict"] == "undecided"
    assert [results["n", "a", truth]["right"] for truth in (False, True)] == [False, True]
    assert run("score", "syn-qa", path, "-o", path).exit_code == 2  # the answers themselves
    assert run("score", "syn-qa", path, "-o", out, "--compare").exit_code == 2


def test_refusals_are_reported(run: Score, tmp_path: Path) -> None:
    records = [record("a", False, "I cannot help with that.", model="m"), *GIVEN[1:]]
    done = run("score", "syn-qa", save(tmp_path / "a.jsonl", records))
    assert "Refused, and so unparsed: 1 of 5 answers (m)" in done.stderr.splitlines()


def test_answers_to_the_questions_themselves_are_no_verdicts(run: Score, tmp_path: Path) -> None:
    records = [{**one, "protocol": "generative@mine"} for one in GIVEN]
    done = run("score", "syn-qa", save(tmp_path / "a.jsonl", records))
    assert done.exit_code == 2 and "scored by --generative --model NAME" in done.stderr
    records += [{**one, "protocol": "zero-shot"} for one in GIVEN]
    done = run("score", "syn-qa", save(tmp_path / "b.jsonl", records), "--json")
    rows = json.loads(done.stdout)
    assert {row["protocol"] for row in rows} == {"zero-shot"}
    assert sum(row["accuracy_of"] for row in rows) == len(GIVEN)
    assert f"{len(GIVEN)} answers" in done.stderr


def test_answers_to_pairs_that_verify_removed_are_left_out(
    run: Score, db: Path, tmp_path: Path
) -> None:
    joined = pair("c", "P108", "When did Ann join Corp?", "When did Cleo join Corp?", "closed")
    corp = dataclasses.replace(joined, object_qid="Q5", object_label="Corp")
    rows = {"syn_qa_pairs": [dataclasses.asdict(corp)]}
    database(db).write(Build(dataset("syn_qa"), [Built("P108", rows)], SOURCE))
    path = save(tmp_path / "a.jsonl", GIVEN)
    texts = save(tmp_path / "texts.jsonl", [{"id": "Q3", "text": "Cleo works at Corp."}])
    assert run("verify", "syn-qa", "--texts", texts).exit_code == 0
    done = run("score", "syn-qa", path, "--json")
    left = [one for one in GIVEN if one["pair_id"] != "c"]
    assert sum(row["accuracy_of"] for row in json.loads(done.stdout)) == len(left) < len(GIVEN)
    assert f"that verify removed, and so not scored: {len(GIVEN) - len(left)} of" in done.stderr
    other = run("score", "syn-qa", save(tmp_path / "b.jsonl", [*GIVEN, record("x", True, "yes")]))
    assert other.exit_code == 2 and "not in the database, such as 'x'" in other.stderr


def test_scores_by_relation_as_a_table(run: Score, tmp_path: Path) -> None:
    done = run("score", "syn-qa", save(tmp_path / "a.csv", GIVEN[:5]), "--by", "relation")
    rows = [line.split() for line in done.stdout.splitlines()]
    # P26 before P108. Of P26, one of two answers to true assumptions is right: either pair of the
    # two may be drawn twice. The one false assumption has Wilson's interval.
    assert rows[-2][:2] == ["m", "P26"] and rows[-1][:2] == ["m", "P108"]
    assert rows[-2][2:] == [
        *("3", "67%", "(0–100)", "50%", "(0–100)", "100%", "(21–100)", "+0%"),
        *("100%", "(21–100)", "33%"),
    ]


@pytest.mark.parametrize("by", ["falsity", "hops", "perturbed", "confusability", "model"])
def test_ways_to_group(run: Score, tmp_path: Path, by: str) -> None:
    records = [{**one, "protocol": "p"} for one in GIVEN]
    rows = json.loads(
        run("score", "syn-qa", save(tmp_path / "a.jsonl", records), "--by", by, "--json").stdout
    )
    assert sum(row["accuracy_of"] for row in rows) == len(records)
    assert all(by in row and row["protocol"] == "p" for row in rows)
