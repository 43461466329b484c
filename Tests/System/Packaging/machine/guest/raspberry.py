"""The configuration of Raspberry Pi OS on this machine: its groups, its rules of udev, and the serial port with a console, a
login and Bluetooth. (RPi-Distro/raspberrypi-sys-mods, `99-com.rules`, `60-gpiochip4.rules` and `60-i2c-aliases.rules`;
RPi-Distro/pi-gen, `stage2/01-sys-tweaks` and `cmdline.txt`; pi-bluetooth, `hciuart.service`. DietPi installs the same rules.)"""

import grp
import pwd
import stat
from pathlib import Path

from actions import CONFIGURATION, HERE, RULES, add_board, has_fix, install, is_up, press_and_check, run, service
from board.bus import DDC
from board.checks import eventually, expect, rule, same
from board.receiver import Feed
from board.rig import BOARD, FAR_END
from guides import USER, add_user, as_user

LINK = Path("/dev/gpiochip4")
COMMAND_LINE = Path("/boot/firmware/cmdline.txt")
DROP_INS = Path("/etc/systemd/system/onefix.service.d")

# Rules after 90-onefix.rules, for whole subsystems. The port of the header has the name serial0.
LATE = """
SUBSYSTEM=="i2c-dev", MODE="0660", GROUP="i2c"
SUBSYSTEM=="spidev", MODE="0660", GROUP="spi"
SUBSYSTEM=="gpio", MODE="0660", GROUP="gpio"
SUBSYSTEM=="pwm*", PROGRAM="/bin/sh -c 'chown -R root:gpio /sys%p && chmod -R 770 /sys%p'"
KERNEL=="ttyS1", SYMLINK+="serial0"
"""
# An event adds the link if it does not exist, and removes it otherwise.
LINKING = 'SUBSYSTEM=="gpio", KERNEL=="{chip}", TEST!="{link}", SYMLINK+="{name}"\n'

UART = "uart:/dev/serial0"
# The bus of the header has another name, which comes from the device tree.
ALIAS = 'SUBSYSTEM=="i2c-dev", KERNEL=="i2c-1", MODE="0660", GROUP="i2c", SYMLINK+="i2c-arm"\n'
I2C = "i2c:/dev/i2c-arm:0x42"


def become_raspberry() -> None:
    """Gives this machine the configuration of Raspberry Pi OS. Its first user belongs to the groups of all ports."""
    for group in ("gpio", "i2c", "spi"):
        run("groupadd", "--force", "--system", group)
    run("usermod", "--append", "--groups", "dialout,gpio,i2c,spi", USER)
    folder = Path("/etc/udev/rules.d")
    (folder / "99-com.rules").write_text(LATE)
    (folder / "60-gpiochip4.rules").write_text(LINKING.format(chip=BOARD.chip.name, link=LINK, name=LINK.name))
    (folder / "60-i2c-aliases.rules").write_text(ALIAS)
    COMMAND_LINE.parent.mkdir(parents=True, exist_ok=True)
    COMMAND_LINE.write_text("console=serial0,115200 console=tty1 console=ttyS1,9600 root=/dev/vda rootwait\n")
    (COMMAND_LINE.parent / "config.txt").write_text("dtparam=audio=on\n[cm4]\notg_mode=1\n")
    run("udevadm", "control", "--reload")
    run("udevadm", "trigger", "--settle", "--action=add")
    same(LINK.resolve(), Path("/dev", BOARD.chip.name))
    same(Path("/dev/i2c-arm").resolve(), Path("/dev/i2c-1"))


def node(path: str) -> str:
    """Returns the owner, the group and the mode of a device."""
    status = Path(path).stat()
    return f"{pwd.getpwuid(status.st_uid).pw_name}:{grp.getgrgid(status.st_gid).gr_name} {stat.S_IMODE(status.st_mode):o}"


def configure(receiver: str) -> None:
    CONFIGURATION.write_text(f'board = "virtual"\nreceiver = "{receiver}"\n[[app]]\nid = "chart"\nuid = "root"\n')


def codes(status: int) -> list[str]:
    """Returns the codes of the errors that the check finds. The check ends with a status."""
    said = as_user("sudo onefixd check", status)
    return [line.rsplit("[", 1)[1].rstrip("]") for line in said.splitlines() if ": error: " in line]


def repair() -> str:
    """Runs the script of the check, as the page of the installation says."""
    return as_user("sudo onefixd check --script >changes.sh\nsudo sh changes.sh")


def repaired() -> None:
    """The receiver on a port that the system uses itself, and then on I2C."""
    add_user()
    become_raspberry()
    bluetooth = Path("/usr/local/bin/hciattach")
    bluetooth.write_text("#!/bin/sh\nwhile sleep 60; do :; done\n")
    bluetooth.chmod(0o755)
    run("systemd-run", "--quiet", "--unit=hciuart", str(bluetooth), "/dev/ttyS1", "bcm43xx", "921600")

    with rule("the installation keeps the link to the chip"):
        install()
        expect(LINK.is_symlink(), f"{LINK} is gone")
    with rule("udevadm accepts the rules of the package"):
        run("udevadm", "verify", "/usr/lib/udev/rules.d/60-onefix.rules")
    add_board()

    configure(UART)
    with rule("the check finds the console, the login, Bluetooth and the rights of the port, and no second chip"):
        rights = ["receiver-busy", "receiver-denied", "receiver-shared"]
        same(sorted(codes(3)), [*rights, "uart-bluetooth", "uart-console", "uart-login"])
    with rule("the script removes the console from the command line, ends the login, and makes the port private"):
        run("systemctl", "stop", "hciuart")
        expect("restart the machine" in repair(), "no request for a restart")
        same(COMMAND_LINE.read_text(), "console=tty1 root=/dev/vda rootwait\n")
        same(node("/dev/ttyS1"), "onefix:root 600")
        same(service("ActiveState", "serial-getty@ttyS1"), "inactive")
        # The console of the kernel is there until the next start.
        same(codes(3), ["uart-console"])
    with rule("the script keeps the link to the chip, and its second run changes nothing"):
        expect(LINK.is_symlink(), f"{LINK} is gone")
        before = RULES.read_text()
        repair()
        same(RULES.read_text(), before)

    configure(I2C)
    with rule("without := in the rule of older versions, the later rules of the system give the bus to the group"):
        RULES.write_text(before + 'KERNEL=="i2c-1", SUBSYSTEM=="i2c-dev", OWNER="onefix", GROUP="root", MODE="0600"\n')
        run("udevadm", "control", "--reload")
        run("udevadm", "trigger", "--settle", "--action=change", "--name-match=i2c-1")
        same(node("/dev/i2c-1"), "onefix:i2c 660")
        same(codes(3), ["receiver-shared"])
    with rule("the script makes the receiver on I2C private, also with the rule of an older version"):
        repair()
        same(node("/dev/i2c-1"), "onefix:root 600")
        run("udevadm", "verify", str(RULES))
        run("udevadm", "trigger", "--settle", "--action=add", "--subsystem-match=i2c-dev")
        same(node("/dev/i2c-1"), "onefix:root 600")
    with Feed(DDC, HERE), rule("the check finds no error, and the receiver on I2C gives a fix for a press"):
        same(codes(0), [])
        run("systemctl", "start", "onefix")
        eventually("a fix", has_fix, within=90)
        press_and_check()


def private() -> None:
    """After a restart, with the command line that the script wrote: the rules hold, and the sandbox is checked."""
    with rule("after a restart the nodes are private, and the service is up with the link to its chip"):
        same([node("/dev/i2c-1"), node("/dev/ttyS1")], ["onefix:root 600"] * 2)
        # This chip is new: one event has added the link, and the event of its driver has removed it. The chip of a
        # Raspberry Pi exists before udev starts, and has one event.
        run("udevadm", "settle")
        if not LINK.is_symlink():
            run("udevadm", "trigger", "--settle", "--action=add", "--subsystem-match=gpio")
        same(LINK.resolve(), Path("/dev", BOARD.chip.name))
        run("systemctl", "restart", "onefix")
        eventually("the service", is_up, within=60)

    configure(UART)
    run("stty", "-F", FAR_END, "raw", "-echo")
    with Feed(FAR_END, HERE, baud=9600):
        with rule("the check finds no error, and the receiver on the UART gives a fix for a press"):
            same(codes(0), [])
            run("systemctl", "restart", "onefix")
            eventually("a fix", has_fix, within=90)
            press_and_check()
        with rule("the check finds a sandbox without the driver of the port, and the daemon names this cause"):
            DROP_INS.mkdir()
            (DROP_INS / "override.conf").write_text("[Service]\nDeviceAllow=\nDeviceAllow=char-gpiochip rw\nDeviceAllow=char-i2c rw\n")
            run("systemctl", "daemon-reload")
            same(codes(3), ["sandbox-denied"])
            run("systemctl", "restart", "onefix", status=None)
            eventually("the cause", lambda: "does the sandbox of the service allow this device?" in run("journalctl", "-b", "-u", "onefix"))
        with rule("the script allows the driver, and the service has the receiver again"):
            repair()
            same(codes(0), [])
            eventually("a fix", has_fix, within=90)
