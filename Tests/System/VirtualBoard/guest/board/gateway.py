"""The programs of the gateway, and an app with the line protocol."""

import json
import os
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Callable

from board.checks import WITNESSES, Failure, eventually

PROGRAMS = "/opt/onefix"

# The versions of libgpiod. The second is not available on every mirror.
GENERATIONS = [number for number in (1, 2) if Path(f"/opt/libgpiod-{number}").exists()]

# All programs run as root here. Only these apps may ask.
APPS = """
[[app]]
id = "onefix"
uid = 0

[[app]]
id = "chart"
uid = 0
"""


def libgpiod(generation: int) -> dict[str, str]:
    """Returns the environment of a program that loads that version of libgpiod."""
    return dict(os.environ, LD_LIBRARY_PATH=f"/opt/libgpiod-{generation}/lib")


class Gateway:
    """A running onefixd with its own folder."""

    def __init__(
        self, board: str = "virtual", generation: int = 1, folder: Path | None = None, receiver: str | None = None,
        configuration: str = "",
    ):  # fmt: skip
        """Starts the daemon.

        - board: a folder of guest/boards.
        - generation: the version of libgpiod.
        - folder: the folder of an earlier gateway with its state. None for a new one.
        - receiver: None for the receiver of the board.
        - configuration: additional lines for onefix.toml.
        """
        self.folder = folder or Path(tempfile.mkdtemp(prefix="gateway-"))
        self._log = self.folder / "log"
        # The guest has its files in memory.
        (self.folder / "onefix.toml").write_text("allow_volatile_state = true\n" + APPS + configuration)
        command = [
            f"{PROGRAMS}/onefixd", "--socket", f"{self.folder}/apps.sock", "--state", f"{self.folder}/state",
            "--key", f"{self.folder}/key", "--config", f"{self.folder}/onefix.toml", "--boards", "/checks/boards",
            "--board", board, *(["--receiver", receiver] if receiver else []),
        ]  # fmt: skip
        with self._log.open("w") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=libgpiod(generation)
            )
        self._owner: App | None = None
        self._connections: list[App] = []
        WITNESSES.append(self._testimony)

    def __enter__(self) -> "Gateway":
        try:
            eventually("READY", self._is_ready, within=30)
        except Exception:
            self.kill()
            raise
        return self

    def __exit__(self, kind, *_) -> None:
        """Ends the daemon as systemd does."""
        try:
            status = self.stop()
            if kind is None and status not in (0, -signal.SIGKILL):
                raise Failure(f"onefixd ended with {status}")
        finally:
            for connection in self._connections:
                connection.close()
            WITNESSES.remove(self._testimony)

    def _testimony(self) -> str:
        return "onefixd said:\n" + self.log

    def stop(self) -> int:
        """Stops the daemon. Returns its status."""
        self.process.terminate()
        try:
            return self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.kill()
            raise Failure("onefixd did not end within 10 s") from None

    def kill(self) -> None:
        """Ends the daemon as a power failure does."""
        self.process.kill()
        self.process.wait()

    def ends(self) -> int:
        """Waits for the daemon to end by itself. Returns its status."""
        eventually("the end of onefixd", lambda: self.process.poll() is not None, within=30)
        WITNESSES.remove(self._testimony)
        return self.process.returncode

    def _is_ready(self) -> bool:
        if self.process.poll() is not None:
            raise Failure(f"onefixd ended with {self.process.returncode}")
        return "READY socket=" in self.log

    @property
    def log(self) -> str:
        """Returns all messages so far."""
        return self._log.read_text(errors="replace")

    def app(self, name: str = "chart") -> "App":
        app = self._connect("apps.sock")
        app.say(f"HELLO 1 app={name} keepalive=0")
        return app

    def _connect(self, name: str) -> "App":
        connection = App(f"{self.folder}/{name}")
        self._connections.append(connection)
        connection.next("INFO")
        return connection

    def owner(self) -> "App":
        owner = self._connect("owner.sock")
        owner.say("HELLO 1")
        return owner

    def status(self) -> dict[str, str]:
        """Returns the status that an owner sees."""
        self._owner = self._owner or self.owner()
        return dict(word.split("=", 1) for word in self._owner.say("STATUS").split() if "=" in word)

    def ready(self) -> None:
        """Waits until there is a fix."""
        eventually("a receiver with a fix", lambda: self.status()["receiver"] == "ready", within=30)


class Silence(Failure):
    """The expected line did not arrive in time."""


class App:
    """A connection to the gateway."""

    def __init__(self, path: str):
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(path)
        self._received = b""
        self._count = 0

    def __enter__(self) -> "App":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        self._socket.close()

    def write(self, line: str) -> None:
        self._socket.sendall(line.encode() + b"\n")

    def ask(self, line: str) -> str:
        """Sends a line and returns the reply."""
        self._count += 1
        tag = f"@{self._count}"
        self.write(f"{tag} {line}")
        # The tag is the second word of +OK, and the fourth of -ERR.
        return self._line(lambda reply: tag in reply.split()[:4] and reply[0] in "+-", f"reply to '{line}'", 20)

    def say(self, line: str) -> str:
        """Sends a line and returns the reply, which must be +OK."""
        reply = self.ask(line)
        if not reply.startswith("+OK"):
            raise Failure(f"'{line}' was answered with '{reply}'")
        return reply

    def next(self, beginning: str, within: float = 20) -> str:
        """Returns the next line with the prefix, and skips the lines before it."""
        return self._line(lambda line: line.startswith(beginning), f"line that begins with {beginning}", within)

    def hears(self, beginning: str, within: float) -> str | None:
        """Returns the next line with the prefix, and skips the lines before it. None after the timeout."""
        try:
            return self.next(beginning, within)
        except Silence:
            return None

    def _line(self, is_meant: Callable[[str], bool], what: str, within: float) -> str:
        deadline = time.monotonic() + within
        while True:
            while b"\n" not in self._received:
                self._socket.settimeout(max(0.001, deadline - time.monotonic()))
                try:
                    received = self._socket.recv(4096)
                except TimeoutError:
                    raise Silence(f"no {what} came within {within} s") from None
                if not received:
                    raise Failure("the gateway hung up")
                self._received += received
            line, _, self._received = self._received.partition(b"\n")
            if is_meant(line.decode()):
                return line.decode()

    def fix(self, within: float = 20) -> dict:
        """Returns the fix of a press and acknowledges it."""
        line = self.next("MSG fix/once", within=within)
        number = next(word for word in line.split() if word.startswith("id="))[3:]
        self.say(f"ACK {number}")
        return json.loads(line[line.index("{") :])
