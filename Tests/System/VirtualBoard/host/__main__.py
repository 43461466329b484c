"""Boots the virtual board, runs the checks in it, and prints the results. See ../README.md."""

import argparse
import os
import platform
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from host import machine
from host.artefacts import Artefacts, prepare, say
from host.guest import furnish
from host.report import Report, verdict
from host.verdict import Broken, Impossible

# The releases of Debian on which the board runs. Its kernel is that of Debian 12 on each of them.
HOSTS = ("12", "13")

# Each board uses a processor and half a gigabyte of memory.
MOST_BOARDS = 2

TOOLS = {"qemu-system-x86_64": "qemu-system-x86", "make": "make", "gcc-12": "gcc-12", "apt-get": "apt"}


def main() -> int:
    arguments = parser().parse_args()
    try:
        check_host()
        artefacts = prepare()
        if arguments.prepare:
            return 0
        return checked(artefacts, arguments)
    except Impossible as reason:
        print(f"virtual board: SKIP {reason}")
        # In CI a board that cannot run is an error. Otherwise the missing checks would stay unnoticed.
        return 1 if os.environ.get("CI") else 0
    except Broken as fault:
        print(f"virtual board: FAILED: {fault}")
        return 1


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="Scripts/virtual-board", description=__doc__)
    parser.add_argument("--prepare", action="store_true", help="only make what is cached outside the tree")
    parser.add_argument("--programs", type=Path, required=True, help="the folder with onefixd")
    parser.add_argument("--only", default="", metavar="TEXT", help="only scenarios whose title contains the text")
    parser.add_argument("--limit", type=float, default=400, metavar="S", help="seconds until the machine is switched off")
    parser.add_argument("--verbose", action="store_true", help="say each check, and show the console at the end")
    parser.add_argument("--display", action="store_true", help="draw each picture of the display in this terminal")
    return parser


def check_host() -> None:
    """Checks at the start whether this machine can run the board."""
    if platform.machine() != "x86_64":
        raise Impossible(f"it is an amd64 board, and this machine is {platform.machine()}: its programs do not run there")
    release = Path("/etc/debian_version")
    if not release.exists() or release.read_text().split(".")[0] not in HOSTS:
        raise Impossible("it gets Python and the C library from Debian 12 or 13, and this machine runs something else")
    for tool, package in TOOLS.items():
        if shutil.which(tool) is None:
            raise Impossible(f"there is no {tool} (Debian package {package})")


def checked(artefacts: Artefacts, arguments: argparse.Namespace) -> int:
    """Runs the scenarios on as many boards as there are processors."""
    began = time.monotonic()
    if not (arguments.programs / "onefixd").exists():
        raise Broken(f"{arguments.programs}/onefixd is not built")
    folder = Path(tempfile.mkdtemp(prefix="virtual-board-"))
    try:
        initial = folder / "initial"
        initial.write_bytes(furnish(artefacts, arguments.programs, folder).bytes())
        boards = 1 if arguments.only else min(len(os.sched_getaffinity(0)), MOST_BOARDS)

        def run(number: int) -> Report:
            board = folder / f"board-{number}"
            board.mkdir()
            report = Report(arguments.verbose)
            words = f"board.only={arguments.only.replace(' ', '+')} board.part={number}/{boards}"
            words += " board.draw=yes" if arguments.display else ""
            status = machine.run(artefacts.kernel, initial, board, words, arguments.limit, report.take)
            console = board / "console"
            report.finish(status, console.read_text(errors="replace") if console.exists() else "", arguments.limit)
            return report

        with ThreadPoolExecutor() as pool:
            reports = list(pool.map(run, range(boards)))
        if arguments.verbose:
            say(f"{time.monotonic() - began:.1f} s, on {boards} boards")
        return verdict(reports)
    finally:
        shutil.rmtree(folder)


sys.exit(main())
