#!/usr/bin/env python3
"""Runs the soak in the emulated machine of a target, with Debian's kernel, and checks the transcript on this machine.

usage: emulated.py TARGET PROGRAMS BOARDS [--seconds N] [--seed S] [--folder FOLDER]

TARGET is that of Scripts/package, for example arm64-deb13, and PROGRAMS are those of the target. The other arguments are
those of soak.py.
"""

import argparse
import base64
import gzip
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SYSTEM = HERE.parent
ROOT = SYSTEM.parent.parent
sys.path += [str(SYSTEM / "Packaging/machine"), str(SYSTEM / "VirtualBoard")]

from artefacts import Target  # noqa: E402
from emulator import Machine  # noqa: E402

SERVICE = """
[Unit]
Description=the soak
DefaultDependencies=yes

[Service]
Type=oneshot
Environment=PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 LC_ALL=C.UTF-8
ExecStartPre=/usr/bin/stty -F /dev/ttyS3 raw -echo
ExecStart=/usr/bin/python3 /proof/Soak/soak.py /proof/programs /proof/boards --clock /proof/clock.so --record \
--folder /var/tmp/soak {arguments}
ExecStart=/bin/sh -c 'gzip -c /var/tmp/soak/transcript.jsonl | base64 -w 1000 | sed "s/^/transcript /"'
ExecStopPost=/usr/bin/systemctl poweroff --no-block
StandardOutput=file:/dev/ttyS3
StandardError=inherit
TimeoutStartSec=infinity
"""
# The seconds for the boot, the transfer of the transcript and the end, on a busy host.
REMAINDER = 1800


def compile_clock(name: str, architecture: str) -> Path:
    """Compiles the adjustable clock for a target, because its machine has no compiler."""
    triple = {"arm64": "aarch64-linux-gnu", "amd64": "x86_64-linux-gnu"}[architecture]
    library = Path(f".build/{name}/clock.so")
    subprocess.run(
        [ROOT / "Scripts/Packaging/target", name, "run", f"{triple}-gcc-14",
         "--sysroot=/target/onefix.artifactbundle/sdk/sysroot", "-O2", "-shared", "-fPIC", "-o", library,
         "Tests/System/Soak/clock.c", "-ldl"], check=True, cwd=ROOT)  # fmt: skip
    return ROOT / library


def make_payload(folder: Path, programs: Path, boards: Path, clock: Path, arguments: str) -> Path:
    """Makes the disk with the programs and the soak."""
    content = folder / "content"
    (content / "programs").mkdir(parents=True)
    for program in ("onefixd", "onefix"):
        shutil.copy(programs / program, content / "programs")
    shutil.copy(clock, content)
    shutil.copytree(boards, content / "boards")
    for source in (HERE, SYSTEM / "Fleet"):
        shutil.copytree(source, content / source.name, ignore=shutil.ignore_patterns("__pycache__"))
    (content / "proof.service").write_text(SERVICE.format(arguments=arguments))
    payload = folder / "payload.ext4"
    with payload.open("w") as file:
        file.truncate(256 << 20)
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-d", content, payload], check=True)
    return payload


def main() -> int:
    parser = argparse.ArgumentParser()
    for name in ("target", "programs", "boards"):
        parser.add_argument(name)
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    parser.add_argument("--folder")
    options = parser.parse_args()
    target = Target(options.target)
    target.prepare()
    result = Path(options.folder or tempfile.mkdtemp(prefix="onefix-soak-"))
    result.mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="soak-", dir=target.folder))
    lines: list[str] = []

    def take(line: str) -> None:
        word, _, rest = line.partition(" ")
        if word == "transcript":
            lines.append(rest)
        else:
            print(line, file=sys.stderr, flush=True)

    try:
        payload = make_payload(
            folder, Path(options.programs), Path(options.boards), compile_clock(options.target, target.architecture),
            f"--seconds {options.seconds} --seed {options.seed}")  # fmt: skip
        disk = folder / "disk.qcow2"
        command = ["qemu-img", "create", "-q", "-f", "qcow2", "-b", target.disk, "-F", "raw", disk]
        subprocess.run(command, check=True)
        flavour = target.kernels[0]
        machine = Machine(flavour, target.kernel(flavour), target.initial(flavour), disk, "qcow2", payload)
        # Two processors that run as fast as they can: the soak measures real intervals.
        console = machine.run("", folder, options.seconds + REMAINDER, take, is_counting=False)
    finally:
        shutil.rmtree(folder)
    # systemd powers the machine off also after an error of the soak, which is shown above.
    if not lines:
        print(console[-3000:], file=sys.stderr)
        print("soak: FAILED: the emulated machine sent no transcript", file=sys.stderr)
        return 1
    (result / "transcript.jsonl").write_bytes(gzip.decompress(base64.b64decode("".join(lines))))
    judge = [sys.executable, HERE / "soak.py", options.programs, options.boards, "--judge", result]
    return subprocess.run(judge, env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1")).returncode


if __name__ == "__main__":
    sys.exit(main())
