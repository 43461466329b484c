// The owners' page: opens a link, reads the stream of the gateway's state, and connects the controls.
import { ask, end, headers, keep, one, perform, session, showFailure, showResult, tell } from "./session.js";
import { logPage, show } from "./views.js";

const silence = 45_000;
let lastPresence = 0;

const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

const linkInAddress = () => /^#([A-Za-z0-9_-]{43})$/.exec(location.hash)?.[1];

/** Opens the link in the address. The link is removed from the address and the history first. */
async function open() {
  const link = linkInAddress();
  if (link) {
    history.replaceState(null, "", "/");
    tell("connecting");
    try {
      const response = await ask("/open", "", link);
      if (response.status === 401) return session.token ? begin() : tell("refused");
      if (!response.ok) throw new Error(String(response.status));
      keep(await response.text());
    } catch {
      return tell("lost");
    }
  }
  if (session.token) begin();
  else tell("needsLink");
}

function begin() {
  session.listening.abort();
  session.listening = new AbortController();
  listen(session.listening.signal);
}

async function listen(stopped) {
  let pause = 500;
  while (!stopped.aborted) {
    try {
      await hear(stopped, () => (pause = 500));
    } catch {
      // The page tries again after the pause.
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
  // The gateway sends at least an empty line now and then.
  let timeout = setTimeout(stop, silence);
  try {
    const response = await ask("/events", logPage(), session.token, attempt.signal);
    if (response.status === 401) return end("over");
    if (!response.ok) throw new Error(String(response.status));
    connected();
    tell(null);
    for (const id of ["content", "sections", "leave"]) one(id).hidden = false;
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

/** Shows the report. The browser parses it as a document of its own, which runs no script. */
function showReport() {
  const place = one("report-result");
  showResult(place, "");
  const request = new XMLHttpRequest();
  request.open("POST", "/report");
  for (const [name, value] of Object.entries(headers())) request.setRequestHeader(name, value);
  request.responseType = "document";
  request.addEventListener("load", () => {
    if (request.status === 401) return end("over");
    if (request.status !== 200 || !request.response) return showFailure(place);
    const parts = [...request.response.body.children].map((part) => document.importNode(part, true));
    one("report").replaceChildren(...parts);
    one("report").hidden = false;
    one("report").focus();
  });
  request.addEventListener("error", () => showFailure(place));
  request.send();
}

/** Tells the gateway that a user is at the page. Without a user, the session ends. */
function present() {
  const now = Date.now();
  if (!session.token || now - lastPresence < 60_000) return;
  lastPresence = now;
  ask("/present").then((response) => response.status === 401 && end("over"), () => {});
}

one("lock").addEventListener("click", () => perform(["lock"], one("lock-result")));
one("show-report").addEventListener("click", showReport);
one("log-section").addEventListener("page", () => session.token && begin());
one("leave").addEventListener("click", () => {
  ask("/leave").catch(() => {});
  end("needsLink");
});
addEventListener("keydown", present);
addEventListener("pointerdown", present);
addEventListener("hashchange", () => linkInAddress() && open());
open();
