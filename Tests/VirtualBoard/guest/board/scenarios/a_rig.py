"""The virtual board itself is what the other checks take it for."""

import fcntl
import os
import subprocess
import time
from pathlib import Path

from board.bus import DDC, PADDED
from board.checks import between, check, eventually, expect, same
from board.gpio import Recording
from board.rig import BOARD, LINES

I2C_SLAVE = 0x0703


def started(generation: int, name: str, *arguments: str) -> subprocess.Popen:
    """A running tool of libgpiod's."""
    folder = Path(f"/opt/libgpiod-{generation}")
    environment = dict(os.environ, LD_LIBRARY_PATH=(folder / "libraries").read_text())
    command = [folder / name, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def tool(generation: int, name: str, *arguments: str) -> str:
    """What a tool of libgpiod's says."""
    with started(generation, name, *arguments) as process:
        said, complaints = process.communicate(timeout=20)
    same((process.returncode, complaints), (0, ""))
    return said


@check("both generations of libgpiod see the board's chip and lines by name")
def _():
    for generation in 1, 2:
        expect(f"{BOARD.chip.name} [board] (7 lines)" in tool(generation, "gpiodetect"), "no chip 'board'")
        for name in LINES:
            expect(name in tool(generation, "gpioinfo"), f"no line {name}")


@check("an edge has the kernel's time of the press")
def _():
    BOARD.line("BUTTON").pull(True)
    with started(1, "gpiomon", "--num-events=2", "--format=%e %s.%n", BOARD.chip.name, "0") as monitor:
        eventually("the monitor", lambda: "gpiomon" in Path("/proc/interrupts").read_text())
        began = time.monotonic()
        BOARD.line("BUTTON").pull(False)
        time.sleep(0.050)
        BOARD.line("BUTTON").pull(True)
        edges = [line.split() for line in monitor.stdout]
    same([kind for kind, _ in edges], ["0", "1"])
    down, up = (float(seconds) for _, seconds in edges)
    between(down - began, 0, 0.002)
    between(up - down, 0.050, 0.055)


@check("the kernel's trace tells what a line is driven to and when")
def _():
    with Recording("rig") as recording:
        began = time.monotonic()
        tool(1, "gpioset", "--mode=time", "--usec=100000", BOARD.chip.name, "1=1")
        tool(1, "gpioset", BOARD.chip.name, "1=0")
        drives = recording.drives(BOARD.line("LED"))
    same([drive.is_high for drive in drives], [True, False])
    between(drives[0].time - began, 0, 2)
    between(drives[1].time - drives[0].time, 0.1, 2)


@check("the status LED of the system drives its line")
def _():
    (BOARD.led_class / "brightness").write_text("255")
    expect(BOARD.panel["STATUS"].is_high, "the line is low")
    (BOARD.led_class / "brightness").write_text("0")
    expect(not BOARD.panel["STATUS"].is_high, "the line is high")


@check("the bus has a receiver with a count and one with a padded buffer, and faults on order")
def _():
    Path(DDC).write_bytes(b"$GN")
    Path(PADDED).write_bytes(b"$GP")
    with open("/dev/i2c-1", "r+b", buffering=0) as bus:
        fcntl.ioctl(bus, I2C_SLAVE, 0x42)
        bus.write(b"\xfd")
        same(bus.read(6), b"\x00\x03$GN\xff")
        bus.write(b"\xb5\x62")
        same(os.read(os.open(DDC, os.O_RDONLY), 10), b"\xb5\x62")
        fcntl.ioctl(bus, I2C_SLAVE, 0x10)
        same(bus.read(5), b"$GP\n\n")
        for fault, number in ({"nak": 1}, 6), ({"timeout": 1}, 110), ({"unplugged": True}, 6):
            BOARD.bus.order(**fault)
            try:
                bus.read(1)
                found = 0
            except OSError as error:
                found = error.errno
            same((fault, found), (fault, number))
            BOARD.bus.mend()
        bus.read(1)
