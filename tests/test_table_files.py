"""Users' files: a text comes out as it stands there, whatever stands in the other rows."""

import bz2
import csv
import gzip
import io
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kgbuild.cells import dumps, parsed, text_of
from kgbuild.errors import TableFileError, WrongCallError
from kgbuild.tables.files import read_file, read_rows

Row = dict[str, str]  # the JSON of each cell

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
DATES = st.sampled_from(["1867-11-07T00:00:00+02:00", "2020-01-01", "[1939]", "{}", '"a"', "NULL"])
NUMBERS = st.from_regex(
    r"-?(0|[1-9][0-9]{0,40})(\.[0-9]{1,5})?([eE][+-]?[0-9]{1,3})?", fullmatch=True
)
CELLS = st.one_of(
    (TEXTS | DATES).map(json.dumps),
    (TEXTS | DATES).map(lambda text: json.dumps(text, ensure_ascii=False)),
    NUMBERS,
    st.sampled_from(["true", "false", "null", '["a", 1.50]', '{"a": [1e3, null, true]}', "[]"]),
)
ROWS = st.lists(st.dictionaries(st.sampled_from("abc"), CELLS), min_size=1)


def wanted(cell: str) -> str:
    """Return the text of a cell that is written as JSON; None is an empty one."""
    if cell == "null":
        return ""
    return str(json.loads(cell)) if cell.startswith('"') else cell


def jsonl(rows: list[Row]) -> str:
    return "".join(f"{record(row)}\n" for row in rows)


def record(row: Row) -> str:
    return "{" + ", ".join(f'"{name}": {cell}' for name, cell in row.items()) + "}"


def table(rows: list[Row], delimiter: str) -> str:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, "abc", delimiter=delimiter)
    writer.writeheader()
    writer.writerows({name: wanted(cell) for name, cell in row.items()} for row in rows)
    return text.getvalue()


WRITERS: dict[str, Callable[[list[Row]], bytes]] = {
    "a.jsonl": lambda rows: jsonl(rows).encode(),
    "b.jsonl": lambda rows: jsonl(rows).replace("\n", "\r\n\r\n").encode("utf-8-sig"),
    "c.jsonl": lambda rows: jsonl(rows).rstrip().encode(),  # no end of the last line
    "a.jsonl.gz": lambda rows: gzip.compress(jsonl(rows).encode()),
    "a.json": lambda rows: f"[{','.join(map(record, rows))}]".encode("utf-8-sig"),
    "b.json": lambda rows: (" [\n" + " ,\n".join(map(record, rows)) + "\n ]\n").encode(),
    "c.json": lambda rows: "".join(record(row).replace("{", "{\n", 1) for row in rows).encode(),
    "a.json.xz": lambda rows: lzma.compress(jsonl(rows).encode()),
    "a.csv": lambda rows: table(rows, ",").encode(),
    "b.csv": lambda rows: table(rows, ";").encode("utf-8-sig"),
    "a.tsv": lambda rows: table(rows, "\t").encode(),
    "a.csv.bz2": lambda rows: bz2.compress(table(rows, "\t").encode()),
}


@settings(max_examples=25)
@given(ROWS)
@example([{"a": '"Rome"'}, {"a": "5"}])  # one number made quoted texts of all others
@example([{"a": '"1867-11-07T00:00:00+02:00"'}])  # became the day before
@example([{"a": "0.10", "b": "1939.0"}, {"b": '"x"'}, {"c": '"\\ud83d\\ude00"'}])
def test_a_text_depends_on_no_other_row_and_no_format(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Row]
) -> None:
    folder = tmp_path_factory.mktemp("files")
    texts = [{name: wanted(row.get(name, "null")) for name in "abc"} for row in rows]
    for name, write in WRITERS.items():
        path = folder / name
        path.write_bytes(write(rows))
        read = [{name: text_of(one.get(name)) for name in "abc"} for one in read_file(path).records]
        assert read == texts, name


def test_parquet_says_what_the_others_say(tmp_path: Path) -> None:
    query = """
        SELECT 'Rome' AS a, 1939.0::DOUBLE AS b, 0.10::DECIMAL(4, 2) AS c, true AS d,
            ['a', 'b'] AS e, {'x': 1, 'y': NULL} AS f, NULL AS g, DATE '2020-01-01' AS "h ""1"
        UNION ALL SELECT '[5]', 5, 6, false, [], NULL, 7, NULL
    """
    duckdb.sql(f"COPY ({query}) TO '{tmp_path}/a.parquet'")
    read = read_file(tmp_path / "a.parquet")
    assert read.columns == [*"abcdefg", 'h "1']
    nested = (["a", "b"], {"x": "1", "y": None})
    assert read.rows == [
        ("Rome", "1939.0", "0.10", "true", *nested, None, "2020-01-01"),
        ("[5]", "5.0", "6.00", "false", [], None, "7", None),
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("[1.50::DECIMAL(5, 2), NULL]", "[1.50, null]"),
        ("[[12345678901234567890.12345::DECIMAL(38, 5)]]", "[[12345678901234567890.12345]]"),
        ("[18446744073709551615::UBIGINT]", "[18446744073709551615]"),
        ("MAP {'a': 1.50::DECIMAL(4, 2)}", '{"a": 1.50}'),
        ("MAP {1.50::DECIMAL(4, 2): 0.1::FLOAT}", '{"1.50": 0.1}'),
        (
            """{'a "b': 1.50::DECIMAL(4, 2), 'c': true, 'd': '1.50'}""",
            '{"a \\"b": 1.50, "c": true, "d": "1.50"}',
        ),
        ("""'{"a": 1.50, "b": [1e3, null]}'::JSON""", '{"a": 1.50, "b": [1e3, null]}'),
        ("""['{"a": 1.50}'::JSON]""", '[{"a": 1.50}]'),
        ("'true'::JSON", "true"),
        ("0.1::FLOAT", "0.1"),
        ("[0.1::FLOAT]", "[0.1]"),
        ("NULL::DECIMAL(4, 2)[]", ""),
    ],
)
def test_nested_numbers_of_parquet_keep_their_form(tmp_path: Path, value: str, text: str) -> None:
    duckdb.sql(f"COPY (SELECT {value} AS a) TO '{tmp_path}/a.parquet'")
    ((cell,),) = read_file(tmp_path / "a.parquet").rows
    assert text_of(cell) == text


def test_numbers_are_written_as_they_were_read(tmp_path: Path) -> None:
    line = '{"a": 1.50, "b": [1e3, true, null], "c": "1.50", "d": false, "é": {"x": Infinity}}'
    (tmp_path / "a.jsonl").write_text(line)
    assert [dumps(one) for one in read_file(tmp_path / "a.jsonl").records] == [line]


@pytest.mark.parametrize("depth", [*range(200, 1001, 50), 100_000])
@pytest.mark.parametrize(("start", "end"), [("[", "]"), ('{"a": ', "}")])
def test_nesting_beyond_python_is_an_error(
    tmp_path: Path, depth: int, start: str, end: str
) -> None:
    nested = start * depth + "1" + end * depth
    (tmp_path / "a.jsonl").write_text(f'{{"q": {nested}}}\n')
    with pytest.raises(TableFileError, match="nested too deeply"):
        read_file(tmp_path / "a.jsonl")
    assert parsed(nested) == nested  # a text in a cell


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("['Warsaw', 'Warszawa']", ["Warsaw", "Warszawa"]),  # Python
        ("['Warsaw' 'Warszawa']", ["Warsaw", "Warszawa"]),  # NumPy
        ("('Warsaw', 'Warszawa')", ["Warsaw", "Warszawa"]),
        ("{'b', 'a'}", ["a", "b"]),
        ("[np.str_('Warsaw')]", ["Warsaw"]),
        ("{'text': array(['Oslo'],\n dtype=object)}", {"text": ["Oslo"]}),  # SQuAD by pandas
        ("(1867)", "(1867)"),
        ("['it''s' \"it's\"\n 'b']", ["its", "it's", "b"]),
        ("['x', ' \"y', \"z'\"]", ["x", ' "y', "z'"]),
        (' ["a"]\n', ["a"]),
        ('{"a": 1}', {"a": "1"}),
        ("[1] Marie Curie was born.", "[1] Marie Curie was born."),
        ("['a' + 'b']", "['a' + 'b']"),
        ("[__import__('os')]", "[__import__('os')]"),
        ('"a"', '"a"'),
        (["a"], ["a"]),
        (None, None),
    ],
)
def test_a_list_is_taken_from_a_text(text: Any, value: Any) -> None:
    assert parsed(text) == value


def test_a_required_column_is_one_of_any_row(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": 5}\n{"text": ["x", 1.0]}\n')
    assert [*read_rows(path, ("id", "text", "title"), ("text",))] == [
        {"id": "5", "text": None, "title": None},
        {"id": None, "text": '["x", 1.0]', "title": None},
    ]
    with pytest.raises(WrongCallError, match=r"has no column 'title'\. It has: id, text"):
        [*read_rows(path, ("id",), ("title",))]
