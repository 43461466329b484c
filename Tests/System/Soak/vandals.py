"""Clients that are neither apps nor owners, or that send invalid data."""

import contextlib

from clients import Cable, Gone, GPSClient, Plotter
from browser import Browser
from transcript import text

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


# Commands that need the rights of an owner.
ORDERS = (b"PRESS", b"HOLD", b"LOCK", b"SET", b"ANSWER", b"KEY", b"USE", b"RELOAD")


class Vandals:
    """Clients that never receive a disclosure."""

    def bad_line(self, most=6000):
        if self.chance(0.2):
            return self.random.randbytes(self.random.randrange(1, 200)).replace(b"\n", b"\r")
        return self.random.choice(BAD_LINES)[:most]

    async def malformed(self):
        """Sends invalid lines on every transport. Each receives an error, and the last line, which is valid, its
        reply."""
        way = self.random.choice(["unix", "tcp", "tls", "owner", "serial", "gpsd", "nmea", "mqtt", "page"])
        if way in ("gpsd", "nmea", "mqtt", "page"):
            return await getattr(self, f"malformed_{way}")()
        if way == "serial":
            return await self.malformed_serial()
        line = await self.socket(None if way == "owner" else "vandal", self.name("vandal"), way)
        try:
            if not await line.greet(self.proof("vandal") if way in ("tcp", "tls") else None):
                return
            for _ in range(self.random.randrange(5, 35)):
                bad = self.bad_line()
                if way != "owner" or not bad.startswith(ORDERS):
                    line.write(bad)
            if await line.ask("PING") is not None and self.chance(0.5):
                line.vanish()
        finally:
            line.close()

    async def malformed_serial(self):
        if not self.world.cable.is_plugged or self.is_cable_taken:
            return
        self.is_cable_taken = True
        line = Cable(self.transcript, self.name("vandal"), "cable", self.world.cable)
        try:
            if await line.greet(has_checksums=False):
                for _ in range(self.random.randrange(3, 9)):
                    line.write(self.bad_line(most=600))
                await line.ask("PING")
                await line.ask("BYE", 5)
        finally:
            line.close()
            self.is_cable_taken = False

    async def malformed_gpsd(self):
        line = await GPSClient.connect(self.transcript, self.name("vandal"), "navi", self.world.gpsd_port)
        try:
            await line.heard(lambda said: '"VERSION"' in said)
            for _ in range(self.random.randrange(3, 15)):
                line.write(self.random.choice([
                    self.bad_line(), b"?", b"?WATCH={", b'?WATCH={"enable":"x"}', b"?DEVICE={}", b"?POLL", b"?NONE;",
                    b'?WATCH={"json":' + b"[" * 500]))
            line.write("?VERSION;")
            await line.heard(lambda said: '"VERSION"' in said)
        finally:
            line.close()

    async def malformed_nmea(self):
        app, address = self.random.choice([("plot", self.world.path("nmea")), ("haze", self.world.nmea_port)])
        line = await Plotter.connect(self.transcript, self.name("vandal"), app, address)
        try:
            await line.heard(lambda said: said.startswith("$"))
            with contextlib.suppress(Gone):
                for _ in range(self.random.randrange(3, 9)):
                    line.write(self.bad_line(most=400))
                if self.chance(0.5):
                    line.write(b"$" * 4096)
                    # The daemon closes the connection.
                    while await line.heard(lambda said: True) is not None:
                        pass
        finally:
            line.close()

    async def malformed_mqtt(self):
        who = {"who": self.name("vandal"), "app": None, "way": "mqtt"}
        self.transcript.add("open", **who)
        for _ in range(self.random.randrange(3, 9)):
            topic = "onefix/soak/" + self.random.choice(["buoy/request", "buoy/cancel", "chart/request", "buoy/none"])
            # An empty payload is a valid request.
            payload = self.random.choice([
                self.bad_line().decode("latin-1").strip() or "}", "{", "[]", '{"id":1}', '{"id":"a b"}',
                '{"timeout":"x","id":"b"}', '{"id":"' + "x" * 3000 + '"}'])
            self.transcript.add("said", **who, topic=topic, text=payload)
            await self.buoy.publish(topic, payload)

    async def malformed_page(self):
        browser = Browser(self.transcript, self.world.page_port)
        for _ in range(self.random.randrange(2, 6)):
            bad = self.random.choice([
                self.bad_line() + b"\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET / HTTP/1.1\r\nHost\r\n\r\n",
                b"\x16\x03\x01", b"POST /verb HTTP/1.1\r\nContent-Length: x\r\n\r\nlock",
                b"GET /" + b"x" * 20_000 + b"\r\n\r\n",
                b"POST /verb HTTP/1.1\r\nContent-Length: 5000\r\n\r\n" + b"x" * 5000])
            await browser.exchange(bad, {"text": text(bad[:500]), "by": "vandal/page"})

    async def crowd(self):
        """Opens connections that send nothing or half a line, or that close at once."""
        lines = []
        try:
            for _ in range(self.random.randrange(5, 25)):
                with contextlib.suppress(Gone):
                    lines.append(await self.socket("vandal", way=self.random.choice(["unix", "unix", "tcp", "tls"])))
                    lines[-1].send(self.random.choice([b"", b"HELLO 1 ap", b"\n\n\n", b"PING\nPING\nPING\n"]))
            await self.pause(0, 1)
        finally:
            for line in lines:
                (line.vanish if line.is_open and self.chance(0.5) else line.close)()

    async def impostor(self):
        """Claims another app's id with an invalid proof, another app's proof, or a proof for another certificate."""
        name = self.random.choice(["ferry", "tug", "veil", "dory", "nobody"])
        line = await self.socket("vandal", self.name("impostor"), self.random.choice(["tcp", "tls"]))
        try:
            right, others = self.proofs.get(name), [proof for app, proof in self.proofs.items() if app != name]
            if right and right[0] == "key" and self.chance(0.3):
                # As a man in the middle would forward it.
                return await line.greet(right, name=name, binding="" if line.way == "tls" else "0" * 64)
            await line.greet(self.random.choice(
                [None, ("key", "A" * 43), ("token", "A" * 43), *others]), name=name)
        finally:
            line.close()

    async def burgle(self):
        """Requests the owners' page with an expired link, a guess, or from another page."""
        browser = Browser(self.transcript, self.world.page_port)
        target, body = self.random.choice([
            ("/events", "20"), ("/report", ""), ("/present", ""), ("/open", ""), ("/verb", "allow vandal always"),
            ("/verb", "lock"), ("/leave", "")])
        if self.session and self.chance(0.5):
            foreign = self.random.choice([
                {"Origin": "http://evil.example"}, {"Origin": "null"}, {"Host": f"localhost:{self.world.page_port}"},
                {"Host": "boat.example"}])
            return await browser.ask("POST", target, body, self.session, foreign)
        await browser.ask("POST", target, body, self.random.choice([None, "A" * 43, "x", *self.worn[-4:]]), seconds=1)
