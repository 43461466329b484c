"""Whether an app is told of its regions' borders only what it may know, what is true, and each crossing once."""

import collections
import itertools

from bounds import GRANT
from evidence import STANDING, distance

# Metres by which fixes err at most, and seconds that an event is under way until the light is seen.
NEAR, UNDER_WAY = 10, 2
# Seconds in which a gateway notices on which side it is, and faults that do not keep it from that.
STAY = 15
HARMLESS = ("broker", "console", "app port", "reload")
LESS = (*(status for status in STANDING if status != "always"), "denied", "notDetermined")


class Crossings:
    def entitled(self):
        """To be told where a border was crossed needs a right of its own."""
        for crossing in self.evidence.crossings:
            if not self.evidence.is_always(crossing.app, crossing.t, self.slack(crossing)):
                self.violated("a region's event needs Always, and precision", "the app has less", crossing.record)

    def crossed(self):
        """The receiver was where it is said to be."""
        for crossing in self.evidence.crossings:
            regions = self.standing(crossing)
            if not regions:
                self.violated("a region's event is of a region of that app", "there is none", crossing.record)
            elif not any(self.was_there(crossing, region) for region in regions):
                self.violated("a region's event is true", "the receiver was not there", crossing.record, *regions)

    def standing(self, crossing):
        """The regions of that name that the app may have had when the border was crossed."""
        standing = []
        for region in self.evidence.regions:
            if (region["app"], region["id"]) != (crossing.app, crossing.region) or region["refused"]:
                continue
            if region["said"] <= crossing.t:
                if region["answered"] and region["answered"] < crossing.t - GRANT:
                    standing.clear()
                standing.append(region)
        return [region for region in standing if region["place"]]

    def was_there(self, crossing, region):
        """Whoever listens hears at once; who comes hears what happened within a minute."""
        evidence, slack = self.evidence, self.slack(crossing)
        is_new = crossing.t - evidence.opened[crossing.who]["t"] < 2 * UNDER_WAY
        is_late = is_new or evidence.is_disturbed(crossing.t - UNDER_WAY, crossing.t)
        window = (GRANT if is_late else 0) + UNDER_WAY + slack
        latitude, longitude, radius = region["place"]
        for epoch in evidence.epochs_between(crossing.t - window, crossing.t):
            away = distance((epoch["lat"], epoch["lon"]), (latitude, longitude))
            if away <= radius + NEAR if crossing.is_entry else away >= radius + max(radius / 10, 20) - NEAR:
                return True
        return False

    def told_once(self):
        """After an entry comes an exit, where nothing happened that makes the gateway begin anew, or stay silent."""
        last = {}
        for crossing in self.evidence.crossings:
            key = (crossing.app, crossing.region)
            before = last.get(key)
            last[key] = crossing
            if before and before.is_entry == crossing.is_entry and not self.is_interrupted(
                    before.t - 1, crossing.t, crossing.app):
                self.violated("a crossing is told once", "it was told before", before.record, crossing.record)

    def is_interrupted(self, since, until, app):
        """Whether something happened after which the gateway begins anew to look, or tells nothing."""
        evidence = self.evidence
        changes = evidence.rights[app] + evidence.accuracies[app] + evidence.locks + [
            (region["said"], region["answered"] or until) for region in evidence.regions
            if region["app"] == app and region["is_new"] and not region["refused"]] + [
            trouble for trouble in evidence.troubles if trouble[2] == "disk full"]
        return evidence.is_disturbed(since, until) or any(
            change[0] < until and change[1] > since for change in changes)

    def heard_of(self):
        """Who may hear of it, and is there, is told of each border that the receiver crossed for certain."""
        evidence, due = self.evidence, 0
        places = collections.defaultdict(set)
        for region in evidence.regions:
            places[region["app"], region["id"]].add(region["place"])
        for (app, name), (*many, place) in places.items():
            stays = self.stays(place) if not many else []
            for (was, since, left), (is_inside, came, until) in itertools.pairwise(stays):
                if was == is_inside or left - since < STAY or until - came < STAY or came - left > 2 * STAY:
                    continue
                if not self.is_there(app, since, came + STAY):
                    continue
                due += 1
                if not any(told.app == app and told.region == name and told.is_entry == is_inside
                           and left < told.t <= came + STAY for told in evidence.crossings):
                    self.violated("who may hear of a crossing is told", f"{app} was not, from {left} to {came + STAY}",
                                  *(epoch for epoch in evidence.epochs_between(came, came + 1)))
        self.figures["crossings_due"] = due

    def stays(self, place):
        """When the receiver was in a region, and when it was not: (whether inside, from, to), without the border."""
        stays, last = [], None
        for epoch in self.evidence.epochs:
            away, radius = distance((epoch["lat"], epoch["lon"]), place[:2]), place[2]
            is_outside = away > radius + max(radius / 10, 20) + NEAR / 2
            side = True if away < radius - NEAR / 2 else False if is_outside else None
            # A receiver that says nothing, or rubbish, leaves it open.
            is_certain = epoch["whole"] and last is not None and epoch["t"] - last < UNDER_WAY
            if side is not None and epoch["whole"]:
                if stays and is_certain and stays[-1][0] == side:
                    stays[-1][2] = epoch["t"]
                else:
                    stays.append([side, epoch["t"], epoch["t"]])
            if not is_certain:
                stays.append([None, epoch["t"], epoch["t"]])
            last = epoch["t"]
        return stays

    def is_there(self, app, since, until):
        """For certain: connected all the time, allowed, and nothing in the gateway's way."""
        evidence = self.evidence
        if any(begin < until and end > since and not what.startswith(HARMLESS)
               for begin, end, what in evidence.troubles):
            return False
        if self.may_be_less(app, until) or self.is_interrupted(since, until, app):
            return False
        return any(opened["app"] == app and opened["t"] + UNDER_WAY < since
                   and evidence.closed.get(who, {"t": float("inf")})["t"] > until
                   for who, opened in evidence.opened.items())

    def noticed(self):
        """Owners are told of crossings instead of the apps that may know less, and only then."""
        count = collections.Counter()
        for record, notice in self.evidence.notices:
            app, moment = notice["app"], record["t"]
            count[app] += 1
            if not any(region["app"] == app and region["id"] == notice["region"] for region in self.evidence.regions):
                self.violated("a region's event is of a region of that app", "there is none", record)
            # An owner who comes hears what was before.
            if moment - self.evidence.opened[record["who"]]["t"] < UNDER_WAY or self.may_be_less(app, moment):
                continue
            self.violated("a region's event has one who hears it", "the owner, and the app may know itself", record)
        self.figures["notices"] = dict(sorted(count.items()))

    def may_be_less(self, app, moment):
        evidence = self.evidence
        return (evidence.last(evidence.rights[app], LESS, moment, UNDER_WAY, True)
                or evidence.last(evidence.accuracies[app], ("reduced",), moment, UNDER_WAY,
                                 evidence.apps[app]["accuracy"] == "reduced"))
