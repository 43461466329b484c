"""Rules: a user could see each use of the location."""

from bounds import DRAWN, LIT, SLACK


class Light:
    def light(self):
        """The light shows the use of the location for the required time."""
        evidence = self.evidence
        shortest = None
        for disclosure in evidence.told:
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
            # Only the kill switch and the end of the daemon end the light early.
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
        """Nothing is disclosed while the light cannot be seen, except in the second until the detection."""
        for begin, end in self.evidence.blind:
            for disclosure in self.evidence.told:
                if begin + 1 + self.slack(disclosure) < disclosure.t < end:
                    self.violated("nothing is disclosed while the light cannot be seen",
                                  f"{disclosure.t - begin:.2f} s after",
                                  disclosure.record)
