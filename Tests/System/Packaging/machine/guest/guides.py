"""Follows the guides of the documentation on this machine as a user without root permissions."""

import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from actions import Asking, run
from board.checks import Failure

USER = "pi"
HOME = Path("/home", USER)
GUIDES = Path("/proof/guides")
# The names of the guides' Raspberry Pi, and those of this machine.
REPLACED = {"raspberry-pi-5": "virtual", "ttyAMA0": "ttyS1"}


@dataclass(frozen=True)
class Block:
    """A block of a guide, with the remark for the tests that stands before it."""

    section: str
    remark: str
    kind: str
    text: str

    @property
    def title(self) -> str:
        return f"{self.section}: {self.text.splitlines()[0]}"


def blocks(name: str, *sections: str) -> list[Block]:
    """Returns the blocks of a guide: all blocks, or those of some sections."""
    found: list[Block] = []
    section, remark = "", ""
    pattern = r"^## (?P<section>[^\n]*)$|^ *<!-- (?P<remark>[^\n]*?) -->$|^(?P<margin> *)```(?P<kind>\w+)\n(?P<text>.*?)^ *```$"
    for match in re.finditer(pattern, (GUIDES / name).read_text(), re.MULTILINE | re.DOTALL):
        if match["section"]:
            section = match["section"]
        elif match["remark"]:
            remark = match["remark"]
        else:
            text = re.sub(f"^{match['margin']}", "", match["text"], flags=re.MULTILINE)
            found.append(Block(section, remark, match["kind"], text))
            remark = ""
    if missing := set(sections) - {block.section for block in found}:
        raise Failure(f"{name} has no section {missing}")
    return [block for block in found if not sections or block.section in sections]


def here(text: str) -> str:
    """Returns a configuration of a guide with the names of this machine."""
    for theirs, ours in REPLACED.items():
        text = text.replace(theirs, ours)
    return text


def add_user() -> None:
    """Adds the user, with the same sudo permission as the first user of Raspberry Pi OS."""
    run("useradd", "--create-home", "--shell", "/bin/bash", USER)
    Path("/etc/sudoers.d/user").write_text(f"{USER} ALL=(ALL) NOPASSWD: ALL\n")


def follow(block: Block) -> None:
    """Runs the commands of a block as the user who has just logged in, and compares the output that the guide shows. If
    the guide requires a press, the button is pressed until the commands end."""
    presses = block.remark == "somebody presses"
    status = int(match[1]) if (match := re.match(r"exit: (\d+)", block.remark)) else 0
    if block.kind == "sh":
        as_user(block.text, status, presses)
    elif block.kind == "python":
        (HOME / "app.py").write_text(block.text)
        as_user("cp /usr/share/doc/onefix/examples/onefix.py .\npython3 app.py\n", status, presses)
    elif block.kind == "console":
        for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE):
            said = as_user(command, status, presses)
            if not re.fullmatch(pattern_of(shown), said):
                raise Failure(f"the output of '{command}' is not the output in the guide:\n{said}")
    else:
        raise Failure(f"cannot run a block of the kind {block.kind}")


def as_user(script: str, status: int = 0, presses: bool = False) -> str:
    """Runs a script as the user, and returns its output."""
    command = ("su", "-", USER, "-c", f"set -e; exec 2>&1; {script}")
    if not presses:
        return run(*command, status=status)
    return Asking(partial(run, *command, status=status)).pressed()


def pattern_of(shown: str) -> str:
    """Returns the pattern of an output in a guide: `…` stands for any text, and alone on a line for any lines. The
    figures of a fix may differ."""
    pattern = ""
    for line in shown.splitlines():
        if line == "…":
            pattern += r"(?:.*\n)*"
            continue
        line = re.escape(line).replace("…", ".*")
        if '"lat":' in line:
            line = re.sub(r"(?:\\-)?\d+(?:\\\.\d+)?", lambda _: r"-?\d+(?:\.\d+)?", line)
        pattern += line + r"\n"
    return pattern
