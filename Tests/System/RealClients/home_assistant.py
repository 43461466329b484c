"""Home Assistant in the root, and its REST interface."""

import contextlib
import json
import os
import re
import urllib.error
import urllib.parse
import urllib.request

from rig import Failure, Process, expect, free_port, until

USER, PASSWORD = "tester", "a password of a test"


class HomeAssistant:
    """An installation whose configuration survives restarts."""

    def __init__(self, roots, version, tracker, automations=""):
        self.version = version
        installed = f"opt/home-assistant-{version}/made"
        self.root = next(root for root in (os.path.join(roots, name) for name in os.listdir(roots))
                         if os.path.exists(os.path.join(root, installed)))
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.folder = f"/var/tmp/home-assistant-{self.port}"
        os.makedirs(self.path(""))
        self.write("configuration.yaml", f"""\
homeassistant:
  name: Boat
  latitude: 47.3769
  longitude: 8.5417
  elevation: 400
  radius: 3000
  unit_system: metric
  time_zone: UTC
  internal_url: {self.base}
  auth_providers:
    - type: homeassistant
http:
  server_host: 127.0.0.1
  server_port: {self.port}
api:
auth:
config:
websocket_api:
zone:
  - name: Harbour
    latitude: 10
    longitude: 10
    radius: 100
person:
  - id: sailor
    name: Sailor
    device_trackers: {tracker}
device_tracker:
persistent_notification:
script:
input_text:
  boat:
automation: !include automations.yaml
logger:
  default: info
""")
        self.write("automations.yaml", automations)
        added = Process(self.words("--script", "auth", "-c", self.folder, "add", USER, PASSWORD), self.path("auth.log"))
        added.process.wait(120)
        self.process = None
        self.start()

    def path(self, name):
        return os.path.join(self.root + self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def words(self, *more):
        return ["chroot", self.root, "/usr/bin/env", "-i", "PATH=/usr/sbin:/usr/bin", "LC_ALL=C.UTF-8", "HOME=/root",
                f"/opt/home-assistant-{self.version}/bin/hass", *more]

    def start(self):
        self.token = None
        self.process = Process(self.words("--skip-pip", "-c", self.folder), self.path("log"))

        def is_running():
            if self.process.is_over:
                raise Failure(f"Home Assistant ended: {self.said[-3000:]}")
            with contextlib.suppress(OSError, KeyError, ValueError, Failure):
                self.login()
                return self.get("/api/config")["state"] == "RUNNING"

        until("Home Assistant", is_running, limit=300, pause=1)

    def stop(self):
        self.process.stop()

    @property
    def said(self):
        with open(self.path("log"), encoding="utf-8", errors="replace") as file:
            return file.read()

    # Calls

    def call(self, method, path, body=None, is_form=False):
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        data = None
        if body is not None:
            data = (urllib.parse.urlencode(body) if is_form else json.dumps(body)).encode()
            headers["Content-Type"] = "application/x-www-form-urlencoded" if is_form else "application/json"
        request = urllib.request.Request(self.base + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as reply:
                return json.loads(reply.read() or "null")
        except urllib.error.HTTPError as error:
            raise Failure(f"{method} {path}: {error.code} {error.read().decode()[:500]}") from error

    def get(self, path):
        return self.call("GET", path)

    def login(self):
        client = self.base + "/"
        flow = self.call(
            "POST", "/auth/login_flow",
            {"client_id": client, "handler": ["homeassistant", None], "redirect_uri": client})
        done = self.call(
            "POST", f"/auth/login_flow/{flow['flow_id']}",
            {"username": USER, "password": PASSWORD, "client_id": client})
        self.token = self.call(
            "POST", "/auth/token", {"grant_type": "authorization_code", "code": done["result"], "client_id": client},
            is_form=True)["access_token"]

    def integrate(self, handler, answers):
        """Sets up an integration as a user does. Returns the id of its entry."""
        return self.set_up(handler, answers)["result"]["entry_id"]

    def owntracks(self):
        """Sets up OwnTracks. Returns the id of its entry, and the address that Home Assistant shows for its clients."""
        flow = self.set_up("owntracks", {})
        return flow["result"]["entry_id"], flow["description_placeholders"]["webhook_url"]

    def set_up(self, handler, answers):
        """Sets up an integration. Returns the last answer. A version may ask for fewer answers."""
        flow = self.call(
            "POST", "/api/config/config_entries/flow", {"handler": handler, "show_advanced_options": False})
        if flow["type"] == "form":
            fields = {field["name"] for field in flow["data_schema"] or ()}
            meant = {name: answer for name, answer in answers.items() if name in fields}
            flow = self.call("POST", f"/api/config/config_entries/flow/{flow['flow_id']}", meant)
        expect(flow["type"] == "create_entry", f"{handler} cannot be set up: {flow}")
        return flow

    def do(self, action, **data):
        domain, service = action.split(".")
        self.call("POST", f"/api/services/{domain}/{service}", data)

    # States

    def states(self):
        return {state["entity_id"]: state for state in self.get("/api/states")}

    def state(self, entity):
        return self.states().get(entity, {"state": None, "attributes": {}})

    def until(self, entity, is_meant, limit=90):
        def found():
            state = self.state(entity)
            return state if is_meant(state) else None

        try:
            return until(entity, found, limit, pause=0.5)
        except Failure as failure:
            raise Failure(f"{failure}; it is {self.state(entity)}") from failure

    def until_is(self, entity, value):
        return self.until(entity, lambda state: state["state"] == value)

    @property
    def errors(self):
        """Returns the errors of the integrations that the gateway uses."""
        pattern = r"^.*(?:ERROR|WARNING) .*\[homeassistant\.components\.(?:mqtt|owntracks|gpsd|automation)[^]]*\].*$"
        return re.findall(pattern, self.said, re.MULTILINE)
