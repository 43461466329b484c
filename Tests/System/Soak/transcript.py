"""What happened in a run, in the order in which it was seen: one JSON object a line.

Each record has `t`, seconds of CLOCK_MONOTONIC, and `kind`:

setup      seed, the gateway's name, the apps with the accuracy that the configuration gives them, and every fault
start      a daemon begins (life, from 1 on; offset: what its clock is ahead by, seconds); ready: it can be used
end        it has ended (how: killed, stopped, or by itself; status)
open, close  a connection (who, app, way); close has by: us or them. Over TCP and TLS open has binding, the SHA-256 of
           the gateway's certificate, and of whom a certificate was shown
said, heard  a line on it (text), by us or by the gateway; for MQTT with topic, and whether it was retained. Of the
           owners' page each request has a connection of its own: said has token, and foreign where another page asks,
           heard the status
press      of the button is ordered: its number, and for how many milliseconds
released   the same number: when it went up (seconds of CLOCK_MONOTONIC, as the daemon says), and its effect
light      what the board shows from now on: lit, and the name of the indication; exact where the kernel said when
sense      whether the input that looks at the light sees it from now on (a board of real lines)
epoch      the receiver has said one: utc (what it is), label (what it says), lat and lon (where it
           is), and whether it is whole
clock      the daemon's clock is ahead by offset seconds from now on
fault      what, state (begin, end)
log        the log of disclosures as `onefix log` has it (entries), and what `--verify` says (verdict, status)
sample     what the daemon holds at rest: life, anonymous (KiB), allocated (of that, KiB), descriptors, threads, sessions
lag        how late this program itself was, seconds
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
