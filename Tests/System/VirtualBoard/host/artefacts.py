"""The parts of the board apart from our programs: created once, and kept outside the repository."""

import fcntl
import hashlib
import lzma
import os
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

from host.packages import Packages
from host.verdict import Broken, Impossible

HERE = Path(__file__).resolve().parent.parent
ROOT = HERE.parent.parent.parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "onefix" / "virtual-board"

# Artefacts that were not used for this time do not belong to an active branch.
KEPT_SECONDS = 30 * 24 * 3600

# gpio-sim is in the source of the kernel, but Debian does not build it. These files of linux-source are sufficient.
GPIO_SIM_SOURCES = ("drivers/gpio/gpio-sim.c", "drivers/gpio/gpiolib.h", "kernel/irq/irq_sim.c")

# Modules of Debian, with their dependencies.
DEBIAN_MODULES = ("configfs", "i2c-dev", "leds-gpio")
OUR_MODULES = ("gpio-sim", "gnss-bus", "status-led")


class Artefacts:
    """A folder with the kernel (`vmlinux`), its modules (`modules/`), and the content of the guest: busybox
    (`busybox`), and both versions of libgpiod with their tools and headers (`libgpiod-1`, `libgpiod-2`)."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.kernel = folder / "vmlinux"
        self.busybox = folder / "busybox/bin/busybox"
        folders = {generation: folder / f"libgpiod-{generation}" for generation in (1, 2)}
        self.libgpiod = {generation: path for generation, path in folders.items() if path.exists()}

    @property
    def modules(self) -> list[Path]:
        """Returns the modules in load order."""
        return [self.folder / "modules" / name for name in (self.folder / "modules/order").read_text().split()]


def prepare() -> Artefacts:
    """Returns the artefacts for this source tree from the cache, or creates them."""
    CACHE.mkdir(parents=True, exist_ok=True)
    folder = CACHE / key()
    with lock(CACHE / "lock"):
        if not folder.exists():
            began = time.monotonic()
            say("making the kernel and its modules, once (about 300 MB are fetched)")
            partial = folder.with_suffix(".partial")
            shutil.rmtree(partial, ignore_errors=True)
            partial.mkdir()
            make(partial)
            partial.rename(folder)
            say(f"made in {time.monotonic() - began:.0f} s: {folder}")
        os.utime(folder)
        forget_old()
    return Artefacts(folder)


def key() -> str:
    """Returns a name for the input of the artefacts: the scripts, the sources of the modules, and the compiler."""
    digest = hashlib.sha256()
    recipe = [Path(__file__), HERE / "host/packages.py", *sorted((HERE / "kernel").iterdir())]
    for file in recipe:
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    compiler = subprocess.run(["dpkg-query", "-W", "gcc-12"], capture_output=True, check=False).stdout
    digest.update(compiler)
    return digest.hexdigest()[:16]


def make(folder: Path) -> None:
    packages = Packages(folder / "apt")
    packages.refresh()
    release = packages.kernel_release()
    headers = folder / "headers"
    packages.unpack(f"linux-headers-{release}", headers)
    packages.unpack(f"linux-headers-{release.removesuffix('-amd64')}-common", headers)
    packages.unpack("linux-kbuild-6.1", headers)
    packages.unpack(f"linux-image-{release}", folder / "image", "./boot", "./lib/modules")
    packages.unpack("linux-source-6.1", folder / "source", "./usr/src/linux-source-6.1.tar.xz")
    packages.unpack("busybox-static", folder / "busybox", "./bin/busybox")
    for package in ("libgpiod2", "libgpiod-dev", "gpiod"):
        packages.unpack(package, folder / "libgpiod-1")
    add_second_generation(packages, folder)
    extract_kernel(folder / f"image/boot/vmlinuz-{release}", folder / "vmlinux")
    build_modules(folder, release)
    collect_modules(folder, release)
    for name in ("apt", "headers", "image", "source", "build"):
        shutil.rmtree(folder / name)


def add_second_generation(packages: Packages, folder: Path) -> None:
    """libgpiod 2 is in another suite, which a mirror may lack."""
    partial = folder / "libgpiod-2.partial"
    shutil.rmtree(partial, ignore_errors=True)
    try:
        for package in ("libgpiod3", "libgpiod-dev", "gpiod"):
            packages.unpack(package, partial, backported=True)
        partial.rename(folder / "libgpiod-2")
    except Impossible as reason:
        say(f"SKIP of libgpiod 2: {reason}")


def extract_kernel(compressed: Path, kernel: Path) -> None:
    """Unpacks the kernel on the host, because this takes an emulated machine several seconds."""
    image = compressed.read_bytes()
    start = image.find(b"\xfd7zXZ\0")
    if start < 0:
        raise Broken(f"{compressed.name} is not compressed with xz any more")
    elf = lzma.LZMADecompressor().decompress(image[start:])
    if elf[:4] != b"\x7fELF":
        raise Broken(f"{compressed.name} holds no ELF kernel")
    kernel.write_bytes(elf)


def build_modules(folder: Path, release: str) -> None:
    """Builds our modules, and gpio-sim outside the kernel tree."""
    build = folder / "build"
    build.mkdir()
    archive = folder / "source/usr/src/linux-source-6.1.tar.xz"
    members = [f"linux-source-6.1/{name}" for name in GPIO_SIM_SOURCES]
    # The files are in the first half of 1.4 GB. With --occurrence, tar ends when it has them.
    subprocess.run(
        ["tar", "-x", "-J", "-f", archive, "-C", build, "--strip-components=3", "--occurrence=1", *members], check=True
    )
    (build / "gpio-sim.c").rename(build / "gpio-sim-core.c")
    # The kernel does not export irq_to_desc. This function does the same with the number.
    simulator = build / "irq_sim.c"
    before = simulator.read_text()
    after = before.replace("handle_simple_irq(irq_to_desc(irqnum))", "generic_handle_irq(irqnum)")
    if before == after:
        raise Broken("kernel/irq/irq_sim.c has changed: is the replacement of irq_to_desc still needed?")
    simulator.write_text(after)
    for file in (HERE / "kernel").iterdir():
        shutil.copy(file, build)

    headers = folder / f"headers/usr/src/linux-headers-{release}"
    makefile = headers / "Makefile"
    makefile.write_text(makefile.read_text().replace("/usr/src", f"{folder}/headers/usr/src"))
    done = subprocess.run(
        ["make", "-s", "-j2", "-C", headers, f"M={build}", "modules"], capture_output=True, text=True, timeout=300
    )
    if done.returncode != 0:
        raise Broken(f"the kernel modules do not build:\n{done.stdout}{done.stderr}")


def collect_modules(folder: Path, release: str) -> None:
    """Collects the modules that the guest loads, each after its dependencies."""
    there = {file.stem.replace("_", "-"): file for file in (folder / f"image/lib/modules/{release}").rglob("*.ko")}
    there |= {name: folder / f"build/{name}.ko" for name in OUR_MODULES}
    modules = folder / "modules"
    modules.mkdir()
    order: list[str] = []

    def add(name: str) -> None:
        file = there[name.replace("_", "-")]
        if file.name in order:
            return
        for needed in dependencies(file):
            add(needed)
        subprocess.run(["strip", "-g", "-o", modules / file.name, file], check=True)
        order.append(file.name)

    for name in (*DEBIAN_MODULES, *OUR_MODULES):
        add(name)
    (modules / "order").write_text("\n".join(order))


def dependencies(module: Path) -> list[str]:
    """Returns the dependencies that the module declares. (Linux, kernel/module: the section .modinfo)"""
    for field in module.read_bytes().split(b"\0"):
        if field.startswith(b"depends="):
            return [name for name in field[8:].decode().split(",") if name]
    return []


def forget_old() -> None:
    for folder in CACHE.iterdir():
        if folder.is_dir() and time.time() - folder.stat().st_mtime > KEPT_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def lock(file: Path):
    """A lock, so that two parallel runs create the artefacts once."""
    with file.open("w") as held:
        deadline = time.monotonic() + 600
        while True:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise Impossible(f"another run has been making the artefacts for 10 minutes ({file})")
                time.sleep(0.2)
        yield


def say(text: str) -> None:
    print(f"virtual board: {text}", file=sys.stderr, flush=True)
