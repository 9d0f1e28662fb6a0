"use strict";
// An answer is shown at once and then sent. Until the server confirms or refuses it, it is in the
// storage of this browser, so it survives the end of the page, the browser and the server. Answers
// that are given together share a key, as other tabs write, too. An entry names its reviewer and
// its review, as this port may serve another review later.
const state = JSON.parse(document.getElementById("state").textContent);
const at = (id) => document.getElementById(id);
const HEADER = "X-Kgbuild-Review";
const PENDING = "kgbuild-review answers ";
const UNDO = "kgbuild-review undo " + state.place + " " + state.reviewer;
const AGAIN = 1500; // milliseconds until unsaved answers are sent again
const PATIENCE = 20000; // milliseconds until a server counts as dead
const undone = JSON.parse(sessionStorage.getItem(UNDO) || "[]");
const unstored = new Map(); // entries for which the storage has no room
let place = state.number - 1; // the row that is shown
let sending = false;
let trouble = ""; // why waiting answers are not saved
let lost = ""; // a refused answer that cannot be corrected

const count = (number) => number.toLocaleString("en");
const itemAt = (n) => state.rows[n][0];
const rowOf = (item) => state.rows.findIndex(([entry]) => entry === item);
const isAnswer = (question) => question !== "note" && !question.startsWith("wording: ");
const answersOf = (item) => (state.answers[item] ??= {});
const isDone = (n) => state.rows[n][1].every((question) => question in answersOf(itemAt(n)));
const fieldsets = () => [...at("row").querySelectorAll("fieldset")];
const current = () => at("row").querySelector("fieldset.current");

// All unsaved entries with their keys, the oldest first.
function stored() {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(PENDING));
  const entries = keys.map((key) => [key, JSON.parse(localStorage.getItem(key))]);
  return [...entries, ...unstored].filter(([, entry]) => entry).sort(([, a], [, b]) => a.at - b.at);
}
const isHere = (entry) => entry.place === state.place;
const isMine = (entry) => isHere(entry) && entry.reviewer === state.reviewer;
const waiting = () => stored().filter(([, entry]) => isHere(entry) && !entry.refused);
const refused = () => stored().filter(([, entry]) => isMine(entry) && entry.refused);
const refusedText = (item, question) =>
  refused().find(([, entry]) => entry.item === item && question in entry.answers)?.[1].answers[question];

function store(key, entry) {
  try {
    localStorage.setItem(key, JSON.stringify(entry));
  } catch {
    unstored.set(key, entry);
  }
}

function forget(key) {
  localStorage.removeItem(key);
  unstored.delete(key);
}

// A clock that never goes back, as the latest answer counts.
let last = Math.max(state.last, ...stored().map(([, entry]) => entry.at));
const now = () => (last = Math.max(Date.now(), last + 1));

function set(item, answers) {
  for (const [question, answer] of Object.entries(answers))
    if (answer) answersOf(item)[question] = answer;
    else delete answersOf(item)[question];
}

function change(item, answers, spell) {
  for (const [key, entry] of refused())
    if (entry.item === item && Object.keys(answers).some((question) => question in entry.answers)) forget(key);
  const own = answersOf(item);
  const changed = Object.entries(answers).filter(([question, answer]) => (own[question] ?? "") !== answer);
  const before = Object.fromEntries(changed.map(([question]) => [question, own[question] ?? ""]));
  // Undo brings back the state before a text was written, and no state between.
  if (changed.length && !(spell && undone.at(-1)?.spell === spell)) {
    undone.push({ item, before, spell });
    sessionStorage.setItem(UNDO, JSON.stringify(undone.slice(-1000)));
  }
  send(item, Object.fromEntries(changed), before);
}

function send(item, answers, before) {
  const entry = { place: state.place, reviewer: state.reviewer, item, at: now(), answers, before };
  const long = Object.values(answers).map((text) => [...text].length).find((letters) => letters > state.longest);
  lost = "";
  if (long) entry.refused = `${count(long)} letters are too many, the most are ${count(state.longest)}: shorten it.`;
  else set(item, answers);
  if (Object.keys(answers).length) store(PENDING + entry.at + " " + Math.random(), entry);
  paint();
  showState();
  flush();
}

function write(id, text) {
  if (at(id).textContent !== text) at(id).textContent = text; // a screen reader reads each change
}

function showState() {
  const open = waiting().length;
  const bad = refused().map(([, entry]) => `Row ${rowOf(entry.item) + 1}, ${Object.keys(entry.answers)}: ${entry.refused}`);
  const others = stored().map(([, entry]) => entry).filter((entry) => !isHere(entry));
  const saved = open ? `Saving ${open}…` : bad.length ? "Saved, but for what is refused." : "All saved.";
  const elsewhere = [...new Set(others.map((entry) => entry.place))].join(", ");
  write("saving", saved + (others.length ? ` ${others.length} wait for another review: ${elsewhere}.` : ""));
  const problem = trouble && open ? `${trouble} Not saved yet: ${open}. It is tried again; go on.` : "";
  write("problem", [problem, lost, ...bad].filter(Boolean).join(" "));
  const item = itemAt(place);
  const unsaved = new Set(waiting().filter(([, entry]) => isMine(entry) && entry.item === item).flatMap(([, entry]) => Object.keys(entry.answers)));
  for (const fieldset of fieldsets()) fieldset.ariaBusy = String(unsaved.has(fieldset.dataset.question));
}

async function flush() {
  if (sending) return;
  sending = true;
  // One tab at a time, so that answers arrive in their order.
  await navigator.locks.request(PENDING, sendAll).finally(() => (sending = false));
  showState();
  if (waiting().length) setTimeout(flush, AGAIN);
}

async function sendAll() {
  const failed = new Set();
  for (;;) {
    const [key, entry] = waiting().find(([key]) => !failed.has(key)) ?? [];
    if (!entry) return;
    const { fate, words, status } = await post(entry);
    if (fate === "kept") forget(key);
    else if (fate === "refused") refuse(key, entry, words);
    else {
      trouble = words;
      if (status !== 500) return; // which may be the fault of this entry alone
      failed.add(key);
    }
    if (fate) trouble = "";
    showState();
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
    // Another server may answer at this port: only ours sends the header.
    return { fate: reply.headers.get(HEADER), words, status: reply.status };
  } catch {
    return { words: "The server does not answer: start 'kgbuild review' again and open its address." };
  }
}

// A refused text stays, to be corrected; a refused answer is taken back.
function refuse(key, entry, words) {
  const isText = !Object.keys(entry.answers).every(isAnswer);
  if (isText && rowOf(entry.item) >= 0) store(key, { ...entry, refused: words });
  else {
    forget(key);
    const what = Object.entries(entry.answers).map((pair) => pair.join(": "));
    lost = `Not saved: ${what.join(", ")}. ${words}`;
  }
  if (!isMine(entry)) return;
  const unchanged = Object.entries(entry.before).filter(([question]) => answersOf(entry.item)[question] === entry.answers[question]);
  set(entry.item, Object.fromEntries(unchanged));
  paint();
}
