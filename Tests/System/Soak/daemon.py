"""The daemon of a run: it is started, killed and started again in the same folder, with an adjustable clock."""

import asyncio
import collections
import contextlib
import fcntl
import json
import mmap
import os
import pty
import re
import resource
import signal
import socket
import struct
import subprocess
import termios
import time

from configuration import Authority, configuration


class Gateway:
    def __init__(self, world, folder, programs):
        self.world, self.transcript = world, world.transcript
        self.folder, self.programs = folder, programs
        self.socket, self.owners = os.path.join(folder, "s"), os.path.join(folder, "owner.sock")
        self.configuration = os.path.join(folder, "onefix.toml")
        self.authority = Authority(folder)
        with open(self.configuration, "w") as file:
            file.write(configuration(world, self.authority))
        self.life = 0
        self.make_clock()
        self.process = None
        self.ready = asyncio.Event()
        self.is_expected_to_end = False
        self.tasks = []

    # MARK: Its clock

    def make_clock(self):
        """Builds the library through which the daemon reads its clock, unless it is compiled already. A file sets the
        offset of the clock. The library also reports the allocated memory."""
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "clock.c")
        self.shim, path = self.world.options.clock, os.path.join(self.folder, "clock")
        if not self.shim:
            self.shim = os.path.join(self.folder, "clock.so")
            subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", self.shim, source, "-ldl"], check=True)
        with open(path, "wb+") as file:
            file.write(bytes(24))
            file.flush()
            self.clock = mmap.mmap(file.fileno(), 24)
        # Freed memory in the caches of threads would count as allocated.
        self.environment = dict(os.environ, LD_PRELOAD=self.shim, ONEFIX_SOAK_CLOCK=path,
                                GLIBC_TUNABLES="glibc.malloc.tcache_count=0")

    def set_clock(self, offset):
        """Sets the clock of the daemon to a number of seconds ahead of the machine's clock."""
        self.clock[:8] = struct.pack("=q", offset * 10**9)
        self.transcript.add("clock", offset=offset)

    # MARK: Its life

    async def start(self, offset=0):
        self.life += 1
        self.set_clock(offset)
        self.is_expected_to_end = False
        self.transcript.add("start", life=self.life, offset=offset)
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))

        def take_terminal():
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

        self.process = await asyncio.create_subprocess_exec(
            os.path.join(self.programs, "onefixd"), "--boards", self.world.boards, "--config", self.configuration,
            "--socket", self.socket, "--state", os.path.join(self.world.disk, "state"),
            "--receiver", f"uart:{self.world.receiver.port.path}", "--allow-simulated-press", "--log-level", "info",
            stdin=slave, stdout=slave, stderr=asyncio.subprocess.PIPE, env=self.environment, preexec_fn=take_terminal)
        os.close(slave)
        os.set_blocking(master, False)
        self.panel = Panel(master, self.transcript)
        asyncio.get_running_loop().add_reader(master, self.panel.read)
        is_ready = asyncio.get_running_loop().create_future()
        self.tasks = [asyncio.create_task(self.listen(self.process, is_ready)),
                      asyncio.create_task(self.watch(self.process))]
        if not await asyncio.wait_for(is_ready, 60):
            said = [record["text"] for record in self.transcript.records if record.get("who") == "stderr"][-8:]
            raise SystemExit("\n".join(["the daemon did not become ready; what it said last:", *said]))
        self.transcript.add("ready", life=self.life)
        self.ready.set()

    async def listen(self, process, is_ready):
        async for line in process.stderr:
            said = line.decode(errors="replace").rstrip("\n")
            self.transcript.add("heard", who="stderr", app=None, way="stderr", text=said)
            if said.startswith("READY") and not is_ready.done():
                is_ready.set_result(True)
        if not is_ready.done():
            is_ready.set_result(False)

    async def watch(self, process):
        status = await process.wait()
        self.ready.clear()
        self.panel.close()
        how = "by itself"
        if self.is_expected_to_end:
            how = "killed" if status == -signal.SIGKILL else "stopped"
        self.transcript.add("end", life=self.life, how=how, status=status)
        self.world.ended(how)

    async def end(self, number):
        """Returns when the daemon has ended."""
        self.is_expected_to_end = True
        self.ready.clear()
        self.process.send_signal(number)
        await asyncio.wait_for(asyncio.gather(*self.tasks), 60)

    # MARK: What it holds, and what it has written

    async def allocated(self):
        """Returns the allocated bytes. None if the library did not report them within a second, in which the daemon
        reads its clock often."""
        self.clock[8:16] = struct.pack("=q", 1)
        deadline = time.monotonic() + 1
        while time.monotonic() < deadline:
            is_asked, size = struct.unpack("=qq", self.clock[8:])
            if not is_asked and size:
                self.clock[16:] = bytes(8)
                return size
            await asyncio.sleep(0.01)
        return None

    async def sample(self, sessions):
        pid, allocated = self.process.pid, await self.allocated()
        with open(f"/proc/{pid}/status") as file:
            status = dict(line.split(":", 1) for line in file)
        kinds = collections.Counter()
        for number in os.listdir(f"/proc/{pid}/fd"):
            with contextlib.suppress(FileNotFoundError):
                kinds[re.sub(r"[\d\[\]]+", "", os.readlink(f"/proc/{pid}/fd/{number}"))] += 1
        self.transcript.add(
            "sample", life=self.life, anonymous=int(status["RssAnon"].split()[0]), threads=int(status["Threads"]),
            descriptors=kinds.total(), kinds=kinds, sessions=sessions, allocated=allocated and allocated // 1024)

    async def onefix(self, *words):
        process = await asyncio.create_subprocess_exec(
            os.path.join(self.programs, "onefix"), *words, env=dict(os.environ, ONEFIX_SOCKET=self.socket),
            stdin=subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
        said, complaint = await asyncio.wait_for(process.communicate(), 120)
        return process.returncode, said.decode(), complaint.decode()

    async def export_log(self):
        """Returns the whole log, as an owner reads it."""
        since = time.monotonic()
        verdict = await self.onefix("log", "--verify")
        status, said, complaint = await self.onefix("log", "--json", "--limit", "1000000")
        entries = [json.loads(line) for line in said.splitlines()] if status == 0 else None
        self.transcript.add("log", life=self.life, since=round(since, 4), entries=entries, complaint=complaint.strip(),
                            verdict=(verdict[1] + verdict[2]).strip(), status=verdict[0])


class Panel:
    """The terminal of the simulated board, from which the light is read."""

    # The words of the light on the screen (`GatewayPhrase`), without the colours.
    LIGHT = re.compile(r"Light +([●○]) +([a-z;]+(?: [a-z;]+)*)")
    COLOUR = re.compile(r"\x1b\[[0-9;]*m")
    NAMES = {"location in use": "in-use", "in use in the background": "background"}

    def __init__(self, master, transcript):
        self.master, self.transcript = master, transcript
        self.received = b""
        self.shown = None

    def read(self):
        try:
            part = os.read(self.master, 65536)
        except BlockingIOError:
            return
        except OSError:
            part = b""
        if not part:
            return self.close()
        self.received += part
        # A drawing begins when the cursor is saved and ends when it is restored.
        *drawings, self.received = self.received.split(b"\x1b8")
        for drawing in drawings:
            found = self.LIGHT.search(self.COLOUR.sub("", drawing.decode(errors="replace")))
            if found and found.groups() != self.shown:
                self.shown = found.groups()
                self.transcript.add("light", lit=self.shown[0] == "●",
                                    name=self.NAMES.get(self.shown[1], self.shown[1]))

    def close(self):
        if self.master is None:
            return
        asyncio.get_running_loop().remove_reader(self.master)
        os.close(self.master)
        self.master = None
        self.transcript.add("light", lit=False, name="gone")


class Disk:
    """The disk with the state: a small disk, or a limit on the size of files."""

    SIZE = 12

    def __init__(self, path):
        self.path = path
        os.mkdir(path)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={self.SIZE}m,mode=700", "tmpfs", path],
                                 capture_output=True)
        self.is_own = mounted.returncode == 0
        self.filler = os.path.join(path, "filler")

    def fill(self, pid):
        if not self.is_own:
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
            return
        with open(self.filler, "wb", buffering=0) as file, contextlib.suppress(OSError):
            for size in (65536, 4096, 512):
                with contextlib.suppress(OSError):
                    while file.write(bytes(size)) == size:
                        pass

    def clear(self, pid):
        if not self.is_own:
            with contextlib.suppress(ProcessLookupError):
                resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            return
        os.unlink(self.filler)

    def close(self):
        if self.is_own:
            subprocess.run(["umount", "-l", self.path], check=False)


class Chrony:
    """The socket of chrony's reference clock. Each datagram is a sample of the receiver's time."""

    def __init__(self, path, transcript):
        self.path, self.transcript = path, transcript
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(path)
        self.socket.setblocking(False)
        asyncio.get_running_loop().add_reader(self.socket, self.read)

    def read(self):
        with contextlib.suppress(BlockingIOError):
            self.transcript.add("time", datagram=self.socket.recv(4096).hex())

    def close(self):
        asyncio.get_running_loop().remove_reader(self.socket)
        self.socket.close()


class Broker:
    """Debian's mosquitto, which keeps its pending messages."""

    def __init__(self, folder, port):
        self.folder, self.port, self.process = folder, port, None
        with open(os.path.join(folder, "mosquitto.conf"), "w") as file:
            file.write(f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence true\n"
                       f"persistence_location {folder}/\nautosave_interval 1\nlog_type none\n"
                       + ("user root\n" if os.getuid() == 0 else ""))

    async def start(self):
        self.process = await asyncio.create_subprocess_exec(
            "/usr/sbin/mosquitto", "-c", os.path.join(self.folder, "mosquitto.conf"),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 20
        while True:
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection("127.0.0.1", self.port)
                writer.close()
                return
            if time.monotonic() > deadline:
                raise SystemExit("mosquitto does not listen")
            await asyncio.sleep(0.02)

    async def end(self, number=signal.SIGTERM):
        if self.process and self.process.returncode is None:
            self.process.send_signal(number)
            await self.process.wait()
