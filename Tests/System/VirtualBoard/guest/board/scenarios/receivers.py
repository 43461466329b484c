"""Receivers on the kernel's own I2C bus and serial port, and a press on a GPIO line that gives their position."""

import time

from board.bus import DDC, PADDED
from board.checks import between, eventually, expect, rule, same, scenario
from board.gateway import Gateway
from board.receiver import Feed, Place, is_at
from board.rig import BOARD, FAR_END
from board.visitor import ask, introduce, no_fix, pressed_fix

HARBOUR = Place(47.3768877, 8.5416946)
LAKE = Place(-45.0301234, -168.6626543)
PASS = Place(46.5725011, 8.4150022)


@scenario("u-blox on I2C")
def _():
    with Gateway() as gateway:
        with Feed(DDC, HARBOUR):
            with rule("a press gives the position that the receiver sent"):
                gateway.ready()
                app = introduce(gateway)
                fix = pressed_fix(app)
                is_at(HARBOUR, fix)

            with rule("transfers that are refused or time out now and then are tried again, and a press gives the position"):
                for fault in "nak", "timeout":
                    BOARD.bus.order(**{fault: 5})
                    time.sleep(1)
                    same(BOARD.bus.count(fault), 0)
                is_at(HARBOUR, pressed_fix(app))

            with rule("a slow bus is read in time: nothing is lost, and a press gives the position"):
                BOARD.bus.order(byte_us=200)
                before = BOARD.bus.count("lost")
                time.sleep(3)
                is_at(HARBOUR, pressed_fix(app))
                same(BOARD.bus.count("lost"), before)
                BOARD.bus.mend()

        with rule("a receiver that says nothing is asked on, so that its stream does not stop"):
            before = BOARD.bus.count("stopped")
            time.sleep(10)
            # It would be noticed when the receiver says something again.
            Feed.send_once(DDC, HARBOUR)
            same(BOARD.bus.count("stopped"), before)

        with rule("a bus that is unplugged is told as an absent receiver, and nothing is given"):
            BOARD.bus.order(unplugged=True)
            eventually("an absent receiver", lambda: gateway.status()["receiver"] == "absent")
            ask(app)
            BOARD.button.press()
            no_fix(app)

        with rule("plugged in again it gives the new position"):
            BOARD.bus.mend()
            with Feed(DDC, LAKE):
                gateway.ready()
                is_at(LAKE, pressed_fix(app))


@scenario("u-blox on an adapter that supports SMBus only")
def _():
    BOARD.bus.order(smbus_only=True)
    try:
        with Gateway() as gateway, Feed(DDC, PASS):
            with rule("the stream is read in blocks, and a press gives the position that the receiver sent"):
                gateway.ready()
                before = BOARD.bus.count("lost")
                is_at(PASS, pressed_fix(introduce(gateway)))
                same(BOARD.bus.count("lost"), before)
    finally:
        BOARD.bus.mend()


@scenario("10 Hz on I2C:", "u-blox", "MediaTek")
def _(maker):
    receiver, sink = {"u-blox": (None, DDC), "MediaTek": ("i2c:/dev/i2c-1:0x10", PADDED)}[maker]
    with Gateway(receiver=receiver) as gateway, Feed(sink, HARBOUR, rate=10):
        with rule("nothing is lost, and at 100 kHz the bus has time left"):
            # Nine clocks for a byte.
            BOARD.bus.order(byte_us=90)
            gateway.ready()
            # The daemon learns the period first.
            time.sleep(3)
            names = "lost", "transfers", "bytes_moved"
            before = [BOARD.bus.count(name) for name in names]
            time.sleep(10)
            lost, transfers, moved = (BOARD.bus.count(name) - count for name, count in zip(names, before))
            same(lost, 0)
            between(transfers / 10, 20, 200, "transfers in a second")
            between(moved / 10 * 90e-6, 0.1, 0.95, "s of the bus in a second")
        BOARD.bus.mend()


@scenario("MediaTek on I2C")
def _():
    with Gateway(receiver="i2c:/dev/i2c-1:0x10") as gateway, Feed(PADDED, PASS):
        with rule("a press gives the position that the receiver sent"):
            gateway.ready()
            fix = pressed_fix(introduce(gateway))
            is_at(PASS, fix)
        with rule("it is left alone for 2 ms between two reads"):
            before = BOARD.bus.count("hurried")
            time.sleep(5)
            same(BOARD.bus.count("hurried"), before)


@scenario("receiver on a serial port")
def _():
    with Gateway(receiver="uart:/dev/ttyS1:9600") as gateway, Feed(FAR_END, LAKE, baud=9600):
        with rule("a press gives the position that the receiver sent"):
            gateway.ready()
            fix = pressed_fix(introduce(gateway))
            is_at(LAKE, fix)
        with rule("a second daemon is refused the port"):
            second = Gateway("simulated", receiver="uart:/dev/ttyS1:9600")
            eventually("the refusal", lambda: "ttyS1" in second.log or second.process.poll() is not None)
            second.kill()
            second.ends()
            expect("/dev/ttyS1" in second.log, second.log)
