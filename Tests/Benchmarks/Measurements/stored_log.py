"""A state directory with a long log, as the gateway would have written it."""

import hashlib
import hmac
import os
import sqlite3
import struct
from datetime import datetime, timedelta, timezone



class Key:
    def __init__(self, secret, label):
        # HKDF-SHA256 (RFC 5869) with an empty salt and 32 bytes of output.
        pseudorandom = hmac.digest(bytes(32), secret, "sha256")
        self.key = hmac.digest(pseudorandom, b"onefix " + label.encode() + b"\x01", "sha256")

    def code(self, content):
        return hmac.digest(self.key, content, "sha256")


def canonical(values):
    """Returns the bytes that a code covers. See `canonical` in LogChain.swift."""
    parts = []
    for column, value in enumerate(values):
        if isinstance(value, int):
            parts.append(struct.pack(">BBq", column, 1, value))
        elif isinstance(value, str):
            text = value.encode()
            parts.append(struct.pack(">BBQ", column, 2, len(text)) + text)
        elif value is not None:
            parts.append(struct.pack(">BBQ", column, 3, len(value)) + value)
    return b"".join(parts)


def members(database, key):
    """Returns the exclusive or of the secret codes of all rows that the seal covers."""
    combined = bytes(32)
    for kind, query in enumerate((
            "SELECT app, code FROM app", "SELECT name, code FROM blob", "SELECT number, code FROM outbox",
            "SELECT number, code FROM region")):
        for name, code in database.execute(query):
            member = key.code(canonical([kind, name, code]))
            combined = bytes(a ^ b for a, b in zip(combined, member))
    return combined


def extend(state, count, apps, days=30):
    """Appends entries of disclosures to the log of a stopped gateway, up to `count` entries in all. Their times are in
    the last `days` days, or begin earlier if there are too many."""
    with open(state + ".key", "rb") as file:
        secret = file.read()
    entries, seals = Key(secret, "disclosure log: entries"), Key(secret, "state store: rows")
    database = sqlite3.connect(os.path.join(state, "onefix.sqlite"))
    number, previous, revision = database.execute("SELECT sequence, code, revision FROM log_end").fetchone()
    locked, = database.execute("SELECT locked FROM gateway").fetchone()
    missing = count - number
    begin = datetime.now(timezone.utc) - timedelta(days=days)
    step = timedelta(days=days) / max(missing, 1)

    def rows():
        nonlocal number, previous
        for index in range(missing):
            number += 1
            app = apps[index // 2 % len(apps)]
            time = (begin + index * step).isoformat(timespec="milliseconds").replace("+00:00", "Z")
            values = [time, "disclosure", app, "full", "always", "unix", 1, 0, None, None] if index % 2 == 0 else \
                [time, "outcome", app, None, None, None, None, None, "acknowledged", number - 1]
            previous = entries.code(previous + struct.pack(">q", number) + canonical(values))
            yield [number, previous] + values

    with database:
        database.executemany(
            'INSERT INTO disclosure_log (sequence, code, time, event, app, accuracy, "right", transport, simulated, late,'
            " outcome, disclosure) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows())
        seal = seals.code(canonical(
            [number, previous, revision, locked, members(database, Key(secret, "state store: members"))]))
        database.execute("UPDATE log_end SET sequence = ?, code = ?, rights = ?", (number, previous, seal))
    database.close()
