#!/usr/bin/env python3
"""Measures the time from an edge to its press: on an idle machine and with all cores busy, with and without a real-time
priority.

usage: edges.py EDGE_LATENCY PRESSES

Prints the figures of EDGE_LATENCY as JSON.
"""

import contextlib
import json
import os
import subprocess
import sys

PRIORITY = 50


def busy(running):
    for _ in os.sched_getaffinity(0):
        # The loop ends with this process.
        loop = subprocess.Popen(["setpriv", "--pdeathsig", "TERM", "sh", "-c", "while :; do :; done"])
        running.enter_context(loop)
        running.callback(loop.terminate)


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    figures = {}
    for name in ("normal", "with SCHED_FIFO", "every core busy", "every core busy, SCHED_FIFO"):
        with contextlib.ExitStack() as running:
            if "busy" in name:
                busy(running)
            words = sys.argv[1:] + ([str(PRIORITY)] if "FIFO" in name else [])
            figures[name] = json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout)
    print(json.dumps(figures))


main()
