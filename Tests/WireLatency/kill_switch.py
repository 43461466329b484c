#!/usr/bin/env python3
"""How long the kill switch takes: from the hold, or an owner's LOCK, until the app has read that its updates ended.

usage: kill_switch.py ONEFIXD BOARDS [ROUNDS]

Runs the daemon with a simulated receiver at 10 Hz and an app that is given updates. Each round throws the switch twice:
by a hold of the simulated button, whose time counts from when the button has been down for its hold time, and by LOCK.
What is durable by then, the lock included, is part of the figure. Prints milliseconds as JSON.
"""

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time

HOLD_SECONDS = 1.0


class Line:
    """A connection that speaks the line protocol."""

    def __init__(self, path, hello):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(30)
        self.socket.connect(path)
        self.received = b""
        self.ask(hello)

    def say(self, line):
        self.socket.sendall(line.encode() + b"\n")

    def next(self, *beginnings):
        """The next line that begins so, and when the last of it was read."""
        while True:
            line, end, rest = self.received.partition(b"\n")
            if not end:
                part = self.socket.recv(65536)
                if not part:
                    raise SystemExit("the daemon closed the connection")
                self.received += part
                continue
            self.received = rest
            if line.decode().startswith(beginnings):
                return line.decode(), time.monotonic()

    def ask(self, line):
        self.say(line)
        reply, moment = self.next("+OK", "-ERR")
        if not reply.startswith("+OK"):
            raise SystemExit(f"{line}: {reply}")
        return reply, moment


def start_updates(app, owner):
    owner.ask("USE bench")
    app.ask("START updates interval=0")
    for _ in range(3):
        app.next("MSG fix/updates")


def unlock(owner):
    """The next hold unlocks; one that comes too soon after another counts for nothing."""
    while "unlocked" not in owner.ask("HOLD")[0]:
        pass


def measure(folder, onefixd, boards, rounds):
    configuration = os.path.join(folder, "onefix.toml")
    with open(configuration, "w") as file:
        file.write(f'[[button]]\nname = "main"\nhold_ms = {int(HOLD_SECONDS * 1000)}\n')
    path = os.path.join(folder, "s")
    daemon = subprocess.Popen(
        [onefixd, "--boards", boards, "--config", configuration, "--socket", path, "--state", folder + "/state",
         "--receiver", "simulated:rate=10", "--no-panel"],
        stderr=subprocess.PIPE, text=True)
    try:
        for said in daemon.stderr:
            if said.startswith("READY"):
                break
        else:
            raise SystemExit("the daemon did not become ready")
        app = Line(path, "HELLO 1 app=bench keepalive=0")
        owner = Line(os.path.join(folder, "owner.sock"), "HELLO 1")
        owner.ask("SUB owner/prompt p")
        app.ask("AUTHORIZE when-in-use")
        prompt = re.search(r'"prompt":(\d+)', owner.next("MSG owner/prompt")[0]).group(1)
        owner.ask(f"ANSWER {prompt} while-using")
        figures = {"hold": [], "lock": []}
        for _ in range(rounds):
            start_updates(app, owner)
            begin = time.monotonic()
            owner.say("HOLD")
            _, end = app.next("-ERR 414")
            figures["hold"].append(1000 * (end - begin - HOLD_SECONDS))
            owner.next("+OK effect=locked")
            unlock(owner)
            start_updates(app, owner)
            begin = time.monotonic()
            owner.say("LOCK")
            _, end = app.next("-ERR 414")
            figures["lock"].append(1000 * (end - begin))
            owner.next("+OK locked=true")
            unlock(owner)
        return figures
    finally:
        daemon.terminate()
        daemon.wait()


def main():
    if len(sys.argv) not in (3, 4):
        raise SystemExit(__doc__)
    rounds = int(sys.argv[3]) if len(sys.argv) == 4 else 10
    with tempfile.TemporaryDirectory(prefix="onefix-") as folder:
        figures = measure(folder, sys.argv[1], sys.argv[2], rounds)
    print(json.dumps({
        name: {"rounds": len(times), "p50_ms": round(sorted(times)[len(times) // 2], 3),
               "max_ms": round(max(times), 3)}
        for name, times in figures.items()}))


main()
