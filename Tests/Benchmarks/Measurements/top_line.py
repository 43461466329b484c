#!/usr/bin/env python3
"""Measures the output of onefix top on a serial line, and its processor time.

usage: top_line.py ONEFIXD ONEFIX BOARDS [SECONDS] [SESSIONS]

Runs the daemon with a simulated receiver, sessions of an app, and onefix top on a pseudo-terminal of 24 rows and 80
columns that is read at 9600 baud. After the first screen and half a minute in which the receiver finds its satellites,
it counts the bytes of each second and the processor time of both programs. Prints JSON.
"""

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import tempfile
import termios
import time

from daemon import Daemon

CARRIED = 960  # bytes in a second: a start and a stop bit beside eight
STEP = 0.05


def line():
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    settings = termios.tcgetattr(slave)
    settings[4] = settings[5] = termios.B9600
    termios.tcsetattr(slave, termios.TCSANOW, settings)
    os.set_blocking(master, False)
    return master, slave


def take(master, seconds, until=None):
    """Reads for a number of seconds at the rate of the line. Returns the bytes of each second."""
    counts, text, begun = [], b"", time.monotonic()
    for step in range(int(seconds / STEP)):
        if step % int(1 / STEP) == 0:
            counts.append(0)
        try:
            part = os.read(master, int(CARRIED * STEP))
        except BlockingIOError:
            part = b""
        counts[-1] += len(part)
        text += part
        if until and until in text:
            break
        time.sleep(max(0, begun + (step + 1) * STEP - time.monotonic()))
    return counts, text, time.monotonic() - begun


def processor(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(folder, onefixd, onefix, boards, seconds, sessions):
    with Daemon(onefixd, boards, folder, "simulated") as daemon:
        held = [daemon.app() for _ in range(sessions)]
        master, slave = line()
        environment = dict(os.environ, LC_ALL="C.UTF-8", TERM="vt220")
        top = subprocess.Popen([onefix, "top", "--socket", daemon.socket], stdin=slave, stdout=slave, env=environment)
        # The log is the last part of the first complete screen.
        first, text, duration = take(master, 30, until=b"Log  ")
        take(master, 30)
        before = processor(top.pid), processor(daemon.process.pid)
        counts, _, _ = take(master, seconds)
        after = processor(top.pid), processor(daemon.process.pid)
        os.write(master, b"q")
        take(master, 1)
        status = top.wait(timeout=10)
        del held
    return {
        "sessions": sessions, "first_bytes": len(text), "first_seconds": round(duration, 2),
        "bytes_per_second": round(sum(counts) / len(counts), 1), "most_in_a_second": max(counts),
        "top_percent": round(100 * (after[0] - before[0]) / seconds, 2),
        "daemon_percent": round(100 * (after[1] - before[1]) / seconds, 2), "exit": status,
    }


def main():
    if not 4 <= len(sys.argv) <= 6:
        raise SystemExit(__doc__)
    onefixd, onefix, boards = sys.argv[1:4]
    seconds, sessions = (int(word) for word in (sys.argv[4:] + ["60", "1"][len(sys.argv) - 4:]))
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(measure(folder, onefixd, onefix, boards, seconds, sessions)))


if __name__ == "__main__":
    main()
