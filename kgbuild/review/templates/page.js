"use strict";
// What is answered is shown at once and sent after that. Until the server has kept it, it also
// stands in this browser's storage, so it outlives the page, the browser and the server.
const state = JSON.parse(document.getElementById("state").textContent);
const at = (id) => document.getElementById(id);
const OPEN = "kgbuild-review open " + state.place + " " + state.reviewer;
const UNDO = "kgbuild-review undo " + state.place + " " + state.reviewer;
const AGAIN = 1500; // milliseconds until what was not kept is sent again
const queue = JSON.parse(localStorage.getItem(OPEN) || "[]");
const undone = JSON.parse(sessionStorage.getItem(UNDO) || "[]");
const fetched = new Map();
let place = 0; // of the row that is shown
let wanted = 0; // and of the one that is to be
let sending = false;

const itemAt = (n) => state.rows[n][0];
const isAnswer = (key) => key !== "note" && !key.startsWith("wording: ");
const said = (item) => (state.answers[item] ??= {});
const isDone = (n) => Object.keys(said(itemAt(n))).filter(isAnswer).length >= state.rows[n][1];
const fieldsets = () => [...at("row").querySelectorAll("fieldset")];
const current = () => at("row").querySelector("fieldset.current");

function set(item, question, answer) {
  if (answer) said(item)[question] = answer;
  else delete said(item)[question];
}

function say(question, answer) {
  const item = itemAt(place);
  const before = said(item)[question] ?? "";
  if (before === answer) return;
  const last = undone.at(-1);
  // Of a note that is being written only the state before it can be brought back.
  if (!(question === "note" && last?.item === item && last.question === question)) {
    undone.push({ item, question, before });
    sessionStorage.setItem(UNDO, JSON.stringify(undone.slice(-1000)));
  }
  send(item, question, answer, before);
}

function send(item, question, answer, before) {
  set(item, question, answer);
  queue.push({ item, question, answer, before, reviewer: state.reviewer });
  store();
  paint();
  flush();
}

function store() {
  try {
    localStorage.setItem(OPEN, JSON.stringify(queue));
  } catch {
    // It is too large to be stored here, and then too large for the server, which will say so.
  }
  at("keeping").textContent = queue.length ? `Keeping ${queue.length}…` : "All kept.";
}

async function flush() {
  if (sending) return;
  sending = true;
  while (queue.length) {
    const [status, words] = await post(queue[0]);
    const waits = status === 0 || status === 503 || status === 403;
    if (waits) {
      at("problem").textContent = `${words} Not kept yet: ${queue.length}. It is tried again; go on.`;
      break;
    }
    const { item, question, before } = queue.shift();
    at("problem").textContent = words;
    if (words && !queue.some((one) => one.item === item && one.question === question)) {
      set(item, question, before);
      paint(true);
    }
    store();
  }
  sending = false;
  if (queue.length) setTimeout(flush, AGAIN);
}

async function post({ item, question, answer, reviewer }) {
  try {
    const reply = await fetch("/answers", {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Kgbuild-Review": "1" },
      body: JSON.stringify({ item, question, answer, reviewer }),
    });
    return [reply.status, reply.ok ? "" : await reply.text()];
  } catch {
    return [0, "The server does not answer: start 'kgbuild review' again and open its address."];
  }
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
    at("problem").textContent = "The row cannot be had: start 'kgbuild review' again and open its address.";
    wanted = place;
    return;
  }
  if (wanted !== mine) return; // another one was asked for meanwhile
  place = mine;
  at("row").innerHTML = html;
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

function paint(isRefused) {
  const now = said(itemAt(place));
  for (const fieldset of fieldsets())
    for (const button of fieldset.querySelectorAll("button"))
      button.setAttribute("aria-pressed", String(now[fieldset.dataset.question] === button.dataset.answer));
  for (const section of at("row").querySelectorAll(".wording")) {
    const text = now[`wording: ${section.dataset.column}`];
    section.querySelector(".text bdi").textContent = text ?? section.dataset.text;
    section.querySelector(".edited").hidden = !text;
  }
  const note = at("note");
  // What was refused, or is being written, stays to be mended.
  if (note && !isRefused && document.activeElement !== note) note.value = now.note ?? "";
  const done = state.rows.filter((_, n) => isDone(n)).length;
  at("progress").value = done;
  at("done").textContent = `Row ${place + 1} of ${state.rows.length}, ${done} reviewed`;
  at("undo").disabled = !undone.length;
}

function answer(button) {
  const fieldset = button.closest("fieldset");
  const wasDone = isDone(place);
  say(fieldset.dataset.question, button.dataset.answer);
  const all = fieldsets();
  const after = [...all.slice(all.indexOf(fieldset) + 1), ...all].find((one) => !isSaid(one));
  if (after) choose(after);
  else if (wasDone) choose(fieldset);
  else toOpen();
}

function acceptAll() {
  const wasDone = isDone(place);
  for (const one of fieldsets())
    if (!isSaid(one) && one.querySelector("[data-answer=yes]")) say(one.dataset.question, "yes");
  const open = fieldsets().find((one) => !isSaid(one));
  if (open) choose(open);
  else if (!wasDone) toOpen();
}

function toOpen() {
  const count = state.rows.length;
  for (let step = 1; step <= count; step += 1) {
    const n = (wanted + step) % count;
    if (!isDone(n)) return show(n);
  }
  at("told").textContent = at("keeping").textContent = "All rows are reviewed.";
  return choose(current());
}

function undo() {
  const last = undone.pop();
  if (!last) return;
  sessionStorage.setItem(UNDO, JSON.stringify(undone));
  send(last.item, last.question, last.before, said(last.item)[last.question] ?? "");
  const n = state.rows.findIndex(([item]) => item === last.item);
  if (n >= 0) show(n, last.question);
}

function edit(section, isOpen) {
  const form = section.querySelector("form");
  form.hidden = !isOpen;
  if (isOpen) {
    const area = form.querySelector("textarea");
    area.value = section.querySelector(".text").textContent;
    area.focus();
  } else choose(current());
}

function saveWording(section, text) {
  const same = text.trim() === section.dataset.text.trim();
  say(`wording: ${section.dataset.column}`, same ? "" : text.trim());
  edit(section, false);
}

let writing;
function note(isNow) {
  clearTimeout(writing);
  const keep = () => say("note", at("note").value.trim());
  if (isNow) keep();
  else writing = setTimeout(keep, 700);
}

function move(step) {
  if (at("note") && document.activeElement === at("note")) note(true);
  show(wanted + step);
}

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
  // In the drawing, arrows scroll.
  if (key.startsWith("Arrow") && event.target.matches("figure")) return;
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
  else if (button.matches(".back")) saveWording(section, section.dataset.text);
});
at("row").addEventListener("submit", (event) => {
  event.preventDefault();
  saveWording(event.target.closest(".wording"), event.target.querySelector("textarea").value);
});
at("row").addEventListener("focusin", (event) => {
  const fieldset = event.target.closest("fieldset");
  if (fieldset) mark(fieldset);
});
at("row").addEventListener("input", (event) => event.target.id === "note" && note(false));
at("row").addEventListener("focusout", (event) => event.target.id === "note" && note(true));
at("previous").addEventListener("click", () => move(-1));
at("next").addEventListener("click", () => move(1));
at("open").addEventListener("click", toOpen);
at("undo").addEventListener("click", undo);
addEventListener("hashchange", () => show(Number(location.hash.slice(1)) - 1 || 0));

// What an earlier page could not send counts as said.
for (const one of queue) set(one.item, one.question, one.answer);
const first = Number(location.hash.slice(1)) - 1;
if (first >= 0) show(first);
else show(Math.max(0, state.rows.findIndex((_, n) => !isDone(n))));
store();
flush();
