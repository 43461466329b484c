"""GeoClue with its demo client and Firefox, and OpenCPN: unmodified programs of a desktop."""

import contextlib
import glob
import http.server
import os
import shutil
import subprocess
import tempfile
import threading
import urllib.parse

from rig import Gateway, Process, blocks, expect, until

# The users that `prepare` creates.
FIRST, SECOND = "first", "second"


class Desktop:
    """Programs in the Debian 13, each with its own user."""

    def __init__(self, root):
        self.root = root
        self.folder = tempfile.mkdtemp(prefix="onefix-clients-")
        os.chmod(os.path.join(root, "var/tmp"), 0o1777)
        os.chmod(os.path.join(root, "tmp"), 0o1777)
        self.processes = []

    def inside(self, user, *words, **variables):
        home = f"/var/tmp/{user}"
        if not os.path.exists(self.root + home):
            os.mkdir(self.root + home)
            shutil.chown(self.root + home, *self.ids(user))
        return ["chroot", f"--userspec={user}:{user}", self.root, "/usr/bin/env", "-i", "PATH=/usr/sbin:/usr/bin",
                "LC_ALL=C.UTF-8", f"HOME={home}", *(f"{name}={value}" for name, value in variables.items()), *words]

    def ids(self, user):
        """Returns the number of a user of the root, and the number of its group."""
        with open(os.path.join(self.root, "etc/passwd"), encoding="utf-8") as file:
            fields = next(line.split(":") for line in file if line.startswith(user + ":"))
        return int(fields[2]), int(fields[3])

    def begin(self, name, words):
        process = Process(words, os.path.join(self.folder, name))
        self.processes.append(process)
        return process

    @contextlib.contextmanager
    def running(self, name, words):
        process = Process(words, os.path.join(self.folder, name))
        try:
            yield process
        finally:
            process.stop()

    def version(self, package):
        return subprocess.run(
            ["chroot", self.root, "dpkg-query", "-W", "-f", "${Package} ${Version}", package], capture_output=True,
            text=True, check=True).stdout

    def stop(self):
        for process in reversed(self.processes):
            process.stop()


class Page:
    """A web page that asks for the location, and its reports."""

    TEXT = """<!doctype html><title>Where am I?</title><script>
        const report = text => fetch("/report?" + encodeURIComponent(text))
        navigator.geolocation.getCurrentPosition(
          p => report(`POSITION ${p.coords.latitude} ${p.coords.longitude} ${p.coords.accuracy}`),
          e => report(`ERROR ${e.code} ${e.message}`),
          {enableHighAccuracy: location.search != "?low", maximumAge: 0})
        setTimeout(() => report("8 s later"), 8000)</script>"""

    def __init__(self):
        self.reports = []
        page = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):  # pylint: disable=invalid-name
                kind, _, text = self.path.partition("?")
                if kind == "/report":
                    page.reports.append(urllib.parse.unquote(text))
                body = Page.TEXT.encode() if kind == "/" else b""
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):  # pylint: disable=arguments-differ
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server.server_port}/"

    @property
    def positions(self):
        return [report for report in self.reports if report.startswith("POSITION ")]

    def stop(self):
        self.server.shutdown()


class GeoClue(Desktop):
    """GeoClue on a system bus, with the configuration of its page of the documentation."""

    WHERE_AM_I = "/usr/libexec/geoclue-2.0/demos/where-am-i"
    AGENT = "/usr/libexec/geoclue-2.0/demos/agent"

    def __init__(self, programs, root, documentation):
        super().__init__(root)
        page = blocks(os.path.join(documentation, "geoclue.md"))
        [gateway] = [text for kind, text in page if kind == "toml"]
        [service] = [text for kind, text in page if kind == "conf"]
        [self.preferences] = [text for kind, text in page if kind == "text"]
        self.share_users()
        os.makedirs(os.path.join(root, "run/dbus"), exist_ok=True)
        with open(os.path.join(root, "etc/geoclue/conf.d/90-onefix.conf"), "w", encoding="utf-8") as file:
            # On a desktop, the agent asks the user about this program, too.
            file.write(service + "\n[geoclue-where-am-i]\nallowed=true\nsystem=false\nusers=\n")
        self.gateway = Gateway(programs, gateway.replace('"/run/', f'"{root}/run/'))
        self.bus = self.begin("bus", ["chroot", root, "dbus-daemon", "--system", "--nofork", "--nopidfile"])
        until("the bus", lambda: os.path.exists(os.path.join(root, "run/dbus/system_bus_socket")), pause=0.1)
        # GeoClue accepts an application only while an agent of its user runs.
        for user in (FIRST, SECOND):
            self.begin(f"agent-{user}", self.inside(user, self.AGENT))

    def share_users(self):
        """Adds the user of GeoClue to the users of this machine, in the mount namespace of the run."""
        passwd = os.path.join(self.folder, "passwd")
        with open("/etc/passwd", encoding="utf-8") as file:
            users = [line for line in file if not line.startswith("geoclue:")]
        uid, gid = self.ids("geoclue")
        with open(passwd, "w", encoding="utf-8") as file:
            file.write("".join(users) + f"geoclue:x:{uid}:{gid}::/var/lib/geoclue:/usr/sbin/nologin\n")
        subprocess.run(["mount", "--bind", passwd, "/etc/passwd"], check=True)

    def application(self, user):
        return self.running(f"where-am-i-{user}", self.inside(user, self.WHERE_AM_I, "-t", "300"))

    def unused(self):
        until("GeoClue to disconnect", lambda: "nmea" not in self.gateway.status().get("watchers", ""))

    def accuracy(self):
        """GeoClue has reduced accuracy by default, and the log shows it."""
        self.unused()
        with self.application(FIRST):
            self.gateway.armed("geoclue")
            self.gateway.press("geoclue")
        entries = self.gateway.onefix("log", "--json").stdout.splitlines()
        served = [entry for entry in entries if '"event":"disclosure"' in entry and '"app":"geoclue"' in entry]
        expect(served and all('"accuracy":"reduced"' in entry for entry in served), f"the log has {served}")

    def demo_client(self):
        """A press gives the demo client one position, and another application the same one until the first one ends."""
        self.unused()
        log = os.path.join(self.folder, f"where-am-i-{FIRST}")
        with contextlib.suppress(FileNotFoundError):
            os.remove(log)
        with self.application(FIRST) as first:
            self.gateway.armed("geoclue")
            expect("Latitude" not in first.said, f"a position before the press: {first.said}")
            self.gateway.press("geoclue")
            until("a position", lambda: "Latitude" in first.said)
            expect("Accuracy:    300.000000" in first.said, first.said)
            count = self.gateway.served("geoclue")
            self.gateway.onefix("press")
            with self.application(SECOND) as second:
                until("the same position", lambda: "Latitude" in second.said)
            positions = [
                [line for line in process.said.splitlines() if "itude:" in line] for process in (first, second)]
            expect(positions[0] == positions[1] and len(positions[0]) == 2, f"the positions are {positions}")
            expect(self.gateway.served("geoclue") == count, "a press served an app that had its fix")

    def after_the_last_application(self):
        """When no application is left, the next one needs a press, although GeoClue still runs."""
        self.unused()
        with self.application(FIRST):
            self.gateway.armed("geoclue")
            self.gateway.press("geoclue")
        self.unused()
        os.remove(os.path.join(self.folder, f"where-am-i-{SECOND}"))
        with self.application(SECOND) as second:
            self.gateway.armed("geoclue")
            expect("Latitude" not in second.said, f"GeoClue gave an old position: {second.said}")
            self.gateway.press("geoclue")
            until("a position", lambda: "Latitude" in second.said)

    def browser(self, page, more=""):
        profile = f"/var/tmp/{FIRST}/profile"
        shutil.rmtree(self.root + profile, ignore_errors=True)
        words = self.inside(
            FIRST, "firefox-esr", "--headless", "--no-remote", "--profile", profile, page.address + more)
        os.mkdir(self.root + profile)
        with open(self.root + profile + "/user.js", "w", encoding="utf-8") as file:
            # The user has allowed the page to request the location.
            file.write(self.preferences + 'user_pref("permissions.default.geo", 1);\n')
        subprocess.run(["chown", "-R", ":".join(map(str, self.ids(FIRST))), self.root + profile], check=True)
        return self.running("firefox", words)

    def firefox(self):
        """A page in Firefox gets one position for a press, even if the user does not press at once."""
        self.firefox_asks("")

    def firefox_without_high_accuracy(self):
        """With the documented preferences, a page that does not ask for high accuracy asks through the button, too."""
        self.firefox_asks("?low")

    def firefox_asks(self, more):
        self.unused()
        page = Page()
        try:
            with self.browser(page, more) as firefox:
                self.gateway.armed("geoclue")
                # Without the documented preferences, Firefox gives up GeoClue after 5 s.
                until("the page to wait for 8 s", lambda: "8 s later" in page.reports or firefox.is_over)
                expect(not page.positions, f"the page got {page.reports} before the press")
                self.gateway.press("geoclue")
                until("the page to get a position", lambda: page.positions or firefox.is_over)
                expect(len(page.positions) == 1 and not any(report.startswith("ERROR") for report in page.reports),
                       f"the page got {page.reports}, and Firefox wrote {firefox.said[-2000:]}")
        finally:
            page.stop()

    def checks(self):
        for name in ("accuracy", "demo_client", "after_the_last_application", "firefox",
                     "firefox_without_high_accuracy"):
            yield name, getattr(self, name)

    def versions(self):
        for package in ("geoclue-2.0", "geoclue-2-demo", "dbus", "firefox-esr"):
            yield self.version(package)

    def stop(self):
        super().stop()
        self.gateway.stop()
        subprocess.run(["umount", "/etc/passwd"], check=True)


class Plotter(Desktop):
    """OpenCPN on a screen of its own, at the port of gpsd and at an address with NMEA sentences."""

    DISPLAY = ":97"
    NMEA = 10110
    # OpenCPN shows its warning about navigation, and waits for an answer, unless the file has this version.
    CONFIGURATION = """ConfigVersionString=Version 5.10.2 Build 2024-09-11
NavMessageShown=1
[Settings]
ConfigVersionString=Version 5.10.2 Build 2024-09-11
NavMessageShown=1
[Settings/NMEADataSource]
DataConnections=1;{protocol};127.0.0.1;{port};0;;4800;1;0;0;;0;;1;0;0;0;1;OneFix;0;;0;0;
[Settings/GlobalState]
OwnShipLatLon=  10.0000,  20.0000
"""

    def __init__(self, programs, root):
        super().__init__(root)
        uid = self.ids(FIRST)[0]
        self.gateway = Gateway(programs, f"""
[[app]]
id = "plotter"
uid = {uid}
[gpsd_server]
apps = ["plotter"]
[[nmea]]
address = "127.0.0.1:{self.NMEA}"
app = "plotter"
""")
        self.begin("screen", self.inside(FIRST, "Xvfb", self.DISPLAY, "-screen", "0", "1024x768x24"))
        until("the screen", lambda: glob.glob(os.path.join(root, f"tmp/.X11-unix/X{self.DISPLAY[1:]}")), pause=0.1)

    def gpsd_port(self):
        self.shows_a_position("gpsd", 2, 2947)

    def nmea_address(self):
        self.shows_a_position("nmea", 0, self.NMEA)

    def shows_a_position(self, transport, protocol, port):
        """OpenCPN connects, and its log has the position of the press."""
        home = os.path.join(self.root, f"var/tmp/{FIRST}/.opencpn")
        shutil.rmtree(home, ignore_errors=True)
        words = self.inside(FIRST, "opencpn", "--no_opengl", DISPLAY=self.DISPLAY)
        os.mkdir(home)
        with open(os.path.join(home, "opencpn.conf"), "w", encoding="utf-8") as file:
            file.write(self.CONFIGURATION.format(protocol=protocol, port=port))
        subprocess.run(["chown", "-R", ":".join(map(str, self.ids(FIRST))), home], check=True)

        def timeouts():
            """Returns the messages that OpenCPN has had no position for 10 s. They contain the last position."""
            with contextlib.suppress(FileNotFoundError), \
                    open(os.path.join(home, "opencpn.log"), encoding="utf-8", errors="replace") as file:
                return [line for line in file if "GPS Watchdog timeout" in line]
            return []

        with self.running("opencpn", words) as opencpn:
            self.gateway.armed("plotter")
            expect(f"{transport}:1" in self.gateway.status()["watchers"], "OpenCPN came over another transport")
            self.gateway.press("plotter")
            until("a position in OpenCPN's log", lambda: any("47.3" in line for line in timeouts()) or opencpn.is_over)
            expect(not opencpn.is_over, f"OpenCPN ended: {opencpn.said[-2000:]}")

    def checks(self):
        for name in ("gpsd_port", "nmea_address"):
            yield name, getattr(self, name)

    def versions(self):
        yield self.version("opencpn")

    def stop(self):
        super().stop()
        self.gateway.stop()
