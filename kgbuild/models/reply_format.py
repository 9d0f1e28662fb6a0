"""Ask for replies that are JSON objects of a certain form, as far as a server can enforce it."""

from collections.abc import Mapping, Sequence
from typing import Any

FIELD = "response_format"
"""The field of a request for the form of its reply, in the chat protocol."""


def response_format(choices: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the value of ``FIELD`` for an object of texts.

    ``choices`` maps the names of its fields, in their order, to the texts that each may be; none
    means any text of at most 600 characters: small models would go on to the last token.
    """
    properties = {
        name: {"type": "string", **({"enum": [*texts]} if texts else {"maxLength": 600})}
        for name, texts in choices.items()
    }
    schema = {
        "type": "object",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }
    return {
        "type": "json_schema",
        "json_schema": {"name": "reply", "strict": True, "schema": schema},
    }


def as_json_object(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a format as older servers take it, such as those of llama-cpp-python."""
    schema = value.get("json_schema", {}).get("schema")
    return {"type": "json_object", "schema": schema} if schema else value


def as_text(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a format as the value of the field ``text`` of the Responses API."""
    return {"format": {"type": value["type"], **value.get("json_schema", {})}}
