"""Rules: an app receives only region events that it may know, that are true, and once for each crossing."""

import collections

from bounds import GRANT
from evidence import STANDING, distance

# The maximum error of a fix in metres, and the maximum delay of an event until the light is confirmed, in seconds.
NEAR, UNDER_WAY = 10, 2
LESS = (*(status for status in STANDING if status != "always"), "denied", "notDetermined")


class Crossings:
    def entitled(self):
        """A region event needs its own right."""
        for crossing in self.evidence.crossings:
            if not self.evidence.is_always(crossing.app, crossing.t, self.slack(crossing)):
                self.violated("a region event needs Always and full accuracy", "the app has less", crossing.record)

    def crossed(self):
        """The receiver was at the border in the event."""
        for crossing in self.evidence.crossings:
            regions = self.standing(crossing)
            if not regions:
                self.violated("a region event is about a region of its app", "there is none", crossing.record)
            elif not any(self.was_there(crossing, region) for region in regions):
                self.violated("a region event is true", "the receiver was not there", crossing.record, *regions)

    def standing(self, crossing):
        """Returns the regions with that name that the app may have had at the crossing."""
        standing = []
        for region in self.evidence.regions:
            if (region["app"], region["id"]) != (crossing.app, crossing.region) or region["refused"]:
                continue
            if region["said"] <= crossing.t:
                if region["answered"] and region["answered"] < crossing.t - GRANT:
                    standing.clear()
                standing.append(region)
        return [region for region in standing if region["circle"]]

    def was_there(self, crossing, region):
        """A subscribed client receives the event at once. A client that connects later receives the events of the last
        minute."""
        evidence, slack = self.evidence, self.slack(crossing)
        is_new = crossing.t - evidence.opened[crossing.who]["t"] < 2 * UNDER_WAY
        is_late = is_new or evidence.is_disturbed(crossing.t - UNDER_WAY, crossing.t)
        window = (GRANT if is_late else 0) + UNDER_WAY + slack
        latitude, longitude, radius = region["circle"]
        for epoch in evidence.epochs_between(crossing.t - window, crossing.t):
            away = distance((epoch["lat"], epoch["lon"]), (latitude, longitude))
            if away <= radius + NEAR if crossing.is_entry else away >= radius + max(radius / 10, 20) - NEAR:
                return True
        return False

    def told_once(self):
        """An exit follows an entry, unless something made the gateway determine the sides again or stay silent."""
        last = {}
        for crossing in self.evidence.crossings:
            key = (crossing.app, crossing.region)
            before = last.get(key)
            last[key] = crossing
            if before and before.is_entry == crossing.is_entry and not self.is_interrupted(
                    before.t - 1, crossing.t, crossing.app):
                self.violated("a crossing causes one event", "it was told before", before.record, crossing.record)

    def is_interrupted(self, since, until, app):
        """Whether an event in this period made the gateway determine the sides again or stay silent."""
        evidence = self.evidence
        changes = evidence.rights[app] + evidence.accuracies[app] + evidence.locks + [
            (region["said"], region["answered"] or until) for region in evidence.regions
            if region["app"] == app and region["is_new"] and not region["refused"]] + [
            trouble for trouble in evidence.troubles if trouble[2] == "disk full"]
        return evidence.is_disturbed(since, until) or any(
            change[0] < until and change[1] > since for change in changes)

    def noticed(self):
        """Owners are notified of crossings exactly when the app may not receive them."""
        count = collections.Counter()
        for record, notice in self.evidence.notices:
            app, moment = notice["app"], record["t"]
            count[app] += 1
            if not any(region["app"] == app and region["id"] == notice["region"] for region in self.evidence.regions):
                self.violated("a region event is about a region of its app", "there is none", record)
            # An owner who connects receives earlier notifications.
            if moment - self.evidence.opened[record["who"]]["t"] < UNDER_WAY or self.may_be_less(app, moment):
                continue
            self.violated("a region event has one recipient", "the owner, and the app may know itself", record)
        self.figures["notices"] = dict(sorted(count.items()))

    def may_be_less(self, app, moment):
        evidence = self.evidence
        return (evidence.last(evidence.rights[app], LESS, moment, UNDER_WAY, True)
                or evidence.last(evidence.accuracies[app], ("reduced",), moment, UNDER_WAY,
                                 evidence.apps[app]["accuracy"] == "reduced"))
