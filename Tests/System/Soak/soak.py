#!/usr/bin/env python3
"""Runs the daemon with all faults, and checks the result with an oracle.

usage: soak.py PROGRAMS BOARDS [--seconds N] [--seed S] [--folder FOLDER] [--clock LIBRARY] [--record]
       soak.py PROGRAMS BOARDS --judge FOLDER

PROGRAMS has onefixd and onefix. Prints a table. FOLDER (default: a new folder) keeps transcript.jsonl and report.json.
The exit status is 1 if a rule was broken, or if the oracle did not detect a violation that was inserted as its test.
"""

import argparse
import asyncio
import contextlib
import json
import logging
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from actors import Actors
from clients import Gone
from configuration import APPS, EACH_PRESS, GATEWAY, free_ports
from daemon import Broker, Chrony, Disk, Gateway
from faults import Faults
from oracle import Oracle
from outputs import Points, WebServer
from prove import prove
from receiver import Port, Receiver
from report import report
from transcript import Transcript, read

# The minimum seconds between two rests, during which no client is active and the resources of the daemon are sampled.
REST = 20
# The grace period of sessions, plus the time of remaining work.
SETTLING = 6
# The daemon is killed only in this first share of the run, so that its last life is long.
KILLING = 0.5
# One hour after the epoch of board clocks.
LONG_AGO = 3600


class World:
    def __init__(self, folder, options):
        self.folder, self.options, self.boards = folder, options, options.boards
        self.random = random.Random(options.seed)
        self.transcript = Transcript(os.path.join(folder, "transcript.jsonl"))
        self.work = tempfile.mkdtemp(prefix="onefix-")
        self.tcp_port, self.tls_port, self.gpsd_port, self.nmea_port, self.page_port, broker_port, web_port = \
            free_ports(7)
        self.receiver = Receiver(self.path("receiver"), self.transcript, random.Random(self.random.random()))
        self.cable, self.console = Port(self.path("cable")), Port(self.path("console"))
        for port in (self.receiver.port, self.cable, self.console):
            port.plug()
        self.broker = Broker(self.work, broker_port)
        self.points, self.web_server = Points(self.work, self.transcript), WebServer(web_port, self.transcript)
        # The socket of a single app, in a folder of its own as for a container.
        self.chart = self.path("chart/onefix.sock")
        # The output of a broker takes presses from the readers of sentences, which a short run has few of.
        self.serves_each_press = options.seconds >= 120
        # A clock gets the time of the receiver in every second seed.
        self.chrony = Chrony(self.path("chrony"), self.transcript) if options.seed % 2 else None
        self.disk = self.path("disk")
        self.disk_of_state = Disk(self.disk)
        self.gateway = Gateway(self, self.work, options.programs)
        # Bytes are lost if no process has the port open.
        self.receiver.is_heard = self.gateway.ready.is_set
        self.attended = asyncio.Event()
        self.actors = Actors(self)
        self.faults = Faults(self)
        self.transcript.add("setup", seed=options.seed, seconds=options.seconds, gateway=GATEWAY,
                            apps={name: {"way": way, "accuracy": accuracy, "each_press": way in ("file", "http") or self.serves_each_press and name == EACH_PRESS}
                                  for name, (way, accuracy) in APPS.items()},
                            clock=self.chrony is not None,
                            faults=[*self.faults.deadly, *self.faults.others])
        self.may_act = asyncio.Event()
        self.acting = 0
        self.is_resting = False
        self.is_over = asyncio.get_running_loop().create_future()

    def path(self, name):
        return os.path.join(self.work, name)

    def ended(self, how):
        if how == "by itself" and not self.is_over.done():
            self.is_over.set_result("the daemon has ended by itself")

    @contextlib.asynccontextmanager
    async def turn(self):
        """Returns when an episode may begin. None begins during a rest."""
        while not self.may_act.is_set():
            await self.may_act.wait()
        self.acting += 1
        try:
            yield
        finally:
            self.acting -= 1

    async def rest(self):
        """Disconnects all actors until the end of the rest, and samples the resources of the daemon."""
        self.may_act.clear()
        while self.acting:
            await asyncio.sleep(0.05)
        self.is_resting = True
        await asyncio.sleep(SETTLING)
        with contextlib.suppress(Gone):
            await self.attended.wait()
            said = await self.actors.owner.ask("SESSIONS")
            count = int(said.rpartition("sessions=")[2]) if said and "sessions=" in said else None
            for _ in range(3):
                await self.gateway.sample(count)
                await asyncio.sleep(0.3)
        self.is_resting = False

    async def set_clock_later(self):
        await asyncio.sleep(self.random.uniform(8, 15))
        self.gateway.set_clock(0)

    async def notice_lag(self):
        while True:
            begin = time.monotonic()
            await asyncio.sleep(0.05)
            late = time.monotonic() - begin - 0.05
            if late > 0.02:
                self.transcript.add("lag", seconds=round(late, 3))

    async def run(self):
        begin = time.monotonic()
        tasks = [asyncio.create_task(self.receiver.run()), asyncio.create_task(self.notice_lag()),
                 asyncio.create_task(self.points.run())]
        try:
            await self.broker.start()
            await self.web_server.start()
            if self.random.random() < 0.5:
                await self.gateway.start()
            else:
                # A new board without a battery: its first records have an old time.
                await self.gateway.start(offset=LONG_AGO - int(time.time()))
                tasks.append(asyncio.create_task(self.set_clock_later()))
            tasks.append(asyncio.create_task(
                self.faults.run(lambda: time.monotonic() - begin < KILLING * self.options.seconds)))
            tasks += await self.actors.begin()
            for task in tasks:
                task.add_done_callback(self.failed)
            left = self.options.seconds
            while left > 0 and not self.is_over.done():
                self.may_act.set()
                await asyncio.wait([self.is_over], timeout=min(max(REST, self.options.seconds / 8), 60))
                if self.is_over.done():
                    break
                resting = asyncio.create_task(self.rest())
                resting.add_done_callback(self.failed)
                tasks.append(resting)
                # If the daemon ends, some actors do not return.
                await asyncio.wait([self.is_over, resting], return_when=asyncio.FIRST_COMPLETED)
                left = max(0, self.options.seconds - (time.monotonic() - begin))
                say(f"{left:.0f} s to go, {self.actors.presses} presses")
            # The run ends with a rest: no actor is active, and no fault lasts.
            if not self.is_over.done():
                with contextlib.suppress(Gone):
                    await self.actors.owner.ask("STATUS")
                await self.gateway.export_log()
                await self.gateway.end(signal.SIGTERM)
                # The next start shows the state that the daemon left at its end.
                await self.gateway.start()
                await self.gateway.export_log()
                await self.gateway.end(signal.SIGTERM)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            if self.gateway.process and self.gateway.process.returncode is None:
                self.gateway.process.kill()
            await self.broker.end(signal.SIGKILL)
            await self.web_server.stop()
            self.points.end()
            if self.chrony:
                self.chrony.close()
            self.disk_of_state.close()
            self.transcript.close()
            shutil.rmtree(self.work, ignore_errors=True)

    def failed(self, task):
        """Ends the run after an error in this program."""
        if not task.cancelled() and task.exception() and not self.is_over.done():
            self.is_over.set_exception(task.exception())


def say(text):
    print(text, file=sys.stderr, flush=True)


def enter_own_mounts():
    """Starts again in a private mount namespace for a small disk, and for pseudo-terminals that no other program can
    open. Continues without one if it is not available."""
    if os.environ.get("ONEFIX_SOAK_MOUNTS"):
        subprocess.run(["mount", "-t", "devpts", "-o", "ptmxmode=0666", "devpts", "/dev/pts"], check=False)
        return
    words = ["unshare", "--mount"] + ([] if os.getuid() == 0 else ["--map-root-user"])
    if subprocess.run([*words, "true"], capture_output=True).returncode == 0:
        os.execvpe(words[0], [*words, sys.executable, *sys.argv], dict(os.environ, ONEFIX_SOAK_MOUNTS="1"))


async def soak(folder, options):
    # Also the end by SIGTERM removes all that the run made.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, asyncio.current_task().cancel)
    world = World(folder, options)
    await world.run()
    if world.is_over.done():
        # An error in this program. The transcript has the activity of the daemon.
        world.is_over.result()
    return world.transcript.records


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("boards")
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--folder")
    parser.add_argument("--clock", help="the library of clock.c, for a machine without a compiler")
    parser.add_argument("--record", action="store_true", help="writes the transcript and does not check it")
    parser.add_argument("--judge", help="the folder of a run that is judged again")
    options = parser.parse_args()
    if options.judge:
        folder = options.judge
        records = read(os.path.join(folder, "transcript.jsonl"))
        options.seed, options.seconds = records[0]["seed"], records[0]["seconds"]
    else:
        enter_own_mounts()
        if options.seed is None:
            options.seed = random.SystemRandom().randrange(1_000_000)
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 65536), most))
        folder = options.folder or tempfile.mkdtemp(prefix="onefix-soak-")
        os.makedirs(folder, exist_ok=True)
        say(f"seed {options.seed}, {options.seconds} s …")
        # Writes to closed connections are normal here.
        logging.getLogger("asyncio").setLevel(logging.ERROR)
        records = asyncio.run(soak(folder, options))
        if options.record:
            return
    findings = Oracle(records).judge()
    result = report(findings, prove(records), options)
    with open(os.path.join(folder, "report.json"), "w") as file:
        json.dump(result, file, indent=1)
    print(f"\ntranscript and figures: {folder}")
    sys.exit(1 if result["violations"] or result["blind"] else 0)


if __name__ == "__main__":
    main()
