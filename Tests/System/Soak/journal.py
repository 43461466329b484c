"""Rules: a disclosure is permanent, in the messages and in the log."""

import collections
import re

from bounds import OUTPUTS


class Journal:
    def unique(self):
        """An id has one content, and a content one id. It is repeated only before its acknowledgement."""
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
            if not disclosure.is_again and first is not disclosure and disclosure.way not in OUTPUTS:
                self.violated("a repeated message is marked as repeated",
                              disclosure.identifier, first.record, disclosure.record)
            if disclosure.is_full:
                other = ids.setdefault((disclosure.app, disclosure.content), disclosure)
                if (other.who, other.identifier) != key:
                    self.violated("a fix has one id", disclosure.identifier, other.record, disclosure.record)
            after = acknowledged.get(key)
            if after and after["t"] + self.slack(disclosure) < disclosure.t:
                self.violated("an acknowledged fix is not sent again", disclosure.identifier, after,
                              disclosure.record)
        self.acknowledged = acknowledged

    def logged(self):
        """Each disclosure is in the log permanently, and each entry was granted."""
        before, until = [], 0
        for export in self.evidence.logs:
            entries = export["entries"]
            if export["status"] != 0 or entries is None:
                self.violated("the log verifies", f"{export['verdict']} {export['complaint']}", export)
                continue
            if entries[:len(before)] != before:
                self.violated("the log keeps every entry", f"{len(before)} entries before, and others now", export)
            before, until = entries, export["since"]
            written = collections.Counter()
            for entry in entries:
                if entry["event"] in ("disclosure", "interval"):
                    written[entry["app"], entry["transport"], entry["event"]] += 1
            given = collections.Counter()
            streams = set()
            for crossing in self.evidence.crossings:
                if crossing.t < export["since"]:
                    given[crossing.app, crossing.way, "disclosure"] += 1
            for disclosure in self.firsts():
                if disclosure.t >= export["since"]:
                    break
                if disclosure.kind == "updates":
                    streams.add((disclosure.app, disclosure.way, disclosure.who))
                elif not (disclosure.way in ("gpsd", "nmea") and self.evidence.stands(
                        disclosure.app, disclosure.t, self.slack(disclosure))):
                    given[disclosure.app, disclosure.way, "disclosure"] += 1
            for app, way, _ in streams:
                given[app, way, "interval"] += 1
            for key, count in given.items():
                if written[key] < count:
                    self.violated("each disclosure is in the log", f"{key}: {count} given, {written[key]} written",
                                  export)
            self.recorded(entries, export)
        once = sum(entry["event"] == "disclosure" and entry["right"] == "once" and not entry.get("late")
                   for entry in before)
        pressed = sum(press.effect in ("served", "granted", None) for press in self.evidence.presses.values())
        if once > pressed:
            self.violated("each entry of the log was granted", f"{once} entries by a press, {pressed} presses")
        self.outcomes(before, until)
        self.figures["log_entries"] = len(before)

    def delivered(self):
        """Each acknowledged entry of a file or a web server has its point or its request, each other point or request has
        an entry, and an entry without an end still waits. No fix that was sent is told as removed before."""
        for export in self.evidence.logs:
            entries = export["entries"] or []
            outcomes = {entry["of"]: entry["outcome"] for entry in entries if "outcome" in entry}
            # The log has an entry for the fix of such an app when the gateway sends the fix.
            removed = [entry["entry"] for entry in entries if entry["event"] == "disclosure"
                       and entry["transport"] in ("unix", "tcp", "tls") and outcomes.get(entry["entry"]) == "erased"]
            if removed:
                self.violated("a sent fix is not told as removed before", f"entries {removed}", export)
            for way, told in self.evidence.outputs.items():
                fixes = [entry for entry in entries if entry["event"] == "disclosure" and entry["transport"] == way]
                ends = collections.Counter(outcomes.get(entry["entry"]) for entry in fixes)
                arrived = {fix.identifier for fix in told if fix.has_arrived and fix.t < export["t"] + self.slack(fix)}
                if ends["acknowledged"] > len(arrived):
                    self.violated("each acknowledged fix of an output has arrived",
                                  f"{way}: {ends['acknowledged']} acknowledged, {len(arrived)} arrived", export)
                sent = {fix.identifier for fix in told if fix.t < export["since"]}
                written = sum(not entry.get("late") for entry in fixes)
                if len(sent) > written:
                    self.violated("each fix of an output has its own entry",
                                  f"{way}: {len(sent)} sent, {written} entries", export)
                had = {fix.identifier for fix in told if fix.has_arrived and fix.t < export["since"]}
                if ends["erased"] and ends["erased"] + len(had) > written:
                    self.violated("a sent fix is not told as removed before",
                                  f"{way}: {ends['erased']} removed, {len(had)} arrived, {written} entries", export)
                waiting = self.evidence.waiting_at_end.get(way)
                if export is self.evidence.logs[-1] and waiting is not None and ends[None] > waiting:
                    self.violated("a fix of an output arrives, waits, or is told as lost",
                                  f"{way}: {ends[None]} entries without an end, {waiting} wait", export)
                self.figures[f"{way}_fixes"] = {str(outcome): count for outcome, count in sorted(
                    ends.items(), key=lambda pair: str(pair[0]))}

    def settled(self):
        """A point is written once, and stays. A request that the server has accepted is not repeated, unless the daemon
        was killed before it could note that."""
        points, seen = self.evidence.points, [point.identifier for point in self.evidence.outputs["file"]]
        if points is not None and (len(set(points)) != len(points) or sorted(seen) != points):
            self.violated("a point is written once, and stays", f"{len(seen)} seen, {len(points)} at the end")
        accepted = {}
        for request in self.evidence.outputs["http"]:
            before = accepted.get(request.identifier)
            if before and not self.evidence.is_disturbed(before.t, request.t):
                self.violated("an accepted request is not repeated", request.identifier, before.record, request.record)
            if request.has_arrived:
                accepted[request.identifier] = request

    def recorded(self, entries, export):
        """Each answer to a question is in the log, and each answer in the log was given."""
        evidence, answers = self.evidence, [entry for entry in entries if entry["event"] == "answer"]
        written = collections.Counter(
            (entry["app"], entry["kind"], "no" if entry["choice"] in ("no", "keep") else "yes") for entry in answers)
        heard = collections.Counter(tuple(answer) for t, *answer in evidence.answered if t < export["since"])
        for key, count in heard.items():
            if written[key] < count:
                self.violated("each answer is in the log", f"{key}: {count} heard, {written[key]} written", export)
        given = collections.Counter(
            (record["way"], found.group(1)) for records in evidence.said.values() for record in records
            if (found := re.search(r"(?:ANSWER|/verb answer) \d+ (\S+)", record["text"])))
        for way, by in ("owner", "socket"), ("page", "page"):
            chosen = collections.Counter(entry["choice"] for entry in answers if entry["by"] == by)
            for choice, count in chosen.items():
                if count > given[way, choice]:
                    self.violated("each answer in the log was given",
                                  f"{count} entries {choice} by {by}, {given[way, choice]} given", export)
        stated = collections.defaultdict(lambda: {None})
        for records in evidence.said.values():
            for record in records:
                if " purpose=" in record["text"]:
                    stated[record["app"]].add(record["text"].partition(" purpose=")[2])
        for entry in answers:
            # Owners hear of nearly every question that they answer. A press without a display has no text.
            is_owners = entry["by"] in ("socket", "page")
            shown = is_owners and evidence.purposes[entry["app"], entry["kind"]] or stated[entry["app"]]
            languages = ("en",) if is_owners else ("en", None)
            if entry.get("says") not in shown or entry.get("language") not in languages:
                self.violated("an answer in the log has the text that was shown",
                              f"{entry['app']}: {entry.get('says')} in {entry.get('language')}", export)

    def outcomes(self, entries, until):
        """The replies to acknowledgements before the log was read agree with the log."""
        apps = {entry["entry"]: entry["app"] for entry in entries if entry["event"] == "disclosure"}
        written = collections.Counter(
            apps.get(entry["of"]) for entry in entries if entry.get("outcome") == "acknowledged")
        told = collections.Counter(
            who.partition("/")[0] for (who, _), record in self.acknowledged.items() if record["t"] < until)
        for app, count in told.items():
            if written[app] < count:
                self.violated("an acknowledgement is in the log",
                              f"{app}: {count} acknowledged, {written[app]} logged")
