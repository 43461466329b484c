"""What has to hold of a run, whatever happened in it: it is judged from the transcript alone."""

import bisect
import collections
import math
import re

from codes import CODES
from evidence import Evidence, distance
from growth import growth

# An app has to have waited for 300 ms when the button goes down; a grant lives 60 s from the release; no one-time fix
# is older than 2 s before the press; the light is on for 500 ms at least.
ARMED, GRANT, AGE, LIT = 0.3, 60, 2, 0.5
# A fix that waited for its broker.
OUTBOX = 86_400
# The oracle's own errors: clocks that are read one after another, and a screen that is drawn after the light went on.
SLACK = 0.1
DRAWN = 0.6
LIVENESS = 5


class Oracle:
    def __init__(self, records):
        self.evidence = Evidence(records)
        self.violations = []
        self.figures = {}
        self.considered = {}

    def judge(self):
        for rule in (self.presses, self.requests, self.light, self.seen, self.approximate, self.fresh, self.locked,
                     self.barred, self.unique, self.logged, self.replies, self.alive, self.silent, self.growth,
                     self.faults):
            rule()
        self.figures["disclosures"] = self.count()
        return self

    def violated(self, rule, what, *records):
        self.violations.append({"rule": rule, "what": what, "records": [
            {key: value for key, value in record.items() if key != "entries"} for record in records]})

    def count(self):
        table = collections.Counter()
        for disclosure in self.evidence.disclosures:
            accuracy = "reduced" if disclosure.is_reduced else "full"
            table[disclosure.way, accuracy, "again" if disclosure.is_again else disclosure.kind] += 1
        return [{"way": way, "accuracy": accuracy, "kind": kind, "count": count}
                for (way, accuracy, kind), count in sorted(table.items())]

    def slack(self, disclosure):
        lag = self.evidence.lag(disclosure.t - 1, disclosure.t)
        # A broker hands on when it likes, and waits while it is stuck.
        return SLACK + lag + (5 if disclosure.way == "mqtt" else 0)

    # MARK: Grants

    def asked(self, disclosure):
        """Requests of that session before it."""
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
        """Whether that press may have been for it, as far as anybody outside can tell."""
        evidence = self.evidence
        life = evidence.life(press.sent)
        if press.up is None:
            # Nobody said what it did: the daemon went meanwhile.
            up, down = (life["end"] or disclosure.t), press.sent + 1
        elif press.effect in ("served", "granted", None):
            # A board of real lines says nothing of what a press did.
            up, down = press.up, press.down
        else:
            return False
        if disclosure.way == "mqtt":
            if not press.sent <= disclosure.t <= up + OUTBOX:
                return False
        elif evidence.life(disclosure.t) is not life:
            return False
        elif not press.sent + press.length <= disclosure.t <= up + GRANT + SLACK:
            return False
        return any(record["t"] <= down - ARMED for record in self.asked(disclosure))

    def candidates(self, disclosure):
        """Presses that may have been for it, the latest first."""
        if disclosure not in self.considered:
            evidence = self.evidence
            last = bisect.bisect_right(evidence.press_times, disclosure.t)
            since = disclosure.t - GRANT - 70 if disclosure.way != "mqtt" else disclosure.t - OUTBOX
            first = bisect.bisect_left(evidence.press_times, since)
            self.considered[disclosure] = [
                press for press in reversed(evidence.press_list[first:last]) if self.could_serve(press, disclosure)]
        return self.considered[disclosure]

    def presses(self):
        """Each fix has a press of its own, or a right that stands."""
        once = [disclosure for disclosure in self.firsts() if disclosure.kind in ("once", "gpsd")
                and not self.evidence.stands(disclosure.app, disclosure.t, self.slack(disclosure))]
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
                self.violated("a fix needs a press of its own, or a right", "no press can have been for it",
                              disclosure.record)
        self.figures["served_by_press"] = len(served)
        for disclosure in self.evidence.disclosures:
            if disclosure.kind == "updates" and not self.evidence.stands(disclosure.app, disclosure.t,
                                                                         self.slack(disclosure)):
                self.violated("updates need a right that stands", "there is none", disclosure.record)

    def firsts(self):
        """Disclosures without those that were handed over again."""
        seen = set()
        for disclosure in self.evidence.disclosures:
            key = (disclosure.who, disclosure.identifier)
            if disclosure.identifier is not None:
                if key in seen:
                    continue
                seen.add(key)
            yield disclosure

    def requests(self):
        """One fix for a request, and none for one that was taken back."""
        fixes = collections.Counter(d.who for d in self.firsts() if d.kind == "once" and d.way != "mqtt")
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
                self.violated("a request that was taken back gives nothing", "a fix came", cancelled, disclosure.record)

    # MARK: What is shown

    def light(self):
        """The light says that location is in use, for as long as it has to."""
        evidence = self.evidence
        shortest = None
        for disclosure in evidence.disclosures:
            t, slack = disclosure.t, self.slack(disclosure)
            if disclosure.way == "mqtt":
                continue
            late = 0 if evidence.is_light_exact else DRAWN + slack
            if evidence.in_use(t - 1, t + late) <= 0:
                self.violated("the light is on for each disclosure", "it was not", disclosure.record,
                              *(light for light in evidence.lights if t - 3 < light["t"] < t + 3))
                continue
            if disclosure.kind == "updates":
                continue
            # What ends it early ends everything: the kill switch, or the daemon's end.
            if any(abs(begin - t) < 2 for begin, _ in evidence.locks) or evidence.is_disturbed(t - 1, t + 3):
                continue
            lit = evidence.in_use(t - DRAWN, t + 3)
            shortest = min(lit, shortest or lit)
            if lit < LIT - SLACK - slack:
                self.violated("the light is on for half a second", f"{lit:.2f} s", disclosure.record,
                              *(light for light in evidence.lights if t - 1 < light["t"] < t + 3))
        if shortest is not None:
            self.figures["shortest_light_s"] = round(shortest, 2)

    def seen(self):
        """Nothing is given while the light cannot be seen, but for the second in which that is noticed."""
        for begin, end in self.evidence.blind:
            for disclosure in self.evidence.disclosures:
                if begin + 1 + self.slack(disclosure) < disclosure.t < end:
                    self.violated("nothing is given while the light is not seen", f"{disclosure.t - begin:.2f} s after",
                                  disclosure.record)

    def approximate(self):
        """Who may know roughly is told one node of the public lattice, and nothing beside."""
        nodes = {}
        evidence = self.evidence
        reduced = {name for name, app in evidence.apps.items() if app["accuracy"] == "reduced"}
        for disclosure in evidence.disclosures:
            fix = disclosure.fix
            if disclosure.app in reduced and not disclosure.is_reduced:
                self.violated("an approximate app is told no more", "it was told a full fix", disclosure.record)
            if not disclosure.is_reduced:
                continue
            nodes.setdefault((fix["lat"], fix["lon"]), disclosure)
            if set(fix) - {"id"} != {"time", "lat", "lon", "hacc", "accuracy"}:
                self.violated("an approximate fix has five members", f"{sorted(fix)}", disclosure.record)
            row = fix["lat"] / (90 / 4995)
            columns = max(1, round(360 * 111_000 * math.cos(math.radians(fix["lat"])) / 2000))
            column = (fix["lon"] + 180) / (360 / columns)
            if abs(row - round(row)) > 1e-6 or abs(column - round(column)) > 1e-5:
                self.violated("an approximate place is a node of the lattice", f"row {row}, column {column}",
                              disclosure.record)
            away = distance((fix["lat"], fix["lon"]), self.truth(disclosure.t))
            if away > 4000:
                self.violated("an approximate place is near", f"{away:.0f} m away", disclosure.record)
            early = self.evidence.utc(disclosure.t) - disclosure.time
            if disclosure.time % 900 or not -1 <= early < 900 + 60 + (OUTBOX if disclosure.way == "mqtt" else 0):
                self.violated("an approximate fix has the quarter hour", f"{early:.0f} s before", disclosure.record)
        if len(nodes) > 1:
            self.violated("a receiver that stays gives one approximate answer", f"{len(nodes)} answers",
                          *(disclosure.record for disclosure in nodes.values()))
        told = {number for node in nodes for number in node}
        for name in reduced:
            for who, heard in evidence.heard.items():
                if heard and heard[0]["app"] == name:
                    for record in heard:
                        self.check_numbers(record, told, "an approximate app is told no more")

    def truth(self, moment):
        """Where the receiver is; it goes round within 40 m, so the nearest epoch will do."""
        epochs = self.evidence.epochs
        low, high = 0, len(epochs) - 1
        while low < high:
            middle = (low + high) // 2
            if epochs[middle]["t"] < moment:
                low = middle + 1
            else:
                high = middle
        return epochs[low]["lat"], epochs[low]["lon"]

    NUMBER = re.compile(r"(?<![\w.])-?\d{1,5}\.\d{3,}")

    def check_numbers(self, record, told, rule):
        """No number of a line is where the receiver is, in degrees or as a receiver writes them."""
        for found in self.NUMBER.findall(record["text"]):
            value = abs(float(found))
            if float(found) in told:
                continue
            latitude, longitude = (abs(part) for part in self.truth(record["t"]))
            for part in (latitude, longitude):
                minutes = int(part) * 100 + part % 1 * 60
                if abs(value - part) < 0.001 or abs(value - minutes) < 0.06:
                    self.violated(rule, f"{found} is where the receiver is", record)

    def silent(self):
        """Nobody else is told a place: owners, the console, the log, the panel, other topics."""
        told = {number for d in self.evidence.disclosures for number in (d.fix["lat"], d.fix["lon"])}
        given = {id(disclosure.record) for disclosure in self.evidence.disclosures}
        for record in self.evidence.records:
            if record["kind"] == "heard" and id(record) not in given and record["way"] != "gpsd":
                self.check_numbers(record, set(), "no place is told but to whom it was granted")
            elif record["kind"] == "heard" and record["app"] in self.barred_apps():
                self.check_numbers(record, told, "no place is told but to whom it was granted")

    # MARK: What is true

    def fresh(self):
        """Fixes are of an epoch that the receiver said, young enough, and as accurate as they say."""
        inside, shares = 0, 0
        for disclosure in self.firsts():
            if disclosure.is_reduced or disclosure.time is None:
                continue
            oldest = self.oldest(disclosure)
            if disclosure.fix.get("coasted"):
                # It is reckoned from an epoch that is as old as it says.
                age = disclosure.fix["age_ms"] / 1000
                if disclosure.t - age < oldest - self.evidence.lag(disclosure.t - age, disclosure.t):
                    self.violated("a fix is fresh", f"it is reckoned from {age:.1f} s before", disclosure.record)
                continue
            epoch, is_dated = self.evidence.epoch(disclosure)
            if epoch is None:
                self.violated("a fix is what the receiver said", "it never said that time", disclosure.record)
                continue
            if not is_dated:
                self.violated("a fix has the right date", "it is 1024 weeks behind", disclosure.record, epoch)
            if epoch["t"] > disclosure.t + SLACK:
                self.violated("a fix is what the receiver said", "it said so later", disclosure.record, epoch)
            if epoch["t"] < oldest - self.evidence.lag(epoch["t"], disclosure.t):
                self.violated("a fix is fresh", f"its epoch is {disclosure.t - epoch['t']:.1f} s old",
                              disclosure.record, epoch)
            error = distance((disclosure.fix["lat"], disclosure.fix["lon"]), (epoch["lat"], epoch["lon"]))
            circle = disclosure.fix.get("hacc") or disclosure.fix["eph"] / 1.6215
            shares += 1
            inside += error <= circle
            if error > 6 * circle:
                self.violated("a fix is where the receiver is", f"{error:.1f} m off, {circle} m said",
                              disclosure.record, epoch)
        self.figures["full_fixes"] = shares
        self.figures["inside_hacc"] = round(inside / shares, 3) if shares else None
        # Errors change slowly, so a minute counts as one look: three standard deviations below are a finding.
        looks = len({int(disclosure.t / 60) for disclosure in self.evidence.disclosures if not disclosure.is_reduced})
        if shares and inside / shares < 0.68 - 3 * math.sqrt(0.68 * 0.32 / looks):
            self.violated("68 % of the places lie inside their accuracy", f"{inside} of {shares}")

    def oldest(self, disclosure):
        """When an epoch may have come at the earliest that a fix is of."""
        latest = disclosure.t - self.slack(disclosure)
        if disclosure.kind == "updates" or self.evidence.stands(disclosure.app, disclosure.t, self.slack(disclosure)):
            return latest - 60
        if disclosure.way == "mqtt":
            return latest - OUTBOX
        # The press that served it, or the earliest that may have.
        downs = [press.sent for press in self.candidates(disclosure)]
        return min(downs, default=latest) - AGE - SLACK

    def locked(self):
        """After the kill switch nothing leaves."""
        for begin, end in self.evidence.locks:
            for disclosure in self.evidence.disclosures:
                if begin + self.slack(disclosure) < disclosure.t < end:
                    self.violated("nothing leaves while it is locked", f"{disclosure.t - begin:.2f} s after",
                                  disclosure.record)

    def barred_apps(self):
        """Who was never allowed anything: denied from the start on and never asking at the button, or restricted."""
        return {"barred", "forbidden", "vandal", "pulse"} & set(self.evidence.apps)

    def barred(self):
        for disclosure in self.evidence.disclosures:
            if disclosure.app in self.barred_apps():
                self.violated("who is denied is given nothing", disclosure.app, disclosure.record)

    def unique(self):
        """An id has one content, and a content one id; again only before it was acknowledged."""
        contents, ids, acknowledged = {}, {}, {}
        for who, said in self.evidence.said.items():
            tags = {record["text"].split()[0]: record["text"].split()[2] for record in said
                    if re.match(r"@\S+ ACK \d+$", record["text"])}
            for record in self.evidence.heard[who]:
                words = record["text"].split()
                if words[:1] == ["+OK"] and words[1:2] and words[1] in tags:
                    acknowledged[who, tags[words[1]]] = record
        for disclosure in self.evidence.disclosures:
            if disclosure.identifier is None:
                continue
            key = (disclosure.who, disclosure.identifier)
            first = contents.setdefault(key, disclosure)
            if first.content != disclosure.content:
                self.violated("an id has one content", disclosure.identifier, first.record, disclosure.record)
            if not disclosure.is_again and first is not disclosure and disclosure.way != "mqtt":
                self.violated("what is sent again says so", disclosure.identifier, first.record, disclosure.record)
            if not disclosure.is_reduced:
                other = ids.setdefault((disclosure.app, disclosure.content), disclosure)
                if (other.who, other.identifier) != key:
                    self.violated("a fix has one id", disclosure.identifier, other.record, disclosure.record)
            after = acknowledged.get(key)
            if after and after["t"] + self.slack(disclosure) < disclosure.t:
                self.violated("what was acknowledged is not sent again", disclosure.identifier, after,
                              disclosure.record)
        self.acknowledged = acknowledged

    # MARK: What is written

    def logged(self):
        """What was given stands in the log, for good; and what stands there was granted."""
        before = []
        for export in self.evidence.logs:
            entries = export["entries"]
            if export["status"] != 0 or entries is None:
                self.violated("the log verifies", f"{export['verdict']} {export['complaint']}", export)
                continue
            if entries[:len(before)] != before:
                self.violated("the log loses nothing", f"{len(before)} entries before, and others now", export)
            before = entries
            written = collections.Counter()
            for entry in entries:
                if entry["event"] in ("disclosure", "interval"):
                    written[entry["app"], entry["transport"], entry["event"]] += 1
            given = collections.Counter()
            streams = set()
            for disclosure in self.firsts():
                if disclosure.t >= export["since"]:
                    break
                if disclosure.kind == "updates":
                    streams.add((disclosure.app, disclosure.way, disclosure.who))
                elif not (disclosure.way == "gpsd" and self.evidence.rights[disclosure.app]):
                    given[disclosure.app, disclosure.way, "disclosure"] += 1
            for app, way, _ in streams:
                given[app, way, "interval"] += 1
            for key, count in given.items():
                if written[key] < count:
                    self.violated("each disclosure stands in the log", f"{key}: {count} given, {written[key]} written",
                                  export)
        once = sum(entry["event"] == "disclosure" and entry["right"] == "once" and not entry.get("late")
                   for entry in before)
        pressed = sum(press.effect in ("served", "granted", None) for press in self.evidence.presses.values())
        if once > pressed:
            self.violated("what is logged was granted", f"{once} entries by a press, {pressed} presses")
        self.outcomes(before)
        self.figures["log_entries"] = len(before)

    def outcomes(self, entries):
        """What the app was told of its acknowledgement is what the log says."""
        apps = {entry["entry"]: entry["app"] for entry in entries if entry["event"] == "disclosure"}
        written = collections.Counter(
            apps.get(entry["of"]) for entry in entries if entry.get("outcome") == "acknowledged")
        told = collections.Counter(who.partition("/")[0] for who, _ in self.acknowledged)
        for app, count in told.items():
            if written[app] < count:
                self.violated("what was acknowledged is logged so",
                              f"{app}: {count} acknowledged, {written[app]} logged")

    # MARK: How it answers

    def replies(self):
        """Each line has one answer, and each error its code."""
        for who, heard in self.evidence.heard.items():
            if not heard or heard[0]["way"] in ("mqtt", "gpsd", "console", "stderr"):
                continue
            tags = collections.Counter()
            for record in heard:
                words = record["text"].split()
                if record["text"].startswith("-ERR"):
                    if len(words) < 3 or not words[1].isdigit() or CODES.get(int(words[1])) != words[2]:
                        self.violated("each error has its code", record["text"][:80], record)
                if words and words[0] in ("+OK", "PONG"):
                    tags.update(word for word in words[1:2] if word.startswith("@"))
            for tag, count in tags.items():
                if count > 1:
                    self.violated("each line has one answer", f"{tag} has {count}",
                                  *(r for r in heard if tag in r["text"]))
            if who.startswith("vandal"):
                self.answered(who, heard)

    def answered(self, who, heard):
        """Of somebody who says what is no line: as many answers as there were lines before the last, which is good."""
        said = [record for record in self.evidence.said[who] if record["text"].strip("\r") != ""]
        fence = said[-1]["text"].split()[0] if said else None
        end = next((index for index, record in enumerate(heard) if record["text"] == f"PONG {fence}"), None)
        if end is None:
            return
        answers = sum(record["text"].startswith(("+OK", "-ERR", "PONG")) for record in heard[:end + 1])
        if answers != len(said):
            self.violated("each line has one answer", f"{answers} answers to {len(said)} lines", *said[-2:])

    def alive(self):
        """It answers, whatever goes on, and it never ends by itself."""
        waits = []
        for life in self.evidence.lives:
            if life.get("how") == "by itself" or life.get("how") == "stopped" and life.get("status") != 0:
                self.violated("it never ends by itself", f"life {life['life']}, status {life['status']}")
        for who, said in self.evidence.said.items():
            if not who.startswith("pulse"):
                continue
            pongs = {record["text"].split()[-1]: record["t"] for record in self.evidence.heard[who]
                     if record["text"].startswith("PONG @")}
            for record in said:
                if not record["text"].endswith(" PING"):
                    continue
                end = self.evidence.closed.get(who, self.evidence.records[-1])["t"]
                wait = pongs.get(record["text"].split()[0], end) - record["t"]
                if self.evidence.is_disturbed(record["t"] - 1, record["t"] + min(wait, LIVENESS) + 0.5):
                    continue
                waits.append(wait)
                if wait - self.evidence.lag(record["t"], record["t"] + wait) > LIVENESS:
                    self.violated("it answers within 5 s", f"{wait:.1f} s", record)
        self.figures["pings"] = len(waits)
        self.figures["longest_ping_ms"] = round(1000 * max(waits), 1) if waits else None

    def growth(self):
        """What it holds at rest: at the end no more than at the beginning."""
        table = growth(self.evidence)
        if table:
            self.figures["growth"] = table
            for key in table["grown"]:
                part = table[key]
                self.violated("it does not grow", f"{key}: {part['first']} to {part['last']} in {table['seconds']} s",
                              *table.pop("samples_of_" + key))

    def faults(self):
        """Each fault is survived."""
        table = collections.defaultdict(collections.Counter)
        for record in self.evidence.records:
            if record["kind"] == "fault":
                table[record["what"]][record["state"]] += 1
                if record["state"] == "lost":
                    self.violated("after a fault everything is as before", record["what"], record)
        self.figures["faults"] = {name: {"count": states["begin"], "survived": states["survived"]}
                                  for name, states in sorted(table.items())}
