"""The parts of the emulated machine apart from our package: Debian's kernels, our kernel modules, and a disk with Debian.
They are made once, in the folder of the target (Scripts/Packaging/target TARGET folder)."""

import lzma
import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

from emulator import Machine
from host.artefacts import GPIO_SIM_SOURCES, dependencies
from host.image import Image
from host.packages import DEFAULT_MIRROR, KEYRING, Packages
from host.verdict import Broken

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent.parent
BOARD = ROOT / "Tests/System/VirtualBoard"
SUITE = "trixie"

# The programs that the checks of the guest run, and the dependencies of our package: the machine has no network.
INCLUDED = (
    "systemd,systemd-sysv,udev,dbus,procps,kmod,python3,openssl,ca-certificates,mosquitto,mosquitto-clients,gpiod,"
    "libgpiod3,libi2c0,libsqlite3-0,libmosquitto1,iproute2,netbase,sudo,adduser,gpsd"
)
# Modules of Debian that the machine loads before its disk is mounted.
DEBIAN_MODULES = ("virtio_blk", "crc32c_generic", "ext4", "configfs", "i2c-dev", "leds-gpio", "tcp_diag")
OUR_MODULES = ("gpio-sim", "gnss-bus", "status-led")
# The path of the target's folder in the toolchain, which builds the modules.
TOOLCHAIN = Path("/target")
DISK_BYTES = 3 << 30


class Target:
    """A target of Scripts/package, for example arm64-deb13."""

    def __init__(self, name: str):
        self.name = name
        self.architecture = name.partition("-")[0]
        # A change of the recipe makes a new folder.
        recipe = sha256(repr((INCLUDED, DEBIAN_MODULES, OUR_MODULES, DISK_BYTES)).encode())
        for file in [HERE / "guest/init", *sorted((BOARD / "kernel").iterdir())]:
            recipe.update(file.read_bytes())
        self.folder = Path(self._script("folder").strip()) / f"machine-{recipe.hexdigest()[:12]}"
        self.disk = self.folder / "disk.ext4"

    def _script(self, *words: str) -> str:
        command = [ROOT / "Scripts/Packaging/target", self.name, *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Broken(f"'{' '.join(words)}' failed in the toolchain:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout

    @property
    def kernels(self) -> list[str]:
        """Returns the flavours of Debian's kernel. A Raspberry Pi 5 has pages of 16 kB."""
        return ["arm64", "arm64-16k"] if self.architecture == "arm64" else ["amd64"]

    def kernel(self, flavour: str) -> Path:
        return self.folder / f"vmlinuz-{flavour}"

    def initial(self, flavour: str) -> Path:
        return self.folder / f"initial-{flavour}"

    def prepare(self) -> None:
        """Makes the parts that do not exist yet."""
        if self.disk.exists():
            return
        self._script("prepare")
        work = self.folder.with_suffix(".partial")
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        packages = TargetPackages(work / "apt", self.architecture)
        packages.refresh()
        say("fetching Debian's kernels (about 400 MB) …")
        source = self._source(packages, work)
        for flavour in self.kernels:
            self._make_kernel(packages, work, flavour, source)
        disk = self._make_disk(work)
        is_configured = disk.name == self.disk.name
        for name in ("apt", "headers", "root", "source", "busybox", "image"):
            shutil.rmtree(work / name, ignore_errors=True)
        for old in self.folder.parent.glob("machine*"):
            if old != work:
                shutil.rmtree(old)
        work.rename(self.folder)
        if not is_configured:
            say("configuring Debian in the machine, once …")
            self._configure(self.folder / disk.name)

    def _source(self, packages: "TargetPackages", work: Path) -> Path:
        """Returns a folder with the sources of our modules."""
        release = packages.release(self.kernels[0])
        archive = f"usr/src/linux-source-{'.'.join(release.split('.')[:2])}.tar.xz"
        packages.unpack(Path(archive).name.removesuffix(".tar.xz"), work / "source", f"./{archive}")
        source = work / "modules"
        source.mkdir()
        members = [f"{Path(archive).name.removesuffix('.tar.xz')}/{name}" for name in GPIO_SIM_SOURCES]
        command = ["tar", "-x", "-J", "-f", work / "source" / archive, "-C", source, "--strip-components=3", "--occurrence=1"]
        subprocess.run([*command, *members], check=True)
        (source / "gpio-sim.c").rename(source / "gpio-sim-core.c")
        # The kernel does not export irq_to_desc. This function does the same with the number.
        simulator = source / "irq_sim.c"
        simulator.write_text(simulator.read_text().replace("handle_simple_irq(irq_to_desc(irqnum))", "generic_handle_irq(irqnum)"))
        for file in (BOARD / "kernel").iterdir():
            shutil.copy(file, source)
        return source

    def _make_kernel(self, packages: "TargetPackages", work: Path, flavour: str, source: Path) -> None:
        release = packages.release(flavour)
        packages.unpack(f"linux-image-{release}", work / "image", "./boot", "./usr/lib/modules")
        shutil.copy(work / f"image/boot/vmlinuz-{release}", work / f"vmlinuz-{flavour}")
        modules = self._build(packages, work, flavour, release, source)
        packages.unpack("busybox-static", work / "busybox")
        image = Image()
        for name in ("dev", "proc", "sys", "disk"):
            image.folder(name)
        image.add(HERE / "guest/init", "/init")
        image.add(next((work / "busybox").rglob("bin/busybox")), "/bin/busybox")
        for applet in ("sh", "mount", "insmod", "poweroff", "switch_root", "chroot", "cat", "mkdir", "cp", "sleep", "sync", "ln"):
            image.link(f"/bin/{applet}", "busybox")
        order = []
        for module in modules:
            image.add(module, f"/modules/{module.name}")
            # The LED needs a chip, so the checks load its module.
            if module.stem != "status-led":
                order.append(module.name)
        image.write("/modules/order", " ".join(order).encode())
        (work / f"initial-{flavour}").write_bytes(image.bytes())

    def _build(self, packages: "TargetPackages", work: Path, flavour: str, release: str, source: Path) -> list[Path]:
        """Builds our modules for a kernel. Returns all modules in load order."""
        headers = work / "headers"
        common = f"linux-headers-{release.split('-')[0]}-common"
        kbuild = f"linux-kbuild-{release.split('-')[0]}"
        packages.unpack(f"linux-headers-{release}", headers)
        packages.unpack(common, headers)
        # The build tools run on this machine.
        if not list(headers.rglob(kbuild)):
            host = TargetPackages(work / "apt-host", "amd64")
            host.refresh()
            host.unpack(kbuild, headers)
            shutil.rmtree(work / "apt-host")
        tree = headers / f"usr/src/linux-headers-{release}"
        inside = TOOLCHAIN / work.relative_to(self.folder.parent)
        makefile = tree / "Makefile"
        makefile.write_text(makefile.read_text().replace("/usr/src", f"{inside}/headers/usr/src"))
        # With this file, the build would need a program for type information.
        (tree / "vmlinux").unlink(missing_ok=True)
        build = work / f"modules-{flavour}"
        shutil.copytree(source, build)
        words = [f"M={inside}/{build.name}", "modules"]
        if self.architecture == "arm64":
            words = ["ARCH=arm64", "CROSS_COMPILE=aarch64-linux-gnu-", *words]
        self._script("run", "make", "-s", "-j2", "-C", f"{inside}/{tree.relative_to(work)}", *words)
        there = {file.name.partition(".")[0].replace("_", "-"): file for file in (work / f"image/usr/lib/modules/{release}").rglob("*.ko*")}
        there |= {name: build / f"{name}.ko" for name in OUR_MODULES}
        order: list[Path] = []

        def add(name: str) -> None:
            file = plain(there[name.replace("_", "-")], build)
            if file in order:
                return
            for needed in dependencies(file):
                add(needed)
            order.append(file)

        for name in (*DEBIAN_MODULES, *OUR_MODULES):
            add(name)
        return order

    def _make_disk(self, work: Path) -> Path:
        """Makes a disk with the packages of Debian. The packages of another architecture are not configured yet, because
        this machine cannot run their programs."""
        root, log = work / "root", work / "debootstrap.log"
        mirror = os.environ.get("ONEFIX_DEBIAN_MIRROR", DEFAULT_MIRROR)
        is_foreign = self.architecture != "amd64"
        command = ["debootstrap", f"--arch={self.architecture}", *(["--foreign"] if is_foreign else []), "--variant=minbase",
                   f"--include={INCLUDED}", SUITE, root, mirror]  # fmt: skip
        with log.open("w") as output:
            if subprocess.run(command, stdout=output, stderr=output).returncode != 0:
                raise Broken(f"debootstrap failed: see {log}")
        # dpkg need not wait for this disk, because it is created again after a power failure.
        (root / "etc/dpkg/dpkg.cfg.d/unsafe").write_text("force-unsafe-io\n")
        disk = work / ("configuring.ext4" if is_foreign else self.disk.name)
        with disk.open("w") as file:
            file.truncate(DISK_BYTES)
        subprocess.run(["mke2fs", "-q", "-t", "ext4", "-d", root, disk], check=True)
        return disk

    def _configure(self, disk: Path) -> None:
        flavour = self.kernels[0]
        machine = Machine(flavour, self.kernel(flavour), self.initial(flavour), disk, "raw")
        console = machine.run("proof.configure", self.folder, 3 * 3600, is_counting=False)
        if "configured" not in console:
            raise Broken(f"Debian cannot be configured in the machine: see {self.folder}/console")
        disk.rename(self.disk)


def plain(file: Path, folder: Path) -> Path:
    """Returns a module that is not compressed."""
    if file.suffix != ".xz":
        return file
    copy = folder / file.stem
    if not copy.exists():
        copy.write_bytes(lzma.decompress(file.read_bytes()))
    return copy


class TargetPackages(Packages):
    """The packages of Debian 13 for an architecture."""

    def __init__(self, folder: Path, architecture: str):
        super().__init__(folder)
        mirror = os.environ.get("ONEFIX_DEBIAN_MIRROR", DEFAULT_MIRROR)
        (folder / "sources.list").write_text(f"deb [signed-by={KEYRING}] {mirror} {SUITE} main\n")
        (folder / "status").touch()
        self.options += [
            f"-oDir::State::status={folder}/status", f"-oAPT::Architecture={architecture}", f"-oAPT::Architectures={architecture}"
        ]  # fmt: skip

    def release(self, flavour: str) -> str:
        """Returns the output of `uname -r` in a kernel, for example 6.12.117+deb13-arm64."""
        for line in self._apt("apt-cache", "depends", f"linux-image-{flavour}").splitlines():
            if "Depends: linux-image-" in line:
                return line.split("linux-image-")[1].strip()
        raise Broken(f"Debian's linux-image-{flavour} names no kernel")


def say(text: str) -> None:
    print(f"package: {text}", file=sys.stderr, flush=True)
