"""A model of Home Assistant's MQTT device tracker, of its sensor, and of the zones of a person.

python3 tracker.py GENERATION DISCOVERY MESSAGE…

GENERATION is 2024.12 (the code of 2024.12.0 and 2026.2.3), 2026.7 (2026.7.0 to 2026.11.0), or 2027.1 (core's pull request
172660, which deprecates state_topic until 2027.1). DISCOVERY is the payload, and MESSAGE is TOPIC=PAYLOAD. Prints the
state, the zones and the place after the last message.
"""

import json
import re
import sys

import jinja2

# Home Assistant makes the entity id of a zone from its first name. The name of zone.home is that of the installation.
ZONES = {"zone.home": ("Boat", 47.3769), "zone.harbour": ("Harbour", 10.0), "zone.away": ("Away", 20.0)}


def slugify(text):
    """Home Assistant also replaces letters of other scripts by Latin letters."""
    return re.sub(r"[^a-z0-9]+", "_", str(text).lower()).strip("_")


ENVIRONMENT = jinja2.Environment()
ENVIRONMENT.filters.update(slugify=slugify, to_json=json.dumps)
ENVIRONMENT.tests["has_value"] = lambda entity: entity in ZONES


def render(template, payload):
    return ENVIRONMENT.from_string(template).render(value=payload, value_json=json.loads(payload))


class Tracker:
    def __init__(self, generation, config):
        self.generation = generation
        self.config = config
        self.name = self.latitude = self.in_zones = None
        self.extra = {}

    def receive(self, topic, payload):
        if topic == self.config["json_attributes_topic"]:
            self.update(json.loads(render(self.config["json_attributes_template"], payload)))
        # The schema of 2027.1 removes the unknown key.
        if topic == self.config.get("state_topic") and self.generation != "2027.1":
            self.name = {
                self.config.get("payload_home", "home"): "home", self.config["payload_not_home"]: "not_home",
                self.config["payload_reset"]: None}.get(payload, payload)

    def update(self, attributes):
        if "latitude" in attributes:
            self.latitude, self.in_zones = attributes["latitude"], None
        elif "in_zones" in attributes and self.generation == "2027.1":
            self.latitude, self.in_zones = None, [zone for zone in attributes["in_zones"] if zone in ZONES]
        self.extra = attributes

    @property
    def calculated(self):
        if self.in_zones is not None:
            return self.in_zones
        return [zone for zone, (_, latitude) in ZONES.items() if latitude == self.latitude]

    @property
    def zones(self):
        """The attribute. From 2026.7 a person is in these zones. In 2026.7, attributes of a message replace all others."""
        return self.calculated if self.generation == "2027.1" else self.extra.get("in_zones", self.calculated)

    @property
    def state(self):
        if self.name is not None:
            return self.name
        if self.in_zones is None and self.latitude is None:
            return "unknown"
        zone = next(iter(self.calculated), None)
        return "not_home" if zone is None else "home" if zone == "zone.home" else ZONES[zone][0]


def main():
    generation, discovery, *messages = sys.argv[1:]
    components = json.loads(discovery)["components"]
    tracker = Tracker(generation, components["tracker"])
    sensor = components["place"]
    place = "unknown"
    for message in messages:
        topic, payload = message.split("=", 1)
        tracker.receive(topic, payload)
        if topic == sensor["state_topic"]:
            place = render(sensor["value_template"], payload).replace("None", "unknown")
    print(tracker.state, ",".join(tracker.zones) or "-", place)


if __name__ == "__main__":
    main()
