"""A receiver whose supply the board switches."""

import time

from board.bus import DDC
from board.checks import eventually, expect, rule, same, scenario
from board.gateway import GENERATIONS, Gateway
from board.receiver import Feed, Position, is_at
from board.rig import BOARD
from board.visitor import SETTLED, ask, introduce

FORD = Position(-1.2920659, 36.8219462)


@scenario("supply of the receiver, libgpiod", *GENERATIONS)
def _(generation):
    power = BOARD.chip["POWER"]
    BOARD.bus.order(unplugged=True)
    try:
        with Gateway("virtual-power", generation=generation) as gateway, Feed(DDC, FORD):
            with rule("the supply is off without a request"):
                time.sleep(5)
                expect(not power.is_high, "it is on")
                same(gateway.status()["receiver"], "off")

            with rule("the supply is on while an app waits, a press gives the position, and then it is off again"):
                app = introduce(gateway)
                ask(app)
                expect(power.is_high, "it is off while an app waits")
                BOARD.button.press()
                is_at(FORD, app.fix())
                time.sleep(SETTLED)
                expect(not power.is_high, "it is still on")
                same(gateway.status()["receiver"], "off")

            with rule("the supply is off after the app cancels its request"):
                ask(app)
                expect(power.is_high, "it is off while an app waits")
                app.say("CANCEL")
                eventually("darkness", lambda: not power.is_high, within=2)

            with rule("when the daemon is killed, the board's resistor switches the supply off"):
                ask(app)
                expect(power.is_high, "it is off while an app waits")
                gateway.kill()
                expect(not power.is_high, "it stayed on")
    finally:
        BOARD.bus.mend()
