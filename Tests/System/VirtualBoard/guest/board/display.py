"""The display on the I2C bus, and the program that drives it: see kernel/gnss-bus.c."""

import subprocess
import time
from pathlib import Path
from threading import Thread

from board.checks import WITNESSES, Failure, eventually, say
from board.gateway import PROGRAMS, Gateway, libgpiod
from board.rig import BOARD

COLUMNS, PAGES = 128, 8
FONT = "/checks/unifont.hex"
PICTURES = Path("/checks/board/pictures")
BLOCKS = {(".", "."): " ", ("#", "."): "▀", (".", "#"): "▄", ("#", "#"): "█"}


def picture() -> str | None:
    """Returns what a person sees: 64 rows of 128 pixels, `#` for a lit one; None if the display is off. The module is
    mounted with its pins at the top, so the first byte is the top left corner."""
    is_on, *memory = Path("/dev/oled").read_bytes()
    if not is_on:
        return None
    rows = [
        "".join("#" if memory[page * COLUMNS + column] >> bit & 1 else "." for column in range(COLUMNS))
        for page in range(PAGES)
        for bit in range(8)
    ]
    return "\n".join(rows) + "\n"


def draw_changes() -> None:
    """Reports each new picture, until the checks end. A character shows two pixels, one above the other."""

    def draw() -> None:
        drawn = None
        while True:
            if (found := picture()) != drawn:
                drawn = found
                rows = ["." * COLUMNS] * (PAGES * 8) if found is None else found.splitlines()
                for upper, lower in zip(rows[::2], rows[1::2]):
                    say("draw", "".join(BLOCKS[pixels] for pixels in zip(upper, lower)))
                say("draw", "─" * COLUMNS)
            time.sleep(0.05)

    Thread(target=draw, daemon=True).start()


def shows(name: str, within: float = 20) -> None:
    """Waits until the display shows a kept picture. A failure has all pictures that the display showed."""
    kept = (PICTURES / f"{name}.txt").read_text()
    seen: list[str] = []

    def is_kept() -> bool:
        found = picture() or "the display is off"
        if found not in seen:
            seen.append(found)
        return found == kept

    try:
        eventually(f"the picture {name}", is_kept, within)
    except Failure as failure:
        failure.add_note("\n\n".join(seen))
        raise


def is_dark() -> bool:
    return picture() is None


class DisplayProgram:
    """A running `onefix display`."""

    def __init__(self, gateway: Gateway):
        self._log = gateway.folder / "display-log"
        command = [f"{PROGRAMS}/onefix", "display", "--socket", f"{gateway.folder}/apps.sock", "--font", FONT]
        with self._log.open("w") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=libgpiod(1)
            )
        WITNESSES.append(self._testimony)

    def __enter__(self) -> "DisplayProgram":
        return self

    def __exit__(self, *_) -> None:
        self._process.terminate()
        self._process.wait(10)
        WITNESSES.remove(self._testimony)

    def _testimony(self) -> str:
        return "onefix display said:\n" + self.log

    @property
    def log(self) -> str:
        return self._log.read_text(errors="replace")

    def opened(self) -> int:
        """Returns how often the program has opened the display."""
        return self.log.count("display open")


def frames() -> int:
    return BOARD.bus.count("display_frames")
