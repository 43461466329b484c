"""Rules: each fix was requested and granted."""

import bisect
import collections
import math
import re

from bounds import ARMED, CHOSEN, GRANT, KEPT, OUTBOX, OUTPUTS, REST, SLACK, WAITING


class Grants:
    def asked(self, disclosure):
        """Returns the earlier requests of the session. The request of a reader of sentences is its connection. The
        gateway itself requests for an output that gets a fix by each press, from its start."""
        if self.evidence.apps[disclosure.app].get("each_press"):
            yield {"t": self.evidence.lives[0]["ready"]}
            return
        if disclosure.way == "nmea":
            yield self.evidence.opened[disclosure.who]
            return
        for record in self.evidence.said[disclosure.who]:
            if record["t"] > disclosure.t:
                return
            text = record["text"]
            if disclosure.way == "mqtt" and record["topic"].endswith("/request"):
                if f'"{disclosure.identifier}"' in text:
                    yield record
            elif disclosure.way == "gpsd" and text.startswith("?WATCH") and "false" not in text.split("json")[0]:
                yield record
            elif re.match(r"@\S+ REQ once", text):
                yield record

    def could_serve(self, press, disclosure):
        """Whether a press may have been for a disclosure, as far as the transcript shows. The app must have had the mark
        each time an owner read the status in the second before the down edge."""
        evidence = self.evidence
        life = evidence.life(press.sent)
        if press.up is None:
            # The effect is unknown, because the daemon ended before its report.
            up, down = (life["end"] or disclosure.t), press.sent + 1
        elif press.effect in ("served", "granted", None):
            # A board with real lines does not report the effect of a press.
            up, down = press.up, press.down
        else:
            return False
        if disclosure.way in OUTPUTS:
            if not press.sent <= disclosure.t <= up + OUTBOX:
                return False
        elif evidence.life(disclosure.t) is not life:
            return False
        elif not press.sent + press.length <= disclosure.t <= up + (
                CHOSEN + KEPT + self.slack(disclosure) if disclosure.is_polled else GRANT + SLACK):
            return False
        if press.up is not None and not all(
                disclosure.app in apps for apps in evidence.marks_between(down - ARMED + SLACK, down - SLACK)):
            return False
        return any(record["t"] <= down - ARMED for record in self.asked(disclosure))

    def candidates(self, disclosure):
        """Returns the presses that may have been for a disclosure, latest first."""
        if disclosure not in self.considered:
            evidence = self.evidence
            last = bisect.bisect_right(evidence.press_times, disclosure.t)
            since = disclosure.t - GRANT - 70 if disclosure.way not in OUTPUTS else disclosure.t - OUTBOX
            first = bisect.bisect_left(evidence.press_times, since)
            self.considered[disclosure] = [
                press for press in reversed(evidence.press_list[first:last]) if self.could_serve(press, disclosure)]
        return self.considered[disclosure]

    def presses(self):
        """Each fix has its own press, or a standing right. The fix of an output for each press always has its press."""
        once = [disclosure for disclosure in self.firsts() if disclosure.kind in ("once", "gpsd", "nmea")
                and (self.evidence.apps[disclosure.app].get("each_press")
                     or not self.evidence.stands(disclosure.app, disclosure.t, self.slack(disclosure)))]
        served = {}

        def serve(disclosure, seen):
            for press in self.candidates(disclosure):
                if press.number not in seen:
                    seen.add(press.number)
                    if press.number not in served or serve(served[press.number], seen):
                        served[press.number] = disclosure
                        return True
            return False

        for disclosure in once:
            if not serve(disclosure, set()):
                self.violated("a fix needs its own press, or a right", "no press can have been for it",
                              disclosure.record)
        self.figures["served_by_press"] = len(served)
        for disclosure in self.evidence.disclosures:
            if disclosure.kind == "updates" and not self.evidence.stands(disclosure.app, disclosure.t,
                                                                         self.slack(disclosure)):
                self.violated("updates need a standing right", "there is none", disclosure.record)

    def polled(self):
        """The fix of a client that polls is that of its press, and not that of the time of the poll."""
        for disclosure in self.firsts():
            slack = self.slack(disclosure)
            if (not disclosure.is_polled or not disclosure.is_full
                    or self.evidence.stands(disclosure.app, disclosure.t, slack)):
                continue
            epoch, _ = self.evidence.epoch(disclosure)
            if epoch and not any(press.up is None or epoch["t"] <= press.up + CHOSEN + slack
                                 for press in self.candidates(disclosure)):
                self.violated("a poll gives the fix of the press", "its epoch is of a later time", disclosure.record,
                              epoch)

    def invited(self):
        """A press opens a question about a denied app only if the app has sent a request. A client that watches sends
        none."""
        requests = collections.defaultdict(list)
        for said in self.evidence.said.values():
            for record in said:
                if re.match(r"@\S+ REQ once", record["text"]) or record.get("topic", "").endswith("/request"):
                    requests[record["app"]].append(record["t"])
        for record, app, kind in self.evidence.questions:
            if kind == "introduce" and not any(record["t"] - WAITING <= t <= record["t"] for t in requests[app]):
                self.violated("a denied app that sent no request opens no question", app, record)

    def firsts(self):
        """Returns the disclosures without retransmissions."""
        seen = set()
        for disclosure in self.evidence.disclosures:
            key = (disclosure.who, disclosure.identifier)
            if disclosure.identifier is not None:
                if key in seen:
                    continue
                seen.add(key)
            yield disclosure

    def apart(self):
        """A press soon after a fix by a press serves no app, unless the daemon has started since. (systemd starts it only
        after a longer pause.)"""
        former = None
        for disclosure in sorted(self.firsts(), key=lambda disclosure: disclosure.t):
            slack = self.slack(disclosure)
            if (disclosure.kind != "once" or disclosure.way in OUTPUTS or disclosure.is_again
                    or self.evidence.stands(disclosure.app, disclosure.t, slack)):
                continue
            if (former and former.app != disclosure.app and disclosure.t - former.t < REST - slack - self.slack(former)
                    and self.evidence.life(former.t) is self.evidence.life(disclosure.t)):
                self.violated("a press soon after a fix is for no app", f"{disclosure.t - former.t:.2f} s after",
                              former.record, disclosure.record)
            former = disclosure

    def requests(self):
        """A request gives one fix, and a cancelled request gives none."""
        fixes = collections.Counter(d.who for d in self.firsts() if d.kind == "once" and d.way not in OUTPUTS)
        for who, count in fixes.items():
            replies = self.evidence.heard[who]
            tags = {record["text"].split()[0] for record in self.evidence.said[who] if " REQ once" in record["text"]}
            accepted = sum(record["text"].startswith("+OK") and record["text"].split()[1:2] != []
                           and record["text"].split()[1] in tags for record in replies)
            if count > accepted:
                self.violated("one fix for a request", f"{count} fixes for {accepted} requests", *replies[-5:])
        for disclosure in self.firsts():
            cancelled = None
            for record in self.evidence.said[disclosure.who]:
                if record["t"] >= disclosure.t:
                    break
                words = record["text"].split()
                if words[1:2] == ["CANCEL"]:
                    reply = next((heard for heard in self.evidence.heard[disclosure.who]
                                  if heard["text"].startswith("+OK " + words[0])), None)
                    cancelled = reply
                elif words[1:2] in (["REQ"], ["START"]):
                    cancelled = None
            if cancelled and cancelled["t"] + self.slack(disclosure) < disclosure.t and not disclosure.is_again:
                self.violated("a cancelled request gives no fix", "a fix came", cancelled, disclosure.record)

    def locked(self):
        """No data is disclosed after the kill switch."""
        for begin, end in self.evidence.locks:
            for disclosure in self.evidence.told:
                if begin + self.slack(disclosure) < disclosure.t < end:
                    self.violated("nothing is disclosed while the gateway is locked",
                                  f"{disclosure.t - begin:.2f} s after",
                                  disclosure.record)

    def barred_apps(self):
        """Returns the apps that were never allowed: restricted apps, and apps that were denied from the start and
        never use the button."""
        return {"barred", "forbidden", "vandal", "pulse"} & set(self.evidence.apps)

    def barred(self):
        for disclosure in self.evidence.disclosures:
            if disclosure.app in self.barred_apps():
                self.violated("a denied app receives no fix", disclosure.app, disclosure.record)

    def withdrawn(self):
        """An app receives no fix from before its denial. A press, an answer or a command can allow the app again."""
        evidence = self.evidence
        answers = [record["t"] for said in evidence.said.values() for record in said
                   if re.search(r"ANSWER|/verb answer ", record["text"])]
        denials = [(app, said, answered) for app, changes in evidence.rights.items()
                   for said, answered, status in changes if status == "denied"]
        for app, said, answered in denials:
            moments = [change for change, reply, status in evidence.rights[app] if status != "denied" and reply >= said]
            # A press without a report was the last one of its life.
            moments += [press.sent for press in evidence.press_list if (
                evidence.life(press.sent) is evidence.life(said) if press.up is None else press.up >= said)]
            until = min((moment for moment in moments + [t for t in answers if t >= said]), default=math.inf)
            for disclosure in evidence.disclosures:
                if disclosure.app == app and answered + self.slack(disclosure) < disclosure.t < until:
                    self.violated("a denied app receives no earlier fix", f"{disclosure.t - answered:.2f} s after",
                                  disclosure.record)

    def secluded(self):
        """An app receives nothing about another app, and no message to owners."""
        others = {name: re.compile(r"(?<!\w)(?:owner/|(?:" + "|".join({*self.evidence.apps} - {name}) + r")(?!\w))")
                  for name in self.evidence.apps}
        for heard in self.evidence.heard.values():
            # gpsd repeats an unknown request, and a broker the messages of its other clients.
            if not heard or heard[0]["way"] not in ("unix", "tcp", "tls", "serial") or heard[0]["app"] not in others:
                continue
            for record in heard:
                if found := others[heard[0]["app"]].search(record["text"]):
                    self.violated("an app receives nothing about another app", found.group(), record)
