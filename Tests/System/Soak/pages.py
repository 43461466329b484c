"""Rules: the owners' page opens only for owners, sends nothing to other clients, and shows the current state."""

import json
import re

from bounds import LINK, SESSIONS, SLACK

PUBLIC = ("/", "/page.css", "/page.js", "/session.js", "/views.js")
REFUSAL = re.compile(r"\d{3} [A-Za-z ]+\n?")


class Pages:
    def requests_of_page(self):
        """Returns each request with its response, in order. Each request has its own connection."""
        for who, opened in self.evidence.opened.items():
            said, heard = self.evidence.said[who], self.evidence.heard[who]
            if opened["way"] == "page" and "token" in (said[0] if said else {}) and heard:
                words = said[0]["text"].split()
                yield said[0], words[0], words[1], heard[0]

    def opened(self):
        """A link opens the page once, soon after an owner received it, and only while that daemon runs."""
        evidence = self.evidence
        self.sessions, used = {}, {}
        for said, _, target, answer in self.requests_of_page():
            if target != "/open" or answer["status"] != 200:
                continue
            link = said["token"]
            given = evidence.links.get(link)
            if given is None or evidence.life(given) is not evidence.life(said["t"]):
                self.violated("only an owner's link opens the page", "it is none", said)
            elif said["t"] - given > LINK + SLACK:
                self.violated("only an owner's link opens the page", "it is too old", said)
            if link in used:
                self.violated("a link opens the page once", "it was used before", used[link], said)
            used[link] = said
            self.sessions[answer["text"]] = {"since": said["t"], "known": answer["t"], "left": None}
        for said, _, target, answer in self.requests_of_page():
            if target == "/leave" and answer["status"] == 204 and said["token"] in self.sessions:
                self.sessions[said["token"]]["left"] = (said["t"], answer["t"])
        self.figures["page_sessions"] = len(self.sessions)

    def admitted(self):
        """A request with a session from the page itself receives a response. Other requests receive no data."""
        counts = {"served": 0, "refused": 0}
        for said, method, target, answer in self.requests_of_page():
            status = answer["status"]
            counts["refused" if status >= 400 and status != 409 else "served"] += 1
            # If the daemon ends in the middle of an answer, the text is empty.
            if status >= 400 and status != 409 and answer["text"] and not REFUSAL.fullmatch(answer["text"]):
                self.violated("a refused client receives no data", answer["text"][:80], said, answer)
            if said["foreign"]:
                if status not in (403, 421):
                    self.violated("requests of other pages are refused", f"it was answered {status}", said, answer)
            elif method == "GET" and target in PUBLIC:
                if self.evidence.setup["gateway"] in answer["text"]:
                    self.violated("public files contain no data", "it names the gateway", said, answer)
            elif target == "/open":
                pass
            elif status < 300 or status == 409:
                if not self.may_be_owner(said, answer):
                    self.violated("a request without a session is refused",
                                  f"{target} was answered {status}", said, answer)
            elif status == 401 and self.is_owner(said, answer):
                self.violated("a request with a session receives a response", f"{target} was refused", said, answer)
        self.figures["page_requests"] = counts

    def may_be_owner(self, said, answer):
        session = self.sessions.get(said["token"])
        if session is None or self.evidence.life(session["since"]) is not self.evidence.life(answer["t"]):
            return False
        return session["since"] <= answer["t"] and not (session["left"] and session["left"][1] < said["t"])

    def is_owner(self, said, answer):
        """Whether the session is certainly valid: it was not closed, and no newer sessions have replaced it."""
        session = self.sessions.get(said["token"])
        if session is None or session["left"] and session["left"][0] < answer["t"]:
            return False
        newer = sum(session["since"] < other["since"] < answer["t"] for other in self.sessions.values())
        return (session["known"] < said["t"] and newer < SESSIONS
                and not self.evidence.is_disturbed(session["since"], answer["t"]))

    def shown_log(self):
        """The log on the page agrees with the log."""
        exports = [export for export in self.evidence.logs if export["entries"]]
        entries = {f"#{entry['entry']}": entry for entry in exports[-1]["entries"]} if exports else {}
        count = 0
        for said, _, target, answer in self.requests_of_page():
            if target != "/events" or answer["status"] != 200:
                continue
            for record in self.evidence.heard[said["who"]]:
                if not record["text"].startswith("{") or not exports or record["t"] > exports[-1]["since"]:
                    continue
                for row in json.loads(record["text"]).get("log", []):
                    count += 1
                    if entries.get(row["entry"], {}).get("app", "") != row["app"]:
                        self.violated("the page agrees with the log", f"{row}", said)
        self.figures["page_log_rows"] = count
