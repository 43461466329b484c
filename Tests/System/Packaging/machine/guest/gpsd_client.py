"""A program that reads the position from the port of gpsd, and knows nothing of OneFix. Prints the first position."""

import json
import socket

with socket.create_connection(("127.0.0.1", 2947), timeout=120) as connection:
    connection.sendall(b'?WATCH={"enable":true,"json":true};\n')
    for line in connection.makefile():
        report = json.loads(line)
        if report["class"] == "TPV" and "lat" in report:
            print(json.dumps({"lat": report["lat"], "lon": report["lon"]}))
            break
