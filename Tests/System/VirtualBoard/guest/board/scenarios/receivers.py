"""Receivers on an I2C bus and a serial port of the kernel, and a press on a GPIO line that gives their position."""

import time

from board.bus import DDC, PADDED
from board.checks import between, eventually, expect, rule, same, scenario
from board.gateway import Gateway
from board.receiver import Feed, Position, is_at
from board.rig import BOARD, FAR_END
from board.visitor import ask, introduce, no_fix, pressed_fix

HARBOUR = Position(47.3768877, 8.5416946)
LAKE = Position(-45.0301234, -168.6626543)
PASS = Position(46.5725011, 8.4150022)


@scenario("u-blox on I2C")
def _():
    with Gateway() as gateway:
        with Feed(DDC, HARBOUR):
            with rule("a press gives the position that the receiver sent"):
                gateway.ready()
                app = introduce(gateway)
                fix = pressed_fix(app)
                is_at(HARBOUR, fix)

            with rule("transfers that sometimes fail or time out are tried again, and a press gives the position"):
                for fault in "nak", "timeout":
                    BOARD.bus.order(**{fault: 5})
                    time.sleep(1)
                    same(BOARD.bus.count(fault), 0)
                is_at(HARBOUR, pressed_fix(app))

            with rule("a slow bus is read in time: no data is lost, and a press gives the position"):
                BOARD.bus.order(byte_us=200)
                before = BOARD.bus.count("lost")
                time.sleep(3)
                is_at(HARBOUR, pressed_fix(app))
                same(BOARD.bus.count("lost"), before)
                BOARD.bus.mend()

        with rule("a silent receiver is still read, so that its stream does not stop"):
            before = BOARD.bus.count("stopped")
            time.sleep(10)
            # The absence of the bus is detected at the next data of the receiver.
            Feed.send_once(DDC, HARBOUR)
            same(BOARD.bus.count("stopped"), before)

        with rule("an unplugged bus is reported as an absent receiver, and no fix is disclosed"):
            BOARD.bus.order(unplugged=True)
            eventually("an absent receiver", lambda: gateway.status()["receiver"] == "absent")
            ask(app)
            BOARD.button.press()
            no_fix(app)

        with rule("when it is plugged in again, the receiver gives the new position"):
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
        with rule("no data is lost, and at 100 kHz the bus is not saturated"):
            # Nine clock cycles per byte.
            BOARD.bus.order(byte_us=90)
            gateway.ready()
            # The daemon first determines the period.
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
        with rule("there are at least 2 ms between two reads of the receiver"):
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
        with rule("a second daemon cannot open the port"):
            second = Gateway("simulated", receiver="uart:/dev/ttyS1:9600")
            eventually("the refusal", lambda: "ttyS1" in second.log or second.process.poll() is not None)
            second.kill()
            second.ends()
            expect("/dev/ttyS1" in second.log, second.log)
