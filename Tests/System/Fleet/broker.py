"""mosquitto with the configuration of the guide, on a port of the loopback interface."""

import asyncio
import os
import socket
import ssl
import subprocess


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def pss(process):
    """Returns the memory in megabytes, with a share of the shared memory."""
    with open(f"/proc/{process}/smaps_rollup") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("Pss:")) / 1024


def processor_seconds(process):
    with open(f"/proc/{process}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Broker:
    # The subscribers in addition to the gateways.
    apps = ("logbook", "phone")

    def __init__(self, folder, guide, names, has_certificates):
        self.folder = folder
        self.port = free_port()
        self.process = None
        self.has_certificates = has_certificates
        self.make("certificates.sh", guide.block(
            "certificates.sh", ("DNS:mqtt.example.org", "IP:127.0.0.1"), ("CN=mqtt.example.org", "CN=127.0.0.1")))
        self.passwords = {}
        if has_certificates:
            for name in (*names, *self.apps):
                self.make("certificate.sh", guide.block("certificate.sh"), name)
        else:
            self.make("passwords.sh", guide.block("passwords.sh"), *names, *self.apps)
            with open(os.path.join(folder, "passwords.plain")) as file:
                self.passwords = dict(line.strip().split(":", 1) for line in file)
        self.write("acl", guide.block("/etc/mosquitto/acl"))
        os.mkdir(os.path.join(folder, "store"))
        name = "mosquitto-certificates.conf" if has_certificates else "mosquitto.conf"
        text = guide.block(
            f"/etc/mosquitto/{name}", ("listener 8883", f"listener {self.port} 127.0.0.1"),
            ("/etc/mosquitto", folder), ("/var/lib/mosquitto", os.path.join(folder, "store")))
        # Otherwise the broker changes to a user without permission to read the folder.
        self.write("mosquitto.conf", text + ("user root\n" if os.getuid() == 0 else ""))

    def write(self, name, content):
        with open(os.path.join(self.folder, name), "w", opener=lambda path, flags: os.open(path, flags, 0o700)) as file:
            file.write(content)

    def make(self, name, script, *words):
        self.write(name, script)
        made = subprocess.run(["sh", "-e", name, *words], cwd=self.folder, capture_output=True, text=True)
        if made.returncode:
            raise SystemExit(f"{name} of the guide failed: {made.stderr}")

    def file(self, name):
        return os.path.join(self.folder, name)

    def tls(self, name):
        context = self.tls_without_certificate()
        if self.has_certificates:
            context.load_cert_chain(self.file(f"{name}.pem"), self.file(f"{name}.key"))
        return context

    def tls_without_certificate(self):
        return ssl.create_default_context(cafile=self.file("ca.pem"))

    async def connect(self, client, name, user, is_lasting=False):
        """Connects as a user. Returns whether the broker had kept a session for the name."""
        password = self.passwords.get(user)
        return await client.connect(
            self.port, self.tls(user), name, user if password else None, password, is_lasting)

    async def start(self):
        with open(self.file("mosquitto.log"), "a") as log:
            self.process = await asyncio.create_subprocess_exec(
                "setpriv", "--pdeathsig", "TERM", "mosquitto", "-c", self.file("mosquitto.conf"), stderr=log)

    async def stop(self):
        """Stops the broker as the service manager does. The broker writes its pending messages."""
        process, self.process = self.process, None
        if process and process.returncode is None:
            process.terminate()
            await process.wait()
