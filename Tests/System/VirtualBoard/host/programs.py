"""Our programs for both versions of libgpiod.

The programs are linked again from the objects of the package's build, without `CGpiod`. `CGpiod` is compiled into a
shared library for each version, and each program loads the one that it finds at its start.
"""

import json
import re
import subprocess
from pathlib import Path

from host.artefacts import ROOT, Artefacts
from host.verdict import Broken

SHIM = ROOT / "Sources/C/CGpiod"
SHIM_LIBRARY = "libonefix-gpiod.so"
LIBRARIES = "usr/lib/x86_64-linux-gnu"

# Symbol look-ups and relocations take an emulated machine longer than all other steps of a start.
QUICK_TO_START = [
    "-static-stdlib", "-l_FoundationCShims", "-l_FoundationCollections", "-Xclang-linker", "-no-pie", "-Xlinker", "-s"
]  # fmt: skip


PROGRAMS = ("onefixd", "onefix")


def link_programs(build: Path, artefacts: Artefacts, folder: Path) -> list[Path]:
    """Links our programs, and the shims that they can run with (`folder`/1 and `folder`/2).

    - build: the build folder, for example .build/debug.
    """
    for generation, libgpiod in artefacts.libgpiod.items():
        build_shim(libgpiod, folder / str(generation))
    return [link(program, build, artefacts, folder) for program in PROGRAMS]


def link(program: str, build: Path, artefacts: Artefacts, folder: Path) -> Path:
    command = link_command(program, build)
    objects = [word for word in command if word.startswith("@")]
    if len(objects) != 1:
        raise Broken(f"the package is linked otherwise than it was: {' '.join(command)}")
    listing = Path(objects[0][1:]).read_text().splitlines()
    kept = [file for file in listing if "/CGpiod.build/" not in file]
    if len(kept) == len(listing):
        raise Broken(f"{program} has no CGpiod")
    (folder / f"{program}-objects").write_text("\n".join(kept))

    output = folder / program
    words = [word for word in command if word not in (objects[0], "-lgpiod", "-g", "-v")]
    words[words.index("-o") + 1] = str(output)
    words += [f"@{folder}/{program}-objects", f"-L{folder}/1", f"-l:{SHIM_LIBRARY}", *QUICK_TO_START]
    # The shim needs a libgpiod that only Debian 12 has installed.
    words += ["-Xlinker", f"-rpath-link={artefacts.libgpiod[1] / LIBRARIES}"]
    run(words, f"{program} does not link against a shim of its own")
    return output


def build_shim(libgpiod: Path, folder: Path) -> None:
    folder.mkdir()
    libraries = libgpiod / LIBRARIES
    run(
        ["gcc-12", "-std=c17", "-Wall", "-Wextra", "-Werror", "-O1", "-fPIC", "-shared", f"-I{SHIM}/include",
         f"-I{libgpiod}/usr/include", *sorted(SHIM.glob("*.c")), f"-L{libraries}", "-lgpiod", "-Wl,-z,defs",
         f"-Wl,-soname,{SHIM_LIBRARY}", "-o", folder / SHIM_LIBRARY],
        f"the shim does not build against {libgpiod.name}",
    )  # fmt: skip


def link_command(program: str, build: Path) -> list[str]:
    """Returns the link command of a program in SwiftPM's build plan."""
    plan = build.resolve().parent.parent / f"{build.name}.yaml"
    found = re.search(rf'"C\.{program}-[^"]*\.exe":\n(?:    .*\n)*?    args: (\[.*\])', plan.read_text())
    if not found:
        raise Broken(f"{plan} does not say how {program} is linked")
    return json.loads(found[1])


def run(command: list, fault: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=ROOT)
    if done.returncode != 0:
        raise Broken(f"{fault}:\n{done.stdout}{done.stderr}")
