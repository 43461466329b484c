"""What Sources/Documentation/fleets.md shows: it is run as it stands there."""

import re


class Guide:
    def __init__(self, path):
        with open(path) as file:
            text = file.read()
        # A block is a file, or a script, where its first line is a comment that says its name.
        self.blocks = dict(re.findall(r"^```\w*\n# ([^\s:,]+)[^\n]*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))

    def block(self, name, *changes):
        """A block, with what is different on this machine: pairs of what stands there, and what shall."""
        if name not in self.blocks:
            raise SystemExit(f"the guide has no block that is called {name}")
        text = self.blocks[name]
        for old, new in changes:
            if old not in text:
                raise SystemExit(f"the guide's {name} does not say '{old}'")
            text = text.replace(old, new)
        return text
