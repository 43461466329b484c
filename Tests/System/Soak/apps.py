"""The episodes of apps, each from connecting to disconnecting."""

import asyncio
import contextlib
import re

from clients import Cable, Gone, GPSClient, Plotter


class Apps:
    """Apps that request the location and accept a refusal."""

    async def one_fix(self, app):
        """Connects, sends one request, and disconnects with or without BYE."""
        line = await self.socket(app)
        try:
            if not await line.greet(self.proof(app)):
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
            words.append(f"accuracy={self.random.choice(['reduced', 'place'])}")
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
            # The app sends no acknowledgement, so the fix is sent again.
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
        """Sends a request, loses its connection, and resumes its session within the grace period."""
        first = await self.socket(app)
        try:
            token = await first.greet(self.proof(app))
            if not token:
                return
            await first.ask("REQ once timeout=8")
            await self.pause(0.2, 2)
        finally:
            (first.vanish if first.is_open else first.close)()
        await self.pause(0, 2)
        again = await self.socket(app, name=first.who)
        try:
            if await again.greet(self.proof(app), session=token):
                said = await again.heard(lambda said: said.startswith(("MSG fix/once", "-ERR")), 9)
                if found := re.match(r"MSG fix/once \S+ id=(\d+)", said or ""):
                    await again.ask(f"ACK {found.group(1)}")
                await self.leave(again)
        finally:
            again.close()

    async def cable(self):
        if not self.world.cable.is_plugged or self.is_cable_taken:
            return
        self.is_cable_taken = True
        line = Cable(self.transcript, self.name("cable"), "cable", self.world.cable)
        try:
            if await line.greet():
                await self.ask_once(line)
                await line.ask("BYE", 5)
        finally:
            line.close()
            self.is_cable_taken = False

    async def navigate(self):
        client = await GPSClient.connect(self.transcript, self.name("navi"), "navi", self.world.gpsd_port)
        try:
            settings, end = self.random.choice([
                ('"enable":true,"json":true', '"lat"'), ('"nmea":true,"json":false', "$GNGST"), ('"enable":true', None)])
            client.write(f"?WATCH={{{settings}}}")
            if end is None:
                await self.poll(client)
            else:
                await client.heard(lambda said: end in said, 8)
            if self.chance(0.3):
                client.write("?POLL;")
                await self.pause(0.5, 1.5)
            if self.chance(0.5):
                client.write('?WATCH={"enable":false}')
                await self.pause(0.1, 0.5)
        finally:
            client.close()

    async def poll(self, client):
        """Polls until the client has its fix. Some polls come too late for the fix of a press."""
        for _ in range(self.random.randrange(2, 8)):
            await self.pause(0.2, self.random.choice([1, 1, 1, 15]))
            client.write("?POLL;")
            if await client.heard(lambda said: '"lat"' in said, 1.5):
                return

    async def plot(self, app, address):
        client = await Plotter.connect(self.transcript, self.name(app), app, address)
        try:
            if self.chance(0.2):
                client.write("$PUBX,40,GLL,0,0,0,0*5C")
            # The sentence GST is the last one of an epoch.
            await client.heard(lambda said: said.startswith("$GNGST"), 8)
            await self.pause(0, 1.5)
        finally:
            (client.vanish if client.is_open and self.chance(0.3) else client.close)()

    async def ask_by_mail(self):
        await self.buoy.request()
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self.buoy.fixes.wait(), 8)
        if not self.buoy.fixes.is_set():
            await self.buoy.publish("onefix/soak/buoy/cancel", "{}")

    async def follow(self, app, interval):
        """Receives updates until they end."""
        line = await self.socket(app)
        try:
            if not await line.greet(self.proof(app)):
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
        """Apps that are denied or restricted send requests too."""
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

    # MARK: Regions

    def region(self, name="home"):
        """A region whose border crosses the path of the receiver, so that the receiver enters and leaves it."""
        latitude, longitude = self.world.receiver.beside({"home": 0, "mill": 1, "quay": 2}[name])
        return f"REGION ADD {name} {latitude:.6f} {longitude:.6f} 100 enter,exit :Is the oven off?"

    async def watch_border(self):
        """A client that stays connected and may always know the location: it receives the events."""
        while True:
            await self.world.gateway.ready.wait()
            with contextlib.suppress(Gone):
                line = await self.socket("guard")
                try:
                    await line.greet()
                    await line.ask("SUB region/+ r")
                    while True:
                        # The app registers a region again after an owner removed it.
                        for name in ("home", "mill", "quay"):
                            await line.ask(self.region(name))
                        await line.heard(lambda said: False, self.random.uniform(3, 9))
                finally:
                    line.close()
            await asyncio.sleep(0.1)

    async def register(self, app):
        """An app with a lower right receives no events. The owners receive them."""
        line = await self.socket(app)
        try:
            if not await line.greet(self.proof(app)):
                return
            await line.ask("SUB # all")
            await line.ask(self.region())
            await line.ask("REGION LIST")
            if self.chance(0.1):
                await line.ask("REGION DEL home")
                await line.ask(self.region())
            await self.pause(0.5, 4)
            await self.leave(line)
        finally:
            line.close()
