"""The gateway's own programs, and an app that speaks its line protocol."""

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from board.checks import Failure, eventually

PROGRAMS = "/opt/onefix"

CONFIGURATION = """
[[app]]
id = "onefix"
uid = 0

[[app]]
id = "chart"
uid = 0
"""


class Gateway:
    """A running onefixd with a folder of its own."""

    def __init__(self, *arguments: str, program: str = "onefixd", folder: Path | None = None):
        """Starts it. folder: an earlier gateway's, with its state; None for a new one."""
        self.folder = folder or Path(tempfile.mkdtemp(prefix="gateway-"))
        self._log = self.folder / "log"
        (self.folder / "onefix.toml").write_text(CONFIGURATION)
        command = [
            f"{PROGRAMS}/{program}", "--socket", f"{self.folder}/apps.sock", "--state", f"{self.folder}/state",
            "--key", f"{self.folder}/key", "--config", f"{self.folder}/onefix.toml", "--no-panel", *arguments,
        ]  # fmt: skip
        with self._log.open("w") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def __enter__(self) -> "Gateway":
        try:
            eventually("READY", self._is_ready, within=30)
        except Exception as error:
            self.__exit__(type(error), error, None)
            raise
        return self

    def __exit__(self, _, error: BaseException | None, __) -> None:
        if self.process.poll() is None:
            self.process.terminate()
        try:
            status = self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        if error is not None:
            error.add_note("onefixd said:\n" + self.log)
        shutil.rmtree(self.folder, ignore_errors=True)
        if error is None and status not in (0, -signal.SIGKILL):
            raise Failure(f"onefixd ended with {status}")

    def _is_ready(self) -> bool:
        if self.process.poll() is not None:
            raise Failure(f"onefixd ended with {self.process.returncode}")
        return "READY socket=" in self.log

    @property
    def log(self) -> str:
        """All that it said so far."""
        return self._log.read_text(errors="replace")

    def app(self, name: str = "chart") -> "App":
        app = App(f"{self.folder}/apps.sock")
        app.next("INFO")
        app.say(f"HELLO 1 app={name} keepalive=0")
        return app

    def owner(self) -> "App":
        owner = App(f"{self.folder}/owner.sock")
        owner.next("INFO")
        owner.say("HELLO 1")
        return owner

    def command(self, *words: str) -> subprocess.CompletedProcess:
        """Runs an `onefix` command to its end."""
        environment = dict(os.environ, ONEFIX_SOCKET=f"{self.folder}/apps.sock")
        return subprocess.run(
            [f"{PROGRAMS}/onefix", *words], capture_output=True, text=True, timeout=100, env=environment
        )

    def kill(self) -> None:
        """Ends it as a power cut would."""
        self.process.kill()
        self.process.wait()


class App:
    """A connection to the gateway."""

    def __init__(self, path: str):
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(path)
        self._received = b""

    def __enter__(self) -> "App":
        return self

    def __exit__(self, *_) -> None:
        self._socket.close()

    def write(self, line: str) -> None:
        self._socket.sendall(line.encode() + b"\n")

    def say(self, line: str) -> str:
        """Says a line and returns the reply, which has to be a good one."""
        self.write(line)
        reply = self.next("+OK", "-ERR")
        if not reply.startswith("+OK"):
            raise Failure(f"'{line}' was answered with '{reply}'")
        return reply

    def next(self, *beginnings: str, within: float = 20) -> str:
        """The next line that begins so; others are skipped."""
        if line := self.hears(*beginnings, within=within):
            return line
        raise Failure(f"no line that begins with {' or '.join(beginnings)} came within {within} s")

    def hears(self, *beginnings: str, within: float) -> str | None:
        """The next line that begins so, if it comes in time; others are skipped."""
        deadline = time.monotonic() + within
        while True:
            while b"\n" not in self._received:
                self._socket.settimeout(max(0.001, deadline - time.monotonic()))
                try:
                    received = self._socket.recv(4096)
                except TimeoutError:
                    return None
                if not received:
                    raise Failure("the gateway hung up")
                self._received += received
            line, _, self._received = self._received.partition(b"\n")
            if line.decode().startswith(beginnings):
                return line.decode()

    def fix(self, within: float = 20) -> dict:
        """The fix of a press, which is acknowledged."""
        line = self.next("MSG fix/once", within=within)
        number = next(word for word in line.split() if word.startswith("id="))[3:]
        self.say(f"ACK {number}")
        return json.loads(line[line.index("{") :])
