"""What apps, owners, a person at the button and one at the console do: by chance, but by the run's own.

An episode is what somebody does from coming to going; between episodes there is rest.
"""

import asyncio
import contextlib
import json
import re

from clients import Buoy, Cable, Gone, GPSClient, Socket, Typist

# An app has to have waited for 300 ms when the button goes down.
ARMED = 0.35

BAD_LINES = [
    b"", b" ", b"\x00\xfe\x80", b"GIVE me", b"REQ", b"REQ twice", b"SUB", b"SUB fix/once/# #", b"SUB + # + #", b"ACK x",
    b"ACK 99999999999999999999999", b"REQ once max-age=-1", b"REQ once timeout=never", b"START updates interval=x",
    b"@",
    b"@@@@ PING PING", b"REGION ADD a 91 0 100 enter :x", b"PRESS", b"HOLD", b"LOCK", b"SET vandal status always",
    b"ANSWER 1 while-using", b"KEY ADD vandal", b"APPS", b"LOG", b"\xf0\x9f\x8f\x84\xff", b"STATE sideways",
    b"AUTH token=",
    b"UNSUB nothing", b"x" * 5000, b"+OK", b"-ERR 500 internal", b'MSG fix/once - id=1 {"lat":1}',
    b"SUB fix/\xc0\xaf x",
    b"AUTHORIZE all", b"STOP", b"HELLO 1 app=chart", b"REQ once purpose=\x1b[2J", b"USE vandal", b"RELOAD",
]


class Actors:
    def __init__(self, world):
        self.world, self.random, self.transcript = world, world.random, world.transcript
        self.numbers = {}
        self.keys = {}
        self.presses = 0
        self.buoy = Buoy(self.transcript, world.broker.port)

    def name(self, app):
        self.numbers[app] = self.numbers.get(app, 0) + 1
        return f"{app}/{self.numbers[app]}"

    def chance(self, share):
        return self.random.random() < share

    async def pause(self, least, most):
        await asyncio.sleep(self.random.uniform(least, most))

    async def socket(self, app, name=None):
        """A connection of an app, or of an owner."""
        gateway = self.world.gateway
        who = name or self.name(app or "owner")
        if app is None:
            return await Socket.connect(self.transcript, who, None, path=gateway.owners)
        if app in self.keys:
            return await Socket.connect(self.transcript, who, app, port=self.world.tcp_port)
        return await Socket.connect(self.transcript, who, app, path=gateway.socket)

    async def recur(self, episode, least, most):
        """An episode again and again; what is in the way of one is no matter to the next."""
        while True:
            await self.pause(least, most)
            async with self.world.turn():
                await self.world.gateway.ready.wait()
                with contextlib.suppress(Gone):
                    await episode()

    # MARK: Apps

    async def one_fix(self, app):
        """Comes, asks once, and goes: in order, or not."""
        line = await self.socket(app)
        try:
            if not await line.greet(self.keys.get(app)):
                return
            await self.ask_once(line)
            await self.leave(line)
        finally:
            line.close()

    async def ask_once(self, line):
        if self.chance(0.3):
            await line.ask(self.random.choice(["SUB fix/once f 1", "SUB # all", "SUB indicator i", "SUB fix/once f"]))
        words = ["REQ once timeout=8"]
        if self.chance(0.15):
            words.append("accuracy=reduced")
        if self.chance(0.3):
            words.append("purpose=To know where this is")
        if self.chance(0.2):
            words.append(f"max-age={self.random.randrange(500, 5000)}")
        if (reply := await line.ask(" ".join(words))) is None or not reply.startswith("+OK"):
            return
        if self.chance(0.1):
            await self.pause(0, 1)
            await line.ask("CANCEL")
            return
        said = await line.heard(lambda said: said.startswith(("MSG fix/once", "-ERR")), 9)
        found = re.match(r"MSG fix/once \S+ id=(\d+)", said or "")
        if not found:
            return
        if self.chance(0.15):
            # It does not acknowledge: it is told again.
            await line.heard(lambda said: " dup=1" in said, 7)
        if not self.chance(0.1):
            await line.ask(f"ACK {found.group(1)}")

    async def leave(self, line):
        how = self.random.random()
        if how < 0.6:
            await line.ask("BYE", 5)
        elif how < 0.8 and hasattr(line, "vanish"):
            line.send(b"REQ onc")
            line.vanish()

    async def comes_back(self, app):
        """Asks, loses its connection, and takes its session up again within the grace period."""
        first = await self.socket(app)
        try:
            token = await first.greet(self.keys.get(app))
            if not token:
                return
            await first.ask("REQ once timeout=8")
            await self.pause(0.2, 2)
        finally:
            (first.vanish if first.is_open else first.close)()
        await self.pause(0, 2)
        again = await self.socket(app, name=first.who)
        try:
            if await again.greet(self.keys.get(app), session=token):
                said = await again.heard(lambda said: said.startswith(("MSG fix/once", "-ERR")), 9)
                if found := re.match(r"MSG fix/once \S+ id=(\d+)", said or ""):
                    await again.ask(f"ACK {found.group(1)}")
                await self.leave(again)
        finally:
            again.close()

    async def cable(self):
        if not self.world.cable.is_plugged:
            return
        line = Cable(self.transcript, self.name("cable"), "cable", self.world.cable)
        try:
            if await line.greet():
                await self.ask_once(line)
                await line.ask("BYE", 5)
        finally:
            line.close()

    async def navigate(self):
        client = await GPSClient.connect(self.transcript, self.name("navi"), "navi", self.world.gpsd_port)
        try:
            client.write('?WATCH={"enable":true,"json":true}')
            await client.heard(lambda said: '"lat"' in said, 8)
            if self.chance(0.3):
                client.write("?POLL;")
                await self.pause(0.5, 1.5)
            if self.chance(0.5):
                client.write('?WATCH={"enable":false}')
                await self.pause(0.1, 0.5)
        finally:
            client.close()

    async def ask_by_mail(self):
        await self.buoy.request()
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self.buoy.fixes.wait(), 8)
        if not self.buoy.fixes.is_set():
            await self.buoy.publish("onefix/soak/buoy/cancel", "{}")

    async def follow(self, app, interval):
        """Updates, for as long as it may."""
        line = await self.socket(app)
        try:
            if not await line.greet(self.keys.get(app)):
                return
            await line.ask("SUB # all")
            if self.chance(0.3):
                await line.ask("AUTHORIZE when-in-use purpose=To draw the way")
                await self.pause(0, 4)
            await line.ask(f"START updates interval={interval}")
            await line.heard(lambda said: said.startswith("-ERR"), self.random.uniform(2, 6))
            if self.chance(0.5):
                await line.ask("REQ once timeout=5")
                await self.pause(0.5, 2)
            await line.ask("STOP updates")
            await self.leave(line)
        finally:
            line.close()

    async def refused(self):
        """Who is denied, and who may never: they ask all the same."""
        for app, words in (("barred", ["START updates interval=0", "AUTHORIZE always purpose=Please"]),
                           ("forbidden", ["REQ once timeout=5", "START updates", "AUTHORIZE when-in-use"])):
            line = await self.socket(app)
            try:
                if await line.greet():
                    await line.ask("SUB # all")
                    for word in words:
                        await line.ask(word)
                    await self.pause(0.5, 3)
                    await line.ask("BYE", 5)
            finally:
                line.close()

    async def malformed(self):
        """Lines that are none. Each is answered by an error, and then the last one, which is good."""
        line = await self.socket("vandal")
        try:
            if not await line.greet():
                return
            for _ in range(self.random.randrange(5, 35)):
                bad = self.random.choice(BAD_LINES)
                if self.chance(0.2):
                    bad = self.random.randbytes(self.random.randrange(1, 200)).replace(b"\n", b"\r")
                line.write(bad)
            if await line.ask("PING") is None:
                return
            if self.chance(0.5):
                line.vanish()
        finally:
            line.close()

    async def crowd(self):
        """Connections that say nothing, half a line, or hang up at once."""
        lines = []
        try:
            for _ in range(self.random.randrange(5, 25)):
                with contextlib.suppress(Gone):
                    lines.append(await self.socket("vandal"))
                    lines[-1].send(self.random.choice([b"", b"HELLO 1 ap", b"\n\n\n", b"PING\nPING\nPING\n"]))
            await self.pause(0, 1)
        finally:
            for line in lines:
                (line.vanish if line.is_open and self.chance(0.5) else line.close)()

    # MARK: People

    async def pulse(self):
        """Somebody who always asks whether the daemon is there, and owners who see how it is."""
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

    async def attend(self):
        """An owner, who is there from the start of each daemon on."""
        while True:
            await self.world.gateway.ready.wait()
            with contextlib.suppress(Gone):
                self.owner, self.hand = await self.socket(None), await self.socket(None)
                try:
                    await self.owner.greet()
                    await self.hand.greet()
                    await self.owner.ask("SUB owner/prompt p")
                    await self.prepare()
                    self.world.attended.set()
                    while True:
                        said = await self.owner.heard(lambda said: said.startswith("MSG owner/prompt"), 3600)
                        await self.answer(json.loads(said[said.index("{"):]))
                finally:
                    self.world.attended.clear()
                    self.owner.close()
                    self.hand.close()
            await asyncio.sleep(0.05)

    async def prepare(self):
        if self.keys:
            return
        for app in ("ferry", "mist"):
            reply = await self.owner.ask(f"KEY ADD {app}")
            self.keys[app] = re.search(r"key=(\S+)", reply).group(1)
        await self.owner.ask("SET mist status always")
        await self.owner.ask("SET barred status denied")

    async def answer(self, prompt):
        """What the button does not answer; a question that is new takes no answer for a second."""
        if prompt["state"] != "open" or prompt["kind"] in ("confirm", "introduce"):
            return
        await self.pause(1.1, 3)
        choice = self.random.choice(prompt["choices"].split(","))
        await self.owner.ask(f"ANSWER {prompt['prompt']} {choice}")

    async def decide(self):
        """The owner changes what an app may."""
        await self.world.attended.wait()
        app = self.random.choice(["stream", "stream", "stream", "ferry", "cable", "blur"])
        if app == "stream":
            words = ["status always", "status always", "status denied"]
        else:
            words = ["status always", "status denied"]
        word = self.random.choice(words)
        await self.owner.ask(f"SET {app} {word}")
        if app != "stream":
            await self.pause(1, 5)
            await self.owner.ask(f"RESET {app}")

    async def look(self):
        """The owner reads."""
        await self.world.attended.wait()
        words = ["STATUS", "APPS", "SESSIONS", "SKY", "COUNTS", "LOG", "METRICS", "VERIFY", "PROMPTS"]
        await self.owner.ask(self.random.choice(words))

    async def press(self, milliseconds=None):
        milliseconds = milliseconds or self.random.randrange(30, 400)
        await self.world.attended.wait()
        self.presses += 1
        number = self.presses
        self.transcript.add("press", number=number, milliseconds=milliseconds)
        try:
            reply = await self.hand.ask(f"PRESS ms={milliseconds}", 30)
        except Gone:
            return
        found = re.search(r"effect=(\S+) released_ns=(\d+)", reply or "")
        if found:
            self.transcript.add("released", number=number, up=int(found.group(2)) / 1e9, effect=found.group(1))

    async def hold(self):
        await self.world.attended.wait()
        reply = await self.hand.ask("HOLD", 30)
        found = re.search(r"effect=(\S+)", reply or "")
        return found.group(1) if found else None

    async def type(self):
        """Somebody at the console, who can type, and somebody who cannot."""
        if not self.world.console.is_plugged:
            return
        typist = Typist(self.transcript, self.name("console"), self.world.console)
        try:
            typist.type(b"\r")
            for _ in range(self.random.randrange(2, 8)):
                typist.type(self.random.choice([
                    b"status\r", b"apps\r", b"log 5\r", b"help\r", b"stat\t\r", b"\x03", b"\x1b[A\r", b"show chart\r",
                    b"prompts\r",
                    self.random.randbytes(20).replace(b"\x04", b"\x05") + b"\x03"]))
                await self.pause(0.2, 0.8)
            typist.type(b"\x03quit\r")
            await self.pause(0.2, 0.5)
        finally:
            typist.close()

    async def person(self):
        """Presses, whoever may wait; not while everybody rests."""
        while True:
            await self.pause(0.6, 2.6)
            if not self.world.is_resting:
                with contextlib.suppress(Gone):
                    await self.press()

    async def introduce(self):
        """Each app alone, until a person has confirmed it: those that are confirmed go before the others."""
        await self.world.attended.wait()
        apps = list(self.askers.items())
        self.random.shuffle(apps)
        for app, ask in apps:
            for _ in range(3):
                asking = asyncio.create_task(self.once(ask))
                while not asking.done():
                    await asyncio.sleep(ARMED)
                    await self.press(60)
                    # A question may be answered after a second.
                    await asyncio.wait([asking], timeout=1.1)
                if app in self.introduced():
                    break

    async def once(self, episode):
        with contextlib.suppress(Gone):
            await episode()

    def introduced(self):
        """Who was ever given a place."""
        return {record["app"] for record in self.transcript.records
                if record["kind"] == "heard" and record["app"] and '"lat"' in record["text"]}

    # MARK: All of them

    @property
    def askers(self):
        return {"chart": lambda: self.one_fix("chart"), "blur": lambda: self.one_fix("blur"),
                "ferry": lambda: self.one_fix("ferry"), "cable": self.cable, "navi": self.navigate,
                "buoy": self.ask_by_mail}

    async def begin(self):
        """Returns once the apps are known that ask at the button."""
        tasks = [self.attend(), self.pulse(), self.buoy.run()]
        tasks += [self.recur(*one) for one in (
            (lambda: self.follow("stream", 500), 0.5, 3), (lambda: self.follow("mist", 900_000), 2, 8),
            (self.refused, 2, 6),
            (self.malformed, 0.5, 3), (self.crowd, 3, 8), (self.look, 0.5, 3), (self.type, 2, 6))]
        begun = [asyncio.create_task(task) for task in tasks]
        await self.introduce()
        tasks = [self.recur(ask, 0.5, 5) for ask in self.askers.values()]
        tasks += [self.recur(*one) for one in (
            (lambda: self.comes_back("chart"), 5, 12), (lambda: self.comes_back("ferry"), 8, 20), (self.decide, 2, 5))]
        return begun + [asyncio.create_task(task) for task in (*tasks, self.person())]
