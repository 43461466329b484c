"""A client of the OneFix gateway in one file, with nothing but Python's standard library (3.9 or newer).

    import onefix
    with onefix.connect("/run/onefix/onefix.sock", app="park-finder") as client:
        fix = client.request_once(purpose="Find parks near me")
        print(fix["lat"], fix["lon"], "±", fix["hacc"], "m")

connect() takes the path of a Unix socket, or (host, port) with the key of the app, which `onefix key add` shows:

    onefix.connect(("127.0.0.1", 7447), app="park-finder", key="AAEC…")                    TCP, on loopback
    onefix.connect(("boat.example", 7448), app="park-finder", key="AAEC…", tls="ca.pem")   TLS

A fix is a dict with the members of the line protocol, in SI units, UTC and WGS 84. An unknown value is absent. With full
accuracy the position is that at the press, and "measured" is the time of the measurement.
If the connection is lost, the client connects again and resumes its session. After 5 s without a connection it raises
ConnectionLost. connect_async() returns a client for asyncio, with the same methods.

In a shell:  python3 onefix.py --app park-finder --socket /run/onefix/onefix.sock
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import concurrent.futures
import hashlib
import hmac
import json
import math
import os
import re
import secrets
import socket
import ssl
import sys
import threading
import time
from typing import Any, AsyncIterator, Callable, Dict, Iterator, List, Optional, Tuple, TypedDict, TypeVar, Union

Address = Union[str, Tuple[str, int]]
Fields = Dict[str, str]
Result = TypeVar("Result")

# The element after the last one of a stream.
END: Any = object()

LONGEST_LINE = 65536
# The longest wait for a reply, in seconds.
PATIENCE = 10.0
# A session survives the loss of its connection for this time, in seconds.
GRACE = 5.0
# The states in which the gateway has a request for one fix.
HELD = ("awaiting-press", "acquiring")


class Fix(TypedDict, total=False):
    """A fix. A member whose value is unknown is absent; a fix with the accuracy "place" has only three."""

    time: str
    measured: str
    lat: float
    lon: float
    hacc: float
    alt: float
    vacc: float
    speed: float
    sacc: float
    course: float
    cacc: float
    fix: str
    sats: int
    accuracy: str
    place: str
    age_ms: int
    geoid: float
    hdop: float
    pdop: float
    vdop: float
    quality: str
    coasted: bool
    suspect: str
    dropped: int


class Authorization(TypedDict):
    """The authorization of the app: "notDetermined", "denied", "whenInUse" or "always", and its accuracy."""

    status: str
    accuracy: str


class OneFixError(Exception):
    """An error. Each subclass stands for one reaction of the app."""


class NoGateway(OneFixError):
    """No gateway listens at the address, or this process has no permission to connect."""


class Untrusted(OneFixError):
    """The server is not the gateway: its certificate is not trusted, or it does not have the app's key."""


class ConnectionLost(OneFixError):
    """The connection ended, and with it the request."""


class Silent(ConnectionLost):
    """The connection is open, but the gateway did not report the end of the request."""


class Refused(OneFixError):
    """The gateway refused. `code` and `slug` come from the line protocol; `retry_after` is in seconds, or None."""

    def __init__(self, code: int, slug: str, text: str, retry_after: Optional[int] = None) -> None:
        super().__init__(f"{code} {slug}: {text}")
        self.code, self.slug, self.text, self.retry_after = code, slug, text, retry_after


class Invalid(Refused):
    """The app sent a value that is not allowed, for example a purpose that is too long."""


class NotDetermined(Refused):
    """No user has decided yet: ask for one fix, or use authorize()."""


class Denied(Refused):
    """The user said no."""


class Restricted(Denied):
    """The configuration of the gateway does not allow it. An answer of the user cannot change this."""


class NotInUse(Refused):
    """The app may receive the location only while it is in use, and it is not in use: ask for one fix."""


class Locked(Refused):
    """The kill switch is on."""


class NoPress(Refused):
    """No user pressed the button, or answered, before the timeout."""


class AlreadyAsking(Refused):
    """The app already has an open request, or updates."""


class Expired(Refused):
    """The authorization of the app changed during the request, or another session replaced the request."""


class TooSoon(Refused):
    """The app asked too soon or too often: wait for `retry_after` seconds."""


class TooMany(Refused):
    """The app has too many subscriptions, regions, sessions or connections."""


class GatewayFailed(Refused):
    """The gateway failed. Its log has the cause."""


class NoFix(Refused):
    """The receiver is absent, or got no fix in time."""


class Withheld(NoFix):
    """The gateway withholds the fix: its indicator or its log has a fault."""


class Unauthenticated(Refused):
    """The gateway does not accept this process as the app."""


class Incompatible(Refused):
    """The gateway speaks another version of the protocol."""


REFUSALS: Dict[int, Callable[..., Refused]] = {
    400: Invalid, 401: Invalid, 402: Invalid, 403: Invalid, 404: Invalid, 405: Invalid, 432: Invalid,
    410: NotDetermined, 411: Denied, 412: Restricted, 413: NotInUse, 414: Locked, 420: NoPress, 421: AlreadyAsking,
    422: Expired, 430: TooSoon, 431: TooMany, 500: GatewayFailed, 510: NoFix, 511: NoFix, 512: Withheld, 513: Withheld,
    514: GatewayFailed, 900: Unauthenticated, 901: Unauthenticated, 902: Unauthenticated, 903: Incompatible,
}  # fmt: skip


def connect(
    address: Address,
    app: str,
    key: Optional[str] = None,
    tls: Union[None, bool, str] = None,
    token: Optional[str] = None,
    certificate: Optional[Tuple[str, str]] = None,
) -> Client:
    """Connects to the gateway as an app.

    address: the path of a Unix socket, or (host, port).
    key: 32 bytes as base64url. With (host, port), a key is needed, or over TLS a token or a certificate. A Unix socket
        takes no key.
    tls: a file with the trusted certificates (PEM), or True for those of this machine.
    token: the token of the app, which is sent over TLS only.
    certificate: the files of the app's certificate and of its private key (PEM).
    """
    if token and not tls:
        raise Invalid(405, "bad-argument", "a token is sent over TLS only (use a key)")
    client = Client(None, lambda: _open(address, tls, certificate), app, _secret(key), token)
    try:
        client._connect()
    except BaseException:
        client.close()
        raise
    return client


async def connect_async(*arguments: Any, **options: Any) -> AsyncClient:
    """Connects like connect(), and returns a client for asyncio."""
    client = AsyncClient()
    client._client = await client._run(lambda: connect(*arguments, **options))
    return client


class Client:
    """A connection to the gateway. One thread at a time may use it."""

    def __init__(
        self,
        connection: Optional[socket.socket],
        reopen: Optional[Callable[[], Tuple[socket.socket, str]]] = None,
        app: str = "",
        secret: Optional[bytes] = None,
        token: Optional[str] = None,
    ) -> None:
        self._connection, self._reopen = connection, reopen
        self._app, self._secret, self._token, self._session = app, secret, token, ""
        self._closed = threading.Event()
        # Held by the thread that reads. A signal handler of this thread may close the connection.
        self._reading = threading.RLock()
        self._received = b""
        self._last_tag = 0
        self._last_fix = 0
        # The tag of the request for one fix that the gateway may have.
        self._asked_tag = ""
        # Whether the gateway may have a request for one fix that no call waits for.
        self._has_stray_request = False
        # Messages that came before an expected reply, at most 1024.
        self._early: List[str] = []
        self.greeting: Fields = {}

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the session and closes the connection. Another thread may call this, and a waiting call then raises
        ConnectionLost."""
        self._closed.set()
        connection = self._connection
        if connection is None:
            return
        try:
            connection.settimeout(PATIENCE)
            connection.sendall(b"BYE\n")
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        # The shutdown wakes a thread that reads. If the descriptor closed before this thread waits, the thread would wait
        # for the next file with the same number.
        with self._reading:
            connection.close()

    def request_once(
        self,
        purpose: Optional[str] = None,
        accuracy: Optional[str] = None,
        timeout: int = 300,
        armed: Optional[Callable[[], object]] = None,
        press: bool = False,
        max_age: Optional[int] = None,
    ) -> Fix:
        """Asks for one fix, waits for the press, and returns the fix.

        purpose: the text that the user reads, at most 80 columns.
        accuracy: "reduced" or "place" asks for less than the app may receive. A fix with the accuracy "place" has the
            name of a place as "place", and no "lat" and "lon".
        timeout: seconds to wait for the press, 1 to 3600.
        armed: called without arguments when the gateway waits for the press.
        press: whether a press is needed although the app may receive fixes without one.
        max_age: the greatest age of the measurement, in milliseconds.
        """
        options = f" accuracy={accuracy}" if accuracy else ""
        options += f" max-age={max_age}" if max_age is not None else ""
        options += " press=required" if press else ""
        options += f" purpose={purpose}" if purpose else ""
        tag = self._new_tag()
        try:
            return self._once(tag, options, timeout, armed)
        except BaseException:
            if self._asked_tag == tag:
                self._withdraw()
            raise

    def _once(self, tag: str, options: str, timeout: int, armed: Optional[Callable[[], object]]) -> Fix:
        end, is_accepted = time.monotonic() + timeout, False
        while True:
            try:
                if not is_accepted:
                    left = min(timeout, max(1, math.ceil(end - time.monotonic())))
                    reply = self._say(f"REQ once timeout={left}{options}", tag)
                    is_accepted, self._has_stray_request = True, False
                    self._drop_fixes()
                    if armed and reply.get("state") == "awaiting-press":
                        armed()
                        armed = None
                # If a user presses at the last moment, the fix may take another minute.
                for topic, fields, payload in self._messages(tag, end + 75.0):
                    fix = self._take(fields, payload) if topic == "fix/once" else None
                    if fix is not None:
                        return fix
            except Silent:
                raise
            except ConnectionLost:
                if not is_accepted:
                    self._drop_fixes()
                is_same, status = self._resume()
                is_held = self._has_new_fix() or status.get("state") in HELD
                if is_same and is_accepted and not is_held:
                    # The gateway reported the end of the request on the lost connection.
                    raise
                is_accepted = is_same and is_held

    def authorize(self, scope: str = "when-in-use", purpose: Optional[str] = None) -> Authorization:
        """Asks the user for an authorization, waits for the answer, and returns the authorization of the app.

        After a no the status is "denied". If no prompt is necessary, the call returns at once. If nobody answers within
        60 seconds, it raises NoPress, and the app must wait before it asks again.

        scope: "when-in-use"; "always"; or "full-accuracy", for which a purpose is necessary.
        purpose: the text that the user reads, at most 80 columns.
        """
        tag, is_asked = self._new_tag(), False
        command = f"AUTHORIZE {scope}" + (f" purpose={purpose}" if purpose else "")
        self._command("SUB authorization authorize")
        try:
            while True:
                try:
                    if not is_asked:
                        reply = self._say(command, tag)
                        if reply.get("state") != "asking":
                            return _authorization(reply)
                        # A message that came before the reply is no answer.
                        self._early.clear()
                        is_asked = True
                    # The prompt is open for 60 s.
                    for topic, fields, payload in self._messages(tag, time.monotonic() + 75.0):
                        if topic == "authorization" and fields.get("ret") != "1":
                            return Authorization(status=payload["status"], accuracy=payload["accuracy"])
                except Silent:
                    raise
                except ConnectionLost:
                    is_same, status = self._resume()
                    if is_same and is_asked and status.get("indicator") != "prompt":
                        return _authorization(status)
                    if not is_same:
                        is_asked = False
                        self._command("SUB authorization authorize")
        finally:
            self._end("UNSUB authorize")

    def updates(
        self, interval: Optional[int] = None, distance: Optional[float] = None, background: bool = False
    ) -> Iterator[Fix]:
        """Yields fixes until the caller stops. The app needs an authorization for updates.

        interval: the least time between two fixes, in milliseconds. distance: the least distance between them, in metres.
        background: whether updates continue when the app is not in use.
        """
        command = "START updates"
        command += f" interval={interval}" if interval is not None else ""
        command += f" distance={_decimal(distance)}" if distance is not None else ""
        command += " background" if background else ""
        for _, payload in self._stream(command, "STOP updates", "fix/updates"):
            yield payload  # type: ignore[misc]

    def region_events(self) -> Iterator[Dict[str, str]]:
        """Yields {"region": ID, "event": "enter" or "exit"} until the caller stops."""
        for topic, payload in self._stream("SUB region/+ regions", "UNSUB regions", "region/"):
            yield {"region": topic[len("region/") :], "event": payload.get("event", "")}

    def add_region(self, id: str, lat: float, lon: float, radius: float, events: List[str], text: str) -> None:
        """Registers a circle, in degrees and metres, or replaces the circle with this id.

        events: "enter", "exit" or both. text: what the user reads in the question for a press.
        """
        circle = f"{_decimal(lat)} {_decimal(lon)} {_decimal(radius)}"
        self._command(f"REGION ADD {id} {circle} {','.join(events)} :{text}")

    def remove_region(self, id: str) -> None:
        """Removes a region."""
        self._command(f"REGION DEL {id}")

    def regions(self) -> List[Dict[str, Any]]:
        """Returns the regions of the app."""
        self._early = [line for line in self._early if not line.startswith("MSG regions ")]
        self._command("REGION LIST")
        lines = [line for line in self._early if line.startswith("MSG regions ")]
        self._early = [line for line in self._early if line not in lines]
        return [message[2] for message in map(_message, lines) if message]

    def status(self) -> Fields:
        """Returns the authorization, accuracy and state of the app, and the states of the indicator and the receiver."""
        return self._command("STATUS")

    def enter_background(self) -> None:
        """Reports that the app is not in view."""
        self._command("STATE background")

    def enter_foreground(self) -> None:
        """Reports that the app is in view."""
        self._command("STATE foreground")

    # The line protocol.

    def _connect(self) -> bool:
        """Opens a connection and begins a session, or resumes it. Returns whether the session is the same."""
        assert self._reopen
        connection, binding = self._reopen()
        self._connection, self._received = connection, b""
        try:
            return self._introduce(binding)
        except (Untrusted, Refused):
            # A program that is not the gateway, or does not accept the app, receives nothing more.
            connection.close()
            raise

    def _introduce(self, binding: str) -> bool:
        words = self._line(time.monotonic() + PATIENCE).split()
        if not words or words[0] != "INFO":
            raise Untrusted("cannot trust the gateway: the program at this address is not a OneFix gateway")
        self.greeting = _fields(words[1:])
        former, nonce = self._session, secrets.token_hex(16)
        hello = f"HELLO 1 app={self._app} keepalive=0" + (f" session={former}" if former else "")
        reply = self._say(hello + (f" nonce={nonce}" if self._secret else ""))
        if self._secret:
            reply = self._prove(self._secret, nonce, binding, reply)
        elif self._token and reply.get("auth") == "required":
            reply = self._say(f"AUTH token={self._token}")
        if reply.get("auth") == "required":
            raise Unauthenticated(900, "auth-required", "the gateway requires authentication (key, token or certificate)")
        self._session = reply.get("session", "")
        is_same = False
        if former:
            try:
                # No reply shows whether the session is the same. Only the same session has this subscription, which ends
                # after so many messages that it stays.
                self._say("UNSUB press 1000000")
                is_same = True
            except Refused:
                self._last_fix = 0
                self._early.clear()
        if not is_same:
            self._say("SUB button/press press")
        return is_same

    def _prove(self, secret: bytes, nonce: str, binding: str, reply: Fields) -> Fields:
        def proof(role: str) -> str:
            parts = ["onefix-v1", role, self.greeting.get("id", ""), self._app, self.greeting.get("nonce", ""), nonce]
            return hmac.new(secret, "\n".join([*parts, binding]).encode(), hashlib.sha256).hexdigest()

        if not hmac.compare_digest(proof("server").encode(), reply.get("proof", "").encode()):
            remedy = "is the key right?"
            if self.greeting.get("auth") == "peer":
                remedy = "a Unix socket needs no key: leave the key out"
            raise Untrusted(f"cannot trust the gateway: it did not prove that it has this app's key ({remedy})")
        return self._say(f"AUTH hmac={proof('client')}")

    def _resume(self) -> Tuple[bool, Fields]:
        """Connects again. Returns whether the session is the same, and its status."""
        end, is_same = time.monotonic() + GRACE, True
        while True:
            if self._closed.is_set() or not self._reopen:
                raise ConnectionLost("the connection to the gateway was lost")
            if self._connection:
                self._connection.close()
            try:
                is_same = self._connect() and is_same
                status = self._say("STATUS")
                if self._has_stray_request:
                    if status.get("state") in HELD:
                        self._say("CANCEL")
                        status = self._say("STATUS")
                    self._has_stray_request = False
                    self._drop_fixes()
                return is_same, status
            except (NoGateway, ConnectionLost, TooMany) as error:
                if time.monotonic() > end:
                    raise ConnectionLost("the connection to the gateway was lost") from error
                self._closed.wait(0.1)

    def _command(self, command: str) -> Fields:
        """Sends a command whose repetition changes nothing, if necessary on a new connection."""
        try:
            return self._say(command)
        except ConnectionLost:
            self._resume()
            return self._say(command)

    def _withdraw(self) -> None:
        """Withdraws a request for one fix, without a wait for the reply. If the connection is lost, the next connection
        does this."""
        self._has_stray_request = True
        try:
            self._send(f"{self._new_tag()} CANCEL")
        except OneFixError:
            pass

    def _end(self, command: str) -> None:
        try:
            self._say(command)
        except OneFixError:
            pass

    def _stream(self, start: str, stop: str, topic_start: str) -> Iterator[Tuple[str, Dict[str, Any]]]:
        tag, is_resumed, is_started = self._new_tag(), False, False
        try:
            while True:
                try:
                    if not is_started:
                        try:
                            self._say(start, tag)
                        except AlreadyAsking:
                            # The updates of the resumed session continue.
                            if not is_resumed:
                                raise
                        is_started = True
                    for topic, _, payload in self._messages(tag):
                        if topic.startswith(topic_start):
                            yield topic, payload
                except ConnectionLost:
                    is_resumed, _ = self._resume()
                    is_started = False
        finally:
            self._end(stop)
            self._early.clear()

    def _take(self, fields: Fields, payload: Dict[str, Any]) -> Optional[Fix]:
        """Acknowledges a fix. A fix that is sent again is acknowledged again, but returned once."""
        number = int(fields.get("id", "0"))
        if number:
            is_new = number > self._last_fix
            self._last_fix = max(number, self._last_fix)
            try:
                self._say(f"ACK {number}")
            except (Refused, ConnectionLost):
                # The gateway refuses a late acknowledgement. The next call notices the loss of the connection.
                pass
            if not is_new:
                return None
        return payload  # type: ignore[return-value]

    def _has_new_fix(self) -> bool:
        """Returns whether a fix came that no call has returned yet."""
        for message in filter(None, map(_message, self._early)):
            if message[0] == "fix/once" and int(message[1].get("id", self._last_fix + 1)) > self._last_fix:
                return True
        return False

    def _drop_fixes(self) -> None:
        """Acknowledges and drops the fixes of earlier requests, which came before the reply to the latest command."""
        fixes = [line for line in self._early if line.startswith("MSG fix/once ")]
        self._early = [line for line in self._early if line not in fixes]
        for message in filter(None, map(_message, fixes)):
            self._take(*message[1:])

    def _new_tag(self) -> str:
        self._last_tag += 1
        return f"@{self._last_tag}"

    def _say(self, command: str, tag: Optional[str] = None) -> Fields:
        """Sends a command and returns the fields of its reply."""
        tag = tag or self._new_tag()
        if not command.isprintable():
            raise Invalid(405, "bad-argument", "a text must contain only visible characters and plain spaces")
        if command.startswith("REQ "):
            self._asked_tag = tag
        self._send(f"{tag} {command}")
        end = time.monotonic() + PATIENCE
        while True:
            try:
                line = self._line(end)
            except Silent as silence:
                raise ConnectionLost("the gateway does not answer") from silence
            words = line.split(" ")
            if words[0] == "+OK" and tag in words[1:2]:
                return _fields(words[2:])
            refusal = _error(line)
            if refusal and refusal[1] in (tag, ""):
                raise self._ended(tag, refusal[0])
            if refusal or words[0] == "MSG":
                self._early = self._early[-1023:] + [line]

    def _messages(self, tag: str, end: Optional[float] = None) -> Iterator[Tuple[str, Fields, Dict[str, Any]]]:
        """Yields topic, fields and payload of each message, until the command with that tag fails."""
        while True:
            line = self._early.pop(0) if self._early else self._line(end)
            refusal, message = _error(line), _message(line)
            # Codes from 900 on close the connection.
            if refusal and (refusal[1] == tag or getattr(refusal[0], "code", 900) >= 900):
                raise self._ended(tag, refusal[0])
            if message:
                yield message

    def _ended(self, tag: str, error: OneFixError) -> OneFixError:
        """Returns the error of the command with that tag. After a refusal, the gateway does not have the request."""
        if tag == self._asked_tag and isinstance(error, Refused):
            self._asked_tag = ""
        return error

    def _send(self, line: str) -> None:
        assert self._connection
        try:
            self._connection.settimeout(PATIENCE)
            self._connection.sendall(f"{line}\n".encode())
        except OSError as error:
            raise ConnectionLost("the connection to the gateway was lost") from error

    def _line(self, end: Optional[float]) -> str:
        """Returns the next line that is not a heartbeat."""
        assert self._connection
        while True:
            while b"\n" not in self._received:
                if len(self._received) > LONGEST_LINE:
                    raise ConnectionLost("the gateway sent a line that is too long")
                try:
                    with self._reading:
                        self._connection.settimeout(None if end is None else max(0.001, end - time.monotonic()))
                        more = self._connection.recv(4096)
                except socket.timeout as error:
                    raise Silent("the gateway does not answer") from error
                except OSError as error:
                    raise ConnectionLost("the connection to the gateway was lost") from error
                if not more:
                    raise ConnectionLost("the gateway closed the connection")
                self._received += more
            line, self._received = self._received.split(b"\n", 1)
            text = line.rstrip(b"\r").decode("utf-8", "replace")
            if text == "PING":
                self._send("PONG")
            elif text:
                return text


class AsyncClient:
    """A client for asyncio. Its calls run one after the other; the methods are those of Client.

    If a task is cancelled while it waits, the client closes, which withdraws the request.
    """

    def __init__(self) -> None:
        self._client: Client
        self._thread = concurrent.futures.ThreadPoolExecutor(1, "onefix")

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends the session and closes the connection. A waiting call raises ConnectionLost."""
        await asyncio.get_running_loop().run_in_executor(None, self._client.close)
        self._thread.shutdown(wait=False)

    async def request_once(
        self,
        purpose: Optional[str] = None,
        accuracy: Optional[str] = None,
        timeout: int = 300,
        armed: Optional[Callable[[], object]] = None,
        press: bool = False,
        max_age: Optional[int] = None,
    ) -> Fix:
        """Asks for one fix. The loop calls `armed` when the gateway waits for the press."""
        loop = asyncio.get_running_loop()
        waits = (lambda: loop.call_soon_threadsafe(armed)) if armed else None
        return await self._run(lambda: self._client.request_once(purpose, accuracy, timeout, waits, press, max_age))

    async def authorize(self, scope: str = "when-in-use", purpose: Optional[str] = None) -> Authorization:
        """Asks the user for an authorization."""
        return await self._run(lambda: self._client.authorize(scope, purpose))

    def updates(
        self, interval: Optional[int] = None, distance: Optional[float] = None, background: bool = False
    ) -> AsyncElements[Fix]:
        """Yields fixes until the caller stops."""
        return AsyncElements(self, self._client.updates(interval, distance, background))

    def region_events(self) -> AsyncElements[Dict[str, str]]:
        """Yields the events of regions until the caller stops."""
        return AsyncElements(self, self._client.region_events())

    async def add_region(self, id: str, lat: float, lon: float, radius: float, events: List[str], text: str) -> None:
        """Registers or replaces a region."""
        await self._run(lambda: self._client.add_region(id, lat, lon, radius, events, text))

    async def remove_region(self, id: str) -> None:
        """Removes a region."""
        await self._run(lambda: self._client.remove_region(id))

    async def regions(self) -> List[Dict[str, Any]]:
        """Returns the regions of the app."""
        return await self._run(self._client.regions)

    async def status(self) -> Fields:
        """Returns the state of the app."""
        return await self._run(self._client.status)

    async def enter_background(self) -> None:
        """Reports that the app is not in view."""
        await self._run(self._client.enter_background)

    async def enter_foreground(self) -> None:
        """Reports that the app is in view."""
        await self._run(self._client.enter_foreground)

    async def _run(self, work: Callable[[], Result]) -> Result:
        """Runs a call in the client's thread. If the task is cancelled, the client closes, so that the call ends."""
        call = asyncio.get_running_loop().run_in_executor(self._thread, work)
        try:
            return await asyncio.shield(call)
        except asyncio.CancelledError:
            # Nobody waits for the error of the call.
            call.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
            if hasattr(self, "_client"):
                self._client.close()
            raise


class AsyncElements(AsyncIterator[Result]):
    """The elements of a stream. A loop that ends, also with a break, ends the stream before the next call begins."""

    def __init__(self, client: AsyncClient, elements: Iterator[Result]) -> None:
        self._client, self._elements = client, elements

    async def __anext__(self) -> Result:
        # The thread does not refer to this object: its last reference ends the stream.
        elements = self._elements
        element = await self._client._run(lambda: next(elements, END))
        if element is END:
            raise StopAsyncIteration
        return element

    async def aclose(self) -> None:
        """Ends the stream."""
        await self._client._run(self._elements.close)  # type: ignore[attr-defined]

    def __del__(self) -> None:
        try:
            self._client._thread.submit(self._elements.close)  # type: ignore[attr-defined]
        except RuntimeError:
            # The client is closed already.
            pass


def _open(
    address: Address, tls: Union[None, bool, str], certificate: Optional[Tuple[str, str]]
) -> Tuple[socket.socket, str]:
    """Returns a connection, and over TLS the hash of the gateway's certificate."""
    context = None if isinstance(address, str) or not tls else _context(tls, certificate)
    try:
        if isinstance(address, str):
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            connection.connect(address)
        else:
            connection = socket.create_connection(address, timeout=PATIENCE)
            _keep_alive(connection)
    except (OSError, UnicodeError) as error:
        # A name that no server can have is a UnicodeError.
        is_name = isinstance(error, (socket.gaierror, UnicodeError))
        remedy = "is the name right?" if is_name else "is onefixd running?"
        if isinstance(address, str) and isinstance(error, PermissionError):
            remedy = _permission(address)
        raise NoGateway(f"cannot reach the gateway at {address}: {error} ({remedy})") from error
    if context is None:
        return connection, ""
    try:
        secure = context.wrap_socket(connection, server_hostname=address[0])
    except OSError as error:
        connection.close()
        is_end = isinstance(error, (ssl.SSLEOFError, ssl.SSLZeroReturnError, ssl.SSLSyscallError))
        if isinstance(error, ssl.SSLError) and not is_end:
            raise Untrusted(f"cannot trust the gateway at {address}: {error}") from error
        # A gateway that stops, and a forwarder in front of a stopped gateway, end the connection in this way.
        raise ConnectionLost(f"the connection to the gateway at {address} was lost: {error}") from error
    return secure, hashlib.sha256(secure.getpeercert(binary_form=True) or b"").hexdigest()


def _context(tls: Union[bool, str], certificate: Optional[Tuple[str, str]]) -> ssl.SSLContext:
    """Reads the files of TLS."""
    files = "" if tls is True else str(tls)
    try:
        context = ssl.create_default_context(cafile=files or None)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        if certificate:
            files = " and ".join(certificate)
            context.load_cert_chain(*certificate)
    except OSError as error:
        raise Invalid(405, "bad-argument", f"cannot use {files} for TLS: {error}") from error
    return context


def _keep_alive(connection: socket.socket) -> None:
    """Lets the system end the connection within two minutes after the gateway's machine or its cable is gone."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", 60), ("TCP_KEEPINTVL", 15), ("TCP_KEEPCNT", 4)):
        if hasattr(socket, name):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def _permission(path: str) -> str:
    """Returns what to do if this user has no permission to open a socket."""
    import grp, pwd  # Not for Windows, where the client works over TLS.

    folder = os.path.dirname(os.path.abspath(path))
    closed = path if os.access(folder, os.X_OK) else folder
    try:
        user = pwd.getpwuid(os.geteuid()).pw_name
        # No remedy adds a user to another group.
        if grp.getgrgid(os.stat(closed).st_gid).gr_name == "onefix":
            return f"sudo adduser {user} onefix, then log in again"
    except (OSError, KeyError):
        pass
    return f"this user may not open {closed}"


def _secret(key: Optional[str]) -> Optional[bytes]:
    if key is None:
        return None
    try:
        secret = base64.b64decode(key + "=" * (-len(key) % 4), altchars=b"-_", validate=True)
    except ValueError:
        secret = b""
    if len(secret) != 32:
        raise Invalid(405, "bad-argument", "the key is not 32 bytes in base64url (onefix key add shows it)")
    return secret


def _decimal(number: float) -> str:
    """Returns a number without an exponent."""
    return f"{number:.10f}".rstrip("0").rstrip(".")


def _authorization(fields: Fields) -> Authorization:
    return Authorization(status=fields.get("authorization", ""), accuracy=fields.get("accuracy", ""))


def _fields(words: List[str]) -> Fields:
    return dict(word.split("=", 1) for word in words if "=" in word)


def _message(line: str) -> Optional[Tuple[str, Fields, Dict[str, Any]]]:
    """Returns topic, fields and payload of a message; None if the line is none."""
    head, brace, rest = line.partition("{")
    words = head.split(" ")
    if words[0] != "MSG" or len(words) < 3:
        return None
    try:
        payload = json.loads(brace + rest)
    except ValueError:
        return None
    return words[1], _fields(words[3:]), payload


def _error(line: str) -> Optional[Tuple[OneFixError, str]]:
    """Returns the error of a line, and its tag; None if the line is none."""
    match = re.fullmatch(r"-ERR (\d{3}) (\S+)(?: (@\S+))?((?: [^ :]\S*)*)(?: :(.*))?", line)
    if not match:
        return None
    code, tag, text = int(match[1]), match[3] or "", match[5] or ""
    if 904 <= code <= 906:
        return ConnectionLost(text), tag
    seconds = _fields(match[4].split(" ")).get("retry-after", "")
    return REFUSALS.get(code, Refused)(code, match[2], text, int(seconds) if seconds.isdecimal() else None), tag


def main() -> None:
    parser = argparse.ArgumentParser(description="Asks for one fix and prints it as a line of JSON.")
    parser.add_argument("--app", required=True)
    parser.add_argument("--socket", default=os.environ.get("ONEFIX_SOCKET") or "/run/onefix/onefix.sock")
    parser.add_argument("--host", help="host:port instead of a socket")
    parser.add_argument("--key-file", help="a file with the app's key as base64url")
    parser.add_argument("--tls", help="a file with trusted certificates (PEM)")
    parser.add_argument("--timeout", type=int, default=300)
    parser.add_argument("--updates", type=int, metavar="COUNT", help="print this number of fixes of updates instead")
    options = parser.parse_args()
    if options.updates is not None and options.updates < 1:
        parser.error("argument --updates: COUNT must be 1 or more")
    key = None
    if options.key_file:
        try:
            with open(options.key_file, encoding="ascii") as file:
                key = file.read().strip()
        except (OSError, ValueError) as error:
            parser.error(f"argument --key-file: cannot read the key: {error}")
    address: Address = options.socket
    if options.host:
        found = re.fullmatch(r"(.+):([0-9]{1,5})", options.host)
        if not found or int(found[2]) > 65535:
            parser.error(f"argument --host: {options.host!r} is not HOST:PORT, for example boat:7448")
        address = (found[1], int(found[2]))
    try:
        with connect(address, options.app, key, options.tls) as client:
            if options.updates is not None:
                for _, fix in zip(range(options.updates), client.updates()):
                    print(json.dumps(fix), flush=True)
            else:
                waiting = lambda: print("waiting for a press of the button …", file=sys.stderr, flush=True)
                print(json.dumps(client.request_once(timeout=options.timeout, armed=waiting)))
    except OneFixError as error:
        sys.exit(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
