#!/usr/bin/env python3
"""Measures the latency and the processor time of a fix to many subscribers, for OneFix and mosquitto.

usage: fan_out.py fanout ONEFIXD FAN_OUT BOARDS [--sessions N] [--seconds S] [--rounds R] [--rates HZ,HZ]
       fan_out.py crowd  ONEFIXD FAN_OUT BOARDS [--sessions N] [--seconds S] [--rounds R]
       fan_out.py idle   ONEFIXD FAN_OUT BOARDS [--sessions N]

fanout: a simulated receiver on a pseudo-terminal, and N sessions of one app with "always". mosquitto publishes the same
        message to as many subscribers with QoS 0. Both run in turn. Each figure is the median of R rounds.
crowd:  the same at 10 Hz, alone and beside clients that do not read and one that floods.
idle:   the resources of N clients that have sent only HELLO, 1,000 for each app.

Prints the figures as JSON.
"""

import argparse
import base64
import contextlib
import hashlib
import hmac
import json
import os
import pty
import re
import resource
import secrets
import socket
import statistics
import subprocess
import sys
import tempfile
import termios
import time
import tty

TICKS = os.sysconf("SC_CLK_TCK")
PER_APP = 1000
# The number of clients that do not read.
DEAF = 50


class Line:
    """A connection with the line protocol."""

    def __init__(self, connected):
        self.socket = connected
        self.socket.settimeout(60)
        self.received = b""

    def say(self, line):
        self.socket.sendall(line.encode() + b"\n")

    def next(self, *beginnings):
        while True:
            line, end, rest = self.received.partition(b"\n")
            if not end:
                part = self.socket.recv(65536)
                if not part:
                    raise SystemExit("the daemon closed a connection")
                self.received += part
                continue
            self.received = rest
            if line.decode().startswith(beginnings):
                return line.decode()

    def ask(self, line):
        self.say(line)
        reply = self.next("+OK", "-ERR")
        if not reply.startswith("+OK"):
            raise SystemExit(f"{line}: {reply}")
        return reply


class Process:
    """A server, and its resource usage."""

    def __init__(self, words, **options):
        self.child = subprocess.Popen(words, **options)

    def seconds(self):
        with open(f"/proc/{self.child.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def megabytes(self):
        with open(f"/proc/{self.child.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024

    def end(self):
        self.child.terminate()
        self.child.wait()


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class OneFix(Process):
    """A daemon with a pseudo-terminal as its receiver and with apps over TCP.

    If it is local, it has the simulated receiver, and the apps connect to the Unix socket.
    """

    framing = "lines"

    def __init__(self, folder, options, apps, is_local=False):
        self.folder = folder
        self.port = None if is_local else free_port()
        self.keys = {}
        configuration = os.path.join(folder, "onefix.toml")
        with open(configuration, "w") as file:
            file.write('gateway = "bench"\n')
            if not is_local:
                file.write(f'[[listen]]\naddress = "127.0.0.1:{self.port}"\n')
            for app in apps:
                who = f"uid = {os.getuid()}" if is_local else "key = true"
                file.write(f'[[app]]\nid = "{app}"\n{who}\n')
        words = [options.onefixd, "--boards", options.boards, "--config", configuration, "--no-panel",
                 "--socket", os.path.join(folder, "s"), "--state", os.path.join(folder, "state"), "--log-level", "error"]
        self.feed = None
        if not is_local:
            self.feed, slave = pty.openpty()
            tty.setraw(slave, termios.TCSANOW)
            words += ["--receiver", f"uart:{os.ttyname(slave)}:115200"]
        super().__init__(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for said in self.child.stderr:
            if said.startswith("READY"):
                break
        else:
            raise SystemExit("the daemon did not become ready")
        if not is_local:
            os.close(slave)
        self.owner = self.local("owner.sock")
        self.owner.ask("HELLO 1")
        for app in [] if is_local else apps:
            key = re.search("key=([^ ]+)", self.owner.ask(f"KEY ADD {app}")).group(1)
            self.keys[app] = base64.urlsafe_b64decode(key + "=" * (-len(key) % 4))

    def local(self, name):
        connected = socket.socket(socket.AF_UNIX)
        connected.connect(os.path.join(self.folder, name))
        return Line(connected)

    def greeted(self, app, buffer=None):
        """Returns an authenticated session of the app. (RFC 2104)"""
        if not self.port:
            line = self.local("s")
            line.ask(f"HELLO 1 app={app} keepalive=0")
            return line
        connected = socket.socket()
        if buffer:
            connected.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        connected.connect(("127.0.0.1", self.port))
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        line = Line(connected)
        challenge = re.search("nonce=([^ ]+)", line.next("INFO")).group(1)
        nonce = secrets.token_hex(16)
        line.ask(f"HELLO 1 app={app} keepalive=0 nonce={nonce}")
        text = "\n".join(["onefix-v1", "client", "bench", app, challenge, nonce, ""])
        line.ask("AUTH hmac=" + hmac.new(self.keys[app], text.encode(), hashlib.sha256).hexdigest())
        return line

    def subscribe(self, sessions):
        """Returns sessions of one app that receive every fix."""
        self.owner.ask("SET bench status always")
        lines = [self.greeted("bench") for _ in range(sessions)]
        for line in lines:
            line.ask("SUB fix/updates all")
            line.ask("START updates interval=0")
        return lines


class Mosquitto(Process):
    """The broker as Debian packages it, with TCP_NODELAY, which is not the default and makes it faster."""

    framing = "mqtt"

    def __init__(self, folder):
        self.port = free_port()
        configuration = os.path.join(folder, "mosquitto.conf")
        with open(configuration, "w") as file:
            file.write(f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence false\nlog_type none\n"
                       "set_tcp_nodelay true\n")
        super().__init__(["mosquitto", "-c", configuration], stderr=subprocess.DEVNULL)
        self.publisher = self.connect("publisher")
        self.feed = self.publisher.fileno()

    def connect(self, name):
        for _ in range(200):
            try:
                connected = socket.create_connection(("127.0.0.1", self.port))
                break
            except ConnectionRefusedError:
                time.sleep(0.01)
        else:
            raise SystemExit("mosquitto does not listen")
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client = name.encode()
        body = b"\x00\x04MQTT\x04\x02\x00\x00" + len(client).to_bytes(2, "big") + client
        connected.sendall(bytes([0x10, len(body)]) + body)
        self.expect(connected, b"\x20\x02\x00\x00")
        return connected

    @staticmethod
    def expect(connected, answer):
        received = b""
        while len(received) < len(answer):
            received += connected.recv(len(answer) - len(received))
        if received != answer:
            raise SystemExit(f"mosquitto answered {received}")

    def subscribe(self, sessions):
        lines = []
        for number in range(sessions):
            connected = self.connect(f"reader-{number}")
            body = b"\x00\x01\x00\x0bfix/updates\x00"
            connected.sendall(bytes([0x82, len(body)]) + body)
            self.expect(connected, b"\x90\x03\x00\x01\x00")
            lines.append(Line(connected))
        return lines


def measure(server, fan_out, lines, rate, seconds, flood=None):
    """Publishes at a rate for a time. Returns the figures of the readers, and the processor time of the server."""
    descriptors = [server.feed] + [line.socket.fileno() for line in lines]
    inherited = descriptors + ([flood.fileno()] if flood else [])
    words = [fan_out, server.framing, str(rate), str(seconds)] + ([str(flood.fileno())] if flood else [])
    client = subprocess.Popen(
        words, pass_fds=inherited, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    client.stdin.write(" ".join(map(str, descriptors)))
    client.stdin.close()
    # The measurement starts when every reader has received a message.
    client.stdout.readline()
    used = server.seconds()
    told = client.stdout.readline()
    used = server.seconds() - used
    client.wait()
    if not told:
        raise SystemExit("the load client failed")
    figures = json.loads(told)
    figures["cpu_s_per_million"] = round(used / max(1, figures["deliveries"]) * 1e6, 3)
    figures["resident_mb"] = round(server.megabytes(), 1)
    figures["load"] = round(os.getloadavg()[0], 2)
    return figures


def median(rounds):
    """Returns the median of each figure, and for lost messages the maximum."""
    result = dict(rounds[0])
    for key in ("p50_ms", "p99_ms", "max_ms", "last_p50_ms", "last_p99_ms", "cpu_s_per_million"):
        result[key] = round(statistics.median(figures[key] for figures in rounds), 3)
    for key in ("missing", "dropped"):
        result[key] = max(figures[key] for figures in rounds)
    result["lost"] = max(result["missing"], result["dropped"])
    result["rounds"] = rounds
    return result


@contextlib.contextmanager
def running(server):
    try:
        yield server
    finally:
        server.end()


def once(make, fan_out, sessions, rate, seconds):
    with tempfile.TemporaryDirectory(prefix="onefix-") as folder, running(make(folder)) as server:
        lines = server.subscribe(sessions)
        return measure(server, fan_out, lines, rate, seconds)


def fanout(options):
    makers = {
        "mosquitto": Mosquitto,
        "onefix": lambda folder: OneFix(folder, options, ["bench"]),
    }
    if options.only:
        makers = {options.only: makers[options.only]}
    table = {}
    for rate in [int(rate) for rate in options.rates.split(",")]:
        rounds = {name: [] for name in makers}
        for number in range(options.rounds):
            for name, make in makers.items():
                print(f"{rate} Hz, round {number + 1} of {options.rounds}: {name} …", file=sys.stderr)
                rounds[name].append(once(make, options.fan_out, options.sessions, rate, options.seconds))
        table[str(rate)] = {name: median(figures) for name, figures in rounds.items()}
    return table


def crowd(options):
    rounds = {"alone": [], "crowded": []}
    for number in range(options.rounds):
        for name in rounds:
            print(f"round {number + 1} of {options.rounds}: {name} …", file=sys.stderr)
            with tempfile.TemporaryDirectory(prefix="onefix-") as folder, running(
                    OneFix(folder, options, ["bench", "rude"])) as server:
                lines = server.subscribe(options.sessions)
                flood, deaf = None, []
                if name == "crowded":
                    server.owner.ask("SET rude status always")
                    for _ in range(DEAF):
                        line = server.greeted("rude", buffer=2048)
                        line.ask("SUB # all")
                        line.ask("START updates interval=0")
                        # From here on these clients read nothing.
                        deaf.append(line)
                    flood = server.greeted("rude").socket
                rounds[name].append(measure(server, options.fan_out, lines, 10, options.seconds, flood))
    return {name: median(figures) for name, figures in rounds.items()}


def idle(options):
    apps = [f"app{number}" for number in range((options.sessions + PER_APP - 1) // PER_APP)]
    with tempfile.TemporaryDirectory(prefix="onefix-") as folder, running(
            OneFix(folder, options, apps, is_local=True)) as server:
        before = server.megabytes()
        begin, used = time.monotonic(), server.seconds()
        lines = [server.greeted(apps[number // PER_APP]) for number in range(options.sessions)]
        connected = time.monotonic() - begin
        connecting = server.seconds() - used
        used = server.seconds()
        time.sleep(10)
        return {
            "sessions": len(lines), "before_mb": round(before, 1), "resident_mb": round(server.megabytes(), 1),
            "kb_each": round((server.megabytes() - before) * 1024 / len(lines), 2),
            "connect_s": round(connected, 1), "connect_cpu_s": round(connecting, 1),
            "idle_cpu_percent": round((server.seconds() - used) * 10, 1)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["fanout", "crowd", "idle"])
    parser.add_argument("onefixd")
    parser.add_argument("fan_out")
    parser.add_argument("boards")
    parser.add_argument("--sessions", type=int, default=1000)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rates", default="10,25,100")
    parser.add_argument("--only", choices=["onefix", "mosquitto"])
    options = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if most < options.sessions + 200:
        raise SystemExit(f"{options.sessions} connections need more open files than {most}: see ulimit -Hn")
    print(json.dumps({"fanout": fanout, "crowd": crowd, "idle": idle}[options.what](options)))


main()
