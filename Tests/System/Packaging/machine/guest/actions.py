"""The actions of the package checks on the machine: commands, the installation, and presses for an app with a request."""

import http.server
import re
import subprocess
import threading
import time
from functools import partial
from pathlib import Path
from typing import Callable

from board.checks import Failure, expect
from board.gateway import App
from board.gpio import Recording
from board.receiver import Position, is_at
from board.rig import BOARD
from board.visitor import ARMED, READ, SETTLED

PROOF = Path("/proof")
SOCKET = "/run/onefix/onefix.sock"
CONFIGURATION = Path("/etc/onefix/onefix.toml")
RULES = Path("/etc/udev/rules.d/90-onefix.rules")
HERE = Position(47.3768880, 8.5416940)


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


def is_up() -> bool:
    return service("ActiveState") == "active"


def has_fix() -> bool:
    # Every user can read the status text of systemd, so it does not show the fix. The service may still be starting.
    return re.search(r"^Receiver +ready", run("onefix", "status", status=None), re.MULTILINE) is not None


def over_unix_socket() -> dict:
    app = App(SOCKET)
    try:
        app.next("INFO")
        app.say("HELLO 1 app=chart keepalive=0")
        app.say("REQ once")
        return app.fix(within=60)
    finally:
        app.close()


def press_and_check(presses: int = 4) -> None:
    """One fix over the Unix socket, with the light.

    - presses: the most presses that the app may need.
    """
    with Recording("light") as light:
        is_at(HERE, Asking(over_unix_socket).pressed(presses))
        lit = [drive for drive in light.drives(BOARD.led) if drive.is_high]
    expect(lit, "the LED was never lit")


class Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_) -> None:
        pass


def install() -> None:
    """Installs the package with apt: from the repository, if there is one."""
    repository = PROOF / "repository"
    if not repository.exists():
        apt("install", str(next(PROOF.glob("onefix_*.deb"))))
        return
    handler = partial(Silent, directory=repository)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 8000), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    Path("/etc/apt/sources.list").unlink(missing_ok=True)
    text = (repository / "onefix.sources").read_text()
    Path("/etc/apt/sources.list.d/onefix.sources").write_text(re.sub(r"URIs: .*", "URIs: http://127.0.0.1:8000", text))
    apt("update")
    expect("127.0.0.1:8000" in run("apt-cache", "policy", "onefix"), "apt does not offer the package of the repository")
    apt("install", "onefix")
    server.shutdown()


def add_board() -> None:
    run("cp", "-a", str(PROOF / "boards/virtual"), "/usr/share/onefix/boards/")
