"""Runs the conformance test: python3 run.py [OPTION ...] COMMAND [WORD ...]. The command starts the driver of a client.

The page Sources/Documentation/conformance.md describes the driver and the data.
"""

import argparse
import contextlib
import json
import pathlib
import re
import selectors
import socket
import subprocess
import sys
import tempfile
import time

import gateway

FOLDER = pathlib.Path(__file__).resolve().parent
CONTRACT = FOLDER.parents[2] / "Sources/Documentation/reference/line-protocol.md"


class Failure(Exception):
    """The client did not do what a step demands."""


class Lines:
    """The lines of one end: the driver's results, or the client's commands."""

    def __init__(self, read):
        self.read, self.rest, self.lines, self.is_open = read, b"", [], True

    def fill(self):
        try:
            more = self.read()
        except OSError:
            more = b""
        self.is_open = bool(more)
        *whole, self.rest = (self.rest + more).split(b"\n")
        self.lines += [line.decode(errors="replace") for line in whole]


class Conversation:
    """One conversation, with a driver and a scripted gateway of its own."""

    def __init__(self, rules, command, folder, certificates, wait):
        self.rules, self.wait, self.connection, self.tags, self.subscriptions = rules, wait, None, {}, {}
        self.sent = []
        self.gateway = gateway.Gateway(rules, folder, certificates)
        # Without a buffer, no bytes are left for a driver that has ended.
        self.driver = subprocess.Popen(command, bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.results = Lines(lambda: self.driver.stdout.read(65536))
        self.commands = Lines(lambda: b"")
        self.waits = selectors.DefaultSelector()
        self.waits.register(self.driver.stdout, selectors.EVENT_READ, self.results)

    def close(self):
        self.driver.kill()
        self.driver.wait()
        self.driver.stdout.close()
        self.waits.close()
        self.gateway.close()
        if self.connection:
            self.connection.close()

    def play(self):
        self.order({"do": "connect", **self.gateway.address})
        self.accept()
        if not self.rules.get("refuses"):
            self.expect({"connected": True})
        for step in self.rules["steps"]:
            if "do" in step:
                self.order(step)
            elif "say" in step:
                self.say(step["say"])
            elif "hear" in step:
                self.hear(step["hear"], step.get("with", []))
            elif "gateway" in step:
                self.disconnect(step["gateway"])
            else:
                self.expect(step["result"])
        if not self.rules.get("refuses"):
            self.order({"do": "close"})
            self.expect({"closed": True})
        self.finish()

    def finish(self):
        """Waits until the driver and the connection end. Neither may add anything."""
        self.driver.stdin.close()
        while self.results.is_open or self.commands.is_open:
            self.fill(time.monotonic() + self.wait, "the end of the driver and of its connection")
        for line in self.results.lines:
            raise Failure(f"the driver wrote one more result: {line}")
        for line in self.commands.lines:
            self.note_unasked(line)
        for start in self.rules.get("must", []):
            if not any(f"{command} ".startswith(f"{start} ") for command in self.sent):
                raise Failure(f"the client did not send {start!r}")
        if self.gateway.demands_proof and not self.rules.get("refuses") and "AUTH" not in self.tags:
            raise Failure("the client did not prove that it is the app")

    def accept(self, may_write=False):
        """Accepts the connection of the client. A driver that ends, or writes unless it may, fails at once."""
        end = time.monotonic() + self.wait
        self.waits.register(self.gateway.listener, selectors.EVENT_READ)
        ready = [key.fileobj for key, _ in self.waits.select(self.wait)]
        while may_write and ready == [self.driver.stdout] and self.results.is_open:
            self.results.fill()
            ready = [key.fileobj for key, _ in self.waits.select(max(0, end - time.monotonic()))]
        self.waits.unregister(self.gateway.listener)
        if self.gateway.listener not in ready:
            raise Failure("the client did not connect")
        self.connection = self.gateway.accept(self.wait)
        if self.connection:
            self.commands = Lines(lambda: gateway.read(self.connection))
            self.waits.register(self.connection, selectors.EVENT_READ, self.commands)
            self.say(self.gateway.greeting)
        else:
            self.commands.is_open = False

    def disconnect(self, action):
        """Closes the connection. With "returns" the client may connect again, with "ends" it cannot, and with "falters"
        its next connections end, too."""
        if self.commands.is_open:
            self.waits.unregister(self.connection)
        self.commands.is_open = False
        # The listener comes first, because a client may connect again at once.
        if action == "ends":
            self.gateway.close()
        self.connection.close()
        if action == "falters":
            try:
                self.gateway.falter(self.wait)
            except TimeoutError:
                raise Failure("the client did not connect again") from None
        if action != "ends":
            self.accept(may_write=True)

    def order(self, step):
        self.driver.stdin.write(json.dumps(step).encode() + b"\n")

    def say(self, line):
        """Sends a line. @VERB is the tag of the latest command with that verb, ? the client's subscription."""
        words = line.split(" ")
        if words[0] == "MSG" and words[2:3] == ["?"]:
            words[2] = self.subscriptions.get(words[1], "-")
        words = [self.tags.get(word[1:], "") if re.fullmatch("@[A-Z]+", word) else word for word in words]
        self.connection.sendall((" ".join(word for word in words if word) + "\n").encode())

    def fill(self, end, what):
        ready = self.waits.select(max(0, end - time.monotonic()))
        if not ready:
            raise Failure(f"nothing came in {self.wait:.0f} s: {what}")
        for key, _ in ready:
            key.data.fill()
            if not key.data.is_open:
                self.waits.unregister(key.fileobj)

    def next(self, lines, what):
        """Returns the next line of one end. Meanwhile, usual commands of the client are answered."""
        end = time.monotonic() + self.wait
        while not lines.lines:
            if lines is self.results:
                while self.commands.lines:
                    self.answer(self.commands.lines.pop(0))
            if not lines.is_open:
                raise Failure(f"no line came: {what}")
            self.fill(end, what)
        return lines.lines.pop(0)

    def note(self, line):
        """Notes the tag of a command, and returns the words of the command without its tag."""
        words = line.rstrip("\r").split(" ")
        tag = words.pop(0) if words[0][:1] == "@" else ""
        words[0] = words[0].upper()
        if not words[0].isalpha():
            raise Failure(f"the client sent {line!r}, which is no command")
        self.tags[words[0]] = tag
        self.sent.append(" ".join(words))
        return words

    def note_unasked(self, line):
        """Notes a command that no step demands."""
        words = self.note(line)
        if words[0] in self.rules.get("never", []):
            raise Failure(f"the client sent {line!r}")
        return words

    def answer(self, line):
        """Answers a command that is no step of the conversation. A client need not wait for the reply before it closes."""
        words = self.note_unasked(line)
        with contextlib.suppress(OSError):
            self.reply(words)

    def reply(self, words):
        fields = dict(word.split("=", 1) for word in words[1:] if "=" in word)
        if words[0] in self.rules.get("replies", {}):
            self.say(self.rules["replies"][words[0]])
        elif words[0] == "HELLO":
            self.say(f"+OK @HELLO {self.gateway.hello(fields)}")
        elif words[0] == "AUTH":
            if not self.gateway.is_right(fields):
                raise Failure("the proof of the client is wrong")
            self.say(f"+OK @AUTH {gateway.SESSION}")
        elif words[0] == "STATUS":
            self.say("+OK @STATUS authorization=notDetermined accuracy=full state=idle indicator=off receiver=present")
        elif words[0] == "PING":
            self.say("PONG @PING")
        elif words[0] == "BYE":
            self.say("+OK @BYE")
            # The method of a TLS connection would also end the decryption of what the client still sends.
            socket.socket.shutdown(self.connection, socket.SHUT_WR)
        elif words[0] != "PONG":
            if words[0] == "SUB":
                self.subscriptions[words[1]] = words[2]
            self.say(f"+OK @{words[0]}")

    def hear(self, start, parts):
        while True:
            line = self.next(self.commands, f"the command {start!r}")
            bare = re.sub(r"^@\S+ ", "", line)
            if not f"{bare} ".startswith(f"{start} "):
                self.answer(line)
                continue
            self.note(line)
            for part in parts:
                if f" {part} " not in f"{bare} ":
                    raise Failure(f"{bare!r} has no {part!r}")
            return

    def expect(self, expected):
        line = self.next(self.results, f"the result {json.dumps(expected)}")
        try:
            result = json.loads(line)
        except ValueError as error:
            raise Failure(f"the driver wrote {line!r}, which is not JSON") from error
        for members in expected if isinstance(expected, list) else [expected]:
            if isinstance(result, dict) and all(result.get(name) == value for name, value in members.items()):
                return
        raise Failure(f"the result is {line}, not {json.dumps(expected)}")


INVALID = [{"error": 400}, {"error": 405}]
FIX = 'MSG fix/once - id=7 {"lat":1.5,"lon":8.5,"hacc":2.5,"fix":"3d","accuracy":"full"}'


def derived():
    """Returns a conversation for each error code of the contract, and for each line and character of lines.json."""
    for code, slug in re.findall(r"(?m)^\| ([459]\d\d) \| `([a-z-]+)` \|", CONTRACT.read_text()):
        ask = [{"do": "request_once"}, {"hear": "REQ once"}]
        if code < "900":
            end = [*ask, {"say": f"-ERR {code} {slug} @REQ :no"}, {"result": {"error": int(code)}}]
        elif code < "904":
            end = [{"hear": "HELLO 1"}, {"say": f"-ERR {code} {slug} @HELLO :no"}, {"result": {"error": int(code)}}]
        else:
            # After these codes a client may try to connect until the timeout.
            ask[0] = {"do": "request_once", "timeout": 1}
            end = [*ask, {"say": f"-ERR {code} {slug} :no"}, {"gateway": "ends"}, {"result": {"error": "lost"}}]
        yield {"rule": f"a refusal with the code {code} reports it", "steps": end, "refuses": "900" <= code < "904"}
    data = json.loads((FOLDER / "lines.json").read_text())
    for line in data["stray"] + data["invalid"]:
        # Each fix has a number of its own.
        later = line.replace("id=3", "id=4")
        yield {
            "rule": f"a line that answers nothing changes nothing: {line!r}",
            "steps": [
                {"do": "request_once"}, {"hear": "REQ once"}, {"say": line}, {"say": "+OK @REQ state=awaiting-press"},
                {"say": later}, {"say": FIX}, {"hear": "ACK 7"}, {"say": "+OK @ACK"}, {"result": {"lat": 1.5}},
            ],
        }  # fmt: skip
    for character in data["controls"]:
        for order in ({"do": "request_once"}, {"do": "authorize", "scope": "always"}):
            yield {
                "rule": f"a purpose with a control character is not sent: {order['do']}, {character!r}",
                "steps": [{**order, "purpose": f"Find{character}CANCEL"}, {"result": INVALID}],
                "never": ["REQ", "AUTHORIZE", "CANCEL"],
            }


def main():
    parser = argparse.ArgumentParser(description="Tests whether a client follows the line protocol.")
    parser.add_argument("--only", metavar="TEXT", default="", help="only the rules that contain the text")
    parser.add_argument("--without-tls", action="store_true", help="leave out TLS, for a client that has no TLS")
    parser.add_argument("--wait", metavar="SECONDS", type=float, default=30.0, help="the longest wait for a line")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="the command that starts the driver")
    options = parser.parse_args()
    if not options.command:
        sys.exit("cannot run the conformance test: no driver is named (python3 run.py COMMAND)")
    conversations = [*json.loads((FOLDER / "conversations.json").read_text()), *derived()]
    conversations = [rules for rules in conversations if options.only in rules["rule"]]
    if options.without_tls:
        conversations = [rules for rules in conversations if rules.get("over") != "tls"]
    failed = 0
    with tempfile.TemporaryDirectory() as kept:
        certificates = gateway.certificates(kept) if any(rules.get("over") == "tls" for rules in conversations) else {}
        for rules in conversations:
            with tempfile.TemporaryDirectory() as folder:
                conversation = Conversation(rules, options.command, folder, certificates, options.wait)
                try:
                    conversation.play()
                except (Failure, OSError) as failure:
                    failed += 1
                    print(f"failed: {rules['rule']}: {failure}", flush=True)
                finally:
                    conversation.close()
    print(f"{len(conversations) - failed} of {len(conversations)} conversations passed")
    sys.exit(1 if failed or not conversations else 0)


if __name__ == "__main__":
    main()
