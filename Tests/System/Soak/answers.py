"""Rules: the daemon replies, keeps running, does not grow, and recovers from faults."""

import collections

from bounds import LIVENESS, OUTPUTS
from codes import CODES
from growth import growth


def fenced(said, heard):
    """Returns the lines of a client that sends invalid lines, up to its last PING, which is valid, and their replies.
    Both are empty if the PING has no reply. At a serial port the reply to HELLO is INFO. Earlier replies belong to the
    previous client."""
    said = [record for record in said if record["text"].strip("\r") not in ("", "HELLO")]
    while said and not said[-1]["text"].endswith(" PING"):
        said.pop()
    fence = said[-1]["text"].split()[0] if said else None
    greeted = next((index for index, record in enumerate(heard) if " session=" in record["text"]), 0)
    begin = max((index for index, record in enumerate(heard[:greeted]) if record["text"].startswith("INFO ")), default=0)
    end = next((index for index, record in enumerate(heard) if record["text"] == f"PONG {fence}"), None)
    if end is None:
        return [], []
    return said, [record for record in heard[begin:end + 1] if record["text"].startswith(("+OK", "-ERR", "PONG"))]


class Answers:
    def replies(self):
        """Each line has one reply, and each error has its code."""
        for who, heard in self.evidence.heard.items():
            if who.startswith("vandal/") and heard and heard[0]["way"] == "gpsd":
                self.versed(who, heard)
            if who.startswith("vandal/") and heard and heard[0]["way"] == "nmea":
                self.limited(who)
            if not heard or heard[0]["way"] in (*OUTPUTS, "gpsd", "nmea", "console", "page", "stderr"):
                continue
            tags = collections.Counter()
            for record in heard:
                words = record["text"].split()
                if record["text"].startswith("-ERR"):
                    if len(words) < 3 or not words[1].isdigit() or CODES.get(int(words[1])) != words[2]:
                        self.violated("each error has its code", record["text"][:80], record)
                if words and words[0] in ("+OK", "PONG"):
                    tags.update(word for word in words[1:2] if word.startswith("@"))
            for tag, count in tags.items():
                if count > 1:
                    self.violated("each line has one reply", f"{tag} has {count}",
                                  *(r for r in heard if tag in r["text"]))
            if who.startswith("vandal"):
                self.answered(who, heard)

    def answered(self, who, heard):
        """Checks a client that sends invalid lines."""
        lines, answers = fenced(self.evidence.said[who], heard)
        if len(answers) != len(lines):
            self.violated("each line has one reply", f"{len(answers)} answers to {len(lines)} lines", *lines[-2:])

    def versed(self, who, heard):
        """A client of gpsd receives the version when it connects, and again when it asks after invalid lines."""
        is_asked = self.evidence.said[who][-1:] and self.evidence.said[who][-1]["text"] == "?VERSION;"
        by = self.evidence.closed.get(who, {}).get("by")
        if is_asked and by == "us" and sum('"class":"VERSION"' in record["text"] for record in heard) < 2:
            self.violated("the daemon replies after invalid lines", "it did not", self.evidence.said[who][-1])

    def limited(self, who):
        """A reader of sentences may send 4096 bytes."""
        said = self.evidence.said[who]
        if (sum(len(record["text"]) for record in said) > 4096
                and self.evidence.closed.get(who, {}).get("by") == "us"):
            self.violated("a reader of sentences that sends too much is disconnected", "it was not", said[-1])

    def alive(self):
        """The daemon always replies, and it never ends by itself."""
        waits = []
        for life in self.evidence.lives:
            if life.get("how") == "by itself" or life.get("how") == "stopped" and life.get("status") != 0:
                self.violated("the daemon never ends by itself", f"life {life['life']}, status {life['status']}")
        for who, said in self.evidence.said.items():
            if not who.startswith("pulse"):
                continue
            pongs = {record["text"].split()[-1]: record["t"] for record in self.evidence.heard[who]
                     if record["text"].startswith("PONG @")}
            for record in said:
                if not record["text"].endswith(" PING"):
                    continue
                end = self.evidence.closed.get(who, self.evidence.records[-1])["t"]
                wait = pongs.get(record["text"].split()[0], end) - record["t"]
                if self.evidence.is_disturbed(record["t"] - 1, record["t"] + min(wait, LIVENESS) + 0.5):
                    continue
                waits.append(wait)
                if wait - self.evidence.lag(record["t"], record["t"] + wait) > LIVENESS:
                    self.violated("the daemon replies within 5 s", f"{wait:.1f} s", record)
        self.figures["pings"] = len(waits)
        self.figures["longest_ping_ms"] = round(1000 * max(waits), 1) if waits else None

    def growth(self):
        """At rest, the daemon uses no more resources at the end than at the beginning."""
        table = growth(self.evidence)
        if table:
            self.figures["growth"] = table
            for key in table["grown"]:
                part = table[key]
                self.violated("the daemon does not grow",
                              f"{key}: {part['first']} to {part['last']} in {table['seconds']} s",
                              *table.pop("samples_of_" + key))

    def faults(self):
        """The daemon recovers from each fault."""
        table = collections.defaultdict(collections.Counter)
        for record in self.evidence.records:
            if record["kind"] == "fault":
                table[record["what"]][record["state"]] += 1
                if record["state"] == "lost":
                    self.violated("the daemon recovers from each fault", record["what"], record)
        # Faults that did not occur are reported too.
        for name in self.evidence.setup.get("faults", []):
            table[name]
        self.figures["faults"] = {name: {"count": states["begin"], "survived": states["survived"]}
                                  for name, states in sorted(table.items())}
