"""The file system of the guest, a cpio archive that the kernel unpacks into memory. The guest does not depend on a
disk of the host."""

import os
import re
import stat
import subprocess
import tempfile
from pathlib import Path
from typing import Iterable

from host.verdict import Broken


class Image:
    """Collects files and writes them as a "newc" archive. (Linux,
    Documentation/driver-api/early-userspace/buffer-format.rst)"""

    def __init__(self):
        self._entries: dict[str, tuple[int, int, bytes]] = {}

    def folder(self, path: str) -> None:
        """Adds a folder and its parents."""
        parts = path.strip("/").split("/")
        for end in range(1, len(parts) + 1):
            self._entries.setdefault("/".join(parts[:end]), (stat.S_IFDIR | 0o755, 0, b""))

    def write(self, path: str, contents: bytes, mode: int = 0o644, modified: int = 0) -> None:
        self.folder(os.path.dirname(path))
        self._entries[path.strip("/")] = (stat.S_IFREG | mode, modified, contents)

    def link(self, path: str, target: str) -> None:
        self.folder(os.path.dirname(path))
        self._entries[path.strip("/")] = (stat.S_IFLNK | 0o777, 0, target.encode())

    def add(self, file: Path, path: str | None = None) -> None:
        """Adds a file of the host, at its own path unless another is given."""
        status = file.stat()
        # Python accepts compiled modules only if the time of the source matches.
        self.write(path or str(file), file.read_bytes(), status.st_mode & 0o777, int(status.st_mtime))

    def tree(self, folder: Path, path: str, leave_out: re.Pattern | None = None) -> None:
        for file in sorted(folder.rglob("*")):
            name = str(file.relative_to(folder))
            if file.is_file() and not (leave_out and leave_out.search(name)):
                self.add(file, f"{path}/{name}")

    def program(self, file: Path, path: str | None = None, folders: dict[Path, str] | None = None) -> None:
        """Adds a program or library without its debug information, with the shared libraries that it is linked to. The
        libraries keep their paths, so that the program finds them.

        - folders: folders of the host that are searched first for libraries, with their paths in the guest.
        """
        folders = folders or {}
        self.write(path or str(file), stripped(file), 0o755)
        for library in linked(file, folders):
            folder = folders.get(library.parent, library.parent)
            if f"{folder}/{library.name}".strip("/") not in self._entries:
                self.write(f"{folder}/{library.name}", stripped(library), 0o755)

    def bytes(self) -> bytes:
        parts = []
        entries = sorted(self._entries.items()) + [("TRAILER!!!", (0, 0, b""))]
        for number, (name, (mode, modified, contents)) in enumerate(entries):
            # inode, mode, uid, gid, links, mtime, size, 4 device numbers, length of the name, checksum
            values = (number, mode, 0, 0, 1, modified, len(contents), 0, 0, 0, 0, len(name.encode()) + 1, 0)
            head = b"070701" + b"".join(b"%08x" % value for value in values) + name.encode() + b"\0"
            parts += [head, bytes(-len(head) % 4), contents, bytes(-len(contents) % 4)]
        return b"".join(parts)


def linked(file: Path, folders: Iterable[Path]) -> list[Path]:
    """Returns the paths of the shared libraries that a program is linked to, and of its loader."""
    environment = dict(os.environ, LD_LIBRARY_PATH=":".join(map(str, folders)))
    listing = subprocess.run(["ldd", file], capture_output=True, text=True, env=environment).stdout
    if "not found" in listing:
        raise Broken(f"{file} needs libraries that are not there:\n{listing}")
    return [Path(name) for name in re.findall(r"(?:=> |^\s*)(/\S+) \(0x", listing, re.MULTILINE)]


def stripped(file: Path) -> bytes:
    """Returns a program or library without debug information, because the files use the memory of the guest."""
    with tempfile.NamedTemporaryFile() as copy:
        done = subprocess.run(["strip", "--strip-unneeded", "-o", copy.name, file.resolve()], capture_output=True)
        return Path(copy.name).read_bytes() if done.returncode == 0 else file.read_bytes()
