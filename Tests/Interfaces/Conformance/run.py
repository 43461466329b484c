"""Runs the conformance test: python3 run.py COMMAND [WORD ...], where the command starts the driver of a client.

The page Sources/Documentation/conformance.md describes the driver and the data.
"""

import base64
import hashlib
import hmac
import json
import pathlib
import re
import selectors
import socket
import subprocess
import sys
import tempfile
import time

FOLDER = pathlib.Path(__file__).resolve().parent
CONTRACT = FOLDER.parents[2] / "Sources/Documentation/reference/line-protocol.md"
# The longest wait for a line of the driver or of the client, in seconds.
PATIENCE = 30.0
APP = "app"
KEYS = {"right": bytes(range(32)), "wrong": bytes(32)}


class Failure(Exception):
    """The client did not do what a step demands."""


class Lines:
    """The lines of one end: the driver's results, or the client's commands."""

    def __init__(self, read):
        self.read, self.rest, self.lines, self.is_open = read, b"", [], True

    def fill(self):
        more = self.read()
        self.is_open = bool(more)
        *whole, self.rest = (self.rest + more).split(b"\n")
        self.lines += [line.decode() for line in whole]


class Conversation:
    """One conversation, with a driver and a scripted gateway of its own."""

    def __init__(self, rules, command, folder):
        self.rules, self.tags, self.subscriptions, self.nonce = rules, {}, {}, ""
        self.key = rules.get("key")
        family, address = (
            (socket.AF_INET, ("127.0.0.1", 0)) if self.key else (socket.AF_UNIX, str(folder / "gateway.sock"))
        )
        self.listener = socket.socket(family)
        self.listener.bind(address)
        self.listener.listen()
        self.driver = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.results = Lines(lambda: self.driver.stdout.read1(65536))
        self.waits = selectors.DefaultSelector()
        self.waits.register(self.driver.stdout, selectors.EVENT_READ, self.results)

    def close(self):
        self.driver.kill()
        self.driver.communicate()
        self.waits.close()
        self.listener.close()
        if hasattr(self, "connection"):
            self.connection.close()

    def play(self):
        connect = {"do": "connect", "app": APP}
        if self.key:
            connect["host"], connect["port"] = self.listener.getsockname()
            connect["key"] = base64.urlsafe_b64encode(KEYS["right"]).decode().rstrip("=")
        else:
            connect["socket"] = self.listener.getsockname()
        self.order(connect)
        self.connection = self.accept()
        self.commands = Lines(lambda: self.connection.recv(65536))
        self.waits.register(self.connection, selectors.EVENT_READ, self.commands)
        self.say("INFO proto=1 server=scripted id=scripted maxline=4096" + (" nonce=" + "5a" * 16 if self.key else ""))
        if self.key != "wrong":
            self.expect({"connected": True})
        for step in self.rules["steps"]:
            if "do" in step:
                self.order(step)
            elif "say" in step:
                self.say(step["say"])
            elif "hear" in step:
                self.hear(step["hear"], step.get("with", []))
            else:
                self.expect(step["result"])
        if self.key != "wrong":
            self.order({"do": "close"})
            self.expect({"closed": True})
        if self.key == "right" and "AUTH" not in self.tags:
            raise Failure("the client did not prove that it has the key")

    def accept(self):
        """Returns the connection of the client. A driver that ends or writes before it connects fails at once."""
        self.waits.register(self.listener, selectors.EVENT_READ)
        ready = [key.fileobj for key, _ in self.waits.select(PATIENCE)]
        self.waits.unregister(self.listener)
        if self.listener not in ready:
            raise Failure("the client did not connect")
        return self.listener.accept()[0]

    def order(self, step):
        self.driver.stdin.write(json.dumps(step).encode() + b"\n")
        self.driver.stdin.flush()

    def say(self, line):
        """Sends a line. @VERB is the tag of the latest command with that verb, ? the client's subscription."""
        words = line.split(" ")
        if words[0] == "MSG" and words[2] == "?":
            words[2] = self.subscriptions.get(words[1], "-")
        head = [self.tags.get(word[1:], "") if word[:1] == "@" else word for word in words]
        self.connection.sendall((" ".join(word for word in head if word) + "\n").encode())

    def next(self, lines, what):
        """Returns the next line of one end. Meanwhile, usual commands of the client are answered."""
        end = time.monotonic() + PATIENCE
        while not lines.lines:
            if lines is self.results:
                while self.commands.lines:
                    self.answer(self.commands.lines.pop(0))
            if not lines.is_open:
                raise Failure(f"no line came: {what}")
            ready = self.waits.select(end - time.monotonic())
            if not ready:
                raise Failure(f"no line came in {PATIENCE:.0f} s: {what}")
            for key, _ in ready:
                key.data.fill()
                if not key.data.is_open:
                    self.waits.unregister(key.fileobj)
        return lines.lines.pop(0)

    def note(self, line):
        """Notes the tag of a command, and returns the command without its tag."""
        words = line.rstrip("\r").split(" ")
        tag = words.pop(0) if words[0][:1] == "@" else ""
        if words[0] in self.rules.get("never", []):
            raise Failure(f"the client sent {line!r}")
        self.tags[words[0]] = tag
        return words

    def answer(self, line):
        """Answers a command that is no step of the conversation."""
        words = self.note(line)
        if words[0] == "HELLO":
            fields = dict(word.split("=", 1) for word in words[1:] if "=" in word)
            self.nonce = fields.get("nonce", "")
            proof = f" auth=required proof={self.proof('server')}" if self.key else ""
            rest = "" if self.key else " session=s1 authorization=notDetermined accuracy=full"
            self.say(f"+OK @HELLO proto=1{rest}{proof}")
        elif words[0] == "AUTH":
            if words[1:] != [f"hmac={self.proof('client')}"]:
                raise Failure("the proof of the client is wrong")
            self.say("+OK @AUTH session=s1 authorization=notDetermined accuracy=full")
        elif words[0] == "PING":
            self.say("PONG @PING")
        elif words[0] not in ("PONG", "BYE"):
            if words[0] == "SUB":
                self.subscriptions[words[1]] = words[2]
            self.say(f"+OK @{words[0]}")

    def proof(self, role):
        parts = ["onefix-v1", role, "scripted", APP, "5a" * 16, self.nonce, ""]
        return hmac.new(KEYS[self.key], "\n".join(parts).encode(), hashlib.sha256).hexdigest()

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
        line = self.next(self.results, f"the result {expected}")
        try:
            result = json.loads(line)
        except ValueError as error:
            raise Failure(f"the driver wrote {line!r}, which is not JSON") from error
        if not isinstance(result, dict) or any(result.get(name) != value for name, value in expected.items()):
            raise Failure(f"the result is {line}, not {json.dumps(expected)}")


def refusals():
    """Returns a conversation for each error code of the contract that does not close the connection."""
    for code, slug in re.findall(r"(?m)^\| ([45]\d\d) \| `([a-z-]+)` \|", CONTRACT.read_text()):
        refusal = {"say": f"-ERR {code} {slug} @REQ :no"}
        steps = [{"do": "request_once"}, {"hear": "REQ once"}, refusal, {"result": {"error": int(code)}}]
        yield {"rule": f"a refusal with the code {code} reports it", "steps": steps}


def main():
    if not sys.argv[1:]:
        sys.exit("cannot run the conformance test: no driver is named (python3 run.py COMMAND)")
    conversations = json.loads((FOLDER / "conversations.json").read_text()) + list(refusals())
    failed = 0
    for rules in conversations:
        with tempfile.TemporaryDirectory() as folder:
            conversation = Conversation(rules, sys.argv[1:], pathlib.Path(folder))
            try:
                conversation.play()
            except (Failure, OSError) as failure:
                failed += 1
                print(f"failed: {rules['rule']}: {failure}")
            finally:
                conversation.close()
    print(f"{len(conversations) - failed} of {len(conversations)} conversations passed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
