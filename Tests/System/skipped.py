"""Prints one line for each skipped test or suite, with the reason: Scripts/test.

The arguments are files that the test program wrote (--event-stream-output-path). The tests of a skipped suite are in the
line of the suite.
"""

import json
import re
import sys


def line(text):
    """Returns the line for a message of Swift Testing, which ends with ": REASON" or with a period."""
    found = re.fullmatch(r"(?:Test|Suite) (.*) skipped(?:: (.*)|\.)", text, re.DOTALL)
    what, reason = found.groups() if found else (text, None)
    return f"skipped: {what} ({reason or 'no reason'})".replace('"', "")


def main():
    skipped = {}
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            for text in file:
                if '"testSkipped"' in text:
                    event = json.loads(text)["payload"]
                    skipped[event["testID"]] = event["messages"][0]["text"]
    for test, text in sorted(skipped.items()):
        if not any(test.startswith(f"{suite}/") for suite in skipped):
            print(line(text))


main()
