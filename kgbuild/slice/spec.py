"""The specification of a slice, from options or from the same keys in a TOML file."""

import difflib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgbuild.catalog import catalog
from kgbuild.dump.filter import Filter
from kgbuild.dump.kinds import ALL, HIERARCHY, USUAL, USUAL_KINDS
from kgbuild.errors import ItemsFileError, MalformedIdError, SpecError, UnreadableDumpError
from kgbuild.slice.spec_values import CHECKS, IDS
from kgbuild.wikidata import parse_item


@dataclass(frozen=True)
class Spec:
    """The items of a slice, and the lines to keep of each item.

    The items are the instances of the classes ``instance_of`` (and, with ``subclasses``, of their
    subclasses), the items in the file ``items``, and the items up to ``hops`` statements away from
    these. Without these conditions, a slice has all items. ``limit`` keeps the first items, and
    ``sample`` keeps a random fraction, which depends on ``seed``. ``lang`` has language codes,
    ``properties`` ids, USUAL or ALL, and ``datatype`` kinds of values of ``kinds.KINDS``.
    """

    lang: tuple[str, ...] = ("en",)
    descriptions: bool = True
    aliases: bool = True
    properties: tuple[str, ...] = (USUAL,)
    datatype: tuple[str, ...] = USUAL_KINDS
    instance_of: tuple[str, ...] = ()
    subclasses: bool = False
    items: str | None = None
    hops: int = 0
    limit: int | None = None
    sample: float | None = None
    seed: int = 0

    @property
    def keys(self) -> dict[str, Any]:
        """The spec as keys and values of a TOML file."""
        values = {key: getattr(self, _field(key)) for key in CHECKS}
        return {key: value for key, value in values.items() if value not in (None, ())}

    @property
    def listed(self) -> Sequence[str]:
        """The ids in the file of items. Raises the errors of ``read_items``."""
        return read_items(self.items) if self.items else ()

    @property
    def selects(self) -> bool:
        """Whether the spec selects a part of all items."""
        return bool(self.instance_of or self.items or self.limit or self.sample is not None)

    @property
    def loading(self) -> Filter:
        """The filter with which a load of the slice keeps all its lines."""
        return Filter(self.lang, everything=not set(self.datatype) <= set(USUAL_KINDS))

    @property
    def filter(self) -> Filter:
        """The lines to keep of each item."""
        return Filter(
            languages=self.lang,
            properties=_properties(self.properties),
            kinds=self.datatype,
            descriptions=self.descriptions,
            aliases=self.aliases,
        )


def _field(key: str) -> str:
    return "properties" if key == "property" else key.replace("-", "_")


def _properties(words: Sequence[str]) -> tuple[str, ...] | None:
    """Return the ids of the properties to keep, with USUAL replaced; None keeps all."""
    if ALL in words:
        return None
    usual = (*catalog().mentioned, *HIERARCHY) if USUAL in words else ()
    return tuple(dict.fromkeys((*(word for word in words if word != USUAL), *usual)))


def make_spec(options: Mapping[str, Any], path: Path | None = None) -> Spec:
    """Return the spec from options, which override the keys of a TOML file.

    Raises:
        SpecError: a key is unknown, a value is invalid, or two keys contradict each other.
    """
    values: dict[str, Any] = {}
    for key, value in {**(_read(path) if path else {}), **options}.items():
        if key not in CHECKS:
            suggestions = difflib.get_close_matches(key, list(CHECKS), 1, 0.0)
            raise SpecError(key, f"is unknown; is it '{suggestions[0]}'?")
        try:
            values[_field(key)] = CHECKS[key](value)
        except ValueError as error:
            raise SpecError(key, str(error)) from error
        except MalformedIdError as error:
            raise SpecError(key, f"'{error.text}' is not the id of {IDS[key]}") from error
    spec = Spec(**values)
    _check_together(spec)
    return spec


def _read(path: Path) -> dict[str, Any]:
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UnreadableDumpError(str(path), error.strerror or str(error)) from error
    except RecursionError as error:
        raise SpecError(str(path), "has a list or a table that is nested too deeply") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SpecError(str(path), f"is not TOML: {error}") from error
    except ValueError as error:  # Python's limit
        raise SpecError(str(path), "has a number with too many digits") from error
    if values.get("items") and isinstance(values["items"], str):  # relative to the file
        values["items"] = str(path.parent / values["items"])
    return values


def _check_together(spec: Spec) -> None:
    if spec.subclasses and not spec.instance_of:
        raise SpecError("subclasses", "needs 'instance-of', whose subclasses are meant")
    if spec.hops and not (spec.instance_of or spec.items):
        raise SpecError("hops", "needs 'instance-of' or 'items' to go from")
    if "item" not in spec.datatype and (spec.instance_of or spec.hops):
        raise SpecError("datatype", "needs 'item' too: classes and hops are found by such values")
    if spec.seed and spec.sample is None:
        raise SpecError("seed", "needs 'sample', which it is for")
    if ALL in spec.properties and len(spec.properties) > 1:
        raise SpecError("property", f"'{ALL}' leaves nothing to add")


def read_items(path: str) -> list[str]:
    """Return the ids in a file: the first word of each line, except empty ones and comments.

    Raises:
        UnreadableDumpError: the file cannot be read.
        ItemsFileError: a line does not begin with an id, or the file has no ids.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UnreadableDumpError(path, error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise ItemsFileError(path, 1, "no text in UTF-8") from error
    ids: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        content = line.partition("#")[0].strip()
        if content:
            word = re.split(r"[\s,;]+", content)[0]
            try:
                ids.append(parse_item(word.strip('"<>')))
            except MalformedIdError as error:
                raise ItemsFileError(path, number, word or content) from error
    if not ids:
        raise ItemsFileError(path, 1, "")
    return ids
