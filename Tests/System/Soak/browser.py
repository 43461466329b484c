"""A browser on the owners' page, valid or malicious. Its requests and the responses are in the transcript."""

import asyncio
import contextlib
import itertools

from clients import Gone
from transcript import text

PATIENCE = 12


class Browser:
    numbers = itertools.count(1)

    def __init__(self, transcript, port):
        self.transcript, self.port = transcript, port
        self.host = f"127.0.0.1:{port}"

    def record(self, kind, **fields):
        self.transcript.add(kind, who=self.who, app=None, way="page", **fields)

    async def ask(self, method, target, body="", token=None, foreign=None, seconds=0):
        """Returns the status and the text of the response. An event stream is read for a number of seconds.

        - foreign: a header that another page, or another host name of this machine, would send.
        """
        request = {"Host": self.host, "Content-Length": str(len(body)), "Accept-Language": "en"}
        if method == "POST":
            request["Origin"] = f"http://{self.host}"
        if token:
            request["Authorization"] = f"Bearer {token}"
        request.update(foreign or {})
        lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in request.items()), "", body]
        said = {"text": f"{method} {target} {body}".rstrip(), "token": token, "foreign": bool(foreign)}
        return await self.exchange("\r\n".join(lines).encode(), said, seconds)

    async def exchange(self, data, said, seconds=0):
        """Opens a connection for one request, valid or not."""
        self.who = f"{said.pop('by', 'page')}/{next(self.numbers)}"
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        except OSError:
            raise Gone from None
        self.record("open")
        self.record("said", **said)
        status, heard = None, ""
        try:
            writer.write(data)
            head = (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE)).decode(errors="replace")
            status = int(head.split()[1])
            if "transfer-encoding: chunked" in head.lower():
                await self.follow(reader, status, seconds)
            else:
                heard = text(await asyncio.wait_for(reader.read(), PATIENCE))
                self.record("heard", text=heard, status=status)
        except (OSError, asyncio.TimeoutError, asyncio.IncompleteReadError):
            # The gateway has closed the connection, or does not respond.
            pass
        finally:
            self.record("close", by="us")
            writer.close()
        return status, heard

    async def follow(self, reader, status, seconds):
        """Adds a record for each line of the event stream."""
        received = b""
        with contextlib.suppress(asyncio.TimeoutError):
            async with asyncio.timeout(seconds):
                while size := int(await reader.readline() or b"0", 16):
                    received += await reader.readexactly(size)
                    await reader.readline()
                    *lines, received = received.split(b"\n")
                    for line in lines:
                        self.record("heard", text=text(line), status=status)
