"""Home Assistant with a gateway behind a broker, both with the configuration of the documentation."""

import json
import os
import signal
import subprocess
import tempfile
import textwrap

from home_assistant import HomeAssistant
from rig import Broker, Gateway, Process, blocks, expect, free_port, until

APP = "home-assistant"
PREFIX = "home_assistant_boat_7_"
TRACKER = f"device_tracker.{PREFIX}last_disclosed_location"
BUTTON = f"button.{PREFIX}ask_for_a_location"
PLACE = f"sensor.{PREFIX}place"
LAST = f"sensor.{PREFIX}last_disclosure"
SATELLITES = f"sensor.{PREFIX}satellites_in_the_last_fix"
ENTITIES = {
    BUTTON, f"event.{PREFIX}press", f"event.{PREFIX}failed_request", TRACKER, PLACE,
    f"sensor.{PREFIX}last_disclosure", f"sensor.{PREFIX}time_of_the_last_fix", f"binary_sensor.{PREFIX}location_in_use",
    f"binary_sensor.{PREFIX}kill_switch", f"sensor.{PREFIX}receiver"}
AUTOMATION = "automation.shared_from_the_boat"
CONFIG = "homeassistant/device/onefix_boat-7_home-assistant/config"
# The page about Home Assistant does not cover OwnTracks.
OWNTRACKS_RULES = "\npattern write owntracks/%u/#\nuser homeassistant\ntopic readwrite owntracks/#\n"


class Home:
    """A gateway called boat-7, a broker with the documented ACL, and Home Assistant with the documented automations."""

    def __init__(self, programs, roots, version, documentation):
        self.programs = programs
        self.folder = tempfile.mkdtemp(prefix="onefix-clients-")
        acl = next(text for kind, text in blocks(os.path.join(documentation, "fleets.md"))
                   if kind == "conf" and text.startswith("# /etc/mosquitto/acl\n"))
        self.acl = acl.split("\n", 1)[1]
        self.rules(self.acl + OWNTRACKS_RULES)
        with open(self.path("passwords"), "w", encoding="utf-8") as file:
            file.write("boat-7:secret\nhomeassistant:secret\n")
        subprocess.run(["mosquitto_passwd", "-U", self.path("passwords")], check=True)
        with open(self.path("password"), "w", encoding="utf-8") as file:
            os.chmod(file.name, 0o600)
            file.write("secret\n")
        self.broker = Broker(
            self.folder,
            f"allow_anonymous false\npassword_file {self.path('passwords')}\nacl_file {self.path('acl')}")
        self.gpsd_port = free_port()
        self.gateway = Gateway(programs, self.configuration())
        pages = [text for kind, text in blocks(os.path.join(documentation, "home-assistant.md")) if kind == "text"]
        expect(len(pages) == 2, "the page has other automations")
        pages += [text for kind, text in blocks(os.path.join(documentation, "http.md")) if kind == "text"]
        expect(len(pages) == 3, "the page about web servers has another automation")
        automations = "".join(
            f"- id: '{number}'\n{textwrap.indent(text, '  ')}" for number, text in enumerate(pages))
        self.home = HomeAssistant(roots, version, TRACKER, automations)
        self.home.integrate(
            "mqtt",
            {"broker": "127.0.0.1", "port": self.broker.port, "username": "homeassistant", "password": "secret",
             "other_settings": {"set_client_cert": False, "set_ca_cert": "off"}})
        # The trigger needs MQTT, which was not available when Home Assistant started.
        for action in ("automation.turn_off", "automation.turn_on"):
            self.home.do(action, entity_id=AUTOMATION)

    def path(self, name):
        return os.path.join(self.folder, name)

    def rules(self, text):
        with open(self.path("acl"), "w", encoding="utf-8") as file:
            file.write(text)

    def configuration(self, more="home_assistant = true", version="5", accuracy="full", top=""):
        return textwrap.dedent(f"""\
            gateway = "boat-7"
            {top}
            [gpsd_server]
            apps = ["{APP}"]
            address = "127.0.0.1:{self.gpsd_port}"
            [[app]]
            id = "{APP}"
            uid = {os.getuid()}
            name = "Home Assistant"
            accuracy = "{accuracy}"
            [[mqtt]]
            broker = "mqtt://127.0.0.1:{self.broker.port}"
            app = "{APP}"
            version = "{version}"
            username = "boat-7"
            password_file = "{self.path('password')}"
            """) + more + "\n"

    def restart(self, configuration):
        self.gateway.stop()
        self.gateway.configure(configuration)
        self.gateway.start()
        self.gateway.connected()

    def ask(self):
        """Sends a request until it is accepted. The gateway ignores requests in the first second of a connection."""
        self.home.until(BUTTON, lambda state: state["state"] not in (None, "unavailable"))

        def is_armed():
            self.home.do("button.press", entity_id=BUTTON)
            return APP in self.gateway.status().get("armed", "").split(",")

        until("the request", is_armed, pause=1)

    def share(self):
        """Sends a request and presses. Returns the state in Home Assistant."""
        before = self.home.state(LAST)["state"]
        self.ask()
        self.gateway.press(APP)
        self.home.until(LAST, lambda state: state["state"] not in (before, "unknown", "unavailable"))
        return self.home.state(TRACKER)

    def triggered(self):
        return self.home.state(AUTOMATION)["attributes"].get("last_triggered")

    # Checks, in this order

    def finds_the_device(self):
        """The check uses the ACL of the documentation."""
        until("the device", lambda: (ENTITIES | {SATELLITES}).issubset(self.home.states()), 90)
        self.home.until_is(f"binary_sensor.{PREFIX}kill_switch", "off")
        self.home.until_is(f"sensor.{PREFIX}receiver", "present")
        expect("mqtt-1-undelivered" not in self.gateway.status(), "the description was delivered")

    def shows_a_share(self):
        tracker = self.share()
        expect(abs(tracker["attributes"]["latitude"] - 47.37) < 0.1, f"{tracker}")
        expect(tracker["state"] == "home", f"{tracker}")
        expect(self.home.state(f"event.{PREFIX}press")["attributes"]["authorized"] is True, "the press")
        expect(int(self.home.state(SATELLITES)["state"]) > 3, "satellites")

    def runs_the_automation_for_shares_alone(self):
        self.share()
        first = until("the automation to run", self.triggered)
        self.share()
        second = until("the automation to run again at home", lambda: self.triggered() != first and self.triggered())
        self.gateway.stop(signal.SIGKILL)
        self.home.until_is(BUTTON, "unavailable")
        tracker = self.home.state(TRACKER)
        expect(
            tracker["state"] == "home" and tracker["attributes"].get("latitude"),
            f"the position left the map: {tracker}")
        self.gateway.start()
        self.gateway.connected()
        self.home.until(BUTTON, lambda state: state["state"] != "unavailable")
        expect(self.triggered() == second, "the automation ran for a restart of the gateway")
        self.broker.stop()
        self.broker.start()
        self.gateway.connected()
        self.home.until(TRACKER, lambda state: state["state"] == "home")
        expect(self.triggered() == second, "the automation ran for a restart of the broker")

    def shows_failed_requests(self):
        failed = f"event.{PREFIX}failed_request"
        self.restart(self.configuration(top="arm_timeout_s = 8"))
        self.ask()
        self.home.do("button.press", entity_id=BUTTON)
        self.home.until(failed, lambda state: state["attributes"].get("event_type") == "already-armed")
        self.home.until(failed, lambda state: state["attributes"].get("event_type") == "no-press")
        self.restart(self.configuration())

    def shows_the_kill_switch(self):
        self.gateway.owner("LOCK")
        self.home.until_is(f"binary_sensor.{PREFIX}kill_switch", "on")
        self.gateway.onefix("hold")
        self.home.until_is(f"binary_sensor.{PREFIX}kill_switch", "off")

    def removes_satellites(self):
        """Also if the accuracy changed while Home Assistant was stopped."""
        self.gateway.owner(f"SET {APP} accuracy reduced")
        until("satellites to go", lambda: SATELLITES not in self.home.states())
        self.gateway.owner(f"SET {APP} accuracy full")
        until("satellites to be back", lambda: SATELLITES in self.home.states())
        self.home.stop()
        self.gateway.owner(f"SET {APP} accuracy reduced")
        self.home.start()
        self.home.until(TRACKER, lambda state: state["state"] is not None)
        until("satellites to go", lambda: SATELLITES not in self.home.states())

    def tells_the_true_time_beside_the_quarter_hour(self):
        tracker = self.share()
        expect(tracker["attributes"]["gps_accuracy"] >= 2750, f"{tracker}")
        quarter = self.home.state(f"sensor.{PREFIX}time_of_the_last_fix")["state"]
        expect(quarter[14:16] in ("00", "15", "30", "45") and quarter[17:19] == "00", quarter)
        expect(self.home.state(f"sensor.{PREFIX}last_disclosure")["state"] > quarter, "the true time")
        # As the page states, Home Assistant adds the radius to the zone.
        expect(tracker["state"] == "home", f"{tracker}")
        self.gateway.owner(f"SET {APP} accuracy full")

    def shows_the_name_of_a_place(self):
        """The name is the state of the tracker until the app receives positions again."""
        # An earlier check restarts the broker, and Home Assistant may report that.
        earlier = len(self.home.errors)
        self.share()
        self.gateway.owner("PLACE ADD harbour 300")
        self.gateway.owner(f"PLACE ALLOW {APP} harbour")
        self.gateway.owner(f"SET {APP} accuracy place")
        self.share()
        self.home.until_is(TRACKER, "harbour")
        quarter = self.home.state(f"sensor.{PREFIX}time_of_the_last_fix")["state"]
        expect(quarter[14:16] in ("00", "15", "30", "45") and quarter[17:19] == "00", quarter)
        self.gateway.owner(f"PLACE DENY {APP}")
        self.share()
        self.home.until_is(TRACKER, "not_home")
        self.gateway.owner(f"SET {APP} accuracy full")
        self.share()
        self.home.until_is(TRACKER, "home")
        # The documented automation needs a position.
        errors = [line for line in self.home.errors[earlier:] if "components.mqtt" in line]
        expect(not errors, f"{errors}")

    def tell(self, name):
        """Publishes the name of a place as the gateway does, but without its limit of one name in a quarter hour."""
        words = ["mosquitto_pub", "-h", "127.0.0.1", "-p", str(self.broker.port), "-u", "boat-7", "-P", "secret", "-q", "1"]
        fix = {"time": "2026-11-21T07:30:00.000Z", "place": name, "accuracy": "place"}
        for topic, payload in (("fix", json.dumps(fix)), ("place", name)):
            subprocess.run([*words, "-t", f"onefix/boat-7/{APP}/{topic}", "-m", payload], check=True)

    def counts_a_place_in_its_zone(self):
        """A place is the zone of the same name. `away` and a name without a zone are in no zone."""
        earlier = len(self.home.errors)
        for name, state, zone in (
                ("home", "home", "zone.home"), ("harbour", "harbour", "zone.harbour"), ("quay.2", "quay.2", None),
                ("home", "home", "zone.home"), ("away", "not_home", None)):
            self.tell(name)
            self.home.until_is(TRACKER, state)
            self.home.until_is(PLACE, name)
            self.home.until_is("person.sailor", state)
            expect(self.home.state(TRACKER)["attributes"]["in_zones"] == [zone] * (zone is not None), f"{name}")
            for other in ("zone.home", "zone.harbour"):
                self.home.until_is(other, "1" if other == zone else "0")
        self.share()
        self.home.until_is(TRACKER, "home")
        self.home.until_is(PLACE, "unknown")
        self.home.until_is("zone.home", "1")
        errors = [line for line in self.home.errors[earlier:] if "components.mqtt" in line]
        expect(not errors, f"{errors}")

    def causes_no_deprecation(self):
        """Neither the log nor the repairs of Home Assistant have a warning about the description."""
        found = [line for line in self.home.said.splitlines() if "deprecat" in line and "mqtt" in line.lower()]
        expect(not found, f"{found}")

    def loses_nothing_to_a_restart_of_the_broker(self):
        for version in ("3.1.1", "5"):
            self.restart(self.configuration(version=version))
            for _ in range(3):
                before = self.home.state(LAST)["state"]
                self.ask()
                self.broker.stop()
                self.gateway.press(APP)
                self.broker.start()
                # Earlier than it would be without the sign of Home Assistant.
                self.home.until(
                    LAST, lambda state, old=before: state["state"] not in (old, "unknown", "unavailable"), limit=110)

    def goes_and_comes_without_a_restart(self):
        self.gateway.configure(self.configuration("home_assistant = false"))
        expect(self.gateway.owner("RELOAD") == "+OK", "a restart is needed")
        until("the device to go", lambda: not ENTITIES.intersection(self.home.states()))
        self.gateway.configure(self.configuration())
        expect(self.gateway.owner("RELOAD") == "+OK", "a restart is needed")
        until("the device", lambda: ENTITIES.issubset(self.home.states()), 90)

    def names_the_line_of_the_acl_that_is_missing(self):
        for version in ("3.1.1", "5"):
            self.rules("".join(line for line in self.acl.splitlines(True) if "homeassistant/device" not in line))
            self.broker.process.process.send_signal(signal.SIGHUP)
            self.restart(self.configuration(version=version))
            until("the description to be missed", lambda: self.gateway.status().get("mqtt-1-undelivered") == CONFIG)
            doctor = self.gateway.onefix("doctor").stdout
            expect(f"topic readwrite {CONFIG}" in doctor, doctor)
        self.rules(self.acl + OWNTRACKS_RULES)
        self.broker.process.process.send_signal(signal.SIGHUP)

    def asks_as_a_client_of_gpsd(self):
        """The gpsd integration of Home Assistant sends one watch command and then waits."""
        entry = self.home.integrate("gpsd", {"host": "127.0.0.1", "port": self.gpsd_port})
        self.gateway.armed(APP)
        self.gateway.press(APP)
        self.gateway.owner(f"SET {APP} status always")
        self.home.call("POST", f"/api/config/config_entries/entry/{entry}/reload")
        until("a stream", lambda: any(state["state"] == "3d_fix" for state in self.home.states().values()), 120)
        self.home.call("DELETE", f"/api/config/config_entries/entry/{entry}")
        self.gateway.owner(f"SET {APP} status notDetermined")

    def stay(self, latitude):
        """Returns the receiver's log of ten minutes in one position."""
        def sentence(text):
            checksum = 0
            for byte in text.encode():
                checksum ^= byte
            return f"${text}*{checksum:02X}\r\n"

        with open(self.path(f"{latitude}.nmea"), "w", encoding="ascii", newline="") as file:
            for second in range(600):
                time, position = f"07{second // 60:02d}{second % 60:02d}.00", f"{latitude},N,00832.50000,E"
                file.write(sentence(f"GPRMC,{time},A,{position},0.0,0.0,211126,,,A"))
                file.write(sentence(f"GPGGA,{time},{position},1,09,0.9,408.2,M,47.3,M,,"))
        return "replay:" + file.name

    def understands_owntracks(self):
        """The OwnTracks integration of Home Assistant: a fix, and a border crossing."""
        entry, _ = self.home.owntracks()
        words = ["-h", "127.0.0.1", "-p", str(self.broker.port), "-u", "homeassistant", "-P", "secret", "-t"]
        heard = Process(["mosquitto_sub", *words, "owntracks/#"], self.path("owntracks"))
        configuration = self.configuration("owntracks = true", top="regions = true")
        self.gateway.receiver = self.stay("4722.60000")
        self.restart(configuration)

        def is_armed():
            subprocess.run(["mosquitto_pub", *words, f"onefix/boat-7/{APP}/request", "-n"], check=True)
            return APP in self.gateway.status().get("armed", "").split(",")

        until("the request", is_armed, pause=1)
        self.gateway.press(APP)
        tracker = self.home.until(
            "device_tracker.boat_7_home_assistant", lambda state: "latitude" in state["attributes"])
        expect(abs(tracker["attributes"]["latitude"] - 47.3767) < 0.001, f"{tracker}")
        self.gateway.owner(f"SET {APP} status always")
        region = "REGION ADD harbour 47.37666667 8.54166667 200 enter,exit :The harbour"
        self.gateway.say("s", f"HELLO 1 app={APP} keepalive=0", region)
        until("the side of the region", lambda: '"state":"inside"' in self.gateway.owner("REGIONS"))
        self.gateway.receiver = self.stay("4723.68000")
        self.restart(configuration)
        until("the transition", lambda: '"_type":"transition"' in heard.said)
        expect('"wtst":' in heard.said and '"lat":null' in heard.said, heard.said)
        heard.stop()
        # When Home Assistant handles this message, it has handled the previous one.
        mark = '{"_type":"location","lat":1,"lon":2,"acc":5,"tst":1,"tid":"ma"}'
        self.home.do("mqtt.publish", topic="owntracks/other/mark", payload=mark)
        self.home.until("device_tracker.other_mark", lambda state: state["state"] is not None)
        expect("KeyError" not in self.home.said, "Home Assistant did not handle the transition")
        self.home.call("DELETE", f"/api/config/config_entries/entry/{entry}")

    def web_server(self, address, layout):
        """Starts the gateway with Home Assistant as the only output, which gets a fix by each press."""
        self.gateway.stop()
        self.gateway.configure(textwrap.dedent(f"""\
            gateway = "boat-7"
            [[app]]
            id = "family"
            [[http]]
            url = "{address}"
            app = "family"
            format = "{layout}"
            """))
        self.gateway.start()
        self.gateway.owner("SET family status whenInUse")
        self.gateway.connected("output-1")

    def settled(self, count):
        """Presses until Home Assistant has another fix of the app family, and the log says so."""
        self.gateway.press("family")
        until("the acknowledgement", lambda: self.gateway.acknowledged("family") == count)

    def gets_a_fix_of_each_press_at_its_owntracks_webhook(self):
        """Also after it was away, and after the gateway was killed in between."""
        self.gateway.receiver = self.stay("4722.60000")
        entry, address = self.home.owntracks()
        self.web_server(address, "owntracks")
        tracker = "device_tracker.boat_7_family"
        self.settled(1)
        state = self.home.until(tracker, lambda state: "latitude" in state["attributes"])
        expect(abs(state["attributes"]["latitude"] - 47.3767) < 0.001, f"{state}")
        self.home.stop()
        self.gateway.press("family")
        until("the fault", lambda: self.gateway.status().get("output-1-fault") == "unreachable")
        expect(self.gateway.status().get("output-1-waiting") == "1", f"{self.gateway.status()}")
        self.gateway.stop(signal.SIGKILL)
        self.gateway.start()
        self.home.start()
        until("the acknowledgement", lambda: self.gateway.acknowledged("family") == 2, 90)
        self.home.until(tracker, lambda state: "latitude" in state["attributes"])
        self.home.call("DELETE", f"/api/config/config_entries/entry/{entry}")

    def runs_an_automation_at_its_webhook(self):
        """The automation of the page about web servers."""
        self.web_server(f"{self.home.base}/api/webhook/a-long-random-text", "json")
        count = self.gateway.acknowledged("family")
        self.settled(count + 1)
        self.home.until("input_text.boat", lambda state: state["state"].startswith("47.37"))
        # Home Assistant answers 200 also at an address that nobody gave out. The page says so.
        self.web_server(f"{self.home.base}/api/webhook/nobody", "json")
        self.settled(count + 2)
        expect("unregistered webhook" in self.home.said, "Home Assistant refused the address")

    def versions(self):
        broker = subprocess.run(["mosquitto", "-h"], capture_output=True, text=True, check=False)
        pip = ["chroot", self.home.root, f"/opt/home-assistant-{self.home.version}/bin/pip", "list", "--format=freeze"]
        packages = subprocess.run(pip, capture_output=True, text=True, check=True).stdout.split()
        yield from (line for line in packages if line.split("==")[0] in ("homeassistant", "paho-mqtt", "gps3"))
        yield broker.stdout.split("\n")[0]

    def checks(self):
        for check in (
                self.finds_the_device, self.shows_a_share, self.runs_the_automation_for_shares_alone,
                self.shows_failed_requests, self.shows_the_kill_switch, self.removes_satellites,
                self.tells_the_true_time_beside_the_quarter_hour, self.shows_the_name_of_a_place, self.counts_a_place_in_its_zone, self.causes_no_deprecation,
                self.loses_nothing_to_a_restart_of_the_broker, self.goes_and_comes_without_a_restart,
                self.names_the_line_of_the_acl_that_is_missing, self.asks_as_a_client_of_gpsd,
                self.understands_owntracks, self.gets_a_fix_of_each_press_at_its_owntracks_webhook,
                self.runs_an_automation_at_its_webhook):
            yield check.__name__, check

    def stop(self):
        self.home.stop()
        self.gateway.stop()
        self.broker.stop()
