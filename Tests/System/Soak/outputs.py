"""The outputs that get a fix by each press: a file of points, and a web server."""

import asyncio
import collections
import contextlib
import json
import os

from transcript import text

# The longest time between a new point and its record, in seconds.
LOOK = 0.05


class Points:
    """The file of points. Another program may take the file away, and the gateway then begins a new one."""

    def __init__(self, folder, transcript):
        self.folder, self.transcript = folder, transcript
        self.path = os.path.join(folder, "points.geojson")
        self.seen, self.taken, self.state = collections.Counter(), [], None

    def take(self):
        """Takes the file away. Its points count as delivered."""
        with contextlib.suppress(FileNotFoundError):
            path = os.path.join(self.folder, f"points-{len(self.taken)}.geojson")
            os.rename(self.path, path)
            self.taken.append(path)

    def features(self):
        for path in (*self.taken, self.path):
            with contextlib.suppress(FileNotFoundError), open(path, encoding="utf-8") as file:
                yield from json.load(file)["features"]

    def look(self):
        """Records each new point. Every state of the file is complete, so each one can be read."""
        features = list(self.features())
        count = collections.Counter()
        for feature in features:
            key = feature["properties"]["id"]
            count[key] += 1
            if count[key] > self.seen[key]:
                longitude, latitude = feature["geometry"]["coordinates"][:2]
                fix = {**feature["properties"], "lat": latitude, "lon": longitude}
                self.transcript.add("heard", who="track", app="track", way="file", text=json.dumps(fix))
        self.seen |= count
        return count

    async def run(self):
        while True:
            with contextlib.suppress(FileNotFoundError):
                status = os.stat(self.path)
                state = status.st_ino, status.st_mtime_ns
                if state != self.state:
                    self.look()
                    self.state = state
            await asyncio.sleep(LOOK)

    def end(self):
        """Records all points at the end of the run."""
        self.transcript.add("points", ids=sorted(self.look().elements()))


class WebServer:
    """A web server that is sometimes away, busy or unwilling. It records each request with the status of its answer."""

    def __init__(self, port, transcript):
        self.port, self.transcript = port, transcript
        self.server, self.answer = None, b"200 OK"

    async def start(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", self.port)

    async def stop(self):
        server, self.server = self.server, None
        if server:
            server.close()

    async def serve(self, reader, writer):
        # The gateway is killed or the server ends in the middle of a request.
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.TimeoutError):
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 30)
            fields = dict(line.lower().split(": ", 1) for line in text(head).split("\r\n")[1:] if line)
            body = await asyncio.wait_for(reader.readexactly(int(fields["content-length"])), 30)
            answer = self.answer
            self.transcript.add("heard", who="hook", app="hook", way="http", text=text(body),
                                status=int(answer[:3]) if answer else None)
            if answer:
                writer.write(b"HTTP/1.1 " + answer + b"\r\nContent-Length: 0\r\n\r\n")
                await writer.drain()
        writer.close()
