"""A driver that is wrong: python3 faulty_driver.py FAULT. The conformance test must reject it.

Without an argument, it prints each fault and the rule that the fault breaks, with a tab between them.
"""

import hmac
import pathlib
import re
import runpy
import socket
import ssl
import sys

# Each fault replaces a pattern in the lines that the client sends or receives, or in the results that the driver writes.
FAULTS = {
    "acknowledges another fix": ("sent", r"ACK 7", "ACK 8", "a fix is acknowledged and returned"),
    "does not acknowledge": ("sent", r"ACK \d+", "STATE foreground", "a fix is acknowledged and returned"),
    "leaves out the purpose": ("sent", r" purpose=.*", "", "a fix is acknowledged and returned"),
    "leaves out the timeout": ("sent", r" timeout=\d+", "", "a fix is acknowledged and returned"),
    "changes the position": ("results", r'"lat": 1.5', '"lat": 1.4', "a fix is acknowledged and returned"),
    "invents a position": (
        "results", r'"place":', '"lat": 0, "place":', "a fix with the name of a place has no position"),
    "returns a fix twice": (
        "received", r"id=7 dup=1", "id=9", "a fix that comes again is acknowledged again and answers no later request"),
    "waits for the reply to a refused acknowledgement": (
        "received", r"-ERR 422 expired @\d+", "-ERR 422 expired @2",
        "a fix whose acknowledgement is refused is returned, and its repetition answers no later request"),
    "returns no fix without a connection": (
        "results", r'\{"lat": 1.5.*', '{"error": "lost"}',
        "a fix is returned if the connection ends before the reply to its acknowledgement"),
    "returns an earlier fix": (
        "received", r"id=4", "id=3",
        "a fix that came before a request is acknowledged, and does not answer the request"),
    "does not acknowledge a fix that came before": (
        "sent", r"ACK 3", "STATE foreground",
        "a fix that came before a request is acknowledged, and does not answer the request"),
    "does not acknowledge an earlier fix": (
        "sent", r"ACK 3", "STATE foreground",
        "a fix before the reply to a request is acknowledged, and does not answer the request"),
    "reports another code": (
        "results", r'"error": 420', '"error": 510', "an accepted request that ends without a fix reports the reason"),
    "forgets the time to wait": (
        "results", r'"retry_after": 7', '"retry_after": null',
        "an error has the time after which the app may ask again"),
    "ignores heartbeats": (
        "sent", r"PONG\n", "",
        "a heartbeat is answered, and fields, topics and words that the client does not know change nothing"),
    "takes any topic for the fix": (
        "received", r"MSG weather -", "MSG fix/once - id=1",
        "a heartbeat is answered, and fields, topics and words that the client does not know change nothing"),
    "asks for another authorization": (
        "sent", r"AUTHORIZE when-in-use", "AUTHORIZE always", "an answer of the user is the result of the question"),
    "takes the present state for the answer": (
        "received", r"state=asking ", "", "an answer of the user is the result of the question"),
    "does not stop updates": (
        "sent", r"STOP updates", "STATE foreground", "updates arrive in their order, and stop when the app stops"),
    "writes no JSON": ("results", r'\{"stopped".*', "stopped", "updates arrive in their order, and stop when the app stops"),
    "writes a result twice": (
        "results", r'(\{"closed".*\n)', r"\1\1", "a question that needs no prompt returns at once"),
    "sends a wrong proof": ("sent", r"hmac=.", "hmac=x", "a client proves that it has the key of its app"),
    "sends no proof": ("sent", r"AUTH hmac=\w+", "PING", "a client proves that it has the key of its app"),
    "sends a short nonce": ("sent", r" nonce=.", " nonce=", "a client proves that it has the key of its app"),
    "trusts each gateway": (
        "received", r"proof=\w+", "trusted", "a gateway without the key of the app receives no proof and no request"),
    "sends each purpose": (
        "sent", r"HELLO", "REQ once", "a purpose with a line end is an error of the client, and is not sent"),
    "trusts each certificate": ("received", "(?!)", "", "a server whose certificate is not trusted receives nothing"),
    "shows no certificate": ("received", "(?!)", "", "a client shows the certificate of its app"),
    "begins a new session": ("sent", r" session=\w+", "", "a lost connection is resumed, and the request continues"),
    "keeps the first token": ("received", r"session=s2", "session=s1", "each resumption has the newest token"),
    "withdraws the request": (
        "sent", r"STATUS", "CANCEL", "a fix that was sent while the connection was lost comes after the resumption"),
    "asks again for a lost end": (
        "sent", r"UNSUB press 1000000", "REQ once timeout=5",
        "a request whose end was lost with the connection is reported as lost"),
    "writes coordinates with an exponent": (
        "sent", r"0\.0000125", "1.25e-05", "a small coordinate is written without an exponent"),
    "sends the text of each region": (
        "sent", r"SUB button", "REGION", "the text of a region with a line end is an error of the client, and is not sent"),
    "hides a region": ("received", r"MSG regions - .*port.*\n", "", "regions are listed and removed"),
    "reads any topic that begins alike": (
        "received", r"fix/onc ", "fix/once ", "a line that answers nothing changes nothing: 'MSG fix/onc - id=3 {\"lat\":9.0}'"),
    "takes a line without a space": (
        "received", r"MSGfix", "MSG fix", "a line that answers nothing changes nothing: 'MSGfix/once - id=3 {\"lat\":9.0}'"),
}  # fmt: skip


class FaultySocket(socket.socket):
    """A socket that changes what the client sends and receives."""

    def sendall(self, data, *arguments):
        if data := changed("sent", data.decode()).encode():
            super().sendall(data, *arguments)

    def recv(self, *arguments):
        return changed("received", super().recv(*arguments).decode()).encode()


class FaultyOutput:
    """A standard output that changes the results."""

    def __init__(self, output):
        self.output, self.text = output, ""

    def write(self, text):
        self.text += text

    def flush(self):
        self.output.write(changed("results", self.text))
        self.output.flush()
        self.text = ""


def changed(place, text):
    return re.sub(pattern, replacement, text) if place == where else text


if not sys.argv[1:]:
    for fault, (*_, rule) in FAULTS.items():
        print(f"{fault}\t{rule}")
    sys.exit()
# The fault "nothing" shows that this driver is right without a fault.
where, pattern, replacement, _ = FAULTS.get(sys.argv[1], ("sent", "(?!)", "", ""))
if sys.argv[1] == "trusts each gateway":
    hmac.compare_digest = lambda *_: True
elif sys.argv[1] == "trusts each certificate":
    ssl.create_default_context = ssl._create_unverified_context
elif sys.argv[1] == "shows no certificate":
    ssl.SSLContext.load_cert_chain = lambda *_: None
elif sys.argv[1] not in {*FAULTS, "nothing"}:
    sys.exit(f"cannot run the driver: it has no fault '{sys.argv[1]}' (without an argument, it prints all of them)")
socket.socket = FaultySocket
sys.stdout = FaultyOutput(sys.stdout)
runpy.run_path(str(pathlib.Path(__file__).with_name("python_driver.py")))
