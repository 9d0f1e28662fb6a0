"use strict";
// What is answered is shown at once and sent after that. Until the server says what became of it,
// it stands in this browser's storage, so it outlives the page, the browser and the server. What
// is said at once stands there under a key of its own, as other tabs have things to say, too. It
// names its reviewer and the review that it belongs to, of which this port may not be any more.
const state = JSON.parse(document.getElementById("state").textContent);
const at = (id) => document.getElementById(id);
const HEADER = "X-Kgbuild-Review";
const SAID = "kgbuild-review said ";
const UNDO = "kgbuild-review undo " + state.place + " " + state.reviewer;
const AGAIN = 1500; // milliseconds until what was not kept is sent again
const PATIENCE = 20000; // and until a server counts as dead
const undone = JSON.parse(sessionStorage.getItem(UNDO) || "[]");
const unstored = new Map(); // what found no room in the storage
const fetched = new Map();
let place = 0; // of the row that is shown
let wanted = 0; // and of the one that is to be
let sending = false;
let trouble = ""; // why what waits is not kept
let lost = ""; // what was refused and cannot be mended

const count = (number) => number.toLocaleString("en");
const itemAt = (n) => state.rows[n][0];
const rowOf = (item) => state.rows.findIndex(([one]) => one === item);
const isAnswer = (question) => question !== "note" && !question.startsWith("wording: ");
const said = (item) => (state.answers[item] ??= {});
const isDone = (n) => state.rows[n][1].every((question) => question in said(itemAt(n)));
const fieldsets = () => [...at("row").querySelectorAll("fieldset")];
const current = () => at("row").querySelector("fieldset.current");

// All that is not kept yet, the oldest first: its key, and what was said.
function stored() {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(SAID));
  const found = keys.map((key) => [key, JSON.parse(localStorage.getItem(key))]);
  return [...found, ...unstored].filter(([, one]) => one).sort(([, a], [, b]) => a.at - b.at);
}
const isHere = (one) => one.place === state.place;
const isMine = (one) => isHere(one) && one.reviewer === state.reviewer;
const waiting = () => stored().filter(([, one]) => isHere(one) && !one.refused);
const refused = () => stored().filter(([, one]) => isMine(one) && one.refused);
const mended = (item, question) =>
  refused().find(([, one]) => one.item === item && question in one.answers)?.[1].answers[question];

function store(key, one) {
  try {
    localStorage.setItem(key, JSON.stringify(one));
  } catch {
    unstored.set(key, one);
  }
}

function forget(key) {
  localStorage.removeItem(key);
  unstored.delete(key);
}

// A clock that never goes back, as the last answer counts.
let last = Math.max(state.last, ...stored().map(([, one]) => one.at));
const now = () => (last = Math.max(Date.now(), last + 1));

function set(item, answers) {
  for (const [question, answer] of Object.entries(answers))
    if (answer) said(item)[question] = answer;
    else delete said(item)[question];
}

function say(item, answers, spell) {
  for (const [key, one] of refused())
    if (one.item === item && Object.keys(answers).some((question) => question in one.answers)) forget(key);
  const own = said(item);
  const changed = Object.entries(answers).filter(([question, answer]) => (own[question] ?? "") !== answer);
  const before = Object.fromEntries(changed.map(([question]) => [question, own[question] ?? ""]));
  // Of a text that is being written only the state before it can be brought back.
  if (changed.length && !(spell && undone.at(-1)?.spell === spell)) {
    undone.push({ item, before, spell });
    sessionStorage.setItem(UNDO, JSON.stringify(undone.slice(-1000)));
  }
  send(item, Object.fromEntries(changed), before);
}

function send(item, answers, before) {
  const one = { place: state.place, reviewer: state.reviewer, item, at: now(), answers, before };
  const long = Object.values(answers).map((text) => [...text].length).find((letters) => letters > state.longest);
  lost = "";
  if (long) one.refused = `${count(long)} letters are too many, the most are ${count(state.longest)}: shorten it.`;
  else set(item, answers);
  if (Object.keys(answers).length) store(SAID + one.at + " " + Math.random(), one);
  paint();
  tell();
  flush();
}

function write(id, text) {
  if (at(id).textContent !== text) at(id).textContent = text; // else it would be read aloud again
}

function tell() {
  const open = waiting().length;
  const bad = refused().map(([, one]) => `Row ${rowOf(one.item) + 1}, ${Object.keys(one.answers)}: ${one.refused}`);
  const others = stored().map(([, one]) => one).filter((one) => !isHere(one));
  const kept = open ? `Keeping ${open}…` : bad.length ? "Kept, but for what is refused." : "All kept.";
  const elsewhere = [...new Set(others.map((one) => one.place))].join(", ");
  write("keeping", kept + (others.length ? ` ${others.length} wait for another review: ${elsewhere}.` : ""));
  const told = trouble && open ? `${trouble} Not kept yet: ${open}. It is tried again; go on.` : "";
  write("problem", [told, lost, ...bad].filter(Boolean).join(" "));
}

async function flush() {
  if (sending) return;
  sending = true;
  // One tab at a time, so that nothing overtakes what was said before it.
  await navigator.locks.request(SAID, sendAll).finally(() => (sending = false));
  tell();
  if (waiting().length) setTimeout(flush, AGAIN);
}

async function sendAll() {
  const failed = new Set();
  for (;;) {
    const [key, one] = waiting().find(([key]) => !failed.has(key)) ?? [];
    if (!one) return;
    const { fate, words, status } = await post(one);
    if (fate === "kept") forget(key);
    else if (fate === "refused") refuse(key, one, words);
    else {
      trouble = words;
      if (status !== 500) return; // which may be the fault of this one alone
      failed.add(key);
    }
    if (fate) trouble = "";
    tell();
  }
}

async function post({ place, reviewer, item, at, answers }) {
  try {
    const reply = await fetch("/answers", {
      method: "POST",
      headers: { "Content-Type": "application/json", [HEADER]: state.secret },
      body: JSON.stringify({ place, reviewer, item, at, answers }),
      keepalive: true,
      signal: AbortSignal.timeout(PATIENCE),
    });
    const isPlain = reply.headers.get("Content-Type")?.startsWith("text/");
    const words = isPlain && reply.status !== 500 ? await reply.text() : `The server fails (${reply.status}).`;
    // Another server may answer at this port: only ours says what became of it.
    return { fate: reply.headers.get(HEADER), words, status: reply.status };
  } catch {
    return { words: "The server does not answer: start 'kgbuild review' again and open its address." };
  }
}

// A text that is refused stays, to be mended; an answer is taken back.
function refuse(key, one, words) {
  const isText = !Object.keys(one.answers).every(isAnswer);
  if (isText && rowOf(one.item) >= 0) store(key, { ...one, refused: words });
  else {
    forget(key);
    const what = Object.entries(one.answers).map((pair) => pair.join(": "));
    lost = `Not kept: ${what.join(", ")}. ${words}`;
  }
  if (!isMine(one)) return;
  const stands = Object.entries(one.before).filter(([question]) => said(one.item)[question] === one.answers[question]);
  set(one.item, Object.fromEntries(stands));
  paint();
}

function fragment(n) {
  if (!fetched.has(n)) {
    const got = fetch(`/rows/${n}`).then((reply) => (reply.ok ? reply.text() : Promise.reject(reply)));
    got.catch(() => fetched.delete(n));
    fetched.set(n, got);
  }
  return fetched.get(n);
}

async function show(n, focused) {
  const mine = Math.min(Math.max(n, 0), state.rows.length - 1);
  wanted = mine;
  let html;
  try {
    html = await fragment(mine);
  } catch {
    write("problem", "The row cannot be had: start 'kgbuild review' again and open its address.");
    wanted = place;
    return;
  }
  if (wanted !== mine) return; // another one was asked for meanwhile
  keepTexts();
  place = mine;
  at("row").innerHTML = html;
  for (const area of areas()) area.dataset.item = itemAt(mine);
  at("grades").hidden = !at("row").querySelector("[data-answer='5']");
  history.replaceState(null, "", `#${place + 1}`);
  scrollTo(0, 0);
  paint();
  const open = fieldsets().find((one) => !isSaid(one));
  const asked = fieldsets().find((one) => one.dataset.question === focused);
  choose(asked ?? open ?? fieldsets()[0], Boolean(asked));
  at("told").textContent = `Row ${place + 1} of ${state.rows.length}${isDone(place) ? ", reviewed" : ""}`;
  for (const near of [place + 1, place - 1]) if (state.rows[near]) fragment(near).catch(() => {});
}

const isSaid = (fieldset) => fieldset.dataset.question in said(itemAt(place));

function choose(fieldset, isSought = true) {
  mark(fieldset);
  fieldset?.focus({ preventScroll: true });
  if (isSought) fieldset?.scrollIntoView({ block: "nearest" }); // a new row is read from its top
}

function mark(fieldset) {
  for (const one of fieldsets()) one.classList.toggle("current", one === fieldset);
}

function paint() {
  const item = itemAt(place);
  const now = said(item);
  for (const fieldset of fieldsets())
    for (const button of fieldset.querySelectorAll("button"))
      button.setAttribute("aria-pressed", String(now[fieldset.dataset.question] === button.dataset.answer));
  for (const section of at("row").querySelectorAll(".wording")) {
    const question = `wording: ${section.dataset.column}`;
    section.querySelector(".text bdi").textContent = now[question] ?? section.dataset.text;
    section.querySelector(".edited").hidden = !now[question];
    const others = Object.entries(state.wordings[item]?.[question] ?? {});
    section.querySelector(".others").replaceChildren(...others.map(wordingOf));
  }
  const note = at("note");
  // What is being written stays, and what was refused, to be mended.
  if (note && !("typed" in note.dataset) && document.activeElement !== note)
    note.value = mended(item, "note") ?? now.note ?? "";
  const done = state.rows.filter((_, n) => isDone(n)).length;
  at("progress").value = done;
  write("done", `Row ${place + 1} of ${state.rows.length}, ${done === state.rows.length ? "all" : done} reviewed`);
  at("undo").disabled = !undone.length;
}

function wordingOf([who, text]) {
  const line = document.createElement("p");
  const parts = [who, text].map((part) => Object.assign(document.createElement("bdi"), { textContent: part }));
  line.append(parts[0], " words it: ", parts[1]);
  return line;
}

function answer(button) {
  const fieldset = button.closest("fieldset");
  const wasDone = isDone(place);
  say(itemAt(place), { [fieldset.dataset.question]: button.dataset.answer });
  const all = fieldsets();
  const after = [...all.slice(all.indexOf(fieldset) + 1), ...all].find((one) => !isSaid(one));
  if (after) choose(after);
  else if (wasDone) choose(fieldset);
  else toOpen();
}

function acceptAll() {
  const wasDone = isDone(place);
  const askable = fieldsets().filter((one) => !isSaid(one) && one.querySelector("[data-answer=yes]"));
  if (askable.length)
    say(itemAt(place), Object.fromEntries(askable.map((one) => [one.dataset.question, "yes"])));
  const open = fieldsets().find((one) => !isSaid(one));
  if (open) choose(open);
  else if (!wasDone) toOpen();
}

function toOpen() {
  const most = state.rows.length;
  for (let step = 1; step <= most; step += 1) {
    const n = (wanted + step) % most;
    if (!isDone(n)) return show(n);
  }
  at("told").textContent = "All rows are reviewed.";
  return choose(current());
}

function undo() {
  const last = undone.pop();
  if (!last) return;
  sessionStorage.setItem(UNDO, JSON.stringify(undone));
  const own = said(last.item);
  const before = Object.fromEntries(Object.keys(last.before).map((question) => [question, own[question] ?? ""]));
  send(last.item, last.before, before);
  const n = rowOf(last.item);
  if (n >= 0) show(n, Object.keys(last.before)[0]);
}

function edit(section, isOpen) {
  const form = section.querySelector("form");
  const area = form.querySelector("textarea");
  keep(area);
  form.hidden = !isOpen;
  if (isOpen) {
    const kept = section.querySelector(".text").textContent;
    area.value = mended(area.dataset.item, `wording: ${section.dataset.column}`) ?? kept;
    area.focus();
  } else choose(current());
}

const areas = () => at("row").querySelectorAll("textarea");
const keepTexts = () => areas().forEach(keep);

// Keep what was typed into a text of the row that it is of, which may be about to go.
function keep(area) {
  if (!("typed" in area.dataset)) return;
  delete area.dataset.typed;
  const wording = area.closest(".wording")?.dataset;
  const text = area.value.trim();
  const question = wording ? `wording: ${wording.column}` : "note";
  say(area.dataset.item, { [question]: text === wording?.text.trim() ? "" : text }, area.dataset.spell);
}

let writing;
function typed(area) {
  area.dataset.typed = "";
  clearTimeout(writing);
  writing = setTimeout(keepTexts, 700);
}

const move = (by) => show(wanted + by);

function step(by) {
  const all = fieldsets();
  const next = all[all.indexOf(current()) + by];
  if (next) choose(next);
}

const KEYS = {
  ArrowLeft: () => move(-1),
  ArrowRight: () => move(1),
  ArrowUp: () => step(-1),
  ArrowDown: () => step(1),
  g: toOpen,
  u: undo,
  a: acceptAll,
  m: () => at("note").focus(),
  e: () => editNumber(0),
  r: () => editNumber(1),
};

const GOING = ["ArrowLeft", "ArrowRight", "g"];

function editNumber(n) {
  const section = at("row").querySelectorAll(".wording")[n];
  if (section) edit(section, true);
}

document.addEventListener("keydown", (event) => {
  const form = event.target.closest("form");
  if (event.target.matches("textarea")) {
    if (event.key === "Escape") form ? edit(form.closest(".wording"), false) : choose(current());
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form ? form.requestSubmit() : choose(current());
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input")) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  // A key that is held down goes on to other rows, and says nothing of them.
  if (event.repeat && !key.startsWith("Arrow")) return;
  const button = [...(current()?.querySelectorAll("button") ?? [])].find((one) => one.dataset.answer[0] === key);
  if (wanted !== place && !GOING.includes(key)) return; // nothing is said of a row about to go
  if (button) answer(button);
  else if (KEYS[key]) KEYS[key]();
  else return;
  event.preventDefault();
});
at("row").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  const section = button.closest(".wording");
  if (button.dataset.answer) answer(button);
  else if (button.matches(".edit")) edit(section, section.querySelector("form").hidden);
  else if (button.matches(".back")) {
    const area = section.querySelector("textarea");
    area.value = section.dataset.text;
    typed(area);
    edit(section, false);
  }
});
at("row").addEventListener("submit", (event) => {
  event.preventDefault();
  edit(event.target.closest(".wording"), false);
});
at("row").addEventListener("focusin", (event) => {
  const fieldset = event.target.closest("fieldset");
  if (fieldset) mark(fieldset);
  if (event.target.matches("textarea")) event.target.dataset.spell = Date.now();
});
at("row").addEventListener("input", (event) => typed(event.target));
at("row").addEventListener("focusout", (event) => event.target.matches("textarea") && keep(event.target));
addEventListener("pagehide", keepTexts);
document.addEventListener("visibilitychange", keepTexts);
// What was said in another tab, of which the server may have been another.
addEventListener("storage", ({ key, newValue }) => {
  if (!key?.startsWith(SAID)) return;
  const one = JSON.parse(newValue);
  if (one && isMine(one) && !one.refused) set(one.item, one.answers);
  paint();
  tell();
  flush();
});
at("previous").addEventListener("click", () => move(-1));
at("next").addEventListener("click", () => move(1));
at("open").addEventListener("click", toOpen);
at("undo").addEventListener("click", undo);
addEventListener("hashchange", () => show(Number(location.hash.slice(1)) - 1 || 0));

// What an earlier page could not send counts as said.
for (const [, one] of waiting()) if (isMine(one)) set(one.item, one.answers);
const first = Number(location.hash.slice(1)) - 1;
if (first >= 0) show(first);
else show(Math.max(0, state.rows.findIndex((_, n) => !isDone(n))));
tell();
flush();
