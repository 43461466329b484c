"""The board: all its hardware, set up once. Its lines are named as on a real one."""

import subprocess
from pathlib import Path

from board.bus import Bus
from board.gpio import Chip

LINES = ["BUTTON", "LED", "SENSE", "RED", "GREEN", "BLUE", "POWER"]


class Board:
    def __init__(self):
        self.chip = Chip("board", LINES)
        # The LED of the system has a chip of its own, since a chip that the kernel itself uses cannot be taken away.
        self.panel = Chip("panel", ["STATUS"])
        subprocess.run(["insmod", "/modules/status-led.ko"], check=True)
        self.led_class = Path("/sys/class/leds/board:blue:status")
        self.bus = Bus()
        self.line = self.chip.__getitem__


# The receiver's side of the serial line whose other end is /dev/ttyS1.
FAR_END = "/dev/ttyS2"

BOARD = Board()
