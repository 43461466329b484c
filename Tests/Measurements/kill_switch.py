#!/usr/bin/env python3
"""How long the kill switch takes: from the hold, or an owner's LOCK, until the app has read that its updates ended.

usage: kill_switch.py ONEFIXD BOARDS [ROUNDS]

Runs the daemon with a simulated receiver at 10 Hz and an app that is given updates. Each round throws the switch twice:
by a hold of the simulated button, whose time counts from when the button has been down for its hold time, and by LOCK.
What is durable by then, the lock included, is part of the figure. Prints milliseconds as JSON.
"""

import json
import sys
import tempfile
import time

from daemon import Daemon, allow, quantile

HOLD_SECONDS = 1.0


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
    configuration = f'[[button]]\nname = "main"\nhold_ms = {int(HOLD_SECONDS * 1000)}\n'
    with Daemon(onefixd, boards, folder, "simulated:rate=10", configuration) as daemon:
        app, owner = daemon.app(), daemon.owner()
        allow(app, owner)
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
    if len(sys.argv) not in (3, 4):
        raise SystemExit(__doc__)
    rounds = int(sys.argv[3]) if len(sys.argv) == 4 else 10
    with tempfile.TemporaryDirectory(prefix="onefix-") as folder:
        figures = measure(folder, sys.argv[1], sys.argv[2], rounds)
    print(json.dumps({
        name: {"rounds": len(times), "p50_ms": round(quantile(times, 0.5), 3), "max_ms": round(max(times), 3)}
        for name, times in figures.items()}))


main()
