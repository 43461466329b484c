"""The GPIO chips of the board, simulated by the kernel, from the side of the connected hardware."""

import os
import re
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

CONFIGURATION = Path("/sys/kernel/config/gpio-sim")
TRACING = Path("/sys/kernel/tracing")


class Line:
    """The hardware that is connected to a line."""

    def __init__(self, chip: "Chip", offset: int, name: str):
        self.chip = chip
        self.offset = offset
        self.name = name

    @property
    def _folder(self) -> Path:
        return self.chip.folder / f"sim_gpio{self.offset}"

    def pull(self, up: bool) -> None:
        """Pulls the line up or down. A driven output overrides the pull."""
        (self._folder / "pull").write_text("pull-up" if up else "pull-down")

    def pull_down_for(self, seconds: float) -> None:
        """Pulls the line down and then up. Opening the file takes the guest 2 ms, so it is open before the pulse begins.
        The real-time priority keeps the daemon from making the pulse longer."""
        with open(self._folder / "pull", "wb", buffering=0) as pull:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
            pull.write(b"pull-down")
            time.sleep(seconds)
            pull.write(b"pull-up")
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))

    @property
    def is_high(self) -> bool:
        return (self._folder / "value").read_text().strip() == "1"

    @property
    def number(self) -> int:
        """Returns the number of the line in the kernel's trace."""
        return self.chip.base + self.offset


class Chip:
    """A chip with named lines that can be removed and added again."""

    def __init__(self, label: str, names: list[str]):
        self.label = label
        self._configuration = CONFIGURATION / label
        self._bank = self._configuration / "bank0"
        self._bank.mkdir(parents=True)
        (self._bank / "num_lines").write_text(str(len(names)))
        (self._bank / "label").write_text(label)
        for offset, name in enumerate(names):
            line = self._bank / f"line{offset}"
            line.mkdir()
            (line / "name").write_text(name)
        self._lines = {name: Line(self, offset, name) for offset, name in enumerate(names)}
        self.plug_in()

    def __getitem__(self, name: str) -> Line:
        return self._lines[name]

    def plug_in(self) -> None:
        (self._configuration / "live").write_text("1")

    def unplug(self) -> None:
        (self._configuration / "live").write_text("0")

    def discard(self) -> None:
        """Removes the chip permanently."""
        self.unplug()
        for folder in (*self._bank.glob("line*"), self._bank, self._configuration):
            folder.rmdir()

    @property
    def name(self) -> str:
        """Returns the current name of the chip, for example gpiochip0."""
        return (self._bank / "chip_name").read_text().strip()

    @property
    def folder(self) -> Path:
        return Path("/sys/devices/platform", (self._configuration / "dev_name").read_text().strip(), self.name)

    @property
    def base(self) -> int:
        listing = Path("/sys/kernel/debug/gpio").read_text()
        return int(re.search(rf"^{self.name}: GPIOs (\d+)-", listing, re.MULTILINE)[1])


@dataclass(frozen=True)
class Drive:
    """A change of an output line."""

    # Seconds of the monotonic clock.
    time: float
    is_high: bool


# A line of the trace, for example "  gateway-123 [000] ..... 12.345678: gpio_value: 505 set 1".
DRIVE = re.compile(r" (\d+\.\d+): gpio_value: (\d+) set (\d)")


class Recording:
    """A recording of the values that lines are driven to, from the trace of the kernel."""

    def __init__(self, name: str):
        self._folder = TRACING / "instances" / name
        self._folder.mkdir()
        (self._folder / "trace_clock").write_text("mono")
        (self._folder / "events/gpio/gpio_value/enable").write_text("1")

    def __enter__(self) -> "Recording":
        return self

    def __exit__(self, *_) -> None:
        (self._folder / "events/gpio/gpio_value/enable").write_text("0")
        self._folder.rmdir()

    def drives(self, line: Line) -> list[Drive]:
        """Each time that the line was driven to another level than before."""
        drives: list[Drive] = []
        for time, number, level in DRIVE.findall((self._folder / "trace").read_text()):
            drive = Drive(float(time), level == "1")
            if int(number) == line.number and not (drives and drives[-1].is_high == drive.is_high):
                drives.append(drive)
        return drives

    def stream(self):
        """Each drive as it comes: the number of the line, and whether it was driven high."""
        with open(self._folder / "trace_pipe") as pipe:
            for text in pipe:
                if found := DRIVE.search(text):
                    yield int(found[2]), found[3] == "1"


class Wire(threading.Thread):
    """A wire from an output line to an input line, for example from an LED to its sense input. A test can cut it."""

    def __init__(self, source: Line, carry: Callable[[bool], None]):
        super().__init__(name="wire", daemon=True)
        self._recording = Recording(f"wire-{source.name}")
        self._source = source
        self._carry = carry
        # After a cut, the wire carries no level that it read before the cut.
        self._lock = threading.Lock()
        self._is_cut = False
        self.start()

    def run(self) -> None:
        for number, is_high in self._recording.stream():
            with self._lock:
                if number == self._source.number and not self._is_cut:
                    self._carry(is_high)

    def cut(self) -> None:
        """Cuts the wire. The input line is then low."""
        with self._lock:
            self._is_cut = True
            self._carry(False)

    def mend(self) -> None:
        """Connects the lines again. The input line then has the level of the output line."""
        with self._lock:
            self._is_cut = False
            self._carry(self._source.is_high)
