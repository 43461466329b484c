"""A client of the OneFix gateway in one file, with nothing but Python's standard library (3.9 or newer).

    import onefix
    with onefix.connect("/run/onefix/onefix.sock", app="park-finder") as client:
        fix = client.request_once(purpose="Find parks near you")
        print(fix["lat"], fix["lon"], "±", fix["hacc"], "m")

connect() takes the path of a Unix socket, or (host, port) with the key of the app, which `onefix key add` shows:

    onefix.connect(("127.0.0.1", 7447), app="park-finder", key="AAEC…")                    TCP, on loopback
    onefix.connect(("boat.example", 7448), app="park-finder", key="AAEC…", tls="ca.pem")   TLS

A fix is a dict with the members of the line protocol, in SI units, UTC and WGS 84. An unknown value is absent. With full
accuracy the position is that at the press, and "measured" is the time of the measurement.
If the connection is lost, the client raises ConnectionLost: it does not reconnect by itself.

In a shell:  python3 onefix.py --app park-finder --socket /run/onefix/onefix.sock
"""

import argparse
import base64
import hashlib
import hmac
import json
import os
import secrets
import socket
import ssl
import sys

LONGEST_LINE = 65536
# The longest wait for a reply, in seconds.
PATIENCE = 10.0


class OneFixError(Exception):
    """An error. Each subclass stands for one reaction of the app."""


class NoGateway(OneFixError):
    """No gateway listens at the address, or this process has no permission to connect."""


class Untrusted(OneFixError):
    """The server is not the gateway: its certificate is not trusted, or it does not have the app's key."""


class ConnectionLost(OneFixError):
    """The connection ended, and with it the request."""


class Refused(OneFixError):
    """The gateway refused. `code` and `slug` come from the line protocol; `retry_after` is in seconds, or None.

    Codes without a class of their own: 421 already asking, 422 expired, 431 too many, 500 internal, 903 incompatible.
    """

    def __init__(self, code, slug, text, retry_after=None):
        super().__init__(f"{code} {slug}: {text}")
        self.code, self.slug, self.text, self.retry_after = code, slug, text, retry_after


class Invalid(Refused):
    """The app sent a value that is not allowed, for example a purpose that is too long."""


class Unauthenticated(Refused):
    """The gateway does not accept this process as the app."""


class NoPress(Refused):
    """No user pressed the button, or answered, before the timeout."""


class NotDetermined(Refused):
    """No user has decided yet: ask for one fix, or use authorize()."""


class Denied(Refused):
    """The user said no, or the configuration of the gateway does not allow it."""


class NotInUse(Refused):
    """The app may receive the location only while it is in use, and it is not in use: ask for one fix."""


class TooSoon(Refused):
    """The app asked too soon or too often: wait for `retry_after` seconds."""


class Locked(Refused):
    """The kill switch is on."""


class NoFix(Refused):
    """There is no fix, or the gateway withholds it: the receiver, the indicator or the log has a fault."""


REFUSALS = {
    400: Invalid, 401: Invalid, 402: Invalid, 403: Invalid, 404: Invalid, 405: Invalid, 432: Invalid,
    410: NotDetermined, 411: Denied, 412: Denied, 413: NotInUse, 414: Locked, 420: NoPress, 430: TooSoon,
    510: NoFix, 511: NoFix, 512: NoFix, 513: NoFix, 900: Unauthenticated, 901: Unauthenticated, 902: Unauthenticated,
}  # fmt: skip


def connect(address, app, key=None, tls=None):
    """Connects to the gateway as an app.

    address: the path of a Unix socket, or (host, port).
    key: 32 bytes as base64url; needed with (host, port).
    tls: a file with the trusted certificates (PEM), or True for those of this machine.
    """
    try:
        if isinstance(address, str):
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            connection.connect(address)
        else:
            connection = socket.create_connection(address, timeout=PATIENCE)
    except OSError as error:
        remedy = "is the name right?" if isinstance(error, socket.gaierror) else "is onefixd running?"
        if isinstance(address, str) and isinstance(error, PermissionError):
            remedy = _permission(address)
        raise NoGateway(f"cannot reach the gateway at {address}: {error} ({remedy})") from error
    binding = ""
    if tls:
        try:
            context = ssl.create_default_context(cafile=None if tls is True else tls)
            context.minimum_version = ssl.TLSVersion.TLSv1_2
            connection = context.wrap_socket(connection, server_hostname=address[0])
        except OSError as error:
            connection.close()
            raise Untrusted(f"cannot trust the gateway at {address}: {error}") from error
        binding = hashlib.sha256(connection.getpeercert(binary_form=True)).hexdigest()
    client = Client(connection)
    try:
        client._introduce(app, key, binding)
    except BaseException:
        client.close()
        raise
    return client


class Client:
    """A connection to the gateway. One thread at a time may use it."""

    def __init__(self, connection):
        self._connection = connection
        self._received = b""
        self._last_tag = 0
        self._last_fix = 0
        # Messages that came before an expected reply, at most 64.
        self._early = []
        self.greeting = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends the session and closes the connection."""
        try:
            self._connection.settimeout(PATIENCE)
            self._connection.sendall(b"BYE\n")
        except OSError:
            pass
        self._connection.close()

    def request_once(self, purpose=None, accuracy=None, timeout=300, armed=None):
        """Asks for one fix, waits for the press, and returns the fix.

        purpose: the text that the user reads, at most 80 columns.
        accuracy: "reduced" or "place" asks for less than the app may receive. A fix with the accuracy "place" has the
            name of a place as "place", and no "lat" and "lon".
        timeout: seconds to wait for the press, 1 to 3600.
        armed: called without arguments when the gateway waits for the press.
        """
        command = f"REQ once timeout={timeout}"
        command += f" accuracy={accuracy}" if accuracy else ""
        command += f" purpose={purpose}" if purpose else ""
        tag = self._new_tag()
        if self._say(command, tag).get("state") == "awaiting-press" and armed:
            armed()
        # If a user presses at the last moment, the fix may take another minute.
        for topic, fields, payload in self._messages(tag, limit=timeout + 75.0):
            if topic != "fix/once":
                continue
            number = int(fields.get("id", 0))
            if number:
                self._say(f"ACK {number}")
            # A fix that is sent again is acknowledged again, but returned once.
            if number > self._last_fix:
                self._last_fix = number
                return json.loads(payload)

    def authorize(self, scope="when-in-use", purpose=None):
        """Asks the user for an authorization, waits for the answer, and returns the authorization of the app.

        The result is a dict: "status" is "notDetermined", "denied", "whenInUse" or "always", and "accuracy" is "full",
        "reduced" or "place". After a no the status is "denied". If no prompt is necessary, the call returns at once.
        If nobody answers within 60 seconds, it raises NoPress, and the app must wait before it asks again.

        scope: "when-in-use"; "always"; or "full-accuracy", for which a purpose is necessary.
        purpose: the text that the user reads, at most 80 columns.
        """
        tag = self._new_tag()
        self._say("SUB authorization authorize")
        try:
            reply = self._say(f"AUTHORIZE {scope}" + (f" purpose={purpose}" if purpose else ""), tag)
            if reply.get("state") != "asking":
                return {"status": reply.get("authorization"), "accuracy": reply.get("accuracy")}
            # A message that came before the reply is no answer.
            self._early.clear()
            # The prompt is open for 60 s.
            for topic, fields, payload in self._messages(tag, limit=75.0):
                if topic == "authorization" and fields.get("ret") != "1":
                    return json.loads(payload)
        finally:
            try:
                self._say("UNSUB authorize")
            except OneFixError:
                pass

    def updates(self, interval=None, distance=None, background=False):
        """Yields fixes until the caller stops. The app needs an authorization for updates.

        interval: the least time between two fixes, in milliseconds. distance: the least distance between them, in metres.
        background: whether updates continue when the app is not in use.
        """
        command = "START updates"
        command += f" interval={interval}" if interval is not None else ""
        command += f" distance={distance}" if distance is not None else ""
        command += " background" if background else ""
        tag = self._new_tag()
        self._say(command, tag)
        try:
            for topic, _, payload in self._messages(tag):
                if topic == "fix/updates":
                    yield json.loads(payload)
        finally:
            try:
                self._say("STOP updates")
            except OneFixError:
                pass
            self._early.clear()

    # The line protocol.

    def _introduce(self, app, key, binding):
        self._connection.settimeout(PATIENCE)
        words = self._line().split()
        if not words or words[0] != "INFO":
            raise Untrusted("cannot trust the gateway: the program at this address is not a OneFix gateway")
        self.greeting = _fields(words[1:])
        nonce = secrets.token_hex(16)
        hello = f"HELLO 1 app={app} keepalive=0"
        if key is None:
            reply = self._say(hello)
            if reply.get("auth") == "required":
                raise Unauthenticated(900, "auth-required", "the gateway requires authentication with the app's key")
            return
        try:
            secret = base64.urlsafe_b64decode(key + "=" * (-len(key) % 4))
        except ValueError as error:
            raise Invalid(405, "bad-argument", "the key is not base64url (onefix key add shows it)") from error
        reply = self._say(f"{hello} nonce={nonce}")

        def proof(role):
            parts = ["onefix-v1", role, self.greeting.get("id", ""), app, self.greeting.get("nonce", ""), nonce, binding]
            return hmac.new(secret, "\n".join(parts).encode(), hashlib.sha256).hexdigest()

        if not hmac.compare_digest(proof("server").encode(), reply.get("proof", "").encode()):
            # A server without the key receives nothing more.
            self._connection.close()
            raise Untrusted("cannot trust the gateway: it did not prove that it has this app's key (is the key right?)")
        self._say(f"AUTH hmac={proof('client')}")

    def _new_tag(self):
        self._last_tag += 1
        return f"@{self._last_tag}"

    def _say(self, command, tag=None):
        """Sends a command and returns the fields of its reply."""
        if not command.isprintable():
            raise Invalid(405, "bad-argument", "a text must contain only visible characters and plain spaces")
        tag = tag or self._new_tag()
        self._connection.settimeout(PATIENCE)
        try:
            self._connection.sendall(f"{tag} {command}\n".encode())
        except OSError as error:
            raise ConnectionLost("the connection to the gateway was lost") from error
        while True:
            line = self._line()
            words = line.split(" ")
            if words[0] == "+OK" and tag in words[1:2]:
                return _fields(words[2:])
            if words[0] == "-ERR" and (tag in words[3:4] or not words[3:4] or words[3][:1] != "@"):
                raise _refusal(line)
            if words[0] in ("MSG", "-ERR"):
                self._early = self._early[-63:] + [line]

    def _messages(self, tag, limit=None):
        """Yields topic, fields and payload of each message, until the command with that tag fails."""
        while True:
            if self._early:
                line = self._early.pop(0)
            else:
                self._connection.settimeout(limit)
                line = self._line()
            words = line.split(" ")
            if words[0] == "-ERR" and (tag in words[3:4] or words[1][:1] == "9"):
                raise _refusal(line)
            if words[0] == "MSG":
                head, brace, payload = line.partition("{")
                yield words[1], _fields(head.split(" ")[3:]), brace + payload

    def _line(self):
        """Returns the next line that is not a heartbeat."""
        while True:
            while b"\n" not in self._received:
                if len(self._received) > LONGEST_LINE:
                    raise ConnectionLost("the gateway sent a line that is too long")
                try:
                    more = self._connection.recv(4096)
                except OSError as error:
                    raise ConnectionLost("the gateway does not answer") from error
                if not more:
                    raise ConnectionLost("the gateway closed the connection")
                self._received += more
            line, self._received = self._received.split(b"\n", 1)
            text = line.rstrip(b"\r").decode("utf-8", "replace")
            if text == "PING":
                self._connection.sendall(b"PONG\n")
            elif text:
                return text


def _permission(path):
    """Returns what to do if this user has no permission to open a socket."""
    import grp, pwd  # Not for Windows, where the client works over TLS.

    folder = os.path.dirname(os.path.abspath(path))
    closed = path if os.access(folder, os.X_OK) else folder
    try:
        user = pwd.getpwuid(os.geteuid()).pw_name
        group = grp.getgrgid(os.stat(closed).st_gid).gr_name
    except (OSError, KeyError):
        user = group = None
    # No remedy adds a user to another group.
    if group == "onefix":
        return f"sudo adduser {user} onefix, then log in again"
    return f"this user may not open {closed}"


def _fields(words):
    return dict(word.split("=", 1) for word in words if "=" in word)


def _refusal(line):
    head, _, text = line.partition(" :")
    words = head.split(" ")
    code = int(words[1])
    if code in (904, 905, 906):
        return ConnectionLost(text)
    retry_after = _fields(words[3:]).get("retry-after")
    return REFUSALS.get(code, Refused)(code, words[2], text, int(retry_after) if retry_after else None)


def main():
    parser = argparse.ArgumentParser(description="Asks for one fix and prints it as a line of JSON.")
    parser.add_argument("--app", required=True)
    parser.add_argument("--socket", default=os.environ.get("ONEFIX_SOCKET", "/run/onefix/onefix.sock"))
    parser.add_argument("--host", help="host:port instead of a socket")
    parser.add_argument("--key-file", help="a file with the app's key as base64url")
    parser.add_argument("--tls", help="a file with trusted certificates (PEM)")
    parser.add_argument("--timeout", type=int, default=300)
    parser.add_argument("--updates", type=int, metavar="COUNT", help="print this number of fixes of updates instead")
    options = parser.parse_args()
    key = None
    if options.key_file:
        with open(options.key_file, encoding="ascii") as file:
            key = file.read().strip()
    address = options.socket
    if options.host:
        host, _, port = options.host.rpartition(":")
        address = (host, int(port))
    try:
        with connect(address, options.app, key, options.tls) as client:
            if options.updates:
                for _, fix in zip(range(options.updates), client.updates()):
                    print(json.dumps(fix), flush=True)
            else:
                waiting = lambda: print("waiting for a press of the button …", file=sys.stderr, flush=True)
                print(json.dumps(client.request_once(timeout=options.timeout, armed=waiting)))
    except OneFixError as error:
        sys.exit(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
