"""Rules: positions are true, no more precise than allowed, and only for the right app."""

import collections
import math
import re

from bounds import AGE, DWELL, GRANT, LATE, LIVENESS, LONGEST_SLOT, OUTBOX, OUTPUTS, SLACK, SLOT
from crossings import NEAR
from evidence import distance


class Positions:
    def approximate(self):
        """An app with reduced accuracy receives one node of the public lattice, and no other data."""
        nodes, told = {}, set()
        evidence = self.evidence
        reduced = {name for name, app in evidence.apps.items() if app["accuracy"] == "reduced"}
        for disclosure in evidence.disclosures:
            fix = disclosure.fix
            if disclosure.app in reduced and disclosure.is_full:
                self.violated("an approximate app receives no other data", "it was told a full fix", disclosure.record)
            if not disclosure.is_reduced:
                continue
            if set(fix) - {"id"} != {"time", "lat", "lon", "hacc", "accuracy"}:
                self.violated("an approximate fix has five members", f"{sorted(fix)}", disclosure.record)
            row = fix["lat"] / (90 / 4995)
            columns = max(1, round(360 * 111_000 * math.cos(math.radians(fix["lat"])) / 2000))
            column = (fix["lon"] + 180) / (360 / columns)
            nodes.setdefault((round(row), round(column)), disclosure)
            told.update((fix["lat"], fix["lon"]))
            # A sentence has degrees with an error of up to 1 cm.
            coarse = 100 if disclosure.way == "nmea" else 1
            if abs(row - round(row)) > 1e-6 * coarse or abs(column - round(column)) > 1e-5 * coarse:
                self.violated("an approximate position is a node of the lattice", f"row {row}, column {column}",
                              disclosure.record)
            away = distance((fix["lat"], fix["lon"]), self.truth(disclosure.t))
            if away > 5000:
                self.violated("an approximate position is near", f"{away:.0f} m away", disclosure.record)
            early = self.evidence.utc(disclosure.t) - disclosure.time
            if disclosure.time % 900 or not -1 <= early < 900 + 60 + (OUTBOX if disclosure.way in OUTPUTS else 0):
                self.violated("an approximate fix has the quarter hour", f"{early:.0f} s before", disclosure.record)
        if len(nodes) > 1:
            self.violated("a stationary receiver gives one approximate answer", f"{len(nodes)} answers",
                          *(disclosure.record for disclosure in nodes.values()))
        for name in reduced:
            for who, heard in evidence.heard.items():
                if heard and heard[0]["app"] == name:
                    for record in heard:
                        self.check_numbers(record, told, "an approximate app receives no other data")

    def named(self):
        """An app with the accuracy place receives one name in each slot, and no other data. After an owner withdrew the
        name, it receives `away`."""
        evidence, names = self.evidence, collections.defaultdict(list)
        # The names that were compared with the position of the receiver.
        self.located = []
        apps = {name for name, app in evidence.apps.items() if app["accuracy"] == "place"}
        for disclosure in evidence.disclosures:
            fix = disclosure.fix
            if not disclosure.is_named:
                if disclosure.app in apps:
                    self.violated("an app with names receives no other data", "it was told a fix", disclosure.record)
                continue
            if set(fix) - {"id"} != {"time", "place", "accuracy"}:
                self.violated("a name has three members", f"{sorted(fix)}", disclosure.record)
            app, slack = disclosure.app, self.slack(disclosure)
            if fix["place"] != "away" and not evidence.knows(app, fix["place"], disclosure.t, slack):
                self.violated("an app receives only names that it may know", fix["place"], disclosure.record)
            early = evidence.utc(disclosure.t) - disclosure.time
            if disclosure.time % 900 or not -1 <= early < 900 + 60 + (OUTBOX if disclosure.way in OUTPUTS else 0):
                self.violated("a name has the quarter hour", f"{early:.0f} s before", disclosure.record)
            if disclosure.is_again:
                continue
            # The last disclosure of each name, before it changed.
            past = names[app]
            name = past[-1].fix["place"] if past else None
            if name == fix["place"] or name and fix["place"] == "away" and evidence.was_withdrawn(
                    app, name, past[-1].t - LIVENESS, disclosure.t):
                past[-1] = disclosure
                continue
            self.locate(disclosure, past[-1].t if past else 0)
            # Between the last disclosure of a name and the first disclosure of the next name but one is a whole slot.
            if len(past) > 1 and disclosure.t - past[-2].t < SLOT - LIVENESS - slack:
                self.violated("an app receives one name in a slot", f"{fix['place']} is the third name",
                              past[-2].record, past[-1].record, disclosure.record)
            past.append(disclosure)
        for heard in evidence.heard.values():
            if heard and heard[0]["app"] in apps:
                for record in heard:
                    self.check_numbers(record, set(), "an app with names receives no other data")

    def locate(self, disclosure, before):
        """The first name in a slot agrees with the positions since the app first asked in that slot. An earlier answer
        may have been lost. The app received another name until `before`, so the slot began later."""
        evidence, t = self.evidence, disclosure.t
        begin = max(before, t - LONGEST_SLOT)
        asked = [record["t"] for who, said in evidence.said.items() if who.partition("/")[0] == disclosure.app
                 for record in said if " REQ once" in record["text"] and begin - GRANT <= record["t"] < t]
        since = max(begin, min(asked, default=t)) - DWELL
        circle = evidence.circle("pier", since - DWELL, t)
        troubles = [(first, last) for first, last, *_ in evidence.troubles + evidence.locks]
        if circle is None or evidence.is_disturbed(since, t) or any(
                first < t and last > since for first, last in troubles):
            return
        latitude, longitude, radius = circle
        away = [distance((epoch["lat"], epoch["lon"]), (latitude, longitude))
                for epoch in evidence.epochs_between(since, t)]
        if not away:
            return
        self.located.append(disclosure)
        # Only fixes whose circle of accuracy is on one side of the border count.
        if disclosure.fix["place"] == "pier" and min(away) > radius + max(radius / 10, 20) + NEAR:
            self.violated("the name of a place is true", f"{min(away):.0f} m away", disclosure.record)
        if (disclosure.fix["place"] != "pier" and max(away) < radius - NEAR
                and evidence.knows(disclosure.app, "pier", t, 0)
                and not evidence.was_withdrawn(disclosure.app, "pier", since - DWELL, t)):
            self.violated("the name of a place is true", "the receiver was in the place pier", disclosure.record)

    def without_receiver(self):
        """An app with reduced accuracy receives no state of the receiver, which would reveal tunnels and garages."""
        for heard in self.evidence.heard.values():
            for record in heard:
                app = self.evidence.apps.get(record["app"], {})
                if app.get("accuracy") in ("reduced", "place") and record["text"].startswith("-ERR 511"):
                    self.violated("an approximate app receives no state of the receiver", record["text"], record)

    def truth(self, moment):
        """Returns the position of the receiver. It moves within 60 m, so the nearest epoch is sufficient."""
        epochs = self.evidence.epochs
        low, high = 0, len(epochs) - 1
        while low < high:
            middle = (low + high) // 2
            if epochs[middle]["t"] < moment:
                low = middle + 1
            else:
                high = middle
        return epochs[low]["lat"], epochs[low]["lon"]

    # The seconds of a time, which end with Z, are no position.
    NUMBER = re.compile(r"(?<![\w.])-?\d{1,5}\.\d{3,}(?![\dZ])")

    def check_numbers(self, record, told, rule):
        """No number in a line is the position of the receiver, in degrees or in the format of a receiver."""
        for found in self.NUMBER.findall(record["text"]):
            value = abs(float(found))
            if float(found) in told or float(found) in self.evidence.own[record["app"]]:
                continue
            latitude, longitude = (abs(part) for part in self.truth(record["t"]))
            for part in (latitude, longitude):
                minutes = int(part) * 100 + part % 1 * 60
                if abs(value - part) < 0.001 or abs(value - minutes) < 0.06:
                    self.violated(rule, f"{found} is where the receiver is", record)

    def silent(self):
        """No other data contains a position: owners' messages, the console, the log, the panel, other topics."""
        told = {d.fix[key] for d in self.evidence.disclosures if not d.is_named for key in ("lat", "lon")}
        given = {id(disclosure.record) for disclosure in self.evidence.disclosures}
        for record in self.evidence.records:
            if record["kind"] == "heard" and id(record) not in given and record["way"] not in ("gpsd", "nmea"):
                self.check_numbers(record, set(), "a position is disclosed only to the app to which it was granted")
            elif record["kind"] == "heard" and record["app"] in self.barred_apps():
                self.check_numbers(record, told, "a position is disclosed only to the app to which it was granted")

    def fresh(self):
        """Fixes come from an epoch of the receiver, are recent, and are as accurate as they claim."""
        inside, shares = 0, 0
        for disclosure in self.firsts():
            if not disclosure.is_full or disclosure.time is None:
                continue
            oldest = self.oldest(disclosure)
            if disclosure.fix.get("coasted"):
                # The fix is computed from an epoch with the age in the fix.
                age = disclosure.fix["age_ms"] / 1000
                if disclosure.t - age < oldest - self.evidence.lag(disclosure.t - age, disclosure.t):
                    self.violated("a fix is fresh", f"it is reckoned from {age:.1f} s before", disclosure.record)
                continue
            epoch, is_dated = self.evidence.epoch(disclosure)
            if epoch is None:
                self.violated("a fix comes from an epoch of the receiver", "it never said that time", disclosure.record)
                continue
            if not is_dated:
                self.violated("a fix has the right date", "it is 1024 weeks behind", disclosure.record, epoch)
            if epoch["t"] > disclosure.t + SLACK:
                self.violated("a fix comes from an epoch of the receiver", "it said so later", disclosure.record, epoch)
            if epoch["t"] < oldest - self.evidence.lag(epoch["t"], disclosure.t):
                self.violated("a fix is fresh", f"its epoch is {disclosure.t - epoch['t']:.1f} s old",
                              disclosure.record, epoch)
            truth = self.evidence.position(epoch["utc"] + disclosure.time - disclosure.measured)
            if truth is None:
                continue
            error = distance((disclosure.fix["lat"], disclosure.fix["lon"]), truth)
            circle = disclosure.fix.get("hacc") or disclosure.fix["eph"] / 1.6215
            shares += 1
            inside += error <= circle
            if error > 6 * circle:
                self.violated("a fix is at the position of the receiver", f"{error:.1f} m off, {circle} m said",
                              disclosure.record, epoch)
        self.figures["full_fixes"] = shares
        self.figures["inside_hacc"] = round(inside / shares, 3) if shares else None
        # Errors change slowly, so one minute counts as one sample. Three standard deviations below the expectation are
        # a violation.
        looks = len({int(disclosure.t / 60) for disclosure in self.evidence.disclosures if disclosure.is_full})
        if shares and inside / shares < 0.68 - 3 * math.sqrt(0.68 * 0.32 / looks):
            self.violated("68 % of the positions lie inside their accuracy", f"{inside} of {shares}")

    def pressed(self):
        """A full fix that a press asked for is the position at the press, or that of a later epoch. It has the time of its
        measurement, and no other fix has."""
        evidence, moved = self.evidence, 0
        for disclosure in self.firsts():
            fix = disclosure.fix
            is_stood = evidence.stands(disclosure.app, disclosure.t, self.slack(disclosure))
            if "measured" not in fix:
                if disclosure.kind == "once" and disclosure.is_full and "time" in fix and not is_stood:
                    self.violated("a fix of a press has the time of its measurement", f"{sorted(fix)}", disclosure.record)
                continue
            if disclosure.kind != "once" or not disclosure.is_full:
                self.violated("only a full fix of a press has the time of its measurement", f"{sorted(fix)}",
                              disclosure.record)
                continue
            age = disclosure.time - disclosure.measured
            if not -0.0005 < age < AGE + 0.002:
                self.violated("a fix of a press is measured at most 2 s before it", f"{age:.3f} s", disclosure.record)
            epoch, _ = evidence.epoch(disclosure)
            if (epoch is None or is_stood or fix.get("coasted")
                    or evidence.is_disturbed(epoch["t"] - AGE, disclosure.t)):
                continue
            moved += age > 0
            # The time of the position by the clock of the transcript. The daemon may have read the epoch late.
            at, late = epoch["t"] + age, LATE + evidence.lag(epoch["t"], disclosure.t)
            if not any(press.sent - late <= at and (age <= 0.0005 or press.down is None or at <= press.down + late)
                       for press in self.candidates(disclosure)):
                self.violated("a fix of a press is the position at the press", f"it is {age:.3f} s after its epoch",
                              disclosure.record, epoch)
        self.figures["moved_to_press"] = moved

    def oldest(self, disclosure):
        """Returns the earliest possible time of the epoch of a fix."""
        latest = disclosure.t - self.slack(disclosure)
        if disclosure.kind == "updates" or self.evidence.stands(disclosure.app, disclosure.t, self.slack(disclosure)):
            return latest - 60
        if disclosure.way in OUTPUTS:
            return latest - OUTBOX
        # The press that served the fix, or the earliest possible one.
        downs = [press.sent for press in self.candidates(disclosure)]
        return min(downs, default=latest) - AGE - SLACK
