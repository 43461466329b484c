"""Receivers on the kernel's own I2C bus and serial port."""

import json
import time
from pathlib import Path

from board.bus import DDC, PADDED
from board.checks import check, eventually, expect, same
from board.gateway import Gateway
from board.receiver import Feed, Place
from board.rig import BOARD, FAR_END

HARBOUR = Place(47.3768877, 8.5416946)
LAKE = Place(-45.0301234, -168.6626543)

I2C = ("--receiver", "i2c:/dev/i2c-1:0x42", "--allow-simulated-press")
MEDIATEK = ("--receiver", "i2c:/dev/i2c-1:0x10", "--allow-simulated-press")
UART = ("--receiver", "uart:/dev/ttyS1:9600", "--allow-simulated-press")


def pressed_fix(gateway: Gateway) -> dict:
    """A fix for an app that nobody has confirmed yet: one press is asked about, and a second says yes."""
    with gateway.app() as app, gateway.owner() as owner:
        app.say("REQ once")
        time.sleep(0.5)
        owner.say("PRESS")
        time.sleep(1.5)
        owner.say("PRESS")
        return app.fix()


def state(gateway: Gateway) -> str:
    """What the owner reads of the receiver."""
    status = gateway.command("status", "--json")
    same((status.returncode, status.stderr), (0, ""))
    return json.loads(status.stdout)["receiver"]


def ready(gateway: Gateway) -> None:
    eventually("a fix", lambda: state(gateway) == "ready")


@check("a press gives the position that the receiver sent over I2C")
def _():
    with Gateway(*I2C) as gateway, Feed(DDC, HARBOUR):
        ready(gateway)
        fix = pressed_fix(gateway)
        expect(HARBOUR.is_near(fix), fix)
        same(BOARD.bus.count("stopped"), 0)


@check("a press gives the position that the receiver sent over the serial port")
def _():
    with Gateway(*UART) as gateway, Feed(FAR_END, LAKE, baud=9600):
        ready(gateway)
        fix = pressed_fix(gateway)
        expect(LAKE.is_near(fix), fix)
