"""Write names and texts into SQL."""


def quoted(name: str) -> str:
    """Return the name of a table or a column for SQL."""
    return '"' + name.replace('"', '""') + '"'


def quoted_text(text: object) -> str:
    """Return a text, such as that of a path, for SQL."""
    return "'" + str(text).replace("'", "''") + "'"
