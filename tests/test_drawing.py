"""The drawing of a subgraph: safe whatever its labels are, complete, legible, repeatable."""

import functools
import itertools
import re
from html.parser import HTMLParser
from typing import NamedTuple

import pytest

from kgbuild.data_files import read_text
from kgbuild.drawing.nodes import MAX_VALUES
from kgbuild.drawing.subgraph_page import draw
from kgbuild.graph.subgraph import Edge, Subgraph
from kgbuild.wikidata import Value, show

HOSTILE = [
    "</script><img src=x onerror=alert(1)>",
    '" onload="x',
    "' onload='x",
    "</title></svg></table><script>alert(1)</script>",
    "<!-- ]]> <![CDATA[ &amp; &lt;b&gt; &#34;",
    "$label ${rows} $ $$",
    "javascript:alert(1)",
    "🎻 emoji 👩‍👩‍👧 and more of them 🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉",
    "لودفيغ فان بيتهوفن",
    "\u202eright to left\u202c (1770–1827)",
    "路德维希·范·贝多芬" * 9,
    "W" * 500,
    "",
]
ELEMENTS = {
    *("html", "head", "meta", "title", "style", "body", "header", "h1", "p", "main", "script"),
    *("a", "bdi", "small", "span", "figure", "figcaption", "ul", "li", "div", "button"),
    *("table", "caption", "thead", "tbody", "tr", "th", "td"),
    *("svg", "g", "path", "polygon", "rect", "text"),
}
ATTRIBUTES = {
    *("lang", "charset", "http-equiv", "name", "content", "class", "id", "href", "target", "rel"),
    *("type", "data-zoom", "title", "aria-label", "aria-hidden", "role", "tabindex", "transform"),
    *("scope", "rowspan", "viewbox", "d", "points", "x", "y", "width", "height", "rx"),
    *("stroke-width", "text-anchor"),
}


class Element(NamedTuple):
    tag: str
    attributes: dict[str, str | None]
    ancestors: tuple["Element", ...]
    texts: list[str]

    @property
    def text(self) -> str:
        return "".join(self.texts)

    def within(self, tag: str) -> "Element":
        return next(element for element in reversed(self.ancestors) if element.tag == tag)


class Page(HTMLParser):
    """A parsed page; fails on tags that are not balanced."""

    def __init__(self, page: str):
        super().__init__()
        self.elements: list[Element] = []
        self._open: list[Element] = []
        self.feed(page)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs)
        element = Element(tag, dict(attrs), tuple(self._open), [])
        self.elements.append(element)
        if tag != "meta":
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        raise AssertionError(f"<{tag}/> is no end tag in HTML")

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.texts.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    def all(self, tag: str, inside: str = "html") -> list[Element]:
        return [
            element
            for element in self.elements
            if element.tag == tag and any(above.tag == inside for above in element.ancestors)
        ]


def edge(direction: str, pid: str, name: str, value: Value, label: str | None = None) -> Edge:
    return Edge(direction, pid, name, value, show(value) if label is None else label)


def items(direction: str, pid: str, count: int, name: str = "some property") -> list[Edge]:
    start = int(pid[1:]) * 1000
    return [
        edge(direction, pid, name, Value("item", f"Q{n}"), f"the value number {n}")
        for n in range(start, start + count)
    ]


def subgraph(edges: list[Edge], label: str = "universe", description: str = "all") -> Subgraph:
    return Subgraph("Q1", label, description, edges, len(edges))


def mixed() -> Subgraph:
    """Sixty edges in groups of many sizes, with values of all kinds."""
    kinds = [
        edge("out", "P1", "date of birth", Value("time", "1770-12-17T00:00:00Z")),
        edge("out", "P2", "number of children", Value("quantity", "+3")),
        edge("out", "P3", "coordinate location", Value("point", "Point(7.1 50.73)")),
        edge("out", "P4", "official website", Value("link", "javascript:alert(1)")),
        edge("out", "P5", "father", Value("unknown", "")),
        edge("out", "P6", "motto", Value("text", "per aspera ad astra", "la")),
        edge("out", "P7", "subject item of this property", Value("property", "P31"), "instance of"),
    ]
    sizes = [1, 6, 12, 2, 1, 3, 1, 1, 4]
    out = [e for n, size in enumerate(sizes, 10) for e in items("out", f"P{n}", size, "long " * 9)]
    incoming = [e for n, size in enumerate([13, 7, 1, 1], 30) for e in items("in", f"P{n}", size)]
    return subgraph(kinds + out + incoming, "Ludwig van Beethoven")


def hostile() -> Subgraph:
    edges = [
        edge(direction, f"P{n}", name, Value(kind, text), value)
        for direction in ("out", "in")
        for n, name in enumerate(HOSTILE, 1)
        for kind, text in (("item", "Q2"), ("item", '"><script>'), ("string", name), ("link", name))
        for value in (HOSTILE[-n], name)
    ]
    return subgraph(edges, HOSTILE[3], HOSTILE[0])


CASES = {
    "none": subgraph([]),
    "one": subgraph(items("out", "P31", 1)),
    "one incoming": subgraph(items("in", "P31", 1)),
    "mixed": mixed(),
    "hostile": hostile(),
    "one property": subgraph(items("in", "P31", 300)),
    "300": subgraph(
        [e for n in range(1, 31) for e in items("out" if n < 20 else "in", f"P{n}", n % 7 * 2 + 4)]
    ),
    "300 properties": subgraph([e for n in range(1, 301) for e in items("out", f"P{n}", 1)]),
}


@functools.cache
def drawn(name: str) -> Page:
    """Return the page of a case."""
    return Page(draw(CASES[name]))


@pytest.fixture(params=CASES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_only_expected_elements_and_attributes(name):
    page = drawn(name)
    assert {element.tag for element in page.elements} <= ELEMENTS
    assert {name for element in page.elements for name in element.attributes} <= ATTRIBUTES


def test_the_style_and_the_script_are_those_of_the_template(name):
    template = read_text("drawing/subgraph_page.html")
    for tag in ("script", "style"):
        (found,) = drawn(name).all(tag)
        assert f"<{tag}>{found.text}</{tag}>" in template


def test_the_page_may_not_use_the_network(name):
    policy = next(e for e in drawn(name).elements if "http-equiv" in e.attributes)
    assert policy.attributes["http-equiv"] == "Content-Security-Policy"
    assert (policy.attributes["content"] or "").split("; ") == [
        "default-src 'none'",
        "style-src 'unsafe-inline'",
        "script-src 'unsafe-inline'",
    ]


def test_links_lead_to_wikidata_or_into_the_page(name):
    page = drawn(name)
    ids = {
        f"#{element.attributes['id']}" for element in page.elements if "id" in element.attributes
    }
    for link in page.all("a"):
        href = link.attributes["href"] or ""
        if href not in ids:
            assert re.fullmatch(r"https://www\.wikidata\.org/wiki/(Property:)?[\w%.-]+", href)
            assert (link.attributes["target"], link.attributes["rel"]) == ("_blank", "noreferrer")


def test_every_edge_stands_in_the_table(name):
    cells = drawn(name).all("td")
    assert len(cells) == len(CASES[name].edges)
    for cell, known in zip(cells, CASES[name].edges, strict=True):
        assert clean(known.label) in cell.text
        assert known.value.kind not in ("item", "property") or known.value.text in cell.text


def test_the_table_names_property_and_direction_of_every_edge():
    page = Page(draw(mixed()))
    heads = {head.within("tbody").attributes["id"]: head.text for head in page.all("th", "tbody")}
    for cell, known in zip(page.all("td"), mixed().edges, strict=True):
        head = heads[cell.within("tbody").attributes["id"]]
        assert known.property_label in head
        assert known.property in head
        assert ("outgoing" if known.direction == "out" else "incoming") in head


def test_same_input_same_bytes(name):
    assert draw(CASES[name]).encode() == draw(CASES[name]).encode()


def test_labels_without_a_place_in_a_page_are_cleaned():
    page = draw(subgraph(items("out", "P1", 1, "nul\x00 bell\x07 half\ud83d"), "a\nb"))
    page.encode("utf-8")
    assert not set(page) & set("\x00\x07")
    assert "<bdi>a b</bdi>" in page


def test_head_of_the_page():
    page = Page(draw(Subgraph("Q1", "a & b", "<all>", items("out", "P1", 3), 1234)))
    (head,) = page.all("header")
    assert [text.strip() for text in head.texts if text.strip()] == [
        *("a & b", "Q1", "<all>", "Statements: 3 of 1,234")
    ]
    assert page.all("title", "head")[0].text == "a & b (Q1)"


@pytest.mark.parametrize(
    ("count", "more"), [(MAX_VALUES, 0), (MAX_VALUES + 1, 0), (MAX_VALUES + 2, 2), (300, 288)]
)
def test_long_groups_are_cut(count, more):
    words = [word.text for word in Page(draw(subgraph(items("out", "P1", count)))).all("text", "g")]
    assert f"some property · {count}" in words
    assert [word for word in words if "more" in word] == ([f"+ {more} more"] if more else [])
    assert sum("value number" in word for word in words) == count - more


def test_long_labels_are_cut_and_told_in_full():
    page = Page(draw(subgraph([edge("out", "P1", "short", Value("item", "Q2"), "abc " * 99)])))
    (link,) = [link for link in page.all("a", "g") if "/Q2" in (link.attributes["href"] or "")]
    told = next(e for e in page.all("title", "g") if e.ancestors[-1] is link)
    drawn = next(e for e in page.all("text", "g") if e.ancestors[-1] is link)
    assert "abc " * 99 in told.text
    assert "universe\u2069 → \u2068short\u2069 → \u2068abc" in told.text
    assert re.fullmatch(r"(abc )*[abc]*…", drawn.text)  # where it is full, also within a word
    assert len(drawn.text) < 50


def test_directions_differ_in_colour_and_in_the_way_the_signs_point():
    edges = [*items("out", "P1", 1), *items("in", "P2", 1)]
    out, incoming = Page(draw(subgraph(edges))).all("polygon", "g")
    tips = [float((e.attributes["points"] or "").split()[2].split(",")[0]) for e in (out, incoming)]
    assert tips[0] == 0  # the end away from the item
    assert tips[1] > 0  # at the left side, the end that is nearer to the item
    classes = [e.within("g").attributes["class"] for e in (out, incoming)]
    assert classes == ["group out", "group in"]


@pytest.mark.parametrize("name", ["one", "mixed", "one property", "300", "300 properties"])
def test_no_two_texts_overlap(name):
    boxes = list(map(box, drawn(name).all("text")))
    for (text, left, right, y), (other, left2, right2, y2) in itertools.combinations(boxes, 2):
        apart = right <= left2 or right2 <= left or abs(y - y2) >= 16
        assert apart, (text, other)


def test_all_texts_are_in_view(name):
    page = drawn(name)
    view = page.all("svg", "figure")[0].attributes["viewbox"] or ""
    x, y, width, height = map(float, view.split())
    for _, left, right, middle in map(box, page.all("text")):
        assert x <= left <= right <= x + width
        assert y + 8 <= middle <= y + height - 8


def box(word: Element) -> tuple[str, float, float, float]:
    """Return the text of a word, its left and right end, estimated, and its middle height."""
    (place,) = [e.attributes["transform"] for e in word.ancestors if "transform" in e.attributes]
    x, y = map(float, (place or "").removeprefix("translate(").rstrip(")").split())
    x += float(word.attributes.get("x") or 0)
    y += float(word.attributes.get("y") or 0)
    width = 7.6 * len(word.text)
    shift = {"start": 0.0, "end": -width}.get(word.attributes.get("text-anchor") or "", -width / 2)
    return word.text, x + shift, x + shift + width, y


def clean(text: str) -> str:
    return re.sub(r"[\x00-\x1f]", " ", text)
