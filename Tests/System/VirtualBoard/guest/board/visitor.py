"""An app that asks, and a person who presses for it."""

import time

from board.checks import Failure
from board.gateway import App, Gateway
from board.rig import BOARD

# An app has to have waited for 300 ms when the button goes down.
ARMED = 0.5
# A question may be answered after 1 s.
READ = 1.5
# A press within 2 s after a fix was given is for nobody.
SETTLED = 2.5


def ask(app: App) -> None:
    """An app asks anew, and has waited long enough for a press to be for it."""
    app.ask("CANCEL")
    app.say("REQ once")
    time.sleep(ARMED)


def introduce(gateway: Gateway, name: str = "chart") -> App:
    """An app that the person has confirmed: the first press is asked about, the second says yes."""
    app = gateway.app(name)
    ask(app)
    BOARD.button.press()
    time.sleep(READ)
    BOARD.button.press()
    app.fix()
    time.sleep(SETTLED)
    return app


def pressed_fix(app: App, press=BOARD.button.press) -> dict:
    """The fix that an app gets for asking and one press."""
    ask(app)
    press()
    fix = app.fix()
    time.sleep(SETTLED)
    return fix


def no_fix(app: App, within: float = 5) -> None:
    """Makes sure that an app is given nothing."""
    if line := app.hears("MSG fix/once", within):
        raise Failure(f"it was given a fix: {line.split()[0:3]}")
