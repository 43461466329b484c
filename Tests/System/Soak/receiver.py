"""A receiver at a serial port: it moves slowly in a circle, its clock is correct, and its output can be damaged."""

import asyncio
import contextlib
import math
import os
import termios
import time
import tty
from datetime import datetime, timezone
from functools import reduce

RATE = 2
SPEEDS = {9600: termios.B9600, 19200: termios.B19200, 38400: termios.B38400, 57600: termios.B57600,
          115200: termios.B115200}
ROLLOVER = 1024 * 7 * 86400
# The radius of the path and the errors of a current receiver, in metres. The larger error changes slowly.
RADIUS, SLOW, QUICK = 30, 1.5, 0.5
WALK = 3


class Port:
    """A pseudo-terminal with a link that keeps its name while the terminal is replaced."""

    def __init__(self, path):
        self.path = path
        self.master = None

    @property
    def is_plugged(self):
        return self.master is not None

    def plug(self):
        self.master, self.slave = os.openpty()
        tty.setraw(self.master)
        tty.setraw(self.slave)
        os.set_blocking(self.master, False)
        temporary = self.path + ".new"
        os.symlink(os.ttyname(self.slave), temporary)
        os.rename(temporary, self.path)

    def unplug(self):
        master, self.master = self.master, None
        if master is None:
            return
        with contextlib.suppress(RuntimeError):
            asyncio.get_running_loop().remove_reader(master)
        with contextlib.suppress(OSError):
            os.unlink(self.path)
        os.close(master)
        os.close(self.slave)

    def write(self, data):
        """Returns whether there was space. The buffer is full if the other end does not read."""
        try:
            return os.write(self.master, data) == len(data)
        except (BlockingIOError, TypeError):
            return False

    @property
    def speed(self):
        """Returns the speed that the other end has set, as a termios value."""
        return termios.tcgetattr(self.slave)[5]


def sentence(body):
    return f"${body}*{reduce(lambda sum, byte: sum ^ byte, body.encode(), 0):02X}\r\n"


def degrees(value, width, letters):
    whole = int(abs(value))
    return f"{whole:0{width}d}{(abs(value) - whole) * 60:08.5f},{letters[value < 0]}"


class Receiver:
    def __init__(self, path, transcript, random):
        self.port = Port(path)
        self.transcript, self.random = transcript, random
        self.centre = (random.uniform(-60, 60), random.uniform(-179, 179))
        self.bearing = random.uniform(0, math.tau)
        self.error = [random.gauss(0, SLOW), random.gauss(0, SLOW)]
        self.begin = time.monotonic()
        self.speed = 115200
        self.offset = 0
        self.is_silent = False
        self.epochs = 0
        self.said = 0
        # The share of damaged bytes.
        self.damage = 0.0
        self.is_heard = lambda: True

    def position(self, moment):
        """Returns the position and the course: latitude, longitude, course."""
        angle = (moment - self.begin) * WALK / RADIUS
        return *self.moved(RADIUS * math.cos(angle), RADIUS * math.sin(angle)), (90 + math.degrees(angle)) % 360

    def moved(self, north, east, origin=None):
        latitude, longitude = origin or self.centre
        metre = 360 / 40_030_174
        return latitude + north * metre, longitude + east * metre / math.cos(math.radians(self.centre[0]))

    def beside(self, number):
        """Returns the centre of a circle of 100 m that the path enters and leaves with some margin: one of three
        around the path."""
        bearing = self.bearing + number * math.tau / 3
        return self.moved(110 * math.cos(bearing), 110 * math.sin(bearing))

    def epoch(self, moment, utc):
        latitude, longitude, course = self.position(moment)
        decay = math.exp(-1 / RATE / 30)
        for axis in range(2):
            self.error[axis] = decay * self.error[axis] + self.random.gauss(0, SLOW * math.sqrt(1 - decay * decay))
        noise = [self.random.gauss(0, QUICK) + error for error in self.error]
        seen = self.moved(*noise, (latitude, longitude))
        label = datetime.fromtimestamp(utc + self.offset, timezone.utc)
        clock = label.strftime("%H%M%S.") + f"{label.microsecond // 10000:02d}"
        position = f"{degrees(seen[0], 2, 'NS')},{degrees(seen[1], 3, 'EW')}"
        error = math.hypot(SLOW, QUICK)
        return (latitude, longitude), (
            sentence(f"GNRMC,{clock},A,{position},{WALK * 1.943844:.2f},{course:.1f},{label:%d%m%y},,,A,V")
            + sentence(f"GNGGA,{clock},{position},1,12,0.9,{408 + self.random.gauss(0, 2):.1f},M,47.3,M,,")
            + sentence("GNGSA,A,3,01,02,03,04,05,06,07,08,09,10,11,,1.6,0.9,1.3,1")
            + sentence(f"GNGST,{clock},,,,,{error:.1f},{error:.1f},3.0")).encode()

    async def run(self):
        while True:
            await asyncio.sleep(1 / RATE - time.time() % (1 / RATE))
            # After a delay the current epoch is sent, and no epoch twice.
            utc = math.floor(time.time() * RATE + 0.1) / RATE
            if utc <= self.said:
                continue
            self.said = utc
            truth, said = self.epoch(time.monotonic(), utc)
            if not self.port.is_plugged or self.is_silent or not self.is_heard():
                continue
            if self.port.speed != SPEEDS[self.speed]:
                self.port.write(self.random.randbytes(len(said)))
                continue
            spoiled = bytes(self.random.randrange(256) if self.damage and self.random.random() < self.damage else byte
                            for byte in said)
            junk = b""
            if self.damage and self.random.random() < 0.5:
                # An incomplete line, two joined lines, or invalid data.
                junk = self.random.choice(
                    [said[:self.random.randrange(len(said))], said[40:90] + said[200:260], self.random.randbytes(300),
                     b"\xb5\x62" + self.random.randbytes(60), b"$GNGGA," + b"9" * 400 + b"\r\n"])
            if self.port.write(spoiled):
                is_whole = spoiled == said
                self.epochs += is_whole
                # The time that these bytes take on a serial line. A pseudo-terminal transfers them at once, so the daemon
                # can read them together.
                self.transcript.add("epoch", utc=utc, label=utc + self.offset, lat=truth[0], lon=truth[1],
                                    whole=is_whole, line=(len(said) + len(junk)) * 10 / self.speed)
            if junk:
                self.port.write(junk)
