#!/usr/bin/env python3
"""Measures the time from the release of the button until the app has read the last byte of the fix.

usage: press_to_fix.py ONEFIXD BOARDS [STANDING [ONCE]]

Runs daemons on the simulated board with a receiver at 10 Hz. STANDING presses (default 300) are for an app with a
standing right that requests a press, ONCE presses (default 100) for an app without a standing right. All limits of the
contract apply, including the 2 s after a fix in which a press serves no app. Therefore several daemons are measured at
the same time, each of which is idle most of the time. The time starts at the timestamp of the release.

Each kind is measured twice: with the state on this disk, so that the log entry is durable before the fix is sent, and
with the state in memory, without that cost. The time of the disk to make the same amount of data durable is measured
too. Prints milliseconds as JSON.
"""

import json
import os
import re
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor

from daemon import Daemon, allow, quantile

DAEMONS = 10
# An app must have had the mark for 1 s when the button goes down, and for 2 s after a fix a press serves no app.
ARMED = 1.05
SETTLED = 2.05
# A question accepts an answer after 1 s.
READ = 1.2


def press(owner):
    owner.say("PRESS ms=40")


def released(owner):
    """Returns the time of the release, in seconds."""
    return int(re.search(r"released_ns=(\d+)", owner.next("+OK")[0]).group(1)) / 1e9


def ask(app, line):
    begin = time.monotonic()
    app.ask(line)
    time.sleep(max(0, ARMED - (time.monotonic() - begin)))


def fix_after_press(app, owner):
    press(owner)
    line, read = app.next("MSG fix/once", "-ERR")
    if not line.startswith("MSG"):
        raise SystemExit(line)
    begin = released(owner)
    identifier = re.search(r"\bid=(\d+)", line).group(1)
    app.ask(f"ACK {identifier}")
    return read - begin, read


def confirm(app, owner):
    """Confirms an app, whose first press shows a prompt."""
    ask(app, "REQ once")
    press(owner)
    owner.next("+OK")
    time.sleep(READ)
    _, read = fix_after_press(app, owner)
    time.sleep(SETTLED)


def run(onefixd, boards, in_memory, is_standing, presses, delay):
    time.sleep(delay)
    with tempfile.TemporaryDirectory(prefix="onefix-") as folder, \
            tempfile.TemporaryDirectory(prefix="onefix-", dir="/dev/shm" if in_memory else None) as state:
        with Daemon(onefixd, boards, folder, "simulated:rate=10", state=state + "/state") as daemon:
            app, owner = daemon.app(), daemon.owner()
            if is_standing:
                allow(app, owner)
                owner.ask("USE bench")
            else:
                confirm(app, owner)
            # The receiver has a fix now, or the first press waits for one.
            while "fix=3d" not in owner.ask("STATUS")[0]:
                time.sleep(0.1)
            times = []
            for _ in range(presses):
                ask(app, "REQ once press=required" if is_standing else "REQ once")
                taken, read = fix_after_press(app, owner)
                times.append(taken)
                time.sleep(max(0, SETTLED - (time.monotonic() - read)))
            return times


def durable(rounds):
    """Measures the time of the disk to make one page of a log durable."""
    times = []
    with tempfile.NamedTemporaryFile(prefix="onefix-") as file:
        for _ in range(rounds):
            os.write(file.fileno(), bytes(8192))
            begin = time.monotonic()
            os.fdatasync(file.fileno())
            times.append(time.monotonic() - begin)
            time.sleep(0.01)
    return times


def figures(times):
    return {"presses": len(times), "p50_ms": round(1000 * quantile(times, 0.5), 3),
            "p99_ms": round(1000 * quantile(times, 0.99), 3), "max_ms": round(1000 * max(times), 3)}


def main():
    if not 3 <= len(sys.argv) <= 5:
        raise SystemExit(__doc__)
    counts = {"standing": int(sys.argv[3]) if len(sys.argv) > 3 else 300,
              "once": int(sys.argv[4]) if len(sys.argv) > 4 else 100}
    result = {}
    with ProcessPoolExecutor(DAEMONS) as pool:
        for name, count in counts.items():
            for medium, in_memory in (("disk", False), ("memory", True)):
                shares = [count // DAEMONS + (index < count % DAEMONS) for index in range(DAEMONS)]
                # The daemons start one after the other, so that their presses rarely coincide.
                runs = [pool.submit(run, sys.argv[1], sys.argv[2], in_memory, name == "standing", share,
                                    index * (ARMED + SETTLED) / DAEMONS)
                        for index, share in enumerate(shares) if share]
                result[f"{name}, {medium}"] = figures([time for run in runs for time in run.result()])
    result["fdatasync"] = figures(durable(300))
    print(json.dumps(result))


if __name__ == "__main__":
    main()
