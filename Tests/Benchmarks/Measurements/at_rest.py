#!/usr/bin/env python3
"""Measures the processor time at rest: a receiver sends, and nobody asks. OneFix and gpsd read the same bytes.

usage: at_rest.py ONEFIXD BOARDS GPSD [--seconds S] [--rates HZ,HZ…]

Each rate in turn, and for each rate two ways of delivery: an epoch in one write, as from a USB receiver, and in pieces
of 64 bytes every 2 ms, as from a fast serial line. An epoch has 23 sentences with 40 satellites; at the highest rate
the messages NAV-PVT, NAV-DOP and NAV-SAT with 40 satellites follow. Both programs run at the same time, and receive
each piece at the same moment. A client of gpsd makes gpsd decode. Prints the figures as JSON: percent of a core, and
the ratio.
"""

import argparse
import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timedelta, timezone

from daemon import Daemon
from footprint import Usage, connected, free_port
from nmea_to_fix import Receiver, sentence

PIECE, PAUSE = 64, 0.002


def nmea_epoch(moment):
    """Returns an epoch in sentences, with 40 satellites in view."""
    clock = moment.strftime("%H%M%S.") + f"{moment.microsecond // 10000:02d}"
    position = "4722.61332,N,00832.50168,E"
    text = sentence(f"GNRMC,{clock},A,{position},0.02,,{moment:%d%m%y},,,A,V")
    text += sentence("GNVTG,,T,,M,0.02,N,0.04,K,A")
    text += sentence(f"GNGGA,{clock},{position},1,12,0.9,408.2,M,47.3,M,,")
    for system in range(1, 5):
        text += sentence(f"GNGSA,A,3,{system:02d},12,24,,,,,,,,,,1.6,0.9,1.2,{system}")
    for talker in ("GP", "GL", "GA", "GB"):
        for part in range(1, 4):
            views = ",".join(f"{part * 4 + n:02d},{30 + n},{100 + n * 20},{30 + moment.second % 10 + n}"
                             for n in range(4 if part < 3 else 2))
            text += sentence(f"{talker}GSV,3,{part},10,{views},1")
    text += sentence(f"GNGLL,{position},{clock},A,A")
    text += sentence(f"GNGST,{clock},12,2.1,1.9,45.0,1.4,1.5,2.8")
    return text.encode()


def frame(kind, payload):
    """Returns a message of the class NAV with the checksum of UBX (RFC 1145)."""
    body = struct.pack("<BBH", 0x01, kind, len(payload)) + payload
    first = second = 0
    for byte in body:
        first = (first + byte) & 0xFF
        second = (second + first) & 0xFF
    return b"\xb5\x62" + body + bytes([first, second])


def ubx_epoch(moment):
    """Returns the epoch in the messages of u-blox 9 (interface description UBX-19035940)."""
    since_sunday = moment.isoweekday() % 7 * 86400 + moment.hour * 3600 + moment.minute * 60 + moment.second + 18
    week_time = since_sunday % 604800 * 1000 + moment.microsecond // 1000
    fix = struct.pack("<IHBBBBBBIiBBBBiiiiIIiiiiiIIHH4xihH", week_time, moment.year, moment.month, moment.day,
                      moment.hour, moment.minute, moment.second, 0x37, 30, moment.microsecond * 1000, 3, 1, 0xE0, 12,
                      85418613, 473768887, 455500, 408200, 1500, 2200, 2, -3, 1, 4, 0, 130, 1800000, 160, 0, 0, 0, 0)
    precision = struct.pack("<I7H", week_time, 180, 160, 90, 120, 90, 60, 60)
    strength = 30 + moment.second % 10
    satellites = struct.pack("<IBB2x", week_time, 1, 40) + b"".join(
        struct.pack("<BBBbhhI", system, number, strength + number, 30 + number, 100 + number * 20, 5, 0x1F)
        for system in (0, 2, 3, 6) for number in range(1, 11))
    return frame(0x07, fix) + frame(0x04, precision) + frame(0x35, satellites)


def play(receivers, epoch, rate, is_whole, until):
    """Sends epochs to all receivers until a moment."""
    start, begin, number = datetime.now(timezone.utc).replace(microsecond=0), time.monotonic(), 0
    while (due := begin + number / rate) < until:
        time.sleep(max(0, due - time.monotonic()))
        data = epoch(start + timedelta(seconds=number / rate))
        for offset in range(0, len(data), len(data) if is_whole else PIECE):
            for receiver in receivers:
                os.write(receiver.master, data[offset:offset + (len(data) if is_whole else PIECE)])
            if not is_whole:
                time.sleep(PAUSE if rate < 20 else PAUSE / 2)
        number += 1


def measure(options, folder, epoch, rate, is_whole):
    receivers = [Receiver(), Receiver()]
    port = free_port()
    gpsd = subprocess.Popen([options.gpsd, "-N", "-n", "-b", "-S", str(port), receivers[1].port],
                            stderr=subprocess.DEVNULL)
    try:
        with Daemon(options.onefixd, options.boards, folder, f"uart:{receivers[0].port}:115200",
                    "allow_shared_receiver = true\n") as daemon:
            with connected(port) as client, daemon.owner().socket:
                client.sendall(b'?WATCH={"enable":true,"json":false,"nmea":false}\n')
                play(receivers, epoch, rate, is_whole, time.monotonic() + 2)
                usages = [Usage(daemon.process.pid), Usage(gpsd.pid)]
                play(receivers, epoch, rate, is_whole, time.monotonic() + options.seconds)
                ours, theirs = (usage.figures() for usage in usages)
    finally:
        gpsd.terminate()
        gpsd.wait()
    protocol, delivery = "UBX" if epoch is ubx_epoch else "NMEA", "whole" if is_whole else "pieces"
    return {"name": f"{protocol}, {rate} Hz, {delivery}", "rate": rate, "delivery": delivery,
            "onefix": ours["cpu_percent"], "gpsd": theirs["cpu_percent"],
            "ratio": round(ours["cpu_percent"] / theirs["cpu_percent"], 2),
            "onefix_wakeups": ours["wakeups_per_s"], "gpsd_wakeups": theirs["wakeups_per_s"]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("onefixd")
    parser.add_argument("boards")
    parser.add_argument("gpsd")
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--rates", default="1,5,10,25")
    options = parser.parse_args()
    figures = []
    rates = [int(rate) for rate in options.rates.split(",")]
    for epoch, rate in [(nmea_epoch, rate) for rate in rates] + [(ubx_epoch, max(rates))]:
        for is_whole in (True, False):
            with tempfile.TemporaryDirectory(prefix="onefix-", dir="/var/tmp") as folder:
                figures.append(measure(options, folder, epoch, rate, is_whole))
                print(figures[-1], file=sys.stderr)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
