#!/usr/bin/env python3
"""Measures how the cost of the daemon grows with its log and its regions.

usage: growth.py ONEFIXD ONEFIX BOARDS [ROW]…

Each row writes its own state. Prints one JSON object for each figure: the row, the size of the state, the value and its
unit. The state is in /var/tmp, which must be on a disk, because some rows count the bytes that reach it: the bytes that
the kernel counts for a process when it writes to a disk, in whole pages.
"""

import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from daemon import Daemon, Line, allow, require_disk, written
from press_to_fix import SETTLED, ask, confirm, fix_after_press
from stored_log import extend

APPS = [f"app{number}" for number in range(10)]
CONFIGURATION = "log_retention_days = 36500\n" + "".join(
    f'[[app]]\nid = "{app}"\nuid = {os.getuid()}\n' for app in APPS + ["bench"])
PRESSES = 10
REGIONS = 1000
LOCKS = 5
# Other programs can only make a measurement longer, so the shortest of several counts.
RUNS = 3


def show(row, size, value, unit):
    print(json.dumps({"row": row, "size": size, "value": round(value, 3), "unit": unit}), flush=True)


class Bench:
    def __init__(self, onefixd, onefix, boards):
        self.onefixd, self.onefix, self.boards = onefixd, onefix, boards

    @contextlib.contextmanager
    def folder(self):
        with tempfile.TemporaryDirectory(prefix="onefix-growth-", dir="/var/tmp") as folder:
            require_disk(folder)
            yield folder

    def daemon(self, folder, configuration=CONFIGURATION):
        return Daemon(self.onefixd, self.boards, folder, "simulated:rate=1", configuration)

    @contextlib.contextmanager
    def with_log(self, entries):
        """A daemon whose log has a number of entries."""
        with self.folder() as folder:
            with self.daemon(folder):
                pass
            extend(os.path.join(folder, "state"), entries, APPS)
            forget(folder)
            with self.daemon(folder) as daemon:
                # The daemon verifies the log at its start.
                owner = daemon.owner()
                while "log=unchecked" in owner.ask("STATUS")[0]:
                    time.sleep(0.1)
                yield folder, daemon


def forget(folder):
    """Removes the files of the state from the memory of the kernel."""
    state = os.path.join(folder, "state")
    for name in os.listdir(state):
        descriptor = os.open(os.path.join(state, name), os.O_RDONLY)
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)


class Beside:
    """Measures the longest time until the daemon answers another owner, in milliseconds."""

    def __init__(self, daemon):
        self.owner, self.longest, self.is_over = daemon.owner(), 0, False
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while not self.is_over:
            begin = time.monotonic()
            # Not more than an owner may send.
            _, end = self.owner.ask("PROMPTS")
            self.longest = max(self.longest, 1000 * (end - begin))
            time.sleep(0.025)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over = True
        self.thread.join()


def log(bench):
    for entries in (100_000, 1_000_000):
        with bench.with_log(entries) as (folder, daemon):
            owner = daemon.owner()
            # A search that finds nothing reads the whole log.
            for kind in ("cold", "warm"):
                searches = [search(folder, daemon, owner, kind == "cold") for _ in range(RUNS)]
                show(f"command beside log --app, {kind}", entries, min(longest for longest, _ in searches), "ms")
                show(f"log --app, {kind}, an entry", entries, min(took for _, took in searches) / entries * 1e6, "µs")
            lists(bench, folder, daemon, entries)
            show("kill switch beside log --app", entries, lock_beside(daemon), "ms")


def search(folder, daemon, owner, is_cold):
    """Returns the longest time in milliseconds until the daemon answers another owner, and the duration in seconds."""
    if is_cold:
        forget(folder)
    with Beside(daemon) as beside:
        begin = time.monotonic()
        owner.ask("LOG app=nothing limit=1000")
        return beside.longest, time.monotonic() - begin


def lock_beside(daemon):
    """Returns the longest time from LOCK until an app has read the end of its updates, beside searches."""
    app, owner = daemon.app(), daemon.owner()
    allow(app, owner)
    is_over = False

    def repeat():
        other = daemon.owner()
        while not is_over:
            other.ask("LOG app=nothing limit=1000")

    thread = threading.Thread(target=repeat)
    thread.start()
    longest = 0
    try:
        for _ in range(LOCKS):
            owner.ask("USE bench")
            app.ask("START updates interval=0")
            app.next("MSG fix/updates")
            begin = time.monotonic()
            owner.say("LOCK")
            _, end = app.next("-ERR 414")
            longest = max(longest, 1000 * (end - begin))
            owner.next("+OK locked=true")
            # A hold that follows another too closely has no effect.
            while "unlocked" not in owner.ask("HOLD")[0]:
                pass
    finally:
        is_over = True
        thread.join()
    return longest


def command(bench, folder, daemon, *arguments):
    """Runs onefix. Returns the lines of its output, and its largest memory in megabytes."""
    with tempfile.TemporaryFile(dir=folder) as output, tempfile.NamedTemporaryFile(dir=folder) as memory:
        status = subprocess.run(
            ["env", "time", "-f", "%M", "-o", memory.name, bench.onefix, *arguments, "--socket", daemon.socket],
            stdout=output, check=False).returncode
        if status != 0:
            raise SystemExit(f"onefix {' '.join(arguments)}: exit status {status}")
        output.seek(0)
        return sum(part.count(b"\n") for part in iter(lambda: output.read(1 << 20), b"")), int(memory.read()) * 1024 / 1e6


def lists(bench, folder, daemon, entries):
    for name, arguments, header in (("report", ["report"], None), ("report --html", ["report", "--html", "-"], None),
                                    ("log --csv", ["log", "--csv"], 1),
                                    ("log --json", ["log", "--json", "--limit", "1000000"], 0)):
        lines, memory = command(bench, folder, daemon, *arguments)
        show(f"memory of {name}", entries, memory, "MB")
        if header is not None:
            show(f"missing in {name}", entries, entries + header - lines, "entries")
    with open(f"/proc/{daemon.process.pid}/status") as file:
        peak = next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
    show("memory of the daemon beside the lists", entries, peak * 1024 / 1e6, "MB")


def press(bench):
    for entries in (1000, 100_000):
        with bench.with_log(entries) as (_, daemon):
            app, owner = daemon.app(), daemon.owner()
            confirm(app, owner)
            counts = []
            for _ in range(PRESSES):
                before = written(daemon.process.pid)
                ask(app, "REQ once")
                fix_after_press(app, owner)
                time.sleep(SETTLED)
                counts.append(written(daemon.process.pid) - before)
            # After the kernel has written the index of the write-ahead log, which it does at most each 30 s, the next
            # press changes the index again.
            show("bytes of a press", entries, statistics.median(counts) / 1000, "kB")


def regions(bench):
    """Each app registers as many regions as it may."""
    count = REGIONS // 20
    names = [f"region{number}" for number in range(count)]
    configuration = "regions = true\n" + "".join(f'[[app]]\nid = "{name}"\nuid = {os.getuid()}\n' for name in names)
    with bench.folder() as folder, bench.daemon(folder, configuration) as daemon:
        owner = daemon.owner()
        for index, name in enumerate(names):
            owner.ask(f"SET {name} status always")
            time.sleep(0.05)
        before, size = written(daemon.process.pid), 0
        for index, name in enumerate(names):
            app = Line(daemon.socket, f"HELLO 1 app={name} keepalive=0")
            for number in range(20):
                app.ask(f"REGION ADD r{number} 47.{index:02} 8.{number:02} 500 enter,exit :Region {number} of {name}")
                size += 1
            app.socket.close()
            if size in (REGIONS // 10, REGIONS):
                show("bytes of a region", size, (written(daemon.process.pid) - before) / size / 1000, "kB")


ROWS = {"daemon-log": log, "daemon-press": press, "daemon-regions": regions}


def main():
    if len(sys.argv) < 4 or not set(sys.argv[4:]) <= set(ROWS):
        raise SystemExit(__doc__)
    for name in sys.argv[4:] or ROWS:
        ROWS[name](Bench(*sys.argv[1:4]))


main()
