"""A buzzer on a GPIO line."""

import time

from board.bus import DDC
from board.checks import between, eventually, rule, same, scenario
from board.gateway import GENERATIONS, Gateway
from board.gpio import Recording
from board.receiver import Feed, Position, is_at
from board.rig import BOARD
from board.visitor import SETTLED, ask, introduce, pressed_fix

MOLE = Position(-33.8567844, 151.2152967)


def tones(recording: Recording, after: float) -> list[float]:
    """The lengths of the tones since an instant, in seconds."""
    drives = [drive for drive in recording.drives(BOARD.chip["BUZZER"]) if drive.time >= after]
    starts = [drive.time for drive in drives if drive.is_high]
    ends = [drive.time for drive in drives if not drive.is_high]
    return [end - start for start, end in zip(starts, ends)]


def are(found: list[float], *wanted: float) -> None:
    same(len(found), len(wanted))
    for length, expected in zip(found, wanted):
        between(length, expected - 0.005, expected + 0.05)


@scenario("buzzer on a GPIO line, libgpiod", *GENERATIONS)
def _(generation):
    buzzer = '[sound]\nchip = "board"\nline = "BUZZER"\n'
    with (
        Recording("buzzer") as recording, Gateway(generation=generation, configuration=buzzer) as gateway,
        Feed(DDC, MOLE),
    ):  # fmt: skip
        gateway.ready()
        app = gateway.app()

        def heard(act) -> list[float]:
            began = time.monotonic()
            act()
            time.sleep(SETTLED)
            return tones(recording, began)

        with rule("a press for no app has one very short tone"):
            are(heard(BOARD.button.press), 0.08)

        with rule("a question has two short tones"):
            ask(app)
            are(heard(BOARD.button.press), 0.12, 0.12)

        with rule("a served press has one long tone"):
            are(heard(BOARD.button.press), 0.4)
            is_at(MOLE, app.fix())

        with rule("a lock has two long tones, and its end has a long and a very short one"):
            are(heard(lambda: BOARD.button.press(3.2)), 0.4, 0.4)
            are(heard(lambda: BOARD.button.press(3.2)), 0.4, 0.08)


@scenario("fault of a buzzer")
def _():
    with Gateway(configuration='[sound]\nchip = "lamp"\nline = "LAMP"\n') as gateway, Feed(DDC, MOLE):
        gateway.ready()
        app = introduce(gateway)
        try:
            with rule("a buzzer that disappears is a fault, and presses give fixes as before"):
                BOARD.lamp.unplug()
                is_at(MOLE, pressed_fix(app))
                eventually("the fault", lambda: gateway.status().get("sound-fault") == "absent")
                is_at(MOLE, pressed_fix(app))
        finally:
            BOARD.lamp.plug_in()
        with rule("when it is there again, the fault ends"):
            eventually("no fault", lambda: "sound-fault" not in gateway.status(), within=70)
