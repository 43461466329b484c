"""All faults at random, with a real button and a real light, and with the clock of the machine. The oracle of
Tests/System/Soak checks the transcript, and uses no other data."""

import json
import random
import re
import socket
import tempfile
import threading
import time
from collections import Counter
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path

from board.bus import DDC
from board.checks import Failure, eventually, expect, rule, scenario
from board.gateway import Gateway
from board.gpio import Recording
from board.receiver import Position
from board.rig import BOARD
from oracle import Oracle
from transcript import Transcript, text

CONFIGURATION = """
[[app]]
id = "blur"
uid = 0
accuracy = "reduced"

[[app]]
id = "pulse"
uid = 0
"""
APPS = {"chart": {"accuracy": "full"}, "blur": {"accuracy": "reduced"}, "pulse": {"accuracy": "full"}}
ROLLOVER = 1024 * 7 * 86400
FJORD = Position(61.2190417, -6.9472583)
# In the time of the board. Every life except the last ends with SIGKILL.
LIVES, LIFE = 4, 24


class Connection(threading.Thread):
    """Lines in both directions, which are all in the transcript."""

    def __init__(self, soak: "Soak", who: str, app: str | None, path: Path):
        super().__init__(daemon=True)
        self._soak, self._who = soak, {"who": who, "app": app, "way": "unix" if app else "owner"}
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(path))
        self._lines: list[str] = []
        self._news = threading.Condition()
        self._is_open, self._count = True, 0
        soak.add("open", **self._who)
        self.start()

    def run(self) -> None:
        try:
            for line in self._socket.makefile("rb"):
                said = text(line.rstrip(b"\r\n"))
                self._soak.add("heard", **self._who, text=said)
                with self._news:
                    self._lines.append(said)
                    self._news.notify()
        except OSError:
            pass
        with self._news:
            self._is_open = False
            self._news.notify()
        self._soak.add("close", **self._who, by="them")

    def next(self, pattern: str, within: float = 10) -> str | None:
        """Returns the next line that matches. None after the timeout or the end of the connection."""
        deadline = time.monotonic() + within
        with self._news:
            while True:
                while self._lines:
                    if re.match(pattern, line := self._lines.pop(0)):
                        return line
                left = deadline - time.monotonic()
                if left <= 0 or not self._is_open:
                    return None
                self._news.wait(left)

    def say(self, line: str) -> None:
        self._soak.add("said", **self._who, text=line)
        self._socket.sendall(line.encode() + b"\n")

    def ask(self, line: str) -> str | None:
        tag = f"@{self._soak.number()}"
        self.say(f"{tag} {line}")
        return self.next(rf"(\+OK|PONG) {tag}\b|-ERR \d+ \S+ {tag}\b", 20)

    def close(self) -> None:
        # A shutdown ends the thread that reads.
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._socket.close()


class Soak:
    """A run: apps that connect and disconnect, a user at the button, and faults."""

    def __init__(self, folder: Path, seed: int):
        self.folder, self.random = folder, random.Random(seed)
        self._transcript, self._lock = Transcript(folder / "transcript.jsonl"), threading.Lock()
        self._numbers = 0
        self._presses = 0
        self._ended = threading.Event()
        # Confirmed apps are served before others, so each app is confirmed alone, in this order.
        self._is_introduced = {app: threading.Event() for app in ("chart", "blur")}
        self._began, self._utc = time.monotonic(), time.time()
        self._offset = 0
        self.add("setup", seed=seed, apps=APPS)

    def add(self, kind: str, **fields) -> dict:
        with self._lock:
            return self._transcript.add(kind, **fields)

    def number(self) -> int:
        with self._lock:
            self._numbers += 1
            return self._numbers

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    @property
    def utc(self) -> float:
        """Returns the true time, independent of the machine's clock."""
        return self._utc + time.monotonic() - self._began

    # The receiver

    def receive(self) -> None:
        with open(DDC, "wb", buffering=0) as sink:
            while not self._ended.wait(1 - self.utc % 1):
                utc = round(self.utc)
                sink.write(FJORD.epoch(datetime.fromtimestamp(utc + self._offset, timezone.utc)))
                self.add("epoch", utc=utc, label=utc + self._offset, lat=FJORD.latitude, lon=FJORD.longitude, whole=True)

    # Apps

    def visit(self, app: str) -> None:
        """Connects, sends one request and disconnects, repeatedly."""
        for other, is_introduced in self._is_introduced.items():
            if other == app:
                break
            is_introduced.wait()
        while not self._ended.wait(self.random.uniform(0.2, 2)):
            if self._is_introduced[app].is_set():
                for is_introduced in self._is_introduced.values():
                    is_introduced.wait()
            try:
                connection = Connection(self, f"{app}/{self.number()}", app, self.folder / "apps.sock")
            except OSError:
                continue
            try:
                connection.ask(f"HELLO 1 app={app} keepalive=0")
                if (connection.ask("REQ once timeout=8") or "").startswith("+OK"):
                    found = re.match(r"MSG fix/once \S+ id=(\d+)", connection.next("MSG fix/once|-ERR", 9) or "")
                    # A fix that is sent again would hide the light's question about the next app.
                    is_known = self._is_introduced[app].is_set()
                    if found and is_known and self.chance(0.2):
                        connection.next(".* dup=1 ", 6)
                    if found and (not is_known or self.chance(0.9)):
                        connection.ask(f"ACK {found[1]}")
                    if found:
                        self._is_introduced[app].set()
            except OSError:
                pass
            connection.close()

    def pulse(self) -> None:
        while not self._ended.wait(0.2):
            try:
                connection = Connection(self, f"pulse/{self.number()}", "pulse", self.folder / "apps.sock")
                connection.ask("HELLO 1 app=pulse keepalive=0")
                while not self._ended.wait(1) and connection.ask("PING"):
                    pass
                connection.close()
            except OSError:
                continue

    # A person

    def press(self) -> None:
        self._presses += 1
        length = self.random.uniform(0.04, 0.4)
        self.add("press", number=self._presses, milliseconds=int(length * 1000))
        (BOARD.button.press_bouncing if self.chance(0.3) else BOARD.button.press)(length)
        self.add("released", number=self._presses, up=time.monotonic(), effect=None)

    def press_for(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            time.sleep(self.random.uniform(0.5, 2.4))
            self.press()

    # Faults

    @contextmanager
    def bus(self, **faults):
        BOARD.bus.order(**faults)
        yield
        BOARD.bus.mend()

    @contextmanager
    def dark(self):
        # A sense input that kept its last level could stay lit for ever. This one is dark: the indicator is covered.
        BOARD.sense.cut()
        self.add("sense", sees=False)
        yield
        self.add("sense", sees=True)
        BOARD.sense.mend()

    @contextmanager
    def clock(self, step: int):
        time.clock_settime(time.CLOCK_REALTIME, self.utc + step)
        yield
        time.clock_settime(time.CLOCK_REALTIME, self.utc)

    @contextmanager
    def rollover(self):
        self._offset = -ROLLOVER
        yield
        self._offset = 0

    def faults(self):
        while True:
            kinds = {
                "bus refuses": lambda: self.bus(nak=self.random.randrange(1, 9)),
                "bus times out": lambda: self.bus(timeout=self.random.randrange(1, 3)),
                "bus unplugged": lambda: self.bus(unplugged=True), "light not seen": self.dark,
                "clock step": lambda: self.clock(self.random.choice((-43200, -3600, -1, 1, 3600, 43200))),
                "week rollover": self.rollover}
            names = list(kinds)
            self.random.shuffle(names)
            yield from ((name, kinds[name]) for name in names)

    def live(self, gateway: Gateway, owner: Connection, faults) -> None:
        deadline = time.monotonic() + LIFE
        while time.monotonic() < deadline:
            self.press_for(3)
            name, fault = next(faults)
            self.add("fault", what=name, state="begin")
            with fault():
                self.press_for(self.random.uniform(1, 3))
            self.add("fault", what=name, state="end")
            try:
                eventually("the receiver", lambda: " receiver=ready " in (owner.ask("STATUS") or ""), within=30)
                self.add("fault", what=name, state="survived")
            except Failure:
                self.add("fault", what=name, state="lost")

    def export(self, owner: Connection) -> None:
        since = time.monotonic()
        verdict = owner.ask("VERIFY") or ""
        before = len(self._transcript.records)
        owner.ask("LOG limit=1000")
        entries = [json.loads(record["text"].removeprefix("MSG owner/log - ")) for record in self._transcript.records[before:]
                   if record["kind"] == "heard" and record["text"].startswith("MSG owner/log - ")]
        self.add("log", since=since, entries=entries, verdict=verdict, complaint="",
                 status=0 if "state=good" in verdict else 3)

    def run(self) -> list[dict]:
        """Runs the daemons one after the other. Returns the transcript."""
        work = [threading.Thread(target=target, args=words, daemon=True) for target, *words in (
            (self.receive,), (self.visit, "chart"), (self.visit, "blur"), (self.pulse,))]
        for thread in work:
            thread.start()
        faults = self.faults()
        with Recording("soak") as recording:
            for life in range(1, LIVES + 1):
                # The second daemon starts in 1970, and the clock is corrected later.
                if life == 2:
                    time.clock_settime(time.CLOCK_REALTIME, 3600)
                self.add("start", life=life, offset=0)
                with Gateway("virtual-sense", folder=self.folder, configuration=CONFIGURATION) as gateway:
                    self.add("ready", life=life)
                    owner = Connection(self, f"owner/{life}", None, self.folder / "owner.sock")
                    owner.ask("HELLO 1 keepalive=0")
                    self.export(owner)
                    self.live(gateway, owner, faults)
                    time.clock_settime(time.CLOCK_REALTIME, self.utc)
                    if life == LIVES:
                        self.export(owner)
                        status, how = gateway.stop(), "stopped"
                    else:
                        gateway.kill()
                        status, how = 0, "killed"
                    self.add("end", life=life, how=how, status=status)
                    owner.close()
            self._ended.set()
            for is_introduced in self._is_introduced.values():
                is_introduced.set()
            for thread in work:
                thread.join()
            drives = recording.drives(BOARD.led)
        lights = [{"t": drive.time, "kind": "light", "lit": drive.is_high, "name": "in-use" if drive.is_high else "off",
                   "exact": True} for drive in drives]
        records = [dict(record) for record in self._transcript.records]
        return sorted(records + lights, key=lambda record: record["t"])


@scenario("soak, seed", 1, 2)
def _(seed):
    folder = Path(tempfile.mkdtemp(prefix="soak-"))
    with rule("the contract holds with random presses, apps and faults"):
        records = Soak(folder, seed).run()
        oracle = Oracle(records).judge()
        given = Counter(disclosure.app for disclosure in oracle.evidence.disclosures)
        expect(not oracle.violations, json.dumps(oracle.violations[:5], indent=1))
        expect(given["chart"] >= 3 and given["blur"] >= 3, f"too little was given to judge by: {given}")
    with rule("the oracle of that run detects violations"):
        first = next(record for record in records if record["kind"] == "epoch")
        for kind, said in ("light", "the light is on"), ("press", "a fix needs its own press"), ("epoch", "a fix comes from an epoch"):
            # One epoch of the receiver is kept, because it has the time of the run.
            kinds = ("press", "released") if kind == "press" else (kind,)
            left = [record for record in records if record["kind"] not in kinds or record is first]
            found = [violation["rule"] for violation in Oracle(left).judge().violations]
            expect(any(rule.startswith(said) for rule in found), f"without {kind}: {found}")
