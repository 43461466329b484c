// The elements that show the state of the gateway. The page sets every text from the gateway as text, never as HTML.
import { one, perform } from "./session.js";

const readingTime = 1000;
const mostNews = 20;
/** Up to this number of apps, the page collapses no app. */
const fewApps = 5;
/** The time that the picture of the light's signal covers, in milliseconds. */
const signalPeriod = 2000;

let apps = new Map();
let ranks = new Map();
let prompts = [];
let status = { pattern: [], rows: [] };
let log = [];
/** The numbers of the entries after the pages that are newer than the shown page. */
const newerPages = [];
/** The prompts that were answered on this page, by number. */
const answered = new Map();

export function show(news) {
  if (news.status) showStatus(news.status);
  if (news.signals) showSignals(news.signals);
  if (news.apps) showApps(news.apps);
  if (news.prompts) prompts = news.prompts;
  if (news.prompts || news.apps || news.status) showCards();
  if (news.log) showLog(news.log);
  if (news.news) showNews(news.news);
}

// MARK: Elements. Unchanged elements stay in the document, and keep the focus.

function keyed(parent, items, key, make, update) {
  const wanted = new Set(items.map((item) => String(key(item))));
  for (const child of [...parent.children]) if (!wanted.has(child.dataset.key)) leaveOut(child);
  const old = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  let next = parent.firstElementChild;
  for (const item of items) {
    const name = String(key(item));
    let element = old.get(name);
    if (!element) {
      element = make(item);
      element.dataset.key = name;
    }
    update(element, item);
    if (element === next) next = next.nextElementSibling;
    else parent.insertBefore(element, next);
  }
}

function leaveOut(element) {
  const lead = leadBack(element);
  element.remove();
  lead();
}

/** Returns a function that moves the focus to the heading of the section if the focus is in the element now. */
function leadBack(element) {
  const heading = element.contains(document.activeElement) && element.closest("section").querySelector("h2");
  return () => {
    if (!heading) return;
    heading.tabIndex = -1;
    heading.focus();
  };
}

function set(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

const copy = (id) => one(id).content.firstElementChild.cloneNode(true);

/** Returns a picture of rectangles. */
function picture(name, [width, height], rectangles) {
  const element = copy("picture-template");
  element.setAttribute("class", name);
  element.setAttribute("viewBox", `0 0 ${width} ${height}`);
  for (const attributes of rectangles) {
    const rectangle = document.createElementNS(element.namespaceURI, "rect");
    for (const [key, value] of Object.entries(attributes)) rectangle.setAttribute(key, value);
    element.append(rectangle);
  }
  return element;
}

// MARK: The state

function showStatus(now) {
  status = now;
  const lead = status.isLocked ? leadBack(one("lock-part")) : () => {};
  one("lock-part").hidden = status.isLocked;
  one("locked").hidden = !status.isLocked;
  lead();
  // What the latest press did is beside the question, where a user looks after a press.
  const press = status.rows.find((row) => row.label === status.lastPress);
  set(one("last-press"), press ? `${press.label} · ${press.value}` : "");
  keyed(
    one("state"), status.rows.filter((row) => row !== press).flatMap((row, index) => [
      { tag: "dt", text: row.label, key: `${index} ${row.label} label` },
      { tag: "dd", text: row.value, key: `${index} ${row.label} value`, isLight: row.label === status.light },
    ]), (part) => part.key, (part) => document.createElement(part.tag),
    (element, part) => (part.isLight ? showLight(element) : set(element, part.text)));
}

/** Shows the light's signal now: a picture of two seconds, and the text. */
function showLight(element, label = "") {
  const text = status.rows.find((row) => row.label === status.light)?.value ?? "";
  const signal = `${status.pattern} ${text}`;
  if (element.dataset.signal === signal) return;
  element.dataset.signal = signal;
  const phases = [{ class: "lane", width: signalPeriod, height: 200 }];
  for (let time = 0, phase = 0; status.pattern.length > 0 && time < signalPeriod; phase++) {
    const length = status.pattern[phase % status.pattern.length];
    const width = Math.min(length, signalPeriod - time);
    // With an odd number of phases, the last phase and the first phase of the next repetition are both lit.
    const isLit = (phase % status.pattern.length) % 2 === 0;
    if (isLit) phases.push({ class: "lit", x: time, width, height: 200 });
    time += Math.max(length, 1);
  }
  element.replaceChildren(label, picture("signal", [signalPeriod, 200], phases), " ", text);
}

function showSignals(signals) {
  one("signals-part").hidden = signals.length === 0;
  keyed(
    one("signals"), signals.flatMap((signal) => [{ ...signal, tag: "dt" }, { ...signal, tag: "dd" }]),
    (part) => `${part.tag} ${part.constellation}`, (part) => document.createElement(part.tag), (element, part) => {
      if (part.tag === "dt") return set(element, part.constellation);
      const bars = part.bars.map((bar, index) => {
        const height = Math.max(2, Math.min(bar.strength, 60) / 2);
        return { class: bar.isUsed ? "used" : "unused", x: index * 12 + 1, y: 31 - height, width: 8, height };
      });
      element.replaceChildren(picture("bars", [part.bars.length * 12, 32], bars), " ", part.text);
    });
}

// MARK: Questions, and apps for which the next press is

function showCards() {
  const open = new Set(prompts.map((prompt) => prompt.prompt));
  // The card of an answered question stays until the page shows the result of another command.
  const closed = [...answered.values()]
    .filter((card) => !open.has(card.prompt) && (card.isPending || card.place.textContent));
  const asking = new Set(prompts.map((prompt) => prompt.app));
  const waiting = [...apps.values()].filter((app) => app.waits && !asking.has(app.app));
  const cards = [...closed, ...prompts, ...waiting];
  one("nothing-asked").hidden = prompts.length + waiting.length > 0;
  keyed(
    one("questions"), cards, (card) => card.prompt ?? `waits ${card.app}`, makeCard, (element, card) => {
      set(element.querySelector("h3"), card.question ?? card.waits);
      set(element.querySelector(".says"), [card.says, card.press].filter(Boolean).join("\n"));
      showLight(element.querySelector(".light"), `${status.light} `);
      if (!closed.includes(card)) return;
      const lead = leadBack(element);
      for (const part of element.querySelectorAll("fieldset, .choices, .says, .light")) part.hidden = true;
      lead();
    });
}

function makeCard(card) {
  const element = copy("question-template");
  const title = element.querySelector("h3");
  title.id = `question-${card.prompt ?? card.app}`;
  element.setAttribute("aria-labelledby", title.id);
  const accuracies = element.querySelector("fieldset");
  one("alert").textContent = [card.question ?? card.waits, card.says].filter(Boolean).join(" ");
  if (card.prompt === undefined || !card.isAboutAccuracy) accuracies.remove();
  if (card.prompt === undefined) {
    element.classList.add("waits");
    return element;
  }
  for (const choice of accuracies.querySelectorAll("input")) {
    choice.name = `accuracy-${card.prompt}`;
    choice.checked = choice.value === (apps.get(card.app)?.accuracy ?? "full");
  }
  const buttons = card.choices.map((choice) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = choice.text || choice.choice;
    button.value = choice.choice;
    button.setAttribute("aria-describedby", title.id);
    // A click or a key before the user could read the question is no answer.
    button.setAttribute("aria-disabled", "true");
    button.addEventListener("click", () => answer(card, button, accuracies, element.querySelector(".result")));
    return button;
  });
  element.querySelector(".choices").append(...buttons);
  setTimeout(() => buttons.forEach((button) => button.removeAttribute("aria-disabled")), readingTime);
  return element;
}

async function answer(prompt, button, accuracies, place) {
  if (button.hasAttribute("aria-disabled")) return;
  const accuracy = button.value === "no" ? null : accuracies.querySelector("input:checked")?.value;
  const card = { ...prompt, place, isPending: true };
  answered.set(prompt.prompt, card);
  const words = ["answer", prompt.prompt, button.value, ...(prompt.isAboutAccuracy && accuracy ? [accuracy] : [])];
  await perform(words, place);
  card.isPending = false;
  showCards();
}

// MARK: Apps

/** The order of the apps: active apps first, and apps that must ask again last. */
const rank = (app) => (app.isActive ? 0 : app.shown === "ask-next-time" ? 2 : 1);

function showApps(list) {
  // No row moves while the focus is in the list.
  const isUsed = one("apps-section").contains(document.activeElement);
  ranks = new Map(list.map((app) => [app.app, (isUsed ? ranks.get(app.app) : undefined) ?? rank(app)]));
  apps = new Map(list.map((app) => [app.app, app]));
  one("no-apps").hidden = list.length > 0;
  const sorted = [...list].sort((app, other) => ranks.get(app.app) - ranks.get(other.app));
  const isQuiet = (app) => list.length > fewApps && ranks.get(app.app) === 2;
  const quiet = sorted.filter(isQuiet);
  showRows(one("apps"), sorted.filter((app) => !isQuiet(app)));
  showRows(one("quiet-apps"), quiet);
  one("quiet").hidden = quiet.length === 0;
  set(one("quiet-count"), `(${quiet.length})`);
}

function showRows(parent, list) {
  keyed(parent, list, (app) => app.app, makeApp, (element, app) => {
    const form = element.querySelector("form");
    set(element.querySelector("h3"), app.title);
    set(element.querySelector(".now"), app.isActive ? app.now : "");
    set(element.querySelector(".status"), app.until ? app.limited.replace("{time}", localMinute(app.until)) : app.status);
    set(element.querySelector(".accuracy"), ["never", "restricted"].includes(app.shown) ? "" : ` · ${app.precision}`);
    form.hidden = app.shown === "restricted";
    const { permission, accuracy, duration } = form.elements;
    if (permission.value === app.shown && accuracy.value === app.accuracy && !duration.value) {
      delete form.dataset.isChanged;
    }
    // The page does not overwrite a choice that a user has not applied yet.
    if (form.dataset.isChanged) return;
    permission.value = app.shown;
    accuracy.value = app.accuracy;
    showDuration(form);
  });
}

function makeApp(app) {
  const element = copy("app-template");
  const [title, form] = [element.querySelector("h3"), element.querySelector("form")];
  title.id = `app-${app.app}`;
  form.setAttribute("aria-labelledby", title.id);
  form.addEventListener("input", () => {
    form.dataset.isChanged = "yes";
    showDuration(form);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    apply(app.app, form, element.querySelector(".result"));
  });
  return element;
}

/** Shows the choice of an end only beside an authorization that can have one. */
function showDuration(form) {
  const { permission, duration } = form.elements;
  duration.parentElement.hidden = !["while-using", "always"].includes(permission.value);
  if (duration.parentElement.hidden) duration.value = "";
}

async function apply(name, form, place) {
  const { permission, accuracy, duration } = form.elements;
  const present = apps.get(name);
  const chosen = { permission: permission.value, accuracy: accuracy.value };
  const end = duration.value ? ["for", duration.value] : [];
  const verbs = {
    never: ["deny", name], "ask-next-time": ["reset", name], "while-using": ["allow", name, "while-using", ...end],
    always: ["allow", name, "always", ...end],
  };
  delete form.dataset.isChanged;
  duration.value = "";
  if ((chosen.permission !== present.shown || end.length > 0) && verbs[chosen.permission]) {
    if (!(await perform(verbs[chosen.permission], place))) return;
  }
  if (chosen.accuracy !== present.accuracy) await perform(["accuracy", name, chosen.accuracy], place);
}

// MARK: The log

/** Returns the page of the log to read: the number of entries, and the number of the entry after them. */
export const logPage = () => [one("entries").value, newerPages.at(-1)].filter(Boolean).join(" ");

function showLog(rows) {
  log = rows;
  one("no-entries").hidden = rows.length > 0;
  one("log-part").hidden = rows.length === 0;
  const local = rows.map((row) => localTime(row.time));
  one("local-time").hidden = local.every((time, index) => rows[index].time.endsWith(time));
  keyed(one("log"), rows, (row) => row.entry, () => document.createElement("tr"), (element, row) => {
    if (element.children.length === 0) {
      for (let count = 0; count < 5; count++) element.append(document.createElement("td"));
    }
    [row.time, localTime(row.time), row.entry, row.app, row.what]
      .forEach((text, index) => set(element.children[index], text));
    element.children[1].hidden = one("local-time").hidden;
  });
  one("newer").disabled = newerPages.length === 0;
  one("older").disabled = rows.length < Number(one("entries").value) || rows.at(-1)?.entry === "#1";
}

/** Returns the local time of a time in UTC, as in `09:31:34`. If the day is another day, the date is before the time. */
function localTime(utc) {
  const date = new Date(`${utc.replace(" ", "T")}Z`);
  if (isNaN(date)) return "";
  const local = new Date(date - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19).replace("T", " ");
  return local.slice(0, 10) === utc.slice(0, 10) ? local.slice(11) : local;
}

/** Returns the local time of a time in UTC without seconds. If the day is not today, the date is before the time. */
function localMinute(utc) {
  const date = new Date(`${utc.replace(" ", "T")}Z`);
  if (isNaN(date)) return utc;
  const local = (time) => new Date(time - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16).replace("T", " ");
  const now = local(new Date());
  return local(date).slice(0, 10) === now.slice(0, 10) ? local(date).slice(11) : local(date);
}

function turn(change) {
  change();
  one("log-section").dispatchEvent(new Event("page"));
}

one("older").addEventListener("click", () => turn(() => newerPages.push(log.at(-1).entry.slice(1))));
one("newer").addEventListener("click", () => turn(() => newerPages.pop()));
one("entries").addEventListener("change", () => turn(() => newerPages.splice(0)));

// MARK: Notifications

function showNews(news) {
  // The card has the result of an answer on this page.
  if (news.isByOwner && answered.has(news.prompt)) return;
  const item = document.createElement("li");
  item.textContent = news.lines.join("\n");
  one("news").prepend(item);
  while (one("news").children.length > mostNews) one("news").lastElementChild.remove();
  one("news-part").hidden = false;
}
