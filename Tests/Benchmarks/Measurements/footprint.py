#!/usr/bin/env python3
"""Measures the resources of the daemon, gpsd and mosquitto.

usage: footprint.py ONEFIXD BOARDS GPSD [--seconds S] [--starts N]

Each program in turn: N starts; S seconds idle, with a silent receiver and no requests; S seconds at work, with a
receiver at 10 Hz (20 sentences per epoch, on a pseudo-terminal) and ten apps that receive every fix. For gpsd the apps
are clients that watch. For mosquitto the same fix is published to ten subscribers. ONEFIXD is measured as it is
installed: stripped. The daemon then serves ten requests with their presses. Prints the figures as JSON.

The bytes written are those that the kernel counts for a process when it writes to a disk. The state is in /var/tmp,
which must not be in memory.
"""

import argparse
import contextlib
import json
import os
import select
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timezone

from daemon import Daemon, Line, allow, require_disk, written
from nmea_to_fix import PERIOD, Receiver, epoch
from press_to_fix import SETTLED, ask, confirm, fix_after_press

APPS = 10
REQUESTS = 10


class Usage:
    """The resources that a process has used since the first reading."""

    def __init__(self, pid):
        self.pid = pid
        self.begin, self.used, self.woken = time.monotonic(), self.nanoseconds(), self.wakeups()
        self.written = written(pid)

    def tasks(self, name):
        texts = {}
        for task in os.listdir(f"/proc/{self.pid}/task"):
            try:
                with open(f"/proc/{self.pid}/task/{task}/{name}") as file:
                    texts[task] = file.read()
            except (FileNotFoundError, ProcessLookupError):
                pass  # It has just ended.
        return texts

    def nanoseconds(self):
        return {task: int(text.split()[0]) for task, text in self.tasks("schedstat").items()}

    def wakeups(self):
        """Returns how often its threads went to sleep, which is the number of wake-ups."""
        return {task: int(line.split()[1]) for task, text in self.tasks("status").items() for line in text.splitlines()
                if line.startswith("voluntary_ctxt_switches")}

    @staticmethod
    def increase(before, now):
        """Returns the increase of the existing threads. A thread that ended meanwhile is not counted."""
        return sum(count - before.get(task, 0) for task, count in now.items())

    def figures(self):
        seconds = time.monotonic() - self.begin
        return {"cpu_percent": round(self.increase(self.used, self.nanoseconds()) / seconds / 1e7, 3),
                "wakeups_per_s": round(self.increase(self.woken, self.wakeups()) / seconds, 2),
                "written_kb_per_day": round((written(self.pid) - self.written) / seconds * 86.4)}


def memory(pid):
    """Returns the memory in megabytes of 10^6 bytes, as in the goals."""
    kib = {}
    for name in ("status", "smaps_rollup"):
        with open(f"/proc/{pid}/{name}") as file:
            for line in file:
                words = line.split()
                if words[-1] == "kB":
                    kib[words[0].rstrip(":")] = int(words[1])
    return {f"{name}_mb": round(kib[key] * 1024 / 1e6, 2)
            for name, key in (("rss", "VmRSS"), ("rss_anon", "RssAnon"), ("pss", "Pss"))}


class Reader:
    """Reads the messages to the clients continuously, so that no server waits for them."""

    def __init__(self, sockets):
        self.sockets, self.bytes = sockets, 0

    def until(self, moment):
        while (left := moment - time.monotonic()) > 0:
            for ready in select.select(self.sockets, [], [], left)[0]:
                part = ready.recv(65536)
                if not part:
                    raise SystemExit("a server closed a connection")
                self.bytes += len(part)


def observe(pid, reader, seconds, tick=None):
    """Returns the figures of a number of seconds in which `tick` is called at 10 Hz."""
    # The costs of the first use are excluded.
    settle = time.monotonic() + 2
    number, next_tick, usage = 0, time.monotonic(), None
    while usage is None or time.monotonic() < usage.begin + seconds:
        if usage is None and time.monotonic() >= settle:
            usage, reader.bytes = Usage(pid), 0
        if tick:
            tick(number)
            number += 1
        next_tick += PERIOD
        reader.until(next_tick)
    if tick and not reader.bytes:
        raise SystemExit("nobody was told anything")
    return usage.figures() | memory(pid)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def connected(port):
    deadline = time.monotonic() + 30
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port))
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise SystemExit(f"nobody listens at port {port}")
            time.sleep(0.001)


class Player:
    """A receiver at 10 Hz."""

    def __init__(self, receiver):
        self.receiver, self.start = receiver, datetime.now(timezone.utc).replace(microsecond=0)

    def __call__(self, number):
        os.write(self.receiver.master, epoch(number, self.start))


class OneFix:
    def __init__(self, options, folder):
        self.options, self.folder, self.receiver = options, folder, Receiver()
        self.configuration = "allow_shared_receiver = true\n" + "".join(
            f'[[app]]\nid = "app{number}"\nuid = {os.getuid()}\n' for number in range(APPS))

    def started(self):
        return Daemon(self.options.onefixd, self.options.boards, self.folder, f"uart:{self.receiver.port}:115200",
                      self.configuration)

    def start(self):
        """Returns the time until READY."""
        begin = time.monotonic()
        with self.started():
            return time.monotonic() - begin

    def measure(self, seconds):
        with self.started() as daemon:
            pid = daemon.process.pid
            idle = observe(pid, Reader([]), seconds)
            owner = daemon.owner()
            apps = [Line(daemon.socket, f"HELLO 1 app=app{number} keepalive=0") for number in range(APPS)]
            for number, app in enumerate(apps):
                allow(app, owner)
                owner.ask(f"USE app{number}")
                app.ask("SUB # all")
                app.ask("START updates interval=0")
            return idle, observe(pid, Reader([app.socket for app in apps]), seconds, Player(self.receiver))

    def requests(self):
        """Returns the bytes written for requests with their presses, for an app that was confirmed before."""
        folder = os.path.join(self.folder, "requests")
        os.mkdir(folder)
        with Daemon(self.options.onefixd, self.options.boards, folder, "simulated:rate=1") as daemon:
            app, owner = daemon.app(), daemon.owner()
            confirm(app, owner)
            before = written(daemon.process.pid)
            for _ in range(REQUESTS):
                ask(app, "REQ once")
                fix_after_press(app, owner)
                time.sleep(SETTLED)
            return {"count": REQUESTS, "written_kb": round((written(daemon.process.pid) - before) / 1000)}


class Peer:
    """A program of Debian that clients connect to."""

    def start(self):
        begin = time.monotonic()
        process, port = self.started()
        connected(port).close()
        took = time.monotonic() - begin
        self.end(process)
        return took

    @staticmethod
    def end(process):
        """Ends a program. mosquitto ignores a signal directly before it starts to serve, so the signal is sent
        again."""
        while process.poll() is None:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=1)

    def measure(self, seconds):
        process, port = self.started()
        try:
            connected(port).close()
            idle = observe(process.pid, Reader([]), seconds)
            clients, tick = self.clients(port)
            return idle, observe(process.pid, Reader(clients), seconds, tick)
        finally:
            self.end(process)


class GPSD(Peer):
    def __init__(self, options, folder):
        self.gpsd, self.receiver = options.gpsd, Receiver()

    def started(self):
        port = free_port()
        return subprocess.Popen([self.gpsd, "-N", "-n", "-b", "-S", str(port), self.receiver.port],
                                stderr=subprocess.DEVNULL), port

    def clients(self, port):
        clients = [connected(port) for _ in range(APPS)]
        for client in clients:
            client.sendall(b'?WATCH={"enable":true,"json":true}\n')
        return clients, Player(self.receiver)


class Mosquitto(Peer):
    FIX = json.dumps({
        "time": "2026-11-21T07:31:34.200Z", "lat": 47.376888, "lon": 8.541694, "hacc": 2.9, "alt": 408.2, "vacc": 5.1,
        "fix": "3d", "sats": 11, "accuracy": "full", "age_ms": 140}).encode()

    def __init__(self, options, folder):
        self.folder = folder

    def started(self):
        port, path = free_port(), os.path.join(self.folder, "mosquitto.conf")
        with open(path, "w") as file:
            file.write(f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\nlog_type none\n")
        return subprocess.Popen(["mosquitto", "-c", path], stderr=subprocess.DEVNULL), port

    def connect(self, port, name):
        client = connected(port)
        body = b"\x00\x04MQTT\x04\x02\x00\x00" + len(name).to_bytes(2, "big") + name
        client.sendall(bytes([0x10, len(body)]) + body)
        if client.recv(4, socket.MSG_WAITALL) != b"\x20\x02\x00\x00":
            raise SystemExit("mosquitto refused a client")
        return client

    def clients(self, port):
        publisher = self.connect(port, b"publisher")
        clients = [self.connect(port, f"reader-{number}".encode()) for number in range(APPS)]
        topic = b"\x00\x03fix"
        for client in clients:
            body = b"\x00\x01" + topic + b"\x00"
            client.sendall(bytes([0x82, len(body)]) + body)
            client.recv(5, socket.MSG_WAITALL)
        body = topic + self.FIX
        # The length has two bytes, because it is 128 or more.
        packet = bytes([0x30, len(body) % 128 | 128, len(body) // 128]) + body
        return clients, lambda _: publisher.sendall(packet)


def size(path, folder):
    """Returns the size of a program as it is installed, in bytes."""
    copy = os.path.join(folder, "stripped")
    shutil.copy(os.path.realpath(path), copy)
    subprocess.run(["strip", "--strip-unneeded", copy], check=True)
    return os.path.getsize(copy)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("onefixd")
    parser.add_argument("boards")
    parser.add_argument("gpsd")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--starts", type=int, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="onefix-", dir="/var/tmp") as folder:
        require_disk(folder)
        programs = {"onefix": options.onefixd, "gpsd": options.gpsd, "mosquitto": shutil.which("mosquitto")}
        figures = {name: {"stripped_mb": round(size(path, folder) / 1e6, 2)} for name, path in programs.items()}
        options.onefixd = os.path.join(folder, "onefixd")
        shutil.copy(programs["onefix"], options.onefixd)
        subprocess.run(["strip", "--strip-unneeded", options.onefixd], check=True)
        servers = {"onefix": OneFix(options, folder), "gpsd": GPSD(options, folder), "mosquitto": Mosquitto(options, folder)}
        starts = {name: [] for name in servers}
        # The first start creates the files of all later starts.
        servers["onefix"].start()
        for _ in range(options.starts):
            for name, server in servers.items():
                starts[name].append(server.start() * 1000)
        for name, server in servers.items():
            print(f"{name}: {2 * options.seconds} s …", file=sys.stderr)
            idle, work = server.measure(options.seconds)
            figures[name] |= {"start_ms": round(statistics.median(starts[name]), 1),
                              "start_most_ms": round(max(starts[name]), 1), "idle": idle, "work": work}
        figures["onefix"]["requests"] = servers["onefix"].requests()
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
