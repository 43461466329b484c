"""Checks the package in the emulated machine: each boot is a stage. Reports on the standard output, as the guest of the
virtual board does (Tests/System/VirtualBoard/guest/board/checks.py)."""

import importlib
import json
import re
import subprocess
import shutil
import sys
import time
from functools import partial
from pathlib import Path
from typing import Callable

from actions import (
    CONFIGURATION, HERE, PROOF, RULES, Asking, add_board, apt, has_fix, install, is_up, press_and_check, run, service,
)  # fmt: skip
from board import checks
from board.bus import DDC
from board.checks import eventually, expect, rule, same, scenario
from board.receiver import Feed, is_at
from board.rig import FAR_END
from guides import HOME, add_user, as_user, blocks, follow, here
from raspberry import become_raspberry, private, repaired

STATE = Path.home() / "proof.json"
DISPLAY = "onefix-display@i2c-9"
STATES = ("/etc/onefix/device.key", "/var/lib/onefix", "/var/lib/onefix-anchor")

TABLES = """
[[listen]]
address = "127.0.0.1:7448"
certificate = "/etc/onefix/server.pem"
private_key = "/etc/onefix/server.key"

[[mqtt]]
broker = "mqtt://127.0.0.1:1883"
app = "logbook"

[[app]]
id = "chart"
uid = "root"

[[app]]
id = "ferry"
key = true

[[app]]
id = "logbook"
"""


def journal() -> str:
    return "the journal:\n" + run("journalctl", "--no-pager", "-b", "-u", "onefix", "-n", "40", status=None)


def over_tls(key: str) -> dict:
    sys.path.insert(0, "/usr/share/doc/onefix/examples")
    onefix = importlib.import_module("onefix")
    with onefix.connect(("127.0.0.1", 7448), app="ferry", key=key, tls="/etc/onefix/server.pem") as client:
        return client.request_once(purpose="Find the ferry", timeout=60)


def over_mqtt() -> dict:
    topic = "onefix/proof/logbook"
    subscriber = subprocess.Popen(
        ["mosquitto_sub", "-q", "1", "-t", f"{topic}/fix", "-C", "1", "-W", "60"], stdout=subprocess.PIPE, text=True
    )
    # Requests within a second after the gateway has connected are ignored.
    run("mosquitto_sub", "-t", f"{topic}/authorization", "-C", "1", "-W", "30")
    time.sleep(1.5)
    run("mosquitto_pub", "-q", "1", "-t", f"{topic}/request", "-m", "{}")
    said = subscriber.communicate(timeout=70)[0]
    return json.loads(said)


def figures(what: str) -> None:
    """Reports how long a start takes, and the memory of the daemon."""
    run("systemctl", "restart", "onefix")
    began, ready = (int(service(name)) for name in ("ExecMainStartTimestampMonotonic", "ActiveEnterTimestampMonotonic"))
    eventually("a fix", has_fix)
    memory = Path(f"/proc/{service('MainPID')}/smaps_rollup").read_text()
    sizes = dict(re.findall(r"^(\w+):\s+(\d+) kB", memory, re.MULTILINE))
    page = run("getconf", "PAGESIZE").strip()
    print(f"note {what}: pages of {page} bytes, start to READY {(ready - began) / 1e6:.2f} s, Pss {int(sizes['Pss']) / 1024:.1f} MB "
          f"({int(sizes['Pss_Anon']) / 1024:.1f} MB anonymous)", flush=True)  # fmt: skip


def remember(**values) -> None:
    STATE.write_text(json.dumps(recalled() | values))


def recalled() -> dict:
    return json.loads(STATE.read_text()) if STATE.exists() else {}


def key_digest() -> str:
    return run("sha256sum", "/etc/onefix/device.key")


def first_hour(prepare: Callable[[], None] = lambda: None) -> None:
    """Follows the guide of the first hour, and the guide's moves to gpsd and back."""
    add_user()
    prepare()
    package = next(PROOF.glob("onefix_*.deb"))
    # The guide names the package of arm64 alone.
    shutil.copy(package, HOME / package.name.replace("_amd64", "_arm64"))
    run("stty", "-F", FAR_END, "raw", "-echo")
    with Feed(FAR_END, HERE, baud=9600):
        for block in blocks("first-hour.md"):
            if block.section.startswith("Appendix"):
                break
            with rule(block.title):
                if block.kind == "toml":
                    add_board()
                    board = Path("/usr/share/onefix/boards/virtual/board.toml")
                    board.write_text(board.read_text().replace("i2c:/dev/i2c-1:0x42", "uart:/dev/ttyS1"))
                    CONFIGURATION.write_text(here(block.text))
                elif block.kind == "conf":
                    RULES.write_text(here(block.text))
                elif block.section in ("The first fix", "When it does not work"):
                    # The service has just started.
                    eventually("a fix", has_fix, within=90)
                    follow(block)
                else:
                    follow(block)
        moves()


def moves() -> None:
    """Moves the receiver to gpsd and back, as the guide describes."""
    (HOME / "edited.toml").write_text(
        CONFIGURATION.read_text() + '[receiver]\nsource = "uart:/dev/ttyS1"\n[gpsd_server]\napps = ["park-finder"]\n'
    )
    (HOME / "edited.rules").write_text(RULES.read_text())
    editor = HOME / "editor"
    editor.write_text(f'#!/bin/sh\nexec cp "{HOME}/edited.${{1##*.}}" "$1"\n')
    editor.chmod(0o755)
    Path("/etc/default/gpsd").write_text('DEVICES="/dev/ttyS1"\n')
    client = f"python3 {PROOF}/gpsd_client.py"

    with rule("after the move to gpsd, every program reads the position without a press"):
        for block in blocks("keeping.md", "Move back to gpsd"):
            follow(block)
        is_at(HERE, json.loads(as_user(client)))
    with rule("after the move from gpsd, the service has the receiver, also after a reboot, and gpsd has not"):
        for block in blocks("keeping.md", "Move from gpsd"):
            as_user(f"export SUDO_EDITOR={editor}\n{block.text}")
        eventually("a fix", has_fix, within=90)
        same(run("systemctl", "is-enabled", "onefix").strip(), "enabled")
        same(service("ActiveState", "gpsd.service"), "inactive")
        same(service("ActiveState", "gpsd.socket"), "inactive")
    with rule("after the move from gpsd, a program of gpsd gets one fix for one press"):
        is_at(HERE, json.loads(as_user(client, presses=True)))


def first() -> None:
    with rule("apt installs the package"):
        install()
        same(run("dpkg-query", "-W", "-f", "${Status}", "onefix"), "install ok installed")

    with rule("the service does not start before the configuration names a board"):
        same(service("ActiveState"), "inactive")

    add_board()
    run("sh", "-c", "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj /CN=proof "
        "-addext keyUsage=critical,digitalSignature,keyCertSign -addext extendedKeyUsage=serverAuth "
        "-addext subjectAltName=IP:127.0.0.1 -keyout /etc/onefix/server.key -out /etc/onefix/server.pem 2>&1")  # fmt: skip
    run("chown", "onefix:", "/etc/onefix/server.key")
    CONFIGURATION.write_text('board = "virtual"\ngateway = "proof"\n' + TABLES)

    with rule("onefixd check finds no error in the configuration and on the machine"):
        expect("error" not in run("onefixd", "check").replace("no errors", ""), "an error")

    with Feed(DDC, HERE), rule("with a board the service starts, and is ready"):
        run("systemctl", "start", "onefix")
        eventually("the service", is_up)

    with Feed(DDC, HERE):
        with rule("the receiver on I2C has a fix"):
            eventually("a fix", has_fix, within=60)
        with rule("two presses, a question and its answer, give one fix over the Unix socket, and the LED is lit"):
            press_and_check()
        with rule("a press gives one fix over TLS"):
            said = run("onefix", "key", "add", "ferry")
            key = max(re.findall(r"[A-Za-z0-9_-]{43}", said), default="")
            expect(key, f"no key in: {said}")
            is_at(HERE, Asking(partial(over_tls, key)).pressed())
        with rule("a press gives one fix over MQTT"):
            asking = Asking(over_mqtt)
            time.sleep(3)
            is_at(HERE, asking.pressed())

    RULES.write_text('SUBSYSTEM=="tty", KERNEL=="ttyS1", OWNER:="onefix", GROUP:="root", MODE:="0600", ENV{ID_MM_DEVICE_IGNORE}="1"\n')
    run("udevadm", "control", "--reload")
    run("udevadm", "trigger", "--settle", "--name-match=ttyS1")
    with rule("ModemManager does not probe the port of the receiver"):
        properties = run("udevadm", "info", "--query=property", "--name=ttyS1")
        expect("ID_MM_DEVICE_IGNORE=1" in properties.split(), f"the properties of ttyS1: {properties}")
    CONFIGURATION.write_text('board = "virtual"\ngateway = "proof"\nreceiver = "uart:/dev/ttyS1"\n' + TABLES)
    run("stty", "-F", FAR_END, "raw", "-echo")
    with Feed(FAR_END, HERE, baud=9600), rule("the receiver on the UART has a fix, and a press gives it"):
        run("systemctl", "restart", "onefix")
        eventually("a fix", has_fix, within=90)
        press_and_check()
        figures("installed")
    remember(key=key_digest(), entries=len(run("onefix", "log", "--json").splitlines()))


def again(what: str) -> None:
    run("stty", "-F", FAR_END, "raw", "-echo")
    with Feed(FAR_END, HERE, baud=9600):
        with rule(f"{what}: the service is up without a command, with its keys and its log"):
            # The chip exists since these checks began, so systemd may have to start the service again.
            eventually("the service", is_up, within=60)
            same(key_digest(), recalled()["key"])
            expect(run("onefix", "log", "--verify").startswith("good"), "the log is not good")
            expect(len(run("onefix", "log", "--json").splitlines()) >= recalled()["entries"], "entries of the log are missing")
        with rule(f"{what}: one press is enough, because the right is kept"):
            eventually("a fix", has_fix, within=90)
            press_and_check(presses=1)
            figures(what)


def continues_with(state: Path) -> None:
    """Starts the service with a state directory that an older version left, and restores the present state after it."""
    saved = Path.home() / "saved"
    saved.mkdir()
    run("systemctl", "stop", "onefix")
    for path in STATES:
        shutil.move(path, saved / Path(path).name)
    try:
        shutil.copy(state / "device.key", STATES[0])
        Path(STATES[0]).chmod(0o600)
        shutil.copytree(state / "state", STATES[1])
        Path(STATES[2]).mkdir()
        if (state / "anchor").exists():
            shutil.copy(state / "anchor", STATES[2])
        run("chown", "-R", "onefix:onefix", *STATES[1:])
        run("chmod", "-R", "u=rwX,go=", *STATES[1:])
        run("systemctl", "start", "onefix")
        expect(run("onefix", "log", "--verify").startswith("good"), "the log is not good")
        expect("ferry" in run("onefix", "log"), "the log has lost its entries")
        expect("locked" in run("onefix", "status"), "the kill switch was reset")
        expect("Never" in run("onefix", "apps"), "the right of an app is lost")
    finally:
        run("systemctl", "stop", "onefix")
        run("rm", "-rf", *STATES)
        for path in STATES:
            shutil.move(saved / Path(path).name, path)
        saved.rmdir()
        run("systemctl", "start", "onefix")


def last() -> None:
    run("stty", "-F", FAR_END, "raw", "-echo")
    add_user()
    with rule("the guide's back-up contains configuration, keys, state and anchor"):
        for block in blocks("keeping.md", "Make a back-up"):
            follow(block)

    with Feed(FAR_END, HERE, baud=9600), rule("an upgrade keeps configuration, keys, state and log, and restarts the services"):
        eventually("the service", is_up, within=60)
        # The machine has no display, so another program stands for the one that draws.
        change = Path(f"/etc/systemd/system/{DISPLAY}.service.d/program.conf")
        change.parent.mkdir()
        change.write_text("[Service]\nExecStart=\nExecStart=/usr/bin/sleep infinity\n")
        run("systemctl", "daemon-reload")
        run("systemctl", "start", DISPLAY)
        before, drawing = service("MainPID"), service("MainPID", DISPLAY)
        apt("install", str(next(PROOF.glob("next/*.deb"))))
        expect("+next" in run("dpkg-query", "-W", "-f", "${Version}", "onefix"), "it was not upgraded")
        eventually("the service", is_up, within=60)
        expect(service("MainPID") != before, "the service was not started again")
        expect(service("MainPID", DISPLAY) not in (drawing, "0"), "the display was not started again")
        same(key_digest(), recalled()["key"])
        expect("uart:/dev/ttyS1" in CONFIGURATION.read_text(), "the configuration was replaced")
        eventually("a fix", has_fix, within=90)
        press_and_check()
        expect(run("onefix", "log", "--verify").startswith("good"), "the log is not good")

    # The newest format is the present one, which all checks before have used.
    *older, _ = sorted(PROOF.glob("states/format-*"), key=lambda state: int(state.name.removeprefix("format-")))
    for state in older:
        with rule(f"the service continues with the state of an older version ({state.name})"):
            continues_with(state)

    with rule("apt remove keeps configuration, keys and state"):
        apt("remove", "onefix")
        expect(not Path("/usr/bin/onefixd").exists(), "the daemon is still there")
        for unit in ("onefix", DISPLAY):
            same(run("systemctl", "is-active", unit, status=None).strip(), "inactive")
        same(key_digest(), recalled()["key"])
        expect(Path("/var/lib/onefix/onefix.sqlite").exists(), "the state is gone")

    with rule("apt purge removes configuration, keys and state"):
        run("rm", "-rf", "/etc/onefix/server.pem", "/etc/onefix/server.key", "/usr/share/onefix/boards/virtual")
        apt("purge", "onefix")
        for path in ("/etc/onefix", "/var/lib/onefix", "/var/lib/onefix-anchor", "/usr/share/onefix"):
            expect(not Path(path).exists(), f"{path} is still there")

    with Feed(FAR_END, HERE, baud=9600), rule("a back-up restored after a new installation brings back keys, log and rights"):
        RULES.unlink()
        apt("install", str(next(PROOF.glob("next/*.deb"))))
        expect(key_digest() != recalled()["key"], "the new installation has the old key")
        add_board()
        for block in blocks("keeping.md", "Replace the card"):
            follow(block)
        eventually("the service", is_up, within=60)
        same(key_digest(), recalled()["key"])
        expect(run("onefix", "log", "--verify").startswith("good"), "the log is not good")
        expect(len(run("onefix", "log", "--json").splitlines()) >= recalled()["entries"], "entries of the log are missing")
        eventually("a fix", has_fix, within=90)
        press_and_check(presses=1)


STAGES = {
    "guide": first_hour, "install": first, "reboot": partial(again, "after a reboot"), "pages": partial(again, "with pages of 16 kB"),
    "remove": last, "raspberry": repaired, "raspberry-reboot": private, "raspberry-guide": partial(first_hour, become_raspberry),
}  # fmt: skip
stage = re.search(r"proof\.stage=(\S+)", Path("/proc/cmdline").read_text())[1]
checks.WITNESSES.append(journal)
checks.LIMIT = 900
scenario(stage)(STAGES[stage])
checks.run(stage, 0, 1)
