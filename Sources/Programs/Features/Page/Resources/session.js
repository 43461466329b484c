// The session of this tab, and the requests to the gateway. A link brings a token behind its #, which no browser sends
// to a server. The page exchanges it for the token of a session, which only this tab keeps and sends in a header.
const stored = "onefix-session";

export const one = (id) => document.getElementById(id);

export const session = { token: sessionStorage.getItem(stored), listening: new AbortController() };

export const headers = () => ({ Authorization: `Bearer ${session.token}`, "Content-Type": "text/plain" });

export const ask = (path, body = "", bearer = session.token, signal = undefined) =>
  fetch(path, {
    method: "POST", headers: { ...headers(), Authorization: `Bearer ${bearer}` }, body, signal, credentials: "omit",
    redirect: "error",
  });

export function keep(token) {
  session.token = token;
  if (token) sessionStorage.setItem(stored, token);
  else sessionStorage.removeItem(stored);
}

export function end(why) {
  keep(null);
  session.listening.abort();
  one("content").hidden = true;
  one("sections").hidden = true;
  one("leave").hidden = true;
  one("connection").textContent = "";
  tell(why);
}

/** Shows a text instead of the content; without a reason, no text. */
export function tell(why) {
  one("notice").textContent = why ? one("notice").dataset[why] : "";
}

/** The element with the latest result of a command. The page shows one result at a time, beside its control. */
let result = null;

export function showResult(place, text) {
  if (result && result !== place) result.textContent = "";
  result = place;
  if (place.textContent !== text) place.textContent = text;
}

export const showFailure = (place) => showResult(place, one("content").dataset.failed);

/** Performs a command of an owner, and shows its result in `place`. Returns whether the gateway performed it. */
export async function perform(words, place) {
  showResult(place, "");
  try {
    const response = await ask("/verb", words.join(" "));
    if (response.status === 401) return end("over");
    if (![200, 409].includes(response.status)) throw new Error(String(response.status));
    showResult(place, (await response.text()).trim());
    return response.ok;
  } catch {
    showFailure(place);
    return false;
  }
}
