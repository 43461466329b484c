#!/usr/bin/env python3
"""Lists the functions that the daemon runs in normal use, so that the linker can put them together.

usage: function_order.py ONEFIXD BOARDS >ORDER

The kernel reads a program in pieces of 64 KiB and more. If used and unused functions are mixed, most of the program is
read. callgrind runs the daemon in normal use: presses of an app with a right and of an app with a prompt, and updates
from a receiver on a serial port.
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
    """Returns the functions of a program that ran, from callgrind's files. (Callgrind Format Specification, version 1:
    a name follows its number once)"""
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
    # A function without a name has its address.
    return [name for name in found if not name.startswith("0x")]


def with_aliases(names, program):
    """Returns the names and the names of identical functions that the linker has merged, because it may have kept any
    of them."""
    at, of = {}, {}
    for line in subprocess.run(["nm", "--defined-only", program], check=True, capture_output=True, text=True).stdout.splitlines():
        address, kind, name = line.split(" ", 2)
        if kind in "tTwWvV":
            at.setdefault(address, []).append(name)
            of.setdefault(name, []).append(address)
    # A name of several functions does not identify their aliases.
    return sorted(set(names).union(*(at[of[name][0]] for name in names if len(of.get(name, [])) == 1)))


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    onefixd, boards = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
    with tempfile.TemporaryDirectory(prefix="onefix-") as folder:
        program, runs = os.path.join(folder, "onefixd"), os.path.join(folder, "runs")
        shutil.copy(onefixd, program)
        # Valgrind does not know every format of debug information.
        subprocess.run(["strip", "--strip-debug", program], check=True)
        os.mkdir(runs)
        wrapper = os.path.join(folder, "wrapper")
        with open(wrapper, "w") as file:
            file.write("#!/bin/sh\nexec valgrind --quiet --tool=callgrind --demangle=no "
                       f"--callgrind-out-file='{runs}/%p' '{program}' \"$@\"\n")
        os.chmod(wrapper, 0o755)
        # All steps are this much slower under callgrind.
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
