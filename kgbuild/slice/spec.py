"""What a slice is to hold: options, or the same keys in a TOML file."""

import difflib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgbuild.catalog import catalog
from kgbuild.dump.filter import Filter
from kgbuild.dump.kinds import ALL, HIERARCHY, KINDS, USUAL, USUAL_KINDS
from kgbuild.errors import ItemsFileError, MalformedIdError, SpecError, UnreadableDumpError
from kgbuild.wikidata import parse_item, parse_property


@dataclass(frozen=True)
class Spec:
    """What to keep: of which items, and what of each.

    ``lang``: codes of languages. ``properties``: ids, or USUAL or ALL. ``datatype``: of
    ``kinds.KINDS``. Items: instances of ``instance_of`` (with ``subclasses``, of what lies below
    these too), those of the file ``items``, then what is ``hops`` statements away from either;
    all if none is given. Of these the first ``limit``, and a share ``sample`` by ``seed``.
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
        """The spec as it could stand in a file."""
        values = {key: getattr(self, _field(key)) for key in _CHECKS}
        return {key: value for key, value in values.items() if value not in (None, ())}

    @property
    def selects(self) -> bool:
        """Whether some items are chosen, so that the dump is not all there is to read."""
        return bool(self.instance_of or self.items or self.limit or self.sample is not None)

    @property
    def loading(self) -> Filter:
        """What to keep in a load of the slice: all that is in it, if it is more than usual."""
        return Filter(self.lang, everything=not set(self.datatype) <= set(USUAL_KINDS))

    @property
    def filter(self) -> Filter:
        """What to keep of an item, whichever it is."""
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
    if ALL in words:
        return None
    usual = (*catalog().mentioned, *HIERARCHY) if USUAL in words else ()
    return tuple(dict.fromkeys((*(word for word in words if word != USUAL), *usual)))


def spec(options: Mapping[str, Any], path: Path | None = None) -> Spec:
    """Return the spec of options, over those of a TOML file if there is one.

    Raises:
        SpecError: a key is unknown, a value is none that it can have, or two don't go together.
    """
    given = {**(_read(path) if path else {}), **options}
    values: dict[str, Any] = {}
    for key, value in given.items():
        if key not in _CHECKS:
            near = difflib.get_close_matches(key, list(_CHECKS), 1, 0.0)
            raise SpecError(key, f"is unknown; is it '{near[0]}'?")
        values[_field(key)] = _CHECKS[key](key, value)
    made = Spec(**values)
    _check_together(made)
    return made


def _read(path: Path) -> dict[str, Any]:
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UnreadableDumpError(str(path), error.strerror or str(error)) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SpecError(str(path), f"is no TOML: {error}") from error
    if given.get("items") and isinstance(given["items"], str):  # as seen from the file
        given["items"] = str(path.parent / given["items"])
    return given


def _check_together(made: Spec) -> None:
    if made.subclasses and not made.instance_of:
        raise SpecError("subclasses", "needs 'instance-of', whose subclasses are meant")
    if made.hops and not (made.instance_of or made.items):
        raise SpecError("hops", "needs 'instance-of' or 'items' to go from")
    if "item" not in made.datatype and (made.instance_of or made.hops):
        raise SpecError("datatype", "needs 'item' too: classes and hops are found by such values")
    if made.seed and made.sample is None:
        raise SpecError("seed", "needs 'sample', which it is for")
    if ALL in made.properties and len(made.properties) > 1:
        raise SpecError("property", f"'{ALL}' leaves nothing to add")


def _texts(key: str, value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list | tuple) or not value:
        raise SpecError(key, "is to be a text or a list of texts")
    if not all(isinstance(text, str) for text in value):
        raise SpecError(key, "is to be a text or a list of texts")
    return tuple(dict.fromkeys(text.strip() for text in value))


_LANGUAGE = re.compile(r"[a-z]{2,8}(-[a-z0-9]{1,8})*")


def _languages(key: str, value: object) -> tuple[str, ...]:
    codes = tuple(dict.fromkeys(code.lower() for code in _texts(key, value)))
    for code in codes:
        if not _LANGUAGE.fullmatch(code):
            near = code.replace("_", "-")
            hint = f"; is it '{near}'?" if near != code and _LANGUAGE.fullmatch(near) else ""
            raise SpecError(key, f"'{code}' is no code of a language{hint}")
    return codes


def _ids(key: str, value: object) -> tuple[str, ...]:
    try:
        return tuple(dict.fromkeys(map(parse_item, _texts(key, value))))
    except MalformedIdError as error:
        raise SpecError(key, f"'{error.text}' is no id of an item, such as Q5") from error


def _property(key: str, value: object) -> tuple[str, ...]:
    words = [w.lower() if w.lower() in (USUAL, ALL) else w for w in _texts(key, value)]
    try:
        ids = (word if word in (USUAL, ALL) else parse_property(word) for word in words)
        return tuple(dict.fromkeys(ids))
    except MalformedIdError as error:
        detail = f"'{error.text}' is no id of a property, such as P19, nor '{USUAL}' or '{ALL}'"
        raise SpecError(key, detail) from error


def _kinds(key: str, value: object) -> tuple[str, ...]:
    words = _texts(key, value)
    for word in words:
        if word not in KINDS:
            near = difflib.get_close_matches(word, KINDS, 1, 0.0)
            known = ", ".join(KINDS)
            raise SpecError(key, f"'{word}' is none of {known}; is it '{near[0]}'?")
    return words


def _flag(key: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise SpecError(key, "is to be true or false")
    return value


def _number(least: int, most: int) -> Any:
    def check(key: str, value: object) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise SpecError(key, f"is to be a whole number from {least:,} to {most:,}")
        return value

    return check


def _share(key: str, value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value <= 1:
        raise SpecError(key, "is to be a share above 0, at most 1")
    return float(value)


def _path(key: str, value: object) -> str:
    if not isinstance(value, str) or not value:
        raise SpecError(key, "is to be the path of a file")
    return value


_CHECKS = {
    "lang": _languages,
    "descriptions": _flag,
    "aliases": _flag,
    "property": _property,
    "datatype": _kinds,
    "instance-of": _ids,
    "subclasses": _flag,
    "items": _path,
    "hops": _number(0, 10),
    "limit": _number(1, 10**9),
    "sample": _share,
    "seed": _number(0, 2**63 - 1),
}


def read_items(path: str) -> list[str]:
    """Return the ids in a file: the first word of each line, but for empty ones and comments.

    Raises:
        UnreadableDumpError: the file cannot be read.
        ItemsFileError: a line begins with no id, or there is none at all.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UnreadableDumpError(path, error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise ItemsFileError(path, 1, "no text in UTF-8") from error
    found: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        said = line.partition("#")[0].strip()
        if said:
            word = re.split(r"[\s,;]+", said)[0]
            try:
                found.append(parse_item(word.strip('"<>')))
            except MalformedIdError as error:
                raise ItemsFileError(path, number, word or said) from error
    if not found:
        raise ItemsFileError(path, 1, "")
    return found
