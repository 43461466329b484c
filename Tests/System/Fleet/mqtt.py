"""A client of MQTT 3.1.1 with the features that an app needs. (OASIS MQTT 3.1.1)"""

import asyncio
import contextlib
import time


class Refused(Exception):
    """The broker refuses a connection. The number is the reason. (§3.2.2.3)"""


def text(value):
    encoded = value.encode()
    return len(encoded).to_bytes(2, "big") + encoded


def packet(kind, body):
    head, length = bytearray([kind]), len(body)
    while True:
        length, digit = divmod(length, 128)
        head.append(digit | (128 if length else 0))
        if not length:
            return bytes(head) + body


class Client:
    """A connection. It passes received messages to `heard` and then acknowledges them."""

    def __init__(self, heard):
        self.heard = heard
        self.answers = {}
        self.number = 0

    async def connect(self, port, tls, name, username=None, password=None, is_lasting=False):
        """Connects. Returns whether the broker had kept the session. With `is_lasting` the broker keeps the
        session."""
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", port, ssl=tls)
        flags = (0 if is_lasting else 0x02) | (0x80 if username else 0) | (0x40 if password else 0)
        # A keep-alive of 0: the client sends no pings.
        body = text("MQTT") + bytes([4, flags, 0, 0]) + text(name)
        self.writer.write(packet(0x10, body + b"".join(text(said) for said in (username, password) if said)))
        _, answer = await self.next()
        if answer[1] != 0:
            self.close()
            raise Refused(answer[1])
        self.listening = asyncio.create_task(self.listen())
        return answer[0] == 1

    async def next(self):
        kind, = await self.reader.readexactly(1)
        length = shift = 0
        while True:
            digit, = await self.reader.readexactly(1)
            length |= (digit & 127) << shift
            shift += 7
            if digit < 128:
                return kind, await self.reader.readexactly(length)

    async def listen(self):
        """Reads messages until the connection ends."""
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, OSError):
            while True:
                kind, body = await self.next()
                if kind >> 4 == 3:
                    self.take(kind, body)
                elif kind >> 4 in (4, 9):
                    answer = self.answers.pop(int.from_bytes(body[:2], "big"), None)
                    if answer and not answer.done():
                        answer.set_result(body[2:])
        for answer in self.answers.values():
            if not answer.done():
                answer.set_exception(ConnectionResetError("the broker has ended the connection"))

    def take(self, kind, body):
        end = 2 + int.from_bytes(body[:2], "big")
        topic, qos, number = body[2:end].decode(), kind >> 1 & 3, b""
        if qos:
            number, end = body[end:end + 2], end + 2
        self.heard(topic, body[end:], is_retained=bool(kind & 1), moment=time.time())
        if qos:
            self.writer.write(packet(0x40, number))

    async def exchange(self, kind, head, rest):
        """Sends a packet and returns the packet with the same number."""
        self.number = self.number % 65535 + 1
        answer = self.answers[self.number] = asyncio.get_running_loop().create_future()
        self.writer.write(packet(kind, head + self.number.to_bytes(2, "big") + rest))
        return await asyncio.wait_for(answer, 60)

    async def subscribe(self, *filters):
        await self.exchange(0x82, b"", b"".join(text(wanted) + b"\x01" for wanted in filters))

    async def publish(self, topic, payload):
        """Publishes with QoS 1. Returns when the broker has acknowledged the message."""
        await self.exchange(0x32, text(topic), payload.encode())

    def close(self):
        self.writer.close()
