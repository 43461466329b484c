"""The driver of onefix.py for the conformance test."""

import itertools
import json
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "Sources/Documentation/clients"))
import onefix  # The module is in the folder that the line above names.


def perform(step, client):
    """Performs a step, and returns the client."""
    name = step.pop("do")
    if name == "connect":
        address = step.get("socket") or (step["host"], step["port"])
        client = onefix.connect(address, app=step["app"], key=step.get("key"))
        write({"connected": True})
    elif name == "close":
        client.close()
        write({"closed": True})
    elif name == "updates":
        count = step.pop("count")
        updates = client.updates(**step)
        for fix in itertools.islice(updates, count):
            write(fix)
        updates.close()
        write({"stopped": True})
    else:
        write(getattr(client, name)(**step))
    return client


def write(result):
    print(json.dumps(result), flush=True)


client = None
for line in sys.stdin:
    try:
        client = perform(json.loads(line), client)
    except onefix.Refused as error:
        write({"error": error.code, "retry_after": error.retry_after})
    except onefix.Untrusted:
        write({"error": "untrusted"})
    except onefix.ConnectionLost:
        write({"error": "lost"})
