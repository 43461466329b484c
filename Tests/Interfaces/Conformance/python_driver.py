"""The driver of onefix.py for the conformance test."""

import itertools
import json
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "Sources/Documentation/clients"))
import onefix  # The module is in the folder that the line above names.


def connect(step):
    """Returns the client of an order."""
    address = step.get("socket") or (step["host"], step["port"])
    certificate = (step["certificate"], step["private_key"]) if "certificate" in step else None
    return onefix.connect(address, step["app"], step.get("key"), step.get("trust"), step.get("token"), certificate)


def perform(name, step, client):
    """Performs an order, and writes its results."""
    if name == "close":
        client.close()
        write({"closed": True})
    elif name in ("updates", "region_events"):
        count = step.pop("count")
        elements = getattr(client, name)(**step)
        for element in itertools.islice(elements, count):
            write(element)
        elements.close()
        write({"stopped": True})
    elif name == "regions":
        write({"ids": [region["id"] for region in client.regions()]})
    else:
        name = {"background": "enter_background", "foreground": "enter_foreground"}.get(name, name)
        write(getattr(client, name)(**step) or {"done": True})


def write(result):
    print(json.dumps(result), flush=True)


client = None
for line in sys.stdin:
    step = json.loads(line)
    try:
        if step["do"] == "connect":
            client = connect(step)
            write({"connected": True})
        else:
            perform(step.pop("do"), step, client)
    except onefix.Refused as error:
        write({"error": error.code, "retry_after": error.retry_after})
    except onefix.Untrusted:
        write({"error": "untrusted"})
    except onefix.ConnectionLost:
        write({"error": "lost"})
