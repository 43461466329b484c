"""An app that sends requests, and a user who presses for it."""

import time

from board.checks import Failure
from board.gateway import App, Gateway
from board.rig import BOARD

# An app must have had the mark for 1 s when the button goes down.
ARMED = 1.1
# A question accepts an answer after 1 s.
READ = 1.5
# For 2 s after a fix, a press serves no app.
SETTLED = 2.5


def ask(app: App) -> None:
    """Sends a new request and waits until a press can serve it."""
    app.ask("CANCEL")
    app.say("REQ once")
    time.sleep(ARMED)


def introduce(gateway: Gateway, name: str = "chart", read: float = READ) -> App:
    """Returns an app that the user has confirmed: the first press shows a prompt, and the second answers yes after some
    seconds."""
    app = gateway.app(name)
    ask(app)
    BOARD.button.press()
    time.sleep(read)
    BOARD.button.press()
    app.fix()
    time.sleep(SETTLED)
    return app


def pressed_fix(app: App, press=BOARD.button.press) -> dict:
    """Returns the fix that an app receives for a request and one press."""
    ask(app)
    press()
    fix = app.fix()
    time.sleep(SETTLED)
    return fix


def no_fix(app: App, within: float = 5) -> None:
    """Checks that an app receives nothing."""
    if line := app.hears("MSG fix/once", within):
        raise Failure(f"it was given a fix: {line.split()[0:3]}")
