"""What the guest is furnished with."""

import re
from pathlib import Path

from host.artefacts import HERE, Artefacts
from host.image import Image
from host.python import PYTHON, files

GPIO_TOOLS = ("gpiodetect", "gpioinfo", "gpioget", "gpioset", "gpiomon")

# Where the guest has what is not in its usual place.
OUR_PROGRAMS = "/opt/onefix"
TOOLS = {1: "/opt/libgpiod-1", 2: "/opt/libgpiod-2"}


def furnish(artefacts: Artefacts, programs: list[Path], boards: Path) -> Image:
    """The guest's file system: busybox for the start, Python for the checks, and what is to be checked."""
    image = Image()
    for name in ("dev", "proc", "sys", "tmp", "run", "root", "var/lib"):
        image.folder(name)
    image.add(artefacts.busybox, "/bin/busybox")
    for applet in ("sh", "mount", "insmod", "rmmod", "poweroff", "stty", "ip", "cat", "echo"):
        image.link(f"/bin/{applet}", "busybox")
    for module in artefacts.modules:
        image.add(module, f"/modules/{module.name}")
    image.write("/modules/order", " ".join(m.name for m in artefacts.modules if m.stem != "status-led").encode())
    image.add(HERE / "guest/init", "/init")
    image.tree(HERE / "guest/board", "/checks/board", re.compile("__pycache__"))
    image.write("/etc/passwd", b"root:x:0:0:root:/root:/bin/sh\n")
    image.write("/etc/group", b"root:x:0:\n")

    image.program(PYTHON.resolve(), str(PYTHON))
    for file in files(HERE / "guest/board"):
        image.add(file)
    for generation, folder in artefacts.libgpiod.items():
        for tool in GPIO_TOOLS:
            tool_path = f"{TOOLS[generation]}/{tool}"
            image.program(folder / f"usr/bin/{tool}", tool_path, folder / "usr/lib/x86_64-linux-gnu")
        image.write(f"{TOOLS[generation]}/libraries", str(folder / "usr/lib/x86_64-linux-gnu").encode())
    for program in programs:
        image.program(program, f"{OUR_PROGRAMS}/{program.name}")
    image.tree(boards, f"{OUR_PROGRAMS}/Boards")
    return image
