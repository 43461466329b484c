"""Violations with fixes for the test of the oracle, one for each rule."""

import json
import re
import struct

from answers import fenced
from bounds import LATE, SLOT, TIMED
from growth import ENOUGH
from oracle import Oracle
from spoiler import Unfit, iso


def no_press(s):
    s.by_press()
    s.remove(lambda record: record["kind"] in ("press", "released"))


def pressed_twice(s):
    """Adds a second fix for each press."""
    for press in s.all("released"):
        s.again(s.by_press(), 0.01 + press["number"] / 1000, identifier=1000 + press["number"],
                alt=500 + press["number"])


def sentence_without_press(s):
    """The reader connected too late for the press."""
    disclosure = s.first(lambda d: d.way == "nmea" and not s.evidence.stands(d.app, d.t, 5), s.evidence.disclosures)
    s.evidence.opened[disclosure.who]["t"] = disclosure.t - 0.01


def sentence_elsewhere(s):
    move_sentence(s, s.first(lambda d: d.way == "nmea" and d.is_full, s.evidence.disclosures), 100)


def sentence_beside_node(s):
    move_sentence(s, s.first(lambda d: d.way == "nmea" and d.is_reduced, s.evidence.disclosures), 0.3)


def move_sentence(s, disclosure, north):
    """Adds minutes to the latitude of a sentence; 100 is a degree."""
    record = s.first(lambda r: r["kind"] == "heard" and r["who"] == disclosure.who and "$GNGGA" in r["text"])
    fields = record["text"].split(",")
    fields[2] = f"{(float(fields[2]) + north) % 9000:010.5f}"
    record["text"] = ",".join(fields)


def sentences_not_written(s):
    s.first(lambda d: d.way == "nmea" and not s.evidence.rights[d.app], s.evidence.disclosures)
    for export in s.all("log"):
        export["entries"] = [entry for entry in export["entries"] or [] if entry.get("transport") != "nmea"]


def too_late(s):
    """The app had not waited long enough when the button went down."""
    for disclosure in s.evidence.disclosures:
        for asked in s.evidence.said[disclosure.who]:
            if " REQ once" in asked["text"]:
                asked["t"] = disclosure.t - 0.01


def polled_late(s):
    """A poll gives a fix of an epoch long after the press."""
    disclosure = s.polled()
    report = json.loads(disclosure.record["text"])
    report["tpv"][0]["time"] = iso(s.evidence.epochs[-1]["utc"])
    disclosure.record["text"] = json.dumps(report, separators=(",", ":"))


def kept_too_long(s):
    """The only press for the fix of a poll was long before it."""
    disclosure = s.polled()
    for press in s.all("press") + s.all("released"):
        if press["t"] < disclosure.t:
            press["t"] -= 20
            if "up" in press:
                press["up"] -= 20


def opened_for_a_reader(s):
    """A press opened a question about the denied app of clients that watch."""
    opened = s.first(lambda record: record["kind"] == "heard" and record["text"].startswith("MSG owner/prompt")
                     and '"state":"open"' in record["text"])
    start = opened["text"].index("{")
    prompt = {**json.loads(opened["text"][start:]), "app": "navi", "kind": "introduce", "prompt": 99999}
    s.insert(opened, {**opened, "text": opened["text"][:start] + json.dumps(prompt)})


def marked_otherwise(s):
    """Half a second before each press, an owner read that the next press was for another app."""
    s.by_press()
    for press in s.evidence.press_list:
        if press.up is not None:
            asked = s.insert({"t": press.down}, {"kind": "said", "who": "owner/0", "app": None, "way": "owner",
                                                 "text": f"@m{press.number} STATUS"}, -0.5)
            s.insert(asked, {**asked, "kind": "heard", "text": f"+OK @m{press.number} next=nobody"})


def without_right(s):
    s.first(lambda d: d.kind == "updates", s.evidence.disclosures)
    s.remove(lambda record: record["kind"] == "said" and re.search(" SET .* (always|whenInUse)", record["text"]))


def dark(s):
    disclosure = s.disclosure()
    t = disclosure.t
    s.remove(lambda record: record["kind"] == "light" and t - 3 < record["t"] < t + 5)
    s.insert(disclosure.record, {"kind": "light", "lit": False, "name": "off"}, -2)


def short_light(s):
    # The actors had no delay at that time, for which the oracle would allow.
    disclosure = s.disclosure(lambda d: not any(abs(begin - d.t) < 3 for begin, _ in s.evidence.locks)
                              and s.evidence.lag(d.t - 3, d.t + 3) < 0.05)
    t = disclosure.t
    s.remove(lambda record: record["kind"] == "light" and t - 3 < record["t"] < t + 5)
    light = {"kind": "light", "lit": True, "name": "in-use"}
    s.insert(disclosure.record, {**light, "lit": False, "name": "off"}, -2)
    s.insert(disclosure.record, light, -0.001)
    s.insert(disclosure.record, {**light, "lit": False, "name": "off"}, 0.2)


def unseen(s):
    disclosure = s.disclosure()
    s.insert(disclosure.record, {"kind": "sense", "sees": False}, -3)
    s.insert(disclosure.record, {"kind": "sense", "sees": True}, 1)


def precise(s): s.change(s.reduced(), lat=s.reduced().fix["lat"] + 0.0004)


def another_node(s):
    """One of several answers is another node."""
    if sum(disclosure.is_reduced for disclosure in s.evidence.disclosures) < 2:
        raise Unfit
    s.change(s.reduced(), lat=s.reduced().fix["lat"] + 90 / 4995)


def altitude(s): s.change(s.reduced(), alt=408.2)


def named_with_position(s): s.change(s.named(), lat=47.37, lon=8.54)


def named_secretly(s): s.change(s.named(), place="secret")


def named_early(s): s.change(s.named(), time="2026-01-01T00:07:00.000Z")


def named_twice(s):
    """An answer within 15 minutes has another name than the answers before and after it. The later answer is no `away`,
    which may follow any name that an owner withdrew."""
    app = s.named().app
    named = [d for d in s.evidence.disclosures if d.is_named and d.app == app and not d.is_again]
    for before, between, after in zip(named, named[1:], named[2:]):
        if after.t - before.t < SLOT / 2 and after.fix["place"] != "away":
            return s.change(between, place="elsewhere")
    raise Unfit


def named_falsely(s):
    """The circle of the name is a degree away."""
    oracle = Oracle(s.records)
    oracle.named()
    # Another name than pier can follow the name pier, which would then seem to continue.
    first = s.first(lambda d: d.is_named, s.evidence.disclosures)
    s.change(s.first(lambda d: d.fix["place"] == "pier" or d.record == first.record, oracle.located), place="pier")
    for record in s.all("said"):
        if found := re.search(r"(PLACE ADD pier \S+) (\S+)", record["text"]):
            record["text"] = record["text"].replace(found.group(), f"{found.group(1)} {float(found.group(2)) + 1:.6f}")


def named_after_denial(s):
    disclosure = s.disclosure(lambda d: d.is_named and d.fix["place"] != "away")
    asked = {"kind": "said", "who": "owner/1", "app": None, "way": "owner", "text": "@x.2 PLACE DENY haven"}
    s.insert(disclosure.record, asked, -5)
    s.insert(disclosure.record, {**asked, "kind": "heard", "text": "+OK @x.2"}, -4.9)


def named_and_told(s):
    epoch = s.first(lambda record: record["kind"] == "epoch")
    s.change(s.named(), lat=round(epoch["lat"], 7), lon=round(epoch["lon"], 7), hacc=3.0, accuracy="full")


def early_hour(s): s.change(s.reduced(), time="2026-01-01T00:07:00.000Z")


def told_fully(s):
    epoch = s.first(lambda record: record["kind"] == "epoch")
    disclosure = s.disclosure(lambda d: s.evidence.apps[d.app]["accuracy"] == "reduced")
    s.change(disclosure, lat=round(epoch["lat"], 7), lon=round(epoch["lon"], 7), accuracy="full")


def double_click(s):
    """Another app receives a fix too."""
    disclosure = s.by_press()
    other = s.first(lambda record: record["kind"] == "heard" and record["way"] in ("unix", "tcp", "tls")
                    and record["app"] not in (disclosure.app, None)
                    and not s.evidence.stands(record["app"], disclosure.t, 5))
    s.again(disclosure, 0.2).update(app=other["app"], who=other["who"])


def of_the_receiver(s):
    told = s.first(lambda record: record["kind"] == "heard"
                   and s.evidence.apps.get(record["app"], {}).get("accuracy") == "reduced")
    s.insert(told, {**told, "text": "-ERR 511 receiver-absent :the receiver is absent"})


def stale(s):
    """The fix is older than the request."""
    epoch = s.evidence.epochs[0]
    disclosure = s.disclosure(
        lambda d: d.is_full and not d.fix.get("coasted") and d.t > epoch["t"] + 25
        and not s.evidence.stands(d.app, d.t, 5))
    s.date(disclosure, epoch["utc"])


def measured_after_the_press(s):
    disclosure = s.at_press()
    s.change(disclosure, measured=iso(disclosure.time + 0.4))


def at_the_epoch(s):
    """The fix of a press has the time of its epoch, clearly before the press."""
    disclosure = s.at_press(lambda d: d.time - d.measured > LATE + 0.02 + s.evidence.lag(d.t - 2, d.t))
    s.change(disclosure, time=disclosure.fix["measured"])


def without_measurement(s):
    disclosure = s.at_press()
    del disclosure.fix["measured"]
    s.change(disclosure)


def measured_updates(s):
    disclosure = s.first(lambda d: d.kind == "updates" and d.is_full and d.way == "unix" and "time" in d.fix,
                         s.evidence.disclosures)
    s.change(disclosure, measured=disclosure.fix["time"])


def stale_by_its_age(s):
    disclosure = s.disclosure(lambda d: d.is_full and not s.evidence.stands(d.app, d.t, 5))
    s.change(disclosure, coasted=True, age_ms=30_000)


def invented(s): s.date(s.full(), 1_767_225_600.1)


def rolled_over(s):
    disclosure = s.full()
    epoch, _ = s.evidence.epoch(disclosure)
    epoch["label"] = epoch["utc"] - 1024 * 7 * 86400
    s.date(disclosure, epoch["label"])


def elsewhere(s): s.change(s.full(), lat=s.full().fix["lat"] + 0.01)


def while_locked(s):
    disclosure = s.disclosure()
    asked = {"kind": "said", "who": "owner/1", "app": None, "way": "owner", "text": "@x.1 LOCK"}
    s.insert(disclosure.record, asked, -1.5)
    s.insert(disclosure.record, {**asked, "kind": "heard", "text": "+OK @x.1 locked=true"}, -1.4)


def to_the_barred(s):
    disclosure = s.disclosure()
    disclosure.record.update(app="barred", who="barred/1")


def after_denial(s):
    """An owner denied the app, and the gateway did not erase its fix."""
    evidence = s.evidence
    disclosure = s.disclosure(lambda d: not evidence.stands(d.app, d.t, 5) and not any(
        d.t < (press.up or press.sent) and press.sent < d.t + 1 for press in evidence.press_list))
    words = f"SET {disclosure.app} status denied"
    asked = {"kind": "said", "who": "owner/1", "app": None, "way": "owner", "text": f"@x.2 {words}"}
    s.insert(disclosure.record, asked, 0.01)
    s.insert(disclosure.record, {**asked, "kind": "heard", "text": "+OK @x.2 status=denied"}, 0.02)
    s.again(disclosure, 0.9)


def told_of_another(s):
    """An app learned which app the next press is for."""
    record = s.disclosure().record
    s.insert(record, {**record, "text": "MSG state s " + json.dumps({"state": "waiting", "next": "barred"})})


def told_as_an_owner(s):
    record = s.disclosure().record
    s.insert(record, {**record, "text": 'MSG owner/mark m {"marked":true}'})


def two_contents(s): s.again(s.full(), 0.05, alt=1.5)


def two_ids(s): s.again(s.full(), 0.05, identifier=77)


def after_acknowledgement(s):
    oracle = Oracle(s.records)
    oracle.unique()
    disclosure = s.disclosure(lambda d: (d.who, d.identifier) in oracle.acknowledged)
    record = s.again(disclosure, 9)
    record["text"] = record["text"].replace(" {", " dup=1 {", 1)


def after_cancel(s):
    disclosure = s.by_press()
    line = {**disclosure.record, "kind": "said", "text": "@x.9 CANCEL"}
    s.insert(disclosure.record, line, -0.3)
    s.insert(disclosure.record, {**line, "kind": "heard", "text": "+OK @x.9"}, -0.29)


def not_written(s):
    disclosure = s.disclosure()
    for export in s.all("log"):
        export["entries"] = [entry for entry in export["entries"] or [] if entry.get("app") != disclosure.app]


def answer_not_written(s):
    """The log lacks the answers that owners heard of."""
    s.first(lambda answered: answered[0] < s.all("log")[-1]["since"], s.evidence.answered)
    for export in s.all("log"):
        export["entries"] = [entry for entry in export["entries"] or [] if entry["event"] != "answer"]


def answer_invented(s):
    """The log has answers on the page that no owner gave."""
    answer = s.first(lambda entry: entry["event"] == "answer", s.all("log")[-1]["entries"])
    s.all("log")[-1]["entries"] += [{**answer, "by": "page"} for _ in range(1000)]


def answer_with_other_text(s):
    """The log has a purpose that no app stated."""
    for export in s.all("log"):
        export["entries"] = [{**entry, "says": "To sell it"} if entry["event"] == "answer" else entry
                             for entry in export["entries"] or []]
    s.first(lambda entry: entry["event"] == "answer", s.all("log")[-1]["entries"])


def answer_with_other_choice(s):
    """The log has a choice that no owner made."""
    answer = s.first(lambda entry: entry["event"] == "answer" and entry["by"] in ("socket", "page"),
                     s.all("log")[-1]["entries"])
    for export in s.all("log"):
        export["entries"] = [{**entry, "choice": "maybe"} if entry == answer else entry
                             for entry in export["entries"] or []]


def rewritten(s):
    exports = [export for export in s.all("log") if export["entries"]]
    if len(exports) < 2:
        raise Unfit
    exports[-1]["entries"] = exports[-1]["entries"][1:]


def unverified(s): s.first(lambda record: record["kind"] == "log")["status"] = 3


def not_acknowledged(s):
    for export in s.all("log"):
        export["entries"] = [entry for entry in export["entries"] or [] if entry.get("outcome") != "acknowledged"]


def granted_by_nobody(s):
    export = s.first(lambda record: record["kind"] == "log", s.records[::-1])
    once = s.first(lambda entry: entry.get("right") == "once", export["entries"])
    export["entries"] = export["entries"] + [once] * (len(s.evidence.presses) + 1)


def output(s, way):
    """Returns an undisturbed fix that an output has."""
    return s.first(lambda d: d.has_arrived and not s.evidence.is_disturbed(d.t - 4, d.t + 4), s.evidence.outputs[way])


def not_arrived(way):
    def spoil(s):
        s.first(lambda entry: entry.get("outcome") == "acknowledged" and any(
            other["entry"] == entry["of"] and other.get("transport") == way for other in s.all("log")[-1]["entries"]),
                s.all("log")[-1]["entries"])
        s.remove(lambda record: record["kind"] == "heard" and record["way"] == way)
    return spoil


def invented_for(way):
    """An output has more fixes than the log has entries."""
    def spoil(s):
        fix = output(s, way)
        for number in range(len(s.all("log")[-1]["entries"])):
            text = json.dumps({**fix.fix, "id": f"invented-{number}"})
            s.insert(fix.record, {**fix.record, "text": text}, 0.01 + number / 10_000)
    return spoil


def forgotten(way):
    """The log has no end of the fixes of an output."""
    def spoil(s):
        export = s.all("log")[-1]
        fixes = {entry["entry"] for entry in export["entries"] if entry.get("transport") == way}
        if len(fixes) <= s.evidence.waiting_at_end.get(way, len(fixes)):
            raise Unfit
        export["entries"] = [entry for entry in export["entries"] if entry.get("of") not in fixes]
    return spoil


def told_as_removed(*ways):
    """The log says of each fix that the gateway removed it before it was sent."""
    def spoil(s):
        entries = s.all("log")[-1]["entries"] or []
        fixes = {entry["entry"] for entry in entries if entry.get("transport") in ways}
        s.first(lambda entry: entry.get("outcome") == "acknowledged" and entry["of"] in fixes, entries)
        for export in s.all("log"):
            export["entries"] = [
                {**entry, "outcome": "erased"} if "outcome" in entry and entry["of"] in fixes else entry
                for entry in export["entries"] or []]
    return spoil


def written_twice(s): s.first(lambda record: record["kind"] == "points" and record["ids"])["ids"].append("0")


def point_removed(s): s.first(lambda record: record["kind"] == "points" and record["ids"])["ids"].pop()


def repeated(s): s.insert(output(s, "http").record, output(s, "http").record, 0.3)


def wrong_slug(s):
    record = s.first(lambda record: record["kind"] == "heard" and record["text"].startswith("-ERR 403"))
    record["text"] = record["text"].replace("unknown-verb", "no-verb")


def answered_twice(s):
    record = s.first(lambda record: record["kind"] == "heard" and record["text"].startswith("+OK @"))
    s.insert(record, record)


def unanswered(s):
    clients = [who for who in s.evidence.heard if who.startswith("vandal") and who in s.evidence.said]
    answers = [fenced(s.evidence.said[who], s.evidence.heard[who])[1] for who in clients]
    error = s.first(lambda record: record["text"].startswith("-ERR"), [record for some in answers for record in some])
    s.remove(lambda record: record is error)


def mute(s):
    s.remove(lambda record: record["kind"] == "heard" and record["app"] == "pulse" and "PONG" in record["text"])


def ended(s): s.first(lambda record: record["kind"] == "end").update(how="by itself", status=-11)


def told_in_the_log(s):
    line = s.first(lambda record: record["kind"] == "heard" and record["way"] == "stderr")
    line["text"] += f" at {s.evidence.epochs[0]['lat']:.5f}"


def in_minutes(s):
    line = s.first(lambda record: record["kind"] == "heard" and record["way"] == "owner")
    latitude = abs(s.evidence.epochs[0]["lat"])
    line["text"] += f" $GPGGA,{int(latitude):02d}{latitude % 1 * 60:07.4f},N"


def growing(key, step):
    def spoil(s):
        """A life with enough samples, whatever the run had."""
        sample = s.first(lambda record: record["kind"] == "sample" and record.get(key) is not None)
        s.remove(lambda record: record["kind"] == "sample")
        s.records += [{**sample, "t": sample["t"] + 20 * number, key: sample[key] + number * step}
                      for number in range(ENOUGH)]
    return spoil


def time_without_magic(s): s.time()["datagram"] = s.time()["datagram"][:-2] + "00"


def time_twice(s): s.insert(s.time(), s.time(), 0.01)


def time_of_no_epoch(s): time_ahead(s, 0.25)


def time_too_late(s): time_ahead(s, -1.5)


def time_ahead(s, seconds):
    """Adds seconds to the offset in a sample."""
    datagram = bytearray.fromhex(s.time()["datagram"])
    struct.pack_into("=d", datagram, 16, struct.unpack_from("=d", datagram, 16)[0] + seconds)
    s.time()["datagram"] = datagram.hex()


def time_after_rollover(s):
    s.time()
    for epoch in s.evidence.epochs:
        epoch["label"] = epoch["utc"] - 1024 * 7 * 86400


def no_time(s):
    if len(s.evidence.epochs) < TIMED:
        raise Unfit
    s.remove(lambda record: record["kind"] == "time")


def not_survived(s): s.first(lambda r: r["kind"] == "fault" and r["state"] == "survived")["state"] = "lost"


# Each violation with the rule that must detect it.
SPOILS = [
    (no_press, "a fix needs its own press, or a right"),
    (pressed_twice, "a fix needs its own press, or a right"),
    (sentence_without_press, "a fix needs its own press, or a right"),
    (sentence_elsewhere, "a fix is at the position of the receiver"),
    (sentence_beside_node, "an approximate position is a node of the lattice"),
    (sentences_not_written, "each disclosure is in the log"),
    (too_late, "a fix needs its own press, or a right"),
    (polled_late, "a poll gives the fix of the press"), (kept_too_long, "a fix needs its own press, or a right"),
    (opened_for_a_reader, "a denied app that sent no request opens no question"),
    (marked_otherwise, "a fix needs its own press, or a right"), (without_right, "updates need a standing right"),
    (pressed_twice, "one fix for a request"), (after_cancel, "a cancelled request gives no fix"),
    (dark, "the light is on for each disclosure"), (short_light, "the light is on for half a second"),
    (unseen, "nothing is disclosed while the light cannot be seen"),
    (precise, "an approximate position is a node of the lattice"), (altitude, "an approximate fix has five members"),
    (another_node, "a stationary receiver gives one approximate answer"),
    (early_hour, "an approximate fix has the quarter hour"),
    (named_with_position, "a name has three members"),
    (named_secretly, "an app receives only names that it may know"), (named_early, "a name has the quarter hour"),
    (named_twice, "an app receives one name in a slot"), (named_falsely, "the name of a place is true"),
    (named_after_denial, "an app receives only names that it may know"),
    (named_and_told, "an app with names receives no other data"),
    (double_click, "a press soon after a fix is for no app"),
    (of_the_receiver, "an approximate app receives no state of the receiver"),
    (told_fully, "an approximate app receives no other data"), (stale, "a fix is fresh"),
    (measured_after_the_press, "a fix of a press is measured at most 2 s before it"),
    (at_the_epoch, "a fix of a press is the position at the press"),
    (without_measurement, "a fix of a press has the time of its measurement"),
    (measured_updates, "only a full fix of a press has the time of its measurement"),
    (stale_by_its_age, "a fix is fresh"), (invented, "a fix comes from an epoch of the receiver"),
    (rolled_over, "a fix has the right date"), (elsewhere, "a fix is at the position of the receiver"),
    (while_locked, "nothing is disclosed while the gateway is locked"), (to_the_barred, "a denied app receives no fix"),
    (after_denial, "a denied app receives no earlier fix"),
    (told_of_another, "an app receives nothing about another app"),
    (told_as_an_owner, "an app receives nothing about another app"),
    (two_contents, "an id has one content"), (two_contents, "a repeated message is marked as repeated"),
    (two_ids, "a fix has one id"),
    (after_acknowledgement, "an acknowledged fix is not sent again"),
    (not_written, "each disclosure is in the log"), (answer_not_written, "each answer is in the log"),
    (answer_invented, "each answer in the log was given"),
    (answer_with_other_choice, "each answer in the log was given"),
    (answer_with_other_text, "an answer in the log has the text that was shown"),
    (rewritten, "the log keeps every entry"), (unverified, "the log verifies"),
    (granted_by_nobody, "each entry of the log was granted"),
    *((not_arrived(way), "each acknowledged fix of an output has arrived") for way in ("file", "http")),
    *((invented_for(way), "each fix of an output has its own entry") for way in ("file", "http")),
    *((forgotten(way), "a fix of an output arrives, waits, or is told as lost") for way in ("file", "http")),
    *((told_as_removed(*ways), "a sent fix is not told as removed before")
      for ways in (("unix", "tcp", "tls"), ("file",), ("http",))),
    (written_twice, "a point is written once, and stays"), (point_removed, "a point is written once, and stays"),
    (repeated, "an accepted request is not repeated"),
    (not_acknowledged, "an acknowledgement is in the log"), (wrong_slug, "each error has its code"),
    (answered_twice, "each line has one reply"), (unanswered, "each line has one reply"),
    (mute, "the daemon replies within 5 s"),
    (ended, "the daemon never ends by itself"),
    (told_in_the_log, "a position is disclosed only to the app to which it was granted"),
    (in_minutes, "a position is disclosed only to the app to which it was granted"),
    (growing("descriptors", 1), "the daemon does not grow"),
    (growing("allocated", 1000), "the daemon does not grow"), (growing("anonymous", 3000), "the daemon does not grow"),
    (time_without_magic, "a sample of the time has the form of chrony"),
    (time_twice, "chrony gets one sample in a second"),
    (time_of_no_epoch, "a sample of the time comes from an epoch with a fix"),
    (time_after_rollover, "a corrected date sets no clock"), (time_too_late, "chrony gets the right time"),
    (no_time, "chrony gets the time"), (not_survived, "the daemon recovers from each fault")]
