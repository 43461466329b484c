"""Unmodified clients of gpsd, each with its own user: a press gives each of them one fix."""

import contextlib
import os
import pty
import subprocess
import tempfile
import textwrap

from rig import Failure, Gateway, Process, expect, until

ADDRESS = ("127.0.0.1", 2947)

GPS3 = """
    from gps3 import gps3
    import time
    socket, stream = gps3.GPSDSocket(), gps3.DataStream()
    socket.connect()
    socket.watch()
    for new in socket:
        if not new:
            time.sleep(0.05)
            continue
        stream.unpack(new)
        print("POSITION" if stream.TPV["lat"] != "n/a" else "none", stream.TPV["lat"], flush=True)
"""
GPSD_PY3 = """
    import gpsd, time
    gpsd.connect()
    while True:
        packet = gpsd.get_current()
        print("POSITION" if packet.mode >= 2 else "none", packet.lat, flush=True)
        time.sleep(0.3)
"""
GPSDCLIENT = """
    from gpsdclient import GPSDClient
    with GPSDClient() as client:
        for result in client.dict_stream(filter=["TPV"]):
            print("POSITION" if "lat" in result else "none", flush=True)
"""
PYTHON_GPS = """
    import gps
    session = gps.gps(mode=gps.WATCH_ENABLE)
    for report in session:
        if report["class"] == "TPV":
            print("POSITION" if report.mode > 1 else "none", flush=True)
"""


class Clients:
    """Each client is the app of its user, which the kernel reports."""

    NAMES = ("gps3", "gpsd-py3", "gpsdclient", "python-gps", "gpspipe", "cgps", "chained", "foxtrotgps")

    def __init__(self, programs, root):
        self.root = root
        self.folder = tempfile.mkdtemp(prefix="onefix-clients-")
        os.chmod(self.folder, 0o755)
        self.users = {name: 6000 + index for index, name in enumerate(self.NAMES)}
        apps = "".join(f'[[app]]\nid = "{name}"\nuid = {uid}\n' for name, uid in self.users.items())
        self.gateway = Gateway(
            programs, f'[gpsd_server]\napps = [{", ".join(repr(name) for name in self.NAMES)}]\n{apps}')

    def inside(self, name, *words):
        uid = self.users[name]
        return ["chroot", f"--userspec={uid}:{uid}", self.root, "/usr/bin/env", "-i", "PATH=/usr/sbin:/usr/bin",
                "TERM=xterm", "LC_ALL=C.UTF-8", "HOME=/tmp", *words]

    def python(self, name, program, python="/opt/clients/bin/python3"):
        return self.inside(name, python, "-c", textwrap.dedent(program))

    @contextlib.contextmanager
    def running(self, name, words, **options):
        process = Process(words, os.path.join(self.folder, name), **options)
        try:
            yield process
        finally:
            process.stop()

    def serves(self, name, words, sees, **options):
        """The client shows no fix, then the fix of a press."""
        with self.running(name, words, **options) as client:
            self.gateway.armed(name)
            expect(not sees(client.said), f"{name} sees a position before the press")
            self.gateway.press(name)
            until(f"{name} to show a position", lambda: sees(client.said) or client.is_over)
            expect(sees(client.said), f"{name} ended: {client.said[-2000:]}")

    @staticmethod
    def has_position(said):
        return "POSITION" in said

    def gps3(self):
        self.serves("gps3", self.python("gps3", GPS3), self.has_position)

    def gpsd_py3(self):
        self.serves("gpsd-py3", self.python("gpsd-py3", GPSD_PY3), self.has_position)

    def gpsdclient(self):
        self.serves("gpsdclient", self.python("gpsdclient", GPSDCLIENT), self.has_position)

    def python_gps(self):
        self.serves("python-gps", self.python("python-gps", PYTHON_GPS, "/usr/bin/python3"), self.has_position)

    def gpspipe(self):
        self.serves("gpspipe", self.inside("gpspipe", "gpspipe", "-w"), lambda said: '"lat"' in said)

    def cgps(self):
        words = self.inside("cgps", "cgps")
        shell = "stty rows 60 cols 160; exec " + " ".join(words)
        self.serves("cgps", ["script", "-qfec", shell, "/dev/null"], lambda said: "47.3" in said)

    def chained(self):
        port = "12947"
        gpsd = self.inside("chained", "gpsd", "-N", "-n", "-S", port, "gpsd://127.0.0.1:2947")
        with self.running("chained-gpsd", gpsd):
            self.serves(
                "chained", self.inside("chained", "sh", "-c", f"sleep 1; exec gpspipe -w 127.0.0.1:{port}"),
                lambda said: '"lat"' in said)

    def foxtrotgps(self):
        """Debian 13 does not have foxtrotgps, so the one of this machine runs. It shows only its window, so the check
        is that it watches, accepts the fix and continues."""
        uid = self.users["foxtrotgps"]
        home = os.path.join(self.folder, "home")
        os.makedirs(home, exist_ok=True)
        os.chown(home, uid, uid)
        words = ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "env", f"HOME={home}",
                 "GSETTINGS_BACKEND=memory", "xvfb-run", "-a", "foxtrotgps"]
        with self.running("foxtrotgps", words) as client:
            self.gateway.armed("foxtrotgps")
            self.gateway.press("foxtrotgps")
            expect(not client.is_over, f"foxtrotgps ended: {client.said[-2000:]}")

    def versions(self):
        def first(*words):
            said = subprocess.run(words, capture_output=True, text=True, check=False)
            return (said.stdout + said.stderr).strip().split("\n")[0]

        pip = subprocess.run(
            ["chroot", self.root, "/opt/clients/bin/pip", "list", "--format=freeze"], capture_output=True, text=True,
            check=True).stdout.split()
        yield from sorted(line for line in pip if line.startswith("gps"))
        yield first("chroot", self.root, "gpspipe", "-V")
        yield first("chroot", self.root, "gpsd", "-V")
        yield first("dpkg-query", "-W", "-f", "foxtrotgps ${Version}", "foxtrotgps")

    def checks(self):
        for name in ("gps3", "gpsd_py3", "gpsdclient", "python_gps", "gpspipe", "cgps", "chained", "foxtrotgps"):
            yield name, getattr(self, name)

    def stop(self):
        self.gateway.stop()
