#!/usr/bin/env python3
"""Measures the kill switch: from the hold or an owner's LOCK until the app has read the end of its updates.

usage: kill_switch.py ONEFIXD BOARDS [ROUNDS [SESSIONS]]

Runs the daemon with a simulated receiver at 10 Hz and an app with updates. Each round locks twice: by a hold of the
simulated button, measured from the end of its hold time, and by LOCK. The figure includes the time to make the lock
durable. With SESSIONS everything is measured a second time beside another app with a standing right that sends
requests on that many sessions without end. STATUS of the first app is measured without and with that load. Prints
milliseconds as JSON.
"""

import json
import os
import selectors
import signal
import socket
import sys
import tempfile
import time
import traceback

from daemon import Daemon, Line, allow, quantile

HOLD_SECONDS = 1.0


def start_updates(app, owner):
    owner.ask("USE bench")
    app.ask("START updates interval=0")
    for _ in range(3):
        app.next("MSG fix/updates")


def unlock(owner):
    """Unlocks with the next hold. A hold that follows another too closely has no effect."""
    while "unlocked" not in owner.ask("HOLD")[0]:
        pass


def flood(path, sessions, ready):
    """Sends requests on each session and reads the replies until this process ends.

    The daemon closes a session that does not read for ten seconds, which happens on a busy machine. Such a session is
    replaced.
    """
    selector = selectors.DefaultSelector()

    def connect():
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(path)
        connection.sendall(b"HELLO 1 app=crowd keepalive=0\n")
        connection.setblocking(False)
        selector.register(connection, selectors.EVENT_READ)

    def replace(connection):
        selector.unregister(connection)
        connection.close()
        connect()

    for _ in range(sessions):
        connect()
    os.write(ready, b"r")
    due = 0
    while True:
        for key, _ in selector.select(0.05):
            try:
                while key.fileobj.recv(65536):
                    pass
                replace(key.fileobj)
            except BlockingIOError:
                pass
            except OSError:
                replace(key.fileobj)
        if time.monotonic() < due:
            continue
        # More requests than a session may send.
        due = time.monotonic() + 0.2
        for key in list(selector.get_map().values()):
            try:
                key.fileobj.send(b"REQ once\nSTATUS\nSUB # a\nREQ once press=required\nCANCEL\n")
            except BlockingIOError:
                pass
            except OSError:
                replace(key.fileobj)


class Crowd:
    """An app with many sessions, in a separate process."""

    def __init__(self, daemon, owner, sessions):
        crowd = Line(daemon.socket, "HELLO 1 app=crowd keepalive=0")
        crowd.ask("STATUS")
        owner.ask("SET crowd status always")
        done, ready = os.pipe()
        self.process = os.fork()
        if self.process == 0:
            # This process is not part of the measurement. It must not remove the daemon's folder when it fails.
            try:
                os.nice(10)
                flood(daemon.socket, sessions, ready)
            finally:
                traceback.print_exc()
                os._exit(1)
        os.read(done, 1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.kill(self.process, signal.SIGKILL)
        _, status = os.waitpid(self.process, 0)
        if not os.WIFSIGNALED(status):
            raise SystemExit("the sessions of the other app ended early")


def status_times(app, count=500):
    times = []
    for _ in range(count):
        begin = time.monotonic()
        app.say("STATUS")
        _, end = app.next("+OK", "-ERR")
        times.append(1000 * (end - begin))
        # The maximum rate of a session.
        time.sleep(0.05)
    return times


def measure(daemon, app, owner, rounds):
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


def main():
    if len(sys.argv) not in (3, 4, 5):
        raise SystemExit(__doc__)
    rounds, sessions = (list(map(int, sys.argv[3:])) + [10, 0][len(sys.argv) - 3:])[:2]
    configuration = f'[[button]]\nname = "main"\nhold_ms = {int(HOLD_SECONDS * 1000)}\n'
    with tempfile.TemporaryDirectory(prefix="onefix-") as folder, \
            Daemon(sys.argv[1], sys.argv[2], folder, "simulated:rate=10", configuration) as daemon:
        app, owner = daemon.app(), daemon.owner()
        allow(app, owner)
        figures = measure(daemon, app, owner, rounds)
        if sessions:
            figures["status"] = status_times(app)
            with Crowd(daemon, owner, sessions):
                figures["status_in_crowd"] = status_times(app)
                for name, times in measure(daemon, app, owner, rounds).items():
                    figures[f"{name}_in_crowd"] = times
    print(json.dumps({
        name: {"rounds": len(times), "p50_ms": round(quantile(times, 0.5), 3),
               "p99_ms": round(quantile(times, 0.99), 3), "max_ms": round(max(times), 3)}
        for name, times in figures.items()}))


main()
