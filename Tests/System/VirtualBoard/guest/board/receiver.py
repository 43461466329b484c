"""The data of a GNSS receiver."""

import threading
import time
from datetime import datetime, timezone
from functools import reduce

from board.checks import Failure


def sentence(body: str) -> bytes:
    return f"${body}*{reduce(lambda sum, byte: sum ^ byte, body.encode(), 0):02X}\r\n".encode()


def degrees(value: float, width: int) -> str:
    """As in 4722.60000: degrees and minutes."""
    whole = int(abs(value))
    return f"{whole:0{width}d}{(abs(value) - whole) * 60:08.5f}"


class Position:
    """A position with seven decimals, as far as a sentence carries it."""

    def __init__(self, latitude: float, longitude: float):
        self.latitude = latitude
        self.longitude = longitude

    def epoch(self, now: datetime) -> bytes:
        """Returns the sentences of a receiver with a good fix for one instant."""
        moment = f"{now:%H%M%S}.{now.microsecond // 10000:02d}"
        position = (
            f"{degrees(self.latitude, 2)},{'NS'[self.latitude < 0]},"
            f"{degrees(self.longitude, 3)},{'EW'[self.longitude < 0]}")
        return (
            sentence(f"GNRMC,{moment},A,{position},0.1,45.0,{now:%d%m%y},,,A")
            + sentence(f"GNGGA,{moment},{position},1,11,0.9,408.2,M,47.3,M,,")
            + sentence("GNGSA,A,3,01,02,03,04,05,06,07,08,09,10,11,,1.6,0.9,1.3")
            + sentence(f"GNGST,{moment},,,,,2.1,2.3,4.0")
        )

    def is_near(self, fix: dict) -> bool:
        """Whether a fix is of this position, to within a metre or so."""
        return abs(fix["lat"] - self.latitude) < 1e-5 and abs(fix["lon"] - self.longitude) < 1e-5


def is_at(position: Position, fix: dict) -> None:
    """Fails if a fix is not at this position."""
    if not position.is_near(fix):
        raise Failure(f"another position: {fix} instead of {position.latitude}, {position.longitude}")


class Feed(threading.Thread):
    """Sends epochs into the receiver's side of a bus or a serial line."""

    def __init__(self, sink: str, position: Position, baud: int | None = None, rate: int = 1):
        """
        - baud: sends no faster than a line of that speed; None for all at once.
        - rate: epochs in a second.
        """
        super().__init__(name="feed", daemon=True)
        self._sink = open(sink, "wb", buffering=0)
        self._position = position
        self._baud = baud
        self._rate = rate
        self._ended = threading.Event()

    @staticmethod
    def send_once(sink: str, position: Position) -> None:
        """Sends the epoch of this second."""
        with open(sink, "wb", buffering=0) as receiver:
            receiver.write(position.epoch(datetime.fromtimestamp(int(time.time()), timezone.utc)))

    def __enter__(self) -> "Feed":
        self.start()
        return self

    def __exit__(self, *_) -> None:
        self._ended.set()
        self.join()
        self._sink.close()

    def run(self) -> None:
        next_epoch = time.time()
        while not self._ended.wait(max(0, next_epoch - time.time())):
            number = int(time.time() * self._rate)
            self._send(self._position.epoch(datetime.fromtimestamp(number / self._rate, timezone.utc)))
            next_epoch = (number + 1.05) / self._rate

    def _send(self, data: bytes) -> None:
        if self._baud is None:
            self._sink.write(data)
            return
        # A character takes ten bits: these go out in 10 ms.
        piece = max(1, self._baud // 1000)
        for start in range(0, len(data), piece):
            self._sink.write(data[start : start + piece])
            time.sleep(0.01)
