"""Violations for the test of the oracle: network clients, the owners' page, and region events."""

import json

from oracle import Oracle
from spoiler import Unfit

NOBODY = "A" * 43


# MARK: Regions


def crossing(s):
    """Returns an undisturbed event of an app that may receive it."""
    oracle = Oracle(s.records)
    return s.first(lambda c: not oracle.is_interrupted(c.t - 4, c.t, c.app), s.evidence.crossings)


def set_before(s, told, setting):
    """Adds an earlier command of an owner with another setting."""
    asked = {"kind": "said", "who": "owner/x", "app": None, "way": "owner", "text": f"@x.1 SET {told.app} {setting}"}
    s.insert(told.record, asked, -3)
    s.insert(told.record, {**asked, "kind": "heard", "text": "+OK @x.1"}, -2.9)


def without_always(s): set_before(s, crossing(s), "status whenInUse")


def without_precision(s): set_before(s, crossing(s), "accuracy reduced")


def of_no_region(s):
    record = crossing(s).record
    record["text"] = record["text"].replace("region/", "region/no-")


def untrue(s):
    told = crossing(s)
    was, other = ("enter", "exit") if told.is_entry else ("exit", "enter")
    told.record["text"] = told.record["text"].replace(was, other)


def told_again(s): s.insert(crossing(s).record, crossing(s).record, 0.5)


def border_not_written(s):
    app = crossing(s).app
    for export in s.all("log"):
        export["entries"] = [entry for entry in export["entries"] or [] if entry.get("app") != app]


def border_in_the_dark(s):
    told = crossing(s)
    s.remove(lambda record: record["kind"] == "light" and told.t - 3 < record["t"] < told.t + 5)
    s.insert(told.record, {"kind": "light", "lit": False, "name": "off"}, -2)


def told_to_owners_too(s):
    """Adds a notification of the owners for an app that may receive the event itself."""
    oracle = Oracle(s.records)
    told = s.first(lambda c: not oracle.may_be_less(c.app, c.t), s.evidence.crossings)
    owner = s.first(lambda record: record["kind"] == "open" and record["way"] == "owner" and record["t"] < told.t - 3)
    notice = {"app": told.app, "region": told.region, "event": "enter"}
    s.insert(told.record, {"kind": "heard", "who": owner["who"], "app": None, "way": "owner",
                           "text": f"MSG owner/notification n {json.dumps(notice)}"})


# MARK: Proofs


def with_another_key(s):
    record = s.first(lambda r: r["kind"] == "heard" and r["way"] == "owner" and " key=" in r["text"])
    before, _, _ = record["text"].partition(" key=")
    app = record["text"].partition("app=")[2].split()[0]
    s.first(lambda r: r["kind"] == "heard" and r["app"] == app and " session=" in r["text"])
    record["text"] = f"{before} key={NOBODY}"


def with_another_token(s):
    record = s.first(lambda r: r["kind"] == "said" and "AUTH token=" in r["text"] and r["app"] == "veil")
    s.first(lambda r: r["kind"] == "heard" and r["who"] == record["who"] and " session=" in r["text"])
    record["text"] = record["text"].partition("token=")[0] + f"token={NOBODY}"


def without_certificate(s):
    s.first(lambda r: r["kind"] == "heard" and r["app"] == "dory" and " session=" in r["text"])
    for opened in s.all("open"):
        opened.pop("certificate", None)


# MARK: The owners' page


def asked(s, is_meant):
    """Returns a request of the page and its response."""
    for said in s.all("said"):
        if said["way"] == "page" and "token" in said:
            heard = next((r for r in s.evidence.heard[said["who"]]), None)
            if heard and is_meant(said, heard):
                return said, heard
    raise Unfit


def served(target, status=200):
    return lambda said, heard: said["text"].split()[1] == target and heard["status"] == status and not said["foreign"]


def opened_twice(s):
    said, heard = asked(s, served("/open"))
    for record in {"kind": "open", "who": said["who"], "app": None, "way": "page"}, said, {**heard, "text": NOBODY}:
        s.insert(heard, {**record, "who": "page/x"}, 0.01)


def opened_by_nobody(s):
    asked(s, served("/open"))
    for record in s.all("heard"):
        if record["way"] == "owner":
            record["text"] = record["text"].replace(" link=", " no-link=")


def without_session(s):
    said, _ = asked(s, lambda said, heard: served("/present", 204)(said, heard) or served("/events")(said, heard))
    said["token"] = NOBODY


def after_leaving(s):
    said, heard = asked(s, served("/leave", 204))
    for record in {"kind": "open", "app": None, "way": "page"}, {**said, "text": "POST /present"}, heard:
        s.insert(heard, {**record, "who": "page/x"}, 0.01)


def sent_away(s):
    oracle = Oracle(s.records)
    oracle.opened()
    _, heard = asked(s, lambda said, heard: served("/present", 204)(said, heard) and oracle.is_owner(said, heard))
    heard.update(status=401, text="401 Unauthorized\n")


def refused_but_told(s):
    _, heard = asked(s, lambda said, heard: heard["status"] in (401, 403, 421))
    heard["text"] += '{"apps":[]}'


def from_another_page(s):
    _, heard = asked(s, lambda said, heard: said["foreign"])
    heard.update(status=204, text="")


def names_the_gateway(s):
    _, heard = asked(s, lambda said, heard: said["text"] == "GET /" and heard["status"] == 200)
    heard["text"] += "<h1>soak</h1>"


def other_entries(s):
    said, _ = asked(s, lambda said, heard: served("/events")(said, heard) and '"entry":"#' in heard["text"])
    for record in s.evidence.heard[said["who"]]:
        record["text"] = record["text"].replace('"app":"', '"app":"not-')


def position_on_the_page(s):
    _, heard = asked(s, served("/events"))
    heard["text"] = heard["text"].replace("{", f'{{"lat":{s.evidence.epochs[0]["lat"]:.5f},', 1)


def silent_gpsd(s):
    said = s.first(lambda r: r["kind"] == "said" and r["text"] == "?VERSION;"
                   and s.evidence.closed.get(r["who"], {}).get("by") == "us")
    s.remove(lambda r: r["kind"] == "heard" and r["who"] == said["who"] and r["t"] > said["t"])


INTRUSIONS = [
    (without_always, "a region event needs Always and full accuracy"),
    (without_precision, "a region event needs Always and full accuracy"),
    (of_no_region, "a region event is about a region of its app"), (untrue, "a region event is true"),
    (told_again, "a crossing causes one event"), (border_not_written, "each disclosure is in the log"),
    (border_in_the_dark, "the light is on for each disclosure"),
    (told_to_owners_too, "a region event has one recipient"),
    (with_another_key, "a client without a proof is refused"),
    (with_another_key, "the gateway proves that it has the key"),
    (with_another_token, "a client without a proof is refused"),
    (without_certificate, "a client without a proof is refused"),
    (opened_twice, "a link opens the page once"), (opened_by_nobody, "only an owner's link opens the page"),
    (without_session, "a request without a session is refused"),
    (after_leaving, "a request without a session is refused"),
    (sent_away, "a request with a session receives a response"),
    (refused_but_told, "a refused client receives no data"),
    (from_another_page, "requests of other pages are refused"), (names_the_gateway, "public files contain no data"),
    (other_entries, "the page agrees with the log"),
    (position_on_the_page, "a position is disclosed only to the app to which it was granted"),
    (silent_gpsd, "the daemon replies after invalid lines")]
