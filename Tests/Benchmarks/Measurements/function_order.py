#!/usr/bin/env python3
"""Names the functions that the daemon runs where it is used, for a linker to put next to each other.

usage: function_order.py ONEFIXD BOARDS >ORDER

A program is read into memory by pieces of 64 KiB and more: where what runs stands among what does not, most of it is read. The
daemon is run by callgrind as people use it: presses of an app that may and of one that is asked about first, and updates from a
receiver in a serial port.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

import nmea_to_fix
import press_to_fix


def functions(folder, program):
    """What ran of a program, by callgrind's files. (Callgrind Format Specification, version 1: a name follows its number once)"""
    found = set()
    for name in os.listdir(folder):
        objects, names, current = {}, {}, None
        with open(os.path.join(folder, name)) as file:
            for line in file:
                match = re.match(r"(c?ob|c?fn)=\((\d+)\)(?: (.*))?", line)
                if not match:
                    continue
                kind, number, text = match.groups()
                known = objects if kind.endswith("ob") else names
                if text:
                    known[number] = text.strip()
                if kind == "ob":
                    current = known[number]
                elif kind == "fn" and current == program:
                    found.add(known[number].split("'")[0])
    # One without a name is told by its address.
    return [name for name in found if not name.startswith("0x")]


def with_aliases(names, program):
    """Names, and those of functions that were found to be the same and folded into them: any of them may be what is kept."""
    at, of = {}, {}
    for line in subprocess.run(["nm", "--defined-only", program], check=True, capture_output=True, text=True).stdout.splitlines():
        address, kind, name = line.split(" ", 2)
        if kind in "tTwWvV":
            at.setdefault(address, []).append(name)
            of.setdefault(name, []).append(address)
    # A name that several functions have tells nothing of their aliases.
    return sorted(set(names).union(*(at[of[name][0]] for name in names if len(of.get(name, [])) == 1)))


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    onefixd, boards = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
    with tempfile.TemporaryDirectory(prefix="onefix-") as folder:
        program, runs = os.path.join(folder, "onefixd"), os.path.join(folder, "runs")
        shutil.copy(onefixd, program)
        # Valgrind does not know every form of what debuggers are told.
        subprocess.run(["strip", "--strip-debug", program], check=True)
        os.mkdir(runs)
        wrapper = os.path.join(folder, "wrapper")
        with open(wrapper, "w") as file:
            file.write("#!/bin/sh\nexec valgrind --quiet --tool=callgrind --demangle=no "
                       f"--callgrind-out-file='{runs}/%p' '{program}' \"$@\"\n")
        os.chmod(wrapper, 0o755)
        # All takes so much longer.
        press_to_fix.ARMED, press_to_fix.READ, press_to_fix.SETTLED = 2, 3, 4
        for is_standing in (True, False):
            press_to_fix.run(wrapper, boards, False, is_standing, 2, 0)
        receiver = nmea_to_fix.Receiver()
        with tempfile.TemporaryDirectory(prefix="onefix-") as served, \
                nmea_to_fix.ours(wrapper, boards, served, receiver) as client:
            nmea_to_fix.play(50, [(receiver, client)])
        found = functions(runs, program)
        if not found:
            raise SystemExit("callgrind named no function of the program")
        print("\n".join(with_aliases(found, program)))


main()
