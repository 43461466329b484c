"""Hardware faults: an LED that stays dark, a chip that is removed, lines of other programs, a daemon that is
killed."""

import subprocess
import time
from pathlib import Path

from board.bus import DDC
from board.checks import Failure, eventually, expect, rule, same, scenario
from board.gateway import GENERATIONS, App, Gateway, libgpiod
from board.receiver import Feed, Position, is_at
from board.rig import BOARD
from board.visitor import SETTLED, ask, introduce, no_fix, pressed_fix

CAPE = Position(-34.3568217, 18.4739926)


@scenario("LED with a sense input, libgpiod", *GENERATIONS)
def _(generation):
    with Gateway("virtual-sense", generation=generation) as gateway, Feed(DDC, CAPE):
        gateway.ready()
        app = introduce(gateway)
        with rule("with an LED that the sense input confirms a press gives a fix"):
            is_at(CAPE, pressed_fix(app))

        with rule("an LED that the sense input does not confirm withholds the fix, with a message"):
            BOARD.sense.cut()
            ask(app)
            BOARD.button.press()
            no_fix(app, within=10)
            same(gateway.status().get("indicator-fault"), "indicator-dark")

        with rule("when the sense input confirms the LED again, a press gives a fix"):
            BOARD.sense.mend()
            eventually("an LED that is seen", lambda: press_for(app), within=100)


def press_for(app: App) -> bool:
    """Sends a request and presses. Returns whether this gave a fix."""
    time.sleep(SETTLED)
    ask(app)
    BOARD.button.press()
    try:
        return CAPE.is_near(app.fix(within=5))
    except Failure:
        return False


@scenario("removed chip, libgpiod", *GENERATIONS)
def _(generation):
    with Gateway(generation=generation) as gateway, Feed(DDC, CAPE):
        gateway.ready()
        app = introduce(gateway)
        with rule("without its chip the button and the LED are reported as missing, and the daemon keeps running"):
            ask(app)
            BOARD.chip.unplug()
            eventually("the button's fault", lambda: gateway.status().get("button-fault") == "main:absent")
            no_fix(app)
        with rule("when the chip returns with another number, it is found by its label, and a press gives a fix"):
            with BOARD.another_chip():
                BOARD.chip.plug_in()
                BOARD.button.release()
            eventually("the button", lambda: "button-fault" not in gateway.status())
            eventually("an LED that can be driven", lambda: press_for(app), within=100)


@scenario("LED with a removed chip, libgpiod", *GENERATIONS)
def _(generation):
    with Gateway("virtual-lamp", generation=generation) as gateway, Feed(DDC, CAPE):
        gateway.ready()
        app = introduce(gateway)
        with rule("without an LED that can be driven a press gives no fix, and the app receives the reason"):
            BOARD.lamp.unplug()
            app.say("SUB button/press b")
            ask(app)
            BOARD.button.press()
            answer = app.next("MSG button/press")
            expect('"authorized":false' in answer and "indicator-missing" in answer, answer)
            no_fix(app)
            same(gateway.status().get("indicator-fault"), "indicator-missing")
        with rule("when the LED returns, a press gives a fix again"):
            BOARD.lamp.plug_in()
            eventually("an LED that can be driven", lambda: press_for(app), within=60)


@scenario("lines of other programs, libgpiod", *GENERATIONS)
def _(generation):
    for line, offset in ("BUTTON", 0), ("LED", 1):
        with rule(f"a daemon whose {line} another program holds ends with 3 and names the holder"):
            command = ["/opt/libgpiod-1/gpioset", "--mode=signal", BOARD.chip.name, f"{offset}=0"]
            holder = subprocess.Popen(command, env=libgpiod(1))
            try:
                eventually("the holder", lambda: held(line))
                gateway = Gateway(generation=generation)
                same(gateway.ends(), 3)
                expect(f"board:{line}" in gateway.log and "'gpioset' uses it" in gateway.log, gateway.log)
            finally:
                holder.kill()
                holder.wait()
            BOARD.button.release()

    with rule("a board with a missing line is refused, with the names of the line and the chip"):
        gateway = Gateway(generation=generation, configuration='[[button]]\nname = "main"\nchip = "board"\nline = "KNOB"\n')
        same(gateway.ends(), 3)
        expect("KNOB" in gateway.log, gateway.log)


def held(line: str) -> bool:
    return any(line in text and "gpioset" in text for text in Path("/sys/kernel/debug/gpio").read_text().splitlines())


@scenario("links to chips, libgpiod", *GENERATIONS)
def _(generation):
    # Raspberry Pi OS has such a link.
    link = Path("/dev/gpiochip94")
    link.symlink_to(BOARD.chip.name)
    try:
        with Gateway(generation=generation) as gateway, Feed(DDC, CAPE):
            gateway.ready()
            app = introduce(gateway)
            with rule("a link to a chip is no second chip: a press gives a fix"):
                is_at(CAPE, pressed_fix(app))
    finally:
        link.unlink()


@scenario("end of the daemon, libgpiod", *GENERATIONS)
def _(generation):
    with rule("a daemon that stops leaves the LED dark"):
        with Gateway(generation=generation) as gateway, Feed(DDC, CAPE):
            gateway.ready()
            app = introduce(gateway)
            ask(app)
            BOARD.button.press()
            app.fix()
            expect(BOARD.led.is_high, "the LED was not lit")
            same(gateway.stop(), 0)
            expect(not BOARD.led.is_high, "the LED stayed lit")

    gateway = Gateway(generation=generation)
    with gateway, Feed(DDC, CAPE):
        gateway.ready()
        app = introduce(gateway)
        with rule("when the daemon is killed while the LED is lit, the board's resistor switches it off"):
            ask(app)
            BOARD.button.press()
            app.fix()
            expect(BOARD.led.is_high, "the LED was not lit")
            gateway.kill()
            expect(not BOARD.led.is_high, "the LED stayed lit")

    with rule("a restarted daemon knows the confirmed app, and discloses nothing for the earlier press"):
        with Gateway(generation=generation, folder=gateway.folder) as again, Feed(DDC, CAPE):
            again.ready()
            app = again.app()
            no_fix(app)
            is_at(CAPE, pressed_fix(app))
