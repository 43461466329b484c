"""The emulated machine."""

import os
import subprocess
import threading
from pathlib import Path
from typing import Callable

from host.verdict import Impossible

# microvm hangs with this kernel, and a second processor only slows the emulation down.
MACHINE = ["-M", "pc", "-accel", "tcg", "-cpu", "max", "-smp", "1", "-m", "512"]

# Every instruction takes 4 ns of the guest's time, and waiting in the guest takes no time of the host. So measurements
# in the guest are exact however busy the host is, and holding a button for three seconds is fast. As a consequence
# only the guest itself can act at a certain time, because the host does not know the guest's time.
INSTRUCTION_COUNTING = ["-icount", "shift=2,sleep=off", "-rtc", "base=2031-05-04T08:00:00,clock=vm"]

# The time stamp counter must not be trusted: with it, the kernel's clock stands still while the machine is idle.
KERNEL_ARGUMENTS = (
    "console=ttyS0 quiet panic=-1 clocksource=acpi_pm tsc=unstable no_timer_check lpj=4000000 "
    "random.trust_cpu=on cryptomgr.notests mitigations=off rodata=off"
)


def run(
    kernel: Path, initial: Path, folder: Path, words: str, limit: float, report: Callable[[str, float], None]
) -> int | None:
    """Boots the machine and passes on the lines of its fourth serial port, which is the report, until the machine is
    off. Each line comes with the processor seconds that the machine has used so far.

    The ports: the console (into `folder`/console), the board's UART, the other end of the UART, the report.

    - words: arguments of the guest's checks, on the kernel's command line.
    - limit: seconds of the host until the machine is switched off.
    Returns QEMU's exit status. None after the limit.
    """
    wire = folder / "uart"
    command = [
        "qemu-system-x86_64", *MACHINE, *INSTRUCTION_COUNTING, "-nodefaults", "-no-user-config", "-display", "none",
        "-no-reboot", "-kernel", str(kernel), "-initrd", str(initial), "-append", f"{KERNEL_ARGUMENTS} {words}",
        "-chardev", f"socket,id=near,path={wire},server=on,wait=off", "-chardev", f"socket,id=far,path={wire}",
        "-serial", f"file:{folder}/console", "-serial", "chardev:near", "-serial", "chardev:far", "-serial", "stdio",
    ]  # fmt: skip
    try:
        machine = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace",
        )
    except FileNotFoundError:
        raise Impossible("there is no qemu-system-x86_64 (Debian package qemu-system-x86)")
    is_late = threading.Event()

    def switch_off():
        is_late.set()
        machine.kill()

    timer = threading.Timer(limit, switch_off)
    timer.start()
    try:
        for line in machine.stdout:
            report(line.rstrip("\r\n"), processor_seconds(machine.pid))
    finally:
        timer.cancel()
        if machine.poll() is None:
            machine.kill()
        machine.wait()
    return None if is_late.is_set() else machine.returncode


def processor_seconds(process: int) -> float:
    """Returns the processor seconds that a process has used so far. (proc(5), the fields 14 and 15 of stat, counted
    after the name)"""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
