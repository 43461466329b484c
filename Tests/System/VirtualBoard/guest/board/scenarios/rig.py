"""Checks of the virtual board itself, on which the other scenarios rely."""

import fcntl
import os
import struct
import subprocess
import time
from array import array
from pathlib import Path

from board.bus import DDC, PADDED
from board.checks import between, eventually, expect, rule, same, scenario
from board.gateway import GENERATIONS, libgpiod
from board.gpio import Recording
from board.rig import BOARD, LINES

# Linux, linux/i2c-dev.h and linux/i2c.h
I2C_SLAVE = 0x0703
I2C_SMBUS = 0x0720
I2C_SMBUS_READ = 1
I2C_SMBUS_BYTE, I2C_SMBUS_WORD_DATA, I2C_SMBUS_I2C_BLOCK_DATA = 1, 3, 8


def started(generation: int, name: str, *arguments: str) -> subprocess.Popen:
    """Starts a tool of libgpiod."""
    command = [f"/opt/libgpiod-{generation}/{name}", *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=libgpiod(generation))


def tool(generation: int, name: str, *arguments: str) -> str:
    """Returns the output of a tool of libgpiod."""
    with started(generation, name, *arguments) as process:
        said, complaints = process.communicate(timeout=20)
    same((process.returncode, complaints), (0, ""))
    return said


@scenario("rig")
def _():
    for generation in GENERATIONS:
        with rule(f"libgpiod {generation} sees the board's chip by its label and the lines by name"):
            expect(f"{BOARD.chip.name} [board] ({len(LINES)} lines)" in tool(generation, "gpiodetect"), "no chip 'board'")
            listing = tool(generation, "gpioinfo")
            same([name for name in LINES if name not in listing], [])

    with rule("an edge has the kernel's time of the press"):
        with started(1, "gpiomon", "--num-events=2", "--format=%e %s %n", BOARD.chip.name, "0") as monitor:
            eventually("the monitor", lambda: "gpiomon" in Path("/proc/interrupts").read_text())
            began = time.monotonic()
            BOARD.button.press(0.050)
            edges = [line.split() for line in monitor.stdout]
            ended = time.monotonic()
        same([kind for kind, _, _ in edges], ["0", "1"])
        # The tool prints the nanoseconds without leading zeros.
        down, up = (int(seconds) + int(nanoseconds) / 1e9 for _, seconds, nanoseconds in edges)
        # Both times are those of the press, 50 ms apart, however long the machine was suspended.
        between(down - began, 0, ended - began - 0.050)
        between(up - down, 0.050, ended - down)

    with rule("the kernel's trace has the value and the time of each change of a line"):
        with Recording("rig") as recording:
            began = time.monotonic()
            tool(1, "gpioset", "--mode=time", "--usec=100000", BOARD.chip.name, "1=1")
            tool(1, "gpioset", BOARD.chip.name, "1=0")
            drives = recording.drives(BOARD.led)
        same([drive.is_high for drive in drives], [True, False])
        between(drives[1].time - drives[0].time, 0.1, 2)

    with rule("the status LED of the system drives its line"):
        for level in "255", "0":
            (BOARD.led_class / "brightness").write_text(level)
            same(BOARD.panel["STATUS"].is_high, level != "0")

    with open("/dev/i2c-1", "r+b", buffering=0) as bus:
        with rule("the bus has a receiver with a count at 0x42"):
            fcntl.ioctl(bus, I2C_SLAVE, 0x42)
            empty(bus)
            Path(DDC).write_bytes(b"$GN")
            bus.write(b"\xfd")
            same(bus.read(6), b"\x00\x03$GN\xff")
            bus.write(b"\xb5\x62")
            same(Path(DDC).open("rb", buffering=0).read(10), b"\xb5\x62")
        with rule("the bus has a receiver with a padded buffer at 0x10"):
            fcntl.ioctl(bus, I2C_SLAVE, 0x10)
            empty(bus)
            Path(PADDED).write_bytes(b"$GP")
            same(bus.read(5), b"$GP\n\n")
        with rule("the adapter makes the transfers of SMBus that the daemon uses"):
            fcntl.ioctl(bus, I2C_SLAVE, 0x42)
            empty(bus)
            Path(DDC).write_bytes(b"$GN")
            same(smbus_read(bus, I2C_SMBUS_WORD_DATA, 0xFD), b"\x00\x03")
            same(smbus_read(bus, I2C_SMBUS_I2C_BLOCK_DATA, 0xFD, 6), b"\x00\x03$GN\xff")
            fcntl.ioctl(bus, I2C_SLAVE, 0x10)
            Path(PADDED).write_bytes(b"$")
            same(smbus_read(bus, I2C_SMBUS_BYTE), b"$")
        with rule("the bus can simulate faults"):
            for fault, number in ({"nak": 1}, 6), ({"timeout": 1}, 110), ({"unplugged": True}, 6):
                BOARD.bus.order(**fault)
                same((fault, failure(bus)), (fault, number))
                BOARD.bus.mend()
            same(failure(bus), 0)


def smbus_read(bus, kind: int, command: int = 0, count: int = 0) -> bytes:
    """Returns the bytes that an SMBus transfer reads, in bus order.

    - count: the bytes of a block.
    """
    # union i2c_smbus_data
    data = array("B", [count] + [0] * 33)
    address, _ = data.buffer_info()
    # struct i2c_smbus_ioctl_data
    fcntl.ioctl(bus, I2C_SMBUS, struct.pack("BBIP", I2C_SMBUS_READ, command, kind, address))
    lengths = {I2C_SMBUS_BYTE: slice(0, 1), I2C_SMBUS_WORD_DATA: slice(0, 2), I2C_SMBUS_I2C_BLOCK_DATA: slice(1, 1 + count)}
    return data.tobytes()[lengths[kind]]


def empty(bus) -> None:
    """Reads the remaining data of a receiver, at most the size of its buffer."""
    os.read(bus.fileno(), 4096)


def failure(bus) -> int:
    """Returns the error number of a read."""
    try:
        os.read(bus.fileno(), 1)
        return 0
    except OSError as error:
        return error.errno
