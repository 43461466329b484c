#!/usr/bin/env python3
"""Measures the anonymous memory of the daemon after a minute of abuse, and after another minute at rest.

usage: returned_memory.py ONEFIXD BOARDS [SECONDS]

Abuse: hundreds of clients of one user connect, send long and invalid lines, and disconnect or are disconnected. Prints
RssAnon in MB as JSON: before the abuse, at its end, and a minute later.
"""

import json
import socket
import sys
import tempfile
import time

from daemon import Daemon

REST_SECONDS = 60


def own_memory(daemon):
    with open(f"/proc/{daemon.process.pid}/status") as status:
        return next(int(line.split()[1]) / 1000 for line in status if line.startswith("RssAnon"))


def abuse(path, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        clients = []
        for number in range(200):
            client = socket.socket(socket.AF_UNIX)
            client.setblocking(False)
            try:
                client.connect(path)
                client.send([b"x" * 60000, b"HELLO 1 app=a%d keepalive=0\nSUB # a\n" % number + b"STATUS\n" * 40,
                             b"\n" * 60000, b"@t nonsense\n" * 4000][number % 4])
            except OSError:
                pass
            clients.append(client)
        time.sleep(0.5)
        for client in clients:
            client.close()


def main():
    if len(sys.argv) not in (3, 4):
        raise SystemExit(__doc__)
    seconds = int(sys.argv[3]) if len(sys.argv) == 4 else 60
    with tempfile.TemporaryDirectory(prefix="onefix-") as folder, \
            Daemon(sys.argv[1], sys.argv[2], folder, "simulated:rate=1") as daemon:
        figures = {"before": own_memory(daemon)}
        abuse(daemon.socket, seconds)
        figures["after_abuse"] = own_memory(daemon)
        time.sleep(REST_SECONDS)
        figures["at_rest"] = own_memory(daemon)
    print(json.dumps({f"{name}_mb": round(value, 1) for name, value in figures.items()}))


main()
