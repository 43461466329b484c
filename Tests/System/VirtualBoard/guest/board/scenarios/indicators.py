"""Other indicators: an LED of the kernel, and an LED with three colours."""

import time

from board.bus import DDC
from board.checks import expect, rule, same, scenario
from board.gateway import Gateway
from board.receiver import Feed, Position
from board.rig import BOARD
from board.visitor import SETTLED, ask, introduce

POND = Position(35.6894875, 139.6917064)


@scenario("LED of the kernel")
def _():
    trigger = BOARD.led_class / "trigger"
    with Gateway("virtual-led") as gateway, Feed(DDC, POND):
        with rule("only the daemon drives the LED while it runs"):
            expect("[none]" in trigger.read_text(), trigger.read_text())
        with rule("the LED is lit while a fix is disclosed, and then dark again"):
            gateway.ready()
            app = introduce(gateway)
            ask(app)
            BOARD.button.press()
            app.fix()
            expect(BOARD.panel["STATUS"].is_high, "it is dark")
            time.sleep(SETTLED)
            expect(not BOARD.panel["STATUS"].is_high, "it is lit")


@scenario("LED of three colours")
def _():
    lines = [BOARD.chip[name] for name in ("RED", "GREEN", "BLUE")]
    with Gateway("virtual-rgb") as gateway, Feed(DDC, POND):
        with rule("the LED lights the components of the configured colour"):
            gateway.ready()
            app = introduce(gateway)
            ask(app)
            BOARD.button.press()
            app.fix()
            same([line.is_high for line in lines], [False, True, True])
            time.sleep(SETTLED)
            same([line.is_high for line in lines], [False, False, False])
