"""A gateway of the fleet: onefixd on the simulated board, and its owner."""

import asyncio
import contextlib
import datetime
import os
import re
import time

# An app must have had the mark for 1 s when the button goes down.
ARMED = 1.05


class Gateway:
    def __init__(self, name, folder, options, guide, broker):
        self.name = name
        self.folder = os.path.join(folder, name)
        os.mkdir(self.folder)
        secrets = [(name_there, os.path.join(self.folder, name_here)) for name_there, name_here in (
            [("/etc/onefix/mqtt.pem", "mqtt.pem"), ("/etc/onefix/mqtt.key", "mqtt.key")]
            if broker.has_certificates else [("/etc/onefix/mqtt.password", "mqtt.password")])]
        for _, path in secrets:
            self.put(path, broker)
        block = "onefix-certificate.toml" if broker.has_certificates else "onefix.toml"
        self.configuration = os.path.join(self.folder, "onefix.toml")
        with open(self.configuration, "w") as file:
            file.write(guide.block(
                f"/etc/onefix/{block}", ("gateway-001", name),
                ("mqtt.example.org:8883", f"127.0.0.1:{broker.port}"),
                ("/etc/onefix/fleet-ca.pem", broker.file("ca.pem")), *secrets))
        self.words = [
            options.onefixd, "--boards", options.boards, "--config", self.configuration, "--no-panel",
            "--receiver", "simulated:rate=1", "--socket", os.path.join(self.folder, "s"),
            "--state", os.path.join(self.folder, "state"), "--log-level", "warning"]
        self.process = None
        self.lock = asyncio.Lock()

    def put(self, path, broker):
        kind = os.path.splitext(path)[1]
        if kind == ".password":
            content = broker.passwords[self.name] + "\n"
        else:
            with open(broker.file(self.name + kind)) as file:
                content = file.read()
        with open(path, "w", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(content)

    async def start(self):
        """Starts the daemon. Returns the seconds until it was ready."""
        begin = time.monotonic()
        self.process = await asyncio.create_subprocess_exec(
            "setpriv", "--pdeathsig", "TERM", *self.words, stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE)
        async for said in self.process.stderr:
            if said.startswith(b"READY"):
                break
        else:
            raise SystemExit(f"{self.name} did not become ready")
        taken = time.monotonic() - begin
        self.reading = asyncio.create_task(self.process.stderr.read())
        self.reader, self.writer = await asyncio.open_unix_connection(os.path.join(self.folder, "owner.sock"))
        await self.ask("HELLO 1 keepalive=0")
        return taken

    async def ask(self, line):
        async with self.lock:
            self.writer.write(line.encode() + b"\n")
            while True:
                said = (await self.reader.readline()).decode()
                if not said or said.startswith("-ERR"):
                    raise SystemExit(f"{self.name}, {line}: {said.strip() or 'the daemon has ended'}")
                if said.startswith("+OK"):
                    return said.strip()

    async def status(self):
        return dict(re.findall(r"(\S+)=(\S+)", await self.ask("STATUS")))

    async def until(self, key, value, pause=0.2):
        """Returns when the status for owners has the value."""
        while (await self.status()).get(key) != value:
            await asyncio.sleep(pause)

    async def press(self, *effects):
        """Presses until a press has one of the effects. A press that follows another too closely has none. Returns the
        time of the release, in seconds of the wall clock."""
        while True:
            said = await self.ask("PRESS ms=40")
            if re.search(r"effect=(\S+)", said).group(1) in effects:
                released = int(re.search(r"released_ns=(\d+)", said).group(1)) / 1e9
                return time.time() - (time.monotonic() - released)
            await asyncio.sleep(ARMED)

    async def since(self):
        """Returns the time of the last connection to the broker, from the gateway's status."""
        return datetime.datetime.fromisoformat((await self.status())["mqtt-1-since"].replace("Z", "+00:00")).timestamp()

    async def stop(self):
        if self.process and self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self.process.terminate()
            try:
                await asyncio.wait_for(self.process.wait(), 20)
            except asyncio.TimeoutError:
                self.process.kill()
                await self.process.wait()
