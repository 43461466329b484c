"""Runs the scenarios inside the guest and reports on the standard output."""

import importlib
import pkgutil
from pathlib import Path

from board import checks, display, scenarios


def word(key: str) -> str:
    """Returns the value of `key=` on the kernel's command line. '+' is a space."""
    for text in Path("/proc/cmdline").read_text().split():
        if text.startswith(f"{key}="):
            return text[len(key) + 1 :].replace("+", " ")
    return ""


for module in sorted(module.name for module in pkgutil.iter_modules(scenarios.__path__)):
    importlib.import_module(f"board.scenarios.{module}")
if word("board.draw"):
    display.draw_changes()
part, parts = word("board.part").split("/")
checks.run(word("board.only"), int(part), int(parts))
