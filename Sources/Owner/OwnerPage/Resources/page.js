// The owners' page. A link brings a token behind its #, which no server is told; it is given back at once for that of a
// session, which is kept in this tab alone and goes in a header. All text that comes is set as text.
"use strict";
{
  const one = (id) => document.getElementById(id);
  const kept = "onefix-session";
  const readingTime = 1000;
  const silence = 45_000;
  const mostNews = 20;

  let session = sessionStorage.getItem(kept);
  let listening = new AbortController();
  let apps = new Map();
  let lastPresence = 0;
  const answered = new Set();

  // MARK: Asking

  const headers = (bearer) => ({ Authorization: `Bearer ${bearer}`, "Content-Type": "text/plain" });

  const ask = (path, body = "", bearer = session, signal = undefined) =>
    fetch(path, { method: "POST", headers: headers(bearer), body, signal, credentials: "omit", redirect: "error" });

  const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

  const linkInAddress = () => /^#([A-Za-z0-9_-]{43})$/.exec(location.hash)?.[1];

  /** Opens what a link has behind its #, which is taken out of the address and the history first. */
  async function open() {
    const link = linkInAddress();
    if (link) {
      history.replaceState(null, "", "/");
      tell("connecting");
      try {
        const response = await ask("/open", "", link);
        if (response.status === 401) return session ? begin() : tell("refused");
        if (!response.ok) throw new Error(String(response.status));
        keep(await response.text());
      } catch {
        return tell("lost");
      }
    }
    if (session) begin();
    else tell("needsLink");
  }

  function keep(token) {
    session = token;
    if (token) sessionStorage.setItem(kept, token);
    else sessionStorage.removeItem(kept);
  }

  function end(why) {
    keep(null);
    listening.abort();
    one("content").hidden = true;
    one("leave").hidden = true;
    one("connection").textContent = "";
    tell(why);
  }

  /** What stands instead of the content; nothing where there is content. */
  function tell(why) {
    one("notice").textContent = why ? one("notice").dataset[why] : "";
  }

  // MARK: Listening

  function begin() {
    listening.abort();
    listening = new AbortController();
    listen(listening.signal);
  }

  async function listen(stopped) {
    let pause = 500;
    while (!stopped.aborted) {
      try {
        await hear(stopped, () => (pause = 500));
      } catch {
        // It is tried again.
      }
      if (stopped.aborted) return;
      one("connection").textContent = one("connection").dataset.lost;
      await wait(pause);
      pause = Math.min(pause * 2, 10_000);
    }
  }

  async function hear(stopped, connected) {
    const attempt = new AbortController();
    const stop = () => attempt.abort();
    stopped.addEventListener("abort", stop);
    // The gateway says something now and then, if only an empty line.
    let timeout = setTimeout(stop, silence);
    try {
      const response = await ask("/events", one("entries").value, session, attempt.signal);
      if (response.status === 401) return end("over");
      if (!response.ok) throw new Error(String(response.status));
      connected();
      tell(null);
      one("content").hidden = false;
      one("leave").hidden = false;
      one("connection").textContent = one("connection").dataset.connected;
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        clearTimeout(timeout);
        timeout = setTimeout(stop, silence);
        const lines = (rest + value).split("\n");
        rest = lines.pop();
        for (const line of lines) if (line) show(JSON.parse(line));
      }
    } finally {
      clearTimeout(timeout);
      stopped.removeEventListener("abort", stop);
    }
  }

  function show(news) {
    if (news.status) showStatus(news.status);
    if (news.apps) showApps(news.apps);
    if (news.prompts) showQuestions(news.prompts);
    if (news.log) showLog(news.log);
    if (news.news) showNews(news.news);
  }

  // MARK: Showing. Unchanged elements stay in the document, and keep the focus.

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

  /** Brings whoever was in what goes to the heading above it. */
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

  function showStatus(status) {
    const lead = status.isLocked ? leadBack(one("lock-part")) : () => {};
    one("lock-part").hidden = status.isLocked;
    lead();
    keyed(
      one("state"), status.rows.flatMap((row, index) => [
        { tag: "dt", text: row.label, key: `${index} ${row.label} label` },
        { tag: "dd", text: row.value, key: `${index} ${row.label} value` },
      ]), (part) => part.key, (part) => document.createElement(part.tag), (element, part) => set(element, part.text));
  }

  function showQuestions(prompts) {
    one("nothing-asked").hidden = prompts.length > 0;
    keyed(
      one("questions"), prompts, (prompt) => prompt.prompt ?? `later ${prompt.app}`, makeQuestion,
      (element, prompt) => {
        set(element.querySelector("h3"), prompt.question);
        set(element.querySelector(".says"), [prompt.says, prompt.press].filter(Boolean).join(" "));
      });
  }

  function makeQuestion(prompt) {
    const element = copy("question-template");
    const title = element.querySelector("h3");
    title.id = `question-${prompt.prompt ?? prompt.app}`;
    element.setAttribute("aria-labelledby", title.id);
    const accuracies = element.querySelector("fieldset");
    if (prompt.prompt === undefined) {
      accuracies.remove();
      return element;
    }
    if (prompt.isAboutAccuracy) {
      for (const choice of accuracies.querySelectorAll("input")) {
        choice.name = `accuracy-${prompt.prompt}`;
        choice.checked = choice.value === (apps.get(prompt.app)?.accuracy ?? "full");
      }
    } else {
      accuracies.remove();
    }
    const buttons = prompt.choices.map((choice) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = choice.text || choice.choice;
      button.value = choice.choice;
      button.setAttribute("aria-describedby", title.id);
      // What was clicked or typed before it could be read is no answer to it.
      button.setAttribute("aria-disabled", "true");
      button.addEventListener("click", () => answer(prompt, button, accuracies));
      return button;
    });
    element.querySelector(".choices").append(...buttons);
    setTimeout(() => buttons.forEach((button) => button.removeAttribute("aria-disabled")), readingTime);
    one("alert").textContent = [prompt.question, prompt.says].filter(Boolean).join(" ");
    return element;
  }

  function answer(prompt, button, accuracies) {
    if (button.hasAttribute("aria-disabled")) return;
    const accuracy = button.value === "no" ? null : accuracies.querySelector("input:checked")?.value;
    answered.add(prompt.prompt);
    say(["answer", prompt.prompt, button.value, ...(prompt.isAboutAccuracy && accuracy ? [accuracy] : [])]);
  }

  function showApps(list) {
    apps = new Map(list.map((app) => [app.app, app]));
    one("no-apps").hidden = list.length > 0;
    keyed(one("apps"), list, (app) => app.app, makeApp, (element, app) => {
      const form = element.querySelector("form");
      set(element.querySelector("h3"), app.title);
      set(element.querySelector("p"), app.shown === "restricted" ? app.status : app.now);
      form.hidden = app.shown === "restricted";
      const { permission, accuracy } = form.elements;
      if (permission.value === app.shown && accuracy.value === app.accuracy) delete form.dataset.isChanged;
      // What somebody is about to change is not changed under their hands.
      if (form.dataset.isChanged) return;
      permission.value = app.shown;
      accuracy.value = app.accuracy;
    });
  }

  function makeApp(app) {
    const element = copy("app-template");
    const [title, form] = [element.querySelector("h3"), element.querySelector("form")];
    title.id = `app-${app.app}`;
    form.setAttribute("aria-labelledby", title.id);
    form.addEventListener("input", () => (form.dataset.isChanged = "yes"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      apply(app.app, form);
    });
    return element;
  }

  async function apply(name, form) {
    const { permission, accuracy } = form.elements;
    const present = apps.get(name);
    const chosen = { permission: permission.value, accuracy: accuracy.value };
    const verbs = {
      never: ["deny", name], "ask-next-time": ["reset", name], "while-using": ["allow", name, "while-using"],
      always: ["allow", name, "always"],
    };
    delete form.dataset.isChanged;
    if (chosen.permission !== present.shown && verbs[chosen.permission]) {
      if (!(await say(verbs[chosen.permission]))) return;
    }
    if (chosen.accuracy !== present.accuracy) await say(["accuracy", name, chosen.accuracy]);
  }

  function showLog(rows) {
    one("no-entries").hidden = rows.length > 0;
    keyed(
      one("log"), rows, (row) => row.entry, () => document.createElement("tr"), (element, row) => {
        if (element.children.length === 0) {
          for (let count = 0; count < 4; count++) element.append(document.createElement("td"));
        }
        [row.time, row.entry, row.app, row.what].forEach((text, index) => set(element.children[index], text));
      });
  }

  function showNews(news) {
    // Whoever answered here knows it.
    if (news.isByOwner && answered.has(news.prompt)) return;
    const item = document.createElement("li");
    item.textContent = news.lines.join("\n");
    one("news").prepend(item);
    while (one("news").children.length > mostNews) one("news").lastElementChild.remove();
    one("news-part").hidden = false;
  }

  // MARK: Saying

  /** Says one of the owner's verbs. */
  async function say(words) {
    set(one("outcome"), "");
    try {
      const response = await ask("/verb", words.join(" "));
      if (response.status === 401) return end("over");
      if (![200, 409].includes(response.status)) throw new Error(String(response.status));
      set(one("outcome"), (await response.text()).trim());
      return response.ok;
    } catch {
      set(one("outcome"), one("outcome").dataset.failed);
      return false;
    }
  }

  /** A document that is parsed so runs nothing. */
  function showReport() {
    const request = new XMLHttpRequest();
    request.open("POST", "/report");
    for (const [name, value] of Object.entries(headers(session))) request.setRequestHeader(name, value);
    request.responseType = "document";
    request.addEventListener("load", () => {
      if (request.status === 401) return end("over");
      if (request.status !== 200 || !request.response) return set(one("outcome"), one("outcome").dataset.failed);
      const parts = [...request.response.body.children].map((part) => document.importNode(part, true));
      one("report").replaceChildren(...parts);
      one("report").hidden = false;
      one("report").focus();
    });
    request.addEventListener("error", () => set(one("outcome"), one("outcome").dataset.failed));
    request.send();
  }

  /** A session ends where nobody is there any more. */
  function present() {
    const now = Date.now();
    if (!session || now - lastPresence < 60_000) return;
    lastPresence = now;
    ask("/present").then((response) => response.status === 401 && end("over"), () => {});
  }

  one("lock").addEventListener("click", () => say(["lock"]));
  one("show-report").addEventListener("click", showReport);
  one("entries").addEventListener("change", () => session && begin());
  one("leave").addEventListener("click", () => {
    ask("/leave").catch(() => {});
    end("needsLink");
  });
  addEventListener("keydown", present);
  addEventListener("pointerdown", present);
  addEventListener("hashchange", () => linkInAddress() && open());
  open();
}
