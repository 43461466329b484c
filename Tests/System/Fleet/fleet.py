#!/usr/bin/env python3
"""A fleet of gateways at one broker, before, during and after an outage of the broker.

usage: fleet.py ONEFIXD BOARDS GUIDE [--gateways N] [--presses N] [--outage S] [--certificates]

Runs N daemons on the simulated board (default 200), each with an app behind one mosquitto with the configuration in
GUIDE. For each press (default 3) of each gateway, the app sends a request over MQTT, the button is pressed, and the
fix arrives. All gateways run in parallel. Then each app sends one more request, the broker is stopped, and the presses
follow during the outage of S seconds (default 60). The broker is started again, and each gateway serves one more
request. Meanwhile other clients try to read and publish topics that the ACL forbids. All connections use TLS. With
--certificates each gateway has a certificate instead of a password. Prints the figures as JSON.
"""

import argparse
import asyncio
import collections
import contextlib
import json
import os
import signal
import sqlite3
import sys
import tempfile
import time

from broker import Broker, processor_seconds, pss
from gateway import ARMED, Gateway
from guide import Guide
from mqtt import Client, Refused

# The number of daemons that start at the same time.
BATCH = 4
# For 2 s after a fix, a press serves no app.
SETTLED = 2.05
# The timeout of every step, in seconds.
PATIENCE = 180


def say(text):
    print(text, file=sys.stderr, flush=True)


def quantiles(values, digits=1):
    values = sorted(values)
    return {name: round(values[int((len(values) - 1) * share)], digits)
            for name, share in (("p50", 0.5), ("p99", 0.99), ("most", 1))}


class App:
    """The logbook app, which receives the fixes of all gateways. The broker keeps its subscription during an
    absence."""

    def __init__(self, broker):
        self.broker = broker
        self.fixes = collections.defaultdict(list)
        self.errors = []
        self.forged = 0
        self.seconds = collections.Counter()
        self.expected = {}

    def heard(self, topic, payload, is_retained, moment):
        self.seconds[int(moment)] += 1
        kind = topic.rpartition("/")[2]
        self.forged += b"forged" in payload
        if kind == "fix":
            fix = json.loads(payload)
            self.fixes[fix.pop("id")].append((moment, topic.split("/")[1], json.dumps(fix, sort_keys=True)))
        elif kind == "error":
            self.errors.append(f"{topic} {payload.decode()}")

    async def connect(self):
        """Connects to the broker. Returns whether the broker had kept the session."""
        while True:
            self.client = Client(self.heard)
            try:
                return await self.broker.connect(self.client, "logbook-server", "logbook", is_lasting=True)
            except OSError:
                await asyncio.sleep(0.01)

    async def listen(self):
        await self.client.subscribe("onefix/+/status", "onefix/+/logbook/#")

    async def arm(self, gateway, number):
        """Sends a request until it waits for a press, because requests in the first second of a connection are
        ignored."""
        while (await gateway.status()).get("armed") != "logbook":
            await self.client.publish(f"onefix/{gateway.name}/logbook/request", json.dumps({"id": number}))
            for _ in range(5):
                await asyncio.sleep(0.2)
                if (await gateway.status()).get("armed") == "logbook":
                    break
        await asyncio.sleep(ARMED)

    async def press(self, gateway, number):
        """Returns the time of the release of the button for a granted fix."""
        moment = await gateway.press("served", "granted")
        self.expected[number] = (gateway.name, moment)

    async def await_fixes(self, numbers):
        while not all(number in self.fixes for number in numbers):
            await asyncio.sleep(0.02)
        return [self.fixes[number][0][0] for number in numbers]


class Strangers:
    """Clients with a user at the broker that try to do more than the ACL allows."""

    def __init__(self, broker):
        self.broker = broker
        self.seen = []
        self.allowed = self.forged = 0

    async def connect(self):
        self.phone, self.gateway = Client(self.hear_as_phone), Client(self.hear_as_gateway)
        await self.broker.connect(self.phone, "stranger-1", "phone")
        await self.broker.connect(self.gateway, "stranger-2", "gateway-002")
        for client in (self.phone, self.gateway):
            await client.subscribe("#", "onefix/+/logbook/#", "onefix/gateway-003/+/request")

    def hear_as_phone(self, topic, payload, is_retained, moment):
        self.judge(topic, topic.startswith("onefix/gateway-001/logbook/") or topic == "onefix/gateway-001/status")

    def hear_as_gateway(self, topic, payload, is_retained, moment):
        self.judge(topic, topic.startswith("onefix/gateway-002/") and topic.endswith(("/request", "/cancel")))

    def judge(self, topic, is_allowed):
        if is_allowed:
            self.allowed += 1
        else:
            self.seen.append(topic)

    async def forge(self):
        """Publishes forbidden messages, which no client must receive. MQTT 3.1.1 cannot refuse a message: this broker
        acknowledges it or closes the connection."""
        for user in ("phone", "gateway-002"):
            for topic, payload in (("gateway-001/logbook/fix", '{"id":"forged"}'), ("gateway-003/status", "forged"),
                                   ("gateway-003/logbook/fix", '{"id":"forged"}'),
                                   ("gateway-003/logbook/request", '{"id":"forged"}')):
                client = Client(self.hear_as_phone)
                await self.broker.connect(client, "stranger-4", user)
                with contextlib.suppress(ConnectionError):
                    await client.publish(f"onefix/{topic}", payload)
                client.close()
                self.forged += 1

    async def come_in(self):
        """Returns the number of connections that succeed without a password or with another user's password."""
        count = 0
        for user, password in ((None, None), ("gateway-001", "wrong"), ("nobody", "wrong")):
            client = Client(self.hear_as_phone)
            try:
                tls = self.broker.tls_without_certificate()
                await client.connect(self.broker.port, tls, "stranger-3", user, password)
                client.close()
                count += 1
            except (Refused, OSError, asyncio.IncompleteReadError):
                pass
        return count


class Fleet:
    def __init__(self, folder, options):
        self.options = options
        names = [f"gateway-{number:03}" for number in range(1, options.gateways + 1)]
        guide = Guide(options.guide)
        self.broker = Broker(folder, guide, names, options.certificates)
        self.gateways = [Gateway(name, folder, options, guide, self.broker) for name in names]
        self.app = App(self.broker)
        self.strangers = Strangers(self.broker)
        self.figures = {"gateways": options.gateways, "certificates": options.certificates}

    async def each(self, work):
        return await asyncio.gather(*(work(gateway) for gateway in self.gateways))

    async def start(self):
        begin = time.monotonic()
        times = []
        for first in range(0, len(self.gateways), BATCH):
            times += await asyncio.gather(*(gateway.start() for gateway in self.gateways[first:first + BATCH]))
        await self.each(lambda gateway: gateway.until("mqtt-1-state", "connected", pause=0.5))
        self.figures["start_s"] = {**quantiles(times, 2), "all": round(time.monotonic() - begin, 1)}
        self.figures["broker_mb_connected"] = round(pss(self.broker.process.pid), 1)

    async def introduce(self):
        """Confirms each app: its first press shows a prompt, and the next press is the answer."""
        async def one(gateway):
            number = f"{gateway.name}.introduction"
            await self.app.arm(gateway, number)
            await gateway.press("prompt")
            await self.app.press(gateway, number)
            await self.app.await_fixes([number])
        await self.each(one)
        await asyncio.sleep(SETTLED)

    async def round(self, name):
        """Presses the buttons of all gateways at once. Returns the seconds from each release until the app has the
        fix."""
        numbers = [f"{gateway.name}.{name}" for gateway in self.gateways]
        await asyncio.gather(*(self.app.arm(*both) for both in zip(self.gateways, numbers)))
        await asyncio.gather(*(self.app.press(*both) for both in zip(self.gateways, numbers)))
        moments = await self.app.await_fixes(numbers)
        await asyncio.sleep(SETTLED)
        return [moment - self.app.expected[number][1] for number, moment in zip(numbers, moments)]

    async def outage(self):
        """Grants fixes during an outage of the broker, and measures the recovery."""
        numbers = [f"{gateway.name}.outage" for gateway in self.gateways]
        await asyncio.gather(*(self.app.arm(*both) for both in zip(self.gateways, numbers)))
        before = sum(map(self.disk, self.gateways))
        await self.broker.stop()
        self.app.client.close()
        began = time.monotonic()

        async def press(index):
            await asyncio.sleep(self.options.outage * index / len(numbers))
            await self.app.press(self.gateways[index], numbers[index])
        await asyncio.gather(*map(press, range(len(numbers))))
        await asyncio.sleep(max(0, self.options.outage - (time.monotonic() - began)))
        waiting = sum(int(status["mqtt-1-waiting"]) for status in await self.each(Gateway.status))
        away = time.monotonic() - began
        disk = sum(map(self.disk, self.gateways)) - before
        start = time.time()
        await self.broker.start()
        if not await self.app.connect():
            raise SystemExit("the broker did not keep the app's subscription")
        listens = time.time() - start
        await self.strangers.connect()
        fixes = [moment - start for moment in await self.app.await_fixes(numbers)]
        await self.each(lambda gateway: gateway.until("mqtt-1-state", "connected", pause=0.5))
        back = [moment - start for moment in await self.each(Gateway.since)]
        if min(back) < 0:
            raise SystemExit("a gateway does not report the loss of its broker")
        self.figures["outage"] = {
            "away_s": round(away, 1), "waiting": waiting, "kb_each": round(disk / len(numbers), 1),
            "broker_starts_s": round(listens, 2),
            "back_s": quantiles(back), "fixes_s": quantiles(fixes),
            "back_a_second": max(collections.Counter(map(int, back)).values())}

    @staticmethod
    def disk(gateway):
        """Returns the disk usage of the state in KB."""
        return sum(
            os.stat(os.path.join(where, name)).st_blocks / 2
            for where, _, names in os.walk(os.path.join(gateway.folder, "state")) for name in names)

    def judge(self):
        """Compares the granted fixes with those that the app received and those in the logs of the gateways."""
        fixes, expected = self.app.fixes, self.app.expected
        deliveries = collections.Counter((gateway, fix) for number in fixes for _, gateway, fix in fixes[number][:1])
        outcomes, waiting = collections.Counter(), 0
        for gateway in self.gateways:
            path = os.path.join(gateway.folder, "state", "onefix.sqlite")
            database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
            outcomes.update(dict(database.execute(
                "SELECT outcome, count(*) FROM disclosure_log WHERE event = 'outcome' GROUP BY outcome")))
            waiting += database.execute("SELECT count(*) FROM outbox").fetchone()[0]
            database.close()
        self.figures.update({
            "granted": len(expected), "heard": sum(number in fixes for number in expected),
            "lost": sum(number not in fixes for number in expected),
            "of_nobody": sum(number not in expected for number in fixes),
            "twice_under_one_id": sum(len(heard) - 1 for heard in fixes.values()),
            "under_two_ids": sum(count - 1 for count in deliveries.values()),
            "of_another_gateway": sum(
                fixes[number][0][1] != expected[number][0] for number in expected if number in fixes),
            "acknowledged": outcomes["acknowledged"],
            "unaccounted": abs(outcomes["acknowledged"] - len(expected)), "outcomes": outcomes, "left_waiting": waiting,
            "errors": self.app.errors[:5],
            "messages": sum(self.app.seconds.values()), "messages_a_second": max(self.app.seconds.values()),
            "against_the_acl": len(self.strangers.seen) + self.app.forged,
            "tries_against_the_acl": self.strangers.forged, "strangers_heard": self.strangers.allowed})

    async def run(self):
        say(f"starting a broker and {len(self.gateways)} gateways …")
        await self.broker.start()
        await self.app.connect()
        await self.app.listen()
        await self.strangers.connect()
        self.figures["uninvited"] = await self.strangers.come_in()
        await self.start()
        say("introducing the app …")
        await self.introduce()
        times = []
        for number in range(self.options.presses):
            say(f"press {number + 1} of {self.options.presses} …")
            times += await self.round(f"press-{number + 1}")
        self.figures["press_to_fix_ms"] = quantiles([1000 * taken for taken in times])
        await self.strangers.forge()
        # After this acknowledgement, all messages of the other clients have arrived.
        await self.app.client.publish("onefix/gateway-001/logbook/cancel", "")
        if self.app.forged or self.strangers.seen:
            raise SystemExit(f"the ACL does not hold: {self.app.forged} forged, seen {self.strangers.seen[:5]}")
        self.measure_memory()
        say(f"the broker is away for {self.options.outage} s …")
        await self.outage()
        say("a last press …")
        await self.round("last")
        self.judge()
        self.figures["broker_mb"] = round(pss(self.broker.process.pid), 1)

    def measure_memory(self):
        self.figures["gateway_mb"] = quantiles([pss(gateway.process.pid) for gateway in self.gateways])
        self.figures["broker_mb_pressed"] = round(pss(self.broker.process.pid), 1)
        self.figures["broker_cpu_s"] = round(processor_seconds(self.broker.process.pid), 2)

    async def stop(self):
        await self.each(lambda gateway: gateway.stop())
        await self.broker.stop()


async def run(options):
    task = asyncio.current_task()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    with tempfile.TemporaryDirectory(prefix="onefix-") as folder:
        fleet = Fleet(folder, options)
        # More gateways need more time to start and to press.
        limit = options.outage + PATIENCE + options.gateways * (2 + 0.2 * options.presses)
        try:
            await asyncio.wait_for(fleet.run(), limit)
        except asyncio.TimeoutError:
            raise SystemExit(f"the fleet was not done within {limit:.0f} s: {fleet.figures} {fleet.app.errors[:5]}")
        finally:
            await fleet.stop()
    return fleet.figures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("onefixd")
    parser.add_argument("boards")
    parser.add_argument("guide")
    parser.add_argument("--gateways", type=int, default=200)
    parser.add_argument("--presses", type=int, default=3)
    parser.add_argument("--outage", type=int, default=60)
    parser.add_argument("--certificates", action="store_true")
    options = parser.parse_args()
    if options.gateways < 3:
        raise SystemExit("a fleet has 3 gateways at least")
    # Leave processor time to other users of this machine.
    os.nice(10)
    print(json.dumps(asyncio.run(run(options))))


if __name__ == "__main__":
    main()
