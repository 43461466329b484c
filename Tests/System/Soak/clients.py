"""The clients of the daemon: apps on every transport, owners, a user at the console.

All sent and received lines are in the transcript.
"""

import asyncio
import base64
import contextlib
import hashlib
import hmac
import itertools
import json
import os
import re
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "Fleet"))
from mqtt import Client, Refused  # noqa: E402

from configuration import GATEWAY  # noqa: E402
from transcript import text  # noqa: E402

PATIENCE = 15


class Gone(Exception):
    """The connection has ended."""


def checksum(data):
    """CRC-16/CCITT-FALSE."""
    crc = 0xFFFF
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ (0x1021 if crc & 0x8000 else 0)) & 0xFFFF
    return crc


class Spoken:
    """Lines in both directions, on any transport."""

    tags = itertools.count(1)

    def __init__(self, transcript, who, app, way, **more):
        self.transcript, self.who, self.app, self.way = transcript, who, app, way
        self.received = b""
        self.waiting = []
        self.is_open = True
        self.has_checksums = False
        transcript.add("open", who=who, app=app, way=way, **more)

    def take(self, part):
        """Processes received bytes. Empty bytes are the end of the connection."""
        if not part:
            return self.ended("them")
        *lines, self.received = (self.received + part).split(b"\n")
        for line in lines:
            said = text(line.rstrip(b"\r"))
            if self.has_checksums and re.search(r"\*[0-9A-F]{4}$", said):
                said = said[:-5]
            self.transcript.add("heard", who=self.who, app=self.app, way=self.way, text=said)
            for wanted in self.waiting[:]:
                if not wanted[1].done() and wanted[0](said):
                    wanted[1].set_result(said)

    def ended(self, by):
        if not self.is_open:
            return
        self.is_open = False
        self.transcript.add("close", who=self.who, app=self.app, way=self.way, by=by)
        for _, future in self.waiting:
            if not future.done():
                future.set_exception(Gone())

    def write(self, line):
        data = line if isinstance(line, bytes) else line.encode()
        if not self.is_open:
            raise Gone
        self.transcript.add("said", who=self.who, app=self.app, way=self.way, text=text(data))
        if self.has_checksums:
            data += b"*%04X" % checksum(data)
        self.send(data + b"\n")

    async def heard(self, is_meant, within=PATIENCE):
        """Returns the next line that satisfies the condition. None after the timeout."""
        if not self.is_open:
            raise Gone
        future = asyncio.get_running_loop().create_future()
        entry = (is_meant, future)
        self.waiting.append(entry)
        try:
            return await asyncio.wait_for(future, within)
        except asyncio.TimeoutError:
            return None
        finally:
            self.waiting.remove(entry)

    async def ask(self, line, within=PATIENCE):
        """Returns the reply, which has the same tag. None after the timeout."""
        # Tags are also unique across the connections of a resumed session.
        tag = f"@{next(self.tags)}"
        self.write(f"{tag} {line}")
        return await self.heard(lambda said: said[:4] in ("+OK ", "-ERR", "PONG") and tag in said.split()[:4], within)


class Socket(Spoken):
    """A connection over a Unix socket, TCP or TLS."""

    @classmethod
    async def connect(cls, transcript, who, app, way, address, tls=None, certificate=None):
        """Connects to a path, or to a port on loopback. TLS uses a context and optionally the certificate of an
        app."""
        try:
            opened = (asyncio.open_connection("127.0.0.1", address, ssl=tls) if way in ("tcp", "tls")
                      else asyncio.open_unix_connection(address))
            reader, writer = await asyncio.wait_for(opened, PATIENCE)
            shown = writer.get_extra_info("ssl_object").getpeercert(binary_form=True) if tls else None
        except (OSError, asyncio.TimeoutError, ValueError):
            # Reading the certificate of a closed connection raises this error.
            raise Gone from None
        binding = hashlib.sha256(shown).hexdigest() if shown else ""
        more = {"binding": binding, "certificate": certificate} if way in ("tcp", "tls") else {}
        self = cls(transcript, who, app, way, **more)
        self.binding, self.reader, self.writer = binding, reader, writer
        self.task = asyncio.create_task(self.listen())
        info = await self.heard(lambda said: said.startswith(("INFO ", "-ERR")))
        if info is None or info.startswith("-ERR"):
            self.close()
            raise Gone
        self.nonce = re.search(r"nonce=(\w+)", info).group(1)
        return self

    async def listen(self):
        with contextlib.suppress(OSError):
            while part := await self.reader.read(65536):
                self.take(part)
        self.take(b"")

    def send(self, data):
        self.writer.write(data)

    def close(self):
        self.ended("us")
        self.task.cancel()
        self.writer.close()

    def vanish(self):
        """Ends the connection as a killed process does."""
        self.ended("us")
        self.task.cancel()
        self.writer.transport.abort()

    async def greet(self, proof=None, session=None, name=None, binding=None):
        """Sends HELLO with the proof: a key or a token, for example ("key", "..."). Returns the token of the session.
        None if HELLO is refused. An impostor uses another name, or forwards a proof for another certificate."""
        name, (kind, secret) = name or self.app, proof or (None, None)
        more = f" session={session}" if session else ""
        nonce = os.urandom(16).hex()
        if kind == "key":
            more = f" nonce={nonce}{more}"
        reply = await self.ask(f"HELLO 1 app={name} keepalive=0{more}" if name else "HELLO 1 keepalive=0")
        if kind and (reply is None or not reply.startswith("+OK")):
            return None
        if kind == "key":
            binding = self.binding if binding is None else binding
            spoken = "\n".join(["onefix-v1", "client", GATEWAY, name, self.nonce, nonce, binding])
            key = base64.urlsafe_b64decode(secret + "=" * (-len(secret) % 4))
            reply = await self.ask("AUTH hmac=" + hmac.new(key, spoken.encode(), hashlib.sha256).hexdigest())
        elif kind == "token":
            reply = await self.ask(f"AUTH token={secret}")
        found = re.search(r"session=(\w+)", reply or "")
        return found.group(1) if found else reply and reply.startswith("+OK") and "auth=required" not in reply


class Cable(Spoken):
    """An app at the end of a serial port."""

    def __init__(self, transcript, who, app, port):
        super().__init__(transcript, who, app, "serial")
        self.port = port
        asyncio.get_running_loop().add_reader(port.master, self.read)

    def read(self):
        try:
            part = os.read(self.port.master, 65536)
        except BlockingIOError:
            return
        except (OSError, TypeError):
            part = b""
        if part:
            self.take(part)
        else:
            self.close()

    def send(self, data):
        if not self.port.write(data):
            raise Gone

    def close(self):
        if self.port.master is not None:
            asyncio.get_running_loop().remove_reader(self.port.master)
        self.ended("us")

    async def greet(self, has_checksums=True):
        """Sends HELLO, which starts again whatever was on the line before."""
        self.send(b"\n")
        self.write("HELLO")
        if await self.heard(lambda said: said.startswith("INFO "), 3) is None:
            return None
        self.write("HELLO 1 keepalive=0" + " crc" * has_checksums)
        self.has_checksums = has_checksums
        reply = await self.heard(lambda said: said.startswith(("+OK proto", "-ERR")), 5)
        return reply and reply.startswith("+OK")


class Typist(Spoken):
    """A user at the console, who types and reads."""

    def __init__(self, transcript, who, port):
        super().__init__(transcript, who, None, "console")
        self.port = port
        asyncio.get_running_loop().add_reader(port.master, self.read)

    read, close = Cable.read, Cable.close

    def type(self, keys):
        self.transcript.add("said", who=self.who, app=None, way="console", text=text(keys))
        if not self.port.write(keys):
            raise Gone


class GPSClient(Spoken):
    """A client of the protocol of gpsd."""

    @classmethod
    async def connect(cls, transcript, who, app, port):
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            raise Gone from None
        self = cls(transcript, who, app, "gpsd")
        self.reader, self.writer = reader, writer
        self.task = asyncio.create_task(self.listen())
        return self

    listen, send, close, vanish = Socket.listen, Socket.send, Socket.close, Socket.vanish


class Plotter(Spoken):
    """A program that reads NMEA sentences."""

    @classmethod
    async def connect(cls, transcript, who, app, address):
        """Connects to the path of a socket, or to a port."""
        try:
            if isinstance(address, int):
                reader, writer = await asyncio.open_connection("127.0.0.1", address)
            else:
                reader, writer = await asyncio.open_unix_connection(address)
        except OSError:
            raise Gone from None
        self = cls(transcript, who, app, "nmea")
        self.reader, self.writer = reader, writer
        self.task = asyncio.create_task(self.listen())
        return self

    listen, send, close, vanish = Socket.listen, Socket.send, Socket.close, Socket.vanish


class Buoy:
    """The apps behind the broker. The broker keeps their subscription. One of them never asks."""

    def __init__(self, transcript, port):
        self.transcript, self.port = transcript, port
        self.client = None
        self.fixes = asyncio.Event()
        self.count = 0

    def heard(self, topic, payload, is_retained, moment):
        app = "atlas" if "/atlas/" in topic else "buoy"
        self.transcript.add("heard", who=app, app=app, way="mqtt", topic=topic, text=text(payload),
                            retained=is_retained)
        if app == "buoy" and topic.endswith(("/fix", "/error")):
            self.fixes.set()

    async def run(self):
        """Stays connected while a broker is available."""
        while True:
            client = Client(self.heard)
            with contextlib.suppress(OSError, Refused, asyncio.IncompleteReadError, asyncio.TimeoutError):
                await client.connect(self.port, None, "buoy-app", is_lasting=True)
                await client.subscribe("onefix/soak/#")
                self.client = client
                await client.listening
            self.client = None
            await asyncio.sleep(0.2)

    async def publish(self, topic, payload):
        client = self.client
        if client is None:
            raise Gone
        try:
            await asyncio.wait_for(client.publish(topic, payload), PATIENCE)
        except (OSError, asyncio.TimeoutError):
            raise Gone from None

    async def request(self):
        self.count += 1
        self.fixes.clear()
        payload = json.dumps({"id": f"r{self.count}", "timeout": 20})
        # The gateway can receive the request as soon as the broker has it. The transcript has the earlier time.
        self.transcript.add("said", who="buoy", app="buoy", way="mqtt", topic="onefix/soak/buoy/request", text=payload)
        await self.publish("onefix/soak/buoy/request", payload)
