"""The blocks of Sources/Documentation/fleets.md, which are run as they are written."""

import re


class Guide:
    def __init__(self, path):
        with open(path) as file:
            text = file.read()
        # A block is a file or a script if its first line is a comment with its name.
        self.blocks = dict(re.findall(r"^```\w*\n# ([^\s:,]+)[^\n]*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))

    def block(self, name, *changes):
        """Returns a block with changes for this machine: pairs of old and new text."""
        if name not in self.blocks:
            raise SystemExit(f"the guide has no block that is called {name}")
        text = self.blocks[name]
        for old, new in changes:
            if old not in text:
                raise SystemExit(f"the guide's {name} does not say '{old}'")
            text = text.replace(old, new)
        return text
