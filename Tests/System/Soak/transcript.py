"""The events of a run in the order of their observation, one JSON object per line.

Each record has `t`, seconds of CLOCK_MONOTONIC, and `kind`:

setup      seed, the gateway's name, the apps with the accuracy that the configuration gives them, every fault, and
           clock: whether chrony gets the time
start      a daemon starts (life, from 1 on; offset: the seconds by which its clock is ahead); ready: it accepts clients
end        the daemon has ended (how: killed, stopped, or by itself; status)
open, close  a connection (who, app, way); close has by: us or them. Over TCP and TLS open has binding, the SHA-256 of
           the gateway's certificate, and the app of the client's certificate
said, heard  a line on the connection (text), from us or from the gateway; for MQTT with topic and retained. Each request
           to the owners' page has its own connection: said has token, and foreign for a request of another page; heard
           has the status. A point of the file and a request to the web server are heard, too; the latter with the
           status of the answer
points     the ids of all points in the file, at the end of the run
press      a press of the button starts: its number, and its length in milliseconds
released   the same number: the time of the release (seconds of CLOCK_MONOTONIC of the daemon), and its effect
light      the new state of the light: lit, and the name of the indication; exact if the time is from the kernel
sense      whether the sense input can see the light from now on (a board with real lines)
epoch      the receiver has sent an epoch: utc (the true time), label (the sent time), lat and lon (the true position),
           and whether it is complete
clock      the daemon's clock is ahead by offset seconds from now on
time       chrony has received a sample of the time: the datagram in hexadecimal digits
fault      what, state (begin, end)
log        the log of disclosures from `onefix log` (entries), and the result of `--verify` (verdict, status)
sample     the resources of the daemon at rest: life, anonymous (KiB), allocated (of that, KiB), descriptors, threads, sessions
lag        the delay of this program itself, in seconds
"""

import json
import time


class Transcript:
    def __init__(self, path):
        self.file = open(path, "w")
        self.records = []

    def add(self, kind, **fields):
        record = {"t": round(time.monotonic(), 4), "kind": kind, **fields}
        self.records.append(record)
        self.file.write(json.dumps(record, ensure_ascii=True) + "\n")
        return record

    def close(self):
        self.file.close()


def read(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


def text(data):
    """Returns bytes as text without loss of information."""
    return data.decode("utf-8", "backslashreplace")
