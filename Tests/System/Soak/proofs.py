"""Rules: network clients are authenticated, and both sides prove that they have the app's key."""

import base64
import hashlib
import hmac
import re

# The tolerance after a change of keys. A new key is valid from the time of its command. The old key is invalid after
# the reply, except for an authentication in progress.
OVERTAKEN = 1


class Proofs:
    def proven(self):
        """Each network session has a proof, and the gateway's proof is correct."""
        count = 0
        lines = {}
        for record in self.evidence.records:
            if record.get("way") not in ("tcp", "tls") or record["kind"] not in ("open", "said", "heard"):
                continue
            if record["kind"] == "open":
                lines[record["who"]] = {"opened": record}
            if record["kind"] == "open" or record["who"] not in lines:
                continue
            line, text = lines[record["who"]], record["text"]
            words = text.split()
            if record["kind"] == "said" and words[1:2] in (["HELLO"], ["AUTH"]):
                line[words[1]] = record
            elif text.startswith("INFO "):
                line["INFO"] = record
            elif text.startswith("+OK ") and " proof=" in text:
                if not any(self.proof("server", line, key) in text for key, _ in self.secrets(line, record["t"])):
                    self.violated("the gateway proves that it has the key", "it did not", line["HELLO"], record)
            elif text.startswith("+OK ") and " session=" in text and "HELLO" in line:
                count += 1
                if not self.is_proven(line, record):
                    self.violated("a client without a proof is refused", "a session was given", line["HELLO"], record)
        self.figures["network_sessions"] = count

    def is_proven(self, line, answer):
        certificate = line["opened"].get("certificate")
        if certificate and certificate == self.value(line["HELLO"], "app"):
            return True
        offered = line.get("AUTH", {"text": ""})["text"]
        for key, token in self.secrets(line, answer["t"]):
            if token and line["opened"]["way"] == "tls" and offered.endswith(f"token={token}"):
                return True
            if key and offered.endswith("hmac=" + self.proof("client", line, key)):
                return True
        return False

    def value(self, record, name):
        found = re.search(rf" {name}=(\S+)", record["text"])
        return found.group(1) if found else ""

    def secrets(self, line, moment):
        """Returns the keys and tokens of the app at that time, as far as the transcript shows."""
        known = []
        for said, answered, key, token in self.evidence.secrets[self.value(line["HELLO"], "app")]:
            if said <= moment:
                if answered + OVERTAKEN < moment:
                    known.clear()
                known.append((key, token))
        # The gateway also sends a proof to an unknown app.
        return known or [(None, None)]

    def proof(self, role, line, key):
        """Returns the proof over the fields of the contract. Empty without a key, which every text contains."""
        if not key:
            return ""
        hello = line["HELLO"]
        spoken = "\n".join(["onefix-v1", role, self.evidence.setup["gateway"], self.value(hello, "app"),
                            self.value(line["INFO"], "nonce"), self.value(hello, "nonce"), line["opened"]["binding"]])
        secret = base64.urlsafe_b64decode(key + "=" * (-len(key) % 4))
        return hmac.new(secret, spoken.encode(), hashlib.sha256).hexdigest()
