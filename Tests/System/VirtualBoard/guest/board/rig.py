"""The board: all its hardware, set up once, and the actions of a user. Its lines have the names of a real board."""

import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

from board.bus import Bus
from board.gpio import Chip, Line, Wire

LINES = ["BUTTON", "LED", "SENSE", "RED", "GREEN", "BLUE", "POWER", "BUZZER"]


class Button:
    """A push button from a line to ground, with a pull-up resistor."""

    def __init__(self, line: Line):
        self.line = line
        self.release()

    def push(self) -> None:
        self.line.pull(False)

    def release(self) -> None:
        self.line.pull(True)

    def press(self, seconds: float = 0.1) -> None:
        """Presses and releases the button."""
        self.line.pull_down_for(seconds)

    def press_bouncing(self, seconds: float = 0.1) -> None:
        """Presses and releases the button. The contacts bounce five times within 10 ms."""
        for is_down in True, False:
            for _ in range(5):
                self.line.pull(not is_down)
                time.sleep(0.001)
                self.line.pull(is_down)
                time.sleep(0.001)
            self.line.pull(not is_down)
            time.sleep(seconds if is_down else 0.01)


class Board:
    """All the hardware of the board."""

    def __init__(self):
        self.chip = Chip("board", LINES)
        # The LED of the system has its own chip, because a chip that the kernel itself uses cannot be removed.
        self.panel = Chip("panel", ["STATUS"])
        subprocess.run(["insmod", "/modules/status-led.ko"], check=True)
        self.led_class = Path("/sys/class/leds/board:blue:status")
        self.bus = Bus()
        # An LED that can be removed separately.
        self.lamp = Chip("lamp", ["LAMP"])
        self.button = Button(self.chip["BUTTON"])
        self.led = self.chip["LED"]
        self.sense = Wire(self.led, self.chip["SENSE"].pull)
        # A receiver without supply does not respond. On boards that never switch it off, the supply is always on.
        self.supply = Wire(self.chip["POWER"], lambda is_on: self.bus.order(unplugged=not is_on))

    @contextmanager
    def another_chip(self):
        """A chip that has the lowest free number while it exists."""
        other = Chip("other", ["NOTHING"])
        try:
            yield
        finally:
            other.discard()


# The receiver's end of the serial line. The other end is /dev/ttyS1.
FAR_END = "/dev/ttyS2"

BOARD = Board()
