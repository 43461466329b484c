"""The actions of the package checks on the machine: commands, and presses for an app with a request."""

import subprocess
import threading
import time
from typing import Callable

from board.checks import Failure
from board.rig import BOARD
from board.visitor import ARMED, READ, SETTLED


def run(*command: str, status: int | None = 0, within: float = 300) -> str:
    """Returns the output of a command, which must end with a status."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=within)
    if status is not None and done.returncode != status:
        raise Failure(f"'{' '.join(command)}' ended with {done.returncode}:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


def apt(*words: str) -> str:
    return run("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-y", "-q", "-o", "Dpkg::Options::=--force-confold",
               "--no-install-recommends", *words, within=900)  # fmt: skip


def service(name: str, unit: str = "onefix") -> str:
    """Returns a property of a service."""
    return run("systemctl", "show", unit, "--property", name, "--value").strip()


class Asking(threading.Thread):
    """A function that asks for a fix in the background, and returns when it has one."""

    def __init__(self, ask: Callable):
        super().__init__(daemon=True)
        self._ask = ask
        self._found, self._error = None, None
        self.start()
        time.sleep(ARMED)

    def run(self) -> None:
        try:
            self._found = self._ask()
        except Exception as error:
            self._error = error

    def pressed(self, presses: int = 4):
        """Presses until the function has returned, and returns its result.

        - presses: the most presses. The first press for an app asks whether the user means it.
        """
        for _ in range(presses):
            time.sleep(READ)
            BOARD.button.press()
            self.join(SETTLED)
            if not self.is_alive():
                break
        else:
            raise Failure(f"the app got no fix after {presses} presses")
        if self._error:
            raise self._error
        return self._found
