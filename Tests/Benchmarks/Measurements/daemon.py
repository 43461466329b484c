"""The daemon under measurement, and its clients."""

import os
import re
import socket
import subprocess
import time


class Line:
    """A connection with the line protocol."""

    def __init__(self, path, hello):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(30)
        self.socket.connect(path)
        self.received = b""
        self.ask(hello)

    def say(self, line):
        self.socket.sendall(line.encode() + b"\n")

    def next(self, *beginnings):
        """Returns the next line with one of the prefixes, and the time of its last byte: CLOCK_MONOTONIC, seconds."""
        while True:
            line, end, rest = self.received.partition(b"\n")
            if not end:
                part = self.socket.recv(65536)
                if not part:
                    raise SystemExit("the daemon closed the connection")
                self.moment = time.monotonic()
                self.received += part
                continue
            self.received = rest
            if line.decode().startswith(beginnings):
                return line.decode(), self.moment

    def ask(self, line):
        self.say(line)
        reply, moment = self.next("+OK", "-ERR")
        if not reply.startswith("+OK"):
            raise SystemExit(f"{line}: {reply}")
        return reply, moment


class Daemon:
    """onefixd on the simulated board."""

    def __init__(self, onefixd, boards, folder, receiver, configuration="", state=None):
        path = os.path.join(folder, "onefix.toml")
        with open(path, "w") as file:
            file.write(configuration)
        self.socket = os.path.join(folder, "s")
        self.owners = os.path.join(folder, "owner.sock")
        self.process = subprocess.Popen(
            [onefixd, "--boards", boards, "--config", path, "--socket", self.socket,
             "--state", state or os.path.join(folder, "state"), "--receiver", receiver, "--no-panel"],
            stderr=subprocess.PIPE, text=True)
        for said in self.process.stderr:
            if said.startswith("READY"):
                break
        else:
            raise SystemExit("the daemon did not become ready")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def app(self):
        return Line(self.socket, "HELLO 1 app=bench keepalive=0")

    def owner(self):
        return Line(self.owners, "HELLO 1")


def allow(app, owner):
    """Gives the app the standing right "while in use"."""
    owner.ask("SUB owner/prompt p")
    app.ask("AUTHORIZE when-in-use")
    prompt = re.search(r'"prompt":(\d+)', owner.next("MSG owner/prompt")[0]).group(1)
    owner.ask(f"ANSWER {prompt} while-using")


def written(pid):
    """Returns the bytes that a process has written to disks."""
    with open(f"/proc/{pid}/io") as file:
        return int(dict(line.split(": ") for line in file)["write_bytes"])


def require_disk(folder):
    """Ends the measurement if the kernel does not count writes to the folder."""
    before = written("self")
    with open(os.path.join(folder, "probe"), "wb") as file:
        file.write(bytes(4096))
        file.flush()
        os.fsync(file.fileno())
    if written("self") == before:
        raise SystemExit(f"cannot count the bytes written: {folder} is not on a disk")


def quantile(values, share):
    return sorted(values)[int((len(values) - 1) * share)]
