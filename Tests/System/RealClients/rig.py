"""A gateway on the simulated board, a broker, and functions to check both."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import time


class Failure(Exception):
    """The failure of a check."""


def until(what, find, limit=60, pause=0.3):
    """Returns the first true value of `find`."""
    end = time.monotonic() + limit
    while True:
        if found := find():
            return found
        if time.monotonic() > end:
            raise Failure(f"waited {limit} s for {what}")
        time.sleep(pause)


def expect(condition, what):
    if not condition:
        raise Failure(what)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Process:
    """A program whose output is written to a file."""

    def __init__(self, words, log, **options):
        self.log = log
        with open(log, "ab") as file:
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *words], stdout=file, stderr=file, stdin=subprocess.DEVNULL,
                **options)

    @property
    def said(self):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return file.read()

    @property
    def is_over(self):
        return self.process.poll() is not None

    def stop(self, how=signal.SIGTERM):
        if not self.is_over:
            self.process.send_signal(how)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Broker:
    """mosquitto of this machine or of a root."""

    def __init__(self, folder, more="allow_anonymous true", port=None):
        self.port = port or free_port()
        self.folder = folder
        self.configuration = os.path.join(folder, f"mosquitto-{self.port}.conf")
        with open(self.configuration, "w", encoding="utf-8") as file:
            file.write(f"listener {self.port} 127.0.0.1\nuser root\n{more}\n")
        self.start()

    def start(self):
        self.process = Process(["mosquitto", "-c", self.configuration], os.path.join(self.folder, "mosquitto.log"))

        def is_there():
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return True

        until("mosquitto", is_there, pause=0.1)

    def stop(self):
        self.process.stop()


class Gateway:
    """onefixd on the simulated board, and its owner."""

    def __init__(self, programs, configuration):
        self.programs = programs
        self.receiver = "simulated"
        self.folder = tempfile.mkdtemp(prefix="onefix-clients-")
        self.configure(configuration)
        self.start()

    def path(self, name):
        return os.path.join(self.folder, name)

    def configure(self, configuration):
        with open(self.path("onefix.toml"), "w", encoding="utf-8") as file:
            file.write(configuration)

    def start(self):
        count = self.said.count("READY ")
        self.process = Process(
            [os.path.join(self.programs, "onefixd"), "--config", self.path("onefix.toml"), "--socket", self.path("s"),
             "--state", self.path("state"), "--receiver", self.receiver, "--no-panel", "--allow-simulated-press",
             "--log-level", "info"],
            self.path("log"))
        until("the daemon", lambda: self.said.count("READY ") > count or self.process.is_over, pause=0.1)
        expect(not self.process.is_over, f"the daemon ended: {self.said[-2000:]}")

    @property
    def said(self):
        with contextlib.suppress(FileNotFoundError), open(self.path("log"), encoding="utf-8") as file:
            return file.read()
        return ""

    def onefix(self, *words):
        return subprocess.run(
            [os.path.join(self.programs, "onefix"), *words], env={**os.environ, "ONEFIX_SOCKET": self.path("s")},
            capture_output=True, text=True, timeout=60, check=False)

    def say(self, name, hello, *lines):
        """Sends lines to a socket. Returns the reply to the last one, and the lines before it."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(20)
            connection.connect(self.path(name))
            with connection.makefile("rw", encoding="utf-8", newline="\n") as file:
                for line in (hello, *lines):
                    file.write(line + "\n")
                    file.flush()
                    heard = []
                    while not heard or not heard[-1].startswith(("+OK", "-ERR")):
                        heard.append(file.readline().strip())
                        expect(heard[-1], f"the gateway hung up after {line}")
                    expect(heard[-1].startswith("+OK"), f"{line}: {heard[-1]}")
        return "\n".join(heard)

    def owner(self, line):
        """Sends a line as an owner and returns the reply."""
        return self.say("owner.sock", "HELLO 1", line)

    def status(self):
        return json.loads(self.onefix("status", "--json").stdout)

    def log(self):
        return [json.loads(line) for line in self.onefix("log", "--json").stdout.splitlines()]

    def served(self, app):
        """Returns the number of fixes that an app received."""
        return sum(entry["event"] == "disclosure" and entry["app"] == app for entry in self.log())

    def acknowledged(self, app):
        """Returns the number of fixes of an app that an output acknowledged."""
        log = self.log()
        fixes = {entry["entry"] for entry in log if entry["event"] == "disclosure" and entry["app"] == app}
        return sum(entry.get("outcome") == "acknowledged" and entry["of"] in fixes for entry in log)

    def armed(self, app, limit=60):
        until(f"{app} to be armed", lambda: app in self.status().get("armed", "").split(","), limit)

    def press(self, app):
        """Presses until the app has received another fix."""
        count = self.served(app)

        def is_served():
            self.onefix("press")
            return self.served(app) > count

        until(f"{app} to be served", is_served, pause=1)

    def connected(self, output="mqtt-1"):
        until(output, lambda: self.status().get(f"{output}-state") == "connected")

    def stop(self, how=signal.SIGTERM):
        self.process.stop(how)


def blocks(page):
    """Returns the code blocks of a page of the documentation, each with its kind and its text."""
    with open(page, encoding="utf-8") as file:
        return re.findall(r"^```(\w+)\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
