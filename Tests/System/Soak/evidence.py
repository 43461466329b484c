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


class Crossing:
    """An app was told that the border of its region was crossed, which tells where the receiver is."""

    kind, identifier, is_again, is_reduced = "region", None, False, False

    def __init__(self, record, region, event):
        self.record, self.region, self.is_entry = record, region, event == "enter"
        self.t, self.who, self.app, self.way = (record[key] for key in ("t", "who", "app", "way"))


def seconds(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def distance(one, other):
    """Metres, for places that are near to each other."""
    metre = math.pi * 6_371_000 / 180
    east = (one[1] - other[1] + 540) % 360 - 180
    return math.hypot((one[0] - other[0]) * metre, east * metre * math.cos(math.radians(other[0])))


def spoken(words):
    """A verb of the page in the words of the owners' socket."""
    verb, app, value = (words + ["", "", ""])[:3]
    if verb in ("allow", "deny"):
        return ["SET", app, "status", "denied" if verb == "deny" else value or "while-using"]
    return ["SET", app, "accuracy", value] if verb == "accuracy" else [verb.upper(), *words[1:]]


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
        self.opened, self.closed = {}, {}
        # What owners have said of an app: when it was said, and answered, and the status or accuracy from then on.
        self.rights, self.accuracies = collections.defaultdict(list), collections.defaultdict(list)
        # Regions as apps have said them: when, and answered (None: never), whose, which, and where (None: no more).
        self.regions, self.registering = [], {}
        # Of each app the numbers that it has said of its regions.
        self.own = collections.defaultdict(set)
        self.crossings, self.notices = [], []
        # Keys and tokens that apps have been given, and links to the page.
        self.secrets, self.links = collections.defaultdict(list), {}
        self.locks = []
        # When somebody stood before the light, and until when.
        self.blind = []
        self.frozen = []
        # Each fault, until all was as before.
        self.troubles = []
        # What owners have asked and were not answered yet; questions that stand, and whose they are.
        self.asked = {}
        self.prompts = {}
        for record in records:
            getattr(self, "take_" + record["kind"], lambda record: None)(record)
        self.told = sorted(self.disclosures + self.crossings, key=lambda told: told.t)
        self.press_list = list(self.presses.values())
        self.press_times = [press.sent for press in self.press_list]
        self.light_times = [light["t"] for light in self.lights]
        # By the kernel's trace, and not by a screen.
        self.is_light_exact = any(light.get("exact") for light in self.lights)
        self.epoch_times = [epoch["t"] for epoch in self.epochs]
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
        for asked, words in self.asked.values():
            if words[0] == "SET" and words[2] == "status" and words[3] in STANDING:
                self.give(words[1], asked, words[3])
            elif words[0] == "SET" and words[3] == "full":
                self.accuracies[words[1]].append((asked["t"], asked["t"], "full"))
            elif words[0] == "ANSWER" and words[2] in STANDING and words[1] in self.prompts:
                self.give(self.prompts[words[1]], asked, words[2])
        for press in self.presses.values():
            if press.up is None and press.sent >= self.lives[-1]["start"]:
                for app in self.prompts.values():
                    self.give(app, press.record, "once")
        self.asked, self.prompts, self.registering = {}, {}, {}

    def give(self, app, record, status): self.rights[app].append((record["t"], record["t"], status))

    def take_press(self, record): self.presses[record["number"]] = Press(record)

    def take_released(self, record):
        press = self.presses[record["number"]]
        press.up, press.effect = record["up"], record["effect"]

    def take_fault(self, record):
        if record["state"] == "stopped":
            self.frozen.append([record["t"], float("inf")])
        elif record["state"] == "continued":
            self.frozen[-1][1] = record["t"]
        elif record["state"] == "begin":
            self.troubles.append([record["t"], float("inf"), record["what"]])
        elif record["state"] in ("survived", "lost") and self.troubles:
            self.troubles[-1][1] = record["t"]

    def take_sense(self, record):
        if record["sees"]:
            self.blind[-1][1] = record["t"]
        else:
            self.blind.append([record["t"], float("inf")])

    def take_close(self, record): self.closed[record["who"]] = record

    def take_open(self, record): self.opened[record["who"]] = record

    def take_said(self, record):
        self.said[record["who"]].append(record)
        words = record["text"].split()
        if record["way"] == "owner" and len(words) > 1 and words[0].startswith("@"):
            self.ask(record, words[0], words[1:])
        elif record["way"] == "page" and record["text"].startswith("POST /verb "):
            self.ask(record, None, spoken(words[2:]))
        elif words[1:2] == ["REGION"]:
            self.register(record, words)

    def ask(self, record, tag, words):
        # Of what may be anything only what is whole counts.
        if len(words) >= {"SET": 4, "RESET": 2, "ANSWER": 3, "KEY": 3}.get(words[0] if words else "", 1):
            self.asked[record["who"], tag] = record, words

    def register(self, record, words):
        """REGION ADD ID LAT LON RADIUS ..., or REGION DEL ID, which may hold from then on."""
        if words[2] == "ADD":
            place = tuple(float(word) for word in words[4:7])
            self.own[record["app"]].update(place)
        elif words[2] == "DEL":
            place = None
        else:
            return
        self.registering[record["who"], words[0]] = len(self.regions)
        before = next((region["place"] for region in reversed(self.regions)
                       if (region["app"], region["id"]) == (record["app"], words[3]) and not region["refused"]), None)
        # Who says the same again changes nothing.
        self.regions.append({"said": record["t"], "answered": None, "app": record["app"], "id": words[3],
                             "place": place, "is_new": place != before, "refused": False})

    def take_heard(self, record):
        self.heard[record["who"]].append(record)
        way, text = record["way"], record["text"]
        if re.match(r"-ERR \d+ \S+ @", text):
            self.refuse(record, next(word for word in text.split() if word.startswith("@")))
        if way == "owner":
            self.hear_owner(record, text)
        elif way == "page":
            asked = self.asked.pop((record["who"], None), None)
            if asked and record["status"] == 200:
                self.obey(*asked, record)
        elif text.startswith("+OK @") and (record["who"], text.split()[1]) in self.registering:
            self.regions[self.registering.pop((record["who"], text.split()[1]))]["answered"] = record["t"]
        elif way == "gpsd" and '"lat"' in text:
            report = json.loads(text)
            for fix in report.get("tpv", [report]):
                if "lat" in fix:
                    self.disclosures.append(Disclosure(record, fix, "gpsd"))
        elif way == "mqtt":
            # Who listens there hears also what others say.
            if record["topic"].endswith("/fix") and text:
                fix = json.loads(text)
                self.disclosures.append(Disclosure(record, fix, "once", fix.get("id")))
        elif found := re.match(r'MSG region/(\S+) \S+ \{"event":"(enter|exit)"\}$', text):
            self.crossings.append(Crossing(record, found.group(1), found.group(2)))
        elif found := re.match(r"MSG (fix/once|fix/updates) (\S+) (?:id=(\d+) )?(dup=1 )?(?:ret=1 )?(\{.*\})$", text):
            kind = found.group(1).partition("/")[2]
            self.disclosures.append(
                Disclosure(record, json.loads(found.group(5)), kind, found.group(3), bool(found.group(4))))

    def refuse(self, record, tag):
        self.asked.pop((record["who"], tag), None)
        refused = self.registering.pop((record["who"], tag), None)
        if refused is not None:
            self.regions[refused]["refused"] = True

    def hear_owner(self, record, text):
        if text.startswith("MSG owner/prompt"):
            prompt = json.loads(text[text.index("{"):])
            if prompt["state"] == "open":
                self.prompts[str(prompt["prompt"])] = prompt["app"]
            else:
                self.prompts.pop(str(prompt.get("prompt")), None)
            if prompt["state"] == "yes" and prompt["kind"] in ("authorize", "authorize-always", "always"):
                status = "when-in-use" if prompt["kind"] == "authorize" else "always"
                self.rights[prompt["app"]].append((record["t"] - 2, record["t"], status))
        elif text.startswith("MSG owner/notification"):
            self.notices.append((record, json.loads(text[text.index("{"):])))
        elif text.startswith("+OK @"):
            asked = self.asked.pop((record["who"], text.split()[1]), None)
            if asked:
                self.obey(*asked, record)

    def obey(self, asked, words, answer):
        """What an owner said, over whatever way, and the daemon did."""
        said, answered = asked["t"], answer["t"]
        told = dict(word.partition("=")[::2] for word in answer["text"].split()) if answer["way"] == "owner" else {}
        if words[0] == "SET" and words[2] == "status":
            self.rights[words[1]].append((said, answered, words[3]))
        elif words[0] == "SET":
            self.accuracies[words[1]].append((said, answered, words[3]))
        elif words[0] == "RESET":
            self.rights[words[1]].append((said, answered, "notDetermined"))
            self.accuracies[words[1]].append((said, answered, self.apps[words[1]]["accuracy"]))
        elif words[0] == "KEY":
            self.secrets[words[2]].append((said, answered, told.get("key"), told.get("token")))
        elif words[0] == "PAGE" and "link" in told:
            self.links[told["link"].partition("#")[2]] = answered
        elif words[0] == "LOCK" or told.get("effect") == "locked":
            self.locks.append([answered, float("inf")])
        elif told.get("effect") == "unlocked" and self.locks:
            # It may have been the end from the moment on in which the hold was ordered.
            self.locks[-1][1] = min(self.locks[-1][1], said)

    # MARK: Asking

    def lag(self, since, until):
        """How late those who wrote the transcript were meanwhile."""
        first = bisect.bisect_left(self.lag_times, since - 1)
        last = bisect.bisect_right(self.lag_times, until + 1)
        return max((lag["seconds"] for lag in self.lags[first:last]), default=0)

    def stands(self, app, moment, slack):
        """Whether an owner's word, or an answered question, lets an app know without a press."""
        return self.last(self.rights[app], STANDING, moment, slack)

    def is_always(self, app, moment, slack):
        """Whether it may know also while it is not in use, and where exactly."""
        return (self.last(self.rights[app], ("always",), moment, slack)
                and self.last(self.accuracies[app], ("full",), moment, slack, self.apps[app]["accuracy"] == "full"))

    @staticmethod
    def last(changes, wanted, moment, slack, is_so=False):
        """Whether it may be so: from the moment on in which it was ordered, until the contrary was answered."""
        for said, answered, what in changes:
            if what in wanted and said <= moment:
                is_so = True
            elif what not in wanted and answered + slack < moment:
                is_so = False
        return is_so

    def connections(self):
        """Of each way, how many there were, and how many lines that are none were said on it."""
        ways = sorted({opened["way"] for opened in self.opened.values()})
        table = {way: {"connections": 0, "bad_lines": 0} for way in ways}
        for who, opened in self.opened.items():
            row = table[opened["way"]]
            row["connections"] += 1
            row["bad_lines"] += len(self.said[who]) if who.startswith("vandal/") else 0
        return table

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

    def epochs_between(self, since, until):
        first = bisect.bisect_left(self.epoch_times, since)
        return self.epochs[first:bisect.bisect_right(self.epoch_times, until)]

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
