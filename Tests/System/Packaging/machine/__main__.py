"""Checks a package in an emulated machine with Debian 13 and its own kernel, under systemd, also with the configuration of
Raspberry Pi OS (guest/raspberry.py).

  Tests/System/Packaging/machine TARGET DEB NEXT [REPOSITORY]

TARGET is that of Scripts/package, for example arm64-deb13. NEXT is a later version, for the upgrade. With REPOSITORY, a
folder that Scripts/release has made, apt installs the package from there. ONEFIX_STAGES has the names of the stages to
run, if not all of them.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent.parent / "VirtualBoard"))

from artefacts import BOARD, ROOT, Target, say  # noqa: E402
from emulator import Machine  # noqa: E402
from host.report import KERNEL_FAULT  # noqa: E402
from host.verdict import Broken, Impossible  # noqa: E402

# The seconds of the host for a boot with its checks.
LIMIT = 3600


def main() -> int:
    if len(sys.argv) not in (4, 5):
        raise SystemExit(__doc__)
    target, (package, later) = Target(sys.argv[1]), map(Path, sys.argv[2:4])
    repository = Path(sys.argv[4]) if len(sys.argv) == 5 else None
    try:
        target.prepare()
        failed = checked(target, package, later, repository)
    except (Broken, Impossible) as fault:
        print(f"package: FAILED: {fault}")
        return 1
    print(f"package: {len(failed)} checks FAILED on {target.name}" if failed else f"package: all checks passed on {target.name}")
    return 1 if failed else 0


def checked(target: Target, package: Path, later: Path, repository: Path | None) -> list[str]:
    """Boots the machine once for each stage. Returns the rules that failed."""
    failed: list[str] = []
    only = os.environ.get("ONEFIX_STAGES", "").split()
    folder = Path(tempfile.mkdtemp(prefix="machine-", dir=target.folder))
    try:
        payload = make_payload(folder, package, later, repository)
        disk = folder / "disk.qcow2"
        # A Raspberry Pi 5 has the second kernel.
        normal, last = target.kernels[0], target.kernels[-1]
        stages = [("guide", normal), ("install", normal), ("reboot", normal)]
        stages += [*([("pages", last)] if last != normal else []), ("remove", normal)]
        stages += [("raspberry", normal), ("raspberry-reboot", normal), ("raspberry-guide", normal)]
        for stage, flavour in stages:
            if only and stage not in only:
                continue
            say(f"{stage}, kernel {flavour}")
            # Each installation begins with a clean Debian. The disk of the target does not change.
            if stage in ("guide", "install", "raspberry", "raspberry-guide"):
                command = ["qemu-img", "create", "-q", "-f", "qcow2", "-b", target.disk, "-F", "raw", disk]
                subprocess.run(command, check=True)
            ended = []

            def take(line: str) -> None:
                word, _, rest = line.partition(" ")
                if word == "fail":
                    failed.append(rest)
                if word == "end":
                    ended.append(rest)
                elif word != "time":
                    print(f"  {word} {rest}", file=sys.stderr, flush=True)

            machine = Machine(flavour, target.kernel(flavour), target.initial(flavour), disk, "qcow2", payload)
            # Until a Raspberry Pi is configured, its kernel has a console on the UART.
            words = "console=ttyS1,9600 " if stage == "raspberry" else ""
            console = machine.run(f"{words}proof.stage={stage}", folder, LIMIT, take)
            if not ended:
                failed.append(f"{stage}: the checks run to their end")
            if fault := KERNEL_FAULT.search(console):
                failed.append(f"{stage}: the kernel reports no fault ({fault[0]})")
            if not ended or fault:
                print(console[-3000:], file=sys.stderr)
            if failed:
                break
    finally:
        shutil.rmtree(folder)
    return failed


def make_payload(folder: Path, package: Path, later: Path, repository: Path | None) -> Path:
    """Makes the disk with the package and the checks."""
    content = folder / "content"
    (content / "next").mkdir(parents=True)
    shutil.copy(package, content)
    shutil.copy(later, content / "next")
    if repository:
        shutil.copytree(repository, content / "repository")
    shutil.copytree(BOARD / "guest/board", content / "board", ignore=shutil.ignore_patterns("__pycache__", "scenarios"))
    shutil.copytree(BOARD / "guest/boards", content / "boards")
    for file in [*(HERE / "guest").glob("*.py"), HERE / "guest/proof.service"]:
        shutil.copy(file, content)
    (content / "guides").mkdir()
    for name in ("first-hour.md", "keeping.md"):
        shutil.copy(ROOT / "Sources/Documentation" / name, content / "guides")
    # Directories of state that older versions left.
    shutil.copytree(ROOT / "Tests/Consent/StateStoreTests/Fixtures", content / "states")
    payload = folder / "payload.ext4"
    with payload.open("w") as file:
        file.truncate(256 << 20)
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-d", content, payload], check=True)
    return payload


sys.exit(main())
