#!/usr/bin/env python3
"""Measures onefix decode and gpsdecode on the same file, and the reader of sentences alone.

usage: decoders.py ONEFIX BENCHMARKS MEGABYTES RUNS

BENCHMARKS writes the file. The programs take turns, so that other load on the machine slows them equally. Prints the
medians of all runs as JSON.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile


def output(*words):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout


def timed(command, log, file):
    """Returns processor seconds, elapsed seconds and peak memory in KiB. The output is discarded, so that the disk does
    not slow the run."""
    with open(log) as text:
        words = ["env", "time", "-f", "%U %S %e %M", "-o", file, *command]
        subprocess.run(words, check=True, stdin=text, stdout=subprocess.DEVNULL)
    with open(file) as text:
        user, system, wall, peak = map(float, text.read().split())
    return round(user + system, 2), wall, peak


def figures(runs, theirs, sentences, size):
    seconds, wall, _ = map(statistics.median, zip(*runs))
    # The median of the ratios of each run, because all programs had the same load in a run.
    ratio = statistics.median(theirs[0] / ours[0] for theirs, ours in zip(theirs, runs))
    return {"seconds": seconds, "wall_seconds": wall, "sentences_per_second": round(sentences / seconds),
            "mb_per_second": round(size / seconds / 1e6, 1), "peak_mb": round(max(run[2] for run in runs) / 1024, 1),
            "times_gpsdecode": round(ratio, 1), "runs": runs}


def main():
    if len(sys.argv) != 5:
        raise SystemExit(__doc__)
    onefix, maker, megabytes, count = *sys.argv[1:4], int(sys.argv[4])
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log.nmea")
        with open(log, "w") as file:
            subprocess.run([maker, "write", megabytes], check=True, stdout=file)
        counts = json.loads(output(onefix, "decode", "--stats", "--format", "json", log))
        with subprocess.Popen([onefix, "decode", log], stdout=subprocess.PIPE) as process:
            fixes = sum(1 for _ in process.stdout)
        reader, size = float(output(maker, "read")), os.path.getsize(log)
        commands = {"gpsdecode": ["gpsdecode"], "onefix": [onefix, "decode", log],
                    "onefix-csv": [onefix, "decode", "--format", "csv", log]}
        runs = {name: [] for name in commands}
        for run in range(count):
            print(f"run {run + 1} of {count} …", file=sys.stderr, flush=True)
            for name, command in commands.items():
                runs[name].append(timed(command, log, os.path.join(folder, "time")))
    tools = {name: figures(measured, runs["gpsdecode"], counts["sentences"], size) for name, measured in runs.items()}
    print(json.dumps({"bytes": size, "sentences": counts["sentences"], "epochs": counts["epochs"], "fixes": fixes,
                      "reader": reader, "runs": count, "tools": tools}))


main()
