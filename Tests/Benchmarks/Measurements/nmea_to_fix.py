#!/usr/bin/env python3
"""Measures the time from the last byte of an epoch at a serial port until an app has read the fix, for OneFix and
gpsd.

usage: nmea_to_fix.py ONEFIXD BOARDS GPSD [EPOCHS]

Simulates a receiver at 10 Hz with 20 sentences per epoch on a pseudo-terminal of OneFix with an app that receives
updates, and on one of gpsd with a client that watches. Both programs run during the whole measurement and receive each
epoch in turn, half a period apart. An epoch counts only if its fix has the PDOP of the epoch's GSA sentences, which
changes with each epoch, and if both programs sent its fix: gpsd sends none for the first ten epochs. Prints milliseconds
as JSON.
"""

import contextlib
import json
import os
import re
import select
import socket
import subprocess
import sys
import tempfile
import time
import tty
from datetime import datetime, timedelta, timezone
from functools import reduce

from daemon import Daemon, allow, quantile

PERIOD = 0.1


def sentence(body):
    return f"${body}*{reduce(lambda sum, byte: sum ^ byte, body.encode(), 0):02X}\r\n"


def pdop(number):
    return 1.5 + number % 40 / 10


def epoch(number, start):
    """Returns RMC, GGA, 4 GSA, 12 GSV, GST and VTG, like a receiver of four systems."""
    now = start + timedelta(seconds=number * PERIOD)
    clock = now.strftime("%H%M%S.") + f"{now.microsecond // 10000:02d}"
    position = f"4722.{10000 + number:05d},N,00832.50168,E"
    text = sentence(f"GNRMC,{clock},A,{position},1.94,77.5,{now:%d%m%y},,,A,V")
    text += sentence("GNVTG,77.5,T,,M,1.94,N,3.6,K,A")
    text += sentence(f"GNGGA,{clock},{position},1,12,0.9,408.2,M,47.3,M,,")
    for system in range(1, 5):
        text += sentence(f"GNGSA,A,3,{system:02d},12,24,,,,,,,,,,{pdop(number):.1f},0.9,1.2,{system}")
    for talker in ("GP", "GL", "GA", "GB"):
        for part in range(1, 4):
            views = ",".join(f"{part * 4 + n:02d},{30 + n},{100 + n * 20},{40 + n}" for n in range(4))
            text += sentence(f"{talker}GSV,3,{part},12,{views},1")
    text += sentence(f"GNGST,{clock},12,2.1,1.9,45.0,1.4,1.5,2.8")
    return text.encode()


class Receiver:
    def __init__(self):
        self.master, slave = os.openpty()
        tty.setraw(self.master)
        tty.setraw(slave)
        self.port = os.ttyname(slave)
        # The slave stays open. Otherwise the master has no other end between two users.
        self.slave = slave


def play(epochs, runners):
    """Sends epochs to each receiver in turn, at their rate. Returns the seconds for each client, by the number of the epoch.

    An epoch whose fix does not arrive before the next epoch is missing.
    """
    start = datetime.now(timezone.utc).replace(microsecond=0)
    times, sent, due = [{} for _ in runners], [None] * len(runners), [None] * len(runners)
    begin = time.monotonic()
    # One more period for the last fixes.
    for turn in range((epochs + 1) * len(runners)):
        number, index = divmod(turn, len(runners))
        moment = begin + turn * PERIOD / len(runners)
        while (left := moment - time.monotonic()) > 0:
            ready = select.select([client.connection for _, client in runners], [], [], left)[0]
            for other, (_, client) in enumerate(runners):
                if client.connection in ready:
                    client.read()
                    if due[other] is not None and client.has(due[other]):
                        times[other][due[other]] = client.moment - sent[other]
                        due[other] = None
        due[index] = None
        if number < epochs:
            os.write(runners[index][0].master, epoch(number, start))
            sent[index], due[index] = time.monotonic(), number
    return times


class Client:
    """Reads lines and stores the latest PDOP."""

    def __init__(self, connection, pattern):
        self.connection, self.pattern = connection, re.compile(pattern)
        self.received, self.said, self.moment = b"", None, None

    def has(self, number):
        return self.said == f"{pdop(number):.1f}".rstrip("0").rstrip(".")

    def read(self):
        part = self.connection.recv(65536)
        moment = time.monotonic()
        if not part:
            raise SystemExit("the connection was closed")
        *lines, self.received = (self.received + part).split(b"\n")
        for line in lines:
            found = self.pattern.search(line)
            if found:
                value = found.group(1).decode()
                self.said, self.moment = value.rstrip("0").rstrip(".") if "." in value else value, moment


@contextlib.contextmanager
def ours(onefixd, boards, folder, receiver):
    # This program has the port open too.
    configuration = f'allow_shared_receiver = true\n[[app]]\nid = "bench"\nuid = {os.getuid()}\n'
    with Daemon(onefixd, boards, folder, f"uart:{receiver.port}:115200", configuration) as daemon:
        app, owner = daemon.app(), daemon.owner()
        allow(app, owner)
        owner.ask("USE bench")
        app.ask("START updates interval=0")
        yield Client(app.socket, rb'MSG fix/updates.*"pdop":([0-9.]+)')


@contextlib.contextmanager
def theirs(gpsd, receiver):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen([gpsd, "-N", "-n", "-b", "-S", str(port), receiver.port], stderr=subprocess.DEVNULL)
    try:
        for _ in range(200):
            try:
                connection = socket.create_connection(("127.0.0.1", port))
                break
            except ConnectionRefusedError:
                time.sleep(0.05)
        else:
            raise SystemExit("gpsd does not listen")
        connection.sendall(b'?WATCH={"enable":true,"json":true}\n')
        # TPV has no PDOP. The PDOP of the epoch is in SKY, which gpsd sends first.
        yield TPV(connection)
    finally:
        process.terminate()
        process.wait()


class TPV(Client):
    """Finds the TPV of an epoch by its time. SKY with the epoch's PDOP may come before or after it."""

    def __init__(self, connection):
        super().__init__(connection, rb'"class":"SKY".*"pdop":([0-9.]+)')
        self.latitude = None
        self.is_complete = False

    def has(self, number):
        return self.latitude == round(47 + (22 + (10000 + number) / 100000) / 60, 7) and super().has(number)

    def read(self):
        part = self.connection.recv(65536)
        moment = time.monotonic()
        if not part:
            raise SystemExit("gpsd closed the connection")
        *lines, self.received = (self.received + part).split(b"\n")
        for line in lines:
            if line.startswith(b"{"):
                report = json.loads(line)
                if report["class"] == "TPV" and "lat" in report:
                    self.latitude, self.moment = round(report["lat"], 7), moment
                elif report["class"] == "SKY" and "pdop" in report:
                    value = f"{report['pdop']:.1f}"
                    self.said, self.moment = value.rstrip("0").rstrip("."), moment


def main():
    if len(sys.argv) not in (4, 5):
        raise SystemExit(__doc__)
    epochs = int(sys.argv[4]) if len(sys.argv) == 5 else 600
    receivers = Receiver(), Receiver()
    with tempfile.TemporaryDirectory(prefix="onefix-") as folder, \
            ours(sys.argv[1], sys.argv[2], folder, receivers[0]) as client, theirs(sys.argv[3], receivers[1]) as watcher:
        results = play(epochs, [(receivers[0], client), (receivers[1], watcher)])
    counted = set.intersection(*map(set, results))
    if not counted:
        raise SystemExit("no epoch has a fix of both programs")
    figures = {}
    for name, result in zip(("onefix", "gpsd"), results):
        times = [result[number] for number in counted]
        figures[name] = {"epochs": len(result), "of": epochs, "p50_ms": round(1000 * quantile(times, 0.5), 3),
                         "p99_ms": round(1000 * quantile(times, 0.99), 3), "max_ms": round(1000 * max(times), 3)}
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
