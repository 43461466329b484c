"""The faults of a run. Each fault begins, lasts and ends. Then the daemon must recover completely."""

import asyncio
import contextlib
import os
import re
import signal
import time

from clients import Gone
from receiver import ROLLOVER, SPEEDS

HOUR, DAY = 3600, 86400
# The maximum seconds of the recovery after a fault. The retry interval for a broker is up to one minute.
RECOVERY = {"broker": 90, "baud": 60}
USUAL_RECOVERY = 30


class Faults:
    def __init__(self, world):
        self.world, self.random, self.transcript = world, world.random, world.transcript
        self.gateway, self.receiver, self.actors = world.gateway, world.receiver, world.actors
        # The faults that end the daemon, and those that it survives.
        self.deadly = {"kill": self.kill, "stop": self.stop, "clock of 1970": self.wake_in_1970}
        self.others = {
            "receiver garbage": self.garbage, "receiver silent": self.silence,
            "receiver unplugged": self.unplug_receiver,
            "baud": self.baud, "week rollover": self.rollover, "app port unplugged": self.unplug_cable,
            "console unplugged": self.unplug_console, "broker stopped": self.stop_broker,
            "broker killed": self.kill_broker,
            "broker stuck": self.hold_broker, "web server away": self.close_web_server,
            "web server busy": lambda: self.web_answer(b"503 Busy\r\nRetry-After: 1", b"429 Later"),
            "web server mute": lambda: self.web_answer(b""), "web server refuses": lambda: self.web_answer(b"400 No"),
            "points taken": self.take_points, "disk full": self.fill_disk, "kill switch": self.lock,
            "reload": self.reload,
            "frozen": self.freeze, "clock step": self.step_clock}
        self.count = 0
        self.queues = {True: [], False: []}

    def next(self, may_kill):
        """Returns every kind of fault in turn, each round in a random order."""
        self.count += 1
        is_deadly = may_kill and self.count % 2 == 1
        queue = self.queues[is_deadly]
        if not queue:
            queue += (self.deadly if is_deadly else self.others).items()
            self.random.shuffle(queue)
        return queue.pop()

    async def run(self, may_kill):
        while True:
            await asyncio.sleep(self.random.uniform(0.3, 2.5))
            async with self.world.turn():
                await self.world.attended.wait()
                name, fault = self.next(may_kill())
                self.transcript.add("fault", what=name, state="begin")
                await fault()
                self.transcript.add("fault", what=name, state="end")
                limit = next((value for key, value in RECOVERY.items() if name.startswith(key)), USUAL_RECOVERY)
                if await self.recovered(limit):
                    self.transcript.add("fault", what=name, state="survived")
                else:
                    self.transcript.add("fault", what=name, state="lost")

    async def recovered(self, limit):
        """Whether the daemon reports within the limit that it has recovered."""
        deadline, epochs = time.monotonic() + limit, self.receiver.epochs
        while time.monotonic() < deadline:
            with contextlib.suppress(Gone):
                await asyncio.wait_for(self.world.attended.wait(), limit)
                status = dict(re.findall(r"(\S+)=(\S+)", await self.actors.owner.ask("STATUS") or ""))
                if (status.get("receiver"), status.get("mqtt-1-state"), status.get("locked"), status.get("log")) == (
                        "ready", "connected", "false", "good") and self.receiver.epochs > epochs:
                    return True
            await asyncio.sleep(0.2)
        return False

    async def lasting(self, least, most):
        await asyncio.sleep(self.random.uniform(least, most))

    # MARK: The daemon's end

    async def kill(self):
        """Kills the daemon at any moment, also directly after a press."""
        if self.actors.chance(0.5):
            pressing = asyncio.create_task(self.actors.press())
            await self.lasting(0, 0.6)
            await self.gateway.end(signal.SIGKILL)
            await pressing
        else:
            await self.gateway.end(signal.SIGKILL)
        await self.start()

    async def stop(self):
        await self.gateway.end(signal.SIGTERM)
        await self.start()

    async def wake_in_1970(self):
        """Simulates a board without a battery: a time server corrects the clock some time later."""
        await self.gateway.end(signal.SIGKILL)
        await self.start(offset=-int(time.time()) + self.random.randrange(0, 3000))
        await self.lasting(4, 8)
        self.gateway.set_clock(0)

    async def start(self, offset=0):
        await self.gateway.start(offset)
        await self.world.attended.wait()
        await self.gateway.export_log()

    async def freeze(self):
        """Suspends the daemon, as on a busy machine."""
        self.transcript.add("fault", what="frozen", state="stopped")
        os.kill(self.gateway.process.pid, signal.SIGSTOP)
        await self.lasting(0.2, 1.5)
        os.kill(self.gateway.process.pid, signal.SIGCONT)
        self.transcript.add("fault", what="frozen", state="continued")

    # MARK: Its surroundings

    async def step_clock(self):
        self.gateway.set_clock(self.random.choice([-HOUR, HOUR, -12 * HOUR, 12 * HOUR, -1, 1, 30, -30]))
        await self.lasting(2, 5)
        self.gateway.set_clock(0)

    async def garbage(self):
        self.receiver.damage = self.random.choice([0.001, 0.01, 0.2])
        await self.lasting(2, 5)
        self.receiver.damage = 0

    async def silence(self):
        self.receiver.is_silent = True
        await self.lasting(1, 5)
        self.receiver.is_silent = False

    async def unplugged(self, port):
        port.unplug()
        await self.lasting(0.3, 3)
        port.plug()

    async def unplug_receiver(self):
        await self.unplugged(self.receiver.port)

    async def unplug_cable(self):
        await self.unplugged(self.world.cable)

    async def unplug_console(self):
        await self.unplugged(self.world.console)

    async def baud(self):
        """Changes the speed of the receiver, as if it had lost its settings."""
        self.receiver.speed = self.random.choice([speed for speed in SPEEDS if speed != self.receiver.speed])

    async def rollover(self):
        """Simulates old firmware with a date that is 19.6 years behind."""
        self.receiver.offset = -ROLLOVER
        await self.lasting(3, 6)
        self.receiver.offset = 0

    async def stop_broker(self):
        await self.world.broker.end()
        await self.lasting(0.2, 3)
        await self.world.broker.start()

    async def kill_broker(self):
        await self.world.broker.end(signal.SIGKILL)
        await self.lasting(0, 1)
        await self.world.broker.start()

    async def hold_broker(self):
        os.kill(self.world.broker.process.pid, signal.SIGSTOP)
        await self.lasting(1, 4)
        os.kill(self.world.broker.process.pid, signal.SIGCONT)

    async def close_web_server(self):
        await self.world.web_server.stop()
        await self.lasting(0.5, 5)
        await self.world.web_server.start()

    async def web_answer(self, *answers):
        """Lets the web server give one of the answers for some time. With an empty one, it closes the connection."""
        self.world.web_server.answer = self.random.choice(answers)
        await self.lasting(1, 5)
        self.world.web_server.answer = b"200 OK"

    async def take_points(self):
        self.world.points.take()

    async def fill_disk(self):
        self.world.disk_of_state.fill(self.gateway.process.pid)
        await self.lasting(3, 6)
        self.world.disk_of_state.clear(self.gateway.process.pid)

    # MARK: Its owner

    async def lock(self):
        with contextlib.suppress(Gone):
            how = self.random.randrange(3)
            if how == 0:
                await self.actors.owner.ask("LOCK")
            elif how == 1 and await self.actors.say_on_page("lock"):
                pass
            elif await self.actors.hold() != "locked":
                return
            await self.lasting(1, 3)
            for _ in range(20):
                if await self.actors.hold() == "unlocked":
                    return
                await asyncio.sleep(0.2)

    async def reload(self):
        """Reloads, sometimes with a new certificate, which new connections receive."""
        if self.actors.chance(0.5):
            await asyncio.to_thread(self.gateway.authority.issue, "server")
        with contextlib.suppress(Gone):
            if self.actors.chance(0.5):
                os.kill(self.gateway.process.pid, signal.SIGHUP)
            else:
                await self.actors.owner.ask("RELOAD")
