"""The content of the guest."""

import re
from pathlib import Path

from host.artefacts import HERE, ROOT, Artefacts
from host.image import Image
from host.programs import SHIM_LIBRARY, link_programs
from host.python import PYTHON, files
from host.verdict import Impossible

APPLETS = ("sh", "mount", "insmod", "poweroff", "stty", "ip", "cat")
GPIO_TOOLS = ("gpiodetect", "gpioinfo", "gpioset", "gpiomon")
# The oracle of random runs, the same as in the soak test.
ORACLE = [ROOT / f"Tests/System/Soak/{name}.py" for name in (
    "oracle", "answers", "bounds", "clocks", "codes", "crossings", "evidence", "grants", "growth", "journal", "light",
    "pages", "positions", "proofs", "transcript")]
NOT_FOR_THE_GUEST = re.compile("__pycache__")


# The package unifont has it.
FONT = Path("/usr/share/unifont/unifont.hex")


def glyphs() -> bytes:
    """Returns the glyphs of letters and punctuation in English, because the files use the memory of the guest."""
    if not FONT.exists():
        raise Impossible(f"there is no {FONT} (Debian package unifont)")
    return b"".join(line for line in FONT.read_bytes().splitlines(keepends=True) if int(line[:4], 16) < 0x2100)


def furnish(artefacts: Artefacts, build: Path, folder: Path) -> Image:
    """Creates the file system of the guest: busybox for the start, Python for the checks, and the programs under test.

    - build: the folder of the package's programs.
    - folder: for temporary files.
    """
    image = Image()
    for name in ("dev", "proc", "sys", "tmp", "run", "root"):
        image.folder(name)
    image.add(HERE / "guest/init", "/init")
    image.add(artefacts.busybox, "/bin/busybox")
    for applet in APPLETS:
        image.link(f"/bin/{applet}", "busybox")
    for module in artefacts.modules:
        image.add(module, f"/modules/{module.name}")
    # The status LED needs a chip, so the checks load its module.
    image.write("/modules/order", " ".join(m.name for m in artefacts.modules if m.stem != "status-led").encode())
    image.tree(HERE / "guest/board", "/checks/board", NOT_FOR_THE_GUEST)
    for module in ORACLE:
        image.add(module, f"/checks/{module.name}")
    image.tree(ROOT / "Boards", "/checks/boards")
    image.tree(HERE / "guest/boards", "/checks/boards")

    image.program(PYTHON.resolve(), str(PYTHON))
    for file in files([*(HERE / "guest/board").rglob("*.py"), *ORACLE]):
        image.add(file)
    programs = link_programs(build, artefacts, folder)
    image.write("/checks/unifont.hex", glyphs())
    for generation, libgpiod in artefacts.libgpiod.items():
        folder_in_guest = f"/opt/libgpiod-{generation}"
        shim = folder / str(generation)
        folders = {libgpiod / "usr/lib/x86_64-linux-gnu": f"{folder_in_guest}/lib", shim: f"{folder_in_guest}/lib"}
        image.program(shim / SHIM_LIBRARY, f"{folder_in_guest}/lib/{SHIM_LIBRARY}", folders)
        for tool in GPIO_TOOLS:
            image.program(libgpiod / "usr/bin" / tool, f"{folder_in_guest}/{tool}", folders)
        for program in programs:
            image.program(program, f"/opt/onefix/{program.name}", folders)
    return image
