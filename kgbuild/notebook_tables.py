"""Show objects in a notebook, as a heading and a table in HTML."""

from collections.abc import Mapping, Sequence
from html import escape

_MOST = 20
"""Maximum number of rows of a table."""


def html_table(heading: str, rows: Sequence[Mapping[str, object]]) -> str:
    """Return the HTML of a table with a heading; of many rows, the first ones.

    >>> html_table("<2>", [{"a": 1, "b": None}])
    '<p>&lt;2&gt;</p><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td></td></tr></table>'
    """
    columns = [*dict.fromkeys(name for row in rows for name in row)]
    lines = [_line("th", columns)] if columns else []
    lines += (_line("td", [row.get(name) for name in columns]) for row in rows[:_MOST])
    left_out = len(rows) - _MOST
    more = f"<p>… and {left_out:,} more rows</p>" if left_out > 0 else ""
    return f"<p>{escape(heading)}</p><table>{''.join(lines)}</table>{more}"


def _line(tag: str, cells: Sequence[object]) -> str:
    texts = ("" if cell is None else escape(str(cell)) for cell in cells)
    return f"<tr>{''.join(f'<{tag}>{text}</{tag}>' for text in texts)}</tr>"
