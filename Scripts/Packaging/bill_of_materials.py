#!/usr/bin/env python3
"""Prints the bill of materials of a package: SPDX 2.3, as JSON.

usage: bill_of_materials.py DEB SCRATCH INPUTS

SCRATCH is the folder in which SwiftPM built the programs. INPUTS has the packages that the build used, one a line:
part, name, architecture, version, SHA-256 (Scripts/Packaging/target TARGET inputs). The part is `swift` for a toolchain
that is no package of Debian. The SHA-256 is `-` if it is not known.
"""

import datetime
import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

# Parts of the programs that come from packages of Debian, and libraries that are installed with the package. The licences
# are those of the parts that the programs use. (/usr/share/doc/NAME/copyright in Debian)
LICENCES = {
    "swift": "Apache-2.0 WITH Swift-exception",
    "swiftlang": "Apache-2.0 WITH Swift-exception",
    "libswiftlang": "Apache-2.0 WITH Swift-exception",
    "libstdc++-12-dev": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libstdc++-14-dev": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libtomlplusplus-dev": "MIT",
    "libc6": "LGPL-2.1-or-later",
    "libgcc-s1": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libgpiod2": "LGPL-2.1-or-later",
    "libgpiod3": "LGPL-2.1-or-later",
    "libmosquitto1": "EPL-2.0 OR BSD-3-Clause",
    "libssl3": "Apache-2.0",
    "libssl3t64": "Apache-2.0",
    "libsqlite3-0": "blessing",
    "libi2c0": "LGPL-2.1-or-later",
    "procps": "GPL-2.0-or-later",
    "systemd": "LGPL-2.1-or-later",
}
# Linked statically. The compiler's release decides the version of the C++ library.
LINKED = ("swiftlang", "swift", "libstdc++-12-dev", "libstdc++-14-dev", "libtomlplusplus-dev")
# Code that a Swift package carries.
CARRIED = {
    "swift-nio": [("llhttp", "MIT")],
}


def main() -> None:
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    deb, scratch, inputs = map(Path, sys.argv[1:])
    print(json.dumps(bill(deb, scratch, inputs), indent=1, sort_keys=True))


def bill(deb: Path, scratch: Path, inputs: Path) -> dict:
    fields = control(deb)
    digest = hashlib.sha256(deb.read_bytes()).hexdigest()
    this = package(fields["Package"], fields["Version"], "NOASSERTION", f"pkg:deb/onefix@{fields['Version']}?arch={fields['Architecture']}")
    this |= {"packageFileName": deb.name, "checksums": [{"algorithm": "SHA256", "checksumValue": digest}]}
    packages, relations = [this], [relation("SPDXRef-DOCUMENT", "DESCRIBES", this)]

    def add(part: dict, kind: str, of: dict = this) -> dict:
        packages.append(part)
        relations.append(relation(of["SPDXID"], kind, part))
        return part

    for name, version, place, licence in swift_packages(scratch):
        part = add(package(name, version, licence, f"pkg:swift/{place}@{version}"), "STATIC_LINK")
        for carried, terms in CARRIED.get(name, []):
            add(package(f"{carried} in {name}", version, terms, None), "CONTAINS", part)
    used = used_packages(inputs, fields["Architecture"])
    for name in LINKED:
        if name in used:
            add(installed(name, *used[name], fields["Architecture"]), "STATIC_LINK")
    for word in fields["Depends"].split(","):
        name, version = re.fullmatch(r"\s*(\S+)(?: \(>= ([^)]+)\))?\s*", word).groups()
        add(installed(name, version or "any", None, fields["Architecture"]), "DEPENDS_ON")
    created = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", deb.stat().st_mtime)), datetime.timezone.utc)
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": deb.name,
        "documentNamespace": f"https://onefix.invalid/spdx/{deb.name}/{digest}",
        "creationInfo": {"created": f"{created:%Y-%m-%dT%H:%M:%SZ}", "creators": ["Tool: onefix-bill-of-materials"]},
        "packages": packages, "relationships": relations,
    }  # fmt: skip


def control(deb: Path) -> dict[str, str]:
    text = subprocess.run(["dpkg-deb", "--field", deb], check=True, capture_output=True, text=True).stdout
    return dict(re.findall(r"^([A-Z][\w-]*): (.*)$", text, re.MULTILINE))


def swift_packages(scratch: Path) -> list[tuple[str, str, str, str]]:
    """Returns the name, version, place and licence of each Swift package."""
    state = json.loads((scratch / "workspace-state.json").read_text())["object"]
    found = []
    for dependency in state["dependencies"]:
        reference = dependency["packageRef"]
        version = dependency["state"]["checkoutState"]["version"]
        text = "".join(file.read_text(errors="replace") for file in (scratch / "checkouts" / dependency["subpath"]).glob("LICENSE*"))
        licence = "Apache-2.0" if "Apache License" in text else "MIT" if "Permission is hereby granted" in text else "NOASSERTION"
        if "Runtime Library Exception" in text:
            licence += " WITH Swift-exception"
        place = re.sub(r"^https://|\.git$", "", reference["location"])
        found.append((reference["identity"], version, place, licence))
    return sorted(found)


def used_packages(inputs: Path, architecture: str) -> dict[str, tuple[str, str | None]]:
    """Returns the version and the checksum of the packages that the programs are made with."""
    used = {}
    for line in inputs.read_text().splitlines():
        part, name, arch, version, digest = line.split()
        if part != "toolchain" and arch in (architecture, "all"):
            used[name] = (version, None if digest == "-" else digest)
    return used


def installed(name: str, version: str, digest: str | None, architecture: str) -> dict:
    place = f"pkg:generic/swift@{version}" if name == "swift" else f"pkg:deb/debian/{name}@{version}?arch={architecture}"
    part = package(name, version, LICENCES.get(name, "NOASSERTION"), place)
    if digest:
        part["checksums"] = [{"algorithm": "SHA256", "checksumValue": digest}]
    return part


def package(name: str, version: str, licence: str, url: str | None) -> dict:
    part = {
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]+", "-", f"{name}-{version}"), "name": name, "versionInfo": version,
        "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
        "licenseDeclared": licence, "copyrightText": "NOASSERTION",
    }  # fmt: skip
    if url:
        part["externalRefs"] = [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": url}]
    return part


def relation(of: str, kind: str, part: dict) -> dict:
    return {"spdxElementId": of, "relationshipType": kind, "relatedSpdxElement": part["SPDXID"]}


main()
