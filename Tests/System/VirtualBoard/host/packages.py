"""Debian packages, downloaded and unpacked in a folder: nothing is installed, and root is not needed."""

import os
import subprocess
from pathlib import Path

from host.verdict import Impossible

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
DEFAULT_MIRROR = "http://deb.debian.org/debian"


class Packages:
    """The packages of Debian 12 and its backports, with their own package lists in a folder."""

    def __init__(self, folder: Path):
        self.folder = folder
        for name in ("lists/partial", "archives/partial"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        sources = "".join(
            f"deb [signed-by={KEYRING}] {mirror()} {suite} main\n" for suite in ("bookworm", "bookworm-backports")
        )
        (folder / "sources.list").write_text(sources)
        self.options = [
            f"-oDir::Etc::sourcelist={folder}/sources.list",
            "-oDir::Etc::sourceparts=/dev/null",
            f"-oDir::State::lists={folder}/lists",
            f"-oDir::Cache={folder}",
            "-oAcquire::Languages=none",
            # Otherwise apt changes to a user without write permission in this folder.
            "-oAPT::Sandbox::User=",
        ]

    def refresh(self) -> None:
        """Downloads the package lists."""
        self._apt("apt-get", "update", "-qq", "--error-on=any")

    def kernel_release(self) -> str:
        """Returns the output of `uname -r` in Debian 12's kernel, for example 6.1.0-50-amd64."""
        for line in self._apt("apt-cache", "depends", "linux-image-amd64=" + self.version("linux-image-amd64")).split("\n"):
            if "Depends: linux-image-" in line:
                return line.split("linux-image-")[1].strip()
        raise Impossible("Debian's linux-image-amd64 names no kernel")

    def version(self, package: str, backported: bool = False) -> str:
        """Returns the newest version in Debian 12 itself, or in its backports."""
        for line in self._apt("apt-cache", "madison", package).splitlines():
            fields = [field.strip() for field in line.split("|")]
            if len(fields) == 3 and ("bookworm-backports/" in fields[2]) == backported and "Packages" in fields[2]:
                return fields[1]
        raise Impossible(f"the mirror has no package {package}" + (" in bookworm-backports" if backported else ""))

    def unpack(self, package: str, into: Path, *members: str, backported: bool = False) -> None:
        """Downloads a package and unpacks it, or only the given members of it."""
        file = self._fetch(package, self.version(package, backported))
        into.mkdir(parents=True, exist_ok=True)
        with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", file], stdout=subprocess.PIPE) as archive:
            subprocess.run(["tar", "-x", "-C", into, *members], stdin=archive.stdout, check=True)
        file.unlink()

    def _fetch(self, package: str, version: str) -> Path:
        archives = self.folder / "archives" / package
        archives.mkdir(exist_ok=True)
        self._apt("apt-get", "download", "-qq", f"{package}={version}", cwd=archives)
        (file,) = archives.glob("*.deb")
        return file

    def _apt(self, *words: str, cwd: Path | None = None) -> str:
        command = [words[0], *self.options, *words[1:]]
        try:
            done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300)
        except subprocess.TimeoutExpired:
            raise Impossible(f"the mirror {mirror()} is too slow: '{' '.join(words)}' took more than 5 minutes")
        if done.returncode != 0:
            reason = (done.stderr.strip().splitlines() or ["no reason said"])[0]
            raise Impossible(f"'{' '.join(words)}' failed: {reason}")
        return done.stdout


def mirror() -> str:
    """Returns the Debian mirror of this machine."""
    listing = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(CODENAME) $(COMPONENT) $(REPO_URI)", "Created-By: Packages"],
        capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"},
    )
    for line in listing.stdout.splitlines():
        codename, component, uri = line.split(" ", 2)
        # A mirror of Debian has all releases.
        if codename in ("bookworm", "trixie") and component == "main":
            return uri.rstrip("/")
    return DEFAULT_MIRROR
