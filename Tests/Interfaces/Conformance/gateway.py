"""The listener of the scripted gateway, and its side of the proofs."""

import base64
import hashlib
import hmac
import re
import socket
import ssl
import struct
import subprocess

APP = "app"
SESSION = "session=s1 authorization=notDetermined accuracy=full"
KEY, OTHER_KEY = bytes(range(32)), bytes(32)
TOKEN = "swordfish"
NONCE = "5a" * 16


def certificates(folder):
    """Creates a certificate of the gateway, one of another server, and one of the app. Returns the paths by name."""
    paths = {}
    for name in ("gateway", "other", "app"):
        paths[name], key = f"{folder}/{name}.pem", f"{folder}/{name}.key"
        command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        command += ["-days", "2", "-keyout", key, "-out", paths[name], "-subj", f"/CN={name}"]
        command += ["-addext", "keyUsage=critical,digitalSignature,keyCertSign"]
        command += ["-addext", "extendedKeyUsage=serverAuth,clientAuth"]
        command += ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        paths[f"{name} key"] = key
    return paths


def read(connection):
    """Returns the next bytes of a connection, with those that TLS has decrypted already."""
    more = connection.recv(65536)
    while more and isinstance(connection, ssl.SSLSocket) and connection.pending():
        more += connection.recv(65536)
    return more


class Gateway:
    """A listener, and what its gateway demands of a client.

    The data of the conversation name the connection ("over"), the credential of the client ("credential"), and what is
    wrong with the gateway ("gateway").
    """

    def __init__(self, rules, folder, paths):
        self.over, self.paths, self.nonce = rules.get("over", "unix"), paths, ""
        self.credential = rules.get("credential", "key") if self.over != "unix" else None
        self.fault = rules.get("gateway")
        self.demands_proof = self.credential in ("key", "token")
        if self.over == "unix":
            self.listener = socket.socket(socket.AF_UNIX)
            self.listener.bind(f"{folder}/gateway.sock")
            self.address = {"app": APP, "socket": self.listener.getsockname()}
        else:
            self.listener = socket.create_server(("127.0.0.1", 0))
            host, port = self.listener.getsockname()
            self.address = {"app": APP, "host": host, "port": port, **self.secret()}
        self.listener.listen()
        self.greeting = "INFO proto=1 server=scripted id=scripted maxline=4096"
        if self.credential:
            self.greeting += f" auth={'certificate,hmac,token' if self.over == 'tls' else 'hmac'} nonce={NONCE}"

    def secret(self):
        """Returns the members of the order `connect` that the client needs for this gateway."""
        members = {"trust": self.paths["gateway"]} if self.over == "tls" else {}
        if self.credential == "key":
            members["key"] = base64.urlsafe_b64encode(KEY).decode().rstrip("=")
        elif self.credential == "token":
            members["token"] = TOKEN
        else:
            members.update(certificate=self.paths["app"], private_key=self.paths["app key"])
        return members

    def close(self):
        self.listener.close()

    def falter(self, wait):
        """Ends the next connection of the client before its first line. Over TLS, it ends the next three: at once with a
        reset, and during the handshake with an end and, because the bytes of the client are not read, with a reset."""
        self.listener.settimeout(wait)
        for action in ("reset", "read", "leave unread") if self.over == "tls" else ("close",):
            with self.listener.accept()[0] as connection:
                connection.settimeout(wait)
                if action == "reset":
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                elif action != "close":
                    connection.recv(65536, socket.MSG_PEEK if action == "leave unread" else 0)
        self.listener.settimeout(None)

    def accept(self, wait):
        """Returns the next connection; None if the client rejects the certificate of the gateway."""
        connection = self.listener.accept()[0]
        connection.settimeout(wait)
        if self.over != "tls":
            return connection
        own = "other" if self.fault == "not trusted" else "gateway"
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.paths[own], self.paths[f"{own} key"])
        context.load_verify_locations(self.paths["app"])
        # Without a certificate of the client, the handshake fails.
        context.verify_mode = ssl.CERT_REQUIRED if self.credential == "certificate" else ssl.CERT_NONE
        try:
            return context.wrap_socket(connection, server_side=True)
        except OSError:
            connection.close()
            if self.fault == "not trusted":
                return None
            raise

    def hello(self, fields):
        """Returns the fields of the reply to HELLO."""
        self.nonce = fields.get("nonce", "")
        if not self.demands_proof:
            return f"proto=1 {SESSION}"
        if not re.fullmatch("[0-9a-f]{32}", self.nonce):
            return f"proto=1 auth=required proof={'0' * 64}"
        if self.fault == "no proof":
            return f"proto=1 {SESSION}"
        if self.credential == "token":
            return "proto=1 auth=required"
        key = OTHER_KEY if self.fault == "another key" else KEY
        return f"proto=1 auth=required proof={self.proof('server', key)}"

    def is_right(self, fields):
        if self.credential == "token":
            return fields == {"token": TOKEN}
        return fields == {"hmac": self.proof("client", KEY)}

    def proof(self, role, key):
        binding = ""
        if self.over == "tls":
            with open(self.paths["other" if self.fault == "another certificate" else "gateway"], encoding="ascii") as file:
                binding = hashlib.sha256(ssl.PEM_cert_to_DER_cert(file.read())).hexdigest()
        parts = ["onefix-v1", role, "scripted", APP, NONCE, self.nonce, binding]
        return hmac.new(key, "\n".join(parts).encode(), hashlib.sha256).hexdigest()
