"""The actors of a run. Their choices are random, from the generator of the run.

An episode is the activity of an actor from connecting to disconnecting. Between episodes the actor pauses.
"""

import asyncio
import contextlib

from apps import Apps
from clients import Buoy, Gone, Socket
from configuration import APPS, PROOFS
from people import People
from vandals import Vandals


class Actors(Apps, People, Vandals):

    def __init__(self, world):
        self.world, self.random, self.transcript = world, world.random, world.transcript
        self.numbers = {}
        # The keys and tokens of the apps, as their owner received them.
        self.proofs = {}
        self.is_prepared = False
        # The open session of the owners' page, and the links and sessions that are no longer valid.
        self.session, self.worn = None, []
        self.is_cable_taken = False
        self.presses = 0
        self.buoy = Buoy(self.transcript, world.broker.port)

    def name(self, app):
        self.numbers[app] = self.numbers.get(app, 0) + 1
        return f"{app}/{self.numbers[app]}"

    def chance(self, share):
        return self.random.random() < share

    async def pause(self, least, most):
        await asyncio.sleep(self.random.uniform(least, most))

    async def socket(self, app, name=None, way=None):
        """Opens a connection of an app or of an owner."""
        gateway, way = self.world.gateway, way or (APPS[app][0] if app else "owner")
        who = name or self.name(app or "owner")
        address = {"unix": self.world.chart if app == "chart" else gateway.socket, "owner": gateway.owners,
                 "tcp": self.world.tcp_port, "tls": self.world.tls_port}
        certificate = app if way == "tls" and PROOFS.get(app) == "certificate" else None
        tls = gateway.authority.context(certificate) if way == "tls" else None
        return await Socket.connect(self.transcript, who, app, way, address[way], tls, certificate)

    def proof(self, app):
        return ("certificate", None) if PROOFS.get(app) == "certificate" else self.proofs.get(app)

    async def recur(self, episode, least, most):
        """Repeats an episode. An error in one episode does not affect the next."""
        while True:
            await self.pause(least, most)
            async with self.world.turn():
                await self.world.gateway.ready.wait()
                with contextlib.suppress(Gone):
                    await episode()

    async def once(self, episode):
        with contextlib.suppress(Gone):
            await episode()

    async def pulse(self):
        """Sends PING continuously to check that the daemon responds, and reads the status as an owner."""
        while True:
            await self.world.gateway.ready.wait()
            with contextlib.suppress(Gone):
                line = await self.socket("pulse")
                try:
                    await line.greet()
                    while True:
                        await line.ask("PING", 60)
                        await asyncio.sleep(1)
                finally:
                    line.close()
            await asyncio.sleep(0.1)

    @property
    def askers(self):
        return {"chart": lambda: self.one_fix("chart"), "blur": lambda: self.one_fix("blur"),
                "haven": lambda: self.one_fix("haven"),
                "ferry": lambda: self.one_fix("ferry"), "tug": lambda: self.one_fix("tug"), "cable": self.cable,
                "navi": self.navigate, "plot": lambda: self.plot("plot", self.world.path("nmea")),
                "haze": lambda: self.plot("haze", self.world.nmea_port), "buoy": self.ask_by_mail}

    async def begin(self):
        """Returns when the apps with a button prompt are confirmed."""
        tasks = [self.attend(), self.pulse(), self.buoy.run(), self.watch_border()]
        tasks += [self.recur(*one) for one in (
            (lambda: self.follow("stream", 500), 0.5, 3), (lambda: self.follow("mist", 900_000), 2, 8),
            (lambda: self.follow("dory", 500), 2, 8), (lambda: self.follow("veil", 900_000), 2, 8),
            (lambda: self.register("veil"), 3, 10), (lambda: self.register("warden"), 3, 10), (self.refused, 2, 6),
            (self.malformed, 0.3, 2), (self.crowd, 3, 8), (self.impostor, 1, 5), (self.burgle, 1, 5),
            (self.look, 0.5, 3), (self.visit_page, 1, 6), (self.type, 2, 6))]
        begun = [asyncio.create_task(task) for task in tasks]
        await self.introduce()
        tasks = [self.recur(ask, 0.5, 5) for ask in self.askers.values()]
        tasks += [self.recur(*one) for one in (
            (lambda: self.comes_back("chart"), 5, 12), (lambda: self.comes_back("ferry"), 8, 20),
            (lambda: self.comes_back("tug"), 8, 20), (self.decide, 2, 5),
            (self.share, 1, 6))]
        return begun + [asyncio.create_task(task) for task in (*tasks, self.person())]
