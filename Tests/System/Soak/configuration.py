"""The configuration of the daemon of a run: apps, transports, and certificates."""

import contextlib
import hashlib
import os
import random
import socket
import ssl
import subprocess

GATEWAY = "soak"
# The apps, with their transport and accuracy.
APPS = {
    "chart": ("unix", "full"), "blur": ("unix", "reduced"), "ferry": ("tcp", "full"), "mist": ("tcp", "reduced"),
    "tug": ("tls", "full"), "veil": ("tls", "reduced"), "dory": ("tls", "full"),
    "cable": ("serial", "full"), "buoy": ("mqtt", "full"), "atlas": ("mqtt", "full"), "navi": ("gpsd", "full"),
    "plot": ("nmea", "full"), "haze": ("nmea", "reduced"),
    "stream": ("unix", "full"), "haven": ("unix", "place"),
    "track": ("file", "full"), "hook": ("http", "full"),
    "guard": ("unix", "full"), "warden": ("unix", "full"),
    "barred": ("unix", "full"), "forbidden": ("unix", "full"), "pulse": ("unix", "full"), "vandal": ("unix", "full"),
}
# The app at the broker whose output gets a fix by each press, without a request. A file and a web server always do.
EACH_PRESS = "atlas"
# The authentication of apps that neither the kernel nor a serial port identifies.
PROOFS = {"ferry": "key", "mist": "key", "tug": "key", "vandal": "key", "veil": "token", "dory": "certificate"}


def free_ports(count):
    """Returns ports outside the range of outgoing connections, which could take a port while the daemon is down."""
    with open("/proc/sys/net/ipv4/ip_local_port_range") as file:
        first, last = map(int, file.read().split())
    ports = []
    while len(ports) < count:
        port = random.SystemRandom().randrange(1024, 65536)
        with socket.socket() as server, contextlib.suppress(OSError):
            server.bind(("127.0.0.1", port))
            if not first <= port <= last and port not in ports:
                ports.append(port)
    return ports


class Authority:
    """Certificates, made by openssl."""

    def __init__(self, folder):
        self.folder = folder
        self.make("authority", "-addext", "keyUsage=critical,keyCertSign,cRLSign")
        self.issue("server")
        self.issue("dory")

    def path(self, name): return os.path.join(self.folder, name)

    def issue(self, name):
        self.make(name, "-CA", self.path("authority.pem"), "-CAkey", self.path("authority.key"),
                  "-extensions", "usr_cert", "-addext", "keyUsage=critical,digitalSignature",
                  "-addext", "extendedKeyUsage=serverAuth,clientAuth", "-addext", "subjectAltName=IP:127.0.0.1")

    def make(self, name, *more):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-days", "2", "-subj", f"/CN={name}", "-keyout", self.path(f"{name}.key"),
             "-out", self.path(f"{name}.pem"), *more], check=True, capture_output=True)

    def fingerprint(self, name):
        with open(self.path(f"{name}.pem")) as file:
            return hashlib.sha256(ssl.PEM_cert_to_DER_cert(file.read())).hexdigest()

    def context(self, name=None):
        """Returns the context of a TLS client, optionally with its own certificate."""
        context = ssl.create_default_context(cafile=self.path("authority.pem"))
        # The default from Python 3.13 on.
        context.verify_flags |= ssl.VERIFY_X509_STRICT
        if name:
            context.load_cert_chain(self.path(f"{name}.pem"), self.path(f"{name}.key"))
        return context


def configuration(world, authority):
    def identity(name, way):
        lines = ""
        if way in ("unix", "gpsd", "nmea"):
            lines += f"uid = {os.getuid()}\n"
        proof = PROOFS.get(name)
        if proof == "certificate":
            lines += f'certificate = "sha256:{authority.fingerprint(name)}"\n'
        elif proof:
            lines += "key = true\n"
        return lines

    apps = "".join(
        f'[[app]]\nid = "{name}"\naccuracy = "{accuracy}"\n{identity(name, way)}'
        + ("restricted = true\n" if name == "forbidden" else "")
        for name, (way, accuracy) in APPS.items())
    time = f'[time]\nchrony = "{world.chrony.path}"\n' if world.chrony else ""
    return f"""gateway = "{GATEWAY}"
allow_shared_receiver = true
regions = true
{apps}{time}
[[listen]]
socket = "{world.chart}"
app = "chart"
[[listen]]
address = "127.0.0.1:{world.tcp_port}"
[[listen]]
address = "127.0.0.1:{world.tls_port}"
certificate = "{authority.path("server.pem")}"
private_key = "{authority.path("server.key")}"
client_ca = "{authority.path("authority.pem")}"
[page]
port = {world.page_port}
[gpsd_server]
address = "127.0.0.1:{world.gpsd_port}"
apps = ["navi"]
[[nmea]]
socket = "{world.path("nmea")}"
app = "plot"
[[nmea]]
address = "127.0.0.1:{world.nmea_port}"
app = "haze"
[[mqtt]]
broker = "mqtt://127.0.0.1:{world.broker.port}"
app = "buoy"
[[mqtt]]
broker = "mqtt://127.0.0.1:{world.broker.port}"
app = "atlas"
on_press = {str(world.serves_each_press).lower()}
[[file]]
path = "{world.points.path}"
app = "track"
format = "geojson"
[[http]]
url = "http://127.0.0.1:{world.web_server.port}/fix"
app = "hook"
format = "json"
[[serial]]
port = "{world.cable.path}"
app = "cable"
[console]
port = "{world.console.path}"
"""
