#!/usr/bin/env python3
"""Measures a request of an owner's page, alone and beside clients without a session.

usage: page_crowd.py ONEFIXD BOARDS

The other clients hold 200 connections on which half of a request was sent, and open 60 further ones in a second. Prints
milliseconds as JSON.
"""

import collections
import contextlib
import json
import multiprocessing
import os
import re
import socket
import sys
import tempfile
import time

from daemon import Daemon, allow, quantile

HELD, NEW_PER_SECOND, REQUESTS = 200, 60, 200


def ask(port, target, token, body=""):
    """Sends a request in a session, and returns the body of the answer."""
    head = (
        f"POST {target} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n"
        f"Authorization: Bearer {token}\r\nContent-Length: {len(body)}\r\n\r\n")
    answer = b""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall((head + body).encode())
        while part := connection.recv(65536):
            answer += part
    head, _, body = answer.decode().partition("\r\n\r\n")
    if not head.startswith("HTTP/1.1 200"):
        raise SystemExit(f"{target}: {head or 'no answer'}")
    return body


def crowd(port, ready):
    os.nice(10)
    held = collections.deque()
    while True:
        with contextlib.suppress(OSError):
            held.append(socket.create_connection(("127.0.0.1", port)))
            held[-1].sendall(b"POST /verb HTTP/1.1\r\nHost: 127.0.0.1\r\nX-")
        if len(held) > HELD:
            ready.set()
            held.popleft().close()
            time.sleep(1 / NEW_PER_SECOND)


def times(port, token):
    result = []
    for _ in range(REQUESTS):
        begin = time.monotonic()
        ask(port, "/verb", token, "accuracy bench full")
        result.append(1000 * (time.monotonic() - begin))
        time.sleep(0.05)
    return result


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="onefix-") as folder, \
            Daemon(sys.argv[1], sys.argv[2], folder, "simulated", f"[page]\nport = {port}\n") as daemon:
        app, owner = daemon.app(), daemon.owner()
        allow(app, owner)
        link = owner.ask("PAGE")[0]
        token = ask(port, "/open", re.search(r"#(\S+)", link).group(1))
        figures = {"alone": times(port, token)}
        ready = multiprocessing.Event()
        clients = multiprocessing.Process(target=crowd, args=(port, ready), daemon=True)
        clients.start()
        ready.wait()
        figures["in_crowd"] = times(port, token)
        if not clients.is_alive():
            raise SystemExit("the other clients ended early")
        clients.terminate()
    print(json.dumps({
        name: {"p50_ms": round(quantile(values, 0.5), 3), "p99_ms": round(quantile(values, 0.99), 3),
               "max_ms": round(max(values), 3)}
        for name, values in figures.items()}))


main()
