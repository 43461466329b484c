"""A display on the I2C bus of a receiver, and the answers of a person who reads it."""

import re
import subprocess
import time

from board.bus import DDC
from board.checks import Failure, eventually, expect, rule, same, scenario
from board.display import DisplayProgram, frames, is_dark, picture, shows
from board.gateway import PROGRAMS, App, Gateway, libgpiod
from board.receiver import Feed, Position, is_at
from board.rig import BOARD
from board.visitor import ask

QUAY = Position(53.5459000, 9.9666000)
CONFIGURATION = """
[display]
bus = "/dev/i2c-1"
"""
# The button answers a question that an app opened only after it had no edge for this time.
QUIET = 2.5


def open_question(app: App) -> None:
    """Lets an app ask for a right, and waits until the display has shown all pages of the question once."""
    time.sleep(QUIET)
    app.say("AUTHORIZE when-in-use")
    shows("question")
    first = picture()
    eventually("another page", lambda: picture() != first)
    eventually("the first page", lambda: picture() == first)
    before = frames()
    eventually("another frame", lambda: frames() > before + 1)


def double_press() -> None:
    BOARD.button.press(0.08)
    time.sleep(0.1)
    BOARD.button.press(0.08)


def right(gateway: Gateway) -> str:
    """Returns the permanent right of the app, for example whenInUse. A right for once is none."""
    command = [f"{PROGRAMS}/onefix", "show", "chart", "--json", "--socket", f"{gateway.folder}/apps.sock"]
    shown = subprocess.run(command, capture_output=True, text=True, env=libgpiod(1))
    if found := re.search(r'"status":"(\w+)"', shown.stdout):
        return found[1]
    raise Failure(shown.stdout + shown.stderr)


@scenario("display on I2C")
def _():
    feed = Feed(DDC, QUAY, rate=10)
    with Gateway(configuration=CONFIGURATION) as gateway, feed, DisplayProgram(gateway) as program:
        app = gateway.app()
        with rule("the display is off while there is nothing to say"):
            gateway.ready()
            eventually("an open display", program.opened)
            eventually("a dark display", is_dark, within=90)

        with rule("a question is the kept picture, and the display knows each command"):
            open_question(app)
            same(BOARD.bus.count("display_unknown"), 0)

        with rule("a double press after all pages answers while using"):
            double_press()
            eventually("the right", lambda: right(gateway) == "whenInUse", within=20)

        with rule("a lock is the kept picture"):
            BOARD.button.press(3.2)
            shows("locked")
            BOARD.button.press(3.2)
            eventually("an open gateway", lambda: gateway.status()["locked"] == "false")

        with rule("on a bus of 100 kHz, a receiver at 10 Hz and the display do not delay each other noticeably"):
            BOARD.bus.order(byte_us=90)
            before, first = BOARD.bus.count("lost"), frames()
            ask(app)
            BOARD.button.press()
            fix = app.fix()
            is_at(QUAY, fix)
            expect(fix["age_ms"] < 1000, f"{fix}")
            time.sleep(5)
            # The program sends a frame every 0.4 s, and the frame needs 0.1 s.
            expect(frames() >= first + 9, f"{frames() - first} frames")
            same(BOARD.bus.count("lost"), before)
            BOARD.bus.mend()


@scenario("faults of a display")
def _():
    try:
        BOARD.bus.order(display_left=0)
        with Gateway(configuration=CONFIGURATION) as gateway, Feed(DDC, QUAY), DisplayProgram(gateway) as program:
            app = gateway.app()
            with rule("a display that does not acknowledge is reported, and the gateway works"):
                gateway.ready()
                eventually("the report", lambda: "no display answers" in program.log)

            with rule("when it acknowledges, it shows a question"):
                BOARD.bus.order(display_left=-1)
                eventually("an open display", program.opened)
                open_question(app)

            with rule("a display that is unplugged in mid-frame ends the text: a double press gives no right"):
                # A frame has 42 transfers.
                BOARD.bus.order(display_left=20)
                eventually("the report", lambda: program.log.count("no display answers") > 1)
                double_press()
                eventually("the answer", lambda: "prompt" not in gateway.status())
                same(right(gateway), "notDetermined")

            with rule("when it is plugged in again, the display shows the state again"):
                opened = program.opened()
                BOARD.bus.order(display_left=-1)
                eventually("an open display", lambda: program.opened() > opened)
                BOARD.button.press(3.2)
                shows("locked")

            with rule("a stuck bus is reported, and when it is free the display shows the state again"):
                opened = program.opened()
                BOARD.bus.order(timeout=-1)
                eventually("the report", lambda: "the bus is stuck" in program.log)
                BOARD.bus.order(timeout=0)
                eventually("an open display", lambda: program.opened() > opened)
                shows("locked")
    finally:
        BOARD.bus.mend()
