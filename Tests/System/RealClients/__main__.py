"""Runs real clients with onefixd: Home Assistant, every client of gpsd, GeoClue, and OpenCPN.

python3 Tests/System/RealClients --programs FOLDER --roots FOLDER [--only TEXT] VERSION…

The first folder has onefixd and onefix, and the second was created by Tests/System/RealClients/prepare. VERSION is one
of Home Assistant.
"""

import argparse
import os
import sys
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

# pylint: disable=wrong-import-position
from desktop import GeoClue, Plotter
from gpsd_clients import Clients
from home import Home
from rig import Failure

DOCUMENTATION = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "Sources", "Documentation")


class Report:
    """The results of the checks."""

    def __init__(self, only):
        self.only = only
        self.failures = 0

    def note(self, client, name, begin, failure=None):
        line = f"{'FAIL' if failure else 'ok  '} {client}: {name.replace('_', ' ')} ({time.monotonic() - begin:.0f} s)"
        print(line if failure is None else f"{line}\n     {failure}", flush=True)
        self.failures += failure is not None

    def run(self, client, make):
        begin = time.monotonic()
        scene = None
        try:
            scene = make()
            for name, check in scene.checks():
                if self.only not in name:
                    continue
                begin = time.monotonic()
                try:
                    check()
                except Failure as failure:
                    self.note(client, name, begin, failure)
                else:
                    self.note(client, name, begin)
        except Exception as failure:  # pylint: disable=broad-exception-caught
            traceback.print_exc()
            self.note(client, "is set up", begin, failure)
        finally:
            if scene:
                scene.stop()
        if scene:
            print("     " + ", ".join(scene.versions()), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True)
    parser.add_argument("--roots", required=True)
    parser.add_argument("--only", default="", help="checks whose names contain this")
    parser.add_argument("--client", default="", help="gpsd, geoclue, opencpn, or a version of Home Assistant, alone")
    parser.add_argument("versions", nargs="*")
    options = parser.parse_args()
    report = Report(options.only)
    root = os.path.join(options.roots, "trixie")
    if options.client in ("", "gpsd"):
        report.run("gpsd", lambda: Clients(options.programs, root))
    if options.client in ("", "geoclue"):
        report.run("GeoClue", lambda: GeoClue(options.programs, root, DOCUMENTATION))
    if options.client in ("", "opencpn"):
        report.run("OpenCPN", lambda: Plotter(options.programs, root))
    for version in options.versions:
        if options.client in ("", version):
            report.run(
                f"Home Assistant {version}", lambda: Home(options.programs, options.roots, version, DOCUMENTATION))
    sys.exit(report.failures > 0)


if __name__ == "__main__":
    main()
