"""The part of Python that the checks need."""

import ast
import subprocess
import sys
from importlib.util import cache_from_source
from pathlib import Path
from typing import Iterable

PYTHON = Path("/usr/bin/python3")

# The modules that the interpreter always imports.
ALWAYS = {"encodings.utf_8", "encodings.ascii", "encodings.latin_1", "linecache", "traceback", "warnings"}


def files(scripts: Iterable[Path]) -> list[Path]:
    """Returns the files of Python's library that these scripts import, directly or indirectly."""
    wanted = set(ALWAYS)
    for script in scripts:
        for node in ast.walk(ast.parse(script.read_text())):
            if isinstance(node, ast.Import):
                wanted |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                wanted.add(node.module)
    standard = sorted(name for name in wanted if name.split(".")[0] in sys.stdlib_module_names)
    program = f"import sys, {', '.join(standard)}\nfor module in list(sys.modules.values()):\n"
    program += " print(getattr(module, '__file__', None) or '')"
    listing = subprocess.run([PYTHON, "-I", "-c", program], capture_output=True, text=True, check=True).stdout
    found = [Path(line) for line in listing.splitlines() if line]
    compiled = [Path(cache_from_source(str(file))) for file in found if file.suffix == ".py"]
    return found + [file for file in compiled if file.exists()]
