"""Creates pictures of the owners' page: a gateway with thirty apps, a question, an app that waits, and a log.

    pictures.py PROGRAMS FOLDER
"""

import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time

programs, folder = map(pathlib.Path, sys.argv[1:])
folder.mkdir(parents=True, exist_ok=True)
root = pathlib.Path(__file__).resolve().parents[3]
APPS = ["park-finder", "fuel-finder", "logbook", "anchor-watch", "weather"] + [f"app-{number:02}" for number in range(25)]


def eventually(what, found):
    end = time.monotonic() + 60
    while not (result := found()):
        if time.monotonic() > end:
            raise SystemExit(f"pictures: within 60 s there was no {what}")
        time.sleep(0.05)
    return result


class Gateway:
    def __init__(self, work):
        self.socket = f"{work}/s"
        configuration = 'gateway = "boat-7"\n' + "".join(f'[[app]]\nid = "{app}"\nuid = {os.getuid()}\n' for app in APPS)
        pathlib.Path(f"{work}/onefix.toml").write_text(configuration + "[page]\nport = 0\n")
        words = ["--socket", self.socket, "--state", f"{work}/state", "--no-panel", "--allow-simulated-press",
                 "--config", f"{work}/onefix.toml", "--boards", root / "Boards"]
        self.log = open(f"{work}/log", "w+")
        self.daemon = subprocess.Popen([programs / "onefixd", *words], stderr=self.log)
        eventually("ready gateway", lambda: "READY " in pathlib.Path(f"{work}/log").read_text())

    def begin(self, *words):
        environment = {**os.environ, "ONEFIX_SOCKET": self.socket}
        return subprocess.Popen([programs / "onefix", *words], env=environment, stdout=subprocess.PIPE, text=True)

    def run(self, *words):
        return self.begin(*words).communicate()[0]

    def is_next(self, app):
        return any(json.loads(line).get("next") for line in self.run("apps", "--json").splitlines() if f'"{app}"' in line)

    def give(self, app, purpose):
        """Gives one fix to an app by presses, as a user does."""
        request = self.begin("request", "--app", app, "--purpose", purpose, "--timeout", "60")
        while request.poll() is None:
            # A press serves an app or answers a question only after a second.
            time.sleep(1.1)
            self.run("press")

    def ask(self, app, command):
        """Sends a command of an app, and keeps its connection."""
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(self.socket)
        connection.sendall(f"HELLO 1 app={app}\n{command}\n".encode())
        return connection


class Browser:
    def __init__(self):
        self.process = subprocess.Popen(
            ["/usr/bin/python3", "-B", root / "Tests/EndToEnd/Page/browser.py"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, env={**os.environ, "TZ": "Europe/Berlin"})  # fmt: skip
        self.answer()

    def answer(self):
        line = json.loads(self.process.stdout.readline())
        if "failed" in line:
            raise SystemExit(f"pictures: {line['failed']}")
        return line["is"]

    def __call__(self, **order):
        print(json.dumps(order), file=self.process.stdin, flush=True)
        return self.answer()

    def wait(self, what, script):
        eventually(what, lambda: self(run=f"return !!({script})"))


def pictures(gateway, browser, name, languages):
    for language in languages:
        browser(language=language)
        browser(open="about:blank")
        browser(open=re.search(r"http\S+", gateway.run("page"))[0])
        browser.wait("log", "document.querySelectorAll('#log > tr').length > 2")
        browser.wait("time to read", "!document.querySelector('.question [aria-disabled]')")
        browser(run="document.getElementById('show-report').click()")
        browser.wait("report", "document.querySelector('#report table')")
        for width in 1280, 390:
            browser(width=width)
            for scheme in "light", "dark":
                browser(scheme=scheme)
                browser(shot=f"{folder}/page-{name}-{language}-{width}-{scheme}.png")


with tempfile.TemporaryDirectory(prefix="onefix-") as work:
    gateway = Gateway(work)
    try:
        browser = Browser()
        gateway.run("allow", "logbook", "always")
        gateway.run("allow", "anchor-watch", "while-using")
        gateway.run("accuracy", "anchor-watch", "reduced")
        gateway.run("deny", "app-07")
        for app, purpose in ("park-finder", "Find parks near me"), ("fuel-finder", "The cheapest diesel"):
            gateway.give(app, purpose)
        asks = [gateway.ask("logbook", "START updates interval=1000"),
                gateway.ask("weather", "AUTHORIZE when-in-use purpose=Wind and waves on the way"),
                gateway.ask("park-finder", "REQ once purpose=Find parks near me")]
        eventually("waiting app", lambda: gateway.is_next("park-finder"))
        pictures(gateway, browser, "open", ["en", "de", "ja"])
        gateway.run("lock")
        pictures(gateway, browser, "locked", ["en"])
        browser.process.stdin.close()
    finally:
        gateway.daemon.terminate()
        gateway.daemon.wait()
print(folder)
