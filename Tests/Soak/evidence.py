"""A transcript as the oracle reads it: who was given what when, who had pressed, and what an owner had allowed by then.

Nothing of it comes from those who made the transcript: only what was said and seen counts.
"""

import bisect
import collections
import json
import math
import re
from datetime import datetime

STANDING = ("whenInUse", "when-in-use", "while-using", "always", "once")


class Disclosure:
    """A place that somebody was given."""

    def __init__(self, record, fix, kind, identifier=None, is_again=False):
        self.record, self.fix, self.kind = record, fix, kind
        self.t, self.who, self.app, self.way = (record[key] for key in ("t", "who", "app", "way"))
        self.identifier, self.is_again = identifier, is_again
        self.content = json.dumps({key: value for key, value in fix.items() if key != "id"}, sort_keys=True)

    @property
    def is_reduced(self):
        return self.fix.get("accuracy") == "reduced"

    @property
    def time(self):
        return seconds(self.fix["time"]) if "time" in self.fix else None


def seconds(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def distance(one, other):
    """Metres, for places that are near to each other."""
    metre = math.pi * 6_371_000 / 180
    east = (one[1] - other[1] + 540) % 360 - 180
    return math.hypot((one[0] - other[0]) * metre, east * metre * math.cos(math.radians(other[0])))


class Press:
    def __init__(self, record):
        self.record = record
        self.number, self.sent = record["number"], record["t"]
        self.length = record["milliseconds"] / 1000
        # When nobody said when it was let go, and what it did, it may have done anything.
        self.up, self.effect = None, None

    @property
    def down(self):
        """It went down no later than then."""
        return None if self.up is None else self.up - self.length


class Evidence:
    def __init__(self, records):
        self.records = records
        self.setup = next(record for record in records if record["kind"] == "setup")
        self.apps = self.setup["apps"]
        self.disclosures, self.presses, self.epochs, self.logs = [], {}, [], []
        self.lights, self.lags, self.lives = [], [], []
        self.said = collections.defaultdict(list)
        self.heard = collections.defaultdict(list)
        self.closed = {}
        # Rights that stand until they are taken: app, and when it was said, answered, and what.
        self.rights = collections.defaultdict(list)
        self.locks = []
        # When somebody stood before the light, and until when.
        self.blind = []
        self.frozen = []
        # What owners have asked and were not answered yet; questions that stand, and whose they are.
        self.asked = {}
        self.prompts = {}
        for record in records:
            getattr(self, "take_" + record["kind"], lambda record: None)(record)
        self.press_list = list(self.presses.values())
        self.press_times = [press.sent for press in self.press_list]
        self.light_times = [light["t"] for light in self.lights]
        # By the kernel's trace, and not by a screen.
        self.is_light_exact = any(light.get("exact") for light in self.lights)
        self.lag_times = [lag["t"] for lag in self.lags]
        self.labels = {round(epoch["utc"] * 1000): epoch for epoch in self.epochs}
        self.uncorrected = {round(epoch["label"] * 1000): epoch for epoch in self.epochs}

    # MARK: Reading

    def take_epoch(self, record): self.epochs.append(record)

    def take_light(self, record): self.lights.append(record)

    def take_lag(self, record): self.lags.append(record)

    def take_log(self, record): self.logs.append(record)

    def take_start(self, record): self.lives.append({"start": record["t"], "ready": None, "end": None, **record})

    def take_ready(self, record): self.lives[-1]["ready"] = record["t"]

    def take_end(self, record):
        self.lives[-1].update(end=record["t"], how=record["how"], status=record["status"])
        # What it was told and did not answer any more it may have done: nobody outside can tell.
        for asked in self.asked.values():
            words = asked["text"].split()[1:]
            if words[0] == "SET" and words[2:3] == ["status"] and words[3] in STANDING:
                self.give(words[1], asked)
            elif words[0] == "ANSWER" and words[2] in STANDING and words[1] in self.prompts:
                self.give(self.prompts[words[1]], asked)
        for press in self.presses.values():
            if press.up is None and press.sent >= self.lives[-1]["start"]:
                for app in self.prompts.values():
                    self.give(app, press.record)
        self.asked, self.prompts = {}, {}

    def give(self, app, record): self.rights[app].append((record["t"], record["t"], "given"))

    def take_press(self, record): self.presses[record["number"]] = Press(record)

    def take_released(self, record):
        press = self.presses[record["number"]]
        press.up, press.effect = record["up"], record["effect"]

    def take_fault(self, record):
        if record["state"] == "stopped":
            self.frozen.append([record["t"], float("inf")])
        elif record["state"] == "continued":
            self.frozen[-1][1] = record["t"]

    def take_sense(self, record):
        if record["sees"]:
            self.blind[-1][1] = record["t"]
        else:
            self.blind.append([record["t"], float("inf")])

    def take_close(self, record): self.closed[record["who"]] = record

    def take_said(self, record):
        self.said[record["who"]].append(record)
        if record["way"] == "owner":
            found = re.match(r"@(\S+) (.*)", record["text"])
            if found:
                self.asked[record["who"], found.group(1)] = record

    def take_heard(self, record):
        self.heard[record["who"]].append(record)
        way, text = record["way"], record["text"]
        if way == "owner":
            self.hear_owner(record, text)
        elif way == "gpsd" and '"lat"' in text:
            report = json.loads(text)
            for fix in report.get("tpv", [report]):
                if "lat" in fix:
                    self.disclosures.append(Disclosure(record, fix, "gpsd"))
        elif way == "mqtt" and record["topic"].endswith("/fix") and text:
            fix = json.loads(text)
            self.disclosures.append(Disclosure(record, fix, "once", fix.get("id")))
        elif found := re.match(r"MSG (fix/once|fix/updates) (\S+) (?:id=(\d+) )?(dup=1 )?(?:ret=1 )?(\{.*\})$", text):
            kind = found.group(1).partition("/")[2]
            self.disclosures.append(
                Disclosure(record, json.loads(found.group(5)), kind, found.group(3), bool(found.group(4))))

    def hear_owner(self, record, text):
        if text.startswith("MSG owner/prompt"):
            prompt = json.loads(text[text.index("{"):])
            if prompt["state"] == "open":
                self.prompts[str(prompt["prompt"])] = prompt["app"]
            else:
                self.prompts.pop(str(prompt.get("prompt")), None)
            if prompt["state"] == "yes" and prompt["kind"] in ("authorize", "authorize-always", "always"):
                self.rights[prompt["app"]].append((record["t"] - 2, record["t"], "given"))
            return
        found = re.match(r"\+OK @(\S+)(.*)", text)
        asked = found and self.asked.pop((record["who"], found.group(1)), None)
        if not asked:
            return
        words = asked["text"].split()[1:]
        if words[0] == "SET" and words[2] == "status":
            self.rights[words[1]].append((asked["t"], record["t"], "given" if words[3] in STANDING else "taken"))
        elif words[0] == "RESET":
            self.rights[words[1]].append((asked["t"], record["t"], "taken"))
        elif words[0] == "LOCK" or "effect=locked" in found.group(2):
            self.locks.append([record["t"], float("inf")])
        elif "effect=unlocked" in found.group(2) and self.locks:
            # It may have been the end from the moment on in which the hold was ordered.
            self.locks[-1][1] = min(self.locks[-1][1], asked["t"])

    # MARK: Asking

    def lag(self, since, until):
        """How late those who wrote the transcript were meanwhile."""
        first = bisect.bisect_left(self.lag_times, since - 1)
        last = bisect.bisect_right(self.lag_times, until + 1)
        return max((lag["seconds"] for lag in self.lags[first:last]), default=0)

    def stands(self, app, moment, slack):
        """Whether an owner's word, or an answered question, lets an app know without a press."""
        stands = False
        for said, answered, what in self.rights[app]:
            if what == "given" and said <= moment:
                stands = True
            elif what == "taken" and answered + slack < moment:
                stands = False
        return stands

    def shown(self, since, until):
        """What the light was meanwhile: (from, to, lit, name)."""
        index = max(0, bisect.bisect_right(self.light_times, since) - 1)
        while index < len(self.lights) and self.lights[index]["t"] < until:
            light = self.lights[index]
            after = self.lights[index + 1]["t"] if index + 1 < len(self.lights) else float("inf")
            if after > since:
                yield max(light["t"], since), min(after, until), light["lit"], light["name"]
            index += 1

    def in_use(self, since, until):
        """For how long the light said so."""
        return sum(end - begin for begin, end, _, name in self.shown(since, until) if name in ("in-use", "background"))

    def utc(self, moment):
        """The true time, as the receiver has it."""
        epoch = self.epochs[0]
        return epoch["utc"] + moment - epoch["t"]

    def epoch(self, disclosure):
        """The epoch of a fix, and whether its date is right."""
        label = round(disclosure.time * 1000)
        return (self.labels[label], True) if label in self.labels else (self.uncorrected.get(label), False)

    def life(self, moment):
        return next((life for life in reversed(self.lives) if life["start"] <= moment), None)

    def is_disturbed(self, since, until):
        """Whether the daemon was not there, or not running, for some of that time."""
        return any(begin < until and end > since for begin, end in self.frozen) or any(
            (life["end"] or float("inf")) < until and (life["end"] or 0) > since or since <= life["start"] <= until
            for life in self.lives)
