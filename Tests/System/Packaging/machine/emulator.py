"""The emulated machine."""

import os
import subprocess
import threading
from pathlib import Path
from typing import Callable

PROCESSORS = {
    "arm64": ["qemu-system-aarch64", "-M", "virt,gic-version=2", "-cpu", "cortex-a72"],
    # The processor of a Raspberry Pi 5. That of a Raspberry Pi 4 has no pages of 16 kB.
    "arm64-16k": ["qemu-system-aarch64", "-M", "virt,gic-version=2", "-cpu", "cortex-a76"],
    "amd64": ["qemu-system-x86_64", "-M", "q35", "-cpu", "max"],
}


class Machine:
    """A machine with a disk, a console and four serial ports: /dev/ttyS1 and /dev/ttyS2 are the ends of one cable, and
    /dev/ttyS3 is the report."""

    def __init__(self, flavour: str, kernel: Path, initial: Path, disk: Path, form: str, payload: Path | None = None):
        self._flavour = flavour
        self._files = (kernel, initial, disk, form)
        self._payload = payload

    def run(
        self, words: str, folder: Path, limit: float, report: Callable[[str], None] = print, is_counting: bool = True
    ) -> str:  # fmt: skip
        """Runs the machine until it is off, and passes on the lines of its report. Returns the text of the console.

        - words: arguments for the kernel's command line.
        - limit: seconds of the host until the machine is switched off.
        - is_counting: whether the machine counts instructions: each one takes 4 ns of its time, and waiting takes no time of
          the host. Then the checks do not depend on how busy the host is. Otherwise the machine is faster.
        """
        kernel, initial, disk, form = self._files
        wire, console = folder / "uart", folder / "console"
        # The last console is that of the init system.
        arguments = f"{words} console={'ttyS0' if self._flavour == 'amd64' else 'ttyAMA0'} quiet panic=-1 net.ifnames=0 systemd.show_status=0"
        time = ["-icount", "shift=2,sleep=off", "-rtc", "clock=vm"] if is_counting else ["-smp", "2"]
        ports = [
            "-chardev", "null,id=nothing", "-chardev", f"socket,id=near,path={wire},server=on,wait=off",
            "-chardev", f"socket,id=far,path={wire}", "-chardev", "stdio,id=report,signal=off",
        ]  # fmt: skip
        if self._flavour != "amd64":
            ports += ["-serial", f"file:{console}", "-device",
                      "pci-serial-4x,chardev1=nothing,chardev2=near,chardev3=far,chardev4=report"]  # fmt: skip
        else:
            ports += ["-serial", f"file:{console}", "-serial", "chardev:near", "-serial", "chardev:far", "-serial", "chardev:report"]
        command = [
            *PROCESSORS[self._flavour], "-m", "1024", "-accel", "tcg,tb-size=512", *time, "-nodefaults",
            "-no-user-config", "-display", "none", "-no-reboot",
            "-kernel", str(kernel), "-initrd", str(initial), "-append", arguments,
            "-drive", f"file={disk},format={form},if=none,id=disk,cache=unsafe", "-device", "virtio-blk-pci,drive=disk", *ports,
        ]  # fmt: skip
        if self._payload:
            command += ["-drive", f"file={self._payload},format=raw,if=none,id=payload,readonly=on",
                        "-device", "virtio-blk-pci,drive=payload"]  # fmt: skip
        # The socket's name is limited to 107 bytes.
        command = [word.replace(str(wire), os.path.relpath(wire, folder)) for word in command]
        machine = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        )
        timer = threading.Timer(limit, machine.kill)
        timer.start()
        try:
            for line in machine.stdout:
                report(line.rstrip("\r\n"))
        finally:
            timer.cancel()
            if machine.poll() is None:
                machine.kill()
            machine.wait()
        return console.read_text(errors="replace") if console.exists() else ""
