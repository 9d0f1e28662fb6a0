"use strict";
// Rows come from rows.js; its encoding is described in kgbuild/export/site/rows.py. Labels may be
// hostile, so all texts become text nodes, each isolated from the direction of its neighbours.
const at = (id) => document.getElementById(id);
const count = (number) => number.toLocaleString("en");
const TITLE = document.title;
const MAX_PRINTED = 300;
const MARGIN = 6; // rows beyond the edges of the list that exist, so that scrolling shows no gap
const SLICE = 12; // milliseconds of work between two moments in which the page can answer
let data = { ids: [], labels: [], filters: [], rows: [] };
let places = new Map(); // the index of each row by its id
let matches = []; // the indexes of the rows that the search and the filters admit
let open = -1; // the index of the row that is shown
let folded = []; // the labels of terms as the search compares them
let searchable = []; // the text of each row as the search compares it

function start(text) {
  data = JSON.parse(text);
  places = new Map(data.rows.map(([id], n) => [id, n]));
  at("filters").replaceChildren(...data.filters.map(filterOf));
  at("columns").replaceChildren(...data.filters.map(columnOf));
  filter();
  openAddress();
  prepare();
}

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}
const text = (content) => make("bdi", { textContent: content });

// A filter by a column, with the number of rows of each value.
function filterOf([column, meaning, values], number) {
  const counts = values.map(() => 0);
  for (const [, choices] of data.rows) if (choices[number] >= 0) counts[choices[number]] += 1;
  const options = values.map((value, n) => make("option", { value: n, textContent: `${value} (${count(counts[n])})` }));
  options.sort((a, b) => a.textContent.localeCompare(b.textContent, "en", { numeric: true }));
  const all = make("option", { value: "", textContent: `${column}: all` });
  const select = make("select", { ariaLabel: column, title: plain(meaning) }, all, ...options);
  select.addEventListener("change", filter);
  return select;
}

const plain = (markdown) => markdown.replaceAll("`", "");
const columnOf = ([column, meaning]) => make("div", { hidden: !meaning }, make("dt", {}, text(column)), make("dd", {}, text(plain(meaning))));

// Search

const fold = (content) => content.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

function searchText(n) {
  if (searchable[n] !== undefined) return searchable[n];
  const [id, , headings, texts, facts, table] = data.rows[n];
  const terms = new Set([...headings, ...facts.filter((_, place) => place % 4 < 3), ...(table ? table[2] : [])]);
  const parts = [fold(id), ...texts.filter((_, place) => place % 2).map(fold)];
  for (const term of terms) parts.push((folded[term] ??= fold(`${data.labels[term]} ${data.ids[term]}`)));
  return (searchable[n] = parts.join("\n"));
}

// The texts are made in pauses, before the first search needs them.
function prepare(n = 0) {
  const end = performance.now() + SLICE;
  while (n < data.rows.length && performance.now() < end) searchText(n++);
  if (n < data.rows.length) setTimeout(prepare, 0, n);
}

function filter() {
  const words = fold(at("query").value).split(/\s+/).filter(Boolean);
  const wanted = [...at("filters").children].map((select) => (select.value === "" ? -1 : Number(select.value)));
  const admits = ([, choices]) => wanted.every((value, n) => value < 0 || choices[n] === value);
  matches = [...data.rows.keys()].filter(
    (n) => admits(data.rows[n]) && words.every((word) => searchText(n).includes(word)),
  );
  const all = data.rows.length;
  const unit = at("list").getAttribute("aria-label");
  at("count").textContent = `${matches.length === all ? "" : `${count(matches.length)} of `}${count(all)} ${unit}`;
  at("list").scrollTop = 0;
  drawList();
  drawPosition();
}

// The list, of which only the rows in view exist

const heightOf = () => parseFloat(getComputedStyle(at("rows")).lineHeight); // of an item, in pixels

function drawList() {
  const list = at("list");
  const height = heightOf();
  at("rows").style.height = `${matches.length * height}px`;
  const first = Math.max(0, Math.floor(list.scrollTop / height) - MARGIN);
  const last = Math.min(matches.length, Math.ceil((list.scrollTop + list.clientHeight) / height) + MARGIN);
  const items = [];
  for (let place = first; place < last; place += 1) items.push(itemOf(place, height));
  at("rows").replaceChildren(...items);
  list.setAttribute("aria-activedescendant", matches.includes(open) ? `row-${open}` : "");
}

function itemOf(place, height) {
  const n = matches[place];
  const headings = data.rows[n][2];
  const item = make(
    "div",
    { id: `row-${n}`, className: "item", role: "option", ariaSelected: String(n === open) },
    make("p", {}, text(nameOf(n))),
    make("p", { className: "soft" }, ...headings.flatMap((term, k) => [k ? " · " : "", text(data.labels[term])])),
  );
  item.setAttribute("aria-setsize", matches.length);
  item.setAttribute("aria-posinset", place + 1);
  item.style.top = `${place * height}px`;
  item.dataset.row = n;
  return item;
}

// A row

// The first text of a row, which stands for it in the list.
const nameOf = (n) => data.rows[n][3][1] ?? data.rows[n][0];
const addressOf = (n) => `#${encodeURIComponent(data.rows[n][0])}`;

function linkOf(term) {
  const id = data.ids[term];
  if (!id) return text(data.labels[term]);
  const href = `https://www.wikidata.org/wiki/${id[0] === "P" ? "Property:" : ""}${id}`;
  return make("a", { href, target: "_blank", rel: "noopener noreferrer", title: id }, text(data.labels[term]));
}

function drawRow(n) {
  const [id, , headings, texts, facts, table] = data.rows[n];
  const parts = [make("ul", { className: "marks" }, ...headings.map((term) => make("li", {}, linkOf(term))))];
  const list = make("dl");
  for (let k = 0; k < texts.length; k += 2) {
    const name = data.labels[texts[k]];
    list.append(make("div", { className: /^false /.test(name) ? "false" : "" }, make("dt", {}, text(name)), make("dd", {}, text(texts[k + 1]))));
  }
  parts.push(list);
  const proof = facts.length ? [make("h2", { textContent: "Evidence" }), factsOf(facts)] : [];
  const side = table ? [tableOf(table)] : [];
  // The shorter of both comes first, so that both begin on the first screen.
  const isTableShorter = table && table[2].length / table[1].length <= facts.length / 4;
  parts.push(...(isTableShorter ? [...side, ...proof] : [...proof, ...side]));
  parts.push(make("p", { className: "id" }, make("a", { href: addressOf(n), title: "The address of this row" }, text(id))));
  return parts;
}

function factsOf(facts) {
  const list = make("ul", { className: "facts" });
  for (let k = 0; k < facts.length; k += 4) {
    const item = make("li", {}, ...facts.slice(k, k + 3).flatMap((term, part) => [part ? " " : "", linkOf(term)]));
    if (facts[k + 3]) {
      item.className = "false";
      item.append(" ", make("em", { textContent: "assumed, not true" }));
    }
    list.append(item);
  }
  return list;
}

function tableOf([caption, columns, cells]) {
  const head = columns.map((term) => make("th", { scope: "col" }, text(data.labels[term])));
  const body = make("tbody");
  for (let k = 0; k < cells.length; k += columns.length)
    body.append(make("tr", {}, ...cells.slice(k, k + columns.length).map((term) => make("td", {}, linkOf(term)))));
  const table = make("table", {}, make("caption", {}, text(data.labels[caption])), make("thead", {}, make("tr", {}, ...head)), body);
  return make("div", { className: "scroll", tabIndex: 0 }, table);
}

function drawPosition() {
  const place = matches.indexOf(open);
  at("position").textContent = place < 0 ? "" : `${count(place + 1)} of ${count(matches.length)}`;
  at("previous").disabled = place === 0 || !matches.length;
  at("next").disabled = place === matches.length - 1;
}

function show(n, isAbout = false) {
  open = n;
  document.title = n < 0 ? TITLE : `${nameOf(n)} – ${TITLE}`;
  document.body.classList.toggle("is-open", n >= 0 || isAbout);
  at("row").hidden = n < 0;
  at("steps").hidden = n < 0 && !isAbout;
  at("about").hidden = n >= 0;
  at("row").replaceChildren(...(n < 0 ? [] : drawRow(n)));
  at("side").scrollTop = 0;
  bringIntoView();
  drawList();
  drawPosition();
}

function bringIntoView() {
  const place = matches.indexOf(open);
  const [list, height] = [at("list"), heightOf()];
  if (place < 0) return;
  if (place * height < list.scrollTop) list.scrollTop = place * height;
  const lowest = (place + 1) * height - list.clientHeight;
  if (lowest > list.scrollTop) list.scrollTop = lowest;
}

function openAddress() {
  let id = location.hash.slice(1);
  try {
    id = decodeURIComponent(id);
  } catch {
    // Not an address of this page.
  }
  show(places.get(id) ?? -1, id === "about");
}

// Each row that the keys pass replaces the address of the one before, so that "back" leaves the row.
function step(by) {
  if (!matches.length) return;
  const place = matches.indexOf(open);
  const next = place < 0 ? (by > 0 ? 0 : matches.length - 1) : Math.min(Math.max(place + by, 0), matches.length - 1);
  const address = addressOf(matches[next]);
  if (open < 0) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
  show(matches[next]);
}

function close() {
  if (open < 0) return;
  history.pushState(null, "", "#");
  show(-1);
}

const KEYS = {
  "/": () => (at("query").focus(), at("query").select()),
  ArrowDown: () => step(1),
  ArrowUp: () => step(-1),
  Home: () => step(-Infinity),
  End: () => step(Infinity),
  PageDown: () => turn(1),
  PageUp: () => turn(-1),
  Escape: close,
};

// Scroll what the keys do not move otherwise: the open row, or the list.
function turn(direction) {
  const part = open < 0 ? at("list") : at("side");
  part.scrollBy(0, direction * part.clientHeight * 0.9);
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select")) return;
  const isTyping = event.target === at("query");
  if (isTyping && event.key === "Escape" && at("query").value) {
    at("query").value = "";
    filter();
  } else if (isTyping && event.key === "Escape") at("list").focus();
  else if (KEYS[event.key] && !(isTyping && ["/", "Home", "End"].includes(event.key))) KEYS[event.key]();
  else return;
  event.preventDefault();
});
at("query").addEventListener("input", filter);
at("list").addEventListener("scroll", drawList, { passive: true });
at("list").addEventListener("click", (event) => {
  const item = event.target.closest(".item");
  if (item) location.hash = addressOf(Number(item.dataset.row));
});
at("previous").addEventListener("click", () => step(-1));
at("next").addEventListener("click", () => step(1));
addEventListener("hashchange", openAddress);
addEventListener("resize", drawList);
// Printed is the open row; without one, the rows that the search found.
addEventListener("beforeprint", () => {
  if (open >= 0) return;
  const printed = matches.slice(0, MAX_PRINTED);
  const rest = matches.length - printed.length;
  const sections = printed.map((n) => make("section", {}, ...drawRow(n)));
  at("row").replaceChildren(...sections, ...(rest ? [`… and ${count(rest)} more.`] : []));
  at("row").hidden = false;
});
addEventListener("afterprint", () => show(open));
addEventListener(
  "error",
  (event) => {
    if (event.target.matches?.("script")) at("count").textContent = "The rows are in the file rows.js, which is not beside this page.";
  },
  true,
);
