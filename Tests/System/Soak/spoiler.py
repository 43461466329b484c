"""A copy of a run for the insertion of a violation."""

import copy
import json
import re
from datetime import datetime, timezone

from evidence import Evidence


class Unfit(Exception):
    """The run has no data for this violation."""


def iso(seconds):
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


class Spoiler:
    """A copy of a run."""

    def __init__(self, records):
        self.records = copy.deepcopy(records)
        self.evidence = Evidence(self.records)

    def first(self, is_meant, of=None):
        for item in self.records if of is None else of:
            if is_meant(item):
                return item
        raise Unfit

    def all(self, kind): return [record for record in self.records if record["kind"] == kind]

    def disclosure(self, is_meant=lambda disclosure: True):
        """Returns an undisturbed disclosure by a press, as a line."""
        evidence = self.evidence
        return self.first(
            lambda d: d.kind == "once" and d.way in ("unix", "tcp", "tls", "serial") and not d.is_again and is_meant(d)
            and not evidence.is_disturbed(d.t - 4, d.t + 4), evidence.disclosures)

    def full(self): return self.disclosure(lambda d: d.is_full and not d.fix.get("coasted"))

    def by_press(self):
        evidence = self.evidence
        return self.disclosure(lambda d: not evidence.stands(d.app, d.t, 5))

    def at_press(self, is_meant=lambda disclosure: True):
        """Returns the precise fix of a press."""
        return self.disclosure(lambda d: d.is_full and not d.fix.get("coasted") and "measured" in d.fix
                               and not self.evidence.stands(d.app, d.t, 5) and is_meant(d))

    def reduced(self): return self.disclosure(lambda d: d.is_reduced)

    def named(self):
        return self.disclosure(lambda d: d.is_named and self.evidence.apps[d.app]["accuracy"] == "place")

    def polled(self):
        """Returns the precise fix of a press that a client received as the answer to a poll."""
        return self.first(lambda d: d.is_polled and d.is_full and not self.evidence.stands(d.app, d.t, 5),
                          self.evidence.disclosures)

    def time(self):
        """Returns a sample of the time."""
        return self.first(lambda record: record["kind"] == "time")

    def change(self, disclosure, **members):
        """Replaces the fix in the line."""
        line = disclosure.record["text"]
        fix = {**disclosure.fix, **members}
        disclosure.record["text"] = line[:line.index("{")] + json.dumps(fix)

    def date(self, disclosure, utc):
        """Replaces the time of the measurement."""
        self.change(disclosure, **{key: iso(utc) for key in ("time", "measured") if key in disclosure.fix})

    def insert(self, after, record, seconds=0.001):
        record = {**record, "t": after["t"] + seconds}
        index = next((i for i, r in enumerate(self.records) if r["t"] > record["t"]), len(self.records))
        self.records.insert(index, record)
        return record

    def again(self, disclosure, seconds, identifier=None, **members):
        record = self.insert(disclosure.record, disclosure.record, seconds)
        fix = json.dumps({**disclosure.fix, **members})
        line = record["text"][:record["text"].index("{")] + fix
        record["text"] = re.sub(r" id=\d+", f" id={identifier or disclosure.identifier}", line)
        return record

    def remove(self, is_meant):
        count = len(self.records)
        self.records[:] = [record for record in self.records if not is_meant(record)]
        if len(self.records) == count:
            raise Unfit
