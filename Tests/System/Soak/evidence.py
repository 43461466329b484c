"""The transcript as the oracle reads it: the disclosures, the presses, and the rights from owners, with their times.

The oracle uses no data of the actors: only sent, received and displayed data count.
"""

import bisect
import collections
import json
import math
import re
import struct
from datetime import datetime

from bounds import LONGEST_GAP

STANDING = ("whenInUse", "when-in-use", "while-using", "always", "once")


class Disclosure:
    """A position or a name of a place that a client received."""

    def __init__(self, record, fix, kind, identifier=None, is_again=False):
        self.record, self.fix, self.kind = record, fix, kind
        self.t, self.who, self.app, self.way = (record[key] for key in ("t", "who", "app", "way"))
        self.identifier, self.is_again = identifier, is_again
        # Whether the client received it as the answer to a poll.
        self.is_polled = self.way == "gpsd" and '"class":"POLL"' in record["text"]
        self.content = json.dumps({key: value for key, value in fix.items() if key != "id"}, sort_keys=True)

    @property
    def has_arrived(self):
        """Whether an output has the point, or has accepted the request."""
        return self.record.get("status", 200) == 200

    @property
    def is_reduced(self):
        return self.fix.get("accuracy") == "reduced"

    @property
    def is_named(self):
        """Whether the client received the name of a place instead of a position."""
        return self.fix.get("accuracy") == "place"

    @property
    def is_full(self):
        return not self.is_reduced and not self.is_named

    @property
    def time(self):
        return seconds(self.fix["time"]) if "time" in self.fix else None

    @property
    def measured(self):
        """Returns the time of the measurement. The time of a fix at a press is that of the press."""
        return seconds(self.fix["measured"]) if "measured" in self.fix else self.time


class Crossing:
    """A region event for an app, which discloses the position of the receiver."""

    kind, identifier, is_again, is_reduced, is_named = "region", None, False, False, False

    def __init__(self, record, region, event):
        self.record, self.region, self.is_entry = record, region, event == "enter"
        self.t, self.who, self.app, self.way = (record[key] for key in ("t", "who", "app", "way"))


class Sample:
    """A sample of the time that chrony received: the time of the daemon's clock, and the offset of the true time."""

    FORM, MAGIC = struct.Struct("=qqdiiii"), 0x534F434B

    def __init__(self, record):
        self.record, self.t, self.utc = record, record["t"], None
        datagram = bytes.fromhex(record["datagram"])
        if len(datagram) == self.FORM.size:
            seconds, microseconds, self.offset, pulse, leap, _, magic = self.FORM.unpack(datagram)
            # The receiver has no pulse and announces no leap second.
            if (pulse, leap, magic) == (0, 0, self.MAGIC) and 0 <= microseconds < 10**6 and math.isfinite(self.offset):
                self.utc = seconds + microseconds / 10**6 + self.offset


def seconds(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def distance(one, other):
    """Returns the distance in metres between two near positions."""
    metre = math.pi * 6_371_000 / 180
    east = (one[1] - other[1] + 540) % 360 - 180
    return math.hypot((one[0] - other[0]) * metre, east * metre * math.cos(math.radians(other[0])))


def spoken(words):
    """Returns a command of the page in the words of the owners' socket."""
    verb, app, value = (words + ["", "", ""])[:3]
    if verb in ("allow", "deny"):
        return ["SET", app, "status", "denied" if verb == "deny" else value or "while-using"]
    return ["SET", app, "accuracy", value] if verb == "accuracy" else [verb.upper(), *words[1:]]


class Press:
    def __init__(self, record):
        self.record = record
        self.number, self.sent = record["number"], record["t"]
        self.length = record["milliseconds"] / 1000
        # Without a report of the release and the effect, a press may have had any effect.
        self.up, self.effect = None, None

    @property
    def down(self):
        """Returns the latest time at which the button went down."""
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
        # The sentences of the current epoch of each reader.
        self.sentences = collections.defaultdict(dict)
        # The commands of owners for an app: the time of the command and of its reply, and the resulting status or
        # accuracy.
        self.rights, self.accuracies = collections.defaultdict(list), collections.defaultdict(list)
        # The registered regions: the time of the command and of its reply (None: never), the app, the id and the circle
        # (None: removed).
        self.regions, self.registering = [], {}
        # The numbers in the regions of each app.
        self.own = collections.defaultdict(set)
        self.crossings, self.notices = [], []
        # The points of the file and the requests to the web server, and the ids of all points at the end.
        self.outputs, self.points = {"file": [], "http": []}, None
        # The fixes that wait for each output when the last actor has stopped; empty if no owner read the status then.
        self.waiting_at_end = {}
        # The permissions of an app to know the name of a place: the time of the command and of its reply, and the
        # result.
        self.names = collections.defaultdict(list)
        # The commands that may withdraw a name: the time, the app (None: every app) and the name (None: every name).
        self.withdrawals = []
        # The circles of each place: the time of the reply, and latitude, longitude and radius (None: unknown).
        self.circles = collections.defaultdict(list)
        # The keys and tokens of the apps, and the links to the page.
        self.secrets, self.links = collections.defaultdict(list), {}
        self.locks = []
        # The answers to questions that owners heard of: the time, the app, the kind of the question, and yes or no.
        self.answered = []
        # The new questions that owners heard of: the message, the app, and the kind of the question.
        self.questions = []
        # The purposes in the questions that owners heard of, by app and kind.
        self.purposes = collections.defaultdict(set)
        # The mark as owners read it: the time of the question and of the reply, and the apps of the next press.
        self.marks = []
        # The offsets of the daemon's clock with their times, and the samples of the time that chrony received.
        self.clocks, self.samples = [], []
        # The periods in which the light was covered.
        self.blind = []
        self.frozen = []
        # The faults, each until its recovery.
        self.troubles = []
        # The commands of owners without a reply yet, and the open questions with their apps.
        self.asked = {}
        self.prompts = {}
        for record in records:
            getattr(self, "take_" + record["kind"], lambda record: None)(record)
        self.told = sorted(self.disclosures + self.crossings, key=lambda told: told.t)
        self.press_list = list(self.presses.values())
        self.press_times = [press.sent for press in self.press_list]
        self.light_times = [light["t"] for light in self.lights]
        # From the kernel's trace and not from a screen.
        self.is_light_exact = any(light.get("exact") for light in self.lights)
        self.marks.sort(key=lambda mark: mark[0])
        self.mark_times = [said for said, _, _ in self.marks]
        self.epoch_times = [epoch["t"] for epoch in self.epochs]
        self.utc_times = [epoch["utc"] for epoch in self.epochs]
        self.lag_times = [lag["t"] for lag in self.lags]
        self.labels = {round(epoch["utc"] * 1000): epoch for epoch in self.epochs}
        self.uncorrected = {round(epoch["label"] * 1000): epoch for epoch in self.epochs}

    # MARK: Reading

    def take_epoch(self, record): self.epochs.append(record)

    def take_light(self, record): self.lights.append(record)

    def take_lag(self, record): self.lags.append(record)

    def take_points(self, record): self.points = record["ids"]

    def take_log(self, record): self.logs.append(record)

    def take_clock(self, record): self.clocks.append((record["t"], record["offset"]))

    def take_time(self, record): self.samples.append(Sample(record))

    def take_start(self, record): self.lives.append({"start": record["t"], "ready": None, "end": None, **record})

    def take_ready(self, record): self.lives[-1]["ready"] = record["t"]

    def take_end(self, record):
        self.lives[-1].update(end=record["t"], how=record["how"], status=record["status"])
        # A command without a reply may or may not have been executed.
        for asked, words in self.asked.values():
            if words[0] == "SET" and words[2] == "status" and words[3] in STANDING:
                self.give(words[1], asked, words[3])
                self.limit(words, asked["t"], record["t"])
            elif words[0] == "SET" and words[3] == "full":
                self.accuracies[words[1]].append((asked["t"], asked["t"], "full"))
            elif words[0] == "ANSWER" and words[2] in STANDING and words[1] in self.prompts:
                self.give(self.prompts[words[1]], asked, words[2])
            elif words[:2] == ["PLACE", "ALLOW"]:
                self.permit(words[2], words[3:], (asked["t"], asked["t"], "allowed"))
        for press in self.presses.values():
            if press.up is None and press.sent >= self.lives[-1]["start"]:
                for app in self.prompts.values():
                    self.give(app, press.record, "once")
        self.asked, self.prompts, self.registering = {}, {}, {}

    def limit(self, words, said, answered):
        """Records the end of a right that an owner gave for a time (D6). It ends at the latest when the time after the
        reply is over. A later command replaces the end, because it comes later in the list."""
        for seconds in (int(word[4:]) for word in words if word.startswith("for=")):
            self.rights[words[1]].append((said + seconds, answered + seconds, "notDetermined"))

    def give(self, app, record, status): self.rights[app].append((record["t"], record["t"], status))

    def take_press(self, record):
        self.presses[record["number"]] = Press(record)
        self.waiting_at_end = {}

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
        # Of lines with noise, only complete commands count.
        if len(words) >= {"SET": 4, "RESET": 2, "ANSWER": 3, "KEY": 3, "PLACE": 2}.get(words[0] if words else "", 1):
            self.asked[record["who"], tag] = record, words
            if words[:2] in (["PLACE", "ADD"], ["PLACE", "DEL"]):
                self.withdrawals += [(record["t"], None, name) for name in words[2:3]]
            elif words[:2] == ["PLACE", "DENY"]:
                self.withdrawals += [(record["t"], app, name) for app in words[2:3] for name in words[3:] or [None]]
            elif words[:1] == ["RESET"]:
                self.withdrawals.append((record["t"], words[1], None))

    def register(self, record, words):
        """Records REGION ADD ID LAT LON RADIUS ... or REGION DEL ID, which may take effect from then on."""
        if words[2] == "ADD":
            circle = tuple(float(word) for word in words[4:7])
            self.own[record["app"]].update(circle)
        elif words[2] == "DEL":
            circle = None
        else:
            return
        self.registering[record["who"], words[0]] = len(self.regions)
        before = next((region["circle"] for region in reversed(self.regions)
                       if (region["app"], region["id"]) == (record["app"], words[3]) and not region["refused"]), None)
        # A repeated command changes nothing.
        self.regions.append({"said": record["t"], "answered": None, "app": record["app"], "id": words[3],
                             "circle": circle, "is_new": circle != before, "refused": False})

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
        elif way == "nmea" or way == "gpsd" and text.startswith("$"):
            self.hear_sentence(record, text.rstrip("\r"))
        elif way == "gpsd" and '"lat"' in text:
            report = json.loads(text)
            for fix in report.get("tpv", [report]):
                if "lat" in fix:
                    self.disclosures.append(Disclosure(record, fix, "gpsd"))
        elif way == "mqtt":
            # A subscriber also receives the messages to other clients.
            if record["topic"].endswith("/fix") and text:
                fix = json.loads(text)
                self.disclosures.append(Disclosure(record, fix, "once", fix.get("id")))
        elif way in ("file", "http"):
            fix = json.loads(text)
            is_again = any(told.identifier == fix["id"] for told in self.outputs[way])
            self.outputs[way].append(Disclosure(record, fix, "once", fix["id"], is_again))
            self.disclosures.append(self.outputs[way][-1])
        elif found := re.match(r'MSG region/(\S+) \S+ \{"event":"(enter|exit)"\}$', text):
            self.crossings.append(Crossing(record, found.group(1), found.group(2)))
        elif found := re.match(r"MSG (fix/once|fix/updates) (\S+) (?:id=(\d+) )?(dup=1 )?(?:ret=1 )?(\{.*\})$", text):
            kind = found.group(1).partition("/")[2]
            self.disclosures.append(
                Disclosure(record, json.loads(found.group(5)), kind, found.group(3), bool(found.group(4))))

    def hear_sentence(self, record, text):
        """Collects the sentences of an epoch. GST is the last one, so the disclosure has its time."""
        fields = text.partition("*")[0].split(",")
        epoch = self.sentences[record["who"]]
        if fields[0] == "$GNRMC":
            epoch.clear()
            if fields[2] == "A":
                epoch["date"] = f"20{fields[9][4:]}-{fields[9][2:4]}-{fields[9][:2]}"
        elif fields[0] == "$GNGGA":
            position = []
            is_reduced = self.apps[record["app"]]["accuracy"] == "reduced"
            for number, side, digits in ((fields[2], fields[3], 2), (fields[4], fields[5], 3)):
                degrees = int(number[:digits]) + float(number[digits:]) / 60
                position.append(-degrees if side in "SW" else degrees)
            time = f"{fields[1][:2]}:{fields[1][2:4]}:{fields[1][4:]}"
            epoch.update(position=position, time=time, coasted=fields[6] == "6", is_reduced=is_reduced)
            if is_reduced:
                # The numbers of the sentence itself. `approximate` checks that its position is a node.
                self.own[record["app"]].update((float(fields[2]), float(fields[4])))
        elif fields[0] == "$GNGST" and {"date", "position"} <= epoch.keys():
            fix = {"lat": epoch["position"][0], "lon": epoch["position"][1],
                   "time": f'{epoch["date"]}T{epoch["time"]}Z', "hacc": float(fields[6]) * 1.51}
            if epoch["is_reduced"]:
                fix["accuracy"] = "reduced"
            # The sentences do not contain the age of an extrapolated fix, so its freshness cannot be checked.
            if not epoch["coasted"]:
                self.disclosures.append(Disclosure(record, fix, record["way"]))

    def refuse(self, record, tag):
        asked = self.asked.pop((record["who"], tag), None)
        if asked and record["text"].startswith("-ERR 514 ") and asked[1][0] == "SET":
            # The change is in force, although it is not saved.
            self.obey(*asked, record)
        refused = self.registering.pop((record["who"], tag), None)
        if refused is not None:
            self.regions[refused]["refused"] = True

    def hear_owner(self, record, text):
        if text.startswith("MSG owner/prompt"):
            prompt = json.loads(text[text.index("{"):])
            if prompt["state"] == "open":
                self.prompts[str(prompt["prompt"])] = prompt["app"]
                self.questions.append((record, prompt["app"], prompt["kind"]))
                self.purposes[prompt["app"], prompt["kind"]].add(prompt.get("says"))
            else:
                self.prompts.pop(str(prompt.get("prompt")), None)
            if prompt["state"] in ("yes", "no"):
                self.answered.append((record["t"], prompt["app"], prompt["kind"], prompt["state"]))
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
        """Records a command of an owner that the daemon executed, on any transport."""
        said, answered = asked["t"], answer["t"]
        told = dict(word.partition("=")[::2] for word in answer["text"].split()) if answer["way"] == "owner" else {}
        if words[0] == "STATUS":
            self.waiting_at_end = {
                address.partition("://")[0]: int(told[f"{key}-waiting"]) for key, address in told.items()
                if re.fullmatch(r"output-\d+", key)}
            marked = {word.split(":")[-1] for word in told.get("next", "").split(",")}
            # A press that answers the question of a press gives the fix.
            self.marks.append((said, answered, {told.get("prompt-app") if "#" in word else word for word in marked}))
        elif words[0] == "SET" and words[2] == "status":
            self.rights[words[1]].append((said, answered, words[3]))
            self.limit(words, said, answered)
        elif words[0] == "SET":
            self.accuracies[words[1]].append((said, answered, words[3]))
        elif words[:2] == ["PLACE", "ALLOW"]:
            self.permit(words[2], words[3:], (said, answered, "allowed"))
        elif words[:2] == ["PLACE", "DENY"]:
            self.permit(words[2], words[3:] or self.names_of(words[2]), (said, answered, "denied"))
        elif words[:2] == ["PLACE", "ADD"]:
            # At the present position, the coordinates are unknown.
            circle = tuple(map(float, words[4:6] + words[3:4])) if len(words) == 6 else None
            self.circles[words[2]].append((answered, circle))
        elif words[:2] == ["PLACE", "DEL"]:
            self.circles[words[2]].append((answered, None))
            for app, name in list(self.names):
                if name == words[2]:
                    self.permit(app, [name], (said, answered, "denied"))
        elif words[0] == "RESET":
            self.rights[words[1]].append((said, answered, "notDetermined"))
            self.accuracies[words[1]].append((said, answered, self.apps[words[1]]["accuracy"]))
            self.permit(words[1], self.names_of(words[1]), (said, answered, "denied"))
        elif words[0] == "KEY":
            self.secrets[words[2]].append((said, answered, told.get("key"), told.get("token")))
        elif words[0] == "PAGE" and "link" in told:
            self.links[told["link"].partition("#")[2]] = answered
        elif words[0] == "LOCK" or told.get("effect") == "locked":
            self.locks.append([answered, float("inf")])
        elif told.get("effect") == "unlocked" and self.locks:
            # The lock may have ended as soon as the hold was ordered.
            self.locks[-1][1] = min(self.locks[-1][1], said)

    # MARK: Asking

    def lag(self, since, until):
        """Returns the largest delay of the actors in this period."""
        first = bisect.bisect_left(self.lag_times, since - 1)
        last = bisect.bisect_right(self.lag_times, until + 1)
        return max((lag["seconds"] for lag in self.lags[first:last]), default=0)

    def stands(self, app, moment, slack):
        """Whether an owner or an answered question lets an app know the location without a press."""
        return self.last(self.rights[app], STANDING, moment, slack)

    def names_of(self, app): return [name for known, name in self.names if known == app]

    def permit(self, app, names, change):
        for name in names:
            self.names[app, name].append(change)

    def knows(self, app, name, moment, slack):
        """Whether an app may know the name of a place."""
        return self.last(self.names.get((app, name), []), ("allowed",), moment, slack)

    def was_withdrawn(self, app, name, since, until):
        """Whether an owner may have withdrawn a name from an app in this period."""
        return any(since <= said <= until and whose in (None, app) and what in (None, name)
                   for said, whose, what in self.withdrawals)

    def circle(self, name, since, until):
        """Returns the circle of a place, if it is known and no owner changed it in this period."""
        if any(since <= said <= until and whose is None and what == name for said, whose, what in self.withdrawals):
            return None
        return next((circle for answered, circle in reversed(self.circles[name]) if answered < since), None)

    def is_always(self, app, moment, slack):
        """Whether an app may also know the location while it is not in use, with full accuracy."""
        return (self.last(self.rights[app], ("always",), moment, slack)
                and self.last(self.accuracies[app], ("full",), moment, slack, self.apps[app]["accuracy"] == "full"))

    @staticmethod
    def last(changes, wanted, moment, slack, is_so=False):
        """Whether a value may be in force: from the time of its command until the reply to the opposite command. A
        command without a reply has two equal times. It was perhaps not executed, so it ends nothing."""
        for said, answered, what in changes:
            if what in wanted and said <= moment:
                is_so = True
            elif what not in wanted and said < answered and answered + slack < moment:
                is_so = False
        return is_so

    def connections(self):
        """Counts the connections of each transport, and the invalid lines on them."""
        ways = sorted({opened["way"] for opened in self.opened.values()})
        table = {way: {"connections": 0, "bad_lines": 0} for way in ways}
        for who, opened in self.opened.items():
            row = table[opened["way"]]
            row["connections"] += 1
            row["bad_lines"] += len(self.said[who]) if who.startswith("vandal/") else 0
        return table

    def shown(self, since, until):
        """Returns the states of the light in this period: (from, to, lit, name)."""
        index = max(0, bisect.bisect_right(self.light_times, since) - 1)
        while index < len(self.lights) and self.lights[index]["t"] < until:
            light = self.lights[index]
            after = self.lights[index + 1]["t"] if index + 1 < len(self.lights) else float("inf")
            if after > since:
                yield max(light["t"], since), min(after, until), light["lit"], light["name"]
            index += 1

    def in_use(self, since, until):
        """Returns how long the light showed use of the location."""
        return sum(end - begin for begin, end, _, name in self.shown(since, until) if name in ("in-use", "background"))

    def marks_between(self, since, until):
        """Returns the marks that owners asked for after the beginning and received before the end of this period."""
        first = bisect.bisect_left(self.mark_times, since)
        last = bisect.bisect_right(self.mark_times, until)
        return [apps for _, answered, apps in self.marks[first:last] if answered <= until]

    def epochs_between(self, since, until):
        first = bisect.bisect_left(self.epoch_times, since)
        return self.epochs[first:bisect.bisect_right(self.epoch_times, until)]

    def utc(self, moment):
        """Returns the true time, which the receiver sends."""
        epoch = self.epochs[0]
        return epoch["utc"] + moment - epoch["t"]

    def shifts(self, since, until):
        """Returns the seconds by which the daemon's clock was ahead in this period."""
        before = [offset for t, offset in self.clocks if t < since]
        return before[-1:] + [offset for t, offset in self.clocks if since <= t <= until]

    def epoch(self, disclosure):
        """Returns the epoch of a fix, and whether its date is correct."""
        label = round(disclosure.measured * 1000)
        return (self.labels[label], True) if label in self.labels else (self.uncorrected.get(label), False)

    def position(self, utc):
        """Returns the position of the receiver at a true time; None if it sent no epochs around that time."""
        after = bisect.bisect_left(self.utc_times, utc - 0.001)
        if after < len(self.epochs) and abs(self.utc_times[after] - utc) < 0.002:
            return self.epochs[after]["lat"], self.epochs[after]["lon"]
        if not 0 < after < len(self.epochs) or self.utc_times[after] - self.utc_times[after - 1] > LONGEST_GAP:
            return None
        first, last = self.epochs[after - 1], self.epochs[after]
        part = (utc - first["utc"]) / (last["utc"] - first["utc"])
        return tuple(first[key] + part * (last[key] - first[key]) for key in ("lat", "lon"))

    def life(self, moment):
        return next((life for life in reversed(self.lives) if life["start"] <= moment), None)

    def is_disturbed(self, since, until):
        """Whether the daemon was stopped or suspended during a part of this period."""
        return any(begin < until and end > since for begin, end in self.frozen) or any(
            (life["end"] or float("inf")) < until and (life["end"] or 0) > since or since <= life["start"] <= until
            for life in self.lives)
