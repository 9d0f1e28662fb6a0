// The row that is shown, and its answers by keys and buttons.
const fetched = new Map(); // the HTML of rows
let wanted = place; // the row to show next

function fragment(n) {
  if (!fetched.has(n)) {
    const response = fetch(`/rows/${itemAt(n)}`).then((reply) => (reply.ok ? reply.text() : Promise.reject(reply)));
    response.catch(() => fetched.delete(n));
    fetched.set(n, response);
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
    write("problem", "The row cannot be loaded: start 'kgbuild review' again and open its address.");
    wanted = place;
    return;
  }
  if (wanted !== mine) return; // the user has moved on meanwhile
  keepTexts();
  place = mine;
  at("row").innerHTML = html;
  scrollTo(0, 0);
  enter(focused);
}

// Make the row that the page contains the current one.
function enter(focused) {
  for (const area of areas()) area.dataset.item = itemAt(place);
  at("grades").hidden = !at("row").querySelector("[data-answer='5']");
  history.replaceState(null, "", `?row=${place + 1}`);
  paint();
  showState();
  const open = fieldsets().find((fieldset) => !isAnswered(fieldset));
  const target = fieldsets().find((fieldset) => fieldset.dataset.question === focused);
  choose(target ?? open ?? fieldsets()[0], Boolean(target));
  at("status").textContent = `Row ${place + 1} of ${state.rows.length}${isDone(place) ? ", reviewed" : ""}`;
  // The rows that may come next are fetched before, so that an answer shows its next row at once.
  for (const near of [place + 1, nextOpen(), place + 2, place - 1]) if (state.rows[near]) fragment(near).catch(() => {});
}

const isAnswered = (fieldset) => fieldset.dataset.question in answersOf(itemAt(place));

function choose(fieldset, isSought = true) {
  mark(fieldset);
  fieldset?.focus({ preventScroll: true });
  if (isSought) fieldset?.scrollIntoView({ block: "nearest" }); // a new row is read from its top
}

function mark(fieldset) {
  for (const other of fieldsets()) other.classList.toggle("current", other === fieldset);
}

function paint() {
  const item = itemAt(place);
  const answers = answersOf(item);
  for (const fieldset of fieldsets())
    for (const button of fieldset.querySelectorAll("button"))
      button.setAttribute("aria-pressed", String(answers[fieldset.dataset.question] === button.dataset.answer));
  for (const section of at("row").querySelectorAll(".wording")) {
    const question = `wording: ${section.dataset.column}`;
    section.querySelector(".text bdi").textContent = answers[question] ?? section.dataset.text;
    section.querySelector(".edited").hidden = !answers[question];
    const others = Object.entries(state.wordings[item]?.[question] ?? {});
    section.querySelector(".others").replaceChildren(...others.map(wordingOf));
  }
  const note = at("note");
  // A text that is being written stays, and a refused one, to be corrected.
  if (note && !("typed" in note.dataset) && document.activeElement !== note)
    note.value = refusedText(item, "note") ?? answers.note ?? "";
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
  change(itemAt(place), { [fieldset.dataset.question]: button.dataset.answer });
  const all = fieldsets();
  const after = [...all.slice(all.indexOf(fieldset) + 1), ...all].find((other) => !isAnswered(other));
  if (after) choose(after);
  else if (wasDone) choose(fieldset);
  else toOpen();
}

function acceptAll() {
  const wasDone = isDone(place);
  const askable = fieldsets().filter((fieldset) => !isAnswered(fieldset) && fieldset.querySelector("[data-answer=yes]"));
  if (askable.length)
    change(itemAt(place), Object.fromEntries(askable.map((fieldset) => [fieldset.dataset.question, "yes"])));
  const open = fieldsets().find((fieldset) => !isAnswered(fieldset));
  if (open) choose(open);
  else if (!wasDone) toOpen();
}

// The next row that lacks an answer; without one, undefined.
function nextOpen() {
  const most = state.rows.length;
  for (let step = 1; step <= most; step += 1) if (!isDone((wanted + step) % most)) return (wanted + step) % most;
}

function toOpen() {
  const n = nextOpen();
  if (n !== undefined) return show(n);
  at("status").textContent = "All rows are reviewed.";
  return choose(current());
}

function undo() {
  const last = undone.pop();
  if (!last) return;
  sessionStorage.setItem(UNDO, JSON.stringify(undone));
  const own = answersOf(last.item);
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
    area.value = refusedText(area.dataset.item, `wording: ${section.dataset.column}`) ?? kept;
    area.focus();
  } else choose(current());
}

const areas = () => at("row").querySelectorAll("textarea");
const keepTexts = () => areas().forEach(keep);

// Record a text that was typed, for its own row, which may be about to disappear.
function keep(area) {
  if (!("typed" in area.dataset)) return;
  delete area.dataset.typed;
  const wording = area.closest(".wording")?.dataset;
  const text = area.value.trim();
  const question = wording ? `wording: ${wording.column}` : "note";
  change(area.dataset.item, { [question]: text === wording?.text.trim() ? "" : text }, area.dataset.spell);
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
  // A key that is held down moves to other rows, and does not answer.
  if (event.repeat && !key.startsWith("Arrow")) return;
  const button = [...(current()?.querySelectorAll("button") ?? [])].find((choice) => choice.dataset.answer[0] === key);
  if (wanted !== place && !GOING.includes(key)) return; // no answers to a row about to disappear
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
// Answers of another tab, which may belong to another server.
addEventListener("storage", ({ key, newValue }) => {
  if (!key?.startsWith(PENDING)) return;
  const entry = JSON.parse(newValue);
  if (entry && isMine(entry) && !entry.refused) set(entry.item, entry.answers);
  paint();
  showState();
  flush();
});
at("previous").addEventListener("click", () => move(-1));
at("next").addEventListener("click", () => move(1));
at("open").addEventListener("click", toOpen);
at("undo").addEventListener("click", undo);

// Answers that an earlier page could not send count.
for (const [, entry] of waiting()) if (isMine(entry)) set(entry.item, entry.answers);
// What is scrolled into view stands below the header, whose height depends on its texts.
new ResizeObserver(([header]) => {
  document.documentElement.style.scrollPaddingTop = `${header.target.offsetHeight + 8}px`;
}).observe(document.querySelector("header"));
fetched.set(place, Promise.resolve(at("row").innerHTML));
enter();
flush();
