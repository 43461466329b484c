"""The rules for every run, checked only with the transcript."""

import collections

from answers import Answers
from bounds import SLACK
from clocks import Clocks
from crossings import Crossings
from evidence import Evidence
from grants import Grants
from journal import Journal
from light import Light
from pages import Pages
from positions import Positions
from proofs import Proofs


class Oracle(Grants, Light, Positions, Journal, Clocks, Crossings, Proofs, Pages, Answers):
    def __init__(self, records):
        self.evidence = Evidence(records)
        self.violations = []
        self.figures = {}
        self.considered = {}

    def judge(self):
        for rule in (self.presses, self.polled, self.invited, self.apart, self.requests, self.locked, self.barred,
                     self.withdrawn, self.secluded,
                     self.light, self.seen,
                     self.approximate, self.named, self.without_receiver, self.silent, self.fresh,
                     self.pressed,
                     self.unique, self.logged, self.delivered, self.settled, self.timed,
                     self.entitled, self.crossed, self.told_once, self.noticed,
                     self.proven, self.opened, self.admitted, self.shown_log,
                     self.replies, self.alive, self.growth, self.faults):
            rule()
        self.figures["disclosures"] = self.count()
        self.figures["connections"] = self.evidence.connections()
        return self

    def violated(self, rule, what, *records):
        self.violations.append({"rule": rule, "what": what, "records": [
            {key: value for key, value in record.items() if key != "entries"} for record in records]})

    def count(self):
        table = collections.Counter()
        for disclosure in self.evidence.told:
            accuracy = "reduced" if disclosure.is_reduced else "place" if disclosure.is_named else "full"
            table[disclosure.way, accuracy, "again" if disclosure.is_again else disclosure.kind] += 1
        return [{"way": way, "accuracy": accuracy, "kind": kind, "count": count}
                for (way, accuracy, kind), count in sorted(table.items())]

    def slack(self, disclosure):
        lag = self.evidence.lag(disclosure.t - 1, disclosure.t)
        # A broker can delay messages, for example while it is suspended. A point waits for the disk, and then for the next
        # look at its file.
        return SLACK + lag + {"mqtt": 5, "file": 1}.get(disclosure.way, 0)
