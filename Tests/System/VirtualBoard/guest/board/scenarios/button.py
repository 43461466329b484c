"""A button on a GPIO line, with the timeline of the LED from the kernel's trace. Times are exact, because the board
derives them from the number of instructions."""

import time

from board.bus import DDC
from board.checks import Failure, between, eventually, expect, rule, same, scenario
from board.gateway import GENERATIONS, Gateway
from board.gpio import Drive, Recording
from board.receiver import Feed, Position, is_at
from board.rig import BOARD
from board.visitor import SETTLED, ask, introduce, no_fix, pressed_fix

QUAY = Position(59.3293235, 18.0685808)

# The maximum delay between a decision of the daemon and the voltage on the line, in seconds.
TOLERANCE = 0.010


def lengths(drives: list[Drive]) -> list[float]:
    """Returns the seconds between successive changes."""
    return [after.time - before.time for before, after in zip(drives, drives[1:])]


def visible(drives: list[Drive]) -> list[Drive]:
    """Removes invisible dark phases: between two patterns the LED may be dark for some milliseconds."""
    kept: list[Drive] = []
    for drive in drives:
        if kept and drive.is_high and drive.time - kept[-1].time < 0.015:
            kept.pop()
        else:
            kept.append(drive)
    return kept


def shows(drives: list[Drive], phases: list[float]) -> float:
    """Returns the time at which the LED starts to be lit, dark, lit, … with these lengths in seconds."""
    drives = visible(drives)
    found = lengths(drives)
    for start, drive in enumerate(drives):
        part = found[start : start + len(phases)]
        if drive.is_high and len(part) == len(phases) and all(abs(a - b) < TOLERANCE for a, b in zip(part, phases)):
            return drive.time
    raise Failure(f"the LED's phases were {' '.join(f'{length:.3f}' for length in found)}, without {phases}")


@scenario("button and LED, libgpiod", *GENERATIONS)
def _(generation):
    with Gateway(generation=generation) as gateway, Feed(DDC, QUAY):
        gateway.ready()
        with rule("a press without a waiting app gives a blink of 80 ms"):
            with gateway.app() as idle, Recording("blink") as recording:
                idle.say("SUB button/press b")
                BOARD.button.press()
                same(idle.next("MSG button/press").split(" b ")[1], '{"authorized":false,"reason":"nothing-armed"}')
                time.sleep(1)
                shows(recording.drives(BOARD.led), [0.080])

        with rule("the first press of an app shows a prompt with two short blinks, and a second press answers yes"):
            with Recording("question") as recording:
                # The first blink begins late while the gateway handles the press. The user sees the blinks twice.
                app = introduce(gateway, read=2.5)
                shows(recording.drives(BOARD.led), [0.12, 0.12, 0.12, 0.64, 0.12])

        with rule("a press gives one fix, and the LED is lit for two seconds, starting before the disclosure"):
            with Recording("fix") as recording:
                ask(app)
                BOARD.button.press()
                line = app.next("MSG fix/once")
                given = time.monotonic()
                time.sleep(SETTLED)
                drives = recording.drives(BOARD.led)
            app.say("ACK " + line.split("id=")[1].split()[0])
            lit = drives[-2]
            expect(lit.is_high and not drives[-1].is_high, drives)
            expect(lit.time < given, "the fix was given before the LED was lit")
            between(drives[-1].time - lit.time, 2 - TOLERANCE, 2.2)
            no_fix(app)

        with rule("a bouncing contact gives one fix"):
            is_at(QUAY, pressed_fix(app, BOARD.button.press_bouncing))
            no_fix(app)

        doubt = 0.002
        with rule(f"a pulse shorter than 20 ms is a glitch, and a longer one is a press, to within {doubt * 1000:g} ms"):
            ask(app)
            for length in 0.001, 0.005, 0.010, 0.020 - doubt:
                BOARD.button.press(length)
                expect(not app.hears("MSG fix/once", within=2), f"{length} s were taken for a press")
            BOARD.button.press(0.020 + doubt)
            app.fix()
            time.sleep(SETTLED)

        with rule("a press serves no app that has not waited for 1 s"):
            app.say("REQ once")
            time.sleep(0.9)
            BOARD.button.press()
            no_fix(app)
            BOARD.button.press()
            app.fix()
            time.sleep(SETTLED)

        with rule("a press of just under three seconds is a press, and gives its fix at the release"):
            ask(app)
            BOARD.button.push()
            same(app.hears("MSG fix/once", within=2.9), None)
            BOARD.button.release()
            app.fix(within=1.5)
            time.sleep(SETTLED)

        with rule("a hold of three seconds locks at once, and the LED blinks twice"):
            ask(app)
            with Recording("lock") as recording:
                began = time.monotonic()
                BOARD.button.push()
                eventually("the lock", lambda: gateway.status()["locked"] == "true")
                between(time.monotonic() - began, 3, 3.2)
                time.sleep(2)
                BOARD.button.release()
                drives = recording.drives(BOARD.led)
            between(shows(drives, [0.4, 0.4, 0.4]) - began, 3, 3.1)
            no_fix(app)

        with rule("only a hold unlocks"):
            BOARD.button.press()
            time.sleep(1)
            same(gateway.status()["locked"], "true")
            BOARD.button.press(3.2)
            eventually("the end of the lock", lambda: gateway.status()["locked"] == "false")
            time.sleep(SETTLED)


@scenario("button at the start")
def _():
    BOARD.button.push()
    with Gateway() as gateway, Feed(DDC, QUAY):
        with rule("a button that is down when the daemon starts has no effect until its release"):
            gateway.ready()
            app = gateway.app()
            ask(app)
            BOARD.button.release()
            no_fix(app, within=1)
            same(gateway.status().get("prompt"), None)
            time.sleep(5)
            same(gateway.status()["locked"], "false")
            BOARD.button.press()
            eventually("the question of a first press", lambda: gateway.status().get("prompt"))

        with rule("a button that is active for a minute is reported as stuck, and works again after its release"):
            BOARD.button.push()
            time.sleep(65)
            same(gateway.status().get("button-fault"), "main:stuck")
            BOARD.button.release()
            time.sleep(1)
            same(gateway.status().get("button-fault"), None)
            # A hold of one minute is a hold too.
            same(gateway.status()["locked"], "true")
            BOARD.button.press(3.2)
            eventually("the end of the lock", lambda: gateway.status()["locked"] == "false")
